"""One step of time-stepping: all contacts of a step are solved together as impulses [Stewart96], [Moreau88].

    Sᵀ p(q, q₊) = M v + h f(q) + Cᵀ P,    0 ≤ P_n ⟂ C_n w + gap/h + e v_n ≥ 0,    P_t in its cone,    q₊ = q ⊕ h w

where p are the momenta of segments that go from q to q₊ (`momentum_kernels`). They are the same in the world at both
ends, and give the velocities at the end, M(q₊) v₊ = S(q₊)ᵀ p: a variational step [MarsdenWest01], of second order and
symplectic without contacts, but for forces, which are those at the beginning. The first equation is solved for w by
iteration on R(w) = Sᵀ p − M w, from those of the last two steps and with the last impulses; what iterations leave is
added to p, so that momenta are balanced to rounding in any case. Springs and dampers are taken at the end of the step
(M + h D + h² K), so that stiff ones stay stable.

Penetration that is there shrinks by a fifth each step, by impulses of its own: Cᵀ Z is given to the momenta for the way
and taken back at its end, so that what overlaps is moved apart and no velocity is left of it. They act along normals,
as if there were no friction: in a wedge that friction holds nothing could come out, and impulses would grow from step
to step.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.addresses import call_address
from motiform.base.kernels import inline, routine
from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.geometry.touch.columns import MOST
from motiform.motion.actuation.law_kernels import control_forces
from motiform.motion.actuation.push_kernels import write_pushes
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.newton_kernels import MOST_ROWS, solve_newton
from motiform.motion.contact.row_kernels import candidate_rows, gap_of
from motiform.motion.contact.solve_kernels import dot, factor, project_vector
from motiform.motion.contact.span_kernels import Spans, accelerate_rows, clear_spans, delassus, find_spans, project_rows
from motiform.motion.contact.sweep_kernels import sweep
from motiform.motion.stepping.impulse_kernels import add_impulses_on
from motiform.motion.stepping.momentum_kernels import (
    add_momenta,
    applied_forces,
    gather_to_parents,
    largest_turn,
    momenta_at_end,
    moving_momenta,
    way_accelerations,
)  # fmt: skip
from motiform.motion.stepping.rest_kernels import is_at_rest, solve_at_rest
from motiform.motion.stepping.substep_layouts import ADDRESS, EVENTS, KEPT, OVER_STEP, ROOM
from motiform.motion.tree.kernels.dynamics import placed_composite
from motiform.motion.tree.kernels.memory import ix, row3
from motiform.motion.tree.kernels.motion import bias
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.kernels.state import advance_configuration
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import cross

__all__ = [
    "ACTUATORS",
    "CROWDED",
    "CROWDED_EVENTS",
    "DONE",
    "GIVEN",
    "GROWS",
    "LAWS",
    "OUT",
    "UNBALANCED",
    "StepWorkspace",
    "take_steps",
]

_over_step = call_address(*OVER_STEP)

DONE, UNBALANCED, GROWS, CROWDED = 0, 1, 2, 3
"""What a step comes to: taken; momenta that do not balance, kinetic energy beyond its bound, or more candidates than
there is room for, and not taken."""
CROWDED_EVENTS = 9
"""Taken, and events of actuators must be read before the next; what actuators come to is in `substep_kernels`."""
GIVEN, LAWS, ACTUATORS = range(3)
"""Where the efforts of a step come from."""
OUT = 0.2
"""Of a penetration that a step takes away."""

_PASSES = 4  # over the places at the end of a step; each one shrinks the error by the angle of a step
_NEARLY = 1e-6  # change of velocities over the largest at which passes end: the next would be smaller by that angle
_FORESEEN = 1e-8  # error of R from past steps with which no passes are needed: they would leave no less
_TURNS, _BALANCED = 8, 1e-4  # of finding impulses anew; error of the momenta over the largest, in the norm of T
_LARGEST = 1.0  # [rad] by which a joint may turn in a step: ways that wind about themselves balance, too
_EPS = 1e-15  # of a coordinate: a few roundings
_GROWTH = 3e-4  # of the kinetic energy that a whole step may add to the work of forces
_CLOSE = 1e-8  # of the largest impulse by which the laws of contact may be missed
_FIRST, _SWEEPS = 5, 95  # over all contacts, before and after equations are tried
_CLOSED = 0.1  # [m/s²] times the step squared: a gap that stays, 1 % of a fall, so that rows agree that share a load
_ROUNDING = 1e-11  # [m] of a penetration that stays
_APART, _YIELD = 40, 0.01  # sweeps over what moves solids apart; its softness, which bounds it where nothing can part
_SLOW = 40.0  # [m/s²] approach over the step below which nothing bounces: what a step of free fall makes, fourfold
_FAR = 1e12  # [m/s] keeps a contact out of a step
_TOUCHING = 1e-6  # [m] gap below which a contact lasts though it has not pressed in the last step
_BEND = 0.1  # of the velocities that make it, at most, by which a row's velocity is foreseen to change in half a step


class StepWorkspace(NamedTuple):
    """What a step keeps and writes besides the problem."""

    gaps: Floats
    """Of all candidates at the beginning of a step [m]."""
    ends: Floats
    """The same at a sample."""
    active: Ints
    impulses: Floats
    """Of the last step, three of each candidate [N·s]."""
    mu: Floats
    x: Floats
    terms: Floats
    """Of each row: the sum of the sizes of the terms of its velocity; then what is asked to move it apart [m/s]."""
    still: Floats
    """Velocities of the rows, with what they must not fall below, were nothing to act [m/s]."""
    apart: Floats
    """Impulses of the rows that do."""
    a: Floats
    r: Floats
    """R that the velocities w are made with, by columns."""
    past: Floats2
    """R of the last three steps, the latest first."""
    foreseen: Floats
    """By how much what follows from them missed in the last step, over the velocities."""
    tried: Floats2
    """R that the last try gave, and by how much it missed, projected."""
    f: Floats
    """Forces that drive, by columns."""
    w: Floats
    """Velocities that lead to the end, in the order of v; then by columns."""
    q: Floats
    """Configuration of the workspace that is in use, and at the end of the step."""
    work: Floats2
    """Two workspaces of the figure: at the beginning of a step and at its end, in turn."""
    now: Ints
    """Which of them is in use."""
    friction: Floats
    restitution: Floats
    tau: Floats
    """Generalised forces of controls and drives at the beginning of a step, in the order of v."""
    ahead: Floats
    """h D + h² K of the controls, in the order of v."""
    soft: Floats
    """The same of each column, with the damping of joints."""
    point_of: Ints
    """Contact point of each pair."""
    counts: Ints
    """Candidates that were near, how many of them are pairs, how often impulses were solved for; number of the step
    from the last sample that is next; contact points; samples that are written."""
    spans: Spans
    energies: Floats
    """Kinetic energy at the beginning of a step, what it may be at its end, what it is; what forces alone give; what
    rounding gives [J]; the velocity that rounding gives [m/s]; and the length of the last step that was taken [s]."""


@inline
def _find_candidates(ints, cints, cfloats, Q, W, reach, active, gaps, count):
    """Write the candidates nearer than reach, pairs first; return how many pairs and how many in all."""
    taken, pairs = 0, 0
    for k in range(count):
        gap = gap_of(ints, cints, cfloats, k, Q, W)
        gaps[ix(k)] = gap
        if gap < reach:
            active[ix(taken)] = k
            taken += 1
            if k < cints[contact_columns.PAIRS]:
                pairs += 1
    return pairs, taken


@inline
def _bounce_velocity(sites, k, bounce, pressed, h, whole, out):
    """Return what is added to the normal velocity of a candidate before it must not be negative, and what more brings
    the candidate out of its obstacle.
    """
    gap, speed = sites[ix(k), contact_columns.GAP], sites[ix(k), ix(contact_columns.SLIP + 1)]
    bounces = bounce > 0.0 and speed < -_SLOW * whole
    if gap > 0.0:
        return (
            _FAR if bounces else max(gap - (_CLOSED * whole * whole if pressed else 0.0), 0.0) / h
        ), 0.0  # what bounces is let in by part of a step: it keeps its speed
    demand = bounce * speed if bounces else 0.0
    return demand, out * gap / whole - demand


@inline
def _inertia_matrix(ints, before, M, H):
    """Write the inertia matrix by columns."""
    at = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    for k in range(before.shape[0]):
        row, j = ints[ix(at + k * tree_columns.COLUMN_INTS)], k
        while j >= 0:
            H[ix(k), ix(j)] = M[ix(row), ix(ints[ix(at + j * tree_columns.COLUMN_INTS)])]
            j = before[ix(j)]


@routine
def _forward_position(head, Q, soft, h, W, space, step):
    """Write places, inertia and its factors at the beginning of a step, where those of the last end do not serve."""
    ints, floats, before, M, H = head.ints, head.floats, head.before, space.M, space.H
    nv, z, at, same = (
        ints[tree_columns.NV],
        state_zero(ints),
        ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V,
        True,
    )
    for k in range(ints[tree_columns.NQ]):
        same = same and step.q[ix(k)] == Q[ix(k), 0]
    if not same:
        place(ints, floats, Q, W, z, W, z)
        placed_composite(ints, floats, z, W, z, one_state(M.reshape(M.size)))
    hard = True
    for k in range(nv):
        damping = (
            h * floats[ix(ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS + tree_columns.DAMPING)]
        )
        step.soft[ix(k)] = soft[ix(ints[ix(at + k * tree_columns.COLUMN_INTS)])] + damping
        hard = hard and step.soft[ix(k)] == 0.0
    if same and hard:
        return
    _inertia_matrix(ints, before, M, H)
    for k in range(nv):
        H[ix(k), ix(k)] += step.soft[ix(k)]
    factor(H, before)


@inline
def _springs_at_end(laws, driven, h, v, step):
    """Take stiffness and damping of the controls at the end of the step, K (q + h v₊) and D v₊: h D + h² K."""
    for k in range(laws.tau.shape[0]):
        ahead = h * laws.K[ix(k)]
        laws.tau[ix(k)] -= ahead * v[ix(k)]
        step.tau[ix(k)] = laws.tau[ix(k)] + driven[ix(k)]
        step.ahead[ix(k)] = (ahead + laws.D[ix(k)]) * h


@routine
def _momentum_remainder(head, Q, h, W, W1, space, step):
    """Go on at the velocities w; write R of that way, Sᵀ p − M w, to `a`. Momenta stay gathered in W."""
    ints, before, M, w, a = head.ints, head.before, space.M, step.w, step.a
    nv, z, at = ints[tree_columns.NV], state_zero(ints), ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    Q1 = one_state(step.q)
    advance_configuration(ints, head.floats, Q, one_state(w[:nv]), h, z, Q1)
    place(ints, head.floats, Q1, W1, z, W1, z)
    moving_momenta(ints, head.floats, h, W, W1)
    for k in range(nv):
        w[ix(nv + k)] = w[ix(ints[ix(at + k * tree_columns.COLUMN_INTS)])]
    gather_to_parents(ints, ints[tree_columns.W_F], W)
    momenta_at_end(ints, head.floats, W, W, w[nv:], a)
    for k in range(nv):
        row, j = ints[ix(at + k * tree_columns.COLUMN_INTS)], before[ix(k)]
        a[ix(k)] -= M[ix(row), ix(row)] * w[ix(nv + k)]
        while j >= 0:
            m = M[ix(row), ix(ints[ix(at + j * tree_columns.COLUMN_INTS)])]
            a[ix(k)] -= m * w[ix(nv + j)]
            a[ix(j)] -= m * w[ix(nv + k)]
            j = before[ix(j)]


@inline
def _velocity_under_impulses(head, v, space, rows, x, step):
    """w ← v + the change under impulses x; return the largest change of w and the largest number."""
    ints, at = head.ints, head.ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    accelerate_rows(space.H, head.before, space.used, space.Y, rows, x, space.u, step.a, step.spans)
    change, size = 0.0, 0.0
    for k in range(ints[tree_columns.NV]):
        row = ix(ints[ix(at + k * tree_columns.COLUMN_INTS)])
        new = v[row] + step.a[ix(k)]
        change, size = max(change, abs(new - step.w[row])), max(size, abs(new))
        step.w[row] = new
    return change, size


@inline
def _project_forces(head, h, space, step):
    """u ← L⁻ᵀ (R − h f)."""
    for k in range(step.r.shape[0]):
        space.u[ix(k)] = step.r[ix(k)] - h * step.f[ix(k)]
    project_vector(space.H, head.before, space.u)


@inline
def _normal(k, pairs):
    """Return the row of a candidate's normal."""
    return 3 * k + 1 if k < pairs else 2 * pairs + k


