"""One step of time-stepping: all contacts of a step are solved together as impulses at its end.

    M (v₊ − v) = h (tau − h(q, v)) + Cᵀ P,    0 ≤ P_n ⟂ C_n v₊ + gap/h + e v_n ≥ 0,    P_t in its cone

[Stewart96], [Moreau88]. Springs and dampers of a posture control are taken at the end of the step (M + h D + h² K), so
that stiff ones stay stable. Penetration that is there shrinks by a fifth each step.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine, typed_entry
from motiform.base.layouts import Floats, Ints, NamedTuple
from motiform.motion.contact import columns as c
from motiform.motion.contact.layouts import Head, Space
from motiform.motion.contact.problem_kernels import pose_inertia, to_velocities
from motiform.motion.contact.row_kernels import candidate_rows, gap_of
from motiform.motion.contact.solve_kernels import accelerate, dot, factor, gram, project, project_vector
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.kernels.state import configuration_rate, repair_configuration
from motiform.motion.tree.model import columns as t

__all__ = ["Step", "one_step"]

_1, _2 = "float64[::1]", "float64[:, ::1]"
_OUT = 0.2  # of a penetration that a step takes away
_SWEEPS = 100
_STILL = 1e-11  # change of a sweep over the largest impulse that is taken for none
_SLOW = 40.0  # [m/s²] approach over the step below which nothing bounces: what a step of free fall makes, fourfold
_FAR = 1e12  # [m/s] keeps a contact out of a step


@inline
def _choose(ints, cints, cfloats, Q, W, reach, active, gaps, count):
    """Write the candidates nearer than reach, pairs first; return how many pairs and how many in all."""
    taken, pairs = 0, 0
    for k in range(count):
        gap = gap_of(ints, cints, cfloats, k, Q, W)
        gaps[ix(k)] = gap
        if gap < reach:
            active[ix(taken)] = k
            taken += 1
            if k < cints[c.PAIRS]:
                pairs += 1
    return pairs, taken


@inline
def _demand(sites, k, bounce, h):
    """Return what is added to the normal velocity of a candidate before it must not be negative."""
    gap, speed = sites[ix(k), c.GAP], sites[ix(k), ix(c.SLIP + 1)]
    bounces = bounce > 0.0 and speed < -_SLOW * h
    if gap > 0.0:
        return _FAR if bounces else gap / h  # what bounces is let in by part of a step, so that it keeps its speed
    return bounce * speed if bounces else _OUT * gap / h


@inline
def _slide(a, e, h, u, w, p, q, reach):
    """Return tangential impulses nearer to those that oppose the slip (u, w) that (p, q) leave, by projected steps."""
    stiff = 0.5 * (a + h) + math.hypot(0.5 * (a - h), e)
    for _ in range(3):
        p1, q1 = p - u / stiff, q - w / stiff
        length = math.hypot(p1, q1)
        if length > reach:
            p1, q1 = p1 * reach / length, q1 * reach / length
        u, w = u + a * (p1 - p) + e * (q1 - q), w + e * (p1 - p) + h * (q1 - q)
        p, q = p1, q1
    return p, q


@inline
def _pressed(A, b, row, rows, x):
    """Return the impulse that stops a row alone, none where it parts or where nothing moves it."""
    stiff = A[ix(row), ix(row)]
    return max(0.0, x[ix(row)] - (b[ix(row)] + dot(A, row, 0, rows, x)) / stiff) if stiff > 0.0 else 0.0


@routine
def _sweep(A, b, contacts, rows, mu, x):
    """Change one contact after another, normal then tangents, until nothing changes [Jourdan98]."""
    for _ in range(_SWEEPS):
        change, size = 0.0, 1e-300
        for k in range(contacts):
            n = 3 * k + 1
            p, z, q = x[ix(n - 1)], x[ix(n)], x[ix(n + 1)]
            a, e, h = A[ix(n - 1), ix(n - 1)], A[ix(n - 1), ix(n + 1)], A[ix(n + 1), ix(n + 1)]
            x[ix(n)] = _pressed(A, b, n, rows, x)
            reach = mu[ix(k)] * x[ix(n)] if x[ix(n)] > 0.0 else 0.0
            p1, q1 = 0.0, 0.0
            if reach > 0.0:
                u, w = b[ix(n - 1)] + dot(A, n - 1, 0, rows, x), b[ix(n + 1)] + dot(A, n + 1, 0, rows, x)
                det = a * h - e * e
                if det > 1e-14 * a * h:
                    p1, q1 = p - (h * u - e * w) / det, q - (a * w - e * u) / det
                if det <= 1e-14 * a * h or math.hypot(p1, q1) > reach:
                    p1, q1 = _slide(a, e, h, u, w, p, q, reach)
            x[ix(n - 1)], x[ix(n + 1)] = p1, q1
            change = max(change, abs(x[ix(n)] - z), abs(p1 - p), abs(q1 - q))
            size = max(size, abs(x[ix(n)]), abs(p1), abs(q1))
        for i in range(3 * contacts, rows):
            old = x[ix(i)]
            x[ix(i)] = _pressed(A, b, i, rows, x)
            change, size = max(change, abs(x[ix(i)] - old)), max(size, abs(x[ix(i)]))
        if not change > _STILL * size:
            return


class Step(NamedTuple):
    """What a step keeps and writes besides the problem."""

    gaps: Floats
    """Of all candidates [m]."""
    active: Ints
    impulses: Floats
    """Of the last step, three of each candidate [N·s]."""
    mu: Floats
    x: Floats
    a: Floats
    qdot: Floats
    friction: Floats
    restitution: Floats


@typed_entry("int64", Head, _1, _1, _2, "float64", _1, Space, Step)
def one_step(head, y, tau, loads, h, soft, space, step):
    """Take a step of h in place; return how many candidates were near, pairs in the lower half. Impulses stay."""
    ints, floats, cints, cfloats, before = head.ints, head.floats, head.cints, head.cfloats, head.before
    M, H, Y, A, used, u, b, s, sites = space
    gaps, active, impulses, mu, x, a, qdot, friction, restitution = step
    nq, nv, count = ints[t.NQ], ints[t.NV], gaps.shape[0]
    z = state_zero(ints)
    W, Q, V = one_state(head.work), one_state(y[:nq]), one_state(y[nq:])
    pose_inertia(
        head, W, Q, V, one_state(loads.reshape(loads.size)), loads.shape[0] > 0, one_state(head.zeros),
        one_state(M.reshape(M.size)), one_state(u), space,
    )  # fmt: skip
    at = ints[t.AT_COLUMNS] + t.COLUMN_V
    for k in range(nv):
        row = ints[ix(at + k * t.COLUMN_INTS)]
        H[ix(k), ix(k)] += soft[ix(row)]
        M[0, ix(k)] = h * (u[ix(row)] - tau[ix(row)])
    for k in range(nv):
        u[ix(k)] = M[0, ix(k)]
    factor(H, before)
    project_vector(H, before, u)
    fastest = 0.0
    for k in range(nv):
        fastest = max(fastest, abs(y[nq + k]))
    pairs, taken = _choose(ints, cints, cfloats, Q, W, 2.0 * h * (fastest + 10.0 * h) + 1e-3, active, gaps, count)
    rows = candidate_rows(ints, floats, cints, cfloats, active, pairs, taken, Q, V, W, Y, used, s, sites)
    for r in range(rows):  # velocities that the rows have now, then those that they would have
        b[ix(r)] = 0.0
    for k in range(nv):
        if used[ix(k)] != 0:
            rate = y[nq + ints[ix(at + k * t.COLUMN_INTS)]]
            for r in range(rows):
                b[ix(r)] += Y[ix(k), ix(r)] * rate
    project(H, before, used, Y, rows)
    gram(used, Y, rows, A)
    for k in range(nv):
        if used[ix(k)] != 0:
            for r in range(rows):
                b[ix(r)] -= Y[ix(k), ix(r)] * u[ix(k)]
    for k in range(taken):
        candidate = active[ix(k)]
        row = 3 * k + 1 if k < pairs else 3 * pairs + k - pairs
        b[ix(row)] += _demand(sites, k, restitution[ix(candidate)], h)
        if k < pairs:
            mu[ix(k)] = friction[ix(candidate)]
            for i in range(3):
                x[ix(3 * k + i)] = impulses[ix(3 * candidate + i)]
        else:
            x[ix(row)] = impulses[ix(3 * candidate)]
    _sweep(A, b, pairs, rows, mu, x)
    for k in range(impulses.shape[0]):
        impulses[ix(k)] = 0.0
    for k in range(taken):
        if k < pairs:
            for i in range(3):
                impulses[ix(3 * active[ix(k)] + i)] = x[ix(3 * k + i)]
        else:
            impulses[ix(3 * active[ix(k)])] = x[ix(3 * pairs + k - pairs)]
    accelerate(H, before, used, Y, rows, x, u, a)
    to_velocities(ints, a, s[:nv])
    for k in range(nv):
        y[nq + k] += s[k]
    configuration_rate(ints, floats, Q, V, z, one_state(qdot))
    for k in range(nq):
        y[k] += h * qdot[k]
    repair_configuration(ints, floats, Q, z)
    for k in range(nv):
        if not math.isfinite(y[nq + k]):
            return -1
    return 65536 * taken + pairs
