"""How much energy does a hysteretic link dissipate per cycle?
===========================================================

The end of each link is moved to and fro. Where the tension differs between loading and unloading, the loop has an area,
which is the dissipated energy. The areas are known: 4 F (a − F/k) for dry friction of limit F [Iwan66], 4 F (k a −
F)/(k + h) for plasticity with hardening h, k ((L − l)² − (s − l)²)/2 for a thread that breaks at L and heals at s, k (L
− l)²/2, once, for one that only breaks.

Then a mass oscillates freely on a spring in parallel with a dry-friction link. The discrete energy of the scheme, ½ m
V² + ½ k x x₋, which springs conserve exactly, decreases by the area of the link's loops, summed according to the
scheme, Σ t (d₊ − d₋)/2: to rounding, at every step. The oscillation ends after a few cycles.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.image import show_pictures
from motiform.motion.matter import Engine, links, presets
from motiform.motion.matter.engine.meters import invariant

RATE, PERIODS = 1000, 3  # Hz, one turn a second
K, LIMIT, HARDENING, REST, SWING = 100.0, 2.0, 40.0, 0.1, 0.05  # N/m, N, N/m, m, m
BREAKS, HEALS = 0.14, 0.12  # m
LAWS = {
    "dry_friction": presets.dry_friction(K, LIMIT, rest=REST),
    "plasticity": presets.plasticity(K, LIMIT, hardening=HARDENING, rest=REST),
    "healing": presets.healing(K, BREAKS, HEALS, rest=REST),
    "rupture": presets.rupture(K, length=BREAKS, rest=REST),
}
AREAS = {
    "dry_friction": 4 * LIMIT * (SWING - LIMIT / K),
    "plasticity": 4 * LIMIT * (K * SWING - LIMIT) / (K + HARDENING),
    "healing": K * ((BREAKS - REST) ** 2 - (HEALS - REST) ** 2) / 2,
    "rupture": 0.0,
}


def moved():
    """Return lengths [m] and tensions [N] of links that a hand moves."""
    b = mf.NetworkBuilder(frequency=RATE, gravity=(0, 0, 0))
    wall = b.fixed("wall", [0, 0, 0])
    hand = b.imposed("hand", lambda t: [[REST + SWING * np.sin(2 * np.pi * t), 0, 0]])
    for name, law in LAWS.items():
        b.link(name, (wall, hand), law, record=True)
    rec = mf.simulate(b.build(), t1=float(PERIODS), rate=RATE)
    return {name: (rec[f"{name}.length"][1:, 0], rec[f"{name}.tension"][1:, 0]) for name in LAWS}


def swung(steps):
    """Return places [m], tensions [N] and the scheme's energy [J] of a mass on a spring beside dry friction."""
    b = mf.NetworkBuilder(frequency=RATE, gravity=(0, 0, 0))
    wall, ball = b.fixed("wall", [0, 0, 0]), b.masses("ball", [0.1, 0, 0], 0.5, velocity=[2.0, 0, 0], axes="x")
    b.link("spring", (wall, ball), links.spring(300.0), axis="x")
    b.link("rub", (wall, ball), presets.dry_friction(2000.0, LIMIT), axis="x")
    engine = Engine(b.build())
    places, tensions, energies = [engine.state().previous[1, 0], engine.state().position[1, 0]], [], []
    for _ in range(steps):
        energies.append(invariant(engine.network, engine.state()))
        engine.advance()
        places.append(engine.state().position[1, 0])
        tensions.append(engine.tensions("rub")[0])
    return np.array(places), np.array(tensions), np.array(energies)


def area(length, tension):
    return float(np.sum(0.5 * (tension[1:] + tension[:-1]) * np.diff(length)))


def main(quick=False):
    return {"moved": moved(), "swung": swung(1000 if quick else 3000)}


def check(result):
    stroke = 2 * np.pi * SWING / RATE  # the most that the hand does in a step [m]
    for name, (d, t) in result["moved"].items():
        last = slice((PERIODS - 1) * RATE - 1, PERIODS * RATE)  # a whole turn, after the first has made its marks
        # where a link breaks or heals within a step, half of a step's work at its tension is not told
        assert abs(area(d[last], t[last]) - AREAS[name]) < stroke * K * (BREAKS - REST), name
    d, t = result["moved"]["rupture"]
    assert abs(area(d, t) - K * (BREAKS - REST) ** 2 / 2) < stroke * K * (BREAKS - REST)
    places, tensions, energies = result["swung"]
    taken = np.cumsum(tensions * (places[2:] - places[:-2]) / 2)[:-1]
    # sums of so many numbers, of lengths known to rounding against a spring of 300 N/m
    assert np.abs(energies[0] - taken - energies[1:]).max() < 1e-13 * len(energies)
    assert energies[-1] < 0.05 * energies[0]


def draw(result, folder):
    chart = Figure(figsize=(9.5, 5.6), layout="constrained")
    grid = chart.add_gridspec(2, 4)
    for n, (name, (d, t)) in enumerate(result["moved"].items()):
        axes = chart.add_subplot(grid[0, n])
        axes.fill(100 * d[RATE:], t[RATE:], color="#0072B2", alpha=0.15, linewidth=0)
        axes.plot(100 * d, t, color="#0072B2", linewidth=1.4)
        axes.axhline(0, color="#9a9aa0", linewidth=0.6)
        what = (
            f"{1000 * AREAS[name]:.0f} mJ a turn" if AREAS[name] else f"{500 * K * (BREAKS - REST) ** 2:.0f} mJ, once"
        )
        axes.set_title(f"{name.replace('_', ' ')}: {what}", fontsize=8.5, loc="left")
        axes.set(xlabel="length [cm]", ylabel="tension [N]" if n == 0 else "")
    places, tensions, energies = result["swung"]
    loops, fall = chart.add_subplot(grid[1, :2]), chart.add_subplot(grid[1, 2:])
    loops.plot(100 * (places[1:-1] - 0.1), tensions, color="#0072B2", linewidth=1)
    loops.set(xlabel="place of the mass [cm]", ylabel="friction [N]")
    taken = energies[0] - np.cumsum(tensions * (places[2:] - places[:-2]) / 2)[:-1]
    time = np.arange(len(energies)) / RATE
    fall.plot(time, energies, color="#30343a", linewidth=2.4, label="energy of mass and spring")
    fall.plot(time[1:], taken, color="#E69F00", linewidth=1.2, linestyle="--", label="what the loops have left of it")
    fall.set(xlabel="time [s]", ylabel="[J]")
    fall.legend(frameon=False, fontsize=8.5)
    for axes in chart.axes:
        axes.tick_params(labelsize=8)
        axes.xaxis.label.set_size(9)
        axes.yaxis.label.set_size(9)
        axes.spines[["top", "right"]].set_visible(False)
    chart.savefig(folder / "hysteresis.png", dpi=150)
    return [folder / "hysteresis.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
