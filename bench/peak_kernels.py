"""The arithmetic limit of a device: multiply–adds that do not wait for one another."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import kernel

__all__ = ["OPERATIONS", "multiply_add"]

_ROUNDS = 4096
OPERATIONS = 16 * _ROUNDS
"""Additions and multiplications of one element."""


@kernel
def multiply_add(i, out, factor):
    """Run eight independent chains x ← factor x + c."""
    a, b, c, d = 1.0 + i, 2.0 + i, 3.0 + i, 4.0 + i
    e, f, g, h = 5.0 + i, 6.0 + i, 7.0 + i, 8.0 + i
    for _ in range(_ROUNDS):
        a, b, c, d = factor * a + 0.1, factor * b + 0.2, factor * c + 0.3, factor * d + 0.4
        e, f, g, h = factor * e + 0.5, factor * f + 0.6, factor * g + 0.7, factor * h + 0.8
    out[i] = a + b + c + d + e + f + g + h
