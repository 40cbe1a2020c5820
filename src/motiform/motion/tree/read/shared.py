"""What both readers need: a list of what was left out, meshes, and cylinders that stand along z."""

import logging
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.geometry import Mesh, read_mesh
from motiform.geometry.meshes.files import MESH_SUFFIXES
from motiform.motion.tree.read.elements import Element, file_inside, located
from motiform.spatial import Transform, up_vector, upright
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.tree.model.figure import Figure

__all__ = ["ALONG_Z", "MESHES", "Report", "check_choice", "load_mesh", "stand", "words"]

log = logging.getLogger("motiform.read")

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


def stand(figure: "Figure", up: str | None) -> "Figure":
    """Return the figure turned so that the axis `up` points up, its q unchanged; None keeps the axes of the file."""
    if up is None:
        return figure
    R = upright(up).T @ upright(figure.up)
    turn = Transform(R, np.zeros(3))
    roots = {s.name: {"placement": turn @ s.placement} for s in figure.segments if s.parent is None}
    gravity = tuple((R @ figure.gravity + 0.0).tolist())
    return figure.replace(segments=roots, gravity=gravity, vertical=tuple(up_vector(up).tolist()))


@dataclass
class Report:
    """What a reader leaves out: things without effect on the motion, and features that the caller let go."""

    features: tuple[str, ...]
    skip: Iterable[str] = ()
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.skip = (self.skip,) if isinstance(self.skip, str) else tuple(self.skip)
        for name in self.skip:
            if name not in self.features:
                remedy = closest(str(name), self.features)
                raise InputError(
                    "unknown feature", where="skip", got=name, allowed=", ".join(self.features), remedy=remedy
                )

    def leave(self, element: Element, what: str) -> None:
        """Note that something was left out."""
        self.counts[what] += 1
        self.first.setdefault(what, f"{Path(element.file).name}:{element.line}")

    def refuse(self, element: Element, feature: str, problem: str) -> None:
        """Refuse something that changes the physics, unless the caller lets it go."""
        if feature not in self.skip:
            remedy = f"Remove it, or pass skip=({feature!r},) to read the figure without it."
            raise element.error(f"{problem} is not supported", remedy=remedy)
        self.leave(element, f"{problem} (skipped as told)")

    def notes(self) -> list[str]:
        """Return one line for each kind of thing left out, and log them."""
        lines = [
            f"{self.first[what]}: left out {what}" + (f" ({n} times)" if n > 1 else "")
            for what, n in self.counts.items()
        ]
        for line in lines:
            log.info(line)
        return lines


def load_mesh(element: Element, folder: Path, name: str, scale: Array, choice: str, report: Report) -> Mesh | None:
    """Return the mesh of a file in the folder, its corners times `scale`, or None where it is left out."""
    if choice == "skip":
        report.leave(element, "meshes")
        return None
    path = file_inside(folder, name, element)
    if path is None or path.suffix.lower() not in MESH_SUFFIXES:
        if choice == "all":
            problem = "no such mesh file" if path is None else "a mesh file of this kind is not supported"
            remedy = f"Put it into the folder {str(folder)!r}."
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
