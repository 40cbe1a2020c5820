"""Replacement of an old folder by a finished one, such that a recording of that name exists at any instant."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from motiform.base.errors import RecordingError
from motiform.base.locks import unlock
from motiform.record.files import PARTIAL, lock_folder, remove_folder, sync_folder
from motiform.record.layout import COMMIT, HEADER

__all__ = ["OLD", "is_recording", "others_files", "put_in_place", "remove_stale", "restore"]

OLD = ".old"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def is_recording(folder: Path) -> bool:
    """Return whether a folder has the files of a recording."""
    return folder.is_dir() and (folder / COMMIT).is_file() and (folder / HEADER).is_file()


def put_in_place(aside: Path, folder: Path) -> None:
    """Give a finished folder its name; a recording of that name goes."""
    if not is_recording(folder):
        os.rename(aside, folder)
        sync_folder(folder.absolute().parent)
        return
    old = aside.with_suffix(OLD)
    lock = lock_folder(folder)  # the lock moves with the folder: no other process moves or removes it meanwhile
    try:
        if _exchange(aside, folder):
            old = aside
        else:
            _rename_both(aside, folder, old)
        sync_folder(folder.absolute().parent)
        remove_folder(old)
    finally:
        unlock(lock)


_OWN = re.compile(r"(zarr\.json|commit\.json|events\.jsonl|checkpoint-\d+\.npz|c(\.\d+)*)(\.partial)?")
_DROPPED = (".DS_Store", "Thumbs.db", "desktop.ini")  # by systems, in every folder that they show


def others_files(folder: Path) -> list[str]:
    """Return the files in the folder of a recording that are not of it, by their paths in it."""
    files = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    others = (path for path in files if not _OWN.fullmatch(path.name) and path.name not in _DROPPED)
    return sorted(path.relative_to(folder).as_posix() for path in others)


def restore(folder: Path) -> None:
    """Put back the recording that a process killed between two renames left under another name."""
    if os.path.lexists(folder):
        return
    with suppress(OSError):
        found = [entry for entry in _beside(folder, OLD) if is_recording(entry)]
        for entry in sorted(found, key=lambda entry: entry.stat().st_mtime_ns, reverse=True):
            try:
                lock = lock_folder(entry)
            except RecordingError:
                return  # it is being replaced now
            try:
                if not os.path.lexists(folder):
                    os.rename(entry, folder)
                    sync_folder(folder.absolute().parent)
                return
            finally:
                unlock(lock)


def remove_stale(folder: Path) -> bool:
    """Remove what processes that were killed while they built a recording of this name left.

    Return whether one is being built now.
    """
    busy = False
    for entry in [*_beside(folder, PARTIAL), *_beside(folder, OLD)]:
        try:
            lock = lock_folder(entry)
        except RecordingError:
            busy = True  # it is being built or replaced now
            continue
        # Without claims a folder that is being built cannot be told; an old one is not needed once the name is there.
        if is_recording(folder) if entry.name.endswith(OLD) else lock is not None:
            remove_folder(entry)
        unlock(lock)
    return busy


def _beside(folder: Path, ending: str) -> Iterator[Path]:
    place = folder.absolute()
    pattern = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{8}}{re.escape(ending)}")
    if place.parent.is_dir():
        yield from [e for e in place.parent.iterdir() if pattern.fullmatch(e.name) and e.is_dir()]


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step; return whether the system could."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        call = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return bool(call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)


def _rename_both(aside: Path, folder: Path, old: Path) -> None:
    os.rename(folder, old)
    try:
        os.rename(aside, folder)
    except OSError:
        os.rename(old, folder)
        raise
