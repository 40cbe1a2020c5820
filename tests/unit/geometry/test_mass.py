"""Mass properties: parallel axes, composites, frames, and inertias that no body can have."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from motiform.base.errors import MotiformError, ShapeError
from motiform.geometry import Box, MassProperties, Particles, check_inertia
from motiform.geometry.mass import particle_mass_properties
from motiform.spatial import Transform, mass_center_inertia, point_inertia, random_rotation, transform_inertia

EPS = np.finfo(float).eps


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(9)


def cloud(rng: np.random.Generator, n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    return rng.standard_normal((n, 3)), rng.uniform(0.1, 1.0, n)


def same(a: MassProperties, b: MassProperties, atol: float) -> None:
    assert a.mass == pytest.approx(b.mass, rel=atol)
    assert_allclose(a.com, b.com, atol=atol)
    assert_allclose(a.inertia, b.inertia, atol=atol)


def test_particles_follow_the_seed(rng: np.random.Generator) -> None:
    points, masses = cloud(rng)
    body = Particles(points, masses).mass_properties()
    center = sum(m * r for m, r in zip(masses, points, strict=True)) / sum(masses)
    inertia = np.zeros((3, 3))
    for m, point in zip(masses, points, strict=True):  # [Zara] written out, entry by entry
        x, y, z = point - center
        inertia += m * np.array(
            [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
        )
    same(body, MassProperties(masses.sum(), center, inertia), 500 * EPS)  # sums of 20 terms up to 10


def test_parallel_axis_theorem(rng: np.random.Generator) -> None:
    points, masses = cloud(rng)
    body, p = particle_mass_properties(points, masses), rng.standard_normal(3)
    assert_allclose(body.about(p), point_inertia(masses, points - p).sum(axis=0), atol=1000 * EPS)
    assert_allclose(body.about(body.com), body.inertia)
    box = Box((1, 2, 3)).mass_properties(mass=12.0)
    assert_allclose(
        box.about([0.5, 1, 1.5]),
        box.inertia + 12 * np.array([[3.25, -0.5, -0.75], [-0.5, 2.5, -1.5], [-0.75, -1.5, 1.25]]),
    )


def test_composites_add_whatever_the_order(rng: np.random.Generator) -> None:
    points, masses = cloud(rng, 30)
    parts = [particle_mass_properties(points[i : i + 10], masses[i : i + 10]) for i in (0, 10, 20)]
    whole = particle_mass_properties(points, masses)
    same(parts[0] + parts[1] + parts[2], whole, 1000 * EPS)
    same(parts[2] + (parts[0] + parts[1]), whole, 1000 * EPS)
    with pytest.raises(TypeError):
        parts[0] + 3.0  # type: ignore[operator]


def test_a_box_is_its_two_halves() -> None:
    half = Box((1, 1, 3)).mass_properties(density=2.0)
    both = half.moved(Transform.translation_of((0, 0.5, 0))) + half.moved(Transform.translation_of((0, -0.5, 0)))
    same(both, Box((1, 2, 3)).mass_properties(density=2.0), 50 * EPS)


def test_moved_is_the_body_seen_from_another_frame(rng: np.random.Generator) -> None:
    points, masses = cloud(rng)
    T = Transform(random_rotation(rng), rng.standard_normal(3))
    body = particle_mass_properties(points, masses)
    same(body.moved(T), particle_mass_properties(T.point(points), masses), 500 * EPS)
    same(body.moved(T).moved(T.inverse()), body, 500 * EPS)
    mass, center, inertia = mass_center_inertia(transform_inertia(T, body.spatial()))
    same(body.moved(T), MassProperties(mass, center, inertia), 1000 * EPS)


def test_principal_axes(rng: np.random.Generator) -> None:
    R = random_rotation(rng)
    body = MassProperties(1.0, np.zeros(3), R @ np.diag([3.0, 1.0, 2.5]) @ R.T)
    moments, axes = body.principal()
    assert_allclose(moments, [1, 2.5, 3], atol=20 * EPS)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert_allclose(axes @ np.diag(moments) @ axes.T, body.inertia, atol=40 * EPS)
    assert_allclose(np.abs(axes[:, 0] @ R[:, 1]), 1.0, atol=20 * EPS)
    box_moments, box_axes = Box((1, 2, 3)).mass_properties(mass=12.0).principal()
    assert_allclose(box_moments, [5, 10, 13])
    assert_allclose(np.abs(box_axes), np.eye(3)[:, [2, 1, 0]])


def test_a_body_far_from_the_origin_keeps_its_digits(rng: np.random.Generator) -> None:
    points, masses = cloud(rng)
    here, far = particle_mass_properties(points, masses), particle_mass_properties(points + 1e6, masses)
    # the points themselves are rounded by 1e6 u = 1.2e-10; the inertia, of size 10, changes by that times Σ m |r|
    assert_allclose(far.inertia, here.inertia, atol=2 * 20 * 1.2e-10)


def test_limits_that_are_still_bodies() -> None:
    check_inertia(np.diag([1.0, 1.0, 2.0]))  # flat
    check_inertia(np.diag([1e-13, 1.0, 1.0]))  # a needle
    check_inertia(np.diag([1.0, 1.0, 2.0]) * 1e-150)
    check_inertia([[1.0, 1e-12, 0], [0, 1.0, 0], [0, 0, 1.0]])  # rounding of a product is put right
    J = check_inertia([[1.0, 1e-12, 0], [0, 1.0, 0], [0, 0, 1.0]])
    assert J[0, 1] == J[1, 0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: MassProperties(0.0, np.zeros(3), np.eye(3)), r"mass must be positive \(got 0\.0; allowed: above zero"),
        (lambda: MassProperties(-1.0, np.zeros(3), np.eye(3)), "mass must be positive"),
        (lambda: MassProperties(np.inf, np.zeros(3), np.eye(3)), "mass must be positive"),
        (lambda: MassProperties("2 kg", np.zeros(3), np.eye(3)), "mass: the values must be an array of numbers"),  # type: ignore[arg-type]
        (lambda: MassProperties(1.0, np.zeros(2), np.eye(3)), "centre of mass: the array has the wrong shape"),
        (lambda: MassProperties(1.0, [0, np.nan, 0], np.eye(3)), "centre of mass: the number"),
        (lambda: check_inertia(np.eye(2)), "inertia: the array has the wrong shape"),
        (lambda: check_inertia(np.eye(3) * np.nan), "inertia: the number"),
        (lambda: check_inertia(np.zeros((3, 3))), "vanishes or overflows"),
        (
            lambda: check_inertia([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
            r"not symmetric .*I\[0,1\] = 0\.1 and I\[1,0\] = 0",
        ),
        (lambda: check_inertia(np.diag([1.0, 1.0, -0.5])), r"not positive definite .*-0\.5"),
        (lambda: check_inertia(np.diag([0.0, 1.0, 1.0])), "not positive definite .*give the body some width"),
        (lambda: check_inertia(np.diag([1.0, 1.0, 2.001])), r"breaks the triangle inequality.*1, 1, 2\.001"),
    ],
)
def test_rejections_say_why(call: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=text):
        call()


@given(arrays(np.float64, (3, 3), elements=st.floats() | st.floats(-2, 2)))
def test_any_inertia_is_accepted_or_refused_with_a_reason(matrix: np.ndarray) -> None:
    for J in (matrix, matrix + matrix.T if np.abs(matrix).max() < 1e300 else matrix):
        try:
            check_inertia(J)
        except MotiformError:
            continue
        a, b, c = np.linalg.eigvalsh(J)
        assert a > 0
        assert c <= (a + b) * (1 + 1e-8)


@given(
    arrays(np.float64, st.tuples(st.integers(0, 5), st.just(3)), elements=st.floats() | st.floats(-1, 1)), st.floats()
)
def test_any_particles_give_a_body_or_a_motiform_error(points: np.ndarray, mass: float) -> None:
    try:
        body = Particles(points, mass).mass_properties()
    except MotiformError:
        return
    assert (body.principal()[0] > 0).all()
