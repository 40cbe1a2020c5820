"""Momenta of a step: those of the segments that move from one configuration to the next, and what acts on them.

The discrete Lagrangian of a segment that goes from (R, x) to (R₊, x₊), x its centre of mass, θ = log(R₊ Rᵀ), is
m |x₊ − x|²/2h + θ · J θ/2h. Its momenta

    P = m (x₊ − x)/h,    L = (1 + [θ]×/2 + c [θ]×²) J θ/h,    c = (1 − θ/2 cot θ/2)/θ²

are in world axes the same at both ends [MarsdenWest01], [BouRabee09]: a step hands them on from one configuration to
the next, where the twists S of the columns take generalised momenta from them.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.motion.tree.kernels.dynamics import (
    external_forces,
    get_inertia,
    inertia_of,
    momentum_of,
    own_inertia,
    sym,
)  # fmt: skip
from motiform.motion.tree.kernels.memory import get3, get6, get9, ix, put6, row3
from motiform.motion.tree.kernels.motion import column_velocity
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, tmul, transform

__all__ = [
    "add_momenta",
    "applied_forces",
    "gather_to_parents",
    "largest_turn",
    "momenta_at_end",
    "moving_momenta",
    "way_accelerations",
]


@inline
def _turn(R, S):
    """Return the rotation vector from R to S, in world axes, and c of the formula above."""
    a, b, d = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    e, f, g = (S[0], S[1], S[2]), (S[3], S[4], S[5]), (S[6], S[7], S[8])
    x, y, z = 0.5 * (dot(g, b) - dot(f, d)), 0.5 * (dot(e, d) - dot(g, a)), 0.5 * (dot(f, a) - dot(e, b))
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (dot(e, a) + dot(f, b) + dot(g, d) - 1.0)
    if sine < 0.02 and cosine > 0.0:
        s = sine * sine
        ratio = 1.0 + s * (1.0 / 6.0 + s * (3.0 / 40.0 + s * (5.0 / 112.0)))
        s *= ratio * ratio
        second = 1.0 / 12.0 + s * (1.0 / 720.0 + s / 30240.0)
    else:
        angle = math.atan2(sine, cosine)
        ratio = angle / max(sine, 1e-300)
        second = (1.0 - 0.5 * ratio * (1.0 + cosine)) / (angle * angle)
    return (ratio * x, ratio * y, ratio * z), second


@inline
def _root(ints, i):
    return (
        ints[tree_columns.W_ROOT]
        + 3 * ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.ROOT)]
    )


@routine
def moving_momenta(ints, floats, h, W, W1):
    """Write the momentum of every segment on its way from W to W1 within h, about its root's origin in W (W_F)."""
    for i in range(ints[tree_columns.SEGMENTS]):
        L, P = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.HAS_MASS)] == 1:
            at, pose = (
                tree_columns.FLOAT_HEADER + i * tree_columns.SEGMENT_FLOATS,
                ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS,
            )
            R, R1, com = get9(W, pose, 0), get9(W1, pose, 0), row3(floats, at + tree_columns.COM)
            x, x1 = add(get3(W, pose + 9, 0), transform(R, com)), add(get3(W1, pose + 9, 0), transform(R1, com))
            moved = add(sub(get3(W1, _root(ints, i), 0), get3(W, _root(ints, i), 0)), sub(x1, x))
            P = scale(floats[ix(at + tree_columns.MASS)] / h, moved)
            turn, second = _turn(R, R1)
            k = scale(1.0 / h, transform(R, sym(own_inertia(floats, at), tmul(R, turn))))
            k1 = cross(turn, k)
            L = add(add(k, axpy(0.5, k1, scale(second, cross(turn, k1)))), cross(x, P))
        put6(W, ints[tree_columns.W_F] + 6 * i, 0, L, P)


@routine
def largest_turn(ints, w, h, W):
    """Return the largest angle by which a column's velocity alone turns what it moves in h [rad]."""
    most = 0.0
    for k in range(w.shape[0]):
        e = get3(W, ints[tree_columns.W_S] + 6 * k, 0)
        most = max(most, abs(h * w[ix(k)]) * math.sqrt(dot(e, e)))
    return most


@routine
def gather_to_parents(ints, row, W):
    """Add what each segment has, from a row on, to that of its parent: what is beyond a joint goes through it."""
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        parent = ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.PARENT)]
        if parent >= 0:
            n, f = get6(W, row + 6 * i, 0)
            m, g = get6(W, row + 6 * parent, 0)
            put6(W, row + 6 * parent, 0, add(m, n), add(g, f))


