"""Mass properties against closed forms, quadrature and trimesh; meshes of round bodies err on the derived side."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.spatial import ConvexHull

from motiform.geometry import Ball, Box, Capsule, Compound, Cylinder, Ellipsoid, Mesh, Shape, particles_from_mesh
from motiform.spatial import Transform, random_rotation

EPS = np.finfo(float).eps
length = st.floats(1e-3, 1e3)


def turned(seed: int, far: float = 1.0) -> Transform:
    rng = np.random.default_rng(seed)
    return Transform(random_rotation(rng), far * rng.standard_normal(3))


def hull(seed: int, points: int = 30) -> Mesh:
    """A random convex polyhedron with outward faces."""
    cloud = np.random.default_rng(seed).standard_normal((points, 3))
    found = ConvexHull(cloud)
    faces = found.simplices.copy()
    a, b, c = np.moveaxis(cloud[faces], 1, 0)
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Mesh(cloud, faces)


# ------------------------------------------------------------------ closed forms


@given(length, length, length, length)
def test_box_and_ellipsoid(a: float, b: float, c: float, m: float) -> None:
    squares = np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    box, egg = Box((a, b, c)), Ellipsoid((a, b, c))
    assert box.volume == pytest.approx(a * b * c, rel=4 * EPS)
    assert egg.volume == pytest.approx(4 / 3 * np.pi * a * b * c, rel=6 * EPS)
    assert_allclose(box.mass_properties(mass=m).inertia, np.diag(m * squares / 12), rtol=20 * EPS)
    assert_allclose(egg.mass_properties(mass=m).inertia, np.diag(m * squares / 5), rtol=20 * EPS)


@given(length, length, length)
def test_ball_and_cylinder(r: float, h: float, rho: float) -> None:
    ball = Ball(r).mass_properties(density=rho)
    assert ball.mass == pytest.approx(rho * 4 / 3 * np.pi * r**3, rel=10 * EPS)
    assert_allclose(ball.inertia, 2 / 5 * ball.mass * r**2 * np.eye(3), rtol=20 * EPS)
    rod = Cylinder(r, h).mass_properties(density=rho)
    assert rod.mass == pytest.approx(rho * np.pi * r**2 * h, rel=10 * EPS)
    across = rod.mass * (3 * r**2 + h**2) / 12
    assert_allclose(rod.inertia, np.diag([across, rod.mass * r**2 / 2, across]), rtol=20 * EPS)


@given(length, length)
def test_capsule_is_a_cylinder_and_two_half_balls(r: float, h: float) -> None:
    rho = 700.0
    cylinder = Cylinder(r, h).mass_properties(density=rho)
    m = rho * 2 / 3 * np.pi * r**3  # one half ball: centroid 3r/8 from its flat side, 83/320 m r² across through it
    d = h / 2 + 3 * r / 8
    across = cylinder.inertia[0, 0] + 2 * m * (83 / 320 * r**2 + d**2)
    along = cylinder.inertia[1, 1] + 2 * m * 2 / 5 * r**2
    body = Capsule(r, h).mass_properties(density=rho)
    assert body.mass == pytest.approx(cylinder.mass + 2 * m, rel=10 * EPS)
    assert_allclose(body.inertia, np.diag([across, along, across]), rtol=40 * EPS)


def test_capsule_against_quadrature() -> None:
    r, h = 0.3, 0.8

    def radius(y: float) -> float:
        return np.sqrt(max(r**2 - max(abs(y) - h / 2, 0.0) ** 2, 0.0))

    ends = {"points": [-h / 2, h / 2], "epsabs": 1e-13}
    reach = h / 2 + r
    mass = quad(lambda y: np.pi * radius(y) ** 2, -reach, reach, **ends)[0]
    along = quad(lambda y: np.pi * radius(y) ** 4 / 2, -reach, reach, **ends)[0]
    across = quad(lambda y: np.pi * radius(y) ** 2 * (radius(y) ** 2 / 4 + y**2), -reach, reach, **ends)[0]
    body = Capsule(r, h).mass_properties(density=1.0)
    assert body.mass == pytest.approx(mass, abs=1e-12)
    assert_allclose(body.inertia, np.diag([across, along, across]), atol=1e-12)


def test_the_corner_tetrahedron() -> None:
    """x, y, z ≥ 0, x + y + z ≤ 1: V = 1/6, centroid ¼, ∫x² = 1/60, ∫xy = 1/120 about the corner."""
    corner = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    body = corner.mass_properties(density=1.0)
    assert body.mass == pytest.approx(1 / 6, rel=4 * EPS)
    assert_allclose(body.com, 1 / 4, rtol=8 * EPS)
    assert_allclose(body.about([0, 0, 0]), np.full((3, 3), -1 / 120) + np.eye(3) * (2 / 60 + 1 / 120), rtol=40 * EPS)


# ------------------------------------------------------------------ meshes


@settings(max_examples=50, deadline=None)
@given(length, length, length)
def test_a_mesh_box_is_exact_to_rounding(a: float, b: float, c: float) -> None:
    box = Box((a, b, c))
    exact, meshed = box.mass_properties(density=3.0), box.to_mesh().mass_properties(density=3.0)
    assert meshed.mass == pytest.approx(exact.mass, rel=20 * EPS)
    assert_allclose(meshed.com, 0, atol=20 * EPS * max(a, b, c))
    assert_allclose(meshed.inertia, exact.inertia, rtol=40 * EPS, atol=40 * EPS * exact.inertia.max())


@pytest.mark.parametrize("far", [0.0, 1.0, 1e3, 1e6])
def test_a_mesh_box_turned_and_far_away(far: float) -> None:
    T, box = turned(3, far), Box((1.0, 2.0, 3.0))
    body, exact = box.to_mesh().moved(T).mass_properties(mass=1.0), box.mass_properties(mass=1.0).moved(T)
    # the corners are rounded by eps (far + 4); what is computed from them, relative to the middle, by no more
    rounding = EPS * (far + 4)
    assert_allclose(body.com, exact.com, atol=10 * rounding)
    assert_allclose(body.inertia, exact.inertia, atol=40 * rounding)


@pytest.mark.parametrize("seed", range(10))
def test_meshes_against_trimesh(seed: int) -> None:
    mesh = hull(seed)
    if seed % 2:  # not convex: two bodies in one mesh, turned
        mesh = Compound(((mesh, turned(seed)), (hull(seed + 100), turned(seed + 1, 5.0)))).to_mesh()
    theirs = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    theirs.density = 1.7
    ours = mesh.mass_properties(density=1.7)
    # sums of ~100 terms, the largest (d/120) r² with r up to 10
    assert ours.mass == pytest.approx(theirs.mass, rel=1e-12)
    assert_allclose(ours.com, theirs.center_mass, atol=1e-12)
    assert_allclose(ours.inertia, theirs.moment_inertia, rtol=1e-11, atol=1e-11 * ours.inertia.max())


@pytest.mark.parametrize("seed", range(5))
def test_meshes_move_as_bodies(seed: int) -> None:
    T, mesh = turned(seed + 50), hull(seed)
    a, b = mesh.moved(T).mass_properties(density=2.0), mesh.mass_properties(density=2.0).moved(T)
    assert a.mass == pytest.approx(b.mass, rel=1e-13)
    assert_allclose(a.com, b.com, atol=1e-13)
    assert_allclose(a.inertia, b.inertia, atol=1e-13 * b.inertia.max() * 10)


def test_a_polyhedron_is_the_sum_of_its_pyramids() -> None:
    mesh = hull(7)
    apex = mesh.vertices.mean(axis=0)
    parts = [
        Mesh(
            np.concatenate([[apex], mesh.vertices[face]]), [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]
        ).mass_properties(density=1.0)
        for face in mesh.faces
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    body = mesh.mass_properties(density=1.0)
    assert whole.mass == pytest.approx(body.mass, rel=1e-12)
    assert_allclose(whole.com, body.com, atol=1e-12)
    assert_allclose(whole.inertia, body.inertia, atol=1e-11)


# ------------------------------------------------------------------ round bodies as meshes

ROUND: list[Shape] = [Ball(1.0), Cylinder(0.5, 2.0), Capsule(0.5, 2.0), Ellipsoid((1.0, 2.0, 0.5))]


def test_the_volume_of_a_meshed_ball_is_that_of_its_frusta() -> None:
    """Rings are regular n-gons, of area ½ n sin(2π/n) r², sides flat: V = ⅙ n sin(2π/n) Σ Δy (r₀² + r₀r₁ + r₁²)."""
    for n in (4, 8, 20, 64):
        angle = np.linspace(-np.pi / 2, np.pi / 2, n // 2 + 1)
        r, y = np.cos(angle), np.sin(angle)
        frusta = (np.diff(y) * (r[1:] ** 2 + r[1:] * r[:-1] + r[:-1] ** 2)).sum()
        assert Ball(1.0).to_mesh(n).volume == pytest.approx(n * np.sin(2 * np.pi / n) / 6 * frusta, rel=1e-13)


@pytest.mark.parametrize("shape", ROUND, ids=lambda s: s.kind)
def test_inscribed_meshes_are_smaller_and_converge_with_the_square(shape: Shape) -> None:
    exact = shape.mass_properties(density=1.0)
    missing = []
    for n in (32, 64, 128):
        body = shape.to_mesh(n).mass_properties(density=1.0)
        # a part of the body: less mass, and less inertia about every axis through one point, here the common centre
        assert body.mass < exact.mass
        assert (np.linalg.eigvalsh(exact.about([0, 0, 0]) - body.about([0, 0, 0])) > 0).all()
        missing.append([exact.mass - body.mass, *np.diag(exact.inertia - body.inertia)])
    ratio = np.array(missing)[:-1] / np.array(missing)[1:]
    # the next term of the error is smaller by (2π/n)²: 4 % at n = 32
    assert_allclose(ratio, 4.0, rtol=0.04)


def test_particles_tend_to_the_mesh() -> None:
    """A cell is counted when its centre is inside: the shell of cut cells, half a diagonal thick, bounds the error."""
    mesh = Ball(1.0).to_mesh(32)
    exact = mesh.mass_properties(density=1.0)
    for h in (0.2, 0.1, 0.05):
        body = particles_from_mesh(mesh, h, density=1.0).mass_properties()
        shell = mesh.area * h * np.sqrt(3) / 2
        assert abs(body.mass - exact.mass) <= shell
        assert np.abs(body.inertia - exact.inertia).max() <= shell * (1 + h) ** 2 + exact.mass * h**2 / 6


def test_compounds_are_the_sum_of_their_parts() -> None:
    a, b = turned(1), turned(2)
    both = Compound(((Box((1, 2, 3)), a), (Capsule(0.3, 1.0), b))).mass_properties(density=2.0)
    parts = Box((1, 2, 3)).mass_properties(density=2.0).moved(a) + Capsule(0.3, 1.0).mass_properties(density=2.0).moved(
        b
    )
    assert both.mass == pytest.approx(parts.mass, rel=10 * EPS)
    assert_allclose(both.com, parts.com, atol=20 * EPS)
    assert_allclose(both.inertia, parts.inertia, atol=40 * EPS * parts.inertia.max())
