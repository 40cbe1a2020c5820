"""Loop closures: constraints between segments in addition to the tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial import check_rotation

__all__ = ["AnyClosure", "Closure"]


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
        """Lengths that tell how large the linkage is [m]."""
        ...

    def check(self) -> None:
        """Raise an error if the closure cannot be."""
        ...


@dataclass(frozen=True)
class Closure:
    """A loop-closing constraint between two segments.

    `rows` are the directions, in the axes of segment a (the world's where a is None), along which the two points
    coincide; "distance" keeps their distance; "weld" holds the axes together too.
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
    """Rotation of b in a, (3, 3), for "weld"."""

    @property
    def count(self) -> int:
        """Number of its rows."""
        return {"distance": 1, "weld": 6}.get(self.rows, len(self.rows))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds places, not velocities alone."""
        return (True,) * self.count

    @property
    def turns(self) -> tuple[bool, ...]:
        """Whether each row holds an angle, not a length."""
        return (False,) * 3 + (True,) * 3 if self.rows == "weld" else (False,) * self.count

    @property
    def lengths(self) -> tuple[float, ...]:
        """Lengths that tell how large the linkage is [m]."""
        return self.length, float(np.linalg.norm(self.point_a)), float(np.linalg.norm(self.point_b))

    def check(self) -> None:
        """Raise an error if the rows or points cannot be."""
        where = f"closure {self.name!r}"
        if self.rows not in ("distance", "weld") and (
            not isinstance(self.rows, str)
            or not self.rows
            or set(self.rows) - set("xyz")
            or len(set(self.rows)) < len(self.rows)
        ):
            raise InputError(
                "rows must be axes or a known word",
                where=where,
                got=self.rows,
                allowed="some of x, y, z; distance; weld",
            )
        if self.rows == "distance" and not self.length > 0:
            raise InputError("the distance must be positive", where=where, got=self.length, allowed="above zero")
        if self.rows == "weld":
            check_rotation(self.turn, where=where)
        if not np.isfinite([*self.point_a, *self.point_b]).all():
            raise InputError(
                "the points must be finite", where=where, got=(self.point_a, self.point_b), allowed="finite numbers"
            )
