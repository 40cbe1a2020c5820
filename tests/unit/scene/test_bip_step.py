"""Bip takes its step: the foot lands, the centre of pressure stays under the feet, phases follow the codes."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import motiform as mf
from motiform import actuation
from motiform.base.errors import MotiformError
from motiform.motion.figures import bip
from motiform.motion.figures.bip_table import CONTACTS
from motiform.motion.tree import forward_kinematics, tags


def step(**settings):
    return mf.simulate("bip-one-step", settings={f"figure.bip.step.{name}": value for name, value in settings.items()})


def corners(robot, q):
    """Corners of both soles, (samples, 2, 4, 3)."""
    x = tags(robot, q)
    places = [[robot.tag_names.index(tag) for tag in CONTACTS[foot]] for foot in ("right_foot", "left_foot")]
    return np.stack([x[:, own] for own in places], axis=1)


def margins(robot, rec):
    """Distance of the centre of pressure from the edge of the feet that carry [m], below zero outside, (samples,)."""
    soles, load, pressure = corners(robot, rec["q"]), rec["motors.load"], rec["motors.center_of_pressure"]
    out = np.full(len(load), np.nan)
    for k in range(len(load)):
        carry = load[k] > 1.0
        if carry.any():
            hull = ConvexHull(soles[k, carry][..., [0, 2]].reshape(-1, 2)).equations
            out[k] = -(hull[:, :2] @ pressure[k] + hull[:, 2]).max()
    return out


@pytest.fixture(scope="module")
def walked():
    return step()


def test_it_stands_before_the_first_command():
    """Voltages of a robot that stands hold until the first command: its feet carry its weight in every step, which a
    control that forgoes 1e-2 N, and a sampled one with noise of 2e-5 rad at a stiffness of (2 pi 1.5 Hz)^2 per unit of
    inertia, 2e-5 * 89 / 9.81 = 2e-4 of it, leave within 1e-3."""
    short = mf.simulate("bip-one-step", settings={"scene.duration": 0.01, "scene.rate": 1000})
    weight = bip().mass * 9.81
    np.testing.assert_allclose(short["contact.force"][:, :, 1].sum(1), weight, rtol=1e-3)


@pytest.mark.slow
def test_the_swing_foot_lands_where_it_is_commanded(walked):
    robot = bip()
    soles = corners(robot, walked["q"])
    middle = soles[:, 1].mean(1)
    assert middle[-1, 0] - middle[0, 0] == pytest.approx(0.15, abs=5e-3)
    assert np.abs(soles[-1, ..., 1]).max() < 1e-3  # both feet are flat on the ground
    assert middle[:, 1].max() > 0.04  # it was lifted
    slip = soles[:, 0] - soles[0, 0]
    assert np.abs(slip).max() < 2e-3  # the foot that carries stays


@pytest.mark.slow
def test_the_centre_of_pressure_stays_under_the_feet(walked):
    """Forces of contacts that press cannot be centred elsewhere; that it keeps off the edges is the control's."""
    robot = bip()
    t, found = walked.time("q"), margins(robot, walked)
    assert found[t > 0.1].min() > 0.0
    assert np.median(found[t > 0.1]) > 0.02


@pytest.mark.slow
def test_the_observed_base_is_near_the_true_one(walked):
    """A sample at an instant of a call has what was observed at the call before. With joints known to 2e-5 rad over
    six joints of a leg of 0.9 m, the base is known to about 2e-5 · 0.9 √6 = 4e-5 m at a call; a new reference at each
    landing adds as much, and feet that slip or rock by what the steps of the run leave, 0.1 mm and some."""
    names = walked.manifest["labels"]["coordinate"]
    at = [k for k, name in enumerate(names) if name.startswith("pelvis_")]
    error = np.abs(walked["motors.observed"][1:] - walked["q"][:-1][:, at]).max(1)
    assert error[walked.time("q")[1:] > 0.1].max() < 5e-4
    assert np.median(error) < 1e-4


@pytest.mark.slow
def test_contact_phases_follow_the_codes(walked):
    t, load, code = walked.time("q"), walked["motors.load"], walked["motors.contact"][:, 0]
    swing, firm = (t > 1.4 + 0.15) & (t < 2.6 - 0.15), (t > 0.2) & (t < 1.4 - 0.15) | (t > 2.6 + 0.15)
    assert (code[swing] == 1).all()
    assert load[swing, 1].max() < 40.0  # the left foot is in the air
    assert (code[firm] == 3).all()
    assert load[firm].min() > 0.0  # both carry
    weight = bip().mass * 9.81
    assert np.abs(load.sum(1)[t > 0.1].mean() / weight - 1) < 0.05


