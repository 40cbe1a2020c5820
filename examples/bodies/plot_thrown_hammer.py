"""Which point of a thrown hammer flies on a parabola?
===================================================

A hammer thrown with spin tumbles. Its centre of mass does not: gravity acts there without torque, so this point follows
the parabola x₀ + v₀ t + ½ g t² for any rotation, and no other point does. The head is steel and the handle is wood, so
the centre of mass lies in the head, near its lower side.

The energy–momentum method reproduces the parabola to rounding, because the mean of two momenta is the exact mean
velocity for a constant force.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture, plot_channels, show_pictures
from motiform.spatial import rotate


def main(quick=False):
    return mf.simulate("thrown", settings={"scene.duration": 0.5 if quick else 1.3})


def parabola_error(rec, point):
    """Return how far a point of the body [m, from the centre of mass, body axes] strays from the best parabola [m]."""
    t, x = rec.time("hammer.position"), rec["hammer.position"] + rotate(rec["hammer.orientation"], np.array(point))
    bows = np.stack([np.ones_like(t), t, t * t], axis=1)
    return np.abs(x - bows @ np.linalg.lstsq(bows, x, rcond=None)[0]).max()


def check(rec):
    t, x = rec.time("hammer.position")[:, None], rec["hammer.position"]
    parabola = x[0] + rec["hammer.velocity"][0] * t + 0.5 * np.array([0, -9.81, 0]) * t**2
    assert np.abs(x - parabola).max() <= 1e-15 * 1300 * 5  # rounding of numbers up to 5 m in 1300 steps
    assert parabola_error(rec, (0, 0, 0)) < 1e-10  # of the fit
    assert parabola_error(rec, (0, -0.3, 0)) > 0.05  # near the end of the handle
    assert np.ptp(rec["energy"]) <= 1e-15 * 1300 * rec["energy"][0]


def draw(rec, folder):
    form = strobe(dress(rec), 27)  # every 50 ms
    camera = Camera.framing(form, direction=(0.25, 0.15, 1), fov=0.35)
    plot_channels(rec, ["hammer.position", "hammer.angular_velocity"], path=folder / "channels.png")
    return [picture(form, folder / "throw.png", camera=camera), folder / "channels.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
