"""Maps and axes on the CPU and on an NVIDIA GPU. Run on a machine with one: ``pytest -m gpu``."""

import numpy as np
from scipy.ndimage import gaussian_filter

from motiform.geometry.maps import chamfer_axis, chamfer_map, euclidean_axis, euclidean_map

BODY = gaussian_filter(np.random.default_rng(0).normal(size=(60, 50, 70)), 4) > 0


def test_maps_and_axes_are_the_same():
    """Whole numbers and squares of whole numbers have no rounding."""
    for function in (euclidean_map, chamfer_map):
        assert np.array_equal(function(BODY), function(BODY, device="cuda"))
    for function in (euclidean_axis, chamfer_axis):
        for one, two in zip(function(BODY), function(BODY, device="cuda"), strict=True):
            assert np.array_equal(one, two)
