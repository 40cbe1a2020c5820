"""Figures from files: URDF, the kinematic trees of MJCF, and OpenSim models.

What a file asks for and a figure cannot do is left out, what no matter can have is mended; `figure.notes` lists it,
and one `ReaderWarning` names what changes the motion. With ``strict=True`` it is refused, with file and line. A reader
reads nothing outside the file's folder and the `roots` that it is given.
"""

from motiform.motion.tree.read.bvh import BvhMotion, read_bvh, write_bvh
from motiform.motion.tree.read.mjcf.read import read_mjcf
from motiform.motion.tree.read.osim.markers import read_marker_set
from motiform.motion.tree.read.osim.read import read_osim
from motiform.motion.tree.read.register import FORMATS, ModelFormat, read_figure
from motiform.motion.tree.read.shared import ReaderWarning
from motiform.motion.tree.read.urdf.read import read_urdf

__all__ = [
    "FORMATS", "BvhMotion", "ModelFormat", "ReaderWarning", "read_bvh", "read_figure", "read_marker_set", "read_mjcf",
    "read_osim", "read_urdf", "write_bvh",
]  # fmt: skip
