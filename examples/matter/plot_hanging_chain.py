"""What curve does a hanging chain take?
=====================================

Hooks let down a cloth and, in front of it, a chain of the same masses and links. At rest the tension of the chain has
the same horizontal component H everywhere, and its vertical component grows by m g from link to link. So link j points
along (H, V_j) with V_j = (j − n/2) m g and has the length l + √(H² + V_j²)/k; the chain spans the hooks for one H only.
This polygon is exact, and approaches a catenary for many short and stiff links; the links here are long and slightly
stretched.

The chain of the scene comes to rest by drag; all oscillations decay as e^(−c t/2m). Five seconds after the hooks have
stopped it agrees with the polygon to a micrometre. The upper edge of the cloth has a different shape: the cloth below
pulls it into a fold.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

COUNT, MASS, STIFFNESS, LENGTH, DRAG = 19, 5e-4, 120.0, 0.05, 2.5e-3  # masses, kg, N/m, m, N s/m
SPAN, HOOK, STOPPED = 0.7, (-0.35, 1.34), 1.0  # m, m, s


def hanging(stiffness=STIFFNESS, parts=1):
    """Return where the masses of a chain at rest are [m], (masses, 2); with each link in so many parts alike."""
    n = (COUNT + 1) * parts
    down = (np.arange(n) - (n - 1) / 2) * MASS / parts * 9.81

    def steps(across):
        pull = np.hypot(across, down)
        return (LENGTH / parts + pull / (stiffness * parts))[:, None] * np.stack((across / pull, down / pull), -1)

    across = brentq(lambda h: steps(h)[:, 0].sum() - SPAN, 1e-9, 10.0, xtol=1e-15, rtol=1e-14)
    return np.array(HOOK) + np.cumsum(steps(across), axis=0)[:-1]


def main(quick=False):
    return mf.simulate("cloth", settings={"scene.duration": 3.0} if quick else {})


def check(result):
    chain, time = result["chain.position"][-1], result.time("chain.position")[-1]
    left = SPAN * np.exp(-DRAG * (time - STOPPED) / (2 * MASS))  # of swings no wider than the span
    assert np.abs(chain[:, :2] - hanging()).max() < left
    assert np.abs(chain[:, 2] - 0.35).max() < 1e-12  # nothing pulls it out of its plane


def draw(result, folder):
    chart = Figure(figsize=(8, 4.2), layout="constrained")
    axes = chart.subplots()
    chain, cloth = result["chain.position"], result["cloth.position"].reshape(-1, 21, 15, 3)
    for sample, shade in ((10, 0.25), (25, 0.5), (40, 0.75)):
        axes.plot(*chain[sample, :, :2].T, "o-", color="#E69F00", alpha=shade, markersize=2, linewidth=0.8)
    fine = hanging(stiffness=1e9, parts=40)
    axes.plot(*fine.T, color="#30343a", linewidth=1, label="catenary")
    axes.plot(*hanging().T, "o", color="#E69F00", markersize=7, fillstyle="none", label="polygon, worked out")
    axes.plot(*chain[-1, :, :2].T, ".", color="#D55E00", label="chain at rest")
    axes.plot(*cloth[-1, :, -1, :2].T, color="#0072B2", linewidth=2, label="upper edge of the cloth")
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes.legend(frameon=False, loc="upper center")
    axes.grid(alpha=0.25)
    chart.savefig(folder / "chain.png", dpi=150)
    return [picture(dress(result), folder / "cloth.png", size=(1100, 850)), folder / "chain.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
