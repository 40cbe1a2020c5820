"""The 3-D view of matter without a browser: what is sent for links, skins and points."""

import numpy as np

from motiform.form import Form, LinkParts, Part, Shades, Skin
from motiform.geometry import Ball
from motiform.studio.view import View

FACES = np.array([[0, 1, 2], [0, 2, 3]])
SHEET = np.array([[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]], float)
TIMES = np.array([0.0, 1.0])
RED = np.array([1.0, 0.0, 0.0])


def flapping():
    vertices = np.stack([SHEET, SHEET])
    vertices[1, 3, 1] = 1.4
    return vertices


def test_a_skin_is_moved_by_its_vertices(server):
    view = View(server)
    colors = np.array([[1.0, 0, 0], [0, 0, 1.0]])
    view.show(Form((), TIMES, "", {}, (), (Skin("sheet", flapping(), FACES, colors),)))
    assert len(view._moving) == 2  # one for each color
    view.draw(1)
    for moving, own in zip(view._moving, ([1], [0]), strict=True):
        found = moving.handle.vertices[moving.handle.faces]
        np.testing.assert_array_equal(found, flapping()[1][FACES[own]].astype(np.float32))
        assert moving.handle.side == "double"


def test_triangles_that_are_not_there_have_no_size(server):
    vertices = flapping()
    vertices[1, 3] = np.nan
    view = View(server)
    view.show(Form((), TIMES, "", {}, (), (Skin("sheet", vertices, FACES, RED),)))
    view.draw(1)
    handle = view._moving[0].handle
    assert np.isfinite(handle.vertices).all()
    assert [len(set(face)) for face in handle.faces.tolist()] == [3, 1]
    view.draw(0)
    np.testing.assert_array_equal(handle.vertices[handle.faces], SHEET[FACES].astype(np.float32))


def test_links_are_lines_that_stretch_and_change_color(server):
    ends = np.array([[[1.0, 0, 0], [2.0, 0, 0]], [[1.5, 0, 0], [np.nan, 0, 0]]])
    shades = Shades(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.0, 1.0, np.array([[0.0, 0, 0], [1.0, 1, 1]]))
    pairs = np.array([[0, 0], [0, 1]])
    links = LinkParts("rope", np.zeros((2, 1, 3)), ends, pairs, np.array([0.01, 0.01]), shades.at(0), shades)
    view = View(server)
    view.show(Form((), TIMES, "", {}, (links,)))
    handle = view._moving[0].handle
    assert handle.thickness == 0.02
    assert handle.colors[:, 0, 0].tolist() == [0, 255]
    view.draw(1)
    np.testing.assert_array_equal(handle.points[0], [[0, 0, 0], [1.5, 0, 0]])
    assert (handle.points[1, 0] == handle.points[1, 1]).all()  # not there
    assert handle.colors[:, 1, 0].tolist() == [255, 0]


def test_points_have_their_own_sizes_and_are_hidden_where_nan(server):
    place = np.array([[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [np.nan, 0, 0]]], float)
    turn = np.broadcast_to([1.0, 0, 0, 0], (2, 2, 4))
    part = Part("grains", Ball(0.2), np.zeros(3), RED, place, turn, points=True, scale=np.array([0.5, 1.0]))
    view = View(server)
    view.show(Form((part,), TIMES))
    handle = view._moving[0].handle
    assert handle.batched_scales.tolist() == [0.5, 1.0]
    view.draw(1)
    assert handle.batched_scales.tolist() == [0.5, 0.0]
    np.testing.assert_array_equal(handle.batched_positions[0], [0, 1, 0])
