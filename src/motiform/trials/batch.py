"""Many trials: files, folders, finished trials, and a summary."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError, closest_file
from motiform.measure.markers.register import is_marker_file, marker_endings
from motiform.record.files import disk, make_folder, write_file
from motiform.trials.trial import (
    SUMMARY,
    Trial,
    TrialOptions,
    brief,
    holds_results,
    is_whole,
    plain,
    read_done,
    trial_key,
)

__all__ = ["Batch", "find_trials", "plan_batch"]


@dataclass
class Batch:
    """Trials to do, and what is known of all that were asked for."""

    out: Path
    trials: list[Trial]
    """Those that are not done yet."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """What became of each trial: status "skipped", "done" or "failed", source, error in metres, …"""
    damaged: list[str] = field(default_factory=list)
    """Trials that were done, and are done again because files of theirs are missing or damaged."""

    def take(self, number: int, value: dict[str, Any] | None, error: str | None = None) -> None:
        """Note what became of a trial, and keep it on disk."""
        trial = self.trials[number]
        if value is None:
            lines = (error or "").splitlines() or ["no result"]
            failed = {"status": "failed", "error": lines[0], "input": False, "traceback": error}
            value = {"trial": trial.name, "source": trial.source, **failed}
        self.rows.append(value)
        self.save()

    def summary(self) -> dict[str, Any]:
        """Return all that is known, as JSON has it."""
        states = Counter(row["status"] for row in self.rows)
        left = len({trial.name for trial in self.trials} - {row["trial"] for row in self.rows})
        count = {state: states[state] for state in ("done", "skipped", "failed")} | {"left": left}
        rows = sorted(self.rows, key=lambda row: str(row["trial"]))
        found = plain({"kind": "motiform batch", "out": str(self.out), "count": count, "trials": rows})
        assert isinstance(found, dict)
        return found

    def save(self) -> None:
        """Write the summary of the batch."""
        if self.rows:
            with disk(self.out):
                write_file(make_folder(self.out) / SUMMARY, (json.dumps(self.summary(), indent=1) + "\n").encode())

    def table(self) -> list[str]:
        """Return lines of a table of the trials."""
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
            lines += [f"{'':<{width}}  {note}" for note in row.get("notes") or ()]
        return lines


def find_trials(paths: Iterable[str | Path], leave_out: Iterable[str | Path] = ()) -> list[Path]:
    """Return the files of markers that are named, and those in folders that are named, each once."""
    others = {Path(path).resolve() for path in leave_out}
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if is_marker_file(file))
            inside = [file for file in inside if file.resolve() not in others]
            if not inside:
                raise InputError("the folder has no trials", got=str(path), allowed=", ".join(marker_endings()))
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise InputError("no such file or folder", where="trials", got=str(path), remedy=closest_file(path))
    return list({file.resolve(): file for file in found}.values())


def plan_batch(
    paths: Iterable[str | Path],
    out: str | Path,
    options: TrialOptions,
    *,
    overwrite: bool = False,
    leave_out: Iterable[str | Path] = (),
) -> Batch:
    """Return the trials to do. Those that are done with the same files and options are skipped.

    Results of another kind in the folder of a trial are refused, unless ``overwrite`` lets them be replaced.
    """
    files, place = find_trials(paths, leave_out), Path(out).absolute()
    if os.path.lexists(place) and not place.is_dir():
        raise InputError("the output must be a folder", where="--out", got=str(out), allowed="a folder")
    batch = Batch(place, [])
    for file, name in zip(files, _names(files), strict=True):
        folder = place / name
        trial = Trial(str(file.absolute()), str(folder), trial_key(file, options), options)
        done = read_done(folder)
        if done is not None and done["key"] == trial.key and not overwrite:
            if not is_whole(folder, done):
                batch.damaged.append(name)
                batch.trials.append(trial)
                continue
            batch.rows.append({"trial": name, "source": trial.source, "status": "skipped", **brief(done)})
            continue
        ours = done is not None or holds_results(folder)
        if folder.exists() and not (overwrite and ours):
            what = "other results are there" if ours else "the folder holds other things"
            if ours and done is None:
                what = "results are there whose summary is damaged"
            ways = "Say --overwrite to replace them, or give" if ours else "Move it, or give"
            raise InputError(what, where=str(folder), remedy=f"{ways} another --out.")
        batch.trials.append(trial)
    return batch


def _names(files: Sequence[Path]) -> list[str]:
    """Return a name for each file: its stem, with folders and ending where stems are alike."""
    for make in (lambda f: f.stem, lambda f: f"{f.absolute().parent.name}_{f.stem}", _whole):
        names = [make(file) for file in files]
        counts = Counter(name.lower() for name in names)
        if make is _whole or max(counts.values(), default=1) == 1:
            break
    seen, found = Counter[str](), []
    for name in names:
        seen[name.lower()] += 1
        number = seen[name.lower()]
        found.append(name if number == 1 else f"{name}_{number}")
    return found


def _whole(file: Path) -> str:
    return f"{file.absolute().parent.name}_{file.stem}_{file.suffix[1:].lower()}"
