r"""How steep is a heap of sand?
============================

Eight hundred grains of three sizes stand in a bottomless mould on rough ground, and the mould is lifted slowly. The
sand flows out, to the right against a block, to the left freely. Grains repel each other in contact and rub with
Coulomb friction, μ = 0.5. A sticking pair is held by a tangential spring at its surfaces.

How steep the heap is depends on what grains do besides sliding. Round grains roll off one another: their heap is flat,
9° here, where grains move in a plane. A resistance to rolling, which stands for the shape of real grains, lets the heap
grow steeper: 15° with a coefficient μᵣ of 0.2, 21° with 0.6. Grains that do not rotate at all can only slide, and
stand at 48°, far above the angle of friction of 27°: models without rotation make heaps that are too steep. All
heaps are stable: in the last second grains only vibrate about their positions.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, picture, show_pictures

SIZES = {"fine": 0.016, "middle": 0.019, "coarse": 0.022}  # m, radii
ROLLING = (0.0, 0.2, 0.6)
FEW = {"fine": 26, "middle": 23, "coarse": 20}  # rows of grains in the quick size
COLORS = ("#56B4E9", "#0072B2", "#D55E00", "#999999")


def pour(rolling, quick, rotates=True):
    rubs = ["network.0.reach.0.friction", "network.0.solid.1.friction", "network.0.solid.2.friction"]
    settings = {f"{rub}.rolling": rolling for rub in rubs}
    if not rotates:
        settings |= {f"network.0.masses.{n}.inertia": None for n in range(len(SIZES))}
    if quick:
        settings |= {f"network.0.masses.{n}.grid.shape": [5, rows] for n, rows in enumerate(FEW.values())}
        settings |= {"scene.duration": 4.0, "network.0.solid.0.motion.path.times": [0.6, 2.6]}
    return mf.simulate("sand-heap", settings=settings)


def main(quick=False):
    heaps = {f"μᵣ = {rolling:g}": pour(rolling, quick) for rolling in ROLLING}
    return heaps | {"no rotation": pour(0.0, quick, rotates=False)}


def grains(rec):
    """Return the places of all grains (samples, grains, 2) and their radii [m]."""
    place = [rec[f"{name}.position"][..., :2] for name in SIZES]
    return np.concatenate(place, axis=1), np.repeat(list(SIZES.values()), [p.shape[1] for p in place])


def surface(place, radius, width=0.08):
    """Return the highest points of grains left of the middle, in strips [m]."""
    left = np.arange(-3, 0, width)
    strip = [(place[:, 0] >= x) & (place[:, 0] < x + width) for x in left]
    return left + width / 2, np.array([np.max((place[:, 1] + radius)[s], initial=0.0) for s in strip])


def slope(place, radius):
    """Return the slope of the free side [rad]: a line through the surface from 20 to 80 % of the height."""
    x, y = surface(place, radius)
    side = (y > 0.2 * y.max()) & (y < 0.8 * y.max())
    return float(np.arctan(np.polyfit(x[side], y[side], 1)[0]))


def creep(rec):
    """Return how far the middle one of all grains went in a second, in radii: what it trembles about, at the end."""
    place, radius = grains(rec)
    before, after = place[-50:-25].mean(0), place[-25:].mean(0)  # of 25 samples a second
    return float(np.median(np.linalg.norm(after - before, axis=1) / radius))


def check(result):
    found = [slope(grains(rec)[0][-1], grains(rec)[1]) for rec in result.values()]
    assert (np.diff(found) > 0).all()
    assert found[-2] < np.arctan(0.5) < found[-1]  # the angle of friction
    assert max(creep(rec) for rec in result.values()) < 0.01  # of a radius in a second: it takes hours to change


def draw(result, folder):
    chart = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(3, 2))
    for (name, rec), color in zip(result.items(), COLORS, strict=True):
        place, radius = grains(rec)
        x, y = surface(place[-1], radius)
        left.plot(x[y > 0], y[y > 0], color=color, linestyle="--" if name == "no rotation" else "-", label=name)
        height = np.einsum("tp,p->t", place[..., 1], radius**3) / (radius**3).sum()
        right.plot(rec.time("energy"), height, color=color, linestyle="--" if name == "no rotation" else "-")
        print(f"{name}: {np.degrees(slope(place[-1], radius)):.1f}°, creeps {creep(rec):.4f} radii in a second")
    left.set(xlabel="x [m]", ylabel="surface of the free side [m]", ylim=(0, None))
    right.set(xlabel="time [s]", ylabel="height of the centre of mass [m]", ylim=(0, 0.8))
    left.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "slopes.png", dpi=150)
    camera = Camera((-0.25, 0.85, 3.6), (-0.25, 0.42, 0), fov=0.5)
    heap = picture(dress(result["μᵣ = 0.6"]), folder / "heap.png", camera=camera, size=(1200, 640))
    return [heap, folder / "slopes.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
