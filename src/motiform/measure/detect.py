"""Units and axes of marker files: stated in the file, or determined from the extent of the markers."""

import re
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial.up_axis import AXES

__all__ = ["check_size", "cloud_size", "find_unit", "find_up", "length_unit", "unit_symbol"]

_UNITS = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("dm", "decimeter", "decimeters"), 0.1),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 0.01),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 0.001),
    **dict.fromkeys(("um", "µm", "micrometer", "micrometers"), 1e-6),
    **dict.fromkeys(("in", "inch", "inches"), 0.0254),
    **dict.fromkeys(("ft", "foot", "feet"), 0.3048),
}
_SHORTEST = 3  # letters of a unit that is cut short
_FRAMES = 400  # samples looked at
_TRAVEL = 1.5  # [m] that heads and shoulders go along no vertical axis
_OVERHEAD = 0.25  # of the extent of all markers, within which a floor at zero is above them
_LARGEST_IN_M, _SMALLEST_IN_MM = 10.0, 400.0
_HIGH = re.compile(
    r"[lr]?[fb]?hd\d?|.*head.*|vertex|cervicale|c7|cv7|t10|tv\d+|s[jn][jn]|[lr]_hd[fb]|clav|strn|.*stern.*"
    r"|[lr]_?sho.*|[lr]_?acr\d?|.*acromion.*"
)
_LOW = re.compile(
    r"[lr]_?(toe|hee|heel|cal|calc|mt\d?|mth\d|ank|[lm]?mal)\d?|[lr]_(fcc|fal|tam|fm\d)|.*calca.*|.*malleol.*"
    r"|.*metatars.*|[lr]_digit2|.*foot.*|.*ankle.*"
)


def length_unit(name: Any, where: str) -> float:
    """Return a unit of length [m] by its name."""
    found = _size(name.strip().strip("[]().").lower()) if isinstance(name, str) else None
    if found is None:
        raise InputError("the unit must be a length", where=where, got=repr(name)[:40], allowed="m, cm, mm, um, in, ft")
    return found


def _size(word: str) -> float | None:
    """Return the size of a unit [m], also of one whose word is cut short: "mete", as in fields of four letters."""
    if word in _UNITS or len(word) < _SHORTEST:
        return _UNITS.get(word)
    sizes = {size for name, size in _UNITS.items() if name.startswith(word)}
    return sizes.pop() if len(sizes) == 1 else None


def unit_symbol(length: float) -> str:
    """Return the symbol of the unit of a length [m] that `length_unit` gave."""
    return next(name for name, size in _UNITS.items() if size == length)


def cloud_size(points: np.ndarray) -> float | None:
    """Return the size of what was measured, in the unit of the points (samples, markers, 3), or None.

    The median over samples of the widest extent along an axis; of one marker, its extent over time.
    """
    some = _sample(points)
    if some.shape[1] < 2:
        some = some.reshape(1, -1, 3)
    ranges = _ranges(some)
    wide = ranges.max(-1) if len(ranges) else ranges
    wide = wide[np.isfinite(wide) & (wide > 0)]
    return float(np.median(wide)) if len(wide) else None


def find_unit(points: np.ndarray, where: str) -> tuple[str, str]:
    """Return the unit of points whose file does not state it, and the reason for the choice.

    A subject is between 0.1 and 4 m: below 10 the numbers are metres, above 400 millimetres. Between lies what may be
    centimetres or a small thing in millimetres; that has to be told.
    """
    size = cloud_size(points)
    if size is None:
        raise InputError("the unit of length is not given", where=where, remedy="Say units='mm' or 'm'.")
    if size <= _LARGEST_IN_M or size >= _SMALLEST_IN_MM:
        unit = "m" if size <= _LARGEST_IN_M else "mm"
        return unit, f"the file does not give its unit; what it measured is {size:.4g} wide, so {unit} is taken"
    raise InputError(
        "the unit of length is not given", where=where, got=f"markers {size:.4g} apart",
        remedy="It may be cm or mm: say units='cm' or units='mm'.",
    )  # fmt: skip


def check_size(points: np.ndarray, unit: str, size: tuple[float, float], where: str) -> None:
    """Refuse points [m] whose size no subject has."""
    found = cloud_size(points)
    if found is None or size[0] <= found <= size[1] or (points.shape[1] < 2 and found < size[0]):
        return
    known = {"m": 1.0, "cm": 0.01, "mm": 0.001}
    original = found / length_unit(unit, where)
    fits = [name for name, factor in known.items() if 0.1 <= original * factor <= 4.0]
    hint = f"Say units='{fits[0]}'" if fits else "Say units="
    raise InputError(
        f"what was measured is {_readable(found)} wide, taken in {unit}", where=where,
        allowed=f"{size[0]:g} to {size[1]:g} m", remedy=f"{hint}, or size=(least, most) [m] where it is right.",
    )  # fmt: skip


