"""Balls of a body moved one by one by Taylor's series, against rotations; and the error of a step by two halves.

[Perez94 7.3] expands the place of each ball over a step, and drops it: a body swells, and no error is told. [7.4] names
the difference of one step and two halves, and Richardson's extrapolation.
"""

from math import factorial

import numpy as np
import pytest

from motiform import simulate
from motiform.geometry import MassProperties
from motiform.measure import synthetic_bones
from motiform.motion.bodies import Bodies, Body, Environment
from motiform.spatial import exp_rotation, rotation_from_quaternion

OMEGA = np.array([0.4, -0.2, 0.9])
STILL = Environment(gravity=(0.0, 0.0, 0.0))


def cross_matrix(w):
    return np.cross(np.eye(3), w)


def expanded(step, order):
    """Return Σ (hω×)ᵏ/k! up to an order: what Taylor's series does to points of a body that turns evenly."""
    W = cross_matrix(step * OMEGA)
    return sum(np.linalg.matrix_power(W, k) / factorial(k) for k in range(order + 1))


@pytest.fixture(scope="module")
def balls():
    """Centres of balls: corners of a bone, from its middle [m]."""
    vertices = synthetic_bones()["lunate"].vertices
    return vertices - vertices.mean(axis=0)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_step_errs_by_the_first_term_left_out(balls, order):
    """|Σₖ₍ₙ₊₁₎ (hω×)ᵏ r/k!| = θⁿ⁺¹ d/(n+1)! at the distance d from the axis, up to θ²/(n+2)(n+3) and θ/(n+2)."""
    axis = OMEGA / np.linalg.norm(OMEGA)
    away = np.linalg.norm(np.cross(axis, balls), axis=1)
    for theta in (0.2, 0.05):
        step = theta / np.linalg.norm(OMEGA)
        off = np.linalg.norm(balls @ (expanded(step, order) - exp_rotation(step * OMEGA)).T, axis=1)
        first = theta ** (order + 1) * away / factorial(order + 1)
        np.testing.assert_allclose(off, first, rtol=theta / (order + 2) + theta**2, atol=1e-15)


@pytest.mark.parametrize(("order", "factor"), [(1, lambda t: np.sqrt(1 + t**2)), (2, lambda t: np.sqrt(1 + t**4 / 4))])
def test_a_body_of_expanded_balls_swells_and_rotations_do_not(balls, order, factor):
    """The eigenvalues of a step are 1 + iθ and 1 + iθ − θ²/2, longer than one: all distances across the axis grow.

    A hand bent by 40° in 13 steps: by 1.9 % to first order, by 14 millionths to second. A rotation keeps them.
    """
    theta, steps = np.deg2rad(40.0) / 13, 13
    axis, step = OMEGA / np.linalg.norm(OMEGA), theta / np.linalg.norm(OMEGA)
    one, turn, moved, turned = expanded(step, order), exp_rotation(step * OMEGA), balls, balls
    for _ in range(steps):
        moved, turned = moved @ one.T, turned @ turn.T
    across = [np.linalg.norm(np.cross(axis, points), axis=1) for points in (balls, moved, turned)]
    np.testing.assert_allclose(across[1], factor(theta) ** steps * across[0], rtol=1e-12)
    np.testing.assert_allclose(across[2], across[0], rtol=1e-13)
    assert factor(theta) ** steps - 1 == pytest.approx({1: 0.019, 2: 1.35e-5}[order], rel=0.02)


def tumbling(**options):
    """Rotations and spins, in the body's axes, of a body that nothing turns, at 0, 0.5 and 1 s."""
    moments = np.diag([1.0, 2.0, 3.0])
    body = Body("bone", MassProperties(1.0, np.zeros(3), moments), spin=np.array([0.8, 0.3, 1.1]))
    rec = simulate(Bodies((body,), environment=STILL), t1=1.0, rate=2, **options)
    return rotation_from_quaternion(rec["bone.orientation"]), moments, np.array([0.8, 0.3, 1.1])


def test_of_a_tumbling_body_places_expanded_to_second_order_err_by_the_third(balls):
    """r + h ω × r + h²/2 (ω̇ × r + ω × (ω × r)) with Euler's ω̇: an eighth of the error at half the step, but for h."""
    off = []
    for step in (0.04, 0.02):
        moments = np.diag([1.0, 2.0, 3.0])
        w = np.array([0.8, 0.3, 1.1])
        body = Body("bone", MassProperties(1.0, np.zeros(3), moments), spin=w)
        rec = simulate(Bodies((body,), environment=STILL), t1=step, rate=1 / step, integrator="dormand-prince",
                       rtol=1e-12, atol=1e-14)  # fmt: skip
        exact = balls @ rotation_from_quaternion(rec["bone.orientation"][-1]).T
        W, faster = cross_matrix(w), cross_matrix(np.linalg.solve(moments, -np.cross(w, moments @ w)))
        found = balls @ (np.eye(3) + step * W + step**2 / 2 * (faster + W @ W)).T
        off.append(np.linalg.norm(found - exact, axis=1).max())
    assert off[0] / off[1] == pytest.approx(8.0, rel=0.04 * 2)


def test_two_halves_tell_the_error_of_a_step():
    """With order 4, y_{h/2} − y_h is 15 times what y_{h/2} lacks, up to terms of h; taken off, order 5 is left."""
    exact = tumbling(integrator="dormand-prince", rtol=1e-13, atol=1e-15)[0][-1]
    runs = {h: tumbling(integrator="rk4", step=h)[0][-1] for h in (0.1, 0.05, 0.025)}
    left = {}
    for h in (0.1, 0.05):
        told, true = (runs[h / 2] - runs[h]) / 15, exact - runs[h / 2]
        assert np.linalg.norm(told) == pytest.approx(np.linalg.norm(true), rel=3 * h)
        left[h] = np.linalg.norm(true - told)
        assert left[h] < 3 * h * np.linalg.norm(true)
    assert left[0.1] / left[0.05] > 24  # 2⁵, less terms of h
