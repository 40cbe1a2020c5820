"""What must the motors of an arm do?
==================================

A small arm with three motors and a gripper is defined in URDF, the usual format of robots, and read as a figure. Its
two fingers open together: the second mimics the first, so it is a coupled coordinate and not part of q.

For a known motion, inverse dynamics gives the effort of every motor at every instant, all instants in one call. The
static effort, dashed, only carries the weight; the difference accelerates the arm. Two checks: the work of the motors
is the energy gained by the arm, and an arm driven by these efforts, without feedback, reproduces the motion.

The arm keeps the axes of its file, with z up and gravity along −z, and is drawn accordingly.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture, show_pictures
from motiform.motion.tree import energy
from motiform.motion.tree.read import read_urdf

ARM = """
<robot name="arm">
  <material name="grey"><color rgba="0.55 0.56 0.6 1"/></material>
  <material name="blue"><color rgba="0.24 0.47 0.65 1"/></material>
  <material name="green"><color rgba="0.36 0.55 0.38 1"/></material>
  <material name="red"><color rgba="0.72 0.33 0.24 1"/></material>

  <link name="column">
    <inertial><origin xyz="0 0 0.2"/><mass value="5"/><inertia ixx="0.07" iyy="0.07" izz="0.01"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.06" length="0.4"/></geometry>
      <material name="grey"/></visual>
  </link>
  <link name="shoulder">
    <inertial><mass value="1"/><inertia ixx="0.002" iyy="0.002" izz="0.002"/></inertial>
    <visual><geometry><sphere radius="0.07"/></geometry>
      <material name="grey"/></visual>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2"/><mass value="2.5"/><inertia ixx="0.04" iyy="0.04" izz="0.002"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><capsule radius="0.045" length="0.4"/></geometry>
      <material name="blue"/></visual>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 0.15"/><mass value="1.5"/><inertia ixx="0.015" iyy="0.015" izz="0.001"/></inertial>
    <visual><origin xyz="0 0 0.15"/><geometry><capsule radius="0.035" length="0.3"/></geometry>
      <material name="green"/></visual>
  </link>
  <link name="left">
    <inertial><origin xyz="0 0 0.05"/><mass value="0.05"/><inertia ixx="2e-5" iyy="2e-5" izz="1e-5"/></inertial>
    <visual><origin xyz="0 0 0.05"/><geometry><box size="0.03 0.02 0.1"/></geometry>
      <material name="red"/></visual>
  </link>
  <link name="right">
    <inertial><origin xyz="0 0 0.05"/><mass value="0.05"/><inertia ixx="2e-5" iyy="2e-5" izz="1e-5"/></inertial>
    <visual><origin xyz="0 0 0.05"/><geometry><box size="0.03 0.02 0.1"/></geometry>
      <material name="red"/></visual>
  </link>

  <joint name="turn" type="continuous">
    <parent link="column"/><child link="shoulder"/><origin xyz="0 0 0.44"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="shoulder"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1.8" upper="1.8" effort="60" velocity="4"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 0.44"/><axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.5" effort="30" velocity="4"/>
  </joint>
  <joint name="grip" type="prismatic">
    <parent link="lower"/><child link="left"/><origin xyz="0 0.012 0.33"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
  </joint>
  <joint name="other grip" type="prismatic">
    <parent link="lower"/><child link="right"/><origin xyz="0 -0.012 0.33"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
    <mimic joint="grip"/>
  </joint>
</robot>
"""
START, END, TIME = np.array([-1.2, -0.3, 0.6, 0.0]), np.array([1.0, 0.9, 1.1, 0.03]), 1.2  # rad, m; s


def course(t):
    """Return q, v, a of the smoothest way from rest to rest (least jerk) at times t [s]."""
    x = np.asarray(t)[..., None] / TIME
    s, u, w = x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2 / TIME, 60 * x * (1 - x) * (1 - 2 * x) / TIME**2
    return START + (END - START) * s, (END - START) * u, (END - START) * w


def main(quick=False):
    file = Path(mkdtemp()) / "arm.urdf"
    file.write_text(ARM, "utf-8")
    figure = read_urdf(file)
    t = np.linspace(0, TIME, 1201)
    q, v, a = course(t)
    efforts = mf.inverse_dynamics(figure, q, v, a)
    run = {"t1": TIME, "rate": 20 if quick else 50, "rtol": 1e-8}
    driven = mf.simulate(figure, q0=START, controls=lambda t, state: mf.inverse_dynamics(figure, *course(t)), **run)
    return {"figure": figure, "t": t, "efforts": efforts, "driven": driven}


def check(result):
    figure, t, efforts, rec = result["figure"], result["t"], result["efforts"], result["driven"]
    assert figure.coordinates == ("turn", "shoulder", "elbow", "grip")
    q, v, _ = course(t)
    power = (efforts * v).sum(1)
    work = (power[:-1:2] + 4 * power[1::2] + power[2::2]).sum() * (t[1] - t[0]) / 3  # Simpson
    gained = np.diff(energy(figure, q[[0, -1]], v[[0, -1]]).total)[0]
    assert abs(work / gained - 1) <= 1e-9
    assert np.abs(rec["q"] - course(rec.time("q"))[0]).max() <= 1e-6  # rad and m


def draw(result, folder):
    chart = Figure(figsize=(7, 3.6), layout="constrained")
    axes, figure = chart.subplots(), result["figure"]
    resting = mf.nonlinear_effects(figure, course(result["t"])[0], np.zeros(4))
    for n, name in enumerate(figure.coordinates[:3]):
        axes.plot(result["t"], result["efforts"][:, n], color=f"C{n}", label=name)
        axes.plot(result["t"], resting[:, n], color=f"C{n}", linestyle="--", linewidth=1)
    axes.set(xlabel="time [s]", ylabel="effort [N m]")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    chart.savefig(folder / "efforts.png", dpi=150)
    form = strobe(dress(result["driven"]), 4)
    camera = Camera.framing(form, direction=(1, 0.45, 0.35), fov=0.45, aspect=1.6)
    return [picture(form, folder / "arm.png", camera=camera, size=(1000, 625)), folder / "efforts.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
