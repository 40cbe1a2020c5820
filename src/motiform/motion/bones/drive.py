"""Poses of the driven bone: from angles, or as measured."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.bones.axes import Axes, rotation_axes
from motiform.motion.bones.bone import Bone
from motiform.spatial import Transform, exp_rotation, nearest_rotation
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["driver_poses"]

_FARTHEST = 60e-3  # [m] that a hand moves its capitate
_WIDEST = np.deg2rad(120.0)
_SHEARED = 1e-3  # entries of RᵀR − 1 of a measured pose: beyond it, the matrix is no rotation


def driver_poses(
    axes: Axes, bones: Mapping[str, Bone], flexion: Any, deviation: Any, driver: Any, unit: float
) -> tuple[Transform, list[str]]:
    """Return the poses of the driven bone from the neutral pose, a batch, and notes on what was converted."""
    if driver is None:
        return _from_angles(axes, flexion, deviation), []
    if flexion is not None or deviation is not None:
        raise InputError("give either angles or driver=", where="settle", got=Words("both"), allowed="one of them")
    return _measured(bones, driver, unit)


def _from_angles(axes: Axes, flexion: Any, deviation: Any) -> Transform:
    if flexion is None and deviation is None:
        allowed = "flexion=, deviation= or driver="
        raise InputError("the pose of the driven bone must be given", where="settle", allowed=allowed)
    angles = [as_floats(0.0 if a is None else a, where=name) for a, name in
              ((flexion, "flexion"), (deviation, "deviation"))]  # fmt: skip
    try:
        bent, turned = np.broadcast_arrays(*(np.atleast_1d(a) for a in angles))
    except ValueError:
        got = Words(f"{angles[0].shape} and {angles[1].shape}")
        raise InputError(
            "flexion and deviation must be as many", where="settle", got=got, allowed="(n,) both"
        ) from None
    if bent.ndim != 1 or len(bent) == 0:
        raise InputError("the array has the wrong shape", where="flexion", got=bent.shape, allowed="one number or (n,)")
    most = float(np.abs([bent, turned]).max())
    if most > _WIDEST:
        got = Words(f"{most:.4g} rad")
        raise InputError(
            "an angle must be one that a wrist can reach", where="settle", got=got, allowed=f"up to {_WIDEST:.3g} rad",
            remedy="Give angles in radians.",
        )  # fmt: skip
    e_flexion, e_deviation, _ = rotation_axes(axes.distal, axes.radial, axes.palmar)
    R = exp_rotation(bent[:, None] * e_flexion) @ exp_rotation(turned[:, None] * e_deviation)
    return Transform(R, axes.center - R @ axes.center)


def _measured(bones: Mapping[str, Bone], driver: Any, unit: float) -> tuple[Transform, list[str]]:
    R, p = _split(driver)
    notes = []
    sheared = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2))
    mirrored = np.linalg.det(R) <= 0
    if (bad := (sheared > _SHEARED) | mirrored).any():
        i = int(bad.argmax())
        got = Words("a mirror" if mirrored[i] else f"|RᵀR − 1| up to {sheared[i]:.3g}")
        raise InputError(
            "a pose must be a rotation and a translation", where=f"driver {i}", got=got,
            allowed=f"|RᵀR − 1| up to {_SHEARED:g} and determinant 1",
        )  # fmt: skip
    R = nearest_rotation(R)
    center = bones["capitate"].center if "capitate" in bones else next(iter(bones.values())).center
    moved = [float(np.linalg.norm(R @ center + scale * p - center, axis=1).max()) for scale in (1.0, unit)]
    if moved[0] > _FARTHEST >= moved[1] and unit != 1.0:
        p = p * unit
        notes.append(f"Translations of driver= were taken in the unit of the meshes, {unit:g} m.")
    elif moved[0] > _FARTHEST:
        i = int(np.linalg.norm(R @ center + p - center, axis=1).argmax())
        raise InputError(
            "a pose is impossible", where=f"driver {i}", got=Words(f"the capitate moves by {moved[0] * 1e3:.3g} mm"),
            allowed=f"up to {_FARTHEST * 1e3:g} mm from the neutral pose",
            remedy="Give poses relative to the radius, from the neutral pose, in metres.",
        )  # fmt: skip
    return Transform(R, p), notes


def _split(driver: Any) -> tuple[Array, Array]:
    if isinstance(driver, Transform):
        return driver.rotation.reshape(-1, 3, 3), driver.translation.reshape(-1, 3)
    poses = as_floats(driver, 4, 4, where="driver")
    poses = poses[None] if poses.ndim == 2 else poses
    if poses.ndim != 3 or len(poses) == 0:
        raise InputError("the array has the wrong shape", where="driver", got=poses.shape, allowed="(n, 4, 4)")
    if np.abs(poses[:, 3] - [0.0, 0.0, 0.0, 1.0]).max() > 1e-6:
        i = int(np.abs(poses[:, 3] - [0.0, 0.0, 0.0, 1.0]).max(axis=1).argmax())
        raise InputError(
            "the last row of a pose must be 0, 0, 0, 1", where=f"driver {i}", got=Words(str(poses[i, 3].tolist())),
            remedy="Translations are the last column.",
        )  # fmt: skip
    return poses[:, :3, :3], poses[:, :3, 3]
