"""Which features of two solids touch: corners, edges and faces, chosen at a place that the two have in common.

A feature is a code of its kind and the numbers of what each solid gives to it; its numbers for kernels and the limits
within which it holds follow from these. Solids are boxes, hulls of meshes, capsules and balls: points, lines and flat
faces, with a skin about them; `round_features` has those of others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from motiform.geometry import Ball, Box, Capsule, Face, Mesh, Plane, Solid
from motiform.geometry.touch.hulls import hull_faces
from motiform.motion.contact import columns as contact_columns
from motiform.motion.tree.model.joint import Array

__all__ = [
    "Feature",
    "Flat",
    "choose_feature",
    "feature_numbers",
    "flat_of",
    "is_flat",
    "limit_rows",
    "make_feature",
    "place_feature",
    "still_feature",
]

_SAME = 1e-6  # of the size: places so near to a corner or an edge are on it
_EXACT, _ALIGNED = 1 - 1e-12, 0.99  # cosines: a normal is that of a face; it is about that of two edges or of a face
_PARALLEL = 1e-3  # sine of edges that do not cross
_HOLD = 2e-9  # of the size: by so much a place may be outside the limits of its feature
_OFFSET = 0.1  # [m] from edges and corners at which curvature is taken: any will do
_STRAY = 0.02  # of the size: a place that no features give holds so far around it


@dataclass(frozen=True, eq=False)
class Flat:
    """A solid of flat faces with a skin: its corners [m], edges as pairs of corners, faces as normal and corners."""

    corners: Array
    edges: tuple[tuple[int, int], ...]
    faces: tuple[tuple[Array, tuple[int, ...]], ...]
    skin: float = 0.0
    at: Array = field(default_factory=lambda: np.zeros(3))
    """A place on the only face where it has no corners."""

    @cached_property
    def ways(self) -> Array:
        """Directions of the edges, (edges, 3)."""
        a, b = np.array(self.edges, int).reshape(-1, 2).T
        d = self.corners[b] - self.corners[a]
        return np.asarray(d / np.linalg.norm(d, axis=1)[:, None]) if len(d) else np.zeros((0, 3))

    def corner_at(self, x: Array, near: float) -> int:
        """Return the corner at a place, or −1."""
        if not len(self.corners):
            return -1
        off = ((self.corners - x) ** 2).sum(1)
        k = int(np.argmin(off))
        return k if off[k] <= near * near else -1

    def edges_at(self, x: Array, near: float) -> np.ndarray:
        """Return the edges that go through a place."""
        if not self.edges:
            return np.zeros(0, np.int64)
        first = self.corners[np.array(self.edges)[:, 0]]
        length = np.linalg.norm(self.corners[np.array(self.edges)[:, 1]] - first, axis=1)
        along = np.einsum("ij,ij->i", x - first, self.ways)
        off = x - first - along[:, None] * self.ways
        return np.flatnonzero(((off**2).sum(1) <= near * near) & (along >= -near) & (along <= length + near))

    def face_along(self, m: Array) -> tuple[int, float]:
        """Return the face that looks most along a direction, and the cosine between the two."""
        if not self.faces:
            return -1, -1.0
        along = [float(normal @ m) for normal, _ in self.faces]
        k = int(np.argmax(along))
        return k, along[k]

    def side(self, kind: int, number: int) -> list[float]:
        """Return place, direction and radius of a side of a feature."""
        if kind == contact_columns.POINT:
            return [*self.corners[number].tolist(), 0.0, 0.0, 0.0, self.skin]
        if kind == contact_columns.LINE:
            return [*self.corners[self.edges[number][0]].tolist(), *self.ways[number].tolist(), self.skin]
        normal, loop = self.faces[number]
        return [*(self.corners[loop[0]] if loop else self.at).tolist(), *normal.tolist(), 0.0]

    def limits(self, kind: int, number: int) -> list[Array]:
        """Return half-spaces (normal, offset) that hold the other side's place while this feature is the nearest."""
        if kind == contact_columns.FLAT:
            normal, loop = self.faces[number]
            ends = [(self.corners[a], self.corners[b]) for a, b in zip(loop, (*loop[1:], *loop[:1]), strict=True)]
            return [_half(_unit(np.cross(b - a, normal)), a) for a, b in ends]
        if kind == contact_columns.LINE:
            a, b = (self.corners[k] for k in self.edges[number])
            return [_half(-self.ways[number], a), _half(self.ways[number], b)]
        return []

    def outer(self, kind: int, number: int) -> list[Array]:
        """Return the half-spaces within which a corner or an edge is nearer than what is next to it."""
        if kind == contact_columns.POINT:
            at, own = self.corners[number], [k for k, edge in enumerate(self.edges) if number in edge]
            return [_half((1.0 if self.edges[k][0] == number else -1.0) * self.ways[k], at) for k in own]
        found = []
        for normal, loop in self.faces:
            for a, b in zip(loop, (*loop[1:], *loop[:1]), strict=True):
                if {a, b} == set(self.edges[number]):
                    side = _unit(np.cross(self.corners[b] - self.corners[a], normal))
                    found.append(_half(-side, self.corners[a]))
        return found


