"""Units at the doors: SI inside, anything a person writes outside."""

from functools import cache
from typing import Any

from motiform.base.errors import InputError

__all__ = ["quantity"]


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(cache_folder=None)


def quantity(value: float | int | str, unit: str) -> float:
    """Return a number in the SI unit asked for, from a number already in it or from text such as "40 deg".

    >>> quantity("90 deg", "rad")
    1.5707963267948966
    >>> quantity(2, "m")
    2.0
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise InputError("not a quantity", got=value, allowed=f"a number in {unit}, or text with a unit")
    if isinstance(value, str):
        import pint

        try:
            parsed = _registry().Quantity(value)
        except Exception as error:  # pint raises many kinds for text that it cannot parse
            raise InputError("not a quantity", got=value, allowed=f"a number in {unit}, or text such as '3 {unit}'") from error
        if parsed.units.is_compatible_with("") and str(parsed.units) in ("", "dimensionless") and unit not in ("", "1"):
            raise InputError("text without a unit", got=value, remedy=f"Write a plain number in {unit}, or add the unit.")
        try:
            value = parsed.to(unit or "dimensionless").magnitude
        except pint.DimensionalityError as error:
            raise InputError("a unit of another dimension", got=value, allowed=f"a unit like {unit or 'none'}") from error
    number = float(value)
    if number != number:
        raise InputError("not a number", got=number, allowed=f"a finite number in {unit}")
    return number
