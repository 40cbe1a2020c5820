"""Many trials: files, folders, finished trials, and a summary."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from motiform.base.errors import InputError, closest_file
from motiform.measure.markers.register import is_marker_file, marker_endings
from motiform.measure.poses.register import is_pose_file
from motiform.motion.postures.skeletons import is_bvh
from motiform.record.files import disk, make_folder, write_file
from motiform.trials.figure import FigureSpec
from motiform.trials.subjects import TrialGroup, find_group, other_subject, variants_of
from motiform.trials.table import TABLE, trials_csv
from motiform.trials.trial import (
    SUMMARY,
    MarkerTrial,
    TrialOptions,
    brief,
    holds_results,
    is_whole,
    plain,
    read_done,
    trial_key,
)

__all__ = ["SESSION", "STATES", "TrialBatch", "find_trials", "names_of", "plan_batch"]

STATES = ("done", "doubtful", "skipped", "failed")
"""What becomes of a trial; doubtful: it has results that must not be trusted, and its notes say why."""


SESSION = "session.json"
"""Of the results of a session, in its folder."""


@dataclass
class TrialBatch:
    """Trials to do, and what is known of all that were asked for."""

    out: Path
    trials: list[MarkerTrial]
    """Those that are not done yet."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """What became of each trial: status (one of `STATES`), source, error in metres, …"""
    damaged: list[str] = field(default_factory=list)
    """Trials that were done, and are done again because files of theirs are missing or damaged."""
    others: list[str] = field(default_factory=list)
    """Files in folders of other subjects than the one that was asked for."""

    def take(self, number: int, value: dict[str, Any] | None, error: str | None = None) -> None:
        """Note what became of a trial, and keep it on disk."""
        trial = self.trials[number]
        if value is None:
            lines = (error or "").splitlines() or ["no result"]
            value = {"source": trial.source, "status": "failed", "error": lines[0], "input": False, "traceback": error}
        self.rows.append({**value, **_place_of(self._name(trial), trial.group, value)})
        self.save()

    def _name(self, trial: MarkerTrial) -> str:
        """Return the place of a trial in the folder of the batch, such as "before/Subject01/walk"."""
        return Path(trial.folder).relative_to(self.out).as_posix()

    def summary(self) -> dict[str, Any]:
        """Return all that is known, as JSON has it."""
        states = Counter(row["status"] for row in self.rows)
        count = {state: states[state] for state in STATES} | {"left": len(self._left())}
        rows = sorted(self.rows, key=lambda row: str(row["trial"]))
        found = plain({"kind": "motiform batch", "out": str(self.out), "count": count, "trials": rows})
        assert isinstance(found, dict)
        return found

    def _left(self) -> list[MarkerTrial]:
        """Return the trials of which nothing is known yet."""
        known = {row["trial"] for row in self.rows}
        return [trial for trial in self.trials if self._name(trial) not in known]

    def save(self) -> None:
        """Write the summary of the batch, and the table of its trials."""
        if self.rows:
            left = [
                {"source": trial.source, "status": "left", **_place_of(self._name(trial), trial.group, {})}
                for trial in self._left()
            ]
            with disk(self.out):
                folder = make_folder(self.out)
                write_file(folder / SUMMARY, (json.dumps(self.summary(), indent=1) + "\n").encode())
                write_file(folder / TABLE, trials_csv([*self.rows, *left]).encode())

    def table(self, *, notes: bool = True) -> list[str]:
        """Return lines of a table of the trials, with their notes unless these are told elsewhere."""
        width = max([5, *(len(row["trial"]) for row in self.rows)])
        heads = f"{'samples':>7}  {'seen':>6}  {'rms mm':>7}  {'worst':>24}  {'left out':>8}  {'s':>6}"
        lines = [f"{'trial':<{width}}  {heads}  status"]
        for row in sorted(self.rows, key=lambda row: str(row["trial"])):
            if row["status"] == "failed":
                lines.append(f"{row['trial']:<{width}}  {'':>{len(heads)}}  failed")
                continue
            worst = row["worst"]
            text = f"{worst['tag']} {1e3 * (worst['rms'] or 0.0):.1f}" if worst["tag"] else ""
            rms, spent = 1e3 * (row["rms"] or 0.0), row.get("seconds") or 0.0
            numbers = f"{row['samples']:>7}  {100 * row['seen']:>5.1f}%  {rms:>7.2f}  {text:>24}"
            numbers += f"  {row.get('left_out', 0):>8}  {spent:>6.1f}"
            lines.append(f"{row['trial']:<{width}}  {numbers}  {row['status']}")
            lines += [f"{'':<{width}}  {note}" for note in (row.get("notes") or () if notes else ())]
        return lines


def find_trials(paths: Iterable[str | Path], leave_out: Iterable[str | Path] = ()) -> dict[Path, Path]:
    """Return the files of markers that are named, and those in folders that are named and below them, each once.

    The second path of each is its place in the tree: below the folder that was named, or its name alone.
    """
    others = {Path(path).resolve() for path in leave_out}
    found: dict[Path, tuple[Path, Path]] = {}
    for path in map(Path, paths):
        if path.is_dir():
            inside = [file for file in _files_below(path, others) if _is_trial(file)]
            if not inside:
                raise InputError(
                    "the folder has no trials", got=str(path),
                    allowed=f"in it or in folders below it: {', '.join(marker_endings())}",
                )  # fmt: skip
            named = [(file, file.relative_to(path)) for file in inside]
        elif path.is_file():
            named = [(path, Path(path.name))]
        else:
            raise InputError("no such file or folder", where="trials", got=str(path), remedy=closest_file(path))
        for file, place in named:
            found.setdefault(file.resolve(), (file, place))
    return dict(found.values())


def _is_trial(file: Path) -> bool:
    """Return whether a file of a folder is taken for a trial: of markers, of poses, or of a skeleton."""
    return is_marker_file(file) or is_pose_file(file) or (file.suffix.lower() == ".bvh" and is_bvh(file))


def _files_below(folder: Path, others: set[Path]) -> Iterator[Path]:
    """Yield the files of a folder, then those of the folders in it, in order of their names.

    Results, recordings, hidden folders, links to folders and what is left out are passed over.
    """
    entries = sorted(folder.iterdir())
    yield from (entry for entry in entries if entry.is_file() and entry.resolve() not in others)
    for entry in entries:
        ours = (
            any((entry / name).is_file() for name in (SUMMARY, SESSION))
            or entry.suffix == ".mf"
            or entry.name.startswith(".")
        )
        if entry.is_dir() and not entry.is_symlink() and not ours and entry.resolve() not in others:
            yield from _files_below(entry, others)


def plan_batch(
    paths: Iterable[str | Path], out: str | Path, options: TrialOptions, *, overwrite: bool = False,
    leave_out: Iterable[str | Path] = (),
) -> TrialBatch:  # fmt: skip
    """Return the trials to do. Those that are done with the same files and options are skipped.

    Folders are searched with all folders in them, and ``out`` gets the same tree. A trial of a subject with variants
    of its measures is done with each of them. A file that cannot be read is a row with its error.
    Results of another kind in the folder of a trial are refused, unless ``overwrite`` lets them be replaced.
    """
    place = Path(out).absolute()
    files = find_trials(paths, [*leave_out, place])
    if os.path.lexists(place) and not place.is_dir():
        raise InputError("the output must be a folder", where="--out", got=str(out), allowed="a folder")
    batch = TrialBatch(place, [])
    planned = [
        (file, _varied(name, group.variant, group.column), group)
        for (file, inside), name in zip(files.items(), names_of(files), strict=True)
        for group in _groups_of(file, inside, options.figure, batch.others)
    ]
    if not planned:
        raise InputError(
            "no trial is of the subject", got=str(options.figure.subject),
            allowed=f"trials in a folder Subject{options.figure.subject}",
            remedy="Say another --subject TABLE.csv:NAME.",
        )  # fmt: skip
    _check_places([name for _, name, _ in planned])
    for file, name, group in planned:
        _plan_trial(batch, file, name, group, options, overwrite)
    return batch


def _plan_trial(
    batch: TrialBatch, file: Path, name: str, group: TrialGroup, options: TrialOptions, overwrite: bool
) -> None:
    """Add a trial to the batch, or the row of one that is done or cannot be."""
    folder, source = batch.out / name, str(file.absolute())
    spec = options.figure
    alone = options
    if group.column is not None and spec.subject is None:  # so that more columns of the table change no other trial
        own = {group.column: spec.subjects[group.column]}
        alone = replace(options, figure=replace(spec, subjects=own, subject=group.column))
    try:
        key = trial_key(file, alone)
    except InputError as error:
        failed = {"source": source, "status": "failed", "error": str(error), "input": True}
        batch.rows.append({**failed, **_place_of(name, group, failed)})
        return
    trial = MarkerTrial(source, str(folder), key, options, group)
    done = read_done(folder)
    if done is not None and done["key"] == trial.key and not overwrite:
        if is_whole(folder, done):
            status = "doubtful" if done.get("doubts") else "skipped"  # it stays so
            row = {"source": source, "status": status, **brief(done)}
            batch.rows.append({**row, **_place_of(name, group, row)})
            return
        batch.damaged.append(name)
        batch.trials.append(trial)
        return
    ours = done is not None or holds_results(folder)
    if folder.exists() and not (overwrite and ours):
        what = "other results are there" if ours else "the folder holds other things"
        if ours and done is None:
            what = "results are there whose summary is damaged"
        ways = "Say --overwrite to replace them, or give" if ours else "Move it, or give"
        raise InputError(what, where=str(folder), remedy=f"{ways} another --out.")
    batch.trials.append(trial)


def _groups_of(file: Path, place: Path, spec: FigureSpec, others: list[str]) -> list[TrialGroup]:
    """Return where a trial belongs, once for each column of the table that it is to be done with.

    A trial of a folder that is another subject's than the given one is not asked for: it is added to ``others``.
    """
    group = find_group(file, place, spec.subjects)
    if not spec.subjects or not group.subject:
        return [group]
    if spec.subject is not None:
        if other_subject(spec.subject, group.subject) and len(place.parts) > 1:
            others.append(str(file))
            return []
        found = variants_of([spec.subject], group.subject)
        return [replace(group, variant=found[0][1] if found else "", column=spec.subject)]
    found = variants_of(spec.subjects, group.subject)
    return [replace(group, variant=variant, column=column) for column, variant in found] or [group]


def _varied(name: str, variant: str, column: str | None) -> str:
    """Return the place of results: those of a variant are in a folder of its number, such as Subject01/0103/walk."""
    at = PurePosixPath(name)
    return (at.parent / str(column) / at.name).as_posix() if variant else name


def _check_places(names: Sequence[str]) -> None:
    """Refuse results that would be inside those of another trial."""
    known = Counter(name.lower() for name in names)
    for name in names:
        at = [name.lower(), *(folder.as_posix().lower() for folder in PurePosixPath(name).parents)]
        if known[at[0]] > 1 or any(folder in known for folder in at[1:]):
            raise InputError(
                "results of two trials have the same place", got=name,
                remedy="Rename the trial, which is named like a variant of the subject.",
            )  # fmt: skip


def _place_of(name: str, group: TrialGroup, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a row that tell where a trial belongs."""
    subject = group.subject or row.get("subject")
    return {"trial": name, "condition": group.condition, "subject": subject, "variant": group.variant}


def names_of(files: Mapping[Path, Path]) -> list[str]:
    """Return the place of each trial's results, from the files and their places in the tree.

    That is its place without the ending. Where two of them are alike, all are placed from the folder that they have in
    common; of files that differ in their endings alone these are in the names, too. The order of files does not matter.
    """
    places = list(files.values())
    if _alike(places):
        whole = [file.resolve() for file in files]
        common = os.path.commonpath([file.parent for file in whole])
        places = [file.relative_to(common) for file in whole]
    alike = _alike(places)
    return [
        (
            place.with_name(f"{place.stem}_{place.suffix[1:].lower()}") if k in alike else place.with_suffix("")
        ).as_posix()
        for k, place in enumerate(places)
    ]


def _alike(places: Sequence[Path]) -> set[int]:
    """Return which places without their endings are those of others, or of folders in which others are."""
    stems = [PurePosixPath(place.with_suffix("").as_posix().lower()) for place in places]
    counts = Counter(stems)
    taken = {folder for stem in stems for folder in stem.parents}
    return {k for k, stem in enumerate(stems) if counts[stem] > 1 or stem in taken}
