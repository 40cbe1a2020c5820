"""Time-stepping: fixed steps without events, for long scenes or many contacts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motiform.base.errors import MotiformError, RunError
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
from motiform.motion.stepping.observe import drive_efforts, packed_samples, snapshot
from motiform.motion.stepping.substep_layouts import actuator_space
from motiform.motion.stepping.substeps import ActuatorSteps, CompiledActuators
from motiform.motion.tree.model.joint import Array
from motiform.record import Event

__all__ = ["Stepper", "TimeSteppingRun"]

_TOUCHING = 1e-6  # [m] gap below which a figure that rests stands on a contact
_SLOWLY = 1e-6  # [m/s] of approach at which it rests on what it touches
_HALVINGS = 12  # of a step, at most
_BOUNCES = (0.75, 0.5, 0.25, 0.0)  # of the restitution, where bouncing would add energy
_TOGETHER = 4096  # steps of one call, some 0.2 s: Python sees signals between calls
_ROOM = 16  # candidates for which there is room before there are more


class Stepper:
    """A figure with contacts stepped by a fixed step; impulses of the last step start the next."""

    def __init__(self, system: ContactEquations, h: float) -> None:
        from motiform.motion.stepping.sample_kernels import advance_samples, contact_samples
        from motiform.motion.stepping.step_kernels import ACTUATORS, GIVEN, LAWS, StepWorkspace

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
        self._none, rows = np.zeros(n), max(3 * count, n)
        self._head = system.problem.head._replace(work=np.zeros_like(system.problem.head.work))  # not the figure's
        self._kernel = advance_samples.function
        self._room = StepWorkspace(
            gaps=np.zeros(count),
            ends=np.zeros(count),
            active=np.zeros(max(count, 1), np.int64),
            impulses=np.zeros(3 * max(count, 1)),
            mu=np.zeros(max(count, 1)),
            x=np.zeros(rows),
            terms=np.zeros(rows),
            still=np.zeros(rows),
            apart=np.zeros(rows),
            a=np.zeros(n),
            r=np.zeros(n),
            past=np.zeros((3, n)),
            foreseen=np.full(1, np.inf),
            tried=np.zeros((2, n)),
            f=np.zeros(n),
            w=np.zeros(2 * n),
            q=np.full(system.nq, np.nan),
            work=np.zeros((2, len(system.problem.head.work))),
            now=np.zeros(1, np.int64),
            friction=np.array(packed.friction) if len(packed.friction) else np.zeros(1),
            restitution=np.array(packed.restitution) if len(packed.restitution) else np.zeros(1),
            tau=np.zeros(n),
            ahead=np.zeros(n),
            soft=np.zeros(n),
            point_of=np.ascontiguousarray(packed.point_of, np.int64),
            counts=np.array([0, 0, 0, 0, len(system.contacts.points), 0], np.int64),
            spans=Spans(*(np.zeros(size, np.int64) for size in (n, n, rows, rows))),
            energies=np.array([0.0, 0, 0, 0, 0, 0, h]),
        )
        self._make_room(min(max(count, 1), _ROOM))
        self._samples = contact_samples(1, system.size, len(system.contacts.points), n)
        self.gaps, self.active, self.impulses = self._room.gaps, self._room.active, self._room.impulses
        self.past = self._room.past
        self._end = 0.0  # of the last step
        self.events: list[Event] = []
        self.parted = False
        """Whether a step had to be taken in parts."""
        laws, pushes = compile_controls(system.controls), compile_loads(system.loads)
        dynamic = system.controls.dynamic
        self._acts = CompiledActuators(system.controls, n) if dynamic and system.controls.actuation else None
        self._actuators = ActuatorSteps(system.controls) if dynamic and self._acts is None else None
        self._space = actuator_space(None, n) if self._acts is None else self._acts.space
        self._evaluate = ACTUATORS if self._acts else GIVEN if laws is None else LAWS
        self._laws = pack_laws(system.nq, n) if laws is None else laws
        self._pushes = np.zeros((0, PUSH_FLOATS)) if pushes is None else pushes
        self._asks_loads = pushes is None
        self._no_loads = np.zeros((len(system.figure.segments) if len(self._pushes) else 0, 6))
        plain = self._evaluate != GIVEN and pushes is not None and system.drive is None and not packed.solids
        self.alone = plain
        """Whether steps are numbers alone, which ask nothing of Python."""
        self._stiff = bool(system.controls.stiffness.any() or system.controls.damping.any())
        self.tau = self._laws.tau
        """Efforts of the controls that acted in the last step, (nv,)."""

    def _make_room(self, count: int) -> None:
        """Make workspaces for so many candidates: far fewer than there are ever are near at once."""
        from motiform.motion.contact.share_kernels import share_workspace
        from motiform.motion.stepping.sample_kernels import pair_forces

        check_candidates(count)
        self._limit, n = count, self.system.nv
        self._contacts = contact_workspace(n, max(3 * count, n), count)
        self._rest, self._share, self._pair = _rest_workspace(count), share_workspace(3 * count), pair_forces(count)

    def _reserve(self, count: int) -> None:
        """Make room for so many candidates, and more."""
        if count > self._limit:
            old = self._contacts
            self._make_room(2 * count)
            # what a step hands on to the next
            self._contacts = self._contacts._replace(M=old.M, H=old.H, used=old.used, u=old.u)
            self._room.spans.first[:], self._room.spans.last[:] = 0, 0  # nothing to clear

    def step(self, at: float, y: Array, n: int = 0) -> None:
        """Take step number n after an instant in place; in halves where momenta would not balance in one, or energy
        would grow.
        """
        from motiform.motion.stepping.step_kernels import OUT

        code = self._attempt(at, self.h, y, OUT, n)
        if code:
            self._take_parts(at + n * self.h, self.h, y, _HALVINGS, code)

    def advance(
        self, sample: int, rate: float, y: Array, steps: int, samples: int, t0: float = 0.0
    ) -> tuple[Array, MotiformError | None]:
        """Go on in place from a sample, so many steps to each of the next; return these, and why there are no more.

        There may be fewer than are asked for: one where Python is asked before every step.
        """
        if not self.alone:
            for n in range(steps):
                self.step(t0 + sample / rate, y, n)
            return self.look(y), None
        from motiform.motion.stepping.sample_kernels import contact_samples

        samples = min(samples, max(1, _TOGETHER // steps))
        if len(self._samples.y) < samples:
            self._samples = contact_samples(samples, self.system.size, len(self.system.contacts.points), self.system.nv)
        done, error = self._march(sample, rate, y, steps, samples, t0)
        return packed_samples(self.system, self._samples, done), error

    def _march(
        self, sample: int, rate: float, y: Array, steps: int, samples: int, t0: float
    ) -> tuple[int, MotiformError | None]:
        """Write samples to the workspace; return how many, and why there are no more. Python does what is rare."""
        from motiform.motion.stepping.sample_kernels import UNSHARED
        from motiform.motion.stepping.step_kernels import CROWDED, DONE, OUT

        done = n = 0  # samples; steps after the last of them
        shared = False
        while done < samples:
            now, end = sample + done, min(steps, n + _TOGETHER)
            writes = (samples - done if end == steps else 0, done)
            code = self._call(t0 + now / rate, n, end, self.h, y, OUT, now, rate, *writes, shared=shared, t0=t0)
            n, done = int(self._room.counts[3]), done + int(self._room.counts[5])
            if self._acts is not None and not self._acts.midway:
                self.events += self._acts.take_events()
            shared = code == UNSHARED
            if shared:
                press_least(self._share, *self._pair.counts.tolist())
            elif code == CROWDED:
                self._reserve(self.taken)
            elif code != DONE:
                try:
                    if self._acts is not None and self._acts.answer(code, y[: self.system.nq], self._velocities(y)):
                        continue
                    self._take_parts(t0 + (sample + done) / rate + n * self.h, self.h, y, _HALVINGS, code)
                except MotiformError as error:
                    if self._acts is not None:
                        self.events += self._acts.take_events()  # of the steps that were taken
                    return done, error
                n += 1
        return done, None

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

    def _attempt(self, at: float, h: float, y: Array, out: float, n: int = 0) -> int:
        """Take step number n of h after an instant in place and return 0, or why it was not taken, with y as before."""
        from motiform.motion.stepping.step_kernels import CROWDED, CROWDED_EVENTS, DONE, GIVEN

        system, laws, start = self.system, self._laws, at + n * h
        driven, loads, z, events = self._none, self._no_loads, None, list[Event]()
        if not self.alone:
            state = system.split(y)
            if self._asks_loads and (asked := system.wrenches(start, state)) is not None:
                loads = asked
            if self._actuators is not None:
                laws.tau[:], z, events = self._actuators.advance(start, h, state)
            elif self._evaluate == GIVEN:
                laws.tau[:] = system.control_forces(start, state)
            if system.drive is not None:
                system.drive.step = h
                driven = system.drive.force(start, state.q, state.v)
            if self._evaluate == GIVEN and self._stiff:
                laws.K[:], laws.D[:] = system.controls.gains(start, state)
            if self.packed.solids:
                fastest = float(np.abs(state.v).max(initial=0.0))
                self._reserve(self._plain + system.problem.find_solids(state.q, 4 * h * (fastest + 10 * h) + 2e-3))
        asked_for = laws.tau.copy()
        while (code := self._call(at, n, n + 1, h, y, out, driven=driven, loads=loads)) not in (DONE, CROWDED_EVENTS):
            if code == CROWDED:
                self._reserve(self.taken)
                laws.tau[:] = asked_for
            elif self._acts is None or not self._acts.answer(code, y[: system.nq], self._velocities(y)):
                break
        if self._acts is not None:
            events += self._acts.take_events()
        if code in (DONE, CROWDED_EVENTS):
            code = DONE
            self._end = start + h
            if z is not None:
                y[system.moving : system.acting] = z
            self.events += events
        return code

    def _call(
        self, at: float, first: int, end: int, h: float, y: Array, out: float, sample: int = 0, rate: float = 1.0,
        samples: int = 0, row: int = 0, *, shared: bool = False, driven: Array | None = None,
        loads: Array | None = None, t0: float = 0.0,
    ) -> int:  # fmt: skip
        """Call the kernel, see `advance_samples`."""
        return int(
            self._kernel(
                self._head,
                y,
                self._laws,
                self._space,
                self._evaluate,
                self._none if driven is None else driven,
                self._no_loads if loads is None else loads,
                self._pushes,
                at,
                sample,
                rate,
                t0,
                first,
                end,
                h,
                self.h,
                out,
                self._contacts,
                self._room,
                self._rest,
                samples,
                shared,
                self._pair,
                self._share,
                row,
                self._samples,
            )
        )

    def _velocities(self, y: Array) -> Array:
        return y[self.system.nq : self.system.moving]

    def keep(self, y: Array) -> dict[str, Any]:
        """Return the data that a resumed run needs, with the state."""
        return {
            "rows": y.copy(),
            "impulses": self.impulses.copy(),
            "past": self.past.copy(),
            "foreseen": self._room.foreseen.copy(),
            "loads": self.packed.floats[self._loads],
            "parted": int(self.parted),
        }

    def restore(self, kept: Mapping[str, Any]) -> Array:
        """Continue from what was kept; return the state."""
        self.impulses[:] = np.asarray(kept["impulses"])
        self.past[:] = np.asarray(kept["past"]).reshape(self.past.shape)
        self._room.foreseen[:] = np.asarray(kept["foreseen"])
        self.parted = bool(kept["parted"])
        self.packed.floats[self._loads] = np.asarray(kept["loads"]).reshape(self._loads.shape)
        return np.array(kept["rows"], float).reshape(self.system.size)

    @property
    def sites(self) -> Array:
        """What is known of the candidates of the last step, the first rows."""
        return self._contacts.sites

    @property
    def taken(self) -> int:
        """Number of candidates that were near in the last step."""
        return int(self._room.counts[0])

    @property
    def pairs(self) -> int:
        """Number of pairs among them."""
        return int(self._room.counts[1])

    def look(self, y: Array) -> Array:
        """Return one sample: what contacts did in the last step, where contacts are redundant the least forces."""
        system, n = self.system, self.pairs
        system.problem.find_solids(y[: system.nq])
        if self._call(0.0, 0, 0, self.h, y, 0.0, samples=1):
            press_least(self._share, *self._pair.counts.tolist())
            self._call(0.0, 0, 0, self.h, y, 0.0, samples=1, shared=True)
        found = packed_samples(system, self._samples, 1)
        own, world, places = self.active[:n], self._pair.world[:n], self._pair.places[:n]
        found["drives"][0] = drive_efforts(system, self._end, y, own, world, places, self._samples.limits[0])
        return found


def first_snapshot(system: ContactEquations, h: float, y: Array, t: float = 0.0) -> Array:
    """Return one sample: what contacts do at the start, to which no step has led.

    Where a figure is at rest and everything that presses in the first step touches already, that is what it does then;
    else what forces at this very instant are: something may land in the step, which has half of the velocity products.
    """
    now, trial = snapshot(system, t, y), Stepper(system, h)
    if y[system.nq : system.moving].any():
        return now
    trial.step(t, y.copy())
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
        self.parallel = self.stepper.alone
        if checkpoint is None:
            self.y = first.copy()
        else:
            self.y, self.sample = self.stepper.restore(checkpoint), int(checkpoint["sample"])

    def start(self) -> Array:  # noqa: D102
        self.events += self.system.begin(self.y, self.options.t0)
        return first_snapshot(self.system, self.stepper.h, self.y, self.options.t0)

    def advance(self, samples: int) -> Array:  # noqa: D102
        stepper, options = self.stepper, self.options
        states, self.failure = stepper.advance(self.sample, options.rate, self.y, options.steps, samples, options.t0)
        self.sample += len(states)
        self.events += stepper.events
        stepper.events = []
        return states

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        return {"sample": self.sample, **self.stepper.keep(self.y)}
