"""Elements with a metric and an exponent, triangles and tetrahedra, against closed forms [Habibi97 9.1.2, 9.2.2]."""

import math

import numpy as np
import pytest
import trimesh

from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.form.implicit import Implicit
from motiform.form.implicit.elements import check_metric, half_extents
from motiform.spatial import rotation_from_quaternion

RNG = np.random.default_rng(5)
CENTER, RADII, TURN = np.array([0.1, -0.2, 0.3]), np.array([0.5, 0.3, 0.2]), np.array([0.8, 0.2, -0.5, 0.3])
AXES = rotation_from_quaternion(TURN).T  # rows
TURNS = RNG.normal(size=(20, 4))
CORNERS = RNG.normal(size=(4, 20, 3))
FIELDS = {
    "ellipsoids": Implicit(CORNERS[0], size=2.0, radii=0.3 + RNG.random((20, 3)), turn=TURNS),
    "superellipsoids": Implicit(CORNERS[0], kind="blinn", radii=0.3 + RNG.random((20, 3)), turn=TURNS, exponent=5.0),
    "of their own": Implicit(
        CORNERS[0], size=1.5, radii=(0.8, 0.6, 0.4), turn=TURNS, exponent=2.0 + 4 * RNG.random(20)
    ),
    "lines": Implicit(*CORNERS[:2], size=2.0, radii=(0.5, 0.3, 0.4), skeleton=np.arange(20) // 4),
    "triangles": Implicit(*CORNERS[:2], third=CORNERS[2], size=0.7, skeleton=np.arange(20) // 2),
    "triangles in a metric": Implicit(*CORNERS[:2], third=CORNERS[2], kind="blinn", radii=(0.5, 0.4, 0.3), turn=TURNS),
    "tetrahedra": Implicit(*CORNERS[:2], third=CORNERS[2], fourth=CORNERS[3], size=0.7),
}


def in_axes(x):
    return (x - CENTER) @ AXES.T / RADII


@pytest.mark.parametrize("exponent", [2.0, 3.0, 6.0])
@pytest.mark.parametrize("kind", ["blinn", "wyvill"])
def test_one_element_is_the_ellipsoid_of_its_radii(kind, exponent):
    """C exp(−a Q) = V₀ at Q = ln(C/V₀)/a, and Wyvill's kernel is ½ at Q = R^e/4: ρ = Q^(1/e) radii along each axis."""
    a, strength, level = 1.7, 2.0, 0.5
    rho = (math.log(strength / level) / a) ** (1.0 / exponent)
    if kind == "wyvill":
        a, strength, rho = 1.5, 1.0, 1.5 * 0.25 ** (1.0 / exponent)
    given = {"size": a, "strength": strength, "level": level, "radii": RADII, "turn": TURN, "exponent": exponent}
    field, h = Implicit([CENTER], kind=kind, **given), 0.02
    mesh = field.to_mesh(h)
    found = (np.abs(in_axes(mesh.vertices)) ** exponent).sum(axis=1) ** (1.0 / exponent)
    # Vertices are within 1e-4 cells of the surface; this length changes by 1/least radius per metre at most, where
    # e-norms are no longer than Euclidean ones.
    assert np.abs(found - rho).max() <= 1e-4 * h / RADII.min()
    # In its own axes the body is convex and vertices are on it, so nothing is outside. What lacks is (a² + b² + c²)/8
    # by the curvature, the mean over triangles: below (h/R)²/2 for a ball of radius R, here in cells up to h/least
    # radius. Curvatures of a superellipsoid are e − 1 times as large at most where its faces end.
    exact = 8.0 * math.gamma(1 + 1 / exponent) ** 3 / math.gamma(1 + 3 / exponent) * rho**3 * RADII.prod()
    assert 0.0 < 1.0 - mesh.volume / exact < 0.5 * (exponent - 1) * (h / (rho * RADII.min())) ** 2


def test_triangles_of_an_ellipsoid_are_within_a_tolerance():
    """The length in its axes changes by 1/least radius per metre at most: off by more, they would be further away."""
    field, tolerance = Implicit([CENTER], size=2.0, radii=RADII, turn=TURN), 0.004
    mesh, plain = field.to_mesh(0.02, tolerance=tolerance), field.to_mesh(0.02)
    for places in (mesh.vertices, mesh.vertices[mesh.faces].mean(axis=1)):
        assert np.abs(np.linalg.norm(in_axes(places), axis=1) - 1.0).max() * RADII.min() <= tolerance
    assert len(mesh.faces) < len(plain.faces)


def test_higher_exponents_are_flatter_inside_and_steeper_outside():
    """Along an axis the field is N((d/R)^e): greater within the radius, less beyond where R is 1."""
    inside, outside = np.array([[0.5, 0, 0]]), np.array([[1.2, 0, 0]])
    fields = [Implicit(np.zeros((1, 3)), kind="blinn", radii=(1, 1, 1), exponent=e) for e in (2.0, 4.0, 8.0)]
    for near, power in ((inside, 0.5), (outside, 1.2)):
        for field, e in zip(fields, (2.0, 4.0, 8.0), strict=True):
            assert field.values(near)[0] == pytest.approx(math.exp(-(power**e)), rel=1e-14)
    assert np.all(np.diff([field.values(inside)[0] for field in fields]) > 0)
    assert np.all(np.diff([field.values(outside)[0] for field in fields]) < 0)


def test_balls_by_a_metric_are_balls():
    """Radii of one length are that length in size, for points and for lines."""
    x = RNG.normal(size=(300, 3))
    for ends in (CORNERS[:1], CORNERS[:2]):
        plain, shaped = Implicit(*ends, size=0.9), Implicit(*ends, size=3.0, radii=(0.3, 0.3, 0.3), turn=TURNS)
        np.testing.assert_allclose(shaped.values(x), plain.values(x), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(shaped.gradients(x), plain.gradients(x), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", FIELDS)
def test_gradients_are_those_of_the_values(name):
    field, x, h = FIELDS[name], RNG.normal(size=(200, 3)), 1e-6
    differences = [(field.values(x + h * e) - field.values(x - h * e)) / (2 * h) for e in np.eye(3)]
    # Rounding 1e-16 V/h, V up to 10; second derivatives jump where the nearest part changes, by 1/least radius² ~ 10:
    # a difference that spans such a place errs by h times that.
    np.testing.assert_allclose(field.gradients(x), np.stack(differences, axis=1), atol=2e-5)


def distances(field, x):
    """Return distances in each element's metric by trimesh, (n, points)."""
    corners = [field.start, field.end, field.third, field.fourth]
    metric = check_metric((1, 1, 1) if field.radii is None else field.radii, field.turn, 20)
    found = np.empty((20, len(x)))
    for n in range(20):
        p = x @ metric[n].T
        own = [corner[n] @ metric[n].T for corner in corners if corner is not None]
        faces = [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 2, 3)] if len(own) == 4 else [(0, 1, 2)]
        ways = []
        for face in faces:
            triangle = np.broadcast_to([own[k] for k in face], (len(p), 3, 3))
            ways.append(np.linalg.norm(p - trimesh.triangles.closest_point(triangle, p), axis=1))
        found[n] = np.min(ways, axis=0)
        if len(own) == 4:
            weights = np.linalg.solve(np.array(own[1:]).T - own[0][:, None], (p - own[0]).T)
            found[n, ((weights >= 0).all(axis=0)) & (weights.sum(axis=0) <= 1)] = 0.0
    return found


@pytest.mark.parametrize("name", ["triangles", "triangles in a metric", "tetrahedra"])
def test_triangles_and_tetrahedra_are_as_far_as_they_are(name):
    field, x = FIELDS[name], RNG.normal(size=(200, 3)) * 1.5
    r = distances(field, x)
    u = np.minimum((r / 0.7) ** 2, 1.0)
    each = np.exp(-(r**2)) if name == "triangles in a metric" else 1 - 22 / 9 * u + 17 / 9 * u**2 - 4 / 9 * u**3
    each = each.reshape(10, 2, -1).max(axis=1) if name == "triangles" else each
    # exponentials end at 1e-9 of the level each
    np.testing.assert_allclose(field.values(x), each.sum(axis=0), rtol=1e-10, atol=20 * 1e-9 * 0.5)


@pytest.mark.parametrize("name", ["ellipsoids", "superellipsoids", "of their own"])
def test_cells_leave_nothing_out(name):
    field, x = FIELDS[name], RNG.normal(size=(200, 3)) * 1.5
    metric, e = check_metric(field.radii, field.turn, 20), np.broadcast_to(field.exponent, 20)[:, None]
    q = (np.abs(np.einsum("nij,npj->npi", metric, x - field.start[:, None])) ** e[..., None]).sum(axis=-1)
    u = np.minimum(q / np.asarray(field.size) ** e, 1.0)
    each = np.exp(-q) if field.kind == "blinn" else 1 - 22 / 9 * u + 17 / 9 * u**2 - 4 / 9 * u**3
    np.testing.assert_allclose(field.values(x), each.sum(axis=0), rtol=1e-10, atol=20 * 1e-9 * 0.5)


@pytest.mark.parametrize("exponent", [2.0, 3.5, 20.0])
def test_boxes_touch_what_they_hold(exponent):
    """The plane xₖ = half touches Σ |(A x)ᵢ|^e = 1 where A x is along the gradient of the dual norm (Hölder)."""
    metric = check_metric(RADII, TURN, 1)
    half = half_extents(metric, np.array([exponent]), np.array([1.3]))[0]
    inverse, q = np.linalg.inv(metric[0]), exponent / (exponent - 1.0)
    for k in range(3):
        row = inverse[k]
        u = np.sign(row) * np.abs(row) ** (q - 1.0) / (np.abs(row) ** q).sum() ** (1.0 / exponent)
        assert (np.abs(u) ** exponent).sum() == pytest.approx(1.0, rel=1e-12)  # it is on the surface …
        assert 1.3 * (inverse @ u)[k] == pytest.approx(half[k], rel=1e-12)  # … and at the plane


def test_a_tetrahedron_is_a_body_with_round_edges():
    """Within r of a tetrahedron, by Steiner: V + A r + r² Σ l (π − θ)/2 + 4 π r³/3, edges l with dihedral angles θ."""
    corners, r, h = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.3, 0.15, 0.03
    field = Implicit(corners[:1], corners[1:2], third=corners[2:3], fourth=corners[3:], size=2 * r)
    mesh, edge = field.to_mesh(h), 0.6 * math.sqrt(2.0)
    volume, area, angle = edge**3 / (6 * math.sqrt(2)), math.sqrt(3) * edge**2, math.acos(1 / 3)
    exact = volume + area * r + 6 * edge * (math.pi - angle) / 2 * r * r + 4 / 3 * math.pi * r**3
    # The body is convex and vertices are on it; flat faces lack nothing, the rest less than a ball of radius r.
    assert 0.0 < 1.0 - mesh.volume / exact < 0.5 * (h / r) ** 2


def test_flat_triangles_are_their_edges():
    """Corners in a row, or one twice: the distance is that to the line."""
    a, b = np.zeros((3, 3)), np.tile([1.0, 0, 0], (3, 1))
    third = np.array([[0.4, 0, 0], [1.0, 0, 0], [0.0, 0, 0]])
    x, line = RNG.normal(size=(100, 3)), Implicit(a[:1], b[:1], size=2.0)
    for corner in third:
        flat = Implicit(a[:1], b[:1], third=corner[None], size=2.0)
        np.testing.assert_allclose(flat.values(x), line.values(x), rtol=1e-12, atol=1e-15)
    swapped = Implicit(a[:1], a[:1], third=b[:1], size=2.0)
    np.testing.assert_allclose(swapped.values(x), line.values(x), rtol=1e-12, atol=1e-15)
    sliver = Implicit(a[:1], b[:1], third=[[0.5, 1e-14, 0]], size=2.0)
    np.testing.assert_allclose(sliver.values(x), line.values(x), rtol=1e-12, atol=1e-12)


def test_bits_do_not_depend_on_threads():
    for field in FIELDS.values():
        mesh = field.to_mesh(0.2)
        with threads(1):
            again = field.to_mesh(0.2)
        np.testing.assert_array_equal(again.vertices, mesh.vertices)
        np.testing.assert_array_equal(again.faces, mesh.faces)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"radii": (1.0, 1.0)}, "`radii` must be above 0 m, three or three for each"),
        ({"radii": (1.0, 0.0, 1.0)}, "`radii` must be above 0 m"),
        ({"radii": (1.0, np.nan, 1.0)}, "`radii` must be above 0 m"),
        ({"radii": 1.0}, "`radii` must be above 0 m"),
        ({"turn": (0, 0, 0, 0)}, "`turn` must be a quaternion"),
        ({"turn": (1, 0, 0)}, "`turn` must be a quaternion"),
        ({"exponent": 1.5}, "`exponent` must be 2 or more"),
        ({"exponent": np.nan}, "`exponent` must be 2 or more"),
        ({"exponent": 1000.0}, "`exponent` must be 2 or more"),
        ({"exponent": 4.0, "end": [[1.0, 0, 0]]}, "other than 2 must go with a point"),
        ({"third": [[1.0, 0, 0, 0]]}, "must be of one shape"),
        ({"kind": "convolution", "end": [[1.0, 0, 0]], "radii": (1, 1, 2)}, "a convolution must be along lines"),
        ({"kind": "convolution", "end": [[1.0, 0, 0]], "third": [[0, 1.0, 0]]}, "a convolution must be along lines"),
    ],
)
def test_bad_elements_are_refused(given, text):
    with pytest.raises(InputError, match=text):
        Implicit(**({"start": [[0.0, 0.0, 0.0]]} | given))
