"""The bodies and offset frames of an OpenSim model, and which one a path or a name means."""

from posixpath import normpath

from motiform.base.errors import closest
from motiform.motion.tree.read.osim_elements import Node
from motiform.motion.tree.read.osim_joints import JOINTS
from motiform.spatial import Transform

__all__ = ["Frames", "Place", "components_of"]

Place = tuple[str | None, Transform]
"""A body (None: the ground) and a frame in it."""

_SETS = ("BodySet", "JointSet", "MarkerSet", "ComponentSet", "ConstraintSet")
_LISTS = ("objects", "components", "frames", "ground")
_OFFSETS = ("PhysicalOffsetFrame", "OffsetFrame")
_COMPONENTS = ("Body", "Ground", "Marker", *_OFFSETS, *JOINTS)


def components_of(model: Node) -> list[tuple[str, Node]]:
    """Return the bodies, joints, frames and markers of a model with their paths, in the order of the file."""
    found: list[tuple[str, Node]] = []
    waiting = [("", node) for node in reversed(model.nodes)]
    while waiting:
        path, node = waiting.pop()
        if node.tag in _COMPONENTS or (node.tag.endswith("Joint") and path.startswith("/jointset")):
            path = f"{path}/{node.named() if node.tag != 'Ground' else 'ground'}"
            found.append((path, node))
        elif node.tag in _SETS:
            path = f"{path}/{node.tag.lower()}"
        elif node.tag not in _LISTS:
            continue
        waiting += [(path, child) for child in reversed(node.nodes)]
    return found


class Frames:
    """Finds the body that a frame belongs to."""

    def __init__(self, components: list[tuple[str, Node]]) -> None:
        self.offsets = {path: node for path, node in components if node.tag in _OFFSETS}
        self.bodies = {path: node.name for path, node in components if node.tag == "Body"}
        self.paths = {"/ground", *self.bodies, *self.offsets}

    def place(self, owner: str, text: str, node: Node) -> Place:
        """Return the body and the pose of a frame that an element at the path `owner` names."""
        seen: list[str] = []
        pose = Transform.identity()
        while True:
            path = self._path(owner, text, node)
            if path in seen:
                raise node.error("frames must not form a circle", got=" → ".join([*seen, path][:9]))
            seen.append(path)
            if path not in self.offsets:
                return self._body(path), pose
            node = self.offsets[path]
            pose = node.pose("translation", "orientation") @ pose
            owner, text = path, socket(node, "parent")

    def _path(self, owner: str, text: str, node: Node) -> str:
        """Return the path of a frame: absolute, from the owner on, or the only one of that name."""
        path = normpath(text if text.startswith("/") else f"{owner}/{text}")
        if path in self.paths:
            return path
        last = text.rstrip("/").rsplit("/", 1)[-1]
        same = [p for p in self.paths if p.rsplit("/", 1)[-1] == last]
        whole = [p for p in same if p not in self.offsets] or same
        if len(whole) != 1:
            problem = "the name must stand for one frame" if whole else "unknown body or frame"
            remedy = "Give its path, as /bodyset/NAME." if whole else closest(text, self.paths)
            raise node.error(problem, got=text, remedy=remedy)
        return whole[0]

    def _body(self, path: str) -> str | None:
        name = self.bodies.get(path)
        return None if name is None or name.lower() == "ground" else name


def socket(node: Node, name: str) -> str:
    """Return what a socket is connected to."""
    for tag in (f"socket_{name}", f"socket_{name}_connectee_name"):
        if text := node.value(tag):
            return text
    raise node.error(f"the <{node.tag}> has no <socket_{name}>", remedy="Say which frame it is connected to.")
