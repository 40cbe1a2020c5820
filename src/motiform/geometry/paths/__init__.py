"""Taut lines over spheres, cylinders, ellipsoids and tori: where they touch, and how long they are."""

from motiform.geometry.paths.wrap import (
    WrapCylinder,
    WrapEllipsoid,
    Wrapped,
    WrapSphere,
    WrapSurface,
    WrapTorus,
    wrap_line,
)

__all__ = ["WrapCylinder", "WrapEllipsoid", "WrapSphere", "WrapSurface", "WrapTorus", "Wrapped", "wrap_line"]
