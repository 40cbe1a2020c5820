"""Gaps, normals and points of two solids: against their support functions, and closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from motiform import Transform
from motiform.base.errors import InputError
from motiform.geometry import (
    Ball,
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    EndlessCylinder,
    Face,
    Mesh,
    Plane,
    Torus,
    touch_points,
)

_CORNERS = np.random.default_rng(5).normal(size=(14, 3)) * 0.06
SOLIDS = {
    "ball": Ball(0.07),
    "box": Box((0.2, 0.1, 0.15)),
    "capsule": Capsule(0.04, 0.15),
    "cylinder": Cylinder(0.06, 0.15),
    "ellipsoid": Ellipsoid((0.1, 0.05, 0.07)),
    "cone": Cone(0.08, 0.15),
    "stump": Cone(0.08, 0.15, 0.03),
    "hull": Mesh(_CORNERS, ConvexHull(_CORNERS).simplices),
}
CURVED = ("cylinder", "ellipsoid", "cone", "stump")
HERE = Transform.identity()


def sphere(count):
    """Return unit vectors spread over the sphere."""
    k = np.arange(count) + 0.5
    polar, turn = np.arccos(1 - 2 * k / count), np.pi * (1 + 5**0.5) * k
    return np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)], axis=1)


def gaps_along(a, A, b, B, n):
    """Return the gap along unit normals n from b to a: min over a less max over b, by the shapes' own `reach`."""
    return n @ (A.translation - B.translation) - a.reach(-n @ A.rotation) - b.reach(n @ B.rotation)


def best_gap(a, A, b, B):
    """Return the greatest gap over all normals: a net of directions, refined about its three best."""
    net = sphere(3000)

    def worse(n):
        return -gaps_along(a, A, b, B, n[None] / np.linalg.norm(n))[0]

    starts = net[np.argsort(gaps_along(a, A, b, B, net))[-3:]]
    exact = {"xatol": 1e-11, "fatol": 1e-13, "maxiter": 600}
    return -min(minimize(worse, n, method="Nelder-Mead", options=exact).fun for n in starts)


@pytest.mark.parametrize("first", SOLIDS)
def test_gaps_are_the_greatest_over_all_normals(first):
    """Apart this is the distance, overlapping the least shift that parts them: max over n of −h_a(−n) − h_b(n)."""
    rng = np.random.default_rng(3)
    names = list(SOLIDS)
    for second in names[names.index(first) :]:
        a, b = SOLIDS[first], SOLIDS[second]
        turns = [Rotation.random(3, random_state=rng).as_matrix() for _ in range(2)]
        A, B = (Transform(R, rng.normal(size=(3, 3)) * 0.06) for R in turns)
        found = touch_points(a, b, A, B)
        for k in range(3):
            Ak, Bk = Transform(A.rotation[k], A.translation[k]), Transform(B.rotation[k], B.translation[k])
            best = best_gap(a, Ak, b, Bk)
            # a polytope about a curved solid is left at 1e-9 of its size, 0.4 m at most; the search may stop on a
            # ridge, where it is worse by its last steps
            assert found.gap[k] >= best - (4e-10 if {first, second} & set(CURVED) else 1e-13)
            assert found.gap[k] <= best + 1e-8
            count = found.number[k]
            assert 1 <= count <= 8
            assert np.isinf(found.gaps[k, count:]).all()
            assert np.isnan(found.points[k, count:]).all()
            # normals of the points are as good, but for what lying faces may lose: 1e-3 of the smaller size
            along = gaps_along(a, Ak, b, Bk, found.normals[k, :count])
            assert (along >= best - 1e-3 * 0.4).all()
            assert (along <= best + 1e-8).all()
            assert found.gaps[k, :count].min() <= best + 1e-3 * 0.4


def test_two_solids_see_each_other_alike():
    rng = np.random.default_rng(0)
    turns = Rotation.random(2, random_state=rng).as_matrix()
    A, B = Transform(turns[0], (0.0, 0.0, 0.0)), Transform(turns[1], (0.1, 0.05, 0.02))
    for a in SOLIDS.values():
        for b in SOLIDS.values():
            one, other = touch_points(a, b, A, B), touch_points(b, a, B, A)
            assert one.gap == pytest.approx(other.gap, abs=4e-10)


