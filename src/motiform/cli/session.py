"""`motiform reconstruct FOLDER --session`: one figure, all trials, one report."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from motiform.base.errors import InputError
from motiform.cli.reconstruct import end_batch
from motiform.cli.shared import print_line

if TYPE_CHECKING:
    from motiform.trials.trial import TrialOptions


def run_session(
    folders: Sequence[Path], out: Path, options: "TrialOptions", reference: str | None, pdf: bool, overwrite: bool,
    leave_out: Sequence[Path], jobs: int | None, scheduler: str | None, as_json: bool, quiet: bool, strict: bool,
) -> None:  # fmt: skip
    """Reconstruct a session and print what became of it; Ctrl-C loses only the trials in progress."""
    from motiform.base.progress import bar
    from motiform.studies import run_tasks
    from motiform.trials.sessions import session

    if len(folders) != 1:
        raise InputError("a session must be one folder", got=f"{len(folders)} names", remedy="Give one folder.")
    try:
        with bar("session", quiet=quiet) as progress:
            found = session(
                folders[0], out, reference=reference, options=replace(options, pdf=False), pdf=pdf,
                overwrite=overwrite, leave_out=leave_out, work=partial(run_tasks, jobs=jobs, scheduler=scheduler),
                progress=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        print_line(f"trials that are done stay in {out}; --resume goes on from there", err=True)
        raise
    for words in found.gait.warnings:
        print_line(f"motiform: {words}", err=True)
    if not as_json:
        cycles = found.gait.pool
        for condition in cycles.conditions:
            left, right = (len(cycles.of(condition, side)) for side in ("l", "r"))
            print_line(f"{condition or 'all trials'}: {left} left and {right} right cycles")
        print_line(f"report: {next((one for one in found.files if one.suffix in ('.html', '.pdf')), found.files[0])}")
    end_batch(found.batch, as_json, strict, notes=False)  # the page has them
