"""Many balls carried by one body, such as the cover of a bone."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks.checks import read_poses
from motiform.form.looks.color import Color, check_color, read_color, resolve_color
from motiform.form.looks.plain import PartLook
from motiform.form.parts import Part, Series
from motiform.geometry import Ball
from motiform.record.samples import by_samples
from motiform.spatial import rotation_from_quaternion

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["BallsLook"]


def _read_balls(given: Any) -> np.ndarray:
    balls = np.asarray(given, float)
    if balls.ndim != 2 or balls.shape[1] != 4 or not len(balls) or not (balls[:, 3] > 0).all():
        raise RecordingError("`balls` must be centres and radii above 0", got=f"shape {balls.shape}", allowed="(n, 4)")
    return balls


@dataclass(frozen=True, eq=False, kw_only=True)
class BallsLook(PartLook):
    """Balls in the axes of a body, on the poses of two channels; without these they stay."""

    balls: np.ndarray = field(metadata={"read": _read_balls})
    """Centres and radii [m], (count, 4)."""
    color: Color = field(metadata={"read": read_color})
    """Red, green, blue from 0 to 1, (3,), a row for each, (count, 3), or `ColorBy`."""
    position: str | None = None
    """Channel of the body's origin in the world [m], (3,)."""
    orientation: str | None = None
    """Channel of its quaternion (w, x, y, z), (4,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "balls", _read_balls(self.balls))
        object.__setattr__(self, "color", check_color(self.color))
        if (self.position is None) != (self.orientation is None):
            raise RecordingError("balls must have `position` and `orientation`, or neither")

    @property
    def places(self) -> str | None:
        """Channel of its places."""
        return self.position

    def drawn(self, name: str, recording: "Recording", samples: int) -> Part:
        """Return the balls on the poses of their body."""
        count = len(self.balls)
        position: Series = np.broadcast_to(self.balls[:, :3], (samples, count, 3))
        if self.position is not None:
            poses = read_poses(self.position, str(self.orientation), recording, samples, name)
            if poses[0].shape[1] != 1:
                got = f"{poses[0].shape[1]} bodies"
                raise RecordingError("balls must be carried by one body", where=name, got=got, allowed="1")
            position = by_samples(self._placed, *poses)
        orientation = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (samples, count, 4))
        first, shades = resolve_color(self.color, recording, samples, count, name)
        largest = float(self.balls[:, 3].max())
        return Part(
            name, Ball(largest), np.zeros(3), first, position, orientation, self.position is None,
            scale=self.balls[:, 3] / largest, shades=shades,
        )  # fmt: skip

    def _placed(self, origin: np.ndarray, turned: np.ndarray) -> np.ndarray:
        R = rotation_from_quaternion(turned[:, 0])
        return np.asarray(self.balls[:, :3] @ np.swapaxes(R, 1, 2) + origin)
