"""Shapes, closed meshes and exact mass properties."""

from motiform.geometry.mass import MassProperties, check_inertia, check_mass
from motiform.geometry.meshes.files import check_closed, merge_vertices, read_mesh, write_mesh
from motiform.geometry.meshes.fill import particles_from_mesh, particles_from_vertices
from motiform.geometry.solids.shapes import (
    Ball,
    Box,
    Capsule,
    Compound,
    Cylinder,
    Ellipsoid,
    Mesh,
    Particles,
    Shape,
    shape_from,
)

__all__ = [
    "Ball",
    "Box",
    "Capsule",
    "Compound",
    "Cylinder",
    "Ellipsoid",
    "MassProperties",
    "Mesh",
    "Particles",
    "Shape",
    "check_closed",
    "check_inertia",
    "check_mass",
    "merge_vertices",
    "particles_from_mesh",
    "particles_from_vertices",
    "read_mesh",
    "shape_from",
    "write_mesh",
]
