"""Posture, size and effort of a figure from optical markers."""

from motiform.motion.postures.calibration.calibrate import Calibration, calibrate
from motiform.motion.postures.calibration.lengths import measured_lengths
from motiform.motion.postures.calibration.scale import scale_figure
from motiform.motion.postures.derivatives import MotionSamples, velocities
from motiform.motion.postures.dynamics.efforts import Efforts, efforts, residual_report
from motiform.motion.postures.dynamics.loads import PlateLoads, find_contacts, read_loads
from motiform.motion.postures.dynamics.muscles import muscle_forces
from motiform.motion.postures.dynamics.plates import PlateAssignment, PlateContact, assign_plates
from motiform.motion.postures.feet import Foot, find_feet
from motiform.motion.postures.fit.virtual import virtual_markers
from motiform.motion.postures.gait.angles import JointAngle, JointAngles, default_joints, joint_angles, static_frames
from motiform.motion.postures.gait.cycles import (
    GaitCurves,
    GaitCycle,
    GaitQuantity,
    cycle_curves,
    gait_curves,
    gait_cycles,
)
from motiform.motion.postures.gait.events import Walker, gait_events, plate_events, walker_of
from motiform.motion.postures.gait.normative import Normative, read_normative, write_normative
from motiform.motion.postures.gait.reference import GaitReference, read_reference, write_reference
from motiform.motion.postures.gait.series import GaitSeries, SideSeries, joint_series, pelvis_angles
from motiform.motion.postures.gait.strides import GaitTable, Stride, gait_table
from motiform.motion.postures.opensim.ik import IKSetup, read_ik_setup
from motiform.motion.postures.opensim.loads import add_forces, read_external_loads
from motiform.motion.postures.opensim.scaling import ScaleSetup, read_scale_setup, scale_by_setup
from motiform.motion.postures.poses import pose_markers
from motiform.motion.postures.settings import Estimator, Fit, Priors

__all__ = [
    "Calibration", "Efforts", "Estimator", "Fit", "Foot", "GaitCurves", "GaitCycle", "GaitQuantity", "GaitReference",
    "GaitSeries", "GaitTable", "IKSetup", "JointAngle", "JointAngles", "MotionSamples", "Normative", "PlateAssignment",
    "PlateContact", "PlateLoads", "Priors", "ScaleSetup", "SideSeries", "Stride", "Walker", "add_forces",
    "assign_plates", "calibrate", "cycle_curves", "default_joints", "efforts", "find_contacts", "find_feet",
    "gait_curves", "gait_cycles", "gait_events", "gait_table", "joint_angles", "joint_series", "measured_lengths",
    "muscle_forces", "pelvis_angles", "plate_events", "pose_markers", "read_external_loads", "read_ik_setup",
    "read_loads", "read_normative", "read_reference", "read_scale_setup", "residual_report", "scale_by_setup",
    "scale_figure", "static_frames", "velocities", "virtual_markers", "walker_of", "write_normative", "write_reference",
]  # fmt: skip
