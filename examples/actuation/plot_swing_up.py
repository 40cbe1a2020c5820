"""Which pulses swing a leg up?
============================

Pulses to the quadriceps swing a hanging shank up. The highest point of the swing grows with the intensity of the
pulses, so halving finds the intensity that brings it to a flexion of 40 degrees.

Two checks. The target is reached to half a degree, and muscles pull and do not push.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import picture, show_pictures

TARGET = np.radians(40)


def main(quick=False):
    low, high = (0.6, 0.66) if quick else (0.3, 1.0)
    for _ in range(4 if quick else 7):
        middle = 0.5 * (low + high)
        rec = mf.simulate("fes-swing-up", settings={"figure.leg.stimulation.train.0.intensity": middle})
        low, high = (low, middle) if rec["q"].min() < TARGET else (middle, high)
    return {"rec": rec, "intensity": middle}


def check(result):
    rec = result["rec"]
    reached = np.degrees(rec["q"].min())
    assert abs(reached - np.degrees(TARGET)) < 0.5, reached
    assert rec["stimulation.force"].min() > -1e-9  # [N]


def draw(result, folder):
    rec = result["rec"]
    page = Figure(figsize=(7, 5), layout="constrained")
    calcium, force, angle = page.subplots(3, 1, sharex=True)
    t = rec.time("q")
    calcium.plot(t, rec["stimulation.calcium"][:, 0])
    calcium.set_ylabel("calcium [1/s]")
    force.plot(t, rec["stimulation.force"], label=["quadriceps", "hamstrings"])
    force.set_ylabel("force [N]")
    force.legend()
    angle.plot(t, np.degrees(rec["q"]))
    angle.axhline(np.degrees(TARGET), color="0.6")
    angle.set(ylabel="flexion [°]", xlabel="time [s]", title=f"intensity {result['intensity']:.3f}")
    page.savefig(folder / "swing_up.png", dpi=150)
    return [folder / "swing_up.png", picture(strobe(dress(rec), 7), folder / "leg.png", size=(800, 500))]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
