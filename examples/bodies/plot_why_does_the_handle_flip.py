"""Why does the handle flip?
=========================

A T-handle spun about its stem turns over periodically, although no torque acts on it. The stem is its intermediate
axis: the principal axis whose moment of inertia lies between the other two. Without torque the angular momentum L and
the energy E are constant, so in body axes ω moves on the intersection of the ellipsoids of E and L. Around the axes of
the smallest and the largest moment these curves are small loops; near the intermediate axis they extend to the opposite
side.

The time between two flips is 2 K(m)/p with the complete elliptic integral K [LandauLifshitz §37]. The run must agree
with it, and rotations about the two other axes must not flip.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from scipy.special import ellipk

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, picture, plot_channels, show_pictures

STEP = 1e-3  # s


def main(quick=False):
    spins = {"stem": [0.02, 6.0, 0.02], "bar": [6.0, 0.02, 0.02], "across": [0.02, 0.02, 6.0]}  # rad/s
    change = {"motion.step": STEP, "scene.duration": 9.0 if quick else 30.0}
    return {name: mf.simulate("handle", settings={**change, "body.handle.spin": spin}) for name, spin in spins.items()}


def flips(rec, axis):
    t, w = rec.time("handle.angular_velocity"), rec["handle.angular_velocity"][:, axis]
    k = np.flatnonzero(w[:-1] * w[1:] < 0)
    return t[k] + (t[k + 1] - t[k]) * w[k] / (w[k] - w[k + 1])


def time_between_flips(inertia, w):
    I1, I2, I3 = inertia
    E2, L2 = inertia @ w**2, (inertia**2) @ w**2  # 2E and L²
    if L2 < E2 * I2:
        I1, I3 = I3, I1
    m = (I2 - I1) * (E2 * I3 - L2) / ((I3 - I2) * (L2 - E2 * I1))
    return 2 * ellipk(m) / np.sqrt((I3 - I2) * (L2 - E2 * I1) / (I1 * I2 * I3))


def check(result):
    inertia = np.diag(mf.load_scene("handle").build().model.bodies[0].properties.inertia)
    assert inertia[0] < inertia[1] < inertia[2]
    exact = time_between_flips(inertia, result["stem"]["handle.angular_velocity"][0])
    found = np.diff(flips(result["stem"], axis=1))
    assert len(found) >= 1
    assert np.abs(found / exact - 1).max() <= (6.0 * STEP) ** 2 / 12  # error of the midpoint rule in a turn of hω
    assert not len(flips(result["bar"], axis=0))
    assert not len(flips(result["across"], axis=2))


def draw(result, folder):
    rec = result["stem"]
    form = dress(rec)
    samples = np.linspace(flips(rec, 1)[0] - 0.55, flips(rec, 1)[0] + 0.55, 9) * 120  # at 120 samples a second
    row = np.arange(9)[:, None] * [0.17, 0, 0]
    poses = {"position": row[None], "orientation": form.parts[0].orientation[samples.astype(int)].reshape(1, 9, 4)}
    form = replace(form, parts=(replace(form.parts[0], **poses),), times=np.zeros(1))
    camera = Camera.framing(form, direction=(0, 0.5, 1), fov=0.2, aspect=4.0)
    plot_channels(rec, "handle.angular_velocity", path=folder / "spin.png", title="Spin about the stem, body axes")
    return [picture(form, folder / "flip.png", camera=camera, ground=False, size=(1200, 300)), folder / "spin.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
