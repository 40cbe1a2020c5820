import numpy as np
import pytest
from numpy.testing import assert_allclose

from models import free_body
from motiform import Recording
from motiform.base.errors import InputError
from motiform.motion import tree
from motiform.motion.figures import human36
from motiform.motion.postures.derivatives import velocities
from motiform.motion.postures.dynamics.efforts import efforts, residual_report
from motiform.record import Channel
from motiform.spatial import exp_quaternion

RATE, SAMPLES = 100.0, 160
UP = np.array([0.0, 1.0, 0.0])


def one_leg_stand():
    """A man who stands on his right foot, the left one lifted, and moves all joints a little."""
    man = human36()
    t = np.arange(SAMPLES) / RATE
    stand = man.configuration(left_hip_flexion=0.6, left_knee_extension=-1.2)
    rng = np.random.default_rng(7)
    phase, rate = rng.uniform(0, 6, man.nv), rng.uniform(2, 6, man.nv)  # rad, rad/s
    return man, t, stand + 0.01 * rng.normal(size=man.nv) * np.sin(np.outer(t, rate) + phase)


def newton_euler(figure, q, v, a):
    """Moment about the world's origin and force that must act from outside, beside gravity, (samples, 6).

    From the centres of mass alone: Σ m (ẍ − g), Σ x × m (ẍ − g) + d(I ω)/dt.
    """
    moving = tree.motion(figure, q, v, a)
    R, p = moving.poses
    mass = np.array([s.mass for s in figure.segments])
    com = np.array([s.com for s in figure.segments])
    I = np.array([s.inertia for s in figure.segments])
    r = (R @ com[:, :, None])[..., 0]
    o, do = moving.twists[..., :3], moving.accelerations[..., :3]
    acceleration = moving.accelerations[..., 3:] + np.cross(do, r) + np.cross(o, np.cross(o, r))
    force = mass[:, None] * (acceleration - np.array(figure.gravity))
    world = R @ I @ np.swapaxes(R, -1, -2)
    turn = (world @ do[..., None])[..., 0] + np.cross(o, (world @ o[..., None])[..., 0])
    return np.concatenate([(np.cross(p + r, force) + turn).sum(-2), force.sum(-2)], axis=-1)


def plates_of(wrenches, rate=RATE, corners=None, moment=True, **manifest):
    """A recording of plates on the ground from wrenches (samples, plates, 6) about the world's origin."""
    wrenches = np.asarray(wrenches)
    count = wrenches.shape[1]
    M, F = wrenches[..., :3], wrenches[..., 3:]
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.cross(UP, M) / F[..., 1:2]
    free = ((M - np.cross(p, F)) * UP).sum(-1)
    vector = {"dims": ("plate", "axis"), "shape": (count, 3), "rate": rate}
    data = {
        "plate.force": (Channel("plate.force", unit="N", **vector), F),
        "plate.center_of_pressure": (Channel("plate.center_of_pressure", unit="m", **vector), p),
        "plate.free_moment": (
            Channel("plate.free_moment", unit="N m", dims=("plate",), shape=(count,), rate=rate),
            free,
        ),
    }
    if moment:
        data["plate.moment"] = (Channel("plate.moment", unit="N m", **vector), M)
    if corners is not None:
        manifest["plates"] = [{"corners": np.asarray(c).tolist(), "normal": UP.tolist()} for c in corners]
    return Recording.from_arrays(data, manifest=manifest)