@pytest.mark.parametrize("name", [*SOLIDS, "funnel"])
def test_the_lowest_point_is_among_those_on_the_ground(name):
    """What a solid shows to the floor holds its lowest point, however it is turned: else it would sink in unseen."""
    solid = SOLIDS.get(name, Cone(0.02, 0.03, 0.1))
    turns = Rotation.random(300, random_state=3).as_matrix()
    low = solid.reach(-turns[:, 1, :])
    at = np.stack([0 * low, low + np.linspace(-0.01, 0.01, 300), 0 * low], axis=1)
    found = touch_points(solid, Plane(), Transform(turns, at), HERE)
    np.testing.assert_allclose(found.gaps.min(axis=1), np.linspace(-0.01, 0.01, 300), atol=1e-15)


@pytest.mark.parametrize("thick", [2e-5, 5e-4, 1e-3, 1.7e-3, 5e-3])
@pytest.mark.parametrize("lean", [0.05, 0.3, 0.7, 1.2])
def test_a_thin_box_stands_on_both_ends_of_its_lower_edge(thick, lean):
    """Of points that lie so near to one another that one counts it is the lowest: a card leans on its whole edge."""
    card = Box((thick, 0.05, 0.06))
    for turn in (lean, -lean):
        R = Rotation.from_euler("z", turn).as_matrix()
        corners = 0.5 * np.array([[i * thick, j * 0.05, k * 0.06] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        up = -(corners @ R.T)[:, 1].min()
        found = touch_points(card, Plane(), Transform(R, np.array([0.0, up, 0.0])), HERE)
        low = found.points[np.abs(found.gaps) < 1e-12]
        assert sorted(low[:, 2].round(9)) == [-0.03, 0.03]


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.03, 0.0), (0.03, -0.05)])
def test_faces_touch_at_the_corners_of_their_common_part(shift):
    """The common part of two squares of 0.2 m shifted by (x, z) is the rectangle between the nearer edges."""
    x, z = shift
    found = touch_points(Box((0.2, 0.1, 0.2)), Box((0.2, 0.1, 0.2)), Transform.translation_of((x, 0.1 - 1e-4, z)), HERE)
    assert found.number == 4
    expected = {
        (round(u, 9), round(w, 9))
        for u in (max(-0.1, x - 0.1), min(0.1, x + 0.1))
        for w in (max(-0.1, z - 0.1), min(0.1, z + 0.1))
    }
    # corners on an edge stay, within 1e-9 of the size
    assert {(round(p[0], 6), round(p[2], 6)) for p in found.points[:4]} == {
        (round(u, 6), round(w, 6)) for u, w in expected
    }
    np.testing.assert_allclose(found.points[:4, 1], 0.05 - 0.5e-4, atol=1e-12)
    np.testing.assert_allclose(found.gaps[:4], -1e-4, atol=1e-12)
    np.testing.assert_allclose(found.normals[:4], np.tile([0.0, 1.0, 0.0], (4, 1)), atol=1e-15)


def test_twisted_squares_share_an_octagon():
    """Two squares of half edge a turned by 45° meet in a regular octagon with corners (±a, ±a tan 22.5°)."""
    top = Transform.from_euler((np.pi / 4,), "y", (0.0, 0.1, 0.0))
    found = touch_points(Box((0.2, 0.1, 0.2)), Box((0.2, 0.1, 0.2)), top, HERE)
    assert found.number == 8
    near, far = 0.1 * np.tan(np.pi / 8), 0.1
    corners = np.sort(np.abs(found.points[:, [0, 2]]), axis=1)
    np.testing.assert_allclose(corners, np.tile([near, far], (8, 1)), atol=1e-9)


def test_edges_that_cross_have_their_cross_product_as_normal():
    """Two boxes on edge, one turned by 90°: the edges cross at the origin."""
    a, b = Box((0.1, 0.1, 0.4)), Box((0.1, 0.1, 0.4))
    height = 0.05 * np.sqrt(2)
    turn = Rotation.from_euler("zy", [np.pi / 4, np.pi / 3]).as_matrix()
    upper = Transform(turn, (0.0, height - 1e-3, 0.0))
    lower = Transform.from_euler((np.pi / 4,), "z", (0.0, -height, 0.0))
    found = touch_points(a, b, upper, lower)
    normal = np.cross(turn[:, 2], (0.0, 0.0, 1.0))
    normal *= np.sign(normal[1]) / np.linalg.norm(normal)
    assert found.number == 1
    np.testing.assert_allclose(found.normals[0], normal, atol=1e-12)
    np.testing.assert_allclose(found.gap, -1e-3, atol=1e-12)
    np.testing.assert_allclose(found.points[0], (0.0, -0.5e-3, 0.0), atol=1e-12)


