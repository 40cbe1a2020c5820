"""What rays meet: closed forms, implicit surfaces, trimesh."""

import numpy as np
import pytest
from stills import part, still

from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Capsule, Compound, Cone, Cylinder, Ellipsoid, Particles
from motiform.image import cast_form
from motiform.spatial import Transform, quaternion_from_rotation, random_rotation

EPS = np.finfo(float).eps


def away(p):
    return np.linalg.norm(p, axis=-1)


def _capsule(p):
    q = p.copy()
    q[..., 1] -= np.clip(p[..., 1], -0.6, 0.6)
    return away(q) - 0.3


def _cylinder(p):
    return np.maximum(np.hypot(p[..., 0], p[..., 2]) - 0.5, np.abs(p[..., 1]) - 0.7)


def _cone(p, low, high):
    wall = np.hypot(p[..., 0], p[..., 2]) - 0.5 * (low + high) + (low - high) * p[..., 1] / 1.4
    return np.maximum(wall, np.abs(p[..., 1]) - 0.7)


# Negative inside, positive outside; sides of 0.2 m and more.
SURFACES = {
    "ball": (Ball(0.7), lambda p: away(p) - 0.7),
    "box": (Box((0.8, 1.2, 0.4)), lambda p: (np.abs(p) - [0.4, 0.6, 0.2]).max(-1)),
    "cylinder": (Cylinder(0.5, 1.4), _cylinder),
    "capsule": (Capsule(0.3, 1.2), _capsule),
    "cone": (Cone(0.6, 1.4, 0.2), lambda p: _cone(p, 0.6, 0.2)),
    "pointed cone": (Cone(0.6, 1.4), lambda p: _cone(p, 0.6, 0.0)),
    "cup": (Cone(0.2, 1.4, 0.9), lambda p: _cone(p, 0.2, 0.9)),
    "ellipsoid": (Ellipsoid((0.9, 0.3, 0.5)), lambda p: away(p / [0.9, 0.3, 0.5]) - 1.0),
}
# The roots of t² + 2bt + c carry a few roundings of |o|²/r, |o| < 10, r ≥ 0.2; the ellipsoid counts in 0.3 m besides.
TOLERANCE = 16 * EPS * 10.0**2 / 0.2 / 0.3


def rays(count, seed):
    rng = np.random.default_rng(seed)
    origins = rng.normal(size=(count, 3))
    origins *= 4.0 / away(origins)[:, None]
    directions = rng.uniform(-1.0, 1.0, (count, 3)) - origins
    return origins, directions / away(directions)[:, None]


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("turned", [False, True])
def test_a_ray_ends_where_the_surface_begins(name, turned):
    shape, f = SURFACES[name]
    at, rotation = np.array([0.3, -0.2, 0.5]), random_rotation(np.random.default_rng(4), 1)[0] if turned else np.eye(3)
    form = still(part(name, shape, at, quaternion_from_rotation(rotation)))
    o, d = rays(2000, 5)  # in the frame of the shape
    t, body, normal = cast_form(form, 0, at + o @ rotation.T, d @ rotation.T)
    hit = np.isfinite(t)
    assert 400 < hit.sum() < 1900
    assert (body[hit] == 0).all()
    assert (body[~hit] == -1).all()
    points = o[hit] + t[hit, None] * d[hit]
    assert np.abs(f(points)).max() < TOLERANCE
    # Before it the ray is outside, and a ray without a hit stays outside.
    before = np.linspace(0.0, 1.0, 400, endpoint=False)[:, None, None]
    assert f(o[hit] + before * t[hit, None] * d[hit]).min() > -TOLERANCE
    assert f(o[~hit] + 8.0 * before * d[~hit]).min() > -TOLERANCE
    # The normal is the gradient, by central differences of h where f is smooth (their error is h² f‴ + EPS/h).
    h = 1e-5
    steps = h * np.eye(3)
    gradient = np.stack([(f(points + s) - f(points - s)) / (2 * h) for s in steps], axis=-1)
    gradient /= away(gradient)[:, None]
    smooth = np.ones(len(points), bool)
    if name == "box":
        smooth = (np.sort(np.abs(points) - [0.4, 0.6, 0.2], axis=1)[:, 1]) < -2 * h
    if name == "cylinder":
        smooth = np.abs(np.hypot(points[:, 0], points[:, 2]) - 0.5 - np.abs(points[:, 1]) + 0.7) > 2 * h
    if isinstance(shape, Cone):
        rho = np.hypot(points[:, 0], points[:, 2])  # f‴ is of the size 1/ρ²
        smooth = (np.abs(np.abs(points[:, 1]) - 0.7) > 2 * h) & (rho > 0.05)
        smooth |= rho < np.where(points[:, 1] > 0, shape.top, shape.radius) - 2 * h
    assert smooth.mean() > 0.9
    assert np.abs(normal[hit] @ rotation - gradient)[smooth].max() < 1e-8
    assert (np.einsum("ij,ij->i", normal[hit], d[hit] @ rotation.T) <= 1e-12).all()


