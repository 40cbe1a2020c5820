"""Implicit surfaces: fields of skeletons, and the triangles of their levels."""

from motiform.form.implicit.field import Implicit, blobs
from motiform.form.implicit.polygons import polygonise

__all__ = ["Implicit", "blobs", "polygonise"]
