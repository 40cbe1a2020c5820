"""Twists, wrenches and spatial inertia against derivatives, definitions and one another."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from motiform.base.errors import InputError
from motiform.spatial import (
    Transform,
    cross_force,
    cross_motion,
    exp_rotation,
    exp_twist,
    kinetic_energy,
    log_transform,
    mass_center_inertia,
    momentum,
    point_inertia,
    point_velocity,
    power,
    random_rotation,
    skew,
    spatial_inertia,
    transform_inertia,
    wrench_of_force,
)

EPS = np.finfo(float).eps
INERTIA = np.array([[2.0, 0.1, -0.2], [0.1, 1.5, 0.3], [-0.2, 0.3, 1.2]])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def pose(rng: np.random.Generator) -> Transform:
    return Transform(random_rotation(rng), rng.standard_normal(3))


def generator(V: np.ndarray) -> np.ndarray:
    """The 4×4 matrix whose exponential is the screw of a twist."""
    A = np.zeros((4, 4))
    A[:3, :3], A[:3, 3] = skew(V[:3]), V[3:]
    return A


def test_cross_products_are_dual(rng: np.random.Generator) -> None:
    V, M, W = rng.standard_normal((3, 50, 6))
    assert_allclose(power(cross_motion(V, M), W), -power(M, cross_force(V, W)), atol=300 * EPS)
    assert_allclose(cross_motion(V, V), np.zeros((50, 6)), atol=40 * EPS)


def test_cross_products_are_the_rate_of_the_transforms(rng: np.random.Generator) -> None:
    V, M = rng.standard_normal((2, 6))
    h = 1e-6
    rates = [
        ((exp_twist(h * V).motion(M) - exp_twist(-h * V).motion(M)) / (2 * h), cross_motion(V, M)),
        ((exp_twist(h * V).force(M) - exp_twist(-h * V).force(M)) / (2 * h), cross_force(V, M)),
    ]
    for rate, product in rates:
        # central difference: h²/6 · third derivative (|V|³|M| < 200) + rounding eps |M| / h
        assert_allclose(rate, product, atol=200 * h**2 / 6 + 50 * EPS / h)


def test_a_screw_is_the_matrix_exponential(rng: np.random.Generator) -> None:
    for V in rng.standard_normal((20, 6)):
        assert_allclose(exp_twist(V).matrix(), expm(generator(V)), atol=60 * EPS)


@pytest.mark.parametrize("angle", [0.0, 1e-200, 1e-9, 1e-4, 0.1, 0.2999999, 0.3, 0.3000001, 1.0, 3.0, 3.1415926, np.pi])
def test_the_log_of_a_screw(angle: float) -> None:
    V = np.array([0.6 * angle, -0.48 * angle, 0.64 * angle, 1.0, 2.0, -3.0])
    # the rotation vector carries about 20 roundings, and turns them into the linear part by |v| up to 4
    back = log_transform(exp_twist(V))
    if angle == np.pi:
        back = back if back[0] > 0 else log_transform(exp_twist(back))  # either sense of half a turn
        assert_allclose(exp_twist(back).matrix(), exp_twist(V).matrix(), atol=200 * EPS)
    else:
        assert_allclose(back, V, atol=200 * EPS)


def test_series_and_closed_form_meet() -> None:
    V = np.array([0.18, -0.144, 0.192, 1.0, 2.0, -3.0])  # |ω| = 0.3, where they change over
    below, above = exp_twist(np.r_[V[:3] * (1 - 1e-13), V[3:]]), exp_twist(np.r_[V[:3] * (1 + 1e-13), V[3:]])
    assert_allclose(below.translation, above.translation, atol=4 * 1e-13 + 50 * EPS)


def test_point_velocity_and_wrench_of_a_force_have_one_power(rng: np.random.Generator) -> None:
    V, r, f, n = rng.standard_normal(6), *rng.standard_normal((3, 3))
    W = wrench_of_force(f, r, n)
    assert power(V, W) == pytest.approx(point_velocity(V, r) @ f + V[:3] @ n, abs=60 * EPS)
    T = pose(rng)
    assert_allclose(T.vector(point_velocity(V, r)), point_velocity(T.motion(V), T.point(r)), atol=60 * EPS)
    assert_allclose(T.force(W), wrench_of_force(T.vector(f), T.point(r), T.vector(n)), atol=60 * EPS)


def test_spatial_inertia_is_the_sum_over_particles(rng: np.random.Generator) -> None:
    points, masses, V = rng.standard_normal((30, 3)), rng.uniform(0.1, 1.0, 30), rng.standard_normal(6)
    mass, center = masses.sum(), masses @ points / masses.sum()
    inertia = point_inertia(masses, points - center).sum(axis=0)
    M = spatial_inertia(mass, center, inertia)
    velocities = point_velocity(V, points)
    linear = masses @ velocities
    angular = (masses[:, None] * np.cross(points, velocities)).sum(axis=0)
    assert_allclose(momentum(M, V), np.r_[angular, linear], atol=1000 * EPS)  # sums of 30 terms up to 10
    assert kinetic_energy(M, V) == pytest.approx(0.5 * masses @ (velocities**2).sum(axis=1), abs=1000 * EPS)
    assert_allclose(M, M.T)


def test_inertia_moves_between_frames(rng: np.random.Generator) -> None:
    T, c, V = pose(rng), rng.standard_normal(3), rng.standard_normal(6)
    M_b = spatial_inertia(2.0, c, INERTIA)
    M_a = transform_inertia(T, M_b)
    assert_allclose(M_a, spatial_inertia(2.0, T.point(c), T.rotation @ INERTIA @ T.rotation.T), atol=300 * EPS)
    assert_allclose(momentum(M_a, T.motion(V)), T.force(momentum(M_b, V)), atol=500 * EPS)
    assert kinetic_energy(M_a, T.motion(V)) == pytest.approx(kinetic_energy(M_b, V), abs=500 * EPS)


def test_mass_center_inertia_reads_it_back() -> None:
    m, c, J = mass_center_inertia(spatial_inertia([2.0, 3.0], [1.0, -2.0, 0.5], INERTIA))
    assert_allclose(m, [2.0, 3.0])
    assert_allclose(c, [[1.0, -2.0, 0.5]] * 2, atol=4 * EPS)
    assert_allclose(J, [INERTIA] * 2, atol=60 * EPS)
    with pytest.raises(InputError, match="the mass must be above 0"):
        mass_center_inertia(np.zeros((6, 6)))


def test_equation_of_motion_in_a_moving_frame(rng: np.random.Generator) -> None:
    """d/dt (I V) in a body's own frame is I A + V ×* I V: the free body keeps its world momentum."""
    M, V0 = spatial_inertia(2.0, [0.1, 0.2, -0.1], INERTIA), rng.standard_normal(6)
    h = 1e-4

    def rate(V: np.ndarray) -> np.ndarray:
        return -np.linalg.solve(M, cross_force(V, momentum(M, V)))

    k1 = rate(V0)
    V1 = V0 + h * rate(V0 + h / 2 * k1)
    T = exp_twist(h * (V0 + h / 2 * k1))
    # midpoint step: local error h³ times derivatives, here below 1e3
    assert_allclose(T.force(momentum(M, V1)), momentum(M, V0), atol=1e3 * h**3)


def test_rejections_say_why() -> None:
    with pytest.raises(
        InputError, match=r"twist: the array has the wrong shape \(got \(3,\); allowed: numbers of shape \(\.\.\., 6\)"
    ):
        cross_motion([1, 2, 3], np.zeros(6))
    with pytest.raises(InputError, match="wrench: the number"):
        power(np.zeros(6), [0, 0, 0, 0, 0, np.nan])


def test_exp_rotation_is_the_turn_of_the_screw() -> None:
    assert_allclose(exp_twist([0.1, 0.2, 0.3, 0, 0, 0]).rotation, exp_rotation([0.1, 0.2, 0.3]), atol=0)


def test_a_negative_mass_has_no_inertia() -> None:
    for mass in (-1.0, [1.0, -1e-9], np.nan, np.inf):
        with pytest.raises(InputError, match="mass"):
            spatial_inertia(mass, np.zeros(3), INERTIA)
    assert not spatial_inertia(0.0, np.ones(3), np.zeros((3, 3))).any()
