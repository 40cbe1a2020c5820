"""Second-order sections of a filter, run over columns of numbers."""

# mypy: disable-error-code="no-untyped-def"

from numba import int64

from motiform.base.kernels import routine, typed_kernel

__all__ = ["filter_column"]


@routine
def _run(b0, b1, b2, a1, a2, x, w, first, way):
    """Filter x[w] in place from its first sample on, in direct form II transposed, from rest at its first value."""
    u = x[w, first]
    y = u * (b0 + b1 + b2) / (1.0 + a1 + a2)
    z1, z2 = y - b0 * u, b2 * u - a2 * y
    k = first
    for _ in range(x.shape[1]):
        u = x[w, k]
        y = b0 * u + z1
        z1, z2 = b1 * u - a1 * y + z2, b2 * u - a2 * y
        x[w, k] = y
        k += way


@typed_kernel("float64[:, ::1]", "boolean", "float64[:, ::1]")
def filter_column(w, sections, both_ways, x):
    """Filter row w of x (columns, samples) forwards, and backwards where told, in place."""
    w = int64(w)
    for s in range(sections.shape[0]):
        _run(sections[s, 0], sections[s, 1], sections[s, 2], sections[s, 4], sections[s, 5], x, w, 0, 1)
    if both_ways:
        for s in range(sections.shape[0]):
            _run(
                sections[s, 0], sections[s, 1], sections[s, 2], sections[s, 4], sections[s, 5], x, w, x.shape[1] - 1, -1
            )
