"""Which columns of a table hold which marker: found from its first lines."""

import re
from dataclasses import dataclass, field

from motiform.base.errors import InputError
from motiform.measure.text import cells_of, separator, split_axis

__all__ = ["TableLayout", "find_layout"]

_TOP = 80  # lines in which the numbers must begin
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eEdD][+-]?\d+)?|nan|-?inf", re.IGNORECASE)
_UNIT = re.compile(r"(?<!\s)\s*+[\[(]\s*+(?P<unit>(?:[^\[\]()\s]++|\s++(?![\])]))*+)\s*+[\])]\s*+$")
_GLUED = re.compile(r"(?P<name>.*\S)(?P<axis>[XYZ])")
_NUMBERED = re.compile(r"(?P<axis>[xyz])[_\s]?(?P<name>\d+)", re.IGNORECASE)
_OURS = re.compile(r"markers[.\[](?P<name>.+)[.,](?P<axis>[012xyz])\]?")
_TIME = re.compile(r"time(_?s)?|t|seconds?", re.IGNORECASE)
_FRAME = re.compile(r"(sub\s?)?frame.*|samples?|field.*|#|item", re.IGNORECASE)
_RATE = re.compile(
    r"(?:frequency|frame\s?rate|data\s?rate|sampl\w{0,9} rate|\brate|\bhz)\D{0,20}?(\d+(?:[.,]\d+)?)", re.IGNORECASE
)
_EXPORT = re.compile(r"export frame rate\W+(\d+(?:[.,]\d+)?)", re.IGNORECASE)  # Motive: of the file, not of the cameras
_LENGTH = re.compile(r"(?:\blength\s+)?\bunits?\b\W*([a-zµ]+)", re.IGNORECASE)
_LENGTHS = ("mm", "cm", "m", "in", "ft", "millimeters", "centimeters", "meters", "metres")
_LONE_RATE = re.compile(r"\s*(\d+(?:\.\d+)?)\W*")


@dataclass
class TableLayout:
    """Where the numbers are, and what the columns mean."""

    first: int
    mark: str
    columns: int
    names: list[str] = field(default_factory=list)
    places: list[tuple[int, int, int]] = field(default_factory=list)
    """Columns of x, y and z of each marker."""
    time: int | None = None
    time_unit: str = "s"
    frame: int | None = None
    rate: float | None = None
    units: str | None = None


def find_layout(text: str, where: str) -> TableLayout:
    """Return the layout of a table's text, from its names, its axes or the count of its columns."""
    lines = text.split("\n", _TOP)[:_TOP]
    first = next((k for k, line in enumerate(lines) if _is_row(cells_of(line, separator(line)))), None)
    if first is None:
        raise InputError(
            "the table has no row of numbers", where=where, allowed="markers as columns name.x, name.y, name.z"
        )
    mark = separator(lines[first])
    cells = cells_of(lines[first], mark)
    heads = [cells_of(line, separator(line) if mark == r"\s+" else mark) for line in lines[:first]]
    layout = TableLayout(first, mark, len(cells))
    _read_preamble(lines[:first], heads, layout)
    found = (
        _by_types(heads, layout)
        or _by_heads(heads, layout)
        or _by_axes(heads, layout)
        or _by_list(heads, layout)
        or _by_count(heads, layout)
    )
    if not found or not layout.places:
        got = ", ".join(cell for row in heads[-1:] for cell in row[:6]) or f"{len(cells)} columns"
        raise InputError(
            "the table has no marker", where=f"{where}:{max(1, first)}", got=got[:80],
            allowed="columns name.x, name.y, name.z or name_X, name_Y, name_Z",
        )  # fmt: skip
    used = [k for places in layout.places for k in places] + [layout.time or 0, layout.frame or 0]
    layout.columns = max(layout.columns, max(used) + 1)  # the first row of numbers may end early
    return layout


def _is_row(cells: list[str]) -> bool:
    """Tell whether these cells are numbers and blanks."""
    full = [cell for cell in cells if cell]
    return len(cells) >= 3 and bool(full) and all(_NUMBER.fullmatch(cell) for cell in full)


def _read_preamble(lines: list[str], heads: list[list[str]], layout: TableLayout) -> None:
    """Look for rate and unit in the lines over the numbers."""
    for line, cells in zip(lines, heads, strict=True):
        rate, unit, lone = _EXPORT.search(line) or _RATE.search(line), _LENGTH.search(line), _LONE_RATE.fullmatch(line)
        if rate and layout.rate is None:
            layout.rate = float(rate[1].replace(",", "."))
        elif lone and layout.rate is None:
            layout.rate = float(lone[1])  # Vicon: a line with nothing else, under "Trajectories"
        if unit and unit[1].lower() in _LENGTHS:
            layout.units = unit[1].lower()
        elif cells[0].upper() == "MARKER_NAMES" and layout.units is None:
            layout.units = "mm"  # Qualisys writes no other
        full = [cell.strip("[]()").lower() for cell in cells if cell]
        if len(full) > 2 and set(full[-3:]) <= set(_LENGTHS) and len(set(full[-3:])) == 1:
            layout.units = full[-1]


