"""Stability of screens, free and engraved [Habibi97 §8.4.2]."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter.stability.cell import ModeSegment, regime
from motiform.motion.screens.model import Screen
from motiform.motion.screens.modes import screen_segment
from motiform.spatial.checks import Array

__all__ = ["ScreenStability", "assess_screen", "regime_map"]

_AT_ONCE = 1 << 18  # pairs of points and pins that are looked at together
_INSTANTS = 24  # of a motion that are looked at; what happens between them is seen when it is run


@dataclass(frozen=True)
class ScreenStability:
    """Whether a screen diverges, free or with what presses it."""

    verdict: str
    """"stable", "marginal" (no mode grows, some do not decay), "unstable" (the free screen diverges), or "unstable when
    engraved" (contact may add more than the scheme can step)."""
    segment: ModeSegment
    """From the lowest to the highest mode, in the plane (K, Z); with pistons the bound of these."""
    regimes: tuple[str, str]
    """Of the lowest and of the highest mode."""
    marked: tuple[float, float]
    """What engravers add to (K, Z) of the pin that gets most."""
    engraver: str | None
    """The engraver that adds most there."""
    pin: tuple[int, ...] | None
    """The pin that gets most."""
    time: float
    """When it does [s]."""
    remedy: str

    @property
    def bound(self) -> float:
        """K + 2Z of the highest mode with what engravers add; up to 4 nothing grows."""
        high = max((self.segment.start, self.segment.end), key=lambda end: end[0] + 2 * end[1])
        return float(high[0] + self.marked[0] + 2 * (high[1] + self.marked[1]))

    def check(self) -> None:
        """Raise an error where it is unstable."""
        if not self.verdict.startswith("unstable"):
            return
        (K0, Z0), (KN, ZN) = self.segment
        if self.verdict == "unstable":
            raise InputError(
                "the free screen diverges", where="screen",
                got=f"modes from K = {K0:.4g}, Z = {Z0:.4g} to K = {KN:.4g}, Z = {ZN:.4g}",
                allowed="K ≥ 0, Z ≥ 0, K + 2Z ≤ 4", remedy=self.remedy,
            )  # fmt: skip
        raise InputError(
            "the screen may diverge where it is engraved",
            where=f"engraver {self.engraver!r}, pin {self.pin}, t = {self.time:.4g} s",
            got=f"K + 2Z = {self.bound:.4g}, of which engravers add {self.marked[0] + 2 * self.marked[1]:.4g}",
            allowed="up to 4", remedy=self.remedy,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "verdict": self.verdict, "segment": [list(end) for end in self.segment], "regimes": list(self.regimes),
            "marked": list(self.marked), "bound": self.bound, "engraver": self.engraver,
            "pin": None if self.pin is None else list(self.pin),
        }  # fmt: skip


def assess_screen(screen: Screen, *, until: float = 0.0) -> ScreenStability:
    """Return the stability of a screen; motions of engravers are looked at up to a time [s].

    Every mode must be in the triangle; it is convex, so the ends of the segment decide. A point that touches a pin adds
    up to (k Te²/m, z Te/m): K_N + Σ K_M + 2 (Z_N + Σ Z_M) ≤ 4 suffices, with the sum over all that touch one pin.
    """
    segment = _with_pistons(screen, screen_segment(screen))
    marked, engraver, pin, time = _most_marked(screen, until)
    regimes = segment.regimes
    free = [end[0] + 2 * end[1] for end in segment]
    if "unstable" in regimes:
        verdict, remedy = "unstable", _free_remedy(screen, segment)
    elif max(free) + marked[0] + 2 * marked[1] > 4 * (1 + 1e-12):
        room, asked = 4 - max(free), marked[0] + 2 * marked[1]
        verdict = "unstable when engraved"
        remedy = (
            f"Take stiffness and damping of {engraver!r} times {max(room, 0) / asked:.3g} or less, or a softer screen"
            if room > 0
            else "The free screen is at the limit already: take a softer screen"
        ) + ", or raise frequency."
    else:
        verdict, remedy = ("marginal" if "marginal" in regimes else "stable"), ""
    return ScreenStability(verdict, segment, regimes, marked, engraver, pin, time, remedy)


def _with_pistons(screen: Screen, segment: ModeSegment) -> ModeSegment:
    """Return the segment with its far end moved to the bound that pistons give."""
    p = screen.pistons
    if p is None:
        return segment
    m, mh, T = screen.mass, p.mass or screen.mass, screen.step
    (K0, Z0), (KN, ZN) = segment
    piston = p.stiffness * (1 / m + 4 * screen.dimensions / mh) * T**2
    K = max(K0, KN, (p.ground_stiffness + 4 * p.neighbour_stiffness) * T**2 / mh)
    Z = max(Z0, ZN, (p.ground_damping + 4 * p.neighbour_damping) * T / mh)
    return ModeSegment((K0, Z0), (K + piston, Z))


