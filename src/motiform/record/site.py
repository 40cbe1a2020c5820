"""Where a recording is written: in a hidden folder beside its name, until the first commit."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from motiform.base.errors import RecordingError
from motiform.base.locks import unlock
from motiform.record.files import PARTIAL, disk, lock_folder, make_folder, remove_folder
from motiform.record.places import is_recording, others_files, put_in_place, remove_stale, restore
from motiform.record.store import is_empty

__all__ = ["Site"]


class Site:
    """The folder of a recording, claimed for one writer.

    A new one is hidden until `put`: what has the name meanwhile stays, and a run that is refused leaves nothing.
    """

    def __init__(
        self, name: Path, lock: int | None, hidden: Path | None = None, *, overwrite: bool = False,
        parents: tuple[Path, ...] = (),
    ) -> None:  # fmt: skip
        self.name, self._lock, self._hidden = name, lock, hidden
        self._overwrite, self._parents = overwrite, parents
        self._key = None if hidden is None else _key(hidden)

    @classmethod
    def begin(cls, name: Path, *, overwrite: bool) -> "Site":
        """Make the hidden folder of a new recording; what may not be replaced is refused."""
        restore(name)
        _check_name(name, overwrite)
        parent = name.absolute().parent
        missing = tuple(folder for folder in (parent, *parent.parents) if not folder.exists())
        hidden = parent / f".{name.absolute().name}.{secrets.token_hex(4)}{PARTIAL}"
        try:
            make_folder(parent)
            with disk(name):
                if remove_stale(name):
                    remedy = "Wait until it ends, or write elsewhere."
                    raise RecordingError("another process is writing it", where=str(name), remedy=remedy)
                hidden.mkdir()
                lock = lock_folder(hidden)  # now: an unlocked folder counts as left behind
        except BaseException:
            _remove(hidden, missing)
            raise
        return cls(name, lock, hidden, overwrite=overwrite, parents=missing)

    @property
    def folder(self) -> Path:
        """Where the files are now."""
        return self.name if self._hidden is None or _key(self.name) == self._key else self._hidden

    def put(self) -> None:
        """Give the folder its name; a recording that has it is replaced. Once it is done, nothing more happens."""
        if self.folder != self.name:
            with disk(self.name):
                _check_name(self.name, self._overwrite)  # again: another process may have been faster
                put_in_place(self.folder, self.name)

    def release(self) -> None:
        """Let go of the folder; what has not got its name is removed."""
        if self.folder != self.name:
            _remove(self.folder, self._parents)
        lock, self._lock = self._lock, None
        unlock(lock)


def _key(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from any other, whatever its name."""
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove(hidden: Path, parents: tuple[Path, ...]) -> None:
    """Remove a hidden folder, and the folders that were made for it where nothing else is in them."""
    remove_folder(hidden)
    with suppress(OSError):
        for folder in parents:
            folder.rmdir()


def _check_name(folder: Path, overwrite: bool) -> None:
    """Refuse a name that is taken. A recording without a sample, left by a run that was killed, counts for nothing."""
    with disk(folder):
        if not folder.name:
            raise RecordingError(
                "a recording must be a folder with a name", got=str(folder), allowed="a folder to be made"
            )
        inside = next((parent for parent in folder.absolute().parents if is_recording(parent)), None)
        if inside is not None:
            remedy = "Choose a place outside of it."
            raise RecordingError(
                "a recording must not lie in another", where=str(folder), got=str(inside), remedy=remedy
            )
        if not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir())):
            return
        if not overwrite and not is_empty(folder):
            remedy = "Choose another name, or say overwrite (overwrite=True, --overwrite)."
            raise RecordingError("the recording exists already", where=str(folder), remedy=remedy)
        if not is_recording(folder) or folder.is_symlink():
            remedy = "Choose another name; only recordings are overwritten."
            raise RecordingError("what is there is not a recording", where=str(folder), remedy=remedy)
        others = others_files(folder)
        if others:
            remedy = "Move them elsewhere, or choose another name: only what motiform wrote is overwritten."
            got = ", ".join(others[:5])
            raise RecordingError("the recording holds files of others", where=str(folder), got=got, remedy=remedy)
        lock = lock_folder(folder)
        unlock(lock)
