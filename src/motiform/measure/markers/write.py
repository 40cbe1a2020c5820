"""Markers written in any of the formats of the register."""

from motiform.measure.markers.register import writing_format
from motiform.record.files import AnyPath, as_path
from motiform.record.recording import Recording

__all__ = ["write_markers"]


def write_markers(
    rec: Recording, path: AnyPath, *, units: str | None = None, format: str | None = None, overwrite: bool = False
) -> None:
    """Write the markers of a recording in the format of the file's ending, or in ``format``.

    ``units`` is the unit of length in the file; None takes the format's usual one.
    """
    write = writing_format(as_path(path), format).write
    assert write is not None
    if units is None:
        write(rec, path, overwrite=overwrite)
    else:
        write(rec, path, units=units, overwrite=overwrite)
