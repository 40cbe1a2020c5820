"""From sample to sample: bodies alone in fused kernels, bodies coupled step by step, or adaptively with events."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.motion.bodies import columns
from motiform.motion.bodies.model import Bodies, State
from motiform.motion.bodies.options import Force, Options
from motiform.motion.integrate import CASH_KARP, DORMAND_PRINCE, EULER, RK4, ExplicitStep, Guard, march

__all__ = ["Block", "blocks_alone", "blocks_by_march", "blocks_by_steps", "with_start"]

_BLOCK_BYTES = 4 << 20  # states kept before they are observed and written
_PACE = 0.2  # [s] of work from one sign of progress to the next
_TABLEAUX = {"euler": EULER, "rk4": RK4, "cash-karp": CASH_KARP, "dormand-prince": DORMAND_PRINCE}


@dataclass
class Block:
    """States at a run of samples, what happened, and all that is needed to go on from there."""

    rows: np.ndarray
    checkpoint: dict[str, Any]
    events: list[tuple[float, str]] = field(default_factory=list)
    error: RunError | None = None


def with_start(model: Bodies, checkpoint: dict[str, Any] | None, blocks: Iterator[Block]) -> Iterator[Block]:
    """Put the sample at the start before the others, unless the run goes on from a checkpoint."""
    if checkpoint is None:
        rows = model.initial_state().rows()
        yield Block(rows[None], {"sample": 0, "rows": rows})
    yield from blocks


def _begin(model: Bodies, checkpoint: dict[str, Any] | None) -> tuple[int, np.ndarray]:
    if checkpoint is None:
        return 0, model.initial_state().rows()
    return int(checkpoint["sample"]), np.array(checkpoint["rows"])


class _Pace:
    """How many samples make a block: as many as memory allows and as come in a fifth of a second.

    Blocks are what progress and commits see; their lengths change no bit of the result.
    """

    def __init__(self, model: Bodies) -> None:
        self.most = max(1, min(4096, _BLOCK_BYTES // (model.count * 18 * 8)))
        self.count = min(16, self.most)
        self.start = time.perf_counter()

    def full(self, kept: int) -> bool:
        """Whether a block of so many samples should be handed on now; if so a new one begins."""
        if kept < self.most and time.perf_counter() - self.start < _PACE:
            return False
        self.start = time.perf_counter()
        return True

    def adapt(self, done: int) -> None:
        """Choose the next block's length from the time that one of so many samples took."""
        spent, self.start = time.perf_counter() - self.start, time.perf_counter()
        self.count = int(min(self.most, max(1, done * min(8.0, _PACE / max(spent, 1e-6)))))


# ---- bodies alone: a whole block of samples in one launch -----------------------------------------------------------


def blocks_alone(model: Bodies, options: Options, checkpoint: dict[str, Any] | None) -> Iterator[Block]:
    """Advance bodies that do not act on one another: a whole block of samples in one launch."""
    from motiform.base.kernels import get_device
    from motiform.motion.bodies import kernels

    device = get_device(options.device)
    advance = getattr(kernels, f"advance_{options.integrator.replace('-', '_')}")
    packed = model.packed
    constants = [device.array(a) for a in (packed.bodies, packed.environment, packed.load_starts, packed.loads)]
    sample, rows = _begin(model, checkpoint)
    y, status = device.array(rows), device.array(np.zeros((model.count, 2), np.int64))
    interval = 1 / options.rate
    pace = _Pace(model)
    while sample < options.samples - 1:
        count = min(pace.count, options.samples - 1 - sample)
        history = device.empty((count, model.count, 18))
        device.launch(advance, model.count, y, history, *constants, sample, interval, options.steps, status)
        states = device.host(history)
        error = _failure(model, options, device.host(status), sample)
        if error is not None:
            count, failure = error
            yield Block(
                states[:count], {"sample": sample + count, "rows": states[count - 1] if count else rows}, error=failure
            )
            return
        sample, rows = sample + count, states[-1]
        pace.adapt(count)
        yield Block(states, {"sample": sample, "rows": rows})


