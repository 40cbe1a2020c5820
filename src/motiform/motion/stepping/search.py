"""The earliest event of a step: closing gaps, forces outside the limits of their mode, end of slip, edges, guards."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from motiform.motion.run import Guard
from motiform.motion.run.guards import earliest, time_tolerance
from motiform.motion.stepping.equations import TOUCH, ContactEquations
from motiform.motion.tree.model.joint import Array

__all__ = ["FORCES", "HALVINGS", "LOOKS", "LocatedEvents", "find"]

LOOKS = 8  # looks at the gaps within a step
FORCES = 4  # every so many of them also at the forces
HALVINGS = 20  # looks right after an event, ever nearer to it

Solution = Callable[[float], Array]
Locate = Callable[[float, float], float]
"""locate(low, high) gives the first instant in (low, high] at which a mode may have to change."""


@dataclass
class LocatedEvents:
    """The earliest event of a step, and all that happens at it."""

    time: float
    landed: list[int] = field(default_factory=list)
    """Candidates whose gap has closed."""
    strayed: list[int] = field(default_factory=list)
    """Pairs whose point has come to an edge."""
    stale: bool = False
    """Solids touch by other features than those that are known."""
    turned: bool = False
    """A force is not allowed by its mode, or a slip has ended."""
    guards: tuple[int, ...] = ()
    """Users' guards that are zero."""


def find(
    system: ContactEquations,
    guards: Sequence[Guard],
    solution: Solution,
    t0: float,
    t1: float,
    *,
    fresh: bool,
    fired: frozenset[int],
    looked: float | None = None,
    held: float | None = None,
    locate: Locate | None = None,
) -> LocatedEvents | None:
    """Return the earliest event in (t0, t1], or None; the last look is at t1 then.

    `fresh` tells that t0 is an event: what happens soon after it is looked for with care. `fired` are the users'
    guards that are zero at t0 because they have just fired. Up to the instant `looked` nothing happens, up to `held`
    forces allow the modes.
    """
    instants = list(np.linspace(t0, t1, LOOKS + 1)[1:])
    forced = set(instants[FORCES - 1 :: FORCES])
    if fresh:
        near = [t0 + (instants[0] - t0) * 0.5**k for k in range(HALVINGS, 0, -1)]
        instants, forced = near + instants, forced | set(near[::4])
    found, before, held = None, t0 if looked is None else looked, t0 if held is None else held
    last = system.gaps(solution(before))
    for instant in instants:
        if not instant > before:
            continue
        y = solution(instant)
        gaps = system.gaps(y)
        found = _landing(system, solution, before, instant, last, gaps)
        touching = len(system.problem.active) > 0
        if touching and (instant in forced or found is not None or len(system.own_sliding) or system.own_sharp.any()):
            until = instant if found is None else found.time
            found = _first(found, _mode(system, solution, held, until, locate))
            held = until
        if system.solids is not None:
            found = _first(found, _stale(system, solution, before, instant if found is None else found.time))
        if found is not None:
            break
        before, last = instant, gaps
    if guards:
        event = earliest(guards, solution, t0, t1 if found is None else found.time, fired)
        if event is not None:
            found = _first(found, LocatedEvents(event.time, guards=event.guards))
    return found


def _first(a: LocatedEvents | None, b: LocatedEvents | None) -> LocatedEvents | None:
    """Return the earlier of two events, or both as one."""
    if a is None or b is None:
        return a or b
    if abs(a.time - b.time) > time_tolerance(a.time):
        return a if a.time < b.time else b
    return LocatedEvents(
        max(a.time, b.time),
        a.landed + b.landed,
        a.strayed + b.strayed,
        a.stale or b.stale,
        a.turned or b.turned,
        a.guards + b.guards,
    )


def _landing(
    system: ContactEquations, solution: Solution, lo: float, hi: float, before: Array, after: Array
) -> LocatedEvents | None:
    """Return the earliest instant at which free candidates touch; arm those that have come clear."""
    from scipy.optimize import brentq

    from motiform.motion.stepping.search_kernels import closing

    closed, roots = np.empty(len(after), np.int64), dict[int, float]()
    for k in closed[: closing(system.modes, system.armed, before, after, closed)]:
        # what has not been clear of its obstacle since it left must fall back a little to count
        offset = 0.0 if system.armed[k] or before[k] > TOUCH else TOUCH
        if not before[k] + offset > 0 >= after[k] + offset:
            continue
        if system.solids is not None and not system.raw_gaps(solution(lo))[k] + offset > 0:
            continue  # it has come under a face from beside it: its solids tell
        roots[int(k)] = float(
            brentq(
                lambda t, k=k, offset=offset: system.raw_gaps(solution(t))[k] + offset,
                lo,
                hi,
                xtol=1e-15,
                rtol=4 * np.finfo(float).eps,
            )
        )
    if not roots:
        return None
    first = min(roots.values())
    together = [k for k, root in roots.items() if root <= first + time_tolerance(first)]
    return LocatedEvents(max(roots[k] for k in together), landed=together)


def _stale(system: ContactEquations, solution: Solution, lo: float, hi: float) -> LocatedEvents | None:
    """Return the first instant in (lo, hi] at which solids touch otherwise than their features give, to rounding."""
    if not system.stale(solution(hi)):
        return None
    good, bad = lo, hi
    while bad - good > time_tolerance(bad):
        middle = 0.5 * (good + bad)
        if not good < middle < bad:
            break
        good, bad = (good, middle) if system.stale(solution(middle)) else (middle, bad)
    return LocatedEvents(bad, stale=True)


def _mode(
    system: ContactEquations, solution: Solution, lo: float, hi: float, locate: Locate | None
) -> LocatedEvents | None:
    """Return the first instant in (lo, hi] at which a mode must change, to rounding."""

    def broken(t: float) -> tuple[bool, list[int]]:
        y = solution(t)
        turned = system.margin(t, y) < 0  # leaves slips and regions of this instant in the problem
        strayed = [int(k) for k in system.strayed()] if system.seen[4] else []
        return turned or system.slips_end(), strayed

    turned, strayed = broken(hi)
    if not turned and not strayed:
        system.note_slips()
        return None
    good, bad = lo, hi
    if locate is not None:
        first = locate(lo, hi)
        now = broken(first)
        if now[0] or now[1]:
            return LocatedEvents(first, strayed=now[1], turned=now[0])
        good = first  # redundant contacts can share what the least forces cannot
    while bad - good > time_tolerance(bad):
        middle = 0.5 * (good + bad)
        if not good < middle < bad:
            break
        now = broken(middle)
        if now[0] or now[1]:
            bad, (turned, strayed) = middle, now
        else:
            good = middle
    return LocatedEvents(bad, strayed=strayed, turned=turned)
