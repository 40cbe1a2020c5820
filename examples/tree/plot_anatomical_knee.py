"""Where is the axis of a knee?
============================

It is not fixed. When a knee bends, the shank rotates, and rolls and slides on the thigh along a path determined by
bones and ligaments. It has one degree of freedom: a rotation, and two translations that are functions of the angle. The
points below are those of a well-known model of the leg [Delp90], with natural cubic splines through them. A function
joint uses them directly: axes in sequence, each displaced by a function of a coordinate, with two derivatives for
dynamics.

The instantaneous axis passes through the points of the shank with zero velocity. The joint's twist for a unit of
angular velocity, (ω, u), places it at (−u_y, u_x) from the shank's origin; it moves by more than a centimetre while the
knee bends. Then the shank of a sitting person is released and swings: its energy is conserved, although the axis moves.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import FigureBuilder, Transform, joints
from motiform.form import dress, strobe
from motiform.geometry import Capsule
from motiform.image import Camera, picture, show_pictures
from motiform.motion import tree

AT_X = (-120, -100, -80, -60, -40, -20, -10, 11.307, 19.331, 28.085, 87.173, 120)  # degrees, 0 is straight
FORWARD = (-3.2, 1.79, 4.11, 4.1, 2.12, -1.0, -3.1, -5.227, -5.435, -5.574, -5.435, -5.25)  # mm
AT_Y = (-120, -70, -30, -20, -10, 9.1186, 120)  # degrees
UPWARD = (-422.6, -408.2, -399.0, -397.6, -396.6, -395.264, -396.0)  # mm


def spline(degrees, millimetres):
    return joints.Spline(np.radians(degrees), np.multiply(millimetres, 1e-3))


def bone(radius, length, middle, color):
    return tree.SegmentShape(Capsule(radius, length), Transform.translation_of((0, middle, 0)), color)


def build():
    shift_x = joints.Axis("prismatic", (1, 0, 0)), spline(AT_X, FORWARD), "knee"
    shift_y = joints.Axis("prismatic", (0, 1, 0)), spline(AT_Y, UPWARD), "knee"
    turn = joints.Axis("revolute", (0, 0, 1)), joints.linear(), "knee"
    knee = joints.function([shift_x, shift_y, turn], limits=(-2.09, 0.17))
    b = FigureBuilder()
    sitting = Transform(mf.spatial.rotation_about("z", np.pi / 2), (-0.4, 0.6, 0))  # the thigh points forward
    thigh, shank = bone(0.05, 0.34, -0.19, (0.75, 0.72, 0.66)), bone(0.035, 0.4, -0.21, (0.24, 0.47, 0.65))
    b.segment("thigh", None, joints.fixed(), placement=sitting, shape=thigh)
    matter = {"mass": 3.7, "com": (0, -0.187, 0), "inertia": np.diag([0.05, 0.005, 0.051])}
    b.segment("shank", "thigh", knee, shape=shank, **matter)
    b.tag("ankle", "shank", (0, -0.43, 0))
    return b.build()


def axis(figure, angles):
    """Return the place of the instantaneous axis [m], (n, 2), in the shank and in the thigh."""
    q = np.asarray(angles)[:, None]
    R, p = tree.forward_kinematics(figure, q)
    J = tree.jacobian(figure, q, "shank")[..., 0]  # per unit of the knee's velocity, world axes
    away = np.stack([-J[:, 4], J[:, 3], 0 * J[:, 3]], axis=1) / J[:, 2:3]
    in_shank = np.einsum("nji,nj->ni", R[:, 1], away)
    in_thigh = np.einsum("nji,nj->ni", R[:, 0], p[:, 1] + away - p[:, 0])
    return in_shank, in_thigh


def main(quick=False):
    figure = build()
    rec = mf.simulate(figure, q0=[-1.15], t1=1.0 if quick else 4.0, rate=100, rtol=1e-11, atol=1e-13)
    angles = np.linspace(-2.09, 0.17, 200)
    return {"figure": figure, "angles": angles, "axis": axis(figure, angles), "swing": rec}


def check(result):
    in_shank, in_thigh = result["axis"]
    for angle, point in zip(result["angles"][::20], in_shank[::20], strict=True):
        J = tree.jacobian(result["figure"], [angle], "shank", point)
        assert np.abs(J[3:]).max() <= 1e-15  # the point there does not move
    assert np.ptp(in_thigh, axis=0).max() > 0.01
    rec = result["swing"]
    # third derivatives jump where pieces of a spline meet: each time a step misses its tolerance of 1e-11
    assert np.ptp(rec["energy"]) <= 1e-7 * np.ptp(rec["energy.kinetic"])
    assert np.ptp(rec["q"]) > 0.9  # it swings


def draw(result, folder):
    chart = Figure(figsize=(5.6, 4.2), layout="constrained")
    axes = chart.subplots()
    at = 1e3 * result["axis"][1]
    shown = axes.scatter(at[:, 0], at[:, 1] + 396, c=-np.degrees(result["angles"]), s=12, cmap="viridis")
    axes.set(
        xlabel="forward [mm]", ylabel="along the thigh [mm]", aspect="equal", title="Axis of the knee in the thigh"
    )
    axes.grid(alpha=0.25)
    chart.colorbar(shown, label="bent by [degrees]")
    chart.savefig(folder / "axis.png", dpi=150)
    form = strobe(dress(result["swing"].slice(0.0, 0.6)), 5)
    camera = Camera.framing(form, direction=(0.2, 0.15, 1), fov=0.35, aspect=1.6)
    return [picture(form, folder / "knee.png", camera=camera, size=(1000, 625)), folder / "axis.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
