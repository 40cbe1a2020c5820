"""How many dresses can one motion wear?
=====================================

A liquid collapses in a tray. Its motion is computed once and recorded; then it is dressed three times, without being
computed again: as the masses that it is made of, as one implicit surface around them, and by a screen of three axes
which the masses engrave and of which a level is drawn. Screens have dynamics of their own: this one keeps a trace of
where the liquid was [Habibi97 6.4].

The check: the motion under each dress is that of the recording, bit for bit, and the screen that was engraved
afterwards is that of one run of motion and screen together.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import dress
from motiform.image import render, show_pictures
from motiform.image.screens import write_png
from motiform.scene import redress

TIME = 0.56  # s, of the pictures
CLOUD = {
    "name": "cloud", "shape": [45, 27, 17], "spacing": 0.03, "origin": [-0.06, -0.03, -0.03], "frequency": 150,
    "law": {"stiffness": 2.0, "damping": 1.2, "neighbour_stiffness": 20.0}, "dtype": "float32", "level": 0.004,
    "color": [0.72, 0.76, 0.82],
    "engraver": [
        {"name": "masses", "follow": ["even", "odd"], "stiffness": 40, "reach": 0.05, "height": -0.02},
    ],
}  # fmt: skip
DRESSES = {"masses": {"form": []}, "surface": {}, "screen": {"screen": [CLOUD], "form": []}}


def main(quick=False):
    folder, until = Path(mkdtemp()), 0.12 if quick else TIME
    motion = mf.simulate("liquid", settings={"scene.duration": until}, out=folder / "motion.mf")
    found = {name: redress(motion, folder / f"{name}.mf", settings=one) for name, one in DRESSES.items()}
    whole = mf.simulate("liquid", settings={"scene.duration": 0.04} | DRESSES["screen"])
    return {"motion": motion, "dresses": found, "whole": whole}


def check(result):
    motion = result["motion"]
    for rec in result["dresses"].values():
        assert all(np.array_equal(rec[name], motion[name]) for name in motion.names)
    # A screen takes 150 steps a second; the motion was recorded 50 times a second, and is straight between samples.
    whole, after = (
        np.asarray(rec["cloud.heights"][:3], float) for rec in (result["whole"], result["dresses"]["screen"])
    )
    assert np.abs(whole - after).max() < 0.05 * np.abs(whole).max()


def draw(result, folder):
    seen = [render(dress(rec), size=(480, 400)) for rec in result["dresses"].values()]
    return [write_png(np.concatenate(seen, axis=1), folder / "dresses.png")]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
