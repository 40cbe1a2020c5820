"""Solids in event-driven runs: their points are features that hold between events, and are chosen anew at these.

A feature (`contact.features`) is known while its two solids are near. Its gap is smooth, so that contacts of solids are
made, broken, stick and slide as those of points do. Features change at an event of their own: where the place of one
leaves what it was chosen on, and where solids are nearer than all features that are known tell.
"""

from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.geometry import Ball
from motiform.geometry.touch.columns import MOST, TOUCH_FLOATS
from motiform.motion.contact import columns as c
from motiform.motion.contact.features import Feature, Flat, choose_feature, flat_of, make_feature, still_feature
from motiform.motion.contact.problem import ContactProblem
from motiform.motion.tree.model.joint import Array

__all__ = ["SolidFeatures"]

_LEFT = 4e-9  # of the size: a place so far outside has left its feature
_DEEPER = 1e-8  # of the size: solids so much nearer than their features give have others
_LOST = 1e-4  # of the size by which solids overlap where no features give it
_MOVED = 1e-3  # of the smallest size: features are looked for again after such a way
_SEEMS = 1e-8  # [m] gaps that may be contact
_REACH = 0.05  # of the largest size within which features are known


class SolidFeatures:
    """The features of all pairs of solids of a contact problem, in the slots that its candidates are."""

    def __init__(self, problem: ContactProblem) -> None:
        assert problem.touches is not None
        self.problem, self.touches, packed = problem, problem.touches, problem.packed
        problem.frozen = True
        ints = packed.ints
        self.first = int(ints[c.FIRST_SLOT])
        blocks = ints[ints[c.AT_SOLIDS] :][: c.SOLID_INTS * packed.solids].reshape(-1, c.SOLID_INTS)
        self.flats = [self._flats(problem, int(n), int(m)) for n, m in blocks[:, :2]]
        self.size = packed.floats[blocks[:, 6]]
        tables = packed.floats[blocks[:, 6] + 2].astype(int)[:, None] + MOST * TOUCH_FLOATS
        self.places = (tables + c.FEATURE_FLOATS * np.arange(MOST)).ravel()
        self.count = len(self.places)
        self.features: list[Feature | None] = [None] * self.count
        packed.floats[self.places] = c.GONE
        self.slack = np.zeros(packed.solids)
        """By how much solids are nearer than their features give [m]."""
        self.seen: Array = np.full(problem.figure.nq, np.inf)
        self._limits: tuple[np.ndarray, Array] | None = None
        self._point_of = packed.point_of[self.first :: MOST]

    @staticmethod
    def _flats(problem: ContactProblem, n: int, m: int) -> tuple[Flat, Flat]:
        point, obstacle = problem.contacts.points[n], problem.contacts.obstacles[m]
        first, second = flat_of(point.shape or Ball(max(point.radius, 1e-12))), flat_of(obstacle.solid)
        if first is None or second is None:
            solid = point.shape if first is None else obstacle.solid
            raise InputError(
                "this solid can touch others in time-stepping only",
                where=f"contact {point.name} on {obstacle.name}",
                got=getattr(solid, "kind", type(solid).__name__),
                allowed="event-driven: box, mesh, capsule, ball, plane, face; with integrator 'time-stepping' all",
                remedy="Take integrator 'time-stepping', or points of its surface (points_of_shape, ring_point).",
            )
        return first, second

    # ---------------------------------------------------------------- choosing
    def refresh(self, q: Array, modes: np.ndarray, armed: np.ndarray, speed: float, *, anew: bool = False) -> bool:
        """Choose features of all pairs that are near; return whether one that was active has gone.

        Those that are active stay, unless all are chosen `anew`. `speed` [m/s] is that of the fastest.
        """
        if not anew and np.abs(q - self.seen).max() < _MOVED * min(1.0, float(self.size.min())):
            return False
        self.seen = q.copy()
        gaps, counts, points = self.touches.look(q, _REACH * float(self.size.max()) + 0.02 * speed)
        active, lost = modes[self.first : self.first + self.count] != c.FREE, False
        fresh: list[int] = []
        near = {int(k): m for m, k in enumerate(self.touches.chosen[: self.touches.near])}
        for k in range(len(self.flats)):
            m, own = near.get(k), slice(MOST * k, MOST * k + MOST)
            found = [] if m is None else self._found(k, m, points[m, : counts[m]])
            lost |= self._put(k, found, active[own], anew, fresh)
        if fresh:
            slots = np.array(fresh, np.int64)
            armed[self.first + slots] = self.sites(q, slots)[:, 0] > 0
        modes[self.first : self.first + self.count][active & [one is None for one in self.features]] = c.FREE
        self._slacken(q, gaps)
        return lost

    def _found(self, k: int, m: int, points: Array) -> list[Feature]:
        first, second = self.flats[k]
        return [choose_feature(first, second, self._poses(m), point, float(self.size[k])) for point in points]

    def _poses(self, m: int) -> tuple[Array, Array, Array, Array]:
        row = self.touches.poses[m]
        return row[:9].reshape(3, 3), row[9:12], row[12:21].reshape(3, 3), row[21:]

    def _put(self, k: int, found: list[Feature], active: np.ndarray, anew: bool, fresh: list[int]) -> bool:
        """Put the features of a pair into its slots; return whether an active one has gone."""
        codes = {one.code for one in found if one.code[2] >= 0}
        slots = range(MOST * k, MOST * k + MOST)
        known = set()
        lost = False
        for slot, busy in zip(slots, active, strict=True):
            one = self.features[slot]
            if one is not None and (one.code in codes or (busy and not anew)):
                known.add(one.code)
            elif one is not None:
                self._set(slot, None)
                lost |= bool(busy)
        free = [slot for slot in slots if self.features[slot] is None]
        for one in found:
            if free and (one.code not in known):
                known |= {one.code} if one.code[2] >= 0 else set()
                fresh.append(free[0])
                self._set(free.pop(0), one)
        return lost

    def _set(self, slot: int, feature: Feature | None) -> None:
        self.features[slot], self._limits = feature, None
        at, floats = self.places[slot], self.problem.packed.floats
        if feature is None:
            floats[at] = c.GONE
        else:
            floats[at : at + c.FEATURE_FLOATS] = feature.numbers

    def _slacken(self, q: Array, gaps: Array) -> None:
        """Keep by how much solids are nearer than the features that were chosen tell."""
        self.slack[:] = 0.0
        less = self._less(q, gaps)
        own = self.touches.chosen[: self.touches.near]
        self.slack[own] = np.maximum(less, 0.0)
        if (less > _LOST * self.size[own]).any():
            k = int(own[np.argmax(less)])
            raise RunError(
                "two solids overlap where no features of theirs touch",
                where=self.problem.packed.names[self.first + MOST * k].rsplit(".", 1)[0],
                got=f"{less.max():.3g} m",
                remedy="Take integrator 'time-stepping'.",
            )

    def _less(self, q: Array, gaps: Array) -> Array:
        """Return by how much the pairs that were near at the last look are nearer than their features give [m]."""
        known = np.flatnonzero([one is not None for one in self.features])
        least = np.zeros(len(self.flats))
        if len(known):
            np.minimum.at(least, known // MOST, self.sites(q, known)[:, 0])
        return np.asarray(least[self.touches.chosen[: self.touches.near]] - gaps)

    # ---------------------------------------------------------------- looking
    def sites(self, q: Array, slots: np.ndarray) -> Array:
        """Return gap, place, normal of features, and how far each is outside its limits [m], (n, 8)."""
        from motiform.motion.contact.solid_kernels import feature_sites

        if self._limits is None:
            sides = [((), ()) if one is None else one.limits for one in self.features]
            rows = [[*half, float(n)] for both in sides for n, own in enumerate(both) for half in own]
            firsts = np.cumsum([0, *(len(own) + len(other) for own, other in sides)])
            self._limits = firsts, np.array(rows, float).reshape(-1, 5)
        out = np.empty((len(slots), 8))
        feature_sites.function(self.problem.head, q, np.asarray(slots, np.int64), *self._limits, out)
        return out

    def strayed(self, q: Array, slots: np.ndarray) -> np.ndarray:
        """Return those of some slots whose place has left its feature."""
        return slots[self.sites(q, slots)[:, 7] > _LEFT * self.size[slots // MOST]] if len(slots) else slots

    def stale(self, q: Array, active: np.ndarray) -> bool:
        """Return whether features no longer tell how solids touch; `active` are the candidates that do."""
        if len(self.strayed(q, self._slots(active))):
            return True
        gaps, _, _ = self.touches.look(q, 0.0)
        own = self.touches.chosen[: self.touches.near]
        return bool((self._less(q, gaps) > _DEEPER * self.size[own] + self.slack[own]).any())

    def _slots(self, candidates: np.ndarray) -> np.ndarray:
        own = candidates[(candidates >= self.first) & (candidates < self.first + self.count)]
        return np.asarray(own - self.first)

    def hide_outside(self, q: Array, gaps: Array, modes: np.ndarray) -> None:
        """Put free features that seem to touch, but beyond what they were chosen on, far away."""
        own = slice(self.first, self.first + self.count)
        seeming = np.flatnonzero((gaps[own] <= _SEEMS) & (modes[own] == c.FREE))
        gaps[self.first + self.strayed(q, seeming)] = c.FAR

    def point_gaps(self, q: Array, gaps: Array) -> None:
        """Lower the gap of every contact point to that of the nearest solid."""
        found, _, _ = self.touches.look(q, np.inf)
        np.minimum.at(gaps, self._point_of, found)

    # ---------------------------------------------------------------- to go on later
    def keep(self) -> dict[str, Any]:
        """Return the data that a resumed run needs."""
        codes = [(-1, -1, -1, -1) if one is None else one.code for one in self.features]
        numbers = [np.zeros(c.FEATURE_FLOATS) if one is None else one.numbers for one in self.features]
        return {
            "feature.codes": np.array(codes, np.int64),
            "feature.numbers": np.array(numbers),
            "feature.seen": self.seen.copy(),
            "feature.slack": self.slack.copy(),
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        codes = np.asarray(kept["feature.codes"]).reshape(-1, 4)
        numbers = np.asarray(kept["feature.numbers"], float).reshape(-1, c.FEATURE_FLOATS)
        for slot, (row, own) in enumerate(zip(codes, numbers, strict=True)):
            a, b, i, j = (int(number) for number in row)
            if a < 0:
                self._set(slot, None)
            elif i < 0:
                self._set(slot, still_feature((a, b, i, j), own.copy(), float(self.size[slot // MOST])))
            else:
                self._set(slot, make_feature(*self.flats[slot // MOST], (a, b, i, j), float(own[c.SENSE])))
        self.seen, self.slack = np.array(kept["feature.seen"], float), np.array(kept["feature.slack"], float)
