"""Loop closures: constraints between segments, by Lagrange multipliers on the accelerations of the tree."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.tree.algorithms.batch import as_states, run_states
from motiform.motion.tree.algorithms.closure_rows import ClosureRows, rows_of
from motiform.motion.tree.algorithms.dynamics import inertia_matrix, inverse_dynamics
from motiform.motion.tree.algorithms.kinematics import Motion, as_poses, joint_axes
from motiform.motion.tree.contact_joints.nearest import cross
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = [
    "Constrained", "Constraint", "all_rows", "closure_forces", "closure_wrenches", "constrain_closures",
    "constrained_dynamics", "constraint", "not_invertible",
]  # fmt: skip

WEAK = 1e-4  # singular values below this share of the largest may be those of a singular position near by
_REDUNDANT = 1e-10  # singular values of J below this share of the largest belong to rows that say the same twice


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


def moving_rows(figure: Figure, q: Array, v: Array | None) -> tuple[Motion, list[ClosureRows]]:
    """Return how segments move, and the rows of each closure, for states (N, nq), (N, nv); at rest without v."""
    if not figure.closures:
        raise InputError("the figure has no closures", where=f"figure {figure.name!r}")
    moving = _moving(figure, q, np.zeros((len(q), figure.nv)) if v is None else v)
    return moving, [rows_of(figure, moving, closure, v is None) for closure in figure.closures]


def _moving(figure: Figure, q: Array, v: Array) -> Motion:
    """Return poses, velocities and accelerations that velocities alone make; `motion` without its checks."""
    n, a = len(figure.segments), np.zeros_like(v)
    states = (q, v, a) if figure.coupled is None else figure.coupled.expand_motion(q, v, a)
    out = run_states(figure, tree_columns.MOTION, 24 * n, states)
    twists, rates = (out[:, k : k + 6 * n].reshape(-1, n, 6) for k in (12 * n, 18 * n))
    return Motion(as_poses(figure, (len(q),), out[:, : 12 * n]), twists, rates)


def _segment_axes(figure: Figure, q: Array) -> tuple[Array, Array | None]:
    """Return the twist of every velocity of the whole tree about the world's origin, (N, nv, 6), and G of couplings."""
    coupled = figure.coupled
    if coupled is None:
        if len(q) != 1:
            return joint_axes(figure.opened, q), None
        return joint_axes(figure.opened, q[0].copy())[None], None  # a copy: the compiled way wants what it may write on
    full = coupled.expand(q)
    axes = run_states(figure, tree_columns.TWISTS, 6 * figure.layout.nv, [full])
    return axes.reshape(len(q), figure.layout.nv, 6), coupled.matrix(q)


def _jacobian(figure: Figure, q: Array, rows: list[ClosureRows]) -> Array:
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
    found = all_rows(figure, qs, vs)
    return Constraint(*(x.reshape(*batch, *x.shape[1:]) for x in found))


def all_rows(figure: Figure, q: Array, v: Array | None) -> Constraint:
    """Return the rows of all closures for states (N, nq), (N, nv); at rest without v."""
    return assembled(figure, q, moving_rows(figure, q, v)[1])


def assembled(figure: Figure, q: Array, rows: list[ClosureRows]) -> Constraint:
    """Return the rows of all closures as one constraint."""
    value, bias = (np.concatenate([r[k] for r in rows], axis=-1) for k in (0, 2))
    return Constraint(value, _jacobian(figure, q, rows), bias)


def not_invertible(figure: Figure) -> RunError:
    """Return the error of a figure that some motion meets no inertia of."""
    return RunError(
        "the inertia matrix must be invertible",
        where=f"figure {figure.name!r}",
        remedy="Some coordinate moves nothing that has mass: give mass, inertia or armature.",
    )


