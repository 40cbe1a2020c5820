"""`motiform study`: run a model with many parameters and write a table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import AsJson, Overwrite, Quiet, check_not_both, print_line

if TYPE_CHECKING:
    from motiform.studies import Study

_WARNINGS = 3  # kinds that are told; the page has all


def study(
    file: Annotated[str, typer.Argument(metavar="STUDY", help="A study file, or the name of a built-in study.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the results; STUDY here if not given.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes of this machine; one for each core if not given.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786.")
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(help="Whose recordings are kept: all, failed or none. All of up to 1000 cases if not given."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the study in the folder.")] = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run a model with many parameters; write a table, a page with plots, and recordings."""
    from motiform.base.progress import bar
    from motiform.studies import study as conduct
    from motiform.studies.files import read_study

    check_not_both("a study", overwrite, resume)
    if jobs is not None and scheduler is not None:
        raise InputError("give either --jobs or --scheduler", got="both", remedy="Leave one of them out.")
    found = read_study(file)
    arguments = found.arguments if keep is None else {**found.arguments, "keep": keep}
    title = arguments["title"] or found.name
    with bar(title, quiet=quiet) as progress:
        done = conduct(found.model, **arguments, out=out or Path(found.name), jobs=jobs, scheduler=scheduler,
                       resume=resume, overwrite=overwrite, progress=progress)  # fmt: skip
    _end(done, as_json)


def _end(done: "Study", as_json: bool) -> None:
    """Report what became of the study; failed cases are code 1."""
    if as_json:
        print_line(json.dumps(done.summary(), indent=1))
    for note in done.notes:
        print_line(f"motiform: {note}", err=True)
    for text, number in done.warnings().most_common(_WARNINGS):
        print_line(f"motiform: {number} cases: {text}", err=True)
    count, folder = done.count, done.folder.path
    if count["failed"]:
        first = next(row["error"] for row in done.rows() if row["status"] == "failed")
        print_line(f"motiform: {count['failed']} cases failed; the first: {first}", err=True)
    if not as_json:
        states = "; ".join(f"{number} {state}" for state, number in count.items() if number and state != "done")
        more = f"; {states}" if states else ""
        before = len(done) - count["skipped"] - done.ran
        if not done.ran and not done.measured:
            print_line(f"already done, nothing ran: {count['done']} cases{more}: {folder}")
        else:
            known = f", {before} done before" if before else ""
            print_line(f"wrote {count['done']} cases ({done.ran} ran{known}){more}: {folder}")
    if count["failed"]:
        raise typer.Exit(1)
