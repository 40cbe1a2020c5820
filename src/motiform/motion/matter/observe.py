"""Recorded channels of networks."""

from collections.abc import Sequence
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
from motiform.motion.matter.model.network import Group, Network
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


def choose_channels(network: Network, rate: float, record: Sequence[str]) -> tuple[list[Channel], dict[str, Any]]:
    """Return the channels named, and for each position of points which these are: indices, or one index.

    A name is that of a channel, or of the position of one point, such as "string[100].position".
    """
    known = {channel.name: channel for channel in network_channels(network, rate)}
    found: list[Channel] = []
    points: dict[str, Any] = {}
    for name in dict.fromkeys(record):
        group, _, key = name.rpartition(".")
        if name in known:
            found.append(known[name])
            if key == "position" and any(group == one.name for one in network.groups):
                points[name] = network.group(group).indices
        elif key == "position" and group.endswith("]"):
            points[name] = int(find_points(network, group)[0])
            found.append(Channel(name, unit="m", dims=("axis",), shape=(3,), rate=rate, description="world axes"))
        else:
            raise InputError(
                "only channels of the network can be recorded", where="record", got=name,
                allowed=", ".join(known), remedy=closest(name, known),
            )  # fmt: skip
    if not found:
        raise InputError("something must be recorded", where="record", allowed=", ".join(known))
    return found, points


def _per_link(bundle: Any, key: str, unit: str, rate: float, text: str, dtype: str = "float64") -> Channel:
    return Channel(
        f"{bundle.name}.{key}",
        unit=unit,
        dims=("link",),
        shape=(bundle.count,),
        rate=rate,
        description=text,
        dtype=dtype,
    )


def observe_network(engine: Engine) -> dict[str, np.ndarray]:
    """Return what a sample holds, by channel. Tensions are those that led here: of the sample before."""
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
        if solid.motion is not None:
            pose = asked_pose(solid, engine.sample / network.frequency)
            found[f"{solid.name}.position"] = np.asarray(pose.translation)
            found[f"{solid.name}.orientation"] = quaternion_from_rotation(pose.rotation)
    for bundle in network.bundles:
        if bundle.record:
            found[f"{bundle.name}.length"] = engine.lengths(bundle.name)
            found[f"{bundle.name}.tension"] = engine.tensions(bundle.name)
            if not isinstance(bundle.law, ZoneLaw):
                found[f"{bundle.name}.state"] = engine.link_states(bundle.name)[0]
                found[f"{bundle.name}.work"] = engine.works(bundle.name)
    found |= {"momentum": momentum(network, state), "angular_momentum": angular_momentum(network, state)}
    if network.count <= METERED:
        kinetic, potential = kinetic_energy(network, state), potential_energy(network, state)
        found |= {"energy.kinetic": np.array(kinetic), "energy.potential": np.array(potential)}
        found["energy"] = np.array(kinetic + potential)
        if network.spins:
            found["energy.rotation"] = np.array(rotation_energy(network, state))
            found["energy.friction"] = np.array(state.friction_loss)
    return found
