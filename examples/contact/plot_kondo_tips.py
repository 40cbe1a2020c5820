"""How far may a robot lean before it tips?
========================================

A robot of 34 cm stands on two flat soles with stiff servos. It is pushed at the back for a tenth of a second, once with
2.5 N and once with 5 N. Ground forces are compressive, so the zero-moment point has to lie within the soles. It moves
ahead of the centre of mass, because it also balances the push and the acceleration of the trunk.

If the zero-moment point stays within the soles, they stay flat, and the robot sways back. If it reaches the toes, the
heels carry no load and lift off at that instant, although the centre of mass has not moved half way to the toes; from
then on the point cannot move further, and the robot rotates about its toes and falls.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture, show_pictures

PUSHES = (2.5, 5.0)  # N
START, RATE = 0.3, 1000  # s, 1/s: each step is kept
NOTHING = 1e-5  # N, a millionth of the weight: what the contact solver leaves


def main(quick=False):
    runs = []
    for push in PUSHES:
        settings = {"figure.kondo.load.0.force": [push, 0, 0.08 * push], "scene.rate": RATE}
        if quick:
            settings["scene.duration"] = 0.6
        runs.append(mf.simulate("kondo-stand", settings=settings))
    return {"stays": runs[0], "tips": runs[1]}


def points(rec, part):
    """Return which contact points are at the heels or toes."""
    return [k for k, name in enumerate(rec.manifest["labels"]["point"]) if f"_foot_{part}_" in name]


def toes(rec):
    """Return where the edge of the toes is, over time [m]."""
    names = rec.manifest["labels"]["tag"]
    return rec["tags"][:, [k for k, name in enumerate(names) if "_foot_toe_" in name], 0].max(1)


def leaving(rec):
    """Return the sample from which on no heel carries anything, or None."""
    force = rec["contact.force"][1:, points(rec, "heel"), 1].sum(1)  # the first sample is before the first step
    none = np.flatnonzero(force <= NOTHING)
    return none[0] + 1 if len(none) else None


def check(result):
    stays, tips = result["stays"], result["tips"]
    assert leaving(stays) is None
    assert (stays["zmp"][1:, 0] < toes(stays)[1:]).all()
    assert stays["contact.gap"][:, points(stays, "heel")].max() < 1e-4  # m: soles are flat
    if stays.time("q")[-1] > 1.0:
        sway = stays["center_of_mass"][:, 0] - stays["center_of_mass"][0, 0]
        assert 0 < -sway.min() < 0.8 * sway.max()  # it comes back and sways on, by less
    k, room = leaving(tips), toes(tips) - tips["zmp"][:, 0]
    assert (room[1:k] > 0).all()
    assert room[k - 1] < 2 * (room[k - 2] - room[k - 1])  # a sample before, it lacks no more than it moves in two
    assert np.abs(room[k : k + 100]).max() < 1e-6  # m: all is carried at the edge; a toe may be ahead by its sliding
    assert tips["contact.gap"][k + 100, points(tips, "heel")].min() > 1e-3  # a tenth of a second later heels are up
    assert tips["center_of_mass"][k, 0] < 0.5 * toes(tips)[k]
    for rec in (stays, tips):
        up = rec["solid.wrench"][1:, :, 4].sum(1)
        quiet = up[: int(START * RATE) - 1]
        weight = quiet[-1]
        assert np.abs(quiet - weight).max() <= 1e-4 * weight  # the first steps settle the springs of the servos
        change = np.diff(rec["momentum"][:, 1]) * RATE
        assert np.abs(up - weight - change)[:k].max() <= 1e-3 * weight  # a step of 1 ms is good to its first order


def draw(result, folder):
    chart = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, (name, rec), push in zip(chart.subplots(1, 2, sharey=True), result.items(), PUSHES, strict=True):
        t, edge, k = rec.time("zmp"), 100 * toes(rec)[0], leaving(rec)
        shown = t <= 0.8
        axes.axhspan(edge - 10, edge, color="#999999", alpha=0.25, linewidth=0, label="soles")
        axes.axvspan(START, START + 0.1, color="#E69F00", alpha=0.25, linewidth=0, label="push")
        axes.plot(t[shown], 100 * rec["zmp"][shown, 0], color="#D55E00", label="zero-moment point")
        axes.plot(t[shown], 100 * rec["center_of_mass"][shown, 0], color="#0072B2", label="centre of mass")
        if k is not None:
            axes.plot(t[k], 100 * rec["zmp"][k, 0], "o", color="#222222", markersize=5, label="last heel leaves")
        axes.set(xlabel="time [s]", title=f"{push:g} N: it {name}", ylim=(-5, 15), xlim=(0.2, 0.8))
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize=8, loc="upper left")
    chart.axes[0].set_ylabel("forward [cm]")
    chart.savefig(folder / "point.png", dpi=150)
    form = strobe(dress(result["tips"].slice(START, 1.1)), 5)
    camera = Camera((0.5, 0.34, 0.8), (0.13, 0.15, 0), fov=0.6)
    robot = picture(form, folder / "robot.png", camera=camera, size=(900, 640), ground=0.0)
    return [folder / "point.png", robot]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
