"""Muscles under electrical stimulation: calcium, recruitment, contractile element and springs.  [HuMAnS 1.2]"""

from motiform.motion.actuation.stimulation.geometry import JoinedGeometry, KneeGeometry, PathArms
from motiform.motion.actuation.stimulation.muscle import HAMSTRINGS, QUADRICEPS, StimulatedMuscle, recruitment
from motiform.motion.actuation.stimulation.muscles import StimulatedMuscles

__all__ = [
    "HAMSTRINGS",
    "QUADRICEPS",
    "JoinedGeometry",
    "KneeGeometry",
    "PathArms",
    "StimulatedMuscle",
    "StimulatedMuscles",
    "recruitment",
]
