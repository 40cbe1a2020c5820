"""Orientations of inertial sensors as OpenSim's OpenSense tables have them: STO with quaternions."""

from contextlib import suppress
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.poses.format import PoseFormat, RawPoses
from motiform.measure.text import read_text
from motiform.spatial import rotation_from_quaternion

__all__ = ["OPENSENSE", "read_opensense"]

_UNIT = 0.1  # by which the length of a quaternion may differ from 1: those of sensors are rounded to a few digits


def _is_opensense(path: Path, head: bytes) -> bool:
    before, found, _ = head.partition(b"endheader")
    return bool(found) and b"datatype=quaternion" in before.lower().replace(b" ", b"")


def read_opensense(path: Path) -> RawPoses:
    """Read the orientations of sensors: columns of w,x,y,z; the world has z up, as Xsens and APDM have it."""
    where = str(path)
    lines = read_text(path).split("\n")
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), len(lines))
    rows = [(k, line) for k, line in enumerate(lines[end + 1 :], start=end + 2) if line.strip()]
    if len(rows) < 2:
        raise InputError("the table has no sample", where=where)
    names = rows[0][1].split()
    if names[0].lower() != "time" or len(names) < 2 or len(set(names)) < len(names):
        allowed = "time, and a column for each sensor by different names"
        raise InputError("the columns must be those of sensors", where=f"{where}:{rows[0][0]}", got=rows[0][1][:60],
                         allowed=allowed)  # fmt: skip
    table = np.array([_row(line, len(names) - 1, f"{where}:{number}") for number, line in rows[1:]])
    times, q = table[:, 0], table[:, 1:].reshape(len(table), -1, 4)
    if not (np.diff(times) > 0).all():
        raise InputError("times must increase", where=where)
    size = np.linalg.norm(q, axis=-1)
    lost = ~(np.abs(size - 1.0) < _UNIT)  # a sensor that was lost has zeros or nan
    notes = [f"{int(lost.sum())} orientations that are no unit quaternions are left out"] if lost.any() else []
    R = rotation_from_quaternion(
        np.where(lost[..., None], (1.0, 0.0, 0.0, 0.0), q / np.where(lost, 1.0, size)[..., None])
    )
    return RawPoses(names[1:], np.where(lost[..., None, None], np.nan, R), times, up="z", sensors=True, notes=notes)


def _row(line: str, sensors: int, where: str) -> list[float]:
    """Return the time and four numbers for each sensor."""
    cells = line.split()
    found: list[float] = []
    with suppress(ValueError):
        found = [float(cells[0]), *(float(part) for cell in cells[1:] for part in cell.split(","))]
    if len(found) != 1 + 4 * sensors:
        allowed = f"a time and {sensors} quaternions w,x,y,z"
        raise InputError("a line must have a quaternion for each sensor", where=where, got=line[:60], allowed=allowed)
    return found


OPENSENSE = PoseFormat(
    name="opensense",
    title="STO of OpenSense",
    endings=(".sto",),
    about="orientations of inertial sensors (`DataType=Quaternion`, w,x,y,z), named after segments (`pelvis_imu`, "
    "`femur_r_imu`, …), z up; OpenSim's tools write it from files of Xsens and APDM",
    recognises=_is_opensense,
    read=read_opensense,
)
