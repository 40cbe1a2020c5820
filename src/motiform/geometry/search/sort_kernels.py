"""Kernels of a stable radix sort and of running sums, without atomics: the same order on any number of threads.

Keys are sorted by one digit at a time. Each run of elements counts its digits, the counts are summed over (digit, run),
and each run puts its elements where the sums tell.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import kernel

__all__ = ["BITS", "RUN", "add_ahead", "count_digits", "place_digits", "sum_runs"]

BITS = 8
"""Bits of a digit."""
RUN = 256
"""Elements of a run."""
_DIGITS = 1 << BITS


@kernel
def count_digits(r, keys, shift, counts):
    """Count the digits of a run of keys into counts[digit, run]."""
    runs = counts.shape[0] // _DIGITS
    for digit in range(_DIGITS):
        counts[digit * runs + r] = 0
    for i in range(r * RUN, min((r + 1) * RUN, keys.shape[0])):
        counts[((keys[i] >> shift) & (_DIGITS - 1)) * runs + r] += 1


@kernel
def place_digits(r, keys, order, shift, counts, new_keys, new_order):
    """Put a run of keys where the sums of the counts tell; they are used up."""
    runs = counts.shape[0] // _DIGITS
    for i in range(r * RUN, min((r + 1) * RUN, keys.shape[0])):
        slot = ((keys[i] >> shift) & (_DIGITS - 1)) * runs + r
        place = counts[slot]
        counts[slot] = place + 1
        new_keys[place], new_order[place] = keys[i], order[i]


@kernel
def sum_runs(r, values, sums):
    """Replace a run of values by the sums of those ahead of each in the run; give the run's own sum."""
    total = 0
    for i in range(r * RUN, min((r + 1) * RUN, values.shape[0])):
        total, values[i] = total + values[i], total
    sums[r] = total


@kernel
def add_ahead(i, values, sums):
    """Add what lies ahead of its run to a value."""
    values[i] += sums[i // RUN]
