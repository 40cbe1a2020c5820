"""How long can a double pendulum be predicted?
============================================

Two arms on two hinges: four state variables, one of the simplest figures, and chaotic. A figure is defined segment by
segment; each has a joint, the placement of the joint in the parent, and mass properties. The built figure is immutable,
and everything else is a function of (figure, q, v).

Two of them start a billionth of a radian apart. Their distance grows tenfold about every second until it is as large as
the arms, with any integrator. An integrator can conserve the energy, here to a billionth of the exchanged energy.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import FigureBuilder, Transform, joints
from motiform.form import Part, dress, strobe
from motiform.geometry import Ball, Capsule
from motiform.image import Camera, picture, show_pictures
from motiform.motion import tree

UPPER, LOWER = 0.6, 0.5  # m
APART = 1e-9  # rad


def arm(b, name, parent, at, length, color):
    """Add an arm that hangs down from a hinge about z."""
    matter = Capsule(0.03, length).mass_properties(mass=2.0 * length)
    middle = {"com": (0, -length / 2, 0), "mass": matter.mass, "inertia": matter.inertia}
    part = tree.SegmentShape(Capsule(0.03, length), Transform.translation_of((0, -length / 2, 0)), color)
    b.segment(name, parent, joints.revolute((0, 0, 1)), placement=Transform.translation_of(at), shape=part, **middle)


def build():
    b = FigureBuilder(gravity=(0, -9.81, 0))
    arm(b, "upper", None, (0, 1.4, 0), UPPER, (0.24, 0.47, 0.65))
    arm(b, "lower", "upper", (0, -UPPER, 0.065), LOWER, (0.72, 0.33, 0.24))
    b.tag("tip", "lower", (0, -LOWER, 0))
    return b.build()


def main(quick=False):
    figure = build()
    how = {"t1": 3.0 if quick else 10.0, "rate": 120, "rtol": 1e-12, "atol": 1e-14}
    starts = figure.configuration(upper=2.6, lower=1.0), figure.configuration(upper=2.6 + APART, lower=1.0)
    return [mf.simulate(figure, q0=q0, **how) for q0 in starts]


def apart(result):
    return np.linalg.norm(result[0]["tags"][:, 0] - result[1]["tags"][:, 0], axis=-1)


def check(result):
    for rec in result:
        assert np.ptp(rec["energy"]) <= 1e-9 * np.ptp(rec["energy.kinetic"])
    figure, q, v = build(), result[0]["q"], result[0]["v"]  # (samples, 2): all at once
    a = mf.forward_dynamics(figure, q, v, np.zeros(2))
    assert np.abs(mf.inverse_dynamics(figure, q, v, a)).max() <= 1e-11  # N m: nothing drives the hinges
    end = apart(result)
    assert end[0] < 2 * APART
    assert end[360] > 100 * APART  # after 3 s
    assert end[-1] > 0.1 or result[0].duration < 9


def draw(result, folder):
    chart = Figure(figsize=(7, 4.4), layout="constrained")
    panels, t = chart.subplots(2, 1, sharex=True), result[0].time("q")
    panels[0].semilogy(t, apart(result))
    panels[0].set(ylabel="tips apart [m]")
    panels[1].plot(t, result[0]["energy"] - result[0]["energy"][0])
    panels[1].set(ylabel="drift of energy [J]", xlabel="time [s]")
    for axes in panels:
        axes.grid(alpha=0.25)
    chart.savefig(folder / "apart.png", dpi=150)
    first = result[0].slice(0.0, 0.9)
    form, tip = strobe(dress(first), 6), first["tags"][None, :, 0]
    still = np.tile([1.0, 0.0, 0.0, 0.0], (1, tip.shape[1], 1))
    trace = Part("trace", Ball(0.008), np.zeros(3), np.array((0.2, 0.2, 0.22)), tip, still)
    form = replace(form, parts=(*form.parts, trace))
    camera = Camera.framing(form, direction=(0.15, 0.1, 1), fov=0.4, aspect=1.6)
    return [picture(form, folder / "pendulum.png", camera=camera, size=(1000, 625)), folder / "apart.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
