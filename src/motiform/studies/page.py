"""The page of a study: plots, what failed, and the table."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform import __version__
from motiform.image.report.blocks import Block, Code, Heading, ReportTable, Text
from motiform.image.report.html import html_page
from motiform.record.files import disk, write_file
from motiform.studies.charts import StudyColumns, study_charts

if TYPE_CHECKING:
    from motiform.studies.result import Study

__all__ = ["read_columns", "write_page"]

_ROWS = 500  # of the table that the page shows
_KINDS = 20  # of errors
_LEGEND = (
    "Main effects. Grey: every case. Blue: the mean over all other parameters, of samples in bins with as many cases "
    "each; on a logarithmic axis it is that of the logarithms."
)


def write_page(study: "Study") -> None:
    """Write the page of a study into its folder."""
    with disk(study.folder.page):
        write_file(study.folder.page, html_page(list(_blocks(study))).encode())


def _blocks(study: "Study") -> Iterator[Block]:
    columns, errors = read_columns(study), _errors(study)
    shown = [[_cell(row[name]) for name in study.columns.names] for row in islice(study.rows(), _ROWS)]
    count = study.count
    yield Heading(study.title, 1)
    states = ", ".join(f"{cases} {state}" for state, cases in count.items() if cases)
    number = len(columns.parameters)
    yield Text(f"{len(study)} cases of {number} parameter{'s' * (number != 1)}: {states}.")
    if count["left"]:
        yield Text("The study was interrupted: cases that are left have no numbers; --resume runs them.", bad=True)
    if count["failed"]:
        yield Text(f"{count['failed']} cases failed and are not in the plots; why is told below.", bad=True)
    charts = study_charts(columns)
    if charts:
        yield Heading("Measures over parameters")
        yield from charts
        if len(columns.varying()) > 2 or columns.sampled:
            yield Text(_LEGEND)
    if errors:
        yield Heading("Failed cases")
        rows = [[text, str(number)] for text, number in errors.most_common(_KINDS)]
        yield ReportTable(["error", "cases"], rows)
    warnings = study.warnings()
    if warnings:
        yield Heading("Warnings")
        yield ReportTable(["warning", "cases"], [[text, str(number)] for text, number in warnings.most_common(_KINDS)])
    yield Heading("Table")
    more = f" The first {_ROWS} rows; all are in table.csv." if len(study) > _ROWS else ""
    yield Text(f"A row a case, in the order of the grid.{more}")
    yield ReportTable(study.columns.names, shown, folded=f"{len(shown)} rows")
    yield Heading("Origin")
    notes = [f"motiform {__version__}", *study.notes]
    yield Code("\n".join(notes))


def read_columns(study: "Study") -> StudyColumns:
    """Return the columns of what is done, as they are drawn."""
    parameters: dict[str, list[Any]] = {name: [] for name in study.columns.parameters}
    measures: dict[str, list[float]] = {name: [] for name in study.columns.measures}
    for row in study.rows():
        if row["status"] == "done":
            for held in (parameters, measures):
                for name, values in held.items():
                    values.append(row[name])
    sampled = frozenset(name for block in study.design.blocks if block.sampled for name in block.names)
    numbers = {name: np.array(values, float) for name, values in measures.items()}
    return StudyColumns(parameters, numbers, sampled, study.units)


def _errors(study: "Study") -> "Counter[str]":
    return Counter(str(row["error"]) for row in study.rows() if row["status"] == "failed")


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
