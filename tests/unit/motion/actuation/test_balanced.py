"""Postures that stand: what the function promises, on a figure whose balance has a closed form."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, actuation, contact, joints
from motiform.base.errors import InputError, RunError
from motiform.geometry import Box
from motiform.motion import tree

LEG, AHEAD, TALL = 0.8, 0.03, 0.04  # m: leg, ankle before the middle of the foot, height of the foot


def standing_leg(limit=1.5):
    """A foot and a leg; the leg's weight is above the middle of the foot where AHEAD = LEG sin(ankle)."""
    b = FigureBuilder(gravity=(0, -9.81, 0))
    b.segment("foot", None, joints.free(), mass=0.2, inertia=1e-3 * np.eye(3))
    ankle = joints.revolute((0, 0, 1), name="ankle", limits=(-limit, limit))
    at = Transform.translation_of((AHEAD, 0, 0))
    b.segment("leg", "foot", ankle, placement=at, mass=3.0, com=(0, LEG, 0), inertia=1e-2 * np.eye(3))
    figure = b.build()
    corners = contact.points_of_shape(figure, "foot", shape=Box((0.2, TALL, 0.1)), friction=0.8)
    return figure, contact.Contacts(tuple(corners), (contact.plane(),))


def tilted(figure):
    """Above the floor, turned by some degrees about all axes, leaning back."""
    q = figure.neutral()
    q[:7] = [0.3, 0.2, -0.1, 1.0, 0.01, 0.02, -0.015]
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7] = -0.2
    return q


def test_feet_are_flat_and_the_center_is_above_their_middle():
    figure, floor = standing_leg()
    q = actuation.balanced_posture(figure, floor, tilted(figure), reach=0.02)
    R, p = tree.forward_kinematics(figure, q)
    assert q[7] == pytest.approx(np.arcsin(AHEAD / LEG), abs=1e-9)  # the result misses by 1e-7 m at most
    np.testing.assert_allclose(R[0][:, 1], (0, 1, 0), atol=1e-9)
    assert p[0][1] == pytest.approx(TALL / 2, abs=1e-9)
    forces = actuation.standing_effort(figure, floor, q).forces[:, 1]
    touching = forces[forces > 0]
    np.testing.assert_allclose(touching, 9.81 * figure.mass / 4, rtol=1e-6)  # each corner carries the same


def test_limits_hold_and_a_posture_that_is_none_is_reported():
    figure, floor = standing_leg(limit=0.5 * AHEAD / LEG)
    q = figure.neutral()
    q[1] = TALL / 2
    # the leg leans by half the angle at most: half of AHEAD is left, times its share of the weight, 14.1 mm
    with pytest.raises(RunError, match=r"must stand .*gaps of 0 mm, the centre of mass 14\.1 mm beside"):
        actuation.balanced_posture(figure, floor, q)


def test_bad_input_is_reported():
    figure, floor = standing_leg()
    with pytest.raises(InputError, match="one configuration"):
        actuation.balanced_posture(figure, floor, np.zeros(3))
    with pytest.raises(InputError, match="no such contact point"):
        actuation.balanced_posture(figure, floor, figure.neutral(), ["heel"])
    with pytest.raises(InputError, match="must stand on points"):
        actuation.balanced_posture(figure, contact.Contacts((), ()), figure.neutral())


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (9,), (2, 8), (16,)])
def test_a_configuration_of_another_size_is_refused(shape):
    figure, floor = standing_leg()
    with pytest.raises(InputError, match=r"wrong shape|one configuration"):
        actuation.standing_effort(figure, floor, np.zeros(shape))
