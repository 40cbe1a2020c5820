"""Equations of motion of a figure under controls and loads, as integrators take them."""

from typing import Any

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.run.options import DIVERGED, LOST
from motiform.motion.tree.algorithms.closures import closure_forces
from motiform.motion.tree.algorithms.configuration import configuration_rate, repair
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.algorithms.forward import forward_dynamics, held_contact_force, loaded_dynamics
from motiform.motion.tree.algorithms.loops import Usual, close_loops
from motiform.motion.tree.algorithms.matrices import contact_wrench
from motiform.motion.tree.algorithms.passage import constrain_on_branch, usual_rows
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.friction import SlidingFriction, check_no_sliding_friction, sliding_contacts
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, FigureState, call_checked
from motiform.motion.tree.prescribed import PrescribedFigure

__all__ = ["FigureEquations"]

_TOO_HEAVY = 1e300  # inertia whose inverse is none


class FigureEquations:
    """A figure under controls and loads as a flat vector (q, v, z) with a rate.

    z are the states of what acts, then its memory, which changes at events only; then the modes of contact joints that
    slide with friction.
    """

    def __init__(
        self, figure: Figure, state: FigureState, controls: Any = None, loads: Control | None = None,
        drive: PrescribedFigure | None = None, *, at_rest: float | None = None, choose: bool = True, t0: float = 0.0,
    ) -> None:  # fmt: skip
        """`at_rest` is a slip [m/s] of contact joints with friction that is none; without it they are refused.

        With `choose` these find their modes at the start.
        """
        self.controls = controls if isinstance(controls, Acting) else Acting(figure, controls)
        z = self.controls.begin(state, t0) if controls is not self.controls else self.controls.z0
        rubbing = bool(sliding_contacts(figure))
        if at_rest is None:
            check_no_sliding_friction(figure, "such a run")
        z = np.concatenate([z, np.zeros(3 * len(sliding_contacts(figure)))]) if rubbing else z
        state = FigureState(state.q, state.v, z)
        self.figure, self.state, self.loads, self.drive, self.t0 = figure, state, loads, drive, t0
        self.moving = figure.nq + figure.nv
        self.counted, self.size = self.moving + self.controls.nx, self.moving + len(z)
        self._acts = bool(self.controls) or drive is not None
        self._rest = np.zeros(figure.nv)
        self._usual = usual_rows(figure, state.q) if figure.closures else Usual(0, 0, 0.0)
        single = figure.opened.single  # closures are put on what it gives
        self._fast = single is not None and loads is None
        if self._fast:
            assert single is not None
            self._single, self._rate, self._repair = single, entries.rate, entries.repair
        self._actuation, self._tau = None, np.zeros(figure.nv)
        if self._fast and self.controls and drive is None and not rubbing and not figure.closures:
            self._actuation = self.controls.actuation
        self.friction = SlidingFriction(self, at_rest or 0.0) if rubbing else None
        if self.friction is not None and choose:
            self.state = self.friction.choose(t0, self.state)

    def initial(self) -> Array:
        """Return the state at the start as a flat vector."""
        return np.concatenate([self.state.q, self.state.v, self.state.z])

    def split(self, y: Array) -> FigureState:
        """Return a flat vector as a state."""
        q, v = y[: self.figure.nq].copy(), y[self.figure.nq : self.moving].copy()  # users' functions may write to it
        return FigureState(q, v, y[self.moving :].copy())

    def forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of controls, drives and friction, (nv,)."""
        tau = self.driven_forces(t, state)
        return tau if self.friction is None else tau + self.friction.efforts(self.friction.at(t, state))

    def driven_forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of controls and drives, (nv,)."""
        return self._act(t, state)[0] if self._acts else self._rest

    def control_forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of the controls without those of drives, (nv,)."""
        return self.controls.forces(t, state) if self.controls else self._rest

    def _act(self, t: float, state: FigureState) -> tuple[Array, Array]:
        """Return the generalised forces of controls and drives, (nv,), and the rates of their states."""
        tau, rates = self.controls.act(t, state) if self.controls else (self._rest, self._rest[:0])
        return tau if self.drive is None else tau + self.drive.force(t, state.q, state.v), rates

    def next_instant(self, t: float, y: Array) -> float:
        """Return the next instant at which something is due, or forces jump [s]."""
        return self.controls.next_instant(t, self.split(y))

    def call(self, t: float, y: Array) -> Array:
        """Return the state after all that is due at an instant."""
        state = self.split(y)
        if self.controls.next_instant(t, state) <= t:
            y = np.concatenate([state.q, state.v, self.controls.call(t, state)])
        return y if self.friction is None else self.friction.step(t, y)

    def wrenches(self, t: float, state: FigureState) -> Array | None:
        """Return the loads on the segments, (segments, 6), or None."""
        if self.loads is None:
            return None
        return call_checked(self.loads, t, state, (len(self.figure.segments), 6), "load")

    def acceleration(self, t: float, state: FigureState) -> Array:
        """Return the accelerations under controls and loads, (nv,)."""
        return forward_dynamics(self.figure, state.q, state.v, self.forces(t, state), external=self.wrenches(t, state))

    def contact_force(self, t: float, state: FigureState, name: str) -> Array:
        """Return the force on a segment at its contact, in the contact frame: tangential twice, normal [N], (3,)."""
        if self.friction is not None and name in self.friction.names:
            return self.friction.contact_force(t, state, name)
        n = self.figure.index(name)
        if self._fast and self.figure.closures:
            return held_contact_force(self.figure, state.q, state.v, self.forces(t, state), name)
        if self._fast and self.figure.segments[n].joint.kernel:
            out, spare, single = np.empty(3), np.empty(2 * self.figure.nv), self._single
            y, tau = np.concatenate([state.q, state.v]), self.forces(t, state)
            status = entries.contact_force(single.ints, single.floats, single.work, y, tau, n, spare, out)
            if status:
                self.refuse(int(status), t, y)
            return out
        loads = self.wrenches(t, state)
        a, loads = loaded_dynamics(self.figure, state.q, state.v, self.forces(t, state), loads)
        return contact_wrench(self.figure, state.q, state.v, a, name, external=loads)[3:]

    def closure_force(self, t: float, state: FigureState, name: str) -> Array:
        """Return the force of a contact closure, in its contact frame: tangential twice, normal [N], (3,)."""
        closure = next(closure for closure in self.figure.closures if closure.name == name)
        tau, loads = self.forces(t, state), self.wrenches(t, state)
        found = closure_forces(self.figure, state.q, state.v, tau, loads)[name]
        kept = dict(zip(closure.rows, found, strict=True))
        return np.array([kept.get(row, 0.0) for row in ("vx", "vy", "vz")])

    def rate(self, t: float, y: Array, out: Array) -> None:
        """Write the rate of the state."""
        if self.friction is not None:
            self._rate_with_friction(self.friction, t, y, out)
            return
        if self._actuation is not None:
            self._rate_of_all(t, np.ascontiguousarray(y), out)
            return
        if self._fast:
            single = self._single
            tau = self._act_into(t, self.split(y), out) if self._acts else self._rest
            y = np.ascontiguousarray(y)
            own, moving = (y, out) if self.size == self.moving else (y[: self.moving], out[: self.moving])
            status = self._rate(single.ints, single.floats, single.work, own, tau, moving)
            if status:
                self.refuse(int(status), t, y)
            if self.figure.closures and np.isfinite(out).all():
                moving[self.figure.nq :] = self._constrained(own, moving[self.figure.nq :], tau, None)
            return
        if not np.isfinite(y).all():
            raise RunError(DIVERGED, where=f"t = {t:.9g} s", remedy="Take a smaller step.")
        state = self.split(y)
        out[: self.figure.nq] = configuration_rate(self.figure, state.q, state.v)
        tau, loads = self._act_into(t, state, out), self.wrenches(t, state)
        free = forward_dynamics(self.figure.opened, state.q, state.v, tau, external=loads)
        y = y[: self.moving]
        out[self.figure.nq : self.moving] = self._constrained(y, free, tau, loads) if self.figure.closures else free

    def _rate_of_all(self, t: float, y: Array, out: Array) -> None:
        """Write the rate where all that acts is compiled, in one call."""
        single = self._single
        status = entries.acted_rate(t, self._actuation, single.ints, single.floats, single.work, y, self._tau, out)
        if status < 0:
            self.controls.refuse(t, self.split(y))
        if status:
            self.refuse(int(status), t, y)

    def _rate_with_friction(self, friction: SlidingFriction, t: float, y: Array, out: Array) -> None:
        if not np.isfinite(y).all():
            out.fill(np.nan)
            return
        state, nq = self.split(y), self.figure.nq
        if self._fast:
            single = self._single
            entries.configuration_rate(single.ints, single.floats, state.q, state.v, out[:nq])
        else:
            out[:nq] = configuration_rate(self.figure, state.q, state.v)
        tau, loads = self._act_into(t, state, out), self.wrenches(t, state)
        found = friction.solve(t, state, tau, loads, friction.modes(state.z))
        out[nq : self.moving] = np.nan if found.status == friction.SINGULAR else found.acceleration

    def _act_into(self, t: float, state: FigureState, out: Array) -> Array:
        """Return the generalised forces; write the rates of z."""
        tau, rates = self._act(t, state)
        out[self.moving : self.counted], out[self.counted :] = rates, 0.0
        return tau

    def _constrained(self, y: Array, free: Array, tau: Array, loads: Array | None) -> Array:
        """Return the accelerations that keep the closures, from those without them."""

        def free_at(q: Array, v: Array) -> Array:
            return forward_dynamics(self.figure.opened, q, v, tau, external=loads)

        nq = self.figure.nq
        return constrain_on_branch(self.figure, y[:nq], y[nq:], free, free_at, self._usual)

    def refuse(self, status: int, t: float, y: Array) -> None:
        """Raise the error of a rate that could not be found."""
        largest = float(np.abs(y).max(initial=0.0))
        if not largest < LOST:
            got, remedy = f"a state up to {largest:.3g}", "Take a smaller step, or check forces, stiffness and damping."
            raise RunError("the run has diverged", where=f"t = {t:.9g} s", got=got, remedy=remedy)
        name = self.figure.segments[status // tree_columns.WHERE].name
        where = f"joint of segment {name!r}, t = {t:.9g} s"
        with np.errstate(over="ignore", invalid="ignore"):
            inertia = inertia_matrix(self.figure.opened, y[: self.figure.nq])
        if not (np.abs(inertia) < _TOO_HEAVY).all():
            got, remedy = "inertia beyond what floats divide", "Check masses, lengths and the functions of joints."
            raise RunError("the run has diverged", where=where, got=got, remedy=remedy)
        what = (
            "the joint moves nothing that has inertia"
            if status % tree_columns.WHERE == tree_columns.SINGULAR
            else "the surfaces in contact come to fit one another: it is no longer one point"
        )
        raise RunError(what, where=where)

    def repair(self, y: Array) -> None:
        """Bring quaternions, contacts and closures back to where they belong."""
        nq = self.figure.nq
        if self._fast:
            self._repair(self._single.ints, self._single.floats, y[:nq])
        elif np.isfinite(y).all():
            y[:nq] = repair(self.figure, y[:nq])
        if self.figure.closures and np.isfinite(y).all():
            v = slice(nq, self.moving)
            y[:nq], y[v] = close_loops(self.figure, y[:nq], y[v], usual=self._usual)
