"""What both readers need: a list of what was left out, meshes, and cylinders that stand along z."""

import logging
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, MotiformWarning, closest
from motiform.geometry import Mesh, read_mesh
from motiform.geometry.meshes.files import MESH_SUFFIXES
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.folders import Folders
from motiform.spatial import Transform, up_vector, upright
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.tree.model.figure import Figure

__all__ = ["ALONG_Z", "MESHES", "ReaderWarning", "Report", "check_choice", "load_mesh", "orient", "turn_up", "words"]

log = logging.getLogger("motiform.read")

SHOWN = 5  # lines of a warning


class ReaderWarning(MotiformWarning):
    """A figure was read with something left out or mended that changes its motion."""


MESHES = ("found", "skip", "all")
"""Meshes to draw: those whose file is there, none, or all with an error where a file is missing."""

# Cylinders and capsules of these formats stand along z, ours along y.
ALONG_Z = Transform(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]), np.zeros(3))


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text: a long list of names that stays readable."""
    return tuple(text.split())


def check_choice(value: Any, allowed: Collection[str], where: str) -> str:
    """Return a keyword's value if it is one of the words allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"unknown choice of {where}", got=value, allowed=", ".join(allowed))
    return value


def turn_up(figure: "Figure", up: str) -> Transform:
    """Return the turn of the world that makes the axis `up` point up."""
    return Transform(upright(up).T @ upright(figure.up), np.zeros(3))


def orient(figure: "Figure", up: str | None) -> "Figure":
    """Return the figure turned so that the axis `up` points up, its q unchanged; None keeps the axes of the file."""
    if up is None:
        return figure
    turn = turn_up(figure, up)
    roots = {s.name: {"placement": turn @ s.placement} for s in figure.segments if s.parent is None}
    gravity = tuple((turn.rotation @ figure.gravity + 0.0).tolist())
    return figure.replace(segments=roots, gravity=gravity, vertical=tuple(up_vector(up).tolist()))


