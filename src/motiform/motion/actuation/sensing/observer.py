"""The base of a robot, which no sensor tells, from its joints and the feet that carry it.  [HuMAnS 7]"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.tasks import TagTask, TaskFunction
from motiform.motion.run import check_number
from motiform.motion.tree import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["BaseObserver", "FootMarks"]

_STEPS, _SETTLED = 20, 1e-12  # of Newton's method [rad, m]


class FootMarks(NamedTuple):
    """Three tags of a foot whose numbers x1, x2, y1, y2, y3, z1 tell where it is."""

    first: str
    second: str
    third: str


@dataclass(frozen=True, eq=False)
class BaseObserver:
    """Finds the base from the reference of a foot that carried at this call and the last: right first, then left.

    Six numbers locate a foot; where no foot carries, `suspension` is the reference. Velocities are differences. What it
    keeps from call to call is one row of numbers: see `start`.
    """

    figure: Figure
    base: Sequence[str]
    """Six plain coordinates of the root."""
    feet: Sequence[FootMarks]
    """In the order in which they are tried."""
    suspension: FootMarks | None = None
    threshold: float = 40.0
    """Load from which a foot carries [N]."""

    def __post_init__(self) -> None:
        known = self.figure.tag_names
        for marks in (*self.feet, *(() if self.suspension is None else (self.suspension,))):
            for tag in marks:
                if tag not in known:
                    raise InputError("no such tag", where="base observer", got=tag)
        if len(self.base) != 6:
            raise InputError("the base must have six coordinates", where="base observer", got=len(self.base))
        check_number(self.threshold, "threshold", "base observer", above=0.0)

    @cached_property
    def _places(self) -> tuple[list[int], list[int]]:
        found = [(int(self.figure.places(n, "q")[0]), int(self.figure.places(n, "v")[0])) for n in self.base]
        return [q for q, _ in found], [v for _, v in found]

    @cached_property
    def _marks(self) -> list[FootMarks]:
        return [*self.feet, *(() if self.suspension is None else (self.suspension,))]

    @cached_property
    def _placing(self) -> dict[FootMarks, TaskFunction]:
        """The six numbers of each foot."""
        rows = [("first", "x"), ("second", "x"), ("first", "y"), ("second", "y"), ("third", "y"), ("first", "z")]
        return {
            marks: TaskFunction(self.figure, [TagTask(getattr(marks, tag), axes=axis) for tag, axis in rows])
            for marks in self._marks
        }

    def numbers(self, q: ArrayLike, marks: FootMarks) -> tuple[Array, Array]:
        """Return x1, x2, y1, y2, y3, z1 of three tags, (6,), and their Jacobian (6, nv)."""
        value, J, _, _ = self._placing[marks].at(q)
        return value, J

    def start(self, q: ArrayLike) -> Array:
        """Return what it keeps at first, for a posture that is known: q, a reference of each foot, loads, calls."""
        q = np.asarray(q, float)
        references = [self.numbers(q, marks)[0] for marks in self._marks]
        return np.concatenate([q, *references, np.full(len(self.feet), 2.0 * self.threshold), [0.0]])

    def observe(self, t: float, joints: Array, loads: ArrayLike, kept: Array) -> tuple[Array, Array, int, Array]:
        """Return q, v, the reference that was used, and what it keeps; joints is q with any base.

        Loads [N] are those of the feet at this call.
        """
        nq, count = self.figure.nq, len(self._marks)
        last, references = kept[:nq], kept[nq : nq + 6 * count].reshape(count, 6).copy()
        before, time = kept[nq + 6 * count : -1], kept[-1]
        now = np.asarray(loads, float)
        carried = [k for k in range(len(self.feet)) if now[k] > self.threshold and before[k] > self.threshold]
        used = carried[0] if carried else count - 1 if self.suspension is not None else 0
        q = self._fitted(last, joints, used, references[used])
        for k in range(len(self.feet)):
            if not (now[k] > self.threshold and before[k] > self.threshold):  # where it is, until it carries
                references[k] = self.numbers(q, self.feet[k])[0]
        v = np.zeros(self.figure.nv)
        if t > time:
            v = (q - last) / (t - time)  # plain coordinates
        return q, v, used, np.concatenate([q, references.ravel(), now, [t]])

    def _fitted(self, last: Array, joints: Array, used: int, reference: Array) -> Array:
        """Return the joints' posture with the base that puts a foot where its reference is."""
        at_q, at_v = self._places
        q = np.array(joints, float)
        q[at_q] = last[at_q]
        for _ in range(_STEPS):
            found, J = self.numbers(q, self._marks[used])
            step = np.linalg.solve(J[:, at_v], reference - found)
            q[at_q] += step
            if np.abs(step).max() < _SETTLED:
                break
        return q
