"""<replicate> of MJCF: what it holds several times, each time farther on, and with it all that refers to its names."""

from collections.abc import Callable

import numpy as np

from motiform.motion.tree.read.elements import Element
from motiform.motion.tree.read.mjcf.settings import Compiler
from motiform.spatial import Transform, quaternion_from_rotation

__all__ = ["expand_replicas"]

_REFERRING = ("tendon", "equality", "contact", "actuator")  # tendons before what refers to them
_KEYS = (
    "joint", "joint1", "joint2", "jointinparent", "tendon", "tendon1", "tendon2", "site", "site1", "site2", "refsite",
    "cranksite", "slidersite", "sidesite", "body", "body1", "body2", "geom", "geom1", "geom2",
)  # fmt: skip
_MOST = 10_000  # bodies, joints and others of all replicas together


def expand_replicas(root: Element, compiler: Compiler) -> None:
    """Replace every <replicate> by frames, the inner ones first."""
    holding = [one for world in root.all("worldbody") for one in _all(world) if one.all("replicate")]
    for element in reversed(holding):
        children: list[Element] = []
        for child in element.children:
            children += _replicas(child, root, compiler) if child.tag == "replicate" else [child]
        element.children = children


def _replicas(element: Element, root: Element, compiler: Compiler) -> list[Element]:
    """Return a frame for each replica; sections that refer to what is in it get replicas, too."""
    element.only(("count", "offset", "euler", "sep", "childclass"))
    count = int(element.number("count", least=1))
    inside = len(_all(element))
    if count * inside > _MOST:
        raise element.error("too many elements in all replicas", got=count * inside, allowed=f"up to {_MOST}")
    sep, around = element.text("sep", ""), element.attributes.get("childclass")
    suffixes = [f"{sep}{k:0{len(str(count))}d}" for k in range(count)]
    names = _names(element)
    for section in (section for tag in _REFERRING for section in root.all(tag)):
        _refer(section, names, suffixes)
    further = element.with_attributes({k: v for k, v in element.attributes.items() if k == "euler"})
    step = Transform(compiler.rotation(further), element.numbers("offset", 3, (0.0, 0.0, 0.0)))
    pose, frames = Transform.identity(), list[Element]()
    for suffix in suffixes:
        place = {"pos": _text(pose.translation), "quat": _text(quaternion_from_rotation(pose.rotation))}
        frame = Element("frame", place | ({"childclass": around} if around else {}), element.file, element.line)
        frame.children = element.children
        frames.append(_copy(frame, _renamed({*names}, suffix)))
        pose = pose @ step
    return frames


def _refer(section: Element, names: set[str], suffixes: list[str]) -> None:
    """Replace what refers to some of the names by one for each suffix; its own name is then one of them."""
    own = [child for child in section.children if any(_refers(one, names) for one in _all(child))]
    names |= {child.attributes["name"] for child in own if "name" in child.attributes and section.tag == "tendon"}

    rest = [child for child in section.children if child not in own]
    section.children = rest + [_copy(child, _renamed(names, suffix)) for suffix in suffixes for child in own]


def _renamed(names: set[str], suffix: str) -> Callable[[str, str], str]:
    return lambda key, value: value + suffix if key == "name" or (key in _KEYS and value in names) else value


def _refers(element: Element, names: set[str]) -> bool:
    return any(element.attributes.get(key) in names for key in _KEYS)


def _names(element: Element) -> set[str]:
    return {one.attributes["name"] for one in _all(element) if "name" in one.attributes}


def _all(element: Element) -> list[Element]:
    """Return an element and all within it, parents first."""
    found, waiting = list[Element](), [element]
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1].children
    return found


def _copy(element: Element, changed: Callable[[str, str], str]) -> Element:
    """Return a copy of an element and all within it, with attributes changed by key and value."""
    made = element.with_attributes({key: changed(key, value) for key, value in element.attributes.items()})
    made.children = [_copy(child, changed) for child in element.children]
    return made


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in numbers)
