"""The interface of solids: a number in the register, sizes that kernels read, and a bounding ball."""

from abc import ABC
from dataclasses import fields
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.geometry.solids.shape import Shape

__all__ = ["CIRCLE", "Solid", "tube_outlines"]

_TURN = np.linspace(0.0, 2.0 * np.pi, 33)
CIRCLE = np.stack((np.cos(_TURN), 0 * _TURN, np.sin(_TURN)), axis=1)
"""A circle of radius 1 around y, as outlines have it: its last point is its first."""


class Solid(ABC):
    """A part of space, in its own frame; its axis, or its outward normal, is y."""

    kind: ClassVar[str]
    ground: ClassVar[bool] = False
    """Whether all below a plane is in it: where that is level, the ground of a picture may stand for it."""
    flat: ClassVar[bool] = False
    """Whether planes across its axes bound it: one that is level is a floor."""

    @property
    def sizes(self) -> tuple[float, ...]:
        """Half edges, radii and half heights [m] as its kernels read them, at most SIZES."""
        return ()

    def ball_around(self) -> tuple[Array, float]:
        """Return the centre [m] (3,) and the radius [m] of a ball around it; inf where it has no end."""
        return np.zeros(3), inf

    def seen(self, extent: float) -> "Shape | None":
        """Return the shape to draw for it, in its frame, where motion takes `extent` [m]; None for none."""
        return None

    def outlines(self) -> list[Array]:
        """Return lines (points, 3) [m] that show it as a wireframe; many kinds have none."""
        return []

    def describe(self) -> dict[str, Any]:
        """Return the kind and the numbers that shape_from turns back into the shape."""
        values = ((field.name, getattr(self, field.name)) for field in fields(cast(Any, self)))
        return {"kind": self.kind, **{key: list(v) if isinstance(v, tuple) else v for key, v in values}}


def tube_outlines(radius: float, length: float) -> list[Array]:
    """Return the two end circles of a tube along y and four lines along it [m]."""
    up = np.array([0.0, 0.5 * length, 0.0])
    ends = [radius * CIRCLE + side * up for side in (-1.0, 1.0)]
    return ends + [np.array([p - up, p + up]) for p in radius * CIRCLE[:-1:8]]
