"""Which way is up: names, vectors, and the rotation that puts y there."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from motiform.base.errors import InputError
from motiform.spatial import up_name, up_vector, upright
from motiform.spatial.up_axis import AXES


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_has_its_name_and_turns_without_rounding(axis):
    assert up_name(up_vector(axis)) == axis
    R = upright(axis)
    assert set(np.unique(np.abs(R))) == {0.0, 1.0}
    assert (R @ up_vector(axis)).tolist() == [0.0, 1.0, 0.0]
    assert np.linalg.det(R) == 1.0


def test_x_stays_forward_where_it_is_horizontal():
    for up in ("y", "z", "-y", "-z"):
        assert upright(up)[0].tolist() == [1.0, 0.0, 0.0]
    assert upright("y").tolist() == np.eye(3).tolist()


vectors = st.tuples(*[st.floats(-1e3, 1e3, allow_nan=False)] * 3)


@given(vectors, st.sampled_from([1e-300, 1.0, 1e300]))
def test_any_direction_becomes_y_by_a_rotation(vector, length):
    assume(np.linalg.norm(vector) > 1e-3)
    R = upright(np.array(vector) * length)
    # Two normalisations and a cross product of unit vectors: a few roundings, times 1/√(1 − 0.9²) = 2.3 where x is
    # made perpendicular to up.
    slack = 32 * np.finfo(float).eps
    assert np.abs(R @ R.T - np.eye(3)).max() <= slack
    assert np.linalg.det(R) > 0
    assert np.abs(R @ (np.array(vector) / np.linalg.norm(vector)) - (0, 1, 0)).max() <= slack


@pytest.mark.parametrize("wrong", ["up", "", "yy", (0, 0, 0), (1, 2), (np.nan, 0, 1), None, [["y"]]])
def test_what_is_no_direction_is_refused(wrong):
    with pytest.raises(InputError, match="x, y, z"):
        up_vector(wrong)
