"""The register of solids: every kind does what its line says, and all roads to its surface meet."""

import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest

import motiform
from motiform import geometry as g
from motiform.base.caches import source_key
from motiform.form import Form, Part
from motiform.geometry.search import closest_kernels
from motiform.geometry.search.closest import pack_solids, signed_distance
from motiform.geometry.solids.register import NUMBERS, REGISTER, SHAPES, has_distance, has_ray
from motiform.image import cast_form
from motiform.spatial import Transform, quaternion_from_rotation

EPS = np.finfo(float).eps
TURNED = Transform.from_euler((0.3, -0.7, 1.1), "zyx", (0.2, -0.1, 0.4))
ONE = {
    "ball": g.Ball(0.7),
    "box": g.Box((0.8, 1.2, 0.4)),
    "capsule": g.Capsule(0.3, 1.2),
    "cylinder": g.Cylinder(0.5, 1.4),
    "ellipsoid": g.Ellipsoid((0.9, 0.3, 0.5)),
    "torus": g.Torus(0.8, 0.3),
    "cone": g.Cone(0.6, 1.2, 0.25),
    "mesh": g.Box((0.8, 1.2, 0.4)).to_mesh().moved(TURNED),
    "particles": g.Particles([(0.5, 0.0, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.3)], [1.0, 2.0, 3.0], 0.2),
    "compound": g.Compound(((g.Ball(0.4), TURNED), (g.Box((0.8, 1.2, 0.4)), Transform.identity()))),
}
PLAIN = [kind for kind in ONE if has_distance(kind)]


def test_every_shape_of_the_register_is_tested_here():
    assert list(ONE) == list(SHAPES)


@pytest.mark.parametrize("line", REGISTER, ids=lambda line: line.solid.kind)
def test_a_kind_has_the_kernels_that_its_line_says(line):
    name = f"motiform.geometry.solids.{line.solid.kind}_kernels"
    there = importlib.util.find_spec(name) is not None
    module = importlib.import_module(name) if there else None
    assert hasattr(module, "distance") == line.distance
    assert hasattr(module, "interval") == line.ray
    assert hasattr(module, "normal") <= line.ray
    assert not line.ray or line.distance or hasattr(module, "normal")


def test_numbers_are_places_and_names_are_public():
    assert [NUMBERS[line.solid.kind] for line in REGISTER] == list(range(len(REGISTER)))
    assert {line.solid.__name__ for line in REGISTER} <= set(g.__all__)


def test_the_cache_knows_the_kernels_of_every_kind(monkeypatch):
    folder = Path(motiform.__file__).parent / "geometry" / "solids"
    before = source_key(inspect.getfile(closest_kernels))
    read = Path.read_bytes
    for path in [*folder.glob("*_kernels.py"), folder / "register.py", folder / "columns.py"]:
        source_key.cache_clear()
        monkeypatch.setattr(Path, "read_bytes", lambda self, p=path: read(self) + b"#" * (self == p))
        assert source_key(inspect.getfile(closest_kernels)) != before, path.name
    source_key.cache_clear()


@pytest.mark.parametrize("kind", ONE)
def test_a_description_gives_the_shape_back(kind):
    again = g.shape_from(ONE[kind].describe())
    assert type(again) is type(ONE[kind])
    np.testing.assert_array_equal(again.to_mesh(8).vertices, ONE[kind].to_mesh(8).vertices)


@pytest.mark.parametrize("kind", ONE)
def test_reach_bounds_and_ball_enclose_the_mesh_tightly(kind):
    shape, sides = ONE[kind], 256
    points = shape.to_mesh(sides).vertices
    d = np.random.default_rng(1).normal(size=(50, 3))
    d /= np.linalg.norm(d, axis=1)[:, None]
    reach, of_mesh = shape.reach(d), (d @ points.T).max(axis=1)
    # An inscribed mesh falls short by r (1 − cos(π/n)) ≤ r π²/2n², once around and once along, r below 1.5 m; those of
    # particles have a quarter of the sides, the tube of a torus three quarters.
    assert (of_mesh <= reach + 8 * EPS).all()
    assert (reach - of_mesh <= 2 * 1.5 * np.pi**2 / (2 * (sides / 4) ** 2)).all()
    low, high = shape.bounds_in(TURNED)
    moved = TURNED.point(points)
    assert ((moved >= low - 16 * EPS) & (moved <= high + 16 * EPS)).all()
    center, radius = shape.ball_around()
    assert (np.linalg.norm(points - center, axis=1) <= radius + 8 * EPS).all()


