"""Orientations of Xsens' MTw sensors as MT Manager exports them: one text file for each sensor of a recording."""

import re
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import named_file
from motiform.measure.names import read_pairs
from motiform.measure.poses.format import PoseFormat, RawPoses
from motiform.measure.text import cells_of, read_table, read_text, separator
from motiform.spatial import rotation_from_quaternion

__all__ = ["XSENS", "files_of_recording", "read_xsens"]

_FILE = re.compile(r"(?P<trial>.+)_(?P<sensor>[0-9A-Fa-f]{6,})\.txt", re.IGNORECASE)
_RATE = re.compile(r"(?:Update|Output|Sample) Rate:\s*([0-9.]+)", re.IGNORECASE)
_MAPPED = re.compile(r'<ExperimentalSensor\s+name="([^"]+)"\s*>.*?<name_in_model>\s*([^<\s]+)', re.DOTALL)
_TABLE = "sensors.csv"
_COUNTER = 2**16  # after which the counter of packets begins again
_LONGEST = 10**7  # samples of one recording


def _is_xsens(path: Path, head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf").startswith(b"//") and b"PacketCounter" in path.read_bytes()[:16384]


def read_xsens(path: Path) -> RawPoses:
    """Read all sensors of the recording of which the file is one; packets that were lost are not measured."""
    match = _FILE.fullmatch(path.name)
    if match is None:
        raise InputError("a file of MTw must be named after its recording and sensor", where=str(path),
                         allowed="such as MT_012005D6_009-001_00B42279.txt")  # fmt: skip
    segments = _segments_of_sensors(path.parent)
    files = _sensors_of(path, match["trial"])
    chosen = {segments[sensor]: file for sensor, file in files.items() if sensor in segments}
    if not chosen:
        raise InputError("sensors must be named after segments", where=str(path.parent), got=", ".join(files),
                         allowed=", ".join(segments))  # fmt: skip
    notes = [f"sensors of no segment are left out: {', '.join(s for s in files if s not in segments)}"]
    tables = {name: _table(file) for name, file in chosen.items()}
    rates = {rate for _, _, rate in tables.values()}
    if len(rates) > 1:
        raise InputError("all sensors must have one rate", where=str(path.parent), got=f"{sorted(rates)} Hz")
    first = max(int(packets[0]) for packets, _, _ in tables.values())
    last = min(int(packets[-1]) for packets, _, _ in tables.values())
    if not 0 <= last - first < _LONGEST:
        raise InputError("sensors must have measured at the same time", where=str(path.parent),
                         got=f"packets {first} to {last}")  # fmt: skip
    R = np.full((last - first + 1, len(tables), 3, 3), np.nan)
    for k, (packets, own, _) in enumerate(tables.values()):
        inside = (packets >= first) & (packets <= last)
        R[packets[inside] - first, k] = own[inside]
    rate = rates.pop()
    kept = [] if len(chosen) == len(files) else notes
    return RawPoses(list(tables), R, np.arange(len(R)) / rate, up="z", sensors=True, notes=kept)


def files_of_recording(path: Path) -> list[Path]:
    """Return the files that a recording is read from, where one of its sensors' is named: what results depend on."""
    match = _FILE.fullmatch(path.name)
    if match is None:
        return [path]
    table = _beside(_TABLE, path.parent)
    return [*_sensors_of(path, match["trial"]).values(), *([table] if table else _mappings(path.parent))]


def _beside(name: str, folder: Path) -> Path | None:
    """Return a file of the folder of a recording, None where there is none."""
    return named_file(name, folder, reader="a recording of sensors", where=str(folder))


def _mappings(folder: Path) -> list[Path]:
    found = [_beside(file.name, folder) for file in sorted(folder.glob("*.xml"))]
    return [file for file in found if file is not None and file.stat().st_size < 2**20]


def _sensors_of(path: Path, trial: str) -> dict[str, Path]:
    """Return {sensor: its file} of a recording."""
    found: dict[str, Path] = {}
    for name in sorted(file.name for file in path.parent.iterdir()):
        other = _FILE.fullmatch(name)
        file = _beside(name, path.parent) if other and other["trial"] == trial else None
        if other is not None and file is not None:
            found[other["sensor"].upper()] = file
    return found


def _segments_of_sensors(folder: Path) -> dict[str, str]:
    """Return {sensor: segment} by the table sensors.csv beside the files, or by the mapping of OpenSense there."""
    table = _beside(_TABLE, folder)
    if table is not None:
        pairs = read_pairs(table, ("sensor", "segment"))
        return {sensor.strip("_").upper(): segment for sensor, segment in pairs.items() if segment}
    for file in _mappings(folder):
        found = _MAPPED.findall(read_text(file))
        if found:
            return {sensor.strip("_").upper(): segment for sensor, segment in found}
    raise InputError(
        "sensors must be named after segments", where=str(folder), got="neither a table nor a mapping",
        allowed=f"{_TABLE} with the columns sensor and segment (00B42279,pelvis), or OpenSense's mapping (.xml)",
        remedy="Put one of them beside the files.",
    )  # fmt: skip


def _table(file: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the numbers of the packets, the orientations (packets, 3, 3) and the rate [Hz] of a sensor."""
    where, text = str(file), read_text(file)
    lines = text.split("\n")
    row = next((k for k, line in enumerate(lines) if line.startswith("PacketCounter")), None)
    stated = _RATE.search(text[: 2**14])
    if row is None or stated is None or not float(stated[1]) > 0:
        raise InputError("a file of MTw must state its rate and name its columns", where=where,
                         allowed="// Update Rate: 100.0Hz, and PacketCounter, …")  # fmt: skip
    mark = separator(lines[row])
    heads = cells_of(lines[row].strip(), mark)
    matrix = [f"Mat[{r}][{c}]" for r in (1, 2, 3) for c in (1, 2, 3)]
    quaternion = [f"Quat_q{k}" for k in range(4)]
    wanted = next((names for names in (matrix, quaternion) if set(names) <= set(heads)), None)
    if wanted is None:
        raise InputError("orientations must be exported", where=where, got=", ".join(heads)[:80],
                         allowed="matrices (Mat[1][1], …) or quaternions (Quat_q0, …)")  # fmt: skip
    table = read_table(text, row + 1, len(heads), mark, where)
    if not len(table) or not np.isfinite(table[:, 0]).all():
        raise InputError("every packet must have its number", where=where)
    numbers = table[:, [heads.index(name) for name in wanted]]
    packets = table[:, 0].astype(np.int64)
    packets = packets + _COUNTER * np.cumsum(np.diff(packets, prepend=packets[:1]) < 0)
    if wanted is matrix:
        R = numbers.reshape(-1, 3, 3)
        good = np.abs(R @ R.swapaxes(-1, -2) - np.eye(3)).max(axis=(-2, -1)) < 0.02
    else:
        size = np.linalg.norm(numbers, axis=-1)
        good = np.abs(size - 1.0) < 0.02
        unit = np.where(good[:, None], numbers, (1.0, 0.0, 0.0, 0.0)) / np.where(good, size, 1.0)[:, None]
        R = rotation_from_quaternion(unit)
    return packets, np.where(good[:, None, None], R, np.nan), float(stated[1])


XSENS = PoseFormat(
    name="xsens-mtw",
    title="TXT of Xsens MTw",
    endings=(),  # one of the files is named, and stands for all of its recording
    about="orientations of MT Manager (`MT_…_00B42279.txt`, matrices or quaternions) of all sensors of the recording "
    "that one file is of; `sensors.csv` (columns sensor, segment) or OpenSense's mapping (`.xml`) beside them names "
    "the segments",
    recognises=_is_xsens,
    read=read_xsens,
)
