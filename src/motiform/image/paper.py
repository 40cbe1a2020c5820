"""Sizes of prints in pixels."""

import re

from motiform.base.errors import InputError

__all__ = ["print_size"]

_INCH = 25.4  # mm
_A0 = (1189.0, 841.0)  # mm, ISO 216


def print_size(paper: str, *, dpi: float = 300.0) -> tuple[int, int]:
    """Return width and height in pixels of a sheet, "A0" to "A10" (broad; "A4 portrait" is high) or "180x120mm".

    >>> print_size("A4")
    (3508, 2480)
    """
    if not 1.0 <= dpi <= 10_000.0:
        raise InputError("pixels per inch must be 1 to 10 000", got=dpi, allowed="1 to 10 000")
    width, height = _millimetres(paper)
    return round(width / _INCH * dpi), round(height / _INCH * dpi)


def _millimetres(paper: str) -> tuple[float, float]:
    sheet = re.fullmatch(r"a(\d|10)( portrait)?", paper.strip().lower())
    if sheet:
        long, short = _A0
        for _ in range(int(sheet[1])):  # half of the sheet before, rounded down to whole mm
            long, short = short, long // 2
        return (short, long) if sheet[2] else (long, short)
    sides = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?) ?mm", paper.strip().lower())
    if sides and float(sides[1]) > 0 and float(sides[2]) > 0:
        return float(sides[1]), float(sides[2])
    raise InputError(
        "the size of a print must be a paper size or WIDTHxHEIGHTmm",
        got=paper,
        allowed="A0 to A10, with 'portrait' where it is high, or 180x120mm",
    )
