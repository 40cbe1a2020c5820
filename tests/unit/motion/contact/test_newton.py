"""Newton's method on Coulomb's law: what it finds obeys the laws, and is what other ways find."""

import numpy as np
import pytest

from motiform.motion.contact.problem_kernels import solve_coulomb
from motiform.motion.contact.sweep_kernels import solve_swept

CLOSE = 1e-11


def problem(rng, pairs, limits=0, columns=8):
    """Return A, b = C v and friction of contacts of a body with so many columns: redundant where rows are more."""
    rows = 3 * pairs + limits
    Y = rng.normal(size=(columns, rows))
    return np.ascontiguousarray(Y.T @ Y), Y.T @ rng.normal(size=columns), rng.uniform(0.1, 1.2, pairs)


def newton(A, b, mu, x=None):
    """Return the answer, and whether it was found."""
    rows, pairs = len(b), len(mu)
    x = np.zeros(rows) if x is None else x.copy()
    room = [np.zeros((rows, rows)), *np.zeros((3, rows)), *np.zeros((2, rows), np.int64)]
    spans = np.zeros(rows, np.int64), np.full(rows, rows, np.int64)
    return x, solve_coulomb.function(A, b, pairs, rows, mu, x, CLOSE, *room, *spans)


def missed(A, b, mu, x):
    """Return by how much the laws are missed, over the largest velocity and impulse."""
    pairs, w = len(mu), A @ x + b
    normal = np.concatenate([3 * np.arange(pairs) + 1, np.arange(3 * pairs, len(b))])
    speed, size = np.abs(b).max(), np.abs(x).max(initial=1e-300)
    errors = [-w[normal].min() / speed, -x[normal].min() / size]
    errors.append(float(np.max(np.minimum(w[normal] / speed, x[normal] / size))))
    for k in range(pairs):
        t, slip = x[[3 * k, 3 * k + 2]], w[[3 * k, 3 * k + 2]]
        reach = mu[k] * x[3 * k + 1]
        errors.append((np.hypot(*t) - reach) / size)
        if np.hypot(*slip) > 1e-8 * speed:  # it slides: friction is full and against it
            errors.append(np.abs(t + reach * slip / np.hypot(*slip)).max() / size)
    return max(errors)


@pytest.mark.parametrize("pairs", [1, 2, 4, 8])
@pytest.mark.parametrize("limits", [0, 3])
def test_laws(pairs, limits):
    rng, found = np.random.default_rng(7 * pairs + limits), 0
    for _ in range(100):
        A, b, mu = problem(rng, pairs, limits)
        x, good = newton(A, b, mu)
        found += good
        if good:  # Newton ends at 1e-11 of impulses; slip directions turn by that over the least slip that counts, 1e-8
            assert missed(A, b, mu, x) < 2e-3
    assert found > 50  # more often than not; where it goes round in circles callers have sweeps


def test_velocities_are_those_of_sweeps():
    # one contact of positive definite A and little friction has one answer [AlartCurnier91]
    rng = np.random.default_rng(3)
    for _ in range(50):
        A, b, _ = problem(rng, 1)
        mu, swept = np.array([0.2]), np.zeros(3)
        x, good = newton(A, b, mu)
        assert good
        assert solve_swept.function(A, b, 1, 3, mu, swept, 100_000, np.zeros(3, np.int64), np.full(3, 3))
        # sweeps end where a change is 1e-11 of the impulse; with a contraction of 1 − 1e-3 at worst, 1e-8 is left
        np.testing.assert_allclose(x, swept, atol=1e-7 * np.abs(x).max() + 1e-300)


def test_answer_is_its_own_start():
    rng = np.random.default_rng(5)
    A, b, mu = problem(rng, 4)
    x, good = newton(A, b, mu)
    again, still = newton(A, b, mu, x)
    assert good
    assert still
    np.testing.assert_array_equal(again, x)


def test_tangents_that_nothing_moves_take_nothing():
    # a planar mechanism: the third tangent has no entry in the mass matrix
    A = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 0.0]])
    x, good = newton(A, np.array([0.1, -1.0, 0.0]), np.array([0.5]))
    assert good
    assert x[2] == 0.0
    assert missed(A, np.array([0.1, -1.0, 0.0]), np.array([0.5]), x) < 1e-9


@pytest.mark.parametrize("mu", [0.0, np.inf])
def test_ends_of_friction(mu):
    A, b, _ = problem(np.random.default_rng(2), 1)
    b[1] = -1.0
    x, good = newton(A, b, np.array([mu]))
    assert good
    w = A @ x + b
    if mu == 0.0:
        assert x[0] == x[2] == 0.0
        assert abs(w[1]) < 1e-9
    else:  # held: all three velocities vanish, to ε times the change of the last iteration
        np.testing.assert_allclose(w, 0.0, atol=1e-9)


def test_redundant_points_share_as_before():
    # four points under a plate of six columns: the least change of the impulses that they had
    rng = np.random.default_rng(4)
    Y = rng.normal(size=(6, 12))
    A, mu = np.ascontiguousarray(Y.T @ Y), np.full(4, 10.0)
    x = np.tile([0.0, 1.0, 0.0], 4)
    b = -A @ x  # what they have already holds everything
    found, good = newton(A, b, mu, x)
    assert good
    np.testing.assert_array_equal(found, x)
    assert np.linalg.matrix_rank(A) == 6


def test_rows_of_rounding_are_moved_by_nothing():
    """A slider whose axis is not quite level: its normal has an entry of cos(π/2) = 6e-17, which stops nothing."""
    J = np.array([1.0, 6e-17, 0.0])
    A = np.outer(J, J)
    x, good = newton(A, -J, np.array([0.5]))
    assert good
    np.testing.assert_array_equal(x, 0.0)


def test_what_is_not_finite_is_no_answer():
    A, b, mu = problem(np.random.default_rng(1), 2)
    assert not newton(A, np.where(np.arange(6) == 3, np.nan, b), mu)[1]
    assert not newton(A, b, mu, np.full(6, np.nan))[1]


def test_light_contacts_beside_heavy_ones():
    """A ton and a gram, each on a point: both loads are found, from last impulses of which the light one is off."""
    A, b = np.diag(np.repeat([1e-3, 1e3], 3)), np.zeros(6)
    b[[1, 4]] = -0.01
    exact = np.array([0, 10.0, 0, 0, 1e-5, 0])
    x, good = newton(A, b, np.array([0.5, 0.5]), exact * [1, 1, 1, 1, 1.01, 1])
    assert good
    np.testing.assert_allclose(x, exact, rtol=2e-5)  # 1e-11 of 10 N·s over a thousandth of it