@routine
def add_momenta(ints, floats, a, W):
    """Add the momenta of the columns' velocities a, gathered, to those that are there (W_F)."""
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        o, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if ints[ix(base + tree_columns.PARENT)] >= 0:
            o, u = get6(W, ints[tree_columns.W_V] + 6 * ints[ix(base + tree_columns.PARENT)], 0)
        for k in range(
            ints[ix(base + tree_columns.FIRST)],
            ints[ix(base + tree_columns.FIRST)] + ints[ix(base + tree_columns.COUNT)],
        ):
            e, d = get6(W, ints[tree_columns.W_S] + 6 * k, 0)
            o, u = axpy(a[ix(k)], e, o), axpy(a[ix(k)], d, u)
        put6(W, ints[tree_columns.W_V] + 6 * i, 0, o, u)
        L, P = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if ints[ix(base + tree_columns.HAS_MASS)] == 1:
            mass, x, moments = inertia_of(ints, floats, i, W, 0)
            L, P = momentum_of(mass, x, moments, o, u)
        put6(W, ints[tree_columns.W_A] + 6 * i, 0, L, P)
    gather_to_parents(ints, ints[tree_columns.W_A], W)
    for i in range(6 * ints[tree_columns.SEGMENTS]):
        W[ix(ints[tree_columns.W_F] + i), 0] += W[ix(ints[tree_columns.W_A] + i), 0]


@routine
def momenta_at_end(ints, floats, W, W1, w, out):
    """Write by columns the generalised momenta at W1 of what was gathered about the roots of W, and of armatures."""
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        n, f = get6(W, ints[tree_columns.W_F] + 6 * i, 0)
        n = sub(n, cross(sub(get3(W1, _root(ints, i), 0), get3(W, _root(ints, i), 0)), f))
        for k in range(
            ints[ix(base + tree_columns.FIRST)],
            ints[ix(base + tree_columns.FIRST)] + ints[ix(base + tree_columns.COUNT)],
        ):
            e, d = get6(W1, ints[tree_columns.W_S] + 6 * k, 0)
            armature = floats[
                ix(ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS + tree_columns.ARMATURE)
            ]
            out[ix(k)] = dot(e, n) + dot(d, f) + armature * w[ix(k)]


@routine
def applied_forces(ints, floats, tau, v, loads, has_loads, W, out):
    """Write by columns the forces of gravity, loads, controls and damping; inertias of what is carried are in W_J."""
    gravity = row3(floats, tree_columns.GRAVITY)
    for i in range(ints[tree_columns.SEGMENTS]):
        n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if has_loads:
            n, f = external_forces(ints, loads, i, 0, W, 0)
        put6(W, ints[tree_columns.W_F] + 6 * i, 0, n, f)
    gather_to_parents(ints, ints[tree_columns.W_F], W)
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        mass, x, _ = get_inertia(ints, i, W, 0)
        n, f = get6(W, ints[tree_columns.W_F] + 6 * i, 0)
        n, f = add(n, cross(x, gravity)), axpy(mass, gravity, f)
        for k in range(
            ints[ix(base + tree_columns.FIRST)],
            ints[ix(base + tree_columns.FIRST)] + ints[ix(base + tree_columns.COUNT)],
        ):
            row = ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)])
            damping = floats[
                ix(ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS + tree_columns.DAMPING)
            ]
            e, d = get6(W, ints[tree_columns.W_S] + 6 * k, 0)
            out[ix(k)] = dot(e, n) + dot(d, f) + tau[row] - damping * v[row]


@routine
def way_accelerations(ints, floats, v, W):
    """Write the accelerations of segments on the way q ⊕ t v (W_A), as rows of contacts take them.

    Joints do not accelerate on it, but for free ones, whose origins go straight while their axes turn.
    """
    gravity = row3(floats, tree_columns.GRAVITY)
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        parent = ints[ix(base + tree_columns.PARENT)]
        a, m = get6(W, ints[tree_columns.W_C] + 6 * i, 0)
        if parent >= 0:
            ap, mp = get6(W, ints[tree_columns.W_A] + 6 * parent, 0)
            a, m = add(a, ap), add(m, mp)
        else:
            m = sub(m, gravity)
        if ints[ix(base + tree_columns.KIND)] == tree_columns.FREE:
            o, u, first = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), ints[ix(base + tree_columns.FIRST)]
            for k in range(first, first + 3):
                o = axpy(column_velocity(ints, k, v, 0), get3(W, ints[tree_columns.W_S] + 6 * k, 0), o)
                u = axpy(column_velocity(ints, k + 3, v, 0), get3(W, ints[tree_columns.W_S] + 6 * k + 21, 0), u)
            m = sub(m, cross(o, u))
        put6(W, ints[tree_columns.W_A] + 6 * i, 0, a, m)
