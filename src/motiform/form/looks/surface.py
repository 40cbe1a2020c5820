"""Surfaces around the points of channels, and levels of channels of three axes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.form.looks.checks import read_points, read_radius, side_by_side
from motiform.form.looks.color import ColorBy, check_color
from motiform.form.looks.plain import PartLook
from motiform.form.surfaces import LevelSurface, MatterSurface
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.form.parts import Series
    from motiform.record import Recording

__all__ = ["LevelLook", "SurfaceLook"]

_LEAST_CELL = 1 / 64  # of the least radius: finer cells are a slip


@dataclass(frozen=True, eq=False, kw_only=True)
class SurfaceLook(PartLook):
    """One surface around the points of channels: fluids, pastes, drops, sand."""

    surface: tuple[str, ...]
    """Channels of places in the world [m], (3,) or (count, 3)."""
    radius: float | np.ndarray
    """Of the ball that a lone point is [m], one, or one for each channel."""
    color: tuple[float, float, float] | np.ndarray
    """Red, green, blue from 0 to 1, (3,), or a row for each channel."""
    reach: float = 2.0
    """How far a point melts with others, in radii, above 1: smoother where it is larger."""
    cell: float | None = None
    """Edge of the cells that triangles are found in [m]; None: half of the least radius."""
    tolerance: float | None = None
    """Largest distance of triangles from the surface [m]: cells are then of several sizes, small where it bends, and
    `cell` is the size of what is seen; None: all cells are of one size."""
    rays: bool = False
    """Whether pictures show the surface itself and not its triangles: smooth at any size, in one color, slower."""

    def __post_init__(self) -> None:
        names = (self.surface,) if isinstance(self.surface, str) else tuple(self.surface)
        radius = np.atleast_1d(read_radius(self.radius))
        if not names or len(set(names)) != len(names):
            raise InputError("a surface must have channels, each once", got=", ".join(names) or "none")
        if radius.shape not in ((1,), (len(names),)) or not ((radius >= 1e-30) & (radius <= 1e30)).all():
            allowed = f"one number above 0 m, or {len(names)}, from 1e-30 to 1e30 m"
            raise InputError("`radius` must be one, or one for each channel", got=radius.tolist(), allowed=allowed)
        if not 1.0 < self.reach <= 100.0:
            raise InputError("`reach` must be above 1 and at most 100 (radii)", got=self.reach)
        least = _LEAST_CELL * float(radius.min())
        if self.cell is not None and not (np.isfinite(self.cell) and self.cell >= least):
            raise InputError("`cell` must not be far below the radius", got=self.cell, allowed=f"{least:g} m or more")
        least *= _LEAST_CELL
        if self.tolerance is not None and not least <= self.tolerance <= radius.min():
            allowed = f"{least:g} to {radius.min():g} m"
            raise InputError(
                "`tolerance` must not be above or far below the radius", got=self.tolerance, allowed=allowed
            )
        if isinstance(self.color, dict | ColorBy):
            raise InputError("colors of a surface must be numbers")
        color = np.asarray(check_color(self.color))
        if color.shape not in ((3,), (len(names), 3)):
            allowed = f"(3,) or ({len(names)}, 3)"
            raise InputError(
                "`color` must be one, or one for each channel", got=f"shape {color.shape}", allowed=allowed
            )
        if self.rays and color.ndim == 2:
            raise InputError("a surface with rays must have one color", got=f"{len(color)} colors")
        object.__setattr__(self, "surface", names)
        object.__setattr__(self, "color", check_color(self.color))
        object.__setattr__(self, "radius", read_radius(self.radius))

    def drawn(self, name: str, recording: "Recording", samples: int) -> MatterSurface:
        """Return the surface."""
        places = [read_points(channel, recording, samples, name) for channel in self.surface]
        count = [one.shape[1] for one in places]
        radius = np.broadcast_to(np.asarray(self.radius, float), (len(places),))
        color = np.asarray(self.color, float)
        cell = 0.5 * float(radius.min()) if self.cell is None else float(self.cell)
        return MatterSurface(
            name, by_samples(side_by_side, *places), np.repeat(radius, count), float(self.reach), cell,
            color if color.ndim == 1 else np.repeat(color, count, axis=0), bool(self.rays),
            self.tolerance,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelLook(PartLook):
    """The surface of a level of a channel over a grid of three axes; inside it the channel is higher."""

    level: str
    """Channel, (n, m, l)."""
    at: float
    """The level, in the unit of the channel."""
    origin: tuple[float, float, float]
    """Place of value (0, 0, 0) [m]."""
    axes: str
    """Axes of the world along those of the grid, such as "xyz"."""
    spacing: float
    """From value to value [m]."""
    color: tuple[float, float, float]
    """Red, green, blue from 0 to 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "color", check_color(self.color))
        if sorted(self.axes) != ["x", "y", "z"]:
            raise InputError("a grid of three axes must be along x, y and z", got=self.axes, allowed="such as xyz")

    def drawn(self, name: str, recording: "Recording", samples: int) -> LevelSurface:
        """Return the surface."""
        values: Series = recording.samples(self.level)
        if values.ndim != 4 or len(values) != samples:
            got, allowed = f"{self.level!r} of shape {values.shape}", f"({samples}, n, m, l)"
            raise RecordingError("a channel with a level must have three axes", where=name, got=got, allowed=allowed)
        order = [self.axes.index(letter) + 1 for letter in "xyz"]
        color = np.asarray(self.color, float)
        field = by_samples(lambda block: np.asarray(block, np.float32).transpose(0, *order), values)
        return LevelSurface(name, field, np.asarray(self.origin, float), self.spacing, self.at, color)
