"""Steps per second of all contenders on one problem of matter: started, checked, timed in turn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bench.agreement import check_same
from bench.process import Advance, Stepper, best_rates, peer_processes, timed
from bench.register import made_peers

__all__ = ["CHECKED", "UNIT", "Ways", "best_of_kind", "check_positions", "checked_rates", "ways_of"]

UNIT = "steps/s"
CHECKED = 30
"""Steps that are compared."""
_SECONDS = 20.0  # of turns

Ways = dict[str, tuple[Any, ...]]
"""How contenders are made in their processes, (function, *arguments), by library and, after a space, the way."""


def ways_of(case: str, problem: object, threads: int, device: str = "cpu") -> Ways:
    """Return the ways of all usable peers of a case."""
    made = made_peers("matter", case, problem, threads, device, device=device)
    return {way: how for _, ways in made for way, how in ways.items()}


def check_positions(
    case: str, expected: np.ndarray, tolerance: float, contenders: Mapping[str, Any], *, steps: int = CHECKED
) -> None:
    """Advance all contenders and refuse to time one that does not come to the expected positions [m]."""
    for name, contender in contenders.items():
        contender.advance(steps)
        far = float(np.abs(contender.positions() - expected).max())
        check_same(f"matter, {case}, {name}", far, tolerance, " m")


def best_of_kind(rates: Mapping[str, float]) -> dict[str, float]:
    """Return the best rate of each library: a name is the library and, after a space, the way it was used."""
    best: dict[str, float] = {}
    for name, rate in rates.items():
        library = name.split()[0]
        best[library] = max(rate, best.get(library, 0.0))
    return best


def checked_rates(
    case: str, expected: np.ndarray, tolerance: float, mine: Mapping[str, Stepper], peers: Ways, *,
    steps: int = CHECKED, seconds: float = _SECONDS, chunk: float = 0.1, of_peers: np.ndarray | None = None,
) -> dict[str, float]:  # fmt: skip
    """Return the steps per second of all, each checked, timed in turn: the best of chunks of so many seconds.

    `of_peers` are the positions that peers come to, where their law is not quite the same.
    """
    with peer_processes(f"matter, {case}", peers) as theirs:
        check_positions(case, expected, tolerance, mine, steps=steps)
        check_positions(case, expected if of_peers is None else of_peers, tolerance, theirs, steps=steps)
        turns: dict[str, Advance] = {name: timed(stepper) for name, stepper in mine.items()}
        turns |= {name: peer.advance for name, peer in theirs.items()}
        return best_rates(turns, seconds=seconds, chunk=chunk)
