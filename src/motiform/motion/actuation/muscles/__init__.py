"""Muscles: paths over bones, Hill-type models, OpenSim's muscles, and the muscle forces of a measured motion."""

from motiform.motion.actuation.muscles.acting import HillMuscles
from motiform.motion.actuation.muscles.curves import register
from motiform.motion.actuation.muscles.curves.model import MuscleModel
from motiform.motion.actuation.muscles.curves.register import *  # noqa: F403  a new model is named in the register alone
from motiform.motion.actuation.muscles.hill import (
    FibreForces,
    Muscle,
    activation_rate,
    fibre_equilibrium,
    fibre_forces,
    fibre_speed,
    muscle_force,
)
from motiform.motion.actuation.muscles.muscle_set import CoordinateActuator, LigamentForce, Muscles
from motiform.motion.actuation.muscles.osim.read import read_muscles
from motiform.motion.actuation.muscles.osim.write import write_osim
from motiform.motion.actuation.muscles.paths.geometry import PathGeometry, path_geometry, path_outlines, path_wrenches
from motiform.motion.actuation.muscles.paths.jumps import path_jumps
from motiform.motion.actuation.muscles.paths.paths import (
    MovingPoint,
    MusclePath,
    PathPoint,
    Paths,
    PathWrap,
    WrapObject,
)
from motiform.motion.actuation.muscles.paths.slopes import ArmSlopes, arm_slopes
from motiform.motion.actuation.muscles.scale import scale_muscles
from motiform.motion.actuation.muscles.sharing import Shares, share_moments, static_optimization

__all__ = [
    "ArmSlopes",
    "CoordinateActuator",
    "FibreForces",
    "HillMuscles",
    "LigamentForce",
    "MovingPoint",
    "Muscle",
    "MuscleModel",
    "MusclePath",
    "Muscles",
    "PathGeometry",
    "PathPoint",
    "PathWrap",
    "Paths",
    "Shares",
    "WrapObject",
    "activation_rate",
    "arm_slopes",
    "fibre_equilibrium",
    "fibre_forces",
    "fibre_speed",
    "muscle_force",
    "path_geometry",
    "path_jumps",
    "path_outlines",
    "path_wrenches",
    "read_muscles",
    "scale_muscles",
    "share_moments",
    "static_optimization",
    "write_osim",
]
__all__ += register.__all__