@pytest.mark.slow
def test_a_delay_costs_margin(walked):
    """The same step with voltages that take hold 20 ms late: it lands, too, but errors of the task function grow."""
    late = step(delay=0.02)
    robot = bip()
    soles = corners(robot, late["q"])
    assert np.abs(soles[-1, ..., 1]).max() < 2e-3
    on = walked.time("q") > 0.1
    errors = [np.sqrt((rec["motors.task"][on] ** 2).mean()) for rec in (walked, late)]
    assert errors[1] > 1.2 * errors[0]


@pytest.mark.slow
def test_the_same_bits_again(walked):
    again = mf.simulate("bip-one-step", settings={"scene.duration": 0.3})
    count = again.count("q")
    np.testing.assert_array_equal(again["q"], walked["q"][:count])


@pytest.mark.slow
def test_a_step_from_a_file_is_the_same_run(tmp_path):
    """The step of the scene, written as the document's numbers and read again; the shipped file is that step, too."""
    made = actuation.bip_step(layout="humans")
    path = actuation.write_traj3(made.trajectory, tmp_path / "OneStep.traj3")
    scene = mf.load_scene("bip-one-step")
    (tmp_path / "walk.toml").write_text(scene.text, "utf-8")
    settings = {"scene.duration": 0.4, "figure.bip.step.layout": "humans"}
    whole = mf.simulate("bip-one-step", settings=settings)
    settings["figure.bip.step.trajectory"] = path.name
    read = mf.simulate(tmp_path / "walk.toml", settings=settings)
    for name in whole.names:
        np.testing.assert_array_equal(read[name], whole[name], err_msg=name)
    shipped = actuation.read_traj3(scene.folder / "OneStep.traj3")
    np.testing.assert_allclose(shipped.poses, made.trajectory.poses, atol=1e-9)  # other processors round otherwise
    assert list(shipped.times) == list(made.trajectory.times)
    assert list(shipped.contacts) == list(made.trajectory.contacts)


@pytest.mark.slow
def test_a_transition_is_a_phase_of_its_own(tmp_path):
    """0.2 s at rest above the right foot with code 5, both feet on the ground, before the left one is lifted."""
    step = actuation.bip_step(layout="humans").trajectory
    poses = np.asarray(step.poses)
    longer = actuation.TaskTrajectory([0.2, 1.4, 1.6], [3, 5], [*poses[:3], poses[2], poses[2]])
    actuation.write_traj3(longer, tmp_path / "shift.traj3")
    (tmp_path / "walk.toml").write_text(mf.load_scene("bip-one-step").text, "utf-8")
    settings = {"figure.bip.step.layout": "humans", "figure.bip.step.trajectory": "shift.traj3"}
    rec = mf.simulate(tmp_path / "walk.toml", settings=settings | {"scene.duration": 1.8})
    t, code = rec.time("q"), rec["motors.contact"][:, 0]
    assert set(code[(t > 0.1) & (t < 1.38)]) == {3}
    assert set(code[t > 1.43]) == {5}
    # the centre of mass is above the middle of the right sole: its edge is 0.09 m outward, the left one is 0.22 m away
    assert rec["motors.load"][-1, 0] > 0.22 / (0.22 + 0.09) * bip().mass * 9.81
    robot = bip()
    assert np.abs(corners(robot, rec["q"])[-1, ..., 1]).max() < 1e-3


def test_trajectories_that_do_not_fit_are_refused(tmp_path):
    scene = mf.load_scene("bip-one-step")
    (tmp_path / "walk.toml").write_text(scene.text, "utf-8")
    settings = {"figure.bip.step.trajectory": "OneStep.traj3"}
    with pytest.raises(MotiformError, match="no such file"):
        mf.load_scene(tmp_path / "walk.toml", settings=settings).build()
    with pytest.raises(MotiformError, match="layout 'turns' or 'humans'"):
        mf.load_scene("bip-one-step", settings=settings).build()
    with pytest.raises(MotiformError, match="has its own length"):
        mf.load_scene("bip-one-step", settings=settings | {"figure.bip.step.length": 0.2})


def test_the_scene_says_what_a_step_needs():
    built = mf.load_scene("bip-one-step").build()
    walker = built.arguments["controls"][0]
    wanted = walker.control(0.0, built.arguments["q0"], np.zeros(21))
    assert wanted.missing < 1e-2  # N: it stands
    assert wanted.forces[:, 1].sum() == pytest.approx(built.model.mass * 9.81, rel=1e-3)
    turned = forward_kinematics(built.model, built.arguments["q0"]).rotation
    assert np.isfinite(turned).all()
    with pytest.raises(MotiformError, match="cannot reach a pose"):
        mf.load_scene("bip-one-step", settings={"figure.bip.step.length": 1.5}).build()
