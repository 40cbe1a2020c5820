"""Articulated trees: kinematics, inverse and forward dynamics and the inertia matrix of a tree of 42 coordinates.

Cases are algorithm/size[/manner of writing the tree, see `human42`]; without a manner ours has plain coordinates, the
axes of a joint in sequence. Peers: pinocchio-python (one joint per coordinate, called from Python; in a loop for many
states), pinocchio-native (its free, spherical and universal joints), pinocchio-pool (its pool of threads, on the tree
that the case is about) and mujoco (hinges and slides in sequence, contacts and constraints off).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from motiform.base.libraries import usable
from motiform.base.progress import Progress
from motiform.bench.limits import peak_of_cores
from motiform.bench.report import Report, Result
from motiform.bench.tree.gpu import count_operations, on_gpu
from motiform.bench.tree.human42 import Manner
from motiform.bench.tree.peers import (
    ALGORITHMS,
    Contender,
    States,
    check_agreement,
    mujoco_single,
    ours,
    pinocchio,
    pool,
)

__all__ = ["Times", "measure", "take_turns"]

_MANY = 2_000  # states of a batch
_PASSES = 5  # over all cases, because the weather of a shared machine changes
_RATE = "states/s"
_MUJOCO = {
    "fk": "mujoco: mj_kinematics and mj_comPos, which also gives inertias and centres of mass",
    "rnea": "mujoco: mj_kinematics, mj_comPos, mj_comVel, mj_rne",
    "crba": "mujoco: mj_kinematics, mj_comPos, mj_makeM, mj_fullM",
    "aba": "mujoco: mj_forward, which factorises the inertia matrix",
}
_NATIVE = "pinocchio-native: other coordinates (quaternions), the same motion"


class Times(NamedTuple):
    """Best times of a call [s]."""

    cpu: float = float("inf")
    """Of the calling thread alone: what a call on one thread takes on a machine that others use, too."""
    wall: float = float("inf")

    def or_better(self, other: "Times") -> "Times":
        """Return the smaller of each."""
        return Times(min(self.cpu, other.cpu), min(self.wall, other.wall))


def take_turns(
    contenders: Mapping[str, Callable[[], Any]], *, seconds: float, chunk: float = 2e-3, least: int = 4
) -> dict[str, Times]:
    """Return the best times of each over many short chunks, taken in turn until the seconds are over."""
    calls = {}
    for name, call in contenders.items():
        call()
        start = time.perf_counter()
        call()
        calls[name] = max(1, int(chunk / max(time.perf_counter() - start, 1e-9)))
    best = dict.fromkeys(contenders, Times())
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < least or time.perf_counter() < end:
        for name, call in contenders.items():
            call()  # wakes its threads and fills the caches: each is timed as in a loop of its own
            wall, cpu = time.perf_counter(), time.thread_time()
            for _ in range(calls[name]):
                call()
            cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
            best[name] = best[name].or_better(Times(cpu / calls[name], wall / calls[name]))
        rounds += 1
    return best


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
        calls = {name: peer.call for name, peer in self.contenders.items()}
        return take_turns(calls, seconds=self.seconds, chunk=self.chunk)


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
    contenders, notes = {"ours": ours(algorithm, states)}, []
    if usable("pinocchio"):
        contenders["pinocchio-native" if manner == "native" else "pinocchio-python"] = pinocchio(algorithm, states)
        if manner == "axes":
            native = States.make("native", 1).first
            contenders["pinocchio-native"] = pinocchio(algorithm, native)
            contenders["ours-native"] = ours(algorithm, native)
            notes.append(_NATIVE)
    if manner == "axes" and usable("mujoco"):
        contenders["mujoco"] = mujoco_single(algorithm, states)
        notes.append(_MUJOCO[algorithm])
    check_agreement(case, contenders)
    contenders.pop("ours-native", None)  # its answer was what pinocchio-native had to give

    def rows(times: dict[str, Times], peak: float) -> list[Result]:
        took = {name: 1e6 * times[name].cpu for name in contenders}
        return [Result(case, "cpu", 1, "us", "lower", took.pop("ours"), took, note="; ".join(notes))]

    return _Case(case, contenders, 0.15, rows)


def _loop(algorithm: str) -> _Case:
    """Many states on one thread beside a Python loop over a peer that has nothing for many."""
    case, states = _name(algorithm, "batch", "axes"), States.make("axes", _MANY)
    contenders = {"ours": ours(algorithm, states, 1)}
    if usable("pinocchio"):
        contenders["pinocchio-python"] = pinocchio(algorithm, states)
    check_agreement(case, contenders)

    def rows(times: dict[str, Times], peak: float) -> list[Result]:
        speeds = {name: _MANY / found.cpu for name, found in times.items()}
        own, note = speeds.pop("ours"), "pinocchio-python: a Python loop over the states" if speeds else ""
        return [Result(case, "cpu", 1, _RATE, "higher", own, speeds, _limit(algorithm, "axes", own, peak), note)]

    return _Case(case, contenders, 0.3, rows)


def _batch(algorithm: str, manner: Manner) -> _Case:
    """Many states on one thread and on two, and what the second one adds."""
    import numba

    case, states = _name(algorithm, "batch", manner), States.make(manner, _MANY)
    pooled, two = usable("pinocchio"), int(getattr(numba.config, "NUMBA_NUM_THREADS", 1)) >= 2
    contenders: dict[str, Contender] = {"ours 1": ours(algorithm, states, 1)}
    # One thread between two, so that no pool's idle threads, which spin for a while, sit on the cores of the next.
    if pooled and two:
        contenders["pool 2"] = pool(algorithm, states, 2)
    if pooled:
        contenders["pool 1"] = pool(algorithm, states, 1)
    if two:
        contenders["ours 2"] = ours(algorithm, states, 2)
    check_agreement(case, contenders)

    def row(used: int, speeds: dict[str, float], peak: float) -> Result:
        own = speeds[f"ours {used}"]
        peers = {"pinocchio-pool": speeds[f"pool {used}"]} if pooled else {}
        return Result(case, "cpu", used, _RATE, "higher", own, peers, _limit(algorithm, manner, own, used * peak))

    def rows(times: dict[str, Times], peak: float) -> list[Result]:
        speeds = {name: _MANY / t.wall for name, t in times.items()}  # one clock, so that rows may be divided
        found = [row(1, speeds, peak)]
        if two:
            found.append(row(2, speeds, peak))
            if manner == "axes":
                peers, note = {"motiform-cpu-1": speeds["ours 1"]}, "the peer is the same call on one thread"
                scaled = f"{algorithm}/scaling"
                found.append(Result(scaled, "cpu", 2, _RATE, "higher", speeds["ours 2"], peers, note=note))
        return found

    return _Case(case, contenders, 0.9, rows, chunk=8e-3)
