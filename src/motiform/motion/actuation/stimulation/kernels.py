"""Rates of stimulated muscles.  [HuMAnS 1.2]"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.addresses import call_address
from motiform.base.kernels import entry, inline, routine, typed_entry
from motiform.motion.actuation import command_columns as columns
from motiform.motion.actuation.command_kernels import call_commands, next_command, taken_hold
from motiform.motion.tree.model import actuation_columns as asked
from motiform.motion.tree.model.actuation import ACTUATOR

__all__ = [
    "CALM",
    "FALLING",
    "HIGH",
    "MEMORY",
    "SINKING",
    "TURN",
    "contract",
    "knee_muscles",
    "knees",
    "stimulated_muscles",
    "turning",
]

_ask = call_address(*ACTUATOR)
TURN = 1e-12
"""Of k_s L_0 [N/s]: below it the contractile element stands."""

CALM, SINKING, FALLING, HIGH = 0.0, 1.0, 2.0, 3.0
"""Phases of calcium: at rest; its fall, below zero; its fall, above zero; after a pulse."""
MEMORY = 4  # of each muscle: phase, arrival of the last pulse [s], share of fibres, sign of the contractile speed
_1, _2 = "float64[::1]", "float64[:, ::1]"


@routine
def knee_geometry(knee, at_q, at_v, q, lengths, arms):
    """Write lengths and moment arms of quadriceps and hamstrings; `knee` is sign, r, L₀₀, L_ii, L_quad(0)."""
    sign, r, a, c = knee[0], knee[1], knee[2], knee[3]
    phi = sign * q[at_q]
    ham = math.sqrt(a * a + c * c + 2.0 * a * c * math.cos(phi))
    for k in range(arms.shape[1]):
        arms[0, k] = arms[1, k] = 0.0
    lengths[0], lengths[1] = r * phi + knee[4], ham
    arms[0, at_v] = -sign * r
    arms[1, at_v] = sign * a * c * math.sin(phi) / ham


@entry(f"void({_1}, int64, int64, {_1}, {_1}, {_2})")
def knee_muscles(knee, at_q, at_v, q, lengths, arms):
    """Write what `knee_geometry` writes, from Python."""
    knee_geometry(knee, at_q, at_v, q, lengths, arms)


@typed_entry(*ACTUATOR)
def knees(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """The geometry of muscles of knees: lengths, and moment arms (muscles, nv) in place of forces."""
    nv = v.shape[0]
    for k in range(ints.shape[0] // 2):
        arms = tau[2 * k * nv : 2 * (k + 1) * nv].reshape(2, nv)
        knee_geometry(floats[5 * k : 5 * k + 5], ints[2 * k], ints[2 * k + 1], q, out[2 * k : 2 * k + 2], arms)
    return asked.OK


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


@routine
def contraction(p, t, lengths, speeds, x, memory, rates, forces):
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


@entry(f"int64({_2}, float64, {_1}, {_1}, {_1}, {_1}, {_1}, {_1})")
def contract(p, t, lengths, speeds, x, memory, rates, forces):
    """Write what `contraction` writes, from Python."""
    return contraction(p, t, lengths, speeds, x, memory, rates, forces)


@entry(f"void({_2}, float64, {_1}, {_1}, {_1}, {_1}, {_1})")
def turning(p, t, lengths, speeds, x, memory, out):
    """Write what the contractile speed of each muscle has the sign of [N/s]."""
    for k in range(p.shape[0]):
        out[k] = _drive(p, x, memory, k, t, lengths[k], speeds[k])[3]


@inline
def _phase_end(p, memory, k):
    """Return when the present phase of a muscle ends [s]."""
    phase, high = memory[4 * k], memory[4 * k + 1] + p[k, 9]
    if phase == CALM:
        return math.inf
    if phase == HIGH:
        return high
    return high + p[k, 10] * (1.0 if phase == SINKING else p[k, 7] / (p[k, 7] - p[k, 8]))


@inline
def _small(p, k):
    """Return how small what gives the speed its sign is where the element stands [N/s]."""
    return TURN * p[k, 2] * p[k, 6]


@routine
def _settle(p, t, lengths, speeds, x, memory):
    """Give the contractile speeds the signs that they have."""
    for k in range(p.shape[0]):
        push = _drive(p, x, memory, k, t, lengths[k], speeds[k])[3]
        if abs(push) > _small(p, k):
            memory[4 * k + 3] = 1.0 if push > 0.0 else -1.0


@routine
def _next(t, p, ints, floats, memory):
    """Return when the next pulse is given or arrives, or a phase ends [s]."""
    found = next_command(t, ints, floats, memory[MEMORY * p.shape[0] :])
    for k in range(p.shape[0]):
        found = min(found, _phase_end(p, memory, k))
    return found


@routine
def _call(p, t, ints, floats, work, q, v, x, memory, tau):
    """Do what is due: phases that end, pulses that arrive."""
    n = p.shape[0]
    pulses = memory[MEMORY * n :]
    if ints[columns.FORM] == columns.SAMPLED and next_command(t, ints, floats, pulses) <= t:
        return asked.ASK  # its intensities are looked at there
    before = taken_hold(t, ints, floats, pulses)
    for k in range(n):
        while _phase_end(p, memory, k) <= t:
            memory[4 * k] -= 1.0
    call_commands(t, ints, floats, work, q, v, x, pulses, tau)
    if pulses[columns.APPLIED] > before:
        for k in range(n):
            intensity = pulses[columns.HELD + k]
            if intensity > 0.0:
                memory[4 * k], memory[4 * k + 1] = HIGH, t
                memory[4 * k + 2] = 0.5 + 0.5 * math.tanh(5.0 * (intensity - 0.5)) / math.tanh(2.5)
    return asked.OK


@typed_entry(*ACTUATOR)
def stimulated_muscles(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """Muscles that pulses contract; their own integers: number, geometry, what it reads."""
    own, numbers, room = (
        ints[ints[columns.OWN_INT] :], floats[ints[columns.OWN_FLOAT] :], work[ints[columns.OWN_WORK] :]
    )  # fmt: skip
    n, nv = own[0], v.shape[0]
    p = numbers[: 11 * n].reshape(n, 11)
    if what == asked.NEXT:
        out[0] = _next(t, p, ints, floats, memory)
        return asked.OK
    lengths, speeds, forces, arms = room[:n], room[n : 2 * n], room[2 * n : 3 * n], room[3 * n : 3 * n + n * nv]
    given = (asked.GEOMETRY, 0, t, own[2:], numbers[11 * n :], room[3 * n + n * nv :], q, v, x, memory, arms, lengths)
    _ask(own[1], given)
    for k in range(n):
        speeds[k] = 0.0
        for j in range(nv):
            speeds[k] -= arms[k * nv + j] * v[j]
    status = asked.OK
    if what == asked.RATES:
        status = contraction(p, t, lengths, speeds, x, memory, out, forces)
        for k in range(n):
            for j in range(nv):
                tau[j] += forces[k] * arms[k * nv + j]
    elif what == asked.MARGINS:
        for k in range(n):
            push = _drive(p, x, memory, k, t, lengths[k], speeds[k])[3]
            out[k] = memory[4 * k + 3] * push + _small(p, k)
    elif what == asked.SWITCH:
        memory[4 * which + 3] *= -1.0
    elif what == asked.CALL:
        status = _call(p, t, ints, floats, work, q, v, x, memory, tau)
    if what == asked.SETTLE or (what == asked.CALL and status == asked.OK):
        _settle(p, t, lengths, speeds, x, memory)
    return status
