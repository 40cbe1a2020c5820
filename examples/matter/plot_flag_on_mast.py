"""How hard does a flag pull its mast?
===================================

A flag of 31 × 19 masses is tied to a mast by 19 links and flaps in gusts from all sides. For any deformation, the force
on the mast is the momentum that air and gravity give to the cloth minus the change of the momentum of the cloth. With a
drag −c (v − w) on each of N masses the sum over all steps of a time T telescopes, and the mean force is

    N c w̄ + M g − N c Δx/T − M Δv/T,

with the mean wind w̄ and the changes of mean position (Δx) and mean velocity (Δv) of the flag. The first two terms are
those of a rigid flag; the last two decrease as 1/T, because the flag stays at its mast. So with linear drag a flapping
flag does not pull harder on average. The instantaneous force is quite different.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

RATE, DRAG, MASS, GRAVITY = 1050.0, 4e-4, 0.1, np.array([0, -9.81, 0])  # Hz, N s/m, kg, m/s²
WIND, GUST, PERIOD = np.array([9.0, 0, 0]), np.array([2.0, 1.0, 3.5]), 0.9  # m/s, m/s, s


def main(quick=False):
    settings = {"scene.rate": RATE, "scene.duration": 0.45 if quick else 1.8}  # all steps; two gusts
    return mf.simulate("flag", settings=settings)


def pulls(rec):
    """Return the force of the ties on the mast in each step [N], (steps, 3)."""
    cloth = rec["cloth.position"]
    ties = cloth.reshape(len(cloth), 31, 19, 3)[:-1, 0] - rec["mast.position"][:-1]
    along = ties / np.linalg.norm(ties, axis=-1, keepdims=True)
    return (rec["ties.tension"][1:, :, None] * along).sum(1)  # a sample tells the tension that led to it


def budget(rec):
    """Return the terms of the mean pull [N]: of the wind, of weight, and of what the cloth keeps."""
    cloth, steps = rec["cloth.position"], rec.count("cloth.position") - 1
    time, n = steps / RATE, np.arange(steps)
    wind = WIND + GUST * np.sin(-2 * np.pi * n / RATE / PERIOD)[:, None]
    moved = (cloth[-2] - cloth[0]).sum(0)  # the drag of a step is that of the velocity before it
    kept = -DRAG * moved / time - (rec["momentum"][-1] - rec["momentum"][0]) / time
    return cloth.shape[1] * DRAG * wind.mean(0), MASS * GRAVITY, kept


def check(result):
    found, terms = pulls(result).mean(0), budget(result)
    # Rounding of positions of a metre, 1e-16, over a step, times 0.1 kg: 1e-14 N s for each step. No other error.
    assert np.abs(found - sum(terms)).max() < 1e-9
    # What the cloth keeps: its middle stays within 1.3 m (its length) of the mast and never outruns the wind.
    time = result.time("momentum")[-1]
    most = (589 * DRAG * 2 * 1.3 + MASS * np.linalg.norm(WIND + GUST)) / time
    assert np.linalg.norm(found - terms[0] - terms[1]) < most


def draw(result, folder):
    pull, (wind, weight, _) = pulls(result), budget(result)
    time, mean = (1 + np.arange(len(pull))) / RATE, np.cumsum(pull, axis=0) / (1 + np.arange(len(pull)))[:, None]
    chart = Figure(figsize=(8, 4), layout="constrained")
    axes = chart.subplots()
    for k, (name, color) in enumerate({"along the wind": "#0072B2", "up": "#D55E00", "aside": "#009E73"}.items()):
        axes.plot(time, pull[:, k], color=color, linewidth=0.6, alpha=0.5)
        axes.plot(time, mean[:, k], color=color, linewidth=2, label=f"{name}, mean so far")
        axes.axhline((wind + weight)[k], color=color, linestyle=":", linewidth=1)
    axes.set(xlabel="time [s]", ylabel="pull on the mast [N]", xlim=(0, time[-1]))
    axes.legend(frameon=False, ncols=3, loc="upper right")
    axes.grid(alpha=0.25)
    chart.savefig(folder / "flag_pull.png", dpi=150)
    return [picture(dress(result), folder / "flag.png", size=(1000, 750)), folder / "flag_pull.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
