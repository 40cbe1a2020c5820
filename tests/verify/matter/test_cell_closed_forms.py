"""Cells and screens: closed forms against the recurrence, the triangle against roots, the seed's experiments."""

import numpy as np
import pytest

from motiform.motion.matter.stability.cell import (
    Cell,
    ScreenLaw,
    critical_damping,
    free_response,
    grid_eigenvalues,
    grid_response,
    regime,
    roots,
)

EPS = np.finfo(float).eps
COUNT = 150


def regime_points(name, count=400):
    """Return random points of a regime, many of them close to its borders."""
    rng = np.random.default_rng(len(name))
    K, Z = rng.uniform(0, 4, 60000), rng.uniform(0, 2, 60000)
    near = rng.integers(0, 3, 60000)
    Z = np.where(near == 1, critical_damping(K) + 10.0 ** rng.uniform(-15, -2, 60000) * rng.choice([-1, 1], 60000), Z)
    K = np.where(near == 2, 10.0 ** rng.uniform(-9, 0, 60000), K)
    if name == "critical":
        K = rng.uniform(0, 1, 60000)
        Z = critical_damping(K)
    if name == "marginal":
        side = rng.integers(0, 3, 60000)
        Z = np.where(side == 0, 0.0, np.where(side == 1, 2 - K / 2, Z))
        K = np.where(side == 2, 0.0, K)
    if name == "unstable":
        K, Z = rng.uniform(-1, 6, 60000), rng.uniform(-1, 4, 60000)
    chosen = np.flatnonzero(regime(K, Z) == name)[:count]
    assert len(chosen) == count
    return K[chosen], Z[chosen]


@pytest.mark.parametrize(
    "name", ["oscillating", "critical", "overdamped", "without a continuous counterpart", "marginal", "unstable"]
)
def test_free_response_equals_the_recurrence(name):
    K, Z = regime_points(name)
    rng = np.random.default_rng(7)
    x0, x_prev = rng.normal(size=(2, len(K)))
    x = [x_prev, x0]
    for _ in range(COUNT):
        x.append((2 - Z - K) * x[-1] - (1 - Z) * x[-2])
    x = np.array(x)
    # H(n) ≥ |h(n)|, the response to a unit error: the sum of |r₁|ʲ|r₂|ⁿ⁻ʲ.
    big, small = np.abs(roots(K, Z)).T
    H = [np.ones_like(K)]
    for n in range(1, COUNT + 1):
        H.append(big * H[-1] + small**n)
    # Each step rounds its coefficients, up to 4 + |K| + |Z|, products and sum; an error made at step j reaches n times
    # H(n − 1 − j). The closed form has the same sensitivity to its roundings of K and Z, and loses n roundings more
    # in its power and its angle.
    weight = (4 + np.abs(K) + np.abs(Z)) * (np.abs(x[1:]) + np.abs(x[:-1]))
    for n in (1, 2, 3, 10, 57, 58, COUNT):
        made = sum(H[n - 1 - j] * weight[j] for j in range(n))
        own = (n + 2) * (H[n] * np.abs(x0) + np.abs(1 - Z) * H[n - 1] * np.abs(x_prev))
        allowed = 8 * EPS * (made + own)
        found = free_response(K, Z, n, x0, x_prev)
        assert (np.abs(found - x[n + 1]) <= allowed).all()
        # The tolerance says something: it is far below the motion itself.
        if name != "unstable":
            assert np.median(allowed) < 1e-9


def test_spectral_radius_is_below_one_exactly_inside_the_triangle():
    rng = np.random.default_rng(8)
    K, Z = rng.uniform(-0.5, 4.5, 20000), rng.uniform(-0.3, 2.3, 20000)
    one_step = np.array([[2 - Z - K, Z - 1], [np.ones_like(K), np.zeros_like(K)]]).transpose(2, 0, 1)
    radius = np.abs(np.linalg.eigvals(one_step)).max(axis=1)
    inside = (K > 0) & (Z > 0) & (K + 2 * Z < 4)
    np.testing.assert_array_equal(radius < 1, inside)
    np.testing.assert_array_equal(~np.isin(regime(K, Z), ["unstable", "marginal"]), inside)
    # A double root amplifies rounding to its square root.
    np.testing.assert_allclose(np.abs(roots(K, Z)[:, 0]), radius, atol=4 * np.sqrt(EPS))


# [Habibi97 table 8.1]: ks, zs, kv, zv of screens of 96 masses of 10 g. Te = 1 ms, corrected: with 1.05 ms, or 1/1050 s,
# none of them would lie on a cardinal point.
MASS, STEP, PINS, CENTRE = 0.01, 0.001, 96, 49
TABLE = {
    1: (0, 10, 0, 0), 2: (10, 10, 0, 0), 4: (10000, 10, 0, 0), 5: (0, 0, 2500, 0), 6: (0, 0, 2500, 0.1),
    7: (0, 0, 0, 2.5), 8: (10, 0, 0, 2.5), 9: (10000, 0, 0, 2.5), 11: (0, 10, 2500, 0), 12: (10, 10, 2500, 0),
    13: (0, 0, 2500, 2.5),
}  # fmt: skip


def screen(row, count):
    """Return the displacements (count + 1, pins) after the central pin is left at 0.07 m from rest, by stepping."""
    ks, zs, kv, zv = TABLE[row]
    A = 2 * np.eye(PINS) - np.eye(PINS, k=1) - np.eye(PINS, k=-1)
    K, Z = ks * np.eye(PINS) + kv * A, zs * np.eye(PINS) + zv * A
    x = np.zeros(PINS)
    x[CENTRE] = 0.07
    out, before = [x], x
    for _ in range(count):
        x, before = 2 * x - before - STEP**2 / MASS * (K @ x + Z @ (x - before) / STEP), x
        out.append(x)
    return np.array(out)