@routine
def _contact_rows(head, Q, V, h, whole, out, W, space, step, pairs, taken):
    """Write rows, their Delassus matrix, and what their velocities would be with no change; return how many."""
    ints, Y, used, b, s, terms = head.ints, space.Y, space.used, space.b, space.s, step.terms
    clear_spans(used, Y, step.spans)
    rows = candidate_rows(
        ints, head.floats, head.cints, head.cfloats, step.active, pairs, taken, Q, V, W, Y, used, s, space.sites
    )
    find_spans(head.cints, step.active, pairs, taken, head.before, step.spans)
    for r in range(rows):
        b[ix(r)], terms[ix(r)] = 0.0, 0.0
    at = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    for k in range(ints[tree_columns.NV]):
        if used[ix(k)] != 0:
            rate = V[ix(ints[ix(at + k * tree_columns.COLUMN_INTS)]), 0]
            for r in range(step.spans.first[ix(k)], step.spans.last[ix(k)]):
                b[ix(r)] += Y[ix(k), ix(r)] * rate
                terms[ix(r)] += abs(Y[ix(k), ix(r)] * rate)
    for k in range(taken):
        candidate = step.active[ix(k)]
        row = _normal(k, pairs)
        if k < pairs:
            step.mu[ix(k)] = step.friction[ix(candidate)]
            lasts = step.impulses[ix(3 * candidate + 1)] > 0.0 or space.sites[ix(k), contact_columns.GAP] < _TOUCHING
            _midpoint_rows(b, s, terms, row, h, lasts)
            for i in range(3):
                step.x[ix(3 * k + i)] = step.impulses[ix(3 * candidate + i)]
        else:
            step.x[ix(row)] = step.impulses[ix(3 * candidate)]
        bounce, pressed = step.restitution[ix(candidate)], step.x[ix(row)] > 0.0
        demand, terms[ix(row)] = _bounce_velocity(space.sites, k, bounce, pressed, h, whole, out)
        b[ix(row)] += demand
    for r in range(rows):
        step.still[ix(r)] = b[ix(r)]
    project_rows(space.H, head.before, used, Y, rows, step.spans)
    delassus(used, Y, rows, space.A, step.spans)
    return rows


