"""Simulation of rigid bodies: which kernels run, sample by sample, and what is recorded."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.base.progress import Progress
from motiform.motion.bodies.model import Bodies, State
from motiform.motion.integrate import CASH_KARP, DORMAND_PRINCE, EULER, RK4, ExplicitStep, Guard, get_method, march
from motiform.record import Channel, Recorder, Recording

__all__ = ["Force", "Options", "simulate_bodies"]

Force = Callable[[float, State], tuple[np.ndarray, np.ndarray]]
"""force(t, state) gives forces [N] and torques about the centres of mass [N m], world axes, (n, 3) each."""

_BLOCK_BYTES = 4 << 20  # states kept before they are observed and written
_PACE = 0.2  # [s] of work from one sign of progress to the next
_MOST = 1e9  # samples of a run, and steps from one sample to the next
_TABLEAUX = {"euler": EULER, "rk4": RK4, "cash-karp": CASH_KARP, "dormand-prince": DORMAND_PRINCE}


@dataclass(frozen=True)
class Options:
    """How a run is made."""

    duration: float
    """[s]"""
    rate: float = 100.0
    """Samples kept per second [Hz]."""
    integrator: str = "lie-midpoint"
    step: float = 1e-3
    """Longest step of a fixed-step integrator [s]; shortened so that a whole number of steps makes a sample."""
    rtol: float = 1e-9
    """Relative tolerance of an adaptive integrator."""
    atol: float = 1e-12
    """Absolute tolerance of an adaptive integrator, on every number of the state."""
    device: str = "cpu"

    def __post_init__(self) -> None:
        for key in ("duration", "rate", "step", "rtol"):
            value = getattr(self, key)
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"{key} is out of range", got=value, allowed="a finite number above 0")
        if not (np.isfinite(self.atol) and self.atol >= 0):
            raise InputError("atol is out of range", got=self.atol, allowed="a finite number, at least 0")
        if not self.duration * self.rate < _MOST:
            got = f"{self.duration * self.rate:.3g}"
            raise InputError("too many samples", got=got, allowed="at most 1e9", remedy="Lower rate or duration.")
        if not self.rate * self.step * _MOST > 1:
            raise InputError(
                "too many steps from sample to sample",
                got=f"step {self.step:g} s at {self.rate:g} samples a second",
                allowed="at most 1e9",
                remedy="Raise step or rate.",
            )
        get_method(self.integrator)

    @property
    def samples(self) -> int:
        """Number of samples, the one at the start counted."""
        return int(np.floor(self.duration * self.rate * (1 + 1e-12))) + 1

    @property
    def steps(self) -> int:
        """Steps of a fixed-step integrator from one sample to the next."""
        return max(1, int(np.ceil(1 / (self.rate * self.step) * (1 - 1e-12))))


@dataclass
class _Block:
    """States at a run of samples, what happened, and all that is needed to go on from there."""

    rows: np.ndarray
    checkpoint: dict[str, Any]
    events: list[tuple[float, str]] = field(default_factory=list)
    error: RunError | None = None


def simulate_bodies(
    model: Bodies,
    options: Options,
    *,
    forces: Sequence[Force] = (),
    guards: Sequence[Guard] = (),
    out: str | Path | None = None,
    manifest: dict[str, Any] | None = None,
    statics: dict[str, np.ndarray] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Run a model of rigid bodies and return the recording, in memory or, with `out`, on disk.

    Functions of guards take and give a `State`, as force functions do.
    """
    method = get_method(options.integrator)
    if guards and options.integrator != "dormand-prince":
        raise InputError("guards need dense output", got=options.integrator, allowed="'dormand-prince'")
    fused = not method.adaptive and model.packed.alone and not forces
    if options.device != "cpu" and not fused:
        raise InputError(
            "the GPU takes fixed steps of bodies that do not act on one another",
            got=f"{options.integrator} with {len(model.springs)} springs, {len(forces)} functions",
            remedy="Take device='cpu' for this model.",
        )
    if resume:
        if out is None:
            raise InputError("nothing to resume", remedy="Give the recording with out=.")
        recorder = Recorder.resume(out, discard=True)  # samples that no checkpoint stands for are made again
        checkpoint = recorder.checkpoint
    else:
        recorder, checkpoint = (
            Recorder(out, channels(model, options.rate), manifest=manifest or {}, statics=statics, overwrite=overwrite),
            None,
        )
    observe, guards = _Observer(model), [_on_rows(guard) for guard in guards]
    blocks = _blocks_alone if fused else _blocks_by_steps if not method.adaptive else _blocks_by_march
    with recorder:
        for block in _with_start(model, checkpoint, blocks(model, options, forces, guards, checkpoint)):
            recorder.append(observe(block.rows))
            for t, name in block.events:
                recorder.event(t, name)
            recorder.commit(block.checkpoint, force=block.error is not None)
            if progress is not None:
                progress(min(1.0, block.checkpoint["sample"] / (options.samples - 1)) if options.samples > 1 else 1.0)
            if block.error is not None:
                raise block.error
        return recorder.finish()


