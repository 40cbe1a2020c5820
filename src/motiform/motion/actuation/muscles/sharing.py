"""Static optimisation: the muscle forces of a measured motion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.measure.filters import filtered
from motiform.measure.gaps import runs
from motiform.motion.actuation.muscles.hill import fibre_forces
from motiform.motion.actuation.muscles.muscle_set import Muscles
from motiform.motion.actuation.muscles.paths.geometry import path_geometry, path_wrenches
from motiform.motion.actuation.muscles.unknown import depending, joints_crossed
from motiform.motion.tree.algorithms.matrices import joint_wrenches
from motiform.motion.tree.observe import effort_units
from motiform.record.channel import Channel, Event
from motiform.record.labels import WRENCH_UNITS
from motiform.record.recording import Recording
from motiform.spatial.checks import Array, as_floats

__all__ = ["Shares", "share_moments", "static_optimization"]

_IDLE = 1e-6  # [m] moment arms below this do not move a coordinate
_SHARE = 0.05  # of the greatest moment of a coordinate that a reserve is reported from


class Shares(NamedTuple):
    """How moments are shared."""

    activation: Array
    """(samples, actuators)"""
    reserve: Array
    """What the actuators leave [N·m or N], (samples, moments)."""
    settled: np.ndarray
    """Whether the search settled, (samples,) bool."""


def share_moments(
    gain: ArrayLike, moment: ArrayLike, low: ArrayLike, high: ArrayLike, *, power: ArrayLike = 2.0,
    reserve: ArrayLike = 1.0, device: str = "cpu",
) -> Shares:  # fmt: skip
    """Return x of the least Σ |x|ᵖ + Σ (r/reserve)² with gainᵀ x + r = moment and low ≤ x ≤ high, for each sample.

    gain (samples, actuators, moments): moment at x = 1; moment (samples, moments); the others by actuator or by moment.
    """
    from motiform.base.kernels import get_device
    from motiform.motion.actuation.muscles import share_kernels

    G, b = as_floats(gain, where="gain"), as_floats(moment, where="moment")
    if G.ndim != 3 or b.shape != (G.shape[0], G.shape[2]):
        allowed = "(samples, actuators, moments) and (samples, moments)"
        raise InputError("gain and moment must match", got=f"{G.shape} and {b.shape}", allowed=allowed)
    count, n, k = G.shape
    bounds = [np.array(np.broadcast_to(np.asarray(x, float), (n,))) for x in (low, high, power)]
    spare = np.array(np.broadcast_to(np.asarray(reserve, float), (k,)))
    if not (bounds[0] <= bounds[1]).all():
        raise InputError("low must not be above high", got=int(np.argmax(bounds[0] > bounds[1])))
    if not (bounds[2] > 1.0).all():
        raise InputError("power must be above 1", got=float(bounds[2].min()), allowed="above 1; usual are 2 and 3")
    if not (spare > 0.0).all():
        raise InputError("reserve must be above 0", got=float(spare.min()), allowed="above 0 N·m or N")
    on = get_device(device)
    slots = count if device != "cpu" else min(count, 64)
    work = on.empty((slots, share_kernels.rows_of_work(n, k)))
    out = on.empty((count, n)), on.empty((count, k)), on.empty(count, np.int64)
    inputs = (on.array(x) for x in (G, b, *bounds, spare))
    on.launch(share_kernels.share_moments, slots, slots, count, *inputs, work, *out, least=2)
    return Shares(on.host(out[0]), on.host(out[1]), on.host(out[2]) >= 0)


@dataclass(frozen=True)
class _Motion:
    """A motion and its moments."""

    times: Array
    q: Array
    v: Array
    effort: Array
    a: Array | None


def static_optimization(
    muscles: Muscles,
    motion: Recording | Sequence[ArrayLike],
    *,
    power: float = 2.0,
    reserve: float | dict[str, float] = 1.0,
    coordinates: Sequence[str] | None = None,
    passive: bool = True,
    cutoff: float | None = None,
    acceleration: ArrayLike | None = None,
    external: ArrayLike | None = None,
    device: str = "cpu",
) -> Recording:
    """Return activations and forces of muscles whose moments are those of inverse dynamics, for every sample.

    At each instant it finds the least Σ aᵖ + Σ (r/reserve)², with the moments of muscles at their lengths and speeds,
    ligaments, actuators and reserves r together equal to the efforts. Tendons keep their slack length.

    Parameters
    ----------
    motion : a recording with the channels q, v, effort, as `reconstruct` makes it, or (times [s], q, v, effort).
        Moments that are nan are not known: they, and muscles whose shares depend on them, are nan in that sample.
    power : p, above 1.
    reserve : strength of the reserve of each coordinate [N·m or N], or by name; small ones are used little. What
        muscles cannot do is in them, and large ones are an event.
    coordinates : whose moments are shared; None: all that a muscle or an actuator moves.
    passive : whether stretched fibres pull, too. OpenSim's static optimisation leaves that out.
    cutoff : low-pass filter of the activations over the trial [Hz]; the reserves hold what is then missing.
    acceleration, external : of the motion, and wrenches on the segments (samples, segments, 6) as in
        `inverse_dynamics`; with them the recording has ``reaction``, the contact forces of the joints.

    """
    figure = muscles.figure
    if figure.closures:
        raise InputError(
            "moments of a figure with loops are not unique", where=f"figure {figure.name!r}",
            remedy="Remove the closures: figure.replace(closures=()).",
        )  # fmt: skip
    known = _motion_of(muscles, motion, acceleration)
    good = np.isfinite(np.concatenate([known.q, known.v], axis=1)).all(axis=1) & np.isfinite(known.effort).any(axis=1)
    if not good.any():
        raise InputError(
            "no sample has q, v and effort", got="nan everywhere", remedy="Pass the efforts of the motion."
        )
    q, v, tau = known.q[good], known.v[good], np.nan_to_num(known.effort[good])
    geometry = path_geometry(muscles.paths, q, v, device=device)
    assert geometry.speed is not None
    fibres = fibre_forces(muscles.muscles, geometry.length, geometry.speed)
    rest = np.maximum(fibres.passive, 0.0) if passive else np.zeros_like(fibres.passive)
    bands, band_arms = _ligaments(muscles, q, device)
    chosen = _chosen(muscles, geometry.arm, coordinates)
    given = np.einsum("sm,smk->sk", rest, geometry.arm) + np.einsum("sm,smk->sk", bands, band_arms)
    drives = _drives(muscles, len(q))
    gain = np.concatenate([geometry.arm * fibres.active[:, :, None], drives], axis=1)[:, :, chosen]
    moves = np.concatenate([np.abs(geometry.arm).max(axis=0) > _IDLE, np.abs(drives[0]) > 0.0])[:, chosen]
    blind, lost = depending(moves, ~np.isfinite(known.effort[good][:, chosen]))
    low = [m.activations[0] for m in muscles.muscles] + [a.low for a in muscles.actuators]
    high = [m.activations[1] for m in muscles.muscles] + [a.high for a in muscles.actuators]
    spare = _reserves(figure.coordinates, chosen, reserve)
    asked = (tau - given)[:, chosen]
    powers = [power] * len(muscles.muscles) + [2.0] * len(muscles.actuators)
    shares = share_moments(gain, asked, low, high, power=powers, reserve=spare, device=device)
    x, left = np.where(blind, np.nan, shares.activation), np.where(lost, np.nan, shares.reserve)
    tau[:, chosen] = np.where(lost, np.nan, tau[:, chosen])
    if not np.isfinite(left).any():
        raise InputError("one moment must be known that muscles share", got="nan everywhere")
    if cutoff is not None:
        x = np.clip(filtered(x, cutoff, _rate(known.times), 2, True), low, high)
        left = np.where(lost, np.nan, asked - np.einsum("si,sik->sk", np.nan_to_num(x), gain))
    n = len(muscles.muscles)
    force = x[:, :n] * fibres.active + rest
    data: dict[str, tuple[Any, Array]] = {}

    def add(name: str, values: Array, dims: tuple[str, ...], text: str, **unit: Any) -> None:
        whole = np.full((len(good), *values.shape[1:]), np.nan)
        whole[good] = values
        data[name] = (Channel(name, dims=dims, shape=values.shape[1:], description=text, **unit), whole)

    units = tuple(unit for k, unit in enumerate(effort_units(figure)) if k in set(chosen.tolist()))
    add("activation", x[:, :n], ("muscle",), "activation")
    add("force", force, ("muscle",), "force of the muscle along its tendon", unit="N")
    add("length", geometry.length, ("muscle",), "length of the path", unit="m")
    add("speed", geometry.speed, ("muscle",), "lengthening speed of the path", unit="m/s")
    add("fibre.length", fibres.length, ("muscle",), "fibre length over the optimal one")
    add("fibre.speed", fibres.speed, ("muscle",), "fibre speed over the greatest")
    add("moment", tau[:, chosen], ("moment",), "moment of inverse dynamics", units=units)
    add("reserve", left, ("moment",), "moment that muscles and actuators leave", units=units)
    if muscles.actuators:
        add("control", x[:, n:], ("actuator",), "control of the actuator")
    if muscles.ligaments:
        add("ligament.force", bands, ("ligament",), "force of the ligament", unit="N")
    if known.a is not None:
        reaction = _reactions(
            muscles, q, v, known.a[good], force, bands, None if external is None else np.asarray(external)[good]
        )
        add("reaction", reaction, ("segment", "component"), "wrench of the joint on its segment, muscles apart",
            units=WRENCH_UNITS)  # fmt: skip
    names = [figure.coordinates[k] for k in chosen]
    events = _unreached(known.times[good], names, left, tau[:, chosen], spare)
    manifest = {
        "kind": "muscles", "figure": figure.name,
        "labels": {
            "muscle": list(muscles.names), "moment": names, "actuator": [a.name for a in muscles.actuators],
            "ligament": [b.name for b in muscles.ligaments], "segment": list(figure.names),
            "component": ["moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z"],
        },
        "muscles": _summary(muscles, power, left, tau[:, chosen], names, geometry, fibres, shares, chosen),
    }  # fmt: skip
    return Recording.from_arrays(data, times=known.times, events=events, manifest=manifest)


def _motion_of(muscles: Muscles, motion: Any, acceleration: ArrayLike | None) -> _Motion:
    figure = muscles.figure
    if isinstance(motion, Recording):
        missing = [name for name in ("q", "v", "effort") if name not in motion]
        if missing:
            remedy = "Reconstruct with force plates or dynamics=True; or pass (times, q, v, effort)."
            raise InputError("the recording has no such channel", got=", ".join(missing), remedy=remedy)
        parts: Sequence[ArrayLike] = (motion.time("q"), motion["q"], motion["v"], motion["effort"])
        if acceleration is None and "a" in motion and "residual" not in motion:
            acceleration = motion["a"]
    else:
        parts = tuple(motion)
        if len(parts) != 4:
            raise InputError("the motion must be (times, q, v, effort)", got=f"{len(parts)} parts", allowed="4 arrays")
    t, q, v, tau = (as_floats(x, where=name, finite=False) for name, x in zip("tqve", parts, strict=True))
    a = None if acceleration is None else as_floats(acceleration, where="acceleration", finite=False)
    sizes = {"q": (q, figure.nq), "v": (v, figure.nv), "effort": (tau, figure.nv)}
    for name, (array, size) in (sizes | ({} if a is None else {"acceleration": (a, figure.nv)})).items():
        if array.shape != (len(t), size):
            raise InputError(
                f"{name} must have one row for each time", got=f"shape {array.shape}", allowed=f"({len(t)}, {size})"
            )
    return _Motion(t, q, v, tau, a)


def _rate(times: Array) -> float:
    steps = np.diff(times)
    if len(steps) == 0 or not np.allclose(steps, steps.mean(), rtol=1e-3, atol=0.0):
        raise InputError("a filter needs even times", remedy="Resample the motion first.")
    return float(1.0 / steps.mean())


def _ligaments(muscles: Muscles, q: Array, device: str) -> tuple[Array, Array]:
    if not muscles.ligaments:
        return np.zeros((len(q), 0)), np.zeros((len(q), 0, muscles.figure.nv))
    found = path_geometry(muscles.bands, q, device=device)
    pulls = [band.tension(found.length[:, k]) for k, band in enumerate(muscles.ligaments)]
    return np.stack(pulls, axis=1), found.arm


def _drives(muscles: Muscles, count: int) -> Array:
    found = np.zeros((count, len(muscles.actuators), muscles.figure.nv))
    for k, actuator in enumerate(muscles.actuators):
        found[:, k, muscles.figure.coordinates.index(actuator.coordinate)] = actuator.force
    return found


def _chosen(muscles: Muscles, arms: Array, names: Sequence[str] | None) -> np.ndarray:
    """Return the places of the coordinates whose moments are shared."""
    known = muscles.figure.coordinates
    if names is not None:
        for name in names:
            if name not in known:
                raise InputError("no such coordinate", got=name, allowed=", ".join(known), remedy=closest(name, known))
        return np.array([known.index(name) for name in names])
    moved = np.abs(arms).max(axis=(0, 1), initial=0.0) > _IDLE
    for actuator in muscles.actuators:
        moved[known.index(actuator.coordinate)] = True
    if not moved.any():
        raise InputError("no muscle moves a coordinate", where=repr(muscles))
    return np.flatnonzero(moved)


def _reserves(coordinates: tuple[str, ...], chosen: np.ndarray, reserve: float | dict[str, float]) -> Array:
    if not isinstance(reserve, dict):
        return np.full(len(chosen), float(reserve))
    for name in reserve:
        if name not in coordinates:
            raise InputError("no such coordinate", where="reserve", got=name, remedy=closest(name, coordinates))
    return np.array([float(reserve.get(coordinates[k], 1.0)) for k in chosen])


def _reactions(
    muscles: Muscles, q: Array, v: Array, a: Array, force: Array, bands: Array, external: Array | None
) -> Array:
    """Return what the joints transmit beside the muscles, (samples, segments, 6); nan where a force is not known."""
    loads = path_wrenches(muscles.paths, q, np.nan_to_num(force))
    if muscles.ligaments:
        loads = loads + path_wrenches(muscles.bands, q, bands)
    found = joint_wrenches(muscles.figure, q, v, a, loads if external is None else loads + external)
    unknown = (~np.isfinite(force)).astype(float) @ joints_crossed(muscles.paths) > 0
    return np.where(unknown[:, :, None], np.nan, found)


def _unreached(times: Array, names: list[str], left: Array, moments: Array, spare: Array) -> list[Event]:
    """Return an event for each run of samples in which a reserve is large."""
    found = []
    for k, name in enumerate(names):
        bound = max(_SHARE * float(np.nanmax(np.abs(moments[:, k]), initial=0.0)), float(spare[k]))
        for first, last in runs(np.abs(left[:, k]) > bound):
            worst = first + int(np.abs(left[first:last, k]).argmax())
            facts = {"coordinate": name, "until": float(times[last - 1]), "reserve": float(left[worst, k]),
                     "moment": float(moments[worst, k])}  # fmt: skip
            found.append(Event(float(times[first]), "moment out of reach", facts))
    return sorted(found, key=lambda event: event.time)


def _summary(
    muscles: Muscles, power: float, left: Array, moments: Array, names: list[str], geometry: Any, fibres: Any,
    shares: Shares, chosen: np.ndarray,
) -> dict[str, Any]:  # fmt: skip
    """Return what the manifest states: sizes of reserves, and what was left out or is doubtful."""
    others = [name for k, name in enumerate(muscles.figure.coordinates) if k not in chosen]
    summary: dict[str, Any] = {
        "power": power,
        **{
            f"{what}_{size}": {name: _size(values[:, k], size) for k, name in enumerate(names)}
            for what, values in (("reserve", left), ("moment", moments)) for size in ("rms", "peak")
        },
        "not_shared": others,
        "not_settled": int((~shares.settled).sum()),
        "notes": list(muscles.notes),
    }  # fmt: skip
    for name, flags in (("inside", geometry.inside), ("planar", geometry.planar), ("unsettled", geometry.unsettled),
                        ("slack", fibres.slack)):  # fmt: skip
        summary[name] = {muscles.names[k]: int(flags[:, k].sum()) for k in np.flatnonzero(flags.any(axis=0))}
    return summary


def _size(values: Array, size: str) -> float | None:
    """Return root mean square or peak of what is known of a row, None where nothing is."""
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return None
    return float(np.sqrt((known**2).mean())) if size == "rms" else float(np.abs(known).max())
