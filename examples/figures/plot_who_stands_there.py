"""Which figures are predefined?
=============================

A woman and a man of de Leva's mean height and mass, and the robots Bip and Kondo KHR-1, all at q = 0: upright, arms
down, soles on the ground, all segment frames parallel to the world. Yellow points are the man's 28 tags.

Three checks: every sole is flat on the ground, every centre of mass is above the feet, and the feet carry the weight:
the supporting force of a figure with all joints held is its mass times gravity.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from motiform.form import Form, Part
from motiform.geometry import Ball
from motiform.image import Camera, picture, show_pictures
from motiform.motion import tree
from motiform.motion.figures import bip, human36, kondo
from motiform.spatial import quaternion_from_rotation

PLACES = {"woman": (0.0, -1.35), "man": (0.0, -0.45), "bip": (0.0, 0.45), "kondo": (0.35, 1.05)}  # m: x, z


def main(quick=False):
    return {"woman": human36(sex="female", name="woman"), "man": human36(name="man"), "bip": bip(), "kondo": kondo()}


def check(figures):
    for figure in figures.values():
        rest = np.zeros(figure.nv)
        tags = dict(zip(figure.tag_names, tree.tags(figure, rest), strict=True))
        feet = [solid for name, solid in figure.contact_solids.items() if name != "trunk"]  # Bip hangs by its trunk
        soles = np.array([tags[name] for solid in feet for name in solid])
        assert np.abs(soles[:, 1]).max() <= 1e-14  # m
        center = tree.centers_of_mass(figure, rest)[-1]
        assert (soles.min(0) < center)[[0, 2]].all()
        assert (center < soles.max(0))[[0, 2]].all()
        up = next(name for name in figure.coordinates if name.endswith("_upward"))
        held = tree.nonlinear_effects(figure, rest, rest)[figure.coordinates.index(up)]
        assert abs(held - 9.81 * figure.mass) <= 1e-10 * held  # N
    assert abs(figures["man"].mass - 73) <= 1e-12  # kg
    assert abs(figures["woman"].mass - 61.9) <= 1e-12


def standing(figure, x, z):
    """Return the parts of a figure at rest, put down at (x, z)."""
    turned, placed = tree.forward_kinematics(figure, np.zeros(figure.nv))
    parts = []
    for n, segment in enumerate(figure.segments):
        for k, part in enumerate(segment.parts):
            at = turned[n] @ part.placement.translation + placed[n] + (x, 0, z)
            axes = quaternion_from_rotation(turned[n] @ part.placement.rotation)
            name = f"{figure.name}.{segment.name}.{k}"
            parts.append(Part(name, part.shape, np.zeros(3), np.array(part.color), at[None, None], axes[None, None]))
    return parts


def points(figure, x, z):
    """Return its tags as small balls."""
    at = tree.tags(figure, np.zeros(figure.nv)) + np.array([x, 0, z])
    axes = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (1, len(at), 4))
    return Part("tags", Ball(0.014), np.zeros(3), np.array([0.95, 0.80, 0.10]), at[None], axes)


def draw(figures, folder):
    parts = [part for name, figure in figures.items() for part in standing(figure, *PLACES[name])]
    form = Form((*parts, points(figures["man"], *PLACES["man"])), np.zeros(1))
    camera = Camera((4.8, 1.6, 1.3), (0.0, 0.88, -0.1), fov=0.47)
    return [picture(form, folder / "figures.png", camera=camera, size=(1200, 720), ground=0.0)]


if __name__ == "__main__":
    figures = main()
    check(figures)
    show_pictures(draw(figures, Path(mkdtemp())))
