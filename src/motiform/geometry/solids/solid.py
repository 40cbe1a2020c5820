"""The interface of solids: a number in the register, sizes that kernels read, and a bounding ball."""

from abc import ABC
from dataclasses import fields
from math import inf
from typing import Any, ClassVar, cast

import numpy as np

from motiform.spatial.checks import Array

__all__ = ["Solid"]


class Solid(ABC):
    """A part of space, in its own frame; its axis, or its outward normal, is y."""

    kind: ClassVar[str]

    @property
    def sizes(self) -> tuple[float, ...]:
        """Half edges, radii and half heights [m] as its kernels read them, at most SIZES."""
        return ()

    def ball_around(self) -> tuple[Array, float]:
        """Return the centre [m] (3,) and the radius [m] of a ball around it; inf where it has no end."""
        return np.zeros(3), inf

    def describe(self) -> dict[str, Any]:
        """Return the kind and the numbers that shape_from turns back into the shape."""
        values = ((field.name, getattr(self, field.name)) for field in fields(cast(Any, self)))
        return {"kind": self.kind, **{key: list(v) if isinstance(v, tuple) else v for key, v in values}}
