"""Actuators within one step of time-stepping: they go on by steps of their own while the figure stands still."""

from dataclasses import replace
from functools import partial

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.run import DORMAND_PRINCE, ExplicitStep, march
from motiform.motion.stepping.substep_layouts import KEPT, NOW, RESUMES, STEP, actuator_space
from motiform.motion.tree import FigureState
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.joint import Array
from motiform.record import Event

__all__ = ["ActuatorSteps"]

_RTOL, _ATOL = 1e-6, 1e-9  # the error of a step that takes velocities as constant is larger by far


class ActuatorSteps:
    """States of actuators over a step, with their events and calls; forces are the mean over the step.

    Adaptive steps keep what is stiff in an actuator (currents, tendons) stable. The vector is (states, impulse,
    memory).
    """

    def __init__(self, acting: Acting) -> None:
        self.acting, self.nx = acting, acting.nx
        self.middle = self.nx + acting.nv
        self.size = self.middle + len(acting.z0) - self.nx
        self.stepper = ExplicitStep(
            DORMAND_PRINCE, self._rate, size=self.size, rtol=_RTOL, atol=_ATOL, counted=self.middle
        )
        self.q = self.v = np.zeros(0)
        guards = acting.guards(self._state)
        self.guards = [replace(guard, then=partial(self._switch, k=k)) for k, guard in enumerate(guards)]

    def _state(self, w: Array) -> FigureState:
        return FigureState(self.q.copy(), self.v.copy(), np.concatenate([w[: self.nx], w[self.middle :]]))

    def _with(self, w: Array, z: Array) -> Array:
        return np.concatenate([z[: self.nx], w[self.nx : self.middle], z[self.nx :]])

    def _switch(self, t: float, w: Array, k: int) -> Array:
        return self._with(w, self.acting.switch(t, self._state(w), k))

    def _rate(self, t: float, w: Array, out: Array) -> None:
        out[self.nx : self.middle], out[: self.nx] = self.acting.act(t, self._state(w))
        out[self.middle :] = 0.0

    def next_instant(self, t: float, w: Array) -> float:
        """Return the next instant at which something is due [s]."""
        return self.acting.next_instant(t, self._state(w))

    def call(self, t: float, w: Array) -> Array:
        """Return the vector after all that is due at an instant."""
        state = self._state(w)
        return self._with(w, self.acting.call(t, state)) if self.acting.next_instant(t, state) <= t else w

    def advance(self, t: float, h: float, state: FigureState) -> tuple[Array, Array, list[Event]]:
        """Return the mean forces over a step from t to t + h, (nv,), z at its end, and the events in it."""
        self.q, self.v = state.q, state.v
        z = self.acting.settle(t, state)
        if self.acting.summed:
            return self._held(t, h, z)
        w, events = self._with(np.zeros(self.size), z), []
        for part in march(self.stepper, t, w, t + h, step=h, guards=self.guards, schedule=self):
            w = part.after
            if part.fired is not None:
                events += [Event(part.fired.time, self.guards[k].name) for k in part.fired.guards]
        found = self._state(w).z
        return w[self.nx : self.middle] / h, found, events

    def _held(self, t: float, h: float, z: Array) -> tuple[Array, Array, list[Event]]:
        """Return the same where nothing depends on states: forces and rates in the middle between two calls."""
        now, impulse = t, np.zeros(self.acting.nv)
        while now < t + h:
            z = self.acting.call(now, FigureState(self.q, self.v, z))
            state = FigureState(self.q, self.v, z.copy())
            until = min(self.acting.next_instant(now, state), t + h)
            force, rates = self.acting.act(0.5 * (now + until), state)
            impulse += (until - now) * force
            z = z.copy()
            z[: self.nx] += (until - now) * rates
            now = until
        return impulse / h, z, []


class CompiledActuators:
    """Actuators that a compiled step marches itself: what Python does when it is asked, and their events."""

    def __init__(self, acting: Acting, nv: int) -> None:
        self.acting, self.space = acting, actuator_space(acting, nv)
        self.names = [f"{part.name}: {event}" for part in acting.parts for event in part.events]

    def answer(self, code: int, q: Array, v: Array) -> bool:
        """Do what a step has asked for; return whether it goes on."""
        from motiform.motion.stepping.step_kernels import CROWDED_EVENTS
        from motiform.motion.stepping.substep_kernels import ASKED, ENDLESS, REFUSED, SMALL

        space, t = self.space, float(self.space.clock[NOW])
        if code == ASKED:
            space.z[:] = self.acting.call(t, FigureState(q.copy(), v.copy(), space.z.copy()))
        elif code == REFUSED:
            self.acting.refuse(t, FigureState(q.copy(), v.copy(), space.seen.copy()))
        elif code == SMALL:
            raise RunError(
                "the step is too small",
                where=f"actuators, t = {t:.9g} s",
                got=f"step {space.clock[STEP]:.3g} s",
                remedy="Their states grow without bound or jump there: check commands and numbers of the actuators.",
            )
        elif code == ENDLESS:
            raise RunError(
                "events follow one another without end",
                where=f"t = {t:.9g} s, actuators",
                remedy="What happens at the event must move the state off the guard, or end the run.",
            )
        return code in (ASKED, CROWDED_EVENTS)

    @property
    def midway(self) -> bool:
        """Whether a step waits for Python's answer: its events are not all there."""
        return bool(self.space.ints[RESUMES])

    def take_events(self) -> list[Event]:
        """Return the events of the steps since this was last asked for."""
        space = self.space
        rows = space.events[: 2 * int(space.ints[KEPT])].reshape(-1, 2).tolist()
        space.ints[KEPT] = 0
        return [Event(t, self.names[int(k)]) for t, k in rows]
