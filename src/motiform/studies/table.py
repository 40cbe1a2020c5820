"""The table of a study: a row for each case in the order of the grid, with parameters, measures and its outcome."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motiform.base.errors import InputError
from motiform.base.libraries import load_library
from motiform.record.files import disk, write_file

if TYPE_CHECKING:
    import pandas

__all__ = ["OUTCOME", "TableColumns", "write_csv_table", "write_parquet_table"]

OUTCOME = ("status", "error", "seconds", "version", "hash")
"""Columns after parameters and measures."""
_BLOCK = 10_000  # rows that are written at once

TableRow = dict[str, Any]


@dataclass(frozen=True)
class TableColumns:
    """Names of the columns."""

    parameters: Sequence[str]
    measures: Mapping[str, str]
    """Keys of measures by the names of their columns."""

    def check(self) -> None:
        """Refuse columns of one name."""
        for name in self.measures:
            if name in OUTCOME or name in self.parameters:
                allowed = f"names other than {', '.join((*OUTCOME, *self.parameters))}"
                raise InputError("a measure must have a name of its own", got=name, allowed=allowed)
        taken = next((name for name in self.parameters if name in OUTCOME), None)
        if taken is not None:
            raise InputError("a parameter must not have the name of a column", got=taken)

    @property
    def names(self) -> list[str]:
        """All of them, in order."""
        return [*self.parameters, *self.measures, *OUTCOME]

    def row(self, settings: Mapping[str, Any], key: str | None, found: Mapping[str, Any] | None) -> TableRow:
        """Return a row: ``found`` is that of the journal, None where the case is not done; no key: it is skipped."""
        row = dict(settings)
        known = (found or {}).get("measures", {})
        row |= {name: known.get(own, math.nan) for name, own in self.measures.items()}
        blank = {"status": "skipped" if key is None else "left", "error": None, "seconds": None, "version": None}
        return row | {name: (found or blank).get(name) for name in OUTCOME[:-1]} | {"hash": key}


def write_csv_table(path: Path, columns: TableColumns, rows: Iterable[TableRow]) -> None:
    """Write the table as CSV; reading a number gives the same bits, and what is not known is blank."""
    with disk(path):
        write_file(path, _lines(columns, rows))


def _lines(columns: TableColumns, rows: Iterable[TableRow]) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns.names)
    for number, row in enumerate(rows, start=1):
        writer.writerow([_cell(row[name]) for name in columns.names])
        if number % _BLOCK == 0:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def write_parquet_table(path: Path, table: "pandas.DataFrame") -> None:
    """Write the table as Parquet; lists and tables among the values become text."""
    texts = [name for name in table.columns if table[name].map(type).isin([list, dict]).any()]
    table = table.assign(**{name: table[name].map(str) for name in texts})
    with disk(path):
        aside = io.BytesIO()
        table.to_parquet(aside, index=False)
        write_file(path, aside.getvalue())


def data_frame(columns: TableColumns, rows: Iterable[TableRow]) -> "pandas.DataFrame":
    """Return the table as a DataFrame."""
    pandas = load_library("pandas", where="Study.table", otherwise="The table is in table.csv, too.")
    held: dict[str, list[Any]] = {name: [] for name in columns.names}
    for row in rows:
        for name, values in held.items():
            values.append(row[name])
    frame = pandas.DataFrame(held)
    for name in (*columns.measures, "seconds"):
        frame[name] = frame[name].astype(float)
    return frame
