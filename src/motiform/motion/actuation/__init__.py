"""What drives figures: posture control, gravity compensation, commands that are given now and then."""

from motiform.motion.actuation.control import (
    CommandedControl,
    PostureControl,
    StandingEffort,
    posture_control,
    posture_trajectory,
    standing_effort,
)

__all__ = [
    "CommandedControl",
    "PostureControl",
    "StandingEffort",
    "posture_control",
    "posture_trajectory",
    "standing_effort",
]
