"""Muscles under electrical stimulation: calcium, recruitment, contractile element and springs.  [HuMAnS 1.2]"""

from motiform.motion.actuation.stimulation.geometry import JoinedGeometry, KneeGeometry, PathArms
from motiform.motion.actuation.stimulation.muscle import (
    HAMSTRINGS,
    QUADRICEPS,
    StimulatedMuscle,
    pulse_intensity,
    recruitment,
)
from motiform.motion.actuation.stimulation.muscles import StimulatedMuscles
from motiform.motion.actuation.stimulation.swing import KneeSwing

__all__ = [
    "HAMSTRINGS",
    "QUADRICEPS",
    "JoinedGeometry",
    "KneeGeometry",
    "KneeSwing",
    "PathArms",
    "StimulatedMuscle",
    "StimulatedMuscles",
    "pulse_intensity",
    "recruitment",
]
