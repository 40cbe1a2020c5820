"""The markers of OpenSim models and marker sets as tags."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from motiform.base.files import reads_file
from motiform.motion.tree.model.segment import Tag
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.osim.elements import Node, read_document
from motiform.motion.tree.read.osim.frames import Frames, socket
from motiform.motion.tree.read.shared import Report

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder

__all__ = ["add_markers", "read_marker_set"]


@reads_file("a marker set of OpenSim")
def read_marker_set(path: str | os.PathLike[str]) -> tuple[Tag, ...]:
    """Return the markers of a marker set file as tags of bodies, for ``figure.replace(tags=...)``.

    Markers must be fixed to bodies; those of offset frames need the model: ``read_osim(model, markers=path)``.
    """
    tags = []
    for node in _by_name(_markers(read_document(path, ("MarkerSet",)))).values():
        text = _frame_of(node)
        *above, body = text.split("/")
        if above and [word for word in above if word not in ("", ".", "..")] != ["bodyset"]:
            remedy = "Give the model, too: read_osim(model, markers=this file)."
            raise node.error("the frame of a marker must be a body", got=text, allowed="/bodyset/NAME", remedy=remedy)
        x, y, z = node.vector("location", 3).tolist()
        tags.append(Tag(node.name, body, (x, y, z)))
    return tuple(tags)


def add_markers(
    builder: "FigureBuilder", model: Node, more: Node | None, components: list[tuple[str, Node]], frames: Frames,
    report: Report,
) -> None:  # fmt: skip
    """Add the markers of a model, of the file that it names, and of one more set; the later take the place."""
    found = _by_name([node for _, node in components if node.tag == "Marker"])
    own = model.field("MarkerSet")
    if own is not None and own.attributes.get("file", "Unassigned") != "Unassigned":
        path = Folders(Path(model.file).parent).find(own.text("file"), own)
        if path is None:
            raise own.error("no such marker set file", got=own.text("file"), remedy="Put it beside the model.")
        found |= _by_name(_markers(read_document(path, ("MarkerSet",))))
    if more is not None:
        found |= _by_name(_markers(more))
    for name, node in found.items():
        body, pose = frames.place(f"/markerset/{name}", _frame_of(node), node)
        if body is None:
            report.leave(node, "markers of the ground")
        else:
            builder.tag(name, body, pose.point(node.vector("location", 3)))


def _markers(collection: Node) -> list[Node]:
    return [node for node in collection.objects if node.tag == "Marker"]


def _by_name(nodes: list[Node]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in nodes:
        if node.named() in found:
            raise node.error(
                "every marker must have a name of its own", got=found[node.name].where, allowed="names once"
            )
        found[node.name] = node
    return found


def _frame_of(node: Node) -> str:
    return node.value("body") or socket(node, "parent_frame")
