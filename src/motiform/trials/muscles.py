"""Muscles of a trial: those of its OpenSim model, stretched as its figure is, and their files."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motiform.base.errors import InputError
from motiform.measure import write_sto
from motiform.motion.actuation.muscles import Muscles, read_muscles, scale_muscles
from motiform.motion.postures.dynamics.muscles import muscle_forces
from motiform.motion.postures.opensim.scaling import read_scale_setup, setup_factors
from motiform.motion.tree import Figure
from motiform.record import Recording
from motiform.record.files import disk, write_file
from motiform.trials.figure import make_figure, upright
from motiform.trials.inputs import read_trial

if TYPE_CHECKING:
    from motiform.trials.trial import TrialOptions

__all__ = ["OPTIONS", "add_muscles", "check_muscles", "write_muscles"]

OPTIONS = ("power", "reserve", "coordinates", "passive", "cutoff")
"""Of `muscle_forces` that a user may set."""


def check_muscles(options: "TrialOptions") -> None:
    """Refuse figures that have no muscles."""
    path = Path(options.figure.figure)
    if path.suffix.lower() != ".osim":
        raise InputError(
            "muscles are those of an OpenSim model", where="--muscles", got=f"figure {options.figure.figure}",
            allowed="--figure MODEL.osim, with muscles",
        )  # fmt: skip
    if not read_muscles(path, **options.figure.options).muscles:
        raise InputError("the model has no muscles", where=str(path), remedy="Leave --muscles out.")


def add_muscles(
    rec: Recording, figure: Figure, markers: Recording, options: "TrialOptions", subject: str | None
) -> Recording:
    """Return the trial with activations, forces and reserves of the muscles of its model."""
    muscles = _muscles(figure, options, subject, rec.manifest.get("calibration"))
    plates = upright(figure, markers) if "plate.force" in markers else None
    assert options.muscles is not None
    return muscle_forces(rec, muscles, plates, **options.muscles)


def _muscles(figure: Figure, options: "TrialOptions", subject: str | None, calibration: Any) -> Muscles:
    """Return the muscles on the figure of a trial, stretched by what its calibration or its scale set-up did."""
    own = make_figure(options.figure, subject)
    muscles = read_muscles(options.figure.figure, own, **options.figure.options)
    factors: dict[str, Any] = {}
    if calibration:
        factors = calibration["lengths"]
    elif options.scale is not None:
        setup = read_scale_setup(options.scale)
        path = options.static or (None if setup.static is None else str(setup.static))
        factors, _ = setup_factors(own, setup, None if path is None else read_trial(path, options))
    return scale_muscles(muscles, figure, factors) if factors else muscles.of(figure)


# ---------------------------------------------------------------- files
def write_muscles(rec: Recording, folder: Path, name: str) -> list[Path]:
    """Write activations, forces, reserves and contact forces over time as STO, and over the gait cycle as CSV."""
    from motiform.image.report.gait import cycles_csv
    from motiform.image.report.muscles import muscle_curves

    labels = rec.manifest["labels"]
    own = {what: [f"{one}_{what}" for one in labels["moment"]] for what in ("moment", "reserve")}
    tables = {
        "activation": {"muscle.activation": [labels["muscle"]]},
        "muscle_force": {"muscle.force": [labels["muscle"]]},
        "reserves": {"muscle.moment": [own["moment"]], "muscle.reserve": [own["reserve"]]},
        "joint_contact": {"joint.contact": [labels["segment"], ["mx", "my", "mz", "fx", "fy", "fz"]]},
    }
    written = []
    for ending, columns in tables.items():
        written.append(folder / f"{name}_{ending}.sto")
        write_sto(_table(rec, columns), written[-1])
    curves = muscle_curves(rec)
    if curves is not None:
        written.append(folder / f"{name}_muscle_cycles.csv")
        with disk(written[-1]):
            write_file(written[-1], cycles_csv(curves).encode())
    return written


def _table(rec: Recording, columns: dict[str, list[list[str]]]) -> Recording:
    """Return channels with these names along their axes."""
    data, labels = {}, dict[str, list[str]]()
    for name, names in columns.items():
        dims = tuple(f"{name} {k}" for k in range(len(names)))
        data[name] = (replace(rec.channel(name), dims=dims), rec[name])
        labels |= dict(zip(dims, names, strict=True))
    times = None if rec.channel(name).rate is not None else rec.time(name)
    return Recording.from_arrays(data, times=times, manifest={"labels": labels})
