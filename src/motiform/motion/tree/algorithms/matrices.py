"""Coriolis and centroidal matrices, and the wrenches that joints transmit."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.algorithms.batch import as_states, launch_states, not_a_figure
from motiform.motion.tree.algorithms.dynamics import as_loaded_states, inertia_matrix, nonlinear_effects
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = [
    "centroidal_bias", "centroidal_matrix", "contact_wrench", "coriolis_matrix", "gravity_effects", "joint_wrenches",
]  # fmt: skip


def run_matrices(
    figure: Figure, what: str, rows: int, states: Sequence[Array], *, loads: Sequence[Array | bool] = (),
    device: str = "cpu",
) -> Array:  # fmt: skip
    """Run one of the algorithms named in derivative_kernels over all states, (states, rows); as `run_states`."""
    from motiform.motion.tree.kernels import derivative as derivative_kernels

    nothing = np.zeros((len(states[0]), 1))
    inputs = [*states, nothing, nothing][:3]
    extra = [*(loads or (nothing, False)), getattr(derivative_kernels, what)]
    kernel, moving = derivative_kernels.many_matrices, len(states) > 1
    return launch_states(figure, kernel, inputs, [rows], velocity=moving, extra=extra, device=device)[0]


def coriolis_matrix(figure: Figure, q: ArrayLike, v: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the matrix C(q, v), (..., nv, nv), of M a + C v + G = tau; damping is not part of it.

    Of the many such matrices it is one for which dM/dt − 2 C is skew-symmetric.
    """
    try:
        single = figure.single if device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty((figure.nv, figure.nv))
        try:
            if entries.coriolis(single.ints, single.floats, single.work, q, v, out) == 0:
                return out
        except TypeError:
            pass  # not one state as the compiled function takes it: the general path, which also reports what is wrong
    batch, (qs, vs) = as_states(figure, [("q", q, figure.nq), ("v", v, figure.nv)])
    coupled, nv = figure.coupled, figure.layout.nv
    full = [qs, vs] if coupled is None else [coupled.expand(qs), coupled.expand_velocity(qs, vs)]
    out = run_matrices(figure, "CORIOLIS", nv * nv, full, device=device)
    C = out.reshape(-1, nv, nv)
    if coupled is not None:
        G = coupled.matrix(qs)
        M = inertia_matrix(_free(figure), full[0], device=device)
        C = np.swapaxes(G, -1, -2) @ (C @ G + M @ _matrix_rate(figure, qs, vs))
    return C.reshape(*batch, figure.nv, figure.nv)


def _free(figure: Figure) -> Figure:
    """Return the figure with its dependent coordinates set free."""
    return figure.replace(couplings=(), closures=())


def _matrix_rate(figure: Figure, q: Array, v: Array) -> Array:
    """Return dG/dt of v_all = G v, (states, nv of the tree, nv)."""
    assert figure.coupled is not None
    rate = np.zeros((len(q), figure.layout.nv, figure.nv))
    for function, gone, lead_q, lead_v in figure.coupled._each():
        rate[:, gone, lead_v] = function.derivatives(q[:, lead_q])[2] * v[:, lead_v]
    return rate


def gravity_effects(figure: Figure, q: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the generalised forces that hold the figure at rest, G(q) [N·m or N], (..., nv)."""
    return nonlinear_effects(figure, q, np.zeros(figure.nv), device=device)


def _check_mass(figure: Figure) -> None:
    if not figure.mass > 0:
        raise InputError("a figure without mass has no centre of mass", where=f"figure {figure.name!r}")


def centroidal_matrix(figure: Figure, q: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the matrix A(q), (..., 6, nv), of the momentum A v about the figure's centre of mass, in world axes.

    Rows are angular [kg·m²/s], then linear [kg·m/s]. Armature carries no momentum of the figure.
    """
    _check_mass(figure)
    try:
        single = figure.single if device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty((figure.nv, 6))
        try:
            if entries.centroidal(single.ints, single.floats, single.work, q, out) == 0:
                return out.T
        except TypeError:
            pass  # as in coriolis_matrix
    batch, (states,) = as_states(figure, [("q", q, figure.nq)])
    coupled, nv = figure.coupled, figure.layout.nv
    full = states if coupled is None else coupled.expand(states)
    out = run_matrices(figure, "CENTROIDAL", 6 * nv, [full], device=device)
    A = np.swapaxes(out.reshape(-1, nv, 6), -1, -2)
    if coupled is not None:
        A = A @ coupled.matrix(states)
    return A.reshape(*batch, 6, figure.nv)


def centroidal_bias(figure: Figure, q: ArrayLike, v: ArrayLike, *, device: str = "cpu") -> Array:
    """Return dA/dt v, (..., 6): the rate of the centroidal momentum [N·m, N] is A a + dA/dt v."""
    _check_mass(figure)
    batch, (qs, vs) = as_states(figure, [("q", q, figure.nq), ("v", v, figure.nv)])
    full: tuple[Array, ...] = (qs, vs, np.zeros_like(vs))
    if figure.coupled is not None:
        full = figure.coupled.expand_motion(*full)
    out = run_matrices(figure, "CENTROIDAL_BIAS", 6, full, device=device)
    return out.reshape(*batch, 6)


def joint_wrenches(
    figure: Figure, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: ArrayLike | None = None, *, device: str = "cpu"
) -> Array:
    """Return the wrench that each joint transmits to its segment, (..., segments, 6), drives included.

    Moment [N·m] about the segment's origin, then force [N], in world axes. `external` as in `inverse_dynamics`. Forces
    of closures are not part of it: give them as external wrenches.
    """
    batch, states, loads = as_loaded_states(figure, q, v, ("a", a), external)
    full = states if figure.coupled is None else list(figure.coupled.expand_motion(*states))
    n = len(figure.segments)
    out = run_matrices(figure, "WRENCHES", figure.layout.nv + 6 * n, full, loads=loads, device=device)
    return out[:, figure.layout.nv :].reshape(*batch, n, 6)


def contact_wrench(
    figure: Figure,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    segment: str,
    external: ArrayLike | None = None,
    *,
    device: str = "cpu",
) -> Array:
    """Return the wrench of a contact joint on the segment that it carries, (..., 6), at the contact point.

    In the contact frame: moment [N·m], then force [N] (Tx, Ty, N); N > 0 presses the bodies together, at zero they
    part. `external` as in `inverse_dynamics`.
    """
    n = figure.index(segment)
    joint = figure.segments[n].joint
    if not isinstance(joint, ContactJoint):
        carried = [s.name for s in figure.segments if isinstance(s.joint, ContactJoint)]
        raise InputError(
            "the segment must be carried by a contact joint",
            got=segment,
            allowed=", ".join(carried) or "none in this figure",
        )
    wrench = joint_wrenches(figure, q, v, a, external, device=device)[..., n, :]
    q = np.asarray(q, float)
    R = forward_kinematics(figure, q, device=device).rotation[..., n, :, :]
    own = wrench.reshape(*wrench.shape[:-1], 2, 3) @ R  # in the segment's axes: Rᵀ times moment and force
    full = q if figure.coupled is None else figure.coupled.expand(q)
    moment, force = joint.wrench(full[..., figure.layout.q[n]], own.reshape(wrench.shape))
    return np.concatenate([moment, force], axis=-1)
