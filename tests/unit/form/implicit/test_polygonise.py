"""Polygonisation in blocks: closed forms, and agreement with the whole grid."""

import numba
import numpy as np
import pytest
from scipy.spatial import cKDTree

from motiform.base.errors import InputError, ShapeError
from motiform.base.kernels import threads
from motiform.form.implicit import Implicit, blobs, polygonise
from motiform.form.implicit.field import wyvill_level
from motiform.form.implicit.polygons import SIDE, net_in_boxes, standing_corner
from motiform.geometry import Mesh
from motiform.geometry.maps import Grid, isosurface

BOX = np.array([[[-1.2, -1.2, -1.2], [1.2, 1.2, 1.2]]])


def ball(points):
    return np.linalg.norm(points, axis=1) - 1.0


def test_blocks_give_the_surface_of_the_whole_grid():
    def two(points):
        return np.minimum(ball(points), np.linalg.norm(points - (2.5, 0.3, 0.1), axis=1) - 0.7)

    boxes = np.concatenate([BOX, [[[1.6, -0.6, -0.8], [3.4, 1.2, 1.0]]]])
    net = net_in_boxes(two, boxes, 0.11)
    mesh = Mesh(net.vertices, net.faces)
    shape, origin = (50, 30, 30), standing_corner(boxes[:, 0], SIDE * 0.11)
    grid = Grid(shape=shape, spacing=0.11, origin=origin)
    nodes = origin + 0.11 * np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), axis=-1)
    whole = isosurface(two(nodes.reshape(-1, 3)).reshape(shape), grid)
    assert len(mesh.vertices) == len(whole.vertices)
    assert len(mesh.faces) == len(whole.faces)

    def ordered(points):
        return points[np.lexsort(np.round(points, 9).T)]

    np.testing.assert_allclose(ordered(mesh.vertices), ordered(whole.vertices), atol=1e-12)
    assert mesh.volume == pytest.approx(whole.volume, rel=1e-12)


def test_blocks_that_a_slope_leaves_out_hold_no_surface():
    calls = []

    def counted(points):
        calls.append(len(points))
        return ball(points)

    whole = polygonise(counted, BOX, spacing=0.05)
    every, calls[:] = sum(calls), []
    few = polygonise(counted, BOX, spacing=0.05, slope=1.0)
    assert sum(calls) < 0.6 * every
    np.testing.assert_array_equal(few.vertices, whole.vertices)
    np.testing.assert_array_equal(few.faces, whole.faces)


def test_bad_input_is_refused():
    with pytest.raises(ShapeError, match="the surface must lie within the boxes"):
        polygonise(ball, 0.6 * BOX, spacing=0.1)
    for axis in range(3):
        for side, inward in ((0, 0.7), (1, -0.7)):  # one side of the boxes alone cuts the ball
            cut = BOX.copy()
            cut[0, side, axis] += inward
            with pytest.raises(ShapeError, match="the surface must lie within the boxes"):
                polygonise(ball, cut, spacing=0.1)
    with pytest.raises(ShapeError, match="there is no surface"):
        polygonise(lambda x: ball(x) + 5, BOX, spacing=0.1)
    with pytest.raises(ShapeError, match="must be finite"):
        polygonise(lambda x: np.where(x[:, 0] > 0, np.nan, ball(x)), BOX, spacing=0.1)
    with pytest.raises(InputError, match="above 0 m"):
        polygonise(ball, BOX, spacing=0.0)
    with pytest.raises(InputError, match="boxes must be finite corners"):
        polygonise(ball, BOX[0], spacing=0.1)
    with pytest.raises(InputError, match="too many cells"):
        polygonise(ball, BOX, spacing=1e-7)


def test_a_node_of_two_blocks_has_one_value():
    """Balls whose surfaces go through nodes on the borders of blocks: a rounding more on one side would tear them."""
    draw = np.random.default_rng(0)
    for _ in range(60):
        cell = float(draw.choice([0.1, 0.05, 0.07, 0.3]))
        places = cell * draw.integers(-12, 12, (int(draw.integers(1, 6)), 3))
        radius = 2 * cell
        field = Implicit(places, size=2 * radius, level=wyvill_level(0.5))
        assert field.to_mesh(cell).volume > 0.0  # closed and outward


@pytest.mark.parametrize("plain", [True, False])
def test_triangles_stay_where_nothing_moves(monkeypatch, plain):
    """A group that rests beside a point that flies away: the same vertices of the group, in cells that stand still."""
    monkeypatch.setattr(Implicit, "_plain", plain)
    group = np.random.default_rng(0).uniform(0.0, 0.5, (20, 3))
    found = []
    for away in (1.3, 1.437):
        mesh = Implicit(np.vstack([group, [[-away, 0.3 * away, -0.7]]]), size=0.3, level=0.4).to_mesh(0.05)
        found.append(mesh.vertices[mesh.vertices[:, 0] > -0.5])
    off, same = cKDTree(found[0]).query(found[1])
    assert off.max() < 1e-12
    assert sorted(same) == list(range(len(found[0])))


def test_bits_do_not_depend_on_threads():
    places = np.random.default_rng(2).uniform(0.0, 1.0, (300, 3))
    found = []
    for count in (1, 2):
        with threads(min(count, numba.config.NUMBA_NUM_THREADS)):
            found.append(blobs(places, radius=0.06))
    np.testing.assert_array_equal(found[0].vertices, found[1].vertices)
    np.testing.assert_array_equal(found[0].faces, found[1].faces)


@pytest.mark.parametrize(("kind", "size"), [("wyvill", 0.5), ("blinn", 30.0)])
def test_points_that_are_added_to_nodes_give_the_surface_of_nodes_that_ask_points(monkeypatch, kind, size):
    draw = np.random.default_rng(3)
    points, sizes = draw.uniform(0.0, 1.0, (40, 3)), size * draw.uniform(0.8, 1.2, 40)
    field = Implicit(points, kind=kind, size=sizes, strength=draw.uniform(0.5, 1.5, 40), level=0.7)
    added = field.to_mesh(0.06)
    monkeypatch.setattr(Implicit, "_plain", False)
    asked = field.to_mesh(0.06)
    # Sums of the same numbers, but for parts below 1e-9 of the level that one of them leaves out beyond the reach.
    off, same = cKDTree(asked.vertices).query(added.vertices)
    assert off.max() < 1e-6 * 0.06
    assert sorted(same) == list(range(len(asked.vertices)))  # blocks of other sizes give another order
    assert {_from_least(face) for face in same[added.faces]} == {_from_least(face) for face in asked.faces}


def _from_least(face):
    """Return a triangle as a tuple that begins with its least vertex, turning as it does."""
    return tuple(np.roll(face, -int(np.argmin(face))).tolist())
