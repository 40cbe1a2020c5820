"""Motions from outside: paths, waves, circles and rotations against their formulas, recordings, pushes, gusts."""

import pickle

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.geometry import Ball
from motiform.motion.matter import NetworkBuilder, links, motions
from motiform.motion.run.identity import identify
from motiform.record import Channel, Recording
from motiform.spatial import Transform, quaternion_from_rotation, rotation_from_euler

POINTS = np.array([[0.1, 0.0, 0.0], [0.0, 0.3, 0.2]])
TURNED = Transform(rotation_from_euler([0.3, -0.2, 0.7], "xyz"), np.array([1.0, 2.0, 3.0]))
T = (-0.01, 0.0, 0.13, 0.5, 2.4)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


def test_wave_and_circle_follow_their_formulas():
    wave = motions.Wave(0.2, 1.5, direction=(0, 0, 3), phase=0.4)
    circle = motions.Circle(0.1, -2.0, axis=(0, 2, 0))
    both = motions.MovedPoints(POINTS, [wave, circle])
    for t in T:
        swing = [0, 0, 0.2 * np.sin(2 * np.pi * 1.5 * t + 0.4)]
        a = -2 * np.pi * 2.0 * t
        round_ = [0.1 * np.sin(a), 0, 0.1 * np.cos(a)]  # z and x are the axes across y
        close(both(t), POINTS + swing + round_)


@pytest.mark.parametrize(("between", "half"), [("linear", 0.5), ("smooth", 0.5), ("spline", 0.5)])
def test_path_goes_through_its_points(between, half):
    path = motions.Path([0.0, 1.0, 3.0], [[0, 0, 0], [0, 1, 0], [0, 1, 2]], between)
    for t, point in zip(path.times, path.points, strict=True):
        close(path.shift(t), point)
    close(path.shift(-5.0), [0, 0, 0])
    close(path.shift(9.0), [0, 1, 2])
    if between != "spline":
        close(path.shift(0.5), [0, half, 0])
    if between != "linear":  # at rest at both ends: the shift begins with the square of time
        assert np.abs(path.shift(1e-4)).max() < 1e-7


def test_path_that_repeats():
    path = motions.Path([0.0, 1.0, 2.0], [[0, 0, 0], [1, 0, 0], [0, 0, 0]], "linear", repeat=True)
    close(path.shift(2.25), path.shift(0.25))
    close(path.shift(-0.25), path.shift(1.75))


def test_rotation_is_about_its_point():
    spin = motions.MovedPoints(POINTS, motions.Spin(2.0, axis=(0, 0, 5), at=(1, 0, 0)))
    for t in T:
        c, s = np.cos(2 * t), np.sin(2 * t)
        off = POINTS - [1, 0, 0]
        close(spin(t), np.stack([1 + c * off[:, 0] - s * off[:, 1], s * off[:, 0] + c * off[:, 1], off[:, 2]], 1))
    swing = motions.Swing(0.5, 2.0, phase=0.1)
    assert swing.angle(0.3) == pytest.approx(0.5 * np.sin(2 * np.pi * 2 * 0.3 + 0.1), abs=1e-15)


def test_frame_moves_all():
    moves = [motions.Wave(0.2, 1.5), motions.Spin(2.0)]
    plain, framed = (motions.MovedPoints(POINTS, moves, frame) for frame in (Transform.identity(), TURNED))
    solid = motions.MovedSolid(TURNED, moves, TURNED)
    for t in T:
        close(framed(t), TURNED.point(plain(t)))
        about = motions.MovedPoints(TURNED.point(POINTS), moves, TURNED, center=tuple(TURNED.translation))
        close(solid(t).point(POINTS), about(t))


def test_velocity_before_the_start():
    moved = motions.MovedPoints(POINTS, motions.Wave(0.2, 1.5))
    np.testing.assert_array_equal(moved.velocity_before(1000.0), (moved(0.0) - moved(-1e-3)) / 1e-3)


def test_push_and_gusts():
    push = motions.Push((0, 2, 0), start=0.5, until=1.0, frequency=3.0, phase=0.2)
    assert (push(0.49) == 0).all()
    assert (push(1.0) == 0).all()
    close(push(0.7), [0, 2 * np.sin(2 * np.pi * 3 * 0.7 + 0.2), 0])
    close(motions.Push((1, 0, 0))(5.0), [1, 0, 0])
    close(motions.Gusts((1, 0, 0), (0, 0, 2), 4.0)(1.0), [1, 0, -2])


