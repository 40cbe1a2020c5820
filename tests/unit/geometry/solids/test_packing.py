"""Points that fill shapes: inside, apart, as many as asked, the same for the same seed."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Cylinder, Ellipsoid, fill_points

SHAPES = {"box": Box((0.4, 0.3, 0.5)), "ball": Ball(0.2), "cylinder": Cylinder(0.2, 0.4)}


def outside(kind, points, radius):
    """Return how far balls stick out of a shape [m], below zero where they do not."""
    if kind == "box":
        return (np.abs(points) + radius - 0.5 * np.array([0.4, 0.3, 0.5])).max()
    if kind == "ball":
        return np.linalg.norm(points, axis=1).max() + radius - 0.2
    return max(np.hypot(points[:, 0], points[:, 2]).max() + radius - 0.2, np.abs(points[:, 1]).max() + radius - 0.2)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("jitter", [0.0, 1.0])
def test_balls_stay_inside_and_apart(kind, jitter):
    points = fill_points(SHAPES[kind], spacing=0.06, radius=0.02, jitter=jitter, rng=3)
    assert len(points) > 20
    assert outside(kind, points, 0.02) < 1e-12
    assert pdist(points).min() >= 2 * 0.02 - 1e-12


def test_widest_spacing_gives_the_count():
    points = fill_points(SHAPES["box"], count=100, radius=0.01)
    assert len(points) == 100
    nearest = pdist(points).min()
    assert len(fill_points(SHAPES["box"], spacing=nearest * (1 - 1e-7), radius=0.01)) >= 100
    with pytest.raises(InputError, match="holds fewer points"):  # no wider lattice does
        fill_points(SHAPES["box"], spacing=nearest * 1.001, count=100, radius=0.01)


def test_the_same_seed_draws_the_same_points():
    one, same, other = (fill_points(Ball(0.2), spacing=0.05, count=30, jitter=0.5, rng=n) for n in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_other_shapes_are_filled_by_their_meshes():
    points = fill_points(Ellipsoid((0.3, 0.2, 0.1)), spacing=0.04)
    assert ((points / [0.3, 0.2, 0.1]) ** 2).sum(1).max() < 1
    # each point stands for a cell, and cells that the surface cuts count by their centres
    assert len(points) * 0.04**3 == pytest.approx(4 / 3 * np.pi * 0.3 * 0.2 * 0.1, rel=0.1)


WRONG = {
    "nothing given": ({}, "must be given"),
    "overlap": ({"spacing": 0.01, "radius": 0.01}, "overlap"),
    "too wide": ({"spacing": 5.0, "radius": 0.3}, "holds no point"),
    "too many": ({"spacing": 1e-8}, "too many points"),
    "jitter": ({"spacing": 0.1, "jitter": 2.0}, "jitter"),
    "count": ({"count": 0}, "none"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_numbers_are_refused(case):
    options, text = WRONG[case]
    with pytest.raises(InputError, match=text):
        fill_points(Ball(0.2), **options)
