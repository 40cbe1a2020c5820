"""Actuators within one step of time-stepping: they go on by steps of their own while the figure stands still.

Adaptive steps [DormandPrince80] keep what is stiff in an actuator (currents, tendons) stable. They end at instants at
which something is due, and at events, which are located on the dense output to rounding.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import inline, routine, typed_entry
from motiform.motion.run import DORMAND_PRINCE
from motiform.motion.stepping.substep_layouts import (
    EVENTS,
    FIRED,
    KEPT,
    LOOKS,
    NOW,
    OVER_STEP,
    RESUMES,
    ROOM,
    STEP,
    SUMMED,
)
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.model.actuation_columns import OK
from motiform.motion.tree.model.actuation_kernels import (
    actuator_gains,
    actuator_margins,
    actuator_rates,
    call_actuators,
    next_actuator_instant,
    settle_actuators,
    switch_actuator,
)

__all__ = ["ASKED", "ENDLESS", "REFUSED", "SMALL", "actuators_over_step"]

ASKED, REFUSED, SMALL, ENDLESS = 5, 6, 7, 8
"""What a step of actuators comes to beside OK: Python must be asked; an actuator has refused the state in `seen`;
sub-steps that are too small; events that follow one another without end."""

_A, _B, _C = DORMAND_PRINCE.a, DORMAND_PRINCE.b, DORMAND_PRINCE.c
_E, _D = np.array(DORMAND_PRINCE.error, float), np.array(DORMAND_PRINCE.dense, float)
_RTOL, _ATOL = 1e-6, 1e-9  # the error of a step that takes velocities as constant is larger by far
_SAFETY, _SHRINK, _GROW = 0.9, 0.2, 5.0
_EVEN, _NEAR = 8, 20  # looks at margins within a sub-step; after an event, ever nearer to it
_STORM = 5  # of one event in a row, each within a millionth of the one before, that are taken for endless


@routine
def _rate(space, t, q, v, at, s):
    """Write the rates at a stage from the states that stand at a place of `w`; return a status."""
    n = space.w.shape[0] // 4
    nx = n - v.shape[0]
    for k in range(nx):
        space.seen[ix(k)] = space.w[ix(at + k)]
    space.clock[NOW] = t
    k = s * n
    return actuator_rates(t, space.acts, q, v, space.seen, space.stages[k + nx : k + n], space.stages[k : k + nx])


@routine
def _stages(space, t, h, latest, q, v):
    """Write the end of a sub-step from its stages, of which the first is known; return a status."""
    n, status = space.w.shape[0] // 4, OK
    for s in range(1, 7):
        if status != OK:
            return status
        for k in range(n):
            total = 0.0
            for j in range(s):
                total += _A[s, j] * space.stages[ix(j * n + k)]
            space.w[ix(2 * n + k)] = space.w[ix(k)] + h * total
        status = _rate(space, min(t + _C[s] * h, latest), q, v, 2 * n, s)
    for k in range(n):
        total = 0.0
        for j in range(7):
            total += _B[j] * space.stages[ix(j * n + k)]
        space.w[ix(n + k)] = space.w[ix(k)] + h * total
    return status


@routine
def _error(space, h):
    """Return the error of the last sub-step over the one allowed [Hairer93 II.4.11]."""
    n, total = space.w.shape[0] // 4, 0.0
    for k in range(n):
        error = 0.0
        for j in range(7):
            error += _E[j] * space.stages[ix(j * n + k)]
        scale = _ATOL + _RTOL * max(abs(space.w[ix(k)]), abs(space.w[ix(n + k)]))
        total += (h * error / scale) ** 2
    return math.sqrt(total / n)


@routine
def _accepted(space, t, target, latest, q, v, known):
    """Take a sub-step that is good enough, to `target` at most; return a status and its length.

    `known`: the rates at its begin are those at the end of the one before.
    """
    planned, n = space.clock[STEP], space.w.shape[0] // 4
    if known:
        for k in range(n):
            space.stages[ix(k)] = space.stages[ix(6 * n + k)]
    elif _rate(space, t, q, v, 0, 0) != OK:
        return REFUSED, 0.0
    h = min(planned, target - t)
    scale = max(abs(t), h)
    smallest, cut = 16.0 * (np.nextafter(scale, math.inf) - scale), h < planned
    while h >= smallest or cut:
        status = _stages(space, t, h, latest, q, v)
        if status != OK:
            return REFUSED, h
        ratio = _error(space, h)
        factor = _GROW if ratio == 0.0 else min(_GROW, max(_SHRINK, _SAFETY * ratio**-0.2))
        if ratio <= 1.0:
            space.clock[STEP] = max(planned, h * factor) if cut and factor >= 1.0 else h * factor
            return OK, h
        h, cut = h * (min(factor, 1.0) if ratio < math.inf else _SHRINK), False
    space.clock[STEP] = h
    return SMALL, h


@routine
def _prepare_dense(space, h):
    """Write the polynomial of the last sub-step."""
    n = space.w.shape[0] // 4
    for p in range(4):
        for k in range(n):
            total = 0.0
            for j in range(7):
                total += _D[j, p] * space.stages[ix(j * n + k)]
            space.dense[ix(p * n + k)] = h * total


@routine
def _state_at(space, t, instant, h, end):
    """Write states and impulse inside the last sub-step, to the last part of `w`."""
    n, x = space.w.shape[0] // 4, (instant - t) / h
    for k in range(n):
        p, w = space.dense[ix(k)], space.w[ix(k)]
        more = space.dense[ix(n + k)] + x * (space.dense[ix(2 * n + k)] + x * space.dense[ix(3 * n + k)])
        space.w[ix(3 * n + k)] = space.w[ix(n + k)] if instant == end else w + x * (p + x * more)


@routine
def _margins_at(space, t, instant, h, end, q, v, row):
    """Write the margins of all events at an instant of the last sub-step to a row."""
    count, nx = space.margins.shape[0] // (LOOKS + 2), space.w.shape[0] // 4 - v.shape[0]
    _state_at(space, t, instant, h, end)
    for k in range(nx):
        space.seen[ix(k)] = space.w[ix(space.w.shape[0] // 4 * 3 + k)]
    out = space.margins[row * count : (row + 1) * count]
    actuator_margins(instant, space.acts, q, v, space.seen, space.spare, out)


@routine
def _root(space, t, low, high, h, end, q, v, k, before, after):
    """Return the instant at which a margin falls through zero, to rounding; it is not above zero there."""
    count, side = space.margins.shape[0] // (LOOKS + 2), 0
    for n in range(200):
        if after == 0.0 or high - low <= 1e-15 + 8.9e-16 * abs(high):
            break
        x = low + before / (before - after) * (high - low) if n % 3 < 2 else 0.5 * (low + high)
        if not low < x < high:
            x = 0.5 * (low + high)
        _margins_at(space, t, x, h, end, q, v, LOOKS)
        found = space.margins[ix(LOOKS * count + k)]
        if found > 0.0:
            low, before = x, found
            after, side = (0.5 * after if side == 1 else after), 1
        else:
            high, after = x, found
            before, side = (0.5 * before if side == -1 else before), -1
    return high


@routine
def _look(space, t, h, end, q, v):
    """Write the margins at instants of the last sub-step; return how many there are."""
    count, looks = space.margins.shape[0] // (LOOKS + 2), 1
    space.looks[0] = t
    for k in range(count):
        if space.ints[ix(FIRED + k)] != 0:
            looks = 1 + _NEAR
    for k in range(1, looks):
        space.looks[ix(k)] = t + 0.125 * (end - t) * 0.5 ** (_NEAR + 1 - k)
    for k in range(1, _EVEN + 1):
        space.looks[ix(looks + k - 1)] = t + k * ((end - t) / _EVEN) if k < _EVEN else end
    looks += _EVEN
    for n in range(looks):
        _margins_at(space, t, space.looks[ix(n)], h, end, q, v, n)
    return looks


@routine
def _first_root(space, t, h, end, q, v, k, looks):
    """Return the first instant at which a margin falls through zero, or infinity."""
    count = space.margins.shape[0] // (LOOKS + 2)
    before = space.margins[ix(k)]
    if space.ints[ix(FIRED + k)] != 0:
        before = space.margins[ix(count + k)]  # its own side is the one it has just left for
    elif before == 0.0 and space.margins[ix(count + k)] < 0.0:
        return t
    for n in range(1, looks):
        after = space.margins[ix(n * count + k)]
        if before > 0.0 >= after:
            return _root(space, t, space.looks[ix(n - 1)], space.looks[ix(n)], h, end, q, v, k, before, after)
        before = after
    return math.inf


@routine
def _happen(space, which, t, q, v):
    """Let an event happen, and those that it takes through zero; keep them; return a status.

    Margins before it stand in the last but one row.
    """
    count = space.margins.shape[0] // (LOOKS + 2)
    space.ints[ix(FIRED + which)] = 1
    if space.ints[EVENTS] >= ROOM:
        return ENDLESS
    space.events[ix(2 * space.ints[EVENTS])], space.events[ix(2 * space.ints[EVENTS] + 1)] = t, which
    space.ints[EVENTS] += 1
    before, after = (LOOKS + 1) * count, LOOKS * count
    actuator_margins(t, space.acts, q, v, space.seen, space.spare, space.margins[before : before + count])
    switch_actuator(t, space.acts, which, q, v, space.seen, space.spare)
    actuator_margins(t, space.acts, q, v, space.seen, space.spare, space.margins[after : after + count])
    status = OK
    for k in range(count):
        crossed = space.margins[ix(before + k)] > 0.0 >= space.margins[ix(after + k)]
        if crossed and space.ints[ix(FIRED + k)] == 0 and status == OK:
            space.ints[ix(FIRED + k)] = 2  # waits
    return status


@routine
def _meet(space, t, h, end, q, v):
    """Find the first event of the last sub-step and let it happen; return a status and where the sub-step ends."""
    count, n = space.margins.shape[0] // (LOOKS + 2), space.w.shape[0] // 4
    looks, first, last = _look(space, t, h, end, q, v), math.inf, -math.inf
    for k in range(count):
        space.margins[ix(LOOKS * count + count + k)] = _first_root(space, t, h, end, q, v, k, looks)
        first = min(first, space.margins[ix(LOOKS * count + count + k)])
    for k in range(count):
        space.ints[ix(FIRED + k)] = 0
    if first == math.inf:
        return OK, end
    near = first + 1e-12 + 8.0 * (np.nextafter(abs(first), math.inf) - abs(first))
    for k in range(count):
        root = space.margins[ix(LOOKS * count + count + k)]
        if root <= near:
            space.ints[ix(FIRED + k)], last = 2, max(last, root)
    for k in range(count):  # one that happens again and again moves nothing
        if space.ints[ix(FIRED + k)] == 2:
            soon = last - space.clock[ix(2 + k)] <= 1e-6 * max(1.0, abs(last))
            space.ints[ix(FIRED + count + k)] = space.ints[ix(FIRED + count + k)] + 1 if soon else 0
            space.clock[ix(2 + k)] = last
            if space.ints[ix(FIRED + count + k)] >= _STORM:
                space.spare[0] = k
                return ENDLESS, last
    _state_at(space, t, last, h, end)
    for k in range(n):
        space.w[ix(n + k)] = space.w[ix(3 * n + k)]
    for k in range(n - v.shape[0]):
        space.seen[ix(k)] = space.w[ix(n + k)]
    status, again = OK, True
    while again and status == OK:
        again = False
        for k in range(count):
            if space.ints[ix(FIRED + k)] == 2:
                status, again = max(status, _happen(space, k, last, q, v)), True
    for k in range(n - v.shape[0]):
        space.w[ix(n + k)] = space.seen[ix(k)]
    for k in range(n - v.shape[0], space.z.shape[0]):
        space.z[ix(k)] = space.seen[ix(k)]
    return status, last


@inline
def _none_fired(space):
    """Return whether no event has happened at the end of the last sub-step."""
    fired = 0
    for k in range(space.margins.shape[0] // (LOOKS + 2)):
        fired += space.ints[ix(FIRED + k)]
    return fired == 0


@routine
def _is_due(space, t, q, v):
    """Return whether something is due at an instant."""
    return not next_actuator_instant(t, space.acts, q, v, space.z, space.spare[v.shape[0] :]) > t


@routine
def _due(space, t, q, v):
    """Do what is due at an instant to the states and the memory in `z`; return OK, or ASKED."""
    spare = space.spare[v.shape[0] :]
    if call_actuators(t, space.acts, q, v, space.z, space.spare, spare) == OK:
        return OK
    space.clock[NOW], space.ints[RESUMES] = t, 1
    return ASKED


@routine
def _march(space, t, end, q, v):
    """Go on by adaptive sub-steps; return a status."""
    n = space.w.shape[0] // 4
    nx, events, known = n - v.shape[0], space.margins.shape[0], False
    while t < end:
        if _is_due(space, t, q, v):
            known = False
            if _due(space, t, q, v) != OK:
                return ASKED
        for k in range(space.z.shape[0]):
            space.seen[ix(k)] = space.z[ix(k)]
        for k in range(nx):
            space.w[ix(k)] = space.z[ix(k)]
        jump = next_actuator_instant(t, space.acts, q, v, space.z, space.spare[v.shape[0] :])
        target, latest = min(end, jump), np.nextafter(jump, -math.inf)
        status, h = _accepted(space, t, target, latest, q, v, known)
        if status != OK:
            return status
        after = target if t + h >= target - 1e-12 * abs(target) else t + h
        known = after < jump
        if events > 0:
            _prepare_dense(space, h)
            last = after
            status, after = _meet(space, t, h, last, q, v)
            known = known and after == last and _none_fired(space)
            if status != OK:
                space.clock[NOW] = after
                return status
        for k in range(n):
            space.w[ix(k)] = space.w[ix(n + k)]
        for k in range(nx):
            space.z[ix(k)] = space.w[ix(k)]
        t = after
    return OK


@routine
def _hold(space, t, end, q, v):
    """Go on where nothing depends on states: forces and rates are those in the middle between two calls."""
    n = space.w.shape[0] // 4
    nx = n - v.shape[0]
    while t < end:
        if _is_due(space, t, q, v) and _due(space, t, q, v) != OK:
            return ASKED
        until = min(next_actuator_instant(t, space.acts, q, v, space.z, space.spare[v.shape[0] :]), end)
        middle = 0.5 * (t + until)
        for k in range(space.z.shape[0]):
            space.seen[ix(k)] = space.z[ix(k)]
        space.clock[NOW] = middle
        status = actuator_rates(middle, space.acts, q, v, space.seen, space.stages[nx:n], space.stages[:nx])
        if status != OK:
            return REFUSED
        for k in range(nx):
            space.z[ix(k)] += (until - t) * space.stages[ix(k)]
        for k in range(nx, n):
            space.w[ix(k)] += (until - t) * space.stages[ix(k)]
        t = until
    return OK


@typed_entry(*OVER_STEP)
def actuators_over_step(space, start, h, q, v, z, tau, K, D):
    """Write the mean forces over a step, (nv,), with stiffness and damping at its begin, and z at its end into `space`.

    Return OK, or why not: then `space` says when.
    """
    n, count = space.w.shape[0] // 4, space.margins.shape[0] // (LOOKS + 2)
    nx, t = n - v.shape[0], start
    if space.ints[RESUMES] == 0:
        actuator_gains(start, space.acts, q, v, z, K, D)
        for k in range(z.shape[0]):
            space.z[ix(k)] = z[ix(k)]
        settle_actuators(start, space.acts, q, v, space.z, space.spare)
        for k in range(nx, n):
            space.w[ix(k)] = 0.0
        for k in range(count):
            space.ints[ix(FIRED + k)], space.ints[ix(FIRED + count + k)], space.clock[ix(2 + k)] = 0, 0, -math.inf
        space.ints[EVENTS], space.clock[STEP] = space.ints[KEPT], h
    else:
        space.ints[RESUMES], t = 0, space.clock[NOW]
    status = _hold(space, t, start + h, q, v) if space.ints[SUMMED] != 0 else _march(space, t, start + h, q, v)
    for k in range(v.shape[0]):
        tau[ix(k)] = space.w[ix(nx + k)] / h
    return status
