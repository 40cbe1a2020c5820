"""From sample to sample: independent bodies in fused kernels, coupled bodies by steps, or adaptively with events."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.bodies import columns
from motiform.motion.bodies.model import Bodies, BodiesState, Force
from motiform.motion.bodies.steps import get_steps
from motiform.motion.run import Block, Checkpoint, ExplicitStep, Guard, Pace, RunOptions, get_tableau, sampled_march
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.run.guards import guard_value
from motiform.motion.run.options import DIVERGED, LOST
from motiform.spatial.checks import Words

__all__ = ["blocks_alone", "blocks_by_march", "blocks_by_steps", "check_functions"]


def _begin(model: Bodies, checkpoint: Checkpoint | None) -> tuple[int, np.ndarray]:
    if checkpoint is None:
        return 0, model.initial_state().rows()
    return int(checkpoint["sample"]), np.array(checkpoint["rows"])


# ---- bodies alone: a whole block of samples in one launch -----------------------------------------------------------


def blocks_alone(model: Bodies, options: RunOptions, checkpoint: Checkpoint | None) -> Iterator[Block]:
    """Advance bodies that do not interact: a block of samples in one launch."""
    from motiform.base.kernels import get_device

    device, advance = get_device(options.device), get_steps(options.integrator).advance
    packed = model.packed
    constants = [device.array(a) for a in (packed.bodies, packed.environment, packed.load_starts, packed.loads)]
    sample, rows = _begin(model, checkpoint)
    y, status = device.array(rows), device.array(np.zeros((model.count, 2), np.int64))
    interval = 1 / options.rate
    pace = Pace(model.count * 18)
    while sample < options.samples - 1:
        count = min(pace.count, options.samples - 1 - sample)
        history = device.empty((count, model.count, 18))
        device.launch(advance, model.count, y, history, *constants, sample, interval, options.steps, status)
        states = device.host(history)
        error = _failure(model, options, device.host(status), sample, rows)
        if error is not None:
            count, failure = error
            sample, last = sample + count, states[count - 1] if count else rows
            yield Block(states[:count], sample, {"sample": sample, "rows": last}, error=failure)
            return
        sample, rows = sample + count, states[-1]
        pace.adapt(count)
        yield Block(states, sample, {"sample": sample, "rows": rows})


def _failure(
    model: Bodies, options: RunOptions, status: np.ndarray, sample: int, rows: np.ndarray
) -> tuple[int, RunError] | None:
    """Return how many samples of the block are good and why the next is not, or None."""
    bad = np.flatnonzero(status[:, 0])
    if not len(bad):
        return None
    body = bad[np.argmin(status[bad, 1])]
    good = int(status[body, 1])
    return good, _explain(model, options, int(status[body, 0]), int(body), (sample + good + 1) / options.rate, rows)


def _explain(model: Bodies, options: RunOptions, code: int, row: int, t: float, state: np.ndarray) -> RunError:
    name = next(name for name, rows in model.slices.items() if rows.start <= row < rows.stop)
    largest = max(np.abs(state[row]).max(), np.abs(np.asarray(model.environment.gravity)).max())
    if not largest < LOST:
        return RunError(
            "places, speeds and gravity are too large for the motion to be computed",
            where=f"body {name!r}, t = {t:.6g} s", got=f"{largest:.3g}", allowed=f"below {LOST:g} in SI units",
        )  # fmt: skip
    what = (
        "the step is too long for the implicit solver, or a body turns by more than a quarter in it"
        if code == columns.NOT_CONVERGED
        else DIVERGED
    )
    return RunError(
        what,
        where=f"body {name!r}, t = {t:.6g} s",
        got=f"step {1 / (options.rate * options.steps):.3g} s with {options.integrator}",
        remedy="Take a smaller step; the samples before this instant are kept.",
    )


# ---- bodies that act on one another, or under functions -------------------------------------------------------------


def _asked(function: Force, t: float, state: BodiesState) -> list[np.ndarray]:
    """Return the forces and torques that a user's function gives, checked."""
    where, what = f"{getattr(function, '__name__', 'force function')}, t = {t:.6g} s", "a force function"
    answer, shape = call(function, t, state, what=what, where=where), state.position.shape
    allowed = f"two arrays of shape {shape}: forces and torques"
    try:
        force, torque = answer
    except (TypeError, ValueError) as error:
        got = Words(" ".join(repr(answer).split())[:80])
        raise InputError(f"{what} returned a wrong value", where=where, got=got, allowed=allowed) from error
    return [check_numbers(load, shape, what=what, where=where, allowed=allowed) for load in (force, torque)]


def check_functions(model: Bodies, forces: Sequence[Force], guards: Sequence[Guard]) -> None:
    """Call the functions of a run once at its start, so that wrong results raise an error before recording begins."""
    state = BodiesState.from_rows(model.initial_state().rows())
    for function in forces:
        _asked(function, 0.0, state)
    for guard in guards:
        guard_value(guard, 0.0, state)


