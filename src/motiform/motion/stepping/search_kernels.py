"""Gaps that close between two looks."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import compiled
from motiform.motion.contact import columns as contact_columns

__all__ = ["closing"]


@compiled
def closing(modes, armed, before, after, out):
    """Arm free candidates that are clear at both looks; write those that are closed at the second, return how many."""
    count = 0
    for k in range(modes.shape[0]):
        if modes[k] == contact_columns.FREE:
            if after[k] <= 0.0:
                out[count] = k
                count += 1
            elif before[k] > 0.0:
                armed[k] = True
    return count
