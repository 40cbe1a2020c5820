"""Shares of moments among muscles  [Crowninshield81].

    min Σ x_iᵖ + Σ (r_k/R_k)²  with  Σ_i G_ik x_i + r_k = b_k  and  low ≤ x ≤ high

It is strictly convex, so that its dual is smooth. With a multiplier λ_k for each moment, p x^(p−1) = Σ_k G_ik λ_k
between the bounds and r_k = R_k² λ_k/2; Newton's method with a line search on the dual function finds λ, as many
unknowns as there are moments.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel, routine

__all__ = ["share_moments"]

_ITERATIONS = 100
_EXACT = 1e-11  # of the moments and of what muscles can do: rounding of sums of some hundred terms is below 1e-13
_ARMIJO = 1e-4
_HALVINGS = 40
_FLAT = 1e-6  # activation below which powers above 2 are taken as straight, so that Newton's matrix stays finite


@inline
def _best(y, p, low, high):
    """Return x of the greatest y x − |x|ᵖ, that value, and dx/dy."""
    if p == 2.0:
        x, rate = 0.5 * y, 0.5
    else:
        size = math.fabs(y) / p
        x = math.copysign(size ** (1.0 / (p - 1.0)), y)
        rate = 1.0 / (p * (p - 1.0) * max(math.fabs(x), _FLAT) ** (p - 2.0))
    if x <= low:
        x, rate = low, 0.0
    elif x >= high:
        x, rate = high, 0.0
    return x, y * x - math.fabs(x) ** p, rate


@routine
def _dual(G, b, low, high, power, reserve, s, work, w, at, x, gradient):
    """Write activations and the gradient at the multipliers in rows `at` of the workspace; return the dual function."""
    n, k = G.shape[1], G.shape[2]
    value = 0.0
    for j in range(k):
        lam = work[w, at + j]
        work[w, gradient + j] = 0.5 * reserve[j] * reserve[j] * lam - b[s, j]
        value += (0.25 * reserve[j] * reserve[j] * lam - b[s, j]) * lam
    for i in range(n):
        y = 0.0
        for j in range(k):
            y += G[s, i, j] * work[w, at + j]
        best, gain, rate = _best(y, power[i], low[i], high[i])
        value += gain
        work[w, x + i], work[w, x + n + i] = best, rate
        for j in range(k):
            work[w, gradient + j] += G[s, i, j] * best
    return value


@routine
def _direction(G, reserve, s, work, w, rate, gradient, matrix, step):
    """Write Newton's step: Cholesky of Σ rate G Gᵀ + R²/2."""
    n, k = G.shape[1], G.shape[2]
    for a in range(k):
        for b in range(a + 1):
            work[w, matrix + a * k + b] = 0.5 * reserve[a] * reserve[a] if a == b else 0.0
    for i in range(n):
        d = work[w, rate + i]
        if d > 0.0:
            for a in range(k):
                g = d * G[s, i, a]
                if g != 0.0:
                    for b in range(a + 1):
                        work[w, matrix + a * k + b] += g * G[s, i, b]
    for a in range(k):
        for b in range(a + 1):
            total = work[w, matrix + a * k + b]
            for j in range(b):
                total -= work[w, matrix + a * k + j] * work[w, matrix + b * k + j]
            if a == b:
                floor = 1e-30 + 0.5 * reserve[a] * reserve[a] * 1e-6
                work[w, matrix + a * k + a] = math.sqrt(max(total, floor))
            else:
                work[w, matrix + a * k + b] = total / work[w, matrix + b * k + b]
    for a in range(k):
        total = -work[w, gradient + a]
        for j in range(a):
            total -= work[w, matrix + a * k + j] * work[w, step + j]
        work[w, step + a] = total / work[w, matrix + a * k + a]
    for a in range(k - 1, -1, -1):
        total = work[w, step + a]
        for j in range(a + 1, k):
            total -= work[w, matrix + j * k + a] * work[w, step + j]
        work[w, step + a] = total / work[w, matrix + a * k + a]


@kernel
def share_moments(i, slots, count, G, b, low, high, power, reserve, work, shares, reserves, status):
    """Run of samples i: activations and reserves of each; status: iterations, −1 where it did not settle."""
    n, k = G.shape[1], G.shape[2]
    lam, trial, gradient, step, x, matrix = 0, k, 2 * k, 3 * k, 4 * k, 4 * k + 2 * n
    for s in range(i * count // slots, (i + 1) * count // slots):
        size = 0.0
        for j in range(k):
            work[i, lam + j] = 0.0
            size = max(size, math.fabs(b[s, j]))
            for m in range(n):
                size = max(size, math.fabs(G[s, m, j]) * min(math.fabs(high[m]), 1.0))
        value = _dual(G, b, low, high, power, reserve, s, work, i, lam, x, gradient)
        done = -1
        for turn in range(_ITERATIONS):
            worst = 0.0
            for j in range(k):
                worst = max(worst, math.fabs(work[i, gradient + j]))
            if worst <= _EXACT * size:
                done = turn
                break
            _direction(G, reserve, s, work, i, x + n, gradient, matrix, step)
            slope = 0.0
            for j in range(k):
                slope += work[i, gradient + j] * work[i, step + j]
            length, moved = 1.0, False
            for _ in range(_HALVINGS):
                for j in range(k):
                    work[i, trial + j] = work[i, lam + j] + length * work[i, step + j]
                after = _dual(G, b, low, high, power, reserve, s, work, i, trial, x, gradient)
                if after <= value + _ARMIJO * length * slope + 1e-14 * math.fabs(value):
                    moved = True
                    break
                length *= 0.5
            if not moved:
                _dual(G, b, low, high, power, reserve, s, work, i, lam, x, gradient)
                break
            value = after
            for j in range(k):
                work[i, lam + j] = work[i, trial + j]
        for m in range(n):
            shares[s, m] = work[i, x + m]
        for j in range(k):
            reserves[s, j] = 0.5 * reserve[j] * reserve[j] * work[i, lam + j]
        status[s] = done
