"""`study`: from parameters and measures to a table, with nothing that was done lost."""

import pickle
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, overload

from motiform import __version__
from motiform.base.errors import InputError, RecordingError
from motiform.base.progress import Progress, ProgressBar
from motiform.record.files import AnyPath, as_path
from motiform.scene.simulate import check_not_both
from motiform.studies.case import CaseRunner, CaseTask, run_place
from motiform.studies.design import StudyDesign
from motiform.studies.engines import run_tasks
from motiform.studies.engines.backend import Result, check_jobs
from motiform.studies.folder import StudyFolder, open_folder, write_identity
from motiform.studies.journal import CaseJournal
from motiform.studies.models import FunctionModel
from motiform.studies.page import write_page
from motiform.studies.planning import StudyPlan, plan_study
from motiform.studies.result import Study
from motiform.studies.table import TableColumns, write_csv_table, write_parquet_table

__all__ = ["study"]

_DIED = "worker"  # stands for the measures of a case whose workers died: it is tried again by --resume


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
    plan = plan_study(
        model, parameters or {}, measures=measures, zipped=zipped, sample=sample, cases=cases, constraints=constraints,
        settings=settings, keep=keep, folder=None if folder is None else as_path(folder), title=title,
    )  # fmt: skip
    if scheduler is None and jobs != 1:
        _check_sent(plan)
    place, unlock = open_folder(as_path(out), plan.identity, resume=resume, overwrite=overwrite)
    with ExitStack() as stack:
        stack.callback(unlock)
        write_identity(place, plan.identity)
        journal = stack.enter_context(CaseJournal.open(place.journal))
        runner = CaseRunner(replace(plan.model), plan.measures, place.runs.absolute(), plan.keep)
        tasks = _left(plan, journal, runner)
        if tasks and journal.places and not (resume or overwrite):
            remedy = "Resume it (--resume), overwrite it (--overwrite), or give another --out."
            raise RecordingError("there is an unfinished study already", where=str(place.path), remedy=remedy)
        if isinstance(progress, ProgressBar):
            progress.expect(len(tasks), "cases")
        try:
            for result in run_tasks(runner, tasks, jobs=jobs, scheduler=scheduler, progress=progress):
                journal.append(_journal_row(tasks[result.number], result, journal))
        finally:
            done = _finished(plan, place, journal, tasks)
    return done


def _check_sent(plan: StudyPlan) -> None:
    """Refuse functions that other processes cannot find: those inside functions, and lambdas."""
    try:
        pickle.dumps((replace(plan.model), plan.measures))  # without the scene that it has read
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            "functions of a study must be those of a module", where="study", got=str(error)[:100],
            remedy="Define them at the top of a file, or run the study with jobs=1.",
        ) from error  # fmt: skip


def _left(plan: StudyPlan, journal: CaseJournal, runner: CaseRunner) -> _CaseTasks:
    """Return the cases that have not run, and those whose recordings are to be measured."""
    keys = plan.keys
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
    return _CaseTasks(plan.design, keys, numbers, frozenset(recorded))


def _journal_row(task: CaseTask, result: Result, journal: CaseJournal) -> dict[str, Any]:
    """Return what the journal keeps of a result."""
    if result.value is None:
        text = (result.error or "no result").splitlines()[0]
        return {"key": task.key, "status": "failed", "error": text, "version": __version__, "seconds": None,
                "measures": {}, "tried": [_DIED], "warnings": [], "kept": False, "traceback": result.error}  # fmt: skip
    row: dict[str, Any] = result.value
    before = None if row["ran"] else journal.get(task.key)
    if before is None or row["status"] != "done":
        return row
    return {**before, "measures": {**before["measures"], **row["measures"]}}


def _finished(plan: StudyPlan, place: StudyFolder, journal: CaseJournal, tasks: _CaseTasks) -> Study:
    """Write table and page of what is done so far."""
    columns, measured = plan.columns, len(tasks.recorded)
    if not columns.measures and isinstance(plan.model, FunctionModel):
        columns = TableColumns(columns.parameters, _given_numbers(journal, plan.keys))
    done = Study(plan.title, place, plan.design, columns, plan.keys, len(tasks) - measured, measured, plan.units)
    if journal.damaged:
        done.notes.append(f"{journal.damaged} lines of the journal were damaged: their cases have run again")
    write_csv_table(place.table, columns, done.rows())
    missing = [library for library in ("pandas", "pyarrow") if find_spec(library) is None]
    if missing:
        done.notes.append(f"table.parquet is not written: install {' and '.join(missing)} for it")
    else:
        write_parquet_table(place.parquet, done.table)
    write_page(done)
    return done


def _given_numbers(journal: CaseJournal, keys: Sequence[str | None]) -> dict[str, str]:
    """Return the names of the numbers that a function model has given, in order of their first case."""
    rows = journal.rows(key for key in keys if key is not None)
    return {name: name for row in rows if row is not None for name in row.get("measures", {})}
