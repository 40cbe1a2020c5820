"""Rates and forces of Hill-type muscles."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine
from motiform.motion.actuation.muscles import fibre_columns
from motiform.motion.actuation.muscles.curves import dispatch_kernels as curves

__all__ = ["fibre_dynamics", "fibre_lengths", "fibre_rates"]

_1, _2 = "float64[::1]", "float64[:, ::1]"
_ROUNDING = 1e-15  # of forces over the greatest isometric one
_SLOWEST, _FASTEST = -1.2, 1.5  # greatest speeds between which the speed of a fibre is looked for


@routine
def _speed(f, row, k, a, active, rest):
    """Return w with a f_l f_v(w) + β w = rest, in greatest speeds; the bound where there is none."""
    model, at = int(row[k, fibre_columns.MODEL]), int(row[k, fibre_columns.AT])
    low, high = _SLOWEST, _FASTEST
    solved, x = curves.balance(model, f, at, active, row[k, fibre_columns.DAMPING], rest)
    if solved:
        return min(max(x, low), high)
    below = active * curves.speed(model, f, at, low, a) + row[k, fibre_columns.DAMPING] * low - rest
    above = active * curves.speed(model, f, at, high, a) + row[k, fibre_columns.DAMPING] * high - rest
    if below >= 0.0:
        return low
    if above <= 0.0:
        return high
    x = min(max(-below / (above - below) * (high - low) + low, low), high)
    for _ in range(120):  # Newton's method between bounds
        value, slope = curves.speed_with_slope(model, f, at, x, a)
        value = active * value + row[k, fibre_columns.DAMPING] * x - rest
        if value < 0.0:
            low = x
        else:
            high = x
        slope = active * slope + row[k, fibre_columns.DAMPING]
        after = x - value / max(slope, 1e-300)
        if value == 0.0 or abs(after - x) <= 4e-16 or high - low <= 4e-16:
            return x
        x = after if low < after < high else 0.5 * (low + high)
    return x


@routine
def _rigid(f, row, k, length, speed, a):
    """Return force [N], fibre length [m] and speed [m/s] with a tendon that keeps its length."""
    model, at = int(row[k, fibre_columns.MODEL]), int(row[k, fibre_columns.AT])
    along, width = length - row[k, fibre_columns.SLACK], row[k, fibre_columns.WIDTH]
    fibre = math.sqrt(width * width + along * along)
    if along <= 0.0 or fibre <= row[k, fibre_columns.SHORTEST]:
        return 0.0, row[k, fibre_columns.SHORTEST], 0.0
    cosine, l = along / fibre, fibre / row[k, fibre_columns.LENGTH]
    w = speed * cosine / row[k, fibre_columns.SPEED]
    active = max(curves.active(model, f, at, l) * curves.speed(model, f, at, w, a), 0.0)
    passive = curves.passive(model, f, at, l) + row[k, fibre_columns.DAMPING] * w
    return row[k, fibre_columns.FORCE] * cosine * max(a * active + passive, 0.0), fibre, speed * cosine


@routine
def _elastic(f, row, k, length, a, fibre):
    """Return force [N] and fibre speed [m/s] with an elastic tendon."""
    model, at = int(row[k, fibre_columns.MODEL]), int(row[k, fibre_columns.AT])
    l = max(fibre, row[k, fibre_columns.SHORTEST])
    sine = row[k, fibre_columns.WIDTH] / l
    cosine = math.sqrt(max(1.0 - sine * sine, 0.0))
    pull = curves.tendon(model, f, at, (length - l * cosine) / row[k, fibre_columns.SLACK])
    norm = l / row[k, fibre_columns.LENGTH]
    active, passive = a * curves.active(model, f, at, norm), curves.passive(model, f, at, norm)
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


@routine
def fibre_dynamics(row, f, lengths, arms, v, excitations, x, rates, forces, fibres, speeds, efforts):
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


@entry(f"void({_2}, {_1}, {_1}, {_2}, {_1}, {_1}, {_1}, {_1}, {_1}, {_2}, {_1}, {_1})")
def fibre_rates(row, f, lengths, arms, v, excitations, x, rates, forces, fibres, speeds, efforts):
    """Write what `fibre_dynamics` writes, from Python."""
    fibre_dynamics(row, f, lengths, arms, v, excitations, x, rates, forces, fibres, speeds, efforts)


@inline
def _excess(f, row, k, length, a, fibre):
    """Return by how much a fibre that stands pulls more along the tendon than the tendon, over the greatest force."""
    model, at = int(row[k, fibre_columns.MODEL]), int(row[k, fibre_columns.AT])
    sine = row[k, fibre_columns.WIDTH] / max(fibre, 1e-300)
    cosine = math.sqrt(max(1.0 - sine * sine, 0.0))
    l = fibre / row[k, fibre_columns.LENGTH]
    own = a * curves.active(model, f, at, l) * curves.speed(model, f, at, 0.0, 1.0) + curves.passive(model, f, at, l)
    return own * cosine - curves.tendon(model, f, at, (length - fibre * cosine) / row[k, fibre_columns.SLACK])


@routine
def _equilibrium(f, row, k, length, a):
    """Return the fibre length at which fibre and tendon pull alike: as `fibre_equilibrium`, of one muscle."""
    low, along = row[k, fibre_columns.SHORTEST], max(length - row[k, fibre_columns.SLACK], 0.0)
    high = max(math.hypot(row[k, fibre_columns.WIDTH], along), low)
    below, above = _excess(f, row, k, length, a, low), _excess(f, row, k, length, a, high)
    if below > 0.0 or above < 0.0:
        return low if below > 0.0 else high
    side, before, last = 0.0, math.inf, math.inf
    for _ in range(200):
        if high - low <= 4e-16 * max(abs(low), abs(high)):
            break
        gap = above - below
        share = min(max(-below / gap, 0.0), 1.0) if gap > 0.0 else 0.5
        share = 0.5 if high - low > 0.5 * before else share
        before, last = last, high - low
        x = low + share * (high - low)
        value = _excess(f, row, k, length, a, x)
        if abs(value) <= _ROUNDING:
            return x
        if value < 0.0:
            above, below, low, side = (0.5 * above if side < 0.0 else above), value, x, -1.0
        else:
            below, above, high, side = (0.5 * below if side > 0.0 else below), value, x, 1.0
    return 0.5 * (low + high)


@entry(f"void({_2}, {_1}, {_1}, {_1}, {_1})")
def fibre_lengths(row, f, lengths, activations, x):
    """Write the fibre lengths of muscles with elastic tendons in equilibrium, to their places among the states."""
    for k in range(row.shape[0]):
        place = int(row[k, fibre_columns.PLACE])
        if place >= 0:
            x[place] = _equilibrium(f, row, k, lengths[k], activations[k])
