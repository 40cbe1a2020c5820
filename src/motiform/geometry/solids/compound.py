"""Several shapes fixed to one another."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_point
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words

__all__ = ["Compound"]


@dataclass(frozen=True, eq=False)
class Compound(Shape):
    """Shapes fixed to one another: pairs of a shape and its pose T_compound_part. Where parts overlap both count."""

    kind: ClassVar[str] = "compound"
    parts: tuple[tuple[Shape, Transform], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _check_parts(self.parts))

    def integrals(self) -> Integrals:  # noqa: D102
        seen = []
        for shape, pose in self.parts:
            volume, center, second = shape.integrals()
            seen.append((volume, pose.point(center), pose.rotation @ second @ pose.rotation.T))
        volumes, centers = np.array([v for v, _, _ in seen]), np.array([c for _, c, _ in seen])
        total = volumes.sum()
        center = centers[0] + volumes @ (centers - centers[0]) / total
        apart = centers - center
        second = sum((s for _, _, s in seen), start=(apart * volumes[:, None]).T @ apart)
        return float(total), center, second

    def reach(self, directions: Array) -> Array:  # noqa: D102
        parts = [part.reach(directions @ at.rotation) + directions @ at.translation for part, at in self.parts]
        highest: Array = np.max(parts, axis=0)
        return highest

    def pieces(self, placement: Transform) -> list[tuple[Shape, Transform]]:
        """Return the pieces of all parts."""
        return [piece for part, at in self.parts for piece in part.pieces(placement @ at)]

    def stretched(self, stretch: Array) -> "Compound":
        """Return the parts stretched, where the map takes them."""
        turned = [(part, at.rotation, stretch @ at.translation) for part, at in self.parts]
        return Compound(tuple((part.stretched(R.T @ stretch @ R), Transform(R, p)) for part, R, p in turned))

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        meshes = [shape.to_mesh(detail).moved(pose) for shape, pose in self.parts]
        return Mesh(*tess.join_surfaces([(mesh.vertices, mesh.faces) for mesh in meshes]))

    def describe(self) -> dict[str, Any]:  # noqa: D102
        parts = [
            {"shape": shape.describe(), "at": pose.translation.tolist(), "rotation": pose.rotation.tolist()}
            for shape, pose in self.parts
        ]
        return {"kind": self.kind, "parts": parts}


def _check_parts(parts: Iterable[Any]) -> tuple[tuple[Shape, Transform], ...]:
    try:
        pairs = tuple((shape, pose) for shape, pose in parts)
    except (TypeError, ValueError) as error:
        raise ShapeError(
            "not pairs of shape and Transform", where="compound", allowed="((shape, pose), ...)"
        ) from error
    if not pairs:
        raise ShapeError("a compound must have parts", allowed="at least one")
    for shape, pose in pairs:
        if not isinstance(shape, Shape) or not isinstance(pose, Transform) or pose.batch:
            got = Words(f"({type(shape).__name__}, {type(pose).__name__})")
            raise ShapeError("not a shape and its pose", where="compound", got=got, allowed="(Shape, single Transform)")
        check_point(pose.translation, "compound part")
    return pairs
