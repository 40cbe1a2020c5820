"""Recorded channels of a figure: coordinates, poses, tags, energies, contact forces."""

from typing import TYPE_CHECKING, Protocol

import numpy as np

from motiform.motion.tree.algorithms.dynamics import energy, momentum
from motiform.motion.tree.algorithms.forward import loaded_dynamics
from motiform.motion.tree.algorithms.kinematics import centers_of_mass, forward_kinematics, tags
from motiform.motion.tree.algorithms.matrices import contact_wrench
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, FigureState
from motiform.record import Channel
from motiform.spatial import quaternion_from_rotation

if TYPE_CHECKING:
    from motiform.motion.tree.prescribed import PrescribedFigure

__all__ = [
    "FIGURE_CHANNELS", "SEGMENT_CHANNELS", "Driven", "RecordedLoads", "channels", "configuration_names",
    "configuration_units", "contacts", "drive_channel", "drive_labels", "effort_units", "figure_labels", "observe",
    "recorded_loads", "undriven", "velocity_units",
]  # fmt: skip

FIGURE_CHANNELS = {
    "q": "coordinates",
    "v": "velocities of the joints",
    "tau": "generalised forces of the controls",
    "drive.effort": "that prescribed motions take of their coordinates",
    "tags": "tags in the world",
    "center_of_mass": "of the whole figure, in the world",
    "energy": "kinetic and potential (gravity, zero at the world's origin)",
    "energy.kinetic": "of all segments and drives",
    "energy.potential": "of gravity, zero at the world's origin",
    "momentum": "linear, world axes",
    "angular_momentum": "about the world's origin, world axes",
}
"""Names of the channels of a figure and what they hold."""
SEGMENT_CHANNELS = {
    "position": "origin of the segment, world axes",
    "orientation": "axes of the segment in the world, (w, x, y, z)",
    "contact_force": "on the segment at its contact: tangential, tangential, normal (it presses above zero)",
    "contact_point": "where it touches, in the world",
}
"""Last part of the names of a segment's channels and what they hold."""


def contacts(figure: Figure) -> list[str]:
    """Return the segments that contact joints carry."""
    return [segment.name for segment in figure.segments if isinstance(segment.joint, ContactJoint)]


def channels(figure: Figure, rate: float, controlled: bool, loads: Control | None = None) -> list[Channel]:
    """Return the channels of a recording of the figure."""

    def channel(
        name: str, unit: str, dims: tuple[str, ...] = (), shape: tuple[int, ...] = (), units: tuple[str, ...] = ()
    ) -> Channel:
        text = FIGURE_CHANNELS.get(name) or SEGMENT_CHANNELS[name.rsplit(".", 1)[-1]]
        return Channel(name, unit=unit, dims=dims, shape=shape, rate=rate, description=text, units=units)

    found = [
        channel("q", "", ("coordinate",), (figure.nq,), configuration_units(figure)),
        channel("v", "", ("velocity",), (figure.nv,), velocity_units(figure)),
    ]
    if controlled:
        found.append(channel("tau", "", ("velocity",), (figure.nv,), effort_units(figure)))
    for name in figure.names:
        found.append(channel(f"{name}.position", "m", ("axis",), (3,)))
        found.append(channel(f"{name}.orientation", "", ("quaternion",), (4,)))
    for name in contacts(figure):
        found.append(channel(f"{name}.contact_force", "N", ("contact_axis",), (3,)))
        found.append(channel(f"{name}.contact_point", "m", ("axis",), (3,)))
    pushes = recorded_loads(loads)
    found += [] if pushes is None else pushes.channels(rate)
    if figure.tags:
        found.append(channel("tags", "m", ("tag", "axis"), (len(figure.tags), 3)))
    if figure.mass > 0:
        found.append(channel("center_of_mass", "m", ("axis",), (3,)))
    found += [channel(name, "J") for name in ("energy", "energy.kinetic", "energy.potential")]
    found.append(channel("momentum", "kg m/s", ("axis",), (3,)))
    found.append(channel("angular_momentum", "kg m^2/s", ("axis",), (3,)))
    return found


def drive_channel(drive: "PrescribedFigure", rate: float) -> Channel:
    """Return the channel of the efforts of prescribed motions."""
    units = effort_units(drive.figure)
    own = tuple(units[place] for _, place in drive.places)
    text = FIGURE_CHANNELS["drive.effort"]
    return Channel("drive.effort", unit="", dims=("drive",), shape=(len(own),), rate=rate, description=text, units=own)


def drive_labels(drive: "PrescribedFigure | None") -> dict[str, list[str]]:
    """Return the names of prescribed coordinates, for a recording's manifest."""
    return {} if drive is None else {"drive": drive.names}


def undriven(drive: "PrescribedFigure", rows: Array) -> dict[str, Array]:
    """Return the channels that the inertia of drives must not be in."""
    q, v = rows[:, : drive.figure.nq], rows[:, drive.figure.nq : drive.figure.nq + drive.figure.nv]
    joules = energy(drive.figure, q, v)
    return {"energy": joules.total, "energy.kinetic": joules.kinetic, "energy.potential": joules.potential}


def figure_labels(figure: Figure, loads: Control | None = None) -> dict[str, list[str]]:
    """Return the names of the elements of the channels' axes, for a recording's manifest."""
    pushes = recorded_loads(loads)
    return {
        **({} if pushes is None else pushes.labels),
        "coordinate": configuration_names(figure),
        "velocity": list(figure.coordinates),
        "tag": list(figure.tag_names),
    }


