"""How deep does a robot stand in soft soil?
=========================================

The small robot KHR-1 comes down on soil from a height of 2 cm, squats and rises. Its servos are springs and dampers;
nothing but the soil carries it. The soil is a bed of 1600 columns, each plastic: elastic up to a yield force F, then it
gives way, and its bounds move along by h p, p being what it has yielded [Habibi97 §1.4].

A column under a sole yields until it carries its part of what lands on it. At rest all columns under the soles carry
the weight together; the soil keeps the prints, as wide as the soles. The checks: the force of the soil on the feet is
the robot's weight at rest, and while it squats its impulse is that of the weight and of the change of momentum; the
prints are as large as two soles, and no column outside is deeper than the crust pulls it.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import render, show_pictures
from motiform.image.screens import write_png

WEIGHT = 1.3 * 9.81  # N
SHAPE, SPACING = (40, 40), 0.006  # of the bed, m
SOLE = 0.1 * 0.055  # m²
COLUMN, CRUST = 400.0, 1.0  # N/m
RATE = 150.0  # Hz


def main(quick=False):
    return mf.simulate("kondo-soil", settings={"scene.rate": RATE, "scene.duration": 1.2 if quick else 2.4})


def carried(rec):
    """Return the force of the soil on the robot, upward [N]."""
    return rec["matter.wrench"][:, :, 4].sum(axis=1)


def depths(rec):
    """Return how deep the soil is [m], (samples, x, z)."""
    return -rec["top.position"][:, :, 1].reshape(-1, *SHAPE)


def check(rec):
    settled = int(0.45 * RATE)
    force, momentum = carried(rec)[settled:], rec["figure.momentum"][settled:, 1]
    lasts = (len(force) - 1) / RATE
    impulse = np.trapezoid(force) / RATE
    # the last of the landing, 35 Hz: the trapezoid of 150 Hz misses (2π 35/150)²/12 = 18 % of it, 1 N over a period
    assert abs(impulse - WEIGHT * lasts - momentum[-1] + momentum[0]) < 0.18 / 35
    assert np.abs(force[: int(0.05 * RATE)] - WEIGHT).max() < 0.05 * WEIGHT
    deep = depths(rec)[-1]
    pressed = deep > 0.5 * deep.max()
    # columns are 6 mm apart: a sole of 100 by 55 mm has one row more or less on each side
    assert abs(pressed.sum() * SPACING**2 - 2 * SOLE) < 2 * (2 * (0.1 + 0.055) * SPACING)
    assert 0.002 < deep.max() < 0.006
    # outside there are the column's own weight and the pull of four springs of the crust, twice as they came suddenly
    assert deep[~pressed].max() < 2 * (0.002 * 9.81 + 4 * CRUST * deep.max()) / COLUMN


def draw(rec, folder):
    form = dress(rec)
    seen = [render(form, time=time, size=(520, 520)) for time in (0.0, 0.4, 1.2)]
    film = write_png(np.concatenate(seen, axis=1), folder / "kondo_soil.png")
    chart = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(1.4, 1))
    left.plot(rec.time("matter.wrench"), carried(rec), color="#0072B2", label="soil on feet")
    left.axhline(WEIGHT, color="#30343a", linewidth=1, linestyle="--", label="weight")
    left.set(xlabel="time [s]", ylabel="force [N]")
    left.legend(frameon=False)
    left.grid(alpha=0.25)
    drawn = right.imshow(1000 * depths(rec)[-1].T, origin="lower", cmap="cividis", extent=(-0.105, 0.135, -0.12, 0.12))
    right.set(xlabel="forward [m]", ylabel="right [m]")
    chart.colorbar(drawn, ax=right, label="depth [mm]")
    chart.savefig(folder / "kondo_prints.png", dpi=150)
    return [film, folder / "kondo_prints.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
