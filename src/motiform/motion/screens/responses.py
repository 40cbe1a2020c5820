"""Responses of endless screens and membranes to a unit force, in closed form [Habibi97 §7.3, corrected]."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array

__all__ = [
    "Continuum", "box_response", "continuum_of", "continuum_response", "decay_length", "lattice_response",
    "line_response",
]  # fmt: skip


class Continuum(NamedTuple):
    """The string, membrane or block that a fine screen tends to."""

    ground: float
    """k_sc [N/m^(d+1)]."""
    neighbour: float
    """k_vc [N/m^(d−1)]."""


def continuum_of(ground: float, neighbour: float, spacing: float, dimensions: int = 1) -> Continuum:
    """Return k_sc = k_s/δᵈ and k_vc = k_v δ²⁻ᵈ [Habibi97 7.43, 7.44; d dimensions]."""
    return Continuum(ground / spacing**dimensions, neighbour * spacing ** (2 - dimensions))


def _rate(ground: float, neighbour: float) -> tuple[float, float]:
    """Return β = |ln r| of the line's recurrence and the sign of its alternation."""
    if not (ground > 0 and ground + 4 * neighbour > 0):
        raise InputError(
            "a line of pins must be held", got=f"k_s = {ground:g}, k_v = {neighbour:g} N/m",
            allowed="k_s above 0 and k_v above −k_s/4",
        )  # fmt: skip
    if neighbour == 0:
        return np.inf, 1.0
    alpha = ground / neighbour
    # cosh β = 1 + α/2 for k_v > 0; −cosh β for α < −4: pins alternate [Habibi97 7.19, bounds corrected]
    return float(np.arccosh(abs(1 + alpha / 2))), 1.0 if neighbour > 0 else -1.0


def decay_length(ground: float, neighbour: float) -> float:
    """Return the pins over which the response of a line falls e-fold, 1/β."""
    rate = _rate(ground, neighbour)[0]
    return 1.0 / rate if rate > 0.0 else math.inf


def line_response(ground: float, neighbour: float, pins: ArrayLike) -> Array:
    """Return the height [m/N] at so many pins from a unit force on an endless line: (±1)ⁱ e^(−β|i|)/√(4k_s k_v + k_s²).

    [Habibi97 7.19, 7.23; 7.24 and 7.25 corrected]. Its sum is 1/k_s.
    """
    beta, sign = _rate(ground, neighbour)
    i = np.abs(np.asarray(pins))
    decay = np.where(i == 0, 1.0, np.exp(-beta * np.maximum(i, 1)))
    return np.asarray(sign**i * decay / np.sqrt(4 * ground * neighbour + ground**2))


def lattice_response(
    ground: float, neighbour: float, dimensions: int, *, extent: int = 16, period: int | None = None
) -> Array:
    """Return the heights [m/N] around a unit force on an endless screen, (2 extent + 1,) along each axis.

    H(θ) = 1/(k_s + k_v Σ(2 − 2 cos θ)) is summed over a periodic screen, so long that its copies do not count.
    """
    if not 1 <= dimensions <= 3:
        raise InputError("a screen must have 1 to 3 dimensions", got=dimensions)
    if extent < 0 or (period is not None and period < 1):
        raise InputError(
            "a response must have a width", got=f"extent {extent}, period {period}", allowed="0 or more, 1 or more"
        )
    length = decay_length(ground, neighbour)
    n = period or max(1, int(2 * (extent + np.ceil(40 * length))))
    if n**dimensions > 1 << 26:
        raise InputError(
            "the response is too wide to be summed", got=f"a decay over {length:.3g} pins in {dimensions} dimensions",
            remedy="Give period, a width of the periodic screen.",
        )  # fmt: skip
    lam, total = 2 - 2 * np.cos(2 * np.pi * np.arange(n) / n), np.zeros(())
    for _ in range(dimensions):
        total = np.add.outer(total, lam)
    whole = np.fft.ifftn(1.0 / (ground + neighbour * total)).real
    index = np.arange(-extent, extent + 1) % n
    return np.asarray(whole[np.ix_(*[index] * dimensions)])


