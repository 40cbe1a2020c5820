r"""Does a leaning disk come back to where it was?
==============================================

A thin disk rolls on its sharp rim. For each lean and rate Ω there is one spin at which it rolls in a circle: with its
axis θ from the vertical,

    (I₃ + m a²) ω₃ Ω sin θ = cos θ (I₁ Ω² sin θ − m g a),

and its centre circles at ρ = a \|ω₃\|/Ω. At 70 degrees and 3 rad/s that is 0.247384030 m, and after every revolution
the contact point returns to the same place. With more or less spin the disk nutates, and its path does not close.

The rim is a surface without finite curvature across the edge: the contact joint stores the normal with the point, so it
needs no special treatment. The plot shows the path of the contact point on the ground.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import Part, dress
from motiform.geometry import Ball
from motiform.image import Camera, picture, show_pictures

MASS, A, TILT, RATE = 1.0, 0.3, np.radians(70), 3.0  # kg, m, rad, rad/s: of the scene `disk`
I1, I3 = MASS * A**2 / 4, MASS * A**2 / 2
STEADY = np.cos(TILT) * (I1 * RATE**2 * np.sin(TILT) - MASS * 9.81 * A)
STEADY /= (I3 + MASS * A**2) * RATE * np.sin(TILT)  # spin about the axis, −2.473840297 rad/s
TURN, SAMPLES = 2 * np.pi / RATE, 240  # s; samples kept of each turn


def main(quick=False):
    result, turns = {}, 1 if quick else 6
    for name, share in (("steady", 1.0), ("30 % slower", 0.7), ("30 % faster", 1.3)):
        own = share * STEADY - RATE * np.cos(TILT)  # beside the turning of the lean
        v = [own * np.sin(TILT), 0.0, RATE + own * np.cos(TILT)]  # in the contact frame
        change = {"figure.disk.start.v.disk": v, "scene.duration": turns * TURN, "scene.rate": SAMPLES / TURN}
        result[name] = mf.simulate("disk", settings={**change, "motion.rtol": 1e-12})
    return result


def check(result):
    rec = result["steady"]
    path, point = rec["disk.position"], rec["disk.contact_point"]
    middle = path[:SAMPLES].mean(0)  # of a whole turn
    assert np.abs(np.linalg.norm(path - middle, axis=1) - A * abs(STEADY) / RATE).max() <= 1e-8
    assert np.abs(point[::SAMPLES] - point[0]).max() <= 1e-8  # it closes
    for name, run in result.items():
        assert np.ptp(run["energy"]) <= 1e-8 * run["energy"][0]
        gone = np.linalg.norm(run["disk.contact_point"][SAMPLES] - run["disk.contact_point"][0])
        assert name == "steady" or gone > 0.05  # m in a turn


def draw(result, folder):
    chart = Figure(figsize=(9, 3.2), layout="constrained")
    for axes, (name, rec) in zip(chart.subplots(1, 3), result.items(), strict=True):
        x, _, z = rec["disk.contact_point"].T
        axes.plot(x, -z, color="#0072B2", linewidth=1)
        axes.plot(x[0], -z[0], "o", color="#D55E00")
        axes.set(title=name, xlabel="x [m]", ylabel="−z [m]", aspect="equal")
        axes.grid(alpha=0.25)
    chart.savefig(folder / "paths.png", dpi=150)
    rec = result["steady"]
    form, now = dress(rec), [SAMPLES * 5 // 8]
    disk = replace(form.parts[0], **{key: getattr(form.parts[0], key)[now] for key in ("position", "orientation")})
    touched = rec["disk.contact_point"][None, :SAMPLES:2]
    still = np.tile([1.0, 0.0, 0.0, 0.0], (1, touched.shape[1], 1))
    beads = Part("path", Ball(0.005), np.zeros(3), np.array((0.72, 0.33, 0.24)), touched, still)
    form = replace(form, parts=(disk, beads), times=form.times[:1])
    camera = Camera((0.9, 1.1, 1.6), (0, 0.17, 0), fov=0.48)
    return [picture(form, folder / "disk.png", camera=camera, size=(1000, 620)), folder / "paths.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
