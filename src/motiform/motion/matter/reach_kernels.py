"""Kernels of links by range: every mass gathers over the list of its neighbours.

Both ends of a pair work out the same numbers with opposite signs, to the bit, so what a pair remembers may stand at
both ends: nothing is shared, and no force is added by anyone but its own mass. The rate of a distance is the projected
relative velocity, which needs no memory.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel

__all__ = [
    "carry_memory",
    "forget",
    "line_up",
    "rank_order",
    "reach_creeping",
    "reach_smooth",
    "reach_sticking",
]


@kernel
def line_up(c, width, order, x, before, places, strides, listed, slack, mark, moved):
    """Copy positions of masses and what they moved in the last step, side by side; tell who left the list's slack."""
    far = 0
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i, m = ix(n), ix(order[ix(n)])
        off = 0.0
        for axis in range(3):
            place = x[axis, m]
            places[axis, i] = place
            strides[axis, i] = place - before[axis, m]
            off += (place - listed[axis, i]) * (place - listed[axis, i])
        far += 0 if off < slack * slack else 1
    if far > 0:
        moved[0] = mark  # whoever writes it in this step writes the same


@kernel
def rank_order(i, order, rank):
    """Write where a mass is in an order."""
    rank[order[i]] = i


@kernel
def forget(i, found, memory):
    """Let the pairs of a mass begin without memory."""
    for k in range(memory.shape[0]):
        for slot in range(found[i]):
            memory[k, slot, i] = 0.0


@kernel
def carry_memory(i, order, neighbours, found, old_order, old_rank, old_neighbours, old_found, old_memory, memory):
    """Copy what pairs remember from an old list to a new one; new pairs begin with zeros."""
    before = old_rank[order[i]]
    for slot in range(found[i]):
        other = order[neighbours[slot, i]]
        for k in range(memory.shape[0]):
            memory[k, slot, i] = 0.0
        for old in range(old_found[before]):
            if old_order[old_neighbours[old, before]] == other:
                for k in range(memory.shape[0]):
                    memory[k, slot, i] = old_memory[k, old, before]


@inline
def _law(table):
    """Return the cuts of a law and the stiffness, damping and rest of its zones, to be kept in registers."""
    return (
        table[0, 0], table[0, 1], table[0, 2],
        table[0, 3], table[0, 4], table[0, 5], table[0, 6], table[0, 7], table[0, 8],
        table[0, 9], table[0, 10], table[0, 11], table[0, 12], table[0, 13], table[0, 14],
    )  # fmt: skip


@inline
def _tension(law, d, rate):
    """Return the tension of a law at a gap, as `link_kernels.tension` does."""
    if d < law[0]:
        return law[3] * (d - law[5]) + law[4] * rate
    if d < law[1]:
        return law[6] * (d - law[8]) + law[7] * rate
    if d < law[2]:
        return law[9] * (d - law[11]) + law[10] * rate
    return law[12] * (d - law[14]) + law[13] * rate


@inline
def _crept(ex, ey, ez, normal, limit, damping, per_step):
    """Return the force across of a pair that rubs like honey, up to Coulomb's limit."""
    size = math.sqrt(ex * ex + ey * ey + ez * ez)
    most, wanted = limit * abs(normal), damping * per_step * size
    share = damping * per_step if wanted <= most else most / size
    return share * ex, share * ey, share * ez


@inline
def _held(memory, slot, i, ux, uy, uz, ex, ey, ez, normal, limit, stiffness, damping, per_step):
    """Return the force across of a pair that sticks by a spring and slips at the limit [Cundall79]."""
    hx, hy, hz = memory[0, slot, i] + ex, memory[1, slot, i] + ey, memory[2, slot, i] + ez
    along = hx * ux + hy * uy + hz * uz  # the contact turns: what was tangential is laid into the new plane
    hx, hy, hz = hx - along * ux, hy - along * uy, hz - along * uz
    fx = stiffness * hx + damping * per_step * ex
    fy = stiffness * hy + damping * per_step * ey
    fz = stiffness * hz + damping * per_step * ez
    size, most = math.sqrt(fx * fx + fy * fy + fz * fz), limit * abs(normal)
    if size > most:
        share = most / size
        fx, fy, fz = share * fx, share * fy, share * fz
        part = 1.0 / stiffness
        hx = part * (fx - damping * per_step * ex)
        hy = part * (fy - damping * per_step * ey)
        hz = part * (fz - damping * per_step * ez)
    memory[0, slot, i], memory[1, slot, i], memory[2, slot, i] = hx, hy, hz
    return fx, fy, fz


