"""Does light push what it shows?
==============================

A picture is dressed on a motion if the light that makes it does not change the motion: its forces must be far below
those of mechanics [Habibi97 5.5]. Light of intensity I that falls on a mirror presses with 2 I/c, on a black body with
half of that [Habibi97 5.6, 5.7]. In sunlight, 1400 W/m², this is 9.3 µPa; on a foil of 10 cm × 10 cm 9.3·10⁻⁸ N.

A foil of aluminium of 10 µm that floats free is 1.73 m away after 100 s: what it looks like would have to be computed
together with how it moves. Hung on threads of 30 cm, where its weight pulls it back, it goes aside by a hundredth of a
millimetre: its picture may be dressed on its motion. So may that of anything that is a millimetre thick.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.geometry import Box
from motiform.image import show_pictures
from motiform.motion.bodies import Environment, Load

SUN, LIGHT = 1.4e3, 3e8  # W/m²; m/s, as in the thesis
SIDE, DENSITY = 0.1, 2700.0  # m; kg/m³ of aluminium
THICK = np.array([1e-6, 1e-5, 1e-4, 1e-3])  # m
END, THREAD, G = 100.0, 0.3, 9.81  # s, m, m/s²
PRESSURE = 2 * SUN / LIGHT


def main(quick=False):
    foils = [Box((thick, SIDE, SIDE)) for thick in THICK]
    bodies = [
        mf.Body(f"foil{k}", foil.mass_properties(density=DENSITY), foil, position=(0, 0, 0.2 * k))
        for k, foil in enumerate(foils)
    ]
    light = [Load(body.name, force=(PRESSURE * SIDE**2, 0, 0), at=(0, 0, 0)) for body in bodies]
    model = mf.Bodies(tuple(bodies), loads=tuple(light), environment=Environment(gravity=(0, 0, 0)))
    rec = mf.simulate(model, t1=END, rate=1)
    way = np.stack([rec[f"{body.name}.position"][:, 0] for body in bodies], axis=1)
    weight = G * DENSITY * SIDE**2 * THICK
    return {"t": rec.time("foil0.position"), "way": way, "hung": PRESSURE * SIDE**2 * THREAD / weight}


def check(result):
    assert abs(PRESSURE - 9.3e-6) < 0.05e-6  # Pa
    assert abs(PRESSURE * SIDE**2 - 9.3e-8) < 0.05e-8  # N; the thesis prints 9.3e-10
    exact = 0.5 * PRESSURE / (DENSITY * THICK) * result["t"][:, None] ** 2
    assert np.abs(result["way"] - exact).max() < 1e-9 * exact.max()
    assert abs(result["way"][-1, 1] - 1.73) < 0.005  # m
    assert result["hung"][1] < 1.1e-5  # m
    assert result["way"][-1, -1] < 0.02  # m: the plate of 1 mm, free


def draw(result, folder):
    chart = Figure(figsize=(9.5, 3.6), layout="constrained")
    left, right = chart.subplots(1, 2)
    for thick, way in zip(THICK, result["way"].T, strict=True):
        left.loglog(result["t"][1:], way[1:], label=f"{1e6 * thick:g} µm")
    left.plot(END, 1.73, "k*", ms=10, label="1.73 m [Habibi97]")
    left.set_xlabel("time in sunlight (s)")
    left.set_ylabel("drift of a free foil (m)")
    left.legend(fontsize=8, title="aluminium", title_fontsize=8)
    right.loglog(1e6 * THICK, result["way"][-1], "o-", label="free, after 100 s")
    right.loglog(1e6 * THICK, result["hung"], "s-", label="hung on threads of 30 cm")
    right.set_xlabel("thickness (µm)")
    right.set_ylabel("displacement by light (m)")
    right.legend(fontsize=8)
    chart.savefig(folder / "pushed_by_light.png", dpi=150)
    return [folder / "pushed_by_light.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
