"""Commands at an instant: what holds, when the next is given or takes hold, and what happens then; see `Commands`."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.addresses import call_address
from motiform.base.kernels import inline, routine
from motiform.motion.actuation import command_columns as columns
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.model.actuation import ACTUATOR
from motiform.motion.tree.model.actuation_columns import ASK, LAW, OK

__all__ = ["call_commands", "command", "next_command", "taken_hold"]

_ask = call_address(*ACTUATOR)
_MOST = 1e6  # calls that are due at once


@inline
def command(ints, floats, memory, k):
    """Return number k of the command that holds."""
    if ints[columns.FORM] == columns.CONSTANT:
        return floats[ix(columns.VALUES + k)]
    return memory[ix(columns.HELD + k)]


@inline
def _instant(ints, floats, memory, k):
    """Return when command k was or will be given [s]."""
    if ints[columns.CLOCK] > 0:
        return memory[ix(ints[columns.LENGTH] - ints[columns.CLOCK] + k % ints[columns.CLOCK])]
    if ints[columns.FORM] == columns.TRAIN:
        return floats[ix(columns.VALUES + k)] if k < ints[columns.COUNT] else math.inf
    return memory[ix(ints[columns.BEGIN])] + k * floats[columns.PERIOD]


@routine
def next_command(t, ints, floats, memory):
    """Return the next instant at which a command is given or takes hold [s]."""
    if ints[columns.FORM] == columns.CONSTANT:
        return math.inf
    given, applied = int(memory[columns.GIVEN]), int(memory[columns.APPLIED])
    if given < 0:
        return t
    following = _instant(ints, floats, memory, given)
    if applied < given:
        return min(following, _instant(ints, floats, memory, applied) + floats[columns.DELAY])
    return following


@routine
def _begin(t, ints, floats, memory):
    """Begin: sampled laws are called now; of a train what has taken hold before holds."""
    if ints[columns.FORM] == columns.SAMPLED:
        memory[columns.GIVEN] = 0.0
        for k in range(ints[columns.BEGIN], ints[columns.LENGTH]):
            memory[ix(k)] = t
        return
    gone, n = 0, ints[columns.SIZE]
    while gone < ints[columns.COUNT] and floats[ix(columns.VALUES + gone)] + floats[columns.DELAY] < t:
        gone += 1
    memory[columns.GIVEN] = memory[columns.APPLIED] = gone
    for k in range(n if gone > 0 else 0):
        memory[ix(columns.HELD + k)] = floats[ix(columns.VALUES + ints[columns.COUNT] + (gone - 1) * n + k)]


@routine
def _apply(t, ints, floats, memory):
    """Let take hold what is due."""
    n, ring = ints[columns.SIZE], columns.HELD + ints[columns.SIZE] + ints[columns.KEPT]
    while memory[columns.APPLIED] < memory[columns.GIVEN]:
        k = int(memory[columns.APPLIED])
        if _instant(ints, floats, memory, k) + floats[columns.DELAY] > t:
            return
        for j in range(n):
            memory[ix(columns.HELD + j)] = memory[ix(ring + k % ints[columns.RING] * n + j)]
        memory[columns.APPLIED] += 1.0


@inline
def taken_hold(t, ints, floats, memory):
    """Return how many commands have taken hold: those that hold from the begin are none."""
    if memory[columns.GIVEN] < 0.0:
        _begin(t, ints, floats, memory)
    return memory[columns.APPLIED]


@routine
def call_commands(t, ints, floats, work, q, v, x, memory, tau):
    """Give the commands that are due, and let take hold what does; return OK, or ASK for a law that is not compiled."""
    form, n = ints[columns.FORM], ints[columns.SIZE]
    if form == columns.CONSTANT:
        return OK
    if form == columns.SAMPLED and ints[columns.LAW] == 0 and memory[columns.GIVEN] < 0.0:
        return ASK
    taken_hold(t, ints, floats, memory)
    if form == columns.SAMPLED and t - _instant(ints, floats, memory, int(memory[columns.GIVEN])) > (
        _MOST * floats[columns.PERIOD]
    ):
        return ASK
    _apply(t, ints, floats, memory)
    ring = columns.HELD + n + ints[columns.KEPT]
    while _instant(ints, floats, memory, int(memory[columns.GIVEN])) <= t:
        k = int(memory[columns.GIVEN])
        at = ring + k % ints[columns.RING] * n
        if form == columns.TRAIN:
            for j in range(n):
                memory[ix(at + j)] = floats[ix(columns.VALUES + ints[columns.COUNT] + k * n + j)]
        elif ints[columns.LAW] == 0:
            return ASK
        else:
            law, numbers = ints[ints[columns.LAW_INT] :], floats[ints[columns.LAW_FLOAT] :]
            asked = (LAW, 0, t, law, numbers, work, q, v, x, memory, tau, memory[at : at + n])
            if _ask(ints[columns.LAW], asked) != OK:
                return ASK
        memory[columns.GIVEN] += 1.0
        _apply(t, ints, floats, memory)
    return OK
