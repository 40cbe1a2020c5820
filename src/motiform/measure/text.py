"""Text files of numbers: reading, splitting, conversion to a table, with the location of errors."""

import csv
import io
import re
import warnings
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError

__all__ = ["cells_of", "read_table", "read_text", "separator", "split_axis"]

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
        raise InputError("not a text file", where=str(path))
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
        parts = next(csv.reader([line], delimiter=mark))
    else:
        parts = line.split() if mark == r"\s+" else line.split(mark)
    return [part.strip() for part in parts]


def read_table(
    text: str, first: int, columns: int, mark: str, where: str, *, beyond: list[int] | None = None
) -> np.ndarray:
    """Return the numbers (rows, columns) of a text's lines from the line ``first`` (counted from 0) on.

    Blank cells are nan, also those missing at the end of a row; empty lines are skipped. A row with more cells, or a
    cell that is no number, is refused with its line. With ``beyond`` rows may go on with points of three cells, whose
    number in each such row is appended to it.
    """
    import pandas

    start = _start(text, first)
    sample = text[start : start + 20000]
    comma = mark != "," and any(_COMMA.match(cell) for line in sample.split("\n") for cell in cells_of(line, mark))
    options = {
        "sep": mark, "header": None, "names": range(columns + 1), "index_col": False, "skipinitialspace": True,
        "decimal": "," if comma else ".", "float_precision": "high" if comma else "round_trip", "quotechar": '"',
        "na_values": ["-", "--", "N/A", "nan", "NaN"],
    }  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cells after the last column, which are looked at below
            frame = pandas.read_csv(io.StringIO(text[start:]), **options)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError, ValueError) as error:
        return _by_hand(text, first, columns, mark, comma, where, str(error), beyond)
    kinds = {str(kind) for kind in frame.dtypes}
    if not all(kind.startswith(("float", "int", "uint")) for kind in kinds) or frame[columns].notna().any():
        return _by_hand(text, first, columns, mark, comma, where, "a cell", beyond)
    table = frame.iloc[:, :columns].to_numpy(np.float64)
    return table[~np.isnan(table).all(1)]


def _start(text: str, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at


def _by_hand(
    text: str, first: int, columns: int, mark: str, comma: bool, where: str, why: str, beyond: list[int] | None
) -> np.ndarray:
    """Read row by row: slower, but it knows the line of what is wrong."""
    rows = []
    for number, line in enumerate(text.split("\n")[first:], start=first + 1):
        cells = cells_of(line, mark)
        if not any(cells):
            continue
        while len(cells) > columns and not cells[-1]:
            cells.pop()
        if beyond is not None and len(cells) > columns and (len(cells) - columns) % 3 == 0:
            beyond.append((len(cells) - columns) // 3)
            cells = cells[:columns]
        if len(cells) > columns:
            raise InputError(
                "a row must have one cell for each column",
                where=f"{where}:{number}",
                got=len(cells),
                allowed=f"up to {columns}",
            )
        row = [_number(cell, comma, f"{where}:{number}") for cell in cells]
        rows.append(row + [np.nan] * (columns - len(row)))
    if not rows:
        raise InputError("the file has no row of numbers", where=where, got=why[:80])
    return np.array(rows)


def _number(cell: str, comma: bool, where: str) -> float:
    if not cell or cell.lower() in ("-", "--", "n/a", "na", "nan", "null", "none"):
        return np.nan
    try:
        return float(cell.replace(",", ".") if comma else cell)
    except ValueError:
        raise InputError("not a number", where=where, got=cell[:40]) from None


def split_axis(text: str, marks: str) -> dict[str, str] | None:
    """Return the name and the axis of "knee.x" or "knee x", with one of the marks or a space between; None without.

    >>> split_axis("left knee . X", "._")
    {'name': 'left knee', 'axis': 'X'}
    """
    head, axis = text[:-1], text[-1:]
    bare = head.rstrip()
    name = bare[:-1].rstrip() if bare[-1:] and bare[-1] in marks else bare if len(bare) < len(head) else ""
    return {"name": name, "axis": axis} if name and axis in "xyzXYZ" else None
