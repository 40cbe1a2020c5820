"""Rates of stimulated muscles.  [HuMAnS 1.2]"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline

__all__ = ["CALM", "FALLING", "HIGH", "MEMORY", "SINKING", "contract", "knee_muscles", "turning"]

CALM, SINKING, FALLING, HIGH = 0.0, 1.0, 2.0, 3.0
"""Phases of calcium: at rest; its fall, below zero; its fall, above zero; after a pulse."""
MEMORY = 4  # of each muscle: phase, arrival of the last pulse [s], share of fibres, sign of the contractile speed
_1, _2 = "float64[::1]", "float64[:, ::1]"


@entry(f"void({_1}, int64, int64, {_1}, {_1}, {_2})")
def knee_muscles(knee, at_q, at_v, q, lengths, arms):
    """Write lengths and moment arms of quadriceps and hamstrings; `knee` is sign, r, L₀₀, L_ii, L_quad(0)."""
    sign, r, a, c = knee[0], knee[1], knee[2], knee[3]
    phi = sign * q[at_q]
    ham = math.sqrt(a * a + c * c + 2.0 * a * c * math.cos(phi))
    for k in range(arms.shape[1]):
        arms[0, k] = arms[1, k] = 0.0
    lengths[0], lengths[1] = r * phi + knee[4], ham
    arms[0, at_v] = -sign * r
    arms[1, at_v] = sign * a * c * math.sin(phi) / ham


@inline
def _signal(p, memory, k, t):
    """Return |u| and |u|₊ of the calcium signal."""
    phase, since = memory[4 * k], t - memory[4 * k + 1] - p[k, 9]
    if phase == HIGH:
        return p[k, 7], p[k, 7]
    if phase == CALM:
        return -p[k, 8], 0.0
    u = p[k, 7] + (p[k, 8] - p[k, 7]) * since / p[k, 10]
    return (u, u) if phase == FALLING else (-u, 0.0)


@inline
def _drive(p, x, memory, k, t, length, speed):
    """Return |u|, |u|₊, k₀, k_s L_0 dε/dt + F_c |u| − α F₀ |u|₊, and k_s L_c0 + k_c L_c0."""
    strain = length / p[k, 6] - 1.0
    bell = max(0.0, 1.0 - (strain / 0.4) ** 2)
    u, up = _signal(p, memory, k, t)
    push = p[k, 2] * speed + x[2 * k + 1] * u - memory[4 * k + 2] * p[k, 1] * bell * up
    return u, up, p[k, 0] * bell, push, (p[k, 2] + x[2 * k]) * p[k, 5]


@entry(f"int64({_2}, float64, {_1}, {_1}, {_1}, {_1}, {_1}, {_1})")
def contract(p, t, lengths, speeds, x, memory, rates, forces):
    """Write rates of (k_c, F_c) of each muscle, then the powers of contractile elements; and the forces.

    Return 1 + the number of a muscle whose contractile speed is not unique, or 0.
    """
    n = p.shape[0]
    for k in range(n):
        u, up, k0, push, hold = _drive(p, x, memory, k, t, lengths[k], speeds[k])
        stiff, force, share = x[2 * k], x[2 * k + 1], memory[4 * k + 2]
        if not hold - abs(force) > 0.0:
            return 1 + k
        w = push / (hold - memory[4 * k + 3] * force)  # of the contractile element, dε_c/dt
        rates[2 * k] = -(u + abs(w)) * stiff + share * k0 * up
        rates[2 * k + 1] = p[k, 2] * (speeds[k] - p[k, 5] * w)
        rates[2 * n + k] = -force * p[k, 5] * w
        strain = lengths[k] / p[k, 6] - 1.0
        forces[k] = force + p[k, 3] / p[k, 4] * (math.exp(p[k, 4] * strain) - 1.0)
    return 0


@entry(f"void({_2}, float64, {_1}, {_1}, {_1}, {_1}, {_1})")
def turning(p, t, lengths, speeds, x, memory, out):
    """Write what the contractile speed of each muscle has the sign of [N/s]."""
    for k in range(p.shape[0]):
        out[k] = _drive(p, x, memory, k, t, lengths[k], speeds[k])[3]
