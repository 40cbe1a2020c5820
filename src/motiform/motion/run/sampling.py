"""From sample to sample along a flat state vector, by fixed or adaptive steps."""

import time
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from motiform.base.errors import MotiformError, RunError
from motiform.motion.run.explicit import ExplicitStep, Schedule, march
from motiform.motion.run.guards import Guard
from motiform.motion.run.integrators import get_tableau
from motiform.motion.run.options import DIVERGED, RunOptions
from motiform.motion.run.system import Block, Checkpoint
from motiform.record import Event

__all__ = ["Equations", "Pace", "sampled", "sampled_march", "sampled_steps"]

_BLOCK_BYTES = 4 << 20  # states kept before they are observed and written
_PACE = 0.2  # [s] of work from one sign of progress to the next


class Equations(Protocol):
    """Equations of motion: a flat state vector with a rate."""

    size: int

    def initial(self) -> np.ndarray:
        """Return the state at the start, (size,)."""
        ...

    def rate(self, t: float, y: np.ndarray, out: np.ndarray) -> None:
        """Write dy/dt into out."""
        ...

    def repair(self, y: np.ndarray) -> None:
        """Bring a state back to where states are allowed, in place."""
        ...


class Pace:
    """How many samples make a block: as many as memory allows and as come in a fifth of a second.

    Blocks are what progress and commits see; their lengths change no bit of the result.
    """

    def __init__(self, numbers: int) -> None:
        self.most = max(1, min(4096, _BLOCK_BYTES // (8 * max(numbers, 1))))
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


def sampled(
    system: Equations,
    options: RunOptions,
    guards: Sequence[Guard],
    checkpoint: Checkpoint | None,
    schedule: Schedule | None = None,
) -> Iterator[Block]:
    """Advance by the integrator of the options, from the start or from a checkpoint."""
    if checkpoint is None:
        first = system.initial()
        yield Block(first[None], 0, {"sample": 0, "rows": first})
    if get_tableau(options.integrator).error is None and not guards and schedule is None:
        yield from sampled_steps(system, options, checkpoint)
    else:
        yield from sampled_march(system, options, guards, checkpoint, schedule=schedule)


def _begin(system: Equations, checkpoint: Checkpoint | None) -> tuple[int, np.ndarray]:
    if checkpoint is None:
        return 0, system.initial()
    return int(checkpoint["sample"]), np.array(checkpoint["rows"]).reshape(system.size)


def sampled_steps(system: Equations, options: RunOptions, checkpoint: Checkpoint | None) -> Iterator[Block]:
    """Fixed explicit steps, a whole number of them from sample to sample, each repaired."""
    stepper = ExplicitStep(get_tableau(options.integrator), system.rate, size=system.size)
    sample, y = _begin(system, checkpoint)
    h, good = 1 / (options.rate * options.steps), y
    kept: list[np.ndarray] = []
    pace = Pace(system.size)
    while sample < options.samples - 1:
        t = sample / options.rate
        error: MotiformError | None = None
        try:
            for n in range(options.steps):
                y = stepper.step(t + n * h, y, h)
                system.repair(y)
        except MotiformError as caught:
            error = caught
        if error is None and not np.isfinite(y).all():
            error = RunError(
                DIVERGED,
                where=f"t = {t + 1 / options.rate:.6g} s",
                got=f"step {h:.3g} s with {options.integrator}",
                remedy="Take a smaller step; the samples before this instant are kept.",
            )
        if error is not None:
            yield Block(_stack(kept, system), sample, {"sample": sample, "rows": good}, error=error)
            return
        sample, good = sample + 1, y
        kept.append(y)
        if pace.full(len(kept)) or sample == options.samples - 1:
            yield Block(_stack(kept, system), sample, {"sample": sample, "rows": y})
            kept = []


def _stack(kept: list[np.ndarray], system: Equations) -> np.ndarray:
    return np.array(kept).reshape(len(kept), system.size)


def sampled_march(
    system: Equations,
    options: RunOptions,
    guards: Sequence[Guard],
    checkpoint: Checkpoint | None,
    jumps: Sequence[float] = (),
    schedule: Schedule | None = None,
) -> Iterator[Block]:
    """Adaptive steps, or fixed ones with guards; samples are read off the dense output, a block ends with a step.

    Fixed steps land on samples; within them guards see Hermite's cubic.
    """
    stepper = ExplicitStep(
        get_tableau(options.integrator),
        system.rate,
        size=system.size,
        repair=system.repair,
        rtol=options.rtol,
        atol=options.atol,
        counted=getattr(system, "counted", None),
    )
    sample, y = _begin(system, checkpoint)
    t = float(checkpoint.get("t", sample / options.rate)) if checkpoint else 0.0
    h = float(checkpoint["step"]) if checkpoint and "step" in checkpoint else None
    if stepper.tableau.error is None:
        h = 1 / (options.rate * options.steps)
    fired = frozenset(int(k) for k in checkpoint.get("fired", ())) if checkpoint else frozenset()
    last = options.samples - 1
    kept: list[np.ndarray] = []
    events: list[Event] = []
    landings = options.rate if stepper.tableau.dense is None else None
    longest = 1 / options.rate if guards else np.inf  # a guard is looked at eight times or more from sample to sample
    end = t if checkpoint and checkpoint.get("ended") else options.t1
    segments = march(
        stepper,
        t,
        y,
        end,
        step=h,
        longest=longest,
        guards=guards,
        fired=fired,
        landings=landings,
        jumps=sorted(jumps),
        schedule=schedule,
    )
    error: MotiformError | None = None
    pace = Pace(system.size)
    while True:
        try:
            segment = next(segments)
        except StopIteration:
            break
        except MotiformError as caught:
            error = caught
            break
        while sample < last and (sample + 1) / options.rate <= segment.t1 * (1 + 1e-15):
            sample += 1
            kept.append(segment.solution(sample / options.rate))
        t, y = segment.t1, segment.after
        if segment.fired is not None:
            events += [Event(segment.t1, guards[k].name) for k in segment.fired.guards]
            fired = frozenset(segment.fired.guards)
        else:
            fired = frozenset()
        ended = any(guards[k].ends for k in fired)
        state = {
            "sample": sample,
            "rows": y,
            "t": t,
            "step": segment.next_step,
            "fired": sorted(fired),
            "ended": ended,
        }
        if pace.full(len(kept)):
            yield Block(_stack(kept, system), sample, state, events)
            kept, events = [], []
        checkpoint = state
    if checkpoint is None:
        checkpoint = {"sample": 0, "rows": y}
    yield Block(_stack(kept, system), sample, checkpoint, events, error)
