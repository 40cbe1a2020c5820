"""One case of a study, as a worker runs it: the model with its parameters, its measures, and what is kept."""

import os
import time
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from motiform import __version__
from motiform.base.errors import MotiformError, MotiformWarning
from motiform.base.progress import Progress
from motiform.record import Recording, open_recording
from motiform.record.files import PARTIAL, remove_folder
from motiform.record.store import check_whole
from motiform.studies.measures import CaseMeasure
from motiform.studies.models import StudyModel

__all__ = ["KEEP", "CaseRunner", "CaseTask", "run_place"]

KEEP = ("all", "failed", "none")
"""Which recordings are kept."""


@dataclass(frozen=True)
class CaseTask:
    """A case to do."""

    key: str
    settings: Mapping[str, Any]
    recorded: bool = False
    """Whether it has run, and measures of its recording are all that is asked for."""


def run_place(runs: Path, key: str) -> Path:
    """Return where the recording of a case is: a folder holds few of them."""
    return runs / key[:2] / f"{key}.mf"


@dataclass(frozen=True)
class CaseRunner:
    """Runs cases; called by a worker with each. A case that fails gives a row that says why."""

    model: StudyModel
    measures: tuple[CaseMeasure, ...]
    runs: Path
    """Folder of recordings."""
    keep: str

    def __call__(self, task: CaseTask, progress: Progress) -> dict[str, Any]:
        """Return the row of a case, as the journal keeps it."""
        begun = time.perf_counter()
        row: dict[str, Any] = {"key": task.key, "status": "done", "error": None, "version": __version__}
        row["ran"] = True
        row["tried"] = [measure.key for measure in self.measures]
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", MotiformWarning)
            row["measures"] = self._measured(task, row)
        row["warnings"] = list(dict.fromkeys(str(one.message) for one in told))
        row["kept"] = run_place(self.runs, task.key).is_dir()
        return row | {"seconds": time.perf_counter() - begun}

    def _measured(self, task: CaseTask, row: dict[str, Any]) -> dict[str, Any]:
        place = run_place(self.runs, task.key)
        aside = place.with_name(f"{place.name}.{os.getpid()}{PARTIAL}")
        rec: Any = None
        try:
            rec = _kept(place) if task.recorded else None
            row["ran"] = rec is None
            rec = self._run(task, aside) if rec is None else rec
            found = self._values(rec)
            if self.keep == "all" and row["ran"]:
                _put(aside, place)
            return found
        except Exception as error:  # of the scene, the function or a measure: the others go on
            text = f"{type(error).__name__}: {error}".replace(str(aside), place.name)
            row |= {"status": "failed", "error": text.splitlines()[0] if text else type(error).__name__}
            if not isinstance(error, MotiformError):
                row["traceback"] = "".join(traceback.format_exception(error))
            if self.keep != "none" and row["ran"]:
                self._keep_failed(getattr(error, "recording", None) or rec, aside, place)
            return {}
        finally:
            if aside.exists():
                remove_folder(aside)

    def _run(self, task: CaseTask, aside: Path) -> Any:
        if self.keep == "all":
            aside.parent.mkdir(parents=True, exist_ok=True)
        return self.model.run(task.settings, aside if self.keep == "all" else None)

    def _values(self, rec: Any) -> dict[str, Any]:
        """Return the numbers by the keys of their measures; all that a function gives, where none is asked for."""
        if self.measures or isinstance(rec, Recording):
            return {measure.key: measure.value(rec) for measure in self.measures}
        return {str(name): float(value) for name, value in rec.items()}

    def _keep_failed(self, rec: Any, aside: Path, place: Path) -> None:
        """Keep what a failed case has recorded, as far as that can be."""
        with suppress(OSError, MotiformError):
            if not aside.is_dir() and isinstance(rec, Recording) and rec.span is not None:
                aside.parent.mkdir(parents=True, exist_ok=True)
                rec.save(aside, overwrite=True)
            _put(aside, place)


def _kept(place: Path) -> Recording | None:
    """Return a recording that is kept; None where it is damaged, so that the case runs again."""
    try:
        found = open_recording(place)
        check_whole(found)
        return found
    except MotiformError:
        return None


def _put(aside: Path, place: Path) -> None:
    """Move a recording to its place; one that is there is of an earlier run of the same case."""
    if not aside.is_dir():
        return
    remove_folder(place)
    os.replace(aside, place)
