"""Files written atomically."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.record.files import REFUSED, as_path, disk

__all__ = ["check_new", "new_file", "not_written"]


def check_new(
    path: str | os.PathLike[str], *, suffixes: Sequence[str] = (), kind: str = "", overwrite: bool = False
) -> Path:
    """Return the path if a file, of a kind that its suffix tells, may be written there; otherwise raise an error."""
    path = as_path(path)
    if suffixes and path.suffix.lower() not in suffixes:
        remedy = f"Name it {path.with_suffix(suffixes[0]).name!r}." if path.name else None
        raise InputError(
            f"unknown kind of {kind} file", where=str(path), got=path.suffix or "no suffix",
            allowed=", ".join(suffixes), remedy=remedy,
        )  # fmt: skip
    with disk(path):
        exists = path.exists()
    if not path.parent.is_dir():
        raise InputError(
            "the folder does not exist", where=str(path), remedy=f"Make the folder {str(path.parent)!r} first."
        )
    if path.is_dir():
        raise InputError("there is a folder of this name", where=str(path), remedy="Give the name of a file.")
    if exists and not overwrite:
        remedy = "Choose another name, or say overwrite (overwrite=True, --overwrite)."
        raise InputError("the file exists already", where=str(path), remedy=remedy)
    return path


def not_written(what: str, path: Path, error: OSError, remedy: str | None = None) -> MotiformError:
    """Return the error of something that could not be written: of the input where nothing can be written there."""
    kind = InputError if error.errno in REFUSED else RunError
    return kind(f"cannot write {what}: {error.strerror or error}", where=str(path), remedy=remedy)


@contextmanager
def new_file(path: str | os.PathLike[str], *, overwrite: bool = False, remedy: str | None = None) -> Iterator[Path]:
    """Give a temporary name with the same suffix in the same folder; it becomes ``path`` only when all is written.

    Whatever goes wrong, nothing is left behind and an older file is untouched; ``remedy`` ends the error.
    """
    path = check_new(path, overwrite=overwrite)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        check_new(path, overwrite=overwrite)
        temporary.replace(path)
    except OSError as error:
        raise not_written("the file", path, error, remedy) from error
    finally:
        with suppress(OSError):  # a read-only disk must not hide what went wrong
            temporary.unlink(missing_ok=True)
