"""The constraints of OpenSim models that close loops: points, lines, distances and welds, as closures."""

from typing import TYPE_CHECKING

from motiform.motion.tree.read.elements import located
from motiform.motion.tree.read.osim.elements import Node
from motiform.motion.tree.read.osim.frames import Frames, Place, connected

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder

__all__ = ["add_closure"]

_ZERO = (0.0, 0.0, 0.0)


def add_closure(builder: "FigureBuilder", node: Node, frames: Frames, number: int) -> None:
    """Add the closure of a constraint, the one of that number in its set, from 1."""
    name = node.name or f"{node.tag}_{number}"
    path = f"/constraintset/{node.name or node.tag}"
    with located(node):
        if node.tag == "WeldConstraint":
            (a, A), (b, B) = _frame(node, path, 1, frames), _frame(node, path, 2, frames)
            turn = A.rotation @ B.rotation.T
            builder.close(name, a, A.translation, b, B.translation, "weld", turn=turn)
        elif node.tag == "PointOnLineConstraint":
            (a, A), (b, B) = (_body(node, path, f"{end}_body", frames) for end in ("line", "follower"))
            line, point = A.point(node.vector("point_on_line", 3, _ZERO)), node.vector("point_on_follower", 3, _ZERO)
            axis = A.rotation @ node.vector("line_direction_vec", 3)
            builder.close(name, a, line, b, B.point(point), "line", axis=axis)
        else:
            (a, A), (b, B) = (_body(node, path, f"body_{k}", frames) for k in (1, 2))
            ends = [pose.point(node.vector(f"location_body_{k}", 3, _ZERO)) for k, pose in ((1, A), (2, B))]
            if node.tag == "ConstantDistanceConstraint":
                builder.close(name, a, ends[0], b, ends[1], "distance", length=node.scalar("constant_distance"))
            else:
                builder.close(name, a, ends[0], b, ends[1])


def _body(node: Node, path: str, name: str, frames: Frames) -> Place:
    """Return the body, or frame, that one end is fixed to."""
    text = connected(node, name)
    if not text:
        raise node.error(f"the <{node.tag}> has no <socket_{name}>", remedy="Say which body it holds.")
    return frames.place(path, text, node)


def _frame(node: Node, path: str, end: int, frames: Frames) -> Place:
    """Return a frame of a weld: of version 4 by name, before as a body with location and orientation."""
    text = connected(node, f"frame{end}", f"frame_{end}")
    if text:
        return frames.place(path, text, node)
    body, pose = _body(node, path, f"body_{end}", frames)
    return body, pose @ node.pose(f"location_body_{end}", f"orientation_body_{end}")
