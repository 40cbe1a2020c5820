"""Markers written as CSV; `write_c3d` and `write_trc` have files of their own."""

import csv
import io

from motiform.measure.changes import check_markers, marker_names
from motiform.measure.detect import length_unit
from motiform.measure.trc import refuse_existing
from motiform.record.files import as_path, disk, write_file
from motiform.record.recording import Recording, _Path

__all__ = ["write_markers_csv"]


def write_markers_csv(rec: Recording, path: _Path, *, units: str = "m", overwrite: bool = False) -> None:
    """Write the markers as a CSV table: ``time [s],LASI.x [m],LASI.y [m],…``; occluded ones are left blank.

    In metres reading it gives the same bits.
    """
    factor = length_unit(units, "write_markers_csv")
    points = check_markers(rec)
    flat = (points if factor == 1.0 else points / factor).reshape(len(points), -1)
    place = as_path(path)
    refuse_existing(place, overwrite)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time [s]", *(f"{name}.{axis} [{units}]" for name in marker_names(rec) for axis in "xyz")])
    for t, row in zip(rec.time("markers").tolist(), flat.tolist(), strict=True):
        writer.writerow([repr(t), *("" if x != x else repr(x) for x in row)])
    with disk(place):
        write_file(place, out.getvalue().encode())
