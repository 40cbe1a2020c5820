"""Curves of De Groote and Fregly's muscle, values and slopes; see `DeGrooteFregly.numbers`.  [DeGroote16 supplement]"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine

__all__ = ["active", "balance", "passive", "speed", "tendon"]

_BIG = 300.0  # exponents beyond which curves do not grow: forces there have no meaning, and would overflow


def _bump_at(x, b):
    width = b[2] + b[3] * x
    z = (x - b[1]) / width
    f = b[0] * math.exp(-0.5 * z * z)
    return f, -f * z * (1.0 - z * b[3]) / width


_bump = inline(_bump_at)
# With the digits of the authors' code. The printed height of the first bump and d1, d4 of the speed are rounded: from
# f(1) = 1 and from (−1, 0), (0, 1).
_SECOND = (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188)
_THIRD = (0.1, 1.0, 0.5 * math.sqrt(0.5), 0.0)
_SHAPE = (1.055033428970575, 0.162384573599574, 0.063303448465465)
_HEIGHT = (1.0 - _bump_at(1.0, _SECOND)[0] - _bump_at(1.0, _THIRD)[0]) / _bump_at(1.0, (1.0, *_SHAPE))[0]
_FIRST = (_HEIGHT, *_SHAPE)
_D2, _D3 = -8.149, -0.374
_D1 = 1.0 / (math.asinh(_D3) - math.asinh(_D3 - _D2))
_D4 = -_D1 * math.asinh(_D3 - _D2)


@inline
def active(f, at, x):
    """Sum of three bumps."""
    y = (x - 1.0) / f[at] + 1.0
    one, two, three = _bump(y, _FIRST), _bump(y, _SECOND), _bump(y, _THIRD)
    return one[0] + two[0] + three[0], (one[1] + two[1] + three[1]) / f[at]


@inline
def passive(f, at, x):
    """Exponential that is zero at 0.2 optimal lengths."""
    size, grown = math.exp(4.0) - f[at + 2], math.exp(min(f[at + 1] * (x - 1.0), _BIG))
    return (grown - f[at + 2]) / size, f[at + 1] * grown / size


@inline
def speed(f, at, x, activation):
    """Inverse hyperbolic sine through (−1, 0) and (0, 1)."""
    z = _D2 * x + _D3
    return _D1 * math.asinh(z) + _D4, _D1 * _D2 / math.sqrt(z * z + 1.0)


@inline
def tendon(f, at, x):
    """Exponential that is zero at the slack length."""
    grown = 0.2 * math.exp(min(f[at + 3] * (x - 1.0), _BIG))
    return grown - 0.2, f[at + 3] * grown


@routine
def balance(f, at, active, damping, rest):
    """Return the speed w between −1.2 and 1.5 at which active f_v(w) + damping w = rest, the bound where there is none.

    Newton's method between bounds, from where it would be without damping.
    """
    low, high = -1.2, 1.5
    s = min(max((rest - active * _D4) / (_D1 * max(active, 1e-300)), -3.3), 3.3)
    x = min(max((math.sinh(s) - _D3) / _D2, low), high)
    for _ in range(120):
        z = _D2 * x + _D3
        value = active * (_D1 * math.asinh(z) + _D4) + damping * x - rest
        if value < 0.0:
            low = x
        else:
            high = x
        after = x - value / max(active * _D1 * _D2 / math.sqrt(z * z + 1.0) + damping, 1e-300)
        if value == 0.0 or abs(after - x) <= 4e-16 or high - low <= 4e-16:
            return x
        x = after if low < after < high else 0.5 * (low + high)
    return x
