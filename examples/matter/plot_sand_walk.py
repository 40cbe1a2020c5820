"""What carries a man who walks onto sand?
=======================================

A man walks from a slab onto sand. His joints and his way forward follow a gait; how high he is, is left to what carries
him: contacts with the slab, then a bed of 2640 plastic columns, which give way where they are pressed by more than
their yield force, and keep his prints.

The checks: sand lies still until it is stepped on. Over a whole stride on sand the impulse of what carries him is that
of his weight and of the change of his momentum. Prints are of one foot after the other, a stride apart on each side, do
not change later, and are no deeper than the law of the sand lets them stay.
"""

import itertools
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import label

import motiform as mf
from motiform.form import dress
from motiform.image import render, show_pictures
from motiform.image.screens import write_png

RATE, STRIDE, PERIOD = 150.0, 1.05, 1.2  # Hz, m, s of two steps
WEIGHT = 75 * 9.81  # N
SHAPE, SPACING, HARDENING, YIELD, STIFFNESS = (110, 24), 0.018, 220.0, 7.0, 9000.0


def main(quick=False):
    return mf.simulate("sand-walk", settings={"scene.rate": RATE})


def carried(rec):
    """Return the upward forces of slab and sand on him [N]."""
    return rec["contact.force"][:, :, 1].sum(axis=1), rec["matter.wrench"][:, :, 4].sum(axis=1)


def depths(rec):
    """Return how deep the sand is [m], (samples, x, z)."""
    return -rec["top.position"][:, :, 1].reshape(-1, *SHAPE)


def footprints(rec):
    """Return the prints at the end as numbered cells (x, z), and the middle of each that is larger than a few cells."""
    found, count = label(depths(rec)[-1] > 0.015)
    places = [np.argwhere(found == n + 1) for n in range(count)]
    return found, sorted((p.mean(axis=0) for p in places if len(p) > 20), key=lambda at: at[0])


def check(rec):
    early = int(0.9 * RATE)
    assert depths(rec)[:early].max() <= 0.03 * 9.81 / STIFFNESS * 2.01  # its own weight, twice as it is let go
    assert np.abs(rec["matter.wrench"][:early]).max() == 0.0
    slab, sand = carried(rec)
    assert (slab[int(0.1 * RATE) : early] > 0).all()
    momentum = rec["figure.momentum"][:, 1]
    a, b = int(1.7 * RATE), int((1.7 + PERIOD) * RATE)
    assert np.abs(slab[a:]).max() == 0.0
    impulse, time = np.trapezoid(sand[a : b + 1]) / RATE, (b - a) / RATE
    # sand gives way by centimetres: forces change within 50 ms and more, of which the trapezoid of 7 ms misses
    # (2π 7/50)²/12 of what changes, at most half of the weight, at four landings of 50 ms in 1.2 s
    expected = WEIGHT * time + momentum[b] - momentum[a]
    assert abs(impulse - expected) < 0.01 * expected
    check_prints(rec)


def check_prints(rec):
    found, feet = footprints(rec)
    assert len(feet) >= 3
    sides = [np.sign(at[1] - 11.5) for at in feet]
    assert all(one != other for one, other in itertools.pairwise(sides))  # left, right, left
    for one, after in zip(feet, feet[2:], strict=False):
        # a foot that rolls over a soft ground leaves its mark up to half a foot away from where it stood
        assert abs(SPACING * (after[0] - one[0]) - STRIDE) < 0.13
    # Bounds that move along by h p let the sand come back where h p is above its yield force: it keeps yield/h at most,
    # 32 mm, and all of a print not so deep but what its spring gives back, (yield + h p)/k; the crust pulls too.
    depth, edge = depths(rec), min(at[0] for at in feet) + 12
    first = (found > 0) & (np.arange(SHAPE[0])[:, None] < edge)
    deepest, kept = depth[:, first].max(axis=0), depth[-1][first]
    assert 0.02 < kept.max() <= YIELD / HARDENING + (YIELD + 4 * 40 * deepest.max()) / STIFFNESS
    assert np.ptp(depth[int(2.6 * RATE) :, first], axis=0).max() < 1e-4


def draw(rec, folder):
    form = dress(rec)
    seen = [render(form, time=time, size=(640, 480)) for time in (0.8, 1.4, 2.9)]
    film = write_png(np.concatenate(seen, axis=1), folder / "sand_walk.png")
    chart = Figure(figsize=(8, 4.6), layout="constrained")
    upper, lower = chart.subplots(2, 1, height_ratios=(1.5, 1))
    time = rec.time("matter.wrench")
    for force, name, color in zip(carried(rec), ("slab", "sand"), ("#0072B2", "#D55E00"), strict=True):
        upper.plot(time, force, color=color, label=name)
    upper.axhline(WEIGHT, color="#30343a", linewidth=1, linestyle="--", label="weight")
    upper.set(xlabel="time [s]", ylabel="force [N]", ylim=(0, 2000))
    upper.legend(frameon=False, ncols=3)
    upper.grid(alpha=0.25)
    shown = 1000 * depths(rec)[-1].T
    drawn = lower.imshow(shown, origin="lower", cmap="cividis", extent=(0, 1.98, -0.216, 0.216))
    lower.set(xlabel="forward [m]", ylabel="right [m]")
    chart.colorbar(drawn, ax=lower, label="depth [mm]")
    chart.savefig(folder / "sand_prints.png", dpi=150)
    return [film, folder / "sand_prints.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
