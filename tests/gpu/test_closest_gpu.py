"""Signed distances on the CPU and on an NVIDIA GPU. Run on a machine with one: ``pytest -m gpu``."""

import numpy as np
import pytest

from motiform.geometry import Ball, Box, Capsule, Cylinder, Hollow, Mesh, Plane
from motiform.geometry.search.closest import pack_solids, signed_distance
from motiform.spatial import Transform, random_rotation


def solids(rng):
    wave = Cylinder(0.5, 1.0).to_mesh(48)
    sheet = Mesh(wave.vertices, wave.faces[7:])
    shapes = [Plane(), Ball(0.6), Box((1.0, 0.5, 2.0)), Capsule(0.3, 1.0), Cylinder(0.4, 0.8), wave, sheet]
    shapes += [Hollow(Ball(9.0)), Hollow(Box((20.0, 20.0, 20.0)).to_mesh())]
    places = 3.0 * rng.normal(size=(len(shapes), 3))
    places[-2:] = 0.0
    turns = random_rotation(rng, len(shapes))
    return pack_solids([(s, Transform(R, p)) for s, R, p in zip(shapes, turns, places, strict=True)])


@pytest.mark.parametrize("reach", [np.inf, 0.4])
def test_cpu_and_cuda_agree(reach):
    """The GPU contracts a·b + c to one rounding.

    A distance takes some 40 operations on coordinates up to 20 m: 40 · 20 · 1.1e-16 = 9e-14 m at most. Of two features
    that are equally near up to that, either may be chosen, so normals are compared by the feet that they lead to where
    the same solid was chosen.
    """
    rng = np.random.default_rng(3)
    packed, points = solids(rng), 3.0 * rng.normal(size=(20_000, 3))
    bound = 9e-14
    distance, normal, solid = signed_distance(packed, points, reach=reach)
    found, direction, number = signed_distance(packed, points, reach=reach, device="cuda")
    sure = np.abs(distance - reach) > bound if np.isfinite(reach) else np.full(len(points), True)
    near = sure & np.isfinite(distance)
    assert near.sum() > 2000
    np.testing.assert_array_equal(np.isfinite(found)[sure], np.isfinite(distance)[sure])
    np.testing.assert_allclose(found[near], distance[near], rtol=0, atol=bound)
    same = near & (number == solid)
    assert same.sum() >= near.sum() - 5
    # Near the edge between two features normals differ by jumps; a direction has an error of bound/distance.
    turn = np.linalg.norm(direction - normal, axis=1)[same]
    assert (turn > 4 * bound / np.maximum(np.abs(distance[same]), 1e-3)).sum() <= 5
