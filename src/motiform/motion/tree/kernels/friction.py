"""Coulomb friction of contact joints that slide: normal forces, friction and accelerations of one instant together.

Accelerations and normal forces are affine in the friction forces, a = a0 + Σ T A and N = N0 + Σ T n, so that all of
the conditions make one linear system. Friction is a generalised force of the joint's own vx and vy.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, routine
from motiform.motion.tree.contact_joints import columns as block
from motiform.motion.tree.kernels.contact import contact_place
from motiform.motion.tree.kernels.dynamics import articulated, recursive
from motiform.motion.tree.kernels.memory import get3, get9
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import tmul

__all__ = ["one_contact_responses", "one_friction"]

_1, _2 = "float64[::1]", "float64[:, ::1]"
_MANY = 1e3  # unit forces are so many times the normal force: what they change is read without cancellation


@entry(f"int64(int64[::1], {_1}, {_1}, {_1}, {_1}, int64[::1], int64[::1], {_1}, {_2}, {_2})")
def one_contact_responses(ints, floats, work, y, tau, segments, columns, spare, accelerations, normals):
    """Accelerations and normal forces under tau, row 0, and what a newton along each of the columns adds, the others.

    `spare` has room for two times nv.
    """
    nq, nv = ints[tree_columns.NQ], ints[tree_columns.NV]
    W, Q, V, b = one_state(work), one_state(y[:nq]), one_state(y[nq:]), state_zero(ints)
    forces, efforts = spare[:nv], spare[nv:]
    F, E = one_state(forces), one_state(efforts)
    unit, worst = 1.0, tree_columns.OK
    for k in range(1 + columns.shape[0]):
        for j in range(nv):
            forces[j] = tau[j]
        if k:
            forces[columns[k - 1]] += unit
        A = one_state(accelerations[k])
        worst = max(worst, articulated(ints, floats, Q, V, F, W, W, b != b, b, W, b, A))
        recursive(ints, floats, Q, V, A, W, W, b != b, b, W, b, E)
        for j in range(segments.shape[0]):
            base = tree_columns.HEADER + segments[j] * tree_columns.SEGMENT_INTS
            at, at_q = ints[base + tree_columns.AT_NUMBERS], ints[base + tree_columns.AT_Q]
            _, _, RL, _ = contact_place(floats, at, Q, at_q, b)
            R = get9(W, ints[tree_columns.W_POSE] + segments[j] * tree_columns.POSE_ROWS, b)
            normals[k, j] = tmul(RL, tmul(R, get3(W, ints[tree_columns.W_F] + 6 * segments[j] + 3, b)))[2]
            if not k:
                unit = max(unit, _MANY * math.fabs(normals[0, j]))
        if k:
            for j in range(nv):
                accelerations[k, j] = (accelerations[k, j] - accelerations[0, j]) / unit
            for j in range(segments.shape[0]):
                normals[k, j] = (normals[k, j] - normals[0, j]) / unit
    return worst


@routine
def _slip_direction(mode, x, y, dx, dy):
    """Return the direction of slip: that of the velocity, on the side of the step's; the step's own near zero.

    A slip that passes through zero within a step keeps its sign to the end of it, so that its rate is smooth there
    and the zero is found exactly. What is off the direction by rounding is no turn: friction would make it stiff.
    """
    along, across = x * dx + y * dy, y * dx - x * dy
    across = math.copysign(max(math.fabs(across) - block.SLIP_FLOOR, 0.0), across)
    if mode != block.SLIDES or across == 0.0 or math.hypot(x, y) < block.SLIP_FLOOR:
        return dx, dy
    r = math.copysign(math.hypot(along, across), along)
    return (along * dx - across * dy) / r, (along * dy + across * dx) / r


@routine
def _eliminate(K, b):
    """Solve K x = b in place for two right sides, by elimination with pivots; whether K is regular."""
    n = K.shape[0]
    for c in range(n):
        p = c
        for r in range(c + 1, n):
            if math.fabs(K[r, c]) > math.fabs(K[p, c]):
                p = r
        if K[p, c] == 0.0 or K[p, c] != K[p, c]:
            return False
        for j in range(n):
            K[c, j], K[p, j] = K[p, j], K[c, j]
        for j in range(2):
            b[c, j], b[p, j] = b[p, j], b[c, j]
        for r in range(c + 1, n):
            f = K[r, c] / K[c, c]
            for j in range(c, n):
                K[r, j] -= f * K[c, j]
            for j in range(2):
                b[r, j] -= f * b[c, j]
    for c in range(n - 1, -1, -1):
        for j in range(2):
            for k in range(c + 1, n):
                b[c, j] -= K[c, k] * b[k, j]
            b[c, j] /= K[c, c]
    return True


@routine
def _set_up(mu, columns, modes, d, a, n, turned, K, b):
    """Write the conditions on the friction forces T: T + μ N d = 0 where it slides, dv/dt = 0 where it sticks.

    The second right side is how T + μ N d = 0 changes with the angle of the contact `turned`, over its N.
    """
    for i in range(mu.shape[0]):
        for row in range(2):
            r = 2 * i + row
            b[r, 1] = 0.0
            if modes[i, 0] == block.STICKS:
                for k in range(2 * mu.shape[0]):
                    K[r, k] = a[1 + k, columns[r]]
                b[r, 0] = -a[0, columns[r]]
            else:
                for k in range(2 * mu.shape[0]):
                    K[r, k] = mu[i] * d[i, row] * n[1 + k, i] + (1.0 if k == r else 0.0)
                b[r, 0] = -mu[i] * d[i, row] * n[0, i]
                if i == turned:
                    b[r, 1] = mu[i] * d[i, 1] if row == 0 else -mu[i] * d[i, 0]


@entry(f"int64({_1}, int64[::1], {_1}, {_2}, {_2}, {_2}, {_2}, {_2}, {_2}, {_1}, {_1})")
def one_friction(mu, columns, v, modes, a, n, K, b, d, normal, acceleration):
    """Solve the friction of all contacts: forces in the first column of b, directions, normal forces, accelerations.

    A slip that starts from rest goes where it is accelerated to: dv/dt along d, by Newton's method on its angle.
    Returns 0; 1 where the conditions are singular; 2 where a normal force does not exist, or is not the only one.
    """
    count = mu.shape[0]
    for i in range(count):
        x, y = v[columns[2 * i]], v[columns[2 * i + 1]]
        d[i, 0], d[i, 1] = _slip_direction(modes[i, 0], x, y, modes[i, 1], modes[i, 2])
    turned, still = -1, 0
    for _trial in range(60 * count):
        for _ in range(count):  # the next that starts from rest
            turned = (turned + 1) % count
            if modes[turned, 0] == block.STARTS:
                break
        _set_up(mu, columns, modes, d, a, n, turned, K, b)
        if not _eliminate(K, b):
            return 1
        if modes[turned, 0] != block.STARTS or still >= count:
            break
        N, ax, ay, gx, gy = n[0, turned], a[0, columns[2 * turned]], a[0, columns[2 * turned + 1]], 0.0, 0.0
        for k in range(2 * count):
            N += b[k, 0] * n[1 + k, turned]
            ax, ay = ax + b[k, 0] * a[1 + k, columns[2 * turned]], ay + b[k, 0] * a[1 + k, columns[2 * turned + 1]]
            gx += b[k, 1] * a[1 + k, columns[2 * turned]]
            gy += b[k, 1] * a[1 + k, columns[2 * turned + 1]]
        dx, dy = d[turned, 0], d[turned, 1]
        off, along = ay * dx - ax * dy, ax * dx + ay * dy
        slope = N * (gy * dx - gx * dy) - max(along, 0.0)
        turn = -off / slope if slope < 0.0 else 0.0
        turn = min(0.5, max(-0.5, turn))
        c, s = math.cos(turn), math.sin(turn)
        d[turned, 0], d[turned, 1] = dx * c - dy * s, dy * c + dx * s
        still = still + 1 if math.fabs(turn) < 1e-12 else 0
    status = 0
    for i in range(count):
        own, push = 1.0, n[0, i]
        for k in range(2 * count):
            push += b[k, 0] * n[1 + k, i]
        normal[i] = push
        if modes[i, 0] != block.STICKS:
            own += mu[i] * (d[i, 0] * n[1 + 2 * i, i] + d[i, 1] * n[2 + 2 * i, i])
            status = 2 if own <= 0.0 else status
    for j in range(acceleration.shape[0]):
        total = a[0, j]
        for k in range(2 * count):
            total += b[k, 0] * a[1 + k, j]
        acceleration[j] = total
    for i in range(count):
        if modes[i, 0] == block.STICKS:  # not by rounding
            acceleration[columns[2 * i]] = acceleration[columns[2 * i + 1]] = 0.0
    return status
