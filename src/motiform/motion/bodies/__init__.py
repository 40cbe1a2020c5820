"""Free and pinned rigid bodies."""

from motiform.motion.bodies.model import AIR_DENSITY, Bodies, BodiesState, Body, Drag, Environment, Force, Load, Spring
from motiform.motion.bodies.scattering import scatter
from motiform.motion.run import RunOptions

__all__ = [
    "AIR_DENSITY", "Bodies", "BodiesState", "Body", "Drag", "Environment", "Force", "Load", "RunOptions", "Spring",
    "scatter",
]  # fmt: skip
