"""Forces and motion of the tree without its closures: inverse dynamics, inertia matrix, momentum, energy."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.sums import sum_over
from motiform.motion.tree.algorithms.batch import as_states, not_a_figure, run_states
from motiform.motion.tree.algorithms.kinematics import Motion, motion
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = [
    "Energy", "energy", "inertia_matrix", "inverse_dynamics", "momentum", "nonlinear_effects",
]  # fmt: skip


class Energy(NamedTuple):
    """[J], (...)."""

    kinetic: Array
    potential: Array
    """Of gravity; zero at the world's origin."""

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


def inverse_dynamics(
    figure: Figure, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: ArrayLike | None = None, *, device: str = "cpu"
) -> Array:
    """Return the generalised forces of a motion [N·m or N], (..., nv): tau = M a + nonlinear effects.

    `external` are wrenches on the segments, (..., segments, 6): moment [N·m] about the segment's origin and force [N],
    in world axes. Armature and damping of the joints are part of the figure.
    """
    try:
        single = figure.single if external is None and device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty(figure.nv)
        try:
            if entries.recursive(single.ints, single.floats, single.work, q, v, a, out) == 0:
                return out
        except (TypeError, ValueError):
            pass  # not one state as the compiled function takes it: the general path, which also reports what is wrong
    return _inverse_dynamics(figure, q, v, a, external, device)


def _inverse_dynamics(
    figure: Figure, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: ArrayLike | None, device: str
) -> Array:
    batch, states, loads = as_loaded_states(figure, q, v, ("a", a), external)
    coupled = figure.coupled
    full = states if coupled is None else list(coupled.expand_motion(*states))
    out = run_states(figure, tree_columns.RECURSIVE, figure.layout.nv, full, loads=loads, device=device)
    if coupled is not None:
        out = coupled.reduce(states[0], out)
    return out.reshape(*batch, figure.nv)


def as_loaded_states(
    figure: Figure, q: ArrayLike, v: ArrayLike, third: tuple[str, ArrayLike], external: ArrayLike | None
) -> tuple[tuple[int, ...], list[Array], list[Array | bool]]:
    """Return leading axes, states and loads as kernels take them."""
    inputs = [("q", q, figure.nq), ("v", v, figure.nv), (*third, figure.nv)]
    if external is None:
        batch, states = as_states(figure, inputs)
        return batch, states, [np.zeros((1, 1)), False]
    n = len(figure.segments)
    wrenches = as_floats(external, where="external", finite=False)
    if wrenches.shape[-2:] != (n, 6):
        raise InputError(
            "external must have one wrench for each segment",
            got=f"shape {wrenches.shape}",
            allowed=f"(…, {n}, 6): segments, wrenches",
        )
    flat = wrenches.reshape(*wrenches.shape[:-2], 6 * n)
    batch, (*states, loads) = as_states(figure, [*inputs, ("external", flat, 6 * n)])
    return batch, states, [loads, True]


def nonlinear_effects(figure: Figure, q: ArrayLike, v: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the generalised forces that hold the figure at zero acceleration, (..., nv): N(q, v) v + G(q)."""
    try:
        single = figure.single
    except AttributeError:
        raise not_a_figure(figure) from None
    return inverse_dynamics(figure, q, v, np.zeros(figure.nv) if single is None else single.zeros, device=device)


def inertia_matrix(figure: Figure, q: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the inertia matrix M(q), (..., nv, nv), armature included."""
    try:
        single = figure.single if device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty((figure.nv, figure.nv))
        try:
            if entries.composite(single.ints, single.floats, single.work, q, out) == 0:
                return out
        except (TypeError, ValueError):
            pass  # as in inverse_dynamics
    return _inertia_matrix(figure, q, device)


def _inertia_matrix(figure: Figure, q: ArrayLike, device: str) -> Array:
    batch, (states,) = as_states(figure, [("q", q, figure.nq)])
    coupled, nv = figure.coupled, figure.layout.nv
    full = states if coupled is None else coupled.expand(states)
    out = run_states(figure, tree_columns.COMPOSITE, nv * nv, [full], device=device)
    M = out.reshape(len(full), nv, nv)
    if coupled is not None:
        G = coupled.matrix(states)
        M = np.swapaxes(G, -1, -2) @ M @ G
    return M.reshape(*batch, figure.nv, figure.nv)


def _masses(figure: Figure) -> tuple[Array, Array, Array]:
    return (
        np.array([s.mass for s in figure.segments]),
        np.array([s.com for s in figure.segments]),
        np.array([s.inertia for s in figure.segments]),
    )


def _momenta(figure: Figure, moving: Motion) -> tuple[Array, Array, Array, Array]:
    """Return centres, linear momenta, spins (angular momentum about own centre) and angular velocity of segments."""
    mass, com, inertia = _masses(figure)
    R, p = moving.poses
    r = (R @ com[:, :, None])[..., 0]
    o = moving.twists[..., :3]
    linear = mass[:, None] * (moving.twists[..., 3:] + np.cross(o, r))
    spin = (R @ (inertia @ (np.swapaxes(R, -1, -2) @ o[..., None])))[..., 0]
    return p + r, linear, spin, o


def momentum(figure: Figure, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the angular momentum [kg·m²/s] about the world's origin and the linear one [kg·m/s], (..., 6)."""
    x, linear, spin, _ = _momenta(figure, motion(figure, q, v))
    return np.concatenate([sum_over(spin + np.cross(x, linear), -2), sum_over(linear, -2)], axis=-1)


def energy(figure: Figure, q: ArrayLike, v: ArrayLike) -> Energy:
    """Return kinetic and potential energy [J]; that of armatures, ½ Σ armature v², is part of the kinetic one."""
    mass, _, _ = _masses(figure)
    x, linear, spin, o = _momenta(figure, motion(figure, q, v))
    heavy = np.where(mass > 0, mass, 1.0)
    kinetic = 0.5 * sum_over(sum_over(linear**2, -1) / heavy + sum_over(spin * o, -1), -1)
    armature = np.zeros(figure.layout.nv)
    for n, segment in enumerate(figure.segments):
        armature[figure.layout.v[n]] = segment.armature
    if armature.any():
        full = np.asarray(v, float)
        if figure.coupled is not None:
            full = (figure.coupled.matrix(np.asarray(q, float)) @ full[..., None])[..., 0]
        kinetic = kinetic + 0.5 * sum_over(armature * full**2, -1)
    potential = -sum_over(mass * sum_over(x * np.array(figure.gravity), -1), -1)
    return Energy(kinetic, potential)
