"""XML files as elements that know their file and line, read safely: no entities, bounded size and depth, own folder."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from motiform.base.errors import InputError, MotiformError, closest
from motiform.base.files import plain_file
from motiform.base.libraries import load_library
from motiform.spatial.checks import Array, Words

__all__ = ["Element", "as_utf8", "is_number", "located", "parse_xml", "read_xml"]

LARGEST = 32 << 20  # bytes; a model is written by a person or an exporter, its meshes lie in other files
DEEPEST = 1000  # elements within elements
GREATEST = 1e30  # size of a number: products of a few of them stay finite
_NUMBER = re.compile(r"[-+]?(\d++\.?+\d*+|\.\d++)([eE][-+]?\d++)?\Z")
_INFINITE = {"inf": np.inf, "+inf": np.inf, "-inf": -np.inf, "infinity": np.inf, "-infinity": -np.inf}


def is_number(word: str) -> bool:
    """Whether a word is a number as the formats write it."""
    return _NUMBER.match(word) is not None


@dataclass(eq=False, repr=False)
class Element:
    """An element of a file."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list["Element"] = field(default_factory=list)
    folder: str = ""
    """Of its file, from that of the model."""

    @property
    def where(self) -> str:
        """File, line and element, as errors show them."""
        name = self.attributes.get("name")
        return f"{self.file}:{self.line} <{self.tag}{f' name={name!r}' if name else ''}>"

    def error(self, problem: str, **facts: Any) -> InputError:
        """Return an error at this element."""
        return InputError(problem, where=self.where, **facts)

    def with_attributes(self, attributes: dict[str, str]) -> "Element":
        """Return the same element with other attributes."""
        return replace(self, attributes=attributes)

    # ---- children
    def all(self, tag: str) -> list["Element"]:
        """Return the children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> "Element | None":
        """Return the child of that tag, or None; two are refused."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"a <{self.tag}> has at most one <{tag}>", allowed="one")
        return found[0] if found else None

    def need(self, tag: str) -> "Element":
        """Return the child of that tag, which must be there."""
        found = self.one(tag)
        if found is None:
            raise self.error(f"the <{self.tag}> has no <{tag}>", remedy=f"Add a <{tag}> to it.")
        return found

    # ---- attributes
    def only(self, known: Iterable[str]) -> None:
        """Refuse attributes that are not among the known."""
        known = tuple(known)
        for name in self.attributes:
            if name not in known:
                allowed = ", ".join(known) or "none"
                raise self.error("unknown attribute", got=name, allowed=allowed, remedy=closest(name, known))

    def text(self, name: str, default: str | None = None) -> str:
        """Return an attribute; without a default it must be there."""
        found = self.attributes.get(name, default)
        if found is None or (not found and default is None):
            raise self.error(f"the <{self.tag}> has no attribute {name!r}", remedy=f"Give the <{self.tag}> a {name}.")
        return found

    def word(self, name: str, default: str, allowed: Iterable[str]) -> str:
        """Return an attribute that is one of some words."""
        found, words = self.text(name, default), tuple(allowed)
        if found not in words:
            raise self.error(f"unknown {name}", got=found, allowed=", ".join(words), remedy=closest(found, words))
        return found

    def flag(self, name: str, default: bool) -> bool:
        """Return an attribute that is true or false."""
        return self.word(name, "true" if default else "false", ("true", "false")) == "true"

    def numbers(self, name: str, count: int | tuple[int, int], default: Any = None, *, infinite: bool = False) -> Array:
        """Return an attribute of `count` numbers, or of (fewest, most); without a default it must be there."""
        if name not in self.attributes and default is not None:
            return np.array(default, float)
        words = self.text(name).split()
        fewest, most = (count, count) if isinstance(count, int) else count
        if not fewest <= len(words) <= most:
            allowed = f"{fewest} numbers" if fewest == most else f"{fewest} to {most} numbers"
            raise self.error(
                f"attribute {name!r} has the wrong number of values", got=self._short(name), allowed=allowed
            )
        return np.array([self._number(word, name, infinite) for word in words], float)

    def number(self, name: str, default: float | None = None, *, least: float | None = None) -> float:
        """Return an attribute of one number, not below `least`."""
        found = float(self.numbers(name, 1, None if default is None else [default])[0])
        if least is not None and found < least:
            raise self.error(f"attribute {name!r} is too small", got=found, allowed=f"{least:g} or more")
        return found

    def direction(self, name: str, default: Any) -> Array:
        """Return an attribute of three numbers that is the direction of an axis, of length 1."""
        a = self.numbers(name, 3, default)
        size = np.abs(a).max()
        if not size > 1e-100:
            raise self.error(f"attribute {name!r} has no direction", got=self._short(name), allowed="not all zero")
        a = a / size
        unit: Array = a / np.linalg.norm(a)
        return unit

    def _number(self, word: str, name: str, infinite: bool) -> float:
        if infinite and word.lower() in _INFINITE:
            return _INFINITE[word.lower()]
        if not _NUMBER.match(word) or abs(float(word)) > GREATEST:
            allowed = f"numbers up to {GREATEST:g}"
            raise self.error(f"attribute {name!r} must be a number", got=word[:60], allowed=allowed)
        return float(word)

    def _short(self, name: str) -> str:
        return self.attributes.get(name, "")[:60]