@inline
def _midpoint_rows(b, s, terms, n, h, lasts):
    """Take the rows of a contact that lasts in the middle of the step: they change by h/2 times s until then."""
    if lasts:
        change = 0.5 * h * math.sqrt(s[ix(n - 1)] * s[ix(n - 1)] + s[ix(n)] * s[ix(n)] + s[ix(n + 1)] * s[ix(n + 1)])
        most = _BEND * (terms[ix(n - 1)] + terms[ix(n)] + terms[ix(n + 1)])
        part = 0.5 * h if change <= most else 0.5 * h * most / change
        for i in range(n - 1, n + 2):
            b[ix(i)] += part * s[ix(i)]


@routine
def _energy(A, b, rows, x, spans):
    """Return what impulses x would add to the kinetic energy [J]: x·b + ½ x·A x."""
    energy = 0.0
    for r in range(rows):
        if x[ix(r)] != 0.0:
            energy += x[ix(r)] * (b[ix(r)] + 0.5 * dot(A, r, spans.low[ix(r)], spans.high[ix(r)], x))
    return energy


@routine
def _solve_impulses(A, b, pairs, rows, mu, x, room, sites, still, spans):
    """Write the impulses of all rows: by Newton's method, from sweeps on where it comes to no end from x; of many by
    sweeps, or at once where all that pressed in the last step, or now, holds.

    Impulses of the last step that would add energy, as those of an impact do, are no start: where many bodies lie on
    one another sweeps would not reach the small ones that follow.
    """
    if _energy(A, b, rows, x, spans) > 0.0:
        for r in range(rows):
            x[ix(r)] = 0.0
    if is_at_rest(A, b, pairs, rows, mu, x, room, sites, still, spans):
        return
    for r in range(rows):
        room.first[ix(r)] = x[ix(r)]
    if rows <= MOST_ROWS:
        for _ in range(2):
            if solve_newton(
                A, b, pairs, rows, mu, x, _CLOSE, room.F, room.s, room.y, room.r, room.chosen, room.shut, spans.low,
                spans.high,
            ):  # fmt: skip
                return
            sweep(A, b, pairs, rows, mu, room.first, _SWEEPS, spans.low, spans.high)
            for r in range(rows):
                x[ix(r)] = room.first[ix(r)]
        return
    if sweep(A, b, pairs, rows, mu, x, _FIRST, spans.low, spans.high):
        return
    if solve_at_rest(A, b, pairs, rows, mu, room.first, room, sites, -math.inf, still, spans):
        for r in range(rows):
            x[ix(r)] = room.first[ix(r)]
    elif not solve_at_rest(A, b, pairs, rows, mu, x, room, sites, _TOUCHING, still, spans):
        sweep(A, b, pairs, rows, mu, x, _SWEEPS, spans.low, spans.high)


