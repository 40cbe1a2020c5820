"""Taut lines over surfaces: closed forms, shortest lines by brute force, tangents as derivatives, sides."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.geometry.paths import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus, wrap_line

SURFACES = [
    WrapSphere(radius=0.05),
    WrapCylinder(radius=0.04, length=1.0),
    WrapEllipsoid(radii=(0.05, 0.03, 0.08)),
    WrapTorus(tube=0.02, ring=0.06),
]


def lines(surface, count, seed=0):
    """Lines past or through a surface, from above to below."""
    rng = np.random.default_rng(seed)
    spread = 0.08 if isinstance(surface, WrapTorus) else 0.03
    a = np.c_[rng.uniform(-spread, spread, (count, 2)), rng.uniform(0.1, 0.2, count)]
    b = np.c_[rng.uniform(-spread, spread, (count, 2)), -rng.uniform(0.1, 0.2, count)]
    return (a, b) if not isinstance(surface, WrapCylinder) else (a[:, [2, 0, 1]], b[:, [2, 0, 1]])


def test_sphere_and_cylinder_in_closed_form():
    R, d, z = 0.05, 0.13, 0.07
    tangent = np.sqrt(d * d - R * R)
    arc = np.pi - 2 * np.arccos(R / d)  # both ends opposite
    whole = 2 * tangent + R * arc
    assert wrap_line(WrapSphere(radius=R), (d, 0, 0), (-d, 0, 0)).length == pytest.approx(whole, rel=1e-14)
    found = wrap_line(WrapCylinder(radius=R), (d, 0, 0), (-d, 1e-13, z))
    assert found.length == pytest.approx(np.hypot(whole, z), rel=1e-12)  # unrolled it is straight
    assert found.first[2] == pytest.approx(z * tangent / whole, rel=1e-12)


def point_of(surface, angles):
    """Points of an ellipsoid or a torus by two angles, (n, 3)."""
    u, w = angles.T
    if isinstance(surface, WrapEllipsoid):
        return np.c_[np.cos(u) * np.cos(w), np.sin(u) * np.cos(w), np.sin(w)] * surface.radii
    out = surface.ring + surface.tube * np.cos(w)
    return np.c_[out * np.cos(u), out * np.sin(u), surface.tube * np.sin(w)]


def angles_of(surface, x):
    if isinstance(surface, WrapEllipsoid):
        y = x / surface.radii
        return np.array([np.arctan2(y[1], y[0]), np.arcsin(y[2])])
    return np.array([np.arctan2(x[1], x[0]), np.arctan2(x[2], np.hypot(x[0], x[1]) - surface.ring)])


def by_force(surface, first, last):
    """Length of the shortest curve on the surface between two points, of n straight pieces with least Σ length².

    Pieces are shorter than the arc s of curvature κ by κ² s³/(24 n²), and Richardson's extrapolation of n = 16 and 32
    leaves (κ s)⁴ s/n⁴/1920: 2⁴ · 0.1/1e6/1920 < 1e-9 m for n = 32.
    """
    one, two = angles_of(surface, first), angles_of(surface, last)
    two = one + (two - one + np.pi) % (2 * np.pi) - np.pi

    def length(n):
        start = (one + (two - one) * np.linspace(0, 1, n + 1)[1:-1, None]).ravel()

        def pieces(flat):
            inner = point_of(surface, flat.reshape(-1, 2))
            return np.diff(np.vstack([first, inner, last]), axis=0)

        best = least_squares(lambda flat: pieces(flat).ravel(), start, xtol=1e-12, ftol=1e-14, gtol=1e-14)
        return np.linalg.norm(pieces(best.x), axis=1).sum()

    short, fine = length(16), length(32)
    return fine + (fine - short) / 3


@pytest.mark.parametrize("surface", SURFACES[2:], ids=["ellipsoid", "torus"])
def test_no_line_over_the_surface_is_shorter(surface):
    """The arc is the shortest between its ends, and the straight parts are tangent, which makes the ends the best."""
    a, b = lines(surface, 12)
    found = wrap_line(surface, a, b)
    chosen = np.flatnonzero(found.touches)[:3]
    assert len(chosen) == 3
    assert not found.planar.any()
    for k in chosen:
        first, last = found.first[k], found.last[k]
        best = by_force(surface, first, last)
        straight = np.linalg.norm(a[k] - first) + np.linalg.norm(b[k] - last)
        assert found.length[k] - straight == pytest.approx(best, abs=1e-8)
        for end, point in ((a[k], first), (b[k], last)):
            n = point_of(surface, angles_of(surface, point) + 1e-6 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]))
            normal = np.cross(n[0] - n[1], n[2] - n[3])
            assert abs((end - point) @ normal) < 1e-8 * np.linalg.norm(normal) * np.linalg.norm(end - point)


@pytest.mark.parametrize("surface", SURFACES, ids=lambda s: type(s).__name__)
def test_the_tangent_is_the_derivative_of_the_length(surface):
    """dL/dp is the unit vector from the surface to p where L is stationary.

    Richardson's differences with h = 1e-4 m err by h⁴ L⁗/30, some 1e-10 for radii of centimetres, and by rounding
    1e-16/h = 1e-12.
    """
    a, b = lines(surface, 60)
    found = wrap_line(surface, a, b)
    good = found.touches & ~found.planar
    a, b, first = a[good], b[good], found.first[good]
    assert len(a) > 10
    u = (a - first) / np.linalg.norm(a - first, axis=1)[:, None]

    def difference(h):
        moved = [[wrap_line(surface, a + s * h * e, b) for s in (1, -1)] for e in np.eye(3)]
        still = np.all([w.touches for pair in moved for w in pair], axis=0)
        return still, np.stack([(p.length - m.length) / (2 * h) for p, m in moved], axis=-1)

    (still, wide), (_, near) = difference(1e-4), difference(5e-5)
    error = np.abs((4 * near - wide) / 3 - u).max(axis=1)[still]
    assert np.median(error) < 1e-9
    assert (error < 1e-7).mean() > 0.9  # the others are next to where a line changes its side


@pytest.mark.parametrize("surface", SURFACES, ids=lambda s: type(s).__name__)
def test_threads_do_not_change_bits(surface):
    a, b = lines(surface, 200)
    many = wrap_line(surface, a, b)
    with threads(1):
        one = wrap_line(surface, a, b)
    np.testing.assert_array_equal(many.length, one.length)


def test_a_side_sends_the_line_round():
    """Both ends on the wrong side of the cylinder: the line goes over the right one though it is free."""
    a, b = (-0.2, 0.1, 0.0), (-0.2, -0.1, 0.0)
    assert not wrap_line(WrapCylinder(radius=0.05), a, b).touches
    found = wrap_line(WrapCylinder("+x", 0.05), a, b)
    assert found.touches
    assert found.length == pytest.approx(
        2 * np.sqrt(0.05 - 0.0025) + 0.05 * (2 * np.pi - 2 * np.arctan2(0.1, 0.2) - 2 * np.arccos(0.05 / np.sqrt(0.05)))
    )
    assert not wrap_line(WrapCylinder("-x", 0.05, 1.0), (0.2, 0.1, 3), (0.2, -0.1, 3)).touches  # beyond its ends


def test_a_line_through_the_middle_of_a_ring_is_free_and_one_beside_it_is_pulled_in():
    ring = WrapTorus(tube=0.01, ring=0.05)
    assert not wrap_line(ring, (0, 0, 0.1), (0.01, 0, -0.1)).touches
    found = wrap_line(ring, (0.1, 0, 0.1), (0.1, 0, -0.1))
    assert found.touches
    # in the plane y = 0: tangents to the circle of the tube around (0.05, 0), passed on its inner side
    d = np.hypot(0.05, 0.1)
    turn = 2 * np.pi - 2 * np.arctan2(0.1, 0.05) - 2 * np.arccos(0.01 / d)
    assert found.length == pytest.approx(2 * np.sqrt(d * d - 0.01**2) + 0.01 * turn, abs=1e-10)


def test_an_end_inside_is_reported_and_the_line_stays_straight():
    found = wrap_line(WrapSphere(radius=0.1), (0.05, 0, 0), (1, 0, 0))
    assert found.inside
    assert found.length == pytest.approx(0.95)
    assert WrapEllipsoid(radii=(1, 2, 3)).contains((0, 1.9, 0))
    assert not WrapTorus(tube=1, ring=3).contains((0, 0, 0))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: WrapSphere(radius=-1), "radius must be above 0"),
        (lambda: WrapCylinder(length=np.nan), "length must be above 0"),
        (lambda: WrapEllipsoid(radii=(1, 2)), "three radii"),
        (lambda: WrapTorus(tube=2, ring=1), "wider than its tube"),
        (lambda: WrapSphere("left"), "unknown side"),
        (lambda: wrap_line(WrapSphere(), (0, 1), (1, 0)), "must be points"),
        (lambda: wrap_line(WrapSphere(), (0, 0, 1), (1, 0, 0), method="magic"), "unknown method"),
    ],
)
def test_wrong_input_is_named(make, text):
    with pytest.raises(InputError, match=text):
        make()
