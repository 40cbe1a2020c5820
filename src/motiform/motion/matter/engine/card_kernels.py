"""Kernels of links by range for a GPU: each mass works out its own pairs.

A pair is worked out at both of its ends, which costs a card less than to write its force and to read it twice.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import kernel
from motiform.motion.matter.engine.link_kernels import law_tension, load_law

__all__ = ["grain_forces"]


@kernel
def grain_forces(
    i, places, strides, neighbours, offsets, stride, found, order, radius, table, rub, per_step, cutoff, forces
):
    """Add the forces of all neighbours on a mass: a zone law of the gap, and friction that does not hold."""
    law, limit, damping = load_law(table, 0), rub[0], rub[2] * per_step
    x, y, z, r = places[0, i], places[1, i], places[2, i], radius[i]
    vx, vy, vz = strides[0, i], strides[1, i], strides[2, i]
    fx, fy, fz = 0.0, 0.0, 0.0
    for slot in range(found[i]):
        j = ix(neighbours[ix(offsets[i] + slot * stride)])
        dx, dy, dz, apart = places[0, j] - x, places[1, j] - y, places[2, j] - z, r + radius[j]
        d = math.sqrt(dx * dx + dy * dy + dz * dz)
        if d < cutoff + apart and d > 0.0:
            inverse = 1.0 / d
            ux, uy, uz = dx * inverse, dy * inverse, dz * inverse
            ex, ey, ez = strides[0, j] - vx, strides[1, j] - vy, strides[2, j] - vz
            along = ex * ux + ey * uy + ez * uz
            t = law_tension(law, d - apart, along * per_step)
            ex, ey, ez = ex - along * ux, ey - along * uy, ez - along * uz
            size, most = math.sqrt(ex * ex + ey * ey + ez * ez), limit * abs(t)
            share = damping if damping * size <= most else most / size
            fx, fy, fz = fx + (t * ux + share * ex), fy + (t * uy + share * ey), fz + (t * uz + share * ez)
    m = ix(order[i])
    forces[0, m] += fx
    forces[1, m] += fy
    forces[2, m] += fz
