"""Kernels of links by range: every mass gathers over the list of its neighbours.

Both ends of a pair work out the same numbers with opposite signs, to the bit, so what a pair remembers may stand at
both ends: nothing is shared, and no force is added by anyone but its own mass. The rate of a distance is the projected
relative velocity, which needs no memory.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel
from motiform.motion.matter.columns import CAPPED, NO_FRICTION, STICKING
from motiform.motion.matter.link_kernels import tension

__all__ = ["carry_memory", "forget", "line_up", "rank_order", "reach_forces"]


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
def _held(memory, slot, i, ux, uy, uz, ex, ey, ez, normal, limit, stiffness, damping, per_step):
    """Return the tangential force of a pair that sticks by a spring and slips at the limit [Cundall79]."""
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
def reach_forces(
    c, width, places, strides, neighbours, found, order, radius, table, rubs, rub, per_step, farthest, memory, forces
):  # fmt: skip
    """Add the forces of all neighbours on masses: a zone law of the gap between them, and friction across it."""
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        x, y, z = places[0, i], places[1, i], places[2, i]
        vx, vy, vz = strides[0, i], strides[1, i], strides[2, i]
        fx, fy, fz = 0.0, 0.0, 0.0
        for slot in range(found[i]):
            k = ix(slot)
            j = ix(neighbours[k, i])
            dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
            apart = radius[i] + radius[j]
            square, outer = dx * dx + dy * dy + dz * dz, farthest + apart
            if square < outer * outer and square > 0.0:
                d = math.sqrt(square)
                r = 1.0 / d
                ex, ey, ez = strides[0, j] - vx, strides[1, j] - vy, strides[2, j] - vz
                along = (ex * dx + ey * dy + ez * dz) * r
                t = tension(table, 0, d - apart, along * per_step)
                s = t * r
                fx, fy, fz = fx + s * dx, fy + s * dy, fz + s * dz
                if rubs != NO_FRICTION:
                    ux, uy, uz = dx * r, dy * r, dz * r
                    ex, ey, ez = ex - along * ux, ey - along * uy, ez - along * uz
                    if rubs == CAPPED:
                        speed = math.sqrt(ex * ex + ey * ey + ez * ez) * per_step
                        if speed > 0.0:
                            q = min(rub[0] * abs(t), rub[2] * speed) / speed * per_step
                            fx, fy, fz = fx + q * ex, fy + q * ey, fz + q * ez
                    else:
                        hx, hy, hz = _held(
                            memory, k, i, ux, uy, uz, ex, ey, ez, t, rub[0], rub[1], rub[2], per_step
                        )  # fmt: skip
                        fx, fy, fz = fx + hx, fy + hy, fz + hz
            elif rubs == STICKING:
                memory[0, k, i], memory[1, k, i], memory[2, k, i] = 0.0, 0.0, 0.0
        m = ix(order[i])
        forces[0, m] += fx
        forces[1, m] += fy
        forces[2, m] += fz
