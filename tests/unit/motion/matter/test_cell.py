"""The digital cell: regimes, points, constants, segments, and what wrong input says."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.matter.stability.cell import (
    CARDINAL,
    PROTOTYPES,
    REGIMES,
    Cell,
    ModeSegment,
    ScreenLaw,
    critical_damping,
    design_screen,
    free_response,
    grid_eigenvalues,
    grid_modes,
    grid_response,
    modal_segment,
    regime,
    roots,
)

EPS = np.finfo(float).eps


def stepped(K, Z, x0, x_prev, count, push=0.0):
    """Return x(0) … x(count) by the recurrence itself."""
    x, before, *_ = np.broadcast_arrays(x0, x_prev, K, Z)
    out = [x]
    for _ in range(count):
        x, before = (2 - Z - K) * x - (1 - Z) * before + push, x
        out.append(x)
    return np.array(out)


def test_plane_coordinates_of_a_real_cell():
    cell = Cell(mass=0.01, stiffness=10000.0, damping=10.0, step=0.001)
    np.testing.assert_allclose([cell.K, cell.Z], 1.0, rtol=4 * EPS)
    back = Cell.at(0.3, 0.2, mass=0.01, step=1 / 1050)
    np.testing.assert_allclose([back.K, back.Z], [0.3, 0.2], rtol=8 * EPS)


@pytest.mark.parametrize(
    ("K", "Z", "name"),
    [
        (0.5, 0.2, "oscillating"),
        (2.5, 0.5, "oscillating"),
        (0.25, 0.75, "critical"),
        (1.0, 1.0, "critical"),
        (0.1, 0.9, "overdamped"),
        (0.3, 1.0, "overdamped"),
        (0.3, 1.2, "without a continuous counterpart"),
        (2.0, 0.9, "without a continuous counterpart"),
        (1.0, 0.0, "marginal"),
        (0.0, 0.0, "marginal"),
        (0.0, 1.0, "marginal"),
        (4.0, 0.0, "marginal"),
        (1.2, 1.4, "marginal"),
        (1.0, -1e-12, "unstable"),
        (-1e-12, 0.5, "unstable"),
        (1.2, 1.4 + 1e-12, "unstable"),
    ],
)
def test_regime_of_a_point(K, Z, name):
    assert regime(K, Z) == name
    assert name in REGIMES


def test_the_critical_curve_is_critical_all_along():
    K = np.random.default_rng(0).uniform(1e-9, 1, 2000)
    assert (regime(K, critical_damping(K)) == "critical").all()
    double = roots(K, critical_damping(K))
    # The two roots differ by the root of the rounding of their discriminant, 4K times a few eps.
    assert np.abs(double - (1 - np.sqrt(K))[:, None]).max() <= np.sqrt(64 * EPS)


def test_roots_have_the_sum_and_product_of_the_polynomial():
    rng = np.random.default_rng(1)
    K, Z = rng.uniform(-0.5, 4.5, 5000), rng.uniform(-0.3, 2.3, 5000)
    r = roots(K, Z)
    assert (np.abs(r[:, 0]) >= np.abs(r[:, 1]) - 4 * EPS).all()
    # Moduli are exponentials of logs below 2: a few roundings of numbers up to 7.
    np.testing.assert_allclose(r.sum(axis=1), 2 - Z - K, atol=64 * EPS, rtol=0)
    np.testing.assert_allclose(r.prod(axis=1), 1 - Z, atol=64 * EPS, rtol=0)


def test_cardinal_point_c_is_back_after_one_sample():
    x = Cell.at(*CARDINAL["C"]).free(np.arange(6), 0.07, 0.02)
    np.testing.assert_array_equal(x, [0.07, 0, 0, 0, 0, 0])


def test_cardinal_point_o_has_a_period_of_six_samples():
    cell = Cell.at(*CARDINAL["O"], step=0.001)
    n = np.arange(13)
    x = cell.free(n, 0.07, 0.02)
    np.testing.assert_allclose(x, np.resize([0.07, 0.05, -0.02, -0.07, -0.05, 0.02], 13), rtol=0, atol=4 * 13 * EPS)
    assert cell.period == pytest.approx(0.006, rel=4 * EPS)


def test_cardinal_point_s_stays_and_l_drifts():
    n = np.arange(50)
    np.testing.assert_array_equal(Cell.at(*CARDINAL["S"]).free(n, 0.07, 0.02), np.full(50, 0.07))
    drift = Cell.at(*CARDINAL["L"]).free(n, 0.07, 0.02)
    np.testing.assert_allclose(drift, 0.07 + 0.05 * n, rtol=4 * EPS)


def test_s_moves_only_while_a_force_lasts():
    cell = Cell.at(*CARDINAL["S"], mass=0.01, step=0.001)
    pushed = cell.forced(5, 2.0, 0.07, 0.07)
    assert pushed == pytest.approx(0.07 + 5 * 2.0 * 0.001 / cell.damping)
    np.testing.assert_array_equal(cell.free(np.arange(4), pushed, 0.07), np.full(4, pushed))


@pytest.mark.parametrize(
    ("K", "Z"), [(0.3, 0.1), (0.25, 0.75), (0.1, 0.9), (0.5, 1.3), (0, 0.4), (0, 0), (1, 1), (2, 0)]
)
def test_forced_response_follows_the_recurrence_and_ends_at_rest(K, Z):
    cell = Cell.at(K, Z, mass=0.01, step=0.001)
    n = np.arange(41)
    wanted = stepped(cell.K, cell.Z, 0.02, 0.01, 40, push=5.0 * 0.001**2 / 0.01)
    # 40 steps, each with errors of a few eps of numbers below 1 that grow at most like n² (double root at 1).
    np.testing.assert_allclose(cell.forced(n, 5.0, 0.02, 0.01), wanted, rtol=0, atol=16 * 40**2 * EPS * 0.5)
    if regime(K, Z) not in ("marginal", "unstable"):
        slowest = np.abs(roots(K, Z)).max()
        far = int(np.ceil(np.log(1e-9) / np.log(max(slowest, 1e-9)))) + 30
        assert cell.forced(far, 5.0) == pytest.approx(float(cell.steady(5.0)), rel=1e-6)


def test_a_free_mass_falls_by_the_derived_amount():
    n = np.arange(1, 1051)
    fall = Cell(2.0, 0.0, 0.0, 1 / 1050).forced(n, 2.0 * -9.81)
    np.testing.assert_allclose(fall, -9.81 / 1050**2 * n * (n + 1) / 2, rtol=8 * EPS)


def test_the_invariant_is_kept_without_damping_and_falls_by_one_minus_z_with_it():
    rng = np.random.default_rng(2)
    K, Z = rng.uniform(0.01, 3.9, 300), np.append(np.zeros(150), rng.uniform(0, 0.05, 150))
    cell = Cell.at(K, Z, mass=0.01, step=0.001)
    x = stepped(cell.K, cell.Z, 0.05, 0.02, 100)
    value = cell.invariant(x[1:], x[:-1])
    wanted = value[0] * (1 - cell.Z) ** np.arange(100)[:, None]
    # A value of size m/Te² x², from 100 steps of a few roundings each of x up to its largest.
    size = cell.mass / cell.step**2 * np.abs(x).max(axis=0) ** 2
    assert (np.abs(value - wanted) <= 100 * 32 * EPS * size).all()
    energy = 0.5 * 0.01 * ((x[1] - x[0]) / 0.001) ** 2 + 0.5 * cell.stiffness * x[1] * x[0]
    np.testing.assert_allclose(value[0][:150], energy[:150], rtol=0, atol=32 * EPS * size[:150].max())


def test_time_constants_match_the_continuous_ones_of_a_slow_cell():
    cell = Cell(0.01, 10.0, 10.0, 0.001)  # experiment 2: z/k = 1 s
    assert cell.time_constants.max() == pytest.approx(1.0, rel=1e-3)  # first order in Te k/z
    wave = Cell(0.01, 100.0, 0.01, 1e-5)
    np.testing.assert_allclose(wave.time_constants, 2 * 0.01 / 0.01, rtol=1e-4)  # 2m/z; first order in Te
    assert wave.period == pytest.approx(2 * np.pi * np.sqrt(0.01 / 100), rel=1e-4)
    np.testing.assert_array_equal(Cell.at(1.0, 1.0).time_constants, [0, 0])
    np.testing.assert_array_equal(Cell.at(1.0, 0.0).time_constants, [np.inf, np.inf])
    assert (Cell.at(3.0, 0.9).time_constants < 0).any()
    assert Cell.at(2.0, 0.9).period == 2.0


def test_modal_segment_and_its_inverse():
    law = ScreenLaw(8000.0, 1.0, 300.0, 0.4)
    for dimensions in (1, 2, 3):
        segment = modal_segment(*law, 0.01, 0.001, dimensions)
        top = 4 * dimensions
        np.testing.assert_allclose(segment.end, [0.8 + top * 0.03, 0.1 + top * 0.04], rtol=8 * EPS)
        back = design_screen(segment, mass=0.01, step=0.001, dimensions=dimensions)
        np.testing.assert_allclose(back, law, rtol=64 * EPS)  # differences of numbers a few times their size


def test_nine_prototypes_and_the_table_of_screens():
    assert list(PROTOTYPES) == ["O", "L", "S", "C", "I", "II", "III", "IV", "V"]
    made = {name: design_screen(segment, mass=0.01, step=0.001) for name, segment in PROTOTYPES.items()}
    table = {"S": (0, 10, 0, 0), "C": (10000, 10, 0, 0), "I": (0, 0, 2500, 0), "II": (0, 0, 0, 2.5),
             "III": (10000, 0, 0, 2.5), "IV": (0, 10, 2500, 0), "V": (0, 0, 2500, 2.5)}  # fmt: skip
    for name, law in table.items():  # [Habibi97 table 8.1] with Te = 1 ms
        np.testing.assert_allclose(made[name], law, rtol=8 * EPS)
        assert PROTOTYPES[name].bounded


def test_a_segment_moved_by_markers_may_leave_the_triangle():
    screen = PROTOTYPES["C"]
    assert not screen.shifted(0.5, 0.3).bounded
    assert not screen.shifted(2.1, 0.0).bounded
    assert screen.shifted(0.5, 0.0).bounded
    # A marker at target 1 that adds 0.5 to K: x(n+1) = (2 − Z − K − K_M) x(n) − (1 − Z) x(n−1) + K_M.
    x = stepped(1.5, 1.0, 0.0, 0.0, 30, push=0.5)
    assert x[10] == pytest.approx(1 / 3, abs=0.5**10)
    np.testing.assert_allclose(ModeSegment((0, 0), (2, 1)).at([0, 0.5, 1]), [[0, 0], [1, 0.5], [2, 1]])


@pytest.mark.parametrize("shape", [(7,), (4, 5), (3, 4, 2)])
def test_grid_modes_diagonalise_the_held_grid(shape):
    size = int(np.prod(shape))
    A = np.zeros((size, size))
    numbers = np.arange(size).reshape(shape)
    for axis in range(len(shape)):
        A += 2 * np.eye(size)
        near, far = (np.delete(numbers, end, axis=axis).ravel() for end in (-1, 0))
        A[near, far] = A[far, near] = -1
    wanted, found = np.linalg.eigvalsh(A), np.sort(grid_eigenvalues(shape).ravel())
    np.testing.assert_allclose(found, wanted, rtol=0, atol=64 * size * EPS)
    field = np.random.default_rng(3).normal(size=shape)
    through = grid_modes(grid_eigenvalues(shape) * grid_modes(field))
    np.testing.assert_allclose(through.ravel(), A @ field.ravel(), rtol=0, atol=64 * size * EPS)
    np.testing.assert_allclose(grid_modes(grid_modes(field)), field, rtol=0, atol=64 * size * EPS)


def test_grid_response_at_start_is_the_field():
    field = np.random.default_rng(4).normal(size=(5, 6))
    law = ScreenLaw(1.0, 0.1, 2.0, 0.3)
    found = grid_response(law, 0, field, 0 * field, mass=1.0, step=0.1)
    np.testing.assert_allclose(found, field, rtol=0, atol=64 * EPS)


def test_wrong_input_is_reported():
    for wrong in ({"mass": 0.0}, {"step": -1.0}, {"stiffness": np.nan}, {"damping": "much"}):
        with pytest.raises(InputError, match=f"cell {next(iter(wrong))}"):
            Cell(**{"mass": 1.0, "stiffness": 1.0, "damping": 0.1, "step": 0.1, **wrong})
    with pytest.raises(InputError, match="whole numbers"):
        free_response(0.1, 0.1, 1.5, 1.0, 1.0)
    with pytest.raises(InputError, match="whole numbers"):
        free_response(0.1, 0.1, -1, 1.0, 1.0)
    with pytest.raises(InputError, match="1, 2 or 3"):
        modal_segment(1, 1, 1, 1, 1.0, 0.1, 4)
    with pytest.raises(InputError, match="above 0"):
        design_screen(PROTOTYPES["C"], mass=0.0, step=0.1)
    with pytest.raises(InputError, match="at least 1"):
        grid_eigenvalues((3, 0))


@pytest.mark.parametrize("shape", [(5, 23), (3, 4, 7), (40,), (1, 9), (2, 2)])
@pytest.mark.parametrize("edges", ["fixed", "free"])
def test_a_designed_grid_has_the_ends_that_were_asked(shape, edges):
    """The lowest and highest mode of the grid's own matrix, of second differences along each axis."""
    mass, step, matrix = 0.02, 1e-3, np.zeros((np.prod(shape),) * 2)
    for axis, n in enumerate(shape):
        along = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
        if edges == "free":
            along[0, 0] -= 1
            along[-1, -1] -= 1
        matrix += np.kron(
            np.kron(np.eye(np.prod(shape[:axis], dtype=int)), along), np.eye(np.prod(shape[axis + 1 :], dtype=int))
        )
    law = design_screen(ModeSegment((1e-3, 1e-2), (1.0, 0.3)), mass=mass, step=step, shape=shape, edges=edges)
    modes = np.linalg.eigvalsh(matrix)[[0, -1]]  # exact to some roundings of the largest, 12
    k = (law.ground_stiffness + modes * law.neighbour_stiffness) * step**2 / mass
    z = (law.ground_damping + modes * law.neighbour_damping) * step / mass
    assert k == pytest.approx([1e-3, 1.0], abs=1e-12)
    assert z == pytest.approx([1e-2, 0.3], abs=1e-12)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"edges": "Fixed"}, "edges of a screen must be known"),
        ({"dimensions": 1}, "dimensions must be those of the shape"),
        ({"shape": (2.5, 4)}, "a screen must have pins along each axis"),
    ],
)
def test_what_a_grid_cannot_have_is_refused(wrong, rule):
    """Edges by an unknown name were free ones, and dimensions beside a shape were ignored."""
    given = {"shape": (4, 4), "edges": "fixed", **wrong}
    with pytest.raises(InputError, match=rule):
        design_screen(PROTOTYPES["C"], mass=0.01, step=0.1, **given)
