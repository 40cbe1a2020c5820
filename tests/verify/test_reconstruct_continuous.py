"""Random smooth motions come back from their markers: angles within their standard deviations, and without jumps."""

import numpy as np
import pytest

import motiform
from motiform import FigureBuilder, Transform, joints
from motiform.base.kernels import threads
from motiform.motion.postures import virtual_markers
from motiform.motion.tree import tag_jacobians

RATE = 100.0
JUMP, SMALL_JUMP = 1.0, 0.02  # [rad] half a turn is 3.1, noise of 5 mm over levers of 5 cm 0.1; without noise
TIMES = np.arange(200)[:, None] / RATE


@pytest.fixture(scope="module")
def man():
    return motiform.figures.human36(1.75, 75.0)


@pytest.fixture(scope="module")
def arm():
    """Three axes, a hinge, and three axes of which the first and the last are alike."""
    b = FigureBuilder()
    b.segment("upper", None, joints.cardan("xyz"), mass=1.0)
    b.segment("fore", "upper", joints.revolute((0, 0, 1)), placement=Transform(np.eye(3), (0, -0.3, 0)), mass=1.0)
    b.segment("hand", "fore", joints.cardan("yxy"), placement=Transform(np.eye(3), (0, -0.25, 0)), mass=1.0)
    for name in ("upper", "fore", "hand"):
        for n, at in enumerate(((0.06, -0.1, 0.0), (0.0, -0.2, 0.07), (-0.04, -0.05, -0.05))):
            b.tag(f"{name}{n}", name, at)
    return b.build()


def gimbal(limits=None):
    """One segment on three axes, with four tags."""
    b = FigureBuilder()
    b.segment("arm", None, joints.cardan("xyz", limits=limits), mass=1.0)
    for n, at in enumerate(((0, -0.3, 0), (0.05, -0.15, 0), (0, -0.2, 0.06), (0, 0, 0.02))):
        b.tag(f"t{n}", "arm", at)
    return b.build()


def waves(rng, middle, half, count):
    return middle + half * np.sin(2 * np.pi * rng.uniform(0.2, 0.8, count) * TIMES + rng.uniform(0, 6.28, count))


def body_motion(man, rng):
    """Limbs that swing widely, shoulders through gimbal locks, elbows bent."""
    names = np.array(man.coordinates)
    q = waves(rng, 0.0, 0.1, man.nq)
    for k in np.flatnonzero([("shoulder" in name) for name in names]):
        q[:, k] = waves(rng, rng.uniform(-0.35, 0.7), rng.uniform(0.35, 1.57), 1)[:, 0]
    q[:, [("elbow" in name) for name in names]] = 0.9 + 0.5 * np.sin(3 * TIMES)
    return q


def arm_motion(rng):
    """The last joint stays 0.4 rad from its lock: nearer to it noise of markers turns it by more than is linear."""
    q = waves(rng, rng.uniform(-0.5, 0.5, 7), rng.uniform(0.2, 1.0, 7), 7)
    q[:, 5] = waves(rng, 1.2, 0.8, 1)[:, 0]
    q[:, 1] *= 0.7
    return q


def untouched(figure, q, seen):
    """Return coordinates without a part in motions that no marker tells with a lever of 5 mm, (nv,).

    Along these noise of some millimetres turns by a radian, and nothing is linear.
    """
    J = tag_jacobians(figure, q)[seen].reshape(-1, figure.nv)
    _, sizes, rows = np.linalg.svd(J, full_matrices=True)
    sizes = np.append(sizes, np.zeros(figure.nv - len(sizes)))
    return (np.abs(rows[sizes < 0.005]) < 1e-3).all(0)


def scores(figure, q, noise, hidden, seed):
    """Return errors over standard deviations of what is told, and changes from sample to sample beyond the truth's.

    The head is checked always, told or not: one marker carries it, and hides.
    """
    rec = motiform.reconstruct(
        figure, virtual_markers(figure, q, rate=RATE, noise=noise, hidden=hidden, seed=seed), dynamics=False
    )
    seen = np.isfinite(rec["markers"][..., 0])
    some = np.arange(0, len(q) - 1, 7)
    untouched_pairs = np.array(
        [untouched(figure, q[k], seen[k]) & untouched(figure, q[k + 1], seen[k + 1]) for k in some]
    )
    away = np.asarray(rec["q"]) - q
    std = np.maximum(rec["std"], 1e-7)  # [rad] rounding of 1e-12 m over levers of 5 mm, where there is no noise
    jump = largest_jump(figure, q, away, seen, JUMP if noise else SMALL_JUMP)
    head = [k for k, name in enumerate(figure.coordinates) if name.startswith("head_")]
    assert np.abs(np.diff(away[:, head], axis=0)).max(initial=0.0) < 0.5 * JUMP
    return np.abs(away / std)[some][untouched_pairs], jump, float(np.nanmax(rec["error.rms"]))


