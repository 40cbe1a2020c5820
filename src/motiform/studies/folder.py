"""The folder of a study: what it was made of, its journal, its recordings, and who may write to it."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from motiform import __version__
from motiform.base.errors import RecordingError
from motiform.base.locks import unlock
from motiform.record.files import PARTIAL, disk, lock_folder, make_folder, remove_folder, write_file

__all__ = ["StudyFolder", "StudyIdentity", "open_folder", "write_identity"]

HEAD, JOURNAL, RUNS, TABLE, PARQUET, PAGE = (
    "study.json", "cases.jsonl", "runs", "table.csv", "table.parquet", "index.html",
)  # fmt: skip


@dataclass(frozen=True)
class StudyIdentity:
    """What a kept study is compared by."""

    model: str
    """Hash of the scene or the function, in any version."""
    title: str
    parameters: list[str]
    design: str
    """Hash of all cases."""
    measures: dict[str, str]
    """Keys of the measures by the names of their columns."""
    keep: str


@dataclass(frozen=True)
class StudyFolder:
    """Places of the files of a study."""

    path: Path

    @property
    def journal(self) -> Path:
        """A line for each case that is done."""
        return self.path / JOURNAL

    @property
    def runs(self) -> Path:
        """Recordings of cases."""
        return self.path / RUNS

    @property
    def table(self) -> Path:
        """The table, as CSV."""
        return self.path / TABLE

    @property
    def parquet(self) -> Path:
        """The table, as Parquet."""
        return self.path / PARQUET

    @property
    def page(self) -> Path:
        """The page with its plots."""
        return self.path / PAGE

    def identity(self) -> dict[str, Any] | None:
        """Return what the study that is there was made of; None where there is none."""
        try:
            found = json.loads((self.path / HEAD).read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise RecordingError("the head of the study is damaged", where=str(self.path / HEAD), got=str(error)[:100],
                                 remedy="Overwrite it (--overwrite), or take it from a backup.") from error  # fmt: skip
        return found if isinstance(found, dict) else {}


def open_folder(
    out: Path, identity: StudyIdentity, *, resume: bool, overwrite: bool
) -> tuple[StudyFolder, Callable[[], None]]:
    """Return the folder of a study, locked, and what unlocks it; refuse one that holds something else."""
    folder = StudyFolder(out)
    if out.is_dir() and any(out.iterdir()) and not (out / HEAD).exists() and not _is_ours(out):
        raise RecordingError(
            "the folder holds other files", where=str(out), remedy="Choose an empty folder, or another name."
        )
    make_folder(out)
    handle = lock_folder(out)
    try:
        if overwrite:
            _clear(folder)
        elif (found := folder.identity()) is not None:
            _check_same(out, found, identity, resume)
        if resume:
            _remove_partial(folder)
    except BaseException:
        unlock(handle)
        raise
    return folder, lambda: unlock(handle)


def write_identity(folder: StudyFolder, identity: StudyIdentity) -> None:
    """Note what a study is made of."""
    head = {"kind": "motiform study", "version": __version__, **asdict(identity)}
    with disk(folder.path):
        write_file(folder.path / HEAD, (json.dumps(head, indent=1) + "\n").encode())


def _is_ours(out: Path) -> bool:
    """Tell whether a folder holds no more than a study that was killed before its head was written."""
    return all(entry.name.startswith(HEAD) for entry in out.iterdir())


def _check_same(out: Path, found: dict[str, Any], identity: StudyIdentity, resume: bool) -> None:
    """Refuse to mix studies."""
    another = "Choose another --out, or overwrite it (--overwrite)."
    if found.get("parameters") != identity.parameters:
        got = f"{', '.join(identity.parameters)}, there {', '.join(map(str, found.get('parameters') or []))}"
        raise RecordingError("the folder holds another study: its parameters must be the same", where=str(out), got=got,
                             remedy=another)  # fmt: skip
    if found.get("model") != identity.model:
        same = found.get("title") == identity.title
        problem = "the model is not that of the kept study" if same else "the folder holds a study of another model"
        raise RecordingError(
            problem, where=str(out), got=identity.title, allowed=str(found.get("title")), remedy=another
        )
    same = all(found.get(key) == value for key, value in asdict(identity).items())
    if not resume and not same:
        remedy = "Resume it (--resume), overwrite it (--overwrite), or give another --out."
        raise RecordingError("there is a study of the same model already", where=str(out), remedy=remedy)


def _clear(folder: StudyFolder) -> None:
    """Remove what a study has written; what others have written stays."""
    with disk(folder.path):
        for path in (folder.path / HEAD, folder.journal, folder.table, folder.parquet, folder.page):
            path.unlink(missing_ok=True)
    remove_folder(folder.runs)


def _remove_partial(folder: StudyFolder) -> None:
    """Remove recordings of cases that were interrupted."""
    for path in folder.runs.glob(f"*/*{PARTIAL}"):
        with suppress(OSError):
            remove_folder(path)