def _unit(a: Array) -> Array:
    return np.asarray(a / np.linalg.norm(a))


def _half(normal: Array, at: Array) -> Array:
    """Return the half-space normal · (x − at) ≤ 0."""
    return np.array([*normal, float(normal @ at)])


def _loops(corners: Array, faces: list[tuple[Array, tuple[int, ...]]], skin: float = 0.0) -> Flat:
    edges = {tuple(sorted(pair)) for _, loop in faces for pair in zip(loop, (*loop[1:], *loop[:1]), strict=True)}
    return Flat(corners, tuple(sorted(edges)), tuple(faces), skin)  # type: ignore[arg-type]


def is_flat(solid: object) -> bool:
    """Return whether a solid is made of flat faces, or of a skin about points and lines."""
    return isinstance(solid, Plane | Face | Ball | Capsule | Box | Mesh)


def flat_of(solid: Solid) -> Flat | None:
    """Return a solid as corners, edges and faces with a skin; None where its surface is curved in another way."""
    up = np.array([0.0, 1.0, 0.0])
    if isinstance(solid, Plane):
        return Flat(np.zeros((0, 3)), (), ((up, ()),))
    if isinstance(solid, Face):
        x, z = 0.5 * solid.size[0], 0.5 * solid.size[1]
        corners = np.array([[-x, 0.0, -z], [-x, 0.0, z], [x, 0.0, z], [x, 0.0, -z]])
        return _loops(corners, [(up, (0, 1, 2, 3))])
    if isinstance(solid, Ball):
        return Flat(np.zeros((1, 3)), (), (), solid.radius)
    if isinstance(solid, Capsule):
        half = 0.5 * solid.length
        return Flat(np.array([[0.0, -half, 0.0], [0.0, half, 0.0]]), ((0, 1),), (), solid.radius)
    if isinstance(solid, Box):
        half_sizes = 0.5 * np.asarray(solid.size)
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half_sizes
        loops = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        axes = np.repeat(np.eye(3), 2, axis=0) * np.array([-1.0, 1.0] * 3)[:, None]
        return _loops(corners, list(zip(axes, loops, strict=True)))
    if isinstance(solid, Mesh):
        corners, faces = hull_faces(solid)
        return _loops(corners, [(np.asarray(normal), tuple(loop)) for normal, loop in faces])
    return None


@dataclass(frozen=True, eq=False)
class Feature:
    """What of two solids touches."""

    code: tuple[int, int, int, int]
    """Kinds of both sides and their numbers; a number is −1 where it is a place that no feature tells."""
    numbers: Array
    """As kernels read them, (FEATURE_FLOATS,)."""
    limits: Array
    """What holds the places of both sides, (n, 5): see `solid_kernels`."""


def limit_rows(own: Sequence[Array], other: Sequence[Array]) -> Array:
    """Return half-spaces of the first solid that hold the second one's place, and the other way round, as rows."""
    return np.array([[*half, float(n)] for n, side in enumerate((own, other)) for half in side], float).reshape(-1, 5)


def feature_numbers(a: int, b: int, own: Sequence[float], other: Sequence[float], sense: float, offset: float) -> Array:
    """Return the numbers of a feature for kernels: kinds and sides, without more of circles and without an anchor."""
    out = np.zeros(contact_columns.FEATURE_FLOATS)
    out[: contact_columns.MORE_A] = [a, b, *own, *other, sense]
    out[contact_columns.OFFSET] = offset
    return out


def make_feature(first: Flat, second: Flat, code: tuple[int, int, int, int], sense: float) -> Feature:
    """Return the feature of a code; `sense` is the sign of the normal of two lines."""
    a, b, i, j = code
    own, other = first.limits(a, i), second.limits(b, j)
    if (
        a != contact_columns.FLAT
        and b != contact_columns.FLAT
        and first.skin + second.skin > 0
        and (a, b) != (contact_columns.LINE, contact_columns.LINE)
    ):
        own, other = own + first.outer(a, i), other + second.outer(b, j)
    numbers = feature_numbers(a, b, first.side(a, i), second.side(b, j), sense, _OFFSET)
    return Feature(code, numbers, limit_rows(own, other))


