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
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.features import Feature, choose_feature
from motiform.motion.contact.problem import ContactProblem
from motiform.motion.contact.round_features import choose_round
from motiform.motion.contact.rounds import FlatParts, Parts, parts_of
from motiform.motion.tree.model.joint import Array

__all__ = ["SolidFeatures"]

_LEFT = 4e-9  # of the size: a place so far outside has left its feature
_DEEPER = 1e-8  # of the size: solids so much nearer than their features give have others
_LOST = 1e-4  # of the size by which solids overlap where no features give it
_DEEP = 1e-3  # of the size by which solids may overlap at all
_MOVED = 1e-3  # of the smallest size: features are looked for again after such a way
_MISSED = 4e-8  # [m] gaps of features that nothing holds below which they have been missed
_SEEMS = 1e-8  # [m] gaps that may be contact
_REACH = 0.05  # of the largest size within which features are known
_SAME = 0.1  # of the size: features of the same parts that are so near are the same


class SolidFeatures:
    """The features of all pairs of solids of a contact problem, in the slots that its candidates are."""

    def __init__(self, problem: ContactProblem) -> None:
        assert problem.touches is not None
        self.problem, self.touches, packed = problem, problem.touches, problem.packed
        problem.frozen = True
        ints = packed.ints
        self.first = int(ints[contact_columns.FIRST_SLOT])
        blocks = ints[ints[contact_columns.AT_SOLIDS] :][: contact_columns.SOLID_INTS * packed.solids].reshape(
            -1, contact_columns.SOLID_INTS
        )
        self.parts = [self._parts(problem, int(n), int(m)) for n, m in blocks[:, :2]]
        self.size = packed.floats[blocks[:, 6]]
        tables = packed.floats[blocks[:, 6] + 2].astype(int)[:, None] + MOST * TOUCH_FLOATS
        self.places = (tables + contact_columns.FEATURE_FLOATS * np.arange(MOST)).ravel()
        self.count = len(self.places)
        self.features: list[Feature | None] = [None] * self.count
        packed.floats[self.places] = contact_columns.GONE
        self.slack = np.zeros(packed.solids)
        """By how much solids are nearer than their features give [m]."""
        self.seen: Array = np.full(problem.figure.nq, np.inf)
        self._limits: tuple[np.ndarray, Array] | None = None
        self._point_of = packed.point_of[self.first :: MOST]

    @staticmethod
    def _parts(problem: ContactProblem, n: int, m: int) -> tuple[Parts, Parts]:
        point, obstacle = problem.contacts.points[n], problem.contacts.obstacles[m]
        first, second = parts_of(point.shape or Ball(max(point.radius, 1e-12))), parts_of(obstacle.solid)
        if first is None or second is None:
            solid = point.shape if first is None else obstacle.solid
            raise InputError(
                "this solid has no parts whose gaps are smooth",
                where=f"contact {point.name} on {obstacle.name}",
                got=getattr(solid, "kind", type(solid).__name__),
                allowed="box, mesh, capsule, ball, cylinder, cone, ellipsoid, torus; plane, face, endless cylinder",
                remedy="Take integrator 'time-stepping', or points of its surface (points_of_shape).",
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
        gaps, counts, points = self.touches.find_near(q, _REACH * float(self.size.max()) + 0.02 * speed)
        active = modes[self.first : self.first + self.count] != contact_columns.FREE
        fresh: list[int] = []
        gone: list[int] = []
        near = {int(k): m for m, k in enumerate(self.touches.chosen[: self.touches.near])}
        self._follow(q, near)
        for k in range(len(self.parts)):
            m, own = near.get(k), slice(MOST * k, MOST * k + MOST)
            found = [] if m is None else self._found(k, m, points[m, : counts[m]])
            self._put(k, found, active[own], anew, fresh, gone)
        if fresh:
            slots = np.array(fresh, np.int64)
            armed[self.first + slots] = self.sites(q, slots)[:, 0] > 0
        modes[self.first + np.array(gone, np.int64)] = contact_columns.FREE  # another feature may be in the slot by now
        self._refuse_deep(gaps)
        self._slacken(q, gaps, modes[self.first : self.first + self.count] != contact_columns.FREE)
        return bool(gone)

    def _refuse_deep(self, gaps: Array) -> None:
        """End the run where solids are in one another, however their features came to miss it."""
        own = self.touches.chosen[: self.touches.near]
        depth = -gaps[: len(own)] / self.size[own]
        if (depth > _DEEP).any():
            k = int(np.argmax(depth))
            raise RunError(
                "two solids overlap: a contact of theirs was missed",
                where=self.problem.packed.names[self.first + MOST * int(own[k])].rsplit(".", 1)[0],
                got=f"{-gaps[k]:.3g} m",
                allowed=f"up to {_DEEP:g} of their size",
                remedy="Take integrator 'time-stepping'.",
            )

    def _found(self, k: int, m: int, points: Array) -> list[Feature]:
        (first, second), size = self.parts[k], float(self.size[k])
        if isinstance(first, FlatParts) and isinstance(second, FlatParts):
            return [choose_feature(first.flat, second.flat, self._poses(m), point, size) for point in points]
        return choose_round(first, second, self._poses(m), points, size)

    def _follow(self, q: Array, near: dict[int, int]) -> None:
        """Let the search for the places of curved features begin where they are."""
        slots = np.flatnonzero([one is not None and max(one.code[:2]) > contact_columns.GONE for one in self.features])
        if not len(slots):
            return
        for slot, row in zip(slots, self.sites(q, slots), strict=True):
            one, m = self.features[slot], near.get(int(slot) // MOST)
            if one is not None and m is not None:
                _, oA, _, oB = self._poses(m)
                half = 0.5 * row[0] * row[4:7]
                one.numbers[contact_columns.ANCHOR :] = [*row[4:7], *(row[1:4] + half - oA), *(row[1:4] - half - oB)]
                self._set(int(slot), one)

    def _poses(self, m: int) -> tuple[Array, Array, Array, Array]:
        row = self.touches.poses[m]
        return row[:9].reshape(3, 3), row[9:12], row[12:21].reshape(3, 3), row[21:24]

    def _put(
        self, k: int, found: list[Feature], active: np.ndarray, anew: bool, fresh: list[int], gone: list[int]
    ) -> None:
        """Put the features of a pair into its slots; add those that are new, and from which an active one has gone."""
        slots = range(MOST * k, MOST * k + MOST)
        known: list[Feature] = []
        for slot, busy in zip(slots, active, strict=True):
            one = self.features[slot]
            if one is not None and ((busy and not anew) or self._among(one, found, k)):
                known.append(one)
            elif one is not None:
                self._set(slot, None)
                gone += [slot] if busy else []
        free = [slot for slot in slots if self.features[slot] is None]
        for one in found:
            if free and not self._among(one, known, k):
                known.append(one)
                fresh.append(free[0])
                self._set(free.pop(0), one)

    def _among(self, one: Feature, others: list[Feature], k: int) -> bool:
        """Return whether a feature of a pair is among some of it; places that no parts give are all different."""
        if one.code[2] < 0:
            return False
        alike = [other for other in others if one.code == other.code]
        if contact_columns.CIRCLE not in one.code[:2] or contact_columns.FLAT in one.code[:2]:
            return bool(alike)
        at, near = (
            slice(contact_columns.ANCHOR + 3, contact_columns.ANCHOR + 6),
            _SAME * float(self.size[k]),
        )  # a ring may touch at several places
        return any(float(np.abs(one.numbers[at] - other.numbers[at]).max()) <= near for other in alike)

    def _set(self, slot: int, feature: Feature | None) -> None:
        self.features[slot], self._limits = feature, None
        at, floats = self.places[slot], self.problem.packed.floats
        if feature is None:
            floats[at] = contact_columns.GONE
        else:
            floats[at : at + contact_columns.FEATURE_FLOATS] = feature.numbers

    def _slacken(self, q: Array, gaps: Array, active: np.ndarray) -> None:
        """Keep by how much solids are nearer than the features that were chosen tell."""
        self.slack[:] = 0.0
        own = self.touches.chosen[: self.touches.near]
        self.slack[own] = np.maximum(self._less(q, gaps, active), 0.0)
        less = self._less(q, gaps)
        if (less > _LOST * self.size[own]).any():
            k = int(own[np.argmax(less)])
            raise RunError(
                "two solids overlap where no features of theirs touch",
                where=self.problem.packed.names[self.first + MOST * k].rsplit(".", 1)[0],
                got=f"{less.max():.3g} m",
                remedy="Take integrator 'time-stepping'.",
            )

    def _less(self, q: Array, gaps: Array, active: np.ndarray | None = None) -> Array:
        """Return by how much the pairs that were near at the last look are nearer than their features give [m].

        With the slots that are `active`, others that are deep do not count: nothing holds there.
        """
        known = np.flatnonzero([one is not None for one in self.features])
        least = np.zeros(len(self.parts))
        if len(known):
            own = self.sites(q, known)[:, 0]
            counts = np.ones(len(known), bool) if active is None else active[known] | (own > -_MISSED)
            np.minimum.at(least, known[counts] // MOST, own[counts])
        return np.asarray(least[self.touches.chosen[: self.touches.near]] - gaps)

    # ---------------------------------------------------------------- looking
    def sites(self, q: Array, slots: np.ndarray) -> Array:
        """Return gap, place, normal of features, and how far each is outside its limits [m], (n, 8)."""
        from motiform.motion.contact.solid_kernels import feature_sites

        if self._limits is None:
            rows = [np.zeros((0, 5)) if one is None else one.limits for one in self.features]
            self._limits = np.cumsum([0, *map(len, rows)]), np.concatenate(rows)
        out = np.empty((len(slots), 8))
        feature_sites.function(self.problem.head, q, np.asarray(slots, np.int64), *self._limits, out)
        return out

    def strayed(self, q: Array, slots: np.ndarray) -> np.ndarray:
        """Return those of some slots whose place has left its feature."""
        return slots[self.sites(q, slots)[:, 7] > _LEFT * self.size[slots // MOST]] if len(slots) else slots

    def stale(self, q: Array, active: np.ndarray) -> bool:
        """Return whether features no longer tell how solids touch; `active` are the candidates that do."""
        held = np.zeros(self.count, bool)
        held[self._slots(active)] = True
        if len(self.strayed(q, self._slots(active))):
            return True
        gaps, _, _ = self.touches.find_near(q, 0.0)
        own = self.touches.chosen[: self.touches.near]
        return bool((self._less(q, gaps, held) > _DEEPER * self.size[own] + self.slack[own]).any())

    def _slots(self, candidates: np.ndarray) -> np.ndarray:
        own = candidates[(candidates >= self.first) & (candidates < self.first + self.count)]
        return np.asarray(own - self.first)

    def hide_outside(self, q: Array, gaps: Array, modes: np.ndarray) -> None:
        """Put free features that seem to touch, but beyond what they were chosen on, far away."""
        own = slice(self.first, self.first + self.count)
        seeming = np.flatnonzero((gaps[own] <= _SEEMS) & (modes[own] == contact_columns.FREE))
        gaps[self.first + self.strayed(q, seeming)] = contact_columns.FAR

    def point_gaps(self, q: Array, gaps: Array) -> None:
        """Lower the gap of every contact point to that of the nearest solid."""
        found, _, _ = self.touches.find_near(q, np.inf)
        np.minimum.at(gaps, self._point_of, found)

    # ---------------------------------------------------------------- to go on later
    def keep(self) -> dict[str, Any]:
        """Return the data that a resumed run needs."""
        codes = [(-1, -1, -1, -1) if one is None else one.code for one in self.features]
        numbers = [np.zeros(contact_columns.FEATURE_FLOATS) if one is None else one.numbers for one in self.features]
        rows = [np.zeros((0, 5)) if one is None else one.limits for one in self.features]
        return {
            "feature.codes": np.array(codes, np.int64),
            "feature.numbers": np.array(numbers),
            "feature.limits": np.concatenate(rows),
            "feature.firsts": np.cumsum([0, *map(len, rows)]),
            "feature.seen": self.seen.copy(),
            "feature.slack": self.slack.copy(),
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        codes = np.asarray(kept["feature.codes"]).reshape(-1, 4)
        numbers = np.array(kept["feature.numbers"], float).reshape(-1, contact_columns.FEATURE_FLOATS)
        limits, firsts = np.array(kept["feature.limits"], float).reshape(-1, 5), np.asarray(kept["feature.firsts"])
        for slot, row in enumerate(codes):
            a, b, i, j = (int(number) for number in row)
            own = limits[int(firsts[slot]) : int(firsts[slot + 1])]
            self._set(slot, None if a < 0 else Feature((a, b, i, j), numbers[slot].copy(), own.copy()))
        self.seen, self.slack = np.array(kept["feature.seen"], float), np.array(kept["feature.slack"], float)
