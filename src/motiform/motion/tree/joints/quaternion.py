"""Joints with a quaternion: the ball joint and the free joint."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.joints.axes import UNITS, AxesJoint, Axis, cardan
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.joint import Array, Joint, named_as
from motiform.spatial import (
    Transform,
    check_rotation,
    conjugate,
    exp_quaternion,
    multiply_quaternions,
    quaternion_from_rotation,
    rotation_from_quaternion,
    skew,
)

__all__ = ["FreeJoint", "SphericalJoint", "free", "spherical"]


def _quaternion_rate(quaternion: Array, omega: Array) -> Array:
    """q̇ = ½ q (0, ω), ω in the turned axes."""
    pure = np.concatenate([np.zeros((*omega.shape[:-1], 1)), omega], axis=-1)
    return 0.5 * multiply_quaternions(quaternion, pure)


def _angular(x: Array, dx: Array, ddx: Array) -> tuple[Array, Array]:
    """Return ω and dω/dt in the turned axes of the rotation x / |x|: ω = 2 vec(x* ẋ) / |x|²."""
    size = (x * x).sum(-1, keepdims=True)
    back = conjugate(x)
    omega = 2.0 * multiply_quaternions(back, dx)[..., 1:] / size
    grows = 2.0 * (x * dx).sum(-1, keepdims=True) / size
    return omega, 2.0 * multiply_quaternions(back, ddx)[..., 1:] / size - grows * omega  # vec(ẋ* ẋ) = 0


def _unit(quaternion: Array) -> Array:
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


class SphericalJoint(Joint):
    """Any rotation: q is a quaternion, v the angular velocity in the child's axes."""

    code = tree_columns.BALL
    nq, nv = 4, 3
    units = ("rad", "rad", "rad")
    q_names = ("qw", "qx", "qy", "qz")
    quaternions = (0,)

    def __init__(self, names: Sequence[str] | None = None, start: ArrayLike | None = None) -> None:
        self.names, self.named = named_as(names, ("wx", "wy", "wz")), names is not None
        self.start = np.eye(3) if start is None else check_rotation(start, where="start of a ball joint")

    def neutral(self) -> Array:
        return quaternion_from_rotation(self.start)

    def transform(self, q: Array) -> Transform:
        R = rotation_from_quaternion(_unit(np.asarray(q, float)))
        return Transform._trusted(R, np.zeros(R.shape[:-1]), None)

    def subspace(self, q: Array) -> Array:
        return np.broadcast_to(np.eye(6)[:, :3], (*np.shape(q)[:-1], 6, 3))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return np.zeros((*np.shape(v)[:-1], 6, 3))

    def rate(self, q: Array, v: Array) -> Array:
        return _quaternion_rate(np.asarray(q, float), np.asarray(v, float))

    def velocities(self, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
        return _angular(q, dq, ddq)

    def stretched(self, placement: Transform, child: Array, parent: Array) -> tuple[Transform, Joint]:
        return Transform(placement.rotation, parent * placement.translation), self

    def advance(self, q: Array, v: Array, h: float) -> Array:
        return multiply_quaternions(np.asarray(q, float), exp_quaternion(h * np.asarray(v, float)))

    def repair(self, q: Array) -> Array:
        return _unit(np.asarray(q, float))


class FreeJoint(Joint):
    """No constraint: q = (position, quaternion), v = (angular, linear) velocity in the child's axes at its origin."""

    code = tree_columns.FREE
    nq, nv = 7, 6
    units = ("rad", "rad", "rad", "m", "m", "m")
    q_names = ("x", "y", "z", "qw", "qx", "qy", "qz")
    q_units = ("m", "m", "m", "", "", "", "")
    quaternions = (3,)

    def __init__(self, names: Sequence[str] | None = None, start: Transform | None = None) -> None:
        self.names, self.named = named_as(names, ("wx", "wy", "wz", "vx", "vy", "vz")), names is not None
        self.start = Transform.identity() if start is None else start

    def neutral(self) -> Array:
        return np.concatenate([self.start.translation, quaternion_from_rotation(self.start.rotation)])

    def transform(self, q: Array) -> Transform:
        q = np.asarray(q, float)
        return Transform._trusted(rotation_from_quaternion(_unit(q[..., 3:])), q[..., :3], None)

    def subspace(self, q: Array) -> Array:
        return np.broadcast_to(np.eye(6), (*np.shape(q)[:-1], 6, 6))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return np.zeros((*np.shape(v)[:-1], 6, 6))

    def rate(self, q: Array, v: Array) -> Array:
        q, v = np.asarray(q, float), np.asarray(v, float)
        R = rotation_from_quaternion(_unit(q[..., 3:]))
        moved = (R @ v[..., 3:, None])[..., 0]
        return np.concatenate([moved, _quaternion_rate(q[..., 3:], v[..., :3])], axis=-1)

    def velocities(self, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
        omega, alpha = _angular(q[..., 3:], dq[..., 3:], ddq[..., 3:])
        back = np.swapaxes(rotation_from_quaternion(q[..., 3:]), -1, -2)
        u, du = ((back @ x[..., :3, None])[..., 0] for x in (dq, ddq))
        du = du - np.cross(omega, u)  # rate of Rᵀ dp/dt
        return np.concatenate([omega, u], axis=-1), np.concatenate([alpha, du], axis=-1)

    def stretched(self, placement: Transform, child: Array, parent: Array) -> tuple[Transform, Joint]:
        return Transform(placement.rotation, parent * placement.translation), self

    def advance(self, q: Array, v: Array, h: float) -> Array:
        q, v = np.asarray(q, float), np.asarray(v, float)
        R = rotation_from_quaternion(_unit(q[..., 3:]))
        shift = (R @ _exp_shift(h * v[..., :3]) @ (h * v[..., 3:, None]))[..., 0]
        turned = multiply_quaternions(q[..., 3:], exp_quaternion(h * v[..., :3]))
        return np.concatenate([q[..., :3] + shift, turned], axis=-1)

    def repair(self, q: Array) -> Array:
        q = np.asarray(q, float)
        return np.concatenate([q[..., :3], _unit(q[..., 3:])], axis=-1)


def _exp_shift(w: Array) -> Array:
    """Return ∫₀¹ exp(s [w]×) ds, (..., 3, 3): how a turning velocity adds up."""
    angle2 = np.sum(w * w, axis=-1)[..., None, None]
    angle = np.sqrt(angle2)
    small = angle < 1e-3
    safe = np.where(small, 1.0, angle)
    b = np.where(small, 0.5 - angle2 / 24, 2 * np.sin(safe / 2) ** 2 / safe**2)
    c = np.where(small, 1 / 6 - angle2 / 120, (safe - np.sin(safe)) / safe**3)
    W = skew(w)
    return np.eye(3) + b * W + c * (W @ W)


def spherical(*, names: Sequence[str] | None = None, start: ArrayLike | None = None) -> SphericalJoint:
    """Return a ball joint without singularities: a quaternion. `start` is its neutral rotation, (3, 3)."""
    return SphericalJoint(names, start)


def free(
    kind: Literal["quaternion", "cardan"] = "quaternion",
    *,
    order: str = "zyx",
    names: Sequence[str] | None = None,
    start: Transform | None = None,
) -> FreeJoint | AxesJoint:
    """Return the joint of a free segment: with a quaternion, or with three shifts along x, y, z and Cardan angles.

    `start` is the pose of a neutral configuration, for the kind with a quaternion.
    """
    if start is not None and (kind != "quaternion" or not isinstance(start, Transform) or start.batch):
        raise InputError("start must be one Transform of a free joint with a quaternion", got=repr(start)[:80])
    if kind == "quaternion":
        return FreeJoint(names, start)
    if kind != "cardan":
        raise InputError("a free joint must be of a known kind", got=kind, allowed="quaternion, cardan")
    shifts = [Axis("prismatic", unit) for unit in UNITS.values()]
    return AxesJoint([*shifts, *cardan(order).axes], names)
