"""The joints of an OpenSim model as links between bodies, and their order from the ground outward."""

from dataclasses import dataclass

from motiform.base.errors import closest
from motiform.motion.tree.read.osim.elements import Node
from motiform.motion.tree.read.osim.frames import Frames, Place, connected, socket
from motiform.motion.tree.read.osim.joints import JOINTS

__all__ = ["Link", "links_of", "outward"]


@dataclass(frozen=True, eq=False)
class Link:
    """A joint of the file: how its frame in the child moves in its frame in the parent."""

    node: Node
    parent: Place
    child: Place


def links_of(components: list[tuple[str, Node]], frames: Frames) -> list[Link]:
    """Return the joints in the order of the file: of version 4 in their set, of version 3 in the bodies they carry."""
    found = []
    for path, node in components:
        if node.tag == "Body":
            found += [_inside(node, joint) for joint in node.inside("Joint")]
        elif node.tag.endswith("Joint"):
            _check_kind(node)
            parent, child = (_end(path, node, end, frames) for end in ("parent", "child"))
            reverse = not connected(node, "parent_frame") and node.flag("reverse", False)
            found.append(Link(node, child, parent) if reverse else Link(node, parent, child))
    return found


def _end(path: str, node: Node, end: str, frames: Frames) -> Place:
    """Return a frame of a joint: of version 4 by its socket, of 3.5 as a body with location and orientation."""
    body = connected(node, f"{end}_body")
    if not body or connected(node, f"{end}_frame"):
        return frames.place(path, socket(node, f"{end}_frame"), node)
    name, pose = frames.place(path, body, node)
    return name, pose @ node.pose(f"location_in_{end}", f"orientation_in_{end}")


def _inside(body: Node, node: Node) -> Link:
    """Return the joint of version 3, which stands in the body that it carries."""
    _check_kind(node)
    parent = node.value("parent_body")
    if not parent:
        raise node.error("the joint has no <parent_body>", remedy="Name the body that carries this one.")
    inner: Place = (
        None if parent.lower() == "ground" else parent,
        node.pose("location_in_parent", "orientation_in_parent"),
    )
    outer: Place = (body.named(), node.pose("location", "orientation"))
    return Link(node, outer, inner) if node.flag("reverse", False) else Link(node, inner, outer)


def _check_kind(node: Node) -> None:
    if node.tag not in JOINTS:
        remedy = closest(node.tag, JOINTS)
        raise node.error("a joint of this kind is not supported", allowed=", ".join(JOINTS), remedy=remedy)


def outward(links: list[Link], bodies: dict[str, Node], model: Node) -> list[tuple[Link, bool]]:
    """Return the joints, inner bodies first, and whether the file says it from the outer body."""
    bodies = {name: node for name, node in bodies.items() if name.lower() != "ground"}
    if not bodies:
        raise model.error("the model has no <Body>", remedy="A model has at least one body.")
    at: dict[str | None, list[Link]] = {}
    for link in links:
        for name in (link.parent[0], link.child[0]):
            if name is not None and name not in bodies:
                raise link.node.error("unknown body", got=name, remedy=closest(name, bodies))
            at.setdefault(name, []).append(link)
    carried: set[str | None] = {None}
    order: list[tuple[Link, bool]] = []
    waiting: list[tuple[str | None, Link]] = [(None, link) for link in reversed(at.get(None, []))]
    while waiting:
        inner, link = waiting.pop()
        reverse = link.parent[0] != inner
        outer = link.parent[0] if reverse else link.child[0]
        if outer in carried:
            raise _loop(link)
        carried.add(outer)
        order.append((link, reverse))
        waiting += [(outer, other) for other in reversed(at[outer]) if other is not link]
    lost = [name for name in bodies if name not in carried]
    if lost:
        remedy = "Join them with a FreeJoint where they are free."
        raise bodies[lost[0]].error("the body has no joint to the ground", got=", ".join(lost[:9]), remedy=remedy)
    return order


def _loop(link: Link) -> Exception:
    parent, child = ("the ground" if name is None else repr(name) for name, _ in (link.parent, link.child))
    return link.node.error(
        f"it closes a loop: {parent} and {child} are connected already",
        allowed="joints that form a tree",
        remedy="Remove one of the joints of the loop.",
    )
