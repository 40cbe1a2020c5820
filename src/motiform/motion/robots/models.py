"""Robots of the package's own, as files: to try what reads, moves and draws robots."""

from importlib.resources import files
from pathlib import Path

from motiform.base.errors import InputError, closest

__all__ = ["MODELS", "robot_file"]

MODELS = {
    name.partition(".")[0]: name for name in ("arm.urdf", "biped.urdf", "hand.xml", "humanoid.xml", "quadruped.xml")
}
"""Their files by name: an arm of six axes, a pair of legs, a hand with a ball, a humanoid, a dog."""


def robot_file(name: str) -> Path:
    """Return the file of a robot of the package.

    >>> from motiform.robots import read_robot
    >>> read_robot(robot_file("quadruped")).figure.nv
    18
    """
    if name not in MODELS:
        allowed = ", ".join(MODELS)
        raise InputError("no such robot", got=name, allowed=allowed, remedy=closest(name, MODELS))
    return Path(str(files("motiform.motion.robots") / "files" / MODELS[name]))
