"""The register of solids: one line a kind.

The place of a line is the kind's number in every kernel. A kind whose line says `distance` has a signed distance, so
that figures and matter touch it; one that says `ray` is met by rays as it is, others are drawn as their mesh. These
functions are in the file of the kind's name with `_kernels`; `dispatch_kernels` chooses among them. Meshes,
particles and compounds have none: they are taken apart into triangles, balls and parts.
"""

from typing import NamedTuple

from motiform.geometry.solids.ball import Ball
from motiform.geometry.solids.box import Box
from motiform.geometry.solids.capsule import Capsule
from motiform.geometry.solids.compound import Compound
from motiform.geometry.solids.cone import Cone
from motiform.geometry.solids.cylinder import Cylinder
from motiform.geometry.solids.ellipsoid import Ellipsoid
from motiform.geometry.solids.endless_cylinder import EndlessCylinder
from motiform.geometry.solids.face import Face
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.particles import Particles
from motiform.geometry.solids.plane import Plane
from motiform.geometry.solids.shape import Shape
from motiform.geometry.solids.solid import Solid
from motiform.geometry.solids.torus import Torus

__all__ = [
    "Ball", "Box", "Capsule", "Compound", "Cone", "Cylinder", "Ellipsoid", "EndlessCylinder", "Face", "Mesh",
    "Particles", "Plane", "Torus",
]  # fmt: skip


class SolidKind(NamedTuple):
    """One kind of solid, and which kernels it has."""

    solid: type[Solid]
    distance: bool = False
    ray: bool = False


REGISTER = (
    SolidKind(Plane, distance=True),
    SolidKind(Face, distance=True),
    SolidKind(Ball, distance=True, ray=True),
    SolidKind(Box, distance=True, ray=True),
    SolidKind(Capsule, distance=True, ray=True),
    SolidKind(Cylinder, distance=True, ray=True),
    SolidKind(EndlessCylinder, distance=True),
    SolidKind(Ellipsoid, distance=True, ray=True),
    SolidKind(Torus, distance=True),
    SolidKind(Cone, distance=True, ray=True),
    SolidKind(Mesh),
    SolidKind(Particles),
    SolidKind(Compound),
)

NUMBERS = {line.solid.kind: n for n, line in enumerate(REGISTER)}
SHAPES: dict[str, type[Shape]] = {line.solid.kind: line.solid for line in REGISTER if issubclass(line.solid, Shape)}


def has_distance(kind: str) -> bool:
    """Return whether a kind has a signed distance of its own."""
    return kind in NUMBERS and REGISTER[NUMBERS[kind]].distance


def has_ray(kind: str) -> bool:
    """Return whether rays meet a kind as it is."""
    return kind in NUMBERS and REGISTER[NUMBERS[kind]].ray
