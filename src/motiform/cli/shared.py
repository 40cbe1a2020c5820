"""Common options of the verbs, and their final message."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_type_hints

import typer
from typer.core import TyperCommand

from motiform.base.errors import InputError, RecordingError, closest, closest_file, printable

if TYPE_CHECKING:
    from motiform.record import Recording

Options = TypeVar("Options")
Skin = Annotated[
    bool | None,
    typer.Option("--skin/--no-skin", help="Draw a figure as one smooth body; the scene's choice if not given."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing result.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change a parameter, such as motion.step=5e-4.")
]
Size = Annotated[str, typer.Option(help="Width x height in pixels, or a print: A4, 'A4 portrait', 180x120mm.")]
Bits = Annotated[
    int | None, typer.Option(help="Of a number in a picture: 8 or 16 (png), 16 or 32 (exr, linear light).")
]
Chroma = Annotated[
    str | None,
    typer.Option(metavar="OPERATOR", help="Show heights over a grid: relief, or one of Chroma_w's operators."),
]
HeightsChannel = Annotated[str | None, typer.Option(help="The channel of heights, where a recording has several.")]
Enlarged = Annotated[int, typer.Option(min=1, help="Pixels along each side for a pin.")]
RecordingPath = Annotated[Path, typer.Argument(metavar="RECORDING", help="A recording (.mf).")]


def takes_options(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Make a verb of a function of one dataclass, whose fields are the arguments and options of the command line."""

    def make_verb(function: Callable[[Options], None]) -> Callable[..., None]:
        def verb(**given: Any) -> None:
            function(options(**given))

        types = get_type_hints(options, include_extras=True)
        verb.__name__, verb.__doc__, verb.__annotations__ = function.__name__, function.__doc__, types
        verb.__signature__ = Signature(  # type: ignore[attr-defined]
            [
                Parameter(
                    one.name,
                    Parameter.KEYWORD_ONLY,
                    annotation=types[one.name],
                    default=Parameter.empty if one.default is MISSING else one.default,
                )
                for one in fields(cast(Any, options))
            ]
        )
        return verb

    return make_verb


