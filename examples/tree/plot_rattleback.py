"""Why does the rattleback reverse its spin?
=========================================

A rattleback is a half ellipsoid with a preferred sense of spin. Spun in the other sense it begins to rock, stops, and
reverses. Its axes of inertia are rotated slightly against the axes of its curvature: rocking about one of them always
produces a torque of the same sign, which takes energy from the spin in one sense and supplies it in the other.

The parameters are those of Kane and Levinson [KaneLevinson82]. The stone is one segment on a contact joint, an
ellipsoid that rolls and spins on a plane: three degrees of freedom, without constraint equations. A spin of +5 rad/s
persists; a spin of −5 rad/s is lost within three seconds and returns with the opposite sign. Energy is conserved, so
the rocking takes the energy of the spin. Without losses the other sense reverses too, much later (after 17 s here).
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, picture, show_pictures

SPIN = 5.0  # rad/s about the normal, with 1 rad/s of rocking along its length


def main(quick=False):
    result = {}
    for name, spin in (("spun with it", SPIN), ("spun against it", -SPIN)):
        change = {"figure.rattleback.start.v.stone": [0.0, 1.0, spin], "scene.duration": 4.0 if quick else 8.0}
        result[name] = mf.simulate("rattleback", settings={**change, "motion.rtol": 1e-11})
    return result


def check(result):
    for rec in result.values():
        assert np.ptp(rec["energy"]) <= 1e-8 * np.ptp(rec["energy.kinetic"])
        assert rec["stone.contact_force"][:, 2].min() > 0  # it never leaves the ground
    t = result["spun with it"].time("v")
    along, against = (rec["v"][:, 2] for rec in result.values())
    assert (along > 0).all()
    assert (against[t < 2.4] < 0).all()
    assert against[(t > 3.4) & (t < 4.0)].min() > 1  # turned round


def draw(result, folder):
    chart = Figure(figsize=(7, 4.4), layout="constrained")
    panels = chart.subplots(2, 1, sharex=True)
    for name, rec in result.items():
        for axes, column in zip(panels, (2, 1), strict=True):
            axes.plot(rec.time("v"), rec["v"][:, column], label=name, linewidth=1)
            axes.grid(alpha=0.25)
    panels[0].axhline(0, color="black", linewidth=0.5)
    panels[0].set(ylabel="spin [rad/s]")
    panels[1].set(ylabel="rocking [rad/s]", xlabel="time [s]")
    panels[0].legend(frameon=False)
    chart.savefig(folder / "spin.png", dpi=150)
    form = dress(result["spun against it"])
    camera = Camera((0.3, 0.28, 0.45), (0, 0.01, 0), fov=0.55)
    return [picture(form, folder / "stone.png", time=2.2, camera=camera, size=(1000, 560)), folder / "spin.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
