r"""Which shape does a screen give to a push?
=========================================

At rest a screen is a filter: its shape is the push, convolved with what the screen does under a unit force at one pin
[Habibi97 ch. 7]. The links make the filter. Springs to the ground and between neighbours blur: the response falls by
e^(−β) a pin in a line, as a Bessel function in a plane, as e^(−r/L)/r in a block. A negative spring between neighbours
sharpens, but its ripple alternates from pin to pin, so that a push that is shifted by half a pin shows it or hides it:
the thesis gave it up. Pistons that conserve the sum of heights sharpen without ripples: what is pushed down here rises
there, as a liquid (VS), a membrane on a liquid (VV), the rim of a crater (HS) or a smooth one (HSVV). The thesis
proposed them for two dimensions and did not build them; here a pin that is pushed raises its four neighbours.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform.image import show_pictures
from motiform.motion.screens import (
    Continuum,
    Engraver,
    Pistons,
    Screen,
    ScreenLaw,
    box_response,
    continuum_of,
    continuum_response,
    lattice_response,
    line_response,
    rest_heights,
    static_response,
)

COUNT, MIDDLE = 41, 20
VARIANTS = {  # ground and neighbours of pins, of horizontal masses [N/m]
    "VS": (1.0, 0.0, 0.0, 0.0), "VV": (1e-3, 1.0, 0.0, 0.0), "HS": (0.0, 0.0, 1.0, 0.0), "HSHV": (0.0, 0.0, 1.0, 5.0),
    "HSVV": (0.0, 5.0, 1.0, 0.0), "HV": (0.0, 0.0, 0.0, 5.0),
}  # fmt: skip


RADIUS, FAR = {2: 20.0, 3: 8.0}, {2: 201, 3: 61}  # of a push on pins without ground, and how many pins there are


def line(ground, neighbour, force):
    return static_response(Screen(shape=len(force), spacing=1.0, law=ScreenLaw(ground, 0, neighbour, 0)), force)


def matter(variant, shape, **more):
    ks, kv, khs, khv = VARIANTS[variant]
    pistons = Pistons(stiffness=1000.0, ground_stiffness=khs, neighbour_stiffness=khv)
    return Screen(shape=shape, spacing=1.0, law=ScreenLaw(ks, 0, kv, 0), edges="free", pistons=pistons, **more)


def crater(variant, force):
    return static_response(matter(variant, force.shape), force)


def marked(variant):
    """Return a line at rest under an elastic marker, at the place of pin 20."""
    tip = Engraver(name="tip", points=[[MIDDLE, 0, 0]], stiffness=2.0, reach=4.0, height=2.0)
    return rest_heights(matter(variant, COUNT, engravers=(tip,)))


def disc(dimensions):
    """Return the middle row of pins without ground under a disc or a ball of force."""
    away = np.arange(FAR[dimensions]) - FAR[dimensions] // 2
    distance = np.sqrt(sum(x**2.0 for x in np.meshgrid(*[away] * dimensions, indexing="ij")))
    force = np.clip(RADIUS[dimensions] + 0.5 - distance, 0.0, 1.0)
    found = static_response(Screen(shape=distance.shape, spacing=1.0, law=ScreenLaw(0, 0, 1.0, 0)), force)
    return found[(FAR[dimensions] // 2,) * (dimensions - 1)]


def profile(dimensions, away):
    return box_response(Continuum(0.0, 1.0), RADIUS[dimensions], 1.0, away, dimensions)


def box(shift):
    """Return a push of 20 pins, shifted by parts of one: the part of each pin that it covers."""
    return np.clip(10.5 - np.abs(np.arange(101) - 50 - shift), 0.0, 1.0)


def main(quick=False):
    one, three = np.eye(1, COUNT, MIDDLE)[0], np.isin(np.arange(61), (20, 27, 40)).astype(float)
    wide, spot = -(np.abs(np.arange(COUNT) - MIDDLE) <= 4).astype(float), np.zeros((COUNT, COUNT))
    spot[MIDDLE, MIDDLE] = -1.0
    return {
        "line": {kv: line(5.0, kv, one) for kv in (20.0, -1.0)},
        "three": {kv: line(1.0, kv, three) for kv in (8.0, -0.2)},
        "box": {shift: line(5.0, -1.2, box(shift)) for shift in (0.0, 0.5)},
        "grid": {d: lattice_response(0.01, 1.0, d, extent=12, period=96 if d == 3 else 512) for d in (2, 3)},
        "pistons": {name: crater(name, one) for name in VARIANTS},
        "wide": {name: crater(name, wide) for name in ("HS", "HSHV", "HSVV")},
        "plane": {name: crater(name, spot) for name in ("HS", "HSVV")},
        "marked": {name: marked(name) for name in VARIANTS},
        "disc": {d: disc(d) for d in (2, 3)},
    }


def check(result):
    away = np.arange(COUNT) - MIDDLE
    for kv, found in result["line"].items():  # the edges are 20 pins away: e^(−20 β) of it comes back
        beta = np.arccosh(abs(1 + 5.0 / (2 * kv)))
        assert np.abs(found - line_response(5.0, kv, away)).max() < 2 * np.exp(-20 * beta) * found.max()
    smooth, rippled = (np.sign(np.diff(result["three"][kv])) for kv in (8.0, -0.2))
    assert (np.diff(smooth) != 0).sum() < 6 < 30 < (np.diff(rippled) != 0).sum()
    bent = [np.abs(np.diff(found, 2))[40:60].max() for found in result["box"].values()]
    r = np.exp(-np.arccosh(5.0 / 2.4 - 1.0))
    assert abs(bent[0] / bent[1] - 0.5 * (1 - r)) < 1e-3  # cancels to (1 − r)/2 where its edge is on a pin
    far = {d: continuum_response(continuum_of(0.01, 1.0, 1.0, d), d, 10) for d in (2, 3)}
    assert abs(result["grid"][2][12, 22] / far[2] - 1) < 2e-3
    assert abs(result["grid"][3][12, 12, 22] / far[3] - 1) < 1e-2
    assert np.allclose(result["pistons"]["VS"][:20], -0.0244, atol=5e-5)  # all others at one level
    assert np.allclose(result["pistons"]["HS"][19:23], [-1, 2.001, -1, 0], atol=1e-3)
    for name in ("VV", "HS", "HSHV", "HSVV", "HV"):  # 1/k_pist of the push is lost
        assert abs(result["pistons"][name].sum() - 1e-3) < 1e-5
    for d, found in result["disc"].items():  # parabola + log, parabola + 1/r, up to what the far edges add
        middle = FAR[d] // 2
        off = (found - profile(d, np.arange(FAR[d]) - middle))[
            middle - 2 * int(RADIUS[d]) : middle + 2 * int(RADIUS[d])
        ]
        assert np.ptp(off) < 0.02 * np.ptp(found)
    marked = result["marked"]
    for name in ("VS", "HV"):  # no pin out of reach is higher than another
        assert np.ptp(marked[name][26:]) < 1e-9 < marked[name][26]
    assert np.abs(marked["HS"][26:]).max() < 1e-9  # nothing beyond the rim
    assert marked["HS"].max() > 2 * marked["HSVV"].max() > 0
    plane = result["plane"]["HS"]
    assert np.allclose(plane[[19, 20, 21, 20, 20], [20, 19, 20, 21, 20]], [1, 1, 1, 1, -4.001], atol=1e-3)
    assert abs(plane.sum() + 1e-3) < 1e-5


def draw(result, folder):
    chart = Figure(figsize=(16, 6.2), layout="constrained")
    axes = chart.subplots(2, 5)
    away = np.arange(COUNT) - MIDDLE
    lines = {key: {f"k_v = {kv:g} N/m": f / f.max() for kv, f in result[key].items()} for key in ("line", "three")}
    curves = {
        (0, 0): ("one push, line", away, lines["line"]),
        (0, 1): ("three pushes", np.arange(61) - 30, lines["three"]),
        (0, 2): ("k_v < 0: a box", np.arange(101) - 50, {f"shifted by {s:g}": f for s, f in result["box"].items()}),
        (1, 0): ("pistons, one pull", away, {name: f / f.max() for name, f in result["pistons"].items()}),
        (1, 1): ("pistons, a wide push", away, {name: -f / f.min() for name, f in result["wide"].items()}),
        (1, 2): ("pistons, an elastic marker", away, {name: -f / f.min() for name, f in result["marked"].items()}),
    }  # fmt: skip
    for place, (title, x, drawn) in curves.items():
        for name, found in drawn.items():
            color = f"C{list(VARIANTS).index(name)}" if name in VARIANTS else None
            axes[place].plot(x, found, ".-", color=color, markersize=3, linewidth=1, label=name)
        axes[place].set(title=title, xlabel="pin")
        axes[place].legend(frameon=False, fontsize=8)
    axes[0, 2].set_xlim(-22, 22)
    axes[0, 0].set_ylabel("height over the largest")
    axes[1, 0].set(ylabel="height over the largest", ylim=(-1.1, 1.1))
    r = np.linspace(0.6, 12, 60)
    for d, name in ((2, "plane"), (3, "block")):
        row = result["grid"][d][(12,) * (d - 1)]
        (shown,) = axes[0, 3].semilogy(np.arange(13), row[12:], "o", markersize=4, label=f"{name}, pins")
        whole = continuum_response(continuum_of(0.01, 1.0, 1.0, d), d, r)
        axes[0, 3].semilogy(r, whole, color=shown.get_color(), linewidth=1, label=f"{name}, without pins")
    axes[0, 3].set(title="plane and block", xlabel="pins away")
    axes[0, 3].legend(frameon=False, fontsize=8)
    for place, (name, found) in zip(((1, 3), (1, 4)), result["plane"].items(), strict=True):
        most = np.abs(found).max() * (0.4 if name == "HS" else 0.25)
        axes[place].imshow(found[10:31, 10:31], cmap="RdBu_r", vmin=-most, vmax=most)
        axes[place].set(title=f"two dimensions, {name}", xticks=[], yticks=[])
    for d, name in ((2, "disc: parabola and logarithm"), (3, "ball: parabola and 1/r")):
        x = np.arange(FAR[d]) - FAR[d] // 2
        near = np.abs(x) <= 3 * RADIUS[d]
        x, found, exact = x[near] / RADIUS[d], result["disc"][d][near], profile(d, x[near])
        (shown,) = axes[0, 4].plot(x, (found - found.max()) / np.ptp(exact), ".", markersize=4, label=name)
        axes[0, 4].plot(x, (exact - exact.max()) / np.ptp(exact), color=shown.get_color(), linewidth=1)
    axes[0, 4].set(title="wide pushes, no ground", xlabel="distance over radius", ylim=(-1.05, 0.35))
    axes[0, 4].legend(frameon=False, fontsize=8)
    chart.savefig(folder / "static_screens.png", dpi=110)
    return [folder / "static_screens.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
