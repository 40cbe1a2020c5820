"""Tuples from and to the rows of a state."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline

__all__ = ["get3", "get6", "get9", "put3", "put6", "put9", "row3", "row9"]


@inline
def row3(a, k):
    """Return three numbers of a one-dimensional array."""
    return a[k], a[k + 1], a[k + 2]


@inline
def row9(a, k):
    """Return nine numbers of a one-dimensional array."""
    return a[k], a[k + 1], a[k + 2], a[k + 3], a[k + 4], a[k + 5], a[k + 6], a[k + 7], a[k + 8]


@inline
def get3(a, k, b):
    """Return rows k to k + 2 of state b."""
    return a[k, b], a[k + 1, b], a[k + 2, b]


@inline
def get6(a, k, b):
    """Return rows k to k + 5 of state b as two vectors."""
    return (a[k, b], a[k + 1, b], a[k + 2, b]), (a[k + 3, b], a[k + 4, b], a[k + 5, b])


@inline
def get9(a, k, b):
    """Return rows k to k + 8 of state b."""
    return (
        a[k, b],
        a[k + 1, b],
        a[k + 2, b],
        a[k + 3, b],
        a[k + 4, b],
        a[k + 5, b],
        a[k + 6, b],
        a[k + 7, b],
        a[k + 8, b],
    )


@inline
def put3(a, k, b, x):
    """Write rows k to k + 2 of state b."""
    a[k, b] = x[0]
    a[k + 1, b] = x[1]
    a[k + 2, b] = x[2]


@inline
def put6(a, k, b, x, y):
    """Write rows k to k + 5 of state b from two vectors."""
    put3(a, k, b, x)
    put3(a, k + 3, b, y)


@inline
def put9(a, k, b, m):
    """Write rows k to k + 8 of state b."""
    a[k, b] = m[0]
    a[k + 1, b] = m[1]
    a[k + 2, b] = m[2]
    a[k + 3, b] = m[3]
    a[k + 4, b] = m[4]
    a[k + 5, b] = m[5]
    a[k + 6, b] = m[6]
    a[k + 7, b] = m[7]
    a[k + 8, b] = m[8]
