"""Kernels of solids: every point gathers over the solids that it meets; what they feel is summed in a fixed order.

The force of a solid acts at the point itself, so it has no moment but that about the solid: what the point loses in
momentum, linear and angular, the solid gains to rounding.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel
from motiform.geometry.search.closest_kernels import carried_point, solid_distance
from motiform.motion.matter.engine.columns import CAPPED, NO_FRICTION, STICKING
from motiform.motion.matter.engine.link_kernels import tension
from motiform.spatial.algebra import load9, tmul, transform

__all__ = ["BLOCK", "pick_forces", "solid_forces", "sum_parts", "wrench_parts"]

BLOCK = 256  # points, or sums of points, that are summed from left to right


@inline
def _turned(poses, before, s, h):
    """Return a vector of solid s turned as the solid was in the last step."""
    return transform(load9(poses, s), tmul(load9(before, s), h))


@inline
def _held(memory, s, i, h, n, e, normal, limit, stiffness, damping, per_step):
    """Return the tangential force on a point held by a spring, stretched by h, that slips at the limit [Cundall79]."""
    hx, hy, hz = h[0] + e[0], h[1] + e[1], h[2] + e[2]
    along = hx * n[0] + hy * n[1] + hz * n[2]  # the surface turns: what was tangential is laid into the new plane
    hx, hy, hz = hx - along * n[0], hy - along * n[1], hz - along * n[2]
    drag = damping * per_step
    fx, fy, fz = -stiffness * hx - drag * e[0], -stiffness * hy - drag * e[1], -stiffness * hz - drag * e[2]
    size, most = math.sqrt(fx * fx + fy * fy + fz * fz), limit * abs(normal)
    if size > most:
        share, part = most / size, -1.0 / stiffness
        fx, fy, fz = share * fx, share * fy, share * fz
        hx, hy, hz = part * (fx + drag * e[0]), part * (fy + drag * e[1]), part * (fz + drag * e[2])
    memory[0, s, i], memory[1, s, i], memory[2, s, i] = hx, hy, hz
    return fx, fy, fz


@inline
def _capped(e, normal, limit, damping, per_step):
    """Return the tangential force on a point that creeps: viscous, up to the limit."""
    speed = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) * per_step
    q = -min(limit * abs(normal), damping * speed) / speed * per_step if speed > 0.0 else 0.0
    return q * e[0], q * e[1], q * e[2]


@kernel
def solid_forces(
    i, x, before, members, meets, radius, table, farthest, rubs, rub, moving, per_step, memory, kept, own, forces,
    poses, poses_before, spans, codes, pieces, boxes, links, triangles, features,
):  # fmt: skip
    """Add the forces of all solids on point i: a zone law of the gap along the normal, and friction across it.

    Where `kept` is not 0, the force of each solid is written to own[solid, axis, point].
    """
    solids = spans, codes, pieces, boxes, links, triangles, features
    m = ix(members[i])
    p = x[0, m], x[1, m], x[2, m]
    sx, sy, sz = 0.0, 0.0, 0.0
    for s in range(meets.shape[0]):
        fx, fy, fz = 0.0, 0.0, 0.0
        touches = False
        if meets[s, i] != 0:
            d, n = solid_distance(s, p, max(farthest[s] + radius[i], 0.0), poses, solids)
            gap = d - radius[i]
            touches = gap < farthest[s]
            if touches:
                # How the point moved against the place of the solid that is where it is now.
                ex, ey, ez = p[0] - before[0, m], p[1] - before[1, m], p[2] - before[2, m]
                if moving[s] != 0:
                    c = carried_point(poses, poses_before, s, p)
                    ex, ey, ez = c[0] - before[0, m], c[1] - before[1, m], c[2] - before[2, m]
                along = ex * n[0] + ey * n[1] + ez * n[2]
                t = tension(table, s, gap, along * per_step)
                fx, fy, fz = -t * n[0], -t * n[1], -t * n[2]
                if rubs[s] != NO_FRICTION:
                    e = ex - along * n[0], ey - along * n[1], ez - along * n[2]
                    if rubs[s] == CAPPED:
                        hx, hy, hz = _capped(e, t, rub[s, 0], rub[s, 2], per_step)
                    else:
                        h = memory[0, s, i], memory[1, s, i], memory[2, s, i]
                        if moving[s] != 0:
                            h = _turned(poses, poses_before, s, h)
                        hx, hy, hz = _held(memory, s, i, h, n, e, t, rub[s, 0], rub[s, 1], rub[s, 2], per_step)
                    fx, fy, fz = fx + hx, fy + hy, fz + hz
        if rubs[s] == STICKING and not touches:
            memory[0, s, i], memory[1, s, i], memory[2, s, i] = 0.0, 0.0, 0.0
        if kept != 0:
            own[s, 0, i], own[s, 1, i], own[s, 2, i] = fx, fy, fz
        sx, sy, sz = sx + fx, sy + fy, sz + fz
    forces[0, m] += sx
    forces[1, m] += sy
    forces[2, m] += sz


@kernel
def wrench_parts(k, x, members, own, poses, parts):
    """Write the wrench that a block of points puts on a solid; element k is solid k // blocks, block k % blocks."""
    s, b = k // parts.shape[1], k % parts.shape[1]
    ox, oy, oz = poses[s, 9], poses[s, 10], poses[s, 11]
    mx, my, mz, sx, sy, sz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(b * BLOCK, min((b + 1) * BLOCK, members.shape[0])):
        i, m = ix(n), ix(members[n])
        fx, fy, fz = -own[s, 0, i], -own[s, 1, i], -own[s, 2, i]
        rx, ry, rz = x[0, m] - ox, x[1, m] - oy, x[2, m] - oz
        mx, my, mz = mx + (ry * fz - rz * fy), my + (rz * fx - rx * fz), mz + (rx * fy - ry * fx)
        sx, sy, sz = sx + fx, sy + fy, sz + fz
    parts[s, b, 0], parts[s, b, 1], parts[s, b, 2] = mx, my, mz
    parts[s, b, 3], parts[s, b, 4], parts[s, b, 5] = sx, sy, sz


@kernel
def sum_parts(k, parts, sums):
    """Write the sums of blocks of parts, likewise."""
    s, b = k // sums.shape[1], k % sums.shape[1]
    for j in range(parts.shape[2]):
        total = parts[s, b * BLOCK, j]
        for n in range(b * BLOCK + 1, min((b + 1) * BLOCK, parts.shape[1])):
            total += parts[s, n, j]
        sums[s, b, j] = total


@kernel
def pick_forces(i, forces, where, picked):
    """Copy the forces on some points: picked[point, axis]."""
    for axis in range(3):
        picked[i, axis] = forces[axis, where[i]]
