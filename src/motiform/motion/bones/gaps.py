"""Gaps between bones in the neutral pose, and the cartilage that fits between them."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from motiform.base.errors import ShapeError
from motiform.motion.bones.bone import Bone
from motiform.motion.bones.names import METACARPALS
from motiform.spatial.checks import Words

__all__ = ["NeutralGaps"]

_NEAR = 8e-3  # [m] between boxes: bones that are farther apart in the neutral pose never touch
_OVERLAP = 1.5e-3  # [m] that bones may overlap in the neutral pose
_NOTED = 0.2e-3  # [m]


class NeutralGaps:
    """The least gap of each pair of bones in the neutral pose [m]; each is computed once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], float] = {}

    def gap(self, a: Bone, b: Bone) -> float:
        """Return the least signed distance between two bones [m]; inf where their boxes are far apart."""
        key = a.name, b.name
        if key not in self._found:
            self._found[key] = _least(a, b) if _box_gap(a, b) < _NEAR else np.inf
        return self._found[key]

    def reaches(
        self, bones: Mapping[str, Bone], bodies: tuple[tuple[str, ...], ...], thickness: float
    ) -> dict[tuple[str, str], float]:
        """Return the thickness of both layers of cartilage [m] for pairs of bones that may touch.

        It is no more than the gap, so that the neutral pose is one of rest; for bones that overlap it is negative.
        """
        body = {name: n for n, group in enumerate(bodies) for name in group}
        found = {}
        for a, b in combinations(bones, 2):
            if body[a] != body[b]:
                gap = self.gap(bones[a], bones[b])
                if np.isfinite(gap):
                    found[a, b] = min(thickness, gap)
        return found

    def overlaps(self, bones: Mapping[str, Bone]) -> list[str]:
        """Return a note on bones that touch or overlap in the neutral pose; reject those that do so deeply."""
        tight = []
        for a, b in combinations(bones, 2):
            gap = _rough(bones[a], bones[b])
            if gap < -_OVERLAP and not {a, b} & set(METACARPALS):  # these move with the bones that they overlap
                raise ShapeError(
                    "two bones overlap in the neutral pose", where=f"{a}, {b}", got=Words(f"{-gap * 1e3:.2g} mm"),
                    allowed=f"up to {_OVERLAP * 1e3:g} mm", remedy="Separate them, or segment them again.",
                )  # fmt: skip
            if gap < _NOTED:
                tight.append(f"{a}–{b} {gap * 1e3:.2f} mm")
        if not tight:
            return []
        return [f"Gaps in the neutral pose are under {_NOTED * 1e3:g} mm, where no cartilage fits: {', '.join(tight)}."]


def _box_gap(a: Bone, b: Bone) -> float:
    (low_a, high_a), (low_b, high_b) = ((x.mesh.bounds if x.bounds is None else x.bounds) for x in (a, b))
    apart = np.maximum(np.maximum(low_a - high_b, low_b - high_a), 0.0)
    return float(np.linalg.norm(apart))


def _least(a: Bone, b: Bone) -> float:
    found = [one.map.distance(other.samples[0])[0].min(initial=np.inf) for one, other in ((a, b), (b, a))]
    return float(min(found))


def _rough(a: Bone, b: Bone) -> float:
    """Return the signed distance of the surface points of a bone from another's mesh [m]; inf beyond 1 mm.

    It is the third of the least: single points lie where a mesh is folded, and tell nothing.
    """
    if _box_gap(a, b) > 1e-3:
        return np.inf
    from motiform.geometry.search.closest import signed_distance

    found = []
    for one, other in ((a, b), (b, a)):
        points = one.samples[0]
        low, high = other.mesh.bounds
        near = points[((points > low - 1e-3) & (points < high + 1e-3)).all(axis=1)]
        found.append(np.sort(np.append(signed_distance(other.solids, near, reach=1e-3)[0], [np.inf] * 3))[2])
    return float(min(found))
