"""Runs of bodies: independent ones in fused kernels, coupled ones by fixed steps, or adaptively with events."""

from collections.abc import Callable, Sequence

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.bodies import columns
from motiform.motion.bodies.model import Bodies, BodiesState, Force
from motiform.motion.bodies.steps import get_steps
from motiform.motion.run import AdaptiveSteps, Checkpoint, ExplicitStep, FixedSteps, Guard, Run, RunOptions
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.run.guards import guard_value
from motiform.motion.run.integrators import get_method, get_tableau
from motiform.motion.run.options import DIVERGED, LOST
from motiform.spatial.checks import Words

__all__ = ["BodiesAlone", "check_functions", "coupled_run"]

# ---- bodies alone: a whole block of samples in one launch -----------------------------------------------------------


class BodiesAlone(Run):
    """Bodies that do not interact: many samples in one launch."""

    def __init__(self, model: Bodies, options: RunOptions, checkpoint: Checkpoint | None) -> None:
        from motiform.base.kernels import get_device

        super().__init__(options.samples - 1)
        self.model, self.options, self.rows, self.size = model, options, model.initial_state().rows(), model.count * 18
        if checkpoint is not None:
            self.sample, self.rows = int(checkpoint["sample"]), np.array(checkpoint["rows"])
        self._device, self._advance = get_device(options.device), get_steps(options.integrator).advance
        packed, put = model.packed, self._device.array
        self._constants = [put(a) for a in (packed.bodies, packed.environment, packed.load_starts, packed.loads)]
        self._y, self._status = put(self.rows), put(np.zeros((model.count, 2), np.int64))

    def start(self) -> np.ndarray:  # noqa: D102
        return self.rows[None]

    def advance(self, samples: int) -> np.ndarray:  # noqa: D102
        device, options, n = self._device, self.options, self.model.count
        history = device.empty((samples, n, 18))
        device.launch(
            self._advance, n, self._y, history, *self._constants, self.sample, 1 / options.rate, options.steps,
            self._status,
        )  # fmt: skip
        states = device.host(history)
        failed = _failure(self.model, options, device.host(self._status), self.sample, self.rows)
        if failed is not None:
            samples, self.failure = failed
        self.sample, states = self.sample + samples, states[:samples]
        self.rows = states[-1] if samples else self.rows
        return states

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        return {"sample": self.sample, "rows": self.rows}


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
        self.model, self.size = model, model.count * 18
        p = model.packed
        self.constants = (p.bodies, p.environment, p.load_starts, p.loads, p.ends, p.partners, p.springs)
        self.given = np.zeros((model.count, 6))
        self.inside: float | None = None
        """Instant that decides which loads act; None: the instant of the rate."""

    def initial(self) -> np.ndarray:
        return self.model.initial_state().rows().ravel()

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


def coupled_run(
    model: Bodies, options: RunOptions, forces: Sequence[Force], guards: Sequence[Guard], checkpoint: Checkpoint | None
) -> Run:
    """Return a run of interacting bodies, or of bodies under functions, by fixed or by adaptive steps."""
    if get_method(options.integrator).adaptive:
        jumps = {instant for load in model.loads for instant in (load.start, load.until)}
        return AdaptiveSteps(CoupledBodies(model, forces), options, guards, checkpoint, sorted(jumps))
    system = CoupledBodies(model, forces, orthonormal=options.integrator != "euler")
    step = _step_function(system, model, options)
    return FixedSteps(step, model.initial_state().rows(), options, checkpoint)


def _step_function(
    system: CoupledBodies, model: Bodies, options: RunOptions
) -> Callable[[float, np.ndarray, float], np.ndarray]:
    """Return step(t, rows, h) -> rows: one step of all bodies."""
    n, status = model.count, np.zeros(model.count, np.int64)
    own = getattr(get_steps(options.integrator), "step", None)
    if own is not None:

        def on_group(t: float, rows: np.ndarray, h: float) -> np.ndarray:
            end: np.ndarray = own(system, t, rows, h, status)
            if status.any():
                body = int(np.argmax(status != 0))
                raise _explain(model, options, int(status[body]), body, t + h, rows)
            return end

        return on_group
    stepper = ExplicitStep(get_tableau(options.integrator), system.rate, size=n * 18)

    def explicit(t: float, rows: np.ndarray, h: float) -> np.ndarray:
        system.inside = t + 0.5 * h
        end = stepper.step(t, rows.ravel(), h)
        system.repair(end)
        end = end.reshape(n, 18)
        finite = np.isfinite(end).all(axis=1)
        if not finite.all():
            raise _explain(model, options, columns.NOT_FINITE, int(np.argmin(finite)), t + h, rows)
        return end

    return explicit
