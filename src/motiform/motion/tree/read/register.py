"""The register of model files: one line a format. What a file is, its root element says."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from motiform.motion.tree.read.elements import read_xml
from motiform.motion.tree.read.mjcf.read import read_mjcf, read_mjcf_file
from motiform.motion.tree.read.osim.read import read_osim
from motiform.motion.tree.read.urdf.read import read_urdf, read_urdf_file

if TYPE_CHECKING:
    from motiform.motion.tree.model.figure import Figure
    from motiform.motion.tree.read.model_file import ModelFile

__all__ = ["FORMATS", "ModelFormat", "find_format", "read_figure"]


class ModelFormat(NamedTuple):
    """A format of figures."""

    title: str
    root: str
    """Its root element."""
    extensions: tuple[str, ...]
    read: "Callable[..., Figure]"
    read_file: "Callable[..., ModelFile] | None" = None
    """Reads what the file holds beside the figure; None: `read_robot` does not take the format."""

    def __str__(self) -> str:
        return f"<{self.root}> ({self.title})"


FORMATS = (
    ModelFormat("URDF", "robot", (".urdf", ".xacro"), read_urdf, read_urdf_file),
    ModelFormat("MJCF", "mujoco", (".xml",), read_mjcf, read_mjcf_file),
    ModelFormat("OpenSim", "OpenSimDocument", (".osim",), read_osim),
)


def find_format(path: str | os.PathLike[str], among: tuple[ModelFormat, ...] = FORMATS) -> ModelFormat:
    """Return the format of a file, by its root element."""
    root = read_xml(path)
    for form in among:
        if form.root == root.tag:
            return form
    allowed = ", ".join(map(str, among))
    raise root.error("the root element must be that of a model", got=f"<{root.tag}>", allowed=allowed)


def read_figure(path: str | os.PathLike[str], **options: Any) -> "Figure":
    """Return the figure of a model file of any format; its content says which. `options` are those of the reader."""
    return find_format(path).read(path, **options)
