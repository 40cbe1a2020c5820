"""A rigid bone: its surface, its signed map and the surface points that touch other bones."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from motiform.geometry import Mesh
from motiform.geometry.checks import check_length, read_only
from motiform.geometry.maps import Cover, SignedMap, signed_map
from motiform.geometry.meshes.pieces import small_triangles
from motiform.geometry.search.closest import PackedSolids, pack_solids, signed_distance
from motiform.motion.bones.cover import BLEND, NearestBalls, cover_bone, nearest_balls, on_balls
from motiform.spatial import Transform
from motiform.spatial.checks import Array

__all__ = ["Bone", "BoneResolution", "surface_points"]

_CANDIDATES = 12_000  # points of a surface among which insertions are sought
_EVENING = 3  # times that surface points are moved to the middle of what they stand for


@dataclass(frozen=True)
class BoneResolution:
    """How finely bones are resolved. Lengths in m."""

    spacing: float = 4e-4
    """Distance between nodes of the signed maps."""
    margin: float = 7e-3
    """How far maps reach beyond the bone."""
    band: float = 1.6e-3
    """Nodes nearer to the surface than this are exact."""
    points: float = 1.2e-3
    """Distance between surface points."""
    voxels: float = 5e-4
    """Edge of the voxels whose medial axis is the bone's cover by balls."""

    def __post_init__(self) -> None:
        for name in ("spacing", "margin", "band", "points", "voxels"):
            check_length(getattr(self, name), name)


@dataclass(frozen=True, eq=False)
class Bone:
    """A rigid bone in the common axes of the scan."""

    name: str
    mesh: Mesh
    """Closed surface [m]."""
    fineness: BoneResolution = BoneResolution()
    bounds: Array | None = None
    """The part that is mapped [m], (2, 3); None: all of it."""

    @cached_property
    def solids(self) -> PackedSolids:
        """The mesh, ready for exact distances."""
        return pack_solids([(self.mesh, Transform.identity())])

    @cached_property
    def map(self) -> SignedMap:
        """Signed distance from the surface."""
        f = self.fineness
        return signed_map(self.mesh, f.spacing, margin=f.margin, band=f.band, bounds=self.bounds, solids=self.solids)

    @cached_property
    def samples(self) -> tuple[Array, Array]:
        """Surface points (n, 3) [m] and the area of each (n,) [m²]."""
        points, areas = surface_points(self.mesh, self.fineness.points, self.solids)
        if self.bounds is not None:
            inside = ((points >= self.bounds[0]) & (points <= self.bounds[1])).all(axis=1)
            points, areas = points[inside], areas[inside]
        return read_only(points), read_only(areas)

    @cached_property
    def cover(self) -> Cover:
        """Balls of the medial axis."""
        return cover_bone(self.name, self.mesh, self.solids, self.fineness.voxels, self.bounds)

    @cached_property
    def nearest_balls(self) -> NearestBalls:
        """Which balls of the cover may be nearest in each cell of the map."""
        return nearest_balls(self.cover, self.map, BLEND * self.fineness.voxels)

    @cached_property
    def ball_points(self) -> Array:
        """The surface points, moved onto the balls that they are nearest to (n, 3) [m]."""
        return read_only(on_balls(self.samples[0], self.cover))

    @cached_property
    def tree(self) -> Any:
        """Tree of some thousand points all over the surface: ``tree.data`` (m, 3) [m]."""
        from scipy.spatial import cKDTree

        points = small_triangles(self.mesh, 5e-4)[0]
        return cKDTree(points[:: -(-len(points) // _CANDIDATES)])

    @cached_property
    def center(self) -> Array:
        """Centroid of the surface points [m], (3,)."""
        points, areas = self.samples
        return read_only(areas @ points / areas.sum())


def surface_points(mesh: Mesh, spacing: float, solids: PackedSolids | None = None) -> tuple[Array, Array]:
    """Return points of a surface about `spacing` [m] apart and the area [m²] that each stands for.

    Small triangles are the candidates. A point is kept if none is kept nearer than the spacing. Every triangle belongs
    to the nearest point, which is moved to the middle of its triangles, so that sums over points err by the square of
    the spacing only. Areas add up to that of the surface.
    """
    from scipy.spatial import cKDTree

    centers, areas = small_triangles(mesh, 0.5 * spacing)
    tree = cKDTree(centers)
    free = np.ones(len(centers), bool)
    kept = []
    for n in range(len(centers)):
        if free[n]:
            kept.append(n)
            free[tree.query_ball_point(centers[n], 0.86 * spacing)] = False  # then their mean distance is the spacing
    points = centers[kept]
    for _ in range(_EVENING):
        nearest = cKDTree(points).query(centers)[1]
        total = np.bincount(nearest, areas, len(points))
        some = total > 0
        sums = [np.bincount(nearest, areas * centers[:, k], len(points)) for k in range(3)]
        points = np.stack(sums, axis=1)[some] / total[some, None]
    nearest = cKDTree(points).query(centers)[1]
    total = np.bincount(nearest, areas, len(points))
    distance, normal, _ = signed_distance(solids or pack_solids([(mesh, Transform.identity())]), points)
    return points - distance[:, None] * normal, np.asarray(total, np.float64)
