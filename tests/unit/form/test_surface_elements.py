"""Surfaces of ellipsoids, tubes along links and sheets of triangles around the points of recordings."""

import numpy as np
import pytest

from motiform.base.errors import MotiformError
from motiform.form import dress, looks_in
from motiform.image.cast.raycast import cast_form
from motiform.image.extent import form_bounds
from motiform.image.frames import film_key
from motiform.spatial import rotation_from_quaternion
from surface_recordings import BLUE, RED, around, recorded

RADII, TURN = np.array([0.3, 0.1, 0.2]), np.array([0.9, 0.3, -0.2, 0.1])


def in_axes(x, center, exponent=2.0):
    return (np.abs((x - center) @ rotation_from_quaternion(TURN) / RADII) ** exponent).sum(axis=1)


@pytest.mark.parametrize("exponent", [None, 4.0])
def test_a_lone_point_is_an_ellipsoid_of_its_radii(exponent):
    """Whatever the reach; vertices are within 1e-4 cells of the surface, which is as in test_shapes.py."""
    for reach in (1.5, 2.0, 3.0):
        looks = around(radius=[RADII], turn=TURN, exponent=exponent, reach=reach, cell=0.02)
        shell = dress(recorded(looks, a=[[[0.1, 0.2, 0.3]]])).surfaces[0].shell(0)
        e = 2.0 if exponent is None else exponent
        length = in_axes(shell.vertices, (0.1, 0.2, 0.3), e) ** (1.0 / e)
        assert np.abs(length - 1.0).max() <= 1e-4 * 0.02 / RADII.min()
        assert np.linalg.norm(shell.normals, axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("gravity", [(0, -9.81, 0), (0, 0, -9.81)])
def test_rays_meet_the_ellipsoid_itself(gravity):
    """Also where the picture's axes are turned: in its own it is a ball of radius 1, met in closed form."""
    form = dress(recorded(around(radius=[RADII], turn=TURN, rays=True), gravity=gravity, a=[[[0.3, 1, 0.1]]]))
    n = np.random.default_rng(0).normal(size=(2, 200, 3))
    starts = (0.3, 1, 0.1) + 3.0 * n[0] / np.linalg.norm(n[0], axis=1, keepdims=True)
    d = (0.3, 1, 0.1) + 0.05 * n[1] - starts
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    axes = rotation_from_quaternion(TURN)
    o, w = (starts - (0.3, 1, 0.1)) @ axes / RADII, d @ axes / RADII
    a, b, c = (w * w).sum(1), (o * w).sum(1), (o * o).sum(1) - 1.0
    inside = b * b - a * c
    wanted = np.where(inside > 0, (-b - np.sqrt(np.maximum(inside, 0))) / a, np.inf)
    clear = (inside < 0) | (2 * np.sqrt(np.maximum(inside, 0)) / a > 0.05)  # shorter ways pass between two samples
    distance, _, normal = cast_form(form, 0, starts, d)
    assert (clear & (inside > 0)).sum() > 50
    np.testing.assert_allclose(distance[clear], wanted[clear], rtol=1e-9)
    met = clear & (inside > 0)
    outward = ((o + wanted[:, None] * w) / RADII)[met] @ axes.T
    np.testing.assert_allclose(normal[met], outward / np.linalg.norm(outward, axis=1, keepdims=True), atol=1e-7)


def test_bounds_hold_ellipsoids_and_turned_ones_are_the_same():
    looks = around(radius=[RADII], turn=TURN, exponent=6.0)
    surface = dress(recorded(looks, a=[[[0.0, 0, 0]]])).surfaces[0]
    low, high = form_bounds(dress(recorded(looks, a=[[[0.0, 0, 0]]])))
    shell = surface.shell(0)
    assert (shell.vertices >= low).all()
    assert (shell.vertices <= high).all()
    turn = rotation_from_quaternion([0.5, 0.5, 0.5, 0.5])
    back = surface.turned(turn).shell(0).vertices @ turn
    length = in_axes(back, 0.0, 6.0) ** (1 / 6)
    assert np.abs(length - 1.0).max() <= 1e-4 * 0.05 / RADII.min()


def test_radii_of_channels_and_of_points():
    places = {"a": [[[0.0, 0, 0], [2.0, 0, 0]]], "b": [[[4.0, 0, 0]]]}
    names = ("a.position", "b.position")
    each = [[0.2, 0.1, 0.1], [0.1, 0.2, 0.1], [0.1, 0.1, 0.2]]
    shell = dress(recorded(around(surface=names, radius=each), **places)).surfaces[0].shell(0)
    for n in range(3):
        own = shell.vertices[np.abs(shell.vertices[:, 0] - 2 * n) < 0.5] - (2 * n, 0, 0)
        np.testing.assert_allclose(((own / each[n]) ** 2).sum(axis=1), 1.0, atol=3e-4)  # 2 · 1e-4 cells over 0.1 m
    shell = dress(recorded(around(surface=names, radius=each[:2]), **places)).surfaces[0].shell(0)
    own = shell.vertices[np.abs(shell.vertices[:, 0] - 2) < 0.5] - (2, 0, 0)
    np.testing.assert_allclose(((own / each[0]) ** 2).sum(axis=1), 1.0, atol=3e-4)
    with pytest.raises(MotiformError, match="`radius` must be one for each channel or point"):
        dress(recorded(around(surface=names, radius=each * 2), **places))


def off_lines(x, places, pairs):
    a, along = places[pairs[:, 0]][:, None], (places[pairs[:, 1]] - places[pairs[:, 0]])[:, None]
    t = np.clip(((x - a) * along).sum(-1) / (along**2).sum(-1), 0, 1)
    return np.linalg.norm(x - a - t[..., None] * along, axis=-1).min(axis=0)


def test_a_chain_of_linked_points_is_one_tube():
    """Every vertex is a radius from the nearest link: no bumps at the points; a point without links is a ball."""
    t = np.linspace(0, 1.5 * np.pi, 12)
    places = np.stack([np.cos(t), 0.2 * t, np.sin(t)], axis=1)
    pairs = np.stack([np.arange(11), np.arange(1, 12)], axis=1)
    x = np.concatenate([places, [[3.0, 0, 0]]])[None]
    form = dress(recorded(around(radius=0.15, pairs=pairs), a=x))
    shell = form.surfaces[0].shell(0)
    lone = shell.vertices[:, 0] > 2.0
    far = off_lines(shell.vertices[~lone], places, pairs)
    assert np.abs(far - 0.15).max() <= 1e-4 * 0.075 * 2  # 1e-4 cells, and where two links meet across a crease
    np.testing.assert_allclose(np.linalg.norm(shell.vertices[lone] - (3, 0, 0), axis=1), 0.15, rtol=1e-6)
    plain = dress(recorded(around(radius=0.15), a=x))
    assert film_key(form) != film_key(plain)
    read = looks_in(recorded(around(radius=0.15, pairs=pairs), a=x)).parts["water"]
    np.testing.assert_array_equal(read.pairs, pairs)


def test_links_to_points_that_are_not_there_are_not_there():
    x = np.array([[[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]], [[0.0, 0, 0], [1.0, 0, 0], [np.nan] * 3]])
    surface = dress(recorded(around(radius=0.2, pairs=[[0, 1], [1, 2]], cell=0.02), a=x)).surfaces[0]
    off = 3 * 0.02**2 / (2 * 0.2)  # a vertex is not further from the tip than the diagonal of a cell
    assert surface.shell(0).vertices[:, 0].max() == pytest.approx(2.2, abs=off)
    assert surface.shell(1).vertices[:, 0].max() == pytest.approx(1.2, abs=off)
    gone = np.where(np.arange(3)[:, None] == 1, np.nan, x[0])[None]
    far = dress(recorded(around(radius=0.2, pairs=[[0, 1], [1, 2]]), a=gone)).surfaces[0].shell(0).vertices
    assert ((np.abs(far[:, 0]) <= 0.2001) | (np.abs(far[:, 0] - 2) <= 0.2001)).all()  # two balls


@pytest.mark.parametrize("rays", [False, True])
def test_triangles_are_sheets(rays):
    """A square of two triangles, a radius thick on either side, by rays and by triangles."""
    x = np.array([[[0.0, 0, 0], [1.0, 0, 0], [1.0, 0, 1.0], [0.0, 0, 1.0]]])
    form = dress(recorded(around(radius=0.1, faces=[[0, 1, 2], [0, 2, 3]], rays=rays, cell=0.04), a=x))
    places = np.random.default_rng(1).uniform(0.08, 0.92, (50, 3)) * (1, 0, 1) + (0, 2, 0)  # two cells in
    distance, _, normal = cast_form(form, 0, places, np.array([0.0, -1, 0]))
    np.testing.assert_allclose(distance, 1.9, atol=1e-5)  # 1e-4 cells
    np.testing.assert_allclose(normal, np.tile([0.0, 1, 0], (50, 1)), atol=1e-6)
    vertices = form.surfaces[0].shell(0).vertices
    outside = vertices - np.clip(vertices, (0, 0, 0), (1, 0, 1))
    np.testing.assert_allclose(np.linalg.norm(outside, axis=1), 0.1, atol=1e-5)


def test_colors_are_those_of_the_nearest_end():
    colors = np.array([BLUE, RED])
    looks = around(surface=("a.position", "b.position"), radius=0.1, color=colors, pairs=[[0, 1]])
    shell = dress(recorded(looks, a=[[[0.0, 0, 0]]], b=[[[1.0, 0, 0]]])).surfaces[0].shell(0)
    left = shell.vertices[shell.faces].mean(axis=1)[:, 0] < 0.5
    assert (shell.color[left] == BLUE).all()
    assert (shell.color[~left] == RED).all()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"radius": [[0.1, 0.2]]}, "one, or one for each channel"),
        ({"radius": [[0.1, 0.2, 0.0]]}, "one, or one for each channel"),
        ({"turn": (0, 0, 0, 0)}, "`turn` must be quaternions"),
        ({"turn": (1, 0, 0)}, "`turn` must be quaternions"),
        ({"exponent": 1.0}, "`exponent` must be 2 or more"),
        ({"exponent": 100.0}, "`exponent` must be 2 or more"),
        ({"pairs": [[0.5, 1]]}, "`pairs` must be whole numbers"),
        ({"faces": [[0, 1]]}, "`faces` must be whole numbers"),
        ({"pairs": [[0, 1]], "radius": [[0.1, 0.2, 0.1]]}, "`pairs` must go with balls"),
        ({"faces": [[0, 1, 2]], "exponent": 4.0}, "`faces` must go with balls"),
    ],
)
def test_what_is_no_element_is_refused(given, text):
    with pytest.raises(MotiformError, match=text):
        around(**given)


def test_points_that_a_channel_does_not_have_are_refused():
    with pytest.raises(MotiformError, match="no such point"):
        dress(recorded(around(pairs=[[0, 3]]), a=np.zeros((1, 2, 3))))
