"""Filters against SciPy's, which are of another make."""

import math

import numpy as np
import pytest

from motiform.measure.filters import butterworth, filter_both_ways, filtered


@pytest.mark.parametrize("order", range(1, 11))
def test_filters_are_butterworths_and_run_both_ways(order):
    """The sections round each sample a few times; what a pass has rounded decays, with poles near 1 after some 10⁴."""
    from scipy.signal import butter, sosfilt, sosfilt_zi, sosfiltfilt

    values = np.random.default_rng(order).normal(size=(300, 3)).cumsum(axis=0)
    scale = 1e4 * np.finfo(float).eps * np.abs(values).max()
    for passes in (1, 2):
        shrink = (2.0 ** (1.0 / passes) - 1.0) ** (1.0 / (2 * order))
        theirs = butter(order, 2.0 / math.pi * math.atan(math.tan(math.pi * 0.06) / shrink), output="sos")
        ours = butterworth(6.0, 100.0, order, passes)
        if passes == 2:
            wanted = sosfiltfilt(theirs, values, axis=0, padlen=40)
            np.testing.assert_allclose(filter_both_ways(ours, values, 40), wanted, rtol=0, atol=scale)
        else:
            wanted, _ = sosfilt(theirs, values, axis=0, zi=sosfilt_zi(theirs)[:, :, None] * values[0])
            np.testing.assert_allclose(filtered(values, 6.0, 100.0, order, False), wanted, rtol=0, atol=scale)
