"""Derivatives of inverse and forward dynamics with respect to configuration, velocities, and accelerations or forces.

A derivative with respect to the configuration is along small motions: that number k of q ⊕ ε e_k, which is
``advance(figure, q, e_k, ε)``, velocities and accelerations (or forces) kept as numbers. For plain coordinates it is
the ordinary derivative.

Columns of sequences of axes, ball and free joints are exact. Columns that belong to function, contact or user-defined
joints, or to coordinates that lead others, are found from inverse dynamics: those of velocities by central differences,
exact because forces are quadratic in them; those of configurations by central differences of sixth order, good to about
1e-12 of the size of the forces (1e-11 is promised). On a knot of a cubic spline, where its third derivative jumps, the
mean of both sides is found, to about 1e-4.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.tree.algorithms.batch import not_a_figure
from motiform.motion.tree.algorithms.configuration import advance
from motiform.motion.tree.algorithms.dynamics import as_loaded_states, inverse_dynamics
from motiform.motion.tree.algorithms.forward import forward_dynamics
from motiform.motion.tree.algorithms.matrices import run_matrices
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = [
    "ForwardDerivatives", "InverseDerivatives", "forward_dynamics_derivatives", "inverse_dynamics_derivatives",
]  # fmt: skip

_STEP = 0.01  # [rad or m] h⁶/140 of a sine's seventh derivative is 7e-15, rounding 2e-16/h: the two balance
_FINER = 4  # times that the step is divided by three where the forces bend too much for it


class InverseDerivatives(NamedTuple):
    """Derivatives of the generalised forces of a motion, each (..., nv, nv): of force i along velocity j."""

    dq: Array
    dv: Array
    da: Array
    """The inertia matrix."""


class ForwardDerivatives(NamedTuple):
    """Derivatives of the accelerations that forces make, each (..., nv, nv)."""

    dq: Array
    dv: Array
    dtau: Array
    """The inverse of the inertia matrix."""


def inverse_dynamics_derivatives(
    figure: Figure, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: ArrayLike | None = None, *, device: str = "cpu"
) -> InverseDerivatives:
    """Return the derivatives of `inverse_dynamics`, armature and damping included.

    External wrenches keep their numbers, in world axes, and follow the segments' origins. As there, closures of loops
    play no part.
    """
    try:
        single = figure.single if external is None and device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty((3, figure.nv, figure.nv))
        try:
            if entries.inverse_derivatives(single.ints, single.floats, single.work, q, v, a, out) == 0:
                return InverseDerivatives(out[0], out[1], out[2])
        except TypeError:
            pass  # not one state as the compiled function takes it: the general path, which also reports what is wrong
    batch, states, loads = as_loaded_states(figure, q, v, ("a", a), external)
    full, nv = _expanded(figure, states), figure.layout.nv
    found = run_matrices(figure, "INVERSE", 3 * nv * nv, full, loads=loads, device=device)
    dq, dv, da = np.moveaxis(found.reshape(-1, 3, nv, nv), 1, 0)
    if figure.coupled is not None:
        G = figure.coupled.matrix(states[0])
        dq, dv, da = (np.swapaxes(G, -1, -2) @ x @ G for x in (dq, dv, da))
    columns = _by_differences(figure)
    if len(columns):
        given = None if external is None else np.asarray(loads[0]).reshape(-1, 1, len(figure.segments), 6)
        dq[..., columns] = _along_motions(figure, states, given, columns, device)
        dv[..., columns] = _along_velocities(figure, states, given, columns, device)
    shape = (*batch, figure.nv, figure.nv)
    return InverseDerivatives(dq.reshape(shape), dv.reshape(shape), da.reshape(shape))


def _expanded(figure: Figure, states: list[Array]) -> list[Array]:
    return states if figure.coupled is None else list(figure.coupled.expand_motion(*states))


def _by_differences(figure: Figure) -> np.ndarray:
    """Return the places in v of the columns that the kernels do not know."""
    found = np.zeros(figure.layout.nv, bool)
    for n, segment in enumerate(figure.segments):
        if segment.joint.code not in tree_columns.EXACT:
            found[figure.layout.v[n]] = True
    for coupling in figure.couplings:
        found[figure.layout.places_v[coupling.leading]] = True
    return np.flatnonzero(found if figure.coupled is None else found[figure.coupled.kept_v])


def _along_motions(
    figure: Figure, states: list[Array], external: Array | None, columns: np.ndarray, device: str
) -> Array:
    """Return columns of dtau/dq by sixth-order differences, (states, nv, columns)."""
    h = _steps(figure, states[0])[:, columns, None]
    out, wrong = _sixth_order(figure, states, external, columns, h, device)
    for n in range(1, 1 + _FINER):
        if not wrong.any():
            break
        again = wrong.any(-1)
        loads = external if external is None or len(external) == 1 else external[again]
        finer, worse = _sixth_order(figure, [x[again] for x in states], loads, columns, h[again] / 3**n, device)
        out[again] = np.where(wrong[again][..., None], finer, out[again])
        wrong[again] &= worse
    return np.swapaxes(out, -1, -2)


def _sixth_order(
    figure: Figure, states: list[Array], external: Array | None, columns: np.ndarray, h: Array, device: str
) -> tuple[Array, np.ndarray]:
    """Return derivatives along columns, (states, columns, nv), and where a smaller step would serve better."""
    q, v, a = (x[:, None, :] for x in states)
    e = np.eye(figure.nv)[columns]
    size, odd = np.zeros(h.shape[:-1]), []
    for m in (1, 2, 3):
        ahead, behind = (
            inverse_dynamics(figure, advance(figure, q, s * m * h * e), v, a, external, device=device) for s in (1, -1)
        )
        odd.append((ahead - behind) / h)
        size = np.maximum(size, np.abs(ahead).max(-1))
    second, fourth = odd[0] / 2, (8 * odd[0] - odd[1]) / 12
    sixth = (45 * odd[0] - 9 * odd[1] + odd[2]) / 60  # [Fornberg88]
    # errors of the orders fall in about the same proportion from one to the next
    e4, e2 = np.abs(sixth - fourth).max(-1), np.abs(fourth - second).max(-1)
    rounding = 16 * np.finfo(float).eps * size / h[..., 0]
    return sixth, e4 * np.minimum(1.0, e4 / np.maximum(e2, rounding)) > rounding


def _along_velocities(
    figure: Figure, states: list[Array], external: Array | None, columns: np.ndarray, device: str
) -> Array:
    """Return columns of dtau/dv, (states, nv, columns): a central difference is exact for a quadratic."""
    q, v, a = (x[:, None, :] for x in states)
    e = np.eye(figure.nv)[columns]
    ahead, behind = (inverse_dynamics(figure, q, v + s * e, a, external, device=device) for s in (1, -1))
    return np.swapaxes(ahead - behind, -1, -2) / 2


def _steps(figure: Figure, q: Array) -> Array:
    """Return the step of each velocity, (states, nv): smaller where the joint's axes turn faster than one for one."""
    full = q if figure.coupled is None else figure.coupled.expand(q)
    speed = np.ones((len(q), figure.layout.nv))
    for n, segment in enumerate(figure.segments):
        joint, at = segment.joint, figure.layout.v[n]
        if joint.code in tree_columns.EXACT:
            continue
        own = full[:, figure.layout.q[n]]
        S = joint.subspace(own)
        size = np.linalg.norm(S, axis=(-2, -1)) + np.finfo(float).tiny
        for k in range(joint.nv):
            rate = joint.subspace_rate(own, np.broadcast_to(np.eye(joint.nv)[k], (len(q), joint.nv)))
            turning = np.linalg.norm(S[..., :3, k], axis=-1)
            speed[:, at[k]] = np.maximum(1.0, np.maximum(turning, np.linalg.norm(rate, axis=(-2, -1)) / size))
    if figure.coupled is not None:
        speed = np.maximum(1.0, (np.abs(figure.coupled.matrix(q)) * speed[:, :, None]).max(-2))
    return _STEP / speed


