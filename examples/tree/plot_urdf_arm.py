"""
What must the motors of an arm do?
==================================

A small arm with three motors and a gripper is written in URDF, the format of most robots, and read as a figure. Its
two fingers open together: the second mimics the first, so that it is a coupled coordinate and not in q.

For a motion that is known, inverse dynamics gives the effort of every motor at every instant, all instants in one call.
The effort at rest, dashed, only carries the weight; the rest moves it. Two checks: the work of the motors is the energy
that the arm has gained, and an arm that is driven by these efforts, with nothing to steer it, makes the motion.

.. literalinclude:: ../../../examples/tree/arm.urdf
   :language: xml
   :caption: arm.urdf
"""

import sys
from dataclasses import replace
from inspect import getfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture
from motiform.motion.tree import energy
from motiform.motion.tree.read import read_urdf
from motiform.spatial import multiply_quaternions, rotate

START, END, TIME = np.array([-1.2, -0.3, 0.6, 0.0]), np.array([1.0, 0.9, 1.1, 0.03]), 1.2  # rad, m; s


def course(t):
    """Return q, v, a of the smoothest way from rest to rest (least jerk) at times t [s]."""
    x = np.asarray(t)[..., None] / TIME
    s, u, w = x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2 / TIME, 60 * x * (1 - x) * (1 - 2 * x) / TIME**2
    return START + (END - START) * s, (END - START) * u, (END - START) * w


def main(quick=False):
    figure = read_urdf(Path(getfile(course)).with_name("arm.urdf"))
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
    lift = np.array([0.5, -0.5, 0.0, 0.0]) * np.sqrt(2)  # the file's z is up, in pictures it is y
    parts = [
        replace(p, position=rotate(lift, p.position), orientation=multiply_quaternions(lift, p.orientation))
        for p in form.parts
    ]
    form = replace(form, parts=tuple(parts))
    camera = Camera.framing(form, direction=(1, 0.45, 0.35), fov=0.45, aspect=1.6)
    return [picture(form, folder / "arm.png", camera=camera, size=(1000, 625)), folder / "efforts.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    pictures = draw(result, Path(*sys.argv[1:]))
