"""Colours of screens: from heights to a number for each pin, from numbers to pixels [Habibi97 ch. 10]."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.run import check_number
from motiform.spatial.checks import Array, as_floats

__all__ = ["OPERATORS", "Saturation", "Tint", "chroma_pixels", "chroma_values", "enlarge", "relief_pixels"]

_LEVELS = {8: 255, 16: 65535}


def _around(field: Array) -> tuple[Array, Array, Array, Array]:
    """Return the values above, below, left and right of each pin; beyond the edge those of the edge."""
    whole = np.pad(field, 1, mode="edge")
    return whole[:-2, 1:-1], whole[2:, 1:-1], whole[1:-1, :-2], whole[1:-1, 2:]


def _identity(field: Array) -> Array:
    return field


def _laplacian(field: Array) -> Array:
    return np.asarray((4 * field - sum(_around(field))) / 4)


def _vertical(field: Array) -> Array:
    above, below, _, _ = _around(field)
    return np.abs(below - above)


def _horizontal(field: Array) -> Array:
    _, _, left, right = _around(field)
    return np.abs(right - left)


def _modulus(field: Array) -> Array:
    return np.hypot(_vertical(field), _horizontal(field))  # the vertical term is printed twice: corrected


def _cadoz1(field: Array) -> Array:
    whole = np.pad(field, ((1, 0), (1, 0)), mode="edge")
    rows, columns = np.indices(field.shape)
    even = np.abs(field - whole[:-1, :-1])
    odd = np.abs(whole[1:, :-1] - whole[:-1, 1:])
    return np.where((rows + columns) % 2 == 0, even, odd)


def _cadoz2(field: Array) -> Array:
    return np.asarray((_vertical(field) + _horizontal(field)) / 2)


def _light45(field: Array, vertical: float = 1.0, horizontal: float = 1.0) -> Array:
    above, below, left, right = _around(field)
    for key, value in (("vertical", vertical), ("horizontal", horizontal)):
        if not 0 <= check_number(value, key, "light45", least=0.0) <= 1:
            raise InputError(f"{key} of light45 must be 0 to 1", got=value, allowed="0 to 1")
    return np.asarray(vertical * (below - above) + horizontal * (right - left))


#: Chroma_w by name; rows are i, from top to bottom, columns j.
OPERATORS: dict[str, Callable[..., Array]] = {
    "identity": _identity,
    "laplacian": _laplacian,
    "vertical": _vertical,
    "horizontal": _horizontal,
    "modulus": _modulus,
    "cadoz1": _cadoz1,
    "cadoz2": _cadoz2,
    "light45": _light45,
}


def chroma_values(field: ArrayLike, operator: str = "identity", **settings: float) -> Array:
    """Return w of each pin [m], (rows, columns), by one of `OPERATORS` on its 3 × 3 neighbourhood [Habibi97 §10.2.1].

    "light45" takes `vertical` and `horizontal`, α₁ and α₂ from 0 to 1. Beyond the edge heights are those of the edge.
    """
    heights = as_floats(field, where="heights of a picture")
    if heights.ndim != 2 or not heights.size:
        raise InputError("a picture needs rows and columns of heights", got=heights.shape, allowed="(rows, columns)")
    if operator not in OPERATORS:
        remedy = closest(str(operator), OPERATORS)
        raise InputError("unknown operator", got=operator, allowed=", ".join(OPERATORS), remedy=remedy)
    if settings and operator != "light45":
        raise InputError(f"{operator!r} takes no settings", got=", ".join(settings), allowed="those of light45")
    known = ("vertical", "horizontal")
    wrong = next((key for key in settings if key not in known), None)
    if wrong is not None:
        raise InputError("unknown setting of light45", got=wrong, allowed=", ".join(known))
    return OPERATORS[operator](heights, **settings)


class Saturation(NamedTuple):
    """How much of a picture is out of the range in which its hue is constant, as parts of all pixels."""

    black: float
    """Below w_black: shown as black."""
    drifted: float
    """Beyond w of the first channel that is full: the hue changes."""
    white: float
    """Beyond w at which all channels are full; one that is 0 never is."""


@dataclass(frozen=True)
class Tint:
    """Chroma_RGB: one hue, black at one number and a given colour at another [Habibi97 §10.2.2]."""

    black: float
    """w_noir: shown as black [m]."""
    full: float
    """w_col: shown as `color` [m]."""
    color: tuple[float, float, float] = (255.0, 255.0, 255.0)
    """R₀, G₀, B₀ from 0 to 255."""

    def __post_init__(self) -> None:
        for key in ("black", "full"):
            object.__setattr__(self, key, check_number(getattr(self, key), key, "tint"))
        if self.black == self.full:
            raise InputError("black and full of a tint must differ", got=self.black)
        color = as_floats(self.color, 3, where="color of a tint").reshape(3)
        if (color < 0).any() or (color > 255).any() or not color.any():
            raise InputError("a color of a tint must be 0 to 255 and not black", got=color.tolist(), allowed="0 to 255")
        object.__setattr__(self, "color", tuple(color.tolist()))

    @property
    def limit(self) -> float:
        """w_satMIN [m]: beyond it the hue is no longer that of `color`."""
        return self.black + (self.full - self.black) * 255 / max(self.color)

    @classmethod
    def fitted(
        cls,
        values: ArrayLike,
        color: tuple[float, float, float] = (255.0, 255.0, 255.0),
        *,
        background: float | None = None,
    ) -> "Tint":
        """Return the tint that shows all numbers between black and the brightest of its hue.

        `background` is the brightness that w = 0 gets, from 0 to 1: w_noir < 0 makes it bright.
        """
        w = as_floats(values, where="values of a tint")
        if not w.size:
            raise InputError("a range needs numbers", where="tint")
        low, high = float(w.min()), float(w.max())
        if background is not None:
            part = check_number(background, "background", "tint", least=0.0)
            if part >= 1:
                raise InputError("background must be below 1", got=part, allowed="0 to 1, 1 excluded")
            high = max(high, 0.0)
            low = min(low, -part * high / (1 - part))
        if high <= low:
            high = low + max(abs(low), 1.0) * 1e-9
        bright = cls(low, high, color)
        return replace(bright, full=low + (high - low) * max(bright.color) / 255)

    def saturation(self, values: ArrayLike) -> Saturation:
        """Return how much of the numbers this tint cannot show."""
        part = (np.asarray(values, float) - self.black) / (self.full - self.black)
        lit = [255 / c for c in self.color if c > 0]
        whole = max(lit) if min(self.color) > 0 else np.inf
        return Saturation(float((part < 0).mean()), float((part > min(lit)).mean()), float((part >= whole).mean()))

    def pixels(self, values: ArrayLike, *, bits: int = 8) -> np.ndarray:
        """Return R, G, B = R₀ (w − w_black)/(w_full − w_black), clipped, (…, 3), of 8 or 16 bits."""
        if bits not in _LEVELS:
            raise InputError("bits of a pixel must be 8 or 16", got=bits, allowed="8, 16")
        part = (np.asarray(values, float) - self.black) / (self.full - self.black)
        light = np.clip(part[..., None] * np.array(self.color), 0.0, 255.0)
        return np.round(light * (_LEVELS[bits] / 255)).astype(np.uint8 if bits == 8 else np.uint16)


def chroma_pixels(
    field: ArrayLike,
    operator: str = "identity",
    tint: Tint | None = None,
    *,
    color: tuple[float, float, float] = (255.0, 255.0, 255.0),
    enlarged: int = 1,
    bits: int = 8,
    **settings: float,
) -> np.ndarray:
    """Return the picture of a field of heights, (n rows, n columns, 3): w by an operator, then R, G, B by a tint.

    Without `tint` it is fitted to the field, in the hue `color`. `enlarged` n gives each pin n × n pixels.
    """
    w = chroma_values(field, operator, **settings)
    return enlarge((tint or Tint.fitted(w, color)).pixels(w, bits=bits), enlarged)


def enlarge(pixels: np.ndarray, times: int) -> np.ndarray:
    """Return n × n pixels for each, linear between them [Habibi97 §10.1]; beyond the last ones as these.

    The pixel of a pin is the upper left of its block. Colours are interpolated, not heights.
    """
    if not isinstance(times, int | np.integer) or times < 1:
        raise InputError("pixels of a pin must be whole and 1 or more along each side", got=times)
    if times == 1:
        return pixels
    found: Any = pixels.astype(float)
    for axis in (0, 1):
        count = found.shape[axis]
        at = np.minimum(np.arange(count * times) / times, count - 1)
        low = np.minimum(at.astype(int), max(count - 2, 0))
        part = (at - low).reshape([-1 if k == axis else 1 for k in range(found.ndim)])
        found = np.take(found, low, axis) * (1 - part) + np.take(found, np.minimum(low + 1, count - 1), axis) * part
    whole = np.issubdtype(pixels.dtype, np.integer)
    return np.asarray((np.round(found) if whole else found).astype(pixels.dtype))


def relief_pixels(
    field: ArrayLike,
    spacing: float,
    *,
    light: tuple[float, float, float] = (-0.5, 0.5, 0.7),
    color: tuple[float, float, float] = (214.0, 190.0, 150.0),
    ambient: float = 0.25,
    scale: float = 1.0,
    bits: int = 8,
) -> np.ndarray:
    """Return the picture of a field of heights as a matt surface under a distant light, (rows, columns, 3).

    Brightness is ambient + (1 − ambient) max(0, n·l), n the unit normal from central differences over `spacing` [m], l
    towards the light (right, up in the picture, towards the eye). `scale` exaggerates heights.
    """
    heights = chroma_values(field) * check_number(scale, "scale", "relief")
    spacing = check_number(spacing, "spacing", "relief", above=0.0)
    l = np.asarray(as_floats(light, 3, where="light of a relief")).reshape(3)
    if not l.any():
        raise InputError("a light must have a direction", got=light)
    down = np.gradient(heights, spacing, axis=0) if heights.shape[0] > 1 else np.zeros_like(heights)
    right = np.gradient(heights, spacing, axis=1) if heights.shape[1] > 1 else np.zeros_like(heights)
    shine = (-right * l[0] + down * l[1] + l[2]) / np.linalg.norm(l) / np.sqrt(1 + right**2 + down**2)
    light_of = ambient + (1 - ambient) * np.maximum(shine, 0.0)
    return Tint(0.0, 1.0, color).pixels(light_of, bits=bits)
