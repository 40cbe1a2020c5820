"""Maps, axes and contact on the CPU and on an NVIDIA GPU. Run on a machine with one: ``pytest -m gpu``."""

import numpy as np
from scipy.ndimage import gaussian_filter

from motiform.geometry import Ball
from motiform.geometry.maps import (
    SurfaceContacts,
    chamfer_axis,
    chamfer_map,
    contact_body,
    euclidean_axis,
    euclidean_map,
    signed_map,
)

BODY = gaussian_filter(np.random.default_rng(0).normal(size=(60, 50, 70)), 4) > 0


def test_maps_and_axes_are_the_same():
    """Whole numbers and squares of whole numbers have no rounding."""
    for function in (euclidean_map, chamfer_map):
        assert np.array_equal(function(BODY), function(BODY, device="cuda"))
    for function in (euclidean_axis, chamfer_axis):
        for one, two in zip(function(BODY), function(BODY, device="cuda"), strict=True):
            assert np.array_equal(one, two)


def test_forces_agree():
    """The GPU contracts a·b + c to one rounding: some 300 operations an element, 1e-16 each, summed over 1000."""
    mesh = Ball(6e-3).to_mesh(64)
    body = contact_body(mesh, signed_map(mesh, 0.5e-3, margin=2e-3, band=1e-3), spacing=0.3e-3)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, :3, 3] = 9e-3, 7e-3, 5e-3
    one, two = (SurfaceContacts([body, body], device=device).press(poses) for device in ("cpu", "cuda"))
    assert one.area[0] > 0
    scale = np.abs(one.force).max()
    assert np.abs(one.force - two.force).max() < 1e-10 * scale
    assert np.abs(one.moment - two.moment).max() < 1e-10 * scale
    assert abs(one.area[0] - two.area[0]) < 1e-10 * one.area[0]
