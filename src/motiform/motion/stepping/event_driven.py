"""From event to event, and from sample to sample."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from motiform.base.errors import MotiformError, RunError
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.modes import NoForces
from motiform.motion.run import Checkpoint, Guard, Run, RunOptions, accepted_step
from motiform.motion.run.explicit import too_small
from motiform.motion.run.options import DIVERGED
from motiform.motion.run.sampling import make_stepper
from motiform.motion.run.system import States
from motiform.motion.stepping.equations import NEAR, ContactEquations
from motiform.motion.stepping.observe import snapshot
from motiform.motion.stepping.overlap import OverlapWatch
from motiform.motion.stepping.phases import PhaseEnd, PhaseSteps
from motiform.motion.stepping.search import LocatedEvents, find
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import state_after
from motiform.record import Event

__all__ = ["EventDrivenRun"]

_IDLE = 30  # events in a row at one instant, or that change nothing, that are gone over
_CROWD, _CROWD_TIME = 60, 1e-3  # so many events, or tiny steps, within so many seconds are gone over too
_LEAP, _SHORTEST, _LONGEST = 1e-3, 1e-4, 8e-2  # [s] longest step with impulses, stretches of them
_TURNS = 30  # stretches in a row after which no forces are possible
_NEAR_EDGE = 1e-9  # [s]
_CREEP = 4e-6  # [s] steps that are no way to go on
_SWITCHES, _SWITCH_TIME = 200, 1e-6  # so many events of actuators within so many seconds are an error
_STEP = 0.01  # [s] longest step: guards are looked at eight times in it


class EventDrivenRun(Run):
    """Adaptive steps between events; at each event modes change and the integration restarts.

    Samples are read off the dense output, so they do not depend on the steps.
    """

    def __init__(
        self, system: ContactEquations, options: RunOptions, guards: Sequence[Guard], first: Array,
        checkpoint: Checkpoint | None,
    ) -> None:  # fmt: skip
        super().__init__(options.samples - 1)
        self.system, self.options, self.size = system, options, system.size
        self.stepper = make_stepper(system, options)
        self.stepper.headway.end = options.t1
        self.guards, self.own = [*guards, *system.controls.guards(system.split)], len(guards)
        """Those of the run, and from number `own` on the events of actuators."""
        self.overlap = OverlapWatch(system.figure, system.problem)
        plain = not guards and PhaseSteps.can_take(system, self.stepper)
        self.phase = PhaseSteps(system, self.stepper, options, _STEP, _CREEP) if plain else None
        self.t, self.y = options.t0, first.copy()
        self.step: float | None = None
        self.fresh, self.ended, self.fired = True, False, frozenset[int]()
        self.idle, self.crowded = 0, False
        self.crowd: list[float] = []
        """Instants of the events of late."""
        self.stride, self.strode_at = _SHORTEST, -np.inf
        self.switches: list[float] = []
        """Instants of the events of actuators of late."""
        self.states: list[np.ndarray] = []
        """At the samples that the last step passed."""
        if checkpoint is not None:
            self._restore(checkpoint)

    @property
    def finished(self) -> bool:  # noqa: D102
        return self.ended or self.t >= self.options.t1

    def start(self) -> np.ndarray:  # noqa: D102
        system = self.system
        self.events += system.begin(self.y, self.options.t0)
        self.t = self.options.t0 + system.leapt
        system.settle_actuators(self.t, self.y)
        return snapshot(system, self.options.t0, self.y)

    def advance(self, samples: int) -> States:
        """Take a step, or the part of one up to an event."""
        self.states = []
        try:
            self._step()
            self.overlap.check(self.t, self.y[: self.system.nq])
        except MotiformError as error:
            self.failure = _diverged(self.t) if "not a finite number" in str(error) else error
        return np.concatenate(self.states) if self.states else self.states

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        return {
            "t": self.t, "rows": self.y.copy(), "step": self.step or 0.0, "sample": self.sample,
            "fresh": int(self.fresh), "ended": int(self.ended), "fired": sorted(self.fired), "idle": self.idle,
            "crowd": np.array(self.crowd, float), "stride": np.array([self.stride, self.strode_at]),
            **self.system.keep(), "stepper": self.stepper.keep(),
        }  # fmt: skip

    def _restore(self, checkpoint: Checkpoint) -> None:
        self.system.restore(checkpoint)
        self.stepper.restore(checkpoint.get("stepper") or {})
        self.t, self.y = float(checkpoint["t"]), np.array(checkpoint["rows"], float).reshape(self.size)
        self.step, self.sample = float(checkpoint["step"]) or None, int(checkpoint["sample"])
        self.fresh, self.ended = bool(checkpoint["fresh"]), bool(checkpoint["ended"])
        self.fired, self.idle = frozenset(int(k) for k in np.atleast_1d(checkpoint["fired"])), int(checkpoint["idle"])
        self.crowd = [float(when) for when in np.atleast_1d(checkpoint["crowd"])]
        self.stride, self.strode_at = (float(number) for number in checkpoint["stride"])

    def _count(self, when: float) -> None:
        """Keep an event or a short step; see whether there are too many."""
        self.crowd = [earlier for earlier in self.crowd if when - earlier < _CROWD_TIME] + [when]
        self.crowded = len(self.crowd) > _CROWD

    def _next_break(self, t: float, y: Array, end: float) -> float:
        """Return the next instant at which what acts may jump."""
        system = self.system
        loads = [float(when) for when in getattr(system.loads, "jumps", ()) if when > t]
        return min(end, *loads, system.controls.next_instant(t, system.split(y)) if system.controls else end)

    def _step(self) -> None:
        """Take one step, or the part of one up to an event, and let the event happen; in a phase of numbers many."""
        from motiform.motion.stepping.phase_kernels import SUSPECT

        system, stepper = self.system, self.stepper
        last: PhaseEnd | None = None
        if self._next_break(self.t, self.y, np.inf) <= self.t:
            self._tick()  # what an impulse has gone over
        t, y = self.t, self.y
        target = self._next_break(t, y, self.options.t1)
        stepper.latest = np.nextafter(target, -np.inf)
        system.refresh(y)
        try:
            if self.phase is None:
                system.remember(y, t)
                end, used, h = self._try_step(t, y, target)
            else:
                last = self._go_on(self.phase, t, y, target)
                t, end, used, h = last.time, last.end, last.used, last.following
        except RunError:
            if not len(system.problem.active) or system.contacts.paradox == "stop":
                raise
            # friction brings forces toward infinity there: only impulses go on
            self.t, self.step, self.fresh = self._stride(self.t, y, target), None, True
            return
        if last is not None and last.code != SUSPECT:
            self._settle_phase(last, y, target)
            return
        t1 = target if t + used >= target - 1e-12 * abs(target) else t + used
        solution = stepper.solution(t, y, end, used)
        system.repair(end)
        seen: dict[str, Any] = {}
        if self.phase is not None and last is not None:
            seen = {"looked": last.looked, "held": last.held}
            seen["locate"] = partial(self.phase.locate, t, y, used, t1)
        found = find(system, self.guards, solution, t, t1, fresh=self.fresh, fired=self.fired, **seen)
        if found is not None:
            t1 = found.time
            end = solution(t1)
        self.fired = frozenset()
        self._sample(t1, lambda instant: end.copy() if instant >= t1 else solution(instant))
        self.fresh = False
        if found is None:
            out = np.empty(system.size)
            system.rate(min(t1, stepper.latest), end, out)
            system.tidy(end)
            self._settle_step(t1, end, used, h, target)
            return
        try:
            self._happen(found, end, moved=t1 - t > 1e-9)
        except NoForces:
            if system.contacts.paradox == "stop":
                raise
            self.events += system.unsettled
            self.crowded, self.fresh = True, True  # longer steps with impulses come past it
        t1 += system.leapt
        self._sample(t1, lambda instant: end.copy())
        if self.crowded:
            t1 = self._stride(t1, end, target)
        self._arrive(t1, end, 0.0, target)  # a short step first: what has left may touch again at once

    def _try_step(self, t: float, y: Array, target: float) -> tuple[Array, float, float]:
        """Return the end of a step that is good enough, its length, and the length to try next."""
        gap = target - t
        h = self._first_length(t, y, target)
        planned = max(h, float(np.nextafter(gap, np.inf)))  # a step up to the target may be as short as it is
        return accepted_step(self.stepper, t, y, min(h, gap), planned if h >= gap else h, True, _STEP)

    def _first_length(self, t: float, y: Array, target: float) -> float:
        """Return the length of a step to try first [s]."""
        system = self.system
        h = self.step or min(self.stepper.first_step(t, y, target - t), _STEP)
        if len(system.own_sliding) and system.own_sharp.any():
            h = min(h, max(0.5 * system.to_edge(y), _NEAR_EDGE))  # normals jump there: steps come up to it
        return h

    def _go_on(self, phase: PhaseSteps, t: float, y: Array, target: float) -> PhaseEnd:
        """Take steps in which nothing happens, in place; return what they have come to."""
        from motiform.motion.stepping.phase_kernels import FAILED, REFUSED, TOO_SMALL

        system = self.system
        edges = bool(len(system.own_sliding) and system.own_sharp.any())
        if edges:
            system.rate(t, y, np.empty(system.size))
        one, h = edges or self.overlap.problem is not None, self._first_length(t, y, target)
        before = system.own_memory.copy()
        end = phase.advance(t, y, h, target, self.stepper.latest, self.sample, fresh=self.fresh, one=one)
        self.t = end.time
        if end.time > t:
            self.fired, self.fresh = frozenset(), False
        self._look(end.samples, before)
        for start in end.starts.tolist():
            self.stepper.headway.step(start)
        if end.code == TOO_SMALL:
            raise too_small(end.time, end.used)
        if FAILED <= end.code < FAILED + REFUSED:
            system.tell_status(end.code - FAILED, end.time, y)
        return end

    def _look(self, samples: np.ndarray, before: Array) -> None:
        """Keep samples of steps at whose beginning the directions of slip were those before."""
        system = self.system
        after = system.own_memory.copy()
        system.own_memory[:] = before
        for row in samples:
            self.sample += 1
            at = self.options.instant(self.sample)
            system.remember(row, at)
            self.states.append(snapshot(system, at, row))
        system.own_memory[:] = after
        system.keep_memory()

    def _settle_phase(self, last: PhaseEnd, y: Array, target: float) -> None:
        """Go on from where steps in which nothing happened have come to."""
        from motiform.motion.stepping.phase_kernels import FAILED, FULL, LOST, REFUSED

        if last.code == LOST:
            raise _diverged(last.time)
        if last.code == FAILED + REFUSED:
            self.system.controls.refuse(last.refused, self.system.split(last.end))
        self._settle_step(last.time, y, np.inf if last.code == FULL else last.used, last.following, target)

    def _settle_step(self, t: float, end: Array, used: float, h: float, target: float) -> None:
        """Go on from the end of a step in which nothing happened."""
        system = self.system
        if len(system.own_sliding) and used < _CREEP:
            self._count(t)
        if self.crowded and system.contacts.paradox != "stop":
            t, h = self._stride(t, end, target), 0.0
            self.fresh = True
        self._arrive(t, end, h, target)

    def _arrive(self, t: float, y: Array, h: float, target: float) -> None:
        """Begin the next step there."""
        self.t, self.y, self.step = t, y, h
        if t == target and target < self.options.t1:
            self._tick()

    def _sample(self, until: float, state: Callable[[float], Array]) -> None:
        """Keep the samples up to an instant."""
        while self.sample < self.options.samples - 1 and self.options.instant(self.sample + 1) <= until + 1e-15 * abs(
            until
        ):
            self.sample += 1
            instant = self.options.instant(self.sample)
            row = state(instant)
            if not np.isfinite(row).all():
                self.sample -= 1
                raise _diverged(instant)
            self.states.append(snapshot(self.system, instant, row))

    def _stride(self, t: float, y: Array, target: float) -> float:
        """Go over a crowd of events by steps with impulses; return the instant reached. The longer the more often."""
        system = self.system
        before = system.modes.copy()
        for turn in range(_TURNS):
            again = t - self.strode_at < 10 * _CROWD_TIME
            self.stride = min(_LONGEST, 2 * self.stride) if again else _SHORTEST
            until = min(t + self.stride, target) if t < target else t + self.stride
            self.events.append(
                Event(t, f"chatters, impulses: {system.problem.describe_contacts()}", {"seconds": until - t})
            )
            self._impulses(t, y, until)
            self.strode_at = until
            try:
                self.events += system.go_on(until, y, before)
                break
            except NoForces:
                self.events += system.unsettled
                t = until + system.leapt
                if t >= self.options.t1:
                    break
                if turn == _TURNS - 1:
                    raise
        self.crowded, self.crowd, self.idle = False, [], 0
        self._sample(until + system.leapt, lambda instant: y.copy())
        return until + system.leapt

    def _impulses(self, t: float, y: Array, until: float) -> None:
        """Take steps with impulses up to an instant, and keep the samples among them."""
        system = self.system
        start, count = t, max(10, int(np.ceil((until - t) / _LEAP - 1e-6)))
        h = (until - start) / count
        for n in range(count):
            old, t = y.copy(), start + (until - start) * n / count
            system.leap_over(t, y, h)

            def between(instant: float, t: float = t, old: Array = old) -> Array:
                row = old + (instant - t) / h * (y - old)
                system.repair(row)
                return row

            self._sample(t + h, between)

    def _tick(self) -> None:
        """Let commands change."""
        system = self.system
        self.y[system.moving : system.acting] = system.controls.call(self.t, system.split(self.y))
        self.fresh, self.step = True, None
        active = system.problem.active.copy()
        if len(active):
            self.events += system.settle(self.t, self.y, active, landed=np.zeros(0, np.int64))
            self.t += system.leapt  # some microseconds: a sample among them is that of the next step
            system.settle_actuators(self.t, self.y)

    def _choose_features(self, at: float, y: Array) -> list[Event]:
        """Choose the features of solids anew; tell which contacts have come to an edge."""
        system = self.system
        before = system.modes.copy()
        system.refresh(y, anew=True)
        gone = np.flatnonzero((before != contact_columns.FREE) & (system.modes == contact_columns.FREE))
        return [Event(at, f"comes to an edge: {system.problem.packed.names[k]}") for k in gone]

    def _happen(self, found: LocatedEvents, y: Array, *, moved: bool) -> None:
        """Let an event happen to the state y."""
        system, guards = self.system, self.guards
        before = system.modes.copy()
        for k in found.guards:
            if k >= self.own:
                y[system.moving : system.acting] = system.controls.switch(found.time, system.split(y), k - self.own)
        for k in found.guards:
            self.events.append(Event(found.time, guards[k].name))
            if guards[k].then is not None:
                after = state_after(guards[k], found.time, system.split(y))
                y[: system.acting] = np.concatenate([after.q, after.v, after.z])
                system.repair(y)
            self.ended = self.ended or guards[k].ends
        self.fired = frozenset(found.guards)
        for k in found.strayed:
            system.modes[k] = contact_columns.FREE
            system.armed[k] = False
        if found.strayed:
            system._choose()
            self.events += [
                Event(found.time, f"comes to an edge: {system.problem.packed.names[k]}") for k in found.strayed
            ]
        if len(system.problem.active) and not found.guards:
            system.fit(y)  # inside a step contacts have drifted by the tolerance, which is not leaving
        if found.stale:
            self.events += self._choose_features(found.time, y)
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
        self.events += happened
        system.settle_actuators(found.time + system.leapt, y)
        if not (before == system.modes).all():
            self.stepper.renew()
        idle = not happened and not found.guards and (before == system.modes).all()
        self.idle = self.idle + 1 if idle or not moved else max(0, self.idle - 1)
        self._count_switches(found)
        if not all(k >= self.own for k in found.guards) or not found.guards:
            self._count(found.time)
        self.crowded = self.crowded or self.idle > _IDLE
        if self.crowded and system.contacts.paradox == "stop":
            raise RunError(
                "events follow one another without end",
                where=f"t = {found.time:.9g} s, {system.problem.describe_contacts()}",
                remedy="Contacts chatter there: give restitution or friction, raise settle, or take paradox='impulse'.",
            )
        self.fresh, self.step = True, None

    def _count_switches(self, found: LocatedEvents) -> None:
        """Refuse to follow events of actuators that come without end."""
        mine = [k for k in found.guards if k >= self.own]
        if mine:
            self.switches = [when for when in self.switches if found.time - when < _SWITCH_TIME] + [found.time]
            if len(self.switches) > _SWITCHES:
                raise RunError(
                    "events of an actuator follow one another without end",
                    where=f"t = {found.time:.9g} s, {self.guards[mine[0]].name}",
                    remedy="After `switch` its margin must be above zero.",
                )


def _diverged(t: float) -> RunError:
    """Return the error of a run whose state is lost."""
    remedy = "Give light segments mass, or their joints armature, damping or limits; or take time-stepping."
    return RunError(DIVERGED, where=f"t = {t:.9g} s", remedy=remedy)
