"""Equations of motion of a figure with contacts in fixed modes, and the mode changes at events."""

from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.geometry import Box, Face, Plane, Solid
from motiform.motion.actuation.compiled import compile_controls
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.impact import apart, collide, project_velocities, stop_approach, velocity_jump
from motiform.motion.contact.modes import NoForces, decide
from motiform.motion.contact.points import Contacts
from motiform.motion.contact.problem import ContactProblem
from motiform.motion.contact.shares import widest
from motiform.motion.run.options import LOST
from motiform.motion.stepping.solids import SolidFeatures
from motiform.motion.tree import Control, Figure, FigureState, configuration_rate, forward_kinematics
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import call_checked
from motiform.motion.tree.prescribed import PrescribedFigure
from motiform.record import Event
from motiform.spatial import Transform

__all__ = ["ContactEquations"]

TOUCH = float(np.sqrt(np.finfo(float).eps))  # [m] gaps below it are contact at the start [HuMAnS 6.1.2]
DEEP = 1e-6  # [m] penetration at the start that is not drift
NEAR = 1e-9  # [m] gaps that count as closed when something lands
LAZY, TINY = 1e-3, 1e-10  # [m/s] slower slips keep the direction that they had; weight of the last one for faster ones
CREEP = 1e-4  # [m/s] slips that may end where they turn round
SLOW = 1e-9  # [m/s] velocities that are zero but for rounding
CLEAR = 1e-9  # of the largest force: by so much a force must be wrong for its mode to change
_LEAP, _LEAPS = 1e-6, 100  # [s] of a step with impulses where no forces are possible, and how many in a row
_MANY, _FEW, _WHILE = 100, 10, 1e-3  # impacts of one candidate (fewer if it does not bounce) within so many seconds
# after which contacts that part slowly are taken for closed


