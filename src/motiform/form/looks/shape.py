"""Shapes that move with bodies, or stay."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks.checks import read_poses
from motiform.form.looks.color import check_color, resolve_color
from motiform.form.looks.plain import PartLook
from motiform.form.parts import Part, Series
from motiform.geometry import Shape, shape_from

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["ShapeLook"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ShapeLook(PartLook):
    """A shape on the poses of two channels, or at one pose, also where the channels are not recorded."""

    shape: Shape = field(metadata={"read": shape_from})
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Origin of the shape in the frame that carries it [m]."""
    color: tuple[float, float, float] | np.ndarray
    """Red, green, blue from 0 to 1, (3,), or a row for each body, (count, 3)."""
    position: str | None = None
    """Channel of origins in the world [m], (3,) or (count, 3)."""
    orientation: str | None = None
    """Channel of quaternions (w, x, y, z), (4,) or (count, 4)."""
    at: tuple[float, float, float] | None = None
    """Origin of the frame in the world [m]."""
    turn: tuple[float, float, float, float] | None = None
    """Axes of the frame in the world as a quaternion (w, x, y, z)."""
    ground: float | None = None
    """Height of level ground [m], where the ground of a picture may be drawn instead."""
    stands: float | None = None
    """Height of its lowest point [m]: the ground of a picture is not above it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "color", check_color(self.color))
        moves, stays = (self.position, self.orientation), (self.at, self.turn)
        if any((a is None) != (b is None) for a, b in (moves, stays)) or moves == stays == (None, None):
            raise RecordingError("a shape must have `position` and `orientation`, or `at` and `turn`")

    @property
    def places(self) -> str | None:
        """Channel of its places."""
        return self.position

    def is_ground(self, image: Mapping[str, Any]) -> bool:
        """Return whether the ground of a picture with these settings stands for it."""
        if self.ground is None or not image.get("ground", True):
            return False
        return bool(image.get("ground_height", self.ground) == self.ground)

    def drawn(self, name: str, recording: "Recording", samples: int) -> Part:
        """Return the shape on its poses."""
        fixed = self.position is None or (self.at is not None and self.position not in recording.names)
        position: Series
        orientation: Series
        if fixed:
            position, orientation = (
                np.broadcast_to(np.asarray(value, float), (samples, 1, len(value)))
                for value in (self.at, self.turn)
                if value is not None
            )
        else:
            position, orientation = read_poses(str(self.position), str(self.orientation), recording, samples, name)
        color, _ = resolve_color(self.color, recording, samples, position.shape[1], name)
        return Part(name, self.shape, np.array(self.offset), color, position, orientation, fixed)