class CoupledBodies:
    """The rate of all bodies as a flat vector, on one device."""

    def __init__(self, model: Bodies, forces: Sequence[Force], *, orthonormal: bool = True) -> None:
        from motiform.base.kernels import get_device
        from motiform.motion.bodies import kernels

        self.kernels, self.launch = kernels, get_device("cpu").launch
        self.count, self.forces, self.orthonormal = model.count, forces, orthonormal
        p = model.packed
        self.constants = (p.bodies, p.environment, p.load_starts, p.loads, p.ends, p.partners, p.springs)
        self.given = np.zeros((model.count, 6))
        self.inside: float | None = None
        """Instant that decides which loads act; None: the instant of the rate."""

    def ask(self, t: float, rows: np.ndarray) -> np.ndarray:
        """Return the loads (n, 6) that the user's functions give."""
        if self.forces:
            self.given[:] = 0.0
            state = BodiesState.from_rows(rows)
            for function in self.forces:
                force, torque = _asked(function, t, state)
                self.given[:, :3] += force
                self.given[:, 3:] += torque
        return self.given

    def rate(self, t: float, y: np.ndarray, out: np.ndarray) -> None:
        rows, inside = y.reshape(-1, 18), t if self.inside is None else self.inside
        given = self.ask(t, rows)
        self.launch(self.kernels.rate, self.count, t, inside, rows, *self.constants, given, out.reshape(-1, 18))

    def repair(self, y: np.ndarray) -> None:
        self.launch(self.kernels.repair, self.count, y.reshape(-1, 18), self.constants[0], self.orthonormal)


def blocks_by_steps(
    model: Bodies, options: RunOptions, forces: Sequence[Force], checkpoint: Checkpoint | None
) -> Iterator[Block]:
    """Advance coupled bodies, or bodies under functions, by fixed steps."""
    system = CoupledBodies(model, forces, orthonormal=options.integrator != "euler")
    step = _step_function(system, model, options)
    sample, rows = _begin(model, checkpoint)
    h, good = 1 / (options.rate * options.steps), rows
    kept: list[np.ndarray] = []
    pace = Pace(model.count * 18)
    while sample < options.samples - 1:
        t = sample / options.rate
        for n in range(options.steps):
            end, code, body = step(t + n * h, rows, h)
            if code:
                failure = _explain(model, options, code, body, t + (n + 1) * h, rows)
                yield Block(_stack(kept, model), sample, {"sample": sample, "rows": good}, error=failure)
                return
            rows = end
        sample, good = sample + 1, rows
        kept.append(rows)
        if pace.full(len(kept)) or sample == options.samples - 1:
            yield Block(_stack(kept, model), sample, {"sample": sample, "rows": rows})
            kept = []


def _stack(kept: list[np.ndarray], model: Bodies) -> np.ndarray:
    return np.array(kept).reshape(len(kept), model.count, 18)


_Step = Callable[[float, np.ndarray, float], tuple[np.ndarray, int, int]]


def _step_function(system: CoupledBodies, model: Bodies, options: RunOptions) -> _Step:
    """Return step(t, rows, h) -> rows, status, body: one step of all bodies."""
    n, status = model.count, np.zeros(model.count, np.int64)
    own = getattr(get_steps(options.integrator), "step", None)
    if own is not None:

        def on_group(t: float, rows: np.ndarray, h: float) -> tuple[np.ndarray, int, int]:
            end = own(system, t, rows, h, status)
            body = int(np.argmax(status != 0))
            return end, int(status[body]), body

        return on_group
    stepper = ExplicitStep(get_tableau(options.integrator), system.rate, size=n * 18)

    def explicit(t: float, rows: np.ndarray, h: float) -> tuple[np.ndarray, int, int]:
        system.inside = t + 0.5 * h
        end = stepper.step(t, rows.ravel(), h)
        system.repair(end)
        end = end.reshape(n, 18)
        finite = np.isfinite(end).all(axis=1)
        return end, 0 if finite.all() else columns.NOT_FINITE, int(np.argmin(finite))

    return explicit


class _Flat:
    """Rigid bodies as a flat state vector."""

    def __init__(self, model: Bodies, forces: Sequence[Force]) -> None:
        system = CoupledBodies(model, forces)
        self.size, self.rate, self.repair = model.count * 18, system.rate, system.repair
        self.model = model

    def initial(self) -> np.ndarray:
        return self.model.initial_state().rows().ravel()


def blocks_by_march(
    model: Bodies, options: RunOptions, forces: Sequence[Force], guards: Sequence[Guard], checkpoint: Checkpoint | None
) -> Iterator[Block]:
    """Adaptive steps; samples are read off the dense output, a block ends with a step."""
    jumps = {instant for load in model.loads for instant in (load.start, load.until)}
    for block in sampled_march(_Flat(model, forces), options, guards, checkpoint, sorted(jumps)):
        yield replace(block, states=np.asarray(block.states).reshape(-1, model.count, 18))
