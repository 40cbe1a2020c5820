"""STO and MOT files of OpenSim that hold markers: columns name_tx, name_ty, name_tz, in metres, y up."""

from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.markers.format import MarkerFormat, ReadOptions
from motiform.measure.raw import Raw, even_times, forget_occluded
from motiform.measure.sto import read_sto_table

__all__ = ["STO", "read_marker_sto"]

_AXES = ("_tx", "_ty", "_tz")


def _is_marker_sto(head: bytes) -> bool:
    """Return whether the columns after the header are those of markers and of nothing else."""
    _, found, below = head.partition(b"endheader")
    row, _, rows = below.lstrip().partition(b"\n")
    columns = row.decode("latin-1").split()[1:]
    whole = columns if rows else columns[: (len(columns) - 1) // 3 * 3]  # the head may end within a name
    return bool(found) and _marker_names(whole) is not None


def _marker_names(columns: list[str]) -> list[str] | None:
    """Return the names of the markers that columns come in threes of, or None."""
    names = [column.removesuffix("_tx") for column in columns[::3]]
    return names if names and columns == [name + axis for name in names for axis in _AXES] else None


def read_marker_sto(path: Path, options: ReadOptions) -> Raw:
    """Read the markers of an STO or MOT file."""
    _, columns, table = read_sto_table(path)
    names = _marker_names(columns[1:])
    if names is None:
        raise InputError(
            "the file does not hold markers alone", where=str(path), got=", ".join(columns[1:4]),
            allowed="columns name_tx, name_ty, name_tz of each marker", remedy="Other tables are read by read_sto.",
        )  # fmt: skip
    raw = Raw("sto", forget_occluded(table[:, 1:].reshape(len(table), -1, 3)), names, units="m", up="y")
    even = even_times(table[:, 0], None)
    if even is None:
        raw.times = np.ascontiguousarray(table[:, 0])
    else:
        raw.rate, raw.start = even
    return raw


STO = MarkerFormat(
    name="sto",
    title="STO, MOT",
    endings=(".sto", ".mot"),
    about="OpenSim's tables where all columns are `LASI_tx`, `LASI_ty`, `LASI_tz`, in metres, y up",
    recognises=_is_marker_sto,
    read=read_marker_sto,
    ending_suffices=False,  # most of these files hold coordinates or forces
)
