"""Shares of moments among muscles  [Crowninshield81].

    min Σ |x_i|ᵖ + Σ (r_k/R_k)²  with  Σ_i G_ik x_i + r_k = b_k  and  low ≤ x ≤ high

It is strictly convex. With λ_k = 2 r_k/R_k² and multipliers z, w of the bounds it is solved where

    p |x|^(p−1) sgn x − G λ − z + w = 0,   Gᵀ x + R²/2 λ = b,   z (x − low) = w (high − x) = μ → 0

by the primal–dual interior-point method with predictor and corrector [Mehrotra92]. Each Newton step is a Cholesky
factor of as many rows as there are moments. Moments out of reach, where nearly all muscles are at a bound, take no
more steps than others.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel, routine

__all__ = ["rows_of_work", "share_moments"]

_ITERATIONS = 100
_EXACT = 1e-11  # of the moments and of what muscles can do: rounding of sums of some hundred terms is below 1e-13
_GAP = 1e-18  # mean product of a bound's distance and its force: where it has none, the distance is right to 1e-8
_NEAR = 0.995  # part of the way to the nearest bound that a step may take
_START = 1.0
_SHORT, _CENTRE, _BEHIND = 0.5, 0.3, 0.01  # usual choices: they cost steps, not exactness
_FLAT = 1e-9  # size of x below which |x|ᵖ of p < 2 is not more curved

# Rows of n numbers in the workspace; rows of k numbers and the matrix follow.
_X, _S, _T, _Z, _W, _CURVE, _DX, _DZ, _DW = range(9)


def rows_of_work(n, k):
    """Return the numbers that one sample of n actuators and k moments needs."""
    return 9 * n + 4 * k + k * k


@inline
def _slope(x, p):
    """Return the first and the second derivative of |x|ᵖ."""
    if p == 2.0:
        return 2.0 * x, 2.0
    size = max(math.fabs(x), _FLAT)
    return math.copysign(p * math.fabs(x) ** (p - 1.0), x), p * (p - 1.0) * size ** (p - 2.0)


@routine
def _begin(G, b, low, high, reserve, s, work, w):
    """Write the start: the middle of the range, and bounds that push as reserves for all of the moment would."""
    n, push = low.shape[0], 1.0
    for i in range(n):
        pull = 0.0
        for j in range(G.shape[2]):
            pull += G[s, i, j] * 2.0 * b[s, j] / (reserve[j] * reserve[j])
        push = max(push, _START * math.fabs(pull))
    for i in range(n):
        left, right = not math.isinf(low[i]), not math.isinf(high[i])
        if high[i] <= low[i]:  # held: no distance, no force
            work[w, _X * n + i] = low[i]
            work[w, _S * n + i] = work[w, _T * n + i] = work[w, _Z * n + i] = work[w, _W * n + i] = 0.0
            continue
        x = 0.0
        if left and right:
            x = 0.5 * (low[i] + high[i])
        elif left:
            x = max(0.0, low[i] + 1.0)
        elif right:
            x = min(0.0, high[i] - 1.0)
        work[w, _X * n + i] = x
        work[w, _S * n + i], work[w, _Z * n + i] = (x - low[i], push) if left else (1.0, 0.0)
        work[w, _T * n + i], work[w, _W * n + i] = (high[i] - x, push) if right else (1.0, 0.0)


@routine
def _residuals(G, b, power, reserve, s, work, w, rows):
    """Write the missing moments; return the largest, the largest unbalanced slope, mean z s, largest Σ|Gλ|."""
    n, k = G.shape[1], G.shape[2]
    lam, miss = rows, rows + k
    for j in range(k):
        work[w, miss + j] = b[s, j] - 0.5 * reserve[j] * reserve[j] * work[w, lam + j]
    slope, product, bounds, force = 0.0, 0.0, 0, 0.0
    for i in range(n):
        x, z, upper = work[w, _X * n + i], work[w, _Z * n + i], work[w, _W * n + i]
        pull = terms = 0.0
        for j in range(k):
            pull += G[s, i, j] * work[w, lam + j]
            terms += math.fabs(G[s, i, j] * work[w, lam + j])
            work[w, miss + j] -= G[s, i, j] * x
        force = max(force, terms)
        if work[w, _S * n + i] + work[w, _T * n + i] > 0.0:
            slope = max(slope, math.fabs(_slope(x, power[i])[0] - pull - z + upper))
            product += z * work[w, _S * n + i] + upper * work[w, _T * n + i]
            bounds += (1 if z > 0.0 else 0) + (1 if upper > 0.0 else 0)
    worst = 0.0
    for j in range(k):
        worst = max(worst, math.fabs(work[w, miss + j]))
    return worst, slope, product / max(bounds, 1), force


@routine
def _factor(G, power, reserve, s, work, w, rows):
    """Write the inverse curvature of each x and the Cholesky factor of GᵀΣ⁻¹G + R²/2."""
    n, k = G.shape[1], G.shape[2]
    matrix = rows + 4 * k
    for a in range(k):
        for c in range(a + 1):
            work[w, matrix + a * k + c] = 0.5 * reserve[a] * reserve[a] if a == c else 0.0
    for i in range(n):
        left, right = work[w, _S * n + i], work[w, _T * n + i]
        if left + right <= 0.0:  # held
            work[w, _CURVE * n + i] = 0.0
            continue
        curve = _slope(work[w, _X * n + i], power[i])[1] + work[w, _Z * n + i] / left + work[w, _W * n + i] / right
        work[w, _CURVE * n + i] = 1.0 / curve
        for a in range(k):
            g = G[s, i, a] / curve
            if g != 0.0:
                for c in range(a + 1):
                    work[w, matrix + a * k + c] += g * G[s, i, c]
    for a in range(k):
        for c in range(a + 1):
            total = work[w, matrix + a * k + c]
            for j in range(c):
                total -= work[w, matrix + a * k + j] * work[w, matrix + c * k + j]
            if a == c:  # rounding of a sum of squares must not take it below what the reserve gives
                work[w, matrix + a * k + a] = math.sqrt(max(total, 0.5 * reserve[a] * reserve[a] * 1e-6))
            else:
                work[w, matrix + a * k + c] = total / work[w, matrix + c * k + c]


@inline
def _aim(work, w, n, i, aim, second):
    """Return z + dz and w + dw less their parts in dx, for products that end at `aim`."""
    lower = upper = 0.0
    if work[w, _Z * n + i] > 0.0:
        done = work[w, _DX * n + i] * work[w, _DZ * n + i] if second else 0.0
        lower = (aim - done) / work[w, _S * n + i]
    if work[w, _W * n + i] > 0.0:
        done = work[w, _DX * n + i] * work[w, _DW * n + i] if second else 0.0
        upper = (aim + done) / work[w, _T * n + i]
    return lower, upper


@routine
def _direction(G, power, s, work, w, rows, aim, second):
    """Write the step towards products `aim`; with `second` it counts the product of the steps that are written."""
    n, k = G.shape[1], G.shape[2]
    lam, miss, right, matrix = rows, rows + k, rows + 2 * k, rows + 4 * k
    for j in range(k):
        work[w, right + j] = work[w, miss + j]
    for i in range(n):
        lower, upper = _aim(work, w, n, i, aim, second)
        a = lower - upper - _slope(work[w, _X * n + i], power[i])[0]
        for j in range(k):
            a += G[s, i, j] * work[w, lam + j]
        work[w, _DZ * n + i], work[w, _DW * n + i], work[w, _DX * n + i] = lower, upper, a
        for j in range(k):
            work[w, right + j] -= G[s, i, j] * a * work[w, _CURVE * n + i]
    for a in range(k):
        for j in range(a):
            work[w, right + a] -= work[w, matrix + a * k + j] * work[w, right + j]
        work[w, right + a] /= work[w, matrix + a * k + a]
    for a in range(k - 1, -1, -1):
        for j in range(a + 1, k):
            work[w, right + a] -= work[w, matrix + j * k + a] * work[w, right + j]
        work[w, right + a] /= work[w, matrix + a * k + a]
    for i in range(n):
        total = work[w, _DX * n + i]
        for j in range(k):
            total += G[s, i, j] * work[w, right + j]
        dx = total * work[w, _CURVE * n + i]
        z, upper = work[w, _Z * n + i], work[w, _W * n + i]
        work[w, _DX * n + i] = dx
        work[w, _DZ * n + i] -= z + z / work[w, _S * n + i] * dx if z > 0.0 else 0.0
        work[w, _DW * n + i] -= upper - upper / work[w, _T * n + i] * dx if upper > 0.0 else 0.0


@routine
def _step_to_boundary(work, w, n):
    """Return how much of the step keeps all distances and forces of bounds above 0."""
    most = 1.0 / _NEAR
    for i in range(n):
        dx = work[w, _DX * n + i]
        if work[w, _Z * n + i] > 0.0:
            most = min(most, _until(work[w, _S * n + i], dx), _until(work[w, _Z * n + i], work[w, _DZ * n + i]))
        if work[w, _W * n + i] > 0.0:
            most = min(most, _until(work[w, _T * n + i], -dx), _until(work[w, _W * n + i], work[w, _DW * n + i]))
    return _NEAR * most


@inline
def _until(value, change):
    """Return the part of the change that makes the value 0."""
    return -value / change if change < 0.0 else math.inf


@routine
def _product_after(work, w, n, length):
    """Return the mean product of distances and forces of bounds after the step."""
    total, bounds = 0.0, 0
    for i in range(n):
        dx = length * work[w, _DX * n + i]
        if work[w, _Z * n + i] > 0.0:
            total += (work[w, _S * n + i] + dx) * (work[w, _Z * n + i] + length * work[w, _DZ * n + i])
            bounds += 1
        if work[w, _W * n + i] > 0.0:
            total += (work[w, _T * n + i] - dx) * (work[w, _W * n + i] + length * work[w, _DW * n + i])
            bounds += 1
    return total / max(bounds, 1)


@routine
def _move(work, w, n, k, rows, length):
    for i in range(n):
        dx = length * work[w, _DX * n + i]
        work[w, _X * n + i] += dx
        if work[w, _Z * n + i] > 0.0:
            work[w, _S * n + i] += dx
            work[w, _Z * n + i] += length * work[w, _DZ * n + i]
        if work[w, _W * n + i] > 0.0:
            work[w, _T * n + i] -= dx
            work[w, _W * n + i] += length * work[w, _DW * n + i]
    for j in range(k):
        work[w, rows + j] += length * work[w, rows + 2 * k + j]


@routine
def _solve(G, b, low, high, power, reserve, s, work, w):
    """Find the shares of sample s in row w of the workspace; return the iterations, −1 where it did not settle."""
    n, k = G.shape[1], G.shape[2]
    rows, size = 9 * n, 0.0
    _begin(G, b, low, high, reserve, s, work, w)
    for j in range(k):
        work[w, rows + j] = 0.0
        size = max(size, math.fabs(b[s, j]))
        for i in range(n):
            size = max(size, math.fabs(G[s, i, j]) * min(math.fabs(high[i]), 1.0))
    for turn in range(_ITERATIONS):
        miss, slope, product, force = _residuals(G, b, power, reserve, s, work, w, rows)
        if miss <= _EXACT * size and slope <= _EXACT * (1.0 + force) and product <= _GAP:
            return turn
        _factor(G, power, reserve, s, work, w, rows)
        _direction(G, power, s, work, w, rows, 0.0, False)
        after = _product_after(work, w, n, min(1.0, _step_to_boundary(work, w, n)))
        share = after / product if product > 0.0 else 0.0
        _direction(G, power, s, work, w, rows, share * share * share * product, True)
        length = min(1.0, _step_to_boundary(work, w, n))
        if length < _SHORT:  # products are too unlike, or vanish before the slopes balance: bring them together first
            _direction(G, power, s, work, w, rows, max(_CENTRE * product, _BEHIND * slope), False)
            length = min(1.0, _step_to_boundary(work, w, n))
        _move(work, w, n, k, rows, length)
    return -1


@kernel
def share_moments(i, slots, count, G, b, low, high, power, reserve, work, shares, reserves, status):
    """Run of samples i: activations and reserves of each; status: iterations, −1 where it did not settle."""
    n, k = G.shape[1], G.shape[2]
    for s in range(i * count // slots, (i + 1) * count // slots):
        status[s] = _solve(G, b, low, high, power, reserve, s, work, i)
        for m in range(n):
            shares[s, m] = work[i, _X * n + m]
            if status[s] >= 0 and work[i, _Z * n + m] > work[i, _S * n + m]:  # at the bound: only its force is left
                shares[s, m] = low[m]
            elif status[s] >= 0 and work[i, _W * n + m] > work[i, _T * n + m]:
                shares[s, m] = high[m]
        for j in range(k):
            rest = b[s, j]
            for m in range(n):
                rest -= G[s, m, j] * shares[s, m]
            reserves[s, j] = rest
