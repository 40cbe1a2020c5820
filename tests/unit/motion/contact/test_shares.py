"""The least forces among all that share a load inside their cones."""

import numpy as np
import pytest
from scipy.optimize import minimize

from motiform.motion.contact.shares import cone_margin, least_forces


def loaded(seed):
    """Random contacts and limits under a load that some forces in their cones carry; some rows move nothing."""
    rng = np.random.default_rng(seed)
    pairs, limits, loads = (int(rng.integers(*among)) for among in ((1, 6), (0, 3), (1, 6)))
    C = rng.normal(size=(loads, 3 * pairs + limits))
    if seed % 3 == 0:
        C[:, 0] = 0.0
    mu, x = rng.uniform(0.1, 1.0, pairs), rng.uniform(0.5, 3.0, 3 * pairs + limits)
    for k in range(pairs):
        t = rng.normal(size=2)
        x[[3 * k, 3 * k + 2]] = t * mu[k] * x[3 * k + 1] * rng.uniform() / np.linalg.norm(t)
    return C, x, pairs, mu


@pytest.mark.parametrize("seed", range(8))
def test_least_forces_are_the_least_in_their_cones(seed):
    """As another solver finds them; its own accuracy is some 1e-7."""
    C, x, pairs, mu = loaded(seed)
    found = least_forces(C.T @ C, x, pairs, mu)
    assert C @ found == pytest.approx(C @ x, abs=1e-10 * np.abs(C @ x).max())
    assert cone_margin(found, pairs, mu) >= -1e-10 * np.abs(found).max()
    assert not found[np.diag(C.T @ C) == 0].any()
    # nearest to zero in a convex set: no point of it is on the near side
    assert found @ (x - found) >= -1e-9 * (found @ found)

    def cones(z):
        p = z[: 3 * pairs].reshape(-1, 3)
        return np.concatenate([(mu * p[:, 1]) ** 2 - p[:, 0] ** 2 - p[:, 2] ** 2, p[:, 1], z[3 * pairs :]])

    limits = [{"type": "eq", "fun": lambda z: C @ (z - x)}, {"type": "ineq", "fun": cones}]
    other = minimize(lambda z: 0.5 * z @ z, x, jac=lambda z: z, constraints=limits, method="SLSQP", tol=1e-12)
    assert np.linalg.norm(found) <= np.linalg.norm(other.x) * (1 + 1e-6)


def test_what_slides_keeps_its_force():
    C, x, pairs, mu = loaded(4)
    fixed = np.zeros(pairs, bool)
    fixed[0] = True
    found = least_forces(C.T @ C, x, pairs, mu, fixed)
    assert found[:3] == pytest.approx(x[:3], abs=0)
    assert C @ found == pytest.approx(C @ x, abs=1e-10 * np.abs(C @ x).max())


def test_a_load_that_no_cones_carry_is_still_pressed():
    """One contact on a slope steeper than its friction, held by its tangent alone: forces stay as they push."""
    C = np.array([[1.0, 0.2, 0.0]])
    found = least_forces(C.T @ C, np.array([2.0, 0.1, 0.0]), 1, np.array([0.1]))
    assert C @ found == pytest.approx(C @ (2.0, 0.1, 0.0))
    assert found[1] >= 0
