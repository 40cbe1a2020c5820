"""Postures from markers: Levenberg–Marquardt on each sample, in the order of the tree.

    min Σ w_i ρ(|x_i(q) − m_i|²),    (JᵀWJ + λ diag JᵀWJ + ε) δ = −JᵀW r

JᵀWJ is the inertia matrix of point masses w_i at the tags and JᵀW r the effort of forces w_i r_i on them, so that both
come from one pass over the tree [Featherstone08 6.2], and LᵀL keeps its zeros [Featherstone08 6.5].
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import int64

from motiform.base.kernels import inline, routine, typed_kernel
from motiform.motion.contact.solve_kernels import back, eliminate, factor, project_vector
from motiform.motion.postures.fit.layouts import FitOutput, FitProblem, FitWorkspace, Search
from motiform.motion.postures.fit.options import (
    ACCURACY,
    ALIGN,
    EVERY,
    FINE,
    KEEP,
    LOST,
    MOST,
    NOISE,
    PRIOR,
    ROBUST,
    SPREAD,
    THRESHOLD,
    UNSETTLED,
)
from motiform.motion.tree.kernels.dynamics import momentum_of
from motiform.motion.tree.kernels.memory import get3, get6, get9, ix, row3
from motiform.motion.tree.kernels.place import function_value, place
from motiform.motion.tree.kernels.state import configuration_rate, repair_configuration
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, transform

__all__ = ["fit_blocks", "normal_blocks"]

_FIRST, _LEAST, _AGAIN, _LARGEST = 1e-6, 1e-12, 1e-3, 1e8  # λ: at first, at least, after a step back, at most
_FAILURES = 3  # of Newton's steps in a sample, after which they are left
_NULL = 1e-13  # [m²/rad²] what counts as not told at all: rounding of the matrix
_LOOSE = 0.1  # part of a column that is not told, above which it is held
_ALIGNED, _SLIGHT = 8, 1e-4  # times that a sample goes to its aim once more, and what is left to go [rad]
_STALL = 6  # steps that together must lower the cost by more than one part in 10⁴


@routine
def _gather(ints, segments, points, weights, markers, frame, scale2, every, work, w):
    """Add up the tags that are seen as masses and forces of their segments; return the cost and the weight in all.

    With `every` tags that are not seen count as masses, too.
    """
    for i in range(ints[tree_columns.SEGMENTS]):
        row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i
        for k in range(tree_columns.INERTIA_ROWS):
            work[ix(row + k), ix(w)] = 0.0
        row, bend = ints[tree_columns.W_F] + 6 * i, ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i
        for k in range(6):
            work[ix(row + k), ix(w)] = 0.0
        for k in range(9):
            work[ix(bend + k), ix(w)] = 0.0
    cost, total, c = 0.0, 0.0, min(frame, weights.shape[1] - 1)
    for k in range(segments.shape[0]):
        m = get3(markers, 3 * k, frame)
        seen = math.isfinite(m[0] + m[1] + m[2])
        if weights[ix(k), ix(c)] == 0.0 or not (seen or every):
            continue
        i = segments[ix(k)]
        pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
        x = add(get3(work, pose + 9, w), transform(get9(work, pose, w), row3(points, 3 * k)))
        root = get3(
            work,
            ints[tree_columns.W_ROOT]
            + 3 * ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.ROOT)],
            w,
        )
        r = sub(add(root, x), m) if seen else (0.0, 0.0, 0.0)
        square, own = dot(r, r), weights[ix(k), ix(c)]
        total += own if seen else 0.0
        if scale2 < math.inf:  # [Geman85]
            less = 1.0 / (1.0 + square / scale2)
            cost += own * square * less
            own *= less * less
        else:
            cost += own * square
        row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i
        xx, yy, zz = x[0] * x[0], x[1] * x[1], x[2] * x[2]
        work[ix(row), ix(w)] += own
        work[ix(row + 1), ix(w)] += own * x[0]
        work[ix(row + 2), ix(w)] += own * x[1]
        work[ix(row + 3), ix(w)] += own * x[2]
        work[ix(row + 4), ix(w)] += own * (yy + zz)
        work[ix(row + 5), ix(w)] -= own * x[0] * x[1]
        work[ix(row + 6), ix(w)] -= own * x[0] * x[2]
        work[ix(row + 7), ix(w)] += own * (xx + zz)
        work[ix(row + 8), ix(w)] -= own * x[1] * x[2]
        work[ix(row + 9), ix(w)] += own * (xx + yy)
        f = scale(own, r)
        n = cross(x, f)
        row, bend = ints[tree_columns.W_F] + 6 * i, ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i
        for j in range(3):
            work[ix(row + j), ix(w)] += n[j]
            work[ix(row + 3 + j), ix(w)] += f[j]
            for m_ in range(3):
                work[ix(bend + 3 * j + m_), ix(w)] += x[j] * f[m_]
    return cost, total


@inline
def _bend(B, F, e, d):
    """Return Σ v × f over the tags that a column (e, d) moves, v their velocities: what turns them once more."""
    twist = B[0] + B[4] + B[8]
    along = (
        B[0] * e[0] + B[1] * e[1] + B[2] * e[2],
        B[3] * e[0] + B[4] * e[1] + B[5] * e[2],
        B[6] * e[0] + B[7] * e[1] + B[8] * e[2],
    )
    return add(cross(d, F), axpy(-twist, e, along))


@routine
def _assemble(ints, work, w, H, S, g):
    """H ← JᵀWJ and S ← Σ w r · ∂²x below the diagonals, g ← JᵀW r, in the order of the columns."""
    columns, twists = ints[tree_columns.AT_COLUMNS], ints[tree_columns.W_S]
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        row, push, bend = (
            ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i,
            ints[tree_columns.W_F] + 6 * i,
            ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i,
        )
        mass, h = work[ix(row), ix(w)], get3(work, row + 1, w)
        moments = (
            work[ix(row + 4), ix(w)],
            work[ix(row + 5), ix(w)],
            work[ix(row + 6), ix(w)],
            work[ix(row + 7), ix(w)],
            work[ix(row + 8), ix(w)],
            work[ix(row + 9), ix(w)],
        )
        n, f = get6(work, push, w)
        B = get9(work, bend, w)
        parent = ints[ix(base + tree_columns.PARENT)]
        if parent >= 0:
            row, push = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * parent, ints[tree_columns.W_F] + 6 * parent
            bend = ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * parent
            work[ix(row), ix(w)] += mass
            for k in range(3):
                work[ix(row + 1 + k), ix(w)] += h[k]
                work[ix(push + k), ix(w)] += n[k]
                work[ix(push + 3 + k), ix(w)] += f[k]
            for k in range(6):
                work[ix(row + 4 + k), ix(w)] += moments[k]
            for k in range(9):
                work[ix(bend + k), ix(w)] += B[k]
        first, kind = ints[ix(base + tree_columns.FIRST)], ints[ix(base + tree_columns.KIND)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            e, d = get6(work, twists + 6 * k, w)
            g[ix(k)] = dot(e, n) + dot(d, f)
            turn, shift = momentum_of(mass, h, moments, e, d)
            more = _bend(B, f, e, d)
            H[ix(k), ix(k)] = dot(e, turn) + dot(d, shift)
            S[ix(k), ix(k)] = dot(e, more)
            j = ints[ix(columns + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
            while j >= 0:
                ej, dj = get6(work, twists + 6 * j, w)
                H[ix(k), ix(j)] = dot(ej, turn) + dot(dj, shift)
                S[ix(k), ix(j)] = dot(ej, more)
                if j >= first and (kind == tree_columns.BALL or kind == tree_columns.FREE):  # turns that have no order
                    S[ix(k), ix(j)] = 0.5 * (S[ix(k), ix(j)] + dot(e, _bend(B, f, ej, dj)))
                j = ints[ix(columns + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]


@routine
def _follow(couplings, functions, q, w, slopes):
    """Put coordinates that are functions of others where they belong."""
    for n in range(couplings.shape[0]):
        value, slope, _ = function_value(functions, couplings[ix(n), 4], q[ix(couplings[ix(n), 3]), ix(w)])
        q[ix(couplings[ix(n), 1]), ix(w)] = value
        slopes[ix(n)] = slope


@routine
def _couple(couplings, slopes, n, D):
    """D ← Gᵀ D G: what a dependent coordinate does is done by the one that leads it."""
    for k in range(couplings.shape[0]):
        gone, lead, slope = couplings[ix(k), 0], couplings[ix(k), 2], slopes[ix(k)]
        for j in range(n):
            D[ix(lead), ix(j)] += slope * D[ix(gone), ix(j)]
        for j in range(n):
            D[ix(j), ix(lead)] += slope * D[ix(j), ix(gone)]
        for j in range(n):
            D[ix(gone), ix(j)] = 0.0
            D[ix(j), ix(gone)] = 0.0
        D[ix(gone), ix(gone)] = 1.0


@routine
def _factor(before, couplings, slopes, none, H, S, bent, stuck, damping, keep, F):
    """F ← the factor of H + bent S, λ and ε on its diagonal, without the columns that are stuck; whether it has one."""
    n = before.shape[0]
    coupled = couplings.shape[0] > 0
    for i in range(n):
        F[ix(i), ix(i)] = (1.0 + damping) * H[ix(i), ix(i)] + bent * S[ix(i), ix(i)] + keep
        if coupled:
            for j in range(i):
                F[ix(i), ix(j)] = F[ix(j), ix(i)] = 0.0
        j = before[ix(i)]
        while j >= 0:
            F[ix(i), ix(j)] = H[ix(i), ix(j)] + bent * S[ix(i), ix(j)]
            if coupled:
                F[ix(j), ix(i)] = F[ix(i), ix(j)]
            j = before[ix(j)]
    if coupled:
        _couple(couplings, slopes, n, F)
    for i in range(n):
        if stuck[ix(i)] > 0:
            F[ix(i), ix(i)] = 1.0
        if coupled:
            for j in range(n):
                if i != j and stuck[ix(i)] + stuck[ix(j)] > 0:
                    F[ix(i), ix(j)] = 0.0
        else:
            j = before[ix(i)]
            while j >= 0:
                if stuck[ix(i)] + stuck[ix(j)] > 0:
                    F[ix(i), ix(j)] = 0.0
                j = before[ix(j)]
    if coupled:
        eliminate(F, n, n, none)
    else:
        factor(F, before)
    total = 0.0
    for i in range(n):
        total += F[ix(i), ix(i)]
    return math.isfinite(total)


@routine
def _solve(before, coupled, F, u):
    """u ← −(factored matrix)⁻¹ u."""
    if coupled:
        back(F, before.shape[0], u)
        for i in range(before.shape[0]):
            u[ix(i)] = -u[ix(i)]
        return
    project_vector(F, before, u)
    for i in range(before.shape[0]):
        total = -u[ix(i)]
        j = before[ix(i)]
        while j >= 0:
            total -= F[ix(i), ix(j)] * u[ix(j)]
            j = before[ix(j)]
        u[ix(i)] = total / F[ix(i), ix(i)]


@routine
def _evaluate(p, frame, scale2, every, q, work, w, slopes, H, S, g):
    """Write matrices and gradient at q; return the cost and the weight of all that is seen."""
    ints, couplings, bounds = p.ints, p.couplings, p.bounds
    _follow(couplings, p.functions, q, w, slopes)
    place(ints, p.floats, q, q, w, work, w)
    cost, total = _gather(ints, p.tags, p.points, p.weights, p.markers, frame, scale2, every, work, w)
    _assemble(ints, work, w, H, S, g)
    for k in range(couplings.shape[0]):
        g[ix(couplings[ix(k), 2])] += slopes[ix(k)] * g[ix(couplings[ix(k), 0])]
        g[ix(couplings[ix(k), 0])] = 0.0
    for k in range(bounds.shape[0]):
        if bounds[ix(k), 2] > 0.0:
            away = (
                q[
                    ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)]),
                    ix(w),
                ]
                - p.goals[ix(k), ix(min(frame, p.goals.shape[1] - 1))]
            )
            H[ix(k), ix(k)] += bounds[ix(k), 2]
            g[ix(k)] += bounds[ix(k), 2] * away
            cost += bounds[ix(k), 2] * away * away
    return cost, total


@routine
def _spread(before, coupled, F, u, out, ints, frame):
    """Write the diagonal of the inverse of the factored matrix, in the order of v: |L⁻ᵀ e|² of each column."""
    n, at = before.shape[0], ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    for k in range(n):
        for j in range(n):
            u[ix(j)] = 0.0
        u[ix(k)] = 1.0
        if coupled:
            back(F, n, u)
            value = u[ix(k)]
        else:
            value, i = 0.0, k
            while i >= 0:
                x = u[ix(i)] / F[ix(i), ix(i)]
                value += x * x
                j = before[ix(i)]
                while j >= 0:
                    u[ix(j)] -= F[ix(i), ix(j)] * x
                    j = before[ix(j)]
                i = before[ix(i)]
        out[ix(ints[ix(at + k * tree_columns.COLUMN_INTS)]), ix(frame)] = value


@routine
def _pull(ints, before, plain, bounds, begun, q, w, weight, g, u, stuck, gone):
    """u ← the gradient, with that of staying where the sample was begun; mark columns that cannot move.

    Those are columns pressed against their bounds, and those that others lead. Return what being away costs.
    """
    cost, at = 0.0, ints[tree_columns.AT_COLUMNS]
    for k in range(before.shape[0]):
        u[ix(k)], stuck[ix(k)] = g[ix(k)], gone[ix(k)]
        if plain[ix(k)] == 1 and gone[ix(k)] == 0:
            i = ix(ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)])
            away = q[i, ix(w)] - begun[i, ix(w)]
            u[ix(k)] += weight * away
            cost += weight * away * away
            if (q[i, ix(w)] <= bounds[ix(k), 0] and u[ix(k)] > 0.0) or (
                q[i, ix(w)] >= bounds[ix(k), 1] and u[ix(k)] < 0.0
            ):
                stuck[ix(k)] = 1
        if stuck[ix(k)] > 0:
            u[ix(k)] = 0.0
    return cost


@routine
def _freeze(before, couplings, slopes, none, H, S, F, u, frozen):
    """Mark one column for each direction that the tags do not determine, that with the greatest part in it.

    ε (H + ε)⁻¹ z is what the tags do not determine of z, any numbers.
    """
    n = before.shape[0]
    for _ in range(n):
        for k in range(n):
            u[ix(k)] = 0.0 if frozen[ix(k)] > 0 else _NULL * (1.0 + 0.5 * math.sin(1.0 + 2.0 * k))
        _factor(before, couplings, slopes, none, H, S, 0.0, frozen, 0.0, _NULL, F)
        _solve(before, couplings.shape[0] > 0, F, u)
        most = 0
        for k in range(n):
            if abs(u[ix(k)]) > abs(u[ix(most)]):
                most = k
        if not abs(u[ix(most)]) > _LOOSE:
            return
        frozen[ix(most)] = 1


@routine
def _align(p, s, space, frame, hidden, most, w, H, S, F, g, u, none, slopes, own):
    """Move q to its aim along free directions; return how far the farthest column goes, which must be below `most`.

    Matrices are left behind.
    """
    q, bounds, before, couplings = space.q, p.bounds, p.before, p.couplings
    if s.options[ALIGN] == EVERY and hidden:
        _evaluate(p, frame, s.options[ROBUST], True, q, space.work, w, slopes, H, S, g)
    column = min(frame, s.aims.shape[1] - 1)
    for k in range(before.shape[0]):
        i = ix(p.ints[ix(p.ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)])
        u[ix(k)] = _NULL * (q[i, ix(w)] - s.aims[i, ix(column)])
        pressed = (q[i, ix(w)] <= bounds[ix(k), 0] and u[ix(k)] > 0.0) or (
            q[i, ix(w)] >= bounds[ix(k), 1] and u[ix(k)] < 0.0
        )
        own[ix(k)] = 1 if s.gone[ix(k)] == 1 or s.plain[ix(k)] == 0 or pressed else 0
        if own[ix(k)] == 1:
            u[ix(k)] = 0.0
    _factor(before, couplings, slopes, none, H, S, 0.0, own, 0.0, _NULL, F)
    _solve(before, couplings.shape[0] > 0, F, u)
    far = 0.0
    for k in range(before.shape[0]):
        far = max(far, abs(u[ix(k)]))
    if _SLIGHT < far < most:
        _move(p, space, w, u)
    return far


@routine
def _away(ints, before, plain, begun, gone, q, w, weight):
    """Return what being away from where the sample was begun costs."""
    cost, at = 0.0, ints[tree_columns.AT_COLUMNS]
    for k in range(before.shape[0]):
        if plain[ix(k)] == 1 and gone[ix(k)] == 0:
            i = ix(ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)])
            away = q[i, ix(w)] - begun[i, ix(w)]
            cost += weight * away * away
    return cost


@routine
def _move(p, space, w, u):
    """Take the step u of the columns from q, in place, no farther than the bounds."""
    ints, before, bounds, q, v, rate = p.ints, p.before, p.bounds, space.q, space.v, space.rate
    at = ints[tree_columns.AT_COLUMNS]
    for k in range(before.shape[0]):
        v[ix(ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]), ix(w)] = u[ix(k)]
    configuration_rate(ints, p.floats, q, v, w, rate)
    for i in range(q.shape[0]):
        q[ix(i), ix(w)] += rate[ix(i), ix(w)]
    for k in range(before.shape[0]):
        if bounds[ix(k), 0] > -math.inf or bounds[ix(k), 1] < math.inf:
            i = ix(ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)])
            q[i, ix(w)] = min(max(q[i, ix(w)], bounds[ix(k), 0]), bounds[ix(k), 1])
    repair_configuration(ints, p.floats, q, w)


@typed_kernel(FitProblem, Search, FitWorkspace, FitOutput, "boolean")
def fit_blocks(w, p, s, space, found, spread):
    """Fit the samples order[starts[w]] … order[starts[w + 1] − 1], each begun where the one before it has ended."""
    w = int64(w)
    ints, before, couplings, bounds, weights = p.ints, p.before, p.couplings, p.bounds, p.weights
    plain, gone, options = s.plain, s.gone, s.options
    q, begun, trial, work, vectors = space.q, space.begun, space.trial, space.work, space.vectors
    n, nq = before.shape[0], q.shape[0]
    H, S, F = space.matrices[w, 0], space.matrices[w, 1], space.matrices[w, 2]
    g, u, down, none = vectors[w, :n], vectors[w, n : 2 * n], vectors[w, 2 * n : 3 * n], vectors[w, 3 * n : 4 * n]
    slopes = vectors[w, 4 * n :]
    own, frozen = space.stuck[w, :n], space.stuck[w, n:]
    coupled = couplings.shape[0] > 0
    for i in range(nq):
        q[ix(i), ix(w)] = s.begin[ix(i), ix(w)]
    for place_in_order in range(s.starts[w], s.starts[w + 1]):
        frame = s.order[place_in_order]
        every = 0.0
        for k in range(weights.shape[0]):
            every += weights[ix(k), ix(min(frame, weights.shape[1] - 1))]
        for i in range(nq):
            begun[ix(i), ix(w)] = q[ix(i), ix(w)]
        for k in range(n):
            frozen[ix(k)] = gone[ix(k)]
        cost, total = _evaluate(p, frame, options[ROBUST], False, q, work, w, slopes, H, S, g)
        status, damping, growth, turns = UNSETTLED if total > 0.0 else LOST, _FIRST, 10.0, 0
        failed, pulled, last, aligned, reach = 0, options[PRIOR], math.inf, 0, math.inf
        rounding = s.rounding[ix(frame)]
        least = max(options[ACCURACY], rounding)
        while status == UNSETTLED and turns < options[MOST]:
            turns += 1
            # at first what markers hardly determine stays: their variance over that of coordinates is its weight
            weight = pulled * cost / total
            keep = weight + options[KEEP]
            whole = cost + _pull(ints, before, plain, bounds, begun, q, w, weight, g, u, own, frozen)
            for k in range(n):
                down[ix(k)] = u[ix(k)]
            # with the curvature of the tags steps are Newton's, where that is of use
            bent = failed < _FAILURES and damping <= _AGAIN
            if bent and not _factor(before, couplings, slopes, none, H, S, 1.0, own, damping, keep, F):
                failed, bent = failed + 1, False
            if not bent:
                _factor(before, couplings, slopes, none, H, S, 0.0, own, damping, keep, F)
            _solve(before, coupled, F, u)
            gain = 0.0
            for k in range(n):
                gain -= u[ix(k)] * down[ix(k)]
            moved = math.sqrt(max(gain, 0.0) / total)
            for i in range(nq):
                trial[ix(i), ix(w)] = q[ix(i), ix(w)]
            _move(p, space, w, u)
            after, _ = _evaluate(p, frame, options[ROBUST], False, q, work, w, slopes, H, S, g)
            gained = whole - after - _away(ints, before, plain, begun, gone, q, w, weight)
            # residuals that are off by their rounding change the cost by so much, and the sum of squares by the first
            off = math.sqrt(total) * rounding
            if gained >= -(1e-12 * whole + 2.0 * math.sqrt(whole) * off + off * off):
                damping, growth = max((0.02 if gained > 0.5 * gain else 0.3) * damping, _LEAST), 10.0
                cost = after
            else:
                for i in range(nq):
                    q[ix(i), ix(w)] = trial[ix(i), ix(w)]
                cost, _ = _evaluate(p, frame, options[ROBUST], False, q, work, w, slopes, H, S, g)
                damping, growth, failed = max(growth * damping, _AGAIN), 3.0 * growth, failed + bent
            distance = math.sqrt(cost / total)
            settled = moved <= least + options[NOISE] * distance and damping <= _AGAIN
            settled = settled or distance <= max(least, options[THRESHOLD])  # nothing but rounding is left, or asked
            if turns % _STALL == 0:  # along what the markers hardly determine it may creep on for long
                settled = settled or cost > (1.0 - 1e-4) * last
                last = cost
            if settled and pulled > 0.0:
                pulled, last = 0.0, math.inf
                # steps with the curvature of the tags go astray along free directions: it stays, or goes to its aim
                _freeze(before, couplings, slopes, none, H, S, F, u, frozen)
                if options[ALIGN] > 0.0:
                    _align(p, s, space, frame, total < every, math.inf, w, H, S, F, g, u, none, slopes, own)
                    cost, _ = _evaluate(p, frame, options[ROBUST], False, q, work, w, slopes, H, S, g)
            elif settled:
                status = FINE
                if aligned < _ALIGNED and options[ALIGN] > 0.0:
                    far = _align(p, s, space, frame, total < every, reach, w, H, S, F, g, u, none, slopes, own)
                    if _SLIGHT < far < reach:  # what comes back again and again is told, if hardly
                        status, aligned, damping, last, reach = UNSETTLED, aligned + 1, _FIRST, math.inf, 0.5 * far
                    if status == UNSETTLED or total < every:
                        cost, _ = _evaluate(p, frame, options[ROBUST], False, q, work, w, slopes, H, S, g)
            elif damping > _LARGEST:
                break
        for i in range(nq):
            found.q[ix(i), ix(frame)] = q[ix(i), ix(w)]
        report = found.report
        report[ix(frame), 0], report[ix(frame), 1] = cost, total
        report[ix(frame), 2], report[ix(frame), 3] = turns, status
        if spread:
            for k in range(n):
                own[ix(k)] = gone[ix(k)]
            _factor(before, couplings, slopes, none, H, S, 0.0, own, 0.0, options[SPREAD], F)
            _spread(before, coupled, F, u, found.inverse, ints, frame)


@typed_kernel(
    FitProblem, "float64", "int64[::1]", "float64[::1, :]", FitWorkspace, "float64[:, :, ::1]", "float64[:, ::1]"
)
def normal_blocks(w, p, robust, starts, all_q, space, normal, gradient):
    """Write JᵀWJ, both halves, and JᵀW r of the samples starts[w] … starts[w + 1] − 1, in the order of v."""
    w = int64(w)
    ints, before, q, vectors = p.ints, p.before, space.q, space.vectors
    n, nq, at = before.shape[0], q.shape[0], ints[tree_columns.AT_COLUMNS] + tree_columns.COLUMN_V
    H, S, F = space.matrices[w, 0], space.matrices[w, 1], space.matrices[w, 2]
    g, slopes = vectors[w, :n], vectors[w, 4 * n :]
    for frame in range(starts[w], starts[w + 1]):
        for i in range(nq):
            q[ix(i), ix(w)] = all_q[ix(i), ix(frame)]
        _evaluate(p, frame, robust, False, q, space.work, w, slopes, H, S, g)
        for i in range(n):
            for j in range(n):
                F[ix(i), ix(j)] = 0.0
        for i in range(n):
            j = i
            while j >= 0:
                F[ix(i), ix(j)] = H[ix(i), ix(j)]
                F[ix(j), ix(i)] = H[ix(i), ix(j)]
                j = before[ix(j)]
        _couple(p.couplings, slopes, n, F)
        for i in range(n):
            row = ix(ints[ix(at + i * tree_columns.COLUMN_INTS)])
            gradient[ix(frame), row] = g[ix(i)]
            for j in range(n):
                normal[ix(frame), row, ix(ints[ix(at + j * tree_columns.COLUMN_INTS)])] = F[ix(i), ix(j)]