def still_feature(code: tuple[int, int, int, int], numbers: Array, size: float) -> Feature:
    """Return a corner on a face that the solids need not have, within some way around it."""
    flat = contact_columns.SIDE_A if code[0] == contact_columns.FLAT else contact_columns.SIDE_B
    place, normal = numbers[flat : flat + 3], numbers[flat + 3 : flat + 6]
    way = _unit(np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))]))
    ways = [way, -way, np.cross(normal, way), -np.cross(normal, way)]
    limits = [_half(one, place + _STRAY * size * one) for one in ways]
    return Feature(code, numbers, limit_rows(limits, ()) if code[0] == contact_columns.FLAT else limit_rows((), limits))


def choose_feature(
    first: Flat, second: Flat, poses: tuple[Array, Array, Array, Array], point: Array, size: float
) -> Feature:
    """Return the feature at a point (gap, site, normal) of two solids whose axes and origins are `poses`."""
    RA, oA, RB, oB = poses
    gap, site, n = float(point[0]), point[1:4], point[4:7]
    x = RA.T @ (site + (0.5 * gap + first.skin) * n - oA)
    y = RB.T @ (site - (0.5 * gap + second.skin) * n - oB)
    near = _SAME * size
    (i, mine), (j, theirs) = first.face_along(-RA.T @ n), second.face_along(RB.T @ n)
    corner, other = first.corner_at(x, near), second.corner_at(y, near)
    edges, others = first.edges_at(x, near), second.edges_at(y, near)
    if corner >= 0 and (theirs > _EXACT or (theirs > _ALIGNED and other < 0 and not len(others))):
        found = make_feature(first, second, (contact_columns.POINT, contact_columns.FLAT, corner, j), 1.0)
        if _holds(found.limits, 1, RB.T @ (RA @ first.corners[corner] + oA - oB), _HOLD * size):
            return found
    if other >= 0 and (mine > _EXACT or (mine > _ALIGNED and corner < 0 and not len(edges))):
        found = make_feature(first, second, (contact_columns.FLAT, contact_columns.POINT, i, other), 1.0)
        if _holds(found.limits, 0, RA.T @ (RB @ second.corners[other] + oB - oA), _HOLD * size):
            return found
    crossing = _crossing(first.ways[edges] @ RA.T, second.ways[others] @ RB.T, n)
    if crossing is not None:
        k, m, sense = crossing
        return make_feature(
            first, second, (contact_columns.LINE, contact_columns.LINE, int(edges[k]), int(others[m])), sense
        )
    if first.skin + second.skin > 0:
        side = (
            (contact_columns.POINT, corner)
            if corner >= 0
            else (contact_columns.LINE, int(edges[0]))
            if len(edges)
            else None
        )
        back = (
            (contact_columns.POINT, other)
            if other >= 0
            else (contact_columns.LINE, int(others[0]))
            if len(others)
            else None
        )
        if side and back and (side[0], back[0]) != (contact_columns.LINE, contact_columns.LINE):
            return make_feature(first, second, (side[0], back[0], side[1], back[1]), 1.0)
    return place_feature(poses, x, y, n, (first.skin, second.skin), size, flat_first=mine > theirs)


def place_feature(
    poses: tuple[Array, Array, Array, Array],
    x: Array,
    y: Array,
    n: Array,
    skins: tuple[float, float],
    size: float,
    *,
    flat_first: bool,
) -> Feature:
    """Return a feature of two places x and y of the cores that none of the solids gives: a point on a plane."""
    RA, _, RB, _ = poses
    if flat_first:
        normal, back = -RA.T @ n, [*y.tolist(), 0.0, 0.0, 0.0, skins[1]]
        own = [*(x + skins[0] * normal).tolist(), *normal.tolist(), 0.0]
        return still_feature(
            (contact_columns.FLAT, contact_columns.POINT, -1, -1),
            feature_numbers(contact_columns.FLAT, contact_columns.POINT, own, back, 1.0, _OFFSET),
            size,
        )
    normal = RB.T @ n
    own, back = [*x.tolist(), 0.0, 0.0, 0.0, skins[0]], [*(y + skins[1] * normal).tolist(), *normal.tolist(), 0.0]
    return still_feature(
        (contact_columns.POINT, contact_columns.FLAT, -1, -1),
        feature_numbers(contact_columns.POINT, contact_columns.FLAT, own, back, 1.0, _OFFSET),
        size,
    )


def _holds(limits: Array, side: int, x: Array, tolerance: float) -> bool:
    return all(float(one[:3] @ x) - one[3] <= tolerance for one in limits[limits[:, 4] == side])


def _crossing(ways: Array, others: Array, n: Array) -> tuple[int, int, float] | None:
    """Return the two edges whose normal is best along n, and the sign of that normal, or None."""
    best, found = _ALIGNED, None
    for k, way in enumerate(ways):
        for m, other in enumerate(others):
            normal = np.cross(way, other)
            size = float(np.linalg.norm(normal))
            along = float(normal @ n) / size if size > _PARALLEL else 0.0
            if abs(along) > best:
                best, found = abs(along), (k, m, float(np.sign(along)))
    return found
