"""Does a ribbon that folds pass through itself?
=============================================

A ribbon of 12 by 60 masses is lowered while its rail swings: it lays itself in folds. Its layers are balls that repel
one another by range, 18 mm wide in a weave of 20 mm. A mass that would pass through a layer would come through the
middle of a cell, at spacing/√2 = 14 mm from its corners, or nearer to one of them. So the least distance of any two
masses tells whether the cloth has passed through itself, without looking for crossings.

The checks: no two masses come nearer than that, and at the end there is a pile of folds. Without the contact of the
layers masses come nearer than half of it: the cloth passes through itself.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import cKDTree

import motiform as mf
from motiform.form import dress
from motiform.image import render, show_pictures
from motiform.image.screens import write_png

THROUGH = 0.02 / np.sqrt(2)  # m


def main(quick=False):
    return {
        "layers": mf.simulate("folding-cloth"),
        "none": mf.simulate("folding-cloth", settings={"network.0.reach": []}),
    }


def nearest(rec):
    """Return the least distance of two masses at each sample [m]."""
    return np.array([cKDTree(x).query(x, k=2)[0][:, 1].min() for x in rec["ribbon.position"]])


def check(result):
    assert nearest(result["layers"]).min() > THROUGH
    # a pile: no higher than the folds of a ribbon of 1.18 m that are as long as its rail swings wide
    assert 0.04 < result["layers"]["ribbon.position"][-1, :, 1].max() < 0.15
    assert nearest(result["none"]).min() < 0.5 * THROUGH


def draw(result, folder):
    form = dress(result["layers"])
    seen = [render(form, time=time, size=(520, 480)) for time in (1.2, 2.4, 4.0)]
    film = write_png(np.concatenate(seen, axis=1), folder / "folding_cloth.png")
    chart = Figure(figsize=(8, 3.2), layout="constrained")
    axes = chart.subplots()
    for name, text, color in (("layers", "layers that meet", "#0072B2"), ("none", "without contact", "#D55E00")):
        rec = result[name]
        axes.plot(rec.time("ribbon.position"), 1000 * nearest(rec), color=color, label=text)
    axes.axhline(1000 * THROUGH, color="#30343a", linewidth=1, linestyle="--", label="through the middle of a cell")
    axes.set(xlabel="time [s]", ylabel="least distance of two masses [mm]", ylim=(0, 25))
    axes.legend(frameon=False, loc="center right")
    axes.grid(alpha=0.25)
    chart.savefig(folder / "folding_distance.png", dpi=150)
    return [film, folder / "folding_distance.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
