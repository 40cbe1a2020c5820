"""Articulated systems: figures of segments and joints, their kinematics and dynamics."""

from motiform.motion.tree.algorithms.closure_rows import contact_frames, contact_gap
from motiform.motion.tree.algorithms.closures import (
    Constrained,
    Constraint,
    closure_forces,
    closure_wrenches,
    constrained_dynamics,
    constraint,
)
from motiform.motion.tree.algorithms.configuration import advance, configuration_rate, repair
from motiform.motion.tree.algorithms.derivatives import (
    ForwardDerivatives,
    InverseDerivatives,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from motiform.motion.tree.algorithms.dynamics import (
    Energy,
    energy,
    inertia_matrix,
    inverse_dynamics,
    momentum,
    nonlinear_effects,
)
from motiform.motion.tree.algorithms.effort import Effort, effort
from motiform.motion.tree.algorithms.forward import forward_dynamics
from motiform.motion.tree.algorithms.kinematics import (
    Motion,
    Poses,
    centers_of_mass,
    forward_kinematics,
    jacobian,
    joint_axes,
    motion,
    tag_accelerations,
    tag_jacobians,
    tag_positions,
    tag_velocities,
    tags,
)
from motiform.motion.tree.algorithms.loops import close_loops
from motiform.motion.tree.algorithms.matrices import (
    centroidal_bias,
    centroidal_matrix,
    contact_wrench,
    coriolis_matrix,
    gravity_effects,
    joint_wrenches,
)
from motiform.motion.tree.algorithms.world_velocity import joint_velocity
from motiform.motion.tree.build import FigureBuilder
from motiform.motion.tree.contact_joints.closure import ContactClosure
from motiform.motion.tree.lock import lock_joints
from motiform.motion.tree.model.actuator import Actuator, ActuatorChannel
from motiform.motion.tree.model.closure import Closure
from motiform.motion.tree.model.coupling import Coupling
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Joint
from motiform.motion.tree.model.segment import Segment, SegmentShape, SegmentSurface, Tag
from motiform.motion.tree.model.state import Control, FigureState

__all__ = [
    "Actuator", "ActuatorChannel", "Closure", "Constrained", "Constraint", "ContactClosure", "Control", "Coupling",
    "Effort", "Energy", "Figure", "FigureBuilder", "FigureState", "ForwardDerivatives", "InverseDerivatives", "Joint",
    "Motion", "Poses", "Segment", "SegmentShape", "SegmentSurface", "Tag", "advance", "centers_of_mass",
    "centroidal_bias", "centroidal_matrix", "close_loops", "closure_forces", "closure_wrenches", "configuration_rate",
    "constrained_dynamics", "constraint", "contact_frames", "contact_gap", "contact_wrench", "coriolis_matrix",
    "effort", "energy", "forward_dynamics", "forward_dynamics_derivatives", "forward_kinematics", "gravity_effects",
    "inertia_matrix", "inverse_dynamics", "inverse_dynamics_derivatives", "jacobian", "joint_axes", "joint_velocity",
    "joint_wrenches", "lock_joints", "momentum", "motion", "nonlinear_effects", "repair", "tag_accelerations",
    "tag_jacobians", "tag_positions", "tag_velocities", "tags",
]  # fmt: skip
