"""Conversion of columns in any unit to SI on reading."""

import re
from functools import lru_cache

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.base.units import quantity

__all__ = ["to_si"]

_ANGLE = re.compile(r"rad|deg|°|turn|rev|rpm|cycle|arc", re.IGNORECASE)
_TURNING = ("rad", "rad/s", "rad/s²", "N m/rad", "N m s/rad")
_ENERGY = re.compile(r"J|joule|cal|eV|Wh|watt", re.IGNORECASE)
_NOT_SI = re.compile(r"px|pixel|dot", re.IGNORECASE)  # of a picture; the registry takes them for lengths on paper
_PLAIN = (
    *("m", "s", "kg", "m/s", "m/s²", "m/s³", "N", "N m", "N/m", "N s/m", "N s", "N m s", "W", "Pa", "Hz", "", "K"),
    *("m²", "m³", "m⁴", "kg m²", "kg/m³", "kg/m", "kg/s", "kg m", "1/m", "1/s²", "A", "V", "C", "ohm", "T", "mol"),
)
# Units of usual files: the registry of all units takes longer to load than a trial to read.
_USUAL = {"mm": ("m", 0.001), "cm": ("m", 0.01), "N mm": ("N m", 0.001), "deg": ("rad", 0.017453292519943295)}


def to_si(values: np.ndarray, unit: str, *, where: str) -> tuple[str, np.ndarray]:
    """Return the SI unit and the numbers in it. What is SI already, or is not a known unit, stays to the last bit."""
    found = _conversion(unit)
    if found is None:
        return unit, values
    si, factor, offset = found
    with np.errstate(over="ignore"):
        changed = values * factor + offset
    if (np.isinf(changed) & ~np.isinf(values)).any():
        raise RecordingError(
            "the numbers overflow in SI units", where=where, got=unit, allowed=f"finite numbers in {si}"
        )
    return si, changed


@lru_cache(maxsize=1024)
def _conversion(unit: str) -> tuple[str, float, float] | None:
    """Return SI unit, factor and offset, or None where nothing is to be done."""
    if not unit or unit in _PLAIN or unit in _TURNING or _NOT_SI.search(unit):
        return None
    if unit in _USUAL:
        return *_USUAL[unit], 0.0
    targets = (*(_TURNING if _ANGLE.search(unit) else ()), *(("J",) if _ENERGY.search(unit) else ()), *_PLAIN)
    for si in targets:
        try:
            zero, one = quantity(f"0 {unit}", si), quantity(f"1 {unit}", si)
        except InputError:
            continue  # another dimension, or not a unit
        return None if (zero, one) == (0.0, 1.0) else (si, one - zero, zero)
    return None
