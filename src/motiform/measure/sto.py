"""MOT and STO files, OpenSim's tables over time."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.measure.raw import even_times
from motiform.measure.text import cells_of, read_table, read_text
from motiform.record.channel import Channel
from motiform.record.files import AnyPath, as_path, disk, new_file, write_file
from motiform.record.recording import Recording, chosen_channels

__all__ = ["read_sto", "write_sto"]

_STRAIGHT = re.compile(r".*(_t[xyz]|_p[xyz]\d*|_v[xyz]\d*|force.*|torque.*|moment.*|_activation)", re.IGNORECASE)
_AXES = "xyz"


@reads_file("a storage file of OpenSim")
def read_sto(path: AnyPath, *, rotations: Iterable[str] | None = None) -> Recording:
    """Read a MOT or STO file: a channel for each column, over its column of time [s].

    Where its header says inDegrees=yes, columns that turn become radians: those named by ``rotations``, or all but
    translations (…_tx, …_ty, …_tz), forces, torques and points (…_px). The file itself does not tell them apart.
    """
    place = as_path(path)
    if not place.is_file():
        raise InputError("no such file", where=str(place), allowed="a MOT or STO file")
    header, names, table = read_sto_table(place)
    degrees = header.get("indegrees", "no").lower() in ("yes", "true", "1")
    return _columns(table, names, degrees, rotations, place)


def read_sto_table(path: Path) -> tuple[dict[str, str], list[str], np.ndarray]:
    """Return a file's header by its keys in lower case, the names of its columns, time first, and its numbers."""
    where, text = str(path), read_text(path)
    lines = text.split("\n", 200)
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None or end + 1 >= len(lines):
        raise InputError(
            "a MOT or STO file must have a header", where=where, allowed="a header that ends with 'endheader'"
        )
    header = {key.strip().lower(): value.strip() for key, _, value in (line.partition("=") for line in lines[:end])}
    row = next((k for k in range(end + 1, len(lines)) if lines[k].strip()), end + 1)
    mark = "\t" if "\t" in lines[row] else "," if "," in lines[row] else r"\s+"
    names = [cell for cell in cells_of(lines[row], mark) if cell]
    if not names or names[0].lower() != "time" or len(names) < 2:
        raise InputError("the first column is not the time", where=f"{where}:{row + 1}", got=", ".join(names[:3]))
    if len(set(names)) != len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError("columns of a table must have different names", where=f"{where}:{row + 1}", got=double)
    table = read_table(text, row + 1, len(names), mark, where)
    times = table[:, 0]
    if not np.isfinite(times).all() or (np.diff(times) < 0).any():
        raise InputError("a time is missing or decreases", where=where)
    return header, names, table


def _columns(
    table: np.ndarray, names: list[str], degrees: bool, rotations: Iterable[str] | None, path: Path
) -> Recording:
    times = table[:, 0]
    even = even_times(times, None) if len(times) > 1 else None
    turning = set(_turning(names[1:], rotations)) if degrees else set()
    when: dict[str, Any] = {"rate": even[0], "start": even[1]} if even else {}
    data = {}
    for k, name in enumerate(names[1:], start=1):
        values = np.deg2rad(table[:, k]) if name in turning else table[:, k]
        data[name] = (Channel(name, unit="rad" if name in turning else "", **when), values)
    manifest = {"source": path.name, "format": "sto", "in_degrees": degrees}
    return Recording.from_arrays(data, times=None if even else times, manifest=manifest)


def _turning(names: list[str], rotations: Iterable[str] | None) -> list[str]:
    if rotations is None:
        return [name for name in names if not _STRAIGHT.fullmatch(name)]
    angles = list(rotations)
    unknown = [name for name in angles if name not in names]
    if unknown:
        raise InputError("no such column", got=", ".join(unknown), allowed=", ".join(names[:40]))
    return angles


def write_sto(
    rec: Recording,
    path: AnyPath,
    *,
    names: Iterable[str] | None = None,
    degrees: bool = False,
    rotations: Iterable[str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write channels that share their times as a MOT or STO file, a column for each number.

    Columns take the labels of the manifest (the names of coordinates for ``q``), or the channel's name with _x, _y, _z
    or a number. With ``degrees=True`` columns that turn are written in degrees: those named by ``rotations``, or
    numbers in rad and, of channels without a unit, all but translations, forces and points.
    """
    channels = chosen_channels(rec, names)
    if not channels:
        raise InputError("a table needs a channel", where=rec._where)
    times = rec.time(channels[0].name)
    heads: list[str] = []
    columns: list[np.ndarray] = []
    turns: list[bool] = []
    angles = None if rotations is None else list(rotations)
    for channel in channels:
        if not np.array_equal(rec.time(channel.name), times):
            raise InputError("channels of a table must share their times", where=rec._where, got=channel.name)
        fresh = _heads(rec, channel)
        heads += fresh
        columns += list(rec[channel.name].reshape(len(times), -1).T)
        turns += [head in angles for head in fresh] if angles is not None else _turned(channel, fresh)
    if len(set(heads)) != len(heads):
        raise InputError(
            "columns of a table must have different names",
            where=rec._where,
            got=next(h for h in heads if heads.count(h) > 1),
        )
    table = np.column_stack([np.rad2deg(c) if degrees and t else c for c, t in zip(columns, turns, strict=True)])
    place = new_file(path, overwrite)
    lines = [place.stem, "version=1", f"nRows={len(times)}", f"nColumns={len(heads) + 1}",
             f"inDegrees={'yes' if degrees else 'no'}", "endheader", "\t".join(["time", *heads])]  # fmt: skip
    for t, row in zip(times.tolist(), table.tolist(), strict=True):
        lines.append("\t".join(map(repr, [t, *row])))
    with disk(place):
        write_file(place, ("\n".join(lines) + "\n").encode())


def _turned(channel: Channel, heads: list[str]) -> list[bool]:
    """Tell which columns of a channel are angles: by the units of its numbers, else by their names."""
    if channel.units:
        return [unit == "rad" for unit in channel.units * (len(heads) // len(channel.units))]
    return [channel.unit in ("rad", "") and not _STRAIGHT.fullmatch(head) for head in heads]


def _heads(rec: Recording, channel: Channel) -> list[str]:
    if not channel.shape:
        return [channel.name]
    labels = rec.manifest.get("labels", {})
    per_axis = []
    for k, (dim, size) in enumerate(zip(channel.dims, channel.shape, strict=True)):
        known = [str(label) for label in labels.get(dim, ())]
        plain = list(_AXES) if size == 3 and dim == "axis" else [str(n + 1) for n in range(size)]
        own = len(known) == size and dim != "axis"
        per_axis.append(known if own else [f"{channel.name}_{p}" if k == 0 else p for p in plain])
    heads = per_axis[0]
    for more in per_axis[1:]:
        heads = [f"{head}_{part}" for head in heads for part in more]
    return [re.sub(r"\s", "_", head) for head in heads]
