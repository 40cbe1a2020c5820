"""The base of a robot, which no sensor tells, from its joints and the feet that carry it.  [HuMAnS 7]"""

import math
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
from motiform.spatial.checks import as_floats

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

    Six numbers locate a foot; where no foot carries, `suspension` is the reference. Without one nothing tells the base
    then: it stays where it was seen last, and the reference is −1. Velocities are differences, which a low-pass filter
    smooths: v ← v + a Δt + (1 − exp(−2π cutoff Δt)) (Δq/Δt − v − a Δt) with the accelerations a that are foreseen, so
    that they are not late where these are right. What it keeps from call to call is one row of numbers: see `start`.
    """

    figure: Figure
    base: Sequence[str]
    """Six plain coordinates of the root."""
    feet: Sequence[FootMarks]
    """In the order in which they are tried."""
    suspension: FootMarks | None = None
    threshold: float = 40.0
    """Load from which a foot carries [N]."""
    cutoff: float = math.inf
    """Of the low-pass filter of velocities, of first order [Hz]; inf: none."""
    landing: ArrayLike | None = None
    """Posture in which the first foot that carries is where it comes to the ground, (nq,); None: where it is seen."""

    def __post_init__(self) -> None:
        known = self.figure.tag_names
        for marks in (*self.feet, *(() if self.suspension is None else (self.suspension,))):
            for tag in marks:
                if tag not in known:
                    raise InputError("no such tag", where="base observer", got=tag)
        if len(self.base) != 6:
            raise InputError("the base must have six coordinates", where="base observer", got=len(self.base))
        check_number(self.threshold, "threshold", "base observer", above=0.0)
        if self.landing is not None:
            object.__setattr__(self, "landing", as_floats(self.landing, where="base observer, landing"))
            if np.shape(self.landing) != (self.figure.nq,):
                got, allowed = f"shape {np.shape(self.landing)}", f"({self.figure.nq},)"
                raise InputError("landing must be a posture", where="base observer", got=got, allowed=allowed)
        if self.cutoff != math.inf:
            check_number(self.cutoff, "cutoff", "base observer", above=0.0)

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

    def start(self, q: ArrayLike, *, hung: bool = False) -> Array:
        """Return what it keeps at first, at rest in a known posture, on its feet or hung by the suspension.

        These are q, v, a reference of each foot, loads, whether a foot has carried, t.
        """
        q = np.asarray(q, float)
        references = [self.numbers(q, marks)[0] for marks in self._marks]
        carrying = np.full(len(self.feet), 0.0 if hung else 2.0 * self.threshold)
        return np.concatenate([q, np.zeros(self.figure.nv), *references, carrying, [0.0 if hung else 1.0, 0.0]])

    def observe(
        self, t: float, joints: Array, loads: ArrayLike, kept: Array, acceleration: Array | None = None
    ) -> tuple[Array, Array, int, Array]:
        """Return q, v, the reference that was used (−1: none), and what it keeps; joints is q with any base.

        Loads [N] are those of the feet at this call; the acceleration (nv,) is that since the last call, as far as it
        is foreseen.
        """
        nq, nv, count = self.figure.nq, self.figure.nv, len(self._marks)
        last, v, references = (
            kept[:nq],
            kept[nq : nq + nv],
            kept[nq + nv : nq + nv + 6 * count].reshape(count, 6).copy(),
        )
        before, carried, time = kept[nq + nv + 6 * count : -2], kept[-2], kept[-1]
        now = np.asarray(loads, float)
        carries = (now > self.threshold) & (before > self.threshold)
        used = int(np.argmax(carries)) if carries.any() else count - 1 if self.suspension is not None else -1
        if carries.any() and not carried and self.landing is not None:
            references[used] = self.numbers(self.landing, self._marks[used])[0]
        q = self._fitted(last, joints, used, references[used])
        for k in np.flatnonzero(~carries).tolist():  # where it is, until it carries
            references[k] = self.numbers(q, self.feet[k])[0]
        if t > time:
            share = -math.expm1(-2.0 * math.pi * self.cutoff * (t - time))
            v = v + (0.0 if acceleration is None else acceleration) * (t - time)
            v = v + share * ((q - last) / (t - time) - v)  # plain coordinates
        return q, v, used, np.concatenate([q, v, references.ravel(), now, [float(carried or carries.any()), t]])

    def _fitted(self, last: Array, joints: Array, used: int, reference: Array) -> Array:
        """Return the joints' posture with the base that puts a foot where its reference is, or the last base."""
        at_q, at_v = self._places
        q = np.array(joints, float)
        q[at_q] = last[at_q]
        for _ in range(_STEPS if used >= 0 else 0):
            found, J = self.numbers(q, self._marks[used])
            step = np.linalg.solve(J[:, at_v], reference - found)
            q[at_q] += step
            if np.abs(step).max() < _SETTLED:
                break
        return q