@pytest.mark.parametrize("kind", [kind for kind in ONE if kind != "particles"])
def test_integrals_are_those_of_a_fine_mesh(kind):
    exact, fine = ONE[kind].mass_properties(density=1.0), ONE[kind].to_mesh(256).mass_properties(density=1.0)
    # Lengths of an inscribed mesh of n sides are short by π²/2n² at most, once around and once along; the inertia
    # has their fifth power. The tube of a torus has three quarters of n.
    short = 2 * np.pi**2 / (2 * 192**2)
    assert exact.mass * (1 - 3 * short) <= fine.mass <= exact.mass * (1 + 1e-12)
    np.testing.assert_allclose(fine.com, exact.com, atol=3 * short)
    np.testing.assert_allclose(fine.inertia, exact.inertia, rtol=0, atol=6 * short * np.abs(exact.inertia).max())


@pytest.mark.parametrize("kind", PLAIN)
def test_the_distance_is_zero_on_the_mesh_and_that_of_the_mesh_elsewhere(kind):
    shape = ONE[kind]
    fine = shape.to_mesh(128)
    points = np.random.default_rng(2).uniform(-1.5, 1.5, (2000, 3))
    exact, meshed = (signed_distance(pack_solids([(one, TURNED)]), points)[0] for one in (shape, fine))
    np.testing.assert_allclose(exact, meshed, rtol=0, atol=2 * np.pi**2 / (2 * 96**2))
    on = signed_distance(pack_solids([(shape, TURNED)]), TURNED.point(fine.vertices))[0]
    assert np.abs(on).max() <= 32 * EPS


@pytest.mark.parametrize("kind", PLAIN)
def test_a_ray_ends_where_the_distance_is_zero(kind):
    turn = quaternion_from_rotation(TURNED.rotation)[None, None]
    part = Part("one", ONE[kind], np.zeros(3), np.ones(3), TURNED.translation[None, None], turn)
    rng = np.random.default_rng(3)
    o, to = 4.0 * rng.normal(size=(2000, 3)), rng.uniform(-0.5, 0.5, (2000, 3))
    d = (to - o) / np.linalg.norm(to - o, axis=1)[:, None]
    t, _, normal = cast_form(Form((part,), np.zeros(1), "one"), 0, o, d)
    hit = np.isfinite(t)
    assert hit.sum() > 500
    distance, outward, _ = signed_distance(pack_solids([(ONE[kind], TURNED)]), o[hit] + t[hit, None] * d[hit])
    if has_ray(kind):
        # Roots of t² + 2bt + c carry a few roundings of |o|²/r, |o| < 20, r ≥ 0.2 (as in the tests of the caster).
        assert np.abs(distance).max() <= 16 * EPS * 20.0**2 / 0.2
    else:  # met as a mesh of 24 sides or more, with corners on the surface
        assert np.abs(distance).max() <= 0.8 * np.pi**2 / 24**2
    assert np.mean(np.einsum("ij,ij->i", outward, normal[hit]) > 0.99) > 0.99


@pytest.mark.parametrize("kind", ONE)
def test_what_is_stretched_alike_along_all_axes_grows(kind):
    grown = ONE[kind].stretched(2.0 * np.eye(3))
    expected = ONE[kind].bounds if kind == "particles" else 2.0 * ONE[kind].bounds
    np.testing.assert_allclose(grown.bounds, expected, rtol=0, atol=4.0 * np.pi**2 / (2 * 24**2))