@routine
def _push_out(A, b, pairs, taken, rows, x, asked, least, base, z, spans):
    """Write the impulses that move apart what overlaps, beside impulses x; return whether there are any.

    `asked` is by what speed, negative, and `least` [m/s] the greatest that is left.
    """
    deepest = 0.0
    for r in range(rows):
        z[ix(r)] = 0.0
    for k in range(taken):
        deepest = min(deepest, asked[ix(_normal(k, pairs))])
    if not deepest < -least:
        return False
    for k in range(taken):
        row = _normal(k, pairs)
        base[ix(row)] = asked[ix(row)] + b[ix(row)] + dot(A, row, spans.low[ix(row)], spans.high[ix(row)], x)
    for _ in range(_APART):
        change, size = 0.0, 0.0
        for k in range(taken):
            row = _normal(k, pairs)
            stiff = (1.0 + _YIELD) * A[ix(row), ix(row)]
            if stiff > 0.0:
                old = z[ix(row)]
                pushed = dot(A, row, spans.low[ix(row)], spans.high[ix(row)], z)
                speed = base[ix(row)] + pushed + _YIELD * A[ix(row), ix(row)] * old
                z[ix(row)] = max(0.0, old - speed / stiff)
                change, size = max(change, abs(z[ix(row)] - old)), max(size, z[ix(row)])
        if not change > 1e-3 * size:
            break
    return True


