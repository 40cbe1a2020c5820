"""Inverse dynamics of figures with closures: the efforts of a motion, and the closure forces."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.tree.algorithms.batch import as_states
from motiform.motion.tree.algorithms.closures import all_rows
from motiform.motion.tree.algorithms.dynamics import inertia_matrix, inverse_dynamics
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["Effort", "effort"]

_RANK = 1e-7  # directions weaker than this share of the strongest count as none; squared, it is that of closures


class Effort(NamedTuple):
    """Efforts and closure forces of a motion."""

    tau: Array
    """Of the actuated coordinates [N·m or N], (..., actuated)."""
    forces: Array
    """Of the rows of all closures [N or N·m], (..., rows): from a on b, as in `constrained_dynamics`."""
    residual: Array
    """What is left of the equation of motion, (..., nv): rounding."""


def effort(
    figure: Figure,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    actuated: Sequence[str] | None = None,
    external: ArrayLike | None = None,
    *,
    tolerance: float = 1e-6,
) -> Effort:
    """Return the forces of the actuated coordinates that make the motion (q, v, a) of a figure with closures.

    M a + h = Bᵀ tau + Jᵀ λ, B picking the actuated coordinates (names of coordinates, or of segments for all of their
    joint's; None: all). Where several do, tau is the smallest, and then the forces λ of the closures. A motion that
    they cannot make, or that does not keep the closures, is refused: what is left may be up to `tolerance` of the
    terms that it is the sum of, a share that differences of a smooth motion leave. Forces of contacts may come out
    pulling: look at their sign.
    """
    sizes = [("q", q, figure.nq), ("v", v, figure.nv), ("a", a, figure.nv)]
    batch, (qs, vs, as_) = as_states(figure, sizes)
    if external is not None:
        n = len(figure.segments)
        loads = as_floats(external, where="external", finite=False)
        if loads.shape[-2:] != (n, 6):
            raise InputError(
                "external must have one wrench for each segment", got=f"shape {loads.shape}", allowed=f"(…, {n}, 6)"
            )
        flat = loads.reshape(*loads.shape[:-2], 6 * n)
        batch, (qs, vs, as_, flat) = as_states(figure, [*sizes, ("external", flat, 6 * n)])
        external = flat.reshape(-1, n, 6)
    where = _actuated(figure, actuated)
    opened = figure.opened
    M = inertia_matrix(opened, qs)
    h = inverse_dynamics(opened, qs, vs, np.zeros(figure.nv), external)
    f = (M @ as_[..., None])[..., 0] + h
    scale = 1.0 / np.sqrt(_diagonal(figure, M))  # makes forces and moments alike: both are then √kg·m/s²
    B = np.zeros((figure.nv, len(where)))
    B[where, np.arange(len(where))] = 1.0
    Jt = np.zeros((len(qs), figure.nv, 0))
    if figure.closures:
        Jt = np.swapaxes(_closure_jacobian(figure, qs, vs, as_, tolerance), -1, -2)
    tau, forces = _solution(scale, B, Jt, f)
    residual = f - (B @ tau[..., None])[..., 0] - (Jt @ forces[..., None])[..., 0]
    largest = np.maximum(np.abs(M @ as_[..., None])[..., 0], np.abs(h)) * scale
    _check(figure, where, np.abs(residual) * scale, tolerance * largest.max(-1, keepdims=True))
    return Effort(*(x.reshape(*batch, x.shape[-1]) for x in (tau, forces, residual)))


def _actuated(figure: Figure, names: Sequence[str] | None) -> Array:
    """Return the places in v of the actuated coordinates."""
    if names is None:
        return np.arange(figure.nv)
    if isinstance(names, str):
        raise InputError(
            "actuated must be a sequence of names", got=names, allowed="a sequence of names, such as ['shoulder']"
        )
    where = np.concatenate([np.zeros(0, int), *(figure.places(name, "v") for name in names)]).astype(int)
    if len(set(where)) < len(where):
        raise InputError("every actuated coordinate must be named once", got=", ".join(names))
    return where


def _diagonal(figure: Figure, M: Array) -> Array:
    found = np.einsum("...kk->...k", M)
    if not (found > 0).all():
        name = figure.coordinates[int(np.argmin(found.min(0)))]
        raise RunError("the coordinate moves nothing that has inertia", where=f"figure {figure.name!r}, {name}")
    return found


def _closure_jacobian(figure: Figure, q: Array, v: Array, a: Array, tolerance: float) -> Array:
    """Return J of the closures; a motion that does not keep them is refused."""
    _, J, bias = all_rows(figure, q, v)
    for what, rate, terms in (
        ("velocities", (J @ v[..., None])[..., 0], np.abs(J) @ np.abs(v)[..., None]),
        (
            "accelerations",
            (J @ a[..., None])[..., 0] + bias,
            np.abs(J) @ np.abs(a)[..., None] + np.abs(bias)[..., None],
        ),
    ):
        allowed = tolerance * terms.max((-2, -1))[:, None]
        wrong = np.abs(rate) > allowed
        if wrong.any():
            row = int(np.argmax(wrong.any(0)))
            owners = [closure.name for closure in figure.closures for _ in range(closure.count)]
            raise InputError(
                f"{what} must keep the closures", where=f"figure {figure.name!r}, closure {owners[row]!r}",
                got=f"{np.abs(rate[:, row]).max():.3g} against zero", allowed=f"up to {float(allowed.min()):.3g}",
                remedy="Take v from close_loops, and a that satisfies J a + dJ/dt v = 0 (see constraint).",
            )  # fmt: skip
    return J


def _solution(scale: Array, B: Array, Jt: Array, f: Array) -> tuple[Array, Array]:
    """Return the smallest tau, then the smallest forces, of Bᵀ tau + Jᵀ λ = f."""
    D = scale[..., None]
    closing = np.linalg.pinv(D * Jt, rcond=_RANK)
    rest = np.eye(len(B)) - D * Jt @ closing  # what closures cannot carry
    tau = (np.linalg.pinv(rest @ (D * B), rcond=_RANK) @ (rest @ (D * f[..., None])))[..., 0]
    left = f - (B @ tau[..., None])[..., 0]
    return tau, (closing @ (D * left[..., None]))[..., 0]


def _check(figure: Figure, where: Array, left: Array, allowed: Array) -> None:
    wrong = np.flatnonzero((left > allowed).any(0))
    if not len(wrong):
        return
    names = [figure.coordinates[k] for k in wrong]
    raise RunError(
        "the motion cannot be made by the actuated coordinates",
        where=f"figure {figure.name!r}",
        got=f"forces left over on {', '.join(names)}",
        allowed="actuated here: " + (", ".join(figure.coordinates[k] for k in where) or "none"),
        remedy="Actuate these too, or change the accelerations.",
    )