def largest_jump(figure, q, away, seen, least):
    """Return the largest change of the errors above `least`, from sample to sample, where both tell the coordinate."""
    change = np.abs(np.diff(away, axis=0))
    for k in np.flatnonzero((change > least).any(1)):
        both = untouched(figure, q[k], seen[k]) & untouched(figure, q[k + 1], seen[k + 1])
        change[k] = np.where(both, change[k], 0.0)
    return float(change.max())


NOISES = [(0.0, 0.0), (0.0, 0.1), (0.002, 0.0), (0.002, 0.1), (0.005, 0.0), (0.005, 0.1)]


def check(figure, motion, count, noise, hidden, seed=0):
    """99 % within three standard deviations (99.7 % if all were linear); no change that noise does not explain."""
    every = []
    for k in range(count):
        score, jump, rms = scores(figure, motion(np.random.default_rng(seed + k)), noise, hidden, seed + k)
        every.append(score)
        assert jump < (JUMP if noise else SMALL_JUMP), k
        assert noise or rms < 1e-6, k
    assert (np.concatenate(every) < 3.0).mean() > 0.99


@pytest.mark.parametrize(("noise", "hidden"), NOISES)
def test_a_chain_of_joints(arm, noise, hidden):
    check(arm, arm_motion, 2, noise, hidden)


def test_a_body(man):
    check(man, lambda rng: body_motion(man, rng), 1, 0.0, 0.0)


def test_no_sample_goes_out_of_its_way(man):
    """A forearm with levers of 1 mm has a second posture, 11° away, with the same markers: no sample takes it alone."""
    names, rng, times = list(man.coordinates), np.random.default_rng(0), np.arange(300)[:, None] / RATE
    turns = ("abduction", "external_rotation", "flexion")
    shoulders = [names.index(f"{side}_shoulder_{turn}") for side in ("right", "left") for turn in turns]
    for _ in range(3):  # the third motion
        q = 0.1 * np.sin(np.pi * times + rng.uniform(0, 6.28, man.nq))
        for k in shoulders:
            middle, half, hertz, phase = (rng.uniform(*ends) for ends in ((-20, 40), (20, 90), (0.2, 0.8), (0, 6.28)))
            q[:, k] = np.deg2rad(middle + half * np.sin(2 * np.pi * hertz * times[:, 0] + phase))
    q[:, [("elbow" in name) for name in names]] = 0.9 + 0.5 * np.sin(3 * times)
    rec = motiform.reconstruct(man, virtual_markers(man, q, rate=RATE), dynamics=False)
    steps = [np.abs(np.diff(path, axis=0)).max(0) for path in (np.asarray(rec["q"]), q)]
    assert (steps[0] - steps[1]).max() < np.deg2rad(0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "hidden"), NOISES)
def test_two_hundred_motions(man, arm, noise, hidden):
    check(man, lambda rng: body_motion(man, rng), 14, noise, hidden, seed=100)
    check(arm, arm_motion, 20, noise, hidden, seed=100)


@pytest.mark.parametrize("limits", [None, [(-np.pi, np.pi)] * 3])
def test_angles_go_on_through_gimbal_locks(limits):
    """Without noise every angle goes on as the truth does, through locks and half turns; limits are no walls."""
    figure = gimbal(limits)
    for k in range(8):
        rng = np.random.default_rng(k)
        q = waves(rng, np.deg2rad(rng.uniform(-40, 40, 3)), np.deg2rad(rng.uniform(20, 100, 3)), 3)
        rec = motiform.reconstruct(figure, virtual_markers(figure, q, rate=RATE), dynamics=False)
        assert np.abs(np.diff(rec["q"] - q, axis=0)).max() < 1e-4  # levers at a lock are 1e-3 and less of the others
        assert rec["error.rms"].max() < 1e-9


def test_blocks_and_threads_do_not_matter(arm, monkeypatch):
    from motiform.motion.postures.fit import search

    markers = virtual_markers(arm, arm_motion(np.random.default_rng(3)), rate=RATE, noise=0.002)
    found = []
    for block, count in ((64, 1), (64, 2), (23, 2)):
        monkeypatch.setattr(search, "BLOCK", block)
        with threads(count):
            found.append(np.asarray(motiform.reconstruct(arm, markers, dynamics=False)["q"]))
    assert np.array_equal(found[0], found[1])
    assert np.abs(found[0] - found[2]).max() < 1e-3  # settled to 1e-4 of the residual from either side


