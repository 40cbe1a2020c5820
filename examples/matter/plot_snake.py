r"""How fast does a snake crawl in a straight line?
===============================================

Heavy snakes crawl without bending: muscles contract one after another, and a wave travels along the body. Here 32
masses lie on the ground in a row; the rest length of each muscle between them oscillates by 15 %, with a phase shift
from one to the next. Each mass has friction on the ground: forward 0.1 of its weight, backward more if there are
scales.

Such a snake is slow, so forward and backward friction must balance: a fraction :math:`p = μ_{forward}/(μ_{forward} +
μ_{backward})` of the masses slides back at any time. Since the wave alone moves the masses with :math:`A ω \cos`, the
speed at which this fraction slides back is

.. math:: v = A ω \cos π p = ε c \cos π p,

with the wave speed c and the muscle strain ε (for waves much longer than a muscle). Scales that never slide back give ε
c, the maximum; without scales p is one half and the snake does not advance. Colours show speed: dark parts stick,
bright ones move.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

COUNT, WAVES, STRAIN, LENGTH, RATE = 32, 2, 0.15, 0.04, 1050.0
TURN = 2 * np.pi * WAVES / COUNT  # rad: from muscle to muscle
SWING = STRAIN * LENGTH / (2 * np.sin(TURN / 2))  # m: A, of masses whose distances swing by strain · length
GRIP, STIFFNESS = 0.04905, 8000.0  # N, friction forward; N/m, of muscles


def crawl(share, frequency=1.0):
    """Return a run in which so large a share of the masses must slide back."""
    turn = 2 * np.sin(np.pi * frequency / RATE)  # the circle s += w c, c -= w s turns by 2 asin(w/2) a step
    settings = {"network.0.link.1.values.backward": GRIP * (1 / share - 1), "scene.duration": 6.0 / frequency}
    settings |= {f"network.0.link.{k}.values.turn": turn for k in (0, 2)}
    return mf.simulate("snake", settings=settings)


def speed(rec, name, frequency=1.0):
    """Return the mean speed over the last three waves [m/s]."""
    x, steps = rec[f"{name}.position"][:, :, 0].mean(axis=1), round(150 / frequency)
    return (x[-1] - x[-1 - steps]) / (3 / frequency)


def main(quick=False):
    shares = (1 / 6, 0.4) if quick else (0.05, 0.1, 1 / 6, 0.25, 1 / 3, 0.4, 0.45)
    runs = {share: crawl(share) for share in shares}
    return {"runs": runs, "slow": crawl(1 / 6, 0.5)}


def check(result):
    for share, rec in result["runs"].items():
        v = speed(rec, "scaly") / (2 * np.pi * SWING)
        # The share is of whole masses: one more or one less of 32 may slide back. Muscles bear the friction of a mass
        # that is held, or of those of half a wave that slide forward, and are longer by that over their stiffness.
        load = max(GRIP * (1 / share - 1), GRIP * COUNT / (2 * WAVES))
        slack = load / (STIFFNESS * STRAIN * LENGTH)
        assert np.cos(np.pi * (share + 1 / COUNT)) * (1 - slack) < v
        assert v < np.cos(np.pi * max(share - 1 / COUNT, 0)) * (1 + slack)
        assert abs(speed(rec, "smooth")) < 1e-3 * speed(rec, "scaly")
    slow, fast = speed(result["slow"], "scaly", 0.5), speed(result["runs"][1 / 6], "scaly")
    # Twice the wave's speed, twice the snake's: but for the share, which may be one mass off in either run.
    low, high = np.cos(np.pi * (1 / 6 + 1 / COUNT)), np.cos(np.pi * (1 / 6 - 1 / COUNT))
    assert 2 * low / high < fast / slow < 2 * high / low


def draw(result, folder):
    chart = Figure(figsize=(9, 3.3), layout="constrained")
    left, right = chart.subplots(1, 2)
    p, c = np.linspace(0, 0.5, 200), SWING * TURN / LENGTH
    left.plot(p, c * np.cos(np.pi * p), color="0.4", linewidth=1, label=r"$ε\,\cos πp$")
    found = [speed(rec, "scaly") * TURN / (2 * np.pi * LENGTH) for rec in result["runs"].values()]
    left.plot(list(result["runs"]), found, "o", color="#009E73", markersize=5, label="measured")
    left.set(xlabel="share p that slides back", ylabel="speed / speed of the wave", ylim=(0, None))
    left.legend(frameon=False)
    rec = result["runs"][1 / 6]
    for name, color in (("scaly", "#009E73"), ("smooth", "#7F6A4A")):
        x = rec[f"{name}.position"][:, ::6, 0]
        right.plot(rec.time(f"{name}.position"), x, color=color, linewidth=0.8)
    right.set(xlabel="time [s]", ylabel="masses of both snakes, x [m]")
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "speed.png", dpi=150)
    return [picture(dress(rec), folder / "snakes.png", sample=135, size=(1200, 600)), folder / "speed.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
