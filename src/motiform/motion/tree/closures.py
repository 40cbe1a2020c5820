"""Loops: segments held together beside the tree, by multipliers on the tree's own accelerations."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.tree.batch import as_states
from motiform.motion.tree.configuration import advance
from motiform.motion.tree.contact_closures import apply, back, cross, frame_twist, nearest
from motiform.motion.tree.dynamics import inertia_matrix, inverse_dynamics
from motiform.motion.tree.figure import Closure, ContactClosure, Figure
from motiform.motion.tree.joint import Array
from motiform.motion.tree.kinematics import Motion, _joint_axes, carried, joint_axes, motion
from motiform.spatial import Transform, cross_motion, log_rotation

__all__ = [
    "Constrained",
    "Constraint",
    "close_loops",
    "closure_forces",
    "closure_wrenches",
    "constrained_dynamics",
    "constraint",
    "contact_frames",
]
