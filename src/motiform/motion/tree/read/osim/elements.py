"""OpenSim documents as elements with their text: values stand between tags there, and defaults in a section."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from motiform.motion.tree.read.elements import GREATEST, Element, as_utf8, read_xml
from motiform.spatial import Transform
from motiform.spatial.checks import Array

__all__ = ["Node", "read_document"]

_OLDEST = 10900  # versions before it are of another engine
_TRUE = {"true": True, "false": False, "1": True, "0": False}


@dataclass(eq=False, repr=False)
class Node(Element):
    """An element with its text, and with the defaults of its class for the fields that it does not have."""

    content: str = ""
    nodes: list["Node"] = field(default_factory=list)
    fallback: "Node | None" = None

    @property
    def name(self) -> str:
        """Its name, or nothing."""
        return self.attributes.get("name", "").strip()

    def named(self) -> str:
        """Return its name, which must be there."""
        if not self.name:
            raise self.error(f"the <{self.tag}> has no name", remedy=f"Give the <{self.tag}> a name.")
        return self.name

    def field(self, tag: str) -> "Node | None":
        """Return the field of that name, its own or the default one, or None; two are refused."""
        own = self.one(tag)
        if isinstance(own, Node):
            return own
        return self.fallback.field(tag) if self.fallback is not None else None

    def inside(self, tag: str) -> "list[Node]":
        """Return the objects of a field that is a set or a list."""
        found = self.field(tag)
        return [] if found is None else found.objects

    @property
    def objects(self) -> "list[Node]":
        """What a set holds, in ``<objects>`` or without."""
        objects = [node for node in self.nodes if node.tag == "objects"]
        found = [node for list_ in objects for node in list_.nodes] if objects else self.nodes
        return [node for node in found if node.tag != "groups"]

    # ---- values
    def value(self, tag: str, default: str = "") -> str:
        """Return the text of a field."""
        found = self.field(tag)
        return default if found is None else found.content.strip()

    def flag(self, name: str, default: bool) -> bool:
        """Return a field that is true or false."""
        text = self.value(name).lower()
        if text and text not in _TRUE:
            raise (self.field(name) or self).error("the text must be true or false", got=text[:60])
        return _TRUE.get(text, default)

    def vector(self, tag: str, count: int | None, default: Any = None, *, infinite: bool = False) -> Array:
        """Return a field of `count` numbers, of any number for None; without a default it must be there."""
        found = self.field(tag)
        if found is None or (not found.content.strip() and default is not None):
            if default is None:
                raise self.error(f"the <{self.tag}> has no <{tag}>", remedy=f"Add a <{tag}> to it.")
            return np.array(default, float)
        return found.own_vector(count, infinite=infinite)

    def scalar(self, tag: str, default: float | None = None) -> float:
        """Return a field of one number."""
        return float(self.vector(tag, 1, None if default is None else [default])[0])

    def own_vector(self, count: int | None, *, infinite: bool = False) -> Array:
        """Return its own text as numbers."""
        words = self.content.replace("(", " ").replace(")", " ").replace(",", " ").split()
        try:
            numbers = np.array([float(word) for word in words])
        except ValueError:
            numbers = np.array([np.nan])
        allowed = f"{count} numbers" if count is not None and count != 1 else "a number" if count else "numbers"
        if count is not None and len(words) != count:
            raise self.error("the field has the wrong number of values", got=self.content.strip()[:60], allowed=allowed)
        usable = np.isfinite(numbers) & (np.abs(numbers) <= GREATEST) if not infinite else ~np.isnan(numbers)
        if not usable.all():
            raise self.error(
                "the content must be a number", got=self.content.strip()[:60], allowed=f"{allowed} up to {GREATEST:g}"
            )
        return numbers

    def pose(self, shift: str, turn: str) -> Transform:
        """Return the frame of a field of three shifts [m] and one of body-fixed x-y-z angles [rad]."""
        zero = (0.0, 0.0, 0.0)
        return Transform.from_euler(self.vector(turn, 3, zero), "xyz", self.vector(shift, 3, zero))


def read_document(path: str | PathLike[str], content: tuple[str, ...]) -> Node:
    """Return the element of a document that is one of `content` (Model, MarkerSet), with its texts."""
    root = _with_texts(read_xml(path), iter(_texts(as_utf8(Path(path).read_bytes()))))
    if root.tag != "OpenSimDocument":
        raise root.error(
            "the root must be that of an OpenSim document", got=f"<{root.tag}>", allowed="<OpenSimDocument>"
        )
    version = root.number("Version", least=0.0)
    if version < _OLDEST:
        remedy = "Open it in OpenSim 3 or newer and save it."
        raise root.error(
            "the version of the document is too old", got=f"{version:.0f}", allowed=f"{_OLDEST} or later", remedy=remedy
        )
    found = [node for node in root.nodes if node.tag in content]
    if len(found) != 1:
        got = ", ".join(f"<{node.tag}>" for node in root.nodes[:9]) or "nothing"
        raise root.error(
            "the document must have one such element", got=got, allowed=" or ".join(f"one <{c}>" for c in content)
        )
    _give_defaults(found[0], [*root.nodes, *found[0].nodes])
    return found[0]


def _texts(data: bytes) -> list[str]:
    """Return the text of every element, without that of its children, in the order in which they begin."""
    texts: list[list[str]] = []
    inside: list[list[str]] = []

    def start(*_: Any) -> None:
        texts.append([])
        inside.append(texts[-1])

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: inside.pop()
    parser.CharacterDataHandler = lambda text: inside[-1].append(text)
    parser.Parse(data, True)
    return ["".join(parts) for parts in texts]


def _with_texts(root: Element, texts: Iterator[str]) -> Node:
    top: list[Node] = []
    waiting = [(root, top)]
    while waiting:
        element, among = waiting.pop()
        node = Node(element.tag, element.attributes, element.file, element.line, content=next(texts, ""))
        among.append(node)
        waiting += [(child, node.nodes) for child in reversed(element.children)]
        node.children = node.nodes  # type: ignore[assignment]
    return top[0]


def _give_defaults(content: Node, sections: list[Node]) -> None:
    """Tell every element the defaults of its class."""
    defaults = {node.tag: node for section in sections if section.tag == "defaults" for node in section.nodes}
    waiting = [node for node in content.nodes if node.tag != "defaults"] if defaults else []
    while waiting:
        node = waiting.pop()
        node.fallback = defaults.get(node.tag)
        waiting += node.nodes
