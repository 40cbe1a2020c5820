r"""How deep is a permanent track?
==============================

A vehicle of masses and links, with four rings of masses for wheels, is towed over soil: 28 × 28 masses, each supported
from below by a plastic link of stiffness k. Beyond a force F its rest length moves, and a plastic displacement m adds
the back stress h m (kinematic hardening). So its tension T always satisfies \|T − h m\| ≤ F.

Under a wheel with the load P the soil sinks until T = P = F + h m, to m = (P − F)/h. Behind the wheel T returns to the
force of the surrounding crust, nearly zero. If P was less than 2 F, all of m remains; if it was more, the soil rises
again until h m = F + T. So a deep track is less deep than the wheel sank, and its depth does not show the load: it is
F/h, here 60 mm, up to the force of the crust. Elastic soil carries the same vehicle without a permanent track.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, Lighting, picture, show_pictures

STIFFNESS, YIELD, HARDENING, RATE = 20e3, 12.0, 200.0, 105.0  # N/m, N, N/m, Hz
SOILS = {"soil that yields": YIELD, "soil that does not": 1e6}  # N


def main(quick=False):
    settings = {"scene.rate": RATE, "scene.duration": 2.4 if quick else 4.0}
    return {
        name: mf.simulate("soil-track", settings=settings | {"network.0.link.0.yield_force": force})
        for name, force in SOILS.items()
    }


def track(rec):
    """Return which masses of soil all wheels have left: well behind the rear axle, and before where it began."""
    x, axle = rec["soil.top.position"][0, :, 0], rec["vehicle.rear_axle.position"][:, 0, 0]
    behind = (x > axle[0] + 0.2) & (x < axle[-1] - 0.25)  # a wheel has a radius of 0.25 m, its tyre 0.06 m
    return np.flatnonzero(behind & (rec["soil.bed.tension"].max(0) > YIELD + 1))


def depth(rec):
    return -rec["soil.top.position"][-1, :, 1]


def predicted(rec, mine):
    """Return the depth that the tensions tell [m]: by their peak, and by the least that followed."""
    tension = rec["soil.bed.tension"][:, mine]
    load, least = tension.max(0), np.array([one[one.argmax() :].min() for one in tension.T])
    return np.minimum(load - YIELD, YIELD + least) / HARDENING + tension[-1] / STIFFNESS


def check(result):
    soft, hard = result.values()
    mine = track(soft)
    assert len(mine) >= 8  # both sides of the vehicle, two rows each
    # A sample tells the least tension to what it changes in half of 1/RATE. Soil swings by √(k/m) = 220 rad/s,
    # so about its least by T (220/2 RATE)²/2 = 0.55 T, and T is there no more than what the crust holds.
    # The crust pulls by its links up the side of a track, k ε sin α: of one across, 150 N/m × 16.6 mm × 0.51, and of
    # two that go askew, 150 N/m × 12.2 mm × 0.39 each: 2.7 N.
    crust = 2.7
    assert np.abs(depth(soft)[mine] - predicted(soft, mine)).max() < 0.55 * crust / HARDENING
    assert abs(depth(soft)[mine].mean() - YIELD / HARDENING) < crust / HARDENING
    assert np.abs(depth(hard)[mine]).max() < crust / STIFFNESS + 0.4 * 9.81 / STIFFNESS  # crust and own weight


def draw(result, folder):
    chart = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = chart.subplots(1, 2)
    for (name, rec), color in zip(result.items(), ("#D55E00", "#0072B2"), strict=True):
        mine = track(rec)
        place, row = rec["soil.top.position"], mine[len(mine) // 2] // 28
        left.plot(place[0, :28, 2], 1000 * place[-1].reshape(28, 28, 3)[row, :, 1], ".-", color=color, label=name)
        one = mine[np.argmax(depth(rec)[mine])]
        right.plot(rec["soil.bed.tension"][:, one], -1000 * place[:, one, 1], color=color, linewidth=1)
    left.axhline(-1000 * YIELD / HARDENING, color="black", linestyle=":", label="F/h")
    left.set(xlabel="across the track [m]", ylabel="height of the soil behind the vehicle [mm]")
    right.set(xlabel="load on one mass of soil [N]", ylabel="its depth [mm]")
    left.legend(frameon=False, loc="center")
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "track.png", dpi=150)
    camera, look = Camera((-2.2, 1.0, 1.9), (0, 0.05, 0), fov=0.62), Lighting(sun=(-0.5, 0.35, -0.8))
    form = dress(result["soil that yields"])
    return [picture(form, folder / "vehicle.png", camera=camera, look=look, size=(1200, 740)), folder / "track.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
