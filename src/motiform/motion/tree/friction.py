"""Coulomb friction of contact joints that slide: they slide, stick, and slide again.

T = −μ N v/|v| while the contact slides; it sticks where v comes to zero and |T| ≤ μ N holds it, and slides again where
more would be needed. N depends on the accelerations and these on T: both are solved together at each evaluation.
[ContactJoints 7]

The modes are the last numbers of a run's flat vector, three for each contact: the mode, and the direction of slip in
the contact frame at the start of the step. They change at events and between steps only.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.run import Guard
from motiform.motion.tree.algorithms.forward import loaded_dynamics
from motiform.motion.tree.algorithms.matrices import contact_wrench
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.contact_joints.columns import SLIDES, SLIP_FLOOR, STARTS, STICKS
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, FigureState
from motiform.record import Channel

__all__ = [
    "EVENTS", "FRICTION_CHANNELS", "ContactFriction", "SlidingFriction", "check_no_sliding_friction",
    "leaving_contacts", "sliding_contacts",
]  # fmt: skip

FRICTION_CHANNELS = {
    "friction_force": "on the segment at its contact: along the two tangents of the contact frame",
    "slip_velocity": "of the segment against its parent at the contact, along the same tangents",
    "contact_mode": "of a contact joint with friction: 1 sticks, 2 slides",
}
"""Last part of the names of the channels of a contact joint that slides with friction, and what they hold."""
_STOPS, _SETTLES = ": slip comes to zero", ": slip has begun"  # guards whose events are not told
EVENTS: tuple[tuple[str, Literal["down", "up"]], ...] = (
    (_STOPS, "down"),
    (" slips", "down"),
    (_SETTLES, "up"),
    (" sticks", "down"),
)
"""Events of a contact's friction, after its name, and the senses in which their guards cross zero."""
_AT_REST = 1e-9  # [m/s] a slip up to this is none where it comes to zero
_BEGUN = 1e-6  # [m/s] from which a slip that started from rest has the direction of its velocity
_UNIT = 1e3  # N: what it changes is read without cancellation, as accelerations are linear in forces


class ContactFriction(NamedTuple):
    """Friction of all contacts at an instant."""

    force: Array
    """On the segments, along the two tangents of each contact frame [N], (contacts, 2)."""
    normal: Array
    """[N], (contacts,)."""
    acceleration: Array
    """(nv,)"""
    direction: Array
    """Of slip, (contacts, 2)."""
    status: int


def sliding_contacts(figure: Figure) -> list[str]:
    """Return the segments whose contact joints slide with friction."""
    return [
        segment.name
        for segment in figure.segments
        if isinstance(segment.joint, ContactJoint)
        and segment.joint.sliding
        and segment.joint.friction
        and not segment.joint.leaves
    ]


def leaving_contacts(figure: Figure) -> list[str]:
    """Return the segments whose contact joints leave and land."""
    return [s.name for s in figure.segments if isinstance(s.joint, ContactJoint) and s.joint.leaves]


def check_no_sliding_friction(figure: Figure, what: str) -> None:
    """Refuse contact joints that slide with friction, or leave and land, in a kind of run that does not know them."""
    found = leaving_contacts(figure)
    if found:
        raise InputError(
            f"contact joints of {what} must not leave and land", where=f"joint of segment {found[0]!r}",
            got="release=True", allowed="runs of a figure alone: simulate(figure, …) without contacts= and matter",
            remedy="Leave out release, or take contact.release_contacts.",
        )  # fmt: skip
    found = sliding_contacts(figure)
    if found:
        raise InputError(
            f"contact joints of {what} must not slide with friction",
            where=f"joint of segment {found[0]!r}",
            allowed="runs of a figure alone: simulate(figure, …) without contacts= and matter",
            remedy="Leave out its friction, or take contact.release_contacts, whose contacts stick, slide and leave.",
        )


