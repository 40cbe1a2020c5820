"""Errors of cuts foreseen by short runs of the engine in which all that excites the network acts [Habibi97 3.22].

What a part of a network does to another depends on what moves it: motors, imposed points, weight, wind, solids that
move, links under tension, first velocities. Over the time that is asked for the coupled and each cut network are run
side by side, so that springs that turn or leave their zone, contacts and automata count as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.laws.automaton_law import AutomatonLaw
from motiform.motion.matter.model.network import Network, NetworkState
from motiform.spatial.checks import Array

__all__ = ["Foreseen", "foresee"]

_LOOKS = 500  # instants over which errors are summed, at most
_SILENT = 1e-10  # displacements below this part of the network's size are rounding


@dataclass(frozen=True)
class Foreseen:
    """The errors of one cut network over a run."""

    errors: Mapping[int, float | None]
    """Relative L2 error ‖x_cut − x‖/‖x − x₀‖ of each model by its number; None for one that nothing moves."""
    reason: str = ""
    """Why the errors cannot be foreseen; empty where they can."""


def foresee(
    network: Network, cuts: Sequence[Network], label: np.ndarray, duration: float,
    state: NetworkState | Engine | None = None,
) -> list[Foreseen]:  # fmt: skip
    """Return the errors of models in each of some cut networks over a duration [s] from a state.

    label: number of the model of each point, (points,), −1 for points that links do not move.
    """
    count = int(label.max()) + 1
    none: dict[int, float | None] = dict.fromkeys(range(count), np.inf)
    lost = {name for cut in cuts for name, _ in _links_with_memory(network) - _links_with_memory(cut)}
    if isinstance(state, Engine) and lost:
        reason = f"links of {min(lost)!r} remember, and are cut in part"
        return [Foreseen(none, reason)] * len(cuts)
    whole, parts = _engine(network, state), [_engine(cut, state) for cut in cuts]
    start = whole.state().position
    steps = max(2, round(duration * network.frequency))
    stride = max(1, steps // _LOOKS)
    moved, off = np.zeros(len(start)), np.zeros((len(cuts), len(start)))
    reasons = [""] * len(cuts)
    for _ in range(steps // stride):
        there = _after(whole, stride)
        if there is None:
            reasons = ["the network diverges"] * len(cuts)
            break
        moved += ((there - start) ** 2).sum(axis=1)
        for n, part in enumerate(parts):
            if not reasons[n]:
                other = _after(part, stride)
                reasons[n] = "the cut network diverges" if other is None else ""
                off[n] += 0.0 if other is None else ((other - there) ** 2).sum(axis=1)

    def by_model(values: Array) -> Array:
        return np.asarray(np.bincount(label + 1, values, count + 1)[1:], float)

    size = max(np.ptp(start, axis=0).max(), np.sqrt(moved.max() * stride / steps))
    least = steps // stride * network.count * (_SILENT * size) ** 2
    return [
        Foreseen(none if reason else _errors(by_model(moved), by_model(one), least), reason)
        for one, reason in zip(off, reasons, strict=True)
    ]


def _errors(moved: Array, off: Array, least: float) -> dict[int, float | None]:
    """Return the error of each model; infinite where only the cut run moves."""
    found: dict[int, float | None] = {}
    for n, (size, error) in enumerate(zip(moved, off, strict=True)):
        still = not size > least
        found[n] = (np.inf if error > least else None) if still else float(np.sqrt(error / size))
    return found


def _links_with_memory(network: Network) -> set[tuple[str, int]]:
    """Return the links that remember something, by name, and how many they are or how many points they join."""
    slow = {(one.name, one.count) for one in network.bundles if isinstance(one.law, AutomatonLaw) or one.every > 1}
    return slow | {(one.name, len(one.points)) for one in network.reaches}


def _engine(network: Network, state: NetworkState | Engine | None) -> Engine:
    """Return an engine that begins there, with what links remember."""
    if isinstance(state, Engine):
        return Engine.resume(network, state.checkpoint())
    return Engine(network, state=state)


def _after(engine: Engine, steps: int) -> Array | None:
    """Return where the points are some steps later [m], (points, 3); None where the run has diverged."""
    try:
        engine.advance(steps)
    except RunError:
        return None
    return engine.state().position
