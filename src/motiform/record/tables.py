"""Recordings as tables: CSV, pandas, xarray."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.record.channel import Channel
from motiform.record.files import PARTIAL, disk
from motiform.record.plain import dump_plain
from motiform.record.recording import Recording, _Path

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["read_csv", "to_pandas", "to_xarray", "write_csv"]

_ROWS = 4096  # written at once
_HEAD = re.compile(r"(?P<name>.*?)(?:\[(?P<index>\d+(?:,\d+)*)\])?(?: \[(?P<unit>[^\[\]]*)\])?", re.DOTALL)


def write_csv(rec: Recording, path: _Path, names: Iterable[str] | None = None, *, overwrite: bool = False) -> None:
    """Write channels that share their times as a table: a time column, then one column per number.

    The first row names them with unit, as in ``time [s],hand.position[0] [m]``. Reading the numbers gives the
    same bits.
    """
    channels = _chosen(rec, names)
    _check_shared(rec, channels)
    path = Path(path)
    if path.exists() and not overwrite:
        remedy = "Choose another name, or say overwrite (overwrite=True, --overwrite)."
        raise RecordingError("it exists already", where=str(path), remedy=remedy)
    aside = path.with_name(f".{path.name}{PARTIAL}")
    with disk(path):
        try:
            with open(aside, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                heads = [f"{head} [{c.unit}]" if c.unit else head for c in channels for head in _heads(c)]
                writer.writerow(["time [s]", *heads])
                for rows in _rows(rec, channels):
                    writer.writerows(rows)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)


def read_csv(path: _Path) -> Recording:
    """Read a table: a first row of names with unit, as `write_csv` writes it, then numbers; an empty cell is nan.

    The first column is the time [s]. Columns ``name[0]``, ``name[1]``, ... make one channel. Cells are separated by
    commas, semicolons or tabs. All channels are float64; they get a rate when the times are exactly even.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        got = getattr(error, "strerror", None) or str(error)
        raise RecordingError("the table cannot be read", where=str(path), got=got, allowed="text in UTF-8") from error
    heads, table = _parse(text, str(path))
    if not heads or not re.fullmatch(r"time( \[s\])?", heads[0].strip()):
        raise RecordingError("the first column is not the time", where=f"{path}:1", got=heads[:1], allowed="time [s]")
    times = table[:, 0]
    if not np.isfinite(times).all() or (np.diff(times) < 0).any():
        wrong = int(np.argmax(~np.isfinite(times) | (np.diff(times, prepend=times[0]) < 0)))
        raise RecordingError("time is missing or decreases", where=f"{path}:{wrong + 2}", got=times[wrong])
    rate = _even_rate(times)
    data = {}
    for (name, unit), columns in _grouped(heads[1:], str(path)).items():
        shape = tuple(np.max([index for index, _ in columns], axis=0) + 1) if columns[0][0] else ()
        array = table[:, [k + 1 for _, k in sorted(columns)]].reshape(len(table), *shape)
        dims = tuple(f"axis{k}" for k in range(len(shape))) if len(shape) > 1 else ("axis",) * len(shape)
        start = float(times[0]) if rate else 0.0
        data[name] = (Channel(name, unit=unit, dims=dims, shape=shape, rate=rate, start=start), array)
    return Recording.from_arrays(data, times=None if rate else times, manifest={"source": path.name})


def to_pandas(rec: Recording, names: Iterable[str] | None = None) -> "pandas.DataFrame":
    """Return channels that share their times as a DataFrame indexed by time [s]; ``.attrs["units"]`` gives units."""
    import pandas

    channels = _chosen(rec, names)
    times = _check_shared(rec, channels)
    columns: dict[str, np.ndarray] = {}
    for channel in channels:
        flat = rec[channel.name].reshape(rec.count(channel.name), -1)
        columns |= {head: flat[:, k] for k, head in enumerate(_heads(channel))}
    frame = pandas.DataFrame(columns, index=pandas.Index(times, name="time"))
    frame.attrs["units"] = {head: channel.unit for channel in channels for head in _heads(channel)}
    return frame


def to_xarray(rec: Recording, names: Iterable[str] | None = None) -> "xarray.Dataset":
    """Return a Dataset with a variable per channel, and the statics.

    Channels with the same times share the axis "time"; others get one of their own, "time of <name>". An axis whose
    size differs between channels carries the channel's name.
    """
    import xarray

    channels = _chosen(rec, names)
    axes: list[tuple[str, np.ndarray]] = []
    sizes: dict[str, int] = {}
    variables: dict[str, Any] = {}
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
        attributes = {"units": channel.unit, "description": channel.description}
        variables[channel.name] = ([axis, *dims], rec[channel.name], attributes)
    for name, array in rec.statics.items():
        variables[f"static {name}"] = ([f"static {name} {k}" for k in range(array.ndim)], array, {})
    coordinates = {name: ([name], times, {"units": "s"}) for name, times in axes}
    about: dict[str, Any] = {"manifest": dump_plain(rec.manifest), "complete": int(rec.complete)}
    events = [{"time": event.time, "name": event.name, "detail": event.detail} for event in rec.events]
    return xarray.Dataset(variables, coordinates, about | {"events": json.dumps(events)})


