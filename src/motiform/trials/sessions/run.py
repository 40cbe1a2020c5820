"""A session from a folder to its report: one figure, all trials, one page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from motiform.base.errors import InputError, MotiformError
from motiform.base.progress import Progress
from motiform.motion.postures.gait.pool import TrialCycles
from motiform.motion.postures.gait.pooled import PooledGait
from motiform.motion.postures.gait.reference import read_reference
from motiform.record.files import AnyPath, as_path
from motiform.trials.batch import TrialBatch, plan_batch
from motiform.trials.figure import FigureSpec
from motiform.trials.sessions.assemble import assemble
from motiform.trials.sessions.collect import collect_cycles
from motiform.trials.sessions.figure import SessionFigure, settle_figure, still_trials
from motiform.trials.sessions.layout import GAIT, STATIC, TABLES, SessionFile, SessionLayout, read_layout
from motiform.trials.sessions.write import check_place, write_session
from motiform.trials.trial import MarkerTrial, TrialOptions, check_options, run_trial

__all__ = ["Session", "Work", "session"]

TRIALS = "trials"
"""Folder of the results of trials, in that of the session."""


class Work(Protocol):
    """How trials are worked off, such as `motiform.studies.run_tasks`."""

    def __call__(self, work: Any, tasks: Sequence[Any], *, progress: Progress | None = None) -> Iterator[Any]:
        """Yield a result of each task, with number, value and error."""


@dataclass(frozen=True)
class Session:
    """What became of a session."""

    gait: PooledGait
    batch: TrialBatch
    """Rows of its trials."""
    files: tuple[Path, ...]
    """What was written for the whole session."""


def session(
    folder: AnyPath,
    out: AnyPath,
    *,
    height: float | None = None,
    mass: float | None = None,
    reference: AnyPath | None = None,
    options: TrialOptions | None = None,
    report: bool = True,
    pdf: bool = False,
    overwrite: bool = False,
    leave_out: Iterable[AnyPath] = (),
    work: Work | None = None,
    progress: Progress | None = None,
) -> Session:
    """Reconstruct all trials of a subject's session with one figure, and report their gait cycles together.

    The static trials calibrate the figure, else samples of all trials do. Cycles are pooled by side and condition; what
    is left out is told. ``out`` gets session.html, session.json, session_cycles.csv, session_means.csv,
    session_strides.csv, figure.json, and the folder of each trial in trials/. Finished trials are not done again.

    Parameters
    ----------
    folder : of the session; session.toml or session.csv in it tells what its files are, else their names do.
    height, mass : of the subject [m], [kg]; before those of session.toml.
    reference : bands of a laboratory (CSV), or JSON of `write_reference` or of another session.
    options : of the trials, as `motiform reconstruct` makes them; their pages are written where they say so.
    report, pdf : whether the page is written, and as PDF.
    overwrite : replace results of trials that were made with other files or options.
    leave_out : files and folders that are no trials.
    work : works off the trials, as ``partial(motiform.studies.run_tasks, jobs=4)``; None: one after the other here.
    """
    place, root = as_path(out).absolute(), as_path(folder)
    options = options or TrialOptions(report=False)
    given = {name: value for name, value in (("height", height), ("mass", mass)) if value is not None}
    check_place(place)
    layout = read_layout(root, [place, *map(as_path, leave_out)])
    spec = options.figure
    measures = {**_own(layout, spec), **spec.measures, **given}
    options = replace(options, figure=replace(spec, measures=measures))
    check_options(replace(options, static=None))
    against = None if reference is None else read_reference(reference)
    layout = _with_statics(layout, options)
    if not layout.of(GAIT):
        raise InputError("a session must have gait trials", where=str(root), got=f"{len(layout.files)} other files")
    report_progress = progress or (lambda part: None)
    figure = settle_figure(layout, options, place, lambda part: report_progress(0.1 * part))
    batch = _reconstructed(layout, figure, place, overwrite, work, lambda part: report_progress(0.1 + 0.8 * part))
    trials = _collected(layout, figure, batch)
    gait = assemble(layout, figure, batch, trials, against)
    files = write_session(gait, figure, place, report=report, pdf=pdf)
    report_progress(1.0)
    return Session(gait, batch, files)


def _own(layout: SessionLayout, spec: FigureSpec) -> dict[str, Any]:
    """Return measures of the table of the session that suit the figure: a model of a file has its size already."""
    known = layout.measures if spec.figure == "human36" else {k: v for k, v in layout.measures.items() if k == "mass"}
    return dict(known)


def _with_statics(layout: SessionLayout, options: TrialOptions) -> SessionLayout:
    """Return the layout with the static trial that is asked for, or with trials in which nobody moves."""
    if options.static is not None:
        path = Path(options.static)
        inside = [one.place for one in layout.files if one.path.resolve() == path.resolve()]
        if inside:
            return layout.with_static(inside, "by --static")
        own = SessionFile(path, path.name, path.stem, "", STATIC, "by --static")
        return replace(layout, files=(*layout.files, own))
    if layout.of(STATIC):
        return layout
    return layout.with_static(still_trials(layout, options), "its markers stay within 30 mm")


class _Result(NamedTuple):
    number: int
    value: Any
    error: str | None = None


def _in_turn(work: Any, tasks: Sequence[Any], *, progress: Progress | None = None) -> Iterator[_Result]:
    for number, task in enumerate(tasks):
        yield _Result(number, work(task, lambda part: None))
        if progress is not None:
            progress((number + 1) / len(tasks))


def _reconstructed(
    layout: SessionLayout, figure: SessionFigure, place: Path, overwrite: bool, work: Work | None, progress: Progress,
) -> TrialBatch:  # fmt: skip
    """Return the rows of all gait trials; those that are not done yet are done."""
    others = [one.path for one in layout.files if one.role != GAIT]
    batch = plan_batch([layout.folder], place / TRIALS, figure.options, overwrite=overwrite,
                       leave_out=[place, *others, *(layout.folder / name for name in TABLES)])  # fmt: skip
    trials: list[MarkerTrial] = batch.trials
    try:
        for result in (work or _in_turn)(run_trial, trials, progress=progress):
            batch.take(result.number, result.value, result.error)
    finally:
        batch.save()
    return batch


def _collected(layout: SessionLayout, figure: SessionFigure, batch: TrialBatch) -> list[TrialCycles]:
    """Return the cycles of all trials that have results, in the order of their names."""
    by_path = {str(one.path.absolute()): one for one in layout.of(GAIT)}
    found = []
    for row in sorted(batch.rows, key=lambda row: str(row["trial"])):
        if row["status"] == "failed":
            continue
        condition = by_path[str(row["source"])].condition
        folder = batch.out / str(row["trial"])
        try:
            found.append(collect_cycles(row, folder, condition, figure.options))
        except MotiformError as error:
            found.append(TrialCycles(str(row["trial"]), condition, notes=(f"no cycles: {error}",)))
    return found
