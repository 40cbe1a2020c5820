"""How much of a rocking block's motion is left after each impact?
===============================================================

A block of width 2b and height 2h is tilted about one edge and released. It falls, its other edge hits the ground, and
it continues to rotate about that edge. The angular momentum about the impact edge is conserved, so

    ω₊/ω₋ = 1 − 3/2 b²/(b² + h²),

0.942307692 here, for any mass [Housner63]. Each impact leaves 0.942307692² = 0.888 of the rocking energy. Impulses that
could also be tensile ("held") would stop the block at the first impact: the edge must be able to separate.

The simulation does not use this formula: corners are contact points, impacts are located, and impulses are compressive.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import contact, joints
from motiform.form import dress
from motiform.geometry import Box
from motiform.image import Camera, picture, show_pictures

B, H, TILT = 0.1, 0.5, 0.1  # m, m, rad
RATIO = 1 - 1.5 * B**2 / (B**2 + H**2)
INERTIA = 4 / 3 * (B**2 + H**2)  # about an edge, of a kilogram


def main(quick=False):
    shape = Box((2 * B, 2 * H, 0.4))
    b = mf.FigureBuilder()
    b.segment("block", None, joints.free(), mass=shape.mass_properties(mass=1.0), shape=shape, color=(0.70, 0.45, 0.28))
    figure = b.build()
    c, s = np.cos(TILT), np.sin(TILT)
    upright = (np.cos(TILT / 2), 0, 0, np.sin(TILT / 2))
    q0 = figure.configuration(block=(c * B - s * H, s * B + c * H, 0, *upright))
    contacts = contact.Contacts(contact.points_of_shape(figure, "block"), contact.floor())
    return mf.simulate(figure, contacts=contacts, q0=q0, t1=2.0 if quick else 5.0, rate=100, rtol=1e-11, atol=1e-13)


def impacts(rec):
    """Return instants, and the energy of rocking before and after each impact [J]."""
    hits = [event for event in rec.events if event.name.startswith("impact")]
    before = np.array([0.5 * INERTIA * (hit.detail["approach"] / (2 * B)) ** 2 for hit in hits])
    return np.array([hit.time for hit in hits]), before, before - [hit.detail["lost"] for hit in hits]


def check(rec):
    times, before, after = impacts(rec)
    assert len(times) >= 3
    assert abs(RATIO - 0.942307692) <= 1e-9
    assert np.abs(after / before - RATIO**2).max() <= 1e-8
    assert np.abs(before[1:] - after[:-1]).max() <= 1e-8  # J: nothing is lost in between
    assert rec["contact.gap"].min() > -1e-9  # m


def angle(rec):
    return 2 * np.degrees(np.arctan2(rec["block.orientation"][:, 3], rec["block.orientation"][:, 0]))


def draw(rec, folder):
    chart = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(3, 2))
    times, before, after = impacts(rec)
    left.plot(rec.time("q"), angle(rec), color="#0072B2")
    left.plot(times, 0 * times, "o", color="#D55E00", markersize=4, label="impacts")
    left.set(xlabel="time [s]", ylabel="angle [degrees]")
    left.legend(frameon=False, loc="upper right")
    number = np.arange(1, len(times) + 1)
    right.semilogy(number, after / before[0], "o", color="#D55E00", label="after each impact")
    right.semilogy(number, RATIO ** (2 * number), color="#555555", linewidth=1, label=f"{RATIO:.6f}$^{{2n}}$")
    right.set(xlabel="impact n", ylabel="energy of rocking/first")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "angle.png", dpi=150)
    camera = Camera((0.9, 0.85, 2.0), (0.0, 0.48, 0), fov=0.6)
    moment = int(np.argmin(angle(rec)))  # tilted to the other side
    block = picture(dress(rec), folder / "block.png", sample=moment, camera=camera, size=(900, 640), ground=0.0)
    return [folder / "angle.png", block]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
