"""Surfaces: foot, normal, curvature; nothing at the poles; what is refused."""

import numpy as np
import pytest

from motiform.base.errors import ShapeError
from motiform.geometry import surfaces as s
from motiform.spatial import random_rotation

RNG = np.random.default_rng(5)
EPS = np.finfo(float).eps


def sphere_chart(radii):
    """An ellipsoid as a parametric patch, u = (angle from z, angle around z)."""
    a, b, c = radii

    def function(u):
        (st, ct), (sp, cp) = (np.sin(u[..., 0]), np.cos(u[..., 0])), (np.sin(u[..., 1]), np.cos(u[..., 1]))
        x = np.stack([a * st * cp, b * st * sp, c * ct], axis=-1)
        xu = np.stack([a * ct * cp, b * ct * sp, -c * st], axis=-1)
        xv = np.stack([-a * st * sp, b * st * cp, 0 * st], axis=-1)
        xuv = np.stack([-a * ct * sp, b * ct * cp, 0 * st], axis=-1)
        xvv = np.stack([-a * st * cp, -b * st * sp, 0 * st], axis=-1)
        second = np.stack([np.stack([-x, xuv], axis=-1), np.stack([xuv, xvv], axis=-1)], axis=-1)
        return x, np.stack([xu, xv], axis=-1), second

    def guess(x):
        y = x / np.array(radii)
        return np.stack([np.arctan2(np.hypot(y[..., 0], y[..., 1]), y[..., 2]), np.arctan2(y[..., 1], y[..., 0])], -1)

    return function, guess


def quartic(x):
    """F = x⁴ + 2 y⁴ + z² + xy/4 − 1."""
    X, Y, Z = x[..., 0], x[..., 1], x[..., 2]
    g = np.stack([4 * X**3 + Y / 4, 8 * Y**3 + X / 4, 2 * Z], axis=-1)
    H = np.zeros((*x.shape, 3))
    H[..., 0, 0], H[..., 1, 1], H[..., 2, 2] = 12 * X**2, 24 * Y**2, 2
    H[..., 0, 1] = H[..., 1, 0] = 0.25
    return X**4 + 2 * Y**4 + Z**2 + X * Y / 4 - 1, g, H


RADII = (0.5, 0.4, 0.3)
SMOOTH = [
    s.plane(),
    s.sphere(0.7),
    s.sphere(0.7, inside=True),
    s.cylinder(0.4),
    s.cylinder(0.4, inside=True),
    s.cone(0.6),
    s.cone(0.6, inside=True),
    s.torus(0.8, 0.3),
    s.torus(0.8, 0.3, inside=True),
    s.ellipsoid(RADII),
    s.ellipsoid(RADII, inside=True),
    s.parametric(*sphere_chart(RADII), near=(0.5, 0.0, 0.0)),
    s.implicit(quartic),
]


def points_near(surface, count):
    """Points within a few per cent of the surface, away from charts' poles where a user's own chart has them."""
    x = RNG.normal(size=(count, 3)) * (0.5, 0.5, 0.5)
    if surface.kind in ("parametric", "implicit", "cone"):
        x[:, 2] = 0.2 + 0.1 * np.abs(x[:, 2])
        x[:, :2] += 0.3 * np.sign(x[:, :2])
    foot, n = surface.project(x)
    return foot, n, foot + 0.02 * RNG.uniform(-1, 1, size=(count, 1)) * n


def tangents(n):
    a = np.cross(n, random_rotation(RNG)[:, 0])
    a /= np.linalg.norm(a, axis=-1, keepdims=True)
    return np.stack([a, np.cross(n, a)], axis=-1)


