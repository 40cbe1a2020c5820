"""Spline surfaces through contours, against an ellipsoid."""

import numpy as np
import pytest

from motiform import measure
from motiform.base.errors import ShapeError
from motiform.geometry.maps import Grid
from motiform.geometry.meshes.topology import check_closed_surface
from motiform.measure.segment.contours import contour_of
from motiform.spatial import exp_rotation

A, B, C, CENTER = 6e-3, 5e-3, 9e-3, 1e-2
VOLUME = 4 / 3 * np.pi * A * B * C


def ellipsoid(count, corners=200, seed=None):
    """Return contours of an ellipsoid in so many slices, each beginning anywhere, and their grid."""
    rng = np.random.default_rng(seed)
    step, found = 2 * C / count, []
    turn = -2 * np.pi * np.arange(corners) / corners
    for k in range(count):
        size = np.sqrt(1 - (((k + 0.5) * step - C) / C) ** 2)
        points = CENTER + size * np.stack([A * np.cos(turn), B * np.sin(turn)], axis=1)
        points = points if contour_of(k, points) else points[::-1]
        found.append(contour_of(k, np.roll(points, 0 if seed is None else rng.integers(corners), axis=0)))
    return found, Grid((20, 20, count), (1e-3, 1e-3, step))


@pytest.mark.parametrize("count", [9, 18, 36])
def test_an_ellipsoid_keeps_its_volume(count):
    """Beyond the last contours are ½ (h/2C)² (3 − h/2C) of it: that is all that a spline of order 4 may miss."""
    contours, grid = ellipsoid(count)
    mesh = measure.spline_surface(contours[::-1], grid)
    check_closed_surface(mesh.vertices, mesh.faces, "mesh")
    part = 1.0 / count
    assert mesh.volume / VOLUME == pytest.approx(1.0, abs=0.5 * part**2 * (3 - part))


def test_it_passes_through_its_contours():
    contours, grid = ellipsoid(12)
    mesh = measure.spline_surface(contours, grid, around=50, between=2)
    for contour in contours[1:-1]:
        here = np.abs(mesh.vertices[:, 2] - contour.slice * grid.spacing[2]) < 1e-9
        assert here.sum() == 100
        x, y = (mesh.vertices[here, :2] - CENTER).T
        size = np.sqrt(1 - (((contour.slice + 0.5) * grid.spacing[2] - C) / C) ** 2)
        # 200 corners, between which points lie on chords, 1 − cos(π/200) inside; the spline between 50 of them
        # is of order 4: (2π/50)⁴/384 of the size
        assert np.abs(np.hypot(x / A, y / B) - size).max() < size * (1.3e-4 + (2 * np.pi / 50) ** 4 / 384 + 1e-6)


def test_where_contours_begin_and_the_grid_lies_does_not_count():
    plain, grid = ellipsoid(15)
    mixed, _ = ellipsoid(15, seed=3)
    R, p = exp_rotation(np.array([0.3, -0.8, 0.5])), np.array([0.1, 0.2, -0.3])
    moved = Grid(grid.shape, grid.spacing, p, R)
    volumes = [measure.spline_surface(*given).volume for given in ((plain, grid), (mixed, grid), (plain, moved))]
    # points elsewhere on the contours: chords of 200 corners and splines of 64 points, as above
    assert volumes[1] == pytest.approx(volumes[0], rel=2 * (1.3e-4 + (2 * np.pi / 64) ** 4 / 384))
    assert volumes[2] == pytest.approx(volumes[0], rel=1e-10)


def test_tracks_of_a_volume_are_surfaces():
    """Grey values that fall across the surface of a ball: contours, tracks, and the surface around them."""
    grid = Grid((40, 40, 30), (5e-4, 5e-4, 1e-3))
    x = grid.points(np.stack(np.meshgrid(*map(np.arange, grid.shape), indexing="ij"), -1))
    away = np.linalg.norm(x - [1e-2, 1e-2, 1.45e-2], axis=-1)
    volume = measure.Volume(np.clip((8e-3 - away) / 5e-4 * 500 + 500, -100, 1200), grid)
    track = measure.match_contours(measure.slice_contours(volume, level=500.0)).tracks[0]
    mesh = measure.spline_surface(track, grid)
    assert mesh.volume == pytest.approx(4 / 3 * np.pi * 8e-3**3, rel=0.02)  # slices of a sixteenth of it


@pytest.mark.parametrize(
    ("change", "options", "problem"),
    [
        (lambda c: c[:2], {}, "three or more slices"), (lambda c: c[:4] + c[5:], {}, "without a gap"),
        (lambda c: [*c, c[3]], {}, "one contour in each"), (lambda c: c, {"around": 3}, "must have four points"),
        (lambda c: c, {"between": 0}, "between must be"), (lambda c: c, {"around": 2.5}, "around must be"),
    ],
)  # fmt: skip
def test_what_makes_no_surface_is_refused(change, options, problem):
    contours, grid = ellipsoid(9)
    with pytest.raises(ShapeError, match=problem):
        measure.spline_surface(change(contours), grid, **options)
