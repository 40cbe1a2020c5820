"""Style of curves in plots and in the studio: colours, dashes, units."""

import re
from collections.abc import Sequence
from typing import Any

__all__ = [
    "AXES", "COLORS", "CURSOR", "DASHES", "SIDES", "SUPERSCRIPT", "as_text", "axis_of", "colors_of", "pretty_unit",
]  # fmt: skip

# Okabe and Ito's palette, told apart with any colour vision and in order of contrast on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
AXES = {"x": "#D55E00", "y": "#009E73", "z": "#0072B2", "w": "#8B5FBF"}
"""Colours of the axes, the same everywhere: red, green and blue of that palette."""
SIDES = {"left": COLORS[1], "right": COLORS[0]}
"""Colours of the sides of a body, the same in reports and in the studio: left is red, as in gait laboratories."""
CURSOR = "#C2255C"
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1, 1)))
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def as_text(name: object) -> str:
    r"""Return a name as matplotlib prints it as it is: it takes what is between two $ for mathematics.

    >>> as_text("5$ or 6$")
    '5\\$ or 6\\$'
    """
    return str(name).replace("$", r"\$")


def axis_of(label: str) -> str | None:
    """Return the axis of a label: x of "x", "force_x" and "ball.vx"; None if it has none.

    >>> axis_of("force_x"), axis_of("w"), axis_of("ball.vx"), axis_of("hip"), axis_of("flux")
    ('x', 'w', 'x', None, None)
    """
    found = re.search(r"(?:^|[._ ])[a-z]?([wxyz])$", label)
    return found[1] if found else None


def colors_of(labels: Sequence[str]) -> list[str]:
    """Return a colour for each curve: by its axis where every label has another one, or its side; else in turn.

    >>> colors_of(["left", "right"]) == [SIDES["left"], SIDES["right"]]
    True
    """
    if labels and set(labels) <= SIDES.keys():
        return [SIDES[label] for label in labels]
    axes = [axis_of(label) for label in labels]
    if None not in axes and len(set(axes)) == len(axes):
        return [AXES[axis] for axis in axes if axis is not None]
    return [COLORS[k % len(COLORS)] for k in range(len(labels))]


def pretty_unit(unit: str) -> str:
    """Return a unit as it is printed.

    >>> pretty_unit("kg m^2/s")
    'kg m²/s'
    """
    raised = re.sub(r"(?:\^|\*\*)(-?\d+)", lambda found: found[1].translate(SUPERSCRIPT), unit)
    return "" if unit == "1" else raised