def _readable(length: float) -> str:
    for factor, unit in ((1e3, "km"), (1.0, "m"), (1e-3, "mm")):
        if length >= factor:
            return f"{length / factor:.3g} {unit}"
    return f"{length:.3g} m"


def find_up(points: np.ndarray, names: list[str], stated: str | None) -> tuple[str | None, str]:
    """Return the axis that points up and how that is known, (None, reason) where the data do not make it evident.

    Names come first (head, neck and shoulders are over feet and ankles), then what the file states, then the shape: the
    tallest axis of the cloud by a third, away from the floor, which is the end nearer to zero.
    """
    by_names = _up_by_names(points, names)
    if by_names:
        remark = "" if stated in (None, by_names) else f", though the file states {stated}"
        return by_names, "the names of the markers" + remark
    if stated:
        return (stated, "the file") if not _hangs(points, stated) else (
            stated[1:] if stated[0] == "-" else f"-{stated}",
            f"the floor at zero, below all markers, though the file states {stated}",
        )  # fmt: skip
    return _up_by_shape(points)


def _hangs(points: np.ndarray, up: str) -> bool:
    """Whether all markers are below zero, by the axis that the file tells, and reach to it: the floor is overhead."""
    some = _sample(points)[..., "xyz".index(up[-1])] * (-1.0 if up[0] == "-" else 1.0)
    some = some[np.isfinite(some).sum(1) >= 2]
    if not len(some):
        return False
    low, high = float(np.median(np.nanmin(some, 1))), float(np.median(np.nanmax(some, 1)))
    return bool(np.nanmax(some) < 0 and -high < _OVERHEAD * (high - low))


def _up_by_names(points: np.ndarray, names: list[str]) -> str | None:
    bare = [name.rsplit(":", 1)[-1].lower() for name in names]
    high = [k for k, name in enumerate(bare) if _HIGH.fullmatch(name)]
    low = [k for k, name in enumerate(bare) if _LOW.fullmatch(name) and k not in high]
    if not high or not low:
        return None
    some = _sample(points)
    with np.errstate(invalid="ignore"):
        seen = np.isfinite(some[..., 0])
        both = seen[:, high].any(1) & seen[:, low].any(1)
        if not both.any():
            return None
        some = some[both]
        rise = _mean(some[:, high]) - _mean(some[:, low])
    middle = _mean(some[:, high])
    travels = np.nanmax(middle, 0) - np.nanmin(middle, 0) > _TRAVEL
    direction = np.where(travels, 0.0, np.median(rise, axis=0))  # nobody rises by that: it is the way
    size = np.linalg.norm(direction)
    k = int(np.argmax(np.abs(direction)))
    if not size > 0 or abs(direction[k]) < 0.8 * size:
        return None
    return AXES[k if direction[k] > 0 else k + 3]


def _up_by_shape(points: np.ndarray) -> tuple[str | None, str]:
    some = _sample(points)
    ranges = _ranges(some)
    tall = np.median(ranges, axis=0) if len(ranges) else np.zeros(3)
    k = int(np.argmax(tall))
    if some.shape[1] < 4 or not tall[k] > 1.33 * np.delete(tall, k).max():
        return None, "neither the file nor the shape of the data determines it"
    along = some[..., k]
    along = along[np.isfinite(along).sum(1) >= 2]
    low, high = np.median(np.nanmin(along, 1)), np.median(np.nanmax(along, 1))
    return AXES[k if abs(low) < abs(high) else k + 3], "the shape: the tallest axis, away from the floor at zero"


def _mean(points: np.ndarray) -> np.ndarray:
    """Return the mean over the markers that are seen (samples, 3)."""
    seen = np.isfinite(points[..., :1])
    return np.where(seen, points, 0.0).sum(1) / seen.sum(1)


def _sample(points: np.ndarray) -> np.ndarray:
    """Return some samples, spread over those in which any marker is seen."""
    seen = np.flatnonzero(np.isfinite(points[..., 0]).any(1))
    chosen = seen[np.linspace(0, len(seen) - 1, min(_FRAMES, len(seen))).astype(int)] if len(seen) else seen
    return points[chosen]


def _ranges(some: np.ndarray) -> np.ndarray:
    """Return the extent of the seen markers in each sample that has two of them or more (samples, 3)."""
    enough = some[np.isfinite(some[..., 0]).sum(1) >= 2]
    return np.nanmax(enough, 1) - np.nanmin(enough, 1) if len(enough) else np.empty((0, 3))
