"""Files of orientations and poses of segments: of inertial sensors, and of video that is fitted as a body."""

from motiform.measure.poses.read import holds_poses, read_poses
from motiform.measure.poses.register import POSE_FORMATS

__all__ = ["POSE_FORMATS", "holds_poses", "read_poses"]
