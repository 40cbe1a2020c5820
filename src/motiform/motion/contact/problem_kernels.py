"""The contact problem of one state: inertia, forces, rows, and the Delassus matrix; and the rate of a state in it."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine, typed_entry
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.cone_kernels import linear, refine_active_set, share
from motiform.motion.contact.layouts import ContactModel, ContactWorkspace, SolverWorkspace
from motiform.motion.contact.newton_kernels import solve_newton
from motiform.motion.contact.row_kernels import candidate_rows, clear_rows, gap_of
from motiform.motion.contact.solve_kernels import accelerate, factor, gram, hold, project, project_vector, solve_lcp
from motiform.motion.tree.kernels.dynamics import composite, recursive
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.kernels.state import configuration_rate
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import cross, dot

__all__ = [
    "contact_rate",
    "one_contact_rate",
    "one_gaps",
    "one_motion",
    "one_problem",
    "one_watch",
    "slip_along",
    "solve_cones",
    "solve_coulomb",
    "solve_held",
    "solve_pressing",
    "solve_shared",
    "watch_rate",
]

_1, _2, _I = "float64[::1]", "float64[:, ::1]", "int64[::1]"


@typed_entry("void", ContactModel, _1, _1)
def one_gaps(head, q, out):
    """Gaps of all candidates of one configuration."""
    W, Q, b = one_state(head.work), one_state(q), state_zero(head.ints)
    place(head.ints, head.floats, Q, W, b, W, b)
    for k in range(out.shape[0]):
        out[k] = gap_of(head.ints, head.cints, head.cfloats, k, Q, W)


@inline
def _before(ints, k):
    return ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]


@routine
def pose_inertia(head, W, Q, V, loads, has_loads, zeros, MM, U, space):
    """Write the inertia matrix by columns to H, and the forces at rest to u, in the order of v; return a status."""
    ints, before, b = head.ints, head.before, state_zero(head.ints)
    composite(ints, head.floats, Q, W, b, W, b, MM)
    status = recursive(ints, head.floats, Q, V, zeros, W, loads, has_loads, b, W, b, U)
    at = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    for k in range(ints[tree_columns.NV]):
        row = ints[ix(at + k * tree_columns.COLUMN_INTS)]
        j = k
        while j >= 0:
            space.H[ix(k), ix(j)] = space.M[ix(row), ix(ints[ix(at + j * tree_columns.COLUMN_INTS)])]
            j = before[ix(j)]
    return status


@routine
def pose_problem(head, W, Q, V, T, loads, has_loads, zeros, active, pairs, MM, U, space):
    """Write inertia (factored in H), projected forces u, projected rows Y and A; return how many rows."""
    ints, before, M, H, Y, u = head.ints, head.before, space.M, space.H, space.Y, space.u
    nv = ints[tree_columns.NV]
    status = pose_inertia(head, W, Q, V, loads, has_loads, zeros, MM, U, space)
    at = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    # h − tau in the order of the columns; M's first row is free to hold it meanwhile
    for k in range(nv):
        row = ints[ix(at + k * tree_columns.COLUMN_INTS)]
        M[0, ix(k)] = u[ix(row)] - T[ix(row), 0]
    for k in range(nv):
        u[ix(k)] = M[0, ix(k)]
    factor(H, before)
    project_vector(H, before, u)
    clear_rows(Y, space.used, 2 * pairs + active.shape[0])
    rows = candidate_rows(
        ints, head.floats, head.cints, head.cfloats, active, pairs, active.shape[0], Q, V, W, Y, space.used, space.s,
        space.sites,
    )  # fmt: skip
    project(H, before, space.used, Y, rows)
    gram(space.used, Y, rows, space.A)
    return rows if status == tree_columns.OK else -status


@inline
def _free_terms(space, rows):
    """b ← C a_free + s, a_free = −M⁻¹ (h − tau)."""
    Y, used, u, s, b = space.Y, space.used, space.u, space.s, space.b
    for r in range(rows):
        b[ix(r)] = s[ix(r)]
    for k in range(used.shape[0]):
        if used[ix(k)] != 0:
            x = u[ix(k)]
            for r in range(rows):
                b[ix(r)] -= Y[ix(k), ix(r)] * x


@typed_entry("int64", ContactModel, _1, _1, _2, _I, "int64", ContactWorkspace)
def one_problem(head, y, tau, loads, active, pairs, space):
    """The problem of one state: A and b of the rows of the active candidates; return how many rows."""
    nq = head.ints[tree_columns.NQ]
    rows = pose_problem(
        head, one_state(head.work), one_state(y[:nq]), one_state(y[nq:]), one_state(tau),
        one_state(loads.reshape(loads.size)), loads.shape[0] > 0, one_state(head.zeros), active, pairs,
        one_state(space.M.reshape(space.M.size)), one_state(space.u), space,
    )  # fmt: skip
    if rows > 0:
        _free_terms(space, rows)
    return rows


@typed_entry("int64", ContactModel, _1, _I, "int64", _2, ContactWorkspace)
def one_rows(head, y, active, pairs, Y, space):
    """Cᵀ [column, row] of a state whose poses are in `work` already; columns that are not used are left alone."""
    nq = head.ints[tree_columns.NQ]
    clear_rows(Y, space.used, 2 * pairs + active.shape[0])
    return candidate_rows(
        head.ints, head.floats, head.cints, head.cfloats, active, pairs, active.shape[0], one_state(y[:nq]),
        one_state(y[nq:]), one_state(head.work), Y, space.used, space.s, space.sites,
    )  # fmt: skip


@inline
def to_velocities(ints, a, out):
    """Write numbers of columns in the order of v."""
    at = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    for k in range(a.shape[0]):
        out[ix(ints[ix(at + k * tree_columns.COLUMN_INTS)])] = a[ix(k)]


@typed_entry("void", ContactModel, ContactWorkspace, "int64", _1, _1, _1, _1)
def one_motion(head, space, rows, x, u, a, out):
    """Accelerations M⁻¹ (Cᵀ x − h + tau), or with u = 0 jumps of velocity by impulses x, in the order of v."""
    accelerate(space.H, head.before, space.used, space.Y, rows, x, u, a)
    to_velocities(head.ints, a, out)


@entry(f"float64({_2}, {_1}, int64, {_2}, {_1}, {_1}, {_I})")
def solve_held(A, b, rows, F, x, r, chosen):
    """All rows hold."""
    return hold(A, b, rows, F, x, r, chosen)


@entry(f"int64({_2}, {_1}, int64, {_I}, {_I}, {_2}, {_1}, {_1}, {_I}, {_I})")
def solve_pressing(A, b, rows, presses, shut, F, x, r, chosen, wrong):
    """Some rows only press."""
    return solve_lcp(A, b, rows, presses, shut, F, x, r, chosen, wrong)


@entry(
    f"int64({_2}, {_1}, int64, int64, {_1}, {_I}, {_2}, {_1}, {_1}, {_I}, {_2}, {_2}, {_1}, {_1}, {_I}, {_I}, boolean, "
    "int64)"
)
def solve_cones(A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, y, unknown, pivots, begun, attempts):
    """Contacts with friction."""
    return refine_active_set(
        A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, y, unknown, pivots, begun, attempts
    )


@entry(f"boolean({_2}, {_1}, int64, int64, {_1}, {_1}, float64, {_2}, {_1}, {_1}, {_1}, {_I}, {_I}, {_I}, {_I})")
def solve_coulomb(A, b, contacts, rows, mu, x, close, F, w, away, r, chosen, mode, low, high):
    """Contacts with friction, by Newton's method."""
    return solve_newton(A, b, contacts, rows, mu, x, close, F, w, away, r, chosen, mode, low, high)


