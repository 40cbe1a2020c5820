"""Signed distance from points to solids, for kernels: all kinds that have one, and triangle meshes.

Kernels take the arrays of `closest.PackedSolids.arrays` one by one and put all but the poses together as
``solids = (spans, codes, pieces, boxes, links, triangles, features)``. A solid is one piece or several. Distances are
negative inside; normals have length one and point out of the solid, so that p − d n is the nearest point of its
surface. NaN points are near nothing.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from motiform.base.kernels import inline, kernel, routine
from motiform.geometry.search.bvh_kernels import AXIS, COUNT, FIRST, PARENT
from motiform.geometry.search.columns import HOLLOW, SOLID, TWO_SIDED
from motiform.geometry.solids.dispatch_kernels import distance, load_size
from motiform.geometry.solids.foot_kernels import side
from motiform.geometry.solids.register import NUMBERS
from motiform.spatial.algebra import add, axpy, cross, dot, load3, load9, norm, scale, sub, tmul, transform

__all__ = [
    "carried_point", "nearest_solid", "nearest_triangle", "piece_distance", "point_in_solid", "solid_distance",
    "write_distances",
]  # fmt: skip

MESH = NUMBERS["mesh"]
# Columns of codes: what it is, which side is inside, where the mesh's tree and its triangles begin.
KIND, SIDE, NODE, SLOT = range(4)
# Columns of pieces: the piece's frame in the solid's (rotation by rows, shift), the ball around it, its sizes.
_SHIFT, _CENTER, _RADIUS, _SIZE = 9, 12, 15, 16
# What of a triangle is nearest: its face, the edges ab, bc, ca or the corners a, b, c; its normal is at 3 times this.
_FACE, _AB, _BC, _CA, _A, _B, _C = range(7)


@inline
def _square(v):
    return dot(v, v)


@inline
def _nearest_of_triangle(triangles, k, p):
    """Return (square of the distance, feature, u, v) of the point corner + u e₁ + v e₂ of triangle k nearest to p.

    The regions of [Ericson05 §5.1.5]; areas come from cross products, which lose less in needles and far away.
    """
    e = triangles[k, 3], triangles[k, 4], triangles[k, 5]
    f = triangles[k, 6], triangles[k, 7], triangles[k, 8]
    w = sub(p, load3(triangles, k))
    d1, d2 = dot(e, w), dot(f, w)
    if d1 <= 0.0 and d2 <= 0.0:
        return _square(w), _A, 0.0, 0.0
    ee, ef, ff = dot(e, e), dot(e, f), dot(f, f)
    d3, d4 = d1 - ee, d2 - ef
    if d3 >= 0.0 and d4 <= d3:
        return _square(sub(w, e)), _B, 1.0, 0.0
    d5, d6 = d1 - ef, d2 - ff
    if d6 >= 0.0 and d5 <= d6:
        return _square(sub(w, f)), _C, 0.0, 1.0
    c = cross(e, f)
    area = dot(c, c)
    u, v = dot(cross(w, f), c), dot(cross(e, w), c)
    if v <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / ee
        return _square(axpy(-t, e, w)), _AB, t, 0.0
    if u <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / ff
        return _square(axpy(-t, f, w)), _CA, 0.0, t
    if u + v >= area and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return _square(sub(w, axpy(t, sub(f, e), e))), _BC, 1.0 - t, t
    height = dot(w, c)
    return height * height / area, _FACE, u / area, v / area


@inline
def _box_square(boxes, i, p):
    """Return the square of the distance of p from box i, 0 inside."""
    x = max(max(boxes[i, 0] - p[0], p[0] - boxes[i, 3]), 0.0)
    y = max(max(boxes[i, 1] - p[1], p[1] - boxes[i, 4]), 0.0)
    z = max(max(boxes[i, 2] - p[2], p[2] - boxes[i, 5]), 0.0)
    return x * x + y * y + z * z


@inline
def _near_child(boxes, links, base, node, p):
    """Return the child on the point's side of the cut. It only depends on these, so the way back finds it again."""
    first, axis = links[base + node, FIRST], links[base + node, AXIS]
    i = base + first
    middles = boxes[i, axis] + boxes[i, 3 + axis] + boxes[i + 1, axis] + boxes[i + 1, 3 + axis]
    ascending = boxes[i, axis] + boxes[i, 3 + axis] <= boxes[i + 1, axis] + boxes[i + 1, 3 + axis]
    return first + (1 if (4.0 * p[axis] > middles) == ascending else 0)


@routine
def nearest_triangle(boxes, links, base, triangles, slot, p, square):
    """Return (square, triangle, feature, u, v) of the triangle nearest to p, at most √``square`` away; −1 for none.

    Tree from node ``base``, triangles from ``slot`` on. Of equally near ones the first in the tree's order. Walks back
    through the parents instead of keeping a stack [Hapala11].
    """
    best, hit, feature, hit_u, hit_v = square, -1, 0, 0.0, 0.0
    node, far = 0, False
    while node >= 0:
        if _box_square(boxes, base + node, p) <= best:
            count = links[base + node, COUNT]
            if count < 0:
                node, far = _near_child(boxes, links, base, node, p), False
                continue
            first = slot + links[base + node, FIRST]
            for k in range(first, first + count):
                d2, code, u, v = _nearest_of_triangle(triangles, k, p)
                if d2 < best or (d2 == best and (hit < 0 or k < hit)):
                    best, hit, feature, hit_u, hit_v = d2, k, code, u, v
        while node > 0 and far:
            node = links[base + node, PARENT]
            far = node > 0 and node != _near_child(boxes, links, base, links[base + node, PARENT], p)
        if node == 0:
            break
        node, far = ((node - 1) ^ 1) + 1, True
    return best, hit, feature, hit_u, hit_v


