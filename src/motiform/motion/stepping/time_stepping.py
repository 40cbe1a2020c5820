"""Time-stepping: fixed steps without events, for long scenes or many contacts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motiform.base.errors import RunError
from motiform.geometry.touch.columns import MOST
from motiform.motion.actuation.compiled import compile_controls, compile_loads
from motiform.motion.actuation.pack import pack_laws
from motiform.motion.actuation.pushes import PUSH_FLOATS
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.layouts import contact_workspace
from motiform.motion.contact.memory_checks import check_candidates
from motiform.motion.contact.shares import press_least
from motiform.motion.contact.span_kernels import Spans
from motiform.motion.run import Checkpoint, Run, RunOptions
from motiform.motion.stepping.equations import ContactEquations
from motiform.motion.stepping.event_driven import State
from motiform.motion.stepping.observe import ContactSnapshot, drive_efforts, snapshot
from motiform.motion.stepping.substeps import ActuatorSteps
from motiform.motion.tree.model.joint import Array
from motiform.record import Event

__all__ = ["Stepper", "TimeSteppingRun"]

_TOUCHING = 1e-6  # [m] gap below which a contact may take a share of the load
_SLOWLY = 1e-6  # [m/s] of approach at which it rests on what it touches
_HALVINGS = 12  # of a step, at most
_BOUNCES = (0.75, 0.5, 0.25, 0.0)  # of the restitution, where bouncing would add energy
_TOGETHER = 256  # steps of one call: Python sees signals between calls


class Stepper:
    """A figure with contacts stepped by a fixed step; impulses of the last step start the next."""

    def __init__(self, system: ContactEquations, h: float) -> None:
        from motiform.motion.contact.share_kernels import share_workspace
        from motiform.motion.stepping.sample_kernels import pair_forces
        from motiform.motion.stepping.step_kernels import StepWorkspace, advance_steps

        self._share, self._pair = share_workspace(0), pair_forces(0)
        self.system, self.h = system, h
        packed, n = system.problem.packed, system.nv
        self.packed, count = packed, packed.count
        sizes = packed.ints[packed.ints[contact_columns.AT_SOLIDS] :][
            6 : contact_columns.SOLID_INTS * packed.solids : contact_columns.SOLID_INTS
        ]
        self._loads = sizes[:, None] + np.arange(
            contact_columns.LOAD, contact_columns.LOAD + 3
        )  # where those of solids stand
        self._plain = count - MOST * packed.solids  # candidates that are there whatever the state
        self._limit, self._none = max(self._plain, 1), np.zeros(n)
        check_candidates(self._limit)
        self._rest = _rest_workspace(self._limit)
        rows = max(3 * count, n)
        self._kernel = advance_steps.function
        self._space = contact_workspace(n, max(3 * self._limit, n), self._limit)
        self._room = StepWorkspace(
            gaps=np.zeros(count),
            active=np.zeros(max(count, 1), np.int64),
            impulses=np.zeros(3 * max(count, 1)),
            mu=np.zeros(max(count, 1)),
            x=np.zeros(rows),
            terms=np.zeros(rows),
            apart=np.zeros(rows),
            a=np.zeros(n),
            r=np.zeros(n),
            past=np.zeros((2, n)),
            tried=np.zeros((2, n)),
            f=np.zeros(n),
            w=np.zeros(2 * n),
            q=np.full(system.nq, np.nan),
            work=np.zeros((2, len(system.problem.head.work))),
            now=np.zeros(1, np.int64),
            friction=packed.friction if len(packed.friction) else np.zeros(1),
            restitution=packed.restitution if len(packed.restitution) else np.zeros(1),
            tau=np.zeros(n),
            ahead=np.zeros(n),
            soft=np.zeros(n),
            point_of=np.ascontiguousarray(packed.point_of, np.int64),
            counts=np.array([0, 0, 0, 0, len(system.contacts.points)], np.int64),
            spans=Spans(*(np.zeros(size, np.int64) for size in (n, n, rows, rows))),
            energies=np.zeros(6),
        )
        self.gaps, self.active, self.impulses = self._room.gaps, self._room.active, self._room.impulses
        self.past = self._room.past
        self.taken = self.pairs = 0
        self._at, self._last = 0.0, h  # instant and length of the last step
        self.events: list[Event] = []
        self.parted = False
        """Whether a step had to be taken in parts."""
        self._actuators = ActuatorSteps(system.controls) if system.controls.dynamic else None
        laws, pushes = compile_controls(system.controls), compile_loads(system.loads)
        self._evaluate = laws is not None
        self._laws = pack_laws(system.nq, n) if laws is None else laws
        self._pushes = np.zeros((0, PUSH_FLOATS)) if pushes is None else pushes
        self._asks_loads = pushes is None
        self._no_loads = np.zeros((len(system.figure.segments) if len(self._pushes) else 0, 6))
        plain = laws is not None and pushes is not None and system.drive is None and not packed.solids
        self._together = _TOGETHER if plain else 1
        self._stiff = bool(system.controls.stiffness.any() or system.controls.damping.any())
        self.tau = self._laws.tau
        """Efforts of the controls that acted in the last step, (nv,)."""

    def _reserve(self, count: int) -> None:
        """Make room for so many candidates: solids could have far more points than they ever have at once."""
        if count > self._limit:
            self._limit = 2 * count
            check_candidates(self._limit)
            old, n = self._space, self.system.nv
            new = contact_workspace(n, max(3 * self._limit, n), self._limit)
            self._rest = _rest_workspace(self._limit)
            self._space = new._replace(M=old.M, H=old.H, used=old.used, u=old.u)  # what a step hands on to the next
            self._room.spans.first[:], self._room.spans.last[:] = 0, 0  # nothing to clear

    def step(self, at: float, y: Array) -> None:
        """Take a step in place."""
        self.advance(at, y, 1)

    def advance(self, at: float, y: Array, count: int) -> None:
        """Take steps in place; in halves where momenta would not balance in one, or energy would grow."""
        from motiform.motion.stepping.step_kernels import OUT

        done = 0
        while done < count:
            code = self._attempt(at, self.h, y, OUT, done, min(count, done + self._together))
            done += int(self._room.counts[3])
            if code:
                self._take_parts(at + done * self.h, self.h, y, _HALVINGS, code)
                done += 1

    def _take_parts(self, at: float, h: float, y: Array, halvings: int, code: int) -> None:
        """Take a step that could not be taken at once, and why not, in halves."""
        from motiform.motion.stepping.step_kernels import GROWS, OUT

        if code == GROWS:
            code = self._attempt(at, h, y, 0.0)  # overlaps stay where moving them apart would speed things up
        if code == 0:
            return
        if halvings == 0:
            if code == GROWS and self._bounce_less(at, h, y):
                return
            raise self._diverged(code, at, h)
        if not self.parted:
            self.parted = True
            self.events.append(Event(at, "steps in parts: velocities change too much in one", {"seconds": h}))
        self.past[:] = 0.5 * self.past[0]  # R of a step grows with its length
        for start in (at, at + 0.5 * h):
            code = self._attempt(start, 0.5 * h, y, OUT)
            if code:
                self._take_parts(start, 0.5 * h, y, halvings - 1, code)
        self.past[:] = 2.0 * self.past[0]

    def _bounce_less(self, at: float, h: float, y: Array) -> bool:
        """Take a step with the restitution of all contacts reduced together; return whether one was taken.

        Approach turned round by each contact on its own, with friction, may add energy, however short the step is.
        """
        restitution = self._room.restitution
        given = restitution.copy()
        try:
            for part in _BOUNCES if given.any() else ():
                restitution[:] = part * given
                if self._attempt(at, h, y, 0.0) == 0:
                    return True
        finally:
            restitution[:] = given
        return False

    def _diverged(self, code: int, at: float, h: float) -> RunError:
        """Return the error of a step that cannot be taken however short it is."""
        from motiform.motion.stepping.step_kernels import GROWS

        allowed, kinetic = self._room.energies[1:3].tolist()
        grows = code == GROWS and np.isfinite(kinetic)
        energy = f"a kinetic energy of {kinetic:.6g} J where forces allow {allowed:.6g} J"
        return RunError(
            "the run has diverged: a step must balance momenta and add no energy",
            where=f"t = {at + h:.6g} s",
            got=f"{energy if grows else 'momenta that do not balance'} after a step of {h:.3g} s",
            remedy="Give light segments mass, or their joints armature, damping or limits; or take a smaller step.",
        )

    def _attempt(self, at: float, h: float, y: Array, out: float, first: int = 0, end: int = 1) -> int:
        """Take steps of h in place and return 0, or why one was not taken, with y as it was before it.

        Steps that ask functions of the user's are taken one by one.
        """
        system, laws = self.system, self._laws
        driven, loads, z, events = self._none, self._no_loads, None, list[Event]()
        if self._together == 1:
            start = at + first * h
            state = system.split(y)
            if self._asks_loads and (asked := system.wrenches(start, state)) is not None:
                loads = asked
            if self._actuators is not None:
                laws.tau[:], z, events = self._actuators.advance(start, h, state)
            elif not self._evaluate:
                laws.tau[:] = system.control_forces(start, state)
            if system.drive is not None:
                system.drive.step = h
                driven = system.drive.force(start, state.q, state.v)
            if not self._evaluate and self._stiff:
                laws.K[:], laws.D[:] = system.controls.gains(start, state)
            if self.packed.solids:
                fastest = float(np.abs(state.v).max(initial=0.0))
                self._reserve(self._plain + system.problem.find_solids(state.q, 4 * h * (fastest + 10 * h) + 2e-3))
        code = self._kernel(
            system.problem.head,
            y,
            laws,
            self._evaluate,
            driven,
            loads,
            self._pushes,
            at,
            first,
            end,
            h,
            self.h,
            out,
            self._space,
            self._room,
            self._rest,
        )
        taken = int(self._room.counts[3])
        if taken:
            self.taken, self.pairs = self._room.counts[:2].tolist()
            self._at, self._last = at + (first + taken - 1) * h, h
            if z is not None:
                y[system.moving : system.acting] = z
            self.events += events
        return int(code)

    def keep(self, y: Array) -> dict[str, Any]:
        """Return the data that a resumed run needs, with the state."""
        return {
            "rows": y.copy(),
            "impulses": self.impulses.copy(),
            "past": self.past.copy(),
            "loads": self.packed.floats[self._loads],
            "parted": int(self.parted),
        }

    def restore(self, kept: Mapping[str, Any]) -> Array:
        """Continue from what was kept; return the state."""
        self.impulses[:] = np.asarray(kept["impulses"])
        self.past[:] = np.asarray(kept["past"]).reshape(self.past.shape)
        self.parted = bool(kept["parted"])
        self.packed.floats[self._loads] = np.asarray(kept["loads"]).reshape(self._loads.shape)
        return np.array(kept["rows"], float).reshape(self.system.size)

    @property
    def sites(self) -> Array:
        """What is known of the candidates of the last step, the first rows."""
        return self._space.sites

    def look(self, y: Array) -> ContactSnapshot:
        """Return what contacts did in the last step: where contacts are redundant the least forces."""
        from motiform.motion.contact.share_kernels import FOUND, share_workspace
        from motiform.motion.stepping.sample_kernels import pair_forces, share_step, sum_step

        system = self.system
        rows = 2 * self.pairs + self.taken
        if len(self._share.x) < rows:
            self._share, self._pair = share_workspace(2 * rows), pair_forces(2 * rows)
        pair, share, room = self._pair, self._share, self._room
        if share_step.function(self._space, room, pair, share, _TOUCHING) != FOUND:
            press_least(share, *pair.counts.tolist())
        gaps = system.gaps(y)  # places the figure
        point = system.points()
        sum_step.function(system.problem.head, self._space, room, pair, share, self._last, gaps, point)
        n = self.pairs
        world, places = pair.world[:n], pair.places[:n]
        drives = drive_efforts(system, self._at + self._last, y, self.active[:n], world, places, point.limits)
        return ContactSnapshot(point, self.tau.copy(), drives)


def first_snapshot(system: ContactEquations, h: float, y: Array) -> ContactSnapshot:
    """Return what contacts do at the start, to which no step has led.

    Where a figure is at rest and everything that presses in the first step touches already, that is what it does then;
    else what forces at this very instant are: something may land in the step, which has half of the velocity products.
    """
    now, trial = snapshot(system, 0.0, y), Stepper(system, h)
    if y[system.nq : system.moving].any():
        return now
    trial.step(0.0, y.copy())
    pressing = trial.impulses[3 * trial.active[: trial.pairs] + 1] > 0
    touch = (trial.sites[: trial.pairs, contact_columns.GAP] <= _TOUCHING) & (
        trial.sites[: trial.pairs, contact_columns.SLIP + 1] > -_SLOWLY
    )
    return trial.look(y) if touch[pressing].all() else now


def _rest_workspace(count: int) -> Any:
    """Return room for the equations of so many candidates."""
    from motiform.motion.stepping.rest_kernels import RestWorkspace

    rows = 3 * count
    first, y, s, r = np.zeros((4, rows))
    return RestWorkspace(np.zeros((rows, rows)), first, y, s, r, *(np.zeros(rows, np.int64) for _ in range(4)))


class TimeSteppingRun(Run):
    """Steps from sample to sample; a whole number of them makes a sample."""

    def __init__(
        self, system: ContactEquations, options: RunOptions, first: Array, checkpoint: Checkpoint | None
    ) -> None:
        super().__init__(options.samples - 1)
        self.system, self.options, self.size = system, options, system.size
        self.stepper = Stepper(system, 1 / (options.rate * options.steps))
        if checkpoint is None:
            self.y = first.copy()
        else:
            self.y, self.sample = self.stepper.restore(checkpoint), int(checkpoint["sample"])

    def start(self) -> list[State]:  # noqa: D102
        self.events += self.system.begin(self.y)
        return [(self.y.copy(), first_snapshot(self.system, self.stepper.h, self.y))]

    def advance(self, samples: int) -> list[State]:  # noqa: D102
        stepper, t = self.stepper, self.sample / self.options.rate
        stepper.advance(t, self.y, self.options.steps)
        self.sample += 1
        self.events += stepper.events
        stepper.events = []
        return [(self.y.copy(), stepper.look(self.y))]

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        return {"sample": self.sample, **self.stepper.keep(self.y)}
