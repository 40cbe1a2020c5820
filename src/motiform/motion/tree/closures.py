"""Loops: segments held together beside the tree, by multipliers on the tree's own accelerations."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.tree import columns as c
from motiform.motion.tree.batch import as_states, run_states
from motiform.motion.tree.closure_rows import Rows, closure_rows, contact_rows
from motiform.motion.tree.configuration import advance
from motiform.motion.tree.dynamics import forward_dynamics, inertia_matrix, inverse_dynamics
from motiform.motion.tree.figure import ContactClosure, Figure
from motiform.motion.tree.joint import Array
from motiform.motion.tree.kinematics import joint_axes, motion

__all__ = [
    "Constrained",
    "Constraint",
    "close_loops",
    "closure_forces",
    "closure_wrenches",
    "constrained_dynamics",
    "constraint",
    "keep_closures",
    "loaded_dynamics",
]

_REDUNDANT = 1e-10  # eigenvalues of J M⁻¹ Jᵀ below this share of the largest belong to rows that say the same twice


_SMALL = 1e-3  # [rad or m] a change whose square, times curvatures, the next round of close_loops puts right


class Constraint(NamedTuple):
    """Rows that closures keep at zero."""

    value: Array
    """How far they are from it [m or rad], (..., rows); zero for rows that hold velocities alone."""
    jacobian: Array
    """(..., rows, nv)"""
    bias: Array
    """dJ/dt v, (..., rows); of contacts, for velocities that keep them."""


class Constrained(NamedTuple):
    """Accelerations that keep the closures, and what keeps them."""

    acceleration: Array
    """(..., nv)"""
    forces: Array
    """Of each row [N or N·m], (..., rows): from a on b. Where rows are redundant, the smallest that do."""


def _all_rows(figure: Figure, q: Array, v: Array) -> list[Rows]:
    """Return the rows of each closure for states (N, nq), (N, nv)."""
    if not figure.closures:
        raise InputError("a figure without closures", where=f"figure {figure.name!r}")
    moving = motion(figure, q, v)
    return [
        contact_rows(figure, moving, closure)
        if isinstance(closure, ContactClosure)
        else closure_rows(figure, moving, closure)
        for closure in figure.closures
    ]


def _segment_axes(figure: Figure, q: Array) -> tuple[Array, Array | None]:
    """Return the twist of every velocity of the whole tree about the world's origin, (N, nv, 6), and G of couplings."""
    coupled = figure.coupled
    if coupled is None:
        if len(q) != 1:
            return joint_axes(figure.opened, q), None
        return joint_axes(figure.opened, q[0].copy())[None], None  # a copy: the compiled way wants what it may write on
    full = coupled.expand(q)
    axes = run_states(figure, c.TWISTS, 6 * figure.layout.nv, [full])
    return axes.reshape(len(q), figure.layout.nv, 6), coupled.matrix(q)


def _jacobian(figure: Figure, q: Array, rows: list[Rows]) -> Array:
    """Return J, (N, rows, nv): the wrench of a row on b times the twist of b less that of a."""
    axes, G = _segment_axes(figure, q)
    toward, parts = np.swapaxes(axes, -1, -2), []
    for closure, own in zip(figure.closures, rows, strict=True):
        moves = np.zeros(figure.layout.nv)
        for name, sign in ((closure.b, 1.0), (closure.a, -1.0)):
            if name is not None:
                moves = moves + sign * figure.carried[figure.index(name)]
        parts.append((own.wrenches @ toward) * moves)
    J = np.concatenate(parts, axis=-2)
    return J if G is None else J @ G


def constraint(figure: Figure, q: ArrayLike, v: ArrayLike) -> Constraint:
    """Return the rows of all closures of a figure, in their order."""
    batch, (qs, vs) = as_states(figure, [("q", q, figure.nq), ("v", v, figure.nv)])
    found = _constraint(figure, qs, vs)
    return Constraint(*(x.reshape(*batch, *x.shape[1:]) for x in found))


def _constraint(figure: Figure, q: Array, v: Array) -> Constraint:
    rows = _all_rows(figure, q, v)
    value, bias = (np.concatenate([r[k] for r in rows], axis=-1) for k in (0, 2))
    return Constraint(value, _jacobian(figure, q, rows), bias)


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
    opened = figure.opened
    M = inertia_matrix(opened, q, device=device)
    h = inverse_dynamics(opened, q, v, np.zeros(figure.nv), external, device=device)
    batch, (drive, needed) = as_states(figure, [("tau", tau, figure.nv), ("state", h, figure.nv)])
    force = (drive - needed).reshape(*batch, figure.nv)
    free = _solve(figure, M, force[..., None])[..., 0]
    return _held(figure, q, v, M, free)


def keep_closures(figure: Figure, q: Array, v: Array, free: Array) -> Constrained:
    """Return the accelerations nearest to those of the figure without its closures, `free`, that keep them."""
    return _held(figure, q, v, inertia_matrix(figure.opened, q), free)


