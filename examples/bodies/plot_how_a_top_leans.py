"""How can a top lean and not fall?
================================

Gravity acts on a leaning top with the torque m g l sin θ. The torque does not tip the large angular momentum but turns
it sideways: the axis precesses about the vertical. The precession is steady, at constant tilt, if the rate Ω satisfies

    I₃ ω₃ Ω − I₁ Ω² cos θ = m g l,

with the moments about the tip, along (I₃) and across (I₁) the axis. Released without this precession rate, the top
first falls a little, is carried on by the velocity it has gained, and rises again: nutation. Its amplitude follows from
the energy and the two conserved momenta.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from scipy.optimize import brentq

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, compare_plot, picture, show_pictures

I1, I3, W3, MGL, TILT, STEP = 0.02, 0.01, 120.0, 0.981, np.radians(60), 2.5e-4  # of the scene `top`, SI
ALONG, ACROSS = I3 * W3, 2 * I1 * np.cos(TILT)
RATE = (ALONG - np.sqrt(ALONG**2 - 2 * ACROSS * MGL)) / ACROSS  # slow root: 0.8231464 rad/s


def main(quick=False):
    spins = {"steady": [RATE * np.sin(TILT), W3, 0.0], "let go": [0.0, W3, 0.0]}  # rad/s, body axes
    change = {"scene.duration": 1.0 if quick else 8.0, "motion.step": STEP}
    return {name: mf.simulate("top", settings={**change, "body.top.spin": spin}) for name, spin in spins.items()}


def lean(rec):
    x, y, z = (rec["top.position"] - [0, 0.1, 0]).T / 0.1  # the axis, from the tip
    return np.arccos(y), np.unwrap(np.arctan2(-z, x))  # tilt from the vertical, turn about it [rad]


def deepest():
    """Return the tilt at which a top let go at TILT turns back: where its energy is all potential and turning."""

    def excess(u):  # u = cos θ; Lz = I3 W3 cos TILT and I3 W3 stay
        turning = (ALONG * (np.cos(TILT) - u)) ** 2 / (2 * I1 * (1 - u * u))
        return MGL * (np.cos(TILT) - u) - turning

    return np.arccos(brentq(excess, -0.5, np.cos(TILT) - 1e-6))


def check(result):
    error = (W3 * STEP) ** 2 / 12  # of the midpoint rule in a turn of hω, relative
    tilt, turn = lean(result["steady"])
    t = result["steady"].time("top.position")
    assert abs((turn[-1] - turn[0]) / t[-1] / RATE - 1) <= error
    assert np.abs(tilt - TILT).max() <= error
    assert abs(lean(result["let go"])[0].max() - deepest()) <= 1e-4  # samples come 120 a second, a nod takes 0.1 s


def draw(result, folder):
    form = dress(result["steady"])
    samples = np.linspace(0, len(form.times) - 1, 6)[:5].astype(int)
    top, row = form.parts[0], np.arange(5)[:, None] * [0.36, 0, 0]
    poses = top.position[samples].reshape(1, 5, 3) + row, top.orientation[samples].reshape(1, 5, 4)
    form = replace(form, parts=(replace(top, position=poses[0], orientation=poses[1]),), times=np.zeros(1))
    camera = Camera.framing(form, direction=(0, 0.35, 1), fov=0.3, aspect=3.0)
    start = {name: rec.slice(0.0, 1.0) for name, rec in result.items()}
    compare_plot(start, "top.position", path=folder / "path.png", title="Centre of mass in the first second")
    return [picture(form, folder / "tops.png", camera=camera, size=(1200, 400)), folder / "path.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
