"""Loop closures: constraints between segments in addition to the tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.tree.model.joint import Array
from motiform.spatial import check_rotation

__all__ = ["AnyClosure", "Closure"]

_WORDS = {
    "distance": (1, 0),
    "weld": (3, 3),
    "revolute": (3, 2),
    "prismatic": (2, 3),
    "cylindrical": (2, 2),
    "line": (2, 0),
}
"""How many lengths and angles they hold."""


class AnyClosure(Protocol):
    """The interface of closures: the two segments and the constraint rows."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def a(self) -> str | None: ...  # noqa: D102

    @property
    def b(self) -> str | None: ...  # noqa: D102

    @property
    def rows(self) -> Sequence[str]: ...  # noqa: D102

    @property
    def count(self) -> int:
        """Number of its rows."""
        ...

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds places, not velocities alone."""
        ...

    @property
    def turns(self) -> tuple[bool, ...]:
        """Whether each row holds an angle, not a length."""
        ...

    @property
    def lengths(self) -> Sequence[float]:
        """Lengths that give the size of the linkage [m]."""
        ...

    def check(self) -> None:
        """Raise an error if the closure cannot be."""
        ...


@dataclass(frozen=True)
class Closure:
    """A loop-closing constraint between two segments.

    `rows` are the directions, in the axes of segment a (the world's where a is None), along which the two points
    coincide; "distance" keeps their distance; "line" keeps b's point on the line along `axis` through that of a;
    "weld" holds the axes together too. "revolute", "prismatic" and "cylindrical" leave b the motion of such a joint
    about the `axis` through the points.
    """

    name: str
    a: str | None
    point_a: tuple[float, float, float]
    b: str | None
    point_b: tuple[float, float, float]
    rows: str = "xyz"
    length: float = 0.0
    """Distance that is kept [m], for "distance"."""
    turn: Any = None
    """Rotation of b in a, (3, 3), for "weld" and what has an axis; about its axis any other does as well."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Of "line", "revolute", "prismatic" and "cylindrical", in the axes of a."""

    @property
    def count(self) -> int:
        """Number of its rows."""
        return len(self.turns)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds places, not velocities alone."""
        return (True,) * self.count

    @property
    def turns(self) -> tuple[bool, ...]:
        """Whether each row holds an angle, not a length."""
        places, angles = _WORDS.get(self.rows, (len(self.rows), 0))
        return (False,) * places + (True,) * angles

    @property
    def cross_axes(self) -> Array:
        """Two unit vectors that make a right-handed system with the unit axis before them, (2, 3), in the axes of a."""
        n = self.unit_axis
        first = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        first /= np.linalg.norm(first)
        return np.stack([first, np.cross(n, first)])

    @property
    def unit_axis(self) -> Array:
        """The axis of length one, (3,)."""
        return np.array(self.axis) / np.linalg.norm(self.axis)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Lengths that give the size of the linkage [m]."""
        return self.length, float(np.linalg.norm(self.point_a)), float(np.linalg.norm(self.point_b))

    def check(self) -> None:
        """Raise an error if the rows or points cannot be."""
        where = f"closure {self.name!r}"
        known = isinstance(self.rows, str) and (
            self.rows in _WORDS or (0 < len(self.rows) == len(set(self.rows)) and not set(self.rows) - set("xyz"))
        )
        if not known:
            raise InputError(
                "rows must be axes or a known word", where=where, got=self.rows,
                allowed=f"some of x, y, z; {'; '.join(_WORDS)}",
            )  # fmt: skip
        if self.rows == "distance" and not self.length > 0:
            raise InputError("the distance must be positive", where=where, got=self.length, allowed="above zero")
        if any(self.turns):
            check_rotation(self.turn, where=where)
        if not (np.isfinite(self.axis).all() and np.any(self.axis)):
            raise InputError("the axis must have a direction", where=where, got=self.axis, allowed="not zero, finite")
        if not np.isfinite([*self.point_a, *self.point_b]).all():
            raise InputError(
                "the points must be finite", where=where, got=(self.point_a, self.point_b), allowed="finite numbers"
            )
