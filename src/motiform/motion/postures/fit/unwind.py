"""One representation of each posture over a whole trial: second sets of angles, full turns, signs of quaternions.

Three axes in sequence, each at a right angle to the next, reach every rotation with two sets of angles, (a, b, c) and
(a + π, 2 m − b, c − π), and every angle may have full turns more. The fit of a sample ends in any of them. From sample
to sample the nearest is taken; over the whole trial the path nearest to the prior.
"""

from dataclasses import dataclass
from itertools import product
from weakref import WeakKeyDictionary

import numpy as np

from motiform.measure.gaps import runs
from motiform.motion.postures.fit.fitter import FittedPostures, Fitter
from motiform.motion.tree import Figure, forward_kinematics, joint_axes
from motiform.motion.tree.model.joint import Array

__all__ = ["Turns", "find_turns", "nearest_path", "unwind", "wrap_inside_limits", "wrapped"]

_TURN = 2.0 * np.pi
_SAME = 1e-9  # [m, -] difference of poses that are one posture
_FOLLOWED_SD, _WINDOW = (
    0.25,
    8,
)  # [rad] standard deviation of angles that can be followed; samples through which lines go
_EDGE = 1e-9  # [rad] by which rounding may take an angle over its limit


@dataclass(frozen=True)
class Turns:
    """Angles that are unwound together: three with a second set of angles, or one."""

    at: np.ndarray
    """Their places in q."""
    middle: float | None
    """m of the second set [rad], None where there is none."""
    low: Array
    """Least value of each angle [rad]."""
    high: Array
    """Most of each [rad]."""
    prior: Array
    """To which angles shall be near [rad]."""

    def other(self, q: Array) -> Array:
        """Return the second set of angles, (samples, 3)."""
        assert self.middle is not None
        return np.stack([q[..., 0] + np.pi, 2.0 * self.middle - q[..., 1], q[..., 2] - np.pi], axis=-1)

    def inside(self, q: Array) -> np.ndarray:
        """Return whether angles are within the limits, (samples,)."""
        return np.asarray(((q >= self.low - _EDGE) & (q <= self.high + _EDGE)).all(-1))


_KNOWN: WeakKeyDictionary[Figure, dict[tuple[bytes, bytes], list[Turns]]] = WeakKeyDictionary()


def find_turns(fitter: Fitter) -> list[Turns]:
    """Return the angles of a figure that have other values for the same posture; they are looked for once."""
    known = _KNOWN.setdefault(fitter.figure, {})
    key = fitter.prior.tobytes(), fitter.limits_q.tobytes()
    if key not in known:
        known[key] = _search(fitter)
    return known[key]


def _search(fitter: Fitter) -> list[Turns]:
    """Return these angles, found by trying."""
    figure, q = fitter.figure, _some(fitter)
    prior, limits = fitter.reduce(fitter.prior[None])[0], fitter.limits_q

    def turns(columns: list[int], middle: float | None) -> Turns:
        at = np.array([places[k] for k in columns])
        return Turns(at, middle, limits[at, 0], limits[at, 1], prior[at])

    places = _angles(figure)
    turned = q[:, None] + _TURN * np.eye(figure.nq)[list(places.values())]
    full = {k for k, same in zip(places, _same(figure, q, turned), strict=True) if same}
    found, used = list[Turns](), set[int]()
    for triple in _triples(fitter):
        if used & set(triple) or not full.issuperset(triple):
            continue
        middle = _middle(figure, q, triple, places)
        if middle is not None:
            candidate, there = turns(triple, middle), q[:, None].copy()
            there[..., candidate.at] = candidate.other(there[..., candidate.at])
            if _same(figure, q, there)[0]:
                found.append(candidate)
                used.update(triple)
    return found + [turns([k], None) for k in sorted(full - used)]


def unwind(fitter: Fitter, turns: list[Turns], found: FittedPostures) -> None:
    """Give the same postures representations that are continuous over the trial, in place."""
    out, std = found.q, fitter.per_q(found.std)
    for own in turns:
        if not _even(own, out[:, own.at], std[:, own.at]):
            out[:, own.at] = nearest_path(own, out[:, own.at], std[:, own.at])
    for at in _quaternions(fitter.figure):
        sign = np.where((out[1:, at] * out[:-1, at]).sum(-1) < 0, -1.0, 1.0)
        out[1:, at] *= np.cumprod(sign)[:, None]