def test_round_solids_lie_on_lines_and_faces():
    lying = Transform.from_euler((np.pi / 2,), "x", (0.0, 0.1, 0.0))
    found = touch_points(Cylinder(0.05, 0.3), Box((1.0, 0.1, 0.2)), lying, HERE)
    assert found.number == 2
    np.testing.assert_allclose(np.sort(found.points[:2, 2]), (-0.1, 0.1), atol=1e-8)
    standing = touch_points(Cylinder(0.05, 0.3), Plane(), Transform.translation_of((0.0, 0.15, 0.0)), HERE)
    assert standing.number == 8
    np.testing.assert_allclose(np.hypot(standing.points[:, 0], standing.points[:, 2]), 0.05, atol=1e-15)
    pair = touch_points(Cylinder(0.05, 0.3), Capsule(0.05, 0.1), Transform.translation_of((0.1, 0.0, 0.0)), HERE)
    assert pair.number == 2
    np.testing.assert_allclose(np.sort(pair.points[:2, 1]), (-0.05, 0.05), atol=1e-12)


def test_an_ellipsoid_on_a_plane():
    """The lowest point along n is at √(Σ (r n)²) from the centre."""
    shape, turn = Ellipsoid((0.1, 0.05, 0.07)), Rotation.from_euler("xyz", [0.3, 0.4, 0.5]).as_matrix()
    found = touch_points(shape, Plane(), Transform(turn, (0.3, 0.2, 0.1)), HERE)
    assert found.gap == pytest.approx(0.2 - np.linalg.norm(np.array(shape.radii) * turn[1]), abs=1e-15)
    assert found.number == 1


def test_links_of_a_chain():
    """Where one ring passes through the other's centre at a right angle, all its points are one radius from it."""
    ring = Torus(0.1, 0.02)
    through = Transform.from_euler((np.pi / 2,), "x", (0.1, 0.0, 0.0))
    found = touch_points(ring, ring, through, HERE)
    assert found.gap == pytest.approx(0.1 - 2 * 0.02, abs=1e-12)
    pulled = touch_points(ring, ring, Transform(through.rotation, (0.17, 0.0, 0.0)), HERE)
    assert pulled.gap == pytest.approx(0.2 - 0.17 - 2 * 0.02, abs=1e-9)  # inner sides meet at x = 0.085


def test_a_ring_lies_and_hangs():
    ring = Torus(0.1, 0.02)
    flat = touch_points(ring, Box((1.0, 0.1, 1.0)), Transform.translation_of((0.0, 0.07, 0.0)), HERE)
    assert flat.number == 8
    assert flat.gap == pytest.approx(0.0, abs=1e-15)
    on_bar = Transform.from_euler((np.pi / 2,), "x", (0.0, 0.0, 0.0))  # about z, a bar along z through its hole
    bar = touch_points(ring, EndlessCylinder(0.03), on_bar, Transform(on_bar.rotation, (0.0, 0.05, 0.0)))
    assert bar.gap == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(bar.points[np.argmin(bar.gaps)], (0.0, 0.08, 0.0), atol=1e-6)
    other = touch_points(Box((1.0, 0.1, 1.0)), ring, Transform.translation_of((0.0, -0.07, 0.0)), HERE)
    np.testing.assert_allclose(other.normals[0], (0.0, -1.0, 0.0), atol=1e-12)
    hull = touch_points(ring, Mesh(*_box_mesh()), Transform.translation_of((0.0, 0.12, 0.0)), HERE)
    assert hull.gap == pytest.approx(0.05, abs=1e-9)


def _box_mesh():
    mesh = Box((1.0, 0.1, 1.0)).to_mesh()
    return mesh.vertices, mesh.faces


def test_a_face_holds_what_is_above_it():
    box = Box((0.2, 0.1, 0.2))
    found = touch_points(box, Face((0.3, 0.3)), Transform.translation_of((0.15, 0.05, 0.0)), HERE)
    assert found.number == 4
    assert found.points[:4, 0].max() == pytest.approx(0.15, abs=1e-8)
    assert touch_points(box, Face((0.3, 0.3)), Transform.translation_of((0.5, 0.05, 0.0)), HERE).number == 0


def test_far_solids_have_no_points():
    found = touch_points(Box((0.2, 0.1, 0.2)), Ball(0.1), Transform.translation_of((0.0, 1.0, 0.0)), HERE, reach=0.1)
    assert found.number == 0
    assert found.gap == pytest.approx(0.85, abs=1e-15)


def test_what_does_not_touch():
    with pytest.raises(InputError, match="does not touch as a solid"):
        touch_points(Plane(), Ball(0.1), HERE, HERE)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="does not touch as a solid"):
        touch_points(Compound(((Ball(0.1), HERE),)), Ball(0.1), HERE, HERE)