@routine
def _row_velocities(space, still, rows, spans):
    """b ← what the velocities of the rows are without impulses: those that nothing drives, and what does."""
    for r in range(rows):
        space.b[ix(r)] = still[ix(r)]
    for k in range(space.used.shape[0]):
        if space.used[ix(k)] != 0:
            for r in range(spans.first[ix(k)], spans.last[ix(k)]):
                space.b[ix(r)] -= space.Y[ix(k), ix(r)] * space.u[ix(k)]


@routine
def _solve_contacts(step, space, room, whole, pairs, taken, rows):
    """Solve for the impulses of all contacts; add what moves them apart to x, and keep it to take back."""
    _row_velocities(space, step.still, rows, step.spans)
    still = step.energies[5]
    _solve_impulses(space.A, space.b, pairs, rows, step.mu, step.x, room, space.sites, still, step.spans)
    for k in range(step.impulses.shape[0]):
        step.impulses[ix(k)] = 0.0
    for k in range(taken):
        if k < pairs:
            for i in range(3):
                step.impulses[ix(3 * step.active[ix(k)] + i)] = step.x[ix(3 * k + i)]
        else:
            step.impulses[ix(3 * step.active[ix(k)])] = step.x[ix(3 * pairs + k - pairs)]
    least = OUT * _ROUNDING / whole
    if not _push_out(space.A, space.b, pairs, taken, rows, step.x, step.terms, least, room.s, step.apart, step.spans):
        return 0
    for r in range(rows):
        step.x[ix(r)] += step.apart[ix(r)]
        step.apart[ix(r)] = -step.apart[ix(r)]
    return rows


@routine
def _keep_loads(head, space, step, pairs):
    """Write the impulse between each two solids, in the world."""
    cints, cfloats, axes = head.cints, head.cfloats, space.sites
    for k in range(cints[contact_columns.SOLIDS]):
        at = cints[ix(cints[contact_columns.AT_SOLIDS] + contact_columns.SOLID_INTS * k + 6)] + contact_columns.LOAD
        for i in range(3):
            cfloats[ix(at + i)] = 0.0
    for k in range(pairs):
        solid = (step.active[ix(k)] - cints[contact_columns.FIRST_SLOT]) // MOST
        if solid >= 0 and step.impulses[ix(3 * step.active[ix(k)] + 1)] > 0.0:
            at = (
                cints[ix(cints[contact_columns.AT_SOLIDS] + contact_columns.SOLID_INTS * solid + 6)]
                + contact_columns.LOAD
            )
            p, n, e = (
                3 * step.active[ix(k)],
                row3(axes[ix(k)], contact_columns.NORMAL),
                row3(axes[ix(k)], contact_columns.TANGENT),
            )
            f = cross(e, n)
            for i in range(3):
                push = step.impulses[ix(p)] * e[i] + step.impulses[ix(p + 1)] * n[i] + step.impulses[ix(p + 2)] * f[i]
                cfloats[ix(at + i)] += push


