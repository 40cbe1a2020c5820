"""Distances of obstacles against other roads to the same number, their derivatives, and what factories refuse."""

from itertools import pairwise
from math import cos, inf, nan, pi, sin
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Compound, Cone, Ellipsoid, Face, Hollow, Torus, surfaces
from motiform.geometry.solids.columns import AWAY, MIDDLE
from motiform.motion.contact import obstacles as obstacles
from motiform.motion.contact.obstacle_kernels import many_distances
from motiform.spatial import Transform

EPS = np.finfo(float).eps
SOLIDS = {
    "plane": obstacles.plane(),
    "face": obstacles.face((1.0, 2.0)),
    "box": obstacles.box((1.0, 0.6, 2.0)),
    "ball": obstacles.ball(0.7),
    "hollow_ball": obstacles.hollow_ball(1.5),
    "capsule": obstacles.capsule(0.3, 1.2),
    "cylinder": obstacles.cylinder(0.4, height=1.4),
    "endless_cylinder": obstacles.cylinder(0.4),
    "torus": obstacles.torus(1.0, 0.3),
    "egg": obstacles.Obstacle("egg", Ellipsoid((0.9, 0.5, 0.7))),
    "lens": obstacles.Obstacle("lens", Ellipsoid((0.8, 0.3, 0.8))),
    "cone": obstacles.Obstacle("cone", Cone(0.6, 1.2, 0.25)),
    "pointed cone": obstacles.Obstacle("pointed cone", Cone(0.6, 1.2)),
    "cup": obstacles.Obstacle("cup", Cone(0.2, 0.8, 0.7)),
}
HILL = obstacles.profile([(-2.0, 0.0), (-1.0, 0.0), (0.0, 0.5), (0.4, 0.5), (1.0, -0.3), (2.0, 0.4)], 3.0)
EACH = [*SOLIDS.values(), *HILL]


def look(obstacle: obstacles.Obstacle, points: Any) -> SimpleNamespace:
    """Distance, normal, Hessian and region at points of the obstacle's own frame."""
    p = np.array(points, float).reshape(-1, 3)
    out, region = np.full((len(p), 10), nan), np.full(len(p), -9, np.int64)
    many_distances.function(obstacle.number, obstacle.sizes, p, out, region)
    hessian = out[:, [[4, 5, 6], [5, 7, 8], [6, 8, 9]]]
    return SimpleNamespace(d=out[:, 0], n=out[:, 1:4], h=hessian, region=region)


def cloud(count: int, size: float = 1.6, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-size, size, (count, 3))


# -------------------------------------------------------------------- distance: other roads
def test_box_against_dense_surface() -> None:
    half, g = np.array([0.5, 0.3, 1.0]), 0.01
    u, v = (a.ravel() for a in np.meshgrid(np.linspace(-1.0, 1.0, 201), np.linspace(-1.0, 1.0, 201)))
    samples = []
    for axis in range(3):
        for s in (-1.0, 1.0):
            grid = np.empty((len(u), 3))
            grid[:, axis], grid[:, axis - 2], grid[:, axis - 1] = s, u, v
            samples.append(grid * half)  # spacing at most 2·1.0/200 = g
    p = cloud(4000)
    found, near = look(SOLIDS["box"], p), cKDTree(np.concatenate(samples)).query(p)[0]
    inside = (np.abs(p) < half).all(axis=1)
    assert inside.sum() > 100
    assert ((found.d < 0) == inside).all()
    # The sample next to the foot is at most g/√2 from it, at a right angle to the way there or nearer.
    assert (near >= np.abs(found.d) - 1e-12).all()
    assert (near <= np.sqrt(found.d**2 + 0.5 * g**2) + 1e-12).all()
    foot = p - found.d[:, None] * found.n
    assert np.abs((np.abs(foot) - half).max(axis=1)).max() <= 8 * EPS  # the foot is on the surface


