"""Surfaces within a tolerance: closed, manifold, as near as asked for, with few triangles; cells stand still."""

import numba
import numpy as np
import pytest
from scipy.spatial import cKDTree

from motiform.base.errors import InputError, ShapeError
from motiform.base.kernels import threads
from motiform.form.implicit import Implicit, adaptive, polygonise
from motiform.geometry import Mesh
from motiform.geometry.maps.cubes import EDGES, loops

BOX = np.array([[[-1.2, -1.2, -1.2], [1.2, 1.2, 1.2]]])
DRAW = np.random.default_rng(1)
ENDS = DRAW.uniform(0.0, 1.0, (2, 8, 3))
BLENDS = {
    "wyvill": Implicit(DRAW.uniform(0.0, 1.0, (40, 3)), size=0.3, level=0.4),
    "blinn": Implicit(DRAW.uniform(0.0, 1.0, (30, 3)), kind="blinn", size=60.0, level=0.7),
    "distance": Implicit(*ENDS, size=0.3, skeleton=np.arange(8) // 3),
    "convolution": Implicit(*ENDS, kind="convolution", size=60.0, level=0.1),
    "selective": Implicit(ENDS[0], size=0.4, neighbours=[(n, n + 1) for n in range(7)]),
}


def ball(points):
    return np.linalg.norm(points, axis=1) - 1.0


def torus(points):
    return np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.6, points[:, 2]) - 0.25


def euler(mesh):
    """Return corners less edges plus triangles, of a mesh whose edges each have one triangle on either side."""
    faces = np.asarray(mesh.faces)
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    there, back = (one[:, 0] * len(mesh.vertices) + one[:, 1] for one in (ends, ends[:, ::-1]))
    assert len(np.unique(there)) == len(there)
    assert np.isin(back, there).all()
    assert len(np.unique(faces)) == len(mesh.vertices)
    return len(mesh.vertices) - len(faces) // 2


def off(field, mesh):
    """Return the largest distance from a surface of many places of triangles, by its signed distance."""
    weight = np.array([(i, j, 6 - i - j) for i in range(7) for j in range(7 - i)]) / 6.0
    places = np.einsum("wk,nkc->wnc", weight, np.asarray(mesh.vertices)[mesh.faces])
    return np.abs(field(places.reshape(-1, 3))).max()


@pytest.mark.parametrize("tolerance", [0.02, 0.004])
@pytest.mark.parametrize(("field", "number"), [(ball, 2), (torus, 0)])
def test_closed_forms_are_met_within_the_tolerance(field, number, tolerance):
    mesh = polygonise(field, BOX, spacing=0.15, tolerance=tolerance)
    assert euler(mesh) == number
    assert off(field, mesh) <= tolerance
    area, volume = (4 * np.pi, 4 / 3 * np.pi) if field is ball else (4 * np.pi**2 * 0.15, 2 * np.pi**2 * 0.6 * 0.0625)
    # A layer as thick as the tolerance on the surface; an area changes by the mean curvature, below 1/r, twice.
    assert abs(mesh.volume - volume) <= 1.05 * area * tolerance
    assert abs(mesh.area - area) <= 2.0 * area * tolerance / (1.0 if field is ball else 0.25)


def test_lines_are_met_within_the_tolerance():
    """Of one skeleton the strongest line counts: a union of capsules, outside of which the distance is known."""
    field = Implicit(*ENDS[:, :4], size=0.3, skeleton=np.zeros(4, int))

    def capsules(points):
        start, along = ENDS[0, :4], ENDS[1, :4] - ENDS[0, :4]
        part = np.einsum("nec,ec->ne", points[:, None] - start, along) / (along**2).sum(axis=1)
        place = start + np.clip(part, 0.0, 1.0)[..., None] * along
        return np.linalg.norm(points[:, None] - place, axis=2).min(axis=1) - 0.15

    mesh = field.to_mesh(0.05, tolerance=0.01)
    euler(mesh)
    assert off(capsules, mesh) <= 0.01


