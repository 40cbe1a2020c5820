"""Tuples from and to the rows of a state."""

# mypy: disable-error-code="no-untyped-def"

from numba import uint64

from motiform.base.kernels import inline

__all__ = ["get3", "get6", "get9", "ix", "put3", "put6", "put9", "row3", "row9"]


ix = uint64
"""An index that is never negative: without it every access asks whether to count from the end (1.3 times slower)."""


@inline
def row3(a, k):
    """Return three numbers of a one-dimensional array."""
    return a[ix(k)], a[ix(k + 1)], a[ix(k + 2)]


@inline
def row9(a, k):
    """Return nine numbers of a one-dimensional array."""
    return (
        a[ix(k)],
        a[ix(k + 1)],
        a[ix(k + 2)],
        a[ix(k + 3)],
        a[ix(k + 4)],
        a[ix(k + 5)],
        a[ix(k + 6)],
        a[ix(k + 7)],
        a[ix(k + 8)],
    )


@inline
def get3(a, k, b):
    """Return rows k to k + 2 of state b."""
    return a[ix(k), ix(b)], a[ix(k + 1), ix(b)], a[ix(k + 2), ix(b)]


@inline
def get6(a, k, b):
    """Return rows k to k + 5 of state b as two vectors."""
    return (a[ix(k), ix(b)], a[ix(k + 1), ix(b)], a[ix(k + 2), ix(b)]), (
        a[ix(k + 3), ix(b)],
        a[ix(k + 4), ix(b)],
        a[ix(k + 5), ix(b)],
    )


@inline
def get9(a, k, b):
    """Return rows k to k + 8 of state b."""
    return (
        a[ix(k), ix(b)],
        a[ix(k + 1), ix(b)],
        a[ix(k + 2), ix(b)],
        a[ix(k + 3), ix(b)],
        a[ix(k + 4), ix(b)],
        a[ix(k + 5), ix(b)],
        a[ix(k + 6), ix(b)],
        a[ix(k + 7), ix(b)],
        a[ix(k + 8), ix(b)],
    )


@inline
def put3(a, k, b, x):
    """Write rows k to k + 2 of state b."""
    a[ix(k), ix(b)] = x[0]
    a[ix(k + 1), ix(b)] = x[1]
    a[ix(k + 2), ix(b)] = x[2]


@inline
def put6(a, k, b, x, y):
    """Write rows k to k + 5 of state b from two vectors."""
    put3(a, k, b, x)
    put3(a, k + 3, b, y)


@inline
def put9(a, k, b, m):
    """Write rows k to k + 8 of state b."""
    a[ix(k), ix(b)] = m[0]
    a[ix(k + 1), ix(b)] = m[1]
    a[ix(k + 2), ix(b)] = m[2]
    a[ix(k + 3), ix(b)] = m[3]
    a[ix(k + 4), ix(b)] = m[4]
    a[ix(k + 5), ix(b)] = m[5]
    a[ix(k + 6), ix(b)] = m[6]
    a[ix(k + 7), ix(b)] = m[7]
    a[ix(k + 8), ix(b)] = m[8]