def continuum_response(of: Continuum, dimensions: int, distance: ArrayLike) -> Array:
    """Return the height [m/N] at distances [m] from a unit force on an endless string, membrane or block.

    e^(−√α r)/√(4 k_s k_v), K₀(√α r)/(2π k_v), e^(−√α r)/(4π k_v r), α = k_s/k_v [Habibi97 7.40; 7.59–7.63 corrected].
    Without ground −ln r/(2π k_v), up to a constant, in two dimensions [7.57] and 1/(4π k_v r) in three; none in one.
    """
    from scipy.special import k0

    ks, kv = of
    r = np.asarray(distance, float)
    _check_held(of, dimensions)
    a = np.sqrt(ks / kv)
    with np.errstate(divide="ignore"):
        if dimensions == 1:
            return np.asarray(np.exp(-a * np.abs(r)) / np.sqrt(4 * ks * kv))
        if dimensions == 2:
            return np.asarray((k0(a * r) if ks else -np.log(r)) / (2 * np.pi * kv))
        return np.asarray(np.exp(-a * r) / (4 * np.pi * kv * r))


def box_response(of: Continuum, half_width: float, force: float, distance: ArrayLike, dimensions: int = 1) -> Array:
    """Return the height [m] of an endless string, membrane or block under a uniform force up to a distance R.

    `force` is f in N/m on −R … R, N/m² on a disc, N/m³ on a ball. With α = k_s/k_v, x = √α R and y = √α r, inside

        f/k_s (1 − e^(−x) cosh y),  f/k_s (1 − x K₁(x) I₀(y)),  f/k_s (1 − (1 + x) e^(−x) sinh y / y),

    and outside f/k_s sinh x e^(−y), f/k_s x I₁(x) K₀(y), f/k_s (x cosh x − sinh x) e^(−y)/y [Habibi97 7.35–7.38,
    signs corrected; 7.60–7.63]. Without ground a parabola, then −(f R²/2 k_v) ln r in two dimensions, up to a constant,
    and f R³/(3 k_v r) in three [Habibi97 7.56–7.59, figs. 7.13, 7.14].
    """
    ks, kv = of
    R, r = half_width, np.abs(np.asarray(distance, float))
    _check_held(of, dimensions)
    if not R > 0:
        raise InputError("a push must have a width", got=f"half of it is {R:g} m", allowed="above 0")
    if ks == 0:
        inner, outer = np.minimum(r, R), np.maximum(r, R)
        bulge = force * (R**2 - inner**2) / (2 * dimensions * kv)
        if dimensions == 2:
            return np.asarray(bulge - force * R**2 * np.log(outer) / (2 * kv))
        return np.asarray(bulge + force * R**3 / (3 * kv * outer))
    a = np.sqrt(ks / kv)
    inside, outside = _profiles(a * R, a * np.minimum(r, R), a * np.maximum(r, R), dimensions)
    return np.asarray(force / ks * np.where(r <= R, inside, outside))


def _profiles(x: float, y: Array, z: Array, dimensions: int) -> tuple[Array, Array]:
    """Return heights over f/k_s inside, at y ≤ x, and outside, at z ≥ x, of products that do not overflow."""
    from scipy.special import i0e, i1e, k0e, k1e

    if dimensions == 1:
        return 1 - 0.5 * (np.exp(y - x) + np.exp(-y - x)), 0.5 * (np.exp(x - z) - np.exp(-x - z))
    if dimensions == 2:
        return 1 - x * k1e(x) * i0e(y) * np.exp(y - x), x * i1e(x) * k0e(z) * np.exp(x - z)
    small = y < 1e-4
    safe = np.where(small, 1.0, y)
    sinh = np.where(small, np.exp(-x) * (1 + y**2 / 6), 0.5 * (np.exp(safe - x) - np.exp(-safe - x)) / safe)
    return 1 - (1 + x) * sinh, 0.5 * ((x - 1) * np.exp(x - z) + (x + 1) * np.exp(-x - z)) / z


def _check_held(of: Continuum, dimensions: int) -> None:
    if not (of.neighbour > 0 and of.ground >= 0 and (of.ground > 0 or dimensions > 1)) or dimensions not in (1, 2, 3):
        raise InputError(
            "a continuous screen must be held", got=f"{of} in {dimensions} dimensions",
            allowed="neighbour above 0; ground above 0, or 0 in two or three dimensions",
        )  # fmt: skip
