# mypy: disable-error-code="no-untyped-def"
"""Contact of surface elements with signed maps, summed over patches of elements."""

from motiform.base.kernels import inline, kernel
from motiform.geometry.maps.signed_kernels import in_map, nearest_node, sample
from motiform.spatial.algebra import load3

__all__ = ["GROUPS", "NOISE", "SUMS", "press_patch"]

GROUPS = 16
"""Groups of a patch: one thread sums a patch."""
SUMS = 9
"""Numbers of a patch: force and moment (3 + 3), area, energy, greatest depth."""
NOISE = 1.6
"""[nodes] A node's coefficient less the distance at a point nearest to it: 0.87 for the way, 0.6 for a sharp ridge."""


@inline
def _into(pose, x):
    """Return a point in the other body's axes: pose holds a rotation by rows and a translation."""
    return (
        pose[0] * x[0] + pose[1] * x[1] + pose[2] * x[2] + pose[9],
        pose[3] * x[0] + pose[4] * x[1] + pose[5] * x[2] + pose[10],
        pose[6] * x[0] + pose[7] * x[1] + pose[8] * x[2] + pose[11],
    )


@inline
def _may_touch(c, first, n, corner, p, reach):
    """Return whether a ball about p may come within `reach` of the surface.

    Outside of the map the surface is as far as the way to the map's box and the distance there, at right angles.
    """
    h = corner[3]
    x, y, z = (p[0] - corner[0]) / h, (p[1] - corner[1]) / h, (p[2] - corner[2]) / h
    u = (min(max(x, 1.0), n[0] - 2.0), min(max(y, 1.0), n[1] - 2.0), min(max(z, 1.0), n[2] - 2.0))
    off = h * h * ((x - u[0]) ** 2 + (y - u[1]) ** 2 + (z - u[2]) ** 2)
    if off > reach * reach:
        return False
    near = max(nearest_node(c, first, n, u) - NOISE * h, 0.0)
    return off + near * near <= reach * reach


@inline
def _linear(c, first, n, u):
    """Return the coefficients at u, linearly between the nodes around it.

    The map is their mean with the weight of a tent of a node in each axis: it differs by less than 0.71 nodes where the
    coefficients change by a node's width from node to node, as distances do.
    """
    i, j, k = int(u[0]), int(u[1]), int(u[2])
    x, y, z = u[0] - i, u[1] - j, u[2] - k
    at = first + (i * n[1] + j) * n[2] + k
    right, up = n[1] * n[2], n[2]
    near = (1 - y) * ((1 - z) * c[at] + z * c[at + 1]) + y * ((1 - z) * c[at + up] + z * c[at + up + 1])
    at += right
    far = (1 - y) * ((1 - z) * c[at] + z * c[at + 1]) + y * ((1 - z) * c[at + up] + z * c[at + up + 1])
    return (1 - x) * near + x * far


@kernel
def press_patch(
    i, items, poses, patches, groups, starts, elements, maps, sizes, corners, firsts, margin, stiffness, out
):
    """Sum the contact of a patch of one body with the map of another, in the other's axes.

    items[i]: directed pair, patch, map. Patches and groups are balls (centre, radius) around their elements, an element
    is (point, area); a patch has GROUPS groups, group g has the elements starts[g] to starts[g + 1].
    """
    pair, patch, other = items[i, 0], items[i, 1], items[i, 2]
    pose = poses[pair]
    first, corner = firsts[other], corners[other]
    n = sizes[other, 0], sizes[other, 1], sizes[other, 2]
    h = corner[3]
    fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    area, energy, deepest = 0.0, 0.0, 0.0
    if _may_touch(maps, first, n, corner, _into(pose, load3(patches, patch)), patches[patch, 3] + margin):
        for group in range(patch * GROUPS, patch * GROUPS + GROUPS):
            if not _may_touch(maps, first, n, corner, _into(pose, load3(groups, group)), groups[group, 3] + margin):
                continue
            for e in range(starts[group], starts[group + 1]):
                p = _into(pose, load3(elements, e))
                u = (p[0] - corner[0]) / h, (p[1] - corner[1]) / h, (p[2] - corner[2]) / h
                if not in_map(n, u) or nearest_node(maps, first, n, u) > margin + NOISE * h:
                    continue
                if _linear(maps, first, n, u) > margin + h:
                    continue
                distance, g = sample(maps, first, n, u)
                depth = margin - distance
                if depth <= 0.0:
                    continue
                push = stiffness * depth * elements[e, 3]
                # along the gradient as it is: the derivative of the energy, to rounding
                x, y, z = push * g[0] / h, push * g[1] / h, push * g[2] / h
                fx += x
                fy += y
                fz += z
                mx += p[1] * z - p[2] * y
                my += p[2] * x - p[0] * z
                mz += p[0] * y - p[1] * x
                area += elements[e, 3]
                energy += 0.5 * push * depth
                deepest = max(deepest, depth)
    out[i, 0], out[i, 1], out[i, 2] = fx, fy, fz
    out[i, 3], out[i, 4], out[i, 5] = mx, my, mz
    out[i, 6], out[i, 7], out[i, 8] = area, energy, deepest
