"""Forward dynamics with closures."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.tree.algorithms.batch import as_states, not_a_figure, run_states
from motiform.motion.tree.algorithms.closures import (
    Constraint,
    assembled,
    constrain_rows,
    constrained_dynamics,
    moving_rows,
    on_segments,
)
from motiform.motion.tree.algorithms.dynamics import as_loaded_states, inertia_matrix
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["forward_dynamics", "held_contact_force", "loaded_dynamics"]


def forward_dynamics(
    figure: Figure,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    external: ArrayLike | None = None,
    *,
    device: str = "cpu",
) -> Array:
    """Return the accelerations that generalised forces make, (..., nv); closures of loops are kept.

    `external` as in `inverse_dynamics`.
    """
    try:
        single = figure.single if external is None and device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty(figure.nv)
        try:
            if entries.articulated(single.ints, single.floats, single.work, q, v, tau, out) == 0:
                return out
        except (TypeError, ValueError):
            pass  # as in inverse_dynamics
    if figure.closures or figure.coupled is not None:
        return constrained_dynamics(figure, q, v, tau, external, device=device).acceleration
    return _forward_dynamics(figure, q, v, tau, external, device)


def _forward_dynamics(
    figure: Figure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None, device: str
) -> Array:
    batch, states, loads = as_loaded_states(figure, q, v, ("tau", tau), external)
    out = run_states(figure, tree_columns.ARTICULATED, figure.nv, states, loads=loads, device=device)
    return out.reshape(*batch, figure.nv)


def loaded_dynamics(
    figure: Figure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None
) -> tuple[Array, Array | None]:
    """Return the accelerations under tau, and the external wrenches with those of the closures added.

    With these, `joint_wrenches` and `contact_wrench` give what joints transmit in a figure with closures.
    """
    if not figure.closures:
        return forward_dynamics(figure, q, v, tau, external), None if external is None else np.asarray(external, float)
    free = forward_dynamics(figure.opened, q, v, tau, external)
    batch, (qs, vs) = as_states(figure, [("q", q, figure.nq), ("v", v, figure.nv)])
    moving, rows = moving_rows(figure, qs, vs)
    keeping = Constraint(*(x.reshape(*batch, *x.shape[1:]) for x in assembled(figure, qs, rows)))
    acceleration, forces = constrain_rows(figure, inertia_matrix(figure.opened, q), free, keeping)
    holding = on_segments(
        figure, moving, rows, np.broadcast_to(forces, (*batch, forces.shape[-1])).reshape(len(qs), -1)
    )
    holding = holding.reshape(*batch, len(figure.segments), 6)
    return acceleration, holding if external is None else holding + np.asarray(external, float)


def held_contact_force(figure: Figure, q: Array, v: Array, tau: Array, name: str) -> Array:
    """Return the force on a segment at the contact joint that carries it, in the contact frame, (3,), of one state.

    As `contact_wrench` with the wrenches of the closures, for figures that kernels know: with Jᵀ λ in its forces the
    figure without closures moves alike, and its contact carries what the closures do to all that hangs on it too.
    """
    opened, n, single = figure.opened, figure.index(name), figure.opened.single
    assert single is not None
    moving, rows = moving_rows(figure, q[None], v[None])
    keeping = assembled(figure, q[None], rows)
    forces = constrain_rows(
        figure, inertia_matrix(opened, q)[None], forward_dynamics(opened, q, v, tau)[None], keeping
    ).forces
    out, total = np.empty(3), tau + (forces @ keeping.jacobian[0])[0]
    y, spare = np.concatenate([q, v]), np.empty(2 * figure.nv)
    entries.contact_force(single.ints, single.floats, single.work, y, total, n, spare, out)
    hanging = figure.carried[:, figure.layout.v[n][0]]
    held = hanging @ on_segments(figure, moving, rows, forces)[0, :, 3:]
    R = moving.poses.rotation[0, n] @ figure.segments[n].joint.frames(q[figure.layout.q[n]])[1].rotation  # type: ignore[attr-defined]
    return out - held @ R
