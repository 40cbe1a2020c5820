"""Shapes: what they are, what they refuse, and that no input breaks them."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from motiform.base.errors import MotiformError, ShapeError
from motiform.geometry import (
    Ball,
    Box,
    Capsule,
    Compound,
    Cylinder,
    Ellipsoid,
    Mesh,
    Particles,
    Shape,
    check_closed,
    shape_from,
)
from motiform.spatial import Transform, random_rotation

EPS = np.finfo(float).eps
CORNER = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
SHAPES: list[Shape] = [
    Box((1.0, 2.0, 3.0)),
    Ball(0.7),
    Cylinder(0.5, 2.0),
    Capsule(0.5, 2.0),
    Ellipsoid((1.0, 2.0, 0.5)),
    CORNER,
    Particles([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2]], [1.0, 2.0, 3.0, 4.0], 0.1),
    Compound(((Box((1, 1, 1)), Transform.translation_of((0, 1, 0))), (Ball(0.5), Transform.identity()))),
]
SOLIDS = [shape for shape in SHAPES if not isinstance(shape, Particles)]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_describe_and_shape_from_are_inverse(shape: Shape) -> None:
    back = shape_from(shape.describe())
    assert type(back) is type(shape)
    amount = {} if isinstance(shape, Particles) else {"density": 3.0}
    assert back.mass_properties(**amount).describe() == shape.mass_properties(**amount).describe()
    assert_allclose(back.bounds, shape.bounds, atol=0)
    if shape.kind not in ("mesh", "particles"):
        assert shape_from(json.loads(json.dumps(shape.describe()))).describe() == shape.describe()


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda s: s.kind)
def test_meshes_are_closed_outward_and_inside_the_bounds(shape: Shape) -> None:
    for detail in (4, 7, 16, 32):
        mesh = shape.to_mesh(detail)
        assert 0 < check_closed(mesh) <= shape.volume * (1 + 10 * EPS)  # inscribed
        low, high = shape.bounds
        assert (mesh.vertices >= low - 4 * EPS).all()
        assert (mesh.vertices <= high + 4 * EPS).all()


def test_particles_are_drawn_as_balls() -> None:
    cloud = Particles([[0, 0, 0], [1, 0, 0]], 1.0, 0.1)
    mesh = cloud.to_mesh()
    assert 0 < check_closed(mesh) <= 2 * Ball(0.1).volume
    assert_allclose(mesh.bounds, cloud.bounds, atol=EPS)
    assert cloud.volume == 0.0


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_bounds_in_a_turned_frame_are_tight(shape: Shape) -> None:
    rng = np.random.default_rng(4)
    T = Transform(random_rotation(rng), rng.standard_normal(3))
    low, high = shape.bounds_in(T)
    seen = shape.to_mesh(400).moved(T).bounds
    # a surface of 400 sides misses the round one by at most r (1 − cos(π/400)) < 1e-4 across and as much along; the
    # balls of particles have 100 sides: 0.1 · 5e-4
    assert_allclose(np.stack([low, high]), seen, atol=4e-4)
    assert (seen[0] >= low - 1e-14).all()
    assert (seen[1] <= high + 1e-14).all()


def test_closed_forms_of_size_and_axis() -> None:
    assert_allclose(Cylinder(0.5, 2.0).bounds, [[-0.5, -1, -0.5], [0.5, 1, 0.5]])  # along y
    assert_allclose(Capsule(0.5, 2.0).bounds, [[-0.5, -1.5, -0.5], [0.5, 1.5, 0.5]])  # length between the caps' centres
    assert Capsule(0.5, 2.0).volume == pytest.approx(np.pi * 0.25 * 2 + np.pi / 6, rel=4 * EPS)
    assert Box((1, 2, 3)).to_mesh().area == pytest.approx(22.0, rel=4 * EPS)
    assert CORNER.volume == pytest.approx(1 / 6, rel=4 * EPS)


def test_shapes_compare_and_hash_by_value() -> None:
    assert Box((1, 2, 3)) == Box([1.0, 2.0, 3.0])  # type: ignore[arg-type]
    assert len({Ball(1), Ball(1.0), Ball(2)}) == 2


def test_arrays_are_copied_and_frozen() -> None:
    points = np.array(CORNER.vertices)
    mesh = Mesh(points, CORNER.faces)
    points[0] = 9.0
    assert mesh.vertices[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        mesh.faces[0, 0] = 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Ball(-1), r"ball radius: a length must be positive \(got -1\.0; allowed: above zero"),
        (lambda: Ball(float("nan")), "ball radius: the number"),
        (lambda: Ball("1 m"), "ball radius: the values must be an array of numbers"),
        (lambda: Ball([1, 2]), "allowed: one number"),
        (lambda: Ball(True), "must be an array of numbers"),
        (lambda: Box((1, 0, 1)), r"box size: a length must be positive \(got \[1\.0, 0\.0, 1\.0\]"),
        (lambda: Box((1, 1)), "box size: the array has the wrong shape"),
        (lambda: Box((1e200, 1, 1)), "length must be positive"),
        (lambda: Ball(1).mass_properties(), r"ball: give either density= or mass= \(got neither"),
        (lambda: Ball(1).mass_properties(density=1, mass=1), "got both"),
        (lambda: Ball(1).mass_properties(density=-2), r"density must be positive \(got -2\.0; allowed: above zero"),
        (lambda: Ball(1).mass_properties(mass=0), "mass must be positive"),
        (lambda: Ball(1).mass_properties(mass=float("nan")), r"mass must be positive \(got nan"),
        (lambda: Ball(1).to_mesh(2), "detail is out of range"),
        (lambda: Ball(1).to_mesh(2.5), "detail is out of range"),  # type: ignore[arg-type]
        (lambda: Mesh(np.zeros((0, 3)), [[0, 1, 2]]), "mesh vertices: the array has the wrong shape"),
        (lambda: Mesh(np.zeros((3, 3)), np.zeros((0, 3), int)), "mesh faces: not a table of indices"),
        (lambda: Mesh(np.zeros((3, 3)), [[0.0, 1.0, 2.0]]), "not a table of indices"),
        (
            lambda: Mesh(np.zeros((3, 3)), [[0, 1, 3]]),
            r"mesh face 0: the corners of a face must be vertices .*allowed: 0 to 2",
        ),
        (lambda: Mesh(np.zeros((3, 3)), [[0, 1, -1]]), "the corners of a face must be vertices"),
        (lambda: Mesh([[0, 0, np.nan]] * 3, [[0, 1, 2]]), r"mesh vertices: the number at index \[0, 2\]"),
        (
            lambda: Particles([[0, 0, 0]], [1, 2]),
            r"particle masses: the array has the wrong shape \(got \(2,\); allowed: \(1,\)",
        ),
        (lambda: Particles([[0, 0, 0], [1, 0, 0]], [1, 0]), "particle 1: a mass must be positive"),
        (lambda: Particles([[0, 0, 0], [1, 0, 0]], 1).mass_properties(), "not positive definite"),
        (lambda: Particles(np.eye(3), 1).mass_properties(density=1), "particles have masses of their own"),
        (lambda: Particles(np.eye(3), 1).integrals(), "no volume to fill"),
        (lambda: Compound(()), "a compound must have parts"),
        (lambda: Compound(((Ball(1), 3),)), r"not a shape and its pose .*got \(Ball, int\)"),
        (lambda: Compound((Ball(1),)), "not pairs"),
        (lambda: shape_from({"kind": "bal", "radius": 1}), "unknown kind of shape .*Did you mean 'ball'"),
        (lambda: shape_from({"kind": "ball", "size": 1}), "ball: the description does not fit .*unknown size"),
        (lambda: shape_from({"kind": "ball"}), "got no radius"),
        (lambda: shape_from("ball"), "not a shape"),
        (
            lambda: shape_from(
                {"kind": "compound", "parts": [{"shape": {"kind": "ball", "radius": 1}, "rotation": 1}]}
            ),
            "compound part",
        ),
    ],
)
def test_rejections_say_why(call: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=text):
        call()


def test_a_description_nested_too_deep_is_refused() -> None:
    description: dict[str, Any] = {"kind": "ball", "radius": 1.0}
    for _ in range(5000):
        description = {"kind": "compound", "parts": [{"shape": description}]}
    with pytest.raises(ShapeError, match="nested too deep"):
        shape_from(description)


# ------------------------------------------------------------------ fuzz

number = st.floats() | st.integers() | st.none() | st.text(max_size=3) | st.booleans()
value = number | st.lists(number, max_size=4)
leaf = st.fixed_dictionaries(
    {"kind": st.sampled_from(["box", "ball", "cylinder", "capsule", "ellipsoid", "mesh", "particles", "cube"])},
    optional=dict.fromkeys(["size", "radius", "height", "radii", "vertices", "faces", "points", "masses"], value),
)
good = st.one_of(
    st.builds(lambda r: {"kind": "ball", "radius": r}, st.floats(1e-40, 1e40)),
    st.builds(lambda s: {"kind": "box", "size": s}, st.tuples(*[st.floats(1e-40, 1e40)] * 3)),
    st.builds(
        lambda r, h: {"kind": "capsule", "radius": r, "height": h}, st.floats(1e-33, 1e33), st.floats(1e-33, 1e33)
    ),
)
description = st.recursive(
    leaf | good,
    lambda inner: st.builds(
        lambda parts: {"kind": "compound", "parts": parts},
        st.lists(
            st.fixed_dictionaries({"shape": inner}, optional={"at": value | st.tuples(*[st.floats(-1e40, 1e40)] * 3)}),
            max_size=3,
        ),
    ),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(description | st.dictionaries(st.text(max_size=5), value), st.floats() | st.none(), st.floats() | st.none())
def test_any_description_gives_a_body_or_a_motiform_error(
    text: dict[str, Any], density: float | None, mass: float | None
) -> None:
    try:
        shape = shape_from(text)
        properties = shape.mass_properties(density=density, mass=mass)
    except MotiformError:
        return
    moments, R = properties.principal()
    assert (moments > 0).all()
    assert np.isfinite(properties.inertia).all()
    assert np.linalg.det(R) == pytest.approx(1.0)


coordinates = st.floats(-10, 10) | st.floats() | st.sampled_from([0.0, 1.0, -1.0])


@settings(max_examples=200, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(0, 6), st.sampled_from([3, 3, 3, 2])), elements=coordinates),
    arrays(np.int64, st.tuples(st.integers(0, 8), st.just(3)), elements=st.integers(-1, 6)),
)
def test_any_triangles_give_a_body_or_a_motiform_error(vertices: np.ndarray, faces: np.ndarray) -> None:
    try:
        mesh = Mesh(vertices, faces)
        properties = mesh.mass_properties(density=1.0)
    except MotiformError:
        return
    assert properties.mass > 0
    assert (properties.principal()[0] > 0).all()


@settings(max_examples=100, deadline=None)
@given(arrays(np.float64, (4, 3), elements=st.floats(-1e35, 1e35) | st.floats(-2, 2)))
def test_any_tetrahedron_gives_a_body_or_a_motiform_error(vertices: np.ndarray) -> None:
    for faces in (CORNER.faces, CORNER.faces[:, ::-1]):
        try:
            body = Mesh(vertices, faces).mass_properties(density=1.0)
        except MotiformError:
            continue
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        assert (body.com >= low - 1e-9 * (high - low).max()).all()
        assert (body.com <= high + 1e-9 * (high - low).max()).all()
