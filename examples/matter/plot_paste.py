"""Does paste that was cut become whole again?
===========================================

A block of 252 masses falls on the edge of a wedge. Each mass interacts with those within 30 mm: repulsion below 21 mm
and attraction beyond, so that a pair is in equilibrium at inner − attraction (outer − inner)/stiffness = 20.94 mm. The
wedge cuts the block in two, except for a few crumbs; the halves fall, tear once more on the banks, slide down and meet
in the trough. Masses within range attract again: the number of connected components is one, then two, and in the end
one again, with all masses.

At rest the masses are in the densest planar packing, with six neighbours each, and second neighbours are out of range.
So each pair is at its equilibrium distance except for the compression by its load: the most common distance is that of
the law, minus at most the compression by the column of paste above it.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, Look, picture, show_pictures

STIFFNESS, ATTRACTION, INNER, OUTER = 6200.0, 40.0, 0.021, 0.030  # N/m, N/m, m, m
WEIGHT = 0.01 * 9.81  # N, of a mass
REST = INNER - ATTRACTION * (OUTER - INNER) / STIFFNESS
CRUMB = 10  # masses: less is no part of its own


def main(quick=False):
    return mf.simulate("paste", settings={"scene.rate": 25.0, "scene.duration": 2.0 if quick else 4.0})


def places(rec):
    return np.concatenate([rec["left.position"], rec["right.position"]], axis=1)


def parts(place):
    """Return how many masses each part has whose masses are held together by range, largest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(place).query_pairs(OUTER, output_type="ndarray")
    links = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(place), len(place)))
    return np.sort(np.bincount(connected_components(links, directed=False)[1]))[::-1]


def held(place):
    """Return the lengths of all pairs within range [m]."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(place).query_pairs(INNER, output_type="ndarray")
    return np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1)


def check(result):
    place = places(result)
    found = [parts(p) for p in place]
    large = np.array([(sizes >= CRUMB).sum() for sizes in found])
    cut = int(np.argmax(large > 1))
    assert (large[:cut] == 1).all()
    assert large[cut] == 2  # halves: the block lies even on both sides of the edge
    assert found[cut][0] == found[cut][1]
    assert found[-1].tolist() == [place.shape[1]]  # not a crumb is lost
    assert result["energy.kinetic"][-1] < 1e-3  # J, at rest: each mass slower than 3 cm/s
    # Pairs are pressed by no more than the weight of the column above, which leans on both lower neighbours of a mass
    # (hence 1/2 cos 30°). Layers are √3/2 REST apart.
    layers = np.ptp(place[-1, :, 1]) / (np.sqrt(3) / 2 * REST)
    pressed = layers * WEIGHT / (2 * np.cos(np.pi / 6)) / STIFFNESS
    assert REST - pressed < np.median(held(place[-1])) <= REST


def draw(result, folder):
    place, time = places(result), result.time("energy")
    sizes = [parts(p) for p in place]
    chart = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = chart.subplots(1, 2)
    for n, color in enumerate(("#0072B2", "#D55E00", "#009E73")):
        left.step(time, [s[n] if len(s) > n else 0 for s in sizes], where="post", color=color, label=f"part {n + 1}")
    left.set(xlabel="time [s]", ylabel="masses", xlim=(0, 2))
    left.legend(frameon=False)
    right.hist(1000 * held(place[-1]), bins=60, color="#56B4E9")
    right.axvline(1000 * REST, color="#D55E00", label="rest of the law")
    right.set(xlabel="distance of masses that touch [mm]", ylabel="pairs")
    right.legend(frameon=False, loc="upper left")
    chart.savefig(folder / "paste_parts.png", dpi=150)
    camera = Camera((0, 0.72, 2.6), (0, 0.6, 0), fov=0.58)
    look = Look(sun=(-0.25, 0.8, 0.8))
    shots = []
    for k, at in enumerate((0.32, 0.52, min(2.0, float(time[-1])))):
        path = folder / f"paste_{k + 1}.png"
        shots.append(picture(dress(result), path, time=at, camera=camera, size=(900, 620), look=look, ground=False))
    return [*shots, folder / "paste_parts.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
