"""Rotations from angles about axes (Euler and Cardan angles) and back.

*Intrinsic* (the default): each turn is about an axis of the frame as already turned, R = R_a(θ1) R_b(θ2) R_c(θ3).
*Fixed*: each turn is about an axis of the frame at rest, R = R_c(θ3) R_b(θ2) R_a(θ1).
"""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array, as_floats

__all__ = [
    "cardan_from_rotation", "euler_from_rotation", "rotation_about", "rotation_from_cardan", "rotation_from_euler",
]  # fmt: skip


def rotation_about(axis: str, angle: ArrayLike) -> Array:
    """Return rotations by `angle` [rad] about the axis "x", "y" or "z", (...) to (..., 3, 3)."""
    (i,) = _axes(axis, lengths=(1,))
    theta = as_floats(angle, where="angle")
    j, k = (i + 1) % 3, (i + 2) % 3
    c, s = np.cos(theta), np.sin(theta)
    R = np.zeros((*theta.shape, 3, 3))
    R[..., i, i] = 1.0
    R[..., j, j] = R[..., k, k] = c
    R[..., j, k], R[..., k, j] = -s, s
    return R


def rotation_from_euler(angles: ArrayLike, axes: str = "zyx", *, fixed: bool = False) -> Array:
    """Return rotations from angles [rad], (..., n) for n = 1 to 3 `axes`, to (..., 3, 3). Intrinsic unless `fixed`."""
    _axes(axes, lengths=(1, 2, 3))
    theta = as_floats(angles, len(axes), where=f"angles about {axes!r}")
    R = rotation_about(axes[0], theta[..., 0])
    for n, axis in enumerate(axes[1:], start=1):
        turn = rotation_about(axis, theta[..., n])
        R = turn @ R if fixed else R @ turn
    return R


def euler_from_rotation(rotation: ArrayLike, axes: str = "zyx", *, fixed: bool = False) -> Array:
    """Return the three angles [rad] about `axes`, (..., 3, 3) to (..., 3), that rotation_from_euler turns back.

    The middle angle lies in [−π/2, π/2] for three different axes, in [0, π] when the first returns. In gimbal lock only
    a sum or difference of the outer angles is defined; those returned still give the rotation back to rounding.
    """
    order = _axes(axes, lengths=(3,))
    R = as_floats(rotation, 3, 3, where="rotation")
    if fixed:  # turns about fixed axes are the intrinsic ones in reverse order
        return _intrinsic_angles(R, order[::-1], axes[::-1])[..., ::-1]
    return _intrinsic_angles(R, order, axes)


def rotation_from_cardan(angles: ArrayLike) -> Array:
    """Return Rz Ry Rx from the angles [rad] (about Z, about the new Y, about the new X), (..., 3) to (..., 3, 3)."""
    return rotation_from_euler(angles, "zyx")


def cardan_from_rotation(rotation: ArrayLike) -> Array:
    """Return the angles [rad] (about Z, about the new Y, about the new X), (..., 3, 3) to (..., 3)."""
    return euler_from_rotation(rotation, "zyx")


def _intrinsic_angles(R: Array, order: tuple[int, ...], axes: str) -> Array:
    i, j = order[0], order[1]
    k = 3 - i - j
    s = 1.0 if (j - i) % 3 == 1 else -1.0  # parity of (i, j, k)
    returns = order[0] == order[2]
    if returns:
        a = np.arctan2(R[..., j, i], -s * R[..., k, i])
    else:
        a = np.arctan2(-s * R[..., j, k], R[..., k, k])
    # What is left after the first turn is R_j(b) R_k(c). Near gimbal lock a is arbitrary; c, read from what is left,
    # makes up for it.
    M = rotation_about(axes[0], -a) @ R
    if returns:
        b = np.arctan2(-s * M[..., k, i], M[..., i, i])
        c = np.arctan2(-s * M[..., j, k], M[..., j, j])
    else:
        b = np.arctan2(s * M[..., i, k], M[..., k, k])
        c = np.arctan2(s * M[..., j, i], M[..., j, j])
    return np.stack([a, b, c], axis=-1)


def _axes(axes: str, *, lengths: tuple[int, ...]) -> tuple[int, ...]:
    allowed = (
        f"{' to '.join(str(n) for n in {lengths[0], lengths[-1]})} of the letters x, y, z, no letter twice in a row"
    )
    if not isinstance(axes, str) or len(axes) not in lengths or not set(axes) <= set("xyz"):
        raise InputError("unknown axes", where="axes", got=axes, allowed=allowed)
    if any(a == b for a, b in pairwise(axes)):
        raise InputError("successive turns must be about different axes", where="axes", got=axes, allowed=allowed)
    return tuple("xyz".index(axis) for axis in axes)
