"""Arrays on a device that kernels of the ray caster take together."""

from typing import Any, NamedTuple

__all__ = ["MeshColumns", "PlacedPrimitives", "Tree"]


class Tree(NamedTuple):
    """The tree of boxes over all pieces."""

    boxes: Any
    links: Any
    order: Any


class PlacedPrimitives(NamedTuple):
    """The pieces, placed in the world: see `Pieces`."""

    frames: Any
    kinds: Any
    sizes: Any
    colors: Any


class MeshColumns(NamedTuple):
    """Trees and triangles of all meshes, and the blocks of implicit surfaces."""

    boxes: Any
    links: Any
    bases: Any
    triangles: Any
    normals: Any
    fields: Any
