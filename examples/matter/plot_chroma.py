r"""What does an image add to a form?
=================================

A screen has a height at each pin, and a picture has a colour at each pixel. Between them is a number w for each pin,
made of the heights around it by one of eight operators, and one hue: R = R₀ (w − w_black)/(w_full − w_black), clipped
[Habibi97 ch. 10]. The operator decides what is seen: identity shows levels, the Laplacian rounds and edges, gradients
slopes without their sign, light45 slopes lit from the upper left. The ninth picture is a relief, a matt surface under a
distant light.

Checked: the gradients' modulus is that of its two parts (the thesis prints the vertical one twice), Cadoz 2 is their
mean; a fitted tint keeps its hue at every pixel; between pins of a picture at 1/9 of the resolution colours are linear.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.image import show_pictures
from motiform.image.chroma import OPERATORS, Tint, chroma_pixels, chroma_values, enlarge, relief_pixels
from motiform.motion.screens import Engraver, Screen

HUE = (214.0, 178.0, 120.0)


def pen(t):
    """Return where a pen is that writes a rosette [m]."""
    r, turn = 0.42 * np.cos(2.5 * t), t
    return [[0.5 + r * np.cos(turn), 0.0, 0.5 + r * np.sin(turn)]]


def main(quick=False):
    tip = Engraver(name="pen", points=pen, stiffness=60.0, reach=0.035, height=0.012)
    screen = Screen(shape=(121, 121), spacing=1 / 120, axes="xz", law="S", mass=0.05, engravers=(tip,))
    law = screen.links._replace(neighbour_stiffness=0.4)
    return mf.simulate(screen.replace(law=law), t1=1.0 if quick else 6.3, rate=5.0)["heights"][-1]


def check(heights):
    w = {name: chroma_values(heights, name) for name in OPERATORS}
    eps = 8 * np.finfo(float).eps * np.abs(heights).max()
    assert np.abs(w["modulus"] - np.hypot(w["vertical"], w["horizontal"])).max() < eps
    assert np.abs(w["cadoz2"] - 0.5 * (w["vertical"] + w["horizontal"])).max() < eps
    assert w["light45"].min() < 0 < w["light45"].max()  # the only one with a sign but identity and Laplacian
    tint = Tint.fitted(w["identity"], HUE)
    assert tint.saturation(w["identity"]) == (0.0, 0.0, 0.0)
    pixels = tint.pixels(w["identity"], bits=16).astype(float)
    lit = pixels[pixels.max(axis=-1) > 3000]
    assert np.abs(lit / lit.max(axis=-1, keepdims=True) - np.array(HUE) / max(HUE)).max() < 1 / 3000  # rounding
    small = chroma_pixels(heights, "light45", color=HUE)
    large = enlarge(small, 3)
    assert large.shape == (363, 363, 3)
    assert (large[::3, ::3] == small).all()
    assert np.abs(large[3:-3:3, 1:-3:3] - (2 / 3 * small[1:-1, :-1] + 1 / 3 * small[1:-1, 1:])).max() <= 0.5


def draw(heights, folder):
    chart = Figure(figsize=(9, 9.4), layout="constrained")
    for place, name in zip(chart.subplots(3, 3).ravel(), (*OPERATORS, "relief"), strict=True):
        if name == "relief":
            pixels = relief_pixels(heights, 1 / 120, color=HUE, scale=2.0)
        else:
            pixels = chroma_pixels(heights, name, color=HUE)
        place.imshow(enlarge(pixels, 3))
        place.set(title=name, xticks=[], yticks=[])
    chart.savefig(folder / "chroma.png", dpi=90)
    return [folder / "chroma.png"]


if __name__ == "__main__":
    heights = main()
    check(heights)
    show_pictures(draw(heights, Path(mkdtemp())))
