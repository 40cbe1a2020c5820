"""Neighbour search on CPU and GPU: sorting by cells, and neighbour lists."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from motiform.base.kernels import Device

__all__ = ["sort_keys", "sum_ahead"]

_FEW = 1 << 15  # elements that do next to nothing, below which one core is faster than two


def sort_keys(device: "Device", keys: Any, order: Any, bits: int) -> tuple[Any, Any]:
    """Sort whole keys below 2^bits and carry an order along; equal keys stay as they were. Both arrays are used up."""
    from motiform.geometry.search.sort_kernels import BITS, RUN, count_digits, place_digits

    runs = max(1, -(-keys.shape[0] // RUN))
    counts = device.empty(runs << BITS, np.int64)
    spare = device.empty(keys.shape, np.int64), device.empty(order.shape, np.int64)
    for shift in range(0, max(bits, 1), BITS):
        device.launch(count_digits, runs, keys, shift, counts, least=8)
        sum_ahead(device, counts)
        device.launch(place_digits, runs, keys, order, shift, counts, *spare, least=8)
        (keys, order), spare = spare, (keys, order)
    return keys, order


def sum_ahead(device: "Device", values: Any) -> int:
    """Replace whole numbers by the sums of those ahead of each, and return the sum of all."""
    from motiform.geometry.search.sort_kernels import RUN, add_ahead, sum_runs

    runs = -(-values.shape[0] // RUN)
    sums = device.empty(runs, np.int64)
    device.launch(sum_runs, runs, values, sums)
    if runs == 1:
        return int(device.host(sums)[0])
    total = sum_ahead(device, sums)
    device.launch(add_ahead, values.shape[0], values, sums, least=_FEW)
    return total
