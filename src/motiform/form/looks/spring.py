"""Springs between bodies, drawn as balls in a row, so that they are seen to stretch."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks.checks import read_poses
from motiform.form.looks.plain import PartLook, Plain
from motiform.form.parts import Part, Series
from motiform.geometry import Ball
from motiform.record.samples import by_samples
from motiform.spatial import rotate

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["SpringEnd", "SpringLook"]

_BEADS = 24
_COLOR = (0.35, 0.35, 0.38)


@dataclass(frozen=True, kw_only=True)
class SpringEnd(Plain):
    """A point of a body, or of the world."""

    body: str | None
    """None: the world."""
    at: tuple[float, float, float]
    """In the body's frame or in the world's [m]."""

    def to_plain(self) -> dict[str, Any]:
        """Return the body, also where there is none, and the place."""
        return {"body": self.body, "at": list(self.at)}

    def place(self, recording: "Recording", samples: int) -> Series:
        """Return where it is [m], (samples, 3)."""
        point = np.array(self.at)
        if self.body is None:
            return np.broadcast_to(point, (samples, 3))
        places = f"{self.body}.position", f"{self.body}.orientation"
        position, turn = read_poses(*places, recording, samples, f"spring on {self.body!r}")
        found: Series = by_samples(lambda x, q: x[:, 0] + rotate(q[:, 0], point), position, turn)
        return found


def _read_ends(plain: Any) -> tuple[SpringEnd, ...]:
    if not isinstance(plain, list | tuple) or len(plain) != 2:
        raise RecordingError("a spring must have two ends", got=repr(plain)[:60])
    return tuple(SpringEnd.from_plain(end) for end in plain)


@dataclass(frozen=True, kw_only=True)
class SpringLook(PartLook):
    """A spring between two points."""

    ends: tuple[SpringEnd, SpringEnd] = field(metadata={"read": _read_ends})
    radius: float
    """Of a ball [m]."""

    def drawn(self, name: str, recording: "Recording", samples: int) -> Part:
        """Return balls from one end to the other."""
        first, second = (end.place(recording, samples) for end in self.ends)
        along = np.linspace(0, 1, _BEADS)[:, None]
        position = by_samples(lambda a, b: a[:, None] * (1 - along) + b[:, None] * along, first, second)
        orientation = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (samples, _BEADS, 4))
        return Part(name, Ball(self.radius), np.zeros(3), np.array(_COLOR), position, orientation)
