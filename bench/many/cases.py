"""Many humans that stand and are pushed by their own starting velocities: simulated seconds of all per second.

A peer is made of `Crowd` and runs it by a call.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.hybrid.motion import RATE, STEP, Motion, motion
from bench.register import made_peers, peer_notes
from bench.report import Report, Result
from bench.turns import best_runs
from motiform.base.errors import InputError
from motiform.base.progress import Progress

__all__ = ["Crowd", "measure"]

_COUNT, _SECONDS = 1000, 1.0
_SPREAD = 0.1  # [rad/s] of starting velocities


class Crowd(NamedTuple):
    """One motion with many starts."""

    way: Motion
    v0: np.ndarray
    """(copies, nv)"""
    threads: int


def measure(*, device: str, progress: Progress) -> Report:
    """Measure a thousand humans, on all cores, from their making to the recording."""
    from motiform import simulate_many
    from motiform.base.kernels import thread_count

    if device != "cpu":
        raise InputError("figures are simulated on the CPU", got=device, allowed="cpu")
    way = motion("standing")._replace(seconds=_SECONDS)
    v0 = _SPREAD * np.random.default_rng(3).normal(size=(_COUNT, way.figure.nv))
    crowd, case = Crowd(way, v0, thread_count()), f"humans/{_COUNT}"

    def ours(count: int = _COUNT) -> Any:
        return simulate_many(
            way.figure, count, q0=way.figure.neutral(), v0=v0[:count], contacts=way.contacts, controls=way.control,
            t1=_SECONDS, rate=RATE, step=STEP, record=("q", "v"),
        )  # fmt: skip

    ours(2)  # compiles
    calls: dict[str, Callable[[], object]] = {"ours": ours, **dict(made_peers("many", case, crowd))}
    progress(0.1)
    speeds = {who: _COUNT * _SECONDS / took for who, took in best_runs(calls).items()}
    progress(1.0)
    notes = [f"{_SECONDS:g} s each, q and v at {RATE} Hz, {crowd.threads} threads, wall clock"]
    own = speeds.pop("ours")
    row = Result(
        case,
        "cpu",
        crowd.threads,
        "s/s",
        "higher",
        own,
        speeds,
        note="; ".join(notes + peer_notes("many", case, speeds)),
    )
    return Report("many", (row,))
