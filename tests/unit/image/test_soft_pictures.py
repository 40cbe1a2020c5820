"""Rays on links and on skins that deform: where closed forms say, and different from sample to sample."""

import numpy as np
import pytest

from motiform.form import Form, LinkParts, Part, Skin
from motiform.geometry import Ball
from motiform.image import Camera, cast_form, film, render
from motiform.image.frames import film_key
from motiform.image.playback import moment_at_time
from motiform.image.shading import skin_split, vertex_normals

RED = np.array([0.9, 0.05, 0.05])
SQUARE = np.array([[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])
HEIGHTS = (0.0, 2.0)


@pytest.fixture
def sheet():
    """A level square that rises by 2 m."""
    vertices = np.stack([SQUARE + np.array([0.0, h, 0.0]) for h in HEIGHTS])
    return Form((), np.array([0.0, 1.0]), "sheet", {"ground": False}, (), (Skin("s", vertices, FACES, RED),))


def red(pixels):
    values = pixels.astype(int)
    return (values[..., 0] > 60) & (values[..., 1] < 0.5 * values[..., 0])


def test_a_plane_covers_the_pixels_that_it_should(sheet):
    camera, size = Camera((0.0, 6.0, 0.0), (0.0, 0.0, 0.0), fov=0.8), (200, 200)
    for sample, height in enumerate(HEIGHTS):
        pixels = red(render(sheet, sample, camera=camera, size=size, samples_per_pixel=1))
        side = 2.0 * 0.5 * size[1] / np.tan(0.4) / (6.0 - height)  # a pinhole: size over depth
        assert abs(np.sqrt(pixels.sum()) - side) < 1.0  # a pixel is red or not by its middle
        assert pixels[100, 100]


def test_rays_meet_the_skin_where_it_is(sheet):
    origin, down = np.array([[0.3, 5.0, 0.2], [1.5, 5.0, 0.0]]), np.array([[0.0, -1.0, 0.0]])
    for sample, height in enumerate(HEIGHTS):
        distance, body, normal = cast_form(sheet, sample, origin, down)
        assert distance[0] == pytest.approx(5.0 - height, abs=1e-12)
        assert distance[1] == np.inf
        np.testing.assert_array_equal(body, [[0, 0], [-1, -1]])
        np.testing.assert_allclose(normal[0], [0.0, 1.0, 0.0], atol=1e-12)
    from_below = cast_form(sheet, 0, np.array([[0.3, -1.0, 0.2]]), np.array([[0.0, 1.0, 0.0]]))
    assert from_below[0][0] == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(from_below[2][0], [0.0, -1.0, 0.0], atol=1e-12)


def test_between_samples_vertices_move_on_lines(sheet):
    np.testing.assert_allclose(moment_at_time(sheet, 0.25).skins[0][:, 1], 0.5, atol=1e-15)


def test_triangles_without_a_vertex_are_not_there(sheet):
    torn = sheet.skins[0].vertices.copy()
    torn[1, 3] = np.nan  # a corner of the second triangle
    form = Form((), sheet.times, "", {}, (), (Skin("s", torn, FACES, RED),))
    origin, down = np.array([[-0.5, 5.0, 0.5], [0.5, 5.0, -0.5]]), np.array([[0.0, -1.0, 0.0]])
    np.testing.assert_array_equal(np.isfinite(cast_form(form, 0, origin, down)[0]), [True, True])
    np.testing.assert_array_equal(np.isfinite(cast_form(form, 1, origin, down)[0]), [True, False])
    torn[1] = np.nan
    assert not np.isfinite(cast_form(form, 1, origin, down)[0]).any()


def test_a_skin_of_two_colors_keeps_its_normals(sheet):
    bent = SQUARE.copy()
    bent[3, 1] = 0.4  # the second triangle is tilted by some 20°: a smooth edge
    one = Skin("s", bent[None], FACES, RED)
    two = Skin("s", bent[None], FACES, np.array([RED, [0.0, 0.0, 1.0]]))
    rays = np.array([[-0.5, 5.0, 0.5], [0.5, 5.0, -0.5]]), np.array([[0.0, -1.0, 0.0]])
    found = [cast_form(Form((), np.zeros(1), "", {}, (), (skin,)), 0, *rays) for skin in (one, two)]
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][2], found[1][2])


