"""States of rest as a recording."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motiform.geometry.maps import ball_pairs
from motiform.motion.bones.ligaments import NODES, Ligament
from motiform.motion.bones.pack import PackedBones, neutral_poses, workspace
from motiform.motion.bones.pressure import pressure_maps
from motiform.motion.bones.settle import FAR, EquilibriumPath
from motiform.record import Channel, Event, Recording
from motiform.spatial import Transform, quaternion_from_rotation
from motiform.spatial.checks import Array

__all__ = ["observe_rest", "rest_channels", "rest_labels", "rest_recording"]

_DEEP = 2.0 / 3.0  # ratio of the distance of two balls to the sum of their radii below which they overlap badly
_LEFT = 3e-3  # [m] of gap to every bone that it touched: then a bone is out of its place
_POSE = "of the pose that takes the neutral mesh to its place, relative to the radius"
_PRESSED = "points of bones that are pressed at some sample; nan while they are not"
_MEANING: dict[str, tuple[str, tuple[str, ...], str]] = {
    "position": ("m", ("axis",), f"translation {_POSE}"),
    "orientation": ("", ("quaternion",), f"rotation {_POSE}"),
    "pose": ("", ("body", "entry"), "rotation by rows and translation of each body, from the neutral pose"),
    "ligament.path": ("m", ("node", "axis"), "where fibres run: of each the start, three nodes and the end"),
    "ligament.tension": ("N", ("ligament",), "sum over its fibres"),
    "ligament.length": ("m", ("ligament",), "mean of its fibres; NaN where both ends move together"),
    "contact.force": ("N", ("pair",), "resultant between two bones"),
    "contact.area": ("m2", ("pair",), "area under pressure, mean of both bones"),
    "contact.gap": ("m", ("pair",), f"least distance of bone from bone; inf beyond {FAR:g} m"),
    "contact.ball_ratio": (
        "",
        ("pair",),
        "least ratio of the distance of two balls' centres to the sum of their radii",
    ),
    "contact.ball_depth": ("m", ("pair",), "sum over the pairs of balls that touch of how far they overlap"),
    "contact.deep_balls": ("", ("pair",), "share of the pairs of balls that touch whose ratio is below 2/3"),
    "touching_balls": ("", (), "share of the balls of its cover that touch another bone"),
    "contact.point": ("m", ("contact_point", "axis"), _PRESSED),
    "contact.pressure": ("Pa", ("contact_point",), "of cartilage there"),
    "energy": ("J", (), "of cartilage and ligaments"),
    "energy.kinetic": ("J", (), "of the free bodies"),
    "momentum": ("N*s", ("axis",), "of the free bodies"),
    "angular_momentum": ("N*m*s", ("axis",), "of the free bodies, about the origin of the meshes"),
}
"""Unit, dimensions and description of channels; those of bones by what comes after the name."""


def rest_channels(arrays: Mapping[str, Array]) -> list[Channel]:
    """Return the channels of arrays (samples, …) by their names."""
    found = []
    for name, values in arrays.items():
        unit, dims, text = _MEANING.get(name) or _MEANING[name.rpartition(".")[2]]
        found.append(Channel(name, unit=unit, dims=dims, shape=values.shape[1:], description=text))
    return found


def rest_labels(packed: PackedBones, ligaments: Sequence[Ligament]) -> dict[str, list[str]]:
    """Return the names of ligaments and of pairs of bones."""
    return {"ligament": [lig.name for lig in ligaments], "pair": [f"{a}_{b}" for a, b in packed.pairs]}


def observe_rest(packed: PackedBones, rest: EquilibriumPath, ligaments: Sequence[Ligament]) -> dict[str, Array]:
    """Return poses of all bones, ligaments, contacts and energy, one sample for each state of rest."""
    from motiform.motion.bones.contact_kernels import AREA, FORCE, GAP

    count = len(rest.poses)
    tension, length = np.zeros((count, len(ligaments))), np.full((count, len(ligaments)), np.nan)
    for n in dict.fromkeys(packed.fibres):
        fibres = np.ascontiguousarray(rest.fibres[:, np.array(packed.fibres) == n])  # sums in one order for any count
        tension[:, n], length[:, n] = fibres[..., 0].sum(axis=1), fibres[..., 1].mean(axis=1)
    both = rest.sums.reshape(count, len(packed.pairs), 2, rest.sums.shape[-1])
    found = _poses(packed, rest)
    if ligaments:
        paths = _paths(packed, rest, ligaments)
        found |= {"ligament.path": paths, "ligament.tension": tension, "ligament.length": length}
    if packed.pairs:
        force = both[:, :, 0, FORCE : FORCE + 3] - both[:, :, 1, FORCE : FORCE + 3]
        found["contact.force"] = np.linalg.norm(force, axis=2)
        found["contact.area"], found["contact.gap"] = both[..., AREA].sum(axis=2), both[..., GAP].min(axis=2)
    if packed.covers:
        found |= _balls(packed, rest.poses, found.get("contact.gap"))
    return found | {"energy": rest.energy}


def rest_recording(
    packed: PackedBones, ligaments: Sequence[Ligament], surfaces: Mapping[str, Array], arrays: dict[str, Array],
    poses: Array, times: Array, manifest: Mapping[str, Any], events: Sequence[Event] = (),
) -> Recording:  # fmt: skip
    """Return the recording of what `observe_rest` and others gave, with maps of pressure and bones out of their place.

    `surfaces` are points of each bone [m] on which pressure is mapped, `poses` those of the bodies (n, bodies, 12).
    """
    none = np.zeros((len(times), len(packed.pairs)))
    pressed, names = pressure_maps(packed, poses, arrays.get("contact.area", none), surfaces)
    labels, arrays = rest_labels(packed, ligaments) | {"contact_point": names}, arrays | pressed
    found = [*events, *_dislocations(packed, arrays.get("contact.gap", none), times)]
    return Recording.from_arrays(
        rest_channels(arrays), arrays, times=times, events=sorted(found, key=lambda event: event.time),
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


def _poses(packed: PackedBones, rest: EquilibriumPath) -> dict[str, Array]:
    body = {name: n for n, group in enumerate(packed.bodies) for name in group}
    found = {}
    for name in packed.bones:
        R = rest.poses[:, body[name], :9].reshape(-1, 3, 3)
        p = rest.poses[:, body[name], 9:] + packed.shift - R @ packed.shift
        found[f"{name}.position"], found[f"{name}.orientation"] = p, quaternion_from_rotation(R)
    return found


def _balls(packed: PackedBones, poses: Array, gap: Array | None) -> dict[str, Array]:
    """Return how balls touch, whose radii have half of the cartilage of both bones. [Perez94 6.4, 8.1, 8.3]"""
    body = {name: n for n, group in enumerate(packed.bodies) for name in group}
    ratio = np.full((len(poses), len(packed.pairs)), np.nan)
    deep, total = np.zeros(ratio.shape), np.zeros(ratio.shape)
    touching = {name: np.zeros((len(poses), len(cover)), bool) for name, cover in packed.covers.items()}
    for n, (a, b) in enumerate(packed.pairs):
        one, other, layer = packed.covers[a], packed.covers[b], packed.model[7][2 * n]
        for i in np.flatnonzero(gap[:, n] < layer) if gap is not None and layer > 0.0 else ():
            pose = _of_body(packed, poses[i], body[a]).inverse() @ _of_body(packed, poses[i], body[b])
            pairs, depth = ball_pairs(one, other, pose=pose, margin=layer)
            if len(pairs):
                sums = one.radii[pairs[:, 0]] + other.radii[pairs[:, 1]] + layer
                ratios = 1.0 - depth / sums
                ratio[i, n], deep[i, n], total[i, n] = ratios.min(), (ratios < _DEEP).mean(), depth.sum()
                touching[a][i, pairs[:, 0]] = touching[b][i, pairs[:, 1]] = True
    shares = {f"{name}.touching_balls": found.mean(axis=1) for name, found in touching.items()}
    return {"contact.ball_ratio": ratio, "contact.ball_depth": total, "contact.deep_balls": deep, **shares}


def _of_body(packed: PackedBones, poses: Array, body: int) -> Transform:
    """Return the motion of a body from the neutral pose, in the axes of the meshes."""
    R = poses[body, :9].reshape(3, 3)
    return Transform(R, poses[body, 9:] + packed.shift - R @ packed.shift)


def _dislocations(packed: PackedBones, gap: Array, at: Array) -> list[Event]:
    """Return which free bones are out of their place, and when."""
    events = []
    free, start = [name for group in packed.bodies[2:] for name in group], _neutral_gaps(packed)
    for name in free:
        columns = [n for n, pair in enumerate(packed.pairs) if name in pair]
        if not columns or start[columns].min() > _LEFT:  # it never had a neighbour
            continue
        least = gap[:, columns].min(axis=1)
        for i in np.nonzero(least > _LEFT)[0]:
            events.append(Event(float(at[i]), "dislocated", {"bone": name, "problem": "no other bone is near"}))
    return events


def _neutral_gaps(packed: PackedBones) -> Array:
    """Return the gap of each pair in the neutral pose [m], (pairs,)."""
    from motiform.motion.bones.contact_kernels import GAP
    from motiform.motion.bones.settle_kernels import evaluate

    space, settings = workspace(packed), packed.settings.copy()
    settings[0] = FAR
    evaluate(neutral_poses(packed), packed.slots, packed.middles, packed.model, settings, *space)
    return np.asarray(space[4][:, GAP].reshape(-1, 2).min(axis=1, initial=np.inf))
