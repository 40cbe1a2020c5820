"""Articulated trees: kinematics, inverse and forward dynamics and the inertia matrix of a tree of 42 coordinates.

Cases are algorithm/size[/manner of writing the tree, see `human42`]; without a manner ours has plain coordinates, the
axes of a joint in sequence. A peer is made of (algorithm, states, threads) and is a `Contender`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bench.limits import peak_of_cores
from bench.register import made_peers
from bench.report import Report, Result
from bench.tree.gpu import count_operations, on_gpu
from bench.tree.human42 import Manner
from bench.tree.states import ALGORITHMS, Contender, States, check_agreement, ours
from bench.turns import Times, repeated, take_turns
from motiform.base.progress import Progress

__all__ = ["measure"]

_MANY = 2_000  # states of a batch
_PASSES = 5  # over all cases, because the weather of a shared machine changes
_RATE = "states/s"


@dataclass(frozen=True)
class _Case:
    """What is timed together, and the rows that the best times make."""

    name: str
    contenders: dict[str, Contender]
    seconds: float
    rows: Callable[[dict[str, Times], float], list[Result]]
    """From the best times and the operations per second that a core can do."""
    chunk: float = 2e-3
    """Time of the calls that are timed together [s]."""

    def timed(self) -> dict[str, Times]:
        runs = {name: repeated(one.call) for name, one in self.contenders.items()}
        return take_turns(runs, seconds=self.seconds, chunk=self.chunk)


def measure(*, device: str, progress: Progress) -> Report:
    """Measure the time of one state and the states per second of many."""
    if device == "cuda":
        return Report("tree", tuple(on_gpu(progress)))
    manners: tuple[Manner, ...] = ("axes", "native", "chain")
    cases = [_single(algorithm, manner) for manner in manners for algorithm in ALGORITHMS]
    cases += [_loop("fk"), _loop("crba")]
    cases += [_batch(algorithm, manner) for manner in manners for algorithm in ("rnea", "aba")]
    best = [dict.fromkeys(case.contenders, Times()) for case in cases]
    peak = 0.0
    for n in range(_PASSES):
        for k, (case, known) in enumerate(zip(cases, best, strict=True)):
            known |= {name: known[name].or_better(times) for name, times in case.timed().items()}
            progress((n * len(cases) + k + 1) / (_PASSES * len(cases)))
        peak = max(peak, peak_of_cores(1))
    return Report("tree", tuple(row for case, times in zip(cases, best, strict=True) for row in case.rows(times, peak)))


def _name(algorithm: str, size: str, manner: Manner) -> str:
    return f"{algorithm}/{size}" + ("" if manner == "axes" else f"/{manner}")


def _limit(algorithm: str, manner: Manner, speed: float, peak: float) -> dict[str, float]:
    return {"arithmetic": speed * count_operations(manner)[algorithm] / peak}


def _single(algorithm: str, manner: Manner) -> _Case:
    """One state, in the time of the calling thread."""
    case, states = _name(algorithm, "single", manner), States.make(manner, 1).first
    contenders = {"ours": ours(algorithm, states), **dict(made_peers("tree", case, algorithm, states, None))}
    others = {one.beside for one in contenders.values()} - {manner}
    check_agreement(case, contenders | {f"ours {m}": ours(algorithm, States.make(m, 1).first) for m in others})
    notes = [one.note for one in contenders.values() if one.note]

    def rows(times: dict[str, Times], peak: float) -> list[Result]:
        took = {name: 1e6 * times[name].cpu for name in contenders}
        return [Result(case, "cpu", 1, "us", "lower", took.pop("ours"), took, note="; ".join(notes))]

    return _Case(case, contenders, 0.15, rows)


def _loop(algorithm: str) -> _Case:
    """Many states on one thread beside a Python loop over a peer that has nothing for many."""
    case, states = _name(algorithm, "batch", "axes"), States.make("axes", _MANY)
    contenders = {"ours": ours(algorithm, states, 1), **dict(made_peers("tree", case, algorithm, states, 1))}
    check_agreement(case, contenders)

    def rows(times: dict[str, Times], peak: float) -> list[Result]:
        speeds = {name: _MANY / found.cpu for name, found in times.items()}
        own, note = speeds.pop("ours"), "; ".join(one.note for one in contenders.values() if one.note)
        return [Result(case, "cpu", 1, _RATE, "higher", own, speeds, _limit(algorithm, "axes", own, peak), note)]

    return _Case(case, contenders, 0.3, rows)


def _batch(algorithm: str, manner: Manner) -> _Case:
    """Many states on one thread and on two, and what the second one adds."""
    import numba

    case, states = _name(algorithm, "batch", manner), States.make(manner, _MANY)
    two = int(getattr(numba.config, "NUMBA_NUM_THREADS", 1)) >= 2
    contenders: dict[str, Contender] = {"ours 1": ours(algorithm, states, 1)}
    # One thread between two, so that no pool's idle threads, which spin for a while, sit on the cores of the next.
    for used in (2, 1) if two else (1,):
        peers = dict(made_peers("tree", case, algorithm, states, used))
        contenders |= {f"{name} {used}": one for name, one in peers.items()}
    if two:
        contenders["ours 2"] = ours(algorithm, states, 2)
    check_agreement(case, contenders)

    def row(used: int, speeds: dict[str, float], peak: float) -> Result:
        own = speeds[f"ours {used}"]
        beside = {name: speeds[f"{name} {used}"] for name in peers}
        return Result(case, "cpu", used, _RATE, "higher", own, beside, _limit(algorithm, manner, own, used * peak))

    def rows(times: dict[str, Times], peak: float) -> list[Result]:
        speeds = {name: _MANY / t.wall for name, t in times.items()}  # one clock, so that rows may be divided
        found = [row(1, speeds, peak)]
        if two:
            found.append(row(2, speeds, peak))
            if manner == "axes":
                alone, note = {"motiform-cpu-1": speeds["ours 1"]}, "the peer is the same call on one thread"
                scaled = f"{algorithm}/scaling"
                found.append(Result(scaled, "cpu", 2, _RATE, "higher", speeds["ours 2"], alone, note=note))
        return found

    return _Case(case, contenders, 0.9, rows, chunk=8e-3)
