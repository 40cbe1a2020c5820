"""Signed distance from points to solids: the distance to the nearest one, and the outward normal.

`pack_solids` turns shapes and their poses into arrays once; `PackedSolids.with_poses` moves them. Functions that other
kernels call for each of their points are in `closest_kernels`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.checks import LONGEST, read_only
from motiform.geometry.search.closest_meshes import DistanceMesh, join_surfaces, make_surface
from motiform.geometry.search.columns import HOLLOW, ONE_SIDED, SOLID, TWO_SIDED
from motiform.geometry.solids.columns import SIZES
from motiform.geometry.solids.hollow import Hollow
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.register import NUMBERS, has_distance
from motiform.geometry.solids.shape import Shape
from motiform.geometry.solids.solid import Solid
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["PackedSolids", "pack_solids", "pose_rows", "signed_distance"]

_HERE = Transform.identity()


@dataclass(frozen=True, eq=False)
class PackedSolids:
    """Solids as kernels read them. Solid s has the pieces spans[s, 0] to spans[s, 1] − 1."""

    count: int
    """How many solids there are; without any the arrays hold one that has no pieces."""
    poses: Array
    """Rotation by rows, then translation [m], world from solid, (solids, 12)."""
    spans: Any
    """First piece and end of the pieces of each solid, (solids, 2) int32."""
    codes: Any
    """Kind, side, first node of the tree and first triangle, (pieces, 4) int32."""
    pieces: Array
    """Frame in the solid's (12), centre and radius of the ball around it in the solid's frame (4), sizes (4) [m]."""
    boxes: Array
    """Corners of the nodes of all trees [m], (nodes, 6)."""
    links: Any
    """How these nodes hang together, (nodes, 4) int32."""
    triangles: Array
    """Corner and the two edges from it [m], (triangles, 9)."""
    features: Array
    """Outward unit normals of the face, its edges ab, bc, ca and its corners, (triangles, 21)."""

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels take, in their order: poses, spans, codes, pieces, boxes, links, triangles, features."""
        return (self.poses, self.spans, self.codes, self.pieces, self.boxes, self.links, self.triangles, self.features)

    def with_poses(self, poses: Transform | Sequence[Transform]) -> "PackedSolids":
        """Return the same solids at other poses, T_world_solid: one Transform each, or a batch of that many."""
        rows = pose_rows(poses)
        if len(rows) != self.count:
            raise InputError(
                "there must be one pose for each solid", where="solids", got=len(rows), allowed=f"{self.count}"
            )
        return replace(self, poses=rows) if self.count else self


def pose_rows(poses: Transform | Sequence[Transform]) -> Array:
    """Return poses as kernels read them: rotation by rows, then translation [m], (n, 12), read-only."""
    if isinstance(poses, Transform):
        rows = np.concatenate([poses.rotation.reshape(-1, 9), poses.translation.reshape(-1, 3)], axis=1)
        return _frozen(rows, np.float64)
    poses = list(poses)
    for n, pose in enumerate(poses):
        if not isinstance(pose, Transform) or pose.batch:
            got = Words(repr(pose)[:80])
            raise InputError(
                "the pose must be a single Transform", where=f"solid {n}", got=got, allowed="a single Transform"
            )
    rows = np.array([[*pose.rotation.reshape(9), *pose.translation] for pose in poses])
    return _frozen(rows.reshape(-1, 12), np.float64)


def pack_solids(
    solids: Iterable[tuple[Solid, Transform]], *, open_meshes: Literal["two-sided", "one-sided"] = "two-sided"
) -> PackedSolids:
    """Return solids ready for kernels, from pairs of a solid and its pose T_world_solid.

    A compound, or particles with their drawn radius, is one solid of several pieces. A closed mesh must be outward and
    must not cut itself. An open one is either met from both sides, with distances that are never negative, or has its
    inside behind its faces; then points deeper than the `reach` of a question are not found.
    """
    if open_meshes not in ("two-sided", "one-sided"):
        raise InputError(
            "open_meshes must be a known rule", where="open_meshes", got=open_meshes, allowed="'two-sided', 'one-sided'"
        )
    pairs = _check_pairs(solids)
    surfaces: dict[int, DistanceMesh] = {}
    pieces: list[_Piece] = []
    spans = []
    for n, (shape, _) in enumerate(pairs):
        first = len(pieces)
        pieces += _pieces(shape, f"solid {n}", surfaces, open_meshes == "one-sided")
        spans.append((first, len(pieces)))
    poses = pose_rows([pose for _, pose in pairs] or [_HERE])
    codes, numbers = _piece_rows(pieces, list(surfaces.values()))
    trees = join_surfaces(list(surfaces.values()))
    return PackedSolids(len(pairs), poses, _frozen(spans or [(0, 0)], np.int32), codes, numbers, *trees)


def signed_distance(
    solids: PackedSolids, points: Any, *, reach: float = np.inf, device: str = "cpu"
) -> tuple[Array, Array, Any]:
    """Return how far points are from the nearest solid.

    Parameters
    ----------
    points : (n, 3) [m] in the world.
    reach : [m]; solids farther than this are not looked for, which saves most of the time.

    Returns
    -------
    distance : (n,) [m], negative inside; the least over all solids, inf where none is within reach.
    normal : (n, 3) outward unit vector, so that points − distance · normal are on the surface; NaN where there is none.
    solid : (n,) number of the solid, of equally near ones the first; −1 where there is none.
    """
    from motiform.base.kernels import get_device
    from motiform.geometry.search import closest_kernels

    if not isinstance(solids, PackedSolids):
        remedy = "Make them with pack_solids."
        raise InputError(
            "the solids must be packed", got=Words(type(solids).__name__), allowed="PackedSolids", remedy=remedy
        )
    places, bound = _check_places(points), _check_reach(reach)
    held, count = get_device(device), len(places)
    distance, normal, nearest = np.empty(count), np.empty((count, 3)), np.empty(count, np.int64)
    if count == 0:
        return distance, normal, nearest
    out = held.empty(count), held.empty((count, 3)), held.empty(count, np.int64)
    arrays = [held.array(array) for array in solids.arrays]
    held.launch(closest_kernels.write_distances, count, held.array(places), bound, *out, *arrays)
    distance, normal, nearest = (held.host(array) for array in out)
    return distance, normal, nearest