class Weighed(NamedTuple):
    """Rows of closures in the metric of the inertia: J = D⁻¹ V s Uᵀ Lᵀ with M = L Lᵀ, D over lengths.

    Nothing is squared on the way, so that independent and redundant rows are distinguished up to rounding.
    """

    L: Array
    U: Array
    s: Array
    """Singular values, largest first; zero where rows are redundant."""
    V: Array
    D: Array
    """(rows,)"""

    def parts(self, r: Array) -> Array:
        """Return the parts of rows r (..., rows) along the singular vectors, in shares of lengths."""
        return ((self.D * r)[..., None, :] @ self.V)[..., 0, :]

    @property
    def strong(self) -> Array:
        """Which singular values are not weak."""
        return self.s > WEAK * self.s[..., :1]

    def _over(self, parts: Array) -> Array:
        kept = self.s > 0
        return np.where(kept, parts / np.where(kept, self.s, 1.0), 0.0)

    def motion(self, parts: Array) -> Array:
        """Return the least change of velocity, by the inertia matrix, whose rows have these parts, (..., nv)."""
        z = (self.U @ self._over(parts)[..., None])[..., 0]
        return np.linalg.solve(np.swapaxes(self.L, -1, -2), z[..., None])[..., 0]

    def forces(self, parts: Array) -> Array:
        """Return the forces of the rows that make that change, (..., rows)."""
        return self.D * (self.V @ self._over(self._over(parts))[..., None])[..., 0]


def weigh(figure: Figure, M: Array, J: Array) -> Weighed:
    """Return the rows J in the metric of M."""
    D = 1.0 / figure.closure_sizes
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        raise not_invertible(figure) from None
    rows = np.linalg.solve(L, np.swapaxes(J, -1, -2) * D)
    if not np.isfinite(rows).all():
        where, remedy = f"figure {figure.name!r}", "Take masses and lengths that differ by fewer powers of ten."
        raise RunError("closures are beyond the range of floats", where=where, remedy=remedy)
    U, size, Vt = np.linalg.svd(rows, full_matrices=False)
    size = np.where(size > _REDUNDANT * size[..., :1], size, 0.0)
    return Weighed(L, U, size, np.swapaxes(Vt, -1, -2), D)


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
    free = solve_inertia(figure, M, force[..., None])[..., 0]
    return _held(figure, q, v, M, free)


def constrain_closures(figure: Figure, q: Array, v: Array, free: Array) -> Constrained:
    """Return the accelerations nearest to those of the figure without its closures, `free`, that keep them."""
    return _held(figure, q, v, inertia_matrix(figure.opened, q), free)


def _held(figure: Figure, q: ArrayLike, v: ArrayLike, M: Array, free: Array) -> Constrained:
    if not figure.closures:
        return Constrained(free, np.zeros((*free.shape[:-1], 0)))
    return constrain_rows(figure, M, free, constraint(figure, q, v))


def constrain_rows(figure: Figure, M: Array, free: Array, rows: Constraint) -> Constrained:
    """Return the accelerations nearest to `free`, by the inertia matrix M, that keep the rows."""
    _, J, bias = rows
    weighed = weigh(figure, M, J)
    parts = -weighed.parts((J @ free[..., None])[..., 0] + bias)
    return Constrained(free + weighed.motion(parts), weighed.forces(parts))


def solve_inertia(figure: Figure, M: Array, b: Array) -> Array:
    """Return M⁻¹ b."""
    try:
        return np.linalg.solve(M, b)
    except np.linalg.LinAlgError:
        raise not_invertible(figure) from None


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


def closure_wrenches(
    figure: Figure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None
) -> Array:
    """Return the wrenches of all closures on the segments, (..., segments, 6), as `external`.

    Moment [N·m] about each segment's origin and force [N], in world axes. Added to the external wrenches they make
    the figure without its closures move as that with them.
    """
    forces = constrained_dynamics(figure, q, v, tau, external).forces
    batch, (qs, given) = as_states(figure, [("q", q, figure.nq), ("forces", forces, forces.shape[-1])])
    moving, rows = moving_rows(figure, qs, None)
    return on_segments(figure, moving, rows, given).reshape(*batch, len(figure.segments), 6)


def on_segments(figure: Figure, moving: Motion, rows: list[ClosureRows], forces: Array) -> Array:
    """Return the wrenches of the rows' forces on the segments, (N, segments, 6)."""
    out = np.zeros((len(forces), len(figure.segments), 6))
    at = 0
    for closure, own in zip(figure.closures, rows, strict=True):
        wrench = (forces[:, None, at : at + closure.count] @ own.wrenches)[:, 0]
        at += closure.count
        for name, sign in ((closure.a, -1.0), (closure.b, 1.0)):
            if name is not None:
                n = figure.index(name)
                out[:, n] += sign * wrench
                out[:, n, :3] -= sign * cross(moving.poses.position[:, n], wrench[:, 3:])
    return out
