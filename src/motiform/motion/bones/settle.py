"""Poses of rest along a path of the driven bone."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.base.errors import RunError
from motiform.base.progress import Progress
from motiform.motion.bones.pack import PackedBones, neutral_poses, workspace
from motiform.spatial import Transform, exp_twist, log_transform
from motiform.spatial.checks import Array

__all__ = ["EquilibriumPath", "about_origin", "settle_path"]

TURN, SHIFT = np.deg2rad(3.0), 1.5e-3  # [rad], [m] by which the driven bone moves at most between two states of rest
MOST = 200  # evaluations for one state of rest
ROUGH = 3e-5  # [m] a step that ends the search where the way goes on
FAR = 4e-3  # [m] up to which gaps are reported


@dataclass
class EquilibriumPath:
    """States of rest: what `settle_path` found."""

    poses: Array
    """Rotation by rows and translation [m] of each body, from the neutral pose, (n, bodies, 12)."""
    sums: Array
    """What each directed pair of bones adds up to, (n, 2 pairs, sums)."""
    fibres: Array
    """Tension [N] and length [m] of each fibre, (n, fibres, 2)."""
    nodes: Array
    """Where the nodes of the fibres are [m], (n, nodes, 3)."""
    energy: Array
    """(n,) [J]."""
    last: Array
    """The last step of the search [m], (n,)."""
    evaluations: int = 0
    steps: int = 0
    lost: list[int] = field(default_factory=list)
    """Samples at which the search ended before it was still."""


def settle_path(packed: PackedBones, targets: Transform, progress: Progress | None = None) -> EquilibriumPath:
    """Return the state of rest at each pose of the driven body (a batch, from the neutral pose).

    The driven bone is led to each pose along a screw in small steps: from the pose before, or from the neutral pose
    where that is nearer. A driven body whose translation is free only turns. Each step starts from the rest before it,
    carried on by the motion of the step before.
    """
    from motiform.motion.bones.settle_kernels import evaluate

    count = len(targets.translation)
    spare = workspace(packed)
    rest = EquilibriumPath(
        np.empty((count, len(packed.bodies), 12)), np.empty((count, *spare[4].shape)),
        np.empty((count, *spare[7].shape)), np.empty((count, *spare[5].shape)), np.empty(count), np.empty(count),
    )  # fmt: skip
    here, poses = Transform.identity(), neutral_poses(packed)
    centred = about_origin(targets, packed.shift)
    reporting = packed.settings.copy()
    reporting[0] = FAR
    for i in range(count):
        goal = Transform(centred.rotation[i], centred.translation[i])
        if _way(Transform.identity(), goal) < _way(here, goal):
            here, poses = Transform.identity(), neutral_poses(packed)
        poses, rest.last[i] = _lead(packed, poses, here, goal, rest)
        here = goal
        rest.energy[i] = evaluate(poses, packed.slots, packed.middles, packed.model, reporting, *spare)
        if not np.isfinite([rest.energy[i], rest.last[i], *poses.flat]).all():
            remedy = "Check the stiffness of cartilage and ligaments, and where these begin and end."
            raise RunError("the search for rest has diverged", where=f"pose {i}", remedy=remedy)
        rest.poses[i], rest.sums[i], rest.fibres[i], rest.nodes[i] = poses, spare[4], spare[7], spare[5]
        if rest.last[i] > 10.0 * packed.settings[2]:
            rest.lost.append(i)
        if progress is not None:
            progress((i + 1) / count)
    return rest


def about_origin(transform: Transform, origin: Array) -> Transform:
    """Return a motion in coordinates about another origin: p → R o + p − o."""
    R = transform.rotation
    return Transform(R, transform.translation + R @ origin - origin)


def _way(a: Transform, b: Transform) -> float:
    """Return how many small steps lie between two poses, not rounded."""
    twist = log_transform(a.inverse() @ b)
    turn = float(np.linalg.norm(twist[:3]) / TURN)
    return max(turn, float(np.linalg.norm(b.translation - a.translation)) / SHIFT)


def _lead(
    packed: PackedBones, poses: Array, start: Transform, goal: Transform, rest: EquilibriumPath
) -> tuple[Array, float]:
    from motiform.motion.bones.settle_kernels import settle

    steps = max(1, int(np.ceil(_way(start, goal) - 1e-9)))
    twist = log_transform(start.inverse() @ goal)
    size = 6 * packed.free
    spare = workspace(packed)
    space = (*workspace(packed), np.zeros((size, size)), np.zeros(size))
    trial = np.empty_like(poses)
    poses, last = poses.copy(), 0.0
    before: Any = None
    rough = packed.settings.copy()
    rough[2] = max(rough[2], ROUGH)
    for k in range(1, steps + 1):
        pose = goal if k == steps else start @ exp_twist(twist * k / steps)
        previous = poses.copy()
        if before is not None:
            _carry_on(poses, before)
        poses[1, :9] = pose.rotation.reshape(9)
        if packed.slots[1] < 0:  # otherwise the centre stays where it is, for the search to move
            poses[1, 9:] = pose.translation
        settings = packed.settings if k == steps else rough
        _, used, last = settle(poses, packed.slots, packed.middles, packed.model, settings, MOST, trial, spare, space)
        before = previous
        rest.evaluations += used
        rest.steps += 1
    return poses, last


def _carry_on(poses: Array, before: Array) -> None:
    """Move each free body on as it moved in the step before: a better start than where it is."""
    R, S = poses[2:, :9].reshape(-1, 3, 3), before[2:, :9].reshape(-1, 3, 3)
    turn = R @ np.swapaxes(S, 1, 2)
    shift = poses[2:, 9:] - (turn @ before[2:, 9:, None])[..., 0]
    new = turn @ R
    poses[2:, 9:] = (turn @ poses[2:, 9:, None])[..., 0] + shift
    poses[2:, :9] = new.reshape(-1, 9)
