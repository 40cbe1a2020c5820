"""Checks of force plates in files: the level of an empty plate, the unit of moments, where the pressure is."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from motiform.measure.plates import plate_frame, plate_normal, plate_quantities, plate_wrench
from motiform.measure.raw import Raw

__all__ = ["settle_plates"]

_CLEAR = 100.0  # [N] from which on a centre of pressure tells where it is
_STRONG = 0.3  # of the largest force, likewise
_EDGE = 1.1  # half sides from the centre that count as on the plate
_STUCK = 0.005  # half sides within which no foot stays
_FAR = 10.0  # half sides from which on a unit is wrong, not a corner
_AWAY = 3.0  # half sides beyond which nothing of the plate is believed
_NOTED = 1.0  # [N] from which on a level is worth a note
_LEVEL = 0.2  # of the span of the force, above which the plate is not empty
_HIGHEST = 100.0  # [N] of a level that is found, not told
_WINDOW, _PARTS, _STEADY = 0.1, 2, 5.0  # [s] of a part, parts that tell a level, [N] by which it may stray


def settle_plates(raw: Raw, length: float, up: np.ndarray | None, loaded: float) -> None:
    """Take off the level of the empty plates, correct the unit of their moments, leave out impossible ones; in place.

    ``length`` is the file's unit of length [m]. What was done is in the notes.
    """
    for plate in raw.plates:
        plate["baseline"] = _baseline(raw, plate, length, loaded)
    raw.plates = [plate for plate in raw.plates if _check_pressure(raw, plate, length, up, loaded)]


def _units(raw: Raw, plate: dict[str, Any]) -> list[str]:
    return [raw.analog_units[k] for k in plate["channels"]]


# ---- the level of the empty plate
def _baseline(raw: Raw, plate: dict[str, Any], length: float, loaded: float) -> np.ndarray:
    """Return the level of an empty plate's channels: over the samples FORCE_PLATFORM:ZERO, or where it is empty."""
    assert raw.analog is not None
    table = raw.analog[:, plate["channels"]]
    press = partial(_pressed, plate, table, units=_units(raw, plate), length=length)
    empty = _empty(plate, table, _units(raw, plate), length, raw.analog_rate)
    found, who = _level_of(plate, table[empty]) if empty.any() else None, f"force plate {plate['number']}"
    first, last = raw.zero or (1, 0)
    each = round(raw.analog_rate / raw.rate) if raw.rate else 0
    part = table[(first - 1) * each : last * each]
    if len(part) and np.isfinite(part).all():
        stated = _level_of(plate, part)
        level, span = press(stated)
        samples = f"{who}: the mean of samples {first} to {last} (FORCE_PLATFORM:ZERO)"
        sure = found is not None and abs(press(found)[0] - level) < _STEADY
        if sure or not (abs(level) > loaded and abs(level) > _LEVEL * span):
            if abs(level) > _NOTED:
                raw.notes.append(f"{samples} is taken off, {level:.3g} N")
            return stated
        raw.notes.append(f"{samples} is not taken off: the plate is loaded then ({abs(level):.0f} N)")
    if found is not None:
        level, span = press(found)
        if _NOTED < abs(level) < min(_HIGHEST, _LEVEL * span):
            raw.notes.append(f"{who}: {level:.3g} N, its level while nothing is on it, is taken off")
            return found
    return np.zeros(table.shape[1])


def _level_of(plate: dict[str, Any], part: np.ndarray) -> np.ndarray:
    mean = np.asarray(part.mean(0))
    if plate["type"] == 1:
        mean[3:5] = 0.0  # where the pressure is, not how much
    return mean


def _pressed(
    plate: dict[str, Any], table: np.ndarray, mean: np.ndarray, units: list[str], length: float
) -> tuple[float, float]:
    """Return the vertical force of a level, and how far the plate goes from it [N]; loads are above zero."""
    press = plate_wrench(plate, np.vstack([table, mean]), units, length)[:, 5]
    away = press[:-1] - press[-1]
    sign = -1.0 if np.nansum(away * np.abs(away)) < 0 else 1.0
    return sign * float(press[-1]), float(np.nanmax(np.abs(away)))


