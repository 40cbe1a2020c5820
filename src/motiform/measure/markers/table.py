"""Markers in tables of text: CSV and TSV in their many forms, Optotrak's among them."""

import csv
import io
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import check_markers, marker_names
from motiform.measure.detect import length_unit
from motiform.measure.markers.format import MarkerFormat, ReadOptions
from motiform.measure.markers.layout import TableLayout, find_layout
from motiform.measure.raw import OPTOTRAK_MISSING, Raw, even_times, forget_occluded
from motiform.measure.text import read_table, read_text
from motiform.record.files import AnyPath, disk, new_file, write_file
from motiform.record.recording import Recording

__all__ = ["TABLE", "read_marker_table", "write_markers_csv"]


def _is_text(head: bytes) -> bool:
    return b"\0" not in head or head.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def read_marker_table(path: Path, options: ReadOptions) -> Raw:
    """Read a table of markers in its own units and axes."""
    where, text = str(path), read_text(path)
    layout = find_layout(text, where)
    table = read_table(text, layout.first, layout.columns, layout.mark, where)
    if not len(table):
        raise InputError("the table has no sample", where=where)
    points = table[:, np.array(layout.places).ravel()].reshape(len(table), len(layout.places), 3)
    optotrak = bool((np.abs(points - OPTOTRAK_MISSING) < 1e-4 * abs(OPTOTRAK_MISSING)).any())
    raw = Raw("optotrak" if optotrak else "csv", forget_occluded(points), layout.names, units=layout.units)
    _set_times(raw, table, layout, options.rate, where)
    return raw


def _set_times(raw: Raw, table: np.ndarray, layout: TableLayout, rate: float | None, where: str) -> None:
    if layout.frame is not None and np.isfinite(table[0, layout.frame]):
        raw.first_frame = int(table[0, layout.frame])
    if layout.time is not None:
        times = table[:, layout.time] * (1e-3 if layout.time_unit.lower().startswith(("ms", "milli")) else 1.0)
        _check_times(times, layout.first, where)
        even = even_times(times, rate or layout.rate)
        if even is None:
            raw.times = times
        else:
            raw.rate, raw.start = even
        return
    raw.rate = rate or layout.rate
    if not raw.rate:
        raise InputError(
            "the table has neither times nor a rate", where=where, remedy="Say rate= [Hz], as in rate=100."
        )
    raw.start = max(0, (raw.first_frame or 1) - 1) / raw.rate


def _check_times(times: np.ndarray, first: int, where: str) -> None:
    wrong = ~np.isfinite(times)
    wrong[1:] |= ~(np.diff(times) > 0)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(
            "a time is missing or does not increase", where=f"{where}:{first + k + 1}", got=times[k],
            allowed="finite times [s] that increase",
        )  # fmt: skip


def write_markers_csv(rec: Recording, path: AnyPath, *, units: str = "m", overwrite: bool = False) -> None:
    """Write the markers as a CSV table: ``time [s],LASI.x [m],LASI.y [m],…``; occluded ones are left blank.

    In metres reading it gives the same bits. A file that ends in .tsv has tabs instead of commas.
    """
    factor = length_unit(units, "write_markers_csv")
    points = check_markers(rec)
    flat = (points if factor == 1.0 else points / factor).reshape(len(points), -1)
    place = new_file(path, overwrite)
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t" if place.suffix.lower() == ".tsv" else ",", lineterminator="\n")
    writer.writerow(["time [s]", *(f"{name}.{axis} [{units}]" for name in marker_names(rec) for axis in "xyz")])
    for t, row in zip(rec.time("markers").tolist(), flat.tolist(), strict=True):
        writer.writerow([repr(t), *("" if x != x else repr(x) for x in row)])
    with disk(place):
        write_file(place, out.getvalue().encode())


TABLE = MarkerFormat(
    name="csv",
    title="CSV, TSV",
    endings=(".csv", ".tsv"),
    about="columns `LASI.x`, `LASI_X`, `LASI X`, `LASI:x`, with or without a unit; our own tables; Vicon, Motive and "
    "Qualisys exports; `X1,Y1,Z1,…`; numbers alone. Separated by commas, semicolons or tabs, with decimal points or "
    "commas. Optotrak's with −3.6973E+028 where a marker was not seen",
    recognises=_is_text,
    read=read_marker_table,
    write=write_markers_csv,
)
