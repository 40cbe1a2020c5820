"""Impulses of contacts that all hold, at once: what sweeps come to slowly where many bodies lie on one another.

Sweeps pass an error on from body to body, so that a stack of n needs some n² of them. Where they have not ended, the
rows of all contacts that press are solved as equations, by the least change of the impulses found so far, else by the
least impulses: changes add up along what redundant contacts share. An answer counts where it presses, is inside its
cones and lets nothing else approach.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.solve_kernels import dot, regularization
from motiform.motion.tree.kernels.memory import ix

__all__ = ["RestWorkspace", "is_at_rest", "solve_at_rest"]

_DEAREST = 480.0**3 / 6.0  # products that equations may take
_PIVOTS = 8  # changes of what presses
_ROUNDS = 12
_STILL, _LEFT = 1e-10, 1e-11  # of the velocity that the largest impulse makes in a row: what may be left of it
_CLEAN = 4e-15  # residual over the terms that make it that is rounding
_FINE = (
    1e-9  # of the largest impulse by which one may pull or leave its cone; of the terms, by which a row may approach
)


class RestWorkspace(NamedTuple):
    """Room for the equations."""

    F: Floats2
    first: Floats
    """Impulses before any sweep: those of the last step."""
    y: Floats
    s: Floats
    r: Floats
    chosen: Ints
    shut: Ints
    """Whether each candidate presses; then the next guess."""
    next: Ints
    ends: Ints
    """Of the rows of F."""


@routine
def _rows_of(contacts, rows, shut, chosen):
    """Write the rows of what is shut, contacts and then limits; return how many."""
    count = 0
    for k in range(contacts):
        if shut[ix(k)] != 0:
            for i in range(3):
                chosen[ix(count + i)] = 3 * k + i
            count += 3
    for i in range(3 * contacts, rows):
        if shut[ix(i - 2 * contacts)] != 0:
            chosen[ix(count)] = i
            count += 1
    return count


@inline
def _normal(k, contacts):
    """Return the row of a candidate's normal."""
    return 3 * k + 1 if k < contacts else 2 * contacts + k


@routine
def _largest(rows, x):
    size = 0.0
    for i in range(rows):
        size = max(size, abs(x[ix(i)]))
    return size


@routine
def _change_active_set(A, b, contacts, rows, y, shut, spans):
    """Open what pulls under impulses y and shut what approaches; return how many changed."""
    size, changed = _largest(rows, y), 0
    for k in range(rows - 2 * contacts):
        i = _normal(k, contacts)
        if shut[ix(k)] != 0:
            wrong = y[ix(i)] < 0.0
        else:
            speed = b[ix(i)] + dot(A, i, spans.low[ix(i)], spans.high[ix(i)], y)
            wrong = speed < -_FINE * (abs(b[ix(i)]) + A[ix(i), ix(i)] * size)
        if wrong:
            shut[ix(k)] = 1 - shut[ix(k)]
            changed += 1
    return changed


@routine
def _in_cones(contacts, rows, mu, y):
    """Return whether impulses y are inside their cones."""
    size = _largest(rows, y)
    for k in range(contacts):
        rub = math.hypot(y[ix(3 * k)], y[ix(3 * k + 2)])
        if rub > 0.0 and rub > mu[ix(k)] * y[ix(3 * k + 1)] + _FINE * size:
            return False
    return True


@routine
def _held(A, b, rows, y, chosen, count, left, still, spans):
    """Return whether the chosen rows hold under impulses y but for `left` of what they are made of, or `still`."""
    size = _largest(rows, y)
    for k in range(count):
        i = chosen[ix(k)]
        speed = b[ix(i)] + dot(A, i, spans.low[ix(i)], spans.high[ix(i)], y)
        if not abs(speed) <= left * (abs(b[ix(i)]) + A[ix(i), ix(i)] * size) + still:
            return False
    return True


@routine
def _hold(A, b, rows, x, keep, count, room, spans):
    """Write to y the impulses that let the chosen rows hold: the least change of x (keep 1), or the least (0)."""
    for i in range(rows):
        room.s[ix(i)] = b[ix(i)] + keep * dot(A, i, spans.low[ix(i)], spans.high[ix(i)], x)
    _refine(A, rows, count, room, spans)
    for i in range(rows):
        room.y[ix(i)] += keep * x[ix(i)]


@routine
def _load(A, count, room, spans):
    """F ← A + ε diag A on the chosen rows, upper half, up to `ends`; `r`: pivots below which a row is redundant."""
    at, end = 0, 0
    for i in range(count):
        row = room.chosen[ix(i)]
        while end < count and room.chosen[ix(end)] < spans.high[ix(row)]:
            end += 1
        at = max(at, end)
        room.ends[ix(i)] = at
        for j in range(i, at):
            column = room.chosen[ix(j)]
            inside = spans.low[ix(row)] <= column < spans.high[ix(row)]
            room.F[ix(i), ix(j)] = A[ix(row), ix(column)] if inside else 0.0
        soft = regularization(A, row)
        room.F[ix(i), ix(i)] += soft
        room.r[ix(i)] = 0.25 * soft


@routine
def _cost(ends, count):
    """Return about how many products `_eliminate` takes."""
    total = 0.0
    for i in range(count):
        total += 0.5 * float(ends[ix(i)] - i) ** 2
    return total


