"""Atomic file writes: temporary file, sync, rename; and errors of a failing disk."""

import errno
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from motiform.base.errors import RecordingError, RunError
from motiform.base.locks import lock
from motiform.base.machine import check_memory

__all__ = [
    "PARTIAL", "REFUSED", "AnyPath", "as_path", "disk", "inside", "lock_folder", "make_folder", "new_file",
    "read_inside", "remove_folder", "sync_folder", "write_file",
]  # fmt: skip

AnyPath = str | os.PathLike[str]
"""What a caller names a file or folder by."""

PARTIAL = ".partial"

_FULL = (errno.ENOSPC, errno.EDQUOT)
_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_GONE = (errno.ENOENT, errno.ENOTDIR)
REFUSED = (*_READ_ONLY, *_GONE)  # of places where nothing can be written, whatever it is
_SAFE = "what was committed before is safe"


def as_path(path: Any) -> Path:
    """Return the argument as a path, or raise an error."""
    try:
        place = Path(path)
        if b"\0" in os.fsencode(place):
            raise TypeError
    except (TypeError, UnicodeEncodeError):
        raise RecordingError("the path must be text or a Path", got=repr(path)[:80], allowed="text or a Path") from None
    return place


_NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0)
_AS_IT_IS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | _NOT_FOLLOWED | getattr(os, "O_NONBLOCK", 0)


def read_inside(
    folder: Path, name: str, most: float | None = None, *, upto: int | None = None, crc32: int | None = None
) -> bytes:
    """Return the content of a plain file inside a folder, or its bytes `upto` so many; OSError where there is none.

    A recording comes from anyone: links, pipes and devices in it, and files above `most` bytes, are refused unread, and
    those with another checksum before they are held in memory (ValueError).
    """
    place, handle = inside(folder, name), None
    try:
        handle = os.open(place, _AS_IT_IS)
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise _not_plain(place)
        if most is not None and found.st_size > most:
            raise RecordingError("the file is larger than it may be", where=str(place), got=f"{found.st_size} bytes",
                                 allowed=f"up to {most:.0f} bytes")  # fmt: skip
        size = found.st_size if upto is None else min(upto, found.st_size)
        check_memory(
            size, "a file that is read whole", where=str(place), got=f"{size} bytes", error=RecordingError,
            remedy="Read it on a larger machine, or take it from a backup if it should be small.",
        )  # fmt: skip
        with open(handle, "rb", closefd=False) as file:
            if crc32 is not None:
                found_crc32 = 0
                for first in range(0, size, 2**20):
                    found_crc32 = zlib.crc32(file.read(min(2**20, size - first)), found_crc32)
                if found_crc32 != crc32:
                    raise ValueError("its checksum is wrong")
                file.seek(0)
            return file.read(size)
    finally:
        if handle is not None:
            os.close(handle)


def inside(folder: Path, name: str) -> Path:
    """Return the path of a file or folder inside another one; refuse a way there through links, and its being none."""
    place = folder
    for part in Path(name).parts:
        place = place / part
        mode = os.lstat(place).st_mode
        if part == ".." or not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            raise _not_plain(place)
    return place


def _not_plain(place: Path) -> RecordingError:
    remedy = "Recordings hold no links: copy what it points to into the recording, if you trust it."
    return RecordingError("a recording must hold plain files and folders alone", where=str(place), remedy=remedy)


def new_file(path: Any, overwrite: bool) -> Path:
    """Return the path of a file to be written; refuse one that exists unless it may be replaced."""
    place = as_path(path)
    with disk(place):
        exists = place.exists()
    if exists and not overwrite:
        remedy = "Choose another name, or say overwrite (overwrite=True, --overwrite)."
        raise RecordingError("the file exists already", where=str(place), remedy=remedy)
    return place


@contextmanager
def disk(path: object) -> Iterator[None]:
    """Convert errors of the operating system while writing into errors with a remedy."""
    try:
        yield
    except OSError as error:
        where, got = str(path), error.strerror or str(error)
        if error.errno in _FULL:
            remedy = f"Free some space and resume; {_SAFE}."
            raise RunError("the disk is full", where=where, got=got, remedy=remedy) from error
        if error.errno == errno.EFBIG:
            remedy = f"Raise the limit on the size of files (ulimit -f) and resume; {_SAFE}."
            raise RunError("a file would be larger than allowed", where=where, got=got, remedy=remedy) from error
        if error.errno in _READ_ONLY:
            remedy = "Choose a folder that you may write to, or change its permissions."
            raise RecordingError("cannot be written", where=where, got=got, remedy=remedy) from error
        if error.errno in _GONE:
            raise RecordingError("the folder is not there, or is a file", where=where, got=got) from error
        raise RunError("writing failed", where=where, got=got, remedy=f"Look after the disk; {_SAFE}.") from error


def make_folder(path: Path) -> Path:
    """Make a folder for results where it is not there; tell before the work why it cannot be written to."""
    if os.path.lexists(path) and not path.is_dir():
        raise RecordingError("the output must be a folder", where=str(path), remedy="Give another name.")
    with disk(path):
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    return path


def write_file(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file so that at any time either the old or the new content is there, whole, also after a power cut.

    ``data`` may come in parts, which are written as they come. The folder's own entry is made lasting by `sync_folder`.
    """
    aside = path.with_name(path.name + PARTIAL)
    try:
        with suppress(FileNotFoundError):
            os.unlink(aside)  # left by a process that was killed, or a link to elsewhere
        with open(aside, "xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise


def sync_folder(folder: Path) -> None:
    """Make the names in a folder lasting."""
    if os.name == "nt":
        return  # folders cannot be opened there
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock_folder(folder: Path) -> int | None:
    """Lock a folder for writing and return the handle for `unlock`; refuse one that another process is writing."""
    try:
        return lock(folder, wait=False)
    except BlockingIOError:
        raise RecordingError(
            "another process is writing it", where=str(folder), remedy="Wait until it ends, or write elsewhere."
        ) from None


def remove_folder(folder: Path) -> None:
    """Remove a folder of our own making; what cannot be removed stays."""
    shutil.rmtree(folder, ignore_errors=True)
