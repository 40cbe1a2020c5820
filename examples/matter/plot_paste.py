"""Does paste flow, and is it whole again after a cut?
===================================================

A block of 1152 masses, held together by bonds: two masses within 18 mm are held at their distance until the bond pulls
or pushes by more than its yield force, from which on its rest length moves (`presets.paste_bond`). Bonds break beyond
18 mm and form anew between any two masses that come as near. So the block stands where it is loaded little and flows
where it is loaded more: under its own weight it sinks, the farther the lower the yield force, and then rests.

A blade comes down and cuts it in two. The blade and the balls that it keeps off are together as thick as the reach of
a bond: none holds across it. The number of parts connected by bonds is one, then two, until a press spreads the halves
and they meet: all masses are one part again.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

REACH, YIELDS = 0.018, (0.0005, 0.003, 0.007, 0.02)  # m; N: the third is that of the scene
SUNK = 0.76  # s: it rests, and the blade is still above it
CRUMB = 10  # masses: less is no part of its own


def main(quick=False):
    """Return the scene, and heights of blocks with several yield forces over time [m]."""
    cut = mf.simulate("paste", settings={"scene.duration": 1.44} if quick else {})
    force, sinking = "network.0.reach.1.yield_force", {"scene.duration": SUNK}
    heights = {}
    for f in YIELDS[::2] if quick else YIELDS:
        heights[f] = height(cut if f == YIELDS[2] else mf.simulate("paste", settings={force: f, **sinking}))[:20]
    return {"cut": cut, "heights": heights}


def height(rec):
    """Return the height below which 98 of a hundred masses are [m], over time."""
    return np.quantile(rec["paste.position"][..., 1], 0.98, axis=1)


def parts(place):
    """Return how many masses each part has whose masses are held together by range, largest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(place).query_pairs(REACH, output_type="ndarray")
    links = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(place), len(place)))
    return np.sort(np.bincount(connected_components(links, directed=False)[1]))[::-1]


def check(result):
    left = [heights[-1] / heights[0] for heights in result["heights"].values()]
    assert left == sorted(left)  # the more a bond bears, the higher the block stays
    assert left[0] < 0.55
    assert left[-2 if len(left) > 2 else -1] < 0.75
    place, time = result["cut"]["paste.position"], result["cut"].time("paste.position")
    found = [parts(p) for p in place]
    large = np.array([(sizes >= CRUMB).sum() for sizes in found])
    cut = int(np.argmax(large > 1))
    assert (large[:cut] == 1).all()
    assert large[cut] == 2
    assert found[cut][1] > 0.4 * place.shape[1]
    if time[-1] > 3.0:
        assert found[-1].tolist() == [place.shape[1]]  # not a crumb is lost
        assert height(result["cut"])[-1] < 0.6 * height(result["cut"])[cut]  # and it stays as flat as it was pressed
        assert result["cut"]["energy.kinetic"][-1] < 1e-4  # J, at rest: masses are slower than 1 cm/s in the mean


def draw(result, folder):
    rec = result["cut"]
    place, time = rec["paste.position"], rec.time("paste.position")
    sizes = [parts(p) for p in place]
    chart = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = chart.subplots(1, 2)
    for (force, heights), color in zip(
        result["heights"].items(), ("#56B4E9", "#0072B2", "#009E73", "#D55E00"), strict=False
    ):
        left.plot(np.arange(len(heights)) / 25.0, 1000 * heights, color=color, label=f"{1000 * force:g} mN")
    left.set(xlabel="time [s]", ylabel="height [mm]", ylim=(0, None))
    left.legend(frameon=False, title="yield force")
    for n, color in enumerate(("#0072B2", "#D55E00")):
        right.step(time, [s[n] if len(s) > n else 0 for s in sizes], where="post", color=color, label=f"part {n + 1}")
    right.set(xlabel="time [s]", ylabel="masses")
    right.legend(frameon=False)
    chart.savefig(folder / "paste_parts.png", dpi=150)
    form, shots = dress(rec), []
    for k, at in enumerate((0.0, 0.8, 1.5, 1.9, 2.3, 3.4)):
        path = folder / f"paste_{k + 1}.png"
        shots.append(picture(form, path, time=min(at, float(time[-1])), size=(900, 560)))
    return [*shots, folder / "paste_parts.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
