"""Unit quaternions (w, x, y, z); the last axis holds the four numbers, leading axes are batches.

q and −q are the same rotation. The product is Hamilton's: multiply_quaternions(a, b) turns by b first, then by a, as
R_a R_b does.
"""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array, Words, as_floats, check_turn

__all__ = [
    "conjugate", "exp_quaternion", "log_quaternion", "multiply_quaternions", "normalize_quaternion",
    "quaternion_from_rotation", "rotate", "rotation_from_quaternion", "slerp",
]  # fmt: skip


def normalize_quaternion(quaternion: ArrayLike) -> Array:
    """Return quaternions of length one, (..., 4); the sign is kept. A zero quaternion is rejected."""
    q = as_floats(quaternion, 4, where="quaternion")
    largest = np.abs(q).max(axis=-1, keepdims=True, initial=0.0)
    if (largest == 0).any():
        raise InputError(
            "a quaternion must have a length above 0", where="quaternion", got=Words("(0, 0, 0, 0)"),
            allowed="a length above zero",
        )  # fmt: skip
    # Scaled by a power of two, so that no square over- or underflows and no digit is lost.
    q = np.ldexp(q, -np.frexp(largest)[1])
    unit: Array = q / np.sqrt((q * q).sum(axis=-1, keepdims=True))
    return unit


def conjugate(quaternion: ArrayLike) -> Array:
    """Return (w, −x, −y, −z): for unit quaternions the inverse rotation."""
    return as_floats(quaternion, 4, where="quaternion") * (1.0, -1.0, -1.0, -1.0)


def multiply_quaternions(a: ArrayLike, b: ArrayLike) -> Array:
    """Return Hamilton's product a b, (..., 4)."""
    aw, ax, ay, az = np.moveaxis(as_floats(a, 4, where="quaternion a"), -1, 0)
    bw, bx, by, bz = np.moveaxis(as_floats(b, 4, where="quaternion b"), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def rotate(quaternion: ArrayLike, vector: ArrayLike) -> Array:
    """Return vectors turned by quaternions, R(q) v, (..., 3); one that is not of length one is normalised first."""
    q, v = normalize_quaternion(quaternion), as_floats(vector, 3, where="vector")
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    turned: Array = v + w * t + np.cross(u, t)
    return turned


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return rotation matrices (..., 3, 3); a quaternion that is not of length one is normalised first."""
    w, x, y, z = np.moveaxis(normalize_quaternion(quaternion), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Return the unit quaternion with w ≥ 0 of rotation matrices, (..., 4).

    The matrix gives 4 q qᵀ; its row with the largest diagonal is used, so no digit is lost at any angle.
    """
    R = as_floats(rotation, 3, 3, where="rotation")
    # 4 q qᵀ; the four rows in the order w, x, y, z
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(R, (-2, -1), (0, 1))
    rows = [
        [1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i],
    ]  # fmt: skip
    outer = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    best = np.diagonal(outer, axis1=-2, axis2=-1).argmax(axis=-1)
    row = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    q = normalize_quaternion(row)
    return np.where(q[..., :1] < 0, -q, q)


def exp_quaternion(vector: ArrayLike) -> Array:
    """Return the quaternion of a rotation vector [rad], (..., 3) to (..., 4): (cos θ/2, sin θ/2 · v/θ)."""
    v = check_turn(vector)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    safe = np.where(angle > 0, angle, 1.0)
    half_sinc = np.where(angle > 0, np.sin(0.5 * angle) / safe, 0.5)
    return np.concatenate([np.cos(0.5 * angle), half_sinc * v], axis=-1)


def log_quaternion(quaternion: ArrayLike) -> Array:
    """Return the shortest rotation vector [rad] of quaternions, |v| ≤ π, (..., 3); q and −q give the same.

    A quaternion that is not of length one is normalised first.
    """
    return _shortest_log(normalize_quaternion(quaternion))


def _shortest_log(q: Array) -> Array:
    return _log(np.where(q[..., :1] < 0, -q, q))


def _log(q: Array) -> Array:
    """2 atan2(|u|, w) u/|u| for q = (w, u): accurate for all angles up to 2π, since neither part alone is trusted."""
    w, u = q[..., :1], q[..., 1:]
    sine = np.linalg.norm(u, axis=-1, keepdims=True)
    safe = np.where(sine > 0, sine, 1.0)
    vector: Array = np.where(sine > 0, 2.0 * np.arctan2(sine, w) / safe, 2.0) * u
    return vector


def slerp(start: ArrayLike, end: ArrayLike, fraction: ArrayLike, *, shortest: bool = True) -> Array:
    """Return the rotation a fraction t along the great arc from `start` to `end`, (..., 4). [Shoemake85]

    q(t) = q0 exp(t log(q0⁻¹ q1)): constant angular velocity, and t outside [0, 1] continues it. With `shortest` the end
    is taken as q1 or −q1, whichever is nearer. Otherwise the arc goes to q1 itself; to exactly −q0 every great arc is
    as long, and the one that turns about the body's x axis is taken.
    """
    q0, q1 = normalize_quaternion(start), normalize_quaternion(end)
    t = as_floats(fraction, where="fraction")
    step = multiply_quaternions(conjugate(q0), q1)
    if shortest:
        vector = _shortest_log(step)
    else:
        opposite = (step[..., 0] < 0) & (step[..., 1:] == 0).all(axis=-1)
        vector = np.where(opposite[..., None], (2 * np.pi, 0.0, 0.0), _log(step))
    return normalize_quaternion(multiply_quaternions(q0, exp_quaternion(t[..., None] * vector)))
