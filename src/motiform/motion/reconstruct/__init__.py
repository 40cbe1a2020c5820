"""Posture, size and effort of a figure from optical markers."""

from motiform.motion.reconstruct.calibration.calibrate import Calibration, calibrate
from motiform.motion.reconstruct.calibration.lengths import measured_lengths
from motiform.motion.reconstruct.calibration.scale import scale_figure
from motiform.motion.reconstruct.derivatives import MotionSamples, velocities
from motiform.motion.reconstruct.dynamics.efforts import Efforts, efforts, residual_report
from motiform.motion.reconstruct.dynamics.loads import PlateLoads, find_contacts, read_loads
from motiform.motion.reconstruct.dynamics.muscles import muscle_forces
from motiform.motion.reconstruct.dynamics.plates import PlateAssignment, PlateContact, assign_plates
from motiform.motion.reconstruct.feet import Foot, find_feet
from motiform.motion.reconstruct.fit.virtual import virtual_markers
from motiform.motion.reconstruct.gait.angles import JointAngle, JointAngles, default_joints, joint_angles, static_frames
from motiform.motion.reconstruct.gait.cycles import (
    GaitCurves,
    GaitCycle,
    GaitQuantity,
    cycle_curves,
    gait_curves,
    gait_cycles,
)
from motiform.motion.reconstruct.gait.events import Walker, gait_events, plate_events, walker_of
from motiform.motion.reconstruct.gait.normative import Normative, read_normative, write_normative
from motiform.motion.reconstruct.gait.series import GaitSeries, SideSeries, joint_series, pelvis_angles
from motiform.motion.reconstruct.gait.strides import GaitTable, Stride, gait_table
from motiform.motion.reconstruct.opensim.ik import IKSetup, read_ik_setup
from motiform.motion.reconstruct.opensim.loads import add_forces, read_external_loads
from motiform.motion.reconstruct.opensim.scaling import ScaleSetup, read_scale_setup, scale_by_setup

__all__ = [
    "Calibration",
    "Efforts",
    "Foot",
    "GaitCurves",
    "GaitCycle",
    "GaitQuantity",
    "GaitSeries",
    "GaitTable",
    "IKSetup",
    "JointAngle",
    "JointAngles",
    "MotionSamples",
    "Normative",
    "PlateAssignment",
    "PlateContact",
    "PlateLoads",
    "ScaleSetup",
    "SideSeries",
    "Stride",
    "Walker",
    "add_forces",
    "assign_plates",
    "calibrate",
    "cycle_curves",
    "default_joints",
    "efforts",
    "find_contacts",
    "find_feet",
    "gait_curves",
    "gait_cycles",
    "gait_events",
    "gait_table",
    "joint_angles",
    "joint_series",
    "measured_lengths",
    "muscle_forces",
    "pelvis_angles",
    "plate_events",
    "read_external_loads",
    "read_ik_setup",
    "read_loads",
    "read_normative",
    "read_scale_setup",
    "residual_report",
    "scale_by_setup",
    "scale_figure",
    "static_frames",
    "velocities",
    "virtual_markers",
    "walker_of",
    "write_normative",
]
