"""Which pushes does a man stand?
===============================

A man stands on both feet and is pushed at the chest for 0.1 s: forward, to the side, backward. Drives of his joints
keep the centre of mass above the feet: ankles move the centre of pressure, and at the edge of the feet trunk and arms
swing. A push that is too large makes him fall.

Checks. After each push of the scene he is upright where he was. The centre of pressure never leaves the feet. Under
50 N s forward, more than a pendulum on such feet stands, he falls.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, render, show_pictures

HEEL, TOE = -0.0598, 0.1998  # [m] along x
PUSHES = ((0.5, 0, "forward, 25 N·s"), (2.5, 1, "to the right, 20 N·s"), (4.5, 0, "backward, 12 N·s"))


def main(quick=False):
    stands = mf.simulate("balance", settings={"scene.duration": 2.4 if quick else 6.5})
    harder = {"scene.duration": 1.8, "figure.man.load.0.force": [500.0, 0.0, 0.0]}
    return {"stands": stands, "falls": mf.simulate("balance", settings=harder)}


def check(result):
    rec = result["stands"]
    t, height = rec.time("q"), rec["center_of_mass"][:, 1]
    for end in [x for x in (2.4, 4.4, 6.4) if x <= t[-1]]:
        k = int(np.searchsorted(t, end))
        assert abs(height[k] - height[0]) < 5e-3, (end, height[k])
        assert np.abs(rec["balance.center"][k] - rec["balance.center"][0]).max() < 0.01
    assert HEEL - 1e-3 < np.nanmin(rec["zmp"][:, 0]) < np.nanmax(rec["zmp"][:, 0]) < TOE + 1e-3
    assert result["falls"]["center_of_mass"][-1, 1] < 0.6


def draw(result, folder):
    page = Figure(figsize=(10, 8), layout="constrained")
    above, below = page.subfigures(2, 1, height_ratios=(1.2, 1))
    camera = Camera((2.7, 1.2, 2.4), (0.15, 0.85, 0.0))
    shots = [("stands", 0.75), ("stands", 2.8), ("stands", 4.75), ("falls", 1.15)]
    forms = {name: dress(rec, skin=True) for name, rec in result.items()}
    for axes, (name, t) in zip(above.subplots(1, 4), shots, strict=True):
        axes.imshow(render(forms[name], int(60 * t), camera=camera, size=(300, 440), samples_per_pixel=16))
        axes.set_title(f"{t} s" if name == "stands" else f"50 N·s, {t} s", fontsize=9)
        axes.set_axis_off()
    rec = result["stands"]
    t = rec.time("q")
    for axes, (start, k, title) in zip(below.subplots(1, 3), PUSHES, strict=True):
        own = (t > start - 0.2) & (t < start + 1.6)
        axes.plot(t[own], 100 * rec["zmp"][own, 2 * k], color="0.6", label="centre of pressure")
        axes.plot(t[own], 100 * rec["balance.capture"][own, k], label="capture point")
        axes.plot(t[own], 100 * rec["balance.center"][own, k], label="centre of mass")
        axes.axvspan(start, start + 0.1, color="0.92")
        axes.set(xlabel="time [s]", ylabel="x [cm]" if k == 0 else "z [cm]", title=title)
    axes.legend(fontsize=8)
    page.savefig(folder / "balance.png", dpi=110)
    return [folder / "balance.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
