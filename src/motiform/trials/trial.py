"""One trial from a file of markers to a folder of results: what `motiform reconstruct` does to each of its files."""

import json
import os
import secrets
import time
import traceback
import zlib
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import InputError, MotiformError, RunError, closest, closest_file
from motiform.base.files import are_as_written, folder_sums, reads_file
from motiform.base.locks import unlock
from motiform.base.machine import machine
from motiform.base.progress import Progress
from motiform.measure.poses import holds_poses
from motiform.motion.figures.site_names import write_sites
from motiform.motion.postures.dynamics.residual_reduction import move_mass_center
from motiform.motion.postures.fit_trial import fit_markers, observe_fit
from motiform.motion.postures.gait.angles import check_convention
from motiform.motion.postures.gait.normative import read_normative
from motiform.motion.postures.opensim.ik import read_ik_setup
from motiform.motion.postures.opensim.loads import add_forces
from motiform.motion.postures.opensim.scaling import read_scale_setup, scale_by_setup
from motiform.motion.postures.settings import Fit
from motiform.motion.tree import Figure
from motiform.motion.tree.read import write_bvh
from motiform.record import Recording
from motiform.record.files import PARTIAL, disk, lock_folder, remove_folder, sync_folder, write_file
from motiform.record.places import remove_stale
from motiform.trials.c3d import write_back
from motiform.trials.convert import change_to_frame, check_conversion, fill_trial, filter_trial
from motiform.trials.defaults import UnknownMarkersError, settle_defaults, settle_mass
from motiform.trials.figure import FigureSpec, calibrated, choose_subject, make_figure, taken_from, upright
from motiform.trials.files import (
    write_convergence,
    write_cycles,
    write_efforts,
    write_joint_angles,
    write_mot,
    write_tables,
)
from motiform.trials.inputs import companions, forces_of, read_forces, read_trial
from motiform.trials.muscles import OPTIONS as MUSCLE_OPTIONS
from motiform.trials.muscles import add_muscles, check_muscles, write_muscles
from motiform.trials.poses import settle_poses
from motiform.trials.stage import complete_fit
from motiform.trials.subjects import TrialGroup

__all__ = [
    "SUMMARY", "MarkerTrial", "TrialOptions", "brief", "check_options", "plain", "read_done", "read_weights",
    "reconstruct_trial", "run_trial", "shared_figure", "trial_key",
]  # fmt: skip

SUMMARY = "summary.json"
_READ = ("heading", "up", "units", "subject", "rate", "format", "partial", "unlabeled", "residuals")
_KIND = "motiform trial"
_OLD = ".old"
_LATER = ("muscles", "any_residuals", "fill", "filter", "frame")  # in keys of results where they are given
_OWN = ("kind", "options", "per_marker", "machine", "version", "sums", "sum")  # in the trial's own summary alone


@dataclass(frozen=True)
class TrialOptions:
    """What holds for all trials of a batch. Plain values, so that other processes can be given it."""

    figure: FigureSpec = field(default_factory=FigureSpec)
    read: dict[str, Any] = field(default_factory=dict)
    """Options of `read_markers`."""
    reconstruct: dict[str, Any] = field(default_factory=dict)
    """Options of `reconstruct`; correspondence and weights as mappings."""
    static: str | None = None
    """Path of a standing trial to calibrate the figure by."""
    calibrate: bool | None = None
    """Whether each trial calibrates the figure by its own markers, too; None: where its tags are a marker set's, and
    no static trial is given."""
    calibration: dict[str, Any] = field(default_factory=dict)
    """Options of `calibrate`."""
    report: bool = True
    """Whether a page is written."""
    forces: str | None = None
    """Path of a file of forces (external loads .xml, .mot, .sto, or C3D), or of a folder with one for each trial."""
    forward: str | None = None
    """Axis of the files that becomes x, the direction of walking."""
    ik: str | None = None
    """Path of a set-up of OpenSim's inverse kinematics: weights and tasks."""
    scale: str | None = None
    """Path of a set-up of OpenSim's scaling."""
    normative: str | None = None
    """Path of a table of normative bands, drawn in the page."""
    pdf: bool = False
    """Whether the page is written as PDF, too."""
    muscles: dict[str, Any] | None = None
    """Options of `muscle_forces`, where the muscles of the model are asked for."""
    any_residuals: bool | None = None
    """True: muscles are computed where residuals are beyond `RESIDUAL_LIMITS`, too."""
    fill: dict[str, Any] | None = None
    """Options of `fill_gaps`; None: gaps stay."""
    filter: dict[str, Any] | None = None
    """Options of `low_pass`; None: markers are not filtered."""
    frame: dict[str, Any] | None = None
    """Options of `change_frame`, and `to`: one of `FRAMES`; None: that of the file."""


