"""Splines against SciPy's."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.base.splines import spline_derivatives


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("even", [True, False])
def test_splines_and_their_derivatives_are_scipys(degree, even):
    """Each derivative divides by the least distance of samples, 0.01: what is rounded grows by as much."""
    from scipy.interpolate import make_interp_spline

    rng = np.random.default_rng(degree)
    for count in (degree + 1, degree + 2, 9, 200):
        x = np.linspace(0.0, 4.0, count) if even else np.sort(rng.uniform(0.0, 4.0, count)) + 0.01 * np.arange(count)
        y = np.stack([np.sin(3 * x), rng.normal(size=count)], axis=1)
        at = np.concatenate([x, rng.uniform(x[0], x[-1], 20)])
        theirs = make_interp_spline(x, y, k=degree)
        for order, found in enumerate(spline_derivatives(x, y, at, degree=degree, orders=2)):
            wanted = theirs(at, order)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_numbers_near_the_ends_of_floats_are_refused():
    x = np.arange(6.0)
    with pytest.raises(InputError, match="finite"):
        spline_derivatives(x, 1e308 * (-1.0) ** x[:, None], x, degree=5, orders=2)