class ContactEquations:
    """A figure, its contacts, controls and loads; `modes` say what each candidate does between two events."""

    def __init__(
        self,
        figure: Figure,
        contacts: Contacts,
        controls: Acting,
        loads: Control | None = None,
        *,
        events: bool = True,
        drive: PrescribedFigure | None = None,
    ) -> None:
        from motiform.motion.actuation.law_kernels import control_forces_at
        from motiform.motion.stepping.impulse_kernels import add_impulses

        self.drive, self._add, self._control = drive, add_impulses, control_forces_at.function
        self.figure, self.contacts, self.controls, self.loads = figure, contacts, controls, loads
        self._acts = bool(controls) or drive is not None
        self.laws = compile_controls(controls) if drive is None else None
        self.compiled = drive is None and controls.actuation is not None
        """Whether what acts in its joints is compiled."""
        self.problem = ContactProblem(figure, contacts)
        self.solids = SolidFeatures(self.problem) if events and self.problem.packed.solids else None
        self.nq, self.nv = figure.nq, figure.nv
        self.moving = self.nq + self.nv  # numbers of (q, v) in the vector; z comes after, its memory last
        self.counted, self.acting = self.moving + controls.nx, self.moving + len(controls.z0)
        self.size = self.acting + 3 * len(contacts.points)  # at its end the impulses on the points since the start
        count = self.problem.packed.count
        self._rows = np.arange(count)
        self.modes = np.zeros(count, np.int64)
        self.memory = np.zeros((count, 4))
        """Direction of slip in the world at the start of the step, and its weight [m/s]."""
        self.regions = np.zeros(count)
        self.armed = np.ones(count, np.int64)
        """Whether a free candidate has been clear of its obstacle since it left."""
        packed = self.problem.packed
        sharp = [point.kind == contact_columns.ROUND and point.radius == 0 for point in contacts.points]
        flat = [isinstance(obstacle.solid, Plane) for obstacle in contacts.obstacles]
        self._sharp = np.array(
            [sharp[p] and not flat[o] for p, o in zip(packed.point_of, packed.obstacle_of, strict=True)], np.int64
        )
        self.slid = np.zeros(count, np.int64)
        """Whether a sliding pair has come off zero since it began."""
        self.recent: dict[int, list[float]] = {}
        self.leapt = 0.0
        self.unsettled: list[Event] = []
        """What happened at an instant for which no forces were found in the end."""
        self.ending = np.zeros(0, np.int64)
        """Pairs whose slip has just turned round."""
        self._still, self._out, self.seen = np.zeros(self.nv), np.empty(self.size), np.zeros(5)
        self._tau = np.zeros(self.nv)
        single = figure.single
        assert single is not None
        self._repair, self._single = entries.repair, single
        self._choose()

    # ---------------------------------------------------------------- what acts
    def split(self, y: Array) -> FigureState:
        """Return a flat vector as a state."""
        q, v = y[: self.nq].copy(), y[self.nq : self.moving].copy()
        return FigureState(q, v, y[self.moving : self.acting].copy())

    def forces(self, at: float, state: FigureState) -> Array:
        """Return the generalised forces of the controls, (nv,)."""
        return self._act(at, state)[0] if self._acts else self._still

    def _act(self, at: float, state: FigureState) -> tuple[Array, Array]:
        """Return the generalised forces of controls and drives, (nv,), and the rates of their states."""
        tau, rates = self.controls.act(at, state) if self.controls else (self._still, self._still[:0])
        return tau if self.drive is None else tau + self.drive.force(at, state.q, state.v), rates

    def control_forces(self, at: float, state: FigureState) -> Array:
        """Return the generalised forces of the controls without those of drives, (nv,)."""
        return self.controls.forces(at, state) if self.controls else self._still

    def wrenches(self, at: float, state: FigureState) -> Array | None:
        """Return the loads on the segments, (segments, 6), or None."""
        return (
            None if self.loads is None else call_checked(self.loads, at, state, (len(self.figure.segments), 6), "load")
        )

    # ---------------------------------------------------------------- between events
    def _choose(self) -> None:
        """Put the candidates that touch into the problem."""
        self.problem.activate(np.flatnonzero(self.modes))
        active, pairs = self.problem.active, self.problem.pairs
        self.own_modes = np.ascontiguousarray(self.modes[active])
        self.own_memory = np.ascontiguousarray(self.memory[active[:pairs]])
        self.own_sharp = np.ascontiguousarray(self._sharp[active[:pairs]])
        self.own_slid = np.ascontiguousarray(self.slid[active[:pairs]])
        self.own_regions = np.ascontiguousarray(self.regions[active[:pairs]])
        self.own_sliding = np.flatnonzero((self.own_modes[:pairs] == contact_columns.SLIDE) & (self.problem.mu > 0))

    def rate(self, at: float, y: Array, out: Array) -> None:
        """Write the rate of the vector; contact forces stay in the problem."""
        tau, loads = self._still, None
        y = np.ascontiguousarray(y)
        if self.laws is not None:
            tau = self._tau
            self._control(at, self.laws, y[: self.nq], y[self.nq : self.moving], tau)
        elif self._acts:
            tau, rates = self._act(at, self.split(y))
            out[self.moving : self.counted], out[self.counted : self.acting] = rates, 0.0
        if self.loads is not None:
            loads = self.wrenches(at, self.split(y))
        status = self.problem.rate(y[: self.moving], tau, loads, self.own_modes, self.own_memory, out[: self.moving])
        if status:
            self.tell_status(status, at, y)
        out[self.acting :] = 0.0
        self._add_impulses(self.problem.x, out)

    def _add_impulses(self, x: Array, y: Array) -> None:
        """Add impulses of the active pairs, or their forces, to the last part of a vector or of its rate."""
        problem = self.problem
        if problem.pairs:
            point_of = problem.packed.point_of
            self._add(x, self._rows, problem.pairs, problem.sites, problem.active, point_of, y[self.acting :])

    def tell_status(self, status: int, at: float, y: Array) -> None:
        """Raise the error that the status of a rate means."""
        where, largest = f"t = {at:.9g} s", float(np.abs(y).max(initial=0.0))
        if not largest < LOST:
            got, remedy = f"a state up to {largest:.3g}", "Take a smaller step, or check forces, stiffness and damping."
            raise RunError("the run has diverged", where=where, got=got, remedy=remedy)
        if status == tree_columns.NOT_FINITE:
            raise RunError("contact forces must be finite", where=f"{where}, {self.problem.describe_contacts()}")
        name = self.figure.segments[status // tree_columns.WHERE].name
        raise RunError("the surfaces of a contact joint must not fit one another", where=f"{where}, segment {name!r}")

    def repair(self, y: Array) -> None:
        """Bring quaternions back to length 1."""
        self._repair(self._single.ints, self._single.floats, y[: self.nq])

    def tidy(self, y: Array) -> None:
        """Bring gaps and velocities of contacts back to zero where they have drifted; the last rate was at y."""
        count, pairs = len(self.problem.active), self.problem.pairs
        if not count:
            return
        sites = self.problem.sites[:count]
        drift = np.abs(sites[:, contact_columns.GAP]).max()
        speeds = np.abs(sites[:, contact_columns.SLIP + 1]).max()
        stuck = self.own_modes[:pairs] == contact_columns.STICK
        if stuck.any():
            speeds = max(
                speeds, np.abs(sites[:pairs][stuck][:, [contact_columns.SLIP, contact_columns.SLIP + 2]]).max()
            )
        if drift > 1e-13 or speeds > 1e-13:
            self.fit(y)

    def fit(self, y: Array) -> None:
        """Bring gaps and velocities of contacts to zero as their modes ask."""
        problem, nq = self.problem, self.nq
        problem.pose(y[: self.moving], self._still)
        rows, pairs = problem.rows, problem.pairs
        gaps = problem.sites[: len(problem.active), contact_columns.GAP]
        if np.abs(gaps).max() > 1e-13:
            normal = np.concatenate([3 * np.arange(pairs) + 1, np.arange(3 * pairs, rows)])
            x = np.zeros(rows)
            x[normal] = np.linalg.lstsq(problem.A[np.ix_(normal, normal)], -gaps, rcond=1e-10)[0]
            y[:nq] += configuration_rate(self.figure, y[:nq], problem.jumps(x))
            self.repair(y)
            problem.pose(y[: self.moving], self._still)
        y[nq : self.moving], x = project_velocities(problem, y[nq : self.moving], self.own_modes)
        self._add_impulses(x, y)

    # ---------------------------------------------------------------- what is watched
    def gaps(self, y: Array) -> Array:
        """Return the gaps of all candidates, (candidates,)."""
        gaps = self.raw_gaps(y)
        if self.solids is not None:
            self.solids.hide_outside(y[: self.nq], gaps, self.modes)
        return gaps

    def raw_gaps(self, y: Array) -> Array:
        """Return the gaps of all candidates, also of features of solids beyond what they were chosen on."""
        return self.problem.gaps(np.ascontiguousarray(y[: self.nq]))

    def refresh(self, y: Array, *, anew: bool = False) -> None:
        """Choose the features at which solids touch."""
        if self.solids is not None:
            speed = float(np.abs(y[self.nq : self.moving]).max(initial=0.0))
            if self.solids.refresh(y[: self.nq], self.modes, self.armed, speed, anew=anew):
                self._choose()

    def stale(self, y: Array) -> bool:
        """Return whether solids touch otherwise than their features give."""
        return self.solids is not None and self.solids.stale(y[: self.nq], self.problem.active)

    def watch(self, at: float, y: Array) -> None:
        """Evaluate forces, slips and edges at a state; the result is stored in `seen`."""
        problem = self.problem
        self.rate(at, y, self._out)
        problem.kernels["one_watch"](
            problem.x,
            problem.pairs,
            problem.rows,
            problem.mu,
            self.own_modes,
            problem.sites,
            self.own_memory,
            self.own_slid,
            self.own_regions,
            self.own_sharp,
            self.seen,
        )

    def margin(self, at: float, y: Array) -> float:
        """Return how far forces are from what the modes allow [N]; below zero a mode must change.

        Forces of redundant contacts can be shared in many ways: where the least are not allowed others are tried.
        """
        self.watch(at, y)
        x = self.problem.x[: self.problem.rows]
        # what is zero but for rounding at an event must be told from it by those who decide
        least = float(self.seen[0] + CLEAR * self.seen[1])
        if least >= 0 or not np.isfinite(least):
            return least
        if (self.own_modes == contact_columns.STICK).all():
            if self.problem.share(x) is not None:
                return np.finfo(float).tiny
            A = self.problem.A[: self.problem.rows, : self.problem.rows]
            best = widest(A, x, self.problem.pairs, self.problem.mu)[0] + float(CLEAR * self.seen[1])
            return best if best < 0 else np.finfo(float).tiny
        try:
            answer = decide(self.problem, *self._slipping(), attempts=2)
        except NoForces:
            return least
        kept = (answer.modes == self.own_modes) | (
            (self.own_modes == contact_columns.STICK) & (answer.modes == contact_columns.STICK)
        )
        return np.finfo(float).tiny if kept.all() else least

    def _slipping(self) -> tuple[np.ndarray, Array]:
        """Return which active pairs slide, and their directions in their tangents."""
        pairs = self.problem.pairs
        slides = (self.own_modes[:pairs] == contact_columns.SLIDE).astype(np.int64)
        along = np.zeros((pairs, 2))
        along[slides == 1] = self.problem.workspace.along[:pairs][slides == 1]
        return slides, along

    def slips(self) -> Array:
        """Return the slip of each sliding pair along its direction at the start of the step; the last rate's."""
        k = self.own_sliding
        sites = self.problem.sites[k]
        n, e = (
            sites[:, contact_columns.NORMAL : contact_columns.NORMAL + 3],
            sites[:, contact_columns.TANGENT : contact_columns.TANGENT + 3],
        )
        u = sites[:, contact_columns.SLIP : contact_columns.SLIP + 1] * e + sites[
            :, contact_columns.SLIP + 2 : contact_columns.SLIP + 3
        ] * np.cross(e, n)
        return np.einsum("ij,ij->i", u, self.own_memory[k, :3])

    def slips_end(self) -> bool:
        """Whether a slip has come to zero; one that has just begun must come off it first. The last watch's."""
        return bool(self.seen[2] <= 0 or self.seen[3] <= -10 * SLOW)

    def note_slips(self) -> None:
        """Keep which pairs have begun to slide in earnest; the last rate's."""
        if len(self.own_sliding) and not self.own_slid[self.own_sliding].all():
            own = self.problem.active[self.own_sliding]
            self.slid[own] |= self.slips() > SLOW
            self.own_slid[:] = self.slid[self.problem.active[: self.problem.pairs]]

    def _turned_round(self, at: float, y: Array) -> np.ndarray:
        """Return the pairs whose slip goes against its direction at the start of the step."""
        if not len(self.own_sliding):
            return np.zeros(0, np.int64)
        out = np.empty(self.size)
        self.rate(at, y, out)
        return self.problem.active[self.own_sliding[self.slips() <= 1e-12]]

    def strayed(self) -> np.ndarray:
        """Return the active pairs of points whose nearest feature has changed: they have come to an edge."""
        pairs = self.problem.pairs
        moved = (self.own_sharp == 1) & (self.problem.sites[:pairs, contact_columns.REGION] != self.own_regions)
        return self.problem.active[:pairs][moved]

    def remember(self, y: Array, at: float) -> None:
        """Keep the directions of slip at the start of a step."""
        if not len(self.own_sliding):
            return
        out = np.empty(self.size)
        self.rate(at, y, out)
        for k in self.own_sliding:
            sites = self.problem.sites[k]
            e, n = (
                sites[contact_columns.TANGENT : contact_columns.TANGENT + 3],
                sites[contact_columns.NORMAL : contact_columns.NORMAL + 3],
            )
            u = sites[contact_columns.SLIP] * e + sites[contact_columns.SLIP + 2] * np.cross(e, n)
            size = float(np.sqrt(u @ u))
            if size > LAZY:
                self.own_memory[k, :3] = u / size
            self.own_memory[k, 3] = TINY if size > LAZY else LAZY
            self.memory[self.problem.active[k]] = self.own_memory[k]

    def keep_memory(self) -> None:
        """Take over what steps of a phase have noted of its pairs: directions of slip, and slips that have begun."""
        own = self.problem.active[: self.problem.pairs]
        self.memory[own], self.slid[own] = self.own_memory, self.own_slid

    def to_edge(self, y: Array) -> float:
        """Return how long sliding points take at their present speed to the edge of their face [s]; the last rate's."""
        soonest, problem = np.inf, self.problem
        for k in self.own_sliding:
            if not self.own_sharp[k]:
                continue
            obstacle = self.contacts.obstacles[problem.packed.obstacle_of[problem.active[k]]]
            frame = obstacle.placement
            if obstacle.segment is not None:
                R, p = forward_kinematics(self.figure, y[: self.nq])
                n = self.figure.index(obstacle.segment)
                frame = Transform(R[n], p[n]) @ frame
            half = _half_edges(obstacle.solid)
            site = problem.sites[k]
            e, normal = (
                site[contact_columns.TANGENT : contact_columns.TANGENT + 3],
                site[contact_columns.NORMAL : contact_columns.NORMAL + 3],
            )
            slip = frame.rotation.T @ (
                site[contact_columns.SLIP] * e + site[contact_columns.SLIP + 2] * np.cross(e, normal)
            )
            place = frame.rotation.T @ (site[contact_columns.SITE : contact_columns.SITE + 3] - frame.translation)
            moving = np.abs(slip) > SLOW
            left = (half[moving] - np.sign(slip[moving]) * place[moving]) / np.abs(slip[moving])
            soonest = min(soonest, float(left[left > 0].min(initial=np.inf)))
        return soonest

    # ---------------------------------------------------------------- events
    def begin(self, y: Array, t: float = 0.0) -> list[Event]:
        """Find what touches at the start; refuse what penetrates, and make velocities fit."""
        self.refresh(y, anew=True)
        gaps = self.gaps(y)
        names = self.problem.packed.names
        deep = np.flatnonzero(gaps < -DEEP)
        if len(deep):
            worst = deep[np.argsort(gaps[deep])][:4]
            raise InputError(
                "the start is inside an obstacle or beyond a limit",
                where=", ".join(names[k] for k in worst) + (f" and {len(deep) - 4} more" if len(deep) > 4 else ""),
                got=f"gap {gaps[worst[0]]:.6g} m or rad",
                allowed=f"at least −{DEEP:g}",
                remedy="Raise the figure, or move the obstacle or the limit.",
            )
        touching = np.flatnonzero(gaps <= TOUCH)
        self.armed[touching] = False
        if not len(touching):
            return []
        self.modes[touching] = contact_columns.STICK
        self._choose()
        self._project_gaps(y)
        happened = self.settle(t, y, touching, landed=touching)
        return [h for h in happened if h.name.startswith(("impact", "no forces"))]

    def _project_gaps(self, y: Array) -> None:
        kept = y[self.nq :].copy()
        self.fit(y)
        y[self.nq :] = kept

    def settle(self, at: float, y: Array, closed: np.ndarray, landed: np.ndarray) -> list[Event]:
        """Let what touches collide, stick, slide or leave; write the velocities after it, and return what happened.

        Where no forces are possible a leap of some microseconds is taken; the time that it took is in `leapt`.
        """
        before, self.unsettled = self.modes.copy(), []
        self.leapt = 0.0
        self.ending = self._turned_round(at, y)
        happened: list[Event] = []
        open_speed = SLOW
        if len(landed):
            happened, open_speed = self._collide(at, y, closed, landed)
        for _ in range(_LEAPS):
            try:
                self._sort_out(at + self.leapt, y, closed, open_speed)
                happened += self._changes(at + self.leapt, before)
                return sorted(happened, key=lambda one: one.time)
            except NoForces as error:
                if self.contacts.paradox == "stop":
                    raise
                reason = error
                event = Event(
                    at + self.leapt, f"no forces are possible (Painlevé), impulse: {self.problem.describe_contacts()}"
                )
                closed = self._leap(at + self.leapt, y, _LEAP)
                if not happened or not happened[-1].name.startswith("no forces"):
                    happened.append(event)
        self.unsettled = happened
        raise reason

    def _sort_out(self, at: float, y: Array, closed: np.ndarray, open_speed: float) -> None:
        """Give every closed candidate its mode, and fit velocities to them."""
        problem, nq = self.problem, self.nq
        self._pose(at, y, closed)
        speeds = problem.velocities
        pairs, active = problem.pairs, problem.active
        normal = np.concatenate([speeds[1 : 3 * pairs : 3], speeds[3 * pairs :]])
        slip = np.hypot(speeds[0 : 3 * pairs : 3], speeds[2 : 3 * pairs : 3])
        leaving = normal > open_speed * (1 + np.abs(speeds).max(initial=0.0))
        drags = np.concatenate([(slip > 10 * SLOW) & np.isinf(problem.mu), np.zeros(len(active) - pairs, bool)])
        stay = active[~leaving & ~drags]
        self._pose(at, y, stay)
        pairs = problem.pairs
        slip_vectors = problem.velocities[: 3 * pairs].reshape(-1, 3)[:, [0, 2]]
        size = np.hypot(slip_vectors[:, 0], slip_vectors[:, 1])
        # a slip that turns round while it is slow has come to its end, if friction can hold it
        least = np.where(np.isin(problem.active[:pairs], self.ending), CREEP, 10 * SLOW)
        slides = ((size > least) & np.isfinite(problem.mu)).astype(np.int64)
        along = slip_vectors / np.where(size > 0, size, 1.0)[:, None]
        answer = decide(problem, slides, along * slides[:, None])
        self.modes[:] = contact_columns.FREE
        self.modes[problem.active] = answer.modes
        self.slid[problem.active[:pairs]] = slides
        for k in np.flatnonzero(answer.modes[:pairs] == contact_columns.SLIDE):
            site = problem.sites[k]
            e, n = (
                site[contact_columns.TANGENT : contact_columns.TANGENT + 3],
                site[contact_columns.NORMAL : contact_columns.NORMAL + 3],
            )
            self.memory[problem.active[k], :3] = answer.along[k, 0] * e + answer.along[k, 1] * np.cross(e, n)
            self.memory[problem.active[k], 3] = LAZY
        self.regions[problem.active[:pairs]] = problem.sites[:pairs, contact_columns.REGION]
        self.armed[(self.modes == contact_columns.FREE) & np.isin(np.arange(len(self.modes)), closed)] = False
        self._choose()
        if len(problem.active):
            self._pose(at, y, problem.active)
            y[nq : self.moving], x = project_velocities(problem, y[nq : self.moving], self.own_modes)
            self._add_impulses(x, y)

    def leap_over(self, at: float, y: Array, h: float) -> None:
        """Take a step with impulses over whatever happens in it; what it keeps closed sticks until go_on."""
        closed = self._leap(at, y, h)
        self.modes[:] = contact_columns.FREE
        self.modes[closed] = contact_columns.STICK
        self._choose()

    def go_on(self, at: float, y: Array, before: np.ndarray) -> list[Event]:
        """Find the modes after steps with impulses; return what has changed since `before`."""
        closed = np.flatnonzero(self.modes)
        self.armed[:] = self.gaps(y) > 0
        if len(closed):
            self._project_gaps(y)
        self.settle(at, y, closed, landed=closed)
        return self._changes(at, before)

    def _leap(self, at: float, y: Array, h: float) -> np.ndarray:
        """Take a short step with impulses; return the candidates that it keeps closed.

        As in RATTLE [Andersen83] the first impulses keep contacts closed over a flight, which keeps its energy, and the
        last ones stop what approaches after it. What still overlaps is moved apart without velocity.
        """
        problem, nq = self.problem, self.nq
        self.refresh(y, anew=True)
        reach = 1e3 * NEAR + 2 * h * float(np.abs(y[nq : self.moving]).max(initial=0.0))
        near = np.flatnonzero(self.gaps(y) <= reach)
        self._pose(at, y, near)
        found = velocity_jump(problem, y[nq : self.moving].copy(), h)
        y[nq : self.moving] = found.v
        self._add_impulses(found.x, y)
        normal = np.concatenate([found.x[1 : 3 * problem.pairs : 3], found.x[3 * problem.pairs :]])
        closed = problem.active[normal > 0]
        self._fly(at, y, h)
        self._pose(at + h, y, closed)
        found = stop_approach(problem, y[nq : self.moving].copy())
        y[nq : self.moving] = found.v
        self._add_impulses(found.x, y)
        y[:nq] += configuration_rate(self.figure, y[:nq], apart(problem, h))
        self.repair(y)
        self.settle_actuators(at + h, y)
        self.leapt += h
        return closed

    def _fly(self, at: float, y: Array, h: float) -> None:
        """Move without contacts, by one step of the classical Runge–Kutta method."""
        modes = self.modes.copy()
        self.modes[:] = contact_columns.FREE
        self._choose()
        rates, sum_ = np.empty(self.size), np.zeros(self.size)
        for part, weight in ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6)):
            self.rate(at + part * h, y + part * h * rates if part else y, rates)
            sum_ += weight * rates
        y += h * sum_
        self.repair(y)
        self.modes[:] = modes
        self._choose()

    def settle_actuators(self, at: float, y: Array) -> None:
        """Tell actuators that velocities have jumped."""
        y[self.moving : self.acting] = self.controls.settle(at, self.split(y))

    def _pose(self, at: float, y: Array, active: np.ndarray) -> None:
        state = self.split(y)
        self.problem.activate(active)
        self.problem.pose(np.ascontiguousarray(y[: self.moving]), self.forces(at, state), self.wrenches(at, state))

    def _collide(self, at: float, y: Array, closed: np.ndarray, landed: np.ndarray) -> tuple[list[Event], float]:
        """Let the closed candidates collide; return what happened and how fast a contact must open to leave."""
        problem, nq, packed = self.problem, self.nq, self.problem.packed
        self._pose(at, y, closed)
        speeds = problem.velocities
        pairs = problem.pairs
        normal = np.concatenate([speeds[1 : 3 * pairs : 3], speeds[3 * pairs :]])
        approach = max(0.0, float(-normal.min(initial=0.0)))
        dragged = np.hypot(speeds[0 : 3 * pairs : 3], speeds[2 : 3 * pairs : 3])[np.isinf(problem.mu)]
        if max(approach, float(dragged.max(initial=0.0))) <= SLOW:
            return [], SLOW
        own = problem.active
        tired = [int(k) for k in landed if self._count(int(k), at)]
        slow = approach < self.contacts.settle or bool(tired)
        restitution = np.zeros(len(own)) if slow else packed.restitution[own].copy()
        held = self.contacts.impact == "held"
        found = collide(problem, y[nq : self.moving].copy(), restitution, held=held)
        y[nq : self.moving] = found.v
        self._add_impulses(found.x, y)
        names = ", ".join(packed.names[k] for k in own if k in set(landed.tolist())) or problem.describe_contacts()
        impulses = np.concatenate([found.x[1 : 3 * pairs : 3], found.x[3 * pairs :]])
        detail = {"lost": found.lost, "approach": approach, "impulse": float(impulses.sum())}
        happened = [Event(at, f"impact: {names}", detail)]
        if slow and approach > SLOW:
            happened += self._rests(at, landed, normal, own)
        return happened, (10 * max(self.contacts.settle, approach) if slow else SLOW)

    def _rests(self, at: float, landed: np.ndarray, normal: Array, own: np.ndarray) -> list[Event]:
        """Say that bouncing has come to its end, at the instant to which its ever shorter bounces add up."""
        packed, problem, found = self.problem.packed, self.problem, []
        for k in landed:
            e = float(packed.restitution[k])
            place = int(np.searchsorted(own, k))
            row = 3 * place + 1 if place < problem.pairs else 3 * problem.pairs + place - problem.pairs
            fall = -float(problem.b[row])
            if 0 < e < 1 and fall > 0:
                rest = at + 2 * e * max(0.0, -float(normal[place])) / (fall * (1 - e))
                found.append(Event(rest, f"rests: {packed.names[k]}"))
        return found

    def _count(self, k: int, at: float) -> bool:
        """Keep when a candidate was hit; whether it was so often of late that it no longer bounces."""
        times = [when for when in self.recent.get(k, []) if at - when < _WHILE]
        self.recent[k] = [*times, at]
        return len(times) >= (_MANY if self.problem.packed.restitution[k] > 0 else _FEW)

    def _changes(self, at: float, before: np.ndarray) -> list[Event]:
        verbs = {
            (contact_columns.FREE, contact_columns.STICK): "sticks",
            (contact_columns.FREE, contact_columns.SLIDE): "slides",
            (contact_columns.STICK, contact_columns.SLIDE): "slips",
            (contact_columns.SLIDE, contact_columns.STICK): "sticks",
            (contact_columns.STICK, contact_columns.FREE): "leaves",
            (contact_columns.SLIDE, contact_columns.FREE): "leaves",
        }
        names = self.problem.packed.names
        return [
            Event(at, f"{verbs[int(before[k]), int(self.modes[k])]}: {names[k]}")
            for k in np.flatnonzero(before != self.modes)
        ]

    # ---------------------------------------------------------------- to go on later
    def keep(self) -> dict[str, Any]:
        """Return the data that a resumed run needs."""
        times = [(k, when) for k, list_ in self.recent.items() for when in list_]
        return {
            "modes": self.modes.copy(),
            "memory": self.memory.copy(),
            "regions": self.regions.copy(),
            "armed": self.armed.copy(),
            "slid": self.slid.copy(),
            "recent": np.array(times, float).reshape(-1, 2),
            **({} if self.solids is None else self.solids.keep()),
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        self.modes[:] = np.asarray(kept["modes"])
        self.memory[:] = np.asarray(kept["memory"]).reshape(self.memory.shape)
        self.regions[:] = np.asarray(kept["regions"])
        self.armed[:] = np.asarray(kept["armed"])
        self.slid[:] = np.asarray(kept["slid"])
        if self.solids is not None:
            self.solids.restore(kept)
        self.recent = {}
        for k, when in np.asarray(kept["recent"]).reshape(-1, 2):
            self.recent.setdefault(int(k), []).append(float(when))
        self._choose()


def _half_edges(solid: Solid) -> Array:
    """Return how far the flat faces of a solid reach from its middle along its axes [m], inf where they do not end."""
    if isinstance(solid, Box):
        return np.array(solid.sizes)
    return np.array([0.5 * solid.size[0], np.inf, 0.5 * solid.size[1]] if isinstance(solid, Face) else [np.inf] * 3)
