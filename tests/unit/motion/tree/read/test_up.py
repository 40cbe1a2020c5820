"""The axes of a figure that is read: those of the file, or turned so that another axis is up."""

from pathlib import Path

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.tree import advance, energy, forward_kinematics, inertia_matrix, nonlinear_effects
from motiform.motion.tree.read import read_figure, read_mjcf, read_urdf
from motiform.spatial import up_vector, upright
from motiform.spatial.up_axis import AXES

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><origin xyz="0 0.3 0.5" rpy="0.3 0 0.2"/><parent link="base"/>
    <child link="upper"/><axis xyz="0 1 0"/></joint>
</robot>"""
MJCF = """<mujoco><worldbody>
  <body name="trunk" pos="0 0.2 0.8"><freejoint name="root"/><geom type="box" size="0.1 0.2 0.3" mass="3"/>
    <body name="leg" pos="0 0.1 -0.3"><joint name="hip" axis="0 1 0"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.4" mass="1"/></body></body>
  <body name="post" pos="1 0 0"><joint name="swing" axis="1 0 0"/><geom type="sphere" size="0.1" mass="1"/></body>
</worldbody></mujoco>"""
FILES = {"arm.urdf": URDF, "dog.xml": MJCF, "leg.osim": (Path(__file__).parent / "leg.osim").read_text("utf-8")}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("up", AXES)
def test_a_turned_figure_is_the_same_in_turned_axes(tmp_path, name, up):
    (tmp_path / name).write_text(FILES[name], "utf-8")
    own, turned = read_figure(tmp_path / name), read_figure(tmp_path / name, up=up)
    R = upright(up).T @ upright(own.up)
    assert turned.up == pytest.approx(up_vector(up), abs=1e-15)
    assert turned.gravity == pytest.approx(R @ own.gravity, abs=1e-14)
    v = np.linspace(-1, 1, own.nv)
    q = advance(own, own.neutral(), v, 0.7)
    # A few dozen products of numbers of order 10 along a chain of two or three segments.
    slack = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(
        forward_kinematics(turned, q).position, forward_kinematics(own, q).position @ R.T, **slack
    )
    np.testing.assert_allclose(forward_kinematics(turned, q).rotation, R @ forward_kinematics(own, q).rotation, **slack)
    np.testing.assert_allclose(inertia_matrix(turned, q), inertia_matrix(own, q), **slack)
    np.testing.assert_allclose(nonlinear_effects(turned, q, v), nonlinear_effects(own, q, v), **slack)
    assert energy(turned, q, v).total == pytest.approx(energy(own, q, v).total, abs=1e-11)


def test_without_gravity_the_axis_of_the_format_is_up(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF, "utf-8")
    (tmp_path / "dog.xml").write_text(MJCF.replace("<mujoco>", '<mujoco><option gravity="0 0 0"/>'), "utf-8")
    for figure in (read_urdf(tmp_path / "arm.urdf", gravity=(0, 0, 0)), read_mjcf(tmp_path / "dog.xml")):
        assert figure.up.tolist() == [0.0, 0.0, 1.0]
    assert read_mjcf(tmp_path / "dog.xml", up="y").up.tolist() == [0.0, 1.0, 0.0]


def test_what_is_no_axis_is_refused(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF, "utf-8")
    with pytest.raises(InputError, match="x, y, z"):
        read_urdf(tmp_path / "arm.urdf", up="w")
