"""Hill-type muscles within a compiled step, and the stretch reflex."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.addresses import call_address
from motiform.base.kernels import routine, typed_entry
from motiform.motion.actuation import command_columns as columns
from motiform.motion.actuation.command_kernels import call_commands, command, next_command
from motiform.motion.actuation.muscles import fibre_columns
from motiform.motion.actuation.muscles.fibre_kernels import fibre_dynamics
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.model import actuation_columns as asked
from motiform.motion.tree.model.actuation import ACTUATOR

__all__ = ["hill_muscles", "stretch_reflex"]

_ask = call_address(*ACTUATOR)
_SOON = 1e-9  # [s] calls at multiples of a period are on time, whatever their rounding


@routine
def _geometry(address, t, ints, floats, work, q, v, arms, lengths):
    """Write lengths and moment arms."""
    return _ask(address, (asked.GEOMETRY, 0, t, ints, floats, work, q, v, v, v, arms, lengths))


@typed_entry(*ACTUATOR)
def hill_muscles(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """Muscles with their commands; their own integers: number, numbers of curves, geometry, what it reads."""
    if what == asked.RATES:
        own, numbers, room = (
            ints[ints[columns.OWN_INT] :], floats[ints[columns.OWN_FLOAT] :], work[ints[columns.OWN_WORK] :]
        )  # fmt: skip
        n, nv, rows, curves = own[0], v.shape[0], own[0] * fibre_columns.ROW, own[1]
        lengths, u, forces, speeds, efforts = (
            room[:n], room[n : 2 * n], room[2 * n : 3 * n], room[3 * n : 4 * n], room[4 * n : 4 * n + nv]
        )  # fmt: skip
        a = 4 * n + nv
        fibres, arms = room[a : a + 2 * n].reshape(n, 2), room[a + 2 * n : a + 2 * n + n * nv]
        _geometry(own[2], t, own[3:], numbers[rows + curves :], room[a + 2 * n + n * nv :], q, v, arms, lengths)
        for k in range(n):
            u[ix(k)] = command(ints, floats, memory, k)
        row, f = numbers[:rows].reshape(n, fibre_columns.ROW), numbers[rows : rows + curves]
        fibre_dynamics(row, f, lengths, arms.reshape(n, nv), v, u, x, out, forces, fibres, speeds, efforts)
        for j in range(nv):
            tau[ix(j)] += efforts[ix(j)]
    elif what == asked.NEXT:
        out[0] = next_command(t, ints, floats, memory)
    elif what == asked.CALL:
        return call_commands(t, ints, floats, work, q, v, x, memory, tau)
    return asked.OK


@typed_entry(*ACTUATOR)
def stretch_reflex(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """Write the excitations of a stretch reflex; integers: muscles, instants of the train, geometry, what it reads."""
    n, count, nv = ints[0], ints[1], v.shape[0]
    gain, damping, start = floats[0], floats[1], floats[2]
    rest, optimal, times = floats[3 : 3 + n], floats[3 + n : 3 + 2 * n], floats[3 + 2 * n : 3 + 2 * n + count]
    a = 3 + 2 * n + count
    values, late = floats[a : a + count * n], not t + _SOON < start
    last = -1
    while last + 1 < count and times[ix(last + 1)] <= t + _SOON:
        last += 1
    lengths, arms = work[:n], work[n : n + n * nv]
    if late:
        _geometry(ints[2], t, ints[3:], floats[a + count * n :], work[n + n * nv :], q, v, arms, lengths)
    total = 0.0
    for k in range(n):
        u = values[ix(last * n + k)] if last >= 0 else 0.0
        if late:
            speed = 0.0
            for j in range(nv):
                speed -= arms[ix(k * nv + j)] * v[ix(j)]
            u += (gain * (lengths[ix(k)] - rest[ix(k)]) + damping * speed) / optimal[ix(k)]
            u = min(max(u, 0.0), 1.0)
        out[ix(k)] = u
        total += 0.0 * u
    return asked.OK if total == 0.0 else asked.NOT_FINITE