class SlidingFigure(Protocol):
    """The equations of a figure whose contact joints slide."""

    figure: Figure
    loads: Control | None

    def split(self, y: Array) -> FigureState:
        """Return a flat vector as a state."""
        ...

    def driven_forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of controls and drives, (nv,)."""
        ...

    def wrenches(self, t: float, state: FigureState) -> Array | None:
        """Return the loads on the segments, (segments, 6), or None."""
        ...

    def refuse(self, status: int, t: float, y: Array) -> None:
        """Raise the error of a rate that could not be found."""
        ...


class SlidingFriction:
    """The contact joints of a figure that slide with friction, and their modes during a run."""

    SINGULAR, PARADOX = 1, 2  # status of a `ContactFriction` that is none: not determined, and not one force

    def __init__(self, equations: SlidingFigure, at_rest: float = _AT_REST) -> None:
        figure = equations.figure
        self.equations, self.names, self.at_rest = equations, sliding_contacts(figure), max(at_rest, _AT_REST)
        joints = [figure.segment(name).joint for name in self.names]
        self.mu = np.array([joint.friction for joint in joints])  # type: ignore[attr-defined]
        self.segments = np.array([figure.index(name) for name in self.names])
        own = [
            figure.places(name, "v")[[joint.columns.index(3), joint.columns.index(4)]]  # type: ignore[attr-defined]
            for name, joint in zip(self.names, joints, strict=True)
        ]
        self.columns = np.concatenate(own).astype(np.int64)
        m, nv = len(self.names), figure.nv
        self.size = 3 * m
        self._last: tuple[object, ContactFriction] | None = None
        self._spare, self._K, self._b = np.empty(2 * nv), np.empty((2 * m, 2 * m)), np.empty((2 * m, 2))
        self._a, self._n = np.empty((1 + 2 * m, nv)), np.empty((1 + 2 * m, m))
        compiled = equations.loads is None and not figure.closures and all(joint.kernel for joint in joints)
        self._single = figure.single if compiled else None

    # ---------------------------------------------------------------- forces
    def solve(self, t: float, state: FigureState, tau: Array, loads: Array | None, modes: Array) -> ContactFriction:
        """Return friction, normal forces and accelerations of a state under the controls' forces and modes (m, 3)."""
        m = len(self.names)
        if self._single is not None:
            single, y = self._single, np.concatenate([state.q, state.v])
            status = entries.contact_responses(
                single.ints, single.floats, single.work, y, tau, self.segments, self.columns, self._spare, self._a,
                self._n,
            )  # fmt: skip
            if status:
                self.equations.refuse(int(status), t, y)
        else:
            self._respond(state, tau, loads)
        d, normal, acceleration = np.empty((m, 2)), np.empty(m), np.empty(len(state.v))
        status = entries.friction(
            self.mu, self.columns, np.ascontiguousarray(state.v), np.ascontiguousarray(modes), self._a, self._n,
            self._K, self._b, d, normal, acceleration,
        )  # fmt: skip
        return ContactFriction(self._b[:, 0].reshape(m, 2).copy(), normal, acceleration, d, int(status))

    def _respond(self, state: FigureState, tau: Array, loads: Array | None) -> None:
        """Find accelerations and normal forces without friction, and what a newton of it adds, in NumPy."""
        figure, count = self.equations.figure, 1 + len(self.columns)
        q, v, force = (np.tile(x, (count, 1)) for x in (state.q, state.v, tau))
        force[np.arange(1, count), self.columns] += _UNIT
        self._a[:], external = loaded_dynamics(figure, q, v, force, loads)
        for i, name in enumerate(self.names):
            self._n[:, i] = contact_wrench(figure, q, v, self._a, name, external=external)[:, 5]
        self._a[1:] = (self._a[1:] - self._a[0]) / _UNIT
        self._n[1:] = (self._n[1:] - self._n[0]) / _UNIT

    def at(self, t: float, state: FigureState) -> ContactFriction:
        """Return friction, normal forces and accelerations of a state; the guards at one instant share them."""
        key, equations = (t, state.q.tobytes(), state.v.tobytes(), state.z.tobytes()), self.equations
        if self._last is None or self._last[0] != key:
            tau, loads = equations.driven_forces(t, state), equations.wrenches(t, state)
            self._last = key, self.solve(t, state, tau, loads, self.modes(state.z))
        return self._last[1]

    def contact_force(self, t: float, state: FigureState, name: str) -> Array:
        """Return the force on a segment at its contact, in the contact frame: tangential twice, normal [N], (3,)."""
        found, i = self.at(t, state), self.names.index(name)
        return np.append(found.force[i], found.normal[i])

    def efforts(self, found: ContactFriction) -> Array:
        """Return friction as generalised forces, (nv,): they are those of the joints' own vx and vy."""
        out = np.zeros(self.equations.figure.nv)
        out[self.columns] = found.force.ravel()
        return out

    def all_efforts(self, times: Array, states: Sequence[FigureState]) -> Array:
        """Return friction as generalised forces of samples, (samples, nv)."""
        return np.array([self.efforts(self.at(t, state)) for t, state in zip(times, states, strict=True)])

    # ---------------------------------------------------------------- modes
    def modes(self, z: Array) -> Array:
        """Return mode and direction of slip of each contact, (contacts, 3), from the end of z."""
        return z[len(z) - self.size :].reshape(-1, 3)

    def slips(self, v: Array) -> Array:
        """Return the slip velocities [m/s], (contacts, 2)."""
        return v[self.columns].reshape(-1, 2)

    def choose(self, t: float, state: FigureState) -> FigureState:
        """Return a state whose contacts slide, stick where friction holds them, or start to slide.

        A slip that is none but for rounding and for the tolerances of the run becomes none.
        """
        v, z, modes = state.v.copy(), state.z.copy(), self.modes(state.z).copy()
        for i, slip in enumerate(self.slips(v)):
            speed = float(np.hypot(*slip))
            if speed <= self.at_rest:
                v[self.columns[2 * i : 2 * i + 2]], modes[i] = 0.0, (STICKS, 1.0, 0.0)
            elif modes[i, 0] != STARTS or speed >= _BEGUN:
                modes[i] = SLIDES, *(slip / speed)
        z[len(z) - self.size :] = modes.ravel()
        state = FigureState(state.q, v, z)
        for _ in self.names:  # one that does not hold may leave more to the others
            found = self._found(t, state)
            free = [i for i in range(len(modes)) if modes[i, 0] == STICKS and self._margin(found, i) < 0]
            if not free:
                break
            for i in free:
                modes[i] = STARTS, *_opposite(found.force[i])
            z[len(z) - self.size :] = modes.ravel()
        return state

    def _found(self, t: float, state: FigureState) -> ContactFriction:
        """Return the friction of a state that a run has reached; refuse one that does not exist, or is not alone."""
        found = self.at(t, state)
        if found.status:
            where = f"contact {self.names[0]!r}" if len(self.names) == 1 else f"contacts {', '.join(self.names)}"
            raise RunError(
                "the sliding contact has no force, or more than one, with so much friction (Painlevé's paradox)"
                if found.status == self.PARADOX
                else "the friction of the contacts is not determined: what sticks is held twice",
                where=f"{where}, t = {t:.9g} s",
                remedy="Lower friction.",
            )
        return found

    def _margin(self, found: ContactFriction, i: int) -> float:
        return float(self.mu[i] * found.normal[i] - np.hypot(*found.force[i]))

    def step(self, t: float, y: Array) -> Array:
        """Return a flat vector at the start of a step, in which a slip has its own direction."""
        state = self.equations.split(y)
        modes = self.modes(state.z)
        before = modes.copy()
        if (modes[:, 0] == STARTS).any():
            found = self._found(t, state)
            starts = modes[:, 0] == STARTS
            modes[starts, 1:] = found.direction[starts]
        for i, slip in enumerate(self.slips(state.v)):
            speed = float(np.hypot(*slip))
            if modes[i, 0] == SLIDES and speed >= SLIP_FLOOR:
                modes[i, 1:] = slip / speed
        if np.array_equal(before, modes):
            return y
        y = y.copy()
        y[len(y) - self.size :] = modes.ravel()
        return y

    # ---------------------------------------------------------------- events
    def guards(self) -> list[Guard]:
        """Return the events of all contacts, as functions of a state; `told` says which of them are recorded."""
        return [guard for i, name in enumerate(self.names) for guard in self._guards_of(i, name)]

    @staticmethod
    def told(name: str) -> bool:
        """Whether an event of this name is recorded."""
        return not name.endswith((_STOPS, _SETTLES))

    def _guards_of(self, i: int, name: str) -> list[Guard]:
        def mode(state: FigureState) -> float:
            return float(self.modes(state.z)[i, 0])

        def along(t: float, state: FigureState) -> float:
            """Slip along its direction at the start of the step; what starts from rest may be at zero by rounding."""
            own = mode(state)
            if own == STICKS:
                return -1.0
            return float(self.slips(state.v)[i] @ self.modes(state.z)[i, 1:]) + (SLIP_FLOOR if own == STARTS else 0.0)

        def holding(t: float, state: FigureState) -> float:
            return self._margin(self.at(t, state), i) if mode(state) == STICKS else -1.0

        def begun(t: float, state: FigureState) -> float:
            return float(np.hypot(*self.slips(state.v)[i])) - _BEGUN if mode(state) == STARTS else -1.0

        def sliding(t: float, state: FigureState) -> float:
            return -1.0 if mode(state) == STICKS else 1.0

        def stop(t: float, state: FigureState) -> FigureState:
            slip = self.slips(state.v)[i]
            if np.hypot(*slip) > self.at_rest:  # it has turned by a right angle within the step
                return self._with(state, i, SLIDES, slip / np.hypot(*slip))
            return self.choose(t, state)

        def slide(t: float, state: FigureState) -> FigureState:
            if mode(state) != STICKS:  # what happened has already set it sliding
                return state
            return self._with(state, i, STARTS, _opposite(self.at(t, state).force[i]))

        def settle(t: float, state: FigureState) -> FigureState:
            slip = self.slips(state.v)[i]
            return self._with(state, i, SLIDES, slip / np.hypot(*slip))

        # sticking is taken through zero by what comes to rest
        functions = ((along, stop), (holding, slide), (begun, settle), (sliding, None))
        return [
            Guard(f"{name}{event}", zero, sense, then)
            for (event, sense), (zero, then) in zip(EVENTS, functions, strict=True)
        ]

    def _with(self, state: FigureState, i: int, mode: int, direction: Array) -> FigureState:
        z = state.z.copy()
        self.modes(z)[i] = mode, *direction
        return FigureState(state.q, state.v, z)

    # ---------------------------------------------------------------- what is recorded
    def channels(self, rate: float) -> list[Channel]:
        """Return the channels of friction."""
        found = []
        for name in self.names:
            for key, unit in (("friction_force", "N"), ("slip_velocity", "m/s")):
                text = FRICTION_CHANNELS[key]
                found.append(
                    Channel(f"{name}.{key}", unit=unit, dims=("tangent",), shape=(2,), rate=rate, description=text)
                )
            text = FRICTION_CHANNELS["contact_mode"]
            found.append(Channel(f"{name}.contact_mode", unit="", dtype="int8", rate=rate, description=text))
        return found

    def measure(self, times: Array, states: Sequence[FigureState]) -> dict[str, Array]:
        """Return the samples of the channels."""
        forces = np.array([self.at(t, state).force for t, state in zip(times, states, strict=True)])
        slips = np.array([self.slips(state.v) for state in states])
        modes = np.minimum([self.modes(state.z)[:, 0] for state in states], SLIDES).astype(np.int8)
        found: dict[str, Array] = {}
        for i, name in enumerate(self.names):
            found[f"{name}.friction_force"], found[f"{name}.slip_velocity"] = forces[:, i], slips[:, i]
            found[f"{name}.contact_mode"] = modes[:, i]
        return found


def _opposite(force: Array) -> Array:
    """Return the direction against a force; one that is zero has none."""
    size = float(np.hypot(*force))
    return -force / size if size > 0 else np.array([1.0, 0.0])
