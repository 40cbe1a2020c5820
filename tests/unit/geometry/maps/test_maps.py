"""Distance maps against brute force, edt and shortest paths; medial axes and covers against the object itself."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.transform import Rotation

from motiform.base.errors import InputError, ShapeError
from motiform.base.kernels import threads
from motiform.geometry import Ball, Box, Ellipsoid
from motiform.geometry.maps import (
    MASKS,
    ChamferMask,
    Cover,
    Grid,
    chamfer_axis,
    chamfer_map,
    cover_labels,
    euclidean_axis,
    euclidean_map,
    grid_around,
    label_mass,
    reduce_cover,
    signed_label_map,
    squared_map,
)
from motiform.geometry.maps.axis import inclusion_tables

RNG = np.random.default_rng(4)
BLOB = gaussian_filter(RNG.normal(size=(20, 15, 18)), 2) > 0.01
LABELS = RNG.integers(0, 4, (4, 5, 3)).repeat(4, 0).repeat(3, 1).repeat(5, 2)


def brute(labels, spacing=(1, 1, 1), border=True):
    """Return distances to the nearest voxel of another label, one voxel at a time."""
    padded = np.pad(labels.astype(int), 1, constant_values=0 if border else -1)
    points, kinds = np.argwhere(padded >= 0), padded[padded >= 0]
    out = np.zeros(labels.shape)
    for n in np.argwhere(labels):
        other = points[kinds != labels[tuple(n)]]
        d = (other - (n + 1)) * spacing
        out[tuple(n)] = np.sqrt((d * d).sum(1).min()) if len(other) else np.inf
    return out


@pytest.mark.parametrize("border", [True, False])
@pytest.mark.parametrize("spacing", [(1.0, 1.0, 1.0), (0.5, 0.25, 2.0)])
@pytest.mark.parametrize("labels", [BLOB, LABELS], ids=["blob", "labels"])
def test_euclidean_map_is_exact(labels, spacing, border):
    # rounded to float32 twice: the square and its root
    np.testing.assert_allclose(
        euclidean_map(labels, spacing=np.array(spacing), border=border), brute(labels, spacing, border), rtol=2e-7
    )


def test_euclidean_map_agrees_with_edt():
    edt = pytest.importorskip("edt", reason="the reference for distance maps is not installed")
    rng = np.random.default_rng(1)
    body = gaussian_filter(rng.normal(size=(70, 65, 80)), 6) > 0
    given = np.ascontiguousarray(body, np.uint8)
    assert np.array_equal(euclidean_map(body), edt.edt(given, black_border=True))
    # edt's own float32 arithmetic rounds at each of three sweeps
    one = edt.edt(given, anisotropy=(0.3, 0.3, 1.0), black_border=False)
    np.testing.assert_allclose(euclidean_map(body, spacing=np.array([0.3, 0.3, 1.0]), border=False), one, rtol=1e-6)


def test_maps_without_any_background():
    full = np.ones((3, 4, 5), bool)
    assert np.isinf(euclidean_map(full, border=False)).all()
    assert euclidean_map(full)[1, 1, 2] == 2
    assert not euclidean_map(np.zeros((2, 3, 4), bool)).any()


@pytest.mark.parametrize("mask", ["3-4-5", "5-7-9", "5-7-11"])
@pytest.mark.parametrize("border", [True, False])
def test_chamfer_map_is_the_shortest_path(mask, border):
    body = BLOB[:14, :12, :13]
    weights = MASKS[mask]
    inside = np.pad(body, 1, constant_values=False) if border else body
    number = np.arange(inside.size).reshape(inside.shape)
    rows, columns, costs = [], [], []
    for step in np.argwhere(np.ones((3, 3, 3))) - 1:
        if not step.any():
            continue
        ahead = tuple(slice(max(s, 0), n + min(s, 0)) for s, n in zip(step, inside.shape, strict=True))
        behind = tuple(slice(max(-s, 0), n + min(-s, 0)) for s, n in zip(step, inside.shape, strict=True))
        rows.append(number[behind].ravel()), columns.append(number[ahead].ravel())
        cost = (weights.axis, weights.edge, weights.corner)[np.abs(step).sum() - 1]
        costs.append(np.full(len(rows[-1]), float(cost)))
    graph = coo_array(
        (np.concatenate(costs), (np.concatenate(rows), np.concatenate(columns))), shape=(inside.size,) * 2
    )
    found = dijkstra(graph.tocsr(), indices=np.flatnonzero(~inside.ravel()), min_only=True).reshape(inside.shape)
    expected = found[1:-1, 1:-1, 1:-1] if border else found
    assert np.array_equal(chamfer_map(body, mask=mask, border=border), expected)


def test_chamfer_in_the_plane():
    body = np.ones((41, 41), bool)
    body[20, 20] = False
    i, j = np.abs(np.indices(body.shape) - 20)
    expected = 3 * np.maximum(i, j) + np.minimum(i, j)  # 3-4: 4 for each diagonal step, 3 for the rest
    assert np.array_equal(chamfer_map(body, border=False), expected)


PLANE = ("D4", "D8", "3-4", "5x5", "7x7")


@pytest.mark.parametrize("mask", PLANE)
@pytest.mark.parametrize("border", [True, False])
def test_maps_of_the_plane_are_shortest_paths(mask, border):
    body, weights = BLOB[12, :21], MASKS[mask]
    pad = weights.reach
    inside = np.pad(body, pad) if border else body
    own, costs, rows, columns = np.arange(inside.size).reshape(inside.shape), [], [], []
    for u, v, cost in [(1, 0, weights.axis), (1, 1, weights.edge), *weights.further]:
        for step in {(a * x, b * y) for x, y in ((u, v), (v, u)) for a in (-1, 1) for b in (-1, 1)}:
            ahead = tuple(slice(max(s, 0), n + min(s, 0)) for s, n in zip(step, inside.shape, strict=True))
            behind = tuple(slice(max(-s, 0), n + min(-s, 0)) for s, n in zip(step, inside.shape, strict=True))
            rows.append(own[behind].ravel()), columns.append(own[ahead].ravel())
            costs.append(np.full(len(rows[-1]), float(cost)))
    joined = (np.concatenate(costs), (np.concatenate(rows), np.concatenate(columns)))
    graph = coo_array(joined, shape=(inside.size,) * 2).tocsr()
    found = dijkstra(graph, indices=np.flatnonzero(~inside.ravel()), min_only=True).reshape(inside.shape)
    expected = found[pad:-pad, pad:-pad] if border else found
    assert np.array_equal(chamfer_map(body, mask=mask, border=border), expected)


def test_steps_and_sides_of_a_chessboard():
    """D4 is |x| + |y|, D8 the greater of both."""
    body = np.ones((31, 31), bool)
    body[15, 15] = False
    x, y = np.abs(np.indices(body.shape) - 15)
    assert np.array_equal(chamfer_map(body, mask="D4", border=False), x + y)
    assert np.array_equal(chamfer_map(body, mask="D8", border=False), np.maximum(x, y))


@pytest.mark.parametrize("mask", ["D4", "D8", "3-4"])
def test_disks_of_the_axis_of_a_plane_figure_are_the_figure(mask):
    body = BLOB[12]
    centers, radii = chamfer_axis(body, mask=mask)
    free = np.ones((2 * max(body.shape) + 1,) * 2, bool)
    free[max(body.shape), max(body.shape)] = False
    from_middle = chamfer_map(free, mask=mask, border=False)
    found = np.zeros(body.shape, bool)
    for (i, j), radius in zip(centers, radii, strict=True):
        a, b = max(body.shape) - i, max(body.shape) - j
        found |= from_middle[a : a + body.shape[0], b : b + body.shape[1]] < radius
    assert np.array_equal(found, body)
    assert len(centers) < 0.6 * body.sum()


@pytest.mark.parametrize("mask", [*PLANE, "3-4-5", "5-7-9", "5-7-11"])
def test_chamfer_error_is_that_of_its_worst_direction(mask):
    plane = mask in PLANE
    size = 81 if plane else 49
    body = np.ones((size,) * (2 if plane else 3), bool)
    middle = size // 2
    body[(middle,) * body.ndim] = False
    far = np.linalg.norm(np.indices(body.shape) - middle, axis=0)
    away = far > (middle - 1)  # of all directions; the error of a direction does not depend on the distance
    error = chamfer_map(body, mask=mask, border=False)[away] / (MASKS[mask].axis * far[away]) - 1
    least, greatest = MASKS[mask].error
    # 5-7-11 is linear only between points with an even sum: an odd one adds up to half a weight, 0.5/5 voxel
    odd = 0.1 / middle if mask == "5-7-11" else 1e-12
    assert least - 1e-12 <= error.min()
    assert error.max() <= greatest + odd
    # directions of whole numbers up to `middle` come as near to the worst as (1/middle)², the error being quadratic
    # there; where the worst is along a step it is met.
    assert error.min() == pytest.approx(least, abs=1e-3)
    assert error.max() == pytest.approx(greatest, abs=2 / middle**2 + odd)


def test_published_chamfer_errors():
    least, greatest = MASKS["3-4"].error
    # [Borgefors86] 5-7-11: 2 % at most; 7x7 does better
    assert max(np.abs(MASKS["5x5"].error)) == pytest.approx(np.sqrt(26) / 5 - 1)
    assert max(np.abs(MASKS["7x7"].error)) < max(np.abs(MASKS["5x5"].error))
    # [Borgefors86] 3-4: √2 by 4/3, and √(1 + 1/9) at the slope 1/3
    assert (least, greatest) == pytest.approx((4 / 3 / np.sqrt(2) - 1, np.sqrt(10) / 3 - 1))
    angle = np.linspace(0, np.pi / 4, 100_001)
    ratio = np.cos(angle) + np.sin(angle) / 3
    assert 0.02 < np.abs(ratio - 1).mean() < 0.04  # 3.4 %; [Perez94] says about 2 %


def union_of_euclid(shape, centers, squares):
    found = np.zeros(shape, bool)
    index = np.moveaxis(np.indices(shape), 0, -1)
    for p, square in zip(centers, squares, strict=True):
        found |= ((index - p) ** 2).sum(-1) < square
    return found


@pytest.mark.parametrize("body", [BLOB, BLOB & (np.indices(BLOB.shape)[0] > 3)], ids=["blob", "cut"])
def test_balls_of_the_euclidean_axis_are_the_object(body):
    centers, squares = euclidean_axis(body)
    assert np.array_equal(union_of_euclid(body.shape, centers, squares), body)
    assert len(centers) < 0.6 * body.sum()
    full, kept = squared_map(body), {tuple(c) for c in centers}
    for p in np.argwhere(body)[::37]:  # off the axis is what has a neighbour whose ball holds its own, voxel by voxel
        near = p + np.argwhere(np.ones((3, 3, 3))) - 1
        near = near[((near >= 0) & (near < body.shape)).all(1) & (near != p).any(1)]
        own = union_of_euclid(body.shape, [p], [full[tuple(p)]])
        held = any((union_of_euclid(body.shape, [n], [full[tuple(n)]]) >= own).all() for n in near)
        assert held != (tuple(p) in kept)


def test_inclusion_tables_by_brute_force():
    index = np.stack(np.meshgrid(*[np.arange(-6, 7)] * 3, indexing="ij"), -1).reshape(-1, 3)
    tables = inclusion_tables(26)
    for steps, g in enumerate(([1, 0, 0], [1, 1, 0], [1, 1, 1])):
        for square in range(1, 27):
            ball = index[(index**2).sum(1) < square]
            assert tables[steps, square] == ((ball - g) ** 2).sum(1).max() + 1


@pytest.mark.parametrize("mask", ["3-4-5", "5-7-9", "5-7-11"])
def test_balls_of_the_chamfer_axis_are_the_object(mask):
    body = BLOB[:14, :12, :13]
    centers, radii = chamfer_axis(body, mask=mask)
    middle = np.array(body.shape)
    free = np.ones(2 * middle + 1, bool)
    free[tuple(middle)] = False
    from_middle = chamfer_map(free, mask=mask, border=False)  # distances of all differences
    found = np.zeros(body.shape, bool)
    index = np.moveaxis(np.indices(body.shape), 0, -1)
    for p, r in zip(centers, radii, strict=True):
        found |= from_middle[tuple(np.moveaxis(index - p + middle, -1, 0))] < r
    assert np.array_equal(found, body)


@pytest.mark.parametrize("side", ["inside", "outside"])
@pytest.mark.parametrize("error", [0.0, 0.4e-3, 1.1e-3])
def test_reduced_covers_keep_their_error(error, side):
    grid = Grid(BLOB.shape, 0.5e-3, (0.01, 0.02, 0.03))
    whole, few = cover_labels(BLOB, grid), reduce_cover(BLOB, grid, error=error, side=side)
    assert len(few) < 0.7 * len(whole)
    for cover in (whole, few):
        inside, outside = grid.points(np.argwhere(BLOB)), grid.points(np.argwhere(~BLOB))
        gap = lambda p, c=cover: (np.linalg.norm(p[:, None] - c.centers, axis=-1) - c.radii).min(1)  # noqa: E731
        assert gap(inside).max() <= cover.short * (1 + 1e-9)
        assert -gap(outside).min() <= cover.beyond + 1e-12
        assert np.array_equal(cover.contains(inside), gap(inside) <= 0)


def test_cover_of_a_ball_is_a_ball():
    grid = grid_around([-5e-3] * 3, [5e-3] * 3, 0.25e-3, margin=1e-3)
    body = np.linalg.norm(grid.points(np.moveaxis(np.indices(grid.shape), 0, -1)), axis=-1) < 5e-3
    few = reduce_cover(body, grid, error=0.5e-3)
    assert len(few) < 10
    # The ball has 33 510 voxels of 0.25 mm; its volume by voxels is right to their surface layer's noise, 1 %.
    exact = Ball(5e-3).mass_properties(density=1900)
    found = label_mass(body, grid, density=1900)
    assert found.mass == pytest.approx(exact.mass, rel=0.01)
    np.testing.assert_allclose(found.inertia, exact.inertia, rtol=0.02, atol=1e-3 * exact.inertia.max())
    covered = cover_labels(body, grid).mass_properties(density=1900)
    # The cover is h/2 short at most: 3 · 0.125/5 = 7.5 % of the volume.
    assert 0.925 * exact.mass < covered.mass < exact.mass * 1.01


def test_mass_of_turned_boxes_of_voxels():
    R = Rotation.from_rotvec([0.3, -0.5, 0.7]).as_matrix()
    grid = Grid((10, 8, 6), (1e-3, 2e-3, 3e-3), (0.1, 0.2, 0.3), R)
    box = Box((10e-3, 16e-3, 18e-3)).mass_properties(density=1000)
    found = label_mass(np.ones(grid.shape, bool), grid, density=1000)
    assert found.mass == pytest.approx(box.mass)
    np.testing.assert_allclose(found.inertia, R @ box.inertia @ R.T, rtol=1e-9, atol=1e-20)
    np.testing.assert_allclose(found.com, grid.points([4.5, 3.5, 2.5]))


def test_mass_of_a_cover_converges():
    shape = Ellipsoid((4e-3, 5e-3, 7e-3))
    grid = grid_around(*shape.bounds, 0.2e-3, margin=1e-3)
    points = grid.points(np.moveaxis(np.indices(grid.shape), 0, -1))
    body = ((points / (4e-3, 5e-3, 7e-3)) ** 2).sum(-1) < 1
    cover = cover_labels(body, grid)
    rough, fine = (cover.mass_properties(density=1000, spacing=h) for h in (0.2e-3, 0.1e-3))
    exact = shape.mass_properties(density=1000)
    assert rough.mass == pytest.approx(fine.mass, rel=0.01)
    assert fine.mass == pytest.approx(exact.mass, rel=3 * 0.1 / 4)  # h/2 short on the smallest half axis


def test_signed_maps_of_a_ball():
    grid = grid_around([-5e-3] * 3, [5e-3] * 3, 0.5e-3, margin=2e-3)
    far = np.linalg.norm(grid.points(np.moveaxis(np.indices(grid.shape), 0, -1)), axis=-1) - 5e-3
    signed = signed_label_map(far < 0, spacing=0.5e-3)
    assert np.array_equal(signed < 0, far < 0)
    # centres on either side are at most √3 voxels apart, the surface somewhere between them
    assert np.abs(signed - far).max() < 0.9 * 0.5e-3
    assert np.sqrt(np.mean((signed - far) ** 2)) < 0.35 * 0.5e-3


def test_maps_do_not_depend_on_threads():
    results = []
    for count in (1, 2):
        with threads(count):
            results.append((squared_map(BLOB), chamfer_map(BLOB), euclidean_axis(BLOB)[0], chamfer_axis(BLOB)[0]))
    for one, two in zip(*results, strict=True):
        assert np.array_equal(one, two)


def test_grids_count_in_their_axes():
    grid = Grid((4, 5, 6), (1e-3, 2e-3, 3e-3), (1, 2, 3), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(grid.points([1, 2, 3]), [1 - 4e-3, 2 + 1e-3, 3 + 9e-3])
    np.testing.assert_allclose(grid.index(grid.points([[1, 2, 3]])), [[1, 2, 3]])
    assert not grid.isotropic


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: euclidean_map(np.zeros((3, 3))), "whole numbers on a grid"),
        (lambda: euclidean_map(np.zeros((3, 3, 3))), "whole numbers on a grid"),
        (lambda: euclidean_map(np.ones((2, 2, 2), bool), spacing=0), "a length must be positive"),
        (lambda: chamfer_map(BLOB, mask="3-4"), "as many dimensions"),
        (lambda: chamfer_map(BLOB, mask="3-5-4"), "unknown mask"),
        (lambda: chamfer_map(BLOB[5], mask="3-4-5"), "as many dimensions"),
        (lambda: chamfer_axis(BLOB[5], mask="5x5"), "steps to neighbours only"),
        (lambda: ChamferMask(5, 7, 0, ((1, 2, 11),)), "along > across > 0"),
        (lambda: ChamferMask(5, 7, 9, ((2, 1, 11),)), "along > across > 0"),
        (lambda: cover_labels(np.zeros((3, 3, 3), bool), Grid((3, 3, 3), 1e-3)), "empty"),
        (lambda: cover_labels(BLOB, Grid((3, 3, 3), 1e-3)), "fit its grid"),
        (lambda: cover_labels(BLOB, Grid(BLOB.shape, (1e-3, 1e-3, 2e-3))), "voxels must be cubes"),
        (lambda: reduce_cover(BLOB, Grid(BLOB.shape, 1e-3), error=-1), "must not be negative"),
        (lambda: reduce_cover(BLOB, Grid(BLOB.shape, 1e-3), error=0, side="both"), "unknown side"),
        (lambda: label_mass(np.zeros((3, 3, 3), bool), Grid((3, 3, 3), 1e-3), density=1), "no voxel"),
        (lambda: Cover([[0, 0, 0]], [0.0]), "must have a radius"),
        (lambda: Grid((0, 1, 1), 1.0), "positive numbers of voxels"),
    ],
)
def test_wrong_input(call, text):
    with pytest.raises((ShapeError, InputError), match=text):
        call()
