"""Free and pinned rigid bodies."""

from motiform.motion.bodies.model import AIR_DENSITY, Bodies, Body, Drag, Environment, Force, Load, Spring, State
from motiform.motion.bodies.scatter import scatter
from motiform.motion.run import Options

__all__ = [
    "AIR_DENSITY",
    "Bodies",
    "Body",
    "Drag",
    "Environment",
    "Force",
    "Load",
    "Options",
    "Spring",
    "State",
    "scatter",
]
