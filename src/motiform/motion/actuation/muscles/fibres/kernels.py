"""Rates and forces of Hill-type muscles; the same curves as in `models`."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, routine
from motiform.motion.actuation.muscles.fibres import columns as fibre_columns

__all__ = ["fibre_rates"]

_1, _2 = "float64[::1]", "float64[:, ::1]"
_BIG = 300.0  # exponents beyond which curves do not grow
_SLOWEST, _FASTEST = -1.2, 1.5  # greatest speeds between which the speed of a fibre is looked for
ACTIVE, PASSIVE, SPEEDS, TENDON = range(4)


@routine
def _poly(f, at, u):
    return ((((f[at + 5] * u + f[at + 4]) * u + f[at + 3]) * u + f[at + 2]) * u + f[at + 1]) * u + f[at]


@routine
def _slope(f, at, u):
    return (((5.0 * f[at + 5] * u + 4.0 * f[at + 4]) * u + 3.0 * f[at + 3]) * u + 2.0 * f[at + 2]) * u + f[at + 1]


@routine
def _bezier(f, at, x):
    """Return a Bézier curve at x."""
    first, last = f[at + 1], f[at + 2]
    inside = min(max(x, first), last)
    piece = at + fibre_columns.CURVE
    for k in range(1, int(f[at])):
        if inside >= f[at + fibre_columns.CURVE + k * fibre_columns.PIECE]:
            piece = at + fibre_columns.CURVE + k * fibre_columns.PIECE
    X, Y, target = piece + 1, piece + 7, inside - f[piece]
    low, high = 0.0, 1.0
    u = min(max(target / _poly(f, X, 1.0), 0.0), 1.0)
    for _ in range(60):
        miss = _poly(f, X, u) - target
        if miss < 0.0:
            low = u
        else:
            high = u
        after = u - miss / max(_slope(f, X, u), 1e-300)
        if not low < after < high:
            after = 0.5 * (low + high)
        done = abs(after - u) < 1e-15
        u = after
        if done:
            break
    value = _poly(f, Y, u)
    return value + (f[at + 3] if x < first else f[at + 4]) * (x - inside) if x != inside else value


@routine
def _bump(f, at, x):
    z = (x - f[at + 1]) / (f[at + 2] + f[at + 3] * x)
    return f[at] * math.exp(-0.5 * z * z)


@routine
def _degroote(f, at, which, x):
    if which == ACTIVE:
        y = (x - 1.0) / f[at] + 1.0
        return f[at + 4] * _bump(f, at + 9, y) + _bump(f, at + 13, y) + _bump(f, at + 17, y)
    if which == PASSIVE:
        shift = f[at + 2]
        return (math.exp(min(f[at + 1] * (x - 1.0), _BIG)) - shift) / (math.exp(4.0) - shift)
    if which == SPEEDS:
        return f[at + 5] * math.asinh(f[at + 6] * x + f[at + 7]) + f[at + 8]
    return 0.2 * math.exp(min(f[at + 3] * (x - 1.0), _BIG)) - 0.2


@routine
def _thelen(f, at, which, x, activation):
    if which == ACTIVE:
        return math.exp(-(x - 1.0) * (x - 1.0) / f[at])
    if which == PASSIVE:
        return math.expm1(min(f[at + 1] * (x - 1.0), _BIG)) / f[at + 2] if x > 1.0 else 0.0
    if which == SPEEDS:
        s, A, F = 0.25 + 0.75 * activation, f[at + 3], f[at + 4]
        edge, k = f[at + 5] * F, (2.0 + 2.0 / A) / (F - 1.0)
        start = s * (edge - 1.0) / (k * (F - edge))
        if x <= 0.0:
            v = max(x, -s)
            return (s + v) / (s - v / A)
        if x < start:
            return (k * x * F + s) / (s + k * x)
        return edge + k * (F - edge) * (F - edge) / (s * (F - 1.0)) * (x - start)
    strain, toe = x - 1.0, f[at + 6]
    if strain > toe:
        return f[at + 7] * (strain - toe) + 0.33
    return 0.33 / (math.exp(3.0) - 1.0) * math.expm1(3.0 * strain / toe) if strain > 0.0 else 0.0


@routine
def _curve(f, row, k, which, x, activation):
    """Return one of the curves of a muscle."""
    at, kind = int(row[k, fibre_columns.AT]), row[k, fibre_columns.MODEL]
    if kind == fibre_columns.DEGROOTE:
        return _degroote(f, at, which, x)
    if kind == fibre_columns.THELEN:
        return _thelen(f, at, which, x, activation)
    return _bezier(f, at + int(f[at + which]), x)


@routine
def _speed(f, row, k, a, active, rest):
    """Return w with a f_l f_v(w) + β w = rest, in greatest speeds; the bound where there is none."""
    low, high = _SLOWEST, _FASTEST
    below = active * _curve(f, row, k, SPEEDS, low, a) + row[k, fibre_columns.DAMPING] * low - rest
    above = active * _curve(f, row, k, SPEEDS, high, a) + row[k, fibre_columns.DAMPING] * high - rest
    if below >= 0.0:
        return low
    if above <= 0.0:
        return high
    for n in range(120):
        if high - low <= 4e-16:
            break
        part = -below / (above - below) if n % 2 == 0 else 0.5
        x = low + min(max(part, 0.0), 1.0) * (high - low)
        value = active * _curve(f, row, k, SPEEDS, x, a) + row[k, fibre_columns.DAMPING] * x - rest
        if value == 0.0:
            return x
        if value < 0.0:
            low, below = x, value
        else:
            high, above = x, value
    return 0.5 * (low + high)


@routine
def _rigid(f, row, k, length, speed, a):
    """Return force [N], fibre length [m] and speed [m/s] with a tendon that keeps its length."""
    along, width = length - row[k, fibre_columns.SLACK], row[k, fibre_columns.WIDTH]
    fibre = math.sqrt(width * width + along * along)
    if along <= 0.0 or fibre <= row[k, fibre_columns.SHORTEST]:
        return 0.0, row[k, fibre_columns.SHORTEST], 0.0
    cosine, l = along / fibre, fibre / row[k, fibre_columns.LENGTH]
    w = speed * cosine / row[k, fibre_columns.SPEED]
    active = max(_curve(f, row, k, ACTIVE, l, a) * _curve(f, row, k, SPEEDS, w, a), 0.0)
    passive = _curve(f, row, k, PASSIVE, l, a) + row[k, fibre_columns.DAMPING] * w
    return row[k, fibre_columns.FORCE] * cosine * max(a * active + passive, 0.0), fibre, speed * cosine


@routine
def _elastic(f, row, k, length, a, fibre):
    """Return force [N] and fibre speed [m/s] with an elastic tendon."""
    l = max(fibre, row[k, fibre_columns.SHORTEST])
    sine = row[k, fibre_columns.WIDTH] / l
    cosine = math.sqrt(max(1.0 - sine * sine, 0.0))
    pull = _curve(f, row, k, TENDON, (length - l * cosine) / row[k, fibre_columns.SLACK], a)
    norm = l / row[k, fibre_columns.LENGTH]
    active, passive = a * _curve(f, row, k, ACTIVE, norm, a), _curve(f, row, k, PASSIVE, norm, a)
    w = _speed(f, row, k, a, active, pull / max(cosine, 1e-9) - passive)
    if fibre <= row[k, fibre_columns.SHORTEST] and w < 0.0:
        w = 0.0
    return row[k, fibre_columns.FORCE] * pull, w * row[k, fibre_columns.SPEED]


@routine
def _activation_rate(row, k, a, u):
    """Return da/dt [1/s] of an excitation."""
    level, blend = 0.5 + 1.5 * a, row[k, fibre_columns.BLEND]
    share = 0.5 + 0.5 * math.tanh(blend * (u - a)) if blend > 0.0 else 1.0 if u > a else 0.0
    return (u - a) * (
        share / (row[k, fibre_columns.RISE] * level) + (1.0 - share) * level / row[k, fibre_columns.DECAY]
    )


@entry(f"void({_2}, {_1}, {_1}, {_2}, {_1}, {_1}, {_1}, {_1}, {_1}, {_2}, {_1}, {_1})")
def fibre_rates(row, f, lengths, arms, v, excitations, x, rates, forces, fibres, speeds, efforts):
    """Write rates of activations and of fibre lengths, forces [N], and fibre lengths and speeds [m, m/s].

    And the speeds of paths, −arms v [m/s], and the efforts on the coordinates, armsᵀ forces.
    """
    for j in range(v.shape[0]):
        efforts[j] = 0.0
    for k in range(row.shape[0]):
        speeds[k] = 0.0
        for j in range(v.shape[0]):
            speeds[k] -= arms[k, j] * v[j]
        u = min(max(excitations[k], row[k, fibre_columns.LOW]), row[k, fibre_columns.HIGH])
        a = min(max(x[k], row[k, fibre_columns.LOW]), row[k, fibre_columns.HIGH])
        rates[k] = _activation_rate(row, k, x[k], u)
        place = int(row[k, fibre_columns.PLACE])
        if place < 0:
            forces[k], fibres[k, 0], fibres[k, 1] = _rigid(f, row, k, lengths[k], speeds[k], a)
        else:
            forces[k], rates[place] = _elastic(f, row, k, lengths[k], a, x[place])
            fibres[k, 0], fibres[k, 1] = x[place], rates[place]
        for j in range(v.shape[0]):
            efforts[j] += forces[k] * arms[k, j]
