"""The contact problem of one state: inertia, forces, rows, and the Delassus matrix; and the rate of a state in it."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine
from motiform.motion.contact import columns as c
from motiform.motion.contact.cone_kernels import linear, polish, share
from motiform.motion.contact.row_kernels import candidate_rows, gap_of
from motiform.motion.contact.solve_kernels import accelerate, factor, gram, hold, press, project, project_vector
from motiform.motion.tree.kernels.dynamics import composite, recursive
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.kernels.state import configuration_rate
from motiform.motion.tree.model import columns as t
from motiform.spatial.algebra import cross, dot

__all__ = [
    "one_contact_rate",
    "one_gaps",
    "one_motion",
    "one_problem",
    "one_watch",
    "solve_cones",
    "solve_held",
    "solve_pressing",
    "solve_shared",
]

_1, _2, _I = "float64[::1]", "float64[:, ::1]", "int64[::1]"
_FIGURE = f"{_I}, {_1}, {_1}"  # integers, floats, workspace of the figure
_CONTACTS = f"{_I}, {_1}"  # integers and floats of the contacts
_SPACE = f"{_2}, {_2}, {_2}, {_2}, {_I}, {_1}, {_1}, {_1}, {_2}"  # M, H, Y, A, used, u, b, s, sites


@entry(f"void({_FIGURE}, {_CONTACTS}, {_1}, {_1})")
def one_gaps(ints, floats, work, cints, cfloats, q, out):
    """Gaps of all candidates of one configuration."""
    W, Q, b = one_state(work), one_state(q), state_zero(ints)
    place(ints, floats, Q, W, b, W, b)
    for k in range(out.shape[0]):
        out[k] = gap_of(ints, cints, cfloats, k, Q, W)


@inline
def _before(ints, k):
    return ints[ix(ints[t.AT_COLUMNS] + k * t.COLUMN_INTS + t.BEFORE)]


@routine
def pose_problem(
    ints, floats, W, cints, cfloats, Q, V, T, loads, has_loads, zeros, active, pairs, count, before, MM, U, M, H, Y, A,
    used, u, s, sites,
):  # fmt: skip
    """Write inertia (factored in H), projected forces u, projected rows Y and A; return how many rows."""
    b = state_zero(ints)
    nv = ints[t.NV]
    composite(ints, floats, Q, W, b, W, b, MM)
    status = recursive(ints, floats, Q, V, zeros, W, loads, has_loads, b, W, b, U)
    at = ints[t.AT_COLUMNS] + t.COLUMN_V
    for k in range(nv):
        row = ints[ix(at + k * t.COLUMN_INTS)]
        j = k
        while j >= 0:
            H[ix(k), ix(j)] = M[ix(row), ix(ints[ix(at + j * t.COLUMN_INTS)])]
            j = before[ix(j)]
    # h − tau in the order of the columns; M's first row is free to hold it meanwhile
    for k in range(nv):
        row = ints[ix(at + k * t.COLUMN_INTS)]
        M[0, ix(k)] = u[ix(row)] - T[ix(row), 0]
    for k in range(nv):
        u[ix(k)] = M[0, ix(k)]
    factor(H, before)
    project_vector(H, before, u)
    rows = candidate_rows(ints, floats, cints, cfloats, active, pairs, count, Q, V, W, Y, used, s, sites)
    project(H, before, used, Y, rows)
    gram(used, Y, rows, A)
    return rows if status == t.OK else -status


@inline
def _free_terms(Y, used, u, s, rows, b):
    """b ← C a_free + s, a_free = −M⁻¹ (h − tau)."""
    for r in range(rows):
        b[ix(r)] = s[ix(r)]
    for k in range(used.shape[0]):
        if used[ix(k)] != 0:
            x = u[ix(k)]
            for r in range(rows):
                b[ix(r)] -= Y[ix(k), ix(r)] * x


@entry(f"int64({_FIGURE}, {_CONTACTS}, {_1}, {_1}, {_2}, {_1}, {_I}, int64, {_I}, {_SPACE})")
def one_problem(
    ints, floats, work, cints, cfloats, y, tau, loads, zeros, active, pairs, before, M, H, Y, A, used, u, b, s, sites
):
    """The problem of one state: A and b of the rows of the active candidates; return how many rows."""
    nq = ints[t.NQ]
    W = one_state(work)
    rows = pose_problem(
        ints, floats, W, cints, cfloats, one_state(y[:nq]), one_state(y[nq:]), one_state(tau),
        one_state(loads.reshape(loads.size)), loads.shape[0] > 0, one_state(zeros), active, pairs, active.shape[0],
        before, one_state(M.reshape(M.size)), one_state(u), M, H, Y, A, used, u, s, sites,
    )  # fmt: skip
    if rows > 0:
        _free_terms(Y, used, u, s, rows, b)
    return rows


@entry(f"int64({_FIGURE}, {_CONTACTS}, {_1}, {_I}, int64, {_2}, {_I}, {_1}, {_2})")
def one_rows(ints, floats, work, cints, cfloats, y, active, pairs, Y, used, s, sites):
    """Cᵀ [column, row] of a state whose poses are in `work` already; columns that are not used are left alone."""
    nq = ints[t.NQ]
    W, Q, V = one_state(work), one_state(y[:nq]), one_state(y[nq:])
    return candidate_rows(ints, floats, cints, cfloats, active, pairs, active.shape[0], Q, V, W, Y, used, s, sites)


@inline
def to_velocities(ints, a, out):
    """Write numbers of columns in the order of v."""
    at = ints[t.AT_COLUMNS] + t.COLUMN_V
    for k in range(a.shape[0]):
        out[ix(ints[ix(at + k * t.COLUMN_INTS)])] = a[ix(k)]


@entry(f"void({_I}, {_I}, {_2}, {_2}, {_I}, int64, {_1}, {_1}, {_1}, {_1})")
def one_motion(ints, before, H, Y, used, rows, x, u, a, out):
    """Accelerations M⁻¹ (Cᵀ x − h + tau), or with u = 0 jumps of velocity by impulses x, in the order of v."""
    accelerate(H, before, used, Y, rows, x, u, a)
    to_velocities(ints, a, out)


@entry(f"float64({_2}, {_1}, int64, {_2}, {_1}, {_1}, {_I})")
def solve_held(A, b, rows, F, x, r, chosen):
    """All rows hold."""
    return hold(A, b, rows, F, x, r, chosen)


@entry(f"int64({_2}, {_1}, int64, {_I}, {_I}, {_2}, {_1}, {_1}, {_I}, {_I})")
def solve_pressing(A, b, rows, presses, shut, F, x, r, chosen, wrong):
    """Some rows only press."""
    return press(A, b, rows, presses, shut, F, x, r, chosen, wrong)


@entry(
    f"int64({_2}, {_1}, int64, int64, {_1}, {_I}, {_2}, {_1}, {_1}, {_I}, {_2}, {_2}, {_1}, {_1}, {_I}, {_I}, boolean, "
    "int64)"
)
def solve_cones(A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, y, unknown, pivots, begun, attempts):
    """Contacts with friction."""
    return polish(A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, y, unknown, pivots, begun, attempts)


@entry(f"int64({_2}, {_1}, int64, int64, {_1}, {_1}, {_2}, {_1}, int64)")
def solve_shared(A, b, contacts, rows, mu, x, F, r, turns):
    """Forces that hold every row, shared so that cones allow them."""
    return share(A, b, contacts, rows, mu, x, F, r, turns)


@inline
def _slip_along(sites, k, memory):
    """Return the slip of a pair along the direction remembered."""
    n = (sites[ix(k), c.NORMAL], sites[ix(k), c.NORMAL + 1], sites[ix(k), c.NORMAL + 2])
    e = (sites[ix(k), c.TANGENT], sites[ix(k), c.TANGENT + 1], sites[ix(k), c.TANGENT + 2])
    f = cross(e, n)
    m = (memory[ix(k), 0], memory[ix(k), 1], memory[ix(k), 2])
    return sites[ix(k), c.SLIP] * dot(m, e) + sites[ix(k), c.SLIP + 2] * dot(m, f)


@routine
def slip_directions(sites, pairs, modes, memory, along):
    """Write the direction of slip of each sliding pair, in its tangents.

    A slip that has passed zero since the direction was remembered counts backward, so that motion goes on smoothly
    up to the event. The direction remembered has a weight in m/s: slow slips would swing round within nanoseconds.
    """
    for k in range(pairs):
        if modes[ix(k)] != c.SLIDE:
            continue
        n = (sites[ix(k), c.NORMAL], sites[ix(k), c.NORMAL + 1], sites[ix(k), c.NORMAL + 2])
        e = (sites[ix(k), c.TANGENT], sites[ix(k), c.TANGENT + 1], sites[ix(k), c.TANGENT + 2])
        m = (memory[ix(k), 0], memory[ix(k), 1], memory[ix(k), 2])
        m1, m2 = dot(m, e), dot(m, cross(e, n))
        u1, u2 = sites[ix(k), c.SLIP], sites[ix(k), c.SLIP + 2]
        sign = 1.0 if u1 * m1 + u2 * m2 >= 0.0 else -1.0
        x, y = sign * u1 + memory[ix(k), 3] * m1, sign * u2 + memory[ix(k), 3] * m2
        size = math.hypot(x, y)
        along[ix(k), 0], along[ix(k), 1] = (0.0, 0.0) if size == 0.0 else (x / size, y / size)


@entry(
    f"int64({_FIGURE}, {_CONTACTS}, {_1}, {_1}, {_2}, {_1}, {_I}, int64, {_I}, {_SPACE}, {_I}, {_1}, {_2}, {_2}, {_1}, "
    f"{_1}, {_1}, {_2}, {_2}, {_I}, {_I}, {_1})"
)
def one_contact_rate(
    ints, floats, work, cints, cfloats, y, tau, loads, zeros, active, pairs, before, M, H, Y, A, used, u, b, s, sites,
    modes, mu, memory, along, given, x, r, F, K, chosen, pivots, out,
):  # fmt: skip
    """Rate of (q, v) with the active contacts held in their modes; forces stay in x. Return a status."""
    nq = ints[t.NQ]
    W, Q, V = one_state(work), one_state(y[:nq]), one_state(y[nq:])
    count = active.shape[0]
    rows = pose_problem(
        ints, floats, W, cints, cfloats, Q, V, one_state(tau), one_state(loads.reshape(loads.size)), loads.shape[0] > 0,
        one_state(zeros), active, pairs, count, before, one_state(M.reshape(M.size)), one_state(u), M, H, Y, A, used, u,
        s, sites,
    )  # fmt: skip
    if rows < 0:
        return -rows
    _free_terms(Y, used, u, s, rows, b)
    sliding = False
    for k in range(pairs):
        sliding = sliding or modes[ix(k)] == c.SLIDE
    status = t.OK
    if sliding:
        slip_directions(sites, pairs, modes, memory, along)
        if linear(A, b, pairs, rows, mu, modes, along, given, x, F, K, r, chosen, pivots) == 0.0:
            status = t.NOT_FINITE
    elif rows > 0:
        hold(A, b, rows, F, x, r, chosen)
    accelerate(H, before, used, Y, rows, x, u, r)
    to_velocities(ints, r[: ints[t.NV]], out[nq:])
    other = configuration_rate(ints, floats, Q, V, state_zero(ints), one_state(out[:nq]))
    return max(status, other)


@entry(f"void({_1}, int64, int64, {_1}, {_I}, {_2}, {_2}, {_I}, {_1}, {_I}, {_1})")
def one_watch(x, pairs, rows, mu, modes, sites, memory, slid, regions, sharp, out):
    """What is watched of a rate: how far forces are inside what modes allow, the largest force, slips and edges.

    out: least margin; largest force; least of slips that have begun, least of all slips; pairs that came to an edge.
    """
    least, size, begun, every, strayed = math.inf, 0.0, math.inf, math.inf, 0.0
    for i in range(rows):
        size = max(size, abs(x[ix(i)]))
    for i in range(3 * pairs, rows):
        least = min(least, x[ix(i)])
    for k in range(pairs):
        n = 3 * k + 1
        least = min(least, x[ix(n)])
        if modes[ix(k)] == c.STICK and not math.isinf(mu[ix(k)]):
            least = min(least, mu[ix(k)] * x[ix(n)] - math.hypot(x[ix(n - 1)], x[ix(n + 1)]))
        elif modes[ix(k)] == c.SLIDE and mu[ix(k)] > 0.0:
            slip = _slip_along(sites, k, memory)
            every = min(every, slip)
            if slid[ix(k)] == 1:
                begun = min(begun, slip)
        if sharp[ix(k)] == 1 and sites[ix(k), c.REGION] != regions[ix(k)]:
            strayed += 1.0
    out[0], out[1], out[2], out[3], out[4] = least, size, begun, every, strayed
