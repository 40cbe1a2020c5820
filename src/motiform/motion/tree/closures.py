"""Loops: segments held together beside the tree, by multipliers on the tree's own accelerations."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.tree.batch import as_states
from motiform.motion.tree.configuration import advance
from motiform.motion.tree.dynamics import inertia_matrix, inverse_dynamics
from motiform.motion.tree.figure import Closure, Figure
from motiform.motion.tree.joint import Array
from motiform.motion.tree.kinematics import Motion, jacobian, motion
from motiform.spatial import log_rotation

__all__ = ["Constrained", "Constraint", "close_loops", "constrained_dynamics", "constraint"]

_REDUNDANT = 1e-10  # eigenvalues of J M⁻¹ Jᵀ below this share of the largest belong to rows that say the same twice


class Constraint(NamedTuple):
    """Rows that closures keep at zero."""

    value: Array
    """How far they are from it [m or rad], (..., rows)."""
    jacobian: Array
    """(..., rows, nv)"""
    bias: Array
    """dJ/dt v, (..., rows)."""


class Constrained(NamedTuple):
    """Accelerations that keep the closures, and what keeps them."""

    acceleration: Array
    """(..., nv)"""
    forces: Array
    """Of each row [N or N·m], (..., rows): from a on b. Where rows are redundant, the smallest that do."""


def _side(figure: Figure, moving: Motion, q: ArrayLike, name: str | None, point: tuple[float, float, float]) -> list:
    """Return rotation, position, velocity, acceleration of a point, twist and turn acceleration, Jacobian."""
    batch = moving.twists.shape[:-2]
    if name is None:
        zero = np.zeros((*batch, 3))
        R = np.broadcast_to(np.eye(3), (*batch, 3, 3))
        return [R, zero + np.array(point), zero, zero, zero, zero, np.zeros((*batch, 6, figure.nv))]
    n = figure.index(name)
    R = moving.poses.rotation[..., n, :, :]
    r = (R @ np.array(point)[:, None])[..., 0]
    o, u = moving.twists[..., n, :3], moving.twists[..., n, 3:]
    s, t = moving.accelerations[..., n, :3], moving.accelerations[..., n, 3:]
    x, velocity = moving.poses.position[..., n, :] + r, u + np.cross(o, r)
    return [R, x, velocity, t + np.cross(s, r) + np.cross(o, np.cross(o, r)), o, s, jacobian(figure, q, name, point)]


def _rows(figure: Figure, q: ArrayLike, moving: Motion, closure: Closure) -> tuple[Array, Array, Array]:
    """Return value, Jacobian and bias of one closure."""
    Ra, xa, va, aa, oa, sa, Ja = _side(figure, moving, q, closure.a, closure.point_a)
    Rb, xb, vb, ab, ob, sb, Jb = _side(figure, moving, q, closure.b, closure.point_b)
    d, rate, second = xb - xa, vb - va, ab - aa
    J = Jb[..., 3:, :] - Ja[..., 3:, :]
    if closure.rows == "distance":
        length = closure.length
        value = ((d * d).sum(-1, keepdims=True) / length - length) / 2
        bias = ((rate * rate) + (d * second)).sum(-1, keepdims=True) / length
        return value, (d[..., None, :] @ J) / length, bias
    # seen from a: d' = Raᵀ (ḋ − ω × d), d'' = Raᵀ (d̈ − α × d − 2 ω × ḋ + ω × (ω × d))
    to_a = np.swapaxes(Ra, -1, -2)
    turned = np.cross(Ja[..., :3, :], d[..., :, None], axis=-2)
    apparent = second - np.cross(sa, d) - 2 * np.cross(oa, rate) + np.cross(oa, np.cross(oa, d))
    which = list(range(3)) if closure.rows == "weld" else ["xyz".index(letter) for letter in closure.rows]
    value, J, bias = (to_a @ d[..., None])[..., 0], to_a @ (J - turned), (to_a @ apparent[..., None])[..., 0]
    value, J, bias = value[..., which], J[..., which, :], bias[..., which]
    if closure.rows != "weld":
        return value, J, bias
    off = log_rotation(to_a @ Rb @ np.asarray(closure.turn).T)
    turning = to_a @ (Jb[..., :3, :] - Ja[..., :3, :])
    spin = (to_a @ (sb - sa - np.cross(oa, ob - oa))[..., None])[..., 0]
    return tuple(
        np.concatenate(pair, axis=axis) for pair, axis in (((value, off), -1), ((J, turning), -2), ((bias, spin), -1))
    )  # type: ignore[return-value]


def constraint(figure: Figure, q: ArrayLike, v: ArrayLike) -> Constraint:
    """Return the rows of all closures of a figure."""
    if not figure.closures:
        raise InputError("a figure without closures", where=f"figure {figure.name!r}")
    moving = motion(figure, q, v)
    found = [_rows(figure, q, moving, closure) for closure in figure.closures]
    return Constraint(*(np.concatenate([f[k] for f in found], axis=axis) for k, axis in ((0, -1), (1, -2), (2, -1))))


def _pseudo_inverse(A: Array) -> Array:
    return np.linalg.pinv(A, rcond=_REDUNDANT, hermitian=True)


def constrained_dynamics(
    figure: Figure,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    external: ArrayLike | None = None,
    *,
    device: str = "cpu",
) -> Constrained:
    """Return the accelerations under tau that keep the closures, M a + h = tau + Jᵀ λ with J a + dJ/dt v = 0."""
    M = inertia_matrix(figure, q, device=device)
    h = inverse_dynamics(figure, q, v, np.zeros(figure.nv), external, device=device)
    _, (forces,) = as_states(figure, [("tau", tau, figure.nv)])
    force = forces.reshape(np.shape(tau)) - h
    free = _solve(figure, M, force[..., None])[..., 0]
    if not figure.closures:
        return Constrained(free, np.zeros((*free.shape[:-1], 0)))
    _, J, bias = constraint(figure, q, v)
    Jt = np.swapaxes(J, -1, -2)
    Y = _solve(figure, M, Jt)
    forces = -(_pseudo_inverse(J @ Y) @ ((J @ free[..., None])[..., 0] + bias)[..., None])
    return Constrained(free + (Y @ forces)[..., 0], forces[..., 0])


def _solve(figure: Figure, M: Array, b: Array) -> Array:
    try:
        return np.linalg.solve(M, b)
    except np.linalg.LinAlgError:
        raise RunError(
            "a singular inertia matrix",
            where=f"figure {figure.name!r}",
            remedy="Some coordinate moves nothing that has mass: give mass, inertia or armature.",
        ) from None


def close_loops(
    figure: Figure, q: ArrayLike, v: ArrayLike | None = None, *, tolerance: float = 1e-12, most: int = 50
) -> tuple[Array, Array]:
    """Return the nearest configuration and velocities that keep the closures.

    Distances are measured by the inertia matrix, so that light parts move first; coordinates that no closure holds
    stay. It fails where the loops cannot be closed.
    """
    q = np.array(q, float)
    for _ in range(most):
        value, J, _ = constraint(figure, q, np.zeros(figure.nv))
        if np.abs(value).max(initial=0.0) <= tolerance:
            break
        q = advance(figure, q, -_correction(figure, q, J, value))
    else:
        worst = float(np.abs(value).max())
        raise RunError(
            "the loops cannot be closed from here",
            where=f"figure {figure.name!r}",
            got=f"{worst:.3g} m or rad apart after {most} steps",
            remedy="Start nearer to a closed configuration, or check the lengths.",
        )
    if v is None:
        return q, np.zeros((*q.shape[:-1], figure.nv))
    v = np.array(v, float)
    J = constraint(figure, q, v).jacobian
    return q, v - _correction(figure, q, J, (J @ v[..., None])[..., 0])


def _correction(figure: Figure, q: Array, J: Array, value: Array) -> Array:
    """Return the smallest change of velocity, by the inertia matrix, that makes J v equal to the value."""
    Jt = np.swapaxes(J, -1, -2)
    Y = _solve(figure, inertia_matrix(figure, q), Jt)
    return (Y @ (_pseudo_inverse(J @ Y) @ value[..., None]))[..., 0]
