"""Colors of looks: given, or by the numbers of a channel."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.colors import RAMP, Shades
from motiform.form.looks.checks import take
from motiform.form.looks.plain import Plain

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["Color", "ColorBy", "check_color", "read_color", "resolve_color"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ColorBy(Plain):
    """Colors by the numbers of a channel: from the first of the colors at the low end of `map` to the last, evenly."""

    channel: str
    """One number for each thing that is drawn, or a vector (3,)."""
    map: tuple[float, float] | None = None
    """Numbers at the first and at the last color; None: those between which nearly all lie."""
    axis: int | tuple[float, float, float] | None = None
    """Component of a vector, by number or along a unit vector; None: its length."""
    pick: np.ndarray | None = None
    """Columns of the channel that are drawn, (count,); None: all."""
    colors: np.ndarray | None = None
    """sRGB from 0 to 1, (colors, 3); None: from blue over green and yellow to red."""

    def shades(self, recording: "Recording", samples: int, count: int, where: str) -> Shades:
        """Return the colors over time."""
        values = self._numbers(recording)
        if values.shape[1] == 1:
            values = np.broadcast_to(values, (len(values), count))
        if values.shape != (samples, count):
            got = f"{self.channel!r} of shape {values.shape}"
            raise RecordingError(
                "a channel of colors must have a number for each", where=where, got=got, allowed=f"({samples}, {count})"
            )
        low, high = self.map or _span(values)
        ramp = np.asarray(RAMP if self.colors is None else self.colors, float)
        if not (np.isfinite([low, high]).all() and low != high):
            raise RecordingError("a map of colors must be two different numbers", where=where, got=f"{low} to {high}")
        if ramp.ndim != 2 or ramp.shape[1] != 3:
            raise RecordingError("`colors` must be rows of three", where=where, got=f"shape {ramp.shape}")
        return Shades(values, float(low), float(high), ramp)

    def _numbers(self, recording: "Recording") -> np.ndarray:
        """Return one number of the channel for each thing at each sample, (samples, things)."""
        values = np.asarray(recording[self.channel], float)
        where = f"colors by {self.channel!r}"
        if self.pick is not None:
            values = take(values[:, None] if values.ndim == 1 else values, self.pick, where)
        if values.ndim == 3:
            width = values.shape[2]
            fits = 0 <= self.axis < width if isinstance(self.axis, int) else self.axis is None or width == 3
            if not fits:
                raise RecordingError("`axis` must be one of the channel", where=where, got=repr(self.axis))
            if self.axis is None:
                values = np.linalg.norm(values, axis=-1)
            else:
                values = values[..., self.axis] if isinstance(self.axis, int) else values @ np.asarray(self.axis, float)
        return values.reshape(len(values), -1)


def _span(values: np.ndarray) -> tuple[float, float]:
    """Return two numbers between which nearly all lie: a few that stick out must not take the colors of the rest."""
    sound = values[np.isfinite(values)]
    low, high = np.quantile(sound, (0.01, 0.99)).tolist() if len(sound) else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


Color = tuple[float, float, float] | np.ndarray | ColorBy
"""Red, green, blue from 0 to 1, (3,), a row for each thing, (count, 3), or by a channel."""


def read_color(plain: Any) -> Color:
    """Return a color from its plain form."""
    return ColorBy.from_plain(plain) if isinstance(plain, dict) else plain


def check_color(given: Any) -> Any:
    """Return a color as it is kept: three numbers, an array of rows of three, or `ColorBy`."""
    if isinstance(given, ColorBy):
        return given
    try:
        found = np.asarray(given, float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.ndim not in (1, 2) or found.shape[-1] != 3 or not np.isfinite(found).all():
        raise RecordingError("colors must be three numbers, a row of three for each, or ColorBy", got=repr(given)[:60])
    return found if found.ndim == 2 else tuple(found.tolist())


def resolve_color(
    color: Color, recording: "Recording", samples: int, count: int, where: str
) -> tuple[np.ndarray, Shades | None]:
    """Return colors (3,) or (count, 3), and how they change where they follow a channel."""
    if isinstance(color, ColorBy):
        shades = color.shades(recording, samples, count, where)
        return shades.at(0), shades
    found = np.asarray(color, float)
    if found.shape not in ((3,), (count, 3)):
        got, allowed = f"shape {found.shape}", f"(3,) or ({count}, 3)"
        raise RecordingError("colors must be one or one for each", where=where, got=got, allowed=allowed)
    return found, None
