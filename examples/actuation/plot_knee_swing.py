"""Which contacts does a knee have that stimulation swings?
==========================================================

Pulses swing the right shank of a seated person: to the quadriceps while the knee extends, to the hamstrings while it
flexes. A law sends them and tells when it is called next; a pulse takes 50 ms to reach calcium. The knee meets both of
its limits, and is between them else.

Three checks. The knee is at its lower limit, at its upper one and free; it never goes beyond them; and muscles pull and
do not push.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

LIMITS = np.radians([-140.0, 0.0])


def main(quick=False):
    return mf.simulate("fes-knee-swing", settings={"scene.duration": 1.7 if quick else 4.0})


def check(rec):
    assert set(rec["limit.contact"][:, 0].tolist()) == {-1, 0, 1}
    beyond = np.maximum(LIMITS[0] - rec["q"], rec["q"] - LIMITS[1]).max()
    assert beyond < 1e-9, beyond  # [rad] events are located to rounding, and positions brought back
    assert rec["stimulation.force"].min() > -1e-9  # [N]


def draw(rec, folder):
    page = Figure(figsize=(8, 6.4), layout="constrained")
    seen, force, angle = page.subplots(3, 1, height_ratios=(1.5, 1, 1))
    folder = Path(folder)
    at = [0.45, 0.85, 1.45]  # at the lower limit, between them, at the upper one
    stills = [picture(dress(rec), folder / f"knee_{k}.png", time=t, size=(420, 420)) for k, t in enumerate(at)]
    from matplotlib.image import imread

    seen.imshow(np.concatenate([imread(still)[:330, 110:] for still in stills], axis=1))
    seen.set_axis_off()
    seen.set_title("at 0.45, 0.85 and 1.45 s")
    t = rec.time("q")
    force.plot(t, rec["stimulation.force"], label=["quadriceps", "hamstrings"])
    force.set_ylabel("force [N]")
    force.legend(loc="upper right")
    angle.plot(t, -np.degrees(rec["q"]), color="k")
    for side, color, name in ((-1, "tab:red", "at the lower limit"), (1, "tab:green", "at the upper limit")):
        here = np.where(rec["limit.contact"][:, 0] == side, -np.degrees(rec["q"][:, 0]), np.nan)
        angle.plot(t, here, color=color, linewidth=4, label=name)
    angle.set(ylabel="flexion [°]", xlabel="time [s]")
    angle.legend(loc="upper right")
    page.savefig(folder / "knee_swing.png", dpi=130)
    return [folder / "knee_swing.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