def _failure(model: Bodies, options: Options, status: np.ndarray, sample: int) -> tuple[int, RunError] | None:
    """Return how many samples of the block are good and why the next is not, or None."""
    bad = np.flatnonzero(status[:, 0])
    if not len(bad):
        return None
    body = bad[np.argmin(status[bad, 1])]
    good = int(status[body, 1])
    return good, _explain(model, options, int(status[body, 0]), int(body), (sample + good + 1) / options.rate)


def _explain(model: Bodies, options: Options, code: int, row: int, t: float) -> RunError:
    name = next(name for name, rows in model.slices.items() if rows.start <= row < rows.stop)
    what = (
        "the step is too long for the implicit solver, or a body turns by more than a quarter in it"
        if code == columns.NOT_CONVERGED
        else "the state is no longer finite"
    )
    return RunError(
        what,
        where=f"body {name!r}, t = {t:.6g} s",
        got=f"step {1 / (options.rate * options.steps):.3g} s with {options.integrator}",
        remedy="Take a smaller step; the samples before this instant are kept.",
    )


# ---- bodies that act on one another, or under functions -------------------------------------------------------------


def _asked(function: Force, t: float, state: State) -> list[np.ndarray]:
    """Return the forces and torques that a user's function gives, checked."""
    where = f"{getattr(function, '__name__', 'force function')}, t = {t:.6g} s"
    try:
        answer = function(t, state)
    except MotiformError:
        raise
    except Exception as error:  # whatever a user's function does wrong is told as such
        raise RunError(f"a force function failed: {type(error).__name__}: {error}", where=where) from error
    shape = state.position.shape
    try:
        force, torque = answer
        loads = [np.broadcast_to(np.asarray(load, float), shape) for load in (force, torque)]
    except (TypeError, ValueError) as error:
        allowed = f"two arrays of shape {shape}: forces and torques"
        raise InputError(
            "a force function gave something else", where=where, got=repr(answer)[:80], allowed=allowed
        ) from error
    if not all(np.isfinite(load).all() for load in loads):
        raise RunError("a force function gave numbers that are not finite", where=where)
    return loads


class _System:
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
            state = State.from_rows(rows)
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
    model: Bodies, options: Options, forces: Sequence[Force], checkpoint: dict[str, Any] | None
) -> Iterator[Block]:
    """Advance coupled bodies, or bodies under functions, by fixed steps."""
    system = _System(model, forces, orthonormal=options.integrator != "euler")
    step = _step_function(system, model, options)
    sample, rows = _begin(model, checkpoint)
    h, good = 1 / (options.rate * options.steps), rows
    kept: list[np.ndarray] = []
    pace = _Pace(model)
    while sample < options.samples - 1:
        t = sample / options.rate
        for n in range(options.steps):
            end, code, body = step(t + n * h, rows, h)
            if code:
                failure = _explain(model, options, code, body, t + (n + 1) * h)
                yield Block(_stack(kept, model), {"sample": sample, "rows": good}, error=failure)
                return
            rows = end
        sample, good = sample + 1, rows
        kept.append(rows)
        if pace.full(len(kept)) or sample == options.samples - 1:
            yield Block(_stack(kept, model), {"sample": sample, "rows": rows})
            kept = []


def _stack(kept: list[np.ndarray], model: Bodies) -> np.ndarray:
    return np.array(kept).reshape(len(kept), model.count, 18)


_Step = Callable[[float, np.ndarray, float], tuple[np.ndarray, int, int]]