@pytest.mark.parametrize("surface", SMOOTH, ids=lambda x: f"{x.kind}{'-inside' * x.inside}")
def test_feet_lie_on_the_surface_and_curvature_is_the_change_of_the_normal(surface):
    foot, n, near = points_near(surface, 40)
    again, m = surface.project(foot)
    # A foot is its own foot: projections are closed forms or quadratic, so rounding of a few operations is left.
    assert np.abs(again - foot).max() < 20 * EPS
    assert np.abs(np.linalg.norm(n, axis=-1) - 1).max() < 4 * EPS
    assert np.abs(m - n).max() < 200 * EPS  # conditioned by the curvature, up to 10 per metre
    # The step to a foot is along the normal up to the square of the distance 0.02 (exactly for nearest points).
    back, k = surface.project(near)
    assert np.abs(np.cross(near - back, k)).max() < 0.02**2 * 12
    # dn = K ds: the sixth-order difference at h = 2e-3 errs by (h/radius)⁶ ~ 1e-11 of dn and by rounding eps/h ~ 1e-12.
    T = tangents(n)
    K = surface.shape(foot, T)
    h, weights = 2e-3, ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    for j in (0, 1):
        along = h * T[..., j]
        moved = sum(w * (surface.normal(foot + i * along) - surface.normal(foot - i * along)) for i, w in weights) / h
        measured = np.einsum("...ka,...k", T, moved)
        assert np.abs(measured - K[..., j]).max() < 1e-8 * max(1.0, np.abs(K).max())


@pytest.mark.parametrize("surface", SMOOTH, ids=lambda x: f"{x.kind}{'-inside' * x.inside}")
def test_batches_are_the_single_points(surface):
    foot, n, near = points_near(surface, 6)
    T = tangents(n)
    x, m = surface.project(near.reshape(2, 3, 3))
    K = surface.shape(foot.reshape(2, 3, 3), T.reshape(2, 3, 3, 2))
    assert x.shape == m.shape == (2, 3, 3)
    assert K.shape == (2, 3, 2, 2)
    for i in range(6):
        one, normal = surface.project(near[i])
        # Newton stops for the whole batch at once: a step more than for one alone is of the size of rounding.
        assert np.abs(x.reshape(6, 3)[i] - one).max() < 4 * EPS
        assert np.abs(m.reshape(6, 3)[i] - normal).max() < 40 * EPS
        assert np.abs(K.reshape(6, 2, 2)[i] - surface.shape(foot[i], T[i])).max() < 200 * EPS


def test_inside_turns_normal_and_curvature_round():
    x = np.array([0.3, 0.4, 0.2])
    for name, arguments in (("sphere", (1.0,)), ("cylinder", (1.0,)), ("torus", (0.7, 0.2)), ("ellipsoid", (RADII,))):
        out, bowl = getattr(s, name)(*arguments), getattr(s, name)(*arguments, inside=True)
        (p, n), (q, m) = out.project(x), bowl.project(x)
        T = tangents(n)
        assert np.array_equal(p, q)
        assert np.array_equal(n, -m)
        assert np.array_equal(out.shape(p, T), -bowl.shape(q, T))


