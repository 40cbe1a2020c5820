"""What the written kernels of automata call: functions with the same bits on all machines."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline

__all__ = ["greater", "lesser", "power", "sign"]


@inline
def lesser(a, b):
    """Return the lesser; the first where either is not a number, as Python does."""
    return b if b < a else a


@inline
def greater(a, b):
    """Return the greater; the first where either is not a number, as Python does."""
    return b if b > a else a


@inline
def sign(a):
    """Return -1, 0 or 1."""
    return 1.0 if a > 0.0 else (-1.0 if a < 0.0 else 0.0)


@inline
def power(a, n):
    """Return a to a whole power, as a product from left to right."""
    found = a
    for _ in range(n - 1):
        found = found * a
    return found