def _step_function(system: _System, model: Bodies, options: Options) -> _Step:
    """Return step(t, rows, h) -> rows, status, body: one step of all bodies."""
    from motiform.motion.bodies import step_kernels

    kernels, n = system.kernels, model.count
    status = np.zeros(n, np.int64)

    def checked(rows: np.ndarray) -> tuple[np.ndarray, int, int]:
        body = int(np.argmax(status != 0))
        return rows, int(status[body]), body

    def kick_drift(t: float, rows: np.ndarray, h: float) -> tuple[np.ndarray, int, int]:
        end = np.empty_like(rows)
        system.launch(kernels.kick_drift, n, t, h, rows, *system.constants, system.ask(t, rows), end, status)
        return checked(end)

    def midpoint(t: float, rows: np.ndarray, h: float) -> tuple[np.ndarray, int, int]:
        last, end, change, before = rows.copy(), np.empty_like(rows), np.empty(n), np.inf
        for _ in range(step_kernels.MOST_SWEEPS):
            given = system.ask(t + h / 2, 0.5 * (rows + last)) if system.forces else system.given
            system.launch(kernels.midpoint_sweep, n, t, h, rows, last, *system.constants, given, end, change, status)
            last, end = end, last
            now = float(change.max())
            if status.any() or step_kernels.settled(now, before):
                return checked(last)
            before = now
        status[int(np.argmax(change))] = columns.NOT_CONVERGED
        return checked(last)

    if options.integrator == "symplectic-euler":
        return kick_drift
    if options.integrator == "lie-midpoint":
        return midpoint
    stepper = ExplicitStep(_TABLEAUX[options.integrator], system.rate, size=n * 18)

    def explicit(t: float, rows: np.ndarray, h: float) -> tuple[np.ndarray, int, int]:
        system.inside = t + 0.5 * h
        end = stepper.step(t, rows.ravel(), h)
        system.repair(end)
        end = end.reshape(n, 18)
        finite = np.isfinite(end).all(axis=1)
        return end, 0 if finite.all() else columns.NOT_FINITE, int(np.argmin(finite))

    return explicit


def blocks_by_march(
    model: Bodies, options: Options, forces: Sequence[Force], guards: Sequence[Guard], checkpoint: dict[str, Any] | None
) -> Iterator[Block]:
    """Adaptive steps; samples are read off the dense output, a block ends with a step."""
    system = _System(model, forces)
    stepper = ExplicitStep(
        _TABLEAUX[options.integrator],
        system.rate,
        size=model.count * 18,
        repair=system.repair,
        rtol=options.rtol,
        atol=options.atol,
    )
    sample, rows = _begin(model, checkpoint)
    t = float(checkpoint.get("t", sample / options.rate)) if checkpoint else 0.0
    h = float(checkpoint["step"]) if checkpoint and "step" in checkpoint else None
    fired = frozenset(int(k) for k in checkpoint.get("fired", ())) if checkpoint else frozenset()
    last = options.samples - 1
    kept: list[np.ndarray] = []
    events: list[tuple[float, str]] = []
    landings = options.rate if stepper.tableau.dense is None else None
    longest = 1 / options.rate if guards else np.inf  # a guard is looked at eight times or more from sample to sample
    end = t if checkpoint and checkpoint.get("ended") else options.duration
    jumps = sorted({instant for load in model.loads for instant in (load.start, load.until)})
    segments = march(
        stepper,
        t,
        rows.ravel(),
        end,
        step=h,
        longest=longest,
        guards=guards,
        fired=fired,
        landings=landings,
        jumps=jumps,
    )
    error: RunError | None = None
    pace = _Pace(model)
    while True:
        try:
            segment = next(segments)
        except StopIteration:
            break
        except RunError as caught:
            error = caught
            break
        while sample < last and (sample + 1) / options.rate <= segment.t1 * (1 + 1e-15):
            sample += 1
            kept.append(segment.solution(sample / options.rate).reshape(model.count, 18))
        t, rows = segment.t1, segment.after.reshape(model.count, 18)
        if segment.fired is not None:
            events += [(segment.t1, guards[k].name) for k in segment.fired.guards]
            fired = frozenset(segment.fired.guards)
        else:
            fired = frozenset()
        ended = any(guards[k].ends for k in fired)
        state = {
            "sample": sample,
            "rows": rows,
            "t": t,
            "step": segment.next_step,
            "fired": sorted(fired),
            "ended": ended,
        }
        if pace.full(len(kept)):
            yield Block(_stack(kept, model), state, events)
            kept, events = [], []
        checkpoint = state
    if checkpoint is None:
        checkpoint = {"sample": 0, "rows": rows}
    yield Block(_stack(kept, model), checkpoint, events, error)
