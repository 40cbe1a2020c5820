"""Directions: unit vectors, axes across one, rotations from y."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.spatial import across_axes, rotation_y_to, unit_vector

AXES = [(0, 1, 0), (0, -1, 0), (1, 0, 0), (1, 2, 3), (-3, -0.1, 0.2), (0, 0, -4)]


@pytest.mark.parametrize("axis", AXES)
def test_axes_are_right_handed(axis):
    n = unit_vector(axis)
    assert np.linalg.norm(n) == pytest.approx(1, abs=1e-15)
    first, second = across_axes(axis)
    np.testing.assert_allclose(np.cross(first, second), n, atol=1e-15)
    R = rotation_y_to(axis)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(R[:, 1], n, atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1, abs=1e-14)


def test_axes_across_y_are_z_and_x():
    np.testing.assert_array_equal(across_axes((0, 5, 0)), [[0, 0, 1], [1, 0, 0]])


@pytest.mark.parametrize("wrong", [(0, 0, 0), (0, 1), (0, np.nan, 0)])
def test_no_direction(wrong):
    with pytest.raises(InputError, match="where"):
        unit_vector(wrong, "where")
