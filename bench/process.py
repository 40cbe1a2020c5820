"""Peers in processes of their own, where they bring thread pools and runtimes that clash."""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from typing import Any, Protocol

import numpy as np

from bench.register import leave_out
from bench.turns import Run, Times, take_turns
from motiform.base.errors import RunError

__all__ = ["Advance", "InProcess", "Rolling", "Stepper", "best_rates", "peer_processes", "timed"]

_PATIENCE = 5.0  # [s] for a peer to end


class Stepper(Protocol):
    """A problem that stands at its start and can be advanced."""

    def advance(self, steps: int) -> None:
        """Take so many steps, and return when they are done."""

    def positions(self) -> np.ndarray:
        """Return the positions now [m], (n, 3)."""


#: Advances some contender by so many steps and returns the seconds that it took.
Advance = Callable[[int], float]


def timed(stepper: Stepper) -> Advance:
    """Return the timed advance of a stepper in this process."""

    def advance(steps: int) -> float:
        begun = time.perf_counter()
        stepper.advance(steps)
        return time.perf_counter() - begun

    return advance


class Rolling:
    """A stepper of three buffers: step(now, before, after) fills the third, and they change places."""

    def __init__(
        self,
        buffers: Sequence[Any],
        step: Callable[[Any, Any, Any], object],
        read: Callable[[Any], np.ndarray],
        wait: Callable[[], object] = lambda: None,
    ) -> None:
        self._now, self._before, self._after = buffers
        self._step, self._read, self._wait = step, read, wait

    def advance(self, steps: int) -> None:
        """Take so many steps, and return when they are done."""
        for _ in range(steps):
            self._step(self._now, self._before, self._after)
            self._now, self._before, self._after = self._after, self._now, self._before
        self._wait()

    def positions(self) -> np.ndarray:
        """Return the positions now [m], (n, 3)."""
        return np.asarray(self._read(self._now))


class InProcess:
    """A peer in a process of its own."""

    def __init__(self, name: str, make: Callable[..., Stepper], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
        self.name = name
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, make, arguments), daemon=True)
        self._process.start()
        theirs.close()  # so that the end of the process ends the pipe
        self._answer()

    def _answer(self) -> Any:
        try:
            failed, answer = self._pipe.recv()
        except EOFError:
            raise RunError("the process of a peer has ended", where=self.name) from None
        if failed:
            raise RunError("a peer failed", where=self.name, got=answer)
        return answer

    def advance(self, steps: int) -> float:
        """Take so many steps and return the seconds that they took there."""
        self._pipe.send(steps)
        return float(self._answer())

    def positions(self) -> np.ndarray:
        """Return the positions now [m], (n, 3)."""
        self._pipe.send(None)
        return np.asarray(self._answer())

    def close(self) -> None:
        """Let the process go."""
        self._pipe.close()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()


def _serve(pipe: Connection, make: Callable[..., Stepper], arguments: tuple[Any, ...]) -> None:
    """Make the stepper and answer until the pipe ends. What libraries print goes nowhere: errors go by the pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        stepper = make(*arguments)
        advance = timed(stepper)
        pipe.send((False, None))
        while True:
            try:
                steps = pipe.recv()
            except EOFError:
                return
            pipe.send((False, stepper.positions() if steps is None else advance(steps)))
    except Exception as error:
        pipe.send((True, f"{type(error).__name__}: {error}"))


@contextmanager
def peer_processes(where: str, peers: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, InProcess]]:
    """Start a process for each peer, given as (make, *arguments), and end them all; one that fails is left out."""
    with ExitStack() as stack:
        started = {}
        for name, (make, *arguments) in peers.items():
            try:
                started[name] = InProcess(name, make, *arguments)
            except RunError as error:
                leave_out(name, where, error)
                continue
            stack.callback(started[name].close)
        yield started


def best_rates(contenders: Mapping[str, Advance], *, seconds: float, chunk: float = 0.1) -> dict[str, float]:
    """Return the best steps per second of each over short chunks, taken in turn until the seconds are over."""
    runs: dict[str, Run] = {name: _as_run(advance) for name, advance in contenders.items()}
    return {name: 1 / best.wall for name, best in take_turns(runs, seconds=seconds, chunk=chunk, least=3).items()}


def _as_run(advance: Advance) -> Run:
    return lambda steps: Times(wall=advance(steps))