def _axis_name(dim: str, name: str, k: int, size: int, sizes: dict[str, int], dims: tuple[str, ...]) -> str:
    """Return the axis's own name, or one with the channel's where the name is taken by another size or axis."""
    taken = dim == "time" or dims.index(dim) != k or sizes.setdefault(dim, size) != size
    return f"{dim} {k} of {name}" if taken else dim


def _chosen(rec: Recording, names: Iterable[str] | None) -> list[Channel]:
    return [rec.channel(name) for name in (rec.names if names is None else names)]


def _check_shared(rec: Recording, channels: list[Channel]) -> np.ndarray:
    """Return the times that all of the channels share."""
    if not channels:
        return np.empty(0)
    times = rec.time(channels[0].name)
    for channel in channels[1:]:
        if not np.array_equal(rec.time(channel.name), times):
            raise RecordingError(
                "channels of a table share their times", where=rec._where,
                got=f"other times in {channel.name!r} than in {channels[0].name!r}",
                remedy="Choose channels by names=, or resample(rec, rate=...) first.",
            )  # fmt: skip
    return times


def _heads(channel: Channel) -> list[str]:
    if not channel.shape:
        return [channel.name]
    return [f"{channel.name}[{','.join(map(str, index))}]" for index in np.ndindex(*channel.shape)]


def _rows(rec: Recording, channels: list[Channel]) -> Iterator[list[list[Any]]]:
    count = rec.count(channels[0].name) if channels else 0
    for first in range(0, count, _ROWS):
        times = rec.time(channels[0].name, first, first + _ROWS)
        columns = [times.tolist()]
        for channel in channels:
            block = rec.read(channel.name, first, first + _ROWS).reshape(len(times), -1)
            columns += [column.tolist() for column in block.astype(int if block.dtype == bool else block.dtype).T]
        yield [list(row) for row in zip(*columns, strict=True)]


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
                        "cells in a row", where=f"{where}:{line}", got=len(cells), allowed=str(len(heads))
                    )
                rows.append([_number(cell, f"{where}:{line}") for cell in cells])
    except csv.Error as error:
        raise RecordingError("not a table", where=where, got=str(error)) from error
    return heads, np.array(rows, dtype=np.float64).reshape(len(rows), len(heads))


def _number(cell: str, where: str) -> float:
    try:
        return float(cell) if cell.strip() else np.nan
    except ValueError:
        raise RecordingError("not a number", where=where, got=cell[:40]) from None


def _grouped(heads: list[str], where: str) -> dict[tuple[str, str], list[tuple[tuple[int, ...], int]]]:
    """Return the columns of each channel as (index, column), checked to fill a rectangle."""
    groups: dict[tuple[str, str], list[tuple[tuple[int, ...], int]]] = {}
    for k, head in enumerate(heads):
        match = _HEAD.fullmatch(head.strip())
        name, index, unit = match.group("name", "index", "unit") if match else (head, None, None)
        place = tuple(int(part) for part in index.split(",")) if index else ()
        groups.setdefault((name.strip(), unit or ""), []).append((place, k))
    for (name, _), columns in groups.items():
        found = sorted(place for place, _ in columns)
        ranks = {len(place) for place in found}
        sizes = tuple(max(axis) + 1 for axis in zip(*found, strict=True)) if len(ranks) == 1 else ()
        if len(ranks) > 1 or int(np.prod(sizes, dtype=object)) != len(found) or len(set(found)) != len(found):
            raise RecordingError(
                "columns of a channel", where=f"{where}:1", got=f"{name!r} with {len(found)} columns",
                allowed="each index once, from 0, none left out, the same unit",
            )  # fmt: skip
    if len({name for name, _ in groups}) != len(groups):
        raise RecordingError("one name with two units", where=f"{where}:1", got=", ".join(name for name, _ in groups))
    return groups


def _even_rate(times: np.ndarray) -> float | None:
    """Return the rate [Hz] that gives these times to the last bit, or None."""
    if len(times) < 2 or times[-1] <= times[0]:
        return None
    estimate = (len(times) - 1) / (times[-1] - times[0])
    for rate in (float(round(estimate)), float(f"{estimate:.12g}"), float(estimate)):
        if rate > 0 and np.isfinite(rate) and np.array_equal(times[0] + np.arange(len(times)) / rate, times):
            return rate
    return None
