"""`study`: from parameters and measures to a table, with nothing that was done lost."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, overload

from motiform import __version__
from motiform.base.digest import Digest
from motiform.base.errors import InputError, MotiformError, RecordingError, closest
from motiform.base.progress import Progress, ProgressBar
from motiform.record.files import AnyPath, as_path
from motiform.scene.simulate import check_not_both
from motiform.studies.case import KEEP, CaseRunner, CaseTask, run_place
from motiform.studies.constraints import parse_constraint
from motiform.studies.design import StudyDesign, make_design
from motiform.studies.engines import run_tasks
from motiform.studies.engines.backend import Result, check_jobs
from motiform.studies.folder import StudyIdentity, open_folder, write_identity
from motiform.studies.journal import CaseJournal
from motiform.studies.measures import CaseMeasure, check_channels, parse_measures
from motiform.studies.models import FunctionModel, StudyModel, study_model
from motiform.studies.page import write_page
from motiform.studies.result import Study
from motiform.studies.table import TableColumns, write_csv_table, write_parquet_table

__all__ = ["KEEP_ALL", "study"]

KEEP_ALL = 1000
"""Cases up to which all recordings are kept where nothing is said; of larger studies those of failed cases."""
_DIED = "worker"  # stands for the measures of a case whose workers died: it is tried again by --resume
_TRIED = 8  # cases that are built to find the channels of recordings


@dataclass(frozen=True)
class _CaseTasks(Sequence[CaseTask]):
    """Cases to do, each made when it is asked for."""

    design: StudyDesign
    keys: Sequence[str | None]
    numbers: Sequence[int]
    recorded: frozenset[int]
    """Those that have run, and are measured only."""

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> CaseTask: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[CaseTask]: ...
    def __getitem__(self, place: int | slice) -> CaseTask | Sequence[CaseTask]:
        if isinstance(place, slice):
            return replace(self, numbers=self.numbers[place])
        number = self.numbers[place]
        return CaseTask(str(self.keys[number]), self.design[number], number in self.recorded)


def study(
    model: Any,
    parameters: Mapping[str, Any] | None = None,
    *,
    out: AnyPath,
    measures: Mapping[str, Any] | None = None,
    zipped: Sequence[Sequence[str]] = (),
    sample: Mapping[str, Any] | None = None,
    cases: AnyPath | None = None,
    constraints: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    keep: str | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    folder: AnyPath | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Run a model with many parameters, and return a table of measures.

    Parameters
    ----------
    model
        A built-in scene, a scene file, a `Scene`, or a function of the parameters (also "module:function") that returns
        a recording, or numbers by name.
    parameters
        Values by path, such as ``{"motion.step": [1e-3, 5e-4]}``: a list, a range ``{"from": 1, "to": 2, "steps": 5,
        "scale": "log"}``, a range without steps to take samples of, or ``{"files": "trials/*.c3d"}``. Cases are their
        product; the last varies fastest.
    out
        Folder of the study: table.csv, table.parquet where pyarrow is installed, index.html, the journal, recordings.
    measures
        Columns of the table: ``{"peak": ("energy", "max")}``, a function of the recording, or "module:function".
    zipped
        Lists of paths whose values vary together.
    sample
        ``{"method": "sobol", "count": 64, "seed": 1}``; also "random" and "latin-hypercube".
    cases
        A CSV table with a path a column and a case a row.
    constraints
        Expressions over parameters, such as ``"motion.step < 0.1 * scene.duration"``: other cases are skipped.
    settings
        What is changed in all cases.
    keep
        Whose recordings are kept: "all", "failed" or "none"; where it is None, "all" up to 1000 cases, then "failed".
    jobs, scheduler
        Processes of this machine, one for each core if not given; or the address of a Dask scheduler.
    resume
        Go on with the study that is in the folder: cases that are done are not run again; measures that are new are
        taken of kept recordings.
    overwrite
        Replace the study that is in the folder.
    folder
        Where "module:function", files of function models and scene files are looked for first.
    title
        Of the page.
    progress
        Called with the fraction of the cases that is done.

    """
    check_not_both(overwrite, resume)
    check_jobs(jobs)
    base = None if folder is None else as_path(folder)
    chosen = study_model(model, settings, base)
    design = make_design(parameters or {}, zipped=zipped, sample=sample, cases=cases, folder=chosen.folder)
    chosen.check(design)
    rules = [parse_constraint(text, design.names) for text in _texts(constraints)]
    asked = parse_measures(measures, base)
    columns = TableColumns(design.names, {measure.name: measure.key for measure in asked})
    keep = _keep(keep, len(design))
    keys = [chosen.case_key(case) if all(rule.holds(case) for rule in rules) else None for case in design]
    if all(key is None for key in keys):
        raise InputError("the constraints skip every case", where="constraints", got=", ".join(constraints))
    units = _check_measures(chosen, asked, design, keys)
    identity = StudyIdentity(
        chosen.key, title or chosen.title, design.names, Digest(*(key or "" for key in keys)).text(24),
        dict(columns.measures), keep,
    )  # fmt: skip
    place, unlock = open_folder(as_path(out), identity, resume=resume, overwrite=overwrite)
    with ExitStack() as stack:
        stack.callback(unlock)
        write_identity(place, identity)
        journal = stack.enter_context(CaseJournal.open(place.journal))
        runner = CaseRunner(replace(chosen), asked, place.runs.absolute(), keep)
        tasks = _left(design, keys, journal, runner)
        ran = len(tasks) - len(tasks.recorded)
        done = Study(identity.title, place, design, columns, keys, ran, len(tasks.recorded), units)
        if tasks and journal.places and not (resume or overwrite):
            remedy = "Resume it (--resume), overwrite it (--overwrite), or give another --out."
            raise RecordingError("there is an unfinished study already", where=str(place.path), remedy=remedy)
        if journal.damaged:
            done.notes.append(f"{journal.damaged} lines of the journal are damaged: their cases are run again")
        if isinstance(progress, ProgressBar):
            progress.expect(len(tasks), "cases")
        try:
            for result in run_tasks(runner, tasks, jobs=jobs, scheduler=scheduler, progress=progress):
                journal.append(_journal_row(tasks[result.number], result, journal))
        finally:
            done = _finished(done, chosen, journal)
    return done


