"""Figures from files: URDF, the kinematic trees of MJCF, and OpenSim models.

What a file asks for and a figure cannot do is left out, what no matter can have is mended; `figure.notes` lists it,
and one `ReaderWarning` names what changes the motion. With ``strict=True`` it is refused, with file and line. A reader
reads nothing outside the file's folder and the `roots` that it is given.
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from motiform.motion.tree.read.bvh import BvhMotion, read_bvh, write_bvh
from motiform.motion.tree.read.elements import read_xml
from motiform.motion.tree.read.mjcf.read import read_mjcf
from motiform.motion.tree.read.osim.markers import read_marker_set
from motiform.motion.tree.read.osim.read import read_osim
from motiform.motion.tree.read.shared import ReaderWarning
from motiform.motion.tree.read.urdf.read import read_urdf

if TYPE_CHECKING:
    from motiform.motion.tree.model.figure import Figure

__all__ = [
    "BvhMotion",
    "ReaderWarning",
    "read_bvh",
    "read_figure",
    "read_marker_set",
    "read_mjcf",
    "read_osim",
    "read_urdf",
    "write_bvh",
]


def read_figure(path: str | os.PathLike[str], **options: Any) -> "Figure":
    """Return the figure of a URDF, MJCF or OpenSim file; its content says which. `options` are those of the reader."""
    root = read_xml(path)
    readers: dict[str, Callable[..., Figure]] = {"robot": read_urdf, "mujoco": read_mjcf, "OpenSimDocument": read_osim}
    if root.tag not in readers:
        allowed = "<robot> (URDF), <mujoco> (MJCF), <OpenSimDocument> (OpenSim)"
        raise root.error("the root must be that of a model", got=f"<{root.tag}>", allowed=allowed)
    return readers[root.tag](path, **options)
