"""Adaptive steps of a phase, in which contacts keep their modes: from sample to sample until something may happen.

A step is one of an explicit Runge–Kutta method with dense output, as in `motion.run.explicit`. Within it gaps are
looked at eight times, forces and slips twice, and where something slides or may come to an edge each time. A step in
which nothing happens is taken; one in which something may is left to those who locate events.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import inline, routine, typed_entry
from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.motion.actuation.push_kernels import write_pushes
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.layouts import ContactModel, ContactWorkspace, SolverWorkspace
from motiform.motion.contact.problem_kernels import contact_rate, slip_along, watch_rate
from motiform.motion.contact.row_kernels import gap_of
from motiform.motion.run.explicit import GROW, SAFETY, SHRINK
from motiform.motion.stepping.fit_kernels import fit_contacts
from motiform.motion.stepping.impulse_kernels import add_impulses_on
from motiform.motion.stepping.search import FORCES, HALVINGS, LOOKS
from motiform.motion.tree.kernels.memory import ix, row3
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.kernels.state import repair_configuration
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.actuation import Actuation
from motiform.motion.tree.model.actuation_columns import OK
from motiform.motion.tree.model.actuation_kernels import actuator_margins, actuator_rates
from motiform.spatial.algebra import axpy, cross, dot, scale

__all__ = [
    "CREEPS",
    "FAILED",
    "FULL",
    "LOST",
    "REACHED",
    "REFUSED",
    "SUSPECT",
    "TOO_SMALL",
    "WENT_ON",
    "ContactPhase",
    "PhaseMethod",
    "PhaseWorkspace",
    "advance_phase",
    "locate_turn",
    "phase_workspace",
]

WENT_ON, REACHED, FULL, CREEPS, SUSPECT, TOO_SMALL, LOST = range(7)
"""What steps end with: as many as were asked for; the target; room for samples; a step of sliding that is no way to
go on; a step in which something may happen, not taken; a step that would have to be too small; a sample that is not
finite. From `FAILED` on, that less: the status of a rate."""
FAILED, REFUSED = 7, 1 << 40
"""The latter: the status of a rate that actuators refuse."""

_UNKNOWN, _TURNED, _KNOWN = range(3)
"""The rate at the start of a step: not known, of other directions of slip than those that are kept, or known."""
_EPS = 2.220446049250313e-16
_DRIFT = 1e-13  # [m, m/s] of gaps and velocities that contacts hold

_1, _2, _I, _F, _N = "float64[::1]", "float64[:, ::1]", "int64[::1]", "float64", "int64"


class ContactPhase(NamedTuple):
    """The active candidates in their modes, pairs first."""

    active: Ints
    modes: Ints
    mu: Floats
    memory: Floats2
    """Directions of slip of pairs, and their weight."""
    slid: Ints
    regions: Floats
    sharp: Ints
    point_of: Ints
    """Contact point of each candidate pair."""
    rows: Ints
    """0, 1, 2, …"""


class PhaseMethod(NamedTuple):
    """A Runge–Kutta method, its tolerances, and the bounds that tell an event."""

    a: Floats2
    b: Floats
    c: Floats
    error: Floats
    dense: Floats2
    sizes: Ints
    """Numbers of a state: those that count for errors (q, v, states of actuators), and these with their memory."""
    numbers: Floats
    """Relative and absolute tolerance, the power by which steps follow errors, the longest step [s]; gap that counts as
    contact [m]; slips that are none and that are slow [m/s]; weights of directions of slow and fast slips [m/s]; part
    of the largest force that is rounding; sliding steps that are no way to go on [s]."""


RTOL, ATOL, POWER, LONGEST, TOUCH, SLOW, LAZY, TINY, CLEAR, CREEP = range(10)


class PhaseWorkspace(NamedTuple):
    """What steps write."""

    stages: Floats2
    part: Floats
    state: Floats
    end: Floats
    rate: Floats
    polynomial: Floats2
    gaps: Floats
    before: Floats
    armed: Ints
    slid: Ints
    seen: Floats
    tau: Floats
    margins: Floats
    """Of the events of actuators."""
    last: Floats
    """The same at the look before."""
    samples: Floats2
    """States at samples, by rows."""
    starts: Floats
    """When steps began that were as long as they would be [s]."""
    numbers: Floats
    """Instant reached, the length of the last step and that of the next; of a step in which something may happen the
    last looks at gaps and at forces at which nothing had; when actuators refused a state of a stage [s]."""
    counts: Ints
    """Samples that are written; starts."""


@routine
def phase_rate(head, t, y, acts, pushes, loads, phase, pairs, space, work, method, tau, out):
    """Write the rate of a flat state with contacts in their modes; return a status."""
    ints, nq, moving = head.ints, head.ints[tree_columns.NQ], head.zeros.shape[0] + head.ints[tree_columns.NQ]
    counted, acting = method.sizes[0], method.sizes[1]
    if actuator_rates(t, acts, y[:nq], y[nq:moving], y[moving:acting], tau, out[moving:counted]) != OK:
        return REFUSED
    if pushes.shape[0] > 0:
        W, z = one_state(head.work), state_zero(ints)
        place(ints, head.floats, one_state(y[:nq]), W, z, W, z)
        write_pushes(ints, pushes, t, W, loads)
    status = contact_rate(
        head, y[:moving], tau, loads, phase.active, pairs, space, phase.modes, phase.mu, phase.memory, work,
        out[:moving],
    )  # fmt: skip
    for k in range(counted, out.shape[0]):
        out[ix(k)] = 0.0
    add_impulses_on(work.x, phase.rows, pairs, space.sites, phase.active, phase.point_of, out[acting:])
    return status


@routine
def _remember(phase, pairs, mu, space, numbers):
    """Keep the directions of slip at the start of a step; return whether something slides."""
    sliding = False
    for k in range(pairs):
        if phase.modes[ix(k)] != contact_columns.SLIDE or not mu[ix(k)] > 0.0:
            continue
        sliding = True
        e, n = row3(space.sites[ix(k)], contact_columns.TANGENT), row3(space.sites[ix(k)], contact_columns.NORMAL)
        along, aside = space.sites[ix(k), contact_columns.SLIP], space.sites[ix(k), ix(contact_columns.SLIP + 2)]
        u = axpy(aside, cross(e, n), scale(along, e))
        size = math.sqrt(dot(u, u))
        if size > numbers[LAZY]:
            for i in range(3):
                phase.memory[ix(k), ix(i)] = u[i] / size
        phase.memory[ix(k), 3] = numbers[TINY] if size > numbers[LAZY] else numbers[LAZY]
    return sliding


@routine
def _take_stages(head, t, y, h, latest, method, acts, pushes, loads, phase, pairs, space, work, room):
    """Write the stages after the first and the end of a step; return the largest status of their rates."""
    k, a = room.stages, method.a
    for s in range(1, method.b.shape[0]):
        for i in range(y.shape[0]):
            total = 0.0
            for j in range(s):
                total += a[ix(s), ix(j)] * k[ix(j), ix(i)]
            room.part[ix(i)] = y[ix(i)] + h * total
        instant = min(t + method.c[ix(s)] * h, latest)
        room.numbers[5] = instant
        status = phase_rate(
            head, instant, room.part, acts, pushes, loads, phase, pairs, space, work, method, room.tau, k[ix(s)]
        )
        if status != tree_columns.OK:
            return status
    for i in range(y.shape[0]):
        total = 0.0
        for s in range(method.b.shape[0]):
            total += method.b[ix(s)] * k[ix(s), ix(i)]
        room.end[ix(i)] = y[ix(i)] + h * total
    return tree_columns.OK


@routine
def _step_error(y, end, h, method, stages):
    """Return the error of a step over the one allowed, inf where its end is not finite [Hairer93 II.4.11]."""
    square = 0.0
    for i in range(y.shape[0]):
        if not math.isfinite(end[ix(i)]):
            return math.inf
    for i in range(method.sizes[0]):
        error = 0.0
        for s in range(method.error.shape[0]):
            error += method.error[ix(s)] * stages[ix(s), ix(i)]
        size = method.numbers[ATOL] + method.numbers[RTOL] * max(abs(y[ix(i)]), abs(end[ix(i)]))
        square += (h * error / size) ** 2 if error != 0.0 else 0.0
    return math.sqrt(square / method.sizes[0])


@routine
def _write_dense(h, method, room):
    """Write the polynomial of the dense output."""
    for p in range(method.dense.shape[1]):
        for i in range(room.end.shape[0]):
            total = 0.0
            for s in range(method.dense.shape[0]):
                total += method.dense[ix(s), ix(p)] * room.stages[ix(s), ix(i)]
            room.polynomial[ix(p), ix(i)] = h * total


@routine
def _state_at(head, instant, t, y, h, t1, room, out):
    """Write the state at an instant of the step."""
    if instant >= t1:
        for i in range(y.shape[0]):
            out[ix(i)] = room.end[ix(i)]
        return
    x, P = (instant - t) / h, room.polynomial
    for i in range(y.shape[0]):
        value = P[ix(2), ix(i)] + x * P[ix(3), ix(i)]
        out[ix(i)] = y[ix(i)] + x * (P[ix(0), ix(i)] + x * (P[ix(1), ix(i)] + x * value))
    repair_configuration(head.ints, head.floats, one_state(out[: head.ints[tree_columns.NQ]]), state_zero(head.ints))


@routine
def _find_gaps(head, y, out):
    """Write the gaps of all candidates."""
    W, Q, z = one_state(head.work), one_state(y[: head.ints[tree_columns.NQ]]), state_zero(head.ints)
    place(head.ints, head.floats, Q, W, z, W, z)
    for k in range(out.shape[0]):
        out[ix(k)] = gap_of(head.ints, head.cints, head.cfloats, k, Q, W)


@inline
def _may_land(modes, room, touch):
    """Return whether a free candidate may have closed between two looks; those that are clear at both are armed."""
    for k in range(modes.shape[0]):
        if modes[ix(k)] != contact_columns.FREE:
            continue
        last, now = room.before[ix(k)], room.gaps[ix(k)]
        if now <= 0.0:
            offset = 0.0 if room.armed[ix(k)] != 0 or last > touch else touch
            if last + offset > 0.0 >= now + offset:
                return True
        elif last > 0.0:
            room.armed[ix(k)] = 1
    return False


@inline
def _may_turn(phase, pairs, space, work, room, numbers):
    """Return whether a mode may have to change at the state of the last rate; slips that have begun are kept."""
    rows = 2 * pairs + phase.active.shape[0]
    watch_rate(
        work.x, pairs, rows, phase.mu, phase.modes, space.sites, phase.memory, room.slid, phase.regions, phase.sharp,
        room.seen,
    )  # fmt: skip
    seen, slow = room.seen, numbers[SLOW]
    if not seen[0] + numbers[CLEAR] * seen[1] >= 0.0 or seen[2] <= 0.0 or seen[3] <= -10.0 * slow or seen[4] > 0.0:
        return True
    for k in range(pairs):
        slides = phase.modes[ix(k)] == contact_columns.SLIDE and phase.mu[ix(k)] > 0.0
        if slides and slip_along(space.sites, k, phase.memory) > slow:
            room.slid[ix(k)] = 1
    return False


@routine
def _may_happen(
    head, t, y, h, t1, fresh, latest, method, acts, pushes, loads, phase, pairs, space, work, room, modes, careful
):
    """Return whether something may happen in a step; right after an event looks come ever nearer to it, too."""
    touch = method.numbers[TOUCH]
    _find_gaps(head, y, room.before)
    first, near = t + (t1 - t) / LOOKS, HALVINGS if fresh else 0
    room.numbers[3], room.numbers[4] = t, t
    if room.margins.shape[0] > 0:
        _write_margins(head, t, acts, method, room.tau, y, room.last)
    for look in range(near + LOOKS):
        n = look - near + 1
        if look < near:
            instant = t + (first - t) * 0.5 ** (near - look)
            forces = look % 4 == 0
        else:
            instant = t1 if n == LOOKS else t + n * ((t1 - t) / LOOKS)
            forces = n % FORCES == 0
        if not instant > t:
            continue
        _state_at(head, instant, t, y, h, t1, room, room.state)
        _find_gaps(head, room.state, room.gaps)
        if _may_land(modes, room, touch):
            return True
        if room.margins.shape[0] > 0 and _may_switch(head, instant, acts, method, room):
            return True
        if phase.active.shape[0] > 0 and (forces or careful):
            status = phase_rate(
                head, instant, room.state, acts, pushes, loads, phase, pairs, space, work, method, room.tau, room.rate
            )
            if status != tree_columns.OK or _may_turn(phase, pairs, space, work, room, method.numbers):
                return True
            room.numbers[4] = instant
        room.numbers[3] = instant
        for k in range(room.gaps.shape[0]):
            room.before[ix(k)] = room.gaps[ix(k)]
    return False


@routine
def _write_margins(head, t, acts, method, tau, y, out):
    """Write the margins of the events of actuators."""
    nq, moving = head.ints[tree_columns.NQ], head.zeros.shape[0] + head.ints[tree_columns.NQ]
    actuator_margins(t, acts, y[:nq], y[nq:moving], y[moving : method.sizes[1]], tau, out)


@routine
def _may_switch(head, t, acts, method, room):
    """Return whether an event of an actuator may have come between two looks."""
    _write_margins(head, t, acts, method, room.tau, room.state, room.margins)
    for k in range(room.margins.shape[0]):
        last, now = room.last[ix(k)], room.margins[ix(k)]
        if last > 0.0 >= now or (last == 0.0 and now < 0.0):
            return True
        room.last[ix(k)] = room.margins[ix(k)]
    return False


@inline
def _drifted(phase, pairs, sites):
    """Return whether gaps or velocities of contacts have come off zero."""
    for k in range(phase.active.shape[0]):
        if abs(sites[ix(k), contact_columns.GAP]) > _DRIFT or abs(sites[ix(k), ix(contact_columns.SLIP + 1)]) > _DRIFT:
            return True
        if k < pairs and phase.modes[ix(k)] == contact_columns.STICK:
            aside = sites[ix(k), ix(contact_columns.SLIP + 2)]
            if abs(sites[ix(k), contact_columns.SLIP]) > _DRIFT or abs(aside) > _DRIFT:
                return True
    return False


@typed_entry(
    "int64", ContactModel, PhaseMethod, Actuation, _2, _2, ContactPhase, _N, ContactWorkspace, SolverWorkspace,
    PhaseWorkspace, _I, _I, _1, _F, _F, _F, _F, "boolean", _N, _N, _N, _F, _F, nogil=True,
)  # fmt: skip
def advance_phase(
    head, method, acts, pushes, loads, phase, pairs, space, work, room, modes, armed, y, t, h, target, latest, fresh,
    steps, sample, last, rate, t0,
):  # fmt: skip
    """Take up to so many steps from t toward a target in place, tried with h first; return what they end with.

    Samples up to `last` that are passed are written. `modes` and `armed` are of all candidates.
    """
    numbers, counts, stages, known = method.numbers, room.counts, room.stages, _UNKNOWN
    counts[0], counts[1] = 0, 0
    careful, sliding = False, False
    for k in range(pairs):
        sliding = sliding or (phase.modes[ix(k)] == contact_columns.SLIDE and phase.mu[ix(k)] > 0.0)
        careful = careful or sliding or phase.sharp[ix(k)] == 1
    for _ in range(steps):
        room.numbers[0], room.numbers[1], room.numbers[2] = t, 0.0, h
        if counts[0] + int(rate * numbers[LONGEST]) + 2 > room.samples.shape[0]:
            return FULL
        for _turn in range(2):
            if known != _KNOWN:
                for i in range(y.shape[0]):
                    room.part[ix(i)] = y[ix(i)]
                room.numbers[5] = t
                status = phase_rate(
                    head, t, y, acts, pushes, loads, phase, pairs, space, work, method, room.tau, stages[0]
                )
                if status != tree_columns.OK:
                    return FAILED + status
                turned = known == _UNKNOWN and _remember(phase, pairs, phase.mu, space, numbers)
                known = _TURNED if turned else _KNOWN
        gap = target - t
        cut, planned, used = h >= gap, max(h, gap) if h >= gap else h, min(h, gap)
        smallest = 16.0 * _EPS * max(abs(t), used)
        while True:
            room.numbers[1] = used
            if used < smallest and not cut:
                return TOO_SMALL
            status = _take_stages(
                head, t, y, used, latest, method, acts, pushes, loads, phase, pairs, space, work, room
            )
            if status != tree_columns.OK:
                return FAILED + status
            ratio = _step_error(y, room.end, used, method, stages)
            factor = GROW
            if ratio > 0.0:
                factor = min(GROW, max(SHRINK, SAFETY * ratio ** -numbers[POWER]))
            if ratio <= 1.0:
                break
            used, cut = used * (min(factor, 1.0) if math.isfinite(ratio) else SHRINK), False
        following = max(planned, used * factor) if cut and factor >= 1.0 else used * factor
        following = min(following, numbers[LONGEST])
        t1 = target if t + used >= target - 1e-12 * abs(target) else t + used
        _write_dense(used, method, room)
        repair_configuration(
            head.ints, head.floats, one_state(room.end[: head.ints[tree_columns.NQ]]), state_zero(head.ints)
        )
        room.numbers[2] = following
        if not cut:
            room.starts[ix(counts[1])] = t
            counts[1] += 1
        for k in range(armed.shape[0]):
            room.armed[ix(k)] = armed[ix(k)]
        for k in range(pairs):
            room.slid[ix(k)] = phase.slid[ix(k)]
        happens = _may_happen(
            head, t, y, used, t1, fresh, latest, method, acts, pushes, loads, phase, pairs, space, work, room, modes,
            careful,
        )  # fmt: skip
        for k in range(armed.shape[0]):
            armed[ix(k)] = room.armed[ix(k)]
        for k in range(pairs):
            phase.slid[ix(k)] = room.slid[ix(k)]
        if happens:
            return SUSPECT
        while sample < last and t0 + (sample + 1) / rate <= t1 + 1e-15 * abs(t1) and counts[0] < room.samples.shape[0]:
            row = room.samples[ix(counts[0])]
            _state_at(head, t0 + (sample + 1) / rate, t, y, used, t1, room, row)
            for i in range(row.shape[0]):
                if not math.isfinite(row[ix(i)]):
                    return LOST
            sample += 1
            counts[0] += 1
        t, h, fresh = t1, following, False
        for i in range(y.shape[0]):
            y[ix(i)] = room.end[ix(i)]
        room.numbers[0] = t
        for i in range(y.shape[0]):
            room.part[ix(i)] = y[ix(i)]
        room.numbers[5] = min(t, latest)
        status = phase_rate(
            head, min(t, latest), y, acts, pushes, loads, phase, pairs, space, work, method, room.tau, stages[0]
        )
        if status != tree_columns.OK:
            return FAILED + status
        drifted = _drifted(phase, pairs, space.sites)
        if drifted:
            fit_contacts(head, y, phase, pairs, space, work, room.part, y[method.sizes[1] :])
        if sliding and used < numbers[CREEP]:
            return CREEPS
        if t >= target:
            return REACHED
        known = _UNKNOWN
        if t <= latest and not drifted:
            known = _TURNED if _remember(phase, pairs, phase.mu, space, numbers) else _KNOWN
    return WENT_ON


@typed_entry(
    "float64", ContactModel, PhaseMethod, Actuation, _2, _2, ContactPhase, _N, ContactWorkspace, SolverWorkspace,
    PhaseWorkspace, _1, _F, _F, _F, _F, _F, _F,
)  # fmt: skip
def locate_turn(
    head, method, acts, pushes, loads, phase, pairs, space, work, room, y, t, h, t1, low, high, tolerance
):  # fmt: skip
    """Return the first instant in (low, high] of the last step at which forces or slips may ask for another mode."""
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        _state_at(head, middle, t, y, h, t1, room, room.state)
        phase_rate(
            head, middle, room.state, acts, pushes, loads, phase, pairs, space, work, method, room.tau, room.rate
        )
        for k in range(pairs):
            room.slid[ix(k)] = phase.slid[ix(k)]
        if _may_turn(phase, pairs, space, work, room, method.numbers):
            high = middle
        else:
            low = middle
    return high


def phase_workspace(stages: np.ndarray, count: int, nv: int, events: int, capacity: int) -> PhaseWorkspace:
    """Return room for steps with these stages, for so many candidates, events of actuators and samples."""
    size = stages.shape[1]
    part, state, end, rate = np.zeros((4, size))
    gaps, before = np.zeros((2, count))
    margins, last = np.zeros((2, events))
    armed, slid = np.zeros((2, count), np.int64)
    return PhaseWorkspace(
        stages, part, state, end, rate, np.zeros((4, size)), gaps, before, armed, slid, np.zeros(5), np.zeros(nv),
        margins, last, np.zeros((capacity, size)), np.zeros(capacity), np.zeros(6), np.zeros(2, np.int64),
    )  # fmt: skip
