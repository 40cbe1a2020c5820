"""Angles of trunk and arms of postures whose angles are known, as each side sees them."""

import numpy as np
import pytest

from motiform.motion.figures import human36
from motiform.motion.postures import virtual_markers, walker_of
from motiform.motion.postures.gait.upper_body import upper_series
from motiform.trials import reconstruct
from walkers import RATE, walking

SHOULDER, ELBOW, TURN, BEND = 0.3, 0.5, 0.2, 0.1  # rad


@pytest.fixture(scope="module")
def series():
    """A walker with the right arm forward and its elbow bent, the thorax turned to the left, or bent to the right."""
    man = human36(1.75, 70.0)

    def of(**angles):
        q = walking(man, seconds=1.2)
        for name, value in angles.items():
            q[:, man.coordinates.index(name)] = value
        rec = reconstruct(man, virtual_markers(man, q, rate=RATE))
        found = upper_series(rec, man, walker_of(man, rec.time("q"), rec["q"]))
        return {(one.title, one.side): float(np.median(one.values)) for one in found.series}

    turned = of(right_shoulder_flexion=SHOULDER, right_elbow_flexion=ELBOW, thorax_left_rotation=TURN)
    return turned, of(thorax_right_bending=BEND)


def degrees(angle):
    return pytest.approx(np.rad2deg(angle), abs=1e-3)


def test_an_arm_that_is_forward_and_bent(series):
    arm, _ = series
    assert arm["shoulder flexion", "r"] == degrees(SHOULDER)
    assert arm["elbow flexion", "r"] == degrees(ELBOW)
    assert arm["shoulder flexion", "l"] == degrees(0.0)
    assert arm["elbow flexion", "l"] == degrees(0.0)


def test_a_thorax_that_turns_left_has_its_right_side_forward(series):
    """As the pelvis: internal rotation is this side forward, so that the two sides have opposite signs.

    The body sways by 2 cm to the sides of a way of 1.4 m: the direction of walking is its pelvis' to 0.02/1.4 rad.
    """
    turned, _ = series
    sway = np.rad2deg(0.02 / 1.4) + 1e-3
    for side, sign in (("r", 1.0), ("l", -1.0)):
        assert turned["trunk internal rotation", side] == degrees(sign * TURN)
        assert turned["thorax internal rotation", side] == pytest.approx(np.rad2deg(sign * TURN), abs=sway)


def test_a_trunk_that_bends_right_bends_to_the_right_side(series):
    """Its right side sinks: the thorax' obliquity, this side up, is below zero on the right."""
    _, bent = series
    assert bent["trunk ipsilateral bending", "r"] == degrees(BEND)
    assert bent["trunk ipsilateral bending", "l"] == degrees(-BEND)
    assert bent["thorax obliquity up", "r"] == degrees(-BEND)
    assert bent["thorax obliquity up", "l"] == degrees(BEND)
