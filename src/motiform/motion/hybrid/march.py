"""From event to event, and from sample to sample."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.base.errors import MotiformError, RunError
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.modes import NoForces
from motiform.motion.hybrid.equations import NEAR, ContactEquations
from motiform.motion.hybrid.observe import ContactSnapshot, snapshot
from motiform.motion.hybrid.overlap import OverlapWatch
from motiform.motion.hybrid.search import LocatedEvents, find
from motiform.motion.run import DORMAND_PRINCE, Block, Checkpoint, ExplicitStep, Guard, Pace, RunOptions, accepted_step
from motiform.motion.run.options import DIVERGED
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import state_after
from motiform.record import Event

__all__ = ["State", "hybrid_march"]

State = tuple[Array, ContactSnapshot]
"""The flat state at a sample, and what contacts do then."""

_IDLE = 30  # events in a row at one instant, or that change nothing, that are gone over
_CROWD, _CROWD_TIME = 60, 1e-3  # so many events, or tiny steps, within so many seconds are gone over too
_LEAP, _SHORTEST, _LONGEST = 1e-3, 1e-4, 8e-2  # [s] longest step with impulses, stretches of them
_TURNS = 30  # stretches in a row after which no forces are possible
_NEAR_EDGE = 1e-9  # [s]
_CREEP = 4e-6  # [s] steps that are no way to go on
_SWITCHES, _SWITCH_TIME = 200, 1e-6  # so many events of actuators within so many seconds are an error
_STEP = 0.01  # [s] longest step: guards are looked at eight times in it


@dataclass
class _Walk:
    """Where the march is."""

    t: float
    y: Array
    step: float | None
    sample: int
    fresh: bool = True
    ended: bool = False
    fired: frozenset[int] = frozenset()
    idle: int = 0
    crowd: list[float] = field(default_factory=list)
    """Instants of the events of late."""
    crowded: bool = False
    stride: float = _SHORTEST
    strode_at: float = -np.inf
    switches: list[float] = field(default_factory=list)
    """Instants of the events of actuators of late."""
    states: list[State] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def count(self, when: float) -> None:
        """Keep an event or a short step; see whether there are too many."""
        self.crowd = [earlier for earlier in self.crowd if when - earlier < _CROWD_TIME] + [when]
        self.crowded = len(self.crowd) > _CROWD


def hybrid_march(
    system: ContactEquations, options: RunOptions, guards: Sequence[Guard], start: Array, checkpoint: Checkpoint | None
) -> Iterator[Block]:
    """Integrate between events with Dormand–Prince; at each event modes change and the integration restarts.

    Samples are read off the dense output, so they do not depend on the steps.
    """
    stepper = ExplicitStep(
        DORMAND_PRINCE,
        system.rate,
        size=system.size,
        repair=system.repair,
        rtol=options.rtol,
        atol=options.atol,
        counted=system.counted,
    )
    stepper.headway.end = options.t1
    switches = system.controls.guards(system.split)
    guards, switched = [*guards, *switches], len(guards)
    walk = _begin(system, start, checkpoint)
    overlap = OverlapWatch(system.figure, system.problem)
    if checkpoint is None:
        walk.states.append((walk.y.copy(), snapshot(system, 0.0, walk.y)))
    pace = Pace(system.size)
    error: MotiformError | None = None
    good = _checkpoint(system, walk)
    while walk.t < options.t1 and not walk.ended:
        try:
            _step(system, stepper, walk, options, guards, switched)
            overlap.check(walk.t, walk.y[: system.nq])
        except MotiformError as caught:
            error = _diverged(walk.t) if "not a finite number" in str(caught) else caught
            break
        good = _checkpoint(system, walk)
        if pace.full(len(walk.states)):
            yield Block(walk.states, walk.sample, good, walk.events)
            walk.states, walk.events = [], []
    yield Block(walk.states, walk.sample, good, walk.events, error)


def _begin(system: ContactEquations, start: Array, checkpoint: Checkpoint | None) -> _Walk:
    if checkpoint is None:
        walk = _Walk(0.0, start.copy(), None, 0)
        walk.events += system.begin(walk.y)
        walk.t = system.leapt
        system.settle_actuators(walk.t, walk.y)
        return walk
    system.restore(checkpoint)
    stride, strode_at = (float(number) for number in checkpoint["stride"])
    return _Walk(
        float(checkpoint["t"]),
        np.array(checkpoint["rows"], float).reshape(system.size),
        float(checkpoint["step"]) or None,
        int(checkpoint["sample"]),
        fresh=bool(checkpoint["fresh"]),
        ended=bool(checkpoint["ended"]),
        fired=frozenset(int(k) for k in np.atleast_1d(checkpoint["fired"])),
        idle=int(checkpoint["idle"]),
        crowd=[float(when) for when in np.atleast_1d(checkpoint["crowd"])],
        stride=stride,
        strode_at=strode_at,
    )


def _checkpoint(system: ContactEquations, walk: _Walk) -> dict[str, Any]:
    return {
        "t": walk.t,
        "rows": walk.y.copy(),
        "step": walk.step or 0.0,
        "sample": walk.sample,
        "fresh": int(walk.fresh),
        "ended": int(walk.ended),
        "fired": sorted(walk.fired),
        "idle": walk.idle,
        "crowd": np.array(walk.crowd, float),
        "stride": np.array([walk.stride, walk.strode_at]),
        **system.keep(),
    }


def _next_break(system: ContactEquations, t: float, y: Array, end: float) -> float:
    """Return the next instant at which what acts may jump."""
    loads = [float(when) for when in getattr(system.loads, "jumps", ()) if when > t]
    return min(end, *loads, system.controls.next_instant(t, system.split(y)) if system.controls else end)


def _step(
    system: ContactEquations,
    stepper: ExplicitStep,
    walk: _Walk,
    options: RunOptions,
    guards: Sequence[Guard],
    switched: int,
) -> None:
    """Take one step, or the part of one up to an event, and let the event happen."""
    if _next_break(system, walk.t, walk.y, np.inf) <= walk.t:
        _tick(system, walk)  # what an impulse has gone over
    t, y = walk.t, walk.y
    target = _next_break(system, t, y, options.t1)
    stepper.latest = np.nextafter(target, -np.inf)
    system.refresh(y)
    system.remember(y, t)
    try:
        h = walk.step or min(stepper.first_step(t, y, target - t), _STEP)
        if len(system.own_sliding) and system.own_sharp.any():
            h = min(h, max(0.5 * system.to_edge(y), _NEAR_EDGE))  # normals jump there: steps come up to it
        gap = target - t
        planned = max(h, float(np.nextafter(gap, np.inf)))  # a step up to the target may be as short as it is
        end, used, h = accepted_step(stepper, t, y, min(h, gap), planned if h >= gap else h, True, _STEP)
    except RunError:
        if not len(system.problem.active) or system.contacts.paradox == "stop":
            raise
        # friction brings forces toward infinity there: only impulses go on
        walk.t, walk.step, walk.fresh = _stride(system, walk, options, t, y, target), None, True
        return
    t1 = target if t + used >= target - 1e-12 * abs(target) else t + used
    solution = stepper.solution(t, y, end, used)
    system.repair(end)
    found = find(system, guards, solution, t, t1, fresh=walk.fresh, fired=walk.fired)
    if found is not None:
        t1 = found.time
        end = solution(t1)
    walk.fired = frozenset()
    _sample(system, walk, options, t1, lambda instant: end.copy() if instant >= t1 else solution(instant))
    walk.fresh = False
    if found is None:
        out = np.empty(system.size)
        system.rate(min(t1, stepper.latest), end, out)
        system.tidy(end)
        if len(system.own_sliding) and used < _CREEP:
            walk.count(t1)
        if walk.crowded and system.contacts.paradox != "stop":
            t1, h = _stride(system, walk, options, t1, end, target), 0.0
            walk.fresh = True
    else:
        try:
            _happen(system, walk, found, end, guards, switched, moved=t1 - t > 1e-9)
        except NoForces:
            if system.contacts.paradox == "stop":
                raise
            walk.events += system.unsettled
            walk.crowded, walk.fresh = True, True  # longer steps with impulses come past it
        h, t1 = 0.0, t1 + system.leapt
        _sample(system, walk, options, t1, lambda instant: end.copy())
        if walk.crowded:
            t1 = _stride(system, walk, options, t1, end, target)
    walk.t, walk.y, walk.step = t1, end, h
    if t1 == target and target < options.t1:
        _tick(system, walk)


def _diverged(t: float) -> RunError:
    """Return the error of a run whose state is lost."""
    remedy = "Give light segments mass, or their joints armature, damping or limits; or take time-stepping."
    return RunError(DIVERGED, where=f"t = {t:.9g} s", remedy=remedy)


def _sample(
    system: ContactEquations, walk: _Walk, options: RunOptions, until: float, state: Callable[[float], Array]
) -> None:
    """Keep the samples up to an instant."""
    while walk.sample < options.samples - 1 and (walk.sample + 1) / options.rate <= until * (1 + 1e-15):
        walk.sample += 1
        instant = walk.sample / options.rate
        row = state(instant)
        if not np.isfinite(row).all():
            walk.sample -= 1
            raise _diverged(instant)
        walk.states.append((row, snapshot(system, instant, row)))


def _stride(system: ContactEquations, walk: _Walk, options: RunOptions, t: float, y: Array, target: float) -> float:
    """Go over a crowd of events by steps with impulses; return the instant reached. The longer the more often."""
    before = system.modes.copy()
    for turn in range(_TURNS):
        again = t - walk.strode_at < 10 * _CROWD_TIME
        walk.stride = min(_LONGEST, 2 * walk.stride) if again else _SHORTEST
        until = min(t + walk.stride, target) if t < target else t + walk.stride
        walk.events.append(
            Event(t, f"chatters, impulses: {system.problem.describe_contacts()}", {"seconds": until - t})
        )
        _impulses(system, walk, options, t, y, until)
        walk.strode_at = until
        try:
            walk.events += system.go_on(until, y, before)
            break
        except NoForces:
            walk.events += system.unsettled
            t = until + system.leapt
            if t >= options.t1:
                break
            if turn == _TURNS - 1:
                raise
    walk.crowded, walk.crowd, walk.idle = False, [], 0
    _sample(system, walk, options, until + system.leapt, lambda instant: y.copy())
    return until + system.leapt


def _impulses(system: ContactEquations, walk: _Walk, options: RunOptions, t: float, y: Array, until: float) -> None:
    """Take steps with impulses up to an instant, and keep the samples among them."""
    start, count = t, max(10, int(np.ceil((until - t) / _LEAP - 1e-6)))
    h = (until - start) / count
    for n in range(count):
        old, t = y.copy(), start + (until - start) * n / count
        system.leap_over(t, y, h)

        def between(instant: float, t: float = t, old: Array = old) -> Array:
            row = old + (instant - t) / h * (y - old)
            system.repair(row)
            return row

        _sample(system, walk, options, t + h, between)


def _tick(system: ContactEquations, walk: _Walk) -> None:
    """Let commands change."""
    walk.y[system.moving : system.acting] = system.controls.call(walk.t, system.split(walk.y))
    walk.fresh, walk.step = True, None
    active = system.problem.active.copy()
    if len(active):
        walk.events += system.settle(walk.t, walk.y, active, landed=np.zeros(0, np.int64))
        walk.t += system.leapt  # some microseconds: a sample among them is that of the next step
        system.settle_actuators(walk.t, walk.y)


def _choose_features(system: ContactEquations, at: float, y: Array) -> list[Event]:
    """Choose the features of solids anew; tell which contacts have come to an edge."""
    before = system.modes.copy()
    system.refresh(y, anew=True)
    gone = np.flatnonzero((before != contact_columns.FREE) & (system.modes == contact_columns.FREE))
    return [Event(at, f"comes to an edge: {system.problem.packed.names[k]}") for k in gone]


def _happen(
    system: ContactEquations,
    walk: _Walk,
    found: LocatedEvents,
    y: Array,
    guards: Sequence[Guard],
    switched: int,
    *,
    moved: bool,
) -> None:
    """Let an event happen to the state y; guards from number `switched` on are events of actuators."""
    before = system.modes.copy()
    for k in found.guards:
        if k >= switched:
            y[system.moving : system.acting] = system.controls.switch(found.time, system.split(y), k - switched)
    for k in found.guards:
        walk.events.append(Event(found.time, guards[k].name))
        if guards[k].then is not None:
            after = state_after(guards[k], found.time, system.split(y))
            y[: system.acting] = np.concatenate([after.q, after.v, after.z])
            system.repair(y)
        walk.ended = walk.ended or guards[k].ends
    walk.fired = frozenset(found.guards)
    for k in found.strayed:
        system.modes[k] = contact_columns.FREE
        system.armed[k] = False
    if found.strayed:
        system._choose()
        walk.events += [Event(found.time, f"comes to an edge: {system.problem.packed.names[k]}") for k in found.strayed]
    if len(system.problem.active) and not found.guards:
        system.fit(y)  # inside a step contacts have drifted by the tolerance, which is not leaving
    if found.stale:
        walk.events += _choose_features(system, found.time, y)
    gaps = system.gaps(y)
    closed = np.flatnonzero(
        (system.modes != contact_columns.FREE) | ((gaps <= NEAR) & ~np.isin(np.arange(len(gaps)), found.strayed))
    )
    closed = np.union1d(closed, np.array(found.landed, np.int64)).astype(np.int64)
    fresh = np.array([k for k in closed if system.modes[k] == contact_columns.FREE], np.int64)
    jumped = any(guards[k].then is not None for k in found.guards)
    landed = closed if jumped else fresh
    system.leapt = 0.0
    happened = system.settle(found.time, y, closed, landed=landed) if len(closed) else []
    walk.events += happened
    system.settle_actuators(found.time + system.leapt, y)
    idle = not happened and not found.guards and (before == system.modes).all()
    walk.idle = walk.idle + 1 if idle or not moved else max(0, walk.idle - 1)
    _count_switches(walk, found, guards, switched)
    if not all(k >= switched for k in found.guards) or not found.guards:
        walk.count(found.time)
    walk.crowded = walk.crowded or walk.idle > _IDLE
    if walk.crowded and system.contacts.paradox == "stop":
        raise RunError(
            "events follow one another without end",
            where=f"t = {found.time:.9g} s, {system.problem.describe_contacts()}",
            remedy="Contacts chatter there: give restitution or friction, raise settle, or take paradox='impulse'.",
        )
    walk.fresh, walk.step = True, None


def _count_switches(walk: _Walk, found: LocatedEvents, guards: Sequence[Guard], switched: int) -> None:
    """Refuse to follow events of actuators that come without end."""
    mine = [k for k in found.guards if k >= switched]
    if mine:
        walk.switches = [when for when in walk.switches if found.time - when < _SWITCH_TIME] + [found.time]
        if len(walk.switches) > _SWITCHES:
            raise RunError(
                "events of an actuator follow one another without end",
                where=f"t = {found.time:.9g} s, {guards[mine[0]].name}",
                remedy="After `switch` its margin must be above zero.",
            )
