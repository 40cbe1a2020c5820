"""`motiform reconstruct`: posture, motion and effort from files of optical markers."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motiform.base.errors import InputError, MotiformError, closest, closest_file
from motiform.cli.shared import (
    AsJson,
    Overwrite,
    Quiet,
    Settings,
    check_not_both,
    parse_settings,
    print_line,
    takes_options,
)

if TYPE_CHECKING:
    from motiform.trials.batch import TrialBatch
    from motiform.trials.trial import TrialOptions


@dataclass(kw_only=True)
class Reconstruction:
    """What `motiform reconstruct` is given."""

    trials: Annotated[
        list[Path], typer.Argument(metavar="TRIALS…", help="Marker files ({formats}), or folders of them.")
    ]
    figure: Annotated[
        str | None,
        typer.Option(
            help="human36, bip, kondo, or a file: .osim, .urdf, .xml (MJCF), .toml (scene).", show_default="human36"
        ),
    ] = None
    height: Annotated[float | None, typer.Option(help="Height of the subject (m).")] = None
    mass: Annotated[float | None, typer.Option(help="Mass of the subject (kg).")] = None
    sex: Annotated[str | None, typer.Option(help="male or female, for the anthropometric table.")] = None
    knee: Annotated[
        str | None, typer.Option(help="Knee of Human36: hinge, three-axes or coupled.", show_default="hinge")
    ] = None
    subject: Annotated[
        str | None,
        typer.Option(metavar="TABLE[:NAME]", help="Table of subjects (CSV), and which one; else by file or folder."),
    ] = None
    markers: Annotated[
        str | None,
        typer.Option(
            help="Marker set of Human36 (plug-in-gait, cmu-41, …), or CSV with the columns marker and site.",
            show_default="recognised by names",
        ),
    ] = None
    correspondence: Annotated[
        Path | None, typer.Option(help="CSV with the columns tag and marker, for names that differ.")
    ] = None
    static: Annotated[Path | None, typer.Option(help="Static trial of the subject, to calibrate the figure.")] = None
    calibrate: Annotated[
        bool | None,
        typer.Option(
            "--calibrate/--no-calibrate",
            help="Calibrate the figure with each trial's own markers.",
            show_default="with a marker set and no static trial",
        ),
    ] = None
    forces: Annotated[
        Path | None,
        typer.Option(help="Forces of the ground: external loads (.xml), .mot, .sto or C3D, or a folder of them."),
    ] = None
    muscles: Annotated[
        bool, typer.Option("--muscles", help="Activations and forces of the muscles of an OpenSim model, too.")
    ] = False
    any_residuals: Annotated[
        bool,
        typer.Option("--any-residuals", help="Compute muscles where residuals of the root are beyond limits, too."),
    ] = False
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 where a trial is doubtful or its residuals are beyond limits.")
    ] = False
    ik_setup: Annotated[
        Path | None, typer.Option(help="OpenSim's IK set-up (.xml): weights of markers, coordinate tasks, model.")
    ] = None
    scale_setup: Annotated[
        Path | None, typer.Option(help="OpenSim's scale set-up (.xml): measurements, mass, marker placement, model.")
    ] = None
    forward: Annotated[
        str | None, typer.Option(help="Axis of the files that points forward, such as y: it becomes x.")
    ] = None
    up: Annotated[str | None, typer.Option(help="Up axis of the files, such as z; detected if not given.")] = None
    units: Annotated[
        str | None, typer.Option(help="Unit of length of the files, such as mm; detected if not given.")
    ] = None
    fill: Annotated[
        str | None, typer.Option(metavar="SECONDS|all", help="Fill gaps of markers up to this long by cubic splines.")
    ] = None
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="file|model|pose",
            help="Frame of the results: ankles and hips above the origin (model), nearest to the zero position (pose).",
            show_default="file",
        ),
    ] = None
    filter_: Annotated[
        float | None, typer.Option("--filter", metavar="HZ", help="Low-pass cutoff for the markers (Hz), such as 8.")
    ] = None
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Most iterations of the search in a sample.", show_default="200")
    ] = None
    threshold: Annotated[
        float | None, typer.Option(help="Distance of tags from markers (m, rms) at which a search ends.")
    ] = None
    cutoff: Annotated[
        float, typer.Option(min=0.0, help="Low-pass cutoff for velocities and accelerations (Hz); 0: none.")
    ] = 6.0
    reduce_residuals: Annotated[
        bool, typer.Option("--reduce-residuals", help="Change motion and trunk so that efforts and plates agree.")
    ] = False
    smooth: Annotated[
        float | None, typer.Option(help="Fit the whole trial at once, with this typical acceleration (rad/s²).")
    ] = None
    robust: Annotated[float | None, typer.Option(help="Residual (m) above which a marker is down-weighted.")] = None
    weights: Annotated[Path | None, typer.Option(help="CSV with the columns tag and weight.")] = None
    limits: Annotated[bool, typer.Option("--limits/--no-limits", help="Keep joints within their limits.")] = True
    out: Annotated[Path, typer.Option(help="Folder of the results, with one for each trial.")] = Path("reconstructed")
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted batch; finished trials are skipped anyway.")
    ] = False
    overwrite: Overwrite = False
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Trials in parallel; one per core if not given.")
    ] = None
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS|local", help="Use a Dask cluster (tcp://host:8786).")
    ] = None
    report: Annotated[
        bool | None,
        typer.Option(
            "--report/--no-report", help="Write a report page for each trial.", show_default="but not of a session"
        ),
    ] = None
    pdf: Annotated[bool, typer.Option("--pdf", help="Write the report as PDF, too.")] = False
    angles: Annotated[
        str, typer.Option(metavar="isb|plug-in-gait", help="Convention of clinical angles and moments.")
    ] = "isb"
    normative: Annotated[
        Path | None, typer.Option(help="CSV of normative bands for the report: quantity, percent, mean, sd.")
    ] = None
    session: Annotated[
        bool, typer.Option("--session", help="TRIALS is the folder of one subject's session: one figure, one report.")
    ] = False
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="FILE[:CONDITION]",
            help="What a session is compared with: CSV of bands, or JSON of controls or of another session.",
        ),
    ] = None
    set_: Settings = None
    as_json: AsJson = False
    quiet: Quiet = False


@takes_options(Reconstruction)
def reconstruct(given: Reconstruction) -> None:
    """Compute postures with standard deviations, velocities and efforts from optical markers, for one or many
    trials."""
    # Matrices of postures are small: threads of linear algebra cost more than they save. Read as NumPy is loaded.
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    from motiform.trials.batch import plan_batch

    check_not_both("a batch", given.overwrite, given.resume)
    options = _trial_options(given)
    table = Path((given.subject or "").split(":")[0])
    files = (given.correspondence, given.weights, given.static, given.forces, given.normative, table)
    others = [path for path in files if path]
    if given.session:
        from motiform.cli.session import run_session

        run_session(given, options, [*others, *([Path(given.reference)] if given.reference is not None else [])])
        return
    if given.reference is not None:
        raise InputError("a reference is of a session", got="--reference", remedy="Say --session, or --normative.")
    batch = plan_batch(given.trials, given.out, options, overwrite=given.overwrite, leave_out=others)
    _work(batch, given.jobs, given.scheduler, given.quiet)
    end_batch(batch, given.as_json, given.strict)


_CONVERSION = ("fill", "frame", "filter")
_GROUPS = ("figure", "markers", "reconstruct", "calibrate", "muscles", *_CONVERSION)


def _trial_options(given: Reconstruction) -> "TrialOptions":
    """Return the settings common to all trials; invalid input raises an error here, before any work."""
    from motiform.measure import read_correspondence
    from motiform.motion.figures.marker_sets import read_sites
    from motiform.trials.figure import FigureSpec, read_subject
    from motiform.trials.trial import TrialOptions, check_options, read_weights

    measures: dict[str, Any] = _stated(height=given.height, mass=given.mass, sex=given.sex, knee=given.knee)
    if given.markers is not None:
        measures["markers"] = read_sites(given.markers) if Path(given.markers).is_file() else given.markers
    figure = _figure_of(given.figure, given.ik_setup, given.scale_setup)
    place = str(Path(figure).absolute()) if Path(figure).is_file() else figure
    fit: dict[str, Any] = {
        "cutoff": given.cutoff or None, "smooth": given.smooth, "robust": given.robust, "limits": given.limits,
        "angles": given.angles, **_stated(max_iterations=given.iterations, threshold=given.threshold),
        **({"reduce_residuals": True} if given.reduce_residuals else {}),
    }  # fmt: skip
    grouped = _grouped(parse_settings(given.set_))
    subjects, name = read_subject(given.subject)
    if given.correspondence is not None:
        fit["correspondence"] = read_correspondence(given.correspondence)
    if given.weights is not None:
        fit["weights"] = read_weights(given.weights)
    static = given.static
    if static is not None and not static.is_file():
        raise InputError("no such file", where="--static", got=str(static), remedy=closest_file(static))
    files = {"forces": given.forces, "ik": given.ik_setup, "scale": given.scale_setup, "normative": given.normative}
    more: dict[str, Any] = {
        name: None if path is None else str(_existing(path, name).absolute()) for name, path in files.items()
    }
    conversion: dict[str, dict[str, Any] | None] = {
        "fill": _fill(given.fill), "frame": None if given.frame is None else {"to": given.frame},
        "filter": None if given.filter_ is None else {"cutoff": given.filter_},
    }  # fmt: skip
    more |= {step: _asked(step, conversion[step], grouped[step]) for step in _CONVERSION}
    options = TrialOptions(
        FigureSpec(place, measures, subjects, name, grouped["figure"]),
        {**_stated(up=given.up, units=given.units), **grouped["markers"]}, {**fit, **grouped["reconstruct"]},
        None if static is None else str(static.absolute()), given.calibrate, grouped["calibrate"],
        not given.session if given.report is None else given.report, forward=given.forward, pdf=given.pdf,
        muscles=_muscles(given.muscles, grouped["muscles"]), any_residuals=given.any_residuals or None, **more,
    )  # fmt: skip
    check_options(options)
    return options


def _stated(**options: Any) -> dict[str, Any]:
    """Return the options that are given."""
    return {name: value for name, value in options.items() if value is not None}


def _muscles(asked: bool, settings: dict[str, Any]) -> dict[str, Any] | None:
    if settings and not asked:
        raise InputError("muscles are not asked for", where="--set", got="muscles.…", remedy="Say --muscles, too.")
    return settings if asked else None


def _fill(text: str | None) -> dict[str, Any] | None:
    """Return the longest gap that is filled [s], None for all."""
    if text is None:
        return None
    try:
        longest = None if text == "all" else float(text)
        if longest is not None and not 0.0 < longest < float("inf"):
            raise ValueError
    except ValueError:
        raise InputError(
            "no such length of gaps", where="--fill", got=text, allowed="seconds above 0, or all"
        ) from None
    return {"longest": longest}


def _asked(name: str, given: dict[str, Any] | None, settings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the options of a step of the conversion, None where it is not asked for."""
    if settings and not given:
        raise InputError(f"--{name} is not asked for", where="--set", got=f"{name}.…", remedy=f"Say --{name}, too.")
    return {**given, **settings} if given else None