@routine
def _eliminate(F, count, ends, least):
    """Write U, UᵀU = F, over F, whose rows end at `ends`, never before the one above; its diagonal is inverted."""
    start = 0
    for i in range(count):
        while ends[ix(start)] <= i and start < i:
            start += 1
        k = start
        while k + 3 < i:
            w, x, y, z = F[ix(k), ix(i)], F[ix(k + 1), ix(i)], F[ix(k + 2), ix(i)], F[ix(k + 3), ix(i)]
            for j in range(i, ends[ix(k)]):
                F[ix(i), ix(j)] -= (w * F[ix(k), ix(j)] + x * F[ix(k + 1), ix(j)]) + (
                    y * F[ix(k + 2), ix(j)] + z * F[ix(k + 3), ix(j)]
                )
            for n in range(k + 1, k + 4):
                x = F[ix(n), ix(i)]
                for j in range(ends[ix(k)], ends[ix(n)]):
                    F[ix(i), ix(j)] -= x * F[ix(n), ix(j)]
            k += 4
        while k < i:
            x = F[ix(k), ix(i)]
            for j in range(i, ends[ix(k)]):
                F[ix(i), ix(j)] -= x * F[ix(k), ix(j)]
            k += 1
        inverse = 1.0 / math.sqrt(max(F[ix(i), ix(i)], least[ix(i)]))
        F[ix(i), ix(i)] = inverse
        for j in range(i + 1, ends[ix(i)]):
            F[ix(i), ix(j)] *= inverse


@inline
def _back(F, count, ends, r):
    """r ← (UᵀU)⁻¹ r."""
    for i in range(count):
        x = r[ix(i)] * F[ix(i), ix(i)]
        r[ix(i)] = x
        for j in range(i + 1, ends[ix(i)]):
            r[ix(j)] -= F[ix(i), ix(j)] * x
    for i in range(count - 1, -1, -1):
        r[ix(i)] = (r[ix(i)] - dot(F, i, i + 1, ends[ix(i)], r)) * F[ix(i), ix(i)]


@routine
def _refine(A, rows, count, room, spans):
    """Solve A y = −s on the chosen rows, y elsewhere zero."""
    y, s, r, chosen = room.y, room.s, room.r, room.chosen
    for i in range(rows):
        y[ix(i)] = 0.0
    last, largest = math.inf, 0.0
    for turn in range(_ROUNDS):
        left = 0.0
        for i in range(count):
            row = ix(chosen[ix(i)])
            total = -s[row] if A[row, row] > 0.0 else 0.0  # what nothing moves takes no force
            if turn > 0:
                total -= dot(A, row, spans.low[row], spans.high[row], y)
            r[ix(i)] = total
            size = abs(s[row]) + A[row, row] * largest
            if size > 0.0:
                left = max(left, abs(total) / size)
        if left <= _CLEAN or not left < 0.5 * last:
            break
        last = left
        _back(room.F, count, room.ends, r)
        largest = 0.0
        for i in range(count):
            y[ix(chosen[ix(i)])] += r[ix(i)]
            largest = max(largest, abs(y[ix(chosen[ix(i)])]))


@routine
def _active_set(contacts, rows, x, room, sites, reach):
    """Take what presses in x, or touches within `reach` [m], as shut; return how many rows that are."""
    for k in range(rows - 2 * contacts):
        presses = x[ix(_normal(k, contacts))] > 0.0 or sites[ix(k), contact_columns.GAP] < reach
        room.shut[ix(k)] = 1 if presses else 0
    return _rows_of(contacts, rows, room.shut, room.chosen)


@routine
def is_at_rest(A, b, contacts, rows, mu, x, room, sites, still, spans):
    """Return whether all that presses in x holds, within the laws; `still` [m/s] is what rounding of places makes."""
    count = _active_set(contacts, rows, x, room, sites, -math.inf)
    held = (
        count > 0
        and _held(A, b, rows, x, room.chosen, count, _STILL, still, spans)
        and _in_cones(contacts, rows, mu, x)
    )
    return held and _change_active_set(A, b, contacts, rows, x, room.shut, spans) == 0


@routine
def solve_at_rest(A, b, contacts, rows, mu, x, room, sites, reach, still, spans):
    """Let all contacts that press hold, if the laws allow it; return whether they do.

    Those that press in x or touch within `reach` are tried first; then those that pull are opened and those that
    approach are shut, block by block [Judice94]. Whatever is shut sticks.
    """
    fewest, count = rows + 1, _active_set(contacts, rows, x, room, sites, reach)
    for _ in range(_PIVOTS):
        if count == 0:
            return False
        _load(A, count, room, spans)
        if _cost(room.ends, count) > _DEAREST:
            return False
        _eliminate(room.F, count, room.ends, room.r)
        for turn in range(2):
            _hold(A, b, rows, x, 1.0 - turn, count, room, spans)
            if not _held(A, b, rows, room.y, room.chosen, count, _LEFT, still, spans):
                return False
            for k in range(rows - 2 * contacts):
                room.next[ix(k)] = room.shut[ix(k)]
            changed = _change_active_set(A, b, contacts, rows, room.y, room.next, spans)
            if changed == 0 and _in_cones(contacts, rows, mu, room.y):
                for i in range(rows):
                    x[ix(i)] = room.y[ix(i)]
                return True
        if changed == 0 or changed >= fewest:
            return False
        fewest = changed
        for k in range(rows - 2 * contacts):
            room.shut[ix(k)] = room.next[ix(k)]
            if room.next[ix(k)] == 0:  # what is open has no impulse to change least
                i, width = _normal(k, contacts), 1 if k < contacts else 0
                for j in range(i - width, i + width + 1):
                    x[ix(j)] = 0.0
        count = _rows_of(contacts, rows, room.shut, room.chosen)
    return False
