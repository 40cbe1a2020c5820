"""Indices of a gait against a reference: Movement Analysis Profile, Gait Profile Score, Gait Deviation Index."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.postures.gait.cycles import POINTS
from motiform.motion.tree.model.joint import Array

__all__ = ["FEATURES", "FIDELITY", "PROFILE", "DeviationIndex", "movement_profile", "profile_score"]

PROFILE = (
    "pelvis anterior tilt", "pelvis obliquity up", "pelvis internal rotation", "hip flexion", "hip adduction",
    "hip internal rotation", "knee flexion", "ankle dorsiflexion", "foot internal progression",
)  # fmt: skip
"""The nine curves of the indices, by their titles: of the pelvis, of one leg.  [Baker09] [SchwartzRozumalski08]"""
FEATURES = 15
"""Of the deviation index.  [SchwartzRozumalski08]"""
FIDELITY = 0.95
"""Of a gait in its features, at least; 15 features of many gaits give back 0.98 on average  [SchwartzRozumalski08]."""
_EVERY = 2  # of 101 points: 51, each 2 % of the cycle
_PELVIS = "pelvis"
_SUBJECTS = 2  # one subject's cycles are no reference for another's deviation


def movement_profile(means: Mapping[str, ArrayLike], reference: Mapping[str, ArrayLike]) -> dict[str, float]:
    """Return the Gait Variable Scores [°] of one side: root mean square over the cycle to the reference  [Baker09].

    ``means`` and ``reference`` are mean curves (101,) by title. Of `PROFILE`, those that both have; nan points, such as
    the heading of a foot that points down, are left out.
    """
    found = {}
    for title in PROFILE:
        if title in means and title in reference:
            gap = (np.asarray(means[title], float) - np.asarray(reference[title], float))[::_EVERY]
            gap = gap[np.isfinite(gap)]
            if len(gap):
                found[title] = float(np.sqrt((gap**2).mean()))
    return found


def profile_score(left: Mapping[str, float] | None, right: Mapping[str, float] | None) -> float:
    """Return the Gait Profile Score [°] of movement profiles: of a side its nine scores, of both fifteen  [Baker09].

    Of both sides the pelvis counts once, with the left side's scores. nan where a score is missing.
    """
    profiles = [one for one in (left, right) if one is not None]
    if not profiles or any(title not in one for one in profiles for title in PROFILE):
        return float("nan")
    scores = list(profiles[0].values()) + [
        value for one in profiles[1:] for title, value in one.items() if not title.startswith(_PELVIS)
    ]
    return float(np.sqrt(np.mean(np.square(scores))))


@dataclass(frozen=True)
class DeviationIndex:
    """The Gait Deviation Index against controls: 100 is their mean, 10 less one standard deviation further from it.

    [SchwartzRozumalski08]: a gait is nine curves at 51 points; singular vectors of many gaits are features of which 15
    are kept; the logarithm of the distance from the controls' mean in them is scaled by that of the controls. The
    features are those of this reference: an index is comparable with others of the same reference only.
    """

    controls: Array
    """Gaits of the controls, (controls, 459): `gait_vector` of each side of each."""
    subjects: int
    """People that they are of."""
    patients: Array | None = None
    """Gaits of others (others, 459), whose ways of differing the features are to hold, too."""

    def __post_init__(self) -> None:
        count = len(self.controls)
        if count <= FEATURES or self.subjects < _SUBJECTS:
            raise InputError(
                "a Gait Deviation Index must have the curves of controls, more than its features",
                got=f"{count} curves of {self.subjects} subject{'s' * (self.subjects != 1)}",
                allowed=f"{FEATURES + 1} curves or more, of {_SUBJECTS} subjects or more",
                remedy="Give a reference that write_reference has made of the sessions of controls; of means alone, "
                "Gait Profile Scores are all that can be told.",
            )  # fmt: skip

    @cached_property
    def features(self) -> Array:
        """Singular vectors of the gaits of controls and patients, (459, 15)."""
        gaits = self.controls if self.patients is None else np.concatenate([self.controls, self.patients])
        return np.asarray(np.linalg.svd(gaits.T, full_matrices=False)[0][:, :FEATURES])

    def fidelity(self, gait: Array) -> float:
        """Return which part of the sum of squares of a gait (459,) its features give back."""
        return float(((gait @ self.features) ** 2).sum() / (gait**2).sum())

    @cached_property
    def _scale(self) -> tuple[float, float]:
        logs = np.log([self._distance(one) for one in self.controls])
        return float(logs.mean()), float(logs.std(ddof=1))

    def _distance(self, gait: Array) -> float:
        return float(np.linalg.norm((gait - self.controls.mean(0)) @ self.features))

    def of(self, means: Mapping[str, ArrayLike]) -> float:
        """Return the index of one side from its mean curves.

        nan where one of the nine is missing, and where the features do not hold the gait (`FIDELITY`): what they do not
        hold would count as no deviation.
        """
        gait = gait_vector(means)
        if gait is None or self.fidelity(gait) < FIDELITY:
            return float("nan")
        mean, sd = self._scale
        return 100.0 - 10.0 * (float(np.log(self._distance(gait))) - mean) / sd


def gait_vector(means: Mapping[str, ArrayLike]) -> Array | None:
    """Return nine curves at 51 points as one vector, (459,); None where one is missing.

    The heading of a foot is not known where it points down: the line between the points beside stands there.
    """
    if any(title not in means for title in PROFILE):
        return None
    found = []
    for title in PROFILE:
        curve = np.asarray(means[title], float)
        known = np.flatnonzero(np.isfinite(curve))
        if len(curve) != POINTS or not len(known):
            return None
        found.append(np.interp(np.arange(POINTS), known, curve[known])[::_EVERY])
    return np.concatenate(found)