def _existing(path: Path, name: str) -> Path:
    if not path.exists():
        option = f"--{name}" if name in ("forces", "normative") else f"--{name}-setup"
        raise InputError("no such file", where=option, got=str(path), remedy=closest_file(path))
    return path


def _figure_of(spec: str | None, ik: Path | None, scale: Path | None) -> str:
    """Return the figure: the given one, or the model that a set-up of OpenSim names."""
    from motiform.motion.postures.opensim.ik import read_ik_setup
    from motiform.motion.postures.opensim.scaling import read_scale_setup

    if spec is not None:
        return spec
    for setup, read in ((scale, read_scale_setup), (ik, read_ik_setup)):
        model = None if setup is None else read(_existing(setup, "ik" if setup is ik else "scale")).model
        if model is not None:
            if not model.is_file():
                raise InputError("no such model", where=str(setup), got=str(model), remedy="Give it as --figure.")
            return str(model)
    return "human36"


def _grouped(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings by group, "figure.lengths.L5" as {"figure": {"lengths": {"L5": …}}}."""
    found: dict[str, dict[str, Any]] = {group: {} for group in _GROUPS}
    for path, value in settings.items():
        group, *keys = path.split(".")
        if group not in found or not all(keys) or not keys:
            allowed = ", ".join(f"{name}.…" for name in _GROUPS)
            remedy = closest(group, _GROUPS) if group not in found else None
            raise InputError("no such parameter", where="--set", got=path, allowed=allowed, remedy=remedy)
        here = found[group]
        for key in keys[:-1]:
            here = here.setdefault(key, {})
        here[keys[-1]] = value
    return found


def _work(batch: "TrialBatch", jobs: int | None, scheduler: str | None, quiet: bool) -> None:
    """Process the unfinished trials; finished results are kept in any case."""
    from motiform.base.progress import bar
    from motiform.record.files import make_folder
    from motiform.studies import run_tasks
    from motiform.trials.trial import run_trial

    count = len(batch.trials)
    if batch.others:
        print_line(f"motiform: {len(batch.others)} trials of other subjects are left out", err=True)
    if count:
        make_folder(batch.out)  # or a long work would end in nothing
    for name in batch.damaged:
        print_line(f"motiform: {name}: files of it are missing or damaged; it is done again", err=True)
    try:
        with bar(f"{count} trial{'s' * (count != 1)}", quiet=quiet) as progress:
            for result in run_tasks(run_trial, batch.trials, jobs=jobs, scheduler=scheduler, progress=progress):
                batch.take(result.number, result.value, result.error)
    except KeyboardInterrupt:
        batch.save()
        done = sum(row["status"] in ("done", "doubtful") for row in batch.rows)
        print_line(f"{done} of {count} trials are done and stay in {batch.out}; --resume goes on from there", err=True)
        raise
    except MotiformError:
        batch.save()
        raise
    batch.save()


def end_batch(batch: "TrialBatch", as_json: bool, strict: bool, *, notes: bool = True) -> None:
    """Report the outcome of the trials, and exit with the corresponding code; ``notes``: with those of each trial."""
    summary = batch.summary()
    if as_json:
        print_line(json.dumps(summary, indent=1))
    else:
        for line in batch.table(notes=notes):
            print_line(line)
    for row in batch.rows:
        if row["status"] == "failed":
            print_line(f"motiform: {row['trial']}: {row['error']}", err=True)
        for words in (row.get("doubts") or ()) if notes else ():
            print_line(f"motiform: {row['trial']} is doubtful: {words}", err=True)
        for words in (row.get("residual_beyond") or ()) if notes else ():
            print_line(f"motiform: efforts of {row['trial']} are uncertain: {words}", err=True)
    if not as_json:
        print_line(_last_line(summary["count"], batch.out))
    failed = [row for row in batch.rows if row["status"] == "failed"]
    if failed:
        raise typer.Exit(2 if len(failed) == len(batch.rows) and all(row.get("input") for row in failed) else 1)
    if strict and any(row.get("doubts") or row.get("residual_beyond") for row in batch.rows):
        raise typer.Exit(1)


def _last_line(count: dict[str, int], out: Path) -> str:
    """Return the output and its location."""
    done, doubtful, skipped, failed = (count[state] for state in ("done", "doubtful", "skipped", "failed"))
    more = f"; {doubtful} doubtful" * bool(doubtful)
    more += f"; {skipped} done before" * bool(skipped) + f"; {failed} failed" * bool(failed)
    done += doubtful
    if not done and not failed:
        return f"already done, nothing changed: {skipped} trial{'s' * (skipped != 1)} in {out}"
    return f"wrote {done} trial{'s' * (done != 1)}{more}: {out}"
