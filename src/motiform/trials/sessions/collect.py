"""The gait cycles of a finished trial, with its electromyograms and the forces of the ground."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from motiform.base.errors import MotiformError
from motiform.measure.emg import emg_envelopes
from motiform.motion.postures.gait.cycles import cut_series, gait_cycles
from motiform.motion.postures.gait.events import Walker, walker_of
from motiform.motion.postures.gait.ground import ground_series
from motiform.motion.postures.gait.pool import TrialCycles
from motiform.motion.postures.gait.pooled import UNITS
from motiform.motion.postures.gait.series import SideSeries, joint_series
from motiform.motion.postures.gait.spatial import stride_measures
from motiform.motion.postures.gait.upper_body import upper_series
from motiform.motion.postures.opensim.loads import add_forces
from motiform.motion.tree import Figure
from motiform.record import Recording, open_recording
from motiform.trials.convert import change_to_frame
from motiform.trials.figure import upright
from motiform.trials.inputs import forces_of, read_forces, read_trial
from motiform.trials.trial import TrialOptions, shared_figure

__all__ = ["collect_cycles"]


def collect_cycles(row: Mapping[str, Any], folder: Path, condition: str, options: TrialOptions) -> TrialCycles:
    """Return the cycles of a trial from its folder of results; ``row`` is its entry in the batch."""
    rec = open_recording(folder / f"{folder.name}.mf")
    figure = _figure_of(rec, options)
    doubt = "the trial is doubtful" if row.get("doubts") else ""
    trial = str(row["trial"])
    try:
        walker = walker_of(figure, rec.time("q"), rec["q"])
        walker.forward  # noqa: B018  # raises where feet have no direction
    except MotiformError as error:
        return TrialCycles(trial, condition, doubt=doubt, notes=(f"no gait: {error}",))
    cycles = tuple(gait_cycles(rec.events))
    convention = str(rec.manifest["reconstruct"]["angles"])
    legs, upper = (read(rec, figure, walker, convention) for read in (joint_series, upper_series))
    quantities = [*cut_series(rec.time("q"), (*legs.series, *upper.series), cycles)]
    markers, notes = _source_of(row, rec, options), list[str]()
    if markers is not None:
        quantities += cut_series(rec.time("q"), _ground(rec, figure, markers, walker), cycles, UNITS)
        envelopes = emg_envelopes(markers)
        series = [
            SideSeries("emg", one.muscle, "EMG", one.side, envelopes.values[:, k])
            for k, one in enumerate(envelopes.channels)
        ]
        quantities += cut_series(envelopes.times, series, cycles, UNITS)
        notes += [f"EMG left out, {words}" for words in envelopes.left_out]
    if not cycles:
        notes.append("no whole stride")
    strides = tuple(stride_measures(walker, rec.events))
    return TrialCycles(
        trial, condition, cycles, tuple(quantities), strides, (*legs.undetermined, *upper.undetermined), doubt,
        tuple(notes),
    )  # fmt: skip


def _figure_of(rec: Recording, options: TrialOptions) -> Figure:
    """Return the figure of a trial: that of the session, with the mass that the trial's own plates gave it."""
    figure = shared_figure(options, _subject_of(rec, options))
    mass = (rec.manifest.get("taken") or {}).get("mass")
    return figure if mass is None else figure.replace(mass=mass[0])


def _source_of(row: Mapping[str, Any], rec: Recording, options: TrialOptions) -> Recording | None:
    """Return what the file of a trial holds besides postures; None where it has neither plates nor analog channels."""
    source = Path(str(row["source"]))
    if source.suffix.lower() != ".c3d" and options.forces is None:
        return None
    markers = read_trial(source, options)
    if options.forces is not None:
        markers = add_forces(markers, read_forces(forces_of(source, options.forces), options))
    if not {"plate.force", "analog"} & set(markers.names):
        return None
    return change_to_frame(markers, options, _subject_of(rec, options))


def _subject_of(rec: Recording, options: TrialOptions) -> str | None:
    """Return the column of the table of subjects that a trial was done with."""
    name = rec.manifest.get("subject")
    return name if name in options.figure.subjects else None


def _ground(rec: Recording, figure: Figure, markers: Recording, walker: Walker) -> list[SideSeries]:
    return ground_series(rec, figure, upright(figure, markers), walker)
