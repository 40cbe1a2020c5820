"""Rotations as matrices: exponential, logarithm, Cayley, nearest; with the quaternions and angles they convert to.

Active and by columns: R turns a vector, r_world = R r_body, and the columns of R are the body's axes in the world.
"""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array, Words, as_floats, check_rotation, check_turn
from motiform.spatial.euler import (
    cardan_from_rotation,
    euler_from_rotation,
    rotation_about,
    rotation_from_cardan,
    rotation_from_euler,
)
from motiform.spatial.quaternion import (
    conjugate,
    exp_quaternion,
    log_quaternion,
    multiply_quaternions,
    normalize_quaternion,
    quaternion_from_rotation,
    rotate,
    rotation_from_quaternion,
    slerp,
)

__all__ = [
    "cardan_from_rotation", "cayley", "check_rotation", "conjugate", "euler_from_rotation", "exp_quaternion",
    "exp_rotation", "log_quaternion", "log_rotation", "multiply_quaternions", "nearest_rotation",
    "normalize_quaternion", "quaternion_from_rotation", "random_rotation", "rotate", "rotation_about",
    "rotation_from_cardan", "rotation_from_euler", "rotation_from_quaternion", "skew", "slerp",
]  # fmt: skip


def skew(vector: ArrayLike) -> Array:
    """Return [v]×, with [v]× u = v × u, (..., 3) to (..., 3, 3)."""
    v = as_floats(vector, 3, where="vector")
    S = np.zeros((*v.shape, 3))
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -z, y, -x
    S[..., 1, 0], S[..., 2, 0], S[..., 2, 1] = z, -y, x
    return S


def exp_rotation(vector: ArrayLike) -> Array:
    """Return the rotation by |v| rad about v, (..., 3) to (..., 3, 3).

    Rodrigues: R = 1 + sinθ/θ [v]× + ½ (sin(θ/2)/(θ/2))² [v]×², with no difference of near numbers at small angles.
    """
    v = check_turn(vector)
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    safe = np.where(angle > 0, angle, 1.0)
    sinc = np.where(angle > 0, np.sin(angle) / safe, 1.0)
    half_sinc = np.where(angle > 0, np.sin(0.5 * angle) / safe, 0.5)
    S = skew(v)
    R: Array = np.eye(3) + sinc * S + 2.0 * half_sinc**2 * (S @ S)
    return R


def log_rotation(rotation: ArrayLike) -> Array:
    """Return the rotation vector [rad] of rotation matrices, |v| ≤ π, (..., 3, 3) to (..., 3).

    Goes by the quaternion, which keeps every digit near 0 and near π, where the trace alone loses half of them.
    At exactly π both v and −v are right; one is returned. A matrix that is not a rotation within 1e-6 is refused.
    """
    return log_quaternion(quaternion_from_rotation(check_rotation(rotation)))


def cayley(vector: ArrayLike) -> Array:
    """Return (1 − ½[v]×)⁻¹ (1 + ½[v]×): the rotation by 2 atan(|v|/2) about v, (..., 3) to (..., 3, 3).

    Equal to exp_rotation(v) up to the third order in v, and always a rotation.
    """
    v = as_floats(vector, 3, where="vector")
    one = np.ones((*v.shape[:-1], 1))
    return rotation_from_quaternion(np.concatenate([one, 0.5 * v], axis=-1))


def nearest_rotation(matrix: ArrayLike) -> Array:
    """Return the rotations nearest to matrices in the sense of the sum of squares (polar factor), (..., 3, 3)."""
    A = as_floats(matrix, 3, 3, where="matrix")
    scale = np.abs(A).max(axis=(-2, -1), keepdims=True, initial=0.0)
    U, sizes, Vt = np.linalg.svd(A / np.where(scale > 0, scale, 1.0))
    flip = np.linalg.det(U @ Vt) < 0
    # With a mirror the smallest axis turns over; the answer is unique unless the two smallest stretches then cancel.
    gap = np.where(flip, sizes[..., 1] - sizes[..., 2], sizes[..., 1] + sizes[..., 2])
    if (gap <= 1e-14).any():
        raise InputError(
            "the matrix has no nearest rotation", where="matrix",
            got=Words("a matrix with two stretches that vanish or cancel"), allowed="a matrix close to a rotation",
        )  # fmt: skip
    U[..., :, 2] *= np.where(flip, -1.0, 1.0)[..., None]
    R: Array = U @ Vt
    return R


def random_rotation(rng: np.random.Generator, count: int | None = None) -> Array:
    """Return rotations drawn uniformly over all orientations, (3, 3), or (count, 3, 3)."""
    shape = (4,) if count is None else (count, 4)
    return rotation_from_quaternion(rng.standard_normal(shape))
