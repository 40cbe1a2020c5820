"""Screens at rest: exact by sine and cosine transforms, with engravers by Newton steps [Habibi97 ch. 7]."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.screens.model import Screen
from motiform.motion.screens.modes import (
    axis_eigenvalues,
    fields_of_modes,
    modes_of_fields,
    screen_eigenvalues,
    stiffness_times,
)
from motiform.motion.screens.pistons import transfer
from motiform.spatial.checks import Array

__all__ = ["engraving_force", "rest_heights", "static_response"]

_ROUNDS, _INNER = 200, 400


def static_response(screen: Screen, force: ArrayLike) -> Array:
    """Return heights from rest [m] under a force on each pin [N], `shape`: (k_s + k_v A) ω = F, solved by modes.

    With pistons the response is H(θ) of `transfer` [Habibi97 §7.4.3].
    """
    F = np.array(np.broadcast_to(np.asarray(force, float), screen.shape))
    amplitude = modes_of_fields(screen, F)
    with np.errstate(invalid="ignore"):
        found = np.where(amplitude == 0, 0.0, _compliance(screen) * amplitude)
    if not np.isfinite(found).all():
        raise InputError(
            "nothing holds a mode of the screen that the force drives", where="static response",
            got=f"{int((~np.isfinite(found)).sum())} modes without stiffness",
            remedy="Give the pins stiffness to the ground, or edges='fixed'.",
        )  # fmt: skip
    return fields_of_modes(screen, found)


def _compliance(screen: Screen) -> Array:
    """Return height over force of each mode [m/N]; inf where nothing holds it."""
    ks, _, kv, _ = screen.links
    if screen.pistons is not None:
        return transfer(screen.pistons, ks, kv, [axis_eigenvalues(n, screen.edges) for n in screen.shape])
    stiff = ks + kv * screen_eigenvalues(screen)
    if (stiff < 0).any():
        raise InputError(
            "a mode of the screen must not be pushed from rest", got=f"stiffness {stiff.min():.4g} N/m",
            allowed=f"k_s + λ k_v above 0, λ up to {4 * screen.dimensions}",
            remedy="Raise the stiffness to the ground, or that between neighbours towards 0.",
        )  # fmt: skip
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / np.where(np.abs(stiff) < 1e-12 * np.abs(stiff).max(initial=0.0), 0.0, stiff))


def engraving_force(
    screen: Screen, heights: ArrayLike | None = None, *, time: float = 0.0
) -> tuple[Array, Array, float]:
    """Return force on pins [N], its slope −∂f/∂ω [N/m], both `shape`, and the energy of the buffers at rest [J].

    Heights are from rest [m]; all 0 if not given, which is the approximation of the thesis [Habibi97 §7.3.1].
    """
    u = np.zeros(screen.shape) if heights is None else np.asarray(heights, float)
    force, slope, energy = np.zeros(screen.shape), np.zeros(screen.shape), 0.0
    for engraver in screen.engravers:
        places = engraver.at([time])[0]
        tops = screen.above(places) if engraver.height is None else np.full(len(places), engraver.height)
        k, S = engraver.stiffness, engraver.reach
        for g, top in zip(screen.locate(places), tops - screen.rest, strict=True):
            low = np.maximum(np.ceil(g - S / screen.spacing), 0).astype(int)
            high = np.minimum(np.floor(g + S / screen.spacing) + 1, screen.shape).astype(int)
            if (low >= high).any():
                continue
            box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
            offsets = [(np.arange(a, b) - x) * screen.spacing for a, b, x in zip(low, high, g, strict=True)]
            h = u[box] - top
            square = sum(o**2 for o in np.meshgrid(*offsets, indexing="ij")) + h**2
            d = np.sqrt(np.where(square > 0, square, 1.0))
            acts = (square < S * S) & (square > 0)
            force[box] += np.where(acts, k * (S - d) * h / d, 0.0)
            slope[box] += np.where(acts, k * (1 - S / d + S * h**2 / d**3), 0.0)
            energy += 0.5 * k * float((np.where(acts, S - d, 0.0) ** 2).sum())
    return force, slope, energy


def rest_heights(screen: Screen, *, time: float = 0.0, tolerance: float = 1e-10) -> Array:
    """Return the heights at which a screen rests under its engravers at a time [s] and its constant force [m].

    The energy of links and buffers is lowered by Newton steps from the flat screen, each solved by conjugate gradients
    that take the free screen as preconditioner, until the largest force left is below `tolerance` of the largest.
    With pistons it is that of pins whose horizontal masses balance [Habibi97 figs. 7.27b to 7.37b].
    """
    push = 0.0 if screen.force is None else np.asarray(screen.force)
    if not screen.engravers:
        return screen.rest + static_response(screen, push)
    inverse = _compliance(screen)
    if not np.isfinite(inverse).all():
        raise InputError(
            "nothing holds a mode of the screen: it has many states of rest", where="static response",
            got=f"{int((~np.isfinite(inverse)).sum())} modes without stiffness",
            remedy="Give the pins stiffness to the ground, edges='fixed', or pistons links of their own.",
        )  # fmt: skip
    u = np.zeros(screen.shape)
    for _ in range(_ROUNDS):
        force, slope, energy = engraving_force(screen, u, time=time)
        left = force + push - _held(screen, inverse, u)
        if np.abs(left).max() <= tolerance * max(np.abs(force + push).max(), np.finfo(float).tiny):
            return screen.rest + u
        change = _newton(screen, inverse, np.maximum(slope, 0.0), left)
        u = _descend(screen, inverse, u, change, left, _energy(screen, inverse, u, push, energy), push, time)
    raise RunError(
        "the screen must come to rest in 200 rounds", where="static response", got=f"{np.abs(left).max():.3g} N left",
        remedy="Lower the stiffness of engravers, or let the dynamic screen settle.",
    )  # fmt: skip


def _held(screen: Screen, inverse: Array, u: Array) -> Array:
    """Return the force that holds pins at heights from rest [N], with horizontal masses where they balance."""
    if screen.pistons is None:
        return stiffness_times(screen, u)
    return fields_of_modes(screen, modes_of_fields(screen, u) / inverse)


def _energy(screen: Screen, inverse: Array, u: Array, push: ArrayLike, buffers: float) -> float:
    return 0.5 * float((u * _held(screen, inverse, u)).sum()) - float((np.asarray(push) * u).sum()) + buffers


def _newton(screen: Screen, inverse: Array, slope: Array, left: Array) -> Array:
    """Return x of (K + slope) x = left by conjugate gradients, preconditioned by the inverse of K."""
    x, r = np.zeros_like(left), left.copy()
    z = fields_of_modes(screen, inverse * modes_of_fields(screen, r))
    p, rz = z.copy(), float((r * z).sum())
    small = 1e-24 * rz
    for _ in range(_INNER):
        if rz <= small:
            break
        Ap = _held(screen, inverse, p) + slope * p
        alpha = rz / float((p * Ap).sum())
        x, r = x + alpha * p, r - alpha * Ap
        z = fields_of_modes(screen, inverse * modes_of_fields(screen, r))
        after = float((r * z).sum())
        p, rz = z + (after / rz) * p, after
    return x


def _descend(
    screen: Screen, inverse: Array, u: Array, change: Array, left: Array, energy: float, push: ArrayLike, time: float
) -> Array:
    """Return u + s change with the first s = 1, ½, ¼ … that lowers the energy as much as its slope foretells."""
    gain, s = float((left * change).sum()), 1.0
    for _ in range(40):
        tried = u + s * change
        _, _, buffers = engraving_force(screen, tried, time=time)
        if _energy(screen, inverse, tried, push, buffers) <= energy - 1e-4 * s * gain + 1e-14 * abs(energy):
            return tried
        s *= 0.5
    return u + s * change
