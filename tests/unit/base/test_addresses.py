"""Compiled functions called by their address."""

import pickle

import numpy as np

from motiform.base.addresses import address_of, call_address
from motiform.base.kernels import typed_entry

KIND = ("int64", "int64", "float64", "float64[::1]")
_call = call_address(*KIND)


@typed_entry(*KIND)
def add(k, x, out):
    """Add to a number."""
    out[k] += x
    return k + 1


@typed_entry(*KIND)
def scale(k, x, out):
    """Multiply a number."""
    out[k] *= x
    return 10 * k


@typed_entry("int64", "int64[::1]", "float64", "float64[::1]")
def every(addresses, x, out):
    """Call all."""
    total = 0
    for n in range(addresses.shape[0]):
        total += _call(addresses[n], (n, x, out[1:]))
    return total


def test_one_loop_calls_what_it_is_given():
    out = np.array([5.0, 1.0, 2.0, 3.0])
    assert every.function(np.array([address_of(one) for one in (add, scale, add)]), 4.0, out) == 1 + 10 + 3
    assert out.tolist() == [5.0, 5.0, 8.0, 7.0]


def test_an_entry_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(add)) is add