@pytest.mark.parametrize("moment", [True, False])
def test_a_plate_that_tells_the_whole_ground_leaves_no_residual(moment):
    man, t, q = one_leg_stand()
    moved = velocities(man, t, q, cutoff=None)
    whole = newton_euler(man, *moved)
    # The force acts where it must for this motion, about under the centre of mass, which is near enough to the foot.
    found = efforts(man, t, *moved, plates_of(whole[:, None], moment=moment), feet=["right_foot"], cutoff=None)
    assert (found.foot_of_plate == 0).all()
    weight = man.mass * 9.81
    size = np.abs(whole).max() + weight
    assert found.report["weight"] == pytest.approx(716.13, rel=1e-12)  # N: 73 kg
    # Sums of 17 segments over chains of at most 6 joints, each term up to `size`: some 100 roundings.
    assert np.abs(found.residual).max() <= 200 * np.finfo(float).eps * size
    root = [man.coordinates.index(name) for name in man.coordinates if name.startswith("pelvis_")]
    assert np.abs(found.effort[:, root]).max() <= 200 * np.finfo(float).eps * size
    assert found.report["force_rms_relative"] <= 200 * np.finfo(float).eps * size / weight
    assert_allclose(found.powers, found.effort * moved.v)
    again = efforts(man, t, *moved, found.assignment)
    assert_allclose(again.effort, found.effort, rtol=0, atol=0)
    with pytest.raises(InputError, match="must have the samples of the motion"):
        efforts(man, t[:-1], *(x[:-1] for x in moved), found.assignment)


def test_the_ankle_carries_what_the_ground_does_to_the_foot():
    man, t, q = one_leg_stand()
    moved = velocities(man, t, q, cutoff=None)
    whole = newton_euler(man, *moved)
    found = efforts(man, t, *moved, plates_of(whole[:, None]), feet=["right_foot"], cutoff=None)
    # The foot alone, about the ankle: what the shank does is its change of momentum less gravity and the ground.
    moving = tree.motion(man, *moved)
    n, shank = man.index("right_foot"), man.index("right_shank")
    segment = man.segments[n]
    R, ankle = moving.poses.rotation[:, n], moving.poses.position[:, n]
    r = R @ segment.com
    o, do = moving.twists[:, n, :3], moving.accelerations[:, n, :3]
    x = moving.accelerations[:, n, 3:] + np.cross(do, r) + np.cross(o, np.cross(o, r))
    world = R @ segment.inertia @ np.swapaxes(R, -1, -2)
    spin = (world @ do[..., None])[..., 0] + np.cross(o, (world @ o[..., None])[..., 0])
    ground = whole[:, :3] - np.cross(ankle, whole[:, 3:])
    moment = spin + np.cross(r, segment.mass * (x - np.array(man.gravity))) - ground
    axis = moving.poses.rotation[:, shank, :, 2]  # dorsiflexion is about the shank's z
    expected = (moment * axis).sum(-1)
    k = man.coordinates.index("right_ankle_dorsiflexion")
    assert_allclose(found.effort[:, k], expected, atol=200 * np.finfo(float).eps * np.abs(whole).max())


def test_without_plates_the_residual_is_the_ground():
    man, t, q = one_leg_stand()
    moved = velocities(man, t, q, cutoff=None)
    whole = newton_euler(man, *moved)
    found = efforts(man, t, *moved)
    p = tree.forward_kinematics(man, q).position[:, 0]
    atol = 200 * np.finfo(float).eps * (np.abs(whole).max() + 716)
    assert_allclose(found.residual[:, 3:], whole[:, 3:], atol=atol)
    assert_allclose(found.residual[:, :3], whole[:, :3] - np.cross(p, whole[:, 3:]), atol=atol)
    # and it is the effort of the root's coordinates: Jᵀ times it
    J = tree.jacobian(man, q, "lower_trunk")
    root = [k for k, name in enumerate(man.coordinates) if name.startswith("pelvis_")]
    assert_allclose(found.effort[:, root], (np.swapaxes(J, -1, -2) @ found.residual[..., None])[:, root, 0], atol=atol)
    assert found.foot_of_plate.shape == (SAMPLES, 0)
    assert found.report["force_rms_relative"] == pytest.approx(1.0, abs=0.05)  # it carries itself


