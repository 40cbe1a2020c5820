"""Contact surfaces: foot point, outward normal, curvature.

The curvature K of a surface says how its outward normal turns, dn = K ds, in a basis of two tangents T = (t1, t2), the
columns of a (..., 3, 2) array: positive where the surface is convex. A surface touched from inside (a bowl) has its
normal and its curvature turned round. Everything is computed from the point itself, not from coordinates (u, v) on
the surface, so nothing happens at the poles of these. Leading axes are batches.  [ContactJoints 3]
"""

from motiform.geometry.surfaces.kinds import (
    CircleEdge,
    ConeSurface,
    CylinderSurface,
    EllipsoidSurface,
    PlaneSurface,
    SphereSurface,
    TorusSurface,
    circle,
    cone,
    cylinder,
    ellipsoid,
    plane,
    sphere,
    torus,
)
from motiform.geometry.surfaces.patches import ImplicitSurface, ParametricSurface, implicit, parametric
from motiform.geometry.surfaces.surface import Surface

__all__ = [
    "CircleEdge", "ConeSurface", "CylinderSurface", "EllipsoidSurface", "ImplicitSurface", "ParametricSurface",
    "PlaneSurface", "SphereSurface", "Surface", "TorusSurface", "circle", "cone", "cylinder", "ellipsoid", "implicit",
    "parametric", "plane", "sphere", "torus",
]  # fmt: skip
