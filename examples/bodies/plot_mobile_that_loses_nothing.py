"""Can a mobile swing for ever?
============================

A bar hangs from the world on a spring and carries a ball and a box on two more springs. Nothing dissipates energy here,
but most integrators lose or gain some. The energy–momentum method does not: between two states the spring force is a
discrete gradient [Gonzalez96],

    f = k (½ (l₀ + l₁) − rest) (d₀ + d₁)/(l₀ + l₁),

whose work is exactly the change of ½ k (l − rest)², and the bodies rotate by a midpoint rule with the same property for
their rotational energy. Only rounding remains. Runge–Kutta is closer to the true motion in the short run, but its
energy drifts.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, compare_plot, picture, show_pictures

STEP = 4e-3  # s


def main(quick=False):
    change = {"motion.step": STEP, "scene.duration": 2.0 if quick else 20.0}
    names = ("symplectic-euler", "rk4", "lie-midpoint")
    return {name: mf.simulate("mobile", settings={**change, "motion.integrator": name}) for name in names}


def check(result):
    for name, rec in result.items():
        drift, scale = np.abs(rec["energy"] - rec["energy"][0]).max(), rec["energy"][0]
        rounding = 1e-15 * scale * rec.duration / STEP  # a few units in the last place of the energy each step
        assert (drift <= rounding) == (name == "lie-midpoint")
        assert np.ptp(rec["energy.kinetic"]) > 1e-2 * scale  # it does swing


def draw(result, folder):
    form = dress(result["lie-midpoint"])
    row, first = np.arange(5)[:, None, None] * [0.8, 0, 0], np.arange(5) * 12  # the first second, every 0.2 s
    parts = []
    for part in form.parts:
        place, turn = part.position[first] + row, part.orientation[first]
        parts.append(replace(part, position=place.reshape(1, -1, 3), orientation=turn.reshape(1, -1, 4)))
    form = replace(form, parts=tuple(parts), times=np.zeros(1))
    camera = Camera.framing(form, direction=(0, 0.15, 1), fov=0.3, aspect=3.0)
    compare_plot(result, "energy", drift=True, log=True, path=folder / "energy.png", title="Energy of the mobile")
    return [picture(form, folder / "mobile.png", camera=camera, size=(1200, 400)), folder / "energy.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