def test_the_chart_table():
    """Curvatures in the directions of the charts, spec of contact joints §3."""
    theta, phi, v, z, alpha = 0.7, 1.1, 2.2, 0.4, 0.6
    e = np.array([np.cos(phi), np.sin(phi), 0.0])
    f = np.array([-np.sin(phi), np.cos(phi), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    g = np.sin(alpha) * e + np.cos(alpha) * up
    along_v = -np.sin(v) * e + np.cos(v) * up
    R, r, distance = 0.8, 0.3, 0.9
    rows = [
        (s.plane(), np.array([0.2, 0.3, 0]), (np.eye(3)[0], np.eye(3)[1]), (0, 0), (0.2, 0.3)),
        (
            s.sphere(R),
            R * (np.sin(theta) * e + np.cos(theta) * up),
            (np.cos(theta) * e - np.sin(theta) * up, f),
            (1 / R, 1 / R),
            (theta, phi),
        ),
        (s.cylinder(R), R * e + z * up, (f, up), (1 / R, 0), (phi, z)),
        (s.cone(alpha), distance * g, (f, g), (1 / (distance * np.tan(alpha)), 0), (phi, distance)),
        (
            s.torus(R, r),
            R * e + r * (np.cos(v) * e + np.sin(v) * up),
            (f, along_v),
            (np.cos(v) / (R + r * np.cos(v)), 1 / r),
            (phi, v),
        ),
    ]
    for surface, x, (a, b), curvatures, chart in rows:
        K = surface.shape(x, np.stack([a, b], axis=-1))
        assert np.abs(K - np.diag(curvatures)).max() < 20 * EPS * max(1.0, *map(abs, curvatures)), surface
        assert np.abs(surface.project(x)[0] - x).max() < 4 * EPS
        assert np.abs(surface.chart(x) - chart).max() < 8 * EPS


def test_a_torus_is_a_saddle_inside_its_ring():
    torus = s.torus(1.0, 0.25)
    x, n = torus.project((0.7, 0.0, 0.1))
    T = tangents(n)
    small, large = np.linalg.eigvalsh(torus.shape(x, T))
    assert small < 0 < large
    # cos v/(R + r cos v) and 1/r
    assert small == pytest.approx((np.hypot(*x[:2]) - 1) / 0.25 / np.hypot(*x[:2]), rel=1e-14)
    assert large == pytest.approx(4.0, rel=1e-14)


@pytest.mark.parametrize("surface", [s.sphere(0.5), s.ellipsoid((0.5, 0.5, 0.2)), s.ellipsoid(RADII)])
@pytest.mark.parametrize("end", [1.0, -1.0])
def test_poles_are_points_like_others(surface, end):
    c = surface.anchor()[2] * end
    x, n = surface.project((0.0, 0.0, 1.1 * c))
    assert np.abs(x - (0, 0, c)).max() < 4 * EPS
    assert np.abs(n - (0, 0, end)).max() < 4 * EPS
    a, b = (surface.radius, surface.radius) if surface.kind == "sphere" else surface.radii[:2]
    K = surface.shape(x, np.eye(3)[:, :2])
    assert np.abs(K - np.diag([abs(c) / a**2, abs(c) / b**2])).max() < 20 * EPS


def test_an_edge_is_a_torus_whose_tube_shrinks():
    """K⁻¹ of a torus with ring a and tube r is exactly r 1 more than the edge's radius tensor."""
    a, tilt = 0.4, 0.5
    edge = s.circle(a)
    x = a * np.array([0.6, 0.8, 0.0])
    n = np.cos(tilt) * np.array([0.6, 0.8, 0.0]) + np.sin(tilt) * np.array([0, 0, 1.0])
    T = tangents(n)
    P = edge.shape(x, T, n)
    assert np.linalg.eigvalsh(P)[1] == pytest.approx(a / np.cos(tilt), rel=1e-14)
    for r in (0.1, 1e-3):
        torus = s.torus(a, r)
        inverse = np.linalg.inv(torus.shape(x + r * n, T))
        assert np.abs(inverse - P - r * np.eye(2)).max() < 40 * EPS * a / r  # the condition of K
    foot, m = edge.project(1.1 * x, n + 0.3 * np.array([-0.8, 0.6, 0]))
    assert np.abs(foot - x).max() < 4 * EPS
    assert np.abs(m - n).max() < 4 * EPS
    assert edge.edge
    assert not s.plane().edge


def test_patches_equal_the_ellipsoid_they_describe():
    e = s.ellipsoid(RADII)
    d = 1 / np.square(RADII)
    F = s.implicit(lambda x: (0.5 * ((d * x * x).sum(-1) - 1), d * x, np.broadcast_to(np.diag(d), (*x.shape, 3))))
    u = s.parametric(*sphere_chart(RADII), near=(0.5, 0, 0))
    foot, n, _ = points_near(e, 20)
    away = np.abs(foot[:, 2]) < 0.29  # a user's chart has its poles
    T = tangents(n)
    for patch in (F, u):
        x, m = patch.project(foot[away])
        assert np.abs(x - foot[away]).max() < 1e-14
        assert np.abs(m - n[away]).max() < 1e-13
        # second derivatives near a pole lose 1/sin²θ, up to 20 here
        assert np.abs(patch.shape(foot[away], T[away]) - e.shape(foot[away], T[away])).max() < 1e-12


@pytest.mark.parametrize("radii", [(0.5, 0.4, 0.3), (0.3, 0.3, 0.8), (0.6, 0.6, 0.2)])
@pytest.mark.parametrize("inside", [False, True])
def test_bounds_of_curvature_hold_and_are_reached(radii, inside):
    e = s.ellipsoid(radii, inside=inside)
    x, n = e.project(np.concatenate([RNG.normal(size=(4000, 3)), 0.9 * np.diag(radii)]))
    k = np.linalg.eigvalsh(e.shape(x, tangents(n)))
    lo, hi, low, high = e.bounds
    for found, bound in ((k[:, 0].min(), lo), (k[:, 0].max(), hi), (k[:, 1].min(), low), (k[:, 1].max(), high)):
        assert found == pytest.approx(bound, rel=1e-12)  # all are reached at ends of the axes


def test_lines_of_ruled_surfaces():
    for surface in (s.cylinder(0.3), s.cone(0.4)):
        x, n = surface.project((0.5, 0.2, 0.6))
        line = surface.line(x)
        T = np.stack([line, np.cross(n, line)], axis=-1)
        assert abs(line @ n) < 4 * EPS
        assert np.abs(surface.shape(x, T)[0]).max() < 20 * EPS  # no curvature along it
        assert np.abs(surface.project(x + 0.2 * line)[0] - (x + 0.2 * line)).max() < 4 * EPS


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: s.sphere(0.0), "length must be positive"),
        (lambda: s.sphere(-1.0), "length must be positive"),
        (lambda: s.sphere(float("nan")), r"not finite|must be finite"),
        (lambda: s.sphere("wide"), "must be an array of numbers"),
        (lambda: s.cylinder(-0.1), "radius of a cylinder"),
        (lambda: s.circle(0.0), "radius of a circle"),
        (lambda: s.cone(0.0), "half angle"),
        (lambda: s.cone(np.pi / 2), "90 degrees"),
        (lambda: s.cone(-0.3), "half angle"),
        (lambda: s.cone(float("nan")), "half angle"),
        (lambda: s.torus(0.3, 0.3), "meet itself"),
        (lambda: s.torus(0.3, 0.5), "meet itself"),
        (lambda: s.ellipsoid((1.0, 0.0, 1.0)), "length must be positive"),
        (lambda: s.ellipsoid((1.0, 2.0)), "the array has the wrong shape"),
        (lambda: s.sphere(1.0).project((0.0, 0.0, 0.0)), "cannot be projected"),
        (lambda: s.cylinder(1.0).project((0.0, 0.0, 2.0)), "cannot be projected"),
        (lambda: s.cone(0.5).project((0.0, 0.1, -3.0)), "cannot be projected"),
        (lambda: s.torus(1.0, 0.2).project((1.0, 0.0, 0.0)), "cannot be projected"),
        (lambda: s.ellipsoid(RADII).project((0.0, 0.0, 0.0)), "cannot be projected"),
        (lambda: s.circle(1.0).project((0.0, 0.0, 1.0)), "cannot be projected"),
        (lambda: s.sphere(1.0).project((0.0, float("nan"), 0.0)), r"not finite|must be finite"),
        (lambda: s.sphere(1.0).project((0.0, 1.0)), "the array has the wrong shape"),
        (
            lambda: s.implicit(lambda x: (1.0, x, np.eye(3))).project(np.ones((2, 3))),
            "must return arrays of the right shape",
        ),
        (
            lambda: s.implicit(lambda x: ((x * x).sum(-1) + 1, 2 * x, np.zeros((*x.shape, 3)))).project(
                (0.0, 0.1, 1.0)
            ),
            "cannot be projected",
        ),
    ],
)
def test_impossible_surfaces_and_points_are_refused(make, words):
    with pytest.raises(ShapeError, match=words):
        make()