def _held(figure: Figure, q: ArrayLike, v: ArrayLike, M: Array, free: Array) -> Constrained:
    if not figure.closures:
        return Constrained(free, np.zeros((*free.shape[:-1], 0)))
    _, J, bias = constraint(figure, q, v)
    Y = _solve(figure, M, np.swapaxes(J, -1, -2))
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


def closure_forces(
    figure: Figure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None
) -> dict[str, Array]:
    """Return the forces of each closure by its name [N or N·m], (..., rows of that closure), from a on b.

    Those of a contact are in its contact frame, the normal force last: above zero it presses. Where rows are
    redundant these are the smallest forces that do.
    """
    found = constrained_dynamics(figure, q, v, tau, external).forces
    ends = np.cumsum([closure.count for closure in figure.closures])
    return {
        closure.name: found[..., end - closure.count : end] for closure, end in zip(figure.closures, ends, strict=True)
    }


def closure_wrenches(figure: Figure, q: ArrayLike, forces: ArrayLike) -> Array:
    """Return what the forces of all rows, (..., rows), do to the segments, (..., segments, 6), as `external` takes it.

    Moment [N·m] about each segment's origin and force [N], in world axes. Added to the external wrenches they make
    the figure without its closures move as that with them.
    """
    count = sum(closure.count for closure in figure.closures)
    batch, (qs, given) = as_states(figure, [("q", q, figure.nq), ("forces", forces, count)])
    moving = motion(figure, qs, np.zeros(figure.nv))
    out = np.zeros((len(qs), len(figure.segments), 6))
    at = 0
    for closure, rows in zip(figure.closures, _all_rows(figure, qs, np.zeros((len(qs), figure.nv))), strict=True):
        wrench = (given[:, None, at : at + closure.count] @ rows.wrenches)[:, 0]
        at += closure.count
        for name, sign in ((closure.a, -1.0), (closure.b, 1.0)):
            if name is not None:
                n = figure.index(name)
                out[:, n] += sign * wrench
                out[:, n, :3] -= sign * np.cross(moving.poses.position[:, n], wrench[:, 3:])
    return out.reshape(*batch, len(figure.segments), 6)


def loaded_dynamics(
    figure: Figure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None
) -> tuple[Array, Array | None]:
    """Return the accelerations under tau, and the external wrenches with those of the closures added.

    With these, `joint_wrenches` and `contact_wrench` give what joints transmit in a figure with closures.
    """
    if not figure.closures:
        return forward_dynamics(figure, q, v, tau, external), None if external is None else np.asarray(external, float)
    acceleration, forces = constrained_dynamics(figure, q, v, tau, external)
    holding = closure_wrenches(figure, q, forces)
    return acceleration, holding if external is None else holding + np.asarray(external, float)


def close_loops(
    figure: Figure, q: ArrayLike, v: ArrayLike | None = None, *, tolerance: float = 1e-12, most: int = 50
) -> tuple[Array, Array]:
    """Return the nearest configuration and velocities that keep the closures.

    Distances are measured by the inertia matrix, so that light parts move first; coordinates that no closure holds
    stay. It fails where the loops cannot be closed. Rows of contacts that hold velocities alone (no slip, no spin) say
    nothing of the configuration.
    """
    q = np.array(q, float)
    places = np.flatnonzero([held for closure in figure.closures for held in closure.holonomic])
    for _ in range(most):
        value, J, _ = constraint(figure, q, np.zeros(figure.nv))
        if np.abs(value).max(initial=0.0) <= tolerance:
            break
        change = -_correction(figure, q, J[..., places, :], value[..., places])
        most_moved, far = (np.abs(x).max(-1, keepdims=True, initial=0.0) for x in (change, value))
        q = _moved(figure, q, change * np.minimum(1.0, np.maximum(1.0, far) / np.maximum(most_moved, 1e-300)))
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
    return q, v - _correction(figure, q, J, (J @ v[..., None])[..., 0])


def _moved(figure: Figure, q: Array, change: Array) -> Array:
    """Return a configuration moved by a change of its velocities' kind; small ones need no exact path."""
    single = figure.opened.single
    if single is None or q.ndim > 1 or np.abs(change).max(initial=0.0) > _SMALL:
        return advance(figure, q, change)
    from motiform.motion.tree.state_kernels import one_configuration_rate

    rate = np.empty(figure.nq)
    one_configuration_rate.function(single.ints, single.floats, q, np.ascontiguousarray(change), rate)
    rate += q
    single.repair(single.ints, single.floats, rate)
    return rate


def _correction(figure: Figure, q: Array, J: Array, value: Array) -> Array:
    """Return the smallest change of velocity, by the inertia matrix, that makes J v equal to the value."""
    Jt = np.swapaxes(J, -1, -2)
    Y = _solve(figure, inertia_matrix(figure.opened, q), Jt)
    return (Y @ (_pseudo_inverse(J @ Y) @ value[..., None]))[..., 0]
