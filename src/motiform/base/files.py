"""Files that are given to be read, and whether those of earlier work are still as they were written."""

import errno
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

__all__ = ["are_as_written", "file_sum", "folder_sums", "plain_file"]


def plain_file(path: Path) -> Path:
    """Return the path of what can be read to its end: a pipe would wait for a writer, a device may never end."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a folder is told as such when it is opened
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a plain file")
    return path


def file_sum(path: Path) -> str:
    """Return the checksum of a file."""
    with open(plain_file(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_sums(folder: Path, *names: str) -> dict[str, str]:
    """Return the checksums of files in a folder, by their paths in it: of all, or of named files and folders."""
    places = [folder / name for name in names] or [folder]
    files = sorted(file for place in places for file in (place, *place.rglob("*")) if file.is_file())
    return {path.relative_to(folder).as_posix(): file_sum(path) for path in files}


def are_as_written(folder: Path, sums: Mapping[str, str]) -> bool:
    """Tell whether files of a folder are there, with the checksums that they were written with."""
    try:
        return all(file_sum(folder / name) == written for name, written in sums.items())
    except OSError:
        return False
