"""The interface of every joint."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial import Transform

__all__ = ["Array", "Joint"]

Array = np.ndarray[Any, Any]


class Joint(ABC):
    """How a segment may move against its parent: a set of coordinates q and velocities v.

    The joint's frame is fixed in the parent, the child frame is the segment's. Twists are (angular, linear), of the
    child relative to the parent, in the child's axes at its origin. Leading axes of q and v are batches.

    Subclass it for a user-defined joint: the seven methods below are all that the algorithms need.
    """

    nq: int
    """Numbers of a configuration."""
    nv: int
    """Freedoms."""
    names: tuple[str, ...]
    """Names of the velocities."""
    named: bool = False
    """Whether the names stand alone; otherwise the segment's name is put before them."""
    limits: Array | None = None
    """Lower and upper value of each coordinate [rad or m], (nv, 2), for joints with plain coordinates."""
    units: tuple[str, ...] | None = None
    """Units of the velocities."""
    quaternions: tuple[int, ...] = ()
    """Where in q its quaternions begin."""
    code: int = tree_columns.GIVEN
    """Number by which the compiled algorithms know this kind; GIVEN: the joint is asked once for each state."""

    @property
    def kernel(self) -> bool:
        """Whether the compiled algorithms know this kind."""
        return self.code != tree_columns.GIVEN

    @property
    def plain(self) -> bool:
        """Whether velocities are the derivatives of the coordinates."""
        return False

    @property
    def turns(self) -> tuple[int, ...]:
        """Places in q of angles that a full turn leaves as they are."""
        return ()

    @property
    def q_names(self) -> tuple[str, ...]:
        """Names of the numbers of a configuration: those of the velocities, or numbers."""
        return self.names if self.plain else tuple(map(str, range(self.nq)))

    @property
    def q_units(self) -> tuple[str, ...]:
        """Units of the numbers of a configuration, "" where they are not known."""
        return self.units if self.plain and self.units else ("",) * self.nq

    @abstractmethod
    def neutral(self) -> Array:
        """Return a configuration to begin with, (nq,)."""

    @abstractmethod
    def transform(self, q: Array) -> Transform:
        """Return the child frame in the joint's frame."""

    @abstractmethod
    def subspace(self, q: Array) -> Array:
        """Return S, (..., 6, nv): the twist is S v."""

    @abstractmethod
    def subspace_rate(self, q: Array, v: Array) -> Array:
        """Return dS/dt as seen in the child, (..., 6, nv); zero for axes fixed in it."""

    @abstractmethod
    def rate(self, q: Array, v: Array) -> Array:
        """Return dq/dt, (..., nq)."""

    def bias(self, q: Array, v: Array) -> Array:
        """Return the acceleration that the velocities alone make, dS/dt v, (..., 6)."""
        return (self.subspace_rate(q, v) @ v[..., None])[..., 0]

    def advance(self, q: Array, v: Array, h: float) -> Array:
        """Return the configuration after the time h [s] at constant v."""
        steps = 8
        for _ in range(steps):
            q = self.repair(_rk4(lambda x: self.rate(x, v), q, h / steps))
        return q

    def repair(self, q: Array) -> Array:
        """Return the nearest configuration that the joint allows."""
        return q

    def velocities(self, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
        """Return v and dv/dt where q moves at dq/dt and d²q/dt², (..., nv); quaternions may have any length."""
        if self.nq and not self.plain:
            allowed = "plain coordinates, spherical and free joints"
            raise InputError("velocities of such a joint are not known", got=type(self).__name__, allowed=allowed)
        return dq, ddq

    def stretched(self, placement: Transform, child: Array, parent: Array) -> "tuple[Transform, Joint]":
        """Return placement and joint where child and parent are stretched by factors along their own axes, (3,)."""
        if (child != 1).any() or (parent != 1).any():
            allowed = "joints of axes, functions, ball and free joints"
            raise InputError("the joint cannot be scaled", got=type(self).__name__, allowed=allowed)
        return placement, self

    def check(self, where: str) -> None:  # noqa: B027, most joints can always be
        """Raise an error that names the place if the joint cannot be."""

    # ---- for the compiled algorithms
    def numbers(self) -> Array:
        """Return the constants of the joint as the kernels read them; none for a sequence of axes or a quaternion."""
        return np.zeros(0)

    def column(self, k: int) -> tuple[int, Sequence[float]]:
        """Return the kind of axis of velocity k, and its nine numbers (see `columns`), for a sequence of axes."""
        return tree_columns.NO_AXIS, (0.0,) * 9


def _rk4(f: Any, q: Array, h: float) -> Array:
    a = f(q)
    b = f(q + h / 2 * a)
    c = f(q + h / 2 * b)
    return q + h / 6 * (a + 2 * b + 2 * c + f(q + h * c))


def unit_vector(axis: ArrayLike, what: str, *, zero: bool = False) -> Array:
    """Return the direction of an axis; one without a direction is refused, or with `zero` left for later."""
    try:
        a = np.asarray(axis, float)
    except (TypeError, ValueError):
        a = np.empty(0)
    if zero and a.shape == (3,) and not a.any():
        return a
    if a.shape != (3,) or not np.isfinite(a).all() or not np.linalg.norm(a) > 0:
        raise InputError(
            "an axis must be three numbers, not all zero", where=what, got=repr(axis),
            allowed="three numbers, not all zero",
        )  # fmt: skip
    a = a / np.abs(a).max()
    return a / np.linalg.norm(a)


def as_limits(limits: ArrayLike | None, count: int, what: str) -> Array | None:
    """Return lower and upper values, (count, 2)."""
    if limits is None:
        return None
    try:
        found = np.array(limits, float).reshape(count, 2)
    except (TypeError, ValueError):
        found = np.full((0, 2), np.nan)
    if len(found) != count or np.isnan(found).any() or (found[:, 0] > found[:, 1]).any():
        raise InputError(
            "limits must be in order", where=what, got=repr(limits),
            allowed=f"{count} times (lower, upper), lower ≤ upper",
        )  # fmt: skip
    return found


def named_as(names: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return names told, one for each velocity, or the default."""
    if names is None:
        return default
    if not isinstance(names, Sequence) or len(names) != len(default) or not all(isinstance(n, str) for n in names):
        raise InputError("coordinates must have one name each", got=repr(names), allowed=f"{len(default)} names")
    return tuple(names)