def _free_remedy(screen: Screen, segment: ModeSegment) -> str:
    ks, zs, _, _ = screen.links
    top = 4 * screen.dimensions
    if min(segment.start[0], segment.end[0]) < 0 or min(segment.start[1], segment.end[1]) < 0:
        return (
            f"Take stiffness to the ground of 0 or more and between neighbours above {-ks / top:.4g} N/m, "
            f"damping of 0 or more and above {-zs / top:.4g} N s/m."
        )
    low = _largest_step(max((segment.start, segment.end), key=lambda end: end[0] + 2 * end[1]), screen.step)
    raised = (
        f"Raise frequency to {1 / low:.6g} Hz or more, or l" if low > 0 else "L"
    )  # near the end of floats none does
    return f"{raised}ower stiffness and damping."


def _largest_step(end: tuple[float, float], step: float) -> float:
    """Return the longest step [s] at which K + 2Z ≤ 4 for a mode that has (K, Z) at `step`."""
    K, Z = end[0] / step**2, end[1] / step
    return float(4 / (Z + np.sqrt(Z * Z + 4 * K)))


def _most_marked(screen: Screen, until: float) -> tuple[tuple[float, float], str | None, tuple[int, ...] | None, float]:
    """Return the most that points add to (K, Z) of one pin, the engraver that adds most, the pin, and when."""
    best: tuple[float, tuple[float, float], str | None, tuple[int, ...] | None, float] = (
        0.0,
        (0.0, 0.0),
        None,
        None,
        0.0,
    )
    moving = any(one.moves for one in screen.engravers)
    for time in np.linspace(0.0, until, _INSTANTS if moving and until > 0 else 1).tolist():
        fields = [_marks(screen, one, time) for one in screen.engravers]
        if not fields:
            break
        K, Z = (sum(field[n] for field in fields) for n in (0, 1))
        total = np.asarray(K + 2 * Z)
        pin = np.unravel_index(int(total.argmax()), screen.shape)
        if total[pin] > best[0]:
            most = int(np.argmax([field[0][pin] + 2 * field[1][pin] for field in fields]))
            added = (float(np.asarray(K)[pin]), float(np.asarray(Z)[pin]))
            place = tuple(int(n) for n in pin)
            best = (float(total[pin]), added, screen.engravers[most].name, place, time)
    return best[1:]


def _marks(screen: Screen, engraver: Any, time: float) -> tuple[Array, Array]:
    """Return what an engraver adds at most to (K, Z) of each pin within its reach.

    Points that touch one pin have heights within two reaches of one another: others are counted apart.
    """
    places = engraver.at([time])[0]
    on_grid, level = screen.locate(places), np.zeros(len(places))
    if engraver.height is None:
        level = np.floor(screen.above(places) / (2 * engraver.reach))
    most = np.zeros(screen.shape)
    for one in np.unique(np.concatenate([level, level - 1])):
        most = np.maximum(most, _touching(screen, on_grid[(level == one) | (level == one + 1)], engraver.reach))
    k, z = screen.step**2 / screen.mass, screen.step / screen.mass
    return most * (k * engraver.stiffness), most * (z * engraver.damping)


def _touching(screen: Screen, on_grid: Array, reach: float) -> Array:
    """Return how many points are within reach [m] of each pin, along the grid."""
    found, reach = np.zeros(screen.shape), reach / screen.spacing
    side = np.arange(-int(np.ceil(reach)), int(np.ceil(reach)) + 2)  # pins around the one before a point
    around = np.stack(np.meshgrid(*[side] * screen.dimensions, indexing="ij"), axis=-1).reshape(-1, screen.dimensions)
    many = max(1, _AT_ONCE // len(around))
    for first in range(0, len(on_grid), many):
        points = on_grid[first : first + many, None]
        pins = np.floor(points).astype(int) + around
        near = ((pins - points) ** 2).sum(axis=-1) < reach**2
        near &= ((pins >= 0) & (pins < screen.shape)).all(axis=-1)
        np.add.at(found, tuple(pins[near].T), 1.0)
    return found


def regime_map(K: Array, Z: Array) -> np.ndarray:
    """Return the names of regimes on a grid of the plane, (len(Z), len(K)), as `regime` tells them."""
    return regime(*np.meshgrid(np.asarray(K, float), np.asarray(Z, float)))
