"""TRC files, the tab-separated markers of Motion Analysis and OpenSim."""

from codecs import BOM_UTF8
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import check_markers, marker_names
from motiform.measure.detect import length_unit
from motiform.measure.markers.format import MarkerFormat, ReadOptions
from motiform.measure.raw import Raw, even_times, forget_occluded
from motiform.measure.text import cells_of, read_table, read_text, separator
from motiform.record.files import AnyPath, disk, new_file, write_file
from motiform.record.recording import Recording

__all__ = ["TRC", "read_trc", "write_trc"]


def _is_trc(head: bytes) -> bool:
    """Return whether a file's first lines are those of a TRC file."""
    return head.removeprefix(BOM_UTF8).lstrip().startswith(b"PathFileType")


def read_trc(path: Path, options: ReadOptions) -> Raw:
    """Read a TRC file in its own units and axes."""
    where, text = str(path), read_text(path)
    lines = text.split("\n", 12)[:12]
    top = next((k for k, line in enumerate(lines) if line.lstrip().startswith("PathFileType")), None)
    row = next((k for k, line in enumerate(lines) if line.lstrip().lower().startswith("frame#")), None)
    if top is None or row is None or row < top + 3:
        raise InputError(
            "the header of a TRC file must be whole", where=where, allowed="lines 'PathFileType' and 'Frame#'"
        )
    mark = separator(lines[row])
    header = _header_fields(cells_of(lines[top + 1], mark), cells_of(lines[top + 2], mark))
    names = [cell for cell in cells_of(lines[row], mark)[1:] if cell]
    names = names[1:] if names and names[0].lower().startswith("time") else names
    notes = _count_notes(header, names)
    if not names:
        raise InputError("the TRC file has no marker", where=f"{where}:{row + 1}")
    table = _numbers(text, row, 2 + 3 * len(names), mark, where, notes)
    times = _times(table, header, notes, where)
    count = _positive(header.get("NumFrames"))
    if count and int(count) != len(table):
        notes.append(f"the header states {int(count)} samples, the file holds {len(table)}")
    points = forget_occluded(table[:, 2:].reshape(len(table), len(names), 3))
    raw = Raw("trc", points, names, units=header.get("Units") or None, notes=notes)
    rate = _positive(header.get("DataRate"))
    even = even_times(times, rate)
    if even is None:
        raw.times = times
    else:
        raw.rate, raw.start = even
        if rate and abs(raw.rate - rate) > 1e-6 * rate:
            notes.append(f"the header states {rate:g} Hz, the times {raw.rate:g} Hz, which is taken")
    raw.first_frame = int(table[0, 0]) if np.isfinite(table[0, 0]) else None
    return raw


def _header_fields(keys: list[str], values: list[str]) -> dict[str, str]:
    """Return the header's values by name; tabs may be doubled where each name has its value."""
    full = [cell for cell in keys if cell], [cell for cell in values if cell]
    return dict(zip(*full, strict=True) if len(full[0]) == len(full[1]) else zip(keys, values, strict=False))


def _numbers(text: str, row: int, columns: int, mark: str, where: str, notes: list[str]) -> np.ndarray:
    """Return the rows of numbers after the row of names and, where there is one, that of X1, Y1, Z1.

    Motion Analysis' programs write points without a name after those that have one: they are left out with a note.
    """
    below = text.split("\n", row + 2)
    axes = [cell for cell in cells_of(below[row + 1], mark) if cell] if len(below) > row + 1 else []
    first = row + 2 if axes and axes[0][:1].upper() == "X" else row + 1
    if first >= text.count("\n") + 1 or not "".join(text.split("\n", first)[first:]).strip():
        raise InputError("the TRC file has no sample", where=where)
    beyond: list[int] = []
    table = read_table(text, first, columns, mark, where, beyond=beyond)
    if beyond:
        notes.append(f"up to {max(beyond)} points without a name in {len(beyond)} samples are left out")
    return table


def _times(table: np.ndarray, header: dict[str, str], notes: list[str], where: str) -> np.ndarray:
    times = table[:, 1]
    wrong = ~np.isfinite(times)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError("a time is missing", where=where, got=f"sample {k + 1}", allowed="a finite time [s]")
    back = np.flatnonzero(np.diff(times) <= 0)
    if len(back):
        got = f"sample {back[0] + 2} at {times[back[0] + 1]:g} s after {times[back[0]]:g} s"
        raise InputError("times do not increase", where=where, got=got)
    return times


def _count_notes(header: dict[str, str], names: list[str]) -> list[str]:
    count = _positive(header.get("NumMarkers"))
    if count and int(count) != len(names):
        return [f"the header states {int(count)} markers, it names {len(names)}"]
    return []


def _positive(text: str | None) -> float | None:
    try:
        number = float((text or "").replace(",", "."))
    except ValueError:
        return None
    return number if np.isfinite(number) and number > 0 else None


def write_trc(rec: Recording, path: AnyPath, *, units: str = "mm", digits: int = 6, overwrite: bool = False) -> None:
    """Write the markers as a TRC file; occluded ones are left blank.

    ``digits`` after the point, of the unit ("mm" or "m"): the default keeps nanometres. Markers keep the recording's
    axes; OpenSim expects y up (`turn`).
    """
    points = check_markers(rec) / length_unit(units, "write_trc")
    times, names = rec.time("markers"), marker_names(rec)
    rate = rec.channel("markers").rate or ((len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 1.0)
    first = int(rec.manifest.get("first_frame") or 1)
    place = new_file(path, overwrite)
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{place.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate:.12g}\t{rate:.12g}\t{len(points)}\t{len(names)}\t{units}\t{rate:.12g}\t{first}\t{len(points)}",
        "Frame#\tTime\t" + "".join(f"{name.replace(chr(9), ' ')}\t\t\t" for name in names).rstrip("\t"),
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, len(names) + 1)),
        "",
    ]
    shape = f"%.{digits}f"
    flat = points.reshape(len(points), -1)
    for k, (t, row) in enumerate(zip(times.tolist(), flat.tolist(), strict=True)):
        cells = "\t".join("" if x != x else shape % x for x in row)
        lines.append(f"{first + k}\t{t!r}\t{cells}")
    with disk(place):
        write_file(place, ("\n".join(lines) + "\n").encode())


TRC = MarkerFormat(
    name="trc",
    title="TRC",
    endings=(".trc",),
    about="also with padded headers, names two or three cells apart, trailing tabs, any line end, rows that end early",
    recognises=_is_trc,
    read=read_trc,
    write=write_trc,
)
