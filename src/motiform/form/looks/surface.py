"""Surfaces around the points of channels, and levels of channels of three axes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.form.looks.checks import check_below, read_indices, read_points, read_radius, side_by_side
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
    """One surface around the points of channels: fluids, pastes, drops, sand, tubes along links, sheets."""

    surface: tuple[str, ...]
    """Channels of places in the world [m], (3,) or (count, 3)."""
    radius: float | np.ndarray
    """Of the ball that a lone point is [m], one, or one for each channel. Rows of three are the radii of ellipsoids,
    one for each channel or for each point."""
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
    turn: np.ndarray | None = None
    """Axes of ellipsoids in the world as quaternions (w, x, y, z), (4,), or a row for each channel or point."""
    exponent: float | np.ndarray | None = None
    """Of ellipsoids, from 2 to 64: above 2 superellipsoids. One, or one for each channel or point; None: 2."""
    pairs: np.ndarray | None = None
    """Points at the ends of tubes, (tubes, 2), counted through all channels: a chain of them is one tube."""
    faces: np.ndarray | None = None
    """Points at the corners of triangles, (triangles, 3), counted so: sheets twice the radius thick."""

    def __post_init__(self) -> None:
        names = (self.surface,) if isinstance(self.surface, str) else tuple(self.surface)
        radius = np.atleast_1d(read_radius(self.radius))
        if not names or len(set(names)) != len(names):
            raise InputError("a surface must have channels, each once", got=", ".join(names) or "none")
        rows = radius.ndim == 2 and radius.shape[1] == 3 and len(radius) > 0
        fits = rows or radius.shape in ((1,), (len(names),))
        if not fits or not ((radius >= 1e-30) & (radius <= 1e30)).all():
            allowed = f"one number above 0 m, {len(names)}, or rows of three, from 1e-30 to 1e30 m"
            raise InputError("`radius` must be one, or one for each channel", got=radius.tolist(), allowed=allowed)
        self._check_elements(round_=not rows and self.turn is None and self.exponent is None)
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

    def _check_elements(self, *, round_: bool) -> None:
        """Refuse tubes and sheets that are none, and those of ellipsoids."""
        for key, width in (("pairs", 2), ("faces", 3)):
            given = getattr(self, key)
            if given is not None:
                object.__setattr__(self, key, read_indices(given, width, key))
                if not round_:
                    raise InputError(f"`{key}` must go with balls", allowed="one radius, or one for each channel")
        if self.turn is not None:
            turn = np.asarray(self.turn, float)
            if turn.ndim not in (1, 2) or turn.shape[-1] != 4 or not np.isfinite(turn).all() or not turn.any(-1).all():
                raise InputError("`turn` must be quaternions (w, x, y, z), not 0", got=f"shape {turn.shape}")
            object.__setattr__(self, "turn", turn)
        if self.exponent is not None:
            from motiform.form.implicit.elements import MOST_EXPONENT

            exponent = np.asarray(self.exponent, float)
            if exponent.ndim > 1 or not ((exponent >= 2.0) & (exponent <= MOST_EXPONENT)).all():
                allowed = f"from 2 to {MOST_EXPONENT:g}"
                raise InputError("`exponent` must be 2 or more", got=exponent.tolist(), allowed=allowed)
            object.__setattr__(self, "exponent", exponent if exponent.ndim else float(exponent))

    def drawn(self, name: str, recording: "Recording", samples: int) -> MatterSurface:
        """Return the surface."""
        places = [read_points(channel, recording, samples, name) for channel in self.surface]
        count = [one.shape[1] for one in places]
        given, color = np.asarray(self.radius, float), np.asarray(self.color, float)
        radii = _for_points(given, count, 3, "radius", name) if given.ndim == 2 else None
        each = np.broadcast_to(given, (len(places),)) if given.ndim < 2 else given[:0]
        cell = 0.5 * float(given.min()) if self.cell is None else float(self.cell)
        return MatterSurface(
            name, by_samples(side_by_side, *places),
            np.repeat(each, count) if radii is None else radii.max(axis=1), float(self.reach), cell,
            color if color.ndim == 1 else np.repeat(color, count, axis=0), bool(self.rays), self.tolerance, radii,
            None if self.turn is None else _for_points(self.turn, count, 4, "turn", name),
            None if self.exponent is None else _for_points(self.exponent, count, 0, "exponent", name),
            *(None if one is None else _known(one, sum(count), name) for one in (self.pairs, self.faces)),
        )  # fmt: skip


def _for_points(given: Any, count: list[int], width: int, key: str, where: str) -> np.ndarray:
    """Return a row for each point: from one for all, one for each channel or one for each point."""
    rows, tail = np.asarray(given, float), (width,) if width else ()
    if rows.shape == tail or rows.shape == (1, *tail):
        return np.array(np.broadcast_to(rows, (sum(count), *tail)))
    if rows.shape == (len(count), *tail):
        return np.repeat(rows, count, axis=0)
    if rows.shape != (sum(count), *tail):
        got, allowed = f"{len(rows)}", f"1, {len(count)} or {sum(count)}"
        raise RecordingError(f"`{key}` must be one for each channel or point", where=where, got=got, allowed=allowed)
    return rows


def _known(corners: np.ndarray, count: int, where: str) -> np.ndarray:
    """Return numbers of points, all of which there are."""
    check_below(corners, count, where)
    return corners.astype(np.int64)


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
