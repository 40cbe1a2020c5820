"""Contacts: the acceleration problem of a human on 8 and on 12 points; a human that stands and one that falls.

Cases are contact/points and motion/way. A peer of the contact problem is made of the first problem, laid out as `Laid`,
and gives the accelerations of any; a peer of the motions is made of a `Motion` and is a `MotionPeer`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.hybrid.motion import MOTIONS, MotionPeer, Way, depth_of, motion, run_ours
from bench.hybrid.problems import Laid, check_solutions, make_problems, opened, ours
from bench.register import made_peers, peer_notes
from bench.report import Report, Result
from bench.turns import Times, best_runs, repeated, take_turns
from motiform.base.errors import InputError
from motiform.base.progress import Progress

__all__ = ["MotionResult", "measure"]

_SIZES = (8, 12)  # contact points
_COUNT = 20  # problems of each size
_PASSES = 5  # over both sizes, because the weather of a shared machine changes
_WAYS: dict[str, Way] = {"event-driven": "dormand-prince", "time-stepping": "time-stepping"}


@dataclass(frozen=True)
class MotionResult(Result):
    """A motion: speeds, and the deepest penetration of each."""

    penetration: Mapping[str, float] = field(default_factory=dict)
    """[mm], ours under "ours"."""

    def as_dict(self) -> dict[str, Any]:
        """Return the result as the JSON report has it, with penetration_mm."""
        return super().as_dict() | {"penetration_mm": {who: float(f"{d:.3g}") for who, d in self.penetration.items()}}


def measure(*, device: str, progress: Progress) -> Report:
    """Measure microseconds of contact problems and simulated seconds per second of motions."""
    if device != "cpu":
        raise InputError("contacts are solved on the CPU", got=device, allowed="cpu")
    solves = [_solve_case(points) for points in _SIZES]
    best = [dict.fromkeys(case.calls, Times()) for case in solves]
    parts, done = _PASSES * len(_SIZES) + len(MOTIONS) * len(_WAYS), 0
    for _ in range(_PASSES):
        for case, known in zip(solves, best, strict=True):
            runs = {name: repeated(call) for name, call in case.calls.items()}
            found = take_turns(runs, seconds=0.5, chunk=5e-3)
            known |= {name: known[name].or_better(times) for name, times in found.items()}
            done += 1
            progress(done / parts)
    rows: list[Result] = [case.row(times) for case, times in zip(solves, best, strict=True)]
    for name in MOTIONS:
        for way in _WAYS:
            rows.append(_motion_row(name, way))
            done += 1
            progress(done / parts)
    return Report("hybrid", tuple(rows))


# ---- the contact problem --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Solves:
    """Problems of one size: for each solver a call that solves all of them."""

    name: str
    count: int
    calls: dict[str, Callable[[], Any]]
    note: str

    def row(self, times: Mapping[str, Times]) -> Result:
        took = {name: 1e6 * times[name].cpu / self.count for name in self.calls}
        return Result(self.name, "cpu", 1, "us", "lower", took.pop("ours"), took, note=self.note)


def _solve_case(points: int) -> _Solves:
    """Return the calls of one size, once all of them give the same accelerations."""
    name, problems = f"contact/{points}", make_problems(points, _COUNT)
    laid = [Laid.of(problem) for problem in problems]
    calls: dict[str, Callable[[], list[Any]]] = {"ours": lambda: [ours(problem) for problem in problems]}
    for peer, solve in made_peers("hybrid", name, laid[0]):
        calls[peer] = lambda solve=solve: [solve(problem) for problem in laid]  # type: ignore[misc]
    check_solutions(name, {who: call() for who, call in calls.items()})
    leave = np.mean([opened(problem) for problem in problems])
    notes = [f"{_COUNT} random postures, all rows redundant; of {points} points {leave:.1f} open on average"]
    return _Solves(name, _COUNT, calls, "; ".join(notes + peer_notes("hybrid", name, calls)))


# ---- motions --------------------------------------------------------------------------------------------------------


def _motion_row(name: str, way: str) -> MotionResult:
    """Return simulated seconds per second, all runs in turn, and the deepest penetration of each."""
    case, posed, integrator = f"{name}/{way}", motion(name), _WAYS[way]
    recordings: list[Any] = []
    run_ours(posed._replace(seconds=0.05), integrator)  # compiles
    runs: dict[str, Callable[[], Any]] = {"ours": lambda: recordings.append(run_ours(posed, integrator))}
    peers: dict[str, MotionPeer] = dict(made_peers("hybrid", case, posed))
    for peer in peers.values():
        peer.check(case)
    speeds = {who: posed.seconds / took for who, took in best_runs({**runs, **peers}).items()}
    # Fixed steps are looked at one by one; between events contacts are held.
    watched = run_ours(posed, integrator, rate=1000) if way == "time-stepping" else recordings[0]
    deep = {"ours": 1e3 * depth_of(watched)} | {who: 1e3 * peer.depth() for who, peer in peers.items()}
    notes = [f"{posed.seconds:g} s, 100 samples per second; ours records all channels"]
    notes += peer_notes("hybrid", case, speeds)
    own = speeds.pop("ours")
    return MotionResult(case, "cpu", 1, "s/s", "higher", own, speeds, note="; ".join(notes), penetration=deep)