def _by_types(heads: list[list[str]], layout: TableLayout) -> bool:
    """Take markers from rows Type, Name, …, Position, X Y Z (Motive): no pivots of bodies and bones, no rotations.

    Markers that were measured go before those that a rigid body or a bone expects.
    """
    rows = {row[1].lower() if len(row) > 1 and not row[0] else row[0].lower(): row for row in heads if row and any(row)}
    kinds, names, axes = rows.get("type"), rows.get("name"), rows.get("frame")
    quantities = next((row for row in heads if "Position" in row), None)
    if kinds is None or names is None or axes is None or quantities is None:
        return False
    letters = [cell.lower() for cell in axes]
    for wanted in (("marker",), ("rigid body marker", "bone marker")):
        at = [
            k
            for k in range(len(axes) - 2)
            if letters[k : k + 3] == ["x", "y", "z"]
            and k + 2 < min(len(kinds), len(names), len(quantities))
            and kinds[k].lower() in wanted
            and quantities[k].lower() == "position"
        ]
        if at:
            layout.names, layout.places = [names[k] for k in at], [(k, k + 1, k + 2) for k in at]
            _set_columns(axes, layout)
            return True
    return False


def _by_heads(heads: list[list[str]], layout: TableLayout) -> bool:
    """Take markers from one row of names with their axis, the last such row."""
    for row in reversed(heads):
        bare = [_UNIT.sub("", cell) for cell in row]
        for find in (_OURS.fullmatch, _named, _GLUED.fullmatch, _NUMBERED.fullmatch):
            groups: dict[str, dict[int, int]] = {}
            for k, cell in enumerate(bare):
                match = find(cell)
                if match:
                    axis = match["axis"].lower()
                    groups.setdefault(match["name"], {})["xyz".index(axis) if axis in "xyz" else int(axis)] = k
            whole = {name: places for name, places in groups.items() if set(places) == {0, 1, 2}}
            if whole:
                layout.names = [
                    f"M{int(name) + 1}" if find == _OURS.fullmatch and name.isdecimal() else name for name in whole
                ]
                layout.places = [(places[0], places[1], places[2]) for places in whole.values()]
                unit = _UNIT.search(row[layout.places[0][0]])
                layout.units = unit["unit"] if unit and unit["unit"] else layout.units
                _set_columns(row, layout)
                return True
    return False


def _named(cell: str) -> dict[str, str] | None:
    return split_axis(cell, "._:/-")


def _by_axes(heads: list[list[str]], layout: TableLayout) -> bool:
    """Take markers from a row X, Y, Z, X, Y, Z, … under a row of names (Vicon, Motive)."""
    for n, row in enumerate(heads):
        letters = [cell.lower() for cell in row]
        at = [k for k in range(len(row) - 2) if letters[k : k + 3] == ["x", "y", "z"]]
        if not at:
            continue
        for above in reversed(heads[:n]):
            names = [_name_over(above, k) for k in at]
            if all(names) and (len(set(names)) > 1 or len(names) == 1):
                layout.names, layout.places = names, [(k, k + 1, k + 2) for k in at]
                _set_columns(row, layout)
                return True
    return False


def _name_over(row: list[str], k: int) -> str:
    """Return the name over the columns k to k + 2, whichever of them carries it."""
    return next((cell for cell in row[k : k + 3] if cell), "")


def _by_list(heads: list[list[str]], layout: TableLayout) -> bool:
    """Take markers from a line MARKER_NAMES (Qualisys)."""
    for row in heads:
        if row and row[0].upper() == "MARKER_NAMES":
            names = [cell for cell in row[1:] if cell]
            extra = layout.columns - 3 * len(names)
            if 0 <= extra <= 2:
                layout.frame, layout.time = (0 if extra else None), (1 if extra == 2 else None)
                layout.names = names
                layout.places = [(extra + 3 * k, extra + 3 * k + 1, extra + 3 * k + 2) for k in range(len(names))]
                return True
    return False


def _by_count(heads: list[list[str]], layout: TableLayout) -> bool:
    """Take columns of a table without names three by three, after one that counts samples where one is left over."""
    if any(any(re.search(r"[a-z]", cell, re.IGNORECASE) for cell in row) for row in heads[-1:]):
        return False
    extra, count = layout.columns % 3, layout.columns // 3
    if extra > 1 or not count:
        return False
    layout.frame = 0 if extra else None
    layout.names = [f"M{k + 1}" for k in range(count)]
    layout.places = [(extra + 3 * k, extra + 3 * k + 1, extra + 3 * k + 2) for k in range(count)]
    return True


def _set_columns(row: list[str], layout: TableLayout) -> None:
    """Find the columns of time and of sample numbers."""
    for k, cell in enumerate(row):
        bare, unit = _UNIT.sub("", cell).strip(), _UNIT.search(cell)
        if layout.time is None and _TIME.fullmatch(bare):
            layout.time, layout.time_unit = k, (unit["unit"] if unit else "s") or "s"
        elif layout.frame is None and bare and _FRAME.fullmatch(bare):
            layout.frame = k