@pytest.mark.parametrize(
    ("shape", "origin", "direction", "distance", "normal"),
    [
        (Ball(0.5), (0, 0, 3), (0, 0, -1), 2.5, (0, 0, 1)),
        (Ball(0.5), (0, 0, 0), (1, 0, 0), 0.5, (-1, 0, 0)),  # from inside the normal faces the eye
        (Box((2, 4, 6)), (0, 10, 0), (0, -2, 0), 4.0, (0, 1, 0)),
        (Cylinder(0.5, 2), (0.2, 5, 0), (0, -1, 0), 4.0, (0, 1, 0)),
        (Cylinder(0.5, 2), (5, 0.3, 0.3), (-1, 0, 0), 5 - 0.4, (0.8, 0, 0.6)),
        (Capsule(0.5, 2), (0, 5, 0), (0, -1, 0), 3.5, (0, 1, 0)),
        (Capsule(0.5, 2), (0, 1.3, 5), (0, 0, -1), 5 - 0.4, (0, 0.6, 0.8)),
        (Ellipsoid((1, 2, 3)), (0, 0, -7), (0, 0, 1), 4.0, (0, 0, -1)),
        (Ellipsoid((1, 2, 3)), (0.6, 9, 0), (0, -1, 0), 9 - 1.6, None),
    ],
)
def test_closed_forms(shape, origin, direction, distance, normal):
    form = still(part("one", shape))
    t, _, n = cast_form(form, 0, np.array([origin], float), np.array([direction], float))
    assert t[0] == pytest.approx(distance, abs=TOLERANCE)
    if normal is not None:
        assert n[0] == pytest.approx(normal, abs=TOLERANCE)


def test_a_ray_just_beside_a_shape_misses_it():
    form = still(part("ball", Ball(0.5)))
    o, d = np.array([[0.5 - 1e-9, 0.0, 9.0], [0.5 + 1e-9, 0.0, 9.0]]), np.array([[0.0, 0.0, -1.0]])
    assert list(np.isfinite(cast_form(form, 0, o, d)[0])) == [True, False]


def test_the_mesh_of_a_turned_body_agrees_with_trimesh():
    import trimesh

    rng = np.random.default_rng(9)
    mesh = Ellipsoid((0.9, 0.5, 0.7)).to_mesh(24)
    rotation, at, offset = random_rotation(rng, 1)[0], np.array([1.0, 2.0, -0.5]), np.array([0.3, 0.0, -0.2])
    form = still(part("mesh", mesh, at, quaternion_from_rotation(rotation), offset=offset))
    o, d = rays(200, 11)
    o = o + at
    t, _, normal = cast_form(form, 0, o, d)
    world = at + (mesh.vertices + offset) @ rotation.T
    triangles = world[mesh.faces]

    class All:  # stands for trimesh's search tree: every triangle is a candidate
        bounds = (-9.0, -9.0, -9.0, 9.0, 9.0, 9.0)

        def intersection(self, bounds):
            return range(len(triangles))

    _, ray, place = trimesh.ray.ray_triangle.ray_triangle_id(triangles, o, d, tree=All())
    expected = np.full(len(o), np.inf)
    np.minimum.at(expected, ray, away(place - o[ray]))
    assert 30 < np.isfinite(expected).sum() < 190
    assert (np.isfinite(t) == np.isfinite(expected)).all()
    hit = np.isfinite(t)
    np.testing.assert_allclose(t[hit], expected[hit], rtol=0, atol=8 * 8 * EPS / 1e-4)  # as in test_bvh
    # Smoothed normals are those of the ellipsoid but for the bend within a triangle: less than its angle of 2π/24, over
    # the ratio of the axes.
    local = (o[hit] + t[hit, None] * d[hit] - at) @ rotation - offset
    exact = local / np.square([0.9, 0.5, 0.7])
    exact /= away(exact)[:, None]
    angle = np.arccos(np.clip(np.einsum("ij,ij->i", normal[hit] @ rotation, exact), -1, 1))
    assert angle.max() < 0.5 * (2 * np.pi / 24) * 0.9 / 0.5


