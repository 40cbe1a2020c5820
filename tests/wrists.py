"""Wrists and bones in contact that several tests use."""

from dataclasses import replace
from functools import cache

import numpy as np

from motiform import wrist
from motiform.geometry import Mesh
from motiform.measure import synthetic_bones
from motiform.motion.bones.bone import Bone, BoneResolution
from motiform.motion.bones.pack import PackedBones, pack_wrist, workspace
from motiform.motion.bones.settle_kernels import evaluate
from motiform.spatial import exp_rotation

COARSE = BoneResolution(spacing=8e-4, margin=5e-3, band=2e-3, points=2e-3)


@cache
def bones(side: str = "right") -> dict[str, Mesh]:
    return synthetic_bones(side=side)


@cache
def carpus(side: str = "right") -> wrist.Wrist:
    """A synthetic wrist, coarsely resolved."""
    return wrist.from_meshes(bones(side), side=side, fineness=COARSE)


def two_bones(
    fixed: Mesh, free: Mesh, reach: float, *, spacing: float = 4e-4, points: float = 6e-4, **changes
) -> PackedBones:
    """Two bodies in contact, the second one free, with cartilage of that thickness between them and k = 10 N/mm³."""
    fine = BoneResolution(spacing=spacing, margin=3e-3, band=2e-3, points=points)
    pair = {"radius": Bone("radius", fixed, fine), "lunate": Bone("lunate", free, fine)}
    settings = {"stiffness": 1e10, "hardening": np.inf, "still": 1e-9} | changes
    return pack_wrist(pair, (("radius",), (), ("lunate",)), (), {("radius", "lunate"): reach}, np.zeros(3), **settings)


def energy(packed: PackedBones, poses):
    """Return energy, gradient, Hessian and centres of the bodies at poses."""
    space = workspace(packed)
    value = evaluate(poses, packed.slots, packed.middles, packed.model, packed.settings, *space)
    return value, space[1].copy(), space[2].copy(), space[0].copy()


def moved(packed: PackedBones, poses, centers, step):
    """Return the poses after twists of the free bodies about their centres."""
    new = poses.copy()
    for body, slot in enumerate(packed.slots):
        if slot >= 0:
            w, v = step[6 * slot : 6 * slot + 3], step[6 * slot + 3 : 6 * slot + 6]
            R = exp_rotation(w)
            new[body, :9] = (R @ poses[body, :9].reshape(3, 3)).reshape(9)
            new[body, 9:] = R @ (poses[body, 9:] - centers[body]) + centers[body] + v
    return new


def unwrapped(packed: PackedBones) -> PackedBones:
    """The same wrist with straight fibres."""
    ends = packed.model[8].copy()
    ends[:, 2:] = -1
    return replace(packed, model=(*packed.model[:8], ends, packed.model[9]))
