"""What does a late command cost a robot that takes a step?
==========================================================

Bip shifts its weight, swings its left leg and shifts back. Its motors are called every 5 ms; voltages take hold after
1 ms, or after 20 ms. Joints are measured with noise, and the base is observed from the feet that carry.

Checks. The foot lands 15 cm ahead, flat. The centre of pressure stays under the feet. The observed base is within 2 mm
and 2 mrad of the true one. With the longer delay the task function is followed less well.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, render, show_pictures

FEET = [f"{side}_foot_{place}" for side in ("right", "left") for place in
        ("front_outer", "front_inner", "rear_outer", "rear_inner")]  # fmt: skip


def main(quick=False):
    delays = (0.001, 0.020)
    return {delay: mf.simulate("bip-one-step", settings={"figure.bip.step.delay": delay}) for delay in delays}


def soles(rec):
    """Corners of both soles, (samples, 8, 3)."""
    names = rec.manifest["labels"]["tag"]
    return rec["tags"][:, [names.index(name) for name in FEET]]


def margin(rec):
    """Distance of the centre of pressure from the edge of the feet that carry [m], (samples,)."""
    corners, load, out = soles(rec), rec["motors.load"], []
    for k in range(len(load)):
        carry = np.repeat(load[k] > 1.0, 4)
        hull = ConvexHull(corners[k, carry][:, [0, 2]]).equations
        out.append(-(hull[:, :2] @ rec["motors.center_of_pressure"][k] + hull[:, 2]).max())
    return np.array(out)


def error(rec):
    """Root mean square of what the task function misses, (samples,)."""
    return np.sqrt((rec["motors.task"] ** 2).mean(1))


def check(result):
    for rec in result.values():
        later = rec.time("q") > 0.1
        corners = soles(rec)
        assert np.abs(corners[-1, :, 1]).max() < 2e-3
        assert abs((corners[-1, 4:] - corners[0, 4:])[:, 0].mean() - 0.15) < 5e-3
        assert margin(rec)[later].min() > 0.0
        base = rec["q"][:-1, 15:21]
        assert np.abs(rec["motors.observed"][1:] - base)[later[1:]].max() < 2e-3
    early, late = (error(rec)[rec.time("q") > 0.1].mean() for rec in result.values())
    assert late > 1.2 * early, (early, late)


def draw(result, folder):
    page = Figure(figsize=(10, 8), layout="constrained")
    above, below = page.subfigures(2, 1, height_ratios=(1.1, 1))
    rec, form = result[0.001], dress(result[0.001])
    camera = Camera((2.0, 1.1, 2.6), (0.05, 0.75, 0.0))
    for axes, t in zip(above.subplots(1, 4), (0.2, 1.4, 2.1, 4.0), strict=True):
        axes.imshow(render(form, int(200 * t), camera=camera, size=(300, 440), samples_per_pixel=16))
        axes.set_title(f"{t} s", fontsize=9)
        axes.set_axis_off()
    left, right = below.subplots(1, 2, width_ratios=(1, 1.4))
    for k in (0, -1):
        for foot in (slice(0, 4), slice(4, 8)):
            ring = soles(rec)[k, foot][[0, 1, 3, 2, 0]]
            left.plot(ring[:, 2], ring[:, 0], color="0.3" if k else "0.75")
    for delay, one in reversed(result.items()):
        later = one.time("q") > 0.1
        pressure = one["motors.center_of_pressure"][later]
        left.plot(pressure[:, 1], pressure[:, 0], linewidth=0.5, label=f"{1e3 * delay:.0f} ms")
        right.plot(one.time("q")[later], 1e3 * error(one)[later], label=f"{1e3 * delay:.0f} ms")
    left.set(xlabel="to the right [m]", ylabel="forward [m]", title="centre of pressure and soles", aspect="equal")
    left.legend(fontsize=8)
    right.set(xlabel="time [s]", ylabel="mm, mrad", title="missed by the task function, root mean square")
    right.legend(fontsize=8)
    page.savefig(folder / "bip_step.png", dpi=110)
    return [folder / "bip_step.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
