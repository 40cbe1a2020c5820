"""Steps of a contact at known velocities.  [ContactJoints 6]

L moves inside each body by its own twist, P ← P exp(Θ) Rz(a): a rotation about the centre of curvature. The spin a is
kept apart unless the surface is the same in all directions, so that on a cylinder Θ only turns about and shifts along
the axis and L never leaves the surface.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.tree.contact_joints.equations import Frames
from motiform.motion.tree.model.joint import Array
from motiform.spatial import (
    cross_motion,
    exp_quaternion,
    exp_twist,
    multiply_quaternions,
    quaternion_from_rotation,
    rotation_about,
    rotation_from_quaternion,
)

if TYPE_CHECKING:
    from motiform.motion.tree.contact_joints.joint import ContactJoint

__all__ = ["step"]

Velocity = Callable[[float], Array]
_Z = np.array([0.0, 0.0, 1.0])


def step(joint: "ContactJoint", q: Array, v: Velocity, h: float, method: str) -> Array:
    """Return the configuration one step later."""
    still = np.zeros((*q.shape[:-1], 2, 7))
    if method == "exp":  # one frozen twist: exact where the curvatures are constant in L
        return _moved(joint, q, h * _lie_rate(joint, q, v(0.0), still))
    if method == "expmid":
        half = 0.5 * h * _lie_rate(joint, q, v(0.0), still)
        return _moved(joint, q, h * _lie_rate(joint, _moved(joint, q, half), v(0.5 * h), half))
    if method == "rkmk4":
        return _moved(joint, q, _rk4(lambda t, x: _lie_rate(joint, _moved(joint, q, x), v(t), x), still, h))
    if method == "rk4":
        return _rk4(lambda t, x: joint.rate(x, v(t)), q, h)
    if method == "torus":
        return _torus(joint, q, joint._twist(v(0.0)), h)
    raise InputError("method must be a known one", got=method, allowed="rkmk4, rk4, expmid, exp, torus")


def _rk4(f: Callable[[float, Array], Array], y: Array, h: float) -> Array:
    a = f(0.0, y)
    b = f(0.5 * h, y + 0.5 * h * a)
    c = f(0.5 * h, y + 0.5 * h * b)
    return y + h / 6.0 * (a + 2.0 * b + 2.0 * c + f(h, y + h * c))


def _moved(joint: "ContactJoint", q: Array, theta: Array) -> Array:
    """Return P_i exp(Θ_i) Rz(a_i) for theta = (Θ_i, a_i), (..., 2, 7)."""
    P = joint.halves(q)
    twist, spin = theta[..., :6], theta[..., 6:]
    turn = multiply_quaternions(exp_quaternion(twist[..., :3]), exp_quaternion(spin * _Z))
    shift = rotation_from_quaternion(P[..., 3:]) @ exp_twist(twist).translation[..., None]
    parts = P[..., :3] + shift[..., 0], multiply_quaternions(P[..., 3:], turn)
    return np.concatenate(parts, axis=-1).reshape(q.shape)


def _lie_rate(joint: "ContactJoint", q: Array, v: Array, theta: Array) -> Array:
    """Return the rate of theta at q = moved(q0, theta).

    ξ + ½ [Θ, ξ] + 1/12 [Θ, [Θ, ξ]]: all that the fourth order needs.
    """
    xi = np.stack(joint.rates(q, v), axis=-2)
    spin = np.where([[s.isotropic] for s in joint.surfaces], 0.0, xi[..., 2:3])
    xi = xi - spin * np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    back = rotation_about("z", theta[..., 6])
    xi = np.concatenate([(back @ xi[..., :3, None])[..., 0], (back @ xi[..., 3:, None])[..., 0]], axis=-1)
    once = cross_motion(theta[..., :6], xi)
    return np.concatenate([xi + 0.5 * once + cross_motion(theta[..., :6], once) / 12.0, spin], axis=-1)


# ---- the torus rule  [ContactJoints, seed's torus rule] -------------------------------------------------------------
def _torus(joint: "ContactJoint", q: Array, t: Array, h: float) -> Array:
    """Return P_i turned in the principal, then the secondary plane of each surface by the rule of two dimensions.

    The spin goes first, on P2. It drops the coupling between the planes: right only where K1 and K2 commute.
    """
    if any(surface.edge for surface in joint.surfaces):
        raise InputError(
            "the torus rule needs surfaces without edges", where=repr(joint), got="torus", allowed="rkmk4, rk4"
        )
    frames = p1, R1, p2, R2 = joint._frames(q)
    K1 = joint.surfaces[0].shape(p1, R1[..., :2])
    K2 = joint.surfaces[1].shape(p2, R2[..., :2])
    spin = t[..., 2] * h
    on_first = joint.pair.follow == 2  # L stays along the line of body 2
    turns = (
        rotation_about("z", spin if on_first else 0.0 * spin),
        rotation_about("z", 0.0 * spin if on_first else -spin),
    )
    parts = []
    for body, (K, other) in enumerate(((K1, K2), (K2, K1))):
        parts += _in_planes(body, frames, K, other, t, h, turns[body])
    return np.concatenate(parts, axis=-1)


def _in_planes(body: int, frames: Frames, K: Array, other: Array, t: Array, h: float, turn: Array) -> list[Array]:
    p, R = frames[2 * body], frames[2 * body + 1] @ turn
    sign = 1.0 if body == 0 else -1.0
    w, v = np.stack([t[..., 1], -t[..., 0]], axis=-1), t[..., 3:5]
    bend, U = _principal(K, other)
    for j in (0, 1):
        d, C = U[..., :, j], bend[..., j]
        c = np.einsum("...a,...ab,...b", d, other, d)
        flat = np.abs(C + c) <= 1e-12 * (np.abs(K).max((-2, -1)) + np.abs(other).max((-2, -1)))
        free = (v * d).sum(-1) if body == 0 else 0.0  # along a line the reference point rests on body 2
        s = np.where(flat, free, ((w * d).sum(-1) + sign * c * (v * d).sum(-1)) / np.where(flat, 1.0, C + c))
        d3 = np.concatenate([d, np.zeros((*d.shape[:-1], 1))], axis=-1)
        d3 = (np.swapaxes(turn, -1, -2) @ d3[..., None])[..., 0]
        twist = np.concatenate([(sign * C * s)[..., None] * np.cross(_Z, d3), s[..., None] * d3], axis=-1)
        E = exp_twist(h * twist)
        p = p + (R @ E.translation[..., None])[..., 0]
        R = R @ E.rotation
    return [p, quaternion_from_rotation(R)]


def _principal(K: Array, other: Array) -> tuple[Array, Array]:
    """Return principal curvatures and directions, larger first; where all are principal, the other body's directions.

    Without the latter even an ellipsoid on a plane fails.
    """
    bend, U = np.linalg.eigh(K)
    round_ = np.abs(bend[..., 1] - bend[..., 0]) <= 1e-9 * (1e-9 + np.abs(bend).max(-1))
    size, V = np.linalg.eigh(other)
    U = np.where(round_[..., None, None], V, U)
    order = np.argsort(-np.abs(np.where(round_[..., None], size, bend)), axis=-1)
    return np.take_along_axis(bend, order, -1), np.take_along_axis(U, order[..., None, :], -1)