def recording():
    places = np.stack([np.arange(5.0)[:, None] * [0.1, 0.2, 0.3], np.ones((5, 3))], axis=1)
    turns = quaternion_from_rotation(rotation_from_euler(np.arange(5.0)[:, None] * 0.1, "z"))
    channels = {
        "markers": (Channel("markers", "m", ("marker", "axis"), (2, 3), 10.0), places),
        "turn": (Channel("turn", "", ("quaternion",), (4,), 10.0), turns),
    }
    return Recording.from_arrays(channels, manifest={"labels": {"marker": ["hand", "foot"]}})


def test_recordings_are_motions():
    rec = recording()
    samples, rate = motions.recorded_points(rec, marker="hand")
    assert rate == 10.0
    np.testing.assert_array_equal(samples[:, 0], rec["markers"][:, 0])
    np.testing.assert_array_equal(motions.recorded_points(rec, index=1)[0][:, 0], rec["markers"][:, 1])
    solid = motions.recorded_solid(rec, "markers", "turn", index=0, frame=TURNED)
    for k in range(5):
        close((TURNED.inverse() @ solid(k / 10)).translation, rec["markers"][k, 0])
    between = TURNED.inverse() @ solid(0.15)
    close(between.translation, 1.5 * np.array([0.1, 0.2, 0.3]))
    # quaternions are interpolated linearly: halfway that is exact
    np.testing.assert_allclose(between.rotation, rotation_from_euler([0.15], "z"), atol=1e-12)
    close(solid(99.0).translation, solid(0.4).translation)


def test_a_network_is_driven_and_pickles():
    b = NetworkBuilder(frequency=1000.0, wind=motions.Gusts((1, 0, 0), (1, 0, 0), 0.5))
    hand = motions.MovedPoints([[0, 1, 0]], motions.Wave(0.05, 4.0))
    top = b.imposed("hand", hand, velocity=hand.velocity_before(b.frequency))
    ball = b.masses("ball", [[0, 0.8, 0]], mass=0.1, radius=0.02)
    b.link("thread", (top, ball), links.spring(200.0, damping=0.5))
    paddle = motions.MovedSolid(Transform.translation_of((0, 0.4, 0)), motions.Spin(3.0))
    b.solid("paddle", Ball(0.1), paddle(0.0), ball, law=links.elastic_buffer(1e3, 0.0), motion=paddle, friction=0.3)
    b.push("shove", ball, motions.Push((0.1, 0, 0), until=0.05))
    built = b.build()
    network = pickle.loads(pickle.dumps(built))
    assert identify(network) == identify(built)
    assert identify(network)[1] == []  # a run is known by the numbers of its motions, not by names of functions
    rec = mf.simulate(network, t1=0.1, rate=100.0)
    close(rec["hand.position"][:, 0, 1], 1 + 0.05 * np.sin(2 * np.pi * 4 * rec.time("hand.position")))
    assert rec["ball.position"][-1, 0, 0] > 0  # the wind and the push


WRONG = {
    "no direction": (lambda: motions.Wave(0.1, 1.0, direction=(0, 0, 0)), "length above 0"),
    "no axis": (lambda: motions.Circle(0.1, 1.0, axis=(0, 0, 0)), "length above 0"),
    "no number": (lambda: motions.Spin(np.nan), "speed is out of range"),
    "backwards": (lambda: motions.Path([0, 0], np.zeros((2, 3))), "times must rise"),
    "one point": (lambda: motions.Path([0], np.zeros((1, 3))), "two or more times"),
    "between": (lambda: motions.Path([0, 1], np.zeros((2, 3)), "cubic"), "unknown interpolation"),
    "two turns": (lambda: motions.MovedPoints(POINTS, [motions.Spin(1.0)] * 2), "at most one Spin or Swing"),
    "no moves": (lambda: motions.MovedPoints(POINTS, []), "one or more"),
    "not a move": (lambda: motions.MovedSolid(TURNED, [lambda t: t]), "unknown move"),
    "ends first": (lambda: motions.Push((1, 0, 0), start=2.0, until=1.0), "must be after"),
    "no period": (lambda: motions.Gusts((1, 0, 0), (1, 0, 0), 0.0), "period"),
    "no marker": (lambda: motions.recorded_points(recording(), marker="hnd"), "Did you mean 'hand'"),
    "no index": (lambda: motions.recorded_points(recording(), index=2), "no such point"),
    "no positions": (lambda: motions.recorded_points(recording(), "turn"), "must hold positions"),
    "two places": (lambda: motions.recorded_solid(recording(), "markers"), "one position"),
    "no turns": (lambda: motions.recorded_solid(recording(), "markers", "markers", index=0), "must belong"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_numbers_are_refused(case):
    make, text = WRONG[case]
    with pytest.raises(InputError, match=text):
        make()
