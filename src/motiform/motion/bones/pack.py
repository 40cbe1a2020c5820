"""A wrist as kernels read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.geometry.maps import Cover
from motiform.motion.bones.bone import Bone
from motiform.motion.bones.cover import BLEND
from motiform.motion.bones.ligaments import NODES, Ligament
from motiform.spatial.checks import Array

__all__ = ["PackedBones", "pack_wrist", "workspace"]

_CLUSTER, _BLOCK = 12, 8  # surface points, and clusters of them, that are passed over together


@dataclass(frozen=True, eq=False)
class PackedBones:
    """Arrays of `settle_kernels`, with lengths in m about the origin `shift`."""

    bones: tuple[str, ...]
    bodies: tuple[tuple[str, ...], ...]
    pairs: tuple[tuple[str, str], ...]
    """Bones that may touch; the arrays hold each pair twice, both ways."""
    fibres: tuple[int, ...]
    """The ligament of each fibre."""
    shift: Array
    slots: Any
    middles: Array
    model: tuple[Any, ...]
    settings: Array
    covers: Mapping[str, Cover] = field(default_factory=dict)
    """Of bones whose contact is by balls."""

    @property
    def free(self) -> int:
        """How many bodies are free."""
        return int((self.slots >= 0).sum())


def pack_wrist(
    bones: Mapping[str, Bone], bodies: Sequence[tuple[str, ...]], ligaments: Sequence[Ligament],
    reaches: Mapping[tuple[str, str], float], shift: Array, stiffness: float, hardening: float, still: float,
    led: bool = False, balls: bool = False, load: ArrayLike = (0.0, 0.0, 0.0),
) -> PackedBones:  # fmt: skip
    """Return the arrays; `reaches` holds the thickness of cartilage [m] of each pair of bones that may touch.

    `led`: of the driven body only the rotation is prescribed, and `load` [N] acts on it; `balls`: bones touch by their
    covers.
    """
    names = tuple(bones)
    body = {name: n for n, group in enumerate(bodies) for name in group}
    slots = np.array([-1, 0, *range(1, len(bodies) - 1)] if led else [-1, -1, *range(len(bodies) - 2)])

    def acts(a: str, b: str) -> bool:
        return body[a] != body[b] and max(slots[body[a]], slots[body[b]]) >= 0

    pairs = tuple(pair for pair in reaches if acts(*pair))
    over = {name for ligament in ligaments for name in ligament.over}
    used = {name for pair in pairs for name in pair} | over
    shapes = _shapes(bones, used, body, shift, balls)
    centers = [[bones[name].center for name in group] or [shift] for group in bodies]
    middles = np.array([np.mean(group, axis=0) - shift for group in centers])
    index = {name: n for n, name in enumerate(names)}
    both = [(index[a], index[b]) for pair in pairs for a, b in (pair, pair[::-1])]
    thick = np.repeat([reaches[pair] for pair in pairs], 2).astype(float)
    acting = [(n, lig) for n, lig in enumerate(ligaments) if acts(*lig.bones)]
    ends, fibres, owner = _fibres(acting, body, index, shift)
    model = (*shapes, np.array(both, np.int64).reshape(-1, 2), thick, ends, fibres)
    settings = np.array([0.0, stiffness, still, hardening**-2.0, *np.asarray(load, float)])
    covers = {name: bone.cover for name, bone in bones.items() if balls and name in used}
    packed = PackedBones(names, tuple(bodies), pairs, owner, shift, slots, middles, model, settings, covers)
    if balls:
        _fit_reaches(packed)
    _set_lengths(packed, [ligaments[n] for n in owner])
    return packed


def _shapes(
    bones: Mapping[str, Bone], used: set[str], body: Mapping[str, int], shift: Array, by_balls: bool
) -> tuple[Any, ...]:
    """Return spans, grid, (field, cover, listed, lists), hulls, balls and points."""
    spans, grid, hulls = np.zeros((len(bones), 10), np.int64), np.zeros((len(bones), 5)), np.zeros((len(bones), 4))
    fields, balls, points = [np.zeros(1, np.float32)], [np.zeros((0, 6))], [np.zeros((0, 4))]
    most = max([len(bone.cover) for name, bone in bones.items() if name in used], default=0) if by_balls else 0
    covers, listed, lists = [np.zeros((0, 4))], [np.zeros(1, np.int32)], [np.arange(most, dtype=np.int32)]
    node, ball, point = 1, 0, 0
    for n, (name, bone) in enumerate(bones.items()):
        spans[n, 6:8] = body[name], -1
        if name not in used:
            continue
        held = bone.map.coefficients
        surface = bone.ball_points if by_balls else bone.samples[0]
        rows, clusters = _clustered(np.column_stack([surface - shift, bone.samples[1]]), point)
        blocks = _blocks(clusters, ball)
        spans[n, :6] = node, *held.shape, ball + len(clusters), ball + len(clusters) + len(blocks)
        grid[n] = *(bone.map.origin - shift), bone.map.spacing, BLEND * bone.fineness.voxels
        hulls[n] = _ball(rows[:, :3])
        fields.append(held.reshape(-1))
        balls += [clusters, blocks]
        points.append(rows)
        node, ball, point = node + held.size, ball + len(clusters) + len(blocks), point + len(rows)
        if by_balls:
            starts, near = bone.nearest_balls
            first = sum(map(len, covers))
            spans[n, 7:] = sum(map(len, listed)), first, first + len(bone.cover)
            covers.append(np.column_stack([bone.cover.centers - shift, bone.cover.radii]))
            listed.append(starts + np.int32(sum(map(len, lists))))
            lists.append(near)
    shapes = np.concatenate(fields), np.concatenate(covers), np.concatenate(listed), np.concatenate(lists)
    return spans, grid, shapes, hulls, np.concatenate(balls), np.concatenate(points)


def _ball(x: Array) -> list[float]:
    center = 0.5 * (x.min(axis=0) + x.max(axis=0))
    return [*center, np.linalg.norm(x - center, axis=1).max()]


def _clustered(points: Array, first: int) -> tuple[Array, Array]:
    """Return points sorted so that clusters are runs of them, and the clusters: ball (4), first point, end."""
    runs = [np.arange(len(points))]
    while max(map(len, runs)) > _CLUSTER:
        runs = [half for run in runs for half in _halves(points, run)]
    ends = first + np.cumsum([0, *map(len, runs)])
    rows = [[*_ball(points[run, :3]), ends[n], ends[n + 1]] for n, run in enumerate(runs)]
    return points[np.concatenate(runs)], np.array(rows)


def _blocks(clusters: Array, first: int) -> Array:
    """Return balls around runs of clusters, with the first of them and their end."""
    rows = []
    for n in range(0, len(clusters), _BLOCK):
        part = clusters[n : n + _BLOCK]
        center = 0.5 * (part[:, :3].min(axis=0) + part[:, :3].max(axis=0))
        radius = (np.linalg.norm(part[:, :3] - center, axis=1) + part[:, 3]).max()
        rows.append([*center, radius, first + n, first + n + len(part)])
    return np.array(rows)


def _halves(points: Array, run: Any) -> list[Any]:
    if len(run) <= _CLUSTER:
        return [run]
    x = points[run, :3]
    order = run[np.argsort(x[:, np.ptp(x, axis=0).argmax()], kind="stable")]
    return [order[: len(order) // 2], order[len(order) // 2 :]]


def _fibres(acting: Any, body: Mapping[str, int], index: Mapping[str, int], shift: Array) -> tuple[Any, ...]:
    ends, fibres, owner = [], [], []
    for n, lig in acting:
        over = [*(index[name] for name in lig.over), -1, -1][:2]
        for a, b in zip(lig.starts, lig.ends, strict=True):
            ends.append([body[lig.bones[0]], body[lig.bones[1]], *over])
            k = lig.stiffness / len(lig.starts)
            fibres.append([*(a - shift), *(b - shift), k, lig.toe * k, 0.0, 0.0, lig.clearance])
            owner.append(n)
    return np.array(ends, np.int64).reshape(-1, 4), np.array(fibres).reshape(-1, 11), tuple(owner)


def workspace(packed: PackedBones) -> tuple[Any, ...]:
    """Return centers, gradient, hessian, work, sums, nodes, held, tension for `settle_kernels`."""
    from motiform.motion.bones.contact_kernels import SUMS

    size = 6 * packed.free
    return (
        np.zeros((len(packed.bodies), 3)), np.zeros(size), np.zeros((size, size)), np.zeros((12, 6)),
        np.zeros((len(packed.model[6]), SUMS)), np.zeros((NODES * len(packed.fibres), 3)), np.zeros(NODES, np.int64),
        np.zeros((len(packed.fibres), 2)),
    )  # fmt: skip


def neutral_poses(packed: PackedBones) -> Array:
    """Return the poses of the bodies in the neutral pose, (bodies, 12)."""
    return np.tile([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], (len(packed.bodies), 1))


def _fit_reaches(packed: PackedBones) -> None:
    """Take cartilage away where the covers of two bones would press in the neutral pose."""
    from motiform.motion.bones.contact_kernels import GAP
    from motiform.motion.bones.settle_kernels import evaluate

    space = workspace(packed)
    evaluate(neutral_poses(packed), packed.slots, packed.middles, packed.model, packed.settings, *space)
    least = space[4][:, GAP].reshape(-1, 2).min(axis=1, initial=np.inf)
    reaches = packed.model[7]
    reaches[:] = np.minimum(reaches, np.repeat(least, 2))


def _set_lengths(packed: PackedBones, owners: list[Ligament]) -> None:
    """Write neutral and slack lengths of the fibres: as long as they are in the neutral pose, over the bones."""
    from motiform.motion.bones.settle_kernels import evaluate

    if not owners:
        return
    space = workspace(packed)
    evaluate(neutral_poses(packed), packed.slots, packed.middles, packed.model, packed.settings, *space)
    fibres = packed.model[9]
    fibres[:, 9] = space[-1][:, 1]
    fibres[:, 8] = fibres[:, 9] * np.array([lig.slack for lig in owners])