def _on_rows(guard: Guard) -> Guard:
    """Return the guard as a function of the flat vector, from one whose functions take and give a State."""

    def state(y: np.ndarray) -> State:
        return State.from_rows(y.reshape(-1, 18))

    then = guard.then
    return replace(
        guard,
        zero=lambda t, y: guard.zero(t, state(y)),
        then=None if then is None else lambda t, y: then(t, state(y)).rows().ravel(),
    )


def _with_start(model: Bodies, checkpoint: dict[str, Any] | None, blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Put the sample at the start before the others, unless the run goes on from a checkpoint."""
    if checkpoint is None:
        rows = model.initial_state().rows()
        yield _Block(rows[None], {"sample": 0, "rows": rows})
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


def _blocks_alone(
    model: Bodies, options: Options, forces: Sequence[Force], guards: Sequence[Guard], checkpoint: dict[str, Any] | None
) -> Iterator[_Block]:
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
            yield _Block(
                states[:count], {"sample": sample + count, "rows": states[count - 1] if count else rows}, error=failure
            )
            return
        sample, rows = sample + count, states[-1]
        pace.adapt(count)
        yield _Block(states, {"sample": sample, "rows": rows})


def _failure(model: Bodies, options: Options, status: np.ndarray, sample: int) -> tuple[int, RunError] | None:
    """Return how many samples of the block are good and why the next is not, or None."""
    bad = np.flatnonzero(status[:, 0])
    if not len(bad):
        return None
    body = bad[np.argmin(status[bad, 1])]
    good = int(status[body, 1])
    return good, _explain(model, options, int(status[body, 0]), int(body), (sample + good + 1) / options.rate)


def _explain(model: Bodies, options: Options, code: int, row: int, t: float) -> RunError:
    from motiform.motion.bodies import kernels

    name = next(name for name, rows in model.slices.items() if rows.start <= row < rows.stop)
    what = "the implicit step did not converge" if code == kernels.NOT_CONVERGED else "the state is no longer finite"
    return RunError(
        what,
        where=f"body {name!r}, t = {t:.6g} s",
        got=f"step {1 / (options.rate * options.steps):.3g} s with {options.integrator}",
        remedy="Take a smaller step; the samples before this instant are kept.",
    )


# ---- bodies that act on one another, or under functions -------------------------------------------------------------


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

    def ask(self, t: float, rows: np.ndarray) -> np.ndarray:
        """Return the loads (n, 6) that the user's functions give."""
        if self.forces:
            self.given[:] = 0.0
            state = State.from_rows(rows)
            for function in self.forces:
                answer = function(t, state)
                try:
                    force, torque = answer
                    self.given[:, :3] += force
                    self.given[:, 3:] += torque
                except (TypeError, ValueError) as error:
                    raise InputError(
                        "a force function gave something else",
                        where=getattr(function, "__name__", "force function"),
                        got=repr(answer)[:80],
                        allowed=f"two arrays of shape ({self.count}, 3): forces and torques",
                    ) from error
        return self.given

    def rate(self, t: float, y: np.ndarray, out: np.ndarray) -> None:
        rows = y.reshape(-1, 18)
        self.launch(self.kernels.rate, self.count, t, rows, *self.constants, self.ask(t, rows), out.reshape(-1, 18))

    def repair(self, y: np.ndarray) -> None:
        self.launch(self.kernels.repair, self.count, y.reshape(-1, 18), self.constants[0], self.orthonormal)


def _blocks_by_steps(
    model: Bodies, options: Options, forces: Sequence[Force], guards: Sequence[Guard], checkpoint: dict[str, Any] | None
) -> Iterator[_Block]:
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
                yield _Block(_stack(kept, model), {"sample": sample, "rows": good}, error=failure)
                return
            rows = end
        sample, good = sample + 1, rows
        kept.append(rows)
        if pace.full(len(kept)) or sample == options.samples - 1:
            yield _Block(_stack(kept, model), {"sample": sample, "rows": rows})
            kept = []


def _stack(kept: list[np.ndarray], model: Bodies) -> np.ndarray:
    return np.array(kept).reshape(len(kept), model.count, 18)


_Step = Callable[[float, np.ndarray, float], tuple[np.ndarray, int, int]]


def _step_function(system: _System, model: Bodies, options: Options) -> _Step:
    """Return step(t, rows, h) -> rows, status, body: one step of all bodies."""
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
        for _ in range(kernels.MOST_SWEEPS):
            given = system.ask(t + h / 2, 0.5 * (rows + last)) if system.forces else system.given
            system.launch(kernels.midpoint_sweep, n, t, h, rows, last, *system.constants, given, end, change, status)
            last, end = end, last
            now = float(change.max())
            if status.any() or kernels.settled(now, before):
                return checked(last)
            before = now
        status[int(np.argmax(change))] = kernels.NOT_CONVERGED
        return checked(last)

    if options.integrator == "symplectic-euler":
        return kick_drift
    if options.integrator == "lie-midpoint":
        return midpoint
    stepper = ExplicitStep(_TABLEAUX[options.integrator], system.rate, size=n * 18)

    def explicit(t: float, rows: np.ndarray, h: float) -> tuple[np.ndarray, int, int]:
        end = stepper.step(t, rows.ravel(), h)
        system.repair(end)
        end = end.reshape(n, 18)
        finite = np.isfinite(end).all(axis=1)
        return end, 0 if finite.all() else kernels.NOT_FINITE, int(np.argmin(finite))

    return explicit


def _blocks_by_march(
    model: Bodies, options: Options, forces: Sequence[Force], guards: Sequence[Guard], checkpoint: dict[str, Any] | None
) -> Iterator[_Block]:
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
    end = t if checkpoint and checkpoint.get("ended") else last / options.rate
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
        while sample < last and (sample + 1) / options.rate <= segment.t1:
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
            yield _Block(_stack(kept, model), state, events)
            kept, events = [], []
        checkpoint = state
    if checkpoint is None:
        checkpoint = {"sample": 0, "rows": rows}
    yield _Block(_stack(kept, model), checkpoint, events, error)


# ---- what is recorded -----------------------------------------------------------------------------------------------

_SEEN = (
    ("position", "m", ("axis",), slice(0, 3)),
    ("orientation", "", ("quaternion",), slice(3, 7)),
    ("velocity", "m/s", ("axis",), slice(7, 10)),
    ("angular_velocity", "rad/s", ("axis",), slice(10, 13)),
)


def channels(model: Bodies, rate: float) -> list[Channel]:
    """Return the channels of a recording of the model."""
    found = []
    for body in model.bodies:
        for key, unit, dims, columns in _SEEN:
            size = (columns.stop - columns.start,)
            many = ("body", *dims), (body.count, *size)
            names, shape = many if body.many else (dims, size)
            found.append(
                Channel(f"{body.name}.{key}", unit=unit, dims=names, shape=shape, rate=rate, description=_TEXTS[key])
            )
    meters: list[tuple[str, str, tuple[int, ...]]] = [
        ("energy", "J", ()),
        ("energy.kinetic", "J", ()),
        ("energy.potential", "J", ()),
        ("momentum", "kg m/s", (3,)),
        ("angular_momentum", "kg m^2/s", (3,)),
        ("orthogonality", "", ()),
    ]
    for name, unit, sizes in meters:
        found.append(
            Channel(name, unit=unit, dims=("axis",) * len(sizes), shape=sizes, rate=rate, description=_TEXTS[name])
        )
    return found


_TEXTS = {
    "position": "centre of mass, world axes",
    "orientation": "body axes in the world, (w, x, y, z)",
    "velocity": "of the centre of mass, world axes",
    "angular_velocity": "in body axes",
    "energy": "kinetic and potential (gravity from y = 0, springs), all bodies",
    "energy.kinetic": "all bodies",
    "energy.potential": "gravity from y = 0 and springs, all bodies",
    "momentum": "all bodies, world axes",
    "angular_momentum": "all bodies, about the world's origin, world axes",
    "orthogonality": "largest ‖RᵀR − 1‖ (Frobenius) of any body",
}


class _Observer:
    """Turns states (samples, n, 18) into blocks of channels."""

    def __init__(self, model: Bodies) -> None:
        self.model, self.packed = model, model.packed

    def __call__(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        from motiform.base.kernels import get_device
        from motiform.motion.bodies import kernels

        samples, n = rows.shape[:2]
        seen, meters = np.empty((samples, n, kernels.OBSERVED)), np.empty((samples, n, kernels.METERS))
        p = self.packed
        if samples:
            get_device("cpu").launch(
                kernels.observe,
                samples * n,
                np.ascontiguousarray(rows),
                p.bodies,
                p.environment,
                p.ends,
                p.partners,
                p.springs,
                seen,
                meters,
            )
        block = {}
        for body in self.model.bodies:
            own = seen[:, self.model.slices[body.name]]
            for key, _, _, columns in _SEEN:
                block[f"{body.name}.{key}"] = own[:, :, columns] if body.many else own[:, 0, columns]
        totals = np.cumsum(meters, axis=1)[:, -1]  # from the first body to the last, whatever the number of threads
        block["energy.kinetic"], block["energy.potential"] = totals[:, 0], totals[:, 1]
        block["energy"] = totals[:, 0] + totals[:, 1]
        block["momentum"], block["angular_momentum"] = totals[:, 2:5], totals[:, 5:8]
        block["orthogonality"] = meters[:, :, 8].max(axis=1)
        return block
