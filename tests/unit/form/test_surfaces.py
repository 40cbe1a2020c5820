"""Surfaces that are found anew at each instant: around particles, and levels of fields on grids."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.base.errors import MotiformError
from motiform.form import LevelLook, LinksLook, Looks, PointsLook, dress, looks_in, strobe
from motiform.image.cast.raycast import cast_form
from motiform.image.extent import form_bounds
from motiform.image.frames import film_key
from motiform.image.playback import moment_at_time
from motiform.record import Channel, Recording
from surface_recordings import BLUE, RED, around, recorded


def test_a_lone_particle_is_a_ball_that_moves_between_samples():
    rec = recorded(around(), a=[[[0.0, 1, 0]], [[1.0, 1, 0]]])
    form = dress(rec)
    shell = form.surfaces[0].shell(0)
    # Newton's method ends after a step below 1/1000 of a cell, 1e-4 m: what is left is that squared, by the radius
    np.testing.assert_allclose(np.linalg.norm(shell.vertices - (0, 1, 0), axis=1), 0.2, rtol=1e-8)
    np.testing.assert_allclose(shell.normals, (shell.vertices - (0, 1, 0)) / 0.2, atol=1e-8)
    between = moment_at_time(form, 0.025).surfaces[0]
    np.testing.assert_allclose(np.linalg.norm(between.vertices - (0.25, 1, 0), axis=1), 0.2, rtol=1e-8)
    np.testing.assert_allclose(form_bounds(form), [(-0.2, 0.8, -0.2), (1.2, 1.2, 0.2)])


def test_a_tolerance_asks_for_cells_of_several_sizes():
    rec = recorded(around(tolerance=0.004), a=[[[0.0, 1, 0]]])
    form = dress(rec)
    shell = form.surfaces[0].shell(0)
    middles = shell.vertices[shell.faces].mean(axis=1)
    assert np.abs(np.linalg.norm(middles - (0, 1, 0), axis=1) - 0.2).max() <= 0.004
    np.testing.assert_allclose(np.linalg.norm(shell.normals, axis=1), 1.0)
    plain = dress(recorded(around(), a=[[[0.0, 1, 0]]]))
    assert len(shell.faces) != len(plain.surfaces[0].shell(0).faces)
    assert film_key(form) != film_key(plain)


@pytest.mark.parametrize("gravity", [(0, -9.81, 0), (0, 0, -9.81), (1.0, -2.0, 0.5)])
def test_rays_meet_the_surface_itself(gravity):
    """At the distance of a ball in closed form, and where the field of melted particles has its level."""
    form = dress(recorded(around(rays=True), gravity=gravity, a=[[[0.3, 1, 0.1]]]))
    n = np.random.default_rng(0).normal(size=(200, 3))
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    starts = (0.3, 1, 0.1) + 3.0 * n
    aims = (0.3, 1, 0.1) + 0.15 * np.random.default_rng(1).uniform(-1, 1, (200, 3)) - starts
    d = aims / np.linalg.norm(aims, axis=1, keepdims=True)
    b = np.sum((starts - (0.3, 1, 0.1)) * d, axis=1)
    inside = 0.2**2 - (9.0 - b * b)
    wanted = np.where(inside > 0, -b - np.sqrt(np.maximum(inside, 0)), np.inf)
    clear = np.abs(inside) > 1e-4  # grazing rays end between two samples of the march
    distance, body, normal = cast_form(form, 0, starts, d)
    np.testing.assert_allclose(distance[clear], wanted[clear], rtol=1e-9)
    met = clear & (inside > 0)
    np.testing.assert_allclose(normal[met], (starts + distance[:, None] * d - (0.3, 1, 0.1))[met] / 0.2, atol=1e-7)
    assert (body[met] == 0).all()


def test_rays_and_triangles_show_one_surface():
    places = np.random.default_rng(2).random((1, 12, 3)) * (0.5, 0.2, 0.3)
    forms = [dress(recorded(around(radius=0.12, rays=rays, cell=0.03), a=places)) for rays in (True, False)]
    x = np.stack(np.meshgrid(np.linspace(0, 0.5, 20), np.linspace(0, 0.3, 15)), -1).reshape(-1, 2)
    starts = np.column_stack([x[:, 0], np.full(len(x), 2.0), x[:, 1]])
    by_rays, by_faces = (cast_form(form, 0, starts, np.array([0.0, -1, 0])) for form in forms)
    both = np.isfinite(by_rays[0]) & np.isfinite(by_faces[0]) & (by_rays[2][:, 1] > 0.5)
    assert both.sum() > 0.8 * np.isfinite(by_rays[0]).sum() > 200
    hits = starts[both] - by_rays[0][both, None] * np.array([0.0, 1, 0])
    field, _ = forms[0].surfaces[0].field(0)
    slope = np.linalg.norm(field.gradients(hits), axis=1)
    assert (np.abs(field.values(hits) - field.level) <= 1e-9 * (1.0 + slope)).all()
    # Corners lie on the surface; within a cell it bends away from a triangle by h²/8 of a curvature of 1/0.06 at most
    # where balls meet, and steep rays see that twice as far.
    assert np.median(np.abs(by_rays[0][both] - by_faces[0][both])) <= 2 * (3 * 0.03**2) / 8 / 0.06


def test_particles_that_are_not_there_and_colors_of_groups():
    looks = around(surface=("a.position", "b.position"), radius=[0.2, 0.1], color=np.array([BLUE, RED]))
    gone = np.full((2, 1, 3), np.nan)
    form = dress(recorded(looks, a=[[[0.0, 0, 0]], [[np.nan] * 3]], b=[[[1.0, 0, 0]], [[np.nan] * 3]]))
    shell = form.surfaces[0].shell(0)
    left = shell.vertices[shell.faces].mean(axis=1)[:, 0] < 0.5
    assert (shell.color[left] == BLUE).all()
    assert (shell.color[~left] == RED).all()
    np.testing.assert_allclose(np.linalg.norm(shell.vertices[np.unique(shell.faces[~left])] - (1, 0, 0), axis=1), 0.1)
    assert len(form.surfaces[0].shell(1).faces) == 0
    assert cast_form(form, 1, np.array([[0.0, 5, 0]]), np.array([[0.0, -1, 0]]))[0] == np.inf
    assert len(strobe(form, 2).skins) == 1
    assert len(dress(recorded(around(rays=True), a=gone)).surfaces[0].cast(0).faces) == 0


def test_a_surface_takes_the_place_of_what_it_covers():
    points = {name: PointsLook(points=f"{name}.position", radius=0.1, color=RED) for name in "ab"}
    links = {"ab": LinksLook(links=("a.position", "b.position"), pairs=np.array([[0, 0]]), radius=0.01, color=RED)}
    look = around(rays=True, reach=3.0).parts["water"]
    some = Looks(points | links).covered("water", look)
    assert list(some.parts) == ["b", "ab", "water"]
    rec = recorded(some, a=np.zeros((1, 1, 3)), b=np.ones((1, 1, 3)))
    read = looks_in(rec).parts["water"]
    assert (read.surface, read.radius, read.reach, read.rays, read.color) == (("a.position",), 0.2, 3.0, True, BLUE)
    form = dress(rec)
    other = replace(form, surfaces=(replace(form.surfaces[0], reach=2.0),))
    assert film_key(form) != film_key(other)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"surface": ()}, "must have channels, each once"),
        ({"radius": [0.1, 0.2]}, "one, or one for each channel"),
        ({"radius": 0.0}, "one, or one for each channel"),
        ({"reach": 1.0}, "above 1"),
        ({"cell": 1e-5}, "far below the radius"),
        ({"tolerance": 0.0}, "far below the radius"),
        ({"color": {"channel": "speed"}}, "must be numbers"),
        ({"color": np.zeros((2, 3))}, "one for each channel"),
        ({"surface": ("a", "b"), "color": np.zeros((2, 3)), "rays": True}, "one color"),
    ],
)
def test_what_is_no_surface_is_refused(given, text):
    with pytest.raises(MotiformError, match=text):
        around(**given)


@pytest.mark.parametrize("axes", ["xyz", "zxy", "yxz"])
def test_a_level_of_a_grid_of_three_axes(axes):
    """R − |x − c| has its level 0 at R: linear interpolation errs by h²/(8 R) at most along an edge of a cell."""
    h, n, origin, center = 0.05, (21, 25, 29), np.array([0.5, -1.0, 0.2]), np.array([1.0, -0.4, 0.9])
    places = np.stack(np.meshgrid(*(o + h * np.arange(k) for o, k in zip(origin, n, strict=True)), indexing="ij"), -1)
    field = 0.4 - np.linalg.norm(places - center, axis=-1)
    stored = field.transpose(["xyz".index(letter) for letter in axes])[None]
    look = LevelLook(level="heights", at=0.0, origin=tuple(origin), axes=axes, spacing=h, color=BLUE)
    looks = Looks({"cloud": look})
    channel = Channel("heights", unit="m", dims=("row", "column", "layer"), shape=stored.shape[1:], rate=10.0)
    rec = Recording.from_arrays({"heights": (channel, stored)}, manifest=looks.manifest(), statics=looks.statics())
    shell = dress(rec).surfaces[0].shell(0)
    off = np.linalg.norm(shell.vertices - center, axis=1) - 0.4
    assert np.abs(off).max() <= 3 * h * h / (2 * 0.4)  # a vertex is a mean of crossings, inside by a cell's sagitta
    a, b, c = np.moveaxis(shell.vertices[shell.faces] - center, 1, 0)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(4 / 3 * np.pi * 0.4**3, rel=3 * h * h / (2 * 0.4**2))
    with pytest.raises(MotiformError, match="along x, y and z"):
        replace(look, axes="xyx")