@dataclass(frozen=True)
class MarkerTrial:
    """A file of markers, and the folder that its results go to."""

    source: str
    folder: str
    key: str
    options: TrialOptions
    group: TrialGroup = field(default_factory=TrialGroup)

    @property
    def name(self) -> str:
        """Name of the folder and of files in it."""
        return Path(self.folder).name


def check_options(options: TrialOptions) -> None:
    """Refuse what no trial can be done with: options without a meaning, files that are not there, a wrong figure."""
    known = (*(f.name for f in fields(Fit)), "cutoff", "dynamics", "reduce_residuals")
    tables = {"markers": (options.read, _READ), "reconstruct": (options.reconstruct, known),
              "muscles": (options.muscles or {}, MUSCLE_OPTIONS)}  # fmt: skip
    for where, (given, names) in tables.items():
        for name in given:
            if name not in names:
                remedy = closest(name, names)
                raise InputError("no such option", where=where, got=name, allowed=", ".join(names), remedy=remedy)
    check_conversion(options)
    spec = options.figure
    figure = make_figure(spec, spec.subject if spec.subject or not spec.subjects else next(iter(spec.subjects)))
    if options.static is not None:
        read_trial(options.static, options)
    if options.ik is not None:
        read_ik_setup(options.ik).options(figure)
    if options.scale is not None:
        figure = _scaled(figure, options)
    if options.normative is not None:
        read_normative(options.normative)
    if options.muscles is not None:
        check_muscles(options)
    check_convention(options.reconstruct.get("angles", "isb"))
    for what in ("correspondence", "weights"):
        for name in options.reconstruct.get(what) or {}:
            if name not in figure.tag_names:
                raise InputError(
                    f"the {what} must name tags of the figure", got=name, allowed=", ".join(figure.tag_names),
                    remedy=closest(name, figure.tag_names),
                )  # fmt: skip


@reads_file("weights")
def read_weights(path: str | Path) -> dict[str, float]:
    """Read a CSV file with the columns tag and weight; the first line may be these words, # begins a remark."""
    place, found = Path(path), dict[str, float]()
    if not place.is_file():
        allowed, remedy = "a CSV file: tag,weight", closest_file(place)
        raise InputError("no such file", where="--weights", got=str(place), allowed=allowed, remedy=remedy)
    for number, line in enumerate(place.read_text("utf-8-sig", "replace").splitlines(), start=1):
        cells = [cell.strip() for cell in line.split("#")[0].replace(";", ",").replace("\t", ",").split(",")]
        if not any(cells) or [cell.lower() for cell in cells[:2]] == ["tag", "weight"]:
            continue
        try:
            weight = float(cells[1])
            if not (np.isfinite(weight) and weight >= 0 and cells[0]):
                raise ValueError
        except (ValueError, IndexError):
            allowed = "tag,weight with a number from 0"
            raise InputError(
                "a line of weights must have a tag and a number", where=f"{place}:{number}", got=line[:60],
                allowed=allowed,
            ) from None  # fmt: skip
        found[cells[0]] = weight
    return found


def trial_key(source: str | Path, options: TrialOptions) -> str:
    """Return a hash of all that the results depend on: the files and the options."""
    given = {name: value for name, value in asdict(options).items() if name not in _LATER or value is not None}
    digest = Digest(given)
    files = [source, options.static, options.figure.figure, *_texts(options.figure.options), options.ik, options.scale,
             options.normative]  # fmt: skip
    if os.path.basename(str(source)):
        files += [str(file) for path in (source, options.static) if path is not None for file in companions(path)]
    if options.forces is not None and os.path.basename(str(source)):
        files.append(str(forces_of(source, options.forces)))
    for file in files:
        if file is not None and os.path.isfile(file):
            try:
                digest.add_file(Path(file))
            except OSError as error:
                raise InputError("cannot be read", where=str(file), got=error.strerror or str(error)) from error
    return digest.text(32)


def _texts(options: dict[str, Any]) -> list[str]:
    return [value for value in options.values() if isinstance(value, str)]


