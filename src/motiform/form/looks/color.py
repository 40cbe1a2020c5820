"""Colors of looks: given, or by the numbers of a channel."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.colors import RAMP, Shades
from motiform.form.looks.checks import take
from motiform.form.looks.plain import Plain
from motiform.record.samples import Samples, by_samples, in_blocks

if TYPE_CHECKING:
    from motiform.form.parts import Series
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
            values = by_samples(lambda block: np.broadcast_to(block, (len(block), count)), values)
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

    def _numbers(self, recording: "Recording") -> "Series":
        """Return one number of the channel for each thing at each sample, (samples, things)."""
        where = f"colors by {self.channel!r}"
        values: Series = by_samples(_as_columns, recording.samples(self.channel))
        if self.pick is not None:
            values = take(values, self.pick, where)
        if values.ndim == 3:
            width = values.shape[2]
            fits = 0 <= self.axis < width if isinstance(self.axis, int) else self.axis is None or width == 3
            if not fits:
                raise RecordingError("`axis` must be one of the channel", where=where, got=repr(self.axis))
            values = by_samples(self._component, values)
        found: Series = by_samples(lambda block: block.reshape(len(block), -1), values)
        return found

    def _component(self, vectors: np.ndarray) -> np.ndarray:
        if self.axis is None:
            return np.asarray(np.linalg.norm(vectors, axis=-1))
        along = vectors[..., self.axis] if isinstance(self.axis, int) else vectors @ np.asarray(self.axis, float)
        return np.asarray(along)


def _as_columns(block: np.ndarray) -> np.ndarray:
    found = np.asarray(block, float)
    return found[:, None] if found.ndim == 1 else found


_NEARLY_ALL = (0.01, 0.99)


def _span(values: "Series") -> tuple[float, float]:
    """Return two numbers between which nearly all lie: a few that stick out must not take the colors of the rest."""
    if isinstance(values, Samples):
        low, high = _quantiles(values)
    else:
        sound = values[np.isfinite(values)]
        low, high = np.quantile(sound, _NEARLY_ALL).tolist() if len(sound) else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _quantiles(values: Samples) -> tuple[float, float]:
    """Return the quantiles as np.quantile does, to the bit, of what is read by blocks."""
    count = sum(int(np.isfinite(block).sum()) for block in in_blocks(values))
    if not count:
        return 0.0, 1.0
    places = [part * (count - 1) for part in _NEARLY_ALL]
    ranks = [rank for place in places for rank in (int(place), min(int(place) + 1, count - 1))]
    ends = _ranked(values, ranks)
    low, high = (float(np.quantile(ends[2 * k : 2 * k + 2], place % 1.0)) for k, place in enumerate(places))
    return low, high


def _ranked(values: Samples, ranks: list[int]) -> list[float]:
    """Return the numbers of these ranks from below among the finite ones: 16 bits of them more from each walk."""
    known, left = [0] * len(ranks), list(ranks)
    for shift in (48, 32, 16, 0):
        counts = np.zeros((len(ranks), 2**16), np.int64)
        for block in in_blocks(values):
            bits = _ordered(block[np.isfinite(block)])
            for k, begun in enumerate(known):
                own = bits if shift == 48 else bits[bits >> np.uint64(shift + 16) == begun]
                counts[k] += np.bincount((own >> np.uint64(shift)).astype(np.int64) & 0xFFFF, minlength=2**16)
        for k, below in enumerate(np.cumsum(counts, axis=1)):
            digit = int(np.searchsorted(below, left[k], side="right"))
            left[k] -= int(below[digit - 1]) if digit else 0
            known[k] = known[k] << 16 | digit
    back = [bits ^ 2**63 if bits >> 63 else bits ^ (2**64 - 1) for bits in known]
    return np.array(back, np.uint64).view(np.float64).tolist()


def _ordered(numbers: np.ndarray) -> np.ndarray:
    """Return whole numbers that have the order of numbers: of negative ones all bits turned, of others the sign."""
    bits = np.ascontiguousarray(numbers, np.float64).view(np.uint64)
    sign = np.uint64(2**63)
    return np.where(bits & sign, ~bits, bits | sign)


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