def wrap_inside_limits(fitter: Fitter, turns: list[Turns], q: Array) -> Array:
    """Return the representation of each posture (samples, nq) that is least beyond the limits, moved inside."""
    out = q.copy()
    for own in turns:
        every = _every(own, q[:, own.at])
        beyond = np.maximum(own.low - every, 0.0) + np.maximum(every - own.high, 0.0)
        best = np.argmin((beyond**2).sum(-1) + _EDGE * ((every - own.prior) ** 2).sum(-1), axis=1)
        out[:, own.at] = every[np.arange(len(q)), best]
    full = fitter.expand(out).copy()
    at = fitter.column_q[fitter.plain]
    full[:, at] = np.clip(full[:, at], *fitter.bounds[fitter.plain, :2].T)
    return fitter.reduce(full)


# ---------------------------------------------------------------- what a figure allows
def _some(fitter: Fitter) -> Array:
    """Return a few configurations on which representations are tried."""
    own = np.repeat(fitter.prior[None], 3, 0)
    at = fitter.column_q[fitter.plain]
    own[:, at] += np.random.default_rng(0).uniform(-1.0, 1.0, (3, len(at)))
    return fitter.reduce(own)


def _angles(figure: Figure) -> dict[int, int]:
    """Return the place in q of each plain angle, by its place in v."""
    found, layout = {}, figure.layout
    kept_q = np.arange(layout.nq) if figure.coupled is None else figure.coupled.kept_q
    kept_v = np.arange(layout.nv) if figure.coupled is None else figure.coupled.kept_v
    for n, segment in enumerate(figure.segments):
        joint = segment.joint
        if joint.plain:
            for i, k, unit in zip(layout.q[n], layout.v[n], joint.q_units, strict=True):
                if unit == "rad" and k in kept_v:
                    found[int(np.searchsorted(kept_v, k))] = int(np.searchsorted(kept_q, i))
    return found


def _triples(fitter: Fitter) -> list[list[int]]:
    """Return places in v of each three velocities in sequence from the world outward."""
    before, place = fitter.before, fitter.column_v
    coupled = fitter.figure.coupled
    kept = {int(v): k for k, v in enumerate(np.sort(place) if coupled is None else coupled.kept_v)}
    found = []
    for c in range(len(before)):
        b = before[c]
        a = before[b] if b >= 0 else -1
        if a >= 0 and all(int(place[k]) in kept for k in (a, b, c)):
            found.append([kept[int(place[k])] for k in (a, b, c)])
    return found


def _same(figure: Figure, q: Array, others: Array) -> np.ndarray:
    """Return whether configurations (samples, others, nq) are the postures q in all samples, (others,).

    Segments without mass and tags do not count: they are not observed.
    """
    some = np.array([segment.mass > 0 for segment in figure.segments])
    some[figure.packed.tags] = True
    apart = [
        np.abs(there - here[:, None])[:, :, some].reshape(*others.shape[:2], -1).max(-1).max(0)
        for here, there in zip(forward_kinematics(figure, q), forward_kinematics(figure, others), strict=True)
    ]
    return np.asarray(np.maximum(*apart) < _SAME)


def _middle(figure: Figure, q: Array, triple: list[int], places: dict[int, int]) -> float | None:
    """Return the angle m about which the second of three axes may be mirrored, None where they are not at right angles.

    The cosine of the first and the third axis is B cos b + C sin b = cos(b − m) √(B² + C²).
    """
    cosines = []
    for b in (0.0, 0.5 * np.pi):
        there = q[:1].copy()
        there[:, places[triple[1]]] = b
        e = joint_axes(figure, there)[0, triple, :3]
        if not np.allclose([e[0] @ e[1], e[1] @ e[2]], 0.0, atol=_SAME):
            return None
        cosines.append(float(e[0] @ e[2]))
    return float(np.arctan2(cosines[1], cosines[0]))


def _quaternions(figure: Figure) -> list[np.ndarray]:
    """Return the places of quaternions in q."""
    return [figure.free_places(n)[0][k : k + 4] for n, s in enumerate(figure.segments) for k in s.joint.quaternions]


# ---------------------------------------------------------------- paths
def _even(turns: Turns, q: Array, std: Array) -> bool:
    """Whether angles (samples, angles) are their own nearest path: small, within the limits, and in small steps.

    With |q − prior| < 1 and steps below 1 rad the second set is (π − 1) rad away from both in two of its angles.
    """
    away = np.abs(q - turns.prior)
    if not (away.max(initial=0.0) < 1.0 and (q >= turns.low).all() and (q <= turns.high).all()):
        return False
    sure = turns.middle is None or bool((std < _FOLLOWED_SD).all())
    return sure and np.abs(np.diff(q, axis=0)).max(initial=0.0) < 1.0


