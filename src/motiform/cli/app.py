"""The command and its verbs."""

import typer

from motiform import __version__
from motiform.cli.bench import bench
from motiform.cli.demo import demo
from motiform.cli.doctor import doctor
from motiform.cli.export import export
from motiform.cli.film import film
from motiform.cli.form import form
from motiform.cli.list import list_scenes
from motiform.cli.picture import picture
from motiform.cli.plot import plot
from motiform.cli.reconstruct import reconstruct
from motiform.cli.run import run
from motiform.cli.shared import RegisterHelp
from motiform.cli.study import study
from motiform.cli.view import view
from motiform.cli.wrist import wrist

__all__ = ["app"]

app = typer.Typer(
    name="motiform",
    help="Simulation of rigid bodies, figures and mass–spring networks, from measurement to image.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


app.command("run")(run)
app.command("list")(list_scenes)
app.command("demo")(demo)
app.command("study")(study)
app.command("reconstruct", cls=RegisterHelp)(reconstruct)
app.command("wrist")(wrist)
app.command("form")(form)
app.command("view")(view)
app.command("plot")(plot)
app.command("picture")(picture)
app.command("film")(film)
app.command("export")(export)
app.command("bench", cls=RegisterHelp, short_help="Measure motiform against its peers that are installed.")(bench)
app.command("doctor")(doctor)
