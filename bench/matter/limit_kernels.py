# mypy: disable-error-code="no-untyped-def"
"""The kernel that a memory's speed is measured with."""

from numba import uint64 as ix

from motiform.base.kernels import kernel

__all__ = ["copy_run"]


@kernel
def copy_run(c, width, values, copied):
    """Copy a run of numbers."""
    for n in range(c * width, min((c + 1) * width, values.shape[0])):
        copied[ix(n)] = values[ix(n)]
