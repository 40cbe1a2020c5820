"""Curves of Thelen's muscle, values and slopes; see `Thelen.numbers`.  [Thelen03]"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline

__all__ = ["active", "passive", "speed", "tendon"]

_BIG = 300.0  # exponents beyond which curves do not grow: forces there have no meaning, and would overflow


@inline
def active(f, at, x):
    """Gaussian."""
    value = math.exp(-(x - 1.0) * (x - 1.0) / f[at])
    return value, -2.0 * (x - 1.0) * value / f[at]


@inline
def passive(f, at, x):
    """Exponential above the optimal length."""
    if x <= 1.0:
        return 0.0, 0.0
    grown = math.expm1(min(f[at + 1] * (x - 1.0), _BIG))
    return grown / f[at + 2], f[at + 1] * (grown + 1.0) / f[at + 2]


@inline
def speed(f, at, x, activation):
    """Hyperbolas [Thelen03 6, 7] solved for the force; the speed scales with ¼ + ¾ activation."""
    s, A, F = 0.25 + 0.75 * activation, f[at + 3], f[at + 4]
    k = (2.0 + 2.0 / A) / (F - 1.0)  # v = s (f − 1)/(k (F − f)) while lengthening
    if x <= 0.0:
        v = max(x, -s)
        return (s + v) / (s - v / A), (0.0 if x < -s else s * (1.0 + 1.0 / A) / ((s - v / A) * (s - v / A)))
    edge = f[at + 5] * F
    start = s * (edge - 1.0) / (k * (F - edge))
    if x < start:
        return (k * x * F + s) / (s + k * x), k * s * (F - 1.0) / ((s + k * x) * (s + k * x))
    rate = k * (F - edge) * (F - edge) / (s * (F - 1.0))
    return edge + rate * (x - start), rate


@inline
def tendon(f, at, x):
    """Exponential toe up to a third of the force, then straight."""
    strain, toe = x - 1.0, f[at + 6]
    if strain > toe:
        return f[at + 7] * (strain - toe) + 0.33, f[at + 7]
    if strain <= 0.0:
        return 0.0, 0.0
    size, grown = 0.33 / (math.exp(3.0) - 1.0), math.expm1(3.0 * strain / toe)
    return size * grown, 3.0 / toe * size * (grown + 1.0)
