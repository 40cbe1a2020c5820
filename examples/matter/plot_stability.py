"""How long may a step be?
=======================

A drum of 15 × 15 pins, light on the left and heavy on the right, has springs and dampers between neighbours and a fixed
rim. Before the first step each pin has a position in the plane (K, Z) = (k Te²/m, z Te/m), with all its links in their
worst case; inside the triangle K + 2Z ≤ 4 no mode grows. The eigenvalues of the whole drum give more: the step at which
its worst mode is on the stability limit, and the growth factor of that mode for a longer step.

At 0.99 of that step the oscillation decays after an impulse. At 1.01 the run is rejected; if forced, the oscillation
grows at each step by the predicted factor, until the run ends with an error that states the step at which positions are
no longer finite.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.base.errors import RunError
from motiform.image import show_pictures
from motiform.image.matter_plots import plot_triangle
from motiform.motion.matter import Engine, assess_network, links, topology
from motiform.motion.matter.stability.criterion import spectral_radius

SIDE, STIFFNESS, DAMPING = 15, 2000.0, 0.12  # pins, N/m, N s/m
MASS = np.repeat(np.where(np.arange(SIDE) < SIDE // 2, 0.01, 0.04), SIDE)  # kg, column after column
RIM = np.pad(np.zeros((SIDE - 2, SIDE - 2), bool), 1, constant_values=True).ravel()
PAIRS = topology.grid(np.arange(SIDE**2), (SIDE, SIDE), diagonals=False).pairs()


def drum(step):
    b = mf.NetworkBuilder(frequency=1 / step, gravity=(0, 0, 0))
    place = topology.block_positions((SIDE, 1, SIDE), 0.02)
    blow = np.zeros((SIDE**2, 3))
    blow[SIDE * (SIDE // 3) + SIDE // 3, 1] = 1.0
    pins = b.masses("pins", place, MASS, velocity=blow, axes="y", held=np.flatnonzero(RIM))
    law = links.spring(STIFFNESS, damping=DAMPING)
    b.link("skin", topology.grid(pins, (SIDE, SIDE), diagonals=False), law, axis="y")
    return b.build()


def ring(step, steps):
    """Return the largest height [m] after each step, up to where the run is stopped."""
    engine, heights = Engine(drum(step)), []
    try:
        for _ in range(steps):
            engine.advance()
            heights.append(np.abs(engine.state().position[:, 1]).max())
    except RunError as error:
        print(error)
    return np.array(heights)


def growth(step):
    """Return the factor by which a step multiplies the worst mode."""
    k, z = np.full(len(PAIRS), STIFFNESS), np.full(len(PAIRS), DAMPING)
    return spectral_radius(MASS, *PAIRS.T, k, z, step, movable=~RIM)


def main(quick=False):
    stability = assess_network(drum(1e-3), exact=True)
    longest, steps = stability.largest_step, 1500 if quick else 5000
    shares = {share: ring(share * longest, steps) for share in (0.99, 1.01)}
    verdicts = [assess_network(drum(share * longest), exact=True).verdict for share in shares]
    bound = assess_network(drum(1e-3)).largest_step
    return {"longest": longest, "bound": bound, "heights": shares, "verdicts": verdicts}


def check(result):
    longest = result["longest"]
    assert result["bound"] <= longest  # what is told without eigenvalues is on the safe side
    calm, wild = result["heights"].values()
    assert growth(0.99 * longest) < 1 < growth(1.01 * longest)
    assert calm[-1] < 0.1 * calm.max() < 0.01  # m
    assert wild.max() > 1e90
    grown = np.log(wild[wild > 1e20])  # by then the worst mode is all there is, to rounding
    assert abs(np.diff(grown).mean() - np.log(growth(1.01 * longest))) < 1e-6
    assert result["verdicts"] == ["stable", "unstable"]


def draw(result, folder):
    longest = result["longest"]
    sides = np.where(np.isclose(MASS, 0.01), "pins of 10 g", "pins of 40 g")
    stability = assess_network(drum(0.99 * longest), exact=True)
    words = f"the drum at 0.99 of its longest step, {1000 * longest:.4g} ms"
    plot_triangle(stability, groups=sides.tolist(), title=words, path=folder / "triangle.png")
    chart = Figure(figsize=(8, 3.8), layout="constrained")
    axes = chart.subplots()
    for (share, heights), color in zip(result["heights"].items(), ("#0072B2", "#D55E00"), strict=True):
        axes.semilogy(
            1 + np.arange(len(heights)), heights, color=color, linewidth=1.6, label=f"{share} of the longest step"
        )
    n = np.flatnonzero(result["heights"][1.01] > 1)
    foreseen = growth(1.01 * longest)
    axes.semilogy(
        n, foreseen ** (n - n[0]), "--", color="#30343a", linewidth=1, label=f"times {foreseen:.4f} each step"
    )
    axes.set(xlabel="step", ylabel="largest height [m]", xlim=(0, 1500), ylim=(1e-8, 1e110))
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    chart.savefig(folder / "growth.png", dpi=150)
    return [folder / "triangle.png", folder / "growth.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