@pytest.mark.parametrize("size", [0.2, 1.0])
def test_what_is_left_undone_would_change_nothing(arm, monkeypatch, size):
    """Paths that are their own nearest, and markers that are nowhere else, are not looked for: the same bits."""
    from motiform.motion.postures.fit import swaps, unwind

    q = size * arm_motion(np.random.default_rng(4))
    markers = virtual_markers(arm, q, rate=RATE, noise=0.002)
    found = [np.asarray(motiform.reconstruct(arm, markers, dynamics=False)["q"])]
    monkeypatch.setattr(unwind, "_even", lambda *given: False)
    monkeypatch.setattr(swaps, "_some_stray", lambda *given: True)
    found.append(np.asarray(motiform.reconstruct(arm, markers, dynamics=False)["q"]))
    assert np.array_equal(*found)


def test_a_head_that_hides_does_not_leap(man):
    """One marker carries the head. Where it hides, or other markers do, noise of 2 mm would turn the head by 1.9 rad:
    two postures have the same markers but for less than that noise."""
    names, q = list(man.coordinates), body_motion(man, np.random.default_rng(104))[:80]
    markers = virtual_markers(
        man, body_motion(man, np.random.default_rng(104)), rate=RATE, noise=0.002, hidden=0.1, seed=104
    )
    own = markers.channel("markers")
    some = motiform.Recording.from_arrays(
        {"markers": (own, np.asarray(markers["markers"])[:80])}, manifest=markers.manifest
    )
    away = np.asarray(motiform.reconstruct(man, some, dynamics=False)["q"]) - q
    steps = np.abs(np.diff(away, axis=0))
    head = [k for k, name in enumerate(names) if name.startswith("head_")]
    assert steps[:, head].max() < 0.1  # 2 mm over a lever of 0.2 m, and the trunk's, five times
    assert steps.max() < JUMP


def test_curves_through_what_is_determined_are_those_of_dense_matrices():
    """The minimum, and the diagonal of the inverse, of Σ w (x − y)² + xᵀ S x."""
    from motiform.motion.postures.fit.hidden import _smooth, _stiffness

    rng = np.random.default_rng(0)
    stiff = 1e-6 * _stiffness(np.cumsum(rng.uniform(0.005, 0.02, 30)))
    weight, value = rng.random((30, 3)) * (rng.random((30, 3)) > 0.3), rng.normal(size=(30, 3))
    found, inverse = _smooth(stiff, weight, value)
    for k in range(3):
        lower = np.diag(stiff[1, :-1], -1) + np.diag(stiff[2, :-2], -2)
        dense = np.linalg.inv(np.diag(stiff[0] + weight[:, k]) + lower + lower.T)
        np.testing.assert_allclose(found[:, k], dense @ (weight[:, k] * value[:, k]), atol=1e-10)
        np.testing.assert_allclose(inverse[:, k], np.diag(dense), rtol=1e-10)


def test_hidden_coordinates_are_between_their_neighbours(arm):
    """A hand without markers for a tenth of a second errs by what motion allows: a cubic over a gap of T seconds by
    T⁴ / 384 times the fourth derivative, (2π 0.8)⁴ rad/s⁴ at most, and 1 rad of amplitude."""
    q = arm_motion(np.random.default_rng(5))
    markers = virtual_markers(arm, q, rate=RATE)
    points = np.array(markers["markers"])
    points[100, 6:] = np.nan
    points[140:150, 6:] = np.nan
    points[170:174] = np.nan
    hidden = motiform.Recording.from_arrays(
        [markers.channel("markers")], {"markers": points}, manifest=markers.manifest
    )
    rec = motiform.reconstruct(arm, hidden, dynamics=False)
    away = np.abs(np.asarray(rec["q"]) - q)
    assert away[100].max() < 0.001
    assert away[140:150].max() < 0.02
    assert away[170:174].max() < 0.01
    assert (rec["status"][170:174] == 2).all()


def test_a_limit_that_binds_is_reported():
    figure = gimbal([(-3, 3), (-0.5, 0.5), (-3, 3)])
    q = np.zeros((200, 3))
    q[:, 1] = 0.8 * np.sin(2 * np.pi * 0.5 * TIMES[:, 0])
    rec = motiform.reconstruct(figure, virtual_markers(figure, q, rate=RATE), dynamics=False)
    events = [event for event in rec.events if event.name.startswith("at its limit")]
    assert len(events) == 2
    beyond = np.flatnonzero(np.abs(q[:, 1]) > 0.5)
    assert events[0].time == pytest.approx(beyond[0] / RATE, abs=0.011)
    assert sum(event.detail["samples"] for event in events) == pytest.approx(len(beyond), abs=4)


