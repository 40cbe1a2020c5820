"""Splines whose control points are the points of channels."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.form.looks.checks import read_points, side_by_side, take
from motiform.form.looks.color import ColorBy, check_color
from motiform.form.looks.plain import PartLook
from motiform.form.parts import Skin
from motiform.form.splines import SPLINES, Sweep, spline_weights
from motiform.record.samples import WHOLE_BYTES, Samples, by_samples

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["SplineLook"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SplineLook(PartLook):
    """A tube or a lath along a cubic spline whose control points are points of channels.

    It is not drawn at samples in which one of its points is nan.
    """

    spline: tuple[str, ...]
    """Channels of places in the world [m], (3,) or (points, 3)."""
    width: float
    """Of the tube, or of the lath across its flat side [m]."""
    color: tuple[float, float, float]
    """Red, green, blue from 0 to 1."""
    pick: np.ndarray | None = None
    """Control points in order along the spline, counted through all channels, (points,); None: all. A point that comes
    three times is a corner."""
    closed: bool = False
    """Whether the last point is followed by the first."""
    kind: str = "b-spline"
    """"b-spline", within the hull of its control points, or "catmull-rom", through them."""
    thickness: float | None = None
    """Of a lath [m]; None: a tube."""
    across: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Direction of a lath's width at its beginning, in the world."""
    parts: int = 8
    """Sections in each span between two control points."""
    sides: int = 12
    """Of a tube's section."""

    def __post_init__(self) -> None:
        names = (self.spline,) if isinstance(self.spline, str) else tuple(self.spline)
        if not names:
            raise InputError("a spline must have channels of control points", got="none")
        for key in ("width", "thickness"):
            given = getattr(self, key)
            if given is not None and not (np.isfinite(given) and given > 0.0):
                raise InputError(f"`{key}` of a spline must be above 0 m", got=given)
        if self.kind not in SPLINES:
            raise InputError("the kind of a spline must be known", got=self.kind, allowed=", ".join(SPLINES))
        if not 1 <= self.parts <= 1000:
            raise InputError("`parts` of a spline must be 1 to 1000", got=self.parts)
        if not 3 <= self.sides <= 1000:
            raise InputError("`sides` of a spline must be 3 to 1000", got=self.sides)
        across = np.asarray(self.across, float)
        if across.shape != (3,) or not (np.isfinite(across).all() and across.any()):
            raise InputError("`across` of a spline must be a direction", got=repr(self.across))
        if isinstance(self.color, dict | ColorBy) or np.shape(self.color) != (3,):
            raise InputError("the color of a spline must be three numbers", got=repr(self.color)[:60])
        object.__setattr__(self, "spline", names)
        object.__setattr__(self, "color", check_color(self.color))
        object.__setattr__(self, "across", tuple((across / np.linalg.norm(across)).tolist()))
        if self.pick is not None:
            object.__setattr__(self, "pick", np.asarray(self.pick))

    def drawn(self, name: str, recording: "Recording", samples: int) -> Skin:
        """Return the tube or lath."""
        places = [read_points(channel, recording, samples, name) for channel in self.spline]
        given = points = take(by_samples(side_by_side, *places), self.pick, name)
        curve, slope = spline_weights(points.shape[1], closed=bool(self.closed), kind=self.kind, parts=int(self.parts))
        round_ = self.thickness is None
        sweep = Sweep(curve, slope, self._section(), np.asarray(self.across), bool(self.closed), round_)
        color = np.asarray(self.color, float)
        shape = (samples, *sweep.vertices(points[:1]).shape[1:])
        if 8 * int(np.prod(shape, dtype=np.int64)) > WHOLE_BYTES:  # many times what its control points are
            points = Samples(lambda a, b: np.asarray(given[a:b]), given.shape, np.float64)
        return Skin(name, by_samples(sweep.vertices, points), sweep.faces, color, two_sided=False)

    def _section(self) -> np.ndarray:
        """Return the outline of the section [m], counter-clockwise."""
        if self.thickness is not None:
            return 0.5 * np.array([(1, -1), (1, 1), (-1, 1), (-1, -1)]) * (self.width, self.thickness)
        angle = 2.0 * np.pi * np.arange(self.sides) / self.sides
        return 0.5 * float(self.width) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
