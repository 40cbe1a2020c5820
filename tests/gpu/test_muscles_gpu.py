"""Muscle paths and shares of moments on the CPU and on an NVIDIA GPU. Run on a machine with one: ``pytest -m gpu``."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints
from motiform.geometry.paths import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus, wrap_line
from motiform.motion.actuation.muscles import (
    MusclePath,
    PathPoint,
    Paths,
    PathWrap,
    WrapObject,
    path_geometry,
    path_wrenches,
    share_moments,
)

SURFACES = [
    WrapSphere(radius=0.05),
    WrapCylinder(radius=0.04),
    WrapEllipsoid(radii=(0.05, 0.03, 0.08)),
    WrapTorus(tube=0.02, ring=0.06),
]


@pytest.mark.parametrize("surface", SURFACES, ids=lambda s: type(s).__name__)
def test_lines_over_surfaces(surface):
    """Angles of tangents are found to 1e-12, so that lengths, which are stationary, agree to rounding of some hundred
    operations on 0.3 m, 1e-14; points on the surface to 1e-12 times its condition, below 1e3."""
    rng = np.random.default_rng(0)
    a = np.c_[rng.uniform(-0.06, 0.06, (4000, 2)), rng.uniform(0.1, 0.2, 4000)]
    b = np.c_[rng.uniform(-0.06, 0.06, (4000, 2)), -rng.uniform(0.1, 0.2, 4000)]
    here, there = (wrap_line(surface, a, b, device=device) for device in ("cpu", "cuda"))
    same = (here.touches == there.touches) & (here.planar == there.planar)
    assert same.mean() > 0.999  # of lines that graze a surface either may be right
    close = np.abs(here.length - there.length)[same] < 1e-13
    assert close.mean() > 0.999
    point = same & here.touches & ~here.planar
    assert (np.abs(here.first - there.first)[point].max(axis=1) < 1e-9).mean() > 0.999


def leg():
    b = FigureBuilder(name="leg")
    b.segment(
        "thigh", None, joints.universal((1, 0, 0), (0, 0, 1)), mass=8.0, com=(0, -0.2, 0), inertia=np.eye(3) * 0.1
    )
    down = Transform(np.eye(3), np.array([0, -0.4, 0]))
    b.segment(
        "shank",
        "thigh",
        joints.revolute((0, 0, 1)),
        placement=down,
        mass=4.0,
        com=(0, -0.2, 0),
        inertia=np.eye(3) * 0.05,
    )
    objects = (
        WrapObject("knee", "thigh", WrapCylinder(radius=0.03), down),
        WrapObject(
            "belly", "thigh", WrapEllipsoid(radii=(0.03, 0.08, 0.03)), Transform(np.eye(3), np.array([0, -0.2, 0]))
        ),
    )
    start, end = PathPoint(None, (-0.05, 0.05, 0.01)), PathPoint("shank", (-0.06, -0.1, 0))
    paths = (
        MusclePath("one", (start, end), (PathWrap("knee"), PathWrap("belly"))),
        MusclePath("two", (start, PathPoint("thigh", (0.05, -0.3, 0), ("shank", -0.5, 0.5)), end)),
    )
    return Paths(b.build(), paths, objects)


def test_paths_and_wrenches():
    paths = leg()
    q = np.random.default_rng(1).uniform(-0.5, 1.0, (3000, 3))
    here, there = (path_geometry(paths, q, device=device) for device in ("cpu", "cuda"))
    close = np.abs(here.length - there.length) < 1e-12
    assert close.mean() > 0.999
    assert (np.abs(here.arm - there.arm).max(axis=-1)[close] < 1e-9).mean() > 0.999
    loads = [path_wrenches(paths, q, np.full((len(q), 2), 100.0), device=device) for device in ("cpu", "cuda")]
    assert (np.abs(loads[0] - loads[1]).max(axis=(1, 2)) < 1e-6).mean() > 0.999


def test_shares():
    """The optimum is found to 1e-11 of the moments; activations follow with the condition of the gains, below 1e3."""
    rng = np.random.default_rng(2)
    gain, moment = rng.normal(size=(2000, 12, 4)) * 30, 40 * rng.normal(size=(2000, 4))
    here, there = (share_moments(gain, moment, 0.0, 1.0, power=3.0, device=device) for device in ("cpu", "cuda"))
    assert here.settled.all()
    assert there.settled.all()
    np.testing.assert_allclose(there.activation, here.activation, atol=1e-6)
