"""The foot under the centre of pressure in a report: on the ground, and carried by a treadmill."""

import numpy as np
import pytest

from motiform import FigureBuilder, joints
from motiform.image.report.forces import _foot_at_rest
from motiform.motion.postures import find_feet
from motiform.record import Channel, Recording

RATE = 100.0


@pytest.fixture(scope="module")
def walker():
    b = FigureBuilder()
    b.segment("right_foot", None, joints.prismatic((1, 0, 0)), mass=1.0)
    b.tag("heel", "right_foot", (-0.05, 0.0, 0.0))
    b.tag("toe", "right_foot", (0.2, 0.0, 0.03))
    b.tag("marker", "right_foot", (-0.08, 0.02, 0.0))
    return b.build()


@pytest.mark.parametrize("belt", [0.0, -3.0])
def test_the_belt_is_the_velocity_of_a_foot_that_stands(walker, belt):
    """A foot at a constant velocity: the heel that is found moves with it, so that the pressure stays on the foot."""
    t = np.arange(60) / RATE
    q = 1.0 + belt * t[:, None]
    manifest = {"reconstruct": {"per_marker": {"marker": {}}}}
    rec = Recording.from_arrays(
        [Channel("q", dims=("coordinate",), shape=(1,), rate=RATE)], {"q": q}, manifest=manifest
    )
    (foot,) = find_feet(walker)
    heel, axes, outline, still, carried = _foot_at_rest(rec, walker, foot, 0.1, 0.4, np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(carried, (belt, 0.0, 0.0), atol=1e-9)  # differences of a line, rounding of 1 / 0.01 s
    for k in (10, 25, 40):
        hindmost = np.array([q[k, 0] - 0.08, 0.02, 0.0])  # the tag that has a marker, behind the heel of the figure
        np.testing.assert_allclose(heel + carried * (t[k] - still), hindmost, atol=1e-9)
    np.testing.assert_allclose(axes, [(1, 0, 0), (0, 0, 1)], atol=1e-12)
    assert outline[:, 0].min() == pytest.approx(0.0, abs=1e-12)