@contextmanager
def located(element: Element) -> Iterator[None]:
    """Put file, line and element before any error that comes up inside."""
    try:
        yield
    except MotiformError as error:
        if error.where and error.where.startswith(f"{element.file}:"):
            raise
        raise InputError(str(error), where=element.where) from error
    except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        raise InputError(f"the numbers have no valid result: {error}", where=element.where) from error


def read_xml(path: str | os.PathLike[str], shown: str | None = None) -> Element:
    """Return the root element of a file; `shown` is its name in errors."""
    try:
        place = Path(path)
        name = shown or str(place)
        plain_file(place)
        if place.suffix.lower() == ".xacro":
            return parse_xml(expand_xacro(place), name)
        with place.open("rb") as file:
            data = file.read(LARGEST + 1)
    except TypeError as error:
        got = Words(repr(path)[:80])
        raise InputError(
            "the path must be text or a Path", where="model file", got=got, allowed="text or a Path"
        ) from error
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"the file cannot be read: {reason}", where=str(path)[:200]) from error
    return parse_xml(data, name)


def expand_xacro(path: Path) -> bytes:
    """Return the model that ROS's macro language describes; a file of it is a program, which may read other files."""
    otherwise = "Or expand the file where ROS is: xacro robot.urdf.xacro > robot.urdf."
    xacro = load_library("xacro", where=str(path), otherwise=otherwise)
    if not path.is_file():
        raise InputError("the file cannot be read: no such file", where=str(path))
    try:
        text: str = xacro.process_file(str(path)).toxml()
    except (Exception, SystemExit) as error:  # its errors are of many kinds
        reason = str(error) or type(error).__name__
        ros = "$(find …) is for a machine with ROS: expand it there." if "ament" in reason else None
        raise InputError("xacro cannot expand it", where=str(path), got=Words(reason[:300]), remedy=ros) from error
    return text.encode()


def as_utf8(data: bytes) -> bytes:
    """Return a document in UTF-8 that declares UTF-8 (or nothing) but is written in Windows-1252."""
    head = data[:200].lower()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or (b"encoding" in head and b"utf-8" not in head):
        return data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace").encode()
    return data


def parse_xml(data: bytes, name: str) -> Element:
    """Return the root element of a text. Document types, and so entities, are refused."""
    if len(data) > LARGEST:
        got = Words(f"more than {LARGEST >> 20} MB")
        raise InputError("the file is too large", where=name, got=got, allowed=f"up to {LARGEST >> 20} MB")
    data = as_utf8(data)
    text = data.lstrip(b" \t\r\n").rstrip(b" \t\r\n\0")  # readers of these formats let such margins pass
    tree = _Tree(name, data[: data.find(text)].count(b"\n"))
    parser = tree.parser
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        where = f"{name}:{error.lineno + tree.above}"
        raise InputError(
            f"the file must be well-formed XML: {problem}", where=where, remedy="Correct the file there."
        ) from error
    except InputError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that does not exist
        raise InputError(f"the file cannot be read as XML: {error}", where=name, remedy="Save it as UTF-8.") from error
    return tree.root


class _Tree:
    """The elements as the parser meets them."""

    def __init__(self, name: str, above: int) -> None:
        self.name, self.above, self.open = name, above, list[Element]()
        self.root: Element
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber + self.above
        element = Element(tag, attributes, self.name, line)
        if len(self.open) >= DEEPEST:
            raise element.error("elements are nested too deep", allowed=f"{DEEPEST} levels")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _doctype(self, *_: Any) -> None:
        where = f"{self.name}:{self.parser.CurrentLineNumber + self.above}"
        raise InputError("a document type (<!DOCTYPE …>) is not read", where=where, remedy="Remove it from the file.")
