"""Calibration piece by piece: linear parameters, postures, samples, the arrow-shaped step, results, bad input."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.figures import bip, human36
from motiform.motion.postures import Estimator, Priors, calibrate, measured_lengths, scale_figure
from motiform.motion.postures.calibration.parameters import make_parameters
from motiform.motion.postures.calibration.postures import fit_postures, posture_places, retry_postures, start_postures
from motiform.motion.postures.calibration.samples import choose_samples, tag_points
from motiform.motion.postures.calibration.solve import CalibrationProblem, Loss, _arrow_step
from motiform.motion.tree import FigureBuilder, joints, tag_jacobians, tags
from motiform.motion.tree.model.segment import Tag
from motiform.record.channel import Channel
from motiform.record.recording import Recording
from motiform.spatial import Transform
from motiform.trials.figure import taken_from

ROUND = 1e-12  # m: a few roundings of numbers near 1


def arm(upper=0.3, fore=0.25):
    """A trunk that floats, a shoulder, an elbow; three tags on each segment."""
    b = FigureBuilder(name="arm")
    b.segment("trunk", None, joints.free(), mass=30.0, com=(0, 0.2, 0), inertia=np.eye(3))
    b.segment("upper", "trunk", joints.spherical(), placement=Transform.translation_of((0, 0.4, 0.2)), mass=2.0)
    elbow = joints.revolute((0, 0, 1))
    b.segment("fore", "upper", elbow, placement=Transform.translation_of((0, -upper, 0)), mass=1.0)
    b.tag("hip", "trunk", (0.0, 0.0, 0.1))
    b.tag("chest", "trunk", (0.1, 0.3, 0.0))
    b.tag("back", "trunk", (-0.1, 0.35, 0.02))
    b.tag("arm", "upper", (0.04, -upper / 2, 0.05))
    b.tag("elbow_in", "upper", (0.0, -upper, -0.04))
    b.tag("elbow_out", "upper", (0.0, -upper, 0.04))
    b.tag("wrist_in", "fore", (0.0, -fore, -0.03))
    b.tag("wrist_out", "fore", (0.01, -fore, 0.03))
    b.tag("mid", "fore", (0.04, -fore / 2, 0.0))
    return b.build()


def moves(figure, count, seed=0, amount=0.6):
    rng = np.random.default_rng(seed)
    v = rng.normal(0, amount, (count, figure.nv))
    from motiform.motion.tree import advance

    return advance(figure, np.broadcast_to(figure.neutral(), (count, figure.nq)), v)


def trial(points, names, rate=100.0):
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(len(names), 3), rate=rate)
    return Recording.from_arrays({"markers": (channel, points)}, manifest={"labels": {"marker": list(names)}})


# ---------------------------------------------------------------- parameters
@pytest.mark.parametrize("figure", [human36(), arm()], ids=["human36", "arm"])
def test_tags_are_linear_in_the_parameters(figure):
    model = make_parameters(figure, symmetric=True)
    rng = np.random.default_rng(1)
    p = np.concatenate([rng.uniform(-0.2, 0.2, len(model.groups)), rng.normal(0, 0.02, 3 * len(model.shifted))])
    q = moves(figure, 4, amount=0.4)
    whole, moving = model.figure_at(p), model.moving_at(p)
    expected = tags(figure, q) + model.derivatives(q) @ p
    np.testing.assert_allclose(tags(whole, q), expected, atol=ROUND)
    np.testing.assert_allclose(tags(moving, q), expected, atol=ROUND)
    np.testing.assert_allclose(tag_jacobians(moving, q), tag_jacobians(whole, q), atol=ROUND)
    np.testing.assert_allclose(tags(figure, q), tags(model.figure_at(0 * p), q), atol=ROUND)


def test_symmetric_lengths_change_together():
    assert ("L5", "L15") in make_parameters(human36(), symmetric=True).groups
    b = FigureBuilder()
    for name in ("femur_r", "femur_l", "left_hand", "right_hand", "toe_l"):
        b.segment(name, None, joints.free())
    groups = make_parameters(b.build(), symmetric=True).groups
    assert groups == (("femur_r", "femur_l"), ("left_hand", "right_hand"), ("toe_l",))


def test_lengths_vary_alone_and_together():
    model = make_parameters(arm(), Priors(length_sd=0.05, size_sd=0.1), tags=False)
    covariance = np.linalg.inv(model.prior)
    np.testing.assert_allclose(np.diag(covariance), 0.05**2 + 0.1**2)
    np.testing.assert_allclose(covariance[0, 1], 0.1**2)
    np.testing.assert_allclose(model.prior_std**2, np.diag(covariance))


# ---------------------------------------------------------------- postures
@pytest.mark.parametrize("turn", [0.0, 1.5, 3.0, -2.0])
def test_a_body_is_found_wherever_it_looks(turn):
    body = human36()
    q = np.random.default_rng(2).normal(0, 0.2, (3, 42))
    q[:, 36:42] = [4.0, 0.1, -7.0, 0.05, turn, 0.1]
    points = tags(body, q)
    found = fit_postures(body, points, start_postures(body, points))
    # Nearly straight arms have several minima, fractions of a millimetre deep; a wrong heading is off by decimetres.
    assert np.abs(tags(body, found) - points).max() < 1e-3
    assert np.abs(tags(body, found) - points)[:, :16].max() < 1e-4  # legs and pelvis, seen by more than they need


def test_derivatives_of_lengths_are_those_of_scaled_figures():
    """Central differences of figures built anew: linear, so that the difference over 2 h errs by rounding over h alone.

    A tag is some metres from the origin and rounded 36 times on its way: 36 · 4 m · u / h, times a few.
    """
    h = 0.5
    bodies = (
        human36(1.7, markers="plug-in-gait", lengths={"L5": 0.5}, tags={"r_digit2": (0.1, 0.0, 0.02)}),
        human36().replace(name="edited", tags=human36().tags),
        bip(),
        arm(),
    )
    for body in bodies:
        model = make_parameters(body)
        q = np.stack([body.neutral()] * 3)
        q[:, posture_places(body)[0]] += np.random.default_rng(2).normal(size=(3, len(posture_places(body)[0])))
        D = model.derivatives(q)
        for k, group in enumerate(model.groups):
            up, down = (tags(scale_figure(body, dict.fromkeys(group, 1.0 + sign * h)), q) for sign in (1, -1))
            np.testing.assert_allclose(D[..., k], (up - down) / (2 * h), rtol=0, atol=36 * 4 * 10 * 1.1e-16 / h)
        p = 0.1 * np.random.default_rng(3).normal(size=model.count)
        np.testing.assert_allclose(tags(model.moving_at(p), q), tags(body, q) + D @ p, rtol=0, atol=1e-12)


def test_postures_stay_where_no_marker_determines_them():
    figure = arm()
    q = moves(figure, 3)
    points = tags(figure, q)
    points[:, 6:] = np.nan  # nothing of the forearm
    start = start_postures(figure, points)
    found = fit_postures(figure, points, start)
    np.testing.assert_allclose(tags(figure, found)[:, :6], points[:, :6], atol=1e-9)
    np.testing.assert_array_equal(found[:, -1], start[:, -1])


def test_hold_draws_to_a_posture():
    figure = arm()
    points = np.full((1, 9, 3), np.nan)
    start = figure.neutral()[None].copy()
    start[:, -1] = 0.7
    found = fit_postures(figure, points, start, hold=0.1, toward=figure.neutral())
    assert abs(found[0, -1]) < 1e-9


def test_samples_in_a_wrong_minimum_begin_again_from_one_alike():
    body = human36()
    q = np.zeros((8, 42))
    q[:, 21] = np.linspace(0.5, 1.5, 8)  # right elbow bends
    q[:, 19] = 0.4
    points = tags(body, q)
    wrong = q.copy()
    wrong[3, 19], wrong[3, 21] = 1.5, -1.0  # bent the other way
    wrong[3] = fit_postures(body, points[3:4], wrong[3:4], max_iterations=2)[0]
    found = retry_postures(body, points, wrong, np.ones((8, 28)))
    assert np.abs(tags(body, found) - points).max() < 1e-6
    assert retry_postures(body, points, found, np.ones((8, 28))) is found


# ---------------------------------------------------------------- samples
def test_chosen_samples_differ_and_are_well_seen():
    figure = arm()
    q = np.repeat(moves(figure, 10), 50, axis=0)
    points = tags(figure, q)
    points[:50, 3:] = np.nan  # the first posture is badly seen
    chosen = choose_samples(points, 9)
    assert sorted(chosen // 50) == list(range(1, 10))
    assert len(choose_samples(np.full((4, 9, 3), np.nan), 3)) == 0
    np.testing.assert_array_equal(choose_samples(tags(figure, q[:3]), 10), [0, 1, 2])


def test_markers_take_the_order_of_the_tags():
    figure = arm()
    points = tags(figure, moves(figure, 3))
    rec = trial(points[:, ::-1], [f"Anna:{name}" for name in figure.tag_names[::-1]])
    found, times = tag_points(figure, rec)
    np.testing.assert_array_equal(found, points)
    np.testing.assert_allclose(times, [0, 0.01, 0.02])
    few, _ = tag_points(figure, trial(points[:, :1], ["M"]), {"wrist_in": "M"})
    assert np.isfinite(few[:, 6]).all()
    assert not np.isfinite(few[:, :6]).any()


# ---------------------------------------------------------------- the step
def test_the_arrow_shaped_step_solves_the_whole_system():
    figure = arm()
    model = make_parameters(figure)
    q = moves(figure, 4)
    points = tags(model.figure_at(0.01 * np.ones(model.count)), q)
    problem = CalibrationProblem(model, points, np.ones((4, 9)), 0.002, Loss(), figure.neutral()[None], 1.0)
    A, B, C, a, c = problem.blocks(q, np.zeros(model.count))
    n, nv = len(q), figure.nv
    H = np.zeros((n * nv + len(C),) * 2)
    for k in range(n):
        own = slice(k * nv, (k + 1) * nv)
        H[own, own], H[own, n * nv :], H[n * nv :, own] = A[k], B[k], B[k].T
    H[n * nv :, n * nv :] = C
    whole = np.linalg.solve(H, np.concatenate([a.ravel(), c]))
    v, dp = _arrow_step(A, B, C, a, c, 0.0)
    # A is stiffened by 1e-10 of its largest entry; its condition number is below 1e5 here
    np.testing.assert_allclose(np.concatenate([v.ravel(), dp]), whole, rtol=1e-4, atol=1e-5 * np.abs(whole).max())


def test_the_gradient_is_that_of_the_cost():
    figure = arm()
    model = make_parameters(figure)
    q = moves(figure, 3)
    points = tags(figure, q) + np.random.default_rng(0).normal(0, 0.02, (3, 9, 3))
    for loss in (Loss(), Loss("huber", 0.02), Loss("geman-mcclure", 0.02)):
        problem = CalibrationProblem(model, points, np.ones((3, 9)), 0.01, loss, figure.neutral()[None], 0.5)
        p = 0.01 * np.ones(model.count)
        c = problem.blocks(q, p)[4]
        h, k = 1e-6, 4
        step = h * np.eye(model.count)[k]
        slope = (problem.cost(q, p + step) - problem.cost(q, p - step)) / (2 * h)
        assert slope == pytest.approx(-2 * c[k], rel=1e-6)  # central difference: error h² of third derivatives


# ---------------------------------------------------------------- whole calibrations
def test_an_arm_is_calibrated_with_gaps_and_keeps_what_is_not_seen():
    truth = scale_figure(arm(), {"upper": 1.1, "fore": 0.93, "trunk": 1.05})
    points = tags(truth, moves(truth, 40))
    points[np.random.default_rng(0).random((40, 9)) < 0.2] = np.nan
    points[:, 8] = np.nan
    seen = []
    found = calibrate(arm(), points, frames=20, tags=False, priors=Priors(marker_sd=1e-4), progress=seen.append)
    assert found.lengths == pytest.approx({"trunk": 1.05, "upper": 1.1, "fore": 0.93}, abs=1e-5)
    assert found.error_after < 1e-5 < 1e-3 < found.error_before
    assert found.settled
    assert found.q.shape == (20, 12)
    assert not found.static.any()
    assert "mid" not in found.tag_errors
    assert seen[-1] == 1.0
    assert seen == sorted(seen)
    np.testing.assert_allclose(found.figure.segment("fore").placement.translation, (0, -0.33, 0), atol=1e-5)
    text = found.report()
    assert "upper" in text
    assert "+10.0%" in text
    assert "wrist_in" in text
    assert "settled" in text
    assert "20 samples" in repr(found)


def test_tags_shift_to_where_their_markers_are():
    figure = arm()
    moved = tuple(
        replace(t, point=(t.point[0] + 0.01, t.point[1], t.point[2])) if t.name == "arm" else t for t in figure.tags
    )
    truth = figure.replace(tags=moved)
    free = [t.name for t in figure.tags if t.name != "arm"]
    priors = Priors(fixed_tags=free, tag_sd={"arm": 0.05}, marker_sd=1e-4)
    found = calibrate(figure, tags(truth, moves(truth, 20)), lengths=False, priors=priors)
    assert list(found.tag_offsets) == ["arm"]
    assert found.lengths == {}
    np.testing.assert_allclose(found.tag_offsets["arm"], (0.01, 0, 0), atol=1e-5)
    assert "no length was free" in found.report()


def test_alternating_reaches_the_same_minimum():
    truth = scale_figure(arm(), {"upper": 1.1})
    points = tags(truth, moves(truth, 12)) + np.random.default_rng(3).normal(0, 0.002, (12, 9, 3))
    long = Estimator(max_iterations=400)
    one, other = (calibrate(arm(), points, tags=False, method=m, estimator=long) for m in ("joint", "alternating"))
    assert one.settled
    assert other.settled
    assert one.iterations < other.iterations
    for name, value in one.lengths.items():  # both stop within 0.1 standard deviations of the minimum
        assert abs(value - other.lengths[name]) < 0.1 * one.std[name]


def test_a_ghost_marker_counts_little_under_a_robust_loss():
    truth = scale_figure(arm(), {"upper": 1.1})
    points = tags(truth, moves(truth, 30))
    points[::4, 5] += (0.3, 0.2, 0.0)  # swapped or seen in a mirror
    losses = Estimator(robust=None), Estimator(robust="geman-mcclure")
    plain, robust = (calibrate(arm(), points, tags=False, estimator=loss) for loss in losses)
    assert abs(robust.lengths["upper"] - 1.1) < 0.005 < abs(plain.lengths["upper"] - 1.1)


def test_weights_of_zero_leave_a_marker_out():
    truth = arm()
    points = tags(truth, moves(truth, 10))
    points[:, 3] += 0.1
    estimator, priors = Estimator(weights={"arm": 0.0}), Priors(posture_sd=100.0)
    found = calibrate(arm(), points, tags=False, estimator=estimator, priors=priors)
    assert found.lengths == pytest.approx(dict.fromkeys(("trunk", "upper", "fore"), 1.0), abs=1e-6)


def test_the_spread_of_markers_is_found_where_it_is_not_given():
    truth = scale_figure(arm(), {"upper": 1.1})
    points = tags(truth, moves(truth, 60)) + np.random.default_rng(0).normal(0, 0.004, (60, 9, 3))
    found = calibrate(arm(), points, priors=Priors(marker_sd=None))
    # about 60·9·3 − 60·10 = 1000 degrees of freedom: the estimate has a relative spread of 1/√2000 = 2.2 %
    assert found.marker_sd == pytest.approx(0.004, rel=0.1)
    assert found.variance == pytest.approx(1.0, rel=0.1)


def test_a_standing_trial_alone_keeps_what_it_does_not_tell():
    figure = arm()
    points = tags(figure, figure.neutral()) + np.random.default_rng(0).normal(0, 1e-5, (30, 9, 3))
    found = calibrate(figure, static=points)
    assert found.static.all()
    assert len(found.q) == 5
    assert found.lengths == pytest.approx(dict.fromkeys(("trunk", "upper", "fore"), 1.0), abs=1e-4)
    # one posture: the elbow's axis may lie anywhere along the arm, so that the upper arm's length is barely told
    moving = calibrate(figure, tags(figure, moves(figure, 30)))
    assert found.determined["upper"] < moving.determined["upper"]
    assert found.std["upper"] > 2 * moving.std["upper"]


def test_a_standing_and_a_moving_trial_together():
    truth = scale_figure(arm(), {"upper": 1.15, "fore": 1.1, "trunk": 1.1})
    standing = tags(truth, truth.neutral()) + np.random.default_rng(0).normal(0, 1e-5, (10, 9, 3))
    static = trial(standing, truth.tag_names)
    moving = trial(tags(truth, moves(truth, 50)), truth.tag_names, rate=50.0)
    exact = Priors(marker_sd=1e-4)
    found = calibrate(arm(), moving, static=static, frames=20, tags=False, symmetric=True, priors=exact)
    assert found.lengths == pytest.approx({"trunk": 1.1, "upper": 1.15, "fore": 1.1}, abs=1e-4)
    assert found.static.sum() == 5
    assert len(found.times) == 25
    assert found.times[5:].max() <= 0.98


def test_lengths_measured_on_a_standing_body():
    body = human36()
    truth = scale_figure(body, dict.fromkeys((f"L{n}" for n in range(1, 32)), 1.06))
    static = tags(truth, np.zeros((4, 42)))
    static[0, 3] = np.nan
    found = measured_lengths(body, static, symmetric=True)
    # the distances along limbs are L5, L6, L13 and small parts that follow the height: half a per cent of them
    assert found["L5"] == pytest.approx(1.06, abs=0.01)
    assert found["L6"] == pytest.approx(1.06, abs=0.01)
    assert found["L5"] == found["L15"]
    assert 1.0 < found["L29"] < 1.06  # nothing tells the head's length: it follows the whole size, drawn to 1
    arms = measured_lengths(arm(), tags(scale_figure(arm(), {"upper": 1.1}), arm().neutral())[None])
    assert arms["upper"] == pytest.approx(1.1, abs=0.03)


def test_a_start_can_be_given():
    figure = arm()
    q = moves(figure, 15)
    found = calibrate(figure, tags(figure, q), q0=q, frames=6, tags=False)
    assert found.error_after < 1e-6
    assert calibrate(figure, tags(figure, q[:2]), q0=q[0], tags=False, lengths=["upper"]).lengths.keys() == {"upper"}


def test_a_human36_with_markers_of_its_own():
    body = human36()
    own = tuple(Tag(t.name.upper(), t.segment, t.point) for t in body.tags)
    figure = body.replace(tags=own)
    q = np.random.default_rng(5).normal(0, 0.3, (10, 42))
    found = calibrate(figure, tags(figure, q), frames=5)
    assert set(found.lengths) == set(body.names)
    assert found.error_after < 2e-3


# ---------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"markers": None}, "markers, static, or both"),
        ({"markers": np.zeros((3, 4, 3))}, r"shape \(3, 4, 3\)"),
        ({"markers": "walk.c3d"}, "a Recording of markers"),
        ({"markers": np.full((3, 9, 3), np.nan)}, "no marker is seen"),
        ({"markers": np.where(np.arange(9)[None, :, None] < 2, np.zeros((3, 9, 3)), np.nan)}, "three markers"),
        ({"frames": 0}, "1 or more"),
        ({"max_iterations": 2.5}, "a whole number"),
        ({"method": "magic"}, "joint, alternating"),
        ({"robust": "tukey"}, "geman-mcclure"),
        ({"length_sd": 0.0}, "length_sd.*above zero"),
        ({"tag_sd": "loose"}, "tag_sd"),
        ({"tag_sd": {"nose": 0.01}}, "no such tag"),
        ({"marker_sd": -1.0}, "marker_sd"),
        ({"size_sd": -0.1}, "zero or more"),
        ({"posture_sd": np.inf}, "posture_sd"),
        ({"lengths": ["uper"]}, "Did you mean 'upper'"),
        ({"fixed_tags": ["elbow"]}, "no such tag"),
        ({"weights": {"nose": 1.0}}, "no such tag"),
        ({"weights": np.zeros(9)}, "not all zero"),
        ({"weights": "heavy"}, "9 numbers"),
        ({"q0": np.zeros(5)}, r"shape \(5,\)"),
        ({"q0": "straight"}, "q0"),
    ],
)
def test_bad_input_is_named(given, text):
    figure = arm()
    given = {"markers": tags(figure, moves(figure, 3))} | given
    with pytest.raises(InputError, match=text):
        calibrate(figure, priors=taken_from(given, Priors), estimator=taken_from(given, Estimator), **given)


def test_figures_that_cannot_be_calibrated_are_named():
    with pytest.raises(InputError, match="needs a Figure"):
        calibrate("arm", np.zeros((1, 9, 3)))  # type: ignore[arg-type]
    b = FigureBuilder()
    b.segment("a", None, joints.free())
    with pytest.raises(InputError, match="without tags"):
        calibrate(b.build(), np.zeros((1, 0, 3)))
    b.tag("t", "a", (0, 0, 0))
    b.close("loop", None, (0, 0, 0), "a", (0, 0, 0))
    with pytest.raises(InputError, match="closed loops"):
        calibrate(b.build(), np.zeros((1, 1, 3)))
    with pytest.raises(InputError, match="seen together"):
        measured_lengths(arm(), np.where(np.arange(9)[None, :, None] == 0, np.zeros((2, 9, 3)), np.nan))
    with pytest.raises(InputError, match="no marker"):
        calibrate(arm(), trial(np.zeros((2, 1, 3)), ["NOSE"]))


# ---------------------------------------------------------------- limits
ANKLE = ((-0.9, 0.9), (-0.5, 0.5))  # [rad]


def foot(limits):
    """A shank that floats, an ankle and a foot that turns about its own length, 2 cm above which both its tags lie."""
    b = FigureBuilder(name="foot")
    b.segment("shank", None, joints.free(), mass=3.0)
    ankle = joints.cardan("zx", limits=limits)
    b.segment("foot", "shank", ankle, placement=Transform.translation_of((0, -0.4, 0)), mass=1.0)
    for n, at in enumerate(((0.05, -0.1, 0.0), (0.0, -0.2, 0.06), (-0.05, -0.3, -0.04))):
        b.tag(f"shank{n}", "shank", at)
    b.tag("heel", "foot", (-0.05, -0.02, 0.0))
    b.tag("toe", "foot", (0.15, -0.02, 0.0))
    return b.build()


@pytest.mark.parametrize("limits", [None, ANKLE])
def test_a_foot_with_two_markers_does_not_turn_over_and_no_single_sample_moves_its_toe(limits):
    """Noise would turn the foot about the line of its markers, a lever of 2 cm; one sample has the toe elsewhere."""
    figure, rng, count = foot(limits), np.random.default_rng(0), 20
    truth = figure.replace(tags=tuple(replace(t, point=tuple(t.point + rng.normal(0, 0.005, 3))) for t in figure.tags))
    q = np.repeat(figure.neutral()[None], count, 0)
    q[:, -2:] = rng.uniform((-0.8, -0.3), (0.8, 0.3), (count, 2))
    points = tags(truth, q) + 0.002 * rng.normal(size=(count, 5, 3))
    good = calibrate(figure, points, lengths=False)
    points[7, 4] += (0.0, 0.3, 0.0)
    found = calibrate(figure, points, lengths=False)
    # Tags 5 mm and 2 mm of noise over 2 cm are 0.27 rad: four of these, a third of a half turn.
    other = np.delete(np.arange(count), 7)
    assert np.abs(found.q - q)[other, -1].max() < 1.1
    # Beyond 3 cm the pull of a marker grows no more: one sample of twenty stays within what noise may do.
    assert (np.abs(found.tag_offsets["toe"] - good.tag_offsets["toe"]) < 2 * good.std["toe"]).all()
    assert np.linalg.norm(found.tag_offsets["toe"]) < 0.015
    if limits is not None:
        assert (found.q[:, -2:] >= figure.limits[-2:, 0]).all()
        assert (found.q[:, -2:] <= figure.limits[-2:, 1]).all()


def test_each_sample_has_its_own_weights_and_goals():
    """A sample fitted among others is what it is alone, to the bit: with one weight and one goal for all."""
    body = human36()
    rng = np.random.default_rng(5)
    q = np.zeros((3, 42)) + 0.1 * rng.normal(size=(3, 42))
    points, w = tags(body, q) + 0.01 * rng.normal(size=(3, 28, 3)), rng.uniform(0.1, 1.0, (3, 28))
    goals = 0.2 * rng.normal(size=(3, 42))
    together = fit_postures(body, points, q, weights=w, hold=0.02, toward=goals)
    for k in range(3):
        alone = fit_postures(body, points[[k]], q[[k]], weights=w[k], hold=0.02, toward=goals[[k]])
        np.testing.assert_array_equal(together[k], alone[0])
        # and its gradient is zero: Σ w Jᵀ (point − tag) = hold² (q − goal) of what is no root
        J = tag_jacobians(body, alone[0])
        push = np.einsum("t,tiv,ti->v", w[k], J, points[k] - tags(body, alone[0]))
        push[:36] += 0.02**2 * (goals[k] - alone[0])[:36]
        # of tags that still move by 1e-6 of their distance, 28 of them at 1 m from their axes
        assert np.abs(push).max() < 1e-6 * 28 * 0.02 * 2.0
