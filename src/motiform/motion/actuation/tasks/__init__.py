"""Task functions: what a motion is for, as numbers of the posture; their inverse, trajectories and control."""

from motiform.motion.actuation.tasks.control import TaskControl, TaskEfforts
from motiform.motion.actuation.tasks.function import TaskFunction, TaskInverse, TaskValues, prioritized
from motiform.motion.actuation.tasks.kinds import CenterTask, OrientationTask, PostureTask, TagTask, Task
from motiform.motion.actuation.tasks.trajectory import CONTACT_CODES, TaskTrajectory, read_traj3, write_traj3

__all__ = [
    "CONTACT_CODES",
    "CenterTask",
    "OrientationTask",
    "PostureTask",
    "TagTask",
    "Task",
    "TaskControl",
    "TaskEfforts",
    "TaskFunction",
    "TaskInverse",
    "TaskTrajectory",
    "TaskValues",
    "prioritized",
    "read_traj3",
    "write_traj3",
]
