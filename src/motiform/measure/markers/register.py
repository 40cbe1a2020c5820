"""The register of marker formats: a new one is a file beside this one and a line here."""

from collections.abc import Iterable
from pathlib import Path

from motiform.base.errors import InputError, closest
from motiform.base.files import plain_file
from motiform.measure.markers.c3d import C3D
from motiform.measure.markers.format import MarkerFormat
from motiform.measure.markers.openpose import OPENPOSE
from motiform.measure.markers.sto import STO
from motiform.measure.markers.table import TABLE
from motiform.measure.markers.trc import TRC

__all__ = ["FORMATS", "find_format", "format_titles", "is_marker_file", "marker_endings", "writing_format"]

FORMATS: dict[str, MarkerFormat] = {
    form.name: form
    for form in (
        C3D,
        TRC,
        STO,
        OPENPOSE,
        TABLE,  # the last, because it takes any text
    )
}
"""Formats by name, in the order in which they look at a file."""
_HEAD = 4096  # [byte] of a file that formats look at


def format_titles() -> str:
    """Return the titles of the formats that are read, as a list in words."""
    return ", ".join(form.title for form in FORMATS.values())


def marker_endings(*, written: bool = False) -> tuple[str, ...]:
    """Return the endings of the formats that are read, or of those that are written."""
    return tuple(end for form in FORMATS.values() if form.write or not written for end in form.endings)


def find_format(path: Path, name: str | None = None) -> MarkerFormat:
    """Return the format of a file: the given one, or by content, or by extension, otherwise a text table."""
    if name is not None:
        return _named(name)
    head = _head(path)
    if not head:
        raise InputError("the file is empty", where=str(path), allowed=f"markers as {format_titles()}")
    *own, table = FORMATS.values()
    by_content = [form for form in own if form.recognises(head)]
    by_ending = [form for form in own if path.suffix.lower() in form.endings]
    found = [*by_content, *by_ending, *([table] if table.recognises(head) else [])]
    if not found:
        raise InputError("the file must be of markers", where=str(path), allowed=format_titles())
    return found[0]


def is_marker_file(path: Path) -> bool:
    """Return whether a file of a folder is taken for markers: by its ending, and its content where that is needed.

    A file that cannot be read is taken for one: reading it states why.
    """
    forms = [form for form in FORMATS.values() if path.suffix.lower() in form.endings]
    try:
        return path.is_file() and any(form.ending_suffices or form.recognises(_head(path)) for form in forms)
    except InputError:
        return True


def writing_format(path: Path, name: str | None = None) -> MarkerFormat:
    """Return the format of a file to be written: the given one, or by extension."""
    known = [form for form in FORMATS.values() if form.write]
    if name is not None:
        return _named(name, known)
    for form in known:
        if path.suffix.lower() in form.endings:
            return form
    allowed = "endings " + ", ".join(marker_endings(written=True))
    raise InputError("markers are not written with this ending", where=str(path), got=path.suffix, allowed=allowed)


def _named(name: str, known: Iterable[MarkerFormat] | None = None) -> MarkerFormat:
    names = [form.name for form in (FORMATS.values() if known is None else known)]
    if name not in names:
        remedy = closest(name, names) if isinstance(name, str) else None
        raise InputError("`format` must be that of a marker file", got=name, allowed=", ".join(names), remedy=remedy)
    return FORMATS[name]


def _head(path: Path) -> bytes:
    try:
        with open(plain_file(path), "rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise InputError("cannot be read", where=str(path), got=error.strerror or str(error)) from error