def _check_places(points: Any) -> Array:
    places = as_floats(points, 3, where="points")
    if places.ndim != 2:
        raise InputError("the array has the wrong shape", where="points", got=places.shape, allowed="(n, 3)")
    size = np.abs(places).max(initial=0.0)
    if size > LONGEST:
        raise InputError(
            "a point is too far away", where="points", got=size, allowed=f"coordinates up to {LONGEST:g} m"
        )
    return places


def _check_reach(reach: Any) -> float:
    number = as_floats(reach, where="reach", finite=False)
    if number.ndim or not number >= 0.0:
        raise InputError(
            "reach must not be negative", got=Words(repr(reach)[:80]), allowed="zero or a length in m, or inf"
        )
    return number.item()


def _check_pairs(solids: Any) -> list[tuple[Solid, Transform]]:
    allowed = "pairs (solid, Transform)"
    try:
        pairs = [(shape, pose) for shape, pose in solids]
    except (TypeError, ValueError) as error:
        raise InputError("solids must be pairs of a shape and its pose", where="solids", allowed=allowed) from error
    for n, (shape, pose) in enumerate(pairs):
        if not isinstance(shape, Solid) or not isinstance(pose, Transform) or pose.batch:
            got = Words(f"({type(shape).__name__}, {type(pose).__name__})")
            raise InputError(
                "a solid must be a shape and its single pose", where=f"solid {n}", got=got, allowed=allowed
            )
    return pairs


# -------------------------------------------------------------------- pieces
class _Piece(NamedTuple):
    kind: int
    side: int
    surface: int  # number of its mesh, 0 for other kinds
    size: tuple[float, ...]
    pose: Transform
    center: Array
    radius: float


def _pieces(solid: Solid, where: str, surfaces: dict[int, DistanceMesh], one_sided: bool) -> list[_Piece]:
    """Return the pieces of a solid in its frame; new meshes are added to the surfaces."""
    side, inner = (HOLLOW, solid.shape) if isinstance(solid, Hollow) else (SOLID, solid)
    simple: list[tuple[Solid, Transform]] = [(inner, _HERE)]
    if isinstance(inner, Shape):
        simple = list(inner.pieces(_HERE))
    found = []
    for one, pose in simple:
        if isinstance(one, Mesh):
            found.append(_mesh_piece(one, pose, where, surfaces, one_sided, side))
        elif has_distance(one.kind):
            found.append(_Piece(NUMBERS[one.kind], side, 0, one.sizes, pose, *one.ball_around()))
        else:
            allowed = ", ".join([*(kind for kind in NUMBERS if has_distance(kind)), "mesh", "particles", "compound"])
            remedy = "Use the mesh that its to_mesh(detail) gives."
            got = Words(one.kind)
            raise ShapeError("the solid has no distance function", where=where, got=got, allowed=allowed, remedy=remedy)
    return found


def _mesh_piece(
    mesh: Mesh, pose: Transform, where: str, surfaces: dict[int, DistanceMesh], one_sided: bool, side: int
) -> _Piece:
    if id(mesh) not in surfaces:
        surfaces[id(mesh)] = make_surface(mesh, where, one_sided)
    surface = surfaces[id(mesh)]
    if surface.open and side == HOLLOW:
        raise ShapeError("an open mesh has no inside to be hollow", where=where, remedy="Close it, or leave it open.")
    if surface.open:
        side = ONE_SIDED if one_sided else TWO_SIDED
    # Nearer than this to an edge or a corner a direction is only rounding of the corners' coordinates.
    rounding = 8.0 * np.finfo(float).eps * float(np.abs(surface.vertices).max())
    number = list(surfaces).index(id(mesh))
    return _Piece(NUMBERS[mesh.kind], side, number, (rounding,), pose, *mesh.ball_around())


def _piece_rows(pieces: list[_Piece], surfaces: list[DistanceMesh]) -> tuple[Any, Array]:
    """Return codes and numbers of the pieces; one row that nothing points to where there are none."""
    nodes = np.cumsum([0] + [len(surface.tree.tree.boxes) for surface in surfaces])
    slots = np.cumsum([0] + [len(surface.tree.triangles) for surface in surfaces])
    codes, numbers = np.zeros((max(len(pieces), 1), 4), np.int32), np.zeros((max(len(pieces), 1), 16 + SIZES))
    for i, piece in enumerate(pieces):
        codes[i] = piece.kind, piece.side, nodes[piece.surface], slots[piece.surface]
        center = piece.pose.point(piece.center)
        # All is near what has no outside; the rounding of the centre must not cut a point off.
        radius = np.inf if piece.side == HOLLOW else piece.radius * (1.0 + 1e-12) + 1e-12 * np.abs(center).max()
        numbers[i, :12] = pose_rows([piece.pose])[0]
        numbers[i, 12 : 16 + len(piece.size)] = *center, radius, *piece.size
    return read_only(codes), read_only(numbers)


def _frozen(values: Any, dtype: Any) -> Any:
    return read_only(np.asarray(values, dtype))