@routine
def _momentum_error(head, space, step):
    """Return |Sᵀp − (M v + h f + CᵀP)| / |(M w, h f)| of the way w, in the norm of M⁻¹: that of kinetic energies."""
    nv, left = head.ints[tree_columns.NV], 0.0
    for k in range(nv):
        space.u[ix(k)] = step.a[ix(k)] - step.r[ix(k)]
    project_vector(space.H, head.before, space.u)
    for k in range(nv):
        left += space.u[ix(k)] * space.u[ix(k)]
    kinetic = _kinetic_energy(head.ints, head.before, space.M, step.w[nv:])
    rounding = step.energies[4] / (_BALANCED * _BALANCED)
    return math.sqrt(0.5 * left / max(kinetic + step.energies[3] + rounding, 1e-300))


@routine
def _kinetic_energy(ints, before, M, w):
    """Return ½ w·M w of velocities by columns [J]."""
    at, total = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V, 0.0
    for k in range(before.shape[0]):
        row, j = ints[ix(at + k * tree_columns.COLUMN_INTS)], before[ix(k)]
        half = 0.5 * M[ix(row), ix(row)] * w[ix(k)]
        while j >= 0:
            half += M[ix(row), ix(ints[ix(at + j * tree_columns.COLUMN_INTS)])] * w[ix(j)]
            j = before[ix(j)]
        total += w[ix(k)] * half
    return total


@routine
def _restart(head, h, space, step, rows, parted, turn):
    """Set all back for impulses to be found anew, with R of the ways that the last two gave.

    Anderson's mixing of two tries: r ← a − θ (a − a₋), θ = g·(g − g₋)/|g − g₋|², where g = a − r, in the norm of M⁻¹.
    """
    for r in range(parted):
        step.x[ix(r)] += step.apart[ix(r)]
    dot, square = 0.0, 0.0
    for k in range(step.r.shape[0]):
        change = space.u[ix(k)] - step.tried[1, ix(k)]
        dot += space.u[ix(k)] * change
        square += change * change
    theta = dot / square if turn > 0 and square > 0.0 else 0.0
    for k in range(step.r.shape[0]):
        step.r[ix(k)] = step.a[ix(k)] - theta * (step.a[ix(k)] - step.tried[0, ix(k)])
        step.tried[0, ix(k)], step.tried[1, ix(k)] = step.a[ix(k)], space.u[ix(k)]
    _project_forces(head, h, space, step)


@routine
def _energy_of_forces(ints, M, f, h):
    """Return the kinetic energy that forces alone give in a step [J]: what is at rest has no other scale."""
    at, total = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V, 0.0
    for k in range(f.shape[0]):
        row = ints[ix(at + k * tree_columns.COLUMN_INTS)]
        total += 0.5 * (h * f[ix(k)]) ** 2 / M[ix(row), ix(row)]
    return total


@inline
def _velocity_scale(largest, energies):
    """Return a velocity that is not small beside those that forces alone give in a step: what rests has no other."""
    kinetic = energies[0]
    return largest * math.sqrt(1.0 + (energies[3] + energies[4]) / kinetic) if kinetic > 0.0 else math.inf


@inline
def _rounding_velocity(q, h):
    """Return the velocity that rounding of places makes in a step [m/s, rad/s]: what rests has no less."""
    largest = 1.0
    for k in range(q.shape[0]):
        largest = max(largest, abs(q[ix(k)]))
    return _EPS * largest / h


@inline
def _rounding_energy(ints, M, velocity):
    """Return the kinetic energy of so small a velocity of every column [J]."""
    total = 0.0
    for k in range(ints[tree_columns.NV]):
        total += M[ix(k), ix(k)]
    return 0.5 * total * velocity**2


