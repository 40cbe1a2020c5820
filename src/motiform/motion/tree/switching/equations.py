"""Equations of motion of a figure whose contact joints leave and land, as integrators take them."""

from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.tree.algorithms.dynamics import energy
from motiform.motion.tree.contact_joints.columns import SLIDES, STICKS
from motiform.motion.tree.contact_joints.leaving import LeavingContact
from motiform.motion.tree.friction import leaving_contacts, sliding_contacts
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, Controls, FigureState
from motiform.motion.tree.switching.landing import check_flat, land
from motiform.motion.tree.switching.phases import Phase

__all__ = ["CLEAR", "FLIES", "HELD", "PARTS", "SwitchingEquations"]

HELD, PARTS, FLIES = 1.0, 2.0, 3.0  # modes of a contact: it touches, it has left but is not clear yet, it is clear
CLEAR = 1e-9  # [m] gap from which a contact is clear: below it the gap is not known from rounding
_TOUCH = 1e-6  # [m] of gap, and of the contact frame off the surfaces, that is a contact at the start
_RISING = 1e-9  # [m/s] along the normal that is none at the start


class SwitchingEquations:
    """A figure under controls and loads as a flat vector (q, v, z, modes of friction, modes of contacts) with a rate.

    The layout is that of the figure, whose contacts have six velocities each; phases hold some of them.
    """

    def __init__(
        self, figure: Figure, state: FigureState, controls: Controls, loads: Control | None, at_rest: float
    ) -> None:
        self.figure, self.loads, self.at_rest = figure, loads, at_rest
        self.names = leaving_contacts(figure)
        self.joints: list[LeavingContact] = [figure.segment(name).joint for name in self.names]  # type: ignore[misc]
        self.rubbing = [n for n, j in zip(self.names, self.joints, strict=True) if j.sliding and j.friction]
        _check_figure(figure)
        self.acting = Acting(figure, controls)
        z = self.acting.begin(state)
        self.nq, self.moving = figure.nq, figure.nq + figure.nv
        self.counted, self.driven = self.moving + self.acting.nx, self.moving + len(z)
        self.size = self.driven + 3 * len(self.rubbing) + len(self.names)
        self.first = FigureState(state.q, state.v, z)
        self.at_q = [figure.places(name, "q") for name in self.names]
        self.at_v = [figure.places(name, "v") for name in self.names]
        self.details: dict[str, dict[str, Any]] = {}
        """Of the last impact of each contact."""
        self._phases: dict[tuple[str, ...], Phase] = {}
        self._gaps: tuple[bytes, list[float]] = b"", []
        self.y0 = self._begin(self.first)

    # ---------------------------------------------------------------- the flat vector
    def initial(self) -> Array:
        """Return the state at the start as a flat vector."""
        return self.y0.copy()

    def split(self, y: Array) -> FigureState:
        """Return a flat vector as a state."""
        return FigureState(y[: self.nq].copy(), y[self.nq : self.moving].copy(), y[self.moving : self.driven].copy())

    def modes(self, y: Array) -> Array:
        """Return the modes of the contacts, (contacts,): a view."""
        return y[len(y) - len(self.names) :]

    def phase(self, y: Array) -> Phase:
        """Return the phase of a flat vector."""
        held = tuple(name for name, mode in zip(self.names, self.modes(y), strict=True) if mode == HELD)
        if held not in self._phases:  # made from the first state: a resumed run has the same
            self._phases[held] = Phase(
                self.figure, held, self.rubbing, self.first, self.acting, self.loads, self.at_rest
            )
        return self._phases[held]

    def slips(self, i: int, y: Array) -> bool:
        """Whether a contact that is held slides."""
        joint, name = self.joints[i], self.names[i]
        if name not in self.rubbing:
            return joint.sliding
        return float(y[self.driven + 3 * self.rubbing.index(name)]) >= SLIDES

    def gap(self, i: int, y: Array) -> float:
        """Return the gap of a contact [m]; those of one configuration are found together."""
        key = y[: self.nq].tobytes()
        if self._gaps[0] != key:
            found = [joint.gap(y[at]) for joint, at in zip(self.joints, self.at_q, strict=True)]
            self._gaps = key, found
        return self._gaps[1][i]

    # ---------------------------------------------------------------- for integrators
    def rate(self, t: float, y: Array, out: Array) -> None:
        """Write the rate of the state."""
        self.phase(y).rate(t, y, out)

    def repair(self, y: Array) -> None:
        """Bring quaternions, contacts and closures back to where they belong."""
        self.phase(y).repair(y)

    def next_instant(self, t: float, y: Array) -> float:
        """Return the next instant at which something is due, or forces jump [s]."""
        return self.acting.next_instant(t, self.split(y))

    def call(self, t: float, y: Array) -> Array:
        """Return the state after all that is due at an instant; slips have the directions of the step."""
        state, phase = self.split(y), self.phase(y)
        if self.acting.next_instant(t, state) <= t:
            y = self._with_z(y, self.acting.call(t, state))
        return y if phase.friction is None else phase.put(y, phase.friction.step(t, phase.part(y)))

    # ---------------------------------------------------------------- what happens
    def normal_force(self, i: int, t: float, y: Array) -> float:
        """Return the normal force of a contact that is held [N]."""
        phase = self.phase(y)
        return float(phase.equations.contact_force(t, phase.state(y), self.names[i])[2])

    def lift(self, i: int, y: Array) -> Array:
        """Return the state after a contact has come to press no more."""
        y = y.copy()
        self._part(i, y)
        return y

    def _part(self, i: int, y: Array) -> None:
        self.modes(y)[i] = PARTS
        if self.names[i] in self.rubbing:
            at = self.driven + 3 * self.rubbing.index(self.names[i])
            y[at : at + 3] = STICKS, 1.0, 0.0

    def clear(self, i: int, y: Array) -> Array:
        """Return the state after a contact has come clear of its surface."""
        y = y.copy()
        self.modes(y)[i] = FLIES
        return y

    def strike(self, i: int, t: float, y: Array) -> Array:
        """Return the state after a contact has landed: it bounces, sticks or slides."""
        y, where = y.copy(), f"contact {self.names[i]!r}, t = {t:.9g} s"
        q, v = self.at_q[i], self.at_v[i] + self.nq
        check_flat(self.joints[i], y[q], where)
        y[q], y[v] = self.joints[i].landed(y[q], y[v])
        approach = -float(y[v[5]])
        touching = [k for k, mode in enumerate(self.modes(y)) if k == i or mode == HELD]
        before = energy(self.figure, y[: self.nq], y[self.nq : self.moving]).kinetic
        found = land(self.figure, [self.names[k] for k in touching], y[: self.nq], y[self.nq : self.moving], where)
        y[self.nq : self.moving] = found.v
        for k, leaves in zip(touching, found.leaves, strict=True):
            self.modes(y)[k] = HELD
            if leaves:
                self._part(k, y)
        lost = float(before - energy(self.figure, y[: self.nq], y[self.nq : self.moving]).kinetic)
        impulse = float(found.impulses[touching.index(i), 2])
        self.details[self.names[i]] = {"lost": lost, "approach": approach, "impulse": impulse}
        return self.choose(t, self._with_z(y, self.acting.settle(t, self.split(y))))

    def switch(self, k: int, t: float, y: Array) -> Array:
        """Return the state after an event of an actuator, by its number among all."""
        return self._with_z(y, self.acting.switch(t, self.split(y), k))

    def _with_z(self, y: Array, z: Array) -> Array:
        """Return the state with other states and memory of what acts."""
        y = y.copy()
        y[self.moving : self.driven] = z
        return y

    def choose(self, t: float, y: Array) -> Array:
        """Return the state whose contacts slide, or stick where friction holds them."""
        phase = self.phase(y)
        return y if phase.friction is None else phase.put_state(y, phase.friction.choose(t, phase.state(y)))

    # ---------------------------------------------------------------- the start
    def _begin(self, state: FigureState) -> Array:
        """Return the flat vector to begin with: contacts that touch and press are held."""
        y = np.concatenate([state.q, state.v, state.z, np.zeros(self.size - self.driven)])
        for i, (name, joint) in enumerate(zip(self.names, self.joints, strict=True)):
            q, v = self.at_q[i], self.at_v[i] + self.nq
            where = f"contact {name!r}, t = 0 s"
            on = float(joint.gaps(y[q]).max()) <= _TOUCH
            gap = 0.0 if on else self.gap(i, y)
            if gap < -_TOUCH:
                got, allowed = f"a gap of {gap:.6g} m", f"at least {-_TOUCH:g} m"
                raise InputError("the surfaces overlap at the start", where=where, got=got, allowed=allowed)
            self.modes(y)[i] = FLIES
            if gap > CLEAR:
                continue
            check_flat(joint, y[q], where)
            if on:
                y[q] = joint.held.repair(y[q])
            else:
                y[q], y[v] = joint.landed(y[q], y[v])
            if y[v[5]] < -_RISING:
                got, allowed = f"vz {y[v[5]]:.6g} m/s", "vz of zero or more where they touch"
                raise InputError("touching surfaces must not approach", where=where, got=got, allowed=allowed)
            self._part(i, y)
            still = [k for k in range(5) if k not in joint.held.columns]
            if y[v[5]] <= _RISING:
                _check_still(self.figure, y, v[still], self.nq, where)
                self.modes(y)[i] = HELD
                y[v[[*still, 5]]] = 0.0
        self.repair(y)
        y = self.choose(0.0, y)
        for i in range(len(self.names)):
            if self.modes(y)[i] == HELD and not self.normal_force(i, 0.0, y) > 0:
                self._part(i, y)
        return self.choose(0.0, y)


def _check_still(figure: Figure, y: Array, places: np.ndarray, nq: int, where: str) -> None:
    for place in places:
        if abs(y[place]) > _RISING:
            name = figure.coordinates[place - nq]
            raise InputError(
                "a held velocity must be zero at the start", where=where,
                got=f"{name} {y[place]:.6g}", allowed="0",
            )  # fmt: skip


def _check_figure(figure: Figure) -> None:
    """Refuse what contacts that leave and land cannot stand beside."""
    where = f"figure {figure.name!r}"
    lasting = sliding_contacts(figure)
    if lasting:
        raise InputError(
            "contacts with sliding friction must all have release, or none",
            where=f"joint of segment {lasting[0]!r}", got="release=False", remedy="Say release=True.",
        )  # fmt: skip
    if figure.coupled is not None:
        raise InputError("a figure with release must have no couplings", where=where)
    for name in leaving_contacts(figure):
        segment = figure.segment(name)
        if np.any(segment.armature) or np.any(segment.damping):
            raise InputError(
                "a contact with release must have neither armature nor damping",
                where=f"joint of segment {name!r}", allowed="none",
            )  # fmt: skip
