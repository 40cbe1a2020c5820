"""Rows of many bodies: each moves only those that share a column of the tree with it.

A row's partners lie between `low` and `high`, as contacts are in the order of their bodies: in a stack those of the
next body below and above. What is outside is neither written nor read, so that a stack costs as much as it is high. A
figure that hangs together has spans over all rows.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.base.layouts import Ints, NamedTuple
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.solve_kernels import dot
from motiform.motion.tree.kernels.memory import ix

__all__ = ["Spans", "accelerate_rows", "clear_spans", "delassus", "find_spans", "project_rows"]


class Spans(NamedTuple):
    """From which row on, and up to which, something is not zero."""

    first: Ints
    """Of each column of Y."""
    last: Ints
    low: Ints
    """Of each row of the Delassus matrix."""
    high: Ints


@routine
def clear_spans(used, Y, spans):
    """Write zeros to Y [column, row] where the rows of the last step were, no column used."""
    for k in range(used.shape[0]):
        used[ix(k)] = 0
        for r in range(spans.first[ix(k)], spans.last[ix(k)]):
            Y[ix(k), ix(r)] = 0.0


@inline
def _widen(column, first, last, before, spans):
    """Let the columns from one to the root span some rows."""
    while column >= 0:
        spans.first[ix(column)] = min(spans.first[ix(column)], first)
        spans.last[ix(column)] = max(spans.last[ix(column)], last)
        column = before[ix(column)]


@routine
def find_spans(cints, active, pairs, count, before, spans):
    """Write the spans of the columns that active candidates, pairs first, move."""
    for k in range(before.shape[0]):
        spans.first[ix(k)], spans.last[ix(k)] = 2 * pairs + count, 0
    for k in range(pairs):
        at = cints[contact_columns.AT_PAIRS] + contact_columns.PAIR_INTS * active[ix(k)]
        segment = cints[ix(cints[contact_columns.AT_POINTS] + contact_columns.POINT_INTS * cints[ix(at)])]
        carrier = cints[ix(cints[contact_columns.AT_OBSTACLES] + contact_columns.OBSTACLE_INTS * cints[ix(at + 1)])]
        _widen(cints[ix(cints[contact_columns.AT_LAST] + segment)], 3 * k, 3 * k + 3, before, spans)
        if carrier >= 0:
            _widen(cints[ix(cints[contact_columns.AT_LAST] + carrier)], 3 * k, 3 * k + 3, before, spans)
    for k in range(pairs, count):
        column = cints[
            ix(
                cints[contact_columns.AT_LIMITS]
                + contact_columns.LIMIT_INTS * (active[ix(k)] - cints[contact_columns.PAIRS])
            )
        ]
        _widen(column, 2 * pairs + k, 2 * pairs + k + 1, before, spans)


@routine
def project_rows(H, before, used, Y, rows, spans):
    """Y ← L⁻ᵀ Y on the columns that some row uses; write the spans of the rows."""
    for r in range(rows):
        spans.low[ix(r)], spans.high[ix(r)] = r, r + 1
    for i in range(before.shape[0] - 1, -1, -1):
        if used[ix(i)] == 0:
            continue
        first, last, inverse = spans.first[ix(i)], spans.last[ix(i)], 1.0 / H[ix(i), ix(i)]
        for r in range(first, last):
            Y[ix(i), ix(r)] *= inverse
        j = before[ix(i)]
        while j >= 0:
            x = H[ix(i), ix(j)]
            for r in range(first, last):
                Y[ix(j), ix(r)] -= x * Y[ix(i), ix(r)]
            j = before[ix(j)]
        for r in range(first, last):
            if Y[ix(i), ix(r)] != 0.0:
                spans.low[ix(r)] = min(spans.low[ix(r)], first)
                spans.high[ix(r)] = max(spans.high[ix(r)], last)


@routine
def delassus(used, Y, rows, A, spans):
    """A ← Yᵀ Y within the spans of its rows."""
    for i in range(rows):
        for j in range(spans.low[ix(i)], spans.high[ix(i)]):
            A[ix(i), ix(j)] = 0.0
    for k in range(used.shape[0]):
        if used[ix(k)] != 0:
            for i in range(spans.first[ix(k)], spans.last[ix(k)]):
                x = Y[ix(k), ix(i)]
                if x != 0.0:
                    for j in range(spans.first[ix(k)], i + 1):
                        A[ix(i), ix(j)] += x * Y[ix(k), ix(j)]
    for i in range(rows):
        for j in range(spans.low[ix(i)], i):
            A[ix(j), ix(i)] = A[ix(i), ix(j)]


@routine
def accelerate_rows(H, before, used, Y, rows, x, u, a, spans):
    """a ← L⁻¹ (Y x − u)."""
    for i in range(before.shape[0]):
        total = -u[ix(i)]
        if used[ix(i)] != 0 and rows > 0:
            total += dot(Y, i, spans.first[ix(i)], spans.last[ix(i)], x)
        j = before[ix(i)]
        while j >= 0:
            total -= H[ix(i), ix(j)] * a[ix(j)]
            j = before[ix(j)]
        a[ix(i)] = total / H[ix(i), ix(i)]
