"""Twists and wrenches: six numbers, (angular, linear), in one frame and about that frame's origin.

A twist is (ω [rad/s], v [m/s] of the point of the body at the origin); a wrench is (n [N·m] about the origin, f [N]).
"""

import numpy as np
from numpy.typing import ArrayLike

from motiform.spatial.checks import Array, as_floats
from motiform.spatial.rotation import exp_rotation, log_rotation, skew
from motiform.spatial.transform import Transform, _join

__all__ = ["cross_force", "cross_motion", "exp_twist", "log_transform", "point_velocity", "power", "wrench_of_force"]


def cross_motion(twist: ArrayLike, other: ArrayLike) -> Array:
    """Return V × M: the rate of change of a motion vector M carried along by the twist V, (..., 6).

    (ω, v) × (a, b) = (ω × a, ω × b + v × a)  [Featherstone08 §2.9]
    """
    (w, v), (a, b) = _split(twist, "twist"), _split(other, "motion")
    return _join(np.cross(w, a), np.cross(w, b) + np.cross(v, a))


def cross_force(twist: ArrayLike, wrench: ArrayLike) -> Array:
    """Return V ×* W: the rate of change of a force vector W carried along by the twist V, (..., 6).

    (ω, v) ×* (n, f) = (ω × n + v × f, ω × f), the negative transpose of V ×  [Featherstone08 §2.9]
    """
    (w, v), (n, f) = _split(twist, "twist"), _split(wrench, "wrench")
    return _join(np.cross(w, n) + np.cross(v, f), np.cross(w, f))


def power(twist: ArrayLike, wrench: ArrayLike) -> Array:
    """Return the power [W] of wrenches on twists given in the same frame, ω·n + v·f, (...)."""
    V, W = as_floats(twist, 6, where="twist"), as_floats(wrench, 6, where="wrench")
    rate: Array = (V * W).sum(axis=-1)
    return rate


def point_velocity(twist: ArrayLike, point: ArrayLike) -> Array:
    """Return the velocity [m/s] of the body's point that is now at `point` [m], v + ω × r, (..., 3)."""
    w, v = _split(twist, "twist")
    velocity: Array = v + np.cross(w, as_floats(point, 3, where="point"))
    return velocity


def wrench_of_force(force: ArrayLike, point: ArrayLike, moment: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the wrench about the origin of a force [N] at `point` [m] and a free moment [N·m], (..., 6)."""
    f, r = as_floats(force, 3, where="force"), as_floats(point, 3, where="point")
    return _join(as_floats(moment, 3, where="moment") + np.cross(r, f), f)


def exp_twist(twist: ArrayLike) -> Transform:
    """Return the displacement after moving with a constant twist for one second: a screw, (..., 6) to Transform.

    R = exp[ω]×, p = (1 + (1 − cosθ)/θ² [ω]× + (θ − sinθ)/θ³ [ω]×²) v
    """
    w, v = _split(twist, "twist")
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    half = 0.5 * angle
    safe = np.where(half > 0, half, 1.0)
    b = 0.5 * np.where(half > 0, np.sin(half) / safe, 1.0) ** 2
    S = skew(w)
    along = np.eye(3) + b * S + _third(angle) * (S @ S)
    return Transform(exp_rotation(w), (along @ v[..., None])[..., 0])


def log_transform(transform: Transform) -> Array:
    """Return the twist that exp_twist turns back into the transform, |ω| ≤ π, (..., 6).

    v = (1 − ½[ω]× + (1 − (θ/2) cot(θ/2))/θ² [ω]×²) p
    """
    w = log_rotation(transform.rotation)
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    S = skew(w)
    back = np.eye(3) - 0.5 * S + _inverse_third(angle) * (S @ S)
    return _join(w, (back @ transform.translation[..., None])[..., 0])


def _third(angle: Array) -> Array:
    """(θ − sinθ)/θ³, by its series below 0.3 rad: the fifth term, θ⁸/13!·…, is then under one rounding."""
    small = np.abs(angle) < 0.3
    x = np.where(small, angle, 0.0) ** 2
    series = 1 / 6 - x * (1 / 120 - x * (1 / 5040 - x * (1 / 362880 - x * (1 / 39916800 - x / 6227020800))))
    safe = np.where(small, 1.0, angle)
    return np.where(small, series, (safe - np.sin(safe)) / safe**3)


def _inverse_third(angle: Array) -> Array:
    """(1 − (θ/2) cot(θ/2))/θ², by its series below 0.3 rad (Bernoulli numbers; the next term is under one rounding)."""
    small = np.abs(angle) < 0.3
    x = np.where(small, angle, 0.0) ** 2
    series = 1 / 12 + x * (1 / 720 + x * (1 / 30240 + x * (1 / 1209600 + x * (1 / 47900160 + x * 691 / 1307674368000))))
    safe = np.where(small, 1.0, angle)
    return np.where(small, series, (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2)


def _split(six: ArrayLike, where: str) -> tuple[Array, Array]:
    array = as_floats(six, 6, where=where)
    return array[..., :3], array[..., 3:]