def _texts(constraints: Sequence[str]) -> Sequence[str]:
    if isinstance(constraints, str):
        raise InputError("constraints must be a list of texts", got=constraints, allowed='["a < b"]')
    return constraints


def _keep(keep: str | None, count: int) -> str:
    if keep is None:
        return "all" if count <= KEEP_ALL else "failed"
    if keep not in KEEP:
        raise InputError("no such choice of recordings", where="keep", got=str(keep), allowed=", ".join(KEEP),
                         remedy=closest(keep, KEEP))  # fmt: skip
    return keep


def _check_measures(
    model: StudyModel, measures: Sequence[CaseMeasure], design: StudyDesign, keys: Sequence[str | None]
) -> dict[str, str]:
    """Return the units of measures; refuse those that the first case which can be built would not have."""
    if isinstance(model, FunctionModel) or not any(measure.needs for measure in measures):
        return {}
    tried = [number for number, key in enumerate(keys) if key is not None][:_TRIED]
    for number in tried:
        try:
            planned = model.planned(design[number])
        except MotiformError:  # its row will tell
            continue
        return {} if planned is None else check_channels(measures, planned)
    return {}


def _left(design: StudyDesign, keys: Sequence[str | None], journal: CaseJournal, runner: CaseRunner) -> _CaseTasks:
    """Return the cases that have not run, and those whose recordings are to be measured."""
    needed = {measure.key for measure in runner.measures}
    first = {key: number for number, key in reversed(list(enumerate(keys))) if key is not None}
    numbers, recorded = list[int](), set[int]()
    order = sorted(first.values())
    for number, row in zip(order, journal.rows(str(keys[n]) for n in order), strict=True):
        if (
            row is not None
            and _DIED not in row["tried"]
            and needed <= set(row["measures"] if row["status"] == "done" else row["tried"])
        ):
            continue
        numbers.append(number)
        if row is not None and row["status"] == "done" and run_place(runner.runs, str(keys[number])).is_dir():
            recorded.add(number)
    return _CaseTasks(design, keys, numbers, frozenset(recorded))


def _journal_row(task: CaseTask, result: Result, journal: CaseJournal) -> dict[str, Any]:
    """Return what the journal keeps of a result."""
    if result.value is None:
        text = (result.error or "no result").splitlines()[0]
        return {"key": task.key, "status": "failed", "error": text, "version": __version__, "seconds": None,
                "measures": {}, "tried": [_DIED], "warnings": [], "kept": False, "traceback": result.error}  # fmt: skip
    row: dict[str, Any] = result.value
    before = journal.get(task.key) if task.recorded else None
    if before is None or row["status"] != "done":
        return row
    return {**before, "measures": {**before["measures"], **row["measures"]}}


def _finished(done: Study, model: StudyModel, journal: CaseJournal) -> Study:
    """Write table and page of what is done so far."""
    if not done.columns.measures and isinstance(model, FunctionModel):
        done = replace(done, columns=TableColumns(done.columns.parameters, _given_numbers(journal, done.keys)))
    write_csv_table(done.folder.table, done.columns, done.rows())
    missing = [library for library in ("pandas", "pyarrow") if find_spec(library) is None]
    if missing:
        done.notes.append(f"table.parquet is not written: install {' and '.join(missing)} for it")
    else:
        write_parquet_table(done.folder.parquet, done.table)
    write_page(done)
    return done


def _given_numbers(journal: CaseJournal, keys: Sequence[str | None]) -> dict[str, str]:
    """Return the names of the numbers that a function model has given, in order of their first case."""
    rows = journal.rows(key for key in keys if key is not None)
    return {name: name for row in rows if row is not None for name in row.get("measures", {})}
