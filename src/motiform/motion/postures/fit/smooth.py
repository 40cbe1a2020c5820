"""Smoothed fit of a whole trial.

    min Σ_t Σ_i w_i |x_i(q_t) − m_ti|² + μ Σ_t |q_{t+1} − 2 q_t + q_{t−1}|²,    μ = σ² / (α² Δt⁴)

which is the most likely motion where markers have the standard deviation σ and accelerations α [Eilers03]. By
Gauss–Newton; the matrix is banded, with blocks JᵀWJ on its diagonal.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.postures.derivatives import even_rate
from motiform.motion.postures.fit.fitter import FittedPostures, Fitter
from motiform.motion.tree import tags
from motiform.motion.tree.model.joint import Array

__all__ = ["smooth_trial"]

_WINDOW, _OVERLAP = 2000, 100  # samples that are solved together; those at the ends of windows are solved twice
_STEPS = 30
_SETTLED = 1e-7  # [rad, m] change of a step that is none


def smooth_trial(
    fitter: Fitter, markers: Array, found: FittedPostures, times: Array, acceleration: float, sigma: float
) -> None:
    """Replace postures by smooth ones, in place; costs and certainty follow.

    acceleration : standard deviation of the accelerations of all coordinates [rad/s², m/s²].
    sigma : of the markers' coordinates [m].
    """
    figure, count = fitter.figure, len(times)
    rate = even_rate(times)
    if rate is None:
        raise InputError(
            "samples must be at even times to be smoothed", remedy="Resample the markers, or leave smooth out."
        )
    if figure.nq != figure.nv:
        raise InputError(
            "a figure must not have quaternions to be smoothed", where=repr(figure),
            allowed="coordinates that are plain numbers",
            remedy="Leave smooth out; cutoff= filters velocities and accelerations.",
        )  # fmt: skip
    mu = (sigma / acceleration) ** 2 * rate**4
    if count < 5 or not mu > 0.0:
        return
    for first in range(0, count, _WINDOW):
        lo, hi = max(first - _OVERLAP, 0), min(first + _WINDOW + _OVERLAP, count)
        own = slice(first - lo, min(first + _WINDOW, count) - lo)
        start = _blend(found.q[lo:hi], found.inverse[lo:hi], mu)
        q, inverse = _solve(fitter, markers[lo:hi], start, np.full(figure.nv, mu))
        found.q[first : first + _WINDOW] = q[own]
        found.inverse[first : first + _WINDOW] = inverse[own]
    found.cost[:] = _distances(fitter, markers, found.q)


def _blend(q: Array, inverse: Array, mu: float) -> Array:
    """Return each coordinate smoothed by itself, in which a sample counts as much as it is certain: where to begin."""
    from scipy.linalg import solveh_banded

    stencil, out = mu * _stencil(len(q)), np.empty_like(q)
    for k in range(q.shape[1]):
        weight = 1.0 / np.maximum(inverse[:, k], 1e-12)
        band = stencil.copy()
        band[0] += weight
        out[:, k] = solveh_banded(band, weight * q[:, k], lower=True)
    return out


def _distances(fitter: Fitter, markers: Array, q: Array) -> Array:
    """Return Σ w |x − m|² over the markers seen, (samples,)."""
    r = tags(fitter.figure, q) - markers
    return np.asarray(np.nansum(fitter.weights * (r**2).sum(-1), axis=1))


def _solve(fitter: Fitter, markers: Array, start: Array, mu: Array) -> tuple[Array, Array]:
    """Return smooth postures of a window, and the diagonal of the inverse of the whole matrix."""
    from scipy.linalg import solveh_banded

    def cost(q: Array) -> float:
        return float(_distances(fitter, markers, q).sum() + (mu * np.diff(q, 2, axis=0) ** 2).sum())

    q, n, count = start.copy(), start.shape[1], len(start)
    stencil, here = _stencil(count), cost(start)
    for _ in range(_STEPS):
        normal, gradient = fitter.normal(markers, q)
        full = gradient + mu * _fourth(q)
        band = _band(normal, stencil, mu)
        step = -solveh_banded(band, full.ravel(), lower=True, overwrite_ab=True, check_finite=False).reshape(count, n)
        for _halving in range(6):
            there = cost(q + step)
            if there <= here * (1.0 + 1e-12):
                break
            step = 0.5 * step
        if there > here * (1.0 + 1e-12):
            break
        q, here = q + step, there
        if np.abs(step).max() < _SETTLED:
            break
    return q, _certainty(fitter.normal(markers, q)[0], stencil, mu)


def _certainty(normal: Array, stencil: Array, mu: Array) -> Array:
    """Return the diagonal of the inverse of the whole matrix, (samples, n): pairs of samples make it tridiagonal.

    S_k = D_k − E_k S_{k−1}⁻¹ E_kᵀ forward, then P_k = S_k⁻¹ + S_k⁻¹ E_{k+1}ᵀ P_{k+1} E_{k+1} S_k⁻¹ back [Meurant92].
    """
    count, n, _ = normal.shape
    blocks = [range(k, min(k + 2, count)) for k in range(0, count, 2)]

    def block(rows: range, columns: range) -> Array:
        out = np.zeros((len(rows) * n, len(columns) * n))
        for a, i in enumerate(rows):
            for b, j in enumerate(columns):
                if abs(i - j) <= 2:
                    part = np.diag(stencil[abs(i - j), min(i, j)] * mu)
                    own = normal[i] + 1e-6 * np.eye(n) if i == j else 0.0
                    out[a * n : (a + 1) * n, b * n : (b + 1) * n] = part + own
        return out

    inverses: list[Any] = [np.linalg.inv(block(blocks[0], blocks[0]))]
    links = []
    for before, here in pairwise(blocks):
        E = block(here, before)
        links.append(E)
        inverses.append(np.linalg.inv(block(here, here) - E @ inverses[-1] @ E.T))
    P: Any = inverses[-1]
    found: list[Array] = [np.diag(P)]
    for k in range(len(blocks) - 2, -1, -1):
        G = links[k] @ inverses[k]
        P = inverses[k] + G.T @ P @ G
        found.append(np.diag(P))
    return np.concatenate(found[::-1]).reshape(count, n)


def _stencil(count: int) -> Array:
    """Return DᵀD of second differences as its three diagonals at and below the main one, (3, samples)."""
    D = np.zeros((count - 2, count))
    rows = np.arange(count - 2)
    D[rows, rows], D[rows, rows + 1], D[rows, rows + 2] = 1.0, -2.0, 1.0
    full = np.zeros((3, count))
    full[0] = (D**2).sum(0)
    full[1, :-1] = (D[:, :-1] * D[:, 1:]).sum(0)
    full[2, :-2] = (D[:, :-2] * D[:, 2:]).sum(0)
    return full


def _fourth(q: Array) -> Array:
    """Return DᵀD q: the gradient of the squares of second differences."""
    second = np.diff(q, 2, axis=0)
    out = np.zeros_like(q)
    out[:-2] += second
    out[1:-1] -= 2.0 * second
    out[2:] += second
    return out


def _band(normal: Array, stencil: Array, mu: Array) -> Array:
    """Return the matrix in the lower banded form of LAPACK, (2 n + 1, samples n)."""
    count, n, _ = normal.shape
    band = np.zeros((2 * n + 1, count * n))
    columns = np.arange(count)[:, None] * n + np.arange(n)
    for below in range(n):  # inside the block of a sample
        k = np.arange(n - below)
        band[below][columns[:, k]] = normal[:, k + below, k]
    band[0][columns] += stencil[0][:, None] * mu + 1e-9
    band[n][columns] = stencil[1][:, None] * mu
    band[2 * n][columns] = stencil[2][:, None] * mu
    return band
