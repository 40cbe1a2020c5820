"""Solids, closed meshes and exact mass properties."""

from motiform.geometry.mass import MassProperties, check_inertia, check_mass
from motiform.geometry.meshes.files import check_closed, merge_vertices, read_mesh, write_mesh
from motiform.geometry.meshes.fill import particles_from_mesh, particles_from_vertices
from motiform.geometry.solids import register
from motiform.geometry.solids.describe import shape_from
from motiform.geometry.solids.hollow import Hollow
from motiform.geometry.solids.packing import fill_points
from motiform.geometry.solids.register import *  # noqa: F403  the kinds: a new one is named in the register alone
from motiform.geometry.solids.shape import Shape
from motiform.geometry.solids.solid import Solid
from motiform.geometry.touch.solids import SolidContact, touch_points

__all__ = [
    "Hollow", "MassProperties", "Shape", "Solid", "SolidContact", "check_closed", "check_inertia", "check_mass",
    "fill_points", "merge_vertices", "particles_from_mesh", "particles_from_vertices", "read_mesh", "shape_from",
    "touch_points", "write_mesh",
]  # fmt: skip
__all__ += register.__all__
