"""All that acts on a figure at one instant: forces, rates, margins of events, clocks."""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64

from motiform.base.addresses import call_address
from motiform.base.kernels import routine, typed_entry
from motiform.motion.tree.model.actuation import ACTUATOR, Actuation
from motiform.motion.tree.model.actuation_columns import (
    ADDRESS,
    ASK,
    CALL,
    FIRST_EVENT,
    FIRST_FLOAT,
    FIRST_INT,
    FIRST_MEMORY,
    FIRST_STATE,
    FIRST_WORK,
    GAINS,
    LIMITED,
    MARGINS,
    NEXT,
    NOT_FINITE,
    OK,
    RATES,
    SETTLE,
    SWITCH,
)

__all__ = [
    "actuator_gains",
    "actuator_margins",
    "actuator_margins_at",
    "actuator_rates",
    "actuator_rates_at",
    "call_actuators",
    "next_actuator_instant",
    "next_actuator_instant_at",
    "settle_actuators",
    "switch_actuator",
]

_ask, ix = call_address(*ACTUATOR), uint64
_1 = "float64[::1]"


@routine
def _asked(what, which, t, acts, k, q, v, z, tau, out):
    """Ask one actuator."""
    row = acts.rows[ix(k)]
    return _ask(
        row[ADDRESS],
        (
            what,
            which,
            t,
            acts.ints[row[FIRST_INT] : row[FIRST_INT + 1]],
            acts.floats[row[FIRST_FLOAT] : row[FIRST_FLOAT + 1]],
            acts.work[row[FIRST_WORK] : row[FIRST_WORK + 1]],
            q,
            v,
            z[row[FIRST_STATE] : row[FIRST_STATE + 1]],
            z[row[FIRST_MEMORY] : row[FIRST_MEMORY + 1]],
            tau,
            out,
        ),
    )


@routine
def actuator_rates(t, acts, q, v, z, tau, rates):
    """Write the forces of all, (nv,), and the rates of their states; return OK, or why there are none.

    What is refused is said by `Acting.act` in Python, at the same state.
    """
    total = 0.0
    tau[:] = 0.0
    for k in range(acts.rows.shape[0]):
        first, end = acts.rows[ix(k), FIRST_STATE], acts.rows[ix(k), FIRST_STATE + 1]
        status = _asked(RATES, 0, t, acts, k, q, v, z, tau, rates[first:end])
        if status != OK:
            return status
        for j in range(first, end):
            total += 0.0 * rates[ix(j)]
    for j in range(tau.shape[0]):
        total += 0.0 * tau[ix(j)]
    return OK if total == 0.0 else NOT_FINITE


@routine
def actuator_gains(t, acts, q, v, z, K, D):
    """Write stiffness and damping, (nv,) each; those at a limit do not count."""
    for j in range(K.shape[0]):
        K[ix(j)], D[ix(j)] = acts.stiffness[ix(j)], acts.damping[ix(j)]
    for k in range(acts.rows.shape[0]):
        if acts.rows[ix(k), LIMITED] != 0:
            _asked(GAINS, 0, t, acts, k, q, v, z, K, D)


@routine
def actuator_margins(t, acts, q, v, z, tau, out):
    """Write the margins of all events: one happens where its margin falls through zero."""
    for k in range(acts.rows.shape[0]):
        first, end = acts.rows[ix(k), FIRST_EVENT], acts.rows[ix(k), FIRST_EVENT + 1]
        if end > first:
            _asked(MARGINS, 0, t, acts, k, q, v, z, tau, out[first:end])


@routine
def switch_actuator(t, acts, which, q, v, z, tau):
    """Change z after an event, by its number among all."""
    for k in range(acts.rows.shape[0]):
        first, end = acts.rows[ix(k), FIRST_EVENT], acts.rows[ix(k), FIRST_EVENT + 1]
        if first <= which < end:
            _asked(SWITCH, which - first, t, acts, k, q, v, z, tau, tau)


@routine
def _next_of(t, acts, k, q, v, z, spare):
    spare[0] = math.inf
    _asked(NEXT, 0, t, acts, k, q, v, z, spare, spare)
    return spare[0]


@routine
def next_actuator_instant(t, acts, q, v, z, spare):
    """Return the next instant at which something is due, or forces jump [s]; `spare` is room for one number."""
    found = math.inf
    for k in range(acts.rows.shape[0]):
        found = min(found, _next_of(t, acts, k, q, v, z, spare))
    for k in range(acts.jumps.shape[0]):
        if acts.jumps[ix(k)] > t:
            return min(found, acts.jumps[ix(k)])
    return found


@routine
def call_actuators(t, acts, q, v, z, tau, spare):
    """Do what is due at an instant, in place; return OK, or ASK where Python must do the rest."""
    for k in range(acts.rows.shape[0]):
        if _next_of(t, acts, k, q, v, z, spare) <= t:
            status = _asked(CALL, 0, t, acts, k, q, v, z, tau, spare)
            if status != OK or not _next_of(t, acts, k, q, v, z, spare) > t:
                return ASK
    return OK


@routine
def settle_actuators(t, acts, q, v, z, tau):
    """Change z in place after velocities have jumped."""
    for k in range(acts.rows.shape[0]):
        _asked(SETTLE, 0, t, acts, k, q, v, z, tau, tau)


@typed_entry("int64", "float64", Actuation, _1, _1, _1, _1, _1)
def actuator_rates_at(t, acts, q, v, z, tau, rates):
    """Forces and rates, from Python."""
    return actuator_rates(t, acts, q, v, z, tau, rates)


@typed_entry("void", "float64", Actuation, _1, _1, _1, _1, _1)
def actuator_margins_at(t, acts, q, v, z, tau, out):
    """Margins, from Python."""
    actuator_margins(t, acts, q, v, z, tau, out)


@typed_entry("float64", "float64", Actuation, _1, _1, _1, _1)
def next_actuator_instant_at(t, acts, q, v, z, spare):
    """The next instant, from Python."""
    return next_actuator_instant(t, acts, q, v, z, spare)