@pytest.mark.parametrize("kind", BLENDS)
def test_blends_are_closed_and_near_the_surface(kind):
    field, tolerance = BLENDS[kind], 0.01
    mesh = field.to_mesh(0.05, tolerance=tolerance)
    assert euler(mesh) % 2 == 0  # an even number for closed surfaces with two sides
    assert mesh.volume > 0.0  # outward
    if kind in ("distance", "selective"):  # creases and jumps, where gradients do not lead to the surface
        return
    middles = np.asarray(mesh.vertices)[mesh.faces].mean(axis=1)
    assert np.linalg.norm(field.onto(middles, most=0.1) - middles, axis=1).max() <= tolerance
    fine = field.to_mesh(0.05)
    shown = field.onto(fine.vertices, most=0.05)
    near = np.concatenate([mesh.vertices, middles])
    longest = np.linalg.norm(np.diff(np.asarray(mesh.vertices)[mesh.faces], axis=1), axis=2).max()
    assert cKDTree(near).query(shown)[0].max() <= longest  # nothing that cells of one size show is missing


def test_few_triangles_where_it_is_flat():
    """A ball of 0.5 m and one of 0.04 m, cells of one size as near: fewer by the areas and curvatures of the two."""
    radii, places = np.array([0.5, 0.04]), np.array([[0.0, 0.0, 0.0], [1.2, 0.0, 0.0]])
    field = Implicit(places, size=2.0 * radii)

    def balls(points):
        return (np.linalg.norm(points[:, None] - places, axis=2) - radii).min(axis=1)

    mesh = field.to_mesh(0.03, tolerance=0.003)
    one = field.to_mesh(0.02)
    one = Mesh(field.onto(one.vertices, most=0.02), one.faces)
    assert euler(mesh) == 4
    assert off(balls, mesh) <= 0.003
    assert off(balls, one) >= off(balls, mesh)
    assert len(one.faces) > 5 * len(mesh.faces)


def test_triangles_stay_where_nothing_moves():
    group, found = np.random.default_rng(0).uniform(0.0, 0.5, (12, 3)), []
    for away in (1.3, 1.437):
        mesh = Implicit(np.vstack([group, [[-away, 0.3 * away, -0.7]]]), size=0.3, level=0.4).to_mesh(
            0.05, tolerance=0.01
        )
        found.append(mesh.vertices[mesh.vertices[:, 0] > -0.5])
    first, second = (points[np.lexsort(points.T)] for points in found)
    np.testing.assert_array_equal(first, second)


def test_bits_do_not_depend_on_threads():
    found = []
    for count in (1, 2):
        with threads(min(count, numba.config.NUMBA_NUM_THREADS)):
            found.append(BLENDS["wyvill"].to_mesh(0.05, tolerance=0.02))
    np.testing.assert_array_equal(found[0].vertices, found[1].vertices)
    np.testing.assert_array_equal(found[0].faces, found[1].faces)


def test_cases_and_their_complements_cross_the_same_edges():
    table = loops()
    for case in range(256):
        crossed = [n for n, (a, b) in enumerate(EDGES) if (case >> a & 1) != (case >> b & 1)]
        assert sorted(e for row in table[case] for e in row[1 : row[0] + 1]) == crossed


def test_bad_input_is_refused(monkeypatch):
    with pytest.raises(InputError, match="tolerance must be above 0 m"):
        polygonise(ball, BOX, spacing=0.2, tolerance=0.0)
    with pytest.raises(ShapeError, match="must be finite"):
        polygonise(
            lambda x: np.where((np.abs(x) < 0.05).all(axis=1), np.nan, ball(x)), BOX, spacing=0.19, tolerance=0.01
        )
    monkeypatch.setattr(adaptive, "_MOST", 5000)
    with pytest.raises(ShapeError, match="must not be too many"):
        polygonise(ball, BOX, spacing=0.2, tolerance=1e-3)


@pytest.mark.parametrize("tolerance", [5e-324, 1e-15, 1e-9])
def test_a_tolerance_without_an_end_is_refused_at_once(monkeypatch, tolerance):
    def divide(_self, _some):
        raise AssertionError("cells were made")

    monkeypatch.setattr(adaptive.Cells, "divide", divide)
    with pytest.raises(ShapeError, match="must not be too many"):
        polygonise(ball, BOX, spacing=0.2, tolerance=tolerance)
