"""Actuators, springs, keyframes and contacts of a file are those of MuJoCo."""

import numpy as np
import pytest

from motiform.motion.robots import ActuatorControl, WeightCompensation, read_robot
from motiform.motion.tree import FigureState, forward_kinematics

mujoco = pytest.importorskip("mujoco")

ROBOT = """
<mujoco>
  <compiler angle="degree"/>
  <option timestep="0.003"/>
  <default>
    <general biastype="affine" ctrlrange="-2 2" forcerange="-30 30"/>
    <default class="soft"><general gainprm="40" biasprm="1 -30 -2"/></default>
    <default class="servo"><position kp="25" kv="3" forcerange="-20 20"/></default>
  </default>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1" zaxis="0.1 0 1"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="box" type="box" size="0.2 0.1 0.1" euler="10 20 30"/>
      <body name="b" pos="0.2 0 0" gravcomp="0.7">
        <joint name="i" axis="0 1 0" range="-90 60" stiffness="7" springref="20"/>
        <geom name="capsule" type="capsule" size="0.05 0.2" euler="30 0 40"/>
        <body name="c" pos="0.2 0 0"><joint name="j" type="slide" axis="1 0 1" range="-0.5 0.2" armature="0.3"/>
          <joint name="k" axis="1 0 0" stiffness="2"/><geom name="ball" size="0.1" pos="0.1 0 0"/>
          <body name="d" pos="0.2 0 0" gravcomp="1.2"><joint name="l" axis="0 1 0"/>
            <geom size="0.1" pos="0.1 0 0" contype="0" conaffinity="0"/></body></body></body>
    </body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="k" coef="2"/><joint joint="l" coef="-0.5"/></fixed></tendon>
  <equality><joint joint1="l" joint2="k" polycoef="0 0.5 0.2"/></equality>
  <actuator>
    <motor name="m" joint="i" gear="3" ctrlrange="-1 1"/>
    <position name="p" joint="i" class="servo" gear="2"/>
    <position name="r" joint="j" kp="50" dampratio="0.8" inheritrange="1"/>
    <position name="s" joint="k" class="soft"/>
    <velocity name="v" joint="k" kv="5" ctrllimited="false"/>
    <general name="g" joint="l" class="soft"/>
    <position name="e" tendon="t" kp="9" dampratio="1" gear="1.5"/>
    <damper name="left" joint="l" kv="1" ctrlrange="0 1"/>
    <motor name="n" joint="l"/>
  </actuator>
  <keyframe>
    <key name="k1" qpos="1 2 3 0 1 0 0 0.1 0.2 0.3 0.4" ctrl="1 2 3 4 5 6 7 8 9"/><key time="1"/>
    <key qpos="0 0 2 0 0 0 0 0 0 0 0"/>
  </keyframe>
</mujoco>
"""
KEPT = ["m", "p", "r", "s", "v", "g", "e", "n"]


@pytest.fixture
def both(tmp_path):
    (tmp_path / "robot.xml").write_text(ROBOT)
    with pytest.warns(UserWarning, match="actuators of kind <damper>"):
        robot = read_robot(tmp_path / "robot.xml", ties="exact")
    return robot, mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))


def random_state(model, rng):
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = rng.uniform(-0.5, 0.5, model.nq), rng.standard_normal(model.nv)
    data.qpos[3:7] = rng.standard_normal(4)
    data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
    data.ctrl[:] = rng.uniform(-3, 3, model.nu)
    return data


def test_actuators_and_springs_are_those_of_mujoco(both):
    """Plain arithmetic on both sides: some ten products of numbers up to 1e3, so 1e-12 of them."""
    robot, model = both
    assert [actuator.name for actuator in robot.actuators] == KEPT
    tree = robot.figure.replace(couplings=())
    rng, kept = np.random.default_rng(1), [model.actuator(name).id for name in KEPT]
    for _ in range(5):
        data = random_state(model, rng)
        mujoco.mj_forward(model, data)
        control = ActuatorControl(tree, robot.actuators, data.ctrl[kept])
        state = FigureState(data.qpos.copy(), np.concatenate([np.zeros(6), data.qvel[6:]]))
        np.testing.assert_allclose(control.forces(0.0, state), data.actuator_force[kept], rtol=1e-12, atol=1e-12)
        damper = np.zeros(model.nv)
        damper[-1] = data.actuator("left").force[0]  # on joint l
        np.testing.assert_allclose(control(0.0, state)[6:], (data.qfrc_actuator - damper)[6:], rtol=1e-12, atol=1e-12)
        springs = {drive.coordinate: drive for drive in robot.springs}
        for name in ("i", "k"):
            theirs = data.qfrc_spring[model.joint(name).dofadr[0]]
            drive = springs[name]
            at = data.qpos[model.joint(name).qposadr[0]]
            assert -drive.stiffness * (at - drive.target) == pytest.approx(theirs, rel=1e-12)