@entry(f"int64({_2}, {_1}, int64, int64, {_1}, {_1}, {_2}, {_1}, int64)")
def solve_shared(A, b, contacts, rows, mu, x, F, r, turns):
    """Forces that hold every row, shared so that cones allow them."""
    return share(A, b, contacts, rows, mu, x, F, r, turns)


@inline
def slip_along(sites, k, memory):
    """Return the slip of a pair along the direction remembered."""
    n = (
        sites[ix(k), contact_columns.NORMAL],
        sites[ix(k), contact_columns.NORMAL + 1],
        sites[ix(k), contact_columns.NORMAL + 2],
    )
    e = (
        sites[ix(k), contact_columns.TANGENT],
        sites[ix(k), contact_columns.TANGENT + 1],
        sites[ix(k), contact_columns.TANGENT + 2],
    )
    f = cross(e, n)
    m = (memory[ix(k), 0], memory[ix(k), 1], memory[ix(k), 2])
    return sites[ix(k), contact_columns.SLIP] * dot(m, e) + sites[ix(k), contact_columns.SLIP + 2] * dot(m, f)


@routine
def slip_directions(sites, pairs, modes, memory, along):
    """Write the direction of slip of each sliding pair, in its tangents.

    A slip that has passed zero since the direction was remembered counts backward, so that motion goes on smoothly
    up to the event. The direction remembered has a weight in m/s: slow slips would swing round within nanoseconds.
    """
    for k in range(pairs):
        if modes[ix(k)] != contact_columns.SLIDE:
            continue
        n = (
            sites[ix(k), contact_columns.NORMAL],
            sites[ix(k), contact_columns.NORMAL + 1],
            sites[ix(k), contact_columns.NORMAL + 2],
        )
        e = (
            sites[ix(k), contact_columns.TANGENT],
            sites[ix(k), contact_columns.TANGENT + 1],
            sites[ix(k), contact_columns.TANGENT + 2],
        )
        m = (memory[ix(k), 0], memory[ix(k), 1], memory[ix(k), 2])
        m1, m2 = dot(m, e), dot(m, cross(e, n))
        u1, u2 = sites[ix(k), contact_columns.SLIP], sites[ix(k), contact_columns.SLIP + 2]
        sign = 1.0 if u1 * m1 + u2 * m2 >= 0.0 else -1.0
        x, y = sign * u1 + memory[ix(k), 3] * m1, sign * u2 + memory[ix(k), 3] * m2
        size = math.hypot(x, y)
        along[ix(k), 0], along[ix(k), 1] = (0.0, 0.0) if size == 0.0 else (x / size, y / size)


