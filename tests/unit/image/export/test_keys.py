"""Keyframes: continuity of axis and angle, and the instants that are kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError, MotiformError
from motiform.form import Form
from motiform.image.export.keys import axis_angles, key_times, poses
from motiform.spatial import exp_quaternion, exp_rotation, rotation_from_quaternion


def rotations(axis_angle):
    return exp_rotation(axis_angle[..., :3] * axis_angle[..., 3:])


def test_axis_and_angle_follow_a_steady_spin_through_many_turns():
    times = np.linspace(0, 5, 2001)
    spin = np.array([1.0, -2.0, 2.0]) * 4  # 12 rad/s: nearly ten turns
    turn = exp_quaternion(times[:, None] * spin) * np.random.default_rng(0).choice([-1.0, 1.0], (2001, 1))
    found = axis_angles(turn)
    np.testing.assert_allclose(np.abs(found[:, :3] @ [1 / 3, -2 / 3, 2 / 3]), 1, atol=1e-12)
    # 12 rad/s in steps of 2.5 ms
    np.testing.assert_allclose(np.abs(np.diff(found[:, 3])), 0.03, atol=1e-9)
    np.testing.assert_allclose(rotations(found), rotation_from_quaternion(turn), atol=1e-12)


def test_the_axis_keeps_its_side_where_the_rotation_passes_none():
    angle = np.linspace(-0.5, 0.5, 11)  # passes exactly through no rotation
    turn = exp_quaternion(angle[:, None] * np.array([0.0, 0.0, 1.0]))
    found = axis_angles(turn)
    assert (np.diff(found[:, 2]) == 0).all()
    np.testing.assert_allclose(np.abs(np.diff(found[:, 3])), 0.1, atol=1e-12)


def test_no_rotation_at_all_has_an_axis():
    found = axis_angles(np.tile([1.0, 0, 0, 0], (3, 5, 1)))
    np.testing.assert_allclose(np.linalg.norm(found[..., :3], axis=-1), 1)
    assert (found[..., 3] == 0).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1), min_size=1, max_size=12))
def test_any_sequence_of_rotations_is_kept(turns):
    turn = np.array(turns) / np.linalg.norm(turns, axis=1, keepdims=True)
    found = axis_angles(turn)
    np.testing.assert_allclose(rotations(found), rotation_from_quaternion(turn), atol=1e-9)
    assert (np.sum(found[1:, :3] * found[:-1, :3], axis=1) >= -1e-12).all()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), max_size=5),
    st.one_of(st.none(), st.floats(max_value=1e6)),
)
def test_any_instants_and_rate_give_keys_or_an_error(one, tumble, shapes, times, rate):
    _, position, orientation = tumble(len(times))
    form = one(shapes["ball"])
    form = Form(
        tuple(type(p)(p.name, p.shape, p.offset, p.color, position, orientation) for p in form.parts), np.array(times)
    )
    try:
        keys = key_times(form, rate)
        blocks = [block for _, block in poses(form, form.parts[0], keys)]
    except MotiformError:
        return
    assert (np.diff(keys) > 0).all()
    assert len(keys) <= len(times)
    found, turn = (np.concatenate(parts, axis=1) for parts in zip(*blocks, strict=True))
    assert found.shape == (1, len(keys), 3)
    assert np.isfinite(turn).all()


@pytest.mark.parametrize("rate", [0, -1, np.nan, np.inf])
def test_wrong_rates_are_reported(one, shapes, rate):
    with pytest.raises(InputError, match="rate"):
        key_times(one(shapes["ball"]), rate)
