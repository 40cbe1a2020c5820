"""Text files of numbers: reading, splitting, conversion to a table, with the location of errors."""

import csv
import math
import re
from array import array
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError

__all__ = ["cells_of", "read_table", "read_text", "separator", "split_axis"]

#: What stands in files for a missing number; the last ones are written by C programs on Windows.
_BLANK = frozenset(("", "-", "--", "n/a", "na", "#n/a", "<na>", "nan", "null", "none", "1.#qnan", "-1.#ind"))
_COMMA = re.compile(r"^\s*[+-]?\d+,\d+")


def read_text(path: Path) -> str:
    """Return a file's text with plain line ends; in UTF-8, UTF-16 with its mark, or else Latin-1."""
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    if not text.strip():
        raise InputError("the file is empty", where=str(path))
    if "\0" in text[:4096]:
        raise InputError("the file must be text", where=str(path))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def separator(line: str) -> str:
    """Return what separates the cells of a line: a tab, semicolon or comma, or r"\\s+" for spaces."""
    for mark in ("\t", ";", ","):
        if line.count(mark) >= 2:
            return mark
    return r"\s+"


def cells_of(line: str, mark: str) -> list[str]:
    """Return the cells of a line without the spaces and quotes around them."""
    if '"' in line and mark != r"\s+":
        try:
            return [part.strip() for part in next(csv.reader([line], delimiter=mark))]
        except csv.Error as error:
            allowed = f"cells of up to {csv.field_size_limit()} characters"
            raise InputError(f"a line of a table cannot be read: {error}", got=line[:40], allowed=allowed) from error
    return line.split() if mark == r"\s+" else [part.strip() for part in line.split(mark)]


def read_table(
    text: str, first: int, columns: int, mark: str, where: str, *, beyond: list[int] | None = None
) -> np.ndarray:
    """Return the numbers (rows, columns) of a text's lines from the line ``first`` (counted from 0) on.

    Blank cells are nan, also those missing at the end of a row; empty lines are skipped. A row with more cells, or a
    cell that is no number, is refused with its line. With ``beyond`` rows may go on with points of three cells, whose
    number in each such row is appended to it.
    """
    lines = text.split("\n")[first:]
    sample = "\n".join(lines[:1000])[:20000]
    comma = mark != "," and any(_COMMA.match(cell) for line in sample.split("\n") for cell in cells_of(line, mark))
    values = array("d")
    for number, line in enumerate(lines, start=first + 1):
        cells = cells_of(line, mark)
        while len(cells) > columns and not cells[-1]:
            cells.pop()
        if not any(cells):
            continue
        if beyond is not None and len(cells) > columns and (len(cells) - columns) % 3 == 0:
            beyond.append((len(cells) - columns) // 3)
            cells = cells[:columns]
        if len(cells) > columns:
            raise InputError(
                "a row must have one cell for each column", where=f"{where}:{number}", got=len(cells),
                allowed=f"up to {columns}",
            )  # fmt: skip
        try:
            row = list(map(float, cells))
        except ValueError:  # a blank cell, a comma, or a mistake
            row = [_number(cell, comma, f"{where}:{number}") for cell in cells]
        values.extend(row)
        values.extend([math.nan] * (columns - len(row)))
    if not values:
        raise InputError("the file has no row of numbers", where=where)
    table = np.frombuffer(values).reshape(-1, columns).copy()
    return table[~np.isnan(table).all(1)]


def _number(cell: str, comma: bool, where: str) -> float:
    if cell.lower() in _BLANK:
        return math.nan
    try:
        return float(cell.replace(",", ".") if comma else cell)
    except ValueError:
        raise InputError("the cell must be a number", where=where, got=cell[:40]) from None


def split_axis(text: str, marks: str) -> dict[str, str] | None:
    """Return the name and the axis of "knee.x" or "knee x", with one of the marks or a space between; None without.

    >>> split_axis("left knee . X", "._")
    {'name': 'left knee', 'axis': 'X'}
    """
    head, axis = text[:-1], text[-1:]
    bare = head.rstrip()
    name = bare[:-1].rstrip() if bare[-1:] and bare[-1] in marks else bare if len(bare) < len(head) else ""
    return {"name": name, "axis": axis} if name and axis in "xyzXYZ" else None
