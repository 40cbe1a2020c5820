"""Files that are given to be read, and whether those of earlier work are still as they were written."""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import ParamSpec, TypeVar

from motiform.base.errors import InputError, outside_data

__all__ = ["are_as_written", "file_sum", "folder_sums", "named_file", "plain_file", "reads_file"]

P = ParamSpec("P")
R = TypeVar("R")

_LARGEST = 4 << 30  # bytes of a file that another file names


def reads_file(what: str, error: type[InputError] = InputError) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator of functions whose first argument is the path of a file, which they read as `what`.

    A file comes from anyone: what its content makes Python or a library raise ends as an error that names the file and
    has the exception as its cause. Arguments that the function does not take stay Python's TypeError.
    """

    def decorate(read: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(read)

        @wraps(read)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = parameters.bind(*args, **kwargs)
            except TypeError as problem:
                raise TypeError(f"{read.__name__}() {problem}") from None
            path = str(next(iter(given.arguments.values())))
            with outside_data(path, f"the file cannot be read as {what}", error):
                return read(*args, **kwargs)

        return checked

    return decorate


def plain_file(path: Path) -> Path:
    """Return the path of what can be read to its end: a pipe would wait for a writer, a device may never end."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a folder is told as such when it is opened
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a plain file")
    return path


def named_file(
    name: str, folder: Path, *, reader: str, where: str, roots: Iterable[Path] = (), folders: bool = False,
    largest: int = _LARGEST, error: type[InputError] = InputError,
) -> Path | None:  # fmt: skip
    """Return the path of a file that another file names, None where there is none.

    It lies in `folder` or under `roots`, links followed; it is a plain file (or a folder, where `folders` are asked
    for) of at most `largest` bytes. What is elsewhere, or is a device or a pipe, is refused. Every reader of a format
    that refers to other files finds them by this function; `reader` says in errors who reads: "a scene", "a volume".
    """
    try:
        path = (folder / name).resolve()
        inside = any(path.is_relative_to(own.resolve()) for own in (folder, *roots))
        found = os.stat(path) if inside else None
    except (OSError, ValueError, RuntimeError):  # no such file, a name that none can have, links in a circle
        return None
    if found is None:
        allowed = f"files in {folder}"
        raise error(f"{reader} can read its own folder only", where=where, got=name[:200], allowed=allowed)
    if stat.S_ISDIR(found.st_mode):
        return path if folders else None
    if not stat.S_ISREG(found.st_mode):
        raise error(f"{reader} can name plain files only", where=where, got=name[:200], allowed="no pipe, no device")
    if found.st_size > largest:
        got, allowed = f"{found.st_size} bytes", f"up to {largest} bytes"
        raise error(
            f"{reader} must not name too large a file", where=f"{where}: {name[:200]}", got=got, allowed=allowed
        )
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
