"""Which way does a link pull?
===========================

The end of each link is moved from 2 cm to 18 cm and back, at 10 cm a second; the other end is fixed. The plots show the
tension computed by the engine, positive where the ends are pulled together; the thesis writes F¹² = −t for the force on
the second end. Its absolute values of d − d₀ are misprints: with them a buffer, which is repulsive, would attract.

Loading and unloading coincide without a damper, and differ by 2 z · 10 cm/s with one. Every sample agrees with the
formula to rounding.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.image import show_pictures
from motiform.motion.matter import links

K, Z, REST, INNER, OUTER, SPEED = 50.0, 4.0, 0.1, 0.08, 0.14, 0.1  # N/m, N s/m, m, m, m, m/s
LEAST, MOST, HALF = 0.02, 0.18, 1.6  # m, m, s
ATTRACTION = 20.0  # N/m

# Each law, and its formula written out: t(d, rate) [Habibi97 1.10, 1.11, 1.13–1.15, signs corrected].
LAWS = {
    "spring": (links.spring(K, rest=REST), lambda d, v: K * (d - REST)),
    "damper": (links.damper(Z), lambda d, v: Z * v),
    "elastic buffer": (links.elastic_buffer(K, REST), lambda d, v: np.where(d < REST, K * (d - REST), 0)),
    "hollow buffer": (links.hollow_buffer(K, REST), lambda d, v: np.where(d >= REST, K * (d - REST), 0)),
    "viscosity": (links.viscosity(Z, REST), lambda d, v: np.where(d < REST, Z * v, 0)),
    "visco-elastic buffer": (
        links.visco_elastic_buffer(K, REST, damping=Z),
        lambda d, v: np.where(d < REST, K * (d - REST) + Z * v, 0),
    ),
    "cohesion": (
        links.cohesion(K, ATTRACTION, INNER, OUTER),
        lambda d, v: np.select(
            [d < INNER, d < OUTER], [K * (d - INNER) + ATTRACTION * (OUTER - INNER), ATTRACTION * (OUTER - d)], 0
        ),
    ),
    "zones of your own": (
        links.zones((K, Z, INNER, INNER), (0, 0, 0, REST), (2 * K, 0, REST, OUTER), (0, Z, 0)),
        lambda d, v: np.select(
            [d < INNER, d < REST, d < OUTER], [K * (d - INNER) + Z * v, 0, 2 * K * (d - REST)], Z * v
        ),
    ),
}


def hand(t):
    return [[LEAST + SPEED * (t if t < HALF else 2 * HALF - t), 0.0, 0.0]]


def main(quick=False):
    b = mf.NetworkBuilder(frequency=1000, gravity=(0, 0, 0))
    wall, end = b.fixed("wall", [0, 0, 0]), b.imposed("hand", hand, velocity=[SPEED, 0, 0])
    for name, (law, _) in LAWS.items():
        b.link(name.replace(" ", "_"), (wall, end), law, record=True)
    rec = mf.simulate(b.build(), t1=2 * HALF, rate=1000)
    return {
        name: tuple(rec[f"{name.replace(' ', '_')}.{key}"][1:, 0] for key in ("length", "tension")) for name in LAWS
    }


def check(result):
    for name, (_, formula) in LAWS.items():
        d, t = result[name]
        v = np.diff(d, prepend=d[0] - SPEED / 1000) * 1000
        # rates are differences of lengths known to rounding, times 1000 steps a second and Z
        assert np.abs(t - formula(d, v)).max() < 1e-12 * (K * MOST) + 8e-16 * 1000 * Z, name


def draw(result, folder):
    chart = Figure(figsize=(9.5, 4.6), layout="constrained")
    for axes, (name, (d, t)) in zip(chart.subplots(2, 4, sharex=True).flat, result.items(), strict=True):
        out = len(d) // 2
        axes.axhline(0, color="#9a9aa0", linewidth=0.6)
        axes.plot(100 * d[:out], t[:out], color="#D55E00", linewidth=1.8, label="outward")
        axes.plot(100 * d[out:], t[out:], color="#0072B2", linewidth=1.2, linestyle="--", label="back")
        axes.set_title(name, fontsize=9.5, loc="left")
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(y=0.12)
    chart.axes[0].legend(frameon=False, fontsize=8)
    chart.supxlabel("distance [cm]", fontsize=9)
    chart.supylabel("tension [N], above 0: pulls together", fontsize=9)
    chart.savefig(folder / "laws.png", dpi=150)
    return [folder / "laws.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