def test_screens_that_keep_their_marks():
    for row in (1, 7):  # S: infinite persistence; II: held by neighbours that do not move
        x = screen(row, 300)
        np.testing.assert_allclose(x, x[[0] * 301], rtol=0, atol=300 * 8 * EPS * 0.07)
    slow = screen(2, 1000)[:, CENTRE]
    assert slow[1000] == pytest.approx(0.0257, abs=5e-5)  # as printed; 0.07/e = 0.02575


def test_screen_c_is_a_surface_without_memory():
    x = screen(4, 3)
    # K = Z = 1 to a few roundings: nothing is left of 0.07 but these, and no other pin has moved.
    assert np.abs(x[1:, CENTRE]).max() <= 8 * EPS * 0.07
    assert not np.delete(x, CENTRE, axis=1).any()


def test_screen_of_waves():
    u = screen(5, 400)
    np.testing.assert_allclose(u[1:3, CENTRE], [0.035, -0.00875], rtol=64 * EPS)
    # Half a pin a sample: the front is found at ± n/2 pins, and nothing beyond one pin a sample.
    n = 60
    assert (
        np.abs(u[n, : CENTRE - n // 2 - 8]).max() < 1e-3 < np.abs(u[n, CENTRE - n // 2 - 3 : CENTRE - n // 2 + 3]).max()
    )
    smooth = screen(6, 400)
    rough = [np.abs(np.diff(x[400], 2)).max() for x in (u, smooth)]
    assert rough[1] < 0.5 * rough[0]


def test_screen_like_an_iron_wire():
    u = screen(8, 1000)
    assert u.min() == pytest.approx(-0.0188, abs=5e-5)  # neighbours are pulled below rest
    assert u[100, CENTRE] == pytest.approx(0.040, abs=5e-4)
    assert u[1000, CENTRE] == pytest.approx(0.013, abs=5e-4)


def test_plate_ends_with_its_fundamental():
    z = TABLE[9][3] * grid_eigenvalues(PINS)
    cell = Cell(MASS, np.full(PINS, 10000.0), z, STEP)
    np.testing.assert_allclose(cell.time_constants[:3, 0], [7.6, 1.9, 0.85], rtol=0.01)  # as printed
    np.testing.assert_allclose(cell.time_constants[:3, 0], 2 * STEP / cell.Z[:3], rtol=1e-2)  # −2/ln(1 − Z) ≈ 2/Z


def test_plastic_soil_spreads_and_never_goes_below_rest():
    u = screen(11, 300)
    np.testing.assert_allclose(u[[1, 2, 10, 100], CENTRE], [0.035, 0.02625, 0.0123, 0.0039], atol=5e-5)
    assert u.min() >= -300 * 8 * EPS * 0.07


def test_viscous_fluid_returns_at_once():
    u = screen(13, 400)[:, CENTRE]
    assert u[10] == pytest.approx(7e-5, abs=5e-6)
    assert u.min() == pytest.approx(-0.004, abs=5e-4)


@pytest.mark.parametrize("row", list(TABLE))
def test_stepped_screens_equal_their_modes(row):
    x = screen(row, 400)
    for n in (1, 7, 100, 400):
        found = grid_response(ScreenLaw(*TABLE[row]), n, x[0], x[0], mass=MASS, step=STEP)
        # Each step rounds sums of about 8 terms up to 4·0.07; the double root of drift adds them up n²/2 times.
        allowed = EPS * (8 * 4 * 0.07) * (n + n * n / 2)
        assert np.abs(found - x[n]).max() <= allowed


def test_three_chained_cells_equal_their_modes():
    mass, ks, zs, kv, zv, step = 0.02, 30.0, 0.05, 80.0, 0.02, 1 / 1050
    A = 2 * np.eye(3) - np.eye(3, k=1) - np.eye(3, k=-1)
    np.testing.assert_allclose(np.sort(grid_eigenvalues(3)), [2 - np.sqrt(2), 2, 2 + np.sqrt(2)], rtol=8 * EPS)
    x, before = np.array([0.01, -0.03, 0.02]), np.array([0.012, -0.03, 0.018])
    start, count = (x, before), 2000
    for _ in range(count):
        force = -(ks * x + kv * A @ x) - (zs * (x - before) + zv * A @ (x - before)) / step
        x, before = 2 * x - before + step**2 / mass * force, x
    # By hand: shapes (1, ±√2, 1)/2 and (1, 0, −1)/√2, each a cell of its own.
    shapes = np.array([[1, np.sqrt(2), 1], [np.sqrt(2), 0, -np.sqrt(2)], [1, -np.sqrt(2), 1]]) / 2
    lam = 2 - np.sqrt(2) * np.array([1, 0, -1])
    modes = Cell(mass, ks + lam * kv, zs + lam * zv, step)
    by_hand = shapes.T @ modes.free(count, shapes @ start[0], shapes @ start[1])
    by_grid = grid_response(ScreenLaw(ks, zs, kv, zv), count, *start, mass=mass, step=step)
    # Errors of 16 eps of 0.06 at each step, each answered by at most 1/sin θ ≈ 1/√K of the slowest mode.
    allowed = 16 * EPS * 0.06 * count / np.sqrt(modes.K.min())
    np.testing.assert_allclose(by_hand, x, rtol=0, atol=allowed)
    np.testing.assert_allclose(by_grid, x, rtol=0, atol=allowed)
    assert np.abs(x).max() > 1e4 * allowed