def _empty(plate: dict[str, Any], table: np.ndarray, units: list[str], length: float, rate: float) -> np.ndarray:
    """Return samples in which a plate is empty, (samples,): parts of 0.1 s that are steady at its lowest force.

    A plate can be pushed only. Where it carries somebody all the time nothing is empty, which its force then tells.
    """
    size, found = max(round(_WINDOW * rate), 2), np.zeros(len(table), bool)
    count = len(table) // size
    press = plate_wrench(plate, table, units, length)[:, 5]
    if count < _PARTS or not np.isfinite(table).all():
        return found
    if np.sum(press * np.abs(press)) < 0:  # loads are stronger than the level
        press = -press
    parts = press[: count * size].reshape(count, size)
    mean, still = parts.mean(1), parts.std(1) < _STEADY
    if still.any():
        still &= mean < mean[still].min() + _STEADY
    if still.sum() >= _PARTS:
        found[: count * size] = np.repeat(still, size)
    return found


# ---- where the pressure is
def _check_pressure(raw: Raw, plate: dict[str, Any], length: float, up: np.ndarray | None, loaded: float) -> bool:
    """Return whether a plate is kept, its units corrected where that brings the pressure onto it."""
    assert raw.analog is not None
    table = raw.analog[:, plate["channels"]] - plate["baseline"]
    find = partial(_places, length=length, up=up, loaded=loaded)
    centers = find(plate, table, _units(raw, plate))
    if not len(centers):
        return True
    on, far = _share(centers), float(np.median(_radii(centers)))
    stuck = _moved(centers, plate, table, _units(raw, plate), find) <= _STUCK
    if on >= 0.5 and not stuck:
        return True
    who = f"force plate {plate['number']}"
    for name, other, units in _others(plate, _units(raw, plate), length):
        found = find(other, table, units)
        right = _share(found) >= 0.9 and _moved(found, other, table, units, find) > _STUCK
        if right and (far > _FAR or stuck):
            plate |= other
            for k, unit in zip(plate["channels"], units, strict=True):
                raw.analog_units[k] = unit
            raw.notes.append(f"{who}: its {name}: only then the centre of pressure is on the plate, and moves")
            return True
    if on < 0.5:
        place = f"the centre of pressure is {far:.3g} times as far from its centre as its edge, while it is loaded"
        raw.notes.append(f"{who} is left out: {place}" if far > _AWAY else f"{who}: {place}")
    return on >= 0.5 or far <= _AWAY


def _places(
    plate: dict[str, Any], table: np.ndarray, units: list[str], *, length: float, up: np.ndarray | None, loaded: float
) -> np.ndarray:
    """Return where the pressure is (samples with a clear load, 2), from the centre in half sides of the plate."""
    corners = plate["corners"] * length
    values, _ = plate_quantities(plate_wrench(plate, table, units, length), corners, up, loaded)
    axes, center = plate_frame(corners)
    press = values["plate.force"] @ plate_normal(corners, up)
    strong = press > max(_CLEAR, loaded, _STRONG * float(np.nanmax(press, initial=0.0)))
    local = (values["plate.center_of_pressure"][strong] - center) @ axes[:, :2]
    half = np.linalg.norm([corners[0] - corners[1], corners[0] - corners[3]], axis=1) / 2
    return np.asarray(local / half)


def _radii(places: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(places).max(1))


def _share(places: np.ndarray) -> float:
    return float((_radii(places) <= _EDGE).mean())


def _moved(
    places: np.ndarray, plate: dict[str, Any], table: np.ndarray, units: list[str], find: Callable[..., np.ndarray]
) -> float:
    """Return how far the moments that the channels tell move the pressure, in half sides."""
    if plate["type"] == 3:
        return np.inf
    table, matrix = table.copy(), plate["matrix"].copy()
    if plate["type"] == 4:
        matrix[3:] = 0.0
    else:
        table[:, 3:] = 0.0
    return float(np.median(_radii(places - find(plate | {"matrix": matrix}, table, units))))


def _others(plate: dict[str, Any], units: list[str], length: float) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Yield what else may be meant: a name, the plate and the units of its channels."""
    for unit, size in (("mm", 0.001), ("m", 1.0)):
        if plate["type"] == 2:
            yield f"moments are in N {unit}, not in {units[3] or 'no unit'}", plate, [*units[:3], *[f"N {unit}"] * 3]
        elif plate["type"] == 1:
            yield f"places are in {unit}, not in {units[3] or 'no unit'}", plate, [*units[:3], unit, unit, units[5]]
        elif plate["type"] == 4 and size != length:
            rows = np.repeat([1.0, size / length], 3)[:, None]
            yield f"matrix gives moments in N {unit}", plate | {"matrix": plate["matrix"] * rows}, units
