"""Recorded channels of networks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.engine.meters import (
    angular_momentum,
    kinetic_energy,
    momentum,
    potential_energy,
    rotation_energy,
)
from motiform.motion.matter.laws.links import ZoneLaw
from motiform.motion.matter.model.network import Group, Network, NetworkState
from motiform.motion.matter.model.points import find_points
from motiform.motion.matter.model.solids import asked_pose
from motiform.record import Channel
from motiform.spatial import quaternion_from_rotation

__all__ = ["METERED", "choose_channels", "network_channels", "observe_network"]

METERED = 20_000
"""Points up to which energies are worked out at every sample."""
_METERS: tuple[tuple[str, str, tuple[int, ...], str], ...] = (
    ("momentum", "kg m/s", (3,), "all masses, world axes"),
    ("angular_momentum", "kg m^2/s", (3,), "all masses, about the world's origin, world axes"),
    ("energy", "J", (), "kinetic and potential"),
    ("energy.kinetic", "J", (), "all masses"),
    ("energy.potential", "J", (), "gravity from the origin and springs; not that of automata"),
)
_ROTATION = (
    ("energy.rotation", "J", (), "the part of the kinetic energy that is of rotations"),
    ("energy.friction", "J", (), "taken from balls that rotate since the start; what its springs hold counted in"),
)


def network_channels(network: Network, rate: float) -> list[Channel]:
    """Return the channels of a recording of a network."""
    found = []
    for group in network.groups:
        shape, dims = (group.count, 3), ("point", "axis")
        found.append(
            Channel(f"{group.name}.position", unit="m", dims=dims, shape=shape, rate=rate, description="world axes")
        )
        if network.keep_velocity:
            text = "of the step that led there, world axes"
            found.append(
                Channel(f"{group.name}.velocity", unit="m/s", dims=dims, shape=shape, rate=rate, description=text)
            )
        if group.inertia is not None:
            found += _rotations(group, rate)
    for solid in network.solids:
        if solid.motion is not None:
            place = {"unit": "m", "dims": ("axis",), "shape": (3,), "description": "origin of its frame, world axes"}
            turn = {
                "dims": ("quaternion",),
                "shape": (4,),
                "description": "axes of its frame in the world, (w, x, y, z)",
            }
            found.append(Channel(f"{solid.name}.position", rate=rate, **place))  # type: ignore[arg-type]
            found.append(Channel(f"{solid.name}.orientation", rate=rate, **turn))  # type: ignore[arg-type]
    for bundle in network.bundles:
        if bundle.record:
            for key, unit, text in (
                ("length", "m", "distance of the ends"),
                ("tension", "N", "positive: pulls them together"),
            ):
                found.append(_per_link(bundle, key, unit, rate, text))
            if not isinstance(bundle.law, ZoneLaw):
                found.append(_per_link(bundle, "state", "", rate, "number of the automaton's state", "int32"))
                found.append(_per_link(bundle, "work", "J", rate, "done on its ends since the start"))
    meters = (*_METERS, *(_ROTATION if network.spins else ())) if network.count <= METERED else _METERS[:2]
    for name, unit, sizes, text in meters:
        found.append(Channel(name, unit=unit, dims=("axis",) * len(sizes), shape=sizes, rate=rate, description=text))
    return found


def _rotations(group: Group, rate: float) -> list[Channel]:
    """Return the channels of balls that rotate."""
    spin = Channel(
        f"{group.name}.angular_velocity", unit="rad/s", dims=("point", "axis"), shape=(group.count, 3), rate=rate,
        description="of the step that led there, world axes",
    )  # fmt: skip
    turn = Channel(
        f"{group.name}.orientation", dims=("point", "quaternion"), shape=(group.count, 4), rate=rate,
        description="axes of a ball in the world, (w, x, y, z)",
    )  # fmt: skip
    return [spin, turn]


def choose_channels(
    network: Network, rate: float, record: Sequence[str] | Mapping[str, float | None]
) -> tuple[list[Channel], dict[str, Any]]:
    """Return the channels named, and for each position of points which these are: indices, or one index.

    A name is that of a channel, or of the position of one point, such as "string[100].position". Where rates are given
    with the names, a channel has its own: a whole part of the run's, or a multiple of it that divides the network's.
    """
    known = {channel.name: channel for channel in network_channels(network, rate)}
    rates = dict(record) if isinstance(record, Mapping) else dict.fromkeys(record)
    found: list[Channel] = []
    points: dict[str, Any] = {}
    for name, own in rates.items():
        group, _, key = name.rpartition(".")
        if name in known:
            channel = known[name]
            if key == "position" and any(group == one.name for one in network.groups):
                points[name] = network.group(group).indices
        elif key == "position" and group.endswith("]"):
            points[name] = int(find_points(network, group)[0])
            channel = Channel(name, unit="m", dims=("axis",), shape=(3,), rate=rate, description="world axes")
        else:
            raise InputError(
                "only channels of the network can be recorded", where="record", got=name,
                allowed=", ".join(known), remedy=closest(name, known),
            )  # fmt: skip
        if own is not None:
            _check_rate(name, own, rate, network.frequency, name in points)
            channel = replace(channel, rate=float(own))
        found.append(channel)
    if not found:
        raise InputError("something must be recorded", where="record", allowed=", ".join(known))
    return found, points


def _check_rate(name: str, own: float, rate: float, frequency: float, place: bool) -> None:
    """Refuse a rate of a channel that does not fit that of the run, and a higher one of what is not a position."""

    def whole(high: float, low: float) -> bool:
        return bool(low > 0) and abs(round(high / low) * low - high) <= 1e-9 * high

    where = f"record, {name}"
    if isinstance(own, bool) or not isinstance(own, (int, float, np.number)) or not np.isfinite(own) or own <= 0:
        raise InputError("the rate of a channel must be a number above 0", where=where, got=repr(own))
    if own > rate and not place:
        raise InputError(
            "only positions are recorded at a higher rate than the run's", where=where, got=f"{own:g} Hz",
            allowed=f"up to {rate:g} Hz", remedy="Raise the rate of the run.",
        )  # fmt: skip
    if not (whole(rate, own) or (own > rate and whole(own, rate) and whole(frequency, own))):
        raise InputError(
            "the rate of a channel does not fit", where=where, got=f"{own:g} Hz",
            allowed=f"{rate:g} Hz divided by a whole number, or a multiple of it that divides {frequency:g} Hz",
        )  # fmt: skip


def _per_link(bundle: Any, key: str, unit: str, rate: float, text: str, dtype: str = "float64") -> Channel:
    return Channel(
        f"{bundle.name}.{key}", unit=unit, dims=("link",), shape=(bundle.count,), rate=rate, description=text,
        dtype=dtype,
    )  # fmt: skip


def observe_network(engine: Engine, names: Collection[str] | None = None) -> dict[str, np.ndarray]:
    """Return what a sample holds, by channel. Tensions are those that led here: of the sample before.

    With `names` only what these need is worked out; the rest may be missing.
    """
    network, state = engine.network, engine.state()
    velocity = state.velocity(network.frequency)
    found: dict[str, np.ndarray] = {}
    for group in network.groups:
        mine = slice(group.first, group.first + group.count)
        found[f"{group.name}.position"] = state.position[mine]
        if network.keep_velocity:
            found[f"{group.name}.velocity"] = velocity[mine]
        if group.inertia is not None and state.angular_velocity is not None and state.orientation is not None:
            found[f"{group.name}.angular_velocity"] = state.angular_velocity[mine]
            found[f"{group.name}.orientation"] = state.orientation[mine]
    for solid in network.solids:
        if solid.motion is not None and _asked(names, solid.name):
            pose = asked_pose(solid, engine.sample / network.frequency)
            found[f"{solid.name}.position"] = np.asarray(pose.translation)
            found[f"{solid.name}.orientation"] = quaternion_from_rotation(pose.rotation)
    for bundle in network.bundles:
        if bundle.record and _asked(names, bundle.name):
            found[f"{bundle.name}.length"] = engine.lengths(bundle.name)
            found[f"{bundle.name}.tension"] = engine.tensions(bundle.name)
            if not isinstance(bundle.law, ZoneLaw):
                found[f"{bundle.name}.state"] = engine.link_states(bundle.name)[0]
                found[f"{bundle.name}.work"] = engine.works(bundle.name)
    return found | _meters(network, state, names)


def _asked(names: Collection[str] | None, owner: str) -> bool:
    """Return whether some channel of an owner is among the names."""
    return names is None or any(name.rpartition(".")[0] == owner for name in names)


def _meters(network: Network, state: NetworkState, names: Collection[str] | None) -> dict[str, np.ndarray]:
    """Return the meters named, all that a network has where none are."""
    found: dict[str, Callable[[], Any]] = {
        "momentum": lambda: momentum(network, state),
        "angular_momentum": lambda: angular_momentum(network, state),
    }
    if network.count <= METERED:
        kinetic, potential = lambda: kinetic_energy(network, state), lambda: potential_energy(network, state)
        found |= {"energy.kinetic": kinetic, "energy.potential": potential, "energy": lambda: kinetic() + potential()}
        if network.spins:
            found["energy.rotation"] = lambda: rotation_energy(network, state)
            found["energy.friction"] = lambda: state.friction_loss
    chosen = found if names is None else [name for name in found if name in names]
    return {name: np.asarray(found[name]()) for name in chosen}
