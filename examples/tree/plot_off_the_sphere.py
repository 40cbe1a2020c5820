"""Where does a ball leave the sphere it rolls on?
===============================================

A ball is released near the top of a fixed sphere. As it rolls down, the normal component of gravity decreases, and the
required centripetal force increases. Where the two are equal the normal force is zero, and the ball lifts off. For
rolling without slip, energy conservation gives

    cos φ = (10/17) cos φ₀,

for a ball that slides without friction cos φ = (2/3) cos φ₀, and neither depends on mass or radius. The sliding ball
leaves earlier: it has no rotational energy, so it is faster.

A contact joint would hold the ball with a tensile force. Runs of figures monitor this: the run ends at the zero of the
normal force, with the event "ball lifts off".
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import Transform, joints, surfaces
from motiform.form import dress
from motiform.geometry import Ball
from motiform.image import Camera, picture, show_pictures

BIG, SMALL = 0.5, 0.06  # m
CASES = {"rolls": (10 / 17, {}), "slides": (2 / 3, {"sliding": True})}  # cos φ / cos φ₀, options of the contact


def run(options, start):
    joint = joints.contact(surfaces.sphere(BIG), surfaces.sphere(SMALL), **options)
    b = mf.FigureBuilder()
    up = Transform.translation_of((0, BIG, 0))
    b.segment("sphere", None, joints.fixed(), placement=up, shape=Ball(BIG), color=(0.75, 0.72, 0.66))
    matter = Ball(SMALL).mass_properties(mass=1.0)
    b.segment("ball", "sphere", joint, mass=matter, shape=Ball(SMALL), color=(0.72, 0.33, 0.24))
    figure = b.build()
    q0 = figure.configuration(ball=joint.configuration((np.sin(start), np.cos(start), 0)))
    tight = {"rtol": 1e-12, "atol": 1e-13}
    rec = mf.simulate(figure, q0=q0, t1=5.0, rate=200, **tight)
    left = rec.events[0].time - rec.time("q")[-1]  # from the last sample to the event
    last = mf.simulate(figure, q0=rec["q"][-1], v0=rec["v"][-1], t1=left, rate=1 / left, watch=False, **tight)
    return {"run": rec, "end": tilt(last)[-1], "start": start}


def tilt(rec):
    x, y, _ = (rec["ball.position"] - rec["sphere.position"]).T
    return np.arctan2(x, y)


def main(quick=False):
    starts = np.radians([20.0] if quick else [5.0, 20.0, 35.0])
    return {name: [run(options, start) for start in starts] for name, (_, options) in CASES.items()}


def check(result):
    for name, (share, _) in CASES.items():
        for case in result[name]:
            assert [event.name for event in case["run"].events] == ["ball lifts off"]
            assert abs(np.cos(case["end"]) - share * np.cos(case["start"])) <= 1e-8


def draw(result, folder):
    chart = Figure(figsize=(7, 3.2), layout="constrained")
    axes = chart.subplots()
    for name, color in (("rolls", "#0072B2"), ("slides", "#D55E00")):
        for n, case in enumerate(result[name]):
            angle, force = np.degrees(tilt(case["run"])), case["run"]["ball.contact_force"][:, 2]
            axes.plot(angle, force / 9.81, color=color, label=None if n else name)
            axes.plot(np.degrees(case["end"]), 0, "o", color=color)
    axes.set(xlabel="angle from the top [degrees]", ylabel="normal force/weight")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    chart.savefig(folder / "force.png", dpi=150)
    form = dress(result["rolls"][0]["run"])
    sphere, ball = form.parts
    samples = [*np.searchsorted(np.degrees(tilt(result["rolls"][0]["run"])), (5, 18, 30.5, 42.5)), -1]
    many = {"position": ball.position[samples].reshape(1, -1, 3), "orientation": np.tile([1.0, 0, 0, 0], (1, 5, 1))}
    sphere = replace(sphere, position=sphere.position[:1], orientation=sphere.orientation[:1])
    form = replace(form, parts=(sphere, replace(ball, **many)), times=form.times[:1])
    camera = Camera((0.5, 0.9, 3.4), (0.05, 0.55, 0), fov=0.4)
    return [picture(form, folder / "sphere.png", camera=camera, size=(1000, 620)), folder / "force.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
