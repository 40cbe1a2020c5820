"""States of rest as a recording."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motiform.motion.bones.ligaments import NODES, Ligament
from motiform.motion.bones.pack import PackedBones, neutral_poses, workspace
from motiform.motion.bones.pressure import pressure_channels
from motiform.motion.bones.settle import FAR, EquilibriumPath
from motiform.record import Channel, Event, Recording
from motiform.spatial import quaternion_from_rotation
from motiform.spatial.checks import Array

__all__ = ["record_rest"]

_PATHS = "where fibres run, of ligament after ligament: start, three nodes and end of each"
_LEFT = 3e-3  # [m] of gap to every bone that it touched: then a bone is out of its place


def record_rest(
    packed: PackedBones, rest: EquilibriumPath, ligaments: Sequence[Ligament], surfaces: Mapping[str, Array],
    manifest: Mapping[str, Any], times: Array | None = None, more: Mapping[str, tuple[str, Array, str]] | None = None,
) -> Recording:  # fmt: skip
    """Return poses of all bones, ligaments and contacts, one sample for each pose of the driven bone.

    Times [s] are the numbers of the samples where there are none. `surfaces` are points of each bone [m] on which
    pressure is mapped. `more` channels: unit, values and description.
    """
    from motiform.motion.bones.contact_kernels import AREA, FORCE, GAP

    channels, arrays = _poses(packed, rest)
    count = len(rest.poses)
    names = [lig.name for lig in ligaments]
    tension, length = np.zeros((count, len(names))), np.full((count, len(names)), np.nan)
    for n in dict.fromkeys(packed.fibres):
        fibres = np.ascontiguousarray(rest.fibres[:, np.array(packed.fibres) == n])  # sums in one order for any count
        tension[:, n], length[:, n] = fibres[..., 0].sum(axis=1), fibres[..., 1].mean(axis=1)
    pairs = [f"{a}_{b}" for a, b in packed.pairs]
    both = rest.sums.reshape(count, len(pairs), 2, -1)
    force = np.linalg.norm(both[:, :, 0, FORCE : FORCE + 3] - both[:, :, 1, FORCE : FORCE + 3], axis=2)
    gap = both[..., GAP].min(axis=2)
    found = {
        "ligament.tension": ("N", "ligament", tension, "sum over its fibres"),
        "ligament.length": ("m", "ligament", length, "mean of its fibres; NaN where both ends move together"),
        "contact.force": ("N", "pair", force, "resultant between two bones"),
        "contact.area": ("m2", "pair", both[..., AREA].sum(axis=2), "area under pressure, mean of both bones"),
        "contact.gap": ("m", "pair", gap, f"least distance of bone from bone; inf beyond {FAR:g} m"),
    }
    if ligaments:
        paths = _paths(packed, rest, ligaments)
        channels.append(
            Channel("ligament.path", unit="m", dims=("node", "axis"), shape=paths.shape[1:], description=_PATHS)
        )
        arrays["ligament.path"] = paths
    for name, (unit, dim, values, text) in found.items():
        if values.shape[1] == 0:
            continue
        channels.append(Channel(name, unit=unit, dims=(dim,), shape=(values.shape[1],), description=text))
        arrays[name] = values
    own = pressure_channels(packed, rest, surfaces)
    channels, arrays = channels + own[0], arrays | own[1]
    channels.append(Channel("energy", unit="J", description="of cartilage and ligaments"))
    arrays["energy"] = rest.energy
    for name, (unit, values, text) in (more or {}).items():
        dims = ("axis",) if values.ndim > 1 else ()
        channels.append(Channel(name, unit=unit, dims=dims, shape=values.shape[1:], description=text))
        arrays[name] = values
    at = np.arange(count, dtype=float) if times is None else times
    labels = {"ligament": names, "pair": pairs, **own[2]}
    return Recording.from_arrays(
        channels, arrays, times=at, events=_events(packed, rest, gap, at),
        manifest={**manifest, "labels": labels},
    )  # fmt: skip


def _paths(packed: PackedBones, rest: EquilibriumPath, ligaments: Sequence[Ligament]) -> Array:
    """Return where all fibres run [m], (n, 5 fibres, 3); those that do not act move with their body."""
    body = {name: n for n, group in enumerate(packed.bodies) for name in group}
    starts, ends = (np.concatenate([getattr(lig, k) for lig in ligaments]) - packed.shift for k in ("starts", "ends"))
    owner = np.repeat(np.arange(len(ligaments)), [len(lig.starts) for lig in ligaments])
    bodies = np.array([[body[name] for name in lig.bones] for lig in ligaments])[owner]
    acts = np.isin(owner, packed.fibres)
    out = np.empty((len(rest.poses), len(owner), NODES + 2, 3))
    share = np.linspace(0.0, 1.0, NODES + 2)[:, None]
    for i, poses in enumerate(rest.poses):
        R, p = poses[:, :9].reshape(-1, 3, 3), poses[:, 9:]
        a, b = ((R[k] @ x[..., None])[..., 0] + p[k] for k, x in zip(bodies.T, (starts, ends), strict=True))
        out[i] = a[:, None] + share * (b - a)[:, None]
        out[i, acts, 1:-1] = rest.nodes[i].reshape(-1, NODES, 3)
    return out.reshape(len(out), -1, 3) + packed.shift


def _poses(packed: PackedBones, rest: EquilibriumPath) -> tuple[list[Channel], dict[str, Array]]:
    body = {name: n for n, group in enumerate(packed.bodies) for name in group}
    channels, arrays = [], {}
    for name in packed.bones:
        R = rest.poses[:, body[name], :9].reshape(-1, 3, 3)
        p = rest.poses[:, body[name], 9:] + packed.shift - R @ packed.shift
        text = "of the pose that takes the neutral mesh to its place, relative to the radius"
        channels.append(
            Channel(f"{name}.position", unit="m", dims=("axis",), shape=(3,), description=f"translation {text}")
        )
        channels.append(
            Channel(f"{name}.orientation", dims=("quaternion",), shape=(4,), description=f"rotation {text}")
        )
        arrays[f"{name}.position"], arrays[f"{name}.orientation"] = p, quaternion_from_rotation(R)
    return channels, arrays


def _events(packed: PackedBones, rest: EquilibriumPath, gap: Array, at: Array) -> list[Event]:
    """Return what a reader must know of single samples: searches that did not end, bones out of their place."""
    events = [
        Event(float(at[i]), "unsettled", {"problem": f"the search still moved by {rest.last[i] * 1e3:.2g} mm"})
        for i in rest.lost
    ]
    free, start = [name for group in packed.bodies[2:] for name in group], _neutral_gaps(packed)
    for name in free:
        columns = [n for n, pair in enumerate(packed.pairs) if name in pair]
        if not columns or start[columns].min() > _LEFT:  # it never had a neighbour
            continue
        least = gap[:, columns].min(axis=1)
        for i in np.nonzero(least > _LEFT)[0]:
            events.append(Event(float(at[i]), "dislocated", {"bone": name, "problem": "no other bone is near"}))
    return sorted(events, key=lambda event: event.time)


def _neutral_gaps(packed: PackedBones) -> Array:
    """Return the gap of each pair in the neutral pose [m], (pairs,)."""
    from motiform.motion.bones.contact_kernels import GAP
    from motiform.motion.bones.settle_kernels import evaluate

    space, settings = workspace(packed), packed.settings.copy()
    settings[0] = FAR
    evaluate(neutral_poses(packed), packed.slots, packed.middles, packed.model, settings, *space)
    return np.asarray(space[4][:, GAP].reshape(-1, 2).min(axis=1, initial=np.inf))
