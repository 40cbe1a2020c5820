"""Surfaces are closed manifolds whose vertices lie on the level: of random balls, lines, fields and noise."""

import itertools

import numpy as np
import pytest

from motiform.form.implicit import Implicit, blobs, polygonise
from motiform.form.implicit.onto import EXACT
from motiform.geometry.maps import Grid, isosurface
from motiform.geometry.maps.cubes import EDGES, sheets

BOX = np.array([[[-1.3, -1.3, -1.3], [1.3, 1.3, 1.3]]])


def assert_manifold(mesh):
    """Every edge has one triangle along it and one against it; the triangles at a vertex are one fan."""
    faces = np.asarray(mesh.faces)
    along = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    edges = set(map(tuple, along.tolist()))
    assert len(edges) == len(along)
    assert edges == {(b, a) for a, b in edges}
    around = [{} for _ in mesh.vertices]  # at each vertex: which neighbour follows which
    for a, b, c in faces.tolist():
        around[a][b], around[b][c], around[c][a] = c, a, b
    for after in around:
        first = next(iter(after))
        left, here = len(after) - 1, after[first]
        while here != first:
            left, here = left - 1, after[here]
        assert left == 0


def assert_on_level(field, mesh, spacing):
    """Vertices are within EXACT cells of the level.

    Between nodes that is the last step. Newton's method leaves the square of its last one, 1e-3 cells at most, times
    V″/2V′: less, unless that is above 100 per cell. Being d off changes V by d |∇V| + d² |V″|/2 at most; V″ of Wyvill's
    kernel is below 10/R² for each element.
    """
    off, slope = field.values(mesh.vertices) - field.level, np.linalg.norm(field.gradients(mesh.vertices), axis=1)
    far, bend = EXACT * spacing, 10.0 * len(field.start) / np.min(field.size) ** 2
    assert (np.abs(off) <= far * slope + 0.5 * far**2 * bend).all()


def test_loops_pass_a_face_twice_on_one_side_only():
    """All pairs of cells: two loops that meet on a face share one edge of it, after cells that would share two part."""
    of_edge, _, twin = sheets()
    upper = [n for n, (a, b) in enumerate(EDGES) if a & 4 and b & 4]  # of the lower cell, on the face x = 1
    lower = [EDGES.tolist().index([a - 4, b - 4]) for a, b in EDGES[upper]]
    for low, high in itertools.product(range(256), repeat=2):
        if low >> 4 != high & 15:
            continue  # they do not share four nodes
        parted = twin[low] == 0 and twin[high] == 1
        one, other = of_edge[low + 256 * parted][upper], of_edge[high + 256 * parted][lower]
        pairs = [(a, b) for a, b in zip(one, other, strict=True) if a >= 0]
        assert all(pairs.count(pair) == 2 for pair in pairs)  # the two ends of one segment


def test_noise_is_bounded_by_manifolds():
    draw = np.random.default_rng(0)
    for _ in range(15):
        field = draw.normal(size=(11, 10, 9))
        assert_manifold(isosurface(field, Grid(field.shape, 1.0), level=float(draw.normal(scale=0.3))))


def test_noise_in_blocks_is_bounded_by_manifolds():
    """Cells that meet on the borders of blocks, too: waves shorter than four cells."""
    draw = np.random.default_rng(1)
    for _ in range(10):
        wave, phase = draw.normal(scale=9.0, size=(6, 3)), draw.uniform(0.0, 6.3, 6)

        def field(x, wave=wave, phase=phase):
            return np.maximum(np.cos(x @ wave.T + phase).sum(axis=1), 20.0 * (np.linalg.norm(x, axis=1) - 1.0))

        assert_manifold(polygonise(field, BOX, spacing=0.17))


@pytest.mark.parametrize("tolerance", [None, 0.01])
def test_random_balls_are_bounded_by_manifolds(tolerance):
    draw = np.random.default_rng(3)
    for _ in range(40 if tolerance is None else 8):
        points = draw.uniform(-0.15, 0.15, (draw.integers(2, 8), 3))
        mesh = blobs(points, radius=0.1, tolerance=tolerance)
        assert_manifold(mesh)
        if tolerance is None:
            assert_on_level(Implicit(points, size=0.2), mesh, 0.05)


@pytest.mark.parametrize("kind", ["wyvill", "blinn", "convolution"])
def test_random_lines_are_bounded_by_manifolds(kind):
    draw = np.random.default_rng(4)
    for _ in range(6):
        start, end = draw.uniform(-0.5, 0.5, (2, 7, 3))
        size = 0.35 if kind == "wyvill" else 40.0
        field = Implicit(start, end, kind=kind, size=size, level=0.5 if kind != "convolution" else 0.1)
        mesh = field.to_mesh(0.07)
        assert_manifold(mesh)
        if kind == "wyvill":
            assert_on_level(field, mesh, 0.07)


def test_a_field_that_jumps_is_bounded_by_a_manifold():
    draw = np.random.default_rng(5)
    field = Implicit(draw.uniform(-0.3, 0.3, (8, 3)), size=0.4, neighbours=[(0, 1), (2, 3), (4, 5)])
    assert_manifold(field.to_mesh(0.05))


@pytest.mark.parametrize("spacing", [0.25, 0.1])
@pytest.mark.parametrize("way", ["polygonise", "to_mesh"])
def test_a_ball_lacks_what_is_between_it_and_its_chords(spacing, way):
    if way == "polygonise":
        mesh = polygonise(lambda x: np.linalg.norm(x, axis=1) - 1.0, BOX, spacing=spacing)
    else:
        mesh = Implicit([(0.0, 0.0, 0.0)], size=2.0).to_mesh(spacing)  # one half at R/2
    assert abs(np.linalg.norm(mesh.vertices, axis=1) - 1.0).max() <= EXACT * spacing
    # On a triangle of sides a, b, c with corners on the unit sphere 2 e = 1 − |x|² = Σ λᵢ λⱼ |xᵢ − xⱼ|², with the mean
    # (a² + b² + c²)/12. Between it, d from the middle, and the sphere are d/3 ∫ ((1 − 2 e)^(−3/2) − 1) dA = d ∫ e dA
    # at first order. With the circumradius ρ, d² = 1 − ρ² and e ≤ ρ²/2: the rest is −ρ² to 2 ρ² of it for ρ² < 0.14.
    corners = mesh.vertices[mesh.faces]
    sides = sum(((corners[:, n] - corners[:, n - 1]) ** 2).sum(axis=1) for n in range(3))
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normal, axis=1) / 2
    most = 1.0 - (np.einsum("ij,ij->i", normal, corners[:, 0]) / (2 * area)).min() ** 2  # ρ²
    assert most < 0.14
    chords, lost = (area * sides / 24).sum(), 4 / 3 * np.pi - mesh.volume
    exact = 4 * np.pi * EXACT * spacing
    assert chords * (1 - most) - exact <= lost <= chords * (1 + 2 * most) + exact
    # A plane with the normal n crosses (|n₁| + |n₂| + |n₃|)/h² edges per area, each with a quadrangle: the largest are
    # those along the axes, of triangles with sides h, h and √2 h, for which the part lost is 3 · 4 h²/24.
    assert lost / (4 / 3 * np.pi) < 0.5 * spacing**2
