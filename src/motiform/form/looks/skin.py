"""Surfaces whose vertices are the points of a channel."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks.checks import check_below, read_indices, read_points
from motiform.form.looks.color import check_color, resolve_color
from motiform.form.looks.plain import PartLook
from motiform.form.parts import Skin

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["SkinLook"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SkinLook(PartLook):
    """Triangles between the points of a channel."""

    skin: str
    """Channel of places in the world [m], (points, 3)."""
    faces: np.ndarray
    """Points of each triangle, counter-clockwise seen from outside, (triangles, 3)."""
    color: tuple[float, float, float] | np.ndarray
    """Red, green, blue from 0 to 1, (3,), or a row for each triangle, (triangles, 3)."""
    two_sided: bool = True
    """Whether it is seen from behind."""
    smooth: bool = True
    """Whether triangles shade into one another."""

    def __post_init__(self) -> None:
        if isinstance(self.color, dict):
            raise RecordingError("colors of a skin must be numbers", got=", ".join(self.color))
        object.__setattr__(self, "faces", read_indices(self.faces, 3, "faces"))
        object.__setattr__(self, "color", check_color(self.color))

    def drawn(self, name: str, recording: "Recording", samples: int) -> Skin:
        """Return the surface."""
        vertices = read_points(self.skin, recording, samples, name)
        faces = self.faces.astype(np.int64)
        check_below(faces, vertices.shape[1], name)
        color, _ = resolve_color(self.color, recording, samples, len(faces), name)
        return Skin(name, vertices, faces, color, bool(self.two_sided), bool(self.smooth))
