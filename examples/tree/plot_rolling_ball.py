"""Which one rolls down first?
===========================

A ball, a cylinder and a hoop are released on a plane of 20 degrees. None of them slips. Each contact is a joint: its
velocities are the relative rolling and spin of two surfaces, so the rolling condition holds by construction without
constraint equations. Gravity accelerates translation and rotation together, and the rotational inertia reduces the
acceleration:

    a = g sin θ/(1 + k), k = I/(m r²): ball 5/7, cylinder 2/3, hoop 1/2 of g sin θ,

for any mass and radius. The friction force at the contact point is k/(1 + k) tan θ times the normal force: the friction
coefficient that each one needs.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform import Transform, joints, surfaces
from motiform.form import dress, strobe
from motiform.geometry import Ball, Box, Compound, Cylinder
from motiform.image import Camera, picture, show_pictures
from motiform.spatial import rotation_about

SLOPE, R = np.radians(20), 0.1  # rad, m
K = {"ball": 2 / 5, "cylinder": 1 / 2, "hoop": 1.0}
COLORS = {"ball": (0.24, 0.47, 0.65), "cylinder": (0.36, 0.55, 0.38), "hoop": (0.72, 0.33, 0.24)}


def turn(axis, angle, shift=(0.0, 0.0, 0.0)):
    return Transform(rotation_about(axis, angle), shift)


def look(name):
    if name == "ball":
        return Ball(R)
    if name == "cylinder":
        return Compound(((Cylinder(R, 0.16), turn("x", np.pi / 2)),))  # shapes stand along y, surfaces along z
    staves = [turn("z", angle) for angle in np.linspace(0, 2 * np.pi, 49)[:-1]]
    inward = Transform.translation_of((R - 0.01, 0, 0))
    return Compound(tuple((Box((0.02, 0.0135, 0.16)), T @ inward) for T in staves))


def build():
    b = mf.FigureBuilder()
    plank = {"shape": Box((2.4, 0.04, 0.9)), "color": (0.75, 0.72, 0.66)}
    b.segment("slope", None, joints.fixed(), placement=turn("z", -SLOPE, (0, 0.5, 0)), **plank)
    top = turn("x", -np.pi / 2, (0, 0.02, 0))  # the plane's normal, its z, is up
    for name, k in K.items():
        surface = surfaces.sphere(R) if name == "ball" else surfaces.cylinder(R)
        joint = joints.contact(surfaces.plane(), surface, friction=0.5)
        own = {"shape": look(name), "color": COLORS[name], "inertia": k * R**2 * np.eye(3)}  # of 1 kg
        b.segment(name, "slope", joint, placement=top, mass=1.0, **own)
    return b.build()


def main(quick=False):
    figure = build()
    lanes = zip(K, (-0.28, 0.0, 0.28), strict=True)
    places = {
        name: figure.segment(name).joint.configuration((-1.05, y, 0), (-R, 0, 0), direction=(0, 1, 0))
        for name, y in lanes
    }
    return mf.simulate(figure, q0=figure.configuration(**places), t1=0.5 if quick else 1.2, rate=100)


def check(rec):
    t = rec.time("q")
    for name, k in K.items():
        run = np.linalg.norm(rec[f"{name}.position"] - rec[f"{name}.position"][0], axis=1)
        assert np.abs(run - 9.81 * np.sin(SLOPE) / (1 + k) * t**2 / 2).max() <= 1e-9  # m; rtol of a step 1e-9
        x, y, normal = rec[f"{name}.contact_force"].T
        assert np.allclose(np.hypot(x, y) / normal, k / (1 + k) * np.tan(SLOPE), rtol=1e-9)
        assert np.allclose(normal, 9.81 * np.cos(SLOPE), rtol=1e-9)
    assert np.ptp(rec["energy"]) <= 1e-9 * np.ptp(rec["energy.kinetic"])


def draw(rec, folder):
    form = dress(rec)
    plank, *racers = strobe(form, 6).parts
    plank = replace(plank, position=plank.position[:, :1], orientation=plank.orientation[:, :1], color=plank.color[0])
    form = replace(form, parts=(plank, *racers), times=form.times[:1])
    camera = Camera((1.2, 1.7, 2.9), (0.0, 0.45, 0.0), fov=0.5)
    return [picture(form, folder / "race.png", camera=camera, size=(1000, 560))]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