def test_hidden_ends_come_to_rest(arm):
    """A hand that turns at 6 rad/s when its markers hide for good goes on by 6 × 0.05 rad at most, and stays there."""
    q = arm_motion(np.random.default_rng(5))
    q[:, 3] = 6.0 * (TIMES[:, 0] - 1.0)
    markers = virtual_markers(arm, q, rate=RATE)
    points = np.array(markers["markers"])
    points[:60, 3:] = np.nan
    points[140:, 3:] = np.nan
    own = markers.channel("markers")
    hidden = motiform.Recording.from_arrays({"markers": (own, points)}, manifest=markers.manifest)
    found = np.asarray(motiform.reconstruct(arm, hidden, dynamics=False)["q"])
    for end, last in ((found[:60, 3][::-1], q[60, 3]), (found[140:, 3], q[139, 3])):
        gone = np.abs(end - last)
        assert (np.diff(gone) > -1e-6).all()
        assert gone[-1] == pytest.approx(6.0 * 0.05, rel=0.05)


def leg(misplaced: float):
    """Shank, foot and toes that one marker tells, 4 cm from their hinge; tags off their markers by so much [m]."""
    rng, b = np.random.default_rng(3), FigureBuilder()
    b.segment("shank", None, joints.free(), mass=3.0)
    b.segment("foot", "shank", joints.cardan("zxy"), placement=Transform(np.eye(3), (0, -0.4, 0)), mass=1.0)
    b.segment("toes", "foot", joints.revolute((0, 0, 1)), placement=Transform(np.eye(3), (0.14, -0.03, 0)), mass=0.2)
    places = {
        "shank": [(0.05, -0.1, 0), (0, -0.2, 0.06), (-0.05, -0.3, 0), (0, -0.38, 0.05)],
        "foot": [(-0.05, -0.02, 0), (0.08, 0.0, 0.04), (0.08, 0.0, -0.04)],
        "toes": [(0.04, 0.01, 0.0)],
    }
    for name, points in places.items():
        for n, point in enumerate(points):
            b.tag(f"{name}{n}", name, np.array(point) + misplaced * rng.normal(size=3))
    return b.build()


def quick_toes(true):
    """Of a sprinter: 63° in a tenth of a second, (300, nq) at 250 Hz."""
    w, q = 2 * np.pi * 2 * np.arange(300) / 250, np.tile(true.neutral(), (300, 1))
    q[:, -1] = 0.5 * np.maximum(0, np.sin(w)) ** 4 + 0.3 * np.sin(w)
    q[:, -4] = 0.5 * np.sin(w + 1)
    return q


def test_a_misfit_of_the_model_moves_no_coordinate_aside():
    """Tags 12 mm off in each direction, noise of 0.2 mm: every sample is the minimum of its own markers."""
    from motiform.motion.postures.fit.fitter import Fitter

    true, model = leg(0.0), leg(0.012)
    rec = virtual_markers(true, quick_toes(true), rate=250.0, noise=2e-4, seed=1)
    found = motiform.reconstruct(model, rec)
    fitter = Fitter(model, np.ones(len(model.tags)), model.neutral())
    alone = fitter.fit(np.asarray(rec["markers"]), np.asarray(found["q"]))
    assert (np.asarray(found["error.rms"]) - alone.rms).max() < 1e-9
    assert not np.asarray(found["interpolated"]).any()
    # a marker at 4 cm from its hinge, seen 12 mm off: the angle by the arc is known to 12/40 of itself
    assert np.ptp(np.asarray(found["q"])[:, -1]) > (1 - 12 / 40) * np.ptp(quick_toes(true)[:, -1])


def test_what_is_interpolated_is_told_and_can_be_turned_off():
    """Toes without their marker for a while."""
    from motiform.motion.postures import Fit

    true = leg(0.0)
    rec = virtual_markers(true, quick_toes(true), rate=250.0, noise=2e-4, seed=1)
    markers = np.array(rec["markers"])
    markers[100:120, -1] = np.nan
    markers[200:203] = np.nan
    rec = motiform.record.Recording.from_arrays({"markers": (rec.channel("markers"), markers)}, manifest=rec.manifest)
    told = np.asarray(motiform.reconstruct(true, rec)["interpolated"])
    expected = np.zeros_like(told)
    expected[100:120, -1] = expected[200:203] = 1
    np.testing.assert_array_equal(told, expected)
    plain = motiform.reconstruct(true, rec, fit=Fit(interpolate=False))
    expected[100:120] = 0
    np.testing.assert_array_equal(np.asarray(plain["interpolated"]), expected)