def configuration_names(figure: Figure) -> list[str]:
    """Return the names of the numbers of q: a plain coordinate's own, else the segment's with that in its joint."""
    found = [""] * figure.layout.nq
    for n, segment in enumerate(figure.segments):
        joint, own = segment.joint, figure.layout.v[n]
        for k, place in enumerate(figure.layout.q[n]):
            found[place] = figure.layout.names[own[k]] if joint.plain else f"{segment.name}.{joint.q_names[k]}"
    return found if figure.coupled is None else [found[k] for k in figure.coupled.kept_q]


def configuration_units(figure: Figure) -> tuple[str, ...]:
    """Return the units of the numbers of q, (nq,)."""
    found = [""] * figure.layout.nq
    for segment, places in zip(figure.segments, figure.layout.q, strict=True):
        for unit, place in zip(segment.joint.q_units, places, strict=True):
            found[place] = unit
    return tuple(found if figure.coupled is None else [found[k] for k in figure.coupled.kept_q])


def velocity_units(figure: Figure, per: str = "/s") -> tuple[str, ...]:
    """Return the units of v, (nv,), or with `per` those of its integral ("") or derivative ("/s^2")."""
    return tuple(f"{unit}{per}" if unit else "" for unit in _freedoms(figure))


def effort_units(figure: Figure) -> tuple[str, ...]:
    """Return the units of generalised forces, (nv,)."""
    return tuple({"rad": "N m", "m": "N"}.get(unit, "") for unit in _freedoms(figure))


def _freedoms(figure: Figure) -> list[str]:
    """Return rad, m or "" of each velocity."""
    found = [""] * figure.layout.nv
    for segment, places in zip(figure.segments, figure.layout.v, strict=True):
        for unit, place in zip(segment.joint.units or ("",) * segment.joint.nv, places, strict=True):
            found[place] = unit
    return found if figure.coupled is None else [found[k] for k in figure.coupled.kept_v]


class RecordedLoads(Protocol):
    """Loads that a recording has channels of."""

    @property
    def labels(self) -> dict[str, list[str]]:
        """Names of the elements of the channels' axes."""
        ...

    def channels(self, rate: float) -> list[Channel]:
        """Return the channels."""
        ...

    def measure(self, times: Array, R: Array, p: Array) -> dict[str, Array]:
        """Return the samples of the channels at poses of the segments, (samples, segments, 3, 3) and (…, 3)."""
        ...


def recorded_loads(loads: Control | None) -> RecordedLoads | None:
    """Return what is recorded of loads, or None: functions are not."""
    return getattr(loads, "recorded", None)


class Driven(Protocol):
    """A figure with what acts on it."""

    figure: Figure
    controls: Acting
    loads: Control | None
    drive: "PrescribedFigure | None"

    def split(self, y: Array) -> FigureState:
        """Return a flat vector as a state."""
        ...

    def forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of the controls, (nv,)."""
        ...

    def wrenches(self, t: float, state: FigureState) -> Array | None:
        """Return the loads on the segments, (segments, 6), or None."""
        ...


def observe(system: Driven, times: Array, rows: Array, tau: Array | None = None) -> dict[str, Array]:
    """Return the samples of all channels for flat states, (samples, size).

    `tau` are the forces of the controls that acted, which a control may no longer know, (samples, nv).
    """
    figure = system.figure
    q, v = rows[:, : figure.nq], rows[:, figure.nq : figure.nq + figure.nv]
    R, p = forward_kinematics(figure, q)
    turn = quaternion_from_rotation(R)
    found: dict[str, Array] = {"q": q, "v": v}
    for n, name in enumerate(figure.names):
        found[f"{name}.position"], found[f"{name}.orientation"] = p[:, n], turn[:, n]
    pushes = recorded_loads(system.loads)
    found |= {} if pushes is None else pushes.measure(times, R, p)
    touching = contacts(figure)
    acted = bool(system.controls) or system.loads is not None or system.drive is not None
    acted = acted or getattr(system, "friction", None) is not None
    states = [system.split(row) for row in rows] if acted and (touching or tau is None) else []
    own = np.array([system.forces(t, s) for t, s in zip(times, states, strict=True)]) if states else np.zeros_like(v)
    if system.controls:
        found["tau"] = own if tau is None else tau
    if touching:
        loads = None
        if system.loads is not None:
            loads = np.array([system.wrenches(t, s) for t, s in zip(times, states, strict=True)])
        a, loads = loaded_dynamics(figure, q, v, own, loads)
        for name in touching:
            found[f"{name}.contact_force"] = contact_wrench(figure, q, v, a, name, external=loads)[:, 3:]
            found[f"{name}.contact_point"] = _contact_points(figure, q, R, p, name)
    if figure.tags:
        found["tags"] = tags(figure, q)
    if figure.mass > 0:
        found["center_of_mass"] = centers_of_mass(figure, q)[:, -1]
    joules = energy(figure, q, v)
    found |= {"energy": joules.total, "energy.kinetic": joules.kinetic, "energy.potential": joules.potential}
    whole = momentum(figure, q, v)
    return found | {"momentum": whole[:, 3:], "angular_momentum": whole[:, :3]}


def _contact_points(figure: Figure, q: Array, R: Array, p: Array, name: str) -> Array:
    n = figure.index(name)
    joint = figure.segments[n].joint
    assert isinstance(joint, ContactJoint)
    full = q if figure.coupled is None else figure.coupled.expand(q)
    inside = joint.frames(full[:, figure.layout.q[n]])[1].translation
    return p[:, n] + (R[:, n] @ inside[..., None])[..., 0]
