"""What is recorded of contacts that leave and land, by phases."""

import numpy as np

from motiform.motion.tree.contact_joints.columns import SLIDES, STICKS
from motiform.motion.tree.friction import FRICTION_CHANNELS
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.observe import observe
from motiform.motion.tree.switching.equations import HELD, SwitchingEquations
from motiform.record import Channel

__all__ = ["LEAVING_CHANNELS", "contact_channels", "observe_phases"]

LEAVING_CHANNELS = {
    "contact_mode": "of a contact joint that leaves and lands: 0 flies, 1 sticks, 2 slides",
    "contact_gap": "between the surfaces of a contact joint",
}
"""Last part of the names of the channels of a contact joint that leaves and lands, and what they hold."""


def contact_channels(system: SwitchingEquations, rate: float) -> list[Channel]:
    """Return the channels of contacts that leave and land."""
    found = []
    for name in system.names:
        for key, unit in (("friction_force", "N"), ("slip_velocity", "m/s")) if name in system.rubbing else ():
            text = FRICTION_CHANNELS[key]
            found.append(
                Channel(f"{name}.{key}", unit=unit, dims=("tangent",), shape=(2,), rate=rate, description=text)
            )
        text = LEAVING_CHANNELS["contact_mode"]
        found.append(Channel(f"{name}.contact_mode", unit="", dtype="int8", rate=rate, description=text))
        text = LEAVING_CHANNELS["contact_gap"]
        found.append(Channel(f"{name}.contact_gap", unit="m", rate=rate, description=text))
    return found


def observe_phases(system: SwitchingEquations, times: Array, rows: Array) -> dict[str, Array]:
    """Return the samples of all channels, each found by the equations of its phase."""
    keys = [system.phase(row).held for row in rows]
    starts = [k for k in range(len(keys)) if k == 0 or keys[k] != keys[k - 1]]
    parts = [_observe_one(system, times[a:b], rows[a:b]) for a, b in zip(starts, [*starts[1:], len(keys)], strict=True)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _observe_one(system: SwitchingEquations, times: Array, rows: Array) -> dict[str, Array]:
    """Return the samples of one phase."""
    phase = system.phase(rows[0])
    own = np.ascontiguousarray(rows[:, phase.own])
    found = observe(phase.equations, times, own)
    found["v"] = rows[:, system.nq : system.moving].copy()
    if system.acting:
        states = [system.split(row) for row in rows]
        found["tau"] = np.array([system.acting.forces(t, s) for t, s in zip(times, states, strict=True)])
        found |= system.acting.measure(times, states)
    if phase.friction is not None:
        found |= phase.friction.measure(times, [phase.equations.split(row) for row in own])
    for i, name in enumerate(system.names):
        if system.modes(rows[0])[i] == HELD:
            found[f"{name}.contact_mode"] = np.array(
                [SLIDES if system.slips(i, row) else STICKS for row in rows], np.int8
            )
            found[f"{name}.contact_gap"] = np.zeros(len(rows))
            continue
        found |= _flying(name, len(rows), name in system.rubbing)
        joint, places = system.joints[i], rows[:, system.at_q[i]]
        gaps = [joint.gap(q, exact=True) for q in places]  # each alone: the same bits for any number of samples
        found[f"{name}.contact_gap"] = np.array(gaps)
    return found


def _flying(name: str, count: int, rubs: bool) -> dict[str, Array]:
    """Return what is known of a contact that is none: no force, and no place."""
    found = {
        f"{name}.contact_force": np.zeros((count, 3)),
        f"{name}.contact_point": np.full((count, 3), np.nan),
        f"{name}.contact_mode": np.zeros(count, np.int8),
    }
    if rubs:
        found |= {f"{name}.friction_force": np.zeros((count, 2)), f"{name}.slip_velocity": np.full((count, 2), np.nan)}
    return found