def test_sharp_edges_stay_sharp_and_soft_ones_do_not():
    def roof(angle):  # two squares along z that meet at x = 0 at an angle
        c, s = np.cos(angle), np.sin(angle)
        vertices = np.array([[-1, 0, 0], [-1, 0, 1], [0, 0, 1], [0, 0, 0], [c, s, 1], [c, s, 0]], float)
        faces = np.array([[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]])
        return Skin("roof", vertices[None], faces, RED)

    for angle, vertices in ((0.9, 6), (1.2, 8)):  # 52° and 69°; the bound is 60°
        source, faces = skin_split(roof(angle))
        assert len(source) == vertices
        normals = vertex_normals(roof(angle).vertices[0][source], faces)
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
    assert len(skin_split(Skin("flat", SQUARE[None], FACES, RED, smooth=False))[0]) == 6


def test_a_link_is_a_capsule_from_end_to_end():
    first = np.array([[[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]])
    second = np.array([[[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [[0, 0, 0], [3.0, 3.0, 0.0]], [[0, 0, 0], [np.nan, 0, 0]]])
    links = LinkParts("l", first, second, np.array([[0, 1]]), np.array([0.1]), RED)
    form = Form((), np.arange(3.0), "", {}, (links,))
    # From above at x the slanted side is at x + r √2; beyond the first link's end there is nothing but its cap.
    origin, down = np.array([[0.5, 9.0, 0.0], [2.0, 9.0, 0.0]]), np.array([[0.0, -1.0, 0.0]])
    distance, body, normal = cast_form(form, 0, origin, down)
    assert distance[0] == pytest.approx(9.0 - 0.5 - 0.1 * np.sqrt(2), abs=1e-12)
    assert distance[1] == np.inf
    assert body[0].tolist() == [0, 0]
    np.testing.assert_allclose(normal[0], [-np.sqrt(0.5), np.sqrt(0.5), 0.0], atol=1e-9)
    assert cast_form(form, 1, origin, down)[0][1] == pytest.approx(9.0 - 2.0 - 0.1 * np.sqrt(2), abs=1e-12)
    assert not np.isfinite(cast_form(form, 2, origin, down)[0]).any()
    top = cast_form(form, 0, np.array([[1.0, 9.0, 0.0]]) + 0.05 * np.sqrt(0.5), down)[0][0]
    assert 9.0 - 1.1 < top < 9.0 - 1.0  # the round end


def test_links_of_no_length_and_of_any_direction():
    rng = np.random.default_rng(3)
    ends = rng.normal(size=(1, 200, 3))
    first = np.zeros((1, 1, 3))
    ends[0, 0] = 0.0
    ends[0, 1:7] = np.concatenate([np.eye(3), -np.eye(3)])
    links = LinkParts("l", first, ends, np.stack([np.zeros(200, int), np.arange(200)], 1), np.full(200, 1e-3), RED)
    form = Form((), np.zeros(1), "", {}, (links,))
    middle = 0.5 * ends[0]
    across = np.cross(middle, rng.normal(size=(200, 3)))
    across[0] = (1.0, 0.0, 0.0)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    distance, body, _ = cast_form(form, 0, middle + across * 1e-3 * 4, -across)
    # Each is met on its own surface, 3 radii before; another one may lie before it near the middle.
    own = body[:, 1] == np.arange(200)
    assert own.mean() > 0.9
    np.testing.assert_allclose(distance[own], 3e-3, atol=1e-12)


def test_balls_have_sizes_and_colors_of_their_own():
    place = np.array([[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [4.0, 0.0, 0.0]]])
    turn = np.broadcast_to([1.0, 0, 0, 0], (1, 3, 4))
    part = Part("b", Ball(0.4), np.zeros(3), RED, place, turn, points=True, scale=np.array([0.25, 1.0, 0.0]))
    form = Form((part,), np.zeros(1))
    origin = place[0] + [0.0, 5.0, 0.0]
    distance = cast_form(form, 0, origin, np.array([[0.0, -1.0, 0.0]]))[0]
    np.testing.assert_allclose(distance[:2], [4.9, 4.6], atol=1e-12)
    assert distance[2] == np.inf


def test_films_of_soft_things_and_their_keys(sheet, tmp_path):
    assert film(sheet, tmp_path / "a.mp4", size=(64, 48), fps=3).stat().st_size > 500
    moved = Form((), sheet.times, "", {}, (), (Skin("s", sheet.skins[0].vertices + 0.1, FACES, RED),))
    assert film_key(sheet) != film_key(moved)
    assert film_key(sheet) == film_key(sheet)