def nearest_path(turns: Turns, q: Array, std: Array) -> Array:
    """Return angles (samples, angles) along the path that is nearest to the prior among the smoothest."""
    paths = [np.unwrap(q, axis=0)] if turns.middle is None else _two_paths(turns, q, std)
    shifted = [path - _TURN * np.rint(np.median(path - turns.prior, axis=0) / _TURN) for path in paths]
    inside = [path for path in shifted if turns.inside(path).all()]
    if not inside:
        return _within(turns, q)
    best = min(inside, key=lambda path: float(((path - turns.prior) ** 2).sum()))
    return np.clip(best, turns.low, turns.high)


def _two_paths(turns: Turns, q: Array, std: Array) -> list[Array]:
    """Return the path that takes the nearer set of angles at each step, and the one with the other set throughout.

    Where the first and the third axis are nearly one, noise turns these angles by any amount: such samples decide
    nothing, what comes after them goes on where lines through what was before lead.
    """
    parts = runs(np.asarray(std.max(-1) < _FOLLOWED_SD)) or [(0, len(q))]
    path, before = q.copy(), slice(0, 0)
    for first, end in parts:
        own = _followed(turns, q[first:end])
        if before.stop:
            middle = 0.5 * (before.stop - 1 + first)
            goal = _line(path[before], before.start, middle, last=True)
            ways = [own, turns.other(own)]
            apart = [wrapped(goal - _line(way, first, middle, last=False)) for way in ways]
            best = int(np.argmin([(gap**2).sum() for gap in apart]))
            own = ways[best] + goal - apart[best] - _line(ways[best], first, middle, last=False)
        before = slice(first, end)
        path[before] = own
    sure = np.concatenate([np.arange(*part) for part in parts])
    for first, end in runs(~np.isin(np.arange(len(q)), sure)):
        here = np.arange(first, end)
        goal = np.stack([np.interp(here, sure, path[sure, k]) for k in range(q.shape[1])], axis=-1)
        near = np.stack([goal + wrapped(way - goal) for way in (q[here], turns.other(q[here]))])
        nearest = np.argmin(((near - goal) ** 2).sum(-1), axis=0)
        path[here] = near[nearest, np.arange(len(here))]
    return [path, turns.other(path)]


def _followed(turns: Turns, q: Array) -> Array:
    """Return the path that takes the nearer set of angles at each step."""
    other = turns.other(q)
    stays, goes = (wrapped(there[1:] - q[:-1]) for there in (q, other))
    turned = np.append(0, np.cumsum((goes**2).sum(-1) < (stays**2).sum(-1))) % 2 == 1
    return np.unwrap(np.where(turned[:, None], other, q), axis=0)


def _line(path: Array, first: int, at: float, *, last: bool) -> Array:
    """Return where the line through the last or first samples of a path, which begins at `first`, is at a sample."""
    some = slice(-_WINDOW, None) if last else slice(0, _WINDOW)
    t = np.arange(first, first + len(path))[some]
    if len(t) < 3:
        return np.asarray(path[some].mean(0))
    slope, value = np.polyfit(t - t.mean(), path[some], 1)
    return np.asarray(value + slope * (at - t.mean()))


def wrapped(angle: Array) -> Array:
    """Return angles without full turns, (−π, π]."""
    return angle - _TURN * np.rint(angle / _TURN)


def _every(turns: Turns, q: Array) -> Array:
    """Return all representations within a turn of the prior, (samples, representations, angles)."""
    sets = [q] if turns.middle is None else [q, turns.other(q)]
    shifts = _TURN * np.array(list(product((-1.0, 0.0, 1.0), repeat=q.shape[1])))
    return np.concatenate([wrapped(own - turns.prior)[:, None] + turns.prior + shifts for own in sets], axis=1)


def _within(turns: Turns, q: Array) -> Array:
    """Return the shortest path through all representations within the limits, sample by sample."""
    every = np.concatenate([q[:, None], _every(turns, q)], axis=1)  # itself, should nothing else be inside
    inside = turns.inside(every)
    inside[:, 0] = ~inside[:, 1:].any(1)
    used = np.flatnonzero(inside.any(0))
    every, inside = every[:, used], inside[:, used]
    tie = 1e-3 / len(q)  # lying nearer to the prior decides between paths of one length alone
    own = np.where(inside, tie * ((every - turns.prior) ** 2).sum(-1), np.inf)
    total, came = own[0], np.zeros(own.shape, int)
    for t in range(1, len(q)):
        step = total[:, None] + ((every[t - 1][:, None] - every[t]) ** 2).sum(-1)
        came[t] = np.argmin(step, axis=0)
        total = step[came[t], np.arange(len(used))] + own[t]
    at = np.empty(len(q), int)
    at[-1] = int(np.argmin(total))
    for t in range(len(q) - 1, 0, -1):
        at[t - 1] = came[t, at[t]]
    return np.clip(every[np.arange(len(q)), at], turns.low, turns.high)
