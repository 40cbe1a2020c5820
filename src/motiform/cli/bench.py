"""`motiform bench`: comparison with installed peers, in one run."""

import json
from typing import Annotated

import typer

from motiform.cli.shared import AsJson, Quiet, print_line


def bench(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The theme: {themes}; all if not given.")] = None,
    as_json: AsJson = False,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    quiet: Quiet = False,
) -> None:
    """Measure motiform against those of its peers that are installed: {peers}."""
    from motiform.base.progress import bar
    from motiform.cli.benchmarks import load_benchmarks

    benchmarks = load_benchmarks()
    names = [name] if name else list(benchmarks.THEMES)
    for theme in names:
        with bar(f"bench {theme}", quiet=quiet or as_json) as progress:
            report = benchmarks.run_bench(theme, device=device, progress=progress)
        print_line(json.dumps(report.as_dict(), indent=2) if as_json else report.as_table())