@inline
def _feature_normal(features, k, feature):
    return features[k, 3 * feature], features[k, 3 * feature + 1], features[k, 3 * feature + 2]


@inline
def _triangle_distance(triangles, features, k, feature, u, v, p, rounding):
    """Return (d, n) of a point whose nearest one on the mesh is known; the feature's normal tells the side.

    So in [Baerentzen05]. Nearer than `rounding` to an edge or corner the direction is lost; that normal stands for it.
    """
    m = _feature_normal(features, k, feature)
    w = sub(p, load3(triangles, k))
    if feature == _FACE:
        return dot(w, m), m
    e = triangles[k, 3], triangles[k, 4], triangles[k, 5]
    f = triangles[k, 6], triangles[k, 7], triangles[k, 8]
    w = sub(w, add(scale(u, e), scale(v, f)))
    r = norm(w)
    if r <= rounding:
        return dot(w, m), m
    s = side(dot(w, m))
    return s * r, scale(s / r, w)


@routine
def _mesh_distance(out, base, slot, p, reach, rounding, boxes, links, triangles, features):
    """Return (d, n) from a mesh; d is inf beyond reach. Nothing is too deep in a solid: its box is searched whole."""
    apart = _box_square(boxes, base, p)
    square = np.inf if out == HOLLOW or (out == SOLID and apart == 0.0) else reach * reach
    _, k, feature, u, v = nearest_triangle(boxes, links, base, triangles, slot, p, square)
    if k < 0:
        return np.inf, (0.0, 0.0, 0.0)
    d, n = _triangle_distance(triangles, features, k, feature, u, v, p, rounding)
    if out == TWO_SIDED and d < 0.0:
        return -d, scale(-1.0, n)
    return d, n


@inline
def point_in_solid(poses, s, p):
    """Return a point of the world in the frame of solid s."""
    return tmul(load9(poses, s), sub(p, (poses[s, 9], poses[s, 10], poses[s, 11])))


@inline
def carried_point(poses, before, s, p):
    """Return where the point of solid s that is now at p was when the solids had the poses `before`."""
    q = point_in_solid(poses, s, p)
    return add(transform(load9(before, s), q), (before[s, 9], before[s, 10], before[s, 11]))


@routine
def piece_distance(i, p, reach, codes, pieces, boxes, links, triangles, features):
    """Return (d, n) from piece i of a point in its solid's frame; d is inf where it would be above reach."""
    away = sub(p, (pieces[i, _CENTER], pieces[i, _CENTER + 1], pieces[i, _CENTER + 2]))
    near = reach + pieces[i, _RADIUS]
    if not dot(away, away) <= near * near:  # also where the point is NaN
        return np.inf, (0.0, 0.0, 0.0)
    rotation = load9(pieces, i)
    q = tmul(rotation, sub(p, (pieces[i, _SHIFT], pieces[i, _SHIFT + 1], pieces[i, _SHIFT + 2])))
    size = load_size(pieces, i, _SIZE)
    out = codes[i, SIDE]
    if codes[i, KIND] == MESH:
        d, n = _mesh_distance(out, codes[i, NODE], codes[i, SLOT], q, reach, size[0], boxes, links, triangles, features)
    else:
        d, n = distance(codes[i, KIND], size, q)
    if out == HOLLOW:
        d, n = -d, scale(-1.0, n)
    if d <= reach:
        return d, transform(rotation, n)
    return np.inf, (0.0, 0.0, 0.0)


@inline
def solid_distance(s, p, reach, poses, solids):
    """Return (d, n) from solid s of a point of the world; d is inf where it would be above reach ≥ 0 [m].

    Of the pieces of a solid the one counts whose signed distance is least, of equal ones the first.
    """
    spans, codes, pieces, boxes, links, triangles, features = solids
    q = point_in_solid(poses, s, p)
    best, normal = np.inf, (0.0, 0.0, 0.0)
    for i in range(spans[s, 0], spans[s, 1]):
        d, n = piece_distance(i, q, reach, codes, pieces, boxes, links, triangles, features)
        if d < best:
            best, normal = d, n
    return best, transform(load9(poses, s), normal)


@inline
def nearest_solid(p, reach, poses, solids):
    """Return (d, n, s) of the solid whose signed distance is least, of equal ones the first; (inf, 0, −1) for none."""
    best, normal, nearest = np.inf, (0.0, 0.0, 0.0), -1
    for s in range(poses.shape[0]):
        d, n = solid_distance(s, p, reach, poses, solids)
        if d < best:
            best, normal, nearest = d, n, s
    return best, normal, nearest


@kernel
def write_distances(
    i, points, reach, distance, normal, nearest, poses, spans, codes, pieces, boxes, links, triangles, features
):
    """Write signed distance, normal and number of the solid nearest to point i; NaN normals and −1 for none."""
    solids = spans, codes, pieces, boxes, links, triangles, features
    d, n, s = nearest_solid(load3(points, i), reach, poses, solids)
    if s < 0:
        n = np.nan, np.nan, np.nan
    distance[i], nearest[i] = d, s
    normal[i, 0], normal[i, 1], normal[i, 2] = n
