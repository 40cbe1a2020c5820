"""
What must the motors of an arm do?
==================================

A small arm with three motors and a gripper is written in URDF, the format of most robots, and read as a figure. Its
two fingers open together: the second mimics the first, so that it is a coupled coordinate and not in q.

For a motion that is known, inverse dynamics gives the effort of every motor at every instant, all instants in one call.
The effort at rest, dashed, only carries the weight; the rest moves it. Two checks: the work of the motors is the energy
that the arm has gained, and an arm that is driven by these efforts, with nothing to steer it, makes the motion.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture
from motiform.motion.tree import energy
from motiform.motion.tree.read import read_urdf

INERTIAL = '<inertial><origin xyz="{at}"/><mass value="{mass}"/><inertia ixx="{i}" iyy="{i}" izz="{k}"/></inertial>'
VISUAL = '<visual><origin xyz="{at}"/><geometry><{shape}/></geometry><material name="m"><color rgba="{c} 1"/></material></visual>'
LIMIT = '<limit lower="-3" upper="3" effort="50" velocity="5"/>'


def link(name, at, shape, mass, i, k, color):
    own = INERTIAL.format(at=at, mass=mass, i=i, k=k) + VISUAL.format(at=at, shape=shape, c=color)
    return f'<link name="{name}">{own}</link>'


def joint(name, kind, parent, child, at, axis, more=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/><axis xyz="{axis}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{LIMIT}{more}</joint>'


def text():
    finger, box = (0.05, 1e-5, 1e-5), 'box size="0.02 0.015 0.08"'
    parts = [
        link("base", "0 0 0.05", 'cylinder radius="0.09" length="0.1"', 4.0, 0.02, 0.02, "0.5 0.5 0.55"),
        link("column", "0 0 0.15", 'cylinder radius="0.05" length="0.3"', 3.0, 0.03, 0.004, "0.75 0.72 0.66"),
        link("upper", "0 0 0.2", 'capsule radius="0.04" length="0.4"', 2.5, 0.04, 0.002, "0.24 0.47 0.65"),
        link("lower", "0 0 0.15", 'capsule radius="0.03" length="0.3"', 1.5, 0.015, 0.001, "0.36 0.55 0.38"),
        link("left", "0 0 0.04", box, *finger, "0.72 0.33 0.24"),
        link("right", "0 0 0.04", box, *finger, "0.72 0.33 0.24"),
        joint("turn", "revolute", "base", "column", "0 0 0.1", "0 0 1"),
        joint("shoulder", "revolute", "column", "upper", "0 0 0.34", "0 1 0"),
        joint("elbow", "revolute", "upper", "lower", "0 0 0.44", "0 1 0"),
        joint("grip", "prismatic", "lower", "left", "0 0.01 0.33", "0 1 0"),
        joint("other", "prismatic", "lower", "right", "0 -0.01 0.33", "0 -1 0", '<mimic joint="grip"/>'),
    ]
    return f'<robot name="arm">{"".join(parts)}</robot>'


START, END, TIME = np.array([-1.2, -0.3, 0.6, 0.0]), np.array([1.0, 0.9, 1.1, 0.03]), 1.2  # rad, m; s


def course(t):
    """Return q, v, a of the smoothest way from rest to rest (least jerk) at times t [s]."""
    x = np.asarray(t)[..., None] / TIME
    s, u, w = x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2 / TIME, 60 * x * (1 - x) * (1 - 2 * x) / TIME**2
    return START + (END - START) * s, (END - START) * u, (END - START) * w


def main(quick=False):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arm.urdf")
        path.write_text(text())
        figure = read_urdf(path)
    t = np.linspace(0, TIME, 1201)
    q, v, a = course(t)
    efforts = mf.inverse_dynamics(figure, q, v, a)
    driven = mf.simulate(figure, q0=START, t1=TIME, rate=20 if quick else 50, rtol=1e-8,
                         controls=lambda t, state: mf.inverse_dynamics(figure, *course(t)))  # fmt: skip
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
    form = strobe(dress(result["driven"]), 5)
    camera = Camera((1.9, -2.0, 1.5), (0.0, 0.0, 0.65), up=(0, 0, 1), fov=0.6)
    return [picture(form, folder / "arm.png", camera=camera, ground=False), folder / "efforts.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    pictures = draw(result, Path(*sys.argv[1:]))