def read_done(folder: Path) -> dict[str, Any] | None:
    """Return the summary of a trial that is done, or None where there is none."""
    try:
        found = json.loads((folder / SUMMARY).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    mine = isinstance(found, dict) and found.get("kind") == _KIND and found.get("sum") == _sum_of(found)
    return found if mine else None


def holds_results(folder: Path) -> bool:
    """Tell whether a folder is one of results, also where its summary is damaged."""
    return (folder / SUMMARY).is_file() and (folder / f"{folder.name}.mf").is_dir()


def _sum_of(summary: dict[str, Any]) -> int:
    """Return the checksum of a summary, which is in it."""
    rest = {key: value for key, value in summary.items() if key != "sum"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())


def is_whole(folder: Path, done: dict[str, Any]) -> bool:
    """Tell whether all files of a trial that is done are there as they were written."""
    return are_as_written(folder, done["sums"])


def brief(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a trial in the summary of a batch."""
    return {name: summary[name] for name in summary if name not in _OWN}


def run_trial(trial: MarkerTrial, progress: Progress) -> dict[str, Any]:
    """Return the summary of a trial after all of its files are written; it contains the error if the trial failed."""
    begun = time.monotonic()
    try:
        found = _done(trial, progress)
    except UnknownMarkersError as error:
        words = f"{error} {_write_template(trial, error.names)}"
        found = {"status": "failed", "error": words, "input": True}
    except MotiformError as error:
        found = {"status": "failed", "error": str(error), "input": error.exit_code == 2}
    except OSError as error:
        found = {"status": "failed", "error": f"{trial.source}: {error.strerror or error}", "input": False}
    except Exception as error:  # a defect of ours must not stop the other trials
        text = "".join(traceback.format_exception(error))
        found = {"status": "failed", "error": f"{type(error).__name__}: {error}", "input": False, "traceback": text}
    return {"trial": trial.name, "source": trial.source, **found, "seconds": time.monotonic() - begun}


def _write_template(trial: MarkerTrial, names: tuple[str, ...]) -> str:
    """Write a table of marker names beside likely sites where results would be; one that is there stays."""
    path = Path(trial.folder).with_name(f"{trial.name}_markers.csv")
    if path.exists():
        return f"{path} has the names beside likely sites."
    with disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_sites(names, path)
    return f"Their names are written to {path} beside likely sites: correct them, and give it as --markers."


def _done(trial: MarkerTrial, progress: Progress) -> dict[str, Any]:
    rec, figure, markers = reconstruct_trial(trial, progress)
    return _write(trial, rec, figure, markers, progress)


def reconstruct_trial(trial: MarkerTrial, progress: Progress) -> tuple[Recording, Figure, Recording]:
    """Return the postures of a trial, its figure, and the markers as they were converted; nothing is written."""
    options, source = trial.options, Path(trial.source)
    markers = read_trial(source, options)
    if options.forces is not None:
        markers = add_forces(markers, read_forces(forces_of(source, options.forces), options))
    subject = choose_subject(options.figure, markers, source, trial.group.column)
    calibration: dict[str, Any] = {}
    if holds_poses(markers):
        options, figure, markers, assumed = settle_poses(options, markers, subject)
    else:
        markers = fill_trial(markers, options)
        options, assumed = settle_defaults(options, markers, subject)
        markers = filter_trial(change_to_frame(markers, options, subject), options)
        figure, calibration = _figure(options, subject, markers, lambda part: progress(0.3 * part))
    first = 0.3 if calibration else 0.0
    setup: dict[str, Any] = {} if options.ik is None else read_ik_setup(options.ik).options(figure)
    if options.muscles is not None:
        setup["dynamics"] = True
    given = setup | options.reconstruct
    fit = taken_from(given, Fit)
    fitted = fit_markers(figure, markers, fit, lambda part: progress(first + (0.8 - first) * part))
    rec = observe_fit(fitted, figure, **given | {"reduce_residuals": False})
    mass, notes = settle_mass(options, subject, figure, rec)
    if mass is not None:
        assumed["mass"] = ("forces of the plates", mass)
        figure = figure.replace(mass=mass)
    if mass is not None or given.get("reduce_residuals"):
        rec = observe_fit(fitted, figure, **given)
        figure = move_mass_center(figure, rec.manifest["reconstruct"].get("residual_reduction"))
    rec = complete_fit(rec, fitted, figure)
    rec.manifest["title"] = trial.name
    rec.manifest["reconstruct"]["notes"] += notes
    rec.manifest["taken"] = {name: [value, why] for name, (why, value) in assumed.items()}
    if subject is not None:
        rec.manifest["subject"] = subject
    if calibration:
        rec.manifest["calibration"] = calibration
    if options.muscles is not None:
        beyond = rec.manifest["reconstruct"]["residual_beyond"] and "plate.force" in markers
        if beyond and not options.any_residuals:
            rec.manifest["reconstruct"]["notes"].append(
                "muscles are left out, since residuals are beyond their limits; --any-residuals computes them, too"
            )
        else:
            rec = add_muscles(rec, figure, markers, options, subject)
    return rec, figure, markers


def _figure(
    options: TrialOptions, subject: str | None, markers: Recording, progress: Progress
) -> tuple[Figure, dict[str, Any]]:
    """Return the figure of a trial and what its calibration tells."""
    shared, calibration = _shared_figure(_Once(options, subject))
    if not options.calibrate:
        return shared, calibration
    static = None if options.static is None else read_trial(options.static, options)
    found = calibrated(
        make_figure(options.figure, subject), markers, static,
        correspondence=options.reconstruct.get("correspondence"), weights=options.reconstruct.get("weights"),
        options=options.calibration, progress=progress,
    )  # fmt: skip
    return found.figure, _calibration(found)


def shared_figure(options: TrialOptions, subject: str | None) -> Figure:
    """Return the figure that all trials of a subject share."""
    return _shared_figure(_Once(options, subject))[0]


@dataclass(frozen=True)
class _Once:
    """Options of a batch and a subject, distinguished by their content: figures are made once for many trials."""

    options: TrialOptions = field(compare=False)
    subject: str | None
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", trial_key("", self.options))


@lru_cache(maxsize=16)
def _shared_figure(once: _Once) -> tuple[Figure, dict[str, Any]]:
    """Return the figure that all trials of a subject share, calibrated by the static trial where there is one."""
    options = once.options
    figure = make_figure(options.figure, once.subject)
    if options.scale is not None:
        return _scaled(figure, options), {}
    if options.static is None or options.calibrate:
        return figure, {}
    found = calibrated(
        figure, None, read_trial(options.static, options),
        correspondence=options.reconstruct.get("correspondence"), weights=options.reconstruct.get("weights"),
        options=options.calibration,
    )  # fmt: skip
    return found.figure, _calibration(found)


def _scaled(figure: Figure, options: TrialOptions) -> Figure:
    """Return the figure as a set-up of OpenSim scales it, with the given static trial or that of the set-up."""
    assert options.scale is not None
    setup = read_scale_setup(options.scale)
    path = options.static or (None if setup.static is None else str(setup.static))
    return scale_by_setup(figure, setup, None if path is None else read_trial(path, options))


def _calibration(found: Any) -> dict[str, Any]:
    """Return what a calibration has found, as plain values [m]."""
    return {
        "lengths": dict(found.lengths), "before": dict(found.before),
        "tag_offsets": {name: np.asarray(shift).tolist() for name, shift in found.tag_offsets.items()},
        "error_before": found.error_before, "error_after": found.error_after, "samples": len(found.q),
        "settled": bool(found.settled), "report": found.report(),
    }  # fmt: skip


# ---------------------------------------------------------------- the folder
def _write(
    trial: MarkerTrial, rec: Recording, figure: Figure, markers: Recording, progress: Progress
) -> dict[str, Any]:
    """Write all files of a trial aside, then give the folder its name: it is there whole or not at all."""
    folder = Path(trial.folder)
    aside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{PARTIAL}")
    with disk(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_left(folder)
        aside.mkdir()
        claim = lock_folder(aside)
        try:
            files = _write_files(trial, rec, figure, markers, aside)
            progress(0.97)
            summary: dict[str, Any] = plain({**_summary(trial, rec, files), "sums": folder_sums(aside)})
            summary["sum"] = _sum_of(summary)
            write_file(aside / SUMMARY, (json.dumps(summary, indent=1) + "\n").encode())
            _put_in_place(aside, folder)
        finally:
            unlock(claim)
            remove_folder(aside)
    progress(1.0)
    return {"status": "doubtful" if summary["doubts"] else "done", **brief(summary)}


def _write_files(trial: MarkerTrial, rec: Recording, figure: Figure, markers: Recording, folder: Path) -> list[str]:
    from motiform.motion.postures.gait.angles import default_joints, joint_angles
    from motiform.motion.postures.gait.landmarks import landmark_frames

    name = trial.name
    rec.save(folder / f"{name}.mf")
    files = [f"{name}.mf", *(path.name for path in write_tables(rec, folder))]
    files.append(write_convergence(rec, folder / "convergence.csv").name)
    files.append(write_mot(rec, figure, folder / f"{name}.mot").name)
    rate = rec.channel("q").rate
    if rate is not None and np.isfinite(rec["q"]).all():
        write_bvh(figure, rec["q"], folder / f"{name}.bvh", rate=rate)
        files.append(f"{name}.bvh")
    if "effort" in rec:
        files.append(write_efforts(rec, figure, folder / f"{name}_efforts.sto").name)
    if "muscle.force" in rec:
        files += [path.name for path in write_muscles(rec, folder, name)]
    if default_joints(figure):
        metadata = rec.manifest["reconstruct"]
        frames = landmark_frames(figure, metadata["per_marker"])
        angles = joint_angles(figure, rec["q"], frames=frames, convention=metadata["angles"])
        files.append(write_joint_angles(rec, angles, folder / f"{name}_angles.sto").name)
    cycles = write_cycles(rec, figure, folder / f"{name}_cycles.csv")
    files += [] if cycles is None else [cycles.name]
    back = write_back(rec, figure, markers, folder / f"{name}.c3d")
    files += [] if back is None else [back.name]
    if trial.options.report or trial.options.pdf:
        from motiform.image.report.page import report_blocks, write_blocks

        bands = None if trial.options.normative is None else read_normative(trial.options.normative)
        blocks = report_blocks(rec, figure, upright(figure, markers), bands)
        for ending in ["html"] * trial.options.report + ["pdf"] * trial.options.pdf:
            write_blocks(blocks, folder / f"report.{ending}")
            files.append(f"report.{ending}")
    return files


def _summary(trial: MarkerTrial, rec: Recording, files: list[str]) -> dict[str, Any]:
    metadata = rec.manifest["reconstruct"]
    seen = [row["seen"] for row in metadata["per_marker"].values()]
    worst: Any = max(metadata["per_marker"].items(), key=lambda item: item[1]["rms"] or 0.0, default=(None, {}))
    names = [event.name for event in rec.events]
    found = {
        "kind": _KIND, "key": trial.key, "folder": trial.folder, "files": files, "figure": rec.manifest.get("figure"),
        "subject": rec.manifest.get("subject"), "samples": metadata["samples"], "duration": rec.duration,
        "markers": len(seen), "seen": float(np.mean(seen)) if seen else 0.0, "rms": metadata["rms"],
        "rms_weighted": metadata["rms_weighted"], "notes": metadata["notes"], "doubts": metadata["doubts"],
        "residual_beyond": metadata["residual_beyond"],
        **{name: sum(row[name] for row in metadata["per_marker"].values()) for name in ("left_out", "swapped")},
        "worst": {"tag": worst[0], "rms": worst[1].get("rms")}, "marker_sd": metadata["marker_sd"],
        "not_settled": metadata["not_settled"], "lost": metadata["lost"], "iterations": metadata["iterations"],
        "events": {name: names.count(name) for name in dict.fromkeys(names)},
        "residual": metadata.get("residual"), "per_marker": metadata["per_marker"], "options": asdict(trial.options),
        **machine(),
    }  # fmt: skip
    if "calibration" in rec.manifest:
        calibration = rec.manifest["calibration"]
        found["calibration"] = {name: calibration[name] for name in ("error_before", "error_after", "settled")}
    return found


def plain(value: Any) -> Any:
    """Return a value that JSON has: nan and infinity are none of them."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _put_in_place(aside: Path, folder: Path) -> None:
    """Give a finished folder its name; results that are there go, anything else is left alone."""
    sync_folder(aside)
    done = read_done(folder)
    if folder.exists():
        if done is None and not holds_results(folder):
            raise RunError("the folder holds other things", where=str(folder), remedy="Move it, or give another --out.")
        old = aside.with_suffix(_OLD)
        os.rename(folder, old)
        os.rename(aside, folder)
        remove_folder(old)
    else:
        os.rename(aside, folder)
    sync_folder(folder.parent)


def _remove_left(folder: Path) -> None:
    """Remove what processes that were killed while they wrote this trial left beside its folder."""
    remove_stale(folder)
    for entry in folder.parent.iterdir():
        if entry.name.startswith(f".{folder.name}.") and entry.suffix == _OLD and folder.exists():
            remove_folder(entry)
