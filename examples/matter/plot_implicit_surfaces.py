"""Does a drop that parts and meets again know where it came from?
===============================================================

Two points move apart and back. An implicit surface around them depends on their places alone, so one blob becomes two
by a neck, and the way back has exactly the shapes of the way there, bit for bit. The surface of a real drop does not,
nor does a screen of pins that the same points engrave: its pins have inertia and friction, so that at the same places
of the points its heights differ between the way there and the way back [Habibi97 9.2.5].

The picture shows the drop at four instants, then a line of three points of which the outer two do not blend with one
another (the step is where another of them becomes the strongest, a mark of that method), and a heap of particles as one
surface. Three more checks: the volume of a ball; two points whose fields have opposite signs, V and −V, are flat where
they meet; and the joint of a line that is cut in two, where a surface by distance has a bump and one by convolution has
none.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import Form, Part
from motiform.form.implicit import Implicit, blobs
from motiform.image import Camera, picture, show_pictures
from motiform.motion.screens import Engraver, Screen

GAPS = (0.0, 0.8, 1.15, 1.6)  # m
TIME = 1.0  # s, there and back


def gap(t):
    """Return the distance of the points [m]: from 0 to 1.6 m and back."""
    return 1.6 * np.sin(np.pi * t / TIME) ** 2


def pair(distance):
    return np.array([[-0.5 * distance, 0.0, 0.0], [0.5 * distance, 0.0, 0.0]])


def main(quick=False):
    drops = [blobs(pair(distance), radius=0.5, spacing=0.06) for distance in GAPS]
    back = [blobs(pair(distance), radius=0.5, spacing=0.06) for distance in GAPS[::-1]][::-1]
    points = Engraver(name="points", points=lambda t: pair(gap(t)), stiffness=40.0, damping=0.2, reach=0.3, height=0.2)
    screen = Screen(shape=(241,), spacing=0.01, axes="x", origin=(-1.2, 0, 0), law="IV", mass=0.05, engravers=(points,))
    heights = mf.simulate(screen, t1=TIME, rate=20.0)["heights"]
    rng = np.random.default_rng(1)
    x, z = rng.normal(scale=0.35, size=(2, 1500 if not quick else 300))
    heap = np.stack([x, 0.5 * np.exp(-4 * (x**2 + z**2)) * rng.random(len(x)), z], axis=1)
    return {"drops": drops, "back": back, "heights": heights, "heap": blobs(heap, radius=0.06, spacing=0.03)}


def check(result):
    for there, back in zip(result["drops"], result["back"], strict=True):
        assert np.array_equal(there.vertices, back.vertices)
        assert np.array_equal(there.faces, back.faces)
    there, back = result["heights"][5], result["heights"][-6]  # a quarter of the time from either end
    assert np.abs(there - back).max() > 0.1 * np.abs(there).max()
    assert abs(blobs([[0, 0, 0]], radius=0.5, spacing=0.05).volume / (np.pi / 6) - 1) < 0.01
    one, other = (Implicit(place[None], size=1.0) for place in pair(0.5))  # opposite signs: flat where they meet
    wall = np.random.default_rng(2).normal(size=(50, 3)) * (0, 1, 1)
    assert np.abs(one.values(wall) - other.values(wall)).max() < 1e-15
    ends = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]])
    above = np.array([[1.0, 0.2, 0.0]])
    for kind, bump in (("wyvill", 2.0), ("convolution", 1.0)):
        whole = Implicit(ends[:1], ends[2:], kind=kind, size=1.0).values(above)
        cut = Implicit(ends[:2], ends[1:], kind=kind, size=1.0).values(above)
        assert abs(cut / whole - bump) < 1e-12


def draw(result, folder):
    places = np.array([[0.0, 0, 0], [0.75, 0, 0.3], [0.75, 0, -0.3]])
    chosen = Implicit(places, kind="wyvill", size=1.0, neighbours=[(0, 1), (0, 2)]).to_mesh(0.03)
    shown = [*result["drops"], chosen, result["heap"]]
    colors = [(0.35, 0.55, 0.75)] * 4 + [(0.75, 0.45, 0.35), (0.80, 0.70, 0.50)]
    spots = [(-3.4, 0.5, 0.0), (-1.6, 0.5, 0.0), (0.7, 0.5, 0.0), (3.3, 0.5, 0.0), (-2.4, 0.5, 2.9), (1.7, 0.1, 2.9)]
    still = np.array([[[1.0, 0.0, 0.0, 0.0]]])
    parts = tuple(
        Part(f"surface {n}", mesh, np.zeros(3), np.array(color), np.array([[spot]]), still)
        for n, (mesh, color, spot) in enumerate(zip(shown, colors, spots, strict=True))
    )
    camera = Camera((0.0, 5.4, 9.6), (0.0, 0.3, 1.2), fov=0.52)
    return [picture(Form(parts, np.zeros(1)), folder / "implicit.png", camera=camera, size=(1200, 560), ground=0.0)]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
