"""Recordings as tables: CSV, pandas, xarray."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.base.files import plain_file, reads_file
from motiform.base.libraries import load_library
from motiform.record.channel import Channel
from motiform.record.files import PARTIAL, AnyPath, as_path, disk, new_file
from motiform.record.heads import grouped, heads, heads_with_units
from motiform.record.labels import axis_names
from motiform.record.plain import dump_plain
from motiform.record.recording import Recording, chosen_channels
from motiform.record.si import to_si

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["read_csv", "to_pandas", "to_xarray", "write_csv"]

_NUMBERS = 200_000  # that are rows at once, some tens of bytes each


def write_csv(rec: Recording, path: AnyPath, *, names: Iterable[str] | None = None, overwrite: bool = False) -> None:
    """Write channels that share their times as a table: a time column, then one column per number.

    The first row names them with unit, as they are chosen by name: ``time [s],hand.position.x [m]``,
    ``hand.orientation.w``, ``q.right_knee_extension [rad]``. Reading the numbers gives the same bits.
    """
    channels = chosen_channels(rec, names)
    _check_shared(rec, channels)
    row = heads_with_units(channels, rec.manifest.get("labels"), rec._where)
    path = new_file(path, overwrite)
    aside = path.with_name(f".{path.name}{PARTIAL}")
    with disk(path):
        try:
            with open(aside, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["time [s]", *row])
                for rows in _rows(rec, channels):
                    writer.writerows(rows)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)


@reads_file("a table")
def read_csv(path: AnyPath) -> Recording:
    """Read a table: a first row of names with unit, as `write_csv` writes it, then numbers; an empty cell is nan.

    The first column is the time [s]. Columns ``name.x``, ``name.y``, ``name.z`` make one channel, so do ``name.0``,
    ``name.1``, ... (or ``name[0]``, ``name[1]``, ...), and ``name.w`` to ``name.z`` one of quaternions; a column with
    another name is a channel. Cells are separated by commas, semicolons or tabs. All channels are float64; they get a
    rate when the times are exactly even. Numbers become SI ("mm" is read as m), and ``manifest["source_units"]`` states
    the unit of the table where it was another; a unit that is not known is kept as it is.
    """
    path = as_path(path)
    try:
        text = plain_file(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        got = getattr(error, "strerror", None) or str(error)
        raise RecordingError("the table cannot be read", where=str(path), got=got, allowed="text in UTF-8") from error
    except MemoryError:
        raise RecordingError("the table is too large for the memory", where=str(path)) from None
    row, table = _parse(text, str(path))
    if not row or not re.fullmatch(r"time( \[s\])?", row[0].strip()):
        raise RecordingError("the first column is not the time", where=f"{path}:1", got=row[:1], allowed="time [s]")
    times = table[:, 0]
    if not np.isfinite(times).all() or (np.diff(times) < 0).any():
        wrong = int(np.argmax(~np.isfinite(times) | (np.diff(times, prepend=times[0]) < 0)))
        raise RecordingError("time is missing or decreases", where=f"{path}:{wrong + 2}", got=times[wrong])
    rate = _even_rate(times)
    data, source_units = {}, {}
    for name, own in grouped(row[1:], str(path)).items():
        array = table[:, [k + 1 for k in own.places]].reshape(len(table), *own.shape)
        start = float(times[0]) if rate else 0.0
        si, array = to_si(array, own.unit, where=f"{path}: {name!r}")
        if si != own.unit:
            source_units[name] = own.unit
        data[name] = (Channel(name, unit=si, dims=own.dims, shape=own.shape, rate=rate, start=start), array)
    manifest: dict[str, Any] = {"source": path.name}
    if source_units:
        manifest["source_units"] = source_units
    return Recording.from_arrays(data, times=None if rate else times, manifest=manifest)


def to_pandas(rec: Recording, names: Iterable[str] | None = None) -> "pandas.DataFrame":
    """Return channels that share their times as a DataFrame indexed by time [s]; ``.attrs["units"]`` gives units.

    A column is called as the number is chosen by name: ``hand.position.x``, ``q.right_knee_extension``.
    """
    pandas = load_library("pandas")
    channels = chosen_channels(rec, names)
    times = _check_shared(rec, channels)
    units = heads(channels, rec.manifest.get("labels"), rec._where)
    flat = [rec[channel.name].reshape(rec.count(channel.name), math.prod(channel.shape)) for channel in channels]
    columns = [block[:, k] for block in flat for k in range(block.shape[1])]
    index = pandas.Index(times, name="time")
    frame = pandas.DataFrame(dict(zip(units, columns, strict=True)), index=index)
    frame.attrs["units"] = units
    return frame


def to_xarray(rec: Recording, names: Iterable[str] | None = None) -> "xarray.Dataset":
    """Return a Dataset with a variable per channel, and the statics.

    Channels with the same times share the axis "time"; others get one of their own, "time of <name>". An axis whose
    size differs between channels carries the channel's name. Axes with names have them as a coordinate, so that
    ``data["q"].sel(coordinate="right_knee_extension")`` works; where units differ along one, the coordinate
    "unit of <name>" tells them.
    """
    xarray = load_library("xarray")
    channels = chosen_channels(rec, names)
    axes: list[tuple[str, np.ndarray]] = []
    sizes: dict[str, int] = {}
    variables: dict[str, Any] = {}
    named: dict[str, Any] = {}
    for channel in channels:
        times = rec.time(channel.name)
        axis = next((name for name, known in axes if np.array_equal(known, times)), None)
        if axis is None:
            axis = "time" if not axes else f"time of {channel.name}"
            axes.append((axis, times))
        dims = [
            _axis_name(dim, channel.name, k, size, sizes, channel.dims)
            for k, (dim, size) in enumerate(zip(channel.dims, channel.shape, strict=True))
        ]
        for dim, names in zip(dims, axis_names(channel, rec.manifest.get("labels")), strict=True):
            if names is not None and dim not in rec:
                named[dim] = ([dim], list(names), {})
        if channel.units:
            named[f"unit of {channel.name}"] = ([dims[-1]], list(channel.units), {})
        attributes = {"units": channel.unit, "description": channel.description}
        variables[channel.name] = ([axis, *dims], rec[channel.name], attributes)
    for name, array in rec.statics.items():
        variables[f"static {name}"] = ([f"static {name} {k}" for k in range(array.ndim)], array, {})
    coordinates = named | {name: ([name], times, {"units": "s"}) for name, times in axes}
    about: dict[str, Any] = {"manifest": dump_plain(rec.manifest), "complete": int(rec.complete)}
    events = [{"time": event.time, "name": event.name, "detail": event.detail} for event in rec.events]
    return xarray.Dataset(variables, coordinates, about | {"events": json.dumps(events)})


def _axis_name(dim: str, name: str, k: int, size: int, sizes: dict[str, int], dims: tuple[str, ...]) -> str:
    """Return the axis's own name, or one with the channel's where the name is taken by another size or axis."""
    taken = dim == "time" or dims.index(dim) != k or sizes.setdefault(dim, size) != size
    return f"{dim} {k} of {name}" if taken else dim


def _check_shared(rec: Recording, channels: list[Channel]) -> np.ndarray:
    """Return the times that all of the channels share."""
    if not channels:
        return np.empty(0)
    times = rec.time(channels[0].name)
    for channel in channels[1:]:
        if not np.array_equal(rec.time(channel.name), times):
            raise RecordingError(
                "channels of a table must share their times", where=rec._where,
                got=f"other times in {channel.name!r} than in {channels[0].name!r}",
                remedy="Choose channels by names=, or resample(rec, rate=...) first.",
            )  # fmt: skip
    return times


def _rows(rec: Recording, channels: list[Channel]) -> Iterator[list[list[Any]]]:
    count = rec.count(channels[0].name) if channels else 0
    size = max(1, _NUMBERS // max(1, sum(int(np.prod(channel.shape, dtype=np.int64)) for channel in channels)))
    for first in range(0, count, size):
        times = rec.time(channels[0].name, first, first + size)
        rows = [[time] for time in times.tolist()]
        for channel in channels:
            block = rec.read(channel.name, first, first + size).reshape(len(times), -1)
            for row, numbers in zip(
                rows, block.astype(int if block.dtype == bool else block.dtype).tolist(), strict=True
            ):
                row += numbers
        yield rows


def _parse(text: str, where: str) -> tuple[list[str], np.ndarray]:
    first = text.split("\n", 1)[0]
    mark = max(",;\t", key=first.count)
    heads: list[str] = []
    rows: list[list[float]] = []
    try:
        for line, cells in enumerate(csv.reader(io.StringIO(text), delimiter=mark), start=1):
            if not heads:
                heads = cells
            elif cells:
                if len(cells) != len(heads):
                    raise RecordingError(
                        "a row must have one cell for each column", where=f"{where}:{line}", got=len(cells),
                        allowed=str(len(heads)),
                    )  # fmt: skip
                rows.append([_number(cell, f"{where}:{line}") for cell in cells])
    except csv.Error as error:
        raise RecordingError("the table cannot be read", where=where, got=str(error)) from error
    return heads, np.array(rows, dtype=np.float64).reshape(len(rows), len(heads))


def _number(cell: str, where: str) -> float:
    try:
        return float(cell) if cell.strip() else np.nan
    except ValueError:
        raise RecordingError("the cell must be a number", where=where, got=cell[:40]) from None


def _even_rate(times: np.ndarray) -> float | None:
    """Return the rate [Hz] that gives these times to the last bit, or None."""
    if len(times) < 2 or times[-1] <= times[0]:
        return None
    estimate = (len(times) - 1) / (times[-1] - times[0])
    for rate in (float(round(estimate)), float(f"{estimate:.12g}"), float(estimate)):
        if rate > 0 and np.isfinite(rate) and np.array_equal(times[0] + np.arange(len(times)) / rate, times):
            return rate
    return None