@routine
def contact_rate(head, y, tau, loads, active, pairs, space, modes, mu, memory, work, out):
    """Write the rate of (q, v) with the active contacts held in their modes; forces stay in x. Return a status."""
    ints, x, r = head.ints, work.x, work.r
    nq = ints[tree_columns.NQ]
    Q, V = one_state(y[:nq]), one_state(y[nq:])
    rows = pose_problem(
        head, one_state(head.work), Q, V, one_state(tau), one_state(loads.reshape(loads.size)), loads.shape[0] > 0,
        one_state(head.zeros), active, pairs, one_state(space.M.reshape(space.M.size)), one_state(space.u), space,
    )  # fmt: skip
    if rows < 0:
        return -rows
    _free_terms(space, rows)
    A, b, F, chosen = space.A, space.b, work.F, work.chosen
    sliding = False
    for k in range(pairs):
        sliding = sliding or modes[ix(k)] == contact_columns.SLIDE
    status = tree_columns.OK
    if sliding:
        slip_directions(space.sites, pairs, modes, memory, work.along)
        regular = linear(A, b, pairs, rows, mu, modes, work.along, work.given, x, F, work.K, r, chosen, work.wrong)
        if regular == 0.0:
            status = tree_columns.NOT_FINITE
    elif rows > 0:
        hold(A, b, rows, F, x, r, chosen)
    accelerate(space.H, head.before, space.used, space.Y, rows, x, space.u, r)
    to_velocities(ints, r[: ints[tree_columns.NV]], out[nq:])
    other = configuration_rate(ints, head.floats, Q, V, state_zero(ints), one_state(out[:nq]))
    return max(status, other)


@typed_entry("int64", ContactModel, _1, _1, _2, _I, "int64", ContactWorkspace, _I, _1, _2, SolverWorkspace, _1)
def one_contact_rate(head, y, tau, loads, active, pairs, space, modes, mu, memory, work, out):
    """The rate of one state."""
    return contact_rate(head, y, tau, loads, active, pairs, space, modes, mu, memory, work, out)


@routine
def watch_rate(x, pairs, rows, mu, modes, sites, memory, slid, regions, sharp, out):
    """Write what is watched of a rate: how far forces are inside what modes allow, the largest force, slips and edges.

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
        if modes[ix(k)] == contact_columns.STICK and not math.isinf(mu[ix(k)]):
            least = min(least, mu[ix(k)] * x[ix(n)] - math.hypot(x[ix(n - 1)], x[ix(n + 1)]))
        elif modes[ix(k)] == contact_columns.SLIDE and mu[ix(k)] > 0.0:
            slip = slip_along(sites, k, memory)
            every = min(every, slip)
            if slid[ix(k)] == 1:
                begun = min(begun, slip)
        if sharp[ix(k)] == 1 and sites[ix(k), contact_columns.REGION] != regions[ix(k)]:
            strayed += 1.0
    out[0], out[1], out[2], out[3], out[4] = least, size, begun, every, strayed


@entry(f"void({_1}, int64, int64, {_1}, {_I}, {_2}, {_2}, {_I}, {_1}, {_I}, {_1})")
def one_watch(x, pairs, rows, mu, modes, sites, memory, slid, regions, sharp, out):
    """What is watched of a rate."""
    watch_rate(x, pairs, rows, mu, modes, sites, memory, slid, regions, sharp, out)