def test_among_ten_thousand_balls_the_first_is_found():
    rng = np.random.default_rng(12)
    centers, r = rng.uniform(-10, 10, (10_000, 3)), 0.15
    o, d = rng.uniform(-12, 12, (300, 3)), rng.normal(size=(300, 3))
    d -= 0.2 * o  # most look inwards
    d /= away(d)[:, None]
    t, body, _ = cast_form(still(part("flock", Ball(r), centers)), 0, o, d)
    # |o + t d − c| = r for all balls at once.
    c = centers - o[:, None]
    b = np.einsum("rck,rk->rc", c, d)
    square = r * r - (np.einsum("rck,rck->rc", c, c) - b * b)
    root = b - np.sqrt(np.where(square >= 0, square, np.nan))
    root = np.where(root > 0, root, np.inf)
    inside = (away(c) < r).any(1)
    root = np.where(np.isnan(root), np.inf, root)
    outside = ~inside
    assert (np.isfinite(t) == np.isfinite(root.min(1)))[outside].all()
    seen = outside & np.isfinite(t)
    assert seen.sum() > 100
    assert (body[seen, 1] == root.argmin(1)[seen]).all()
    # The textbook root subtracts squares of up to (24√3)²: half its digits go when the ray grazes.
    np.testing.assert_allclose(t[seen], root.min(1)[seen], atol=np.sqrt(EPS * 3 * 24.0**2))


def test_compounds_and_particles_are_one_body():
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    bar = (Cylinder(0.1, 2.0), Transform(quarter, (0, 0, 0)))
    handle = Compound(((Ball(0.2), Transform(np.eye(3), (2, 0, 0))), bar))
    dust = Particles(np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.ones(2), radius=0.25)
    form = still(part("handle", handle, [(0, 0, 0), (0, 0, 5)]), part("dust", dust, (0, 10, 0)))
    o = np.array([[2.0, 0.0, -9.0], [0.9, 0.0, -9.0], [2.0, 0.0, 9.0], [9.0, 10.0, 0.0], [9.0, 11.0, 0.0]])
    d = np.array([[0.0, 0, 1], [0, 0, 1], [0, 0, -1], [-1, 0, 0], [-1, 0, 0]])
    t, body, _ = cast_form(form, 0, o, d)
    assert t == pytest.approx([8.8, 8.9, 3.8, 8.75, 8.75], abs=TOLERANCE)
    assert body.tolist() == [[0, 0], [0, 0], [0, 1], [1, 0], [1, 0]]


def test_bodies_at_no_place_are_left_out():
    form = still(part("balls", Ball(0.5), [(0, 0, 0), (np.nan, 0, 0), (5, 0, 0)]))
    _, body, _ = cast_form(form, 0, np.array([[5.0, 0.0, 9.0]]), np.array([[0.0, 0.0, -1.0]]))
    assert body.tolist() == [[0, 2]]
    gone = still(part("balls", Ball(0.5), (np.inf, 0, 0)))
    assert cast_form(gone, 0, np.zeros((1, 3)), np.ones((1, 3)))[0][0] == np.inf


def test_rays_without_direction_are_refused():
    with pytest.raises(InputError, match="directions that are not zero"):
        cast_form(still(part("ball", Ball(0.5))), 0, np.zeros((1, 3)), np.zeros((1, 3)))
