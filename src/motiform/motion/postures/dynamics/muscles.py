"""Muscles of a measured motion: activations, forces, reserves, and contact forces of the joints."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import changed
from motiform.motion.actuation.muscles import Muscles, static_optimization
from motiform.motion.actuation.muscles.unknown import joints_crossed, subtrees
from motiform.motion.postures.derivatives import velocities
from motiform.motion.postures.dynamics.efforts import Efforts, efforts
from motiform.motion.postures.feet import find_feet
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.recording import Recording

__all__ = ["MUSCLE_CHANNELS", "muscle_forces"]

MUSCLE_CHANNELS = {
    "muscle.activation": "activation",
    "muscle.force": "force of the muscle along its tendon",
    "muscle.length": "length of the path",
    "muscle.speed": "lengthening speed of the path",
    "muscle.fibre.length": "fibre length over the optimal one",
    "muscle.fibre.speed": "fibre speed over the greatest",
    "muscle.moment": "moment of inverse dynamics that muscles share",
    "muscle.reserve": "moment that muscles and actuators leave",
    "muscle.control": "control of the actuators of coordinates",
    "muscle.ligament.force": "force of the ligament",
    "joint.contact": "wrench of the joint on its segment, muscles apart: moment about the segment's origin, force",
}
"""Channels that `muscle_forces` adds to a recording, and what they hold."""


def muscle_forces(
    rec: Recording,
    muscles: Muscles,
    plates: Recording | None = None,
    *,
    power: float = 2.0,
    reserve: float | dict[str, float] = 1.0,
    coordinates: Sequence[str] | None = None,
    passive: bool = True,
    cutoff: float | None = None,
) -> Recording:
    """Return a reconstructed trial with the activations and forces of muscles, and the contact forces of joints.

    Static optimisation of every sample with the low-passed motion that the efforts are computed from. Where a foot
    stands beside the plates its leg's moments are not known: muscles and joints that depend on them are nan there.

    Parameters
    ----------
    rec : of `motiform.reconstruct`.
    muscles : of the same figure, as `read_muscles` or `scale_muscles` give them.
    plates : recording with ``plate.force``, in the axes of the figure; None where nothing but the joints holds it.
    power, reserve, coordinates, passive, cutoff : of `static_optimization`.

    """
    figure, t = muscles.figure, rec.time("q")
    if rec["q"].shape[1] != figure.nq or "v" not in rec:
        got = f"q {rec['q'].shape}" + ("" if "v" in rec else ", no v")
        raise InputError(
            "the trial must be of the muscles' figure", got=got, allowed=f"q (samples, {figure.nq}), and v"
        )
    needed, motion = _efforts(rec, figure, plates)
    known = _known_moments(figure, needed, plates)
    tau = np.where(known, needed.effort, np.nan)
    found = static_optimization(
        muscles, (t, motion.q, motion.v, tau), power=power, reserve=reserve, coordinates=coordinates, passive=passive,
        cutoff=cutoff, acceleration=motion.a, external=needed.external,
    )  # fmt: skip
    crossed = np.flatnonzero(joints_crossed(muscles.paths).any(axis=0))
    found.manifest["muscles"]["joints"] = [figure.names[n] for n in crossed]
    found.manifest["muscles"]["weight"] = figure.mass * float(np.linalg.norm(figure.gravity))
    return _added(rec, found, _known_joints(figure, needed))


def _efforts(rec: Recording, figure: Figure, plates: Recording | None) -> tuple[Efforts, Any]:
    """Return the efforts of a trial with the forces behind them, and the low-passed motion."""
    t, used = rec.time("q"), rec.manifest["reconstruct"]["cutoff"]
    half = 0.5 * (len(t) - 1) / (t[-1] - t[0])
    cutoff = used if used is not None and used < half else None
    seen = np.isfinite(np.asarray(rec["v"])).all(1)
    motion = velocities(figure, t, np.where(seen[:, None], rec["q"], np.nan), cutoff=cutoff)
    if rec.manifest["reconstruct"].get("residual_reduction"):  # by plates, too
        motion = motion._replace(v=np.asarray(rec["v"]), a=np.asarray(rec["a"]))
    return efforts(figure, t, motion.q, motion.v, motion.a, plates, cutoff=cutoff), motion


def _known_moments(figure: Figure, needed: Efforts, plates: Recording | None) -> Array:
    """Return of which coordinates the moments are known, (samples, nv): all feet that they move bear known forces."""
    if needed.assignment is None:
        _check_free(figure, plates)
        return np.ones_like(needed.effort, bool)
    feet = [foot.segment for foot in needed.assignment.feet]
    moved = figure.carried[feet]
    if figure.coupled is not None:
        moved = moved @ np.abs(figure.coupled.matrix(figure.neutral()))
    return np.asarray((~needed.assignment.known_feet).astype(float) @ (moved > 0) == 0)


def _check_free(figure: Figure, plates: Recording | None) -> None:
    """Refuse a figure with feet where nothing is known of the ground."""
    try:
        feet = find_feet(figure)
    except InputError:
        return  # an arm: nothing but its joints holds it
    if plates is None:
        raise InputError(
            "muscles of a standing figure need the forces of the ground", where=f"feet {feet[0].name}, …",
            got="no force plates", remedy="Give a C3D file with plates, or --forces.",
        )  # fmt: skip


def _known_joints(figure: Figure, needed: Efforts) -> Array:
    """Return of which joints the wrenches are known, (samples, segments): all feet that they carry bear known ones."""
    if needed.assignment is None:
        return np.ones((len(needed.effort), len(figure.segments)), bool)
    feet = [foot.segment for foot in needed.assignment.feet]
    carries = subtrees(figure)[:, feet]
    return np.asarray((~needed.assignment.known_feet).astype(float) @ carries.T == 0)


def _added(rec: Recording, found: Recording, known: Array) -> Recording:
    own, data = rec.channel("q"), {}
    for name in found.names:
        title = "joint.contact" if name == "reaction" else f"muscle.{name}"
        values = np.asarray(found[name])
        if name == "reaction":
            values = np.where(known[:, :, None], values, np.nan)
        channel = replace(
            found.channel(name), name=title, rate=own.rate, start=own.start, description=MUSCLE_CHANNELS[title]
        )
        data[title] = (channel, values)
    labels = found.manifest["labels"]
    named = {key: labels[key] for key in ("muscle", "moment", "actuator", "ligament", "segment")}
    manifest = {"muscles": found.manifest["muscles"], "labels": rec.manifest["labels"] | named}
    events = sorted([*rec.events, *found.events], key=lambda event: event.time)
    return changed(rec, data, manifest=manifest, times=rec.time("q"), events=events)
