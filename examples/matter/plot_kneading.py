"""Does a hand that kneads paste mix it?
=====================================

A hand with fingers comes down on a lump of paste, presses and pushes it, closes and pulls back, twice. Its joints are
springs and dampers that follow this motion: the paste of 341 masses with attraction at short range yields, and holds
the hand back by the same forces.

Paste is mixed where masses leave their neighbours. A spring would give them back when the hand is gone; paste does not.
The checks: the lump stays one piece, it is flatter than a lump that is left alone, and at least three times as many
pairs of neighbours are parted in it. The hand feels more than the weight of the lump while it presses, and nothing
while it is off the paste.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

import motiform as mf
from motiform.form import dress
from motiform.image import render, show_pictures
from motiform.image.screens import write_png

RANGE = 0.0172  # m, of the attraction
WEIGHT = 9.81  # N, of the lump
SETTLED = 0.48  # s, when the hand has not come yet
SHOWN = (0.2, 0.84, 1.2, 3.2)  # s


def main(quick=False):
    until = {"scene.duration": 1.8} if quick else {}
    alone = mf.simulate("kneading", settings=until | {"figure.0.posture.key": [{"at": 0.0}, {"at": 1.0}]})
    return {"kneaded": mf.simulate("kneading", settings=until), "alone": alone}


def pairs(places):
    """Return the pairs of masses that attract one another."""
    return cKDTree(places).query_pairs(RANGE)


def parted(rec):
    """Return the share of the neighbours of the settled lump that are parted, over time."""
    places = rec["paste.position"]
    first = pairs(places[int(SETTLED * 25)])
    return np.array([len(first - pairs(now)) / len(first) for now in places])


def pieces(places):
    """Return how many masses the pieces of the lump have."""
    ends = np.array(sorted(pairs(places)))
    links = coo_array((np.ones(len(ends)), ends.T), (len(places), len(places)))
    return np.bincount(connected_components(links, directed=False)[1])


def felt(rec):
    """Return the force of the paste on the hand [N], (samples, 3)."""
    return rec["matter.wrench"][:, :, 3:].sum(axis=1)


def check(result):
    kneaded, alone = result["kneaded"], result["alone"]
    assert pieces(kneaded["paste.position"][-1]).max() > 0.98 * kneaded["paste.position"].shape[1]
    height = [rec["paste.position"][-1, :, 1].max() for rec in (kneaded, alone)]
    assert height[0] < 0.8 * height[1]
    assert parted(kneaded)[-1] > 3 * parted(alone)[-1]
    force = felt(kneaded)[:, 1]
    assert force.max() > WEIGHT
    assert np.abs(felt(alone)).max() == 0.0
    assert np.abs(force[: int(0.3 * 25)]).max() == 0.0


def draw(result, folder):
    form = dress(result["kneaded"])
    seen = [render(form, time=time, size=(560, 420)) for time in SHOWN]
    film = write_png(np.concatenate([np.concatenate(seen[n : n + 2], axis=1) for n in (0, 2)]), folder / "kneading.png")
    chart = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = chart.subplots(1, 2)
    for name, color in (("kneaded", "#D55E00"), ("alone", "#0072B2")):
        rec = result[name]
        late = rec.time("paste.position") >= SETTLED
        left.plot(rec.time("paste.position")[late], 100 * parted(rec)[late], color=color, label=name)
    left.set(xlabel="time [s]", ylabel="neighbours that are parted [%]")
    left.legend(frameon=False)
    for axis, (name, color) in enumerate((("forward", "#E69F00"), ("up", "#009E73"))):
        rec = result["kneaded"]
        right.plot(rec.time("matter.wrench"), felt(rec)[:, axis], color=color, label=name)
    right.set(xlabel="time [s]", ylabel="force of the paste on the hand [N]")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "kneading_mixes.png", dpi=150)
    return [film, folder / "kneading_mixes.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
