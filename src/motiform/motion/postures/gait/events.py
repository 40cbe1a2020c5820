"""Gait events, from force plates and from feet."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.measure.gaps import runs
from motiform.motion.postures.derivatives import as_motion, even_rate, smooth
from motiform.motion.postures.dynamics.plates import STANCE, STANDS, PlateAssignment
from motiform.motion.postures.feet import Feet, find_feet, foot_points, up_of
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Event

__all__ = ["OFF", "STRIKE", "Walker", "gait_events", "plate_events", "walker_of"]

STRIKE, OFF = "foot strike", "foot off"
METHODS = ("zeni", "velocity")
_WORDS = {STRIKE: ("foot strike", "heel strike", "initial contact"), OFF: ("foot off", "toe off")}  # of files
SHORTEST = 0.4
"""[s] Least time between two strikes of one foot: runners reach 0.55 s."""
_PROMINENT = 0.3  # of the range of a signal: lower peaks are no steps
_LOW = 0.35  # of the range of its height: how low a heel is when it strikes  [OConnor07]
_CUTOFF = 6.0  # Hz, before peaks are sought
_FAR = 1.0  # m, from which on the way of the pelvis is a direction
_ASIDE = 0.15  # of the way: what a straight one may go beside or beyond its ends
_STRAIGHT_AHEAD = np.cos(np.pi / 4)  # between the way and the toes: beyond it somebody walks sideways


class Walker(NamedTuple):
    """The points used to detect gait events, over time, in world axes [m]."""

    times: Array
    """[s], (samples,)"""
    heels: dict[str, Array]
    """{"r": (samples, 3), "l": …}"""
    toes: dict[str, Array]
    pelvis: Array
    """(samples, 3): the sacrum, or the middle of the hips."""
    up: Array
    """(3,)"""

    @property
    def forward(self) -> Array:
        """Horizontal direction of walking, (3,): the way of the pelvis where it goes straight, as the toes point.

        Where it does not (on a treadmill, on the spot, in turns, sideways) it is that from the heels to the toes.
        """
        feet, gone = self._toes_ahead(), self._progression()
        along = float(gone @ feet)
        return gone * np.sign(along) if abs(along) > _STRAIGHT_AHEAD else feet

    @property
    def turned(self) -> float:
        """By how much the feet turn from the first third of the motion to the last [rad], without sign."""
        third = max(len(self.times) // 3, 1)
        try:
            ways = [self._toes_ahead(part) for part in (slice(0, third), slice(-third, None))]
        except InputError:
            return 0.0
        return float(np.arccos(np.clip(ways[0] @ ways[1], -1.0, 1.0)))

    def _toes_ahead(self, part: slice = slice(None)) -> Array:
        """Return the horizontal direction from the heels to the toes, (3,)."""
        ways = [(self.toes[side] - self.heels[side])[part] for side in self.heels]
        means = [way[np.isfinite(way).all(1)].mean(0) for way in ways if np.isfinite(way).all(1).any()]
        mean = np.mean(means, axis=0) if means else np.zeros(3)
        ahead = mean - (mean @ self.up) * self.up
        size = np.linalg.norm(ahead)
        if not size > 0:
            raise InputError("the direction of the feet is not known", got=f"toes less heels {mean.tolist()} m")
        return np.asarray(ahead / size)

    def _progression(self) -> Array:
        """Return the direction in which the pelvis goes, (3,); zero where it stays, or does not go straight."""
        seen = self.pelvis[np.isfinite(self.pelvis).all(1)]
        flat = seen - (seen @ self.up)[:, None] * self.up
        if len(flat) < 2:
            return np.zeros(3)
        way = flat[-1] - flat[0]
        size = float(np.linalg.norm(way))
        if not size > _FAR:
            return np.zeros(3)
        along = (flat - flat[0]) @ way / size
        aside = np.linalg.norm(flat - flat[0] - along[:, None] * way / size, axis=1)
        straight = aside.max() < _ASIDE * size and -_ASIDE * size < along.min() and along.max() < (1 + _ASIDE) * size
        return np.asarray(way / size if straight else np.zeros(3))


def walker_of(figure: Figure, times: ArrayLike, q: ArrayLike, feet: Feet | None = None) -> Walker:
    """Return the walker of a motion q (samples, nq): the hindmost and foremost point of each sole, and the root."""
    t, qs = as_motion(figure, times, q)
    seen = np.isfinite(qs).all(1)
    if not seen.any():
        raise InputError("no posture is known", where="q", got="nan only")
    R, p = forward_kinematics(figure, qs[seen])
    heels, toes, pelvis = {}, {}, np.full((len(t), 3), np.nan)
    pelvis[seen] = p[:, 0]
    for foot in find_feet(figure, feet):
        points = np.full((len(t), len(foot.points), 3), np.nan)
        points[seen] = foot_points(foot, R, p)
        key = foot.side or foot.name
        heels[key], toes[key] = points[:, 0], points[:, -1]
    return Walker(t, heels, toes, pelvis, up_of(figure))


def plate_events(assignment: PlateAssignment) -> list[Event]:
    """Return "r foot strike", "l foot off" … of the contacts whose foot is known, in the order of time.

    Contacts that are not usable are left out: beside the edge of a plate it does not tell when the foot touches. So are
    the beginning of one that the first sample finds, and the end of one that the last does.
    """
    found = []
    for c in assignment.contacts:
        if c.foot >= 0 and c.usable:
            foot = assignment.feet[c.foot]
            for time, what, measured in ((c.start, STRIKE, c.begins), (c.end, OFF, c.ends)):
                found += [_event(time, foot.side or foot.name, what, "plate", plate=c.plate)] if measured else []
    return sorted(found, key=lambda event: event.time)


def gait_events(
    walker: Walker,
    assignment: PlateAssignment | None = None,
    *,
    method: str = "zeni",
    shortest: float = SHORTEST,
    stated: Iterable[Event] = (),
) -> list[Event]:
    """Return foot strikes and offs in the order of time, named "r foot strike", "l foot off" ….

    From the feet: "zeni" takes the instants at which the heel is foremost and the toes hindmost from the pelvis
    [Zeni08]; "velocity" those at which the middle of the foot, when low, sinks fastest, and rises fastest [OConnor07].
    ``shortest`` [s] is the least time between two strikes of a foot. Times lie between samples, at the tip of the
    parabola through the three highest. Who runs has the foot in the air when the toes are hindmost: where they are 4 cm
    above where they stand by then, the foot is off when they pass this height.

    Events of plates (``assignment``) are surer: they take the place of those of the feet within ``shortest`` / 2; so do
    those that a file states (``stated``: "Foot Strike", "Foot Off" with the context "Left" or "Right", as in C3D), of
    plates too. ``event.detail`` has side, kind and source.
    """
    if method not in METHODS:
        raise InputError("method must be a known one", got=method, allowed=", ".join(METHODS))
    found = []
    for side in walker.heels:
        signals = _zeni(walker, side) if method == "zeni" else _velocity(walker, side)
        for what, signal in zip((STRIKE, OFF), signals, strict=True):
            times = _peaks(walker.times, signal, shortest)
            times = _foot_off_times(walker, side, times) if what == OFF and method == "zeni" else times
            found += [_event(time, side, what, method) for time in times]
    for surer in (plate_events(assignment) if assignment is not None else [], _stated_events(stated)):
        found = [e for e in found if not any(e.name == s.name and abs(e.time - s.time) < shortest / 2 for s in surer)]
        found += surer
    return sorted(found, key=lambda event: event.time)


def _stated_events(stated: Iterable[Event]) -> list[Event]:
    """Return the strikes and offs that a file states, by their names and contexts."""
    found = []
    for event in stated:
        side = str((event.detail or {}).get("context", "")).strip().lower()[:1]
        kind = next((kind for kind, words in _WORDS.items() if event.name.strip().lower() in words), None)
        if side in ("l", "r") and kind is not None:
            found.append(_event(event.time, side, kind, "file"))
    return found


def _event(time: float, side: str, what: str, source: str, **more: Any) -> Event:
    return Event(float(time), f"{side} {what}", {"side": side, "kind": what, "source": source, **more})


def _zeni(walker: Walker, side: str) -> tuple[Array, Array]:
    """Return signals that peak at strike and off: how far the heel is before the pelvis, the toes behind it."""
    ahead = walker.forward
    return (walker.heels[side] - walker.pelvis) @ ahead, (walker.pelvis - walker.toes[side]) @ ahead


def _foot_off_times(walker: Walker, side: str, offs: list[float]) -> list[float]:
    """Return the instants of foot offs, earlier where the toes are in the air already: when they passed `STANDS`."""
    t, height = walker.times, walker.toes[side] @ walker.up
    if not offs or not np.isfinite(height).any():
        return offs
    border = float(np.nanpercentile(height, STANCE)) + STANDS
    found = []
    for time in offs:
        k = int(np.searchsorted(t, time, side="right")) - 1
        if height[k] > border:
            low = np.flatnonzero(height[:k] <= border)
            if len(low) and np.isfinite(height[low[-1] : k + 1]).all() and time - t[low[-1]] < SHORTEST:
                a = low[-1]
                time = t[a] + (border - height[a]) / (height[a + 1] - height[a]) * (t[a + 1] - t[a])
        found.append(float(time))
    return found


def _velocity(walker: Walker, side: str) -> tuple[Array, Array]:
    """Return signals that peak at strike and off: how fast the foot sinks with its heel low, rises with it high."""
    height = ((walker.heels[side] + walker.toes[side]) / 2) @ walker.up
    rate = np.gradient(_smoothed(walker.times, height), walker.times)
    heel = walker.heels[side] @ walker.up
    seen = heel[np.isfinite(heel)] if np.isfinite(heel).any() else np.zeros(1)
    border = seen.min() + _LOW * np.ptp(seen)
    idle = np.where(np.isfinite(rate), 0.0, np.nan)
    return np.where(heel < border, -rate, idle), np.where(heel > border, rate, idle)


def _smoothed(times: Array, signal: Array) -> Array:
    """Return a signal low-passed between its gaps, where its times are even."""
    rate, out = even_rate(times), signal.copy()
    if rate is not None and rate > 2 * _CUTOFF:
        for first, last in runs(np.asarray(np.isfinite(signal))):
            out[first:last] = smooth(signal[first:last, None], rate, _CUTOFF)[:, 0]
    return out


def _peaks(times: Array, signal: Array, shortest: float) -> list[float]:
    """Return the times of the peaks of a signal, apart from one another, high, and not at the end of a gap."""
    if not np.isfinite(signal).any() or len(times) < 3:
        return []
    smoothed = _smoothed(times, signal)
    least = _PROMINENT * (np.nanmax(smoothed) - np.nanmin(smoothed))
    if not least > 0:
        return []
    step = float(np.median(np.diff(times)))
    found = []
    for first, last in runs(np.asarray(np.isfinite(smoothed))):
        part = smoothed[first:last]
        tops = _tops(part, max(1, round(shortest / step)), least)
        found += [_tip(times[first:last], part, k) for k in tops]
    return found


def _tops(signal: Array, apart: int, least: float) -> list[int]:
    """Return the samples of the highest peaks at least so many samples apart that stand out by `least`.

    A peak stands out from the higher of the lowest points on its two sides, each up to where the signal is higher.
    """
    steps = np.sign(np.diff(signal))
    turns = np.flatnonzero(steps)
    rises = np.flatnonzero((steps[turns[:-1]] > 0) & (steps[turns[1:]] < 0))
    peaks = (turns[rises] + 1 + turns[rises + 1]) // 2  # the middle of a level one
    kept = list[int]()
    for k in peaks[np.argsort(signal[peaks], kind="stable")[::-1]].tolist():
        if all(abs(k - other) >= apart for other in kept):
            kept.append(k)
    found = []
    for k in sorted(kept):
        before, after = signal[k::-1], signal[k:]
        sides = [
            side[: int(np.argmax(higher)) if (higher := side > signal[k]).any() else None] for side in (before, after)
        ]
        if signal[k] - max(side.min() for side in sides) >= least:
            found.append(k)
    return found


def _tip(times: Array, signal: Array, k: int) -> float:
    """Return the time of the tip of the parabola through three samples around k."""
    a, b, c = signal[k - 1 : k + 2]
    bend = a - 2 * b + c
    shift = 0.5 * (a - c) / bend if bend < 0 else 0.0
    return float(times[k] + shift * (times[k + 1] - times[k - 1]) / 2)