@routine
def _energy_allowed(head, h, whole, y, step):
    """Return the kinetic energy that a step may end with: that at its beginning and the work of forces on the way.

    Contacts take from it. Beyond it is turning within the step, of second order in its angle.
    """
    ints, nq, nv = head.ints, head.ints[tree_columns.NQ], head.ints[tree_columns.NV]
    at, work = ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V, 0.0
    for k in range(nv):
        row, w = ints[ix(at + k * tree_columns.COLUMN_INTS)], step.w[ix(nv + k)]
        work += w * (h * step.f[ix(k)] - step.soft[ix(k)] * (w - y[ix(nq + row)]))
    growth = _GROWTH * math.sqrt(h / whole)
    return (1.0 + growth) * (step.energies[0] + max(work, 0.0)) + growth * step.energies[3] + step.energies[4]


@routine
def _integrate(head, h, whole, y, W, W1, space, step, parted):
    """Hand the momenta of the way on to its end, without what moved apart: write configuration and velocities there.

    Return whether their energy is within its bound; y stays as it is where it is not.
    """
    ints, before, H, M, a, w = head.ints, head.before, space.H, space.M, step.a, step.w
    nq, nv, z, at = (
        ints[tree_columns.NQ],
        ints[tree_columns.NV],
        state_zero(ints),
        ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V,
    )
    step.energies[1] = _energy_allowed(head, h, whole, y, step)
    for k in range(nv):
        space.u[ix(k)] = a[ix(k)] - step.r[ix(k)]  # what iterations have left
        step.r[ix(k)] = a[ix(k)]
    project_vector(H, before, space.u)
    accelerate_rows(H, before, space.used, space.Y, parted, step.apart, space.u, a, step.spans)
    add_momenta(ints, head.floats, a, W)
    for k in range(nv):
        w[ix(nv + k)] += a[ix(k)]
    momenta_at_end(ints, head.floats, W, W1, w[nv:], space.u)
    for k in range(nv):
        space.u[ix(k)] = -space.u[ix(k)]
    placed_composite(ints, head.floats, z, W1, z, one_state(M.reshape(M.size)))
    _inertia_matrix(ints, before, M, H)
    factor(H, before)
    project_vector(H, before, space.u)
    kinetic = 0.0
    for k in range(nv):
        kinetic += 0.5 * space.u[ix(k)] * space.u[ix(k)]
    step.energies[2] = kinetic
    if not kinetic <= step.energies[1]:
        return False
    accelerate_rows(H, before, space.used, space.Y, 0, step.x, space.u, a, step.spans)
    for k in range(nq):
        y[ix(k)] = step.q[ix(k)]
    for k in range(nv):
        y[ix(nq + ints[ix(at + k * tree_columns.COLUMN_INTS)])] = a[ix(k)]
        step.past[2, ix(k)], step.past[1, ix(k)] = step.past[1, ix(k)], step.past[0, ix(k)]
        step.past[0, ix(k)] = step.r[ix(k)]
    return True