def test_a_thrown_body_has_no_residual():
    """Free flight with a steady spin about a principal axis: nothing acts, so nothing is left."""
    body = free_body(mass=2.0, inertia=(0.1, 0.2, 0.3))
    h = 0.01
    t = np.arange(200) * h
    place = np.stack([3 * t, 1 + 5 * t - 9.81 / 2 * t**2, 0 * t], axis=1)
    q = np.concatenate([place, exp_quaternion(np.outer(t, (0.0, 0.0, 4.0)))], axis=1)
    found = efforts(body, t, *velocities(body, t, q, cutoff=None))
    # The spline's second derivative of a quaternion at 2 rad/s errs by (2 h)⁴/720 · 4 rad/s² inside, more at its ends
    # (one-sided formulas: up to 100 times), and rounding ε / h² of places of 10 m.
    bound = 100 * (2 * h) ** 4 / 720 * 4 + 1e3 * np.finfo(float).eps * 10 / h**2
    assert np.abs(found.residual).max() <= 2.0 * bound
    assert np.abs(found.effort).max() <= 2.0 * bound


def test_samples_with_nan_give_nan_and_leave_the_others_alone():
    man, t, q = one_leg_stand()
    moved = velocities(man, t, q, cutoff=None)
    whole = newton_euler(man, *moved)
    rec = plates_of(whole[:, None])
    full = efforts(man, t, *moved, rec, feet=["right_foot"], cutoff=None)
    q2 = moved.q.copy()
    q2[50] = np.nan
    holed = efforts(man, t, q2, moved.v, moved.a, rec, feet=["right_foot"], cutoff=None)
    assert np.isnan(holed.effort[50]).all()
    assert np.isnan(holed.residual[50]).all()
    others = np.arange(SAMPLES) != 50
    assert_allclose(holed.effort[others], full.effort[others], rtol=0, atol=0)
    assert holed.report["samples"] == full.report["samples"] - 1


@pytest.mark.parametrize("samples", [1, 2, 5])
def test_trials_without_a_posture_or_of_few_samples(samples):
    man = human36()
    t = np.arange(samples) / RATE
    rec = plates_of(np.tile([0.0, 0, 0, 0, 700.0, 0], (20, 1, 1)), corners=[np.zeros((4, 3)) + np.eye(4, 3)])
    nothing = np.full((samples, man.nv), np.nan)
    found = efforts(man, t, nothing, nothing, nothing, rec, cutoff=None)
    assert np.isnan(found.effort).all()
    assert found.report == {"samples": 0.0}
    assert not found.assignment.known.any()
    still = np.zeros((samples, man.nv))
    assert np.isfinite(efforts(man, t, still, still, still, rec, cutoff=None).effort).all()


def test_the_report_tells_root_mean_squares():
    man = human36()
    residual = np.zeros((4, 6))
    residual[:, 4] = [3.0, -3.0, 3.0, 300.0]
    residual[:, 0] = [0.0, 0.0, 4.0, 0.0]
    report = residual_report(man, np.zeros((4, 42)), residual, np.array([True, True, True, False]))
    assert report["samples"] == 3
    assert report["force_rms"] == pytest.approx(3.0)
    assert report["moment_peak"] == 4.0
    height = tree.centers_of_mass(man, np.zeros(42))[-1, 1]  # the soles are at zero
    assert report["moment_rms_relative"] == pytest.approx(4.0 / np.sqrt(3) / (73 * 9.81 * height))
    assert residual_report(man, np.zeros((1, 42)), np.full((1, 6), np.nan)) == {"samples": 0.0}


def test_wrong_input_is_refused():
    man, t, q = one_leg_stand()
    v = np.zeros((SAMPLES, man.nv))
    with pytest.raises(InputError, match="v must have one row for each sample"):
        efforts(man, t, q, v[:-1], v)
    with pytest.raises(InputError, match="q must have one row for each sample"):
        efforts(man, t, q[:, :-1], v, v)
    with pytest.raises(InputError, match="no force plate"):
        efforts(man, t, q, v, v, Recording.from_arrays({"x": (Channel("x", rate=1.0), [0.0])}))