def test_forces_of_joints_that_follow_go_to_those_that_lead(both):
    """Power is the same on both sides: tau · v of the free coordinates is that of all coordinates."""
    robot, _ = both
    figure, rng = robot.figure, np.random.default_rng(2)
    assert "l" not in figure.coordinates
    q, v = figure.neutral(), rng.standard_normal(figure.nv)
    q[7:] = rng.uniform(-0.3, 0.3, 3)
    control = ActuatorControl(figure, robot.actuators, rng.uniform(-1, 1, len(KEPT)))
    tree = ActuatorControl(figure.replace(couplings=()), robot.actuators, control.command)
    whole = FigureState(figure.coupled.expand(q), figure.coupled.expand_velocity(q, v))
    ours = control(0.0, FigureState(q, v)) @ v
    assert ours == pytest.approx(tree(0.0, whole) @ whole.v, rel=1e-13)


def test_compensated_weight_is_that_of_mujoco(both):
    """Weights of 300 N at arms of 1 m, each product rounded: 1e-12 of these."""
    robot, model = both
    tree = robot.figure.replace(couplings=())
    rng = np.random.default_rng(5)
    for _ in range(3):
        data = random_state(model, rng)
        mujoco.mj_forward(model, data)
        tau = WeightCompensation(tree, robot.lifted)(0.0, FigureState(data.qpos.copy(), np.zeros(model.nv)))
        np.testing.assert_allclose(tau[6:], data.qfrc_gravcomp[6:], rtol=1e-12, atol=1e-10)


def test_stiffness_and_damping_are_the_derivatives_of_the_forces(both):
    """Central differences over 1e-6 of a linear law leave rounding alone: 1e-16 · 1e3 / 1e-6."""
    robot, _ = both
    free = [type(a)(a.name, a.joints, a.gain, a.bias, a.damping_ratio) for a in robot.actuators]  # no bound acts
    figure = robot.figure.replace(couplings=())
    control, h = ActuatorControl(figure, free), 1e-6
    q, v = figure.neutral(), np.zeros(figure.nv)
    for name in ("i", "j", "k", "l"):
        at_q, at_v = figure.places(name, "q")[0], figure.places(name, "v")[0]
        dq, dv = np.zeros(figure.nq), np.zeros(figure.nv)
        dq[at_q] = dv[at_v] = h
        slope = (control(0, FigureState(q + dq, v)) - control(0, FigureState(q - dq, v)))[at_v] / (2 * h)
        rate = (control(0, FigureState(q, v + dv)) - control(0, FigureState(q, v - dv)))[at_v] / (2 * h)
        np.testing.assert_allclose([control.stiffness[at_v], control.damping[at_v]], [-slope, -rate], atol=1e-6)


def test_keyframes_are_those_of_mujoco(both):
    robot, model = both
    assert list(robot.postures) == ["k1", "key2", "key3"]
    q, command = robot.postures["k1"]
    theirs = model.key_qpos[0].copy()
    theirs[3:7] /= np.linalg.norm(theirs[3:7])
    np.testing.assert_allclose(robot.figure.coupled.expand(q)[:10], theirs[:10], rtol=1e-15)
    np.testing.assert_array_equal(command, model.key_ctrl[0][[model.actuator(name).id for name in KEPT]])
    assert robot.step == model.opt.timestep == 0.003
    np.testing.assert_allclose(robot.postures["key2"].q, model.qpos0[:10], atol=1e-15)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 2)  # a quaternion that is zero
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(
        forward_kinematics(robot.figure, robot.postures["key3"].q)[0][0], data.body("a").xmat.reshape(3, 3)
    )


def test_distances_to_the_ground_are_those_of_mujoco(both):
    """The nearest point of a ball, a capsule and a box to a plane is a centre, an end or a corner: exact, 1e-12."""
    robot, model = both
    rng, names = np.random.default_rng(3), robot.contacts.point_names
    for _ in range(5):
        data = random_state(model, rng)
        q = data.qpos[:10].copy()
        data.qpos[:] = robot.figure.coupled.expand(q)
        mujoco.mj_kinematics(model, data)
        gaps = robot.gaps(q)
        for geom in ("ball", "capsule", "box"):
            ours = min(gap for gap, name in zip(gaps, names, strict=True) if name.split(".")[0] == geom)
            theirs = plane_distance(model, data, geom)
            assert ours == pytest.approx(theirs, abs=1e-12)
    assert not any(name.startswith("d.") for name in names)


def plane_distance(model, data, name):
    """Return the least height of a geom over the plane, from the pose that MuJoCo gives it."""
    geom, ground = data.geom(name), data.geom("ground")
    normal = ground.xmat.reshape(3, 3)[:, 2]
    R, size = geom.xmat.reshape(3, 3), model.geom(name).size
    height = (geom.xpos - ground.xpos) @ normal
    along = np.abs(R.T @ normal)
    return height - {"ball": size[0], "capsule": size[0] + size[1] * along[2], "box": along @ size}[name]
