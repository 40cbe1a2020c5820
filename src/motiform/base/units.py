"""Unit conversion on input and output: SI internally, any unit outside."""

import math
import re
from functools import cache
from typing import Any

from motiform.base.errors import InputError

__all__ = ["quantity"]

# A number and a unit and nothing else: no sums, products or towers of powers, which a hostile file could make endless.
_NUMBER = r"[+-]?(?:\d[\d_]*+\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?"
_UNIT = r"(?:1\s*/)?(?:[^\W\d]|[ °%²³·/()*-]|(?:\^|\*\*)-?[1-9](?!\s*(?:[\d^²³]|\*\*)))*"
_TEXT = re.compile(rf"\s*(?P<number>{_NUMBER})\s*(?P<unit>{_UNIT})\s*")
_LONGEST = 64  # characters


@cache
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry(cache_folder=None)
    registry.define("@alias turn = rev")
    return registry


def quantity(value: float | int | str, unit: str) -> float:
    """Return a finite number in the SI unit asked for, from a number already in it or from text such as "40 deg".

    >>> quantity("90 deg", "rad")
    1.5707963267948966
    >>> quantity(2, "m")
    2.0
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise InputError(
            "a quantity must be a number", got=value, allowed=f"a number{unit and f' in {unit}'}, or text with a unit",
        )  # fmt: skip
    try:
        number = _from_text(value, unit) if isinstance(value, str) else float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        got = value if isinstance(value, str) else number
        raise InputError("the number must be finite", got=got, allowed=f"a finite number{unit and f' in {unit}'}")
    return number


def _from_text(text: str, unit: str) -> float:
    """Return the number of a text such as "40 deg" in the unit asked for."""
    import pint

    allowed = f"a number{unit and f' in {unit}'}, or text such as '3 {unit or 'percent'}'"
    match = _TEXT.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise InputError("a quantity must be a number", got=_short(text), allowed=allowed)
    if not match["unit"].strip() and unit not in ("", "1"):
        raise InputError(
            "a text must have a unit", got=text, remedy=f"Write a plain number in {unit}, or add the unit."
        )
    try:
        given = _registry().Quantity(float(match["number"]), _registry().parse_units(match["unit"].strip()))
        _check_turns(given.units, unit, text)
        return float(given.to(unit or "dimensionless").magnitude)
    except InputError:
        raise
    except pint.DimensionalityError as error:
        raise InputError(
            "the unit has the wrong dimension", got=text, allowed=f"a unit like {unit or 'none'}"
        ) from error
    except Exception as error:  # pint raises many kinds for text that it cannot parse
        raise InputError("a quantity must be a number", got=text, allowed=allowed) from error


_TURNS = ("radian", "degree", "turn", "revolution", "cycle", "grad", "arc", "minute_of", "second_of", "rpm")


def _check_turns(given: Any, unit: str, text: str) -> None:
    """Refuse to take turns for cycles: 1 Hz is not 1 rad/s, though both are "per second"."""
    turns = any(name in str(given) for name in _TURNS)
    if unit == "rad/s" and not turns:
        raise InputError(
            "an angular rate must have a unit of angle per time", got=text, allowed="rad/s, deg/s, rpm, turn/s"
        )
    if unit == "Hz" and turns:
        raise InputError("a frequency must have a unit of cycles per time", got=text, allowed="Hz, 1/s, kHz")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
