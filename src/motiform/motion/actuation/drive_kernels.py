"""Drives and motors within a compiled step; their laws are those of `law_kernels`."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, typed_entry
from motiform.motion.actuation import command_columns as columns
from motiform.motion.actuation.command_kernels import call_commands, command, next_command
from motiform.motion.actuation.law_kernels import drive_effort, motor_effort
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.model import actuation_columns as asked
from motiform.motion.tree.model.actuation import ACTUATOR

__all__ = ["commanded_efforts", "commanded_motors", "torque_drives"]


@inline
def _clock(what, t, ints, floats, work, q, v, x, memory, tau, out):
    """Answer what is asked of every actuator that takes commands and has no memory of its own."""
    if what == asked.NEXT:
        out[0] = next_command(t, ints, floats, memory)
    elif what == asked.CALL:
        return call_commands(t, ints, floats, work, q, v, x, memory, tau)
    return asked.OK


@typed_entry(*ACTUATOR)
def commanded_efforts(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """A control law that is called at a period: its command are efforts, (nv,)."""
    if what == asked.RATES:
        for j in range(tau.shape[0]):
            tau[ix(j)] += command(ints, floats, memory, j)
    return _clock(what, t, ints, floats, work, q, v, x, memory, tau, out)


@typed_entry(*ACTUATOR)
def torque_drives(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """Drives with a limit, a lag and damping of their joints; their own integers are places in v."""
    if what == asked.RATES:
        places, own = ints[ints[columns.OWN_INT] :], ints[columns.OWN_FLOAT]
        limit, lag = floats[own], floats[own + 1]
        for m in range(places.shape[0]):
            z = x[ix(m)] if lag > 0.0 else 0.0
            effort, rate = drive_effort(command(ints, floats, memory, m), limit, lag, z)
            tau[ix(places[ix(m)])] += effort - floats[ix(own + 2 + m)] * v[ix(places[ix(m)])]
            if lag > 0.0:
                out[ix(m)] = rate
    return _clock(what, t, ints, floats, work, q, v, x, memory, tau, out)


@typed_entry(*ACTUATOR)
def commanded_motors(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """Motors with constant gears; their own integers are places in v, then those of currents among the states."""
    if what == asked.RATES:
        places, numbers = ints[ints[columns.OWN_INT] :], floats[ints[columns.OWN_FLOAT] :]
        n = places.shape[0] // 2
        currents = x.shape[0] - 2 * n
        motors = numbers.reshape(n, numbers.shape[0] // max(n, 1))
        for m in range(n):
            w, wound = v[ix(places[ix(m)])], places[ix(n + m)]
            z = x[ix(wound)] if wound >= 0 else 0.0
            _, _, effort, rate, power, heat = motor_effort(
                motors, m, w, command(ints, floats, memory, m), z, wound >= 0
            )
            tau[ix(places[ix(m)])] += effort
            if wound >= 0:
                out[ix(wound)] = rate
            out[ix(currents + m)], out[ix(currents + n + m)] = power, heat
    return _clock(what, t, ints, floats, work, q, v, x, memory, tau, out)