class RegisterHelp(TyperCommand):
    """A verb whose help names what registers hold, such as {formats}; they are loaded for the help alone."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        from motiform.cli.benchmarks import has_benchmarks, load_benchmarks
        from motiform.measure.markers.register import format_titles

        lists = dict.fromkeys(("{themes}", "{peers}"), "those of the repository") | {"{formats}": format_titles()}
        if has_benchmarks():
            lists["{themes}"] = ", ".join(load_benchmarks().THEMES)
            lists["{peers}"] = load_benchmarks("bench.register").peer_names()
        texts: list[Any] = [self, *self.params]
        for place, held in lists.items():
            for one in texts:
                if getattr(one, "help", None):
                    one.help = one.help.replace(place, held)
        return super().get_help(ctx)


def check_not_both(what: str, overwrite: bool, resume: bool) -> None:
    """Refuse to resume what is to be overwritten."""
    if overwrite and resume:
        problem, got = f"{what} is resumed or overwritten", "--resume and --overwrite"
        raise InputError(problem, got=got, remedy="Give one of them.")


def print_line(text: str, *, err: bool = False) -> None:
    """Print a line; what comes from files is text in it, and commands no terminal."""
    typer.echo(printable(text), err=err)


def parse_settings(assignments: list[str] | None) -> dict[str, Any]:
    """Read the `--set` options."""
    if not assignments:
        return {}
    from motiform.scene import parse_setting

    return dict(parse_setting(text) for text in assignments)


def change_image(recording: "Recording", assignments: list[str] | None) -> None:
    """Change what a recording says of its pictures, by `--set image.…=…`, for this picture alone."""
    from motiform.scene import image_hints

    settings = parse_settings(assignments)
    others = [path for path in settings if not path.startswith("image.")]
    if others:
        remedy = "`motiform form` changes screens and looks, `motiform run` the motion."
        raise InputError(
            "a setting of a picture must be one of [image]", where="--set", got=others[0], allowed="image.…",
            remedy=remedy,
        )  # fmt: skip
    if settings:
        recording.manifest["image"] = image_hints(recording.manifest.get("image") or {}, settings)


def parse_size(text: str, dpi: float | None = None) -> tuple[tuple[int, int], float | None]:
    """Read a size such as 1280x720, or that of a print, A4 or 180x120mm; return pixels, and pixels per inch if told."""
    if text.lower().endswith("mm") or text.lower().startswith("a"):
        from motiform.image import print_size

        return print_size(text, dpi=300.0 if dpi is None else dpi), 300.0 if dpi is None else dpi
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise InputError(
            "the size must be WIDTHxHEIGHT, in pixels or with a unit, or a paper size",
            got=text,
            allowed="1280x720 (pixels), A4, 180x120mm",
        )
    return (int(width), int(height)), dpi


def open_for(verb: str, path: Path) -> "Recording":
    """Open a recording for a verb; a scene in its place, or a recording without samples, raises an error."""
    from motiform.record import open_recording
    from motiform.record.manifest import check_manifest
    from motiform.record.store import check_samples

    _check_scene(verb, path)
    recording = open_recording(path)
    check_samples(recording)
    check_manifest(recording.manifest, str(path))
    if recording.warning:
        print_line(f"motiform: {recording.warning}", err=True)
    return recording


def _check_scene(verb: str, path: Path) -> None:
    """Raise an error with the remedy if a scene is given in place of a recording."""
    from motiform.record.places import restore

    restore(path)
    if path.suffix != ".toml" and path.exists():
        return
    from motiform.scene import list_scenes

    scenes = [entry.name for entry in list_scenes()]
    run = path.with_name(f"{path.name}.mf").exists()  # without its ending
    if path.suffix == ".toml" or (str(path) in scenes and not run):
        remedy = f"`motiform run {path}` makes one that {verb} takes."
        raise RecordingError("this is a scene, not a recording", where=str(path), remedy=remedy)
    near = closest_file(path) or closest(str(path), scenes)
    raise RecordingError("there is no such recording", where=str(path), remedy=near)


def beside(recording: Path, ending: str) -> Path:
    """Return the name of a result next to its recording: handle.mf and .mp4 give handle.mp4."""
    named = recording if recording.name else recording.resolve()  # "." has no name
    return named.with_name((named.stem if named.suffix == ".mf" else named.name) + ending)


def written(path: Path, overwrite: bool) -> int | None:
    """Return when a file that may be kept was written; None where there is none."""
    return None if overwrite or not path.is_file() else path.stat().st_mtime_ns


def refuse_options(options: Mapping[str, object], things: str, path: Path, remedy: str) -> None:
    """Refuse options that are for other things than what is written."""
    for option, value in options.items():
        if value is not None:
            raise InputError(
                "an option must fit what is written", where=str(path), got=option, allowed=f"with {things}",
                remedy=remedy,
            )  # fmt: skip


def refuse_heights_options(channel: str | None, enlarged: int, path: Path) -> None:
    """Refuse options of heights where forms are drawn."""
    options = {"--channel": channel, "--enlarged": None if enlarged == 1 else enlarged}
    refuse_options(options, "--chroma OPERATOR", path, "Give --chroma.")


def heights_channel(recording: "Recording", channel: str | None) -> str:
    """Return the channel of heights that is shown: the one that is named, or the only one."""
    fields = [name for name in recording.names if name.split(".")[-1] == "heights"]
    names = fields if channel is None else [channel]
    if len(names) != 1:
        raise InputError(
            "heights of one channel can be shown", got=", ".join(names) or "none", allowed=", ".join(fields) or "none",
            remedy="Name it with --channel." if fields else "Record a screen.",
        )  # fmt: skip
    return names[0]


def report_done(what: str, path: Path, before: int | None) -> None:
    """Print what was written, or that it was there already, if its file is as old as before."""
    if before is not None and path.stat().st_mtime_ns == before:
        print_line(f"already done, nothing changed: {path}")
    else:
        wrote(what, path)


def wrote(what: str, path: Path) -> None:
    """Print one line that names the output."""
    size: float = (
        sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) if path.is_dir() else path.stat().st_size
    )
    for unit in ("B", "kB", "MB", "GB"):  # noqa: B007
        if size < 1000:
            break
        size /= 1000
    print_line(f"wrote {what}: {path} ({size:.3g} {unit})")
