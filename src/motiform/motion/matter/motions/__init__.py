"""Motions that are imposed on points and solids of networks, and forces and winds that vary in time.

All are frozen dataclasses and functions of time, for `NetworkBuilder.imposed`, `.solid(motion=)`, `.push` and `wind=`.
"""

from motiform.motion.matter.motions.eddies import Eddies
from motiform.motion.matter.motions.forces import Gusts, Push
from motiform.motion.matter.motions.moves import Circle, MovedPoints, MovedSolid, Path, Spin, Swing, Wave
from motiform.motion.matter.motions.recorded import RecordedSolid, recorded_points, recorded_solid

__all__ = [
    "Circle", "Eddies", "Gusts", "MovedPoints", "MovedSolid", "Path", "Push", "RecordedSolid", "Spin", "Swing", "Wave",
    "recorded_points", "recorded_solid",
]  # fmt: skip