@kernel
def reach_smooth(c, width, places, strides, neighbours, found, order, radius, table, per_step, farthest, forces):
    """Add the forces of all neighbours on masses: a zone law of the gap between them."""
    law = _law(table)
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        x, y, z, r = places[0, i], places[1, i], places[2, i], radius[i]
        vx, vy, vz = strides[0, i], strides[1, i], strides[2, i]
        fx, fy, fz = 0.0, 0.0, 0.0
        for slot in range(found[i]):
            j = ix(neighbours[ix(slot), i])
            dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
            apart = r + radius[j]
            square, outer = dx * dx + dy * dy + dz * dz, farthest + apart
            if square < outer * outer and square > 0.0:
                d = math.sqrt(square)
                inverse = 1.0 / d
                ex, ey, ez = strides[0, j] - vx, strides[1, j] - vy, strides[2, j] - vz
                along = (ex * dx + ey * dy + ez * dz) * inverse
                s = _tension(law, d - apart, along * per_step) * inverse
                fx, fy, fz = fx + s * dx, fy + s * dy, fz + s * dz
        m = ix(order[i])
        forces[0, m] += fx
        forces[1, m] += fy
        forces[2, m] += fz


@kernel
def reach_creeping(c, width, places, strides, neighbours, found, order, radius, table, rub, per_step, farthest, forces):
    """Add the forces of all neighbours on masses, with friction that does not hold."""
    law, limit, damping = _law(table), rub[0], rub[2]
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        x, y, z, r = places[0, i], places[1, i], places[2, i], radius[i]
        vx, vy, vz = strides[0, i], strides[1, i], strides[2, i]
        fx, fy, fz = 0.0, 0.0, 0.0
        for slot in range(found[i]):
            j = ix(neighbours[ix(slot), i])
            dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
            apart = r + radius[j]
            square, outer = dx * dx + dy * dy + dz * dz, farthest + apart
            if square < outer * outer and square > 0.0:
                d = math.sqrt(square)
                inverse = 1.0 / d
                ux, uy, uz = dx * inverse, dy * inverse, dz * inverse
                ex, ey, ez = strides[0, j] - vx, strides[1, j] - vy, strides[2, j] - vz
                along = ex * ux + ey * uy + ez * uz
                t = _tension(law, d - apart, along * per_step)
                ex, ey, ez = ex - along * ux, ey - along * uy, ez - along * uz
                hx, hy, hz = _crept(ex, ey, ez, t, limit, damping, per_step)
                fx, fy, fz = fx + (t * ux + hx), fy + (t * uy + hy), fz + (t * uz + hz)
        m = ix(order[i])
        forces[0, m] += fx
        forces[1, m] += fy
        forces[2, m] += fz


@kernel
def reach_sticking(
    c, width, places, strides, neighbours, found, order, radius, table, rub, per_step, farthest, memory, forces
):  # fmt: skip
    """Add the forces of all neighbours on masses, with friction that holds; pairs out of range forget."""
    law, limit, stiffness, damping = _law(table), rub[0], rub[1], rub[2]
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        x, y, z, r = places[0, i], places[1, i], places[2, i], radius[i]
        vx, vy, vz = strides[0, i], strides[1, i], strides[2, i]
        fx, fy, fz = 0.0, 0.0, 0.0
        for slot in range(found[i]):
            k = ix(slot)
            j = ix(neighbours[k, i])
            dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
            apart = r + radius[j]
            square, outer = dx * dx + dy * dy + dz * dz, farthest + apart
            if square < outer * outer and square > 0.0:
                d = math.sqrt(square)
                inverse = 1.0 / d
                ux, uy, uz = dx * inverse, dy * inverse, dz * inverse
                ex, ey, ez = strides[0, j] - vx, strides[1, j] - vy, strides[2, j] - vz
                along = ex * ux + ey * uy + ez * uz
                t = _tension(law, d - apart, along * per_step)
                ex, ey, ez = ex - along * ux, ey - along * uy, ez - along * uz
                hx, hy, hz = _held(memory, k, i, ux, uy, uz, ex, ey, ez, t, limit, stiffness, damping, per_step)
                fx, fy, fz = fx + (t * ux + hx), fy + (t * uy + hy), fz + (t * uz + hz)
            else:
                memory[0, k, i], memory[1, k, i], memory[2, k, i] = 0.0, 0.0, 0.0
        m = ix(order[i])
        forces[0, m] += fx
        forces[1, m] += fy
        forces[2, m] += fz