def test_capsule_and_torus_against_dense_middle_lines() -> None:
    p = cloud(3000)
    t = np.linspace(-0.6, 0.6, 2001)
    axis = cKDTree(np.stack([0 * t, t, 0 * t], axis=1)).query(p)[0]
    found = look(SOLIDS["capsule"], p).d + 0.3
    assert (axis >= found - 1e-12).all()
    assert (axis <= np.sqrt(found**2 + 0.25 * (t[1] - t[0]) ** 2) + 1e-12).all()
    a = np.linspace(0.0, 2.0 * pi, 200001)
    ring = cKDTree(np.stack([np.cos(a), 0 * a, np.sin(a)], axis=1)).query(p)[0]
    found = look(SOLIDS["torus"], p).d + 0.3
    # Half a step s along the circle: |p − c|² grows by 2 ρ R (1 − cos(s/R)) ≤ ρ s², R = 1, ρ ≤ 1.6 √2.
    assert (ring >= found - 1e-12).all()
    assert (ring <= np.sqrt(found**2 + 1.6 * 2**0.5 * (0.5 * a[1]) ** 2) + 1e-12).all()


def test_face_against_its_nearest_point() -> None:
    p = cloud(2000)
    found = look(SOLIDS["face"], p)
    foot = np.clip(p, (-0.5, 0.0, -1.0), (0.5, 0.0, 1.0))
    size = np.linalg.norm(p - foot, axis=1)
    under = (p[:, 1] < 0) & (np.abs(p[:, 0]) <= 0.5) & (np.abs(p[:, 2]) <= 1.0)
    assert 50 < under.sum() < 1900
    np.testing.assert_allclose(found.d, np.where(under, -size, size), rtol=0, atol=8 * EPS)
    np.testing.assert_array_equal(found.d[under], p[under, 1])
    assert (found.n[under] == (0.0, 1.0, 0.0)).all()


@pytest.mark.parametrize(
    "surface",
    [
        surfaces.plane(),
        surfaces.sphere(0.7),
        surfaces.sphere(2.5, inside=True),
        surfaces.cylinder(0.4),
        surfaces.torus(1.0, 0.3),
    ],
)
def test_surfaces_of_figures_give_the_same_distance_and_normal(surface: Any) -> None:
    placement = Transform.from_euler((0.3, -0.7, 1.1), "zyx", (0.2, -0.1, 0.4))
    obstacle = obstacles.from_surface(SimpleNamespace(name="pad", segment="foot", surface=surface, placement=placement))  # type: ignore[arg-type]
    assert (obstacle.name, obstacle.segment) == ("pad", "foot")
    p = cloud(300)
    foot, normal = surface.project(placement.inverse().point(p))
    d, n = obstacles.distances(obstacle, p)
    away = p - placement.point(foot)
    n_surface = placement.vector(normal)
    # Coordinates below 4 m through two rotations: some ten roundings each; normals divide by distances above 1e-3.
    np.testing.assert_allclose(d, (away * n_surface).sum(-1), rtol=0, atol=100 * EPS)
    np.testing.assert_allclose(n, n_surface, rtol=0, atol=1e5 * EPS)


# -------------------------------------------------------------------- derivatives
@pytest.mark.parametrize("obstacle", EACH, ids=lambda v: f"{v.solid.kind}-{v.name}")
def test_gradient_and_hessian_are_those_of_the_distance(obstacle: obstacles.Obstacle) -> None:
    h, least = 1e-5, 0.05
    p = cloud(1500)
    stencil = p[:, None] + h * np.concatenate([np.eye(3), -np.eye(3)])
    here, around = look(obstacle, p), look(obstacle, stencil)
    same = (around.region.reshape(-1, 6) == here.region[:, None]).all(axis=1) & (here.region != AWAY)
    rho = np.hypot(p[:, 0], p[:, 2]) if isinstance(obstacle.solid, Torus) else np.inf
    clear = same & (np.linalg.norm(here.h, axis=(1, 2)) < 1.0 / least) & (rho > least)
    assert clear.sum() > 100
    d, n = around.d.reshape(-1, 2, 3)[clear], around.n.reshape(-1, 2, 3, 3)[clear]
    # Derivatives of a distance with radii of curvature above ρ: third ones below 6/ρ², fourth ones below 30/ρ³ (twice
    # those of a sphere); central differences err by h²/6 times these, and by rounding, 1e-15/h.
    np.testing.assert_allclose(here.n[clear], (d[:, 0] - d[:, 1]) / (2 * h), rtol=0, atol=h**2 / least**2 + 1e-9)
    numeric = (n[:, 0] - n[:, 1]) / (2 * h)
    np.testing.assert_allclose(here.h[clear], numeric, rtol=0, atol=5 * h**2 / least**3 + 1e-9)