@dataclass
class Report:
    """What a reader leaves out or mends, as notes.

    By default it goes on and says so; `strict` refuses what changes the physics, but for features in `skip`.
    """

    features: tuple[str, ...]
    skip: Iterable[str] = ()
    strict: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)
    """Notes that are also a warning: they change the physics, or look like a slip of the pen."""
    solids: int = 0
    """Shapes of the file that touch."""
    lost: list[str] = field(default_factory=list)
    """Those that could not be had, with place and reason."""
    searched: list[str] = field(default_factory=list)
    """Folders that files are looked for in."""

    def __post_init__(self) -> None:
        self.skip = (self.skip,) if isinstance(self.skip, str) else tuple(self.skip)
        for name in self.skip:
            if name not in self.features:
                remedy = closest(str(name), self.features)
                raise InputError(
                    "unknown feature", where="skip", got=name, allowed=", ".join(self.features), remedy=remedy
                )

    def note(self, element: Element, text: str, *, warn: bool = False) -> None:
        """Note something that was done."""
        self.counts[text] += 1
        self.first.setdefault(text, f"{Path(element.file).name}:{element.line}")
        if warn:
            self.warned.add(text)

    def leave(self, element: Element, what: str, *, warn: bool = False) -> None:
        """Note that something was left out."""
        self.note(element, f"left out {what}", warn=warn)

    def refuse(self, element: Element, feature: str, problem: str) -> None:
        """Leave out something that changes the physics; if strict refuse it, unless the caller lets it go."""
        if feature in self.skip:
            self.leave(element, f"{problem} (skipped as told)")
        elif self.strict:
            remedy = f"Remove it, or pass skip=({feature!r},) to read the figure without it."
            raise element.error(f"{problem} is not supported", remedy=remedy)
        else:
            self.leave(element, problem, warn=True)

    def mend(self, element: Element, problem: str, done: str, **facts: Any) -> None:
        """Note what was done about something impossible; if strict refuse it."""
        if self.strict:
            raise element.error(problem, **facts)
        name = element.attributes.get("name")
        self.note(element, f"{f'{element.tag} {name!r}: ' if name else ''}{problem}: {done}", warn=True)

    def unknown(self, element: Element, what: str, name: str, known: Iterable[str]) -> None:
        """Note an unknown element or attribute; if strict refuse it. One that is nearly a known one is a warning."""
        words, near = tuple(known), closest(name, known)
        if self.strict:
            raise element.error(f"unknown {what}", got=name, allowed=", ".join(words) or "none", remedy=near)
        of = f" of <{element.tag}>" if what == "attribute" else ""
        self.leave(element, f"unknown {what} {name!r}{of}" + (f" ({near})" if near else ""), warn=near is not None)

    def only(self, element: Element, known: Iterable[str]) -> None:
        """Note attributes that are not among the known."""
        words = tuple(known)
        for name in element.attributes:
            if name not in words and not name.startswith("xmlns"):
                self.unknown(element, "attribute", name, words)

    @contextmanager
    def leave_visual(self, element: Element, *, needed: bool = False) -> Iterator[None]:
        """Leave out what is only seen and cannot be drawn; if strict or needed refuse it."""
        try:
            yield
        except MotiformError as error:
            if self.strict or needed:
                raise
            self.leave(element, f"something to look at: {error.problem}")

    @contextmanager
    def touches(self, element: Element) -> Iterator[None]:
        """Leave out a shape that touches and cannot be had, with a warning of lost contacts; if strict refuse it."""
        self.solids += 1
        try:
            yield
        except MotiformError as error:
            if self.strict:
                raise
            got = "" if error.got is None else f" {error.got!r}"
            self.lost.append(f"{Path(element.file).name}:{element.line}: {error.problem}{got}")
            self.note(element, f"contacts of a <{element.tag}> are lost: {error.problem}{got}")

    def _warn_of_lost_contacts(self) -> None:
        """Say how many shapes that touch are lost, and where they were looked for."""
        if not self.lost:
            return
        rest = "nothing of it can touch" if len(self.lost) == self.solids else "these pass through what they meet"
        more = f"; and {len(self.lost) - SHOWN} more" if len(self.lost) > SHOWN else ""
        text = (
            f"contacts are lost: {len(self.lost)} of {self.solids} collision shapes were left out, {rest}: "
            f"{'; '.join(self.lost[:SHOWN])}{more}. Files were looked for in {', '.join(self.searched)}; "
            "give the folder that holds them as roots=, or strict=True to make this an error"
        )
        warnings.warn(text, ReaderWarning, stacklevel=6)

    def notes(self) -> list[str]:
        """Return one line for each kind of thing that was done, log them, and warn once of those that matter."""
        lines = {
            text: f"{self.first[text]}: {text}" + (f" ({n} times)" if n > 1 else "") for text, n in self.counts.items()
        }
        for line in lines.values():
            log.info(line)
        self._warn_of_lost_contacts()
        if self.warned:
            shown = [line for text, line in lines.items() if text in self.warned]
            more = f"; and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
            text = f"the figure differs from its file, see figure.notes: {'; '.join(shown[:SHOWN])}{more}"
            warnings.warn(text, ReaderWarning, stacklevel=5)
        return list(lines.values())


def load_mesh(element: Element, folders: Folders, name: str, scale: Array, choice: str, report: Report) -> Mesh | None:
    """Return the mesh of a file, its corners times `scale`, or None where it is left out."""
    if choice == "skip":
        report.leave(element, "meshes")
        return None
    path = folders.find(name, element)
    if path is None or path.suffix.lower() not in MESH_SUFFIXES:
        if choice == "all":
            problem = "no such mesh file" if path is None else "a mesh file of this kind is not supported"
            remedy = f"It was looked for in {', '.join(folders.searched)}; give the folder that holds it as roots=."
            raise element.error(problem, got=name[:200], allowed=", ".join(MESH_SUFFIXES), remedy=remedy)
        report.leave(element, f"the mesh {name[:200]}")
        return None
    if (scale == 0).any():
        raise element.error(
            "factors of a mesh must not be zero", got=scale.tolist(), allowed="factors that are not zero"
        )
    with located(element):
        mesh = read_mesh(path)
        faces = mesh.faces if np.prod(np.sign(scale)) > 0 else mesh.faces[:, ::-1]
        return Mesh(mesh.vertices * scale, faces)
