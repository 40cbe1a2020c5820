"""
Does a leaning disk come back to where it was?
==============================================

A thin disk rolls on its sharp rim. At one spin for each lean and rate Ω it goes round in a circle: with its axis θ
from the vertical,

    (I₃ + m a²) ω₃ Ω sin θ = cos θ (I₁ Ω² sin θ − m g a),

and its centre circles at ρ = a \|ω₃\|/Ω. At 70 degrees and 3 rad/s that is 0.247384030 m, and after every turn the
disk touches the ground where it did before. With a tenth less of spin about its axis the lean nods while the disk
goes round: the path is a rosette that does not close.

The rim is a surface without a curvature across itself: the contact joint keeps the normal beside the point, so
nothing special happens there. The plot shows where the disk touched the ground.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, picture

MASS, A, TILT, RATE = 1.0, 0.3, np.radians(70), 3.0  # kg, m, rad, rad/s: of the scene `disk`
I1, I3 = MASS * A**2 / 4, MASS * A**2 / 2
STEADY = np.cos(TILT) * (I1 * RATE**2 * np.sin(TILT) - MASS * 9.81 * A)
STEADY /= (I3 + MASS * A**2) * RATE * np.sin(TILT)  # spin about the axis, −2.473840297 rad/s
TURN, SAMPLES = 2 * np.pi / RATE, 240  # s; samples kept of each turn


def main(quick=False):
    result, turns = {}, 1 if quick else 3
    for name, share in (("steady", 1.0), ("a tenth less", 0.9)):
        own = share * STEADY - RATE * np.cos(TILT)  # beside the turning of the lean
        v = [own * np.sin(TILT), 0.0, RATE + own * np.cos(TILT)]  # in the contact frame
        change = {"figure.disk.start.v.disk": v, "scene.duration": turns * TURN, "scene.rate": SAMPLES / TURN}
        result[name] = mf.simulate("disk", settings={**change, "motion.rtol": 1e-11})
    return result


def check(result):
    rec = result["steady"]
    path, point = rec["disk.position"], rec["disk.contact_point"]
    middle = path[:SAMPLES].mean(0)  # of a whole turn
    assert np.abs(np.linalg.norm(path - middle, axis=1) - A * abs(STEADY) / RATE).max() <= 1e-8
    assert np.abs(point[::SAMPLES] - point[0]).max() <= 1e-8  # it closes
    loose = result["a tenth less"]["disk.contact_point"]
    assert np.linalg.norm(loose[SAMPLES] - loose[0]) > 0.02
    for run in result.values():
        assert np.ptp(run["energy"]) <= 1e-8 * run["energy"][0]


def draw(result, folder):
    chart = Figure(figsize=(7, 3.6), layout="constrained")
    panels = chart.subplots(1, 2, sharex=True, sharey=True)
    for axes, (name, rec) in zip(panels, result.items(), strict=True):
        x, _, z = rec["disk.contact_point"].T
        axes.plot(x, -z, color="#0072B2")
        axes.plot(x[0], -z[0], "o", color="#D55E00")
        axes.set(title=name, xlabel="x [m]", aspect="equal")
        axes.grid(alpha=0.25)
    panels[0].set_ylabel("−z [m]")
    chart.savefig(folder / "paths.png", dpi=150)
    form = dress(result["steady"])
    (disk,), samples = form.parts, np.arange(6) * SAMPLES // 6
    many = {"position": disk.position[samples], "orientation": disk.orientation[samples]}
    many = {key: value.reshape(1, 6, -1) for key, value in many.items()}
    form = replace(form, parts=(replace(disk, **many),), times=form.times[:1])
    camera = Camera((0.5, 1.5, 1.9), (0, 0.15, 0.03), fov=0.5)
    return [picture(form, folder / "disk.png", camera=camera, size=(1000, 620)), folder / "paths.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    pictures = draw(result, Path(*sys.argv[1:]))
