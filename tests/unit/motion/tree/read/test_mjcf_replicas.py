"""<replicate> of MJCF against MuJoCo: names, places, and what refers to the names."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.robots import read_robot
from motiform.motion.tree import forward_kinematics, inertia_matrix
from motiform.motion.tree.read import read_mjcf

MODEL = """<mujoco><compiler angle="{angle}" eulerseq="zyx"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="hub" pos="0 0 1"><freejoint/><geom size="0.1" mass="1"/>
    <replicate count="{count}" sep="{sep}" offset="0.1 0 0.02" euler="{turn} 0 0">
      <body name="arm" pos="0.3 0.1 0" euler="0 {turn} 0"><joint name="swing" axis="0 1 0"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.4"/>
        <replicate count="2" offset="0 0.05 0"><body name="tip" pos="0.2 0 0"><joint name="bend" axis="0 0 1"/>
          <geom name="nail" size="0.01 0.02 0.03" type="box" mass="0.1"/></body></replicate>
      </body>
    </replicate></body></worldbody>
  <tendon><fixed name="pull"><joint joint="swing" coef="2"/></fixed></tendon>
  <contact><exclude body1="hub" body2="arm"/></contact>
  <actuator><motor name="lone" joint="swing{sep}0" gear="3"/>
    <position name="servo" joint="bend" kp="4"/><motor name="line" tendon="pull"/></actuator>
</mujoco>"""
CASES = [(3, "", "radian", 0.7), (10, "-", "degree", 30)]


def model(case):
    count, sep, angle, turn = case
    text = MODEL.format(count=count, sep=sep, angle=angle, turn=turn)
    return text.replace(f"swing{sep}0", f"swing{sep}00") if count > 9 else text


@pytest.mark.parametrize("case", CASES)
def test_replicas_are_those_of_mujoco(tmp_path, case):
    mujoco = pytest.importorskip("mujoco", reason="the other engine")
    (tmp_path / "m.xml").write_text(model(case))
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    figure = read_mjcf(tmp_path / "m.xml")
    assert [name for name in figure.names if name != "world"] == [theirs.body(k).name for k in range(1, theirs.nbody)]
    R, p = forward_kinematics(figure, figure.neutral())
    own = [n for n, name in enumerate(figure.names) if name != "world"]
    # rounding of products of some ten rotations
    np.testing.assert_allclose(p[own], data.xpos[1:], atol=1e-14 * 20)
    np.testing.assert_allclose(R[own].reshape(-1, 9), data.xmat[1:], atol=1e-14 * 20)
    assert inertia_matrix(figure, figure.neutral()).shape == (theirs.nv, theirs.nv)
    robot = read_robot(tmp_path / "m.xml")
    assert [a.name for a in robot.actuators] == [theirs.actuator(k).name for k in range(theirs.nu)]


def test_replicas_that_are_refused(tmp_path):
    path = tmp_path / "m.xml"
    for old, new, problem in (
        ('count="3"', "", "no attribute 'count'"),
        ('count="3"', 'count="0"', "too small"),
        ('count="3"', 'count="100000"', "too many elements"),
        ("offset", "shift", "unknown attribute"),
    ):
        path.write_text(model(CASES[0]).replace(old, new, 1))
        with pytest.raises(InputError, match=problem):
            read_mjcf(path)
