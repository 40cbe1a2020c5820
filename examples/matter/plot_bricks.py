r"""How high must a brick fall to break?
====================================

A brick of 5 × 5 × 9 masses falls on a steel bar. Each mass is linked with its 26 neighbours; a link stretched by 3.5 %
breaks permanently and dissipates the energy :math:`k (ε L)²/2`. This gives a height below which no piece can break off:
the piece with the lowest energy is a corner, held by 3 edges, 3 face diagonals and one space diagonal, :math:`k (ε a)²
(3 + 3 \cdot 2 + 3)/2 = 6 k ε² a²`, which the fall must supply. This brick needs a fall many times as high, because most
of the energy goes into vibration and is lost in the dampers. From 1.2 m it breaks to pieces, and the broken links still
account for only a small part of the energy of the fall.

Three bricks in a pile beside it stay intact. The lower ones are compressed by less than their load divided by the
stiffness of their 45 vertical columns of links, because the diagonals carry some of it, too.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

COUNT = 225
K, STRAIN, EDGE, MASS = 3600.0, 0.035, 0.03, COUNT * 0.008  # N/m, 1, m, kg
BAR = 0.06 + 0.018  # m: height at which the lowest masses rest on the bar
WEIGHT = MASS * 9.81
CORNER = 6 * K * STRAIN**2 * EDGE**2  # J


def drop(height, duration=None):
    at = [-0.11, BAR + height, -0.06]
    duration = np.ceil(50 * (np.sqrt(2 * height / 9.81) + 0.25)) / 50 if duration is None else duration
    return mf.simulate("bricks", settings={"network.0.masses.0.grid.at": at, "scene.duration": duration})


def pieces(rec):
    """Return the number of pieces of the brick that fell, its broken links, and the energy that they took [J]."""
    broken = rec["falling_links.state"][-1] == 1
    length, start = rec["falling_links.length"][0], rec["falling.position"][0]
    a, b = np.triu_indices(COUNT, 1)
    near = np.linalg.norm(start[a] - start[b], axis=1) < 1.75 * EDGE
    a, b = a[near], b[near]
    held = coo_matrix((np.ones((~broken).sum()), (a[~broken], b[~broken])), shape=(COUNT, COUNT))
    return connected_components(held, directed=False)[0], broken.sum(), (0.5 * K * (STRAIN * length[broken]) ** 2).sum()


def main(quick=False):
    rec = drop(1.2, 0.7 if quick else 2.0)
    low, high = CORNER / WEIGHT, 1.2  # m
    found = {high: pieces(rec), 0.9 * low: pieces(drop(0.9 * low))}
    while high - low > (0.6 if quick else 0.05):
        middle = 0.5 * (low + high)
        found[middle] = pieces(drop(middle))
        low, high = (middle, high) if found[middle][0] == 1 else (low, middle)
    return {"rec": rec, "found": dict(sorted(found.items())), "needs": high}


def check(result):
    rec, found = result["rec"], result["found"]
    lowest = min(found)
    assert found[lowest][0] == 1  # below the height that pays for a corner nothing comes off …
    assert result["needs"] > CORNER / WEIGHT  # … and what breaks has fallen farther
    assert found[max(found)][0] > 1
    for height, (_, _, taken) in found.items():
        assert taken <= WEIGHT * (height + BAR)  # J: no more than the whole way down to the floor gives
    for name in ("left", "right", "top"):
        assert not (rec[f"{name}_links.state"] == 1).any()
    for name in ("left", "right"):
        layers = rec[f"{name}.position"][:, :, 1].reshape(-1, 5, 5, 9).mean(axis=(1, 3))
        pressed = (layers[0, 4] - layers[0, 0]) - (layers[-1, 4] - layers[-1, 0])
        assert 0 < pressed < 4 * 1.5 * WEIGHT / (45 * K)  # m: four layers of links bear it and half of the top one


def draw(result, folder):
    chart = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = chart.subplots(1, 2)
    height = np.array(list(result["found"]))
    count, _, taken = np.array(list(result["found"].values())).T
    left.plot(height, count, "o-", color="#D55E00", markersize=4, linewidth=1)
    left.set(xlabel="height of the fall [m]", ylabel="pieces", ylim=(0, None))
    right.plot(height, WEIGHT * height, color="0.4", linewidth=1, label="given by the fall")
    right.plot(height, taken, "o-", color="#D55E00", markersize=4, linewidth=1, label="taken by broken links")
    right.set(xlabel="height of the fall [m]", ylabel="energy [J]")
    for axes in (left, right):
        axes.axvline(CORNER / WEIGHT, color="#0072B2", linewidth=1, linestyle="--", label="pays for a corner")
        axes.grid(alpha=0.25)
    right.legend(frameon=False)
    chart.savefig(folder / "heights.png", dpi=150)
    form = dress(result["rec"])
    shown = picture(form, folder / "bricks.png", sample=39, size=(1200, 700))
    return [shown, folder / "heights.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