def test_curvature_known_by_hand() -> None:
    edge = look(SOLIDS["box"], (0.5 + 0.03, 0.3 + 0.04, 0.2))  # 0.05 from the edge along z, 3-4-5
    np.testing.assert_allclose(edge.n[0], (0.6, 0.8, 0.0), atol=1e-14)
    np.testing.assert_allclose(edge.h[0], 20 * np.outer((0.8, -0.6, 0.0), (0.8, -0.6, 0.0)), atol=1e-12)
    inner = look(SOLIDS["torus"], (0.6, 0.0, 0.0))  # 0.1 inside of the hole: a saddle
    np.testing.assert_allclose(inner.n[0], (-1.0, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(inner.h[0], np.diag((0.0, 1 / 0.4, -1 / 0.6)), atol=1e-14)
    bowl = look(SOLIDS["hollow_ball"], (0.0, -1.2, 0.0))
    np.testing.assert_allclose((bowl.d[0], *bowl.n[0]), (0.3, 0.0, 1.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(bowl.h[0], np.diag((-1 / 1.2, 0.0, -1 / 1.2)), atol=1e-15)


coordinate = st.one_of(
    st.floats(-4.0, 4.0), st.floats(-1e6, 1e6), st.sampled_from((0.0, -0.0, 0.3, 0.5, -0.5, 0.6, 1.0, 1e-200, 5e-324))
)
anywhere = st.tuples(coordinate, coordinate, coordinate)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(EACH), anywhere)
def test_finite_with_a_unit_normal_everywhere(obstacle: obstacles.Obstacle, point: tuple[float, float, float]) -> None:
    found = look(obstacle, point)
    assert np.isfinite(found.d).all()
    assert np.isfinite(found.h).all()
    assert abs(np.linalg.norm(found.n) - 1.0) <= 8 * EPS
    # |∇d| = 1 has H n = 0; entries of H are differences of numbers of the size of its largest, a few roundings each.
    assert np.abs(found.h[0] @ found.n[0]).max() <= 20 * EPS * max(np.abs(found.h).max(), 1 / max(abs(found.d[0]), 1.0))
    again = look(obstacle, point)
    np.testing.assert_array_equal(found.n, again.n)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([v for v in SOLIDS.values() if not isinstance(v.solid, Face)]), anywhere, anywhere)
def test_distance_grows_no_faster_than_the_way(obstacle: obstacles.Obstacle, a: Any, b: Any) -> None:
    d = look(obstacle, [a, b]).d
    way = float(np.linalg.norm(np.subtract(a, b)))
    assert abs(d[0] - d[1]) <= way + 8 * EPS * max(np.abs(a).max(), np.abs(b).max(), 4.0)


@pytest.mark.parametrize(
    ("name", "point", "d", "n"),
    [
        ("ball", (0, 0, 0), -0.7, (0, 1, 0)),
        ("hollow_ball", (0, 0, 0), 1.5, (0, -1, 0)),
        ("capsule", (0, 0.2, 0), -0.3, (1, 0, 0)),
        ("endless_cylinder", (0, 7, 0), -0.4, (1, 0, 0)),
        ("cylinder", (0, 0.1, 0), -0.4, (1, 0, 0)),
        ("cylinder", (0.4, 0.7, 0), 0.0, (0, 1, 0)),
        ("torus", (1, 0, 0), -0.3, (0, 1, 0)),
        ("torus", (0, 0, 0), 0.7, (-1, 0, 0)),
        ("pointed cone", (0, 1, 0), 0.4, (0, 1, 0)),
        ("cone", (0, 0.6, 0), 0.0, (0, 1, 0)),
        ("box", (0.5, 0.3, 0.2), 0.0, (0, 1, 0)),
        ("box", (0, 0, 0), -0.3, (0, 1, 0)),
        ("face", (0.5, 0, 1), 0.0, (0, 1, 0)),
    ],
)
def test_points_without_a_direction_get_one(name: str, point: Any, d: float, n: Any) -> None:
    found = look(SOLIDS[name], point)
    assert found.d[0] == pytest.approx(d, abs=4 * EPS)
    assert found.n[0].tolist() == list(n)
    assert np.isfinite(found.h).all()


def test_regions_name_the_nearest_feature() -> None:
    for sx in (-1, 0, 1):
        for sy in (-1, 0, 1):
            for sz in (-1, 0, 1):
                if (sx, sy, sz) != (0, 0, 0):
                    found = look(SOLIDS["box"], (0.8 * sx, 0.8 * sy, 1.8 * sz))
                    assert found.region[0] == MIDDLE + sx + 3 * sy + 9 * sz
                    np.testing.assert_array_equal(np.sign(found.n[0]), (sx, sy, sz))
    inside = look(
        SOLIDS["box"], [(0.49, 0, 0), (-0.49, 0, 0), (0, 0.29, 0), (0, -0.29, 0), (0, 0, 0.99), (0, 0, -0.99)]
    )
    assert (inside.region - MIDDLE).tolist() == [1, -1, 3, -3, 9, -9]
    face = look(SOLIDS["face"], [(0, 1, 0), (0, -1, 0), (0.6, 0.1, 0), (-0.6, -0.1, 0), (0.6, 0.1, -1.1)])
    assert (face.region - MIDDLE - 3).tolist() == [0, 0, 1, -1, 1 - 9]
    assert (look(SOLIDS["capsule"], [(1, 0, 0), (0, 1, 0), (0, -1, 0)]).region - MIDDLE).tolist() == [0, 3, -3]


# -------------------------------------------------------------------- ground of several pieces
LINE = np.array([(-2.0, 0.0), (-1.0, 0.0), (0.0, 0.5), (0.4, 0.5), (1.0, -0.3), (2.0, 0.4)])


def test_profile_is_the_ground_under_its_line() -> None:
    t = np.linspace(0.0, 1.0, 20001)[:, None]
    fine = np.concatenate([a + t * (b - a) for a, b in pairwise(LINE)])
    g = 1.3 / 20000  # no stretch is longer than 1.3 m
    rng = np.random.default_rng(1)
    p = np.stack([rng.uniform(-1.8, 1.8, 4000), rng.uniform(-0.5, 0.9, 4000), rng.uniform(-1, 1, 4000)], axis=1)
    every = np.stack([obstacles.distances(face, p)[0] for face in HILL])
    near = cKDTree(fine).query(p[:, :2])[0]
    above = p[:, 1] > np.interp(p[:, 0], *LINE.T)
    least = every.min(axis=0)
    assert (near[above] >= least[above] - 1e-12).all()
    assert (near[above] <= np.sqrt(least[above] ** 2 + g**2 / 4) + 1e-12).all()
    shallow = ~above & (near < 0.1)  # deeper, a stretch may be nearer that is not next to the joint
    assert shallow.sum() > 300
    assert ((every[:, shallow] < 0).sum(axis=0) == 1).all()
    # Straight up to the stretch; under a hollow joint, where the corner is nearest, at most half the turn away from it.
    angle = np.arctan2(*np.diff(LINE, axis=0).T[::-1])
    depth, away = -least[shallow], near[shallow]
    assert (depth <= away + 1e-12).all()
    assert (depth >= away * cos(0.5 * np.diff(angle).max()) - g).all()
    plain = cKDTree(LINE).query(p[shallow, :2])[0] > 0.2
    assert plain.sum() > 100
    np.testing.assert_allclose(depth[plain], away[plain], rtol=0, atol=g)


def test_depth_under_a_profile_has_no_jumps() -> None:
    x = np.linspace(-1.9, 1.9, 20001)
    path = np.stack([x, np.interp(x, *LINE.T) - 0.05, 0 * x], axis=1)
    every = np.stack([obstacles.distances(face, path)[0] for face in HILL])
    way = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert len(set(every.argmin(axis=0).tolist())) == len(HILL)
    assert (np.abs(np.diff(every.min(axis=0))) <= way + 1e-15).all()


def test_profile_has_no_edges_where_it_has_none() -> None:
    flat = obstacles.profile([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], 1.0)
    x = np.linspace(0.9, 1.1, 201)
    p = np.stack([x, np.full_like(x, 0.0299), 0 * x], axis=1)  # ball of 30 mm, 0.1 mm deep
    d = np.stack([obstacles.distances(face, p)[0] for face in flat])
    touching = d < 0.03
    assert (touching.sum(axis=0)[x != 1.0] == 1).all()
    np.testing.assert_allclose(d[touching], 0.0299, rtol=0, atol=1e-15)
    valley = obstacles.profile([(-1.0, 1.0), (0.0, 0.0), (1.0, 1.0)], 1.0)  # a ball lies on both sides of a valley
    for face in valley:
        d, n = obstacles.distances(face, (0.0, 0.1 * 2**0.5, 0.0))
        assert d == pytest.approx(0.1, abs=1e-15)
        assert n[1] == pytest.approx(0.5**0.5)


@pytest.mark.parametrize("descending", [False, True])
def test_stairs_are_solid_up_to_their_treads(descending: bool) -> None:
    steps = obstacles.stairs(4, 0.2, 0.3, 1.0, at=(1.0, 0.5, 2.0), descending=descending)
    assert [step.name for step in steps] == ["stairs.0", "stairs.1", "stairs.2", "stairs.3"]
    rng = np.random.default_rng(2)
    p = np.stack([rng.uniform(0.8, 2.4, 4000), rng.uniform(0.4, 1.5, 4000), rng.uniform(1.6, 2.4, 4000)], axis=1)
    k = np.floor((p[:, 0] - 1.0) / 0.3)
    height = 0.5 + 0.2 * (4 - k if descending else k + 1)
    solid = (k >= 0) & (k < 4) & (p[:, 1] < height)
    found = [obstacles.distances(step, p) for step in steps]
    d = np.stack([f[0] for f in found])
    assert 500 < solid.sum() < 3500
    assert ((d.min(axis=0) < 0) == solid).all()
    # Just under a tread, also at its inner end, and just inside a riser at the floor, the way out is the short one.
    for i, x in ((i, x) for i in range(4) for x in (0.001, 0.15, 0.299)):
        top = 0.5 + 0.2 * (4 - i if descending else i + 1)
        q = (1.0 + 0.3 * i + x, top - 5e-4, 2.0)
        depth, n = min(obstacles.distances(step, q) for step in steps)
        assert (depth, *n) == pytest.approx((-5e-4, 0, 1, 0), abs=1e-12)
    depth, n = obstacles.distances(steps[0], (1.0 + 1e-3, 0.5, 2.0))
    assert (depth, *n) == pytest.approx((-1e-3, -1, 0, 0), abs=1e-12)


# -------------------------------------------------------------------- factories
def test_planes_lie_where_they_are_put() -> None:
    assert obstacles.distances(obstacles.floor(0.3), (5.0, 1.0, -2.0))[0] == pytest.approx(0.7)
    d, n = obstacles.distances(obstacles.slope(0.4), (cos(0.4), sin(0.4), 3.0))
    assert (d, *n) == pytest.approx((0.0, -sin(0.4), cos(0.4), 0.0), abs=1e-15)
    rng = np.random.default_rng(3)
    for normal in [*rng.normal(size=(20, 3)), (0, -1, 0), (1e-9, -1, 0), (0, 0, 2)]:
        point, unit = rng.normal(size=3), np.array(normal) / np.linalg.norm(normal)
        p = rng.normal(size=(2, 5, 3))
        d, n = obstacles.distances(obstacles.plane(point=point, normal=normal), p)
        assert (d.shape, n.shape) == ((2, 5), (2, 5, 3))
        np.testing.assert_allclose(d, (p - point) @ unit, rtol=0, atol=40 * EPS)
        np.testing.assert_allclose(n, np.broadcast_to(unit, n.shape), rtol=0, atol=8 * EPS)


def test_options_reach_the_obstacle_and_pieces_share_them() -> None:
    shift = Transform.translation_of((1.0, 2.0, 3.0))
    made = obstacles.ball(
        0.5, name="knob", segment="hand", placement=shift, friction=inf, restitution=0.5, color=(1, 0, 0.5)
    )
    assert (made.name, made.segment, made.friction, made.restitution) == ("knob", "hand", inf, 0.5)
    assert made.color == (1.0, 0.0, 0.5)
    assert obstacles.distances(made, (1.0, 2.6, 3.0))[0] == pytest.approx(0.1)
    for piece in (
        *obstacles.stairs(2, 0.2, 0.3, 1.0, friction=0.7, placement=shift),
        *obstacles.profile(LINE, 1, friction=0.7),
    ):
        assert piece.friction == 0.7
    low = obstacles.stairs(1, 0.2, 0.3, 1.0, placement=shift)[0]
    assert obstacles.distances(low, (1.15, 2.5, 3.0))[0] == pytest.approx(0.3)
    assert obstacles.floor().friction is None
    assert "on 'hand'" in repr(made)


@pytest.mark.parametrize("obstacle", SOLIDS.values(), ids=SOLIDS)
def test_pictures_show_the_solid(obstacle: obstacles.Obstacle) -> None:
    mesh = obstacle.shape.to_mesh(64)
    assert mesh.volume > 0  # closed, and turned outward
    found = look(obstacle, mesh.vertices)
    assert found.d.max() <= 1e-9  # corners lie on the surface or inside
    assert (np.abs(found.d) <= 1e-9).any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: obstacles.floor(nan), "height of floor 'ground'"),
        (lambda: obstacles.floor((1.0, 2.0)), "one number"),  # type: ignore[arg-type]
        (lambda: obstacles.plane(normal=(0, 0, 0)), "must have a direction"),
        (lambda: obstacles.plane(point=(0, 0)), "point of plane"),
        (lambda: obstacles.slope(45.0), "radians"),
        (lambda: obstacles.face((1.0, -1.0)), "face size"),
        (lambda: obstacles.face(1.0), "face size"),
        (lambda: obstacles.face(((1, 2), (3, 4))), "2 numbers"),
        (lambda: obstacles.box((1, 0, 1)), "box size"),
        (lambda: obstacles.ball(0.0), "ball radius"),
        (lambda: obstacles.hollow_ball(-1.0), "ball radius"),
        (lambda: obstacles.capsule(0.1, 0.0), "capsule length"),
        (lambda: obstacles.cylinder("thick"), "endless cylinder radius"),  # type: ignore[arg-type]
        (lambda: obstacles.torus(0.3, 0.3), "thinner than its ring"),
        (lambda: obstacles.profile([(0, 0)], 1.0), "n ≥ 2"),
        (lambda: obstacles.profile([(0, 0), (1, 0), (1, 1)], 1.0), "after point 1"),
        (lambda: obstacles.profile([(0, 0), (1, 0)], 0.0), "width of profile"),
        (lambda: obstacles.profile([(0, 0), (1, 0)], 1.0, placement="up"), "the placement must"),  # type: ignore[arg-type]
        (lambda: obstacles.stairs(0, 0.2, 0.3, 1.0), "number of steps"),
        (lambda: obstacles.stairs(2.5, 0.2, 0.3, 1.0), "number of steps"),  # type: ignore[arg-type]
        (lambda: obstacles.stairs(10**8, 0.2, 0.3, 1.0), "1 to 10000"),
        (lambda: obstacles.stairs(3, 0.2, -0.3, 1.0), "run of stairs"),
        (lambda: obstacles.ball(1.0, name=""), "the name must be text"),
        (lambda: obstacles.ball(1.0, segment=""), "must be on a segment"),
        (lambda: obstacles.ball(1.0, placement=Transform.translation_of(np.zeros((2, 3)))), "one Transform"),
        (lambda: obstacles.ball(1.0, friction=-0.1), "friction"),
        (lambda: obstacles.ball(1.0, friction=nan), "0 or more, also inf"),
        (lambda: obstacles.ball(1.0, restitution=1.1), "0 to 1"),
        (lambda: obstacles.ball(1.0, color=(0, 0, 2)), "a color must be"),
        (
            lambda: obstacles.Obstacle("odd", Compound(((Ball(1.0), Transform.identity()),))),
            "'odd'.*cannot be an obstacle.*compound.*allowed: plane",
        ),
        (lambda: obstacles.Obstacle("odd", Hollow(Box((1, 1, 1)))), "cannot be an obstacle"),
        (lambda: obstacles.Obstacle("odd", 99), "cannot be an obstacle"),
        (lambda: obstacles.distances(obstacles.floor(), (1.0, 2.0)), "points"),
        (
            lambda: obstacles.distances(obstacles.Obstacle("egg", Ellipsoid((1, 2, 3)).to_mesh()), (1.0, 2.0, 0.0)),
            "has no signed distance",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(make: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize(
    "surface", [surfaces.cone(0.3), surfaces.cylinder(1.0, inside=True), surfaces.ellipsoid((1, 2, 3))]
)
def test_other_surfaces_are_refused(surface: Any) -> None:
    held = SimpleNamespace(name="cup", segment="hand", surface=surface, placement=Transform.identity())
    with pytest.raises(InputError, match=f"surface 'cup'.*got {surface.kind}.*allowed: plane, sphere"):
        obstacles.from_surface(held)  # type: ignore[arg-type]
