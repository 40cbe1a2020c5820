"""The bound and the criterion of stability against eigenvalues and one-step maps of random networks."""

import numpy as np
import pytest

from motiform.motion.matter.stability.criterion import assess, one_step, spectral_radius


def network(rng):
    """Return a random network: masses over three decades, parallel links, ground, fixed points, loose masses."""
    n = int(rng.integers(2, 14))
    count = int(rng.integers(1, 3 * n))
    a, b = rng.integers(0, n, count), rng.integers(-1, n, count)
    a, b = a[a != b], b[a != b]
    k = 10.0 ** rng.uniform(0, 4, len(a)) * (rng.random(len(a)) < 0.9)
    z = 10.0 ** rng.uniform(-1, 1, len(a)) * (rng.random(len(a)) < 0.7)
    return 10.0 ** rng.uniform(-2, 1, n), a, b, k, z, rng.random(n) < 0.85


@pytest.mark.parametrize("seed", range(300))
def test_the_bound_is_above_the_worst_mode_and_the_criterion_is_exact(seed):
    rng = np.random.default_rng(seed)
    *arrays, movable = network(rng)
    base = assess(*arrays, 1e-3, movable=movable, exact=True)
    if not np.isfinite(base.largest_step):
        return
    step = base.largest_step * rng.uniform(0.5, 1.5)  # half of the networks are bounded
    found = assess(*arrays, step, movable=movable, exact=True, dimensions=1)
    quick = assess(*arrays, step, movable=movable)
    for one in (found, quick):
        assert one.bound >= found.largest * (1 - 1e-12)
        assert (one.stiffest @ (1, 2)).max() >= one.bound * (1 - 1e-12)
    radius = spectral_radius(*arrays, step, movable=movable)
    # The worst mode is 4 at the largest step and grows at least linearly with it.
    if step <= base.largest_step * (1 - 1e-6):
        # Double roots (drift, critical modes) are known to the square root of rounding.
        assert radius <= 1 + 1e-6
        assert found.bounded
    elif step >= base.largest_step * (1 + 1e-6):
        assert radius > 1
        assert found.verdict == "unstable"
    assert assess(*arrays, quick.largest_step, movable=movable).bounded
    assert quick.largest_step <= base.largest_step * (1 + 1e-9)


def test_the_seeds_rule_of_twice_each_neighbour_is_kept_for_equal_masses():
    rng = np.random.default_rng(0)
    n, count = 30, 80
    a, b = rng.integers(0, n, count), rng.integers(-1, n, count)
    a, b = a[a != b], b[a != b]
    k, z = rng.uniform(0, 1, (2, len(a)))
    found = assess(np.full(n, 2.0), a, b, k, z, 0.1)
    for i in range(n):
        ends = (a == i) | (b == i)
        times = np.where(b == -1, 1, 2)
        # [Habibi97 §8.4.1] as read for networks: k of the ground and twice k of what moves.
        assert found.stiffest[i] == pytest.approx(
            [0.005 * (k * times)[ends].sum(), 0.05 * (z * times)[ends].sum()], rel=1e-12
        )


@pytest.mark.parametrize("seed", range(40))
def test_links_in_space_stay_below_the_bound_of_one_axis(seed):
    """Tangent stiffness k uuᵀ + k (1 − d₀/d)(1 − uuᵀ) with d ≥ d₀ ≥ 0 and radial dampers, assembled in 3-D."""
    rng = np.random.default_rng(1000 + seed)
    mass, a, b, k, z, _ = network(rng)
    n = len(mass)
    position = rng.normal(size=(n + 1, 3))  # the last is the ground's
    K, Z = np.zeros((2, 3 * n + 3, 3 * n + 3))
    for i, j, stiff, damp in zip(a, b, k, z, strict=True):
        u = position[j] - position[i]
        u /= np.linalg.norm(u)
        along = np.outer(u, u)
        block = stiff * (along + rng.random() * (np.eye(3) - along))
        sign = np.zeros((n + 1, 1))
        sign[i], sign[j] = 1, -1
        K += np.kron(sign @ sign.T, block)
        Z += np.kron(sign @ sign.T, damp * along)
    root = np.repeat(1 / np.sqrt(mass), 3)
    K, Z = (root[:, None] * matrix[:-3, :-3] * root for matrix in (K, Z))
    line = assess(mass, a, b, k, z, 1e-3, exact=True)
    step = line.largest_step
    if not np.isfinite(step):
        return
    assert np.linalg.eigvalsh(step**2 * K + 2 * step * Z)[-1] <= 4 * (1 + 1e-9)
    one = np.eye(3 * n)
    map_3d = np.block([[2 * one - step**2 * K - step * Z, step * Z - one], [one, 0 * one]])
    assert np.abs(np.linalg.eigvals(map_3d)).max() <= 1 + 1e-6


def test_fewer_active_links_never_raise_the_worst_mode():
    rng = np.random.default_rng(5)
    for _ in range(60):
        mass, a, b, k, z, movable = network(rng)
        whole = assess(mass, a, b, k, z, 1e-2, movable=movable, exact=True).largest
        for _ in range(5):
            some = rng.random(len(a)) < 0.6
            part = assess(mass, a[some], b[some], k[some], z[some], 1e-2, movable=movable, exact=True).largest
            assert part <= whole * (1 + 1e-12) + 1e-12


def test_a_bounded_network_stays_bounded_and_an_unbounded_one_does_not():
    rng = np.random.default_rng(6)
    mass, a, b, k, z, movable = network(rng)
    movable[:] = True
    a, b = np.append(a, 0), np.append(b, -1)  # tied to the ground: no drift of the whole
    k, z = np.append(k, 50.0), np.append(z, 1.0)
    longest = assess(mass, a, b, k, z, 1e-3, exact=True).largest_step
    grown = []
    for step in (0.98 * longest, 1.02 * longest):
        power = np.linalg.matrix_power(one_step(mass, a, b, k, z, step), 4000)
        grown.append(np.abs(power).max())
    # Free masses of the network drift, by one step each: 4000 at most.
    assert grown[0] <= 4001 * len(mass)
    assert grown[1] > 1e12