def forward_dynamics_derivatives(
    figure: Figure,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    external: ArrayLike | None = None,
    *,
    device: str = "cpu",
) -> ForwardDerivatives:
    """Return the derivatives of `forward_dynamics`, at the accelerations that the forces make.

    They are −M⁻¹ times those of inverse dynamics, and M⁻¹. Figures whose loops are closed are refused.
    """
    if figure.closures:
        raise InputError(
            "the figure must not have closed loops",
            where=f"figure {figure.name!r}, closures " + ", ".join(closure.name for closure in figure.closures),
            allowed="trees",
            remedy="Leave the closures out, or differentiate constrained_dynamics along motions that keep them.",
        )
    try:
        single = figure.single if external is None and device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty(_forward_rows(figure.nv))
        try:
            if entries.forward_derivatives(single.ints, single.floats, single.work, q, v, tau, out) == 0:
                return _forward_parts(figure.nv, out, ())
        except TypeError:
            pass  # as above
    if figure.couplings or len(_by_differences(figure)):
        return _forward_from_inverse(figure, q, v, tau, external, device)
    batch, states, loads = as_loaded_states(figure, q, v, ("tau", tau), external)
    found = run_matrices(figure, "FORWARD", _forward_rows(figure.nv), states, loads=loads, device=device)
    return _forward_parts(figure.nv, found, batch)


def _forward_rows(nv: int) -> int:
    return nv + 4 * nv * nv


def _forward_parts(nv: int, found: Array, batch: tuple[int, ...]) -> ForwardDerivatives:
    """Return the derivatives from what the kernel writes: accelerations, dq, dv, factors of M, dtau."""
    parts = found[..., nv:].reshape(*batch, 4, nv, nv)
    return ForwardDerivatives(parts[..., 0, :, :], parts[..., 1, :, :], parts[..., 3, :, :])


def _forward_from_inverse(
    figure: Figure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None, device: str
) -> ForwardDerivatives:
    a = forward_dynamics(figure, q, v, tau, external, device=device)
    dq, dv, M = inverse_dynamics_derivatives(figure, q, v, a, external, device=device)
    try:
        inverse = np.asarray(np.linalg.inv(M), float)
    except np.linalg.LinAlgError:
        raise RunError("the inertia matrix must be invertible", where=f"figure {figure.name!r}") from None
    return ForwardDerivatives(-inverse @ dq, -inverse @ dv, inverse)