@routine
def _one_step(head, y, laws, driven, loads, pushes, at, h, whole, out, space, step, room):
    """Take a step of h, a part of a whole one, in place; return DONE, or why not, with y as it was. Impulses stay.

    `out` is the part of overlaps that a whole step moves apart.
    """
    ints = head.ints
    nq, nv = ints[tree_columns.NQ], ints[tree_columns.NV]
    now, z = step.now[0], state_zero(ints)
    W, W1, Q, V = one_state(step.work[now]), one_state(step.work[1 - now]), one_state(y[:nq]), one_state(y[nq:])
    _springs_at_end(laws, driven, h, y[nq:], step)
    _forward_position(head, Q, step.ahead, h, W, space, step)
    if pushes.shape[0] > 0:
        write_pushes(ints, pushes, at, W, loads)
    applied_forces(
        ints, head.floats, step.tau, y[nq:], one_state(loads.reshape(loads.size)), loads.shape[0] > 0, W, step.f
    )
    bias(ints, head.floats, Q, V, W, z, W, z)
    way_accelerations(ints, head.floats, V, W)
    fastest = 0.0
    for k in range(nv):
        fastest = max(fastest, abs(y[nq + k]))
        step.w[k] = y[nq + k]
        step.w[nv + k] = y[
            nq + ints[ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V + k * tree_columns.COLUMN_INTS]
        ]
    step.energies[0] = _kinetic_energy(ints, head.before, space.M, step.w[nv:])
    step.energies[3] = _energy_of_forces(ints, space.M, step.f, h)
    step.energies[5] = _rounding_velocity(y[:nq], h)
    step.energies[4] = _rounding_energy(ints, space.M, step.energies[5])
    reach = 2.0 * h * (fastest + 10.0 * h) + 1e-3
    pairs, taken = _find_candidates(
        ints, head.cints, head.cfloats, Q, W, reach, step.active, step.gaps, step.gaps.shape[0]
    )
    step.counts[0], step.counts[1] = taken, pairs
    if taken > space.sites.shape[0]:
        return CROWDED
    rows = _contact_rows(head, Q, V, h, whole, out, W, space, step, pairs, taken)
    for k in range(nv):
        step.r[k] = 3.0 * (step.past[0, k] - step.past[1, k]) + step.past[2, k]
    _project_forces(head, h, space, step)
    foreseen, last = step.foreseen[0] <= _FORESEEN, math.inf
    if not foreseen:
        _velocity_under_impulses(head, y[nq:], space, rows, step.x, step)
    for n in range(0 if foreseen else _PASSES):
        _momentum_remainder(head, Q, h, W, W1, space, step)
        for k in range(nv):
            step.r[k] = step.a[k]
        _project_forces(head, h, space, step)
        change, size = _velocity_under_impulses(head, y[nq:], space, rows, step.x, step)
        if n == 0:
            step.foreseen[0] = change / _velocity_scale(size, step.energies)
        if not change > _NEARLY * size or change > 0.5 * last:
            break
        last = change
    parted, error, allowed = 0, math.inf, _FORESEEN if foreseen else _BALANCED
    for turn in range(_TURNS):
        parted = _solve_contacts(step, space, room, whole, pairs, taken, rows)
        _velocity_under_impulses(head, y[nq:], space, rows, step.x, step)
        _momentum_remainder(head, Q, h, W, W1, space, step)
        last, error, step.counts[2] = error, _momentum_error(head, space, step), turn + 1
        if foreseen and turn == 0:
            step.foreseen[0] = error
        if error <= allowed or turn + 1 == _TURNS or not error < 10.0 * last:
            break
        allowed = _BALANCED
        _restart(head, h, space, step, rows, parted, turn)
    balanced = error <= _BALANCED and largest_turn(ints, step.w[nv:], h, W) <= _LARGEST
    if not balanced or not _integrate(head, h, whole, y, W, W1, space, step, parted):
        step.q[0] = math.nan  # workspaces are of another place
        for k in range(step.impulses.shape[0]):
            step.impulses[k] = 0.0  # no start for another try
        return GROWS if balanced else UNBALANCED
    _keep_loads(head, space, step, pairs)
    step.now[0] = 1 - now
    return DONE


@routine
def take_steps(head, y, laws, acts, evaluate, driven, loads, pushes, at, first, end, h, whole, out, space, step, room):
    """Take steps of h, from at + first h up to at + end h, in place; return DONE, or why one was not taken.

    `evaluate`: efforts are those of the laws at each instant, or those of the actuators over each step; else they are
    given in `laws`, as `driven` is. Impulses of the points are added up in the last part of y.
    """
    nq, nv = head.ints[tree_columns.NQ], head.ints[tree_columns.NV]
    v, impulses = y[nq : nq + nv], y[y.shape[0] - 3 * step.counts[4] :]
    z = y[nq + nv : y.shape[0] - 3 * step.counts[4]]
    step.counts[3] = first
    for n in range(first, end):
        t = at + n * h
        if evaluate == LAWS:
            control_forces(t, laws, y[:nq], v)
        elif evaluate == ACTUATORS:
            code = _over_step(acts.ints[ADDRESS], (acts, t, h, y[:nq], v, z, laws.tau, laws.K, laws.D))
            if code != DONE:
                return code
        for k in range(nv):
            laws.part[k] = v[k]
        code = _one_step(head, y[: nq + nv], laws, driven, loads, pushes, t, h, whole, out, space, step, room)
        if code != DONE:
            return code
        for k in range(z.shape[0] if evaluate == ACTUATORS else 0):
            z[k] = acts.z[k]
        acts.ints[KEPT] = acts.ints[EVENTS]
        for k in range(nv):
            laws.tau[k] -= step.ahead[k] / h * (step.w[k] - laws.part[k])  # on the way
        add_impulses_on(step.impulses, step.active, step.counts[1], space.sites, step.active, step.point_of, impulses)
        step.counts[3], step.energies[6] = n + 1, h
        if acts.ints[KEPT] > ROOM // 2:
            return CROWDED_EVENTS
    return DONE
