"""Times taken in turns: machines are shared, so the best of short chunks counts, and all share the weather."""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Run", "Times", "best_runs", "best_times", "repeated", "take_turns"]

_SHORT, _SLOW = 0.3, 5.0  # [s] of `best_runs`: shorter runs are repeated in their turn, slower ones are timed once


class Times(NamedTuple):
    """Times of a call [s]."""

    cpu: float = float("inf")
    """Of the calling thread alone: what a call on one thread takes on a machine that others use, too."""
    wall: float = float("inf")

    def or_better(self, other: "Times") -> "Times":
        """Return the smaller of each."""
        return Times(min(self.cpu, other.cpu), min(self.wall, other.wall))


Run = Callable[[int], Times]
"""Does the work so many times and returns the times of all together."""


def repeated(call: Callable[[], object]) -> Run:
    """Return a call as a run."""

    def run(count: int) -> Times:
        wall, cpu = time.perf_counter(), time.thread_time()
        for _ in range(count):
            call()
        return Times(time.thread_time() - cpu, time.perf_counter() - wall)

    return run


def take_turns(runs: Mapping[str, Run], *, seconds: float, chunk: float = 2e-3, least: int = 4) -> dict[str, Times]:
    """Return the best times of one piece of work of each, over chunks [s] in turn until the seconds are over."""
    counts = {name: _count(run, chunk) for name, run in runs.items()}
    best = dict.fromkeys(runs, Times())
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < least or time.perf_counter() < end:
        for name, run in runs.items():
            run(1)  # wakes its threads and fills the caches: each is timed as in a loop of its own
            cpu, wall = run(counts[name])
            best[name] = best[name].or_better(Times(cpu / counts[name], wall / counts[name]))
        rounds += 1
    return best


def _count(run: Run, chunk: float) -> int:
    """Return how often work of about so many seconds is done; the first time, which compiles, does not count."""
    run(1)
    took, count = run(1).wall, 1
    while took < chunk / 2 and count < 1 << 20:
        count *= 2
        took = run(count).wall
    return max(1, round(count * chunk / max(took, 1e-9)))


def best_times(calls: Mapping[str, Callable[[], object]], *, rounds: int = 7, chunk: float = 0.15) -> dict[str, float]:
    """Return the best wall time of each call [s] over so many chunks in turn."""
    runs = {name: repeated(call) for name, call in calls.items()}
    return {name: best.wall for name, best in take_turns(runs, seconds=0.0, chunk=chunk, least=rounds).items()}


def best_runs(calls: Mapping[str, Callable[[], object]], *, rounds: int = 3) -> dict[str, float]:
    """Return the best wall time of each of a few long calls in turn [s]: short ones more often, slow ones once."""
    best = dict.fromkeys(calls, float("inf"))
    for turn in range(rounds):
        for name, call in calls.items():
            if turn > 0 and best[name] > _SLOW:
                continue
            for _ in range(1 if turn == 0 else max(1, int(_SHORT / best[name]))):
                best[name] = min(best[name], repeated(call)(1).wall)
    return best
