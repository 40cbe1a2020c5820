"""What a ray meets first among all pieces, and the normal there.

Rays walk through a tree over all pieces and, inside a piece that is a mesh, through the tree of that mesh.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from motiform.base.kernels import kernel, routine
from motiform.geometry.search.bvh_kernels import (
    COUNT,
    FIRST,
    cast_tree,
    direction_signs,
    hit_box,
    inverse,
    leave,
    near_child,
)
from motiform.geometry.solids.dispatch_kernels import interval, load_size, normal
from motiform.geometry.solids.register import NUMBERS
from motiform.image.cast.field_kernels import FIELD, OWNER, field_normal, intersect_field
from motiform.spatial.algebra import axpy, cross, dot, load3, load9, norm, scale, sub, tmul, transform

__all__ = ["cast", "cast_pieces", "owner", "surface_normals", "unit"]

MESH = NUMBERS["mesh"]


@routine
def _first_hit(enter, exit):
    """Return the first positive t of the interval, or inf."""
    if enter > exit or not exit > 0.0:
        return np.inf
    return enter if enter > 0.0 else exit


@routine
def _cast_piece(i, o, d, reach, any_hit, pieces, meshes):
    """Return (t, triangle, u, v) where the ray meets piece i."""
    frames, kinds, sizes, _ = pieces
    rotation = load9(frames, i)
    shift = frames[i, 9], frames[i, 10], frames[i, 11]
    o, d = tmul(rotation, sub(o, shift)), tmul(rotation, d)
    if kinds[i, 0] == FIELD:
        return intersect_field(kinds[i, 1], o, d, reach, meshes.fields), -1, 0.0, 0.0
    if kinds[i, 0] == MESH:
        boxes, links, bases, triangles, _, _ = meshes
        m = kinds[i, 1]
        return cast_tree(boxes, links, bases[m, 0], triangles, bases[m, 1], o, d, reach, any_hit)
    enter, exit = interval(kinds[i, 0], load_size(sizes, i, 0), o, d)
    return _first_hit(enter, exit), -1, 0.0, 0.0


@routine
def cast(o, d, any_hit, tree, pieces, meshes):
    """Return (t, piece, triangle, u, v) of what the ray meets first; piece −1 and t inf for nothing."""
    boxes, links, order = tree
    n = inverse(d[0]), inverse(d[1]), inverse(d[2])
    signs = direction_signs(d)
    best, piece, triangle, hit_u, hit_v = np.inf, -1, -1, 0.0, 0.0
    node, far = 0, False
    while node >= 0:
        if hit_box(boxes, node, o, n, best):
            count = links[node, COUNT]
            if count < 0:
                node, far = near_child(links, 0, node, signs), False
                continue
            for k in range(links[node, FIRST], links[node, FIRST] + count):
                t, j, u, v = _cast_piece(order[k], o, d, best, any_hit, pieces, meshes)
                if t < best:
                    best, piece, triangle, hit_u, hit_v = t, order[k], j, u, v
            if any_hit and piece >= 0:
                break
        node, far = leave(links, 0, node, far, signs)
    return best, piece, triangle, hit_u, hit_v


@routine
def unit(a):
    """a / |a|."""
    return scale(1.0 / norm(a), a)


@routine
def _mesh_normals(triangle, u, v, meshes):
    """Return the normal of the triangle and the one between those of its corners."""
    _, _, _, triangles, normals, _ = meshes
    e1 = triangles[triangle, 3], triangles[triangle, 4], triangles[triangle, 5]
    e2 = triangles[triangle, 6], triangles[triangle, 7], triangles[triangle, 8]
    flat = unit(cross(e1, e2))
    a, b, c, d, e, f, g, h, k = load9(normals, triangle)
    w = 1.0 - u - v
    smooth = w * a + u * d + v * g, w * b + u * e + v * h, w * c + u * f + v * k
    length = norm(smooth)
    return flat, (scale(1.0 / length, smooth) if length > 0.0 else flat)


@routine
def owner(piece, pieces, meshes):
    """Return one number for all pieces of a surface: the piece itself, or the first block of its field."""
    kinds = pieces.kinds
    if piece >= 0 and kinds[piece, 0] == FIELD:
        return int(meshes.fields[kinds[piece, 1], OWNER])
    return piece


@routine
def surface_normals(p, d, piece, triangle, u, v, pieces, meshes):
    """Return the normal of the surface and the one it is lit by, in the world, both towards the eye."""
    frames, kinds, sizes, _ = pieces
    rotation = load9(frames, piece)
    if kinds[piece, 0] == MESH:
        flat, smooth = _mesh_normals(triangle, u, v, meshes)
    elif kinds[piece, 0] == FIELD:
        shift = frames[piece, 9], frames[piece, 10], frames[piece, 11]
        flat = field_normal(kinds[piece, 1], tmul(rotation, sub(p, shift)), meshes.fields)
        smooth = flat
    else:
        shift = frames[piece, 9], frames[piece, 10], frames[piece, 11]
        flat = normal(kinds[piece, 0], load_size(sizes, piece, 0), tmul(rotation, sub(p, shift)))
        smooth = flat
    flat, smooth = transform(rotation, flat), transform(rotation, smooth)
    if dot(flat, d) > 0.0:
        flat, smooth = scale(-1.0, flat), scale(-1.0, smooth)
    away = dot(smooth, d)
    if away > 0.0:  # a smoothed normal just past the silhouette: bend it back to the edge
        smooth = unit(axpy(-1.0001 * away, d, smooth))
    return flat, smooth


@kernel
def cast_pieces(i, origins, directions, tree, pieces, meshes, distance, piece, normal):
    """Write how far ray i goes, which piece it meets and the normal it is lit by there."""
    o, d = load3(origins, i), load3(directions, i)
    length = norm(d)
    d = scale(1.0 / length, d)
    t, hit, triangle, u, v = cast(o, d, False, tree, pieces, meshes)
    distance[i], piece[i] = t / length, hit
    n = (np.nan, np.nan, np.nan)
    if hit >= 0:
        _, n = surface_normals(axpy(t, d, o), d, hit, triangle, u, v, pieces, meshes)
    normal[i, 0], normal[i, 1], normal[i, 2] = n
