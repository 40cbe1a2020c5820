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
    from motiform.cli.reconstruct import Reconstruction
    from motiform.trials.trial import TrialOptions


def run_session(given: "Reconstruction", options: "TrialOptions", leave_out: Sequence[Path]) -> None:
    """Reconstruct a session and print what became of it; Ctrl-C loses only the trials in progress."""
    from motiform.base.progress import bar
    from motiform.studies import run_tasks
    from motiform.trials.sessions import session

    if len(given.trials) != 1:
        raise InputError("a session must be one folder", got=f"{len(given.trials)} names", remedy="Give one folder.")
    work = partial(run_tasks, jobs=given.jobs, scheduler=given.scheduler)
    try:
        with bar("session", quiet=given.quiet) as progress:
            found = session(
                given.trials[0], given.out, reference=given.reference, options=replace(options, pdf=False),
                pdf=given.pdf, overwrite=given.overwrite, leave_out=leave_out, work=work, progress=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        print_line(f"trials that are done stay in {given.out}; --resume goes on from there", err=True)
        raise
    for words in found.gait.warnings:
        print_line(f"motiform: {words}", err=True)
    if not given.as_json:
        cycles = found.gait.pool
        for condition in cycles.conditions:
            left, right = (len(cycles.of(condition, side)) for side in ("l", "r"))
            print_line(f"{condition or 'all trials'}: {left} left and {right} right cycles")
        print_line(f"report: {next((one for one in found.files if one.suffix in ('.html', '.pdf')), found.files[0])}")
    end_batch(found.batch, given.as_json, given.strict, notes=False)  # the page has them
