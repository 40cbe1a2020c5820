"""Screens against closed forms, dense solutions, plain code, and the numbers of the thesis [Habibi97 ch. 7, 8]."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.motion.matter.coupling import MarkerOnCell
from motiform.motion.screens import (
    EXPERIMENTS,
    PRESETS,
    Continuum,
    Engraver,
    Follow,
    ModeSegment,
    Pistons,
    Screen,
    ScreenEngine,
    ScreenLaw,
    Screens,
    assess_screen,
    axis_eigenvalues,
    blend,
    box_response,
    continuum_of,
    continuum_response,
    engraving_force,
    free_motion,
    lattice_response,
    lever_law,
    line_response,
    longest_dressing,
    modal_points,
    rest_heights,
    screen_eigenvalues,
    static_response,
    transfer,
)

EPS = np.finfo(float).eps


def laplacian(shape, edges):
    """Return the matrix A of a grid, by its pairs of neighbours; fixed edges add what lies beyond."""
    index = np.arange(np.prod(shape)).reshape(shape)
    A = np.zeros((index.size, index.size))
    for axis, n in enumerate(shape):
        a, b = np.take(index, range(n - 1), axis).ravel(), np.take(index, range(1, n), axis).ravel()
        A[a, a] += 1
        A[b, b] += 1
        A[a, b] -= 1
        A[b, a] -= 1
        if edges == "fixed":
            for end in (0, n - 1):
                edge = np.take(index, end, axis).ravel()
                A[edge, edge] += 1
    return A


@pytest.mark.parametrize("edges", ["fixed", "free"])
@pytest.mark.parametrize("shape", [(50,), (11, 14), (5, 6, 7)])
def test_eigenvalues_are_those_of_the_matrix(shape, edges):
    screen = Screen(shape=shape, spacing=0.1, edges=edges)
    found, exact = np.sort(screen_eigenvalues(screen).ravel()), np.linalg.eigvalsh(laplacian(shape, edges))
    # a symmetric solver errs by its size times the largest eigenvalue
    assert np.abs(found - exact).max() < 4 * len(shape) * EPS * np.prod(shape)
    assert found[-1] < 4 * len(shape)  # the range of [8.15] is 0 to 12


@pytest.mark.parametrize("edges", ["fixed", "free"])
@pytest.mark.parametrize("shape", [(5000,), (40, 33), (9, 10, 11)])
def test_steps_are_the_sum_of_modes(shape, edges):
    rng = np.random.default_rng(1)
    start, speed, force = (rng.normal(size=shape) for _ in range(3))
    segment = ModeSegment((0.05, 0.1), (1.2, 0.5))
    screen = Screen(
        shape=shape, spacing=0.1, law=segment, edges=edges, rest=0.3, heights=start, velocity=speed, force=force
    )
    engine = ScreenEngine(screen)
    engine.advance(60)
    exact = free_motion(screen, 60)
    # each step rounds some ten times at the size of heights and never amplifies: 60 steps; transforms add a few eps
    assert np.abs(engine.heights() - exact).max() < 60 * 20 * EPS * np.abs(exact).max()


@pytest.mark.parametrize("edges", ["fixed", "free"])
@pytest.mark.parametrize("shape", [(1,), (7,), (16, 16), (5, 9), (3, 4, 5)])
def test_a_segment_is_met_by_the_lowest_and_the_highest_mode_of_the_grid(shape, edges):
    """Against the eigenvalues of the assembled matrices of stiffness and damping."""
    mass, step = 0.02, 0.01
    asked = 2 - 2 * np.cos(2 * np.pi * 2.0 * step)  # an undamped cell of 2 Hz
    segment = ModeSegment((asked, 0.001), (1.5, 0.3)) if shape != (1,) else ModeSegment((asked, 0.001), (asked, 0.001))
    screen = Screen(shape=shape, spacing=0.1, law=segment, edges=edges, mass=mass, frequency=1 / step)
    ks, zs, kv, zv = screen.links
    grid = laplacian(shape, edges)
    for ground, link, unit, ends in ((ks, kv, step**2 / mass, 0), (zs, zv, step / mass, 1)):
        found = np.linalg.eigvalsh(unit * (ground * np.eye(len(grid)) + link * grid))
        # a symmetric solver errs by its size times the largest eigenvalue
        wanted = [segment.start[ends], segment.end[ends]]
        np.testing.assert_allclose(found[[0, -1]], wanted, rtol=0, atol=8 * EPS * len(grid) * abs(found).max())
    assert np.array(assess_screen(screen).segment) == pytest.approx(np.array(segment), abs=64 * EPS)
    if shape == (16, 16) and edges == "fixed":  # the fundamental as it is stepped: 2 cos φ = (x₊ + x₋)/x
        bare = screen.replace(law=ScreenLaw(ks, 0.0, kv, 0.0))
        start = np.linalg.eigh(grid)[1][:, 0].reshape(shape)
        engine, seen = ScreenEngine(bare.replace(heights=start)), [start[8, 8]]
        for _ in range(2):
            engine.advance(1)
            seen.append(engine.heights()[8, 8])
        assert np.arccos((seen[2] + seen[0]) / seen[1] / 2) / (2 * np.pi * step) == pytest.approx(2.0, rel=1e-9)


def test_one_pin_has_one_mode():
    with pytest.raises(InputError, match="one pin must have one mode"):
        Screen(shape=1, spacing=0.1, law=ModeSegment((0.1, 0.0), (0.2, 0.0)))


@pytest.mark.parametrize("edges", ["fixed", "free"])
def test_prototypes_are_links_of_the_ground_at_their_start(edges):
    """Named, blended or given as they are: table 8.1 whatever the size, with λ from 0 to 8."""
    for law in ("III", PRESETS["III"], blend("III", "III", 0.3)):
        screen = Screen(shape=(4, 5), spacing=0.1, law=law, edges=edges, mass=0.01, frequency=1000.0)
        assert tuple(screen.links) == pytest.approx((10000.0, 0.0, 0.0, 1.25), abs=1e-9)


def test_table_8_1():
    """Action 1: the middle one of 96 pins starts 7 cm above rest; displacements after so many samples."""
    rows = {
        1: {1000: 0.07}, 2: {1000: 0.0257}, 4: {1: 0.0, 2: 0.0}, 5: {1: 0.035, 2: -0.00875}, 7: {1000: 0.07},
        8: {100: 0.040, 1000: 0.013}, 11: {1: 0.035, 2: 0.02625, 10: 0.0123, 100: 0.0039}, 13: {10: 7e-5, 400: 0.0},
    }  # fmt: skip
    for number, expected in rows.items():
        engine, trace, lowest = experiment(number), {}, 0.0
        for k in range(1, max(expected) + 1):
            engine.advance()
            trace[k] = engine.heights()[48] - 0.03
            lowest = min(lowest, trace[k] if number == 13 else engine.heights().min() - 0.03)
        for k, u in expected.items():
            if (number, k) == (13, 400):
                continue  # run on for the reflected waves
            assert trace[k] == pytest.approx(u, abs=0.5 * 10 ** -(4 if u in (0.0257, 0.0123, 0.0039) else 3))
        if number in (1, 4, 5, 7, 11):  # exact fractions
            assert trace[1] == pytest.approx(expected.get(1, 0.07), abs=4 * EPS)
        if number == 8:
            assert lowest == pytest.approx(-0.0188, abs=5e-5)  # neighbours are drawn below rest
        if number == 13:
            assert lowest == pytest.approx(-0.004, abs=5e-4)
        if number == 11:
            assert lowest > -2 * EPS  # diffusion has no negative heights


def experiment(number):
    start = np.full(96, 0.03)
    start[48] = 0.1
    law = EXPERIMENTS[number].law
    return ScreenEngine(Screen(shape=96, spacing=0.01, law=law, frequency=1000.0, rest=0.03, heights=start))


def test_experiments_lie_where_their_prototypes_do():
    for number, one in EXPERIMENTS.items():
        found = assess_screen(experiment(number).screen)
        for end, wanted in zip(found.segment, PRESETS[one.prototype], strict=True):
            assert (
                np.abs(np.subtract(end, wanted)).max() < 0.041
            )  # row 6 has Z_N = 0.04, the grid ends (π/97)²/4 before
        assert found.verdict in ("stable", "marginal")


def test_waves_of_row_5_travel_half_a_pin_a_sample():
    engine = experiment(5)
    engine.advance(60)
    u = np.abs(engine.heights() - 0.03)
    # the front is at 48 ± 30; the scheme cannot carry anything beyond 48 ± 60, and the main wave rides just behind 30
    assert u[48 - 31 : 48 + 32].max() == pytest.approx(u.max())
    assert abs(abs(int(u.argmax()) - 48) - 30) <= 3


@pytest.mark.parametrize("name", ["I", "O"])
def test_undamped_screens_keep_their_energy(name):
    rng = np.random.default_rng(3)
    engine = ScreenEngine(Screen(shape=(12, 13), spacing=0.1, law=name, heights=rng.normal(size=(12, 13))))
    first = sum(engine.energies())
    engine.advance(2000)
    # rounding of each of 2000 steps is independent; energy is of the order of the first
    assert sum(engine.energies()) == pytest.approx(first, rel=2000 * 8 * EPS)


def test_presets_blend_by_their_segments():
    assert blend("S", "C", 0.0) == PRESETS["S"]
    assert blend("S", "C", 1.0) == PRESETS["C"]
    half = Screen(shape=3, spacing=1.0, law=blend("S", "C", 0.5), mass=2.0, frequency=10.0)
    ks, zs, kv, zv = half.law
    assert (ks, zs, kv, zv) == pytest.approx((0.5 * 2 * 100, 1.0 * 2 * 10, 0, 0))


# Static responses


def test_lattice_responses_of_the_thesis_and_their_limits():
    plane, block = lattice_response(0.01, 1.0, 2, extent=12), lattice_response(0.01, 1.0, 3, extent=6, period=160)
    mid = plane[12]
    assert mid[12:] == pytest.approx(mid[12::-1])
    assert [mid[12], mid[13], mid[17], mid[22]] == pytest.approx([0.6416, 0.3932, 0.14756, 0.06707], abs=6e-5)
    assert [block[6, 6, 6], block[6, 6, 11]] == pytest.approx([0.2447, 0.009826], abs=6e-5)
    near = continuum_of(0.01, 1.0, 1.0, 2)
    assert continuum_response(near, 2, [1, 5, 10]) == pytest.approx([0.3863, 0.14713, 0.06701], abs=6e-5)
    assert continuum_response(continuum_of(0.01, 1.0, 1.0, 3), 3, 5) == pytest.approx(0.009653, abs=1e-6)


@pytest.mark.parametrize("kv", [3.0, 0.2, -1.0])
def test_lines_of_both_signs(kv):
    ks = 5.0
    found = static_response(Screen(shape=201, spacing=1.0, law=ScreenLaw(ks, 0, kv, 0)), np.eye(1, 201, 100)[0])
    assert found == pytest.approx(line_response(ks, kv, np.arange(-100, 101)), abs=1e-15)
    assert line_response(ks, kv, np.arange(-200, 201)).sum() == pytest.approx(1 / ks)
    if kv == -1.0:
        assert found[100] == pytest.approx(0.4472, abs=1e-4)
        assert found[99] < 0 < found[98]


def test_a_string_without_ground_is_two_straight_lines():
    found = static_response(Screen(shape=99, spacing=1.0, law=ScreenLaw(0, 0, 2.0, 0)), np.eye(1, 99, 29)[0])
    x = np.arange(1, 100)
    assert found == pytest.approx(np.where(x <= 30, x * 70, (100 - x) * 30) / 100 / 2.0, rel=1e-12)


def test_fine_screens_tend_to_the_membrane():
    """Errors of a grid fall by four where its spacing is halved."""
    whole, errors = Continuum(4.0, 1.0), []
    for n in (8, 16, 32):
        ks, kv = whole.ground / n, whole.neighbour * n
        assert continuum_of(ks, kv, 1 / n) == pytest.approx(whole)
        errors.append(abs(line_response(ks, kv, n) - continuum_response(whole, 1, 1.0)))
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.1)


def test_a_box_of_force_on_a_string():
    whole, n, half = Continuum(4.0, 1.0), 200, 0.5
    count = 12 * n + 1
    x = (np.arange(count) - count // 2) / n
    force = np.where(np.abs(x) < half, 3.0 / n, np.where(np.abs(x) == half, 1.5 / n, 0.0))
    found = static_response(Screen(shape=count, spacing=1 / n, law=ScreenLaw(4.0 / n, 0, n, 0)), force)
    assert found == pytest.approx(box_response(whole, half, 3.0, x), abs=2 * 3.0 / (12 * n**2))  # F h²/12, twice


@pytest.mark.parametrize(("ground", "dimensions"), [(0.0, 2), (0.0, 3), (9.0, 1), (9.0, 2), (9.0, 3)])
def test_discs_and_balls_of_force_balance(ground, dimensions):
    """k_v (u″ + (d − 1) u′/r) − k_s u + f = 0 on both sides of the edge, u and u′ without a jump there."""
    whole, R, f, h = Continuum(ground, 4.0), 0.5, 3.0, 1e-3

    def u(r):
        return box_response(whole, R, f, r, dimensions)

    r = np.concatenate([np.linspace(0.05, R - 2 * h, 20), np.linspace(R + 2 * h, 2.0, 20)])
    first, second = (u(r + h) - u(r - h)) / (2 * h), (u(r + h) - 2 * u(r) + u(r - h)) / h**2
    left = 4.0 * (second + (dimensions - 1) * first / r) - ground * u(r) + np.where(r < R, f, 0.0)
    # differences err by h²/12 u⁗ + (d − 1) h²/6 u‴/r, u⁗ being up to 6 (d − 1) R² f/(k_v r⁴), and by rounding 4 ε u/h²
    bound = 4.0 * h**2 * 6 * f / 4.0 * (1 + (dimensions - 1) * R**2 / r**4) + 4.0 * 8 * EPS * np.abs(u(r)).max() / h**2
    assert (np.abs(left) < bound).all()
    assert u(R * (1 - 1e-9)) == pytest.approx(u(R * (1 + 1e-9)), rel=1e-8)
    sides = [(u(R + s * h) - u(R + 2 * s * h)) / h for s in (-1, 1)]  # slopes 1.5 h beside the edge: u″ ≤ f/k_v apart
    assert sides[0] == pytest.approx(-sides[1], abs=3 * h * f / 4.0 * dimensions)


def test_small_pushes_are_responses_to_a_force():
    """Of the same total, and by (√α R)² apart; without ground all of it outside [Habibi97 7.57, 7.59]."""
    for dimensions, volume in ((1, 2.0), (2, np.pi), (3, 4 / 3 * np.pi)):
        for ground in (0.0, 9.0)[dimensions == 1 :]:
            whole, R = Continuum(ground, 4.0), 1e-3
            found = box_response(whole, R, 1 / (volume * R**dimensions), [0.3, 1.0], dimensions)
            assert found == pytest.approx(continuum_response(whole, dimensions, [0.3, 1.0]), rel=9 / 4 * R**2 + 1e-9)


def test_a_disc_presses_pins_into_a_parabola_with_a_logarithm():
    """A plane of pins without ground, up to a constant; the square edge adds (r/L)⁴ of its size [fig. 7.13]."""
    count, R = 201, 20.0
    x = np.arange(count) - count // 2
    r = np.hypot(*np.meshgrid(x, x))
    part = np.zeros((count, count))
    for a in np.linspace(-0.45, 0.45, 10):  # the part of each pin's square that the disc covers
        for b in np.linspace(-0.45, 0.45, 10):
            part += np.hypot(*np.meshgrid(x + a, x + b)) < R
    found = static_response(Screen(shape=r.shape, spacing=1.0, law=ScreenLaw(0, 0, 2.0, 0)), part / 100)
    near = r < 40
    exact = box_response(Continuum(0.0, 2.0), R, 1.0, r, 2)
    off = (found - exact)[near]
    assert np.ptp(off) < 0.01 * np.ptp(exact[near])


@pytest.mark.parametrize("shape", [(21,), (6, 7), (4, 5, 3)])
@pytest.mark.parametrize("ground", [0.0, 0.3])
def test_levers_are_springs_of_negative_stiffness(shape, ground):
    """½ k (ω_i + ω_j)² for each pair of neighbours, points at rest beyond the edges among them [fig. 7.19]."""
    k, sizes = 2.0, np.prod(shape)
    index = np.pad(np.arange(sizes).reshape(shape), 1, constant_values=-1)
    K = ground * np.eye(sizes)
    for axis in range(len(shape)):
        inner = tuple(slice(None) if a == axis else slice(1, -1) for a in range(len(shape)))
        along = np.moveaxis(index[inner], axis, 0)
        for i, j in zip(along[:-1].ravel(), along[1:].ravel(), strict=True):
            ends = [n for n in (i, j) if n >= 0]
            K[np.ix_(ends, ends)] += k
    force = np.random.default_rng(2).normal(size=shape)
    screen = Screen(shape=shape, spacing=1.0, law=lever_law(ground, k, len(shape)))
    exact = np.linalg.solve(K, force.ravel()).reshape(shape)
    # the softest mode is held by levers at the edges: a condition number of some 8 d over (π/22)²
    assert static_response(screen, force) == pytest.approx(exact, abs=4000 * 16 * EPS * np.abs(exact).max())
    if len(shape) == 1:
        push = static_response(screen, np.eye(1, 21, 10)[0])
        assert push[9] < 0 < push[10]  # one goes down, the other up
        assert assess_screen(screen.replace(law=lever_law(ground, k, damping=0.5), mass=1.0)).verdict == "stable"


def test_negative_coupling_shows_its_aliasing():
    """A box that is shifted by half a pin shows the largest ripple or none [fig. 7.20]."""
    screen = Screen(shape=101, spacing=1.0, law=ScreenLaw(5.0, 0, -1.0, 0))
    r, ripples = np.exp(-np.arccosh(1.5)), []
    for shift in (0.0, 0.5):
        edges = np.abs(np.arange(101) - 50 - shift)
        force = np.clip(10.5 - edges, 0.0, 1.0)  # the part of each pin that a box of 20 pins covers
        bent = np.diff(static_response(screen, force), 2)[40:60]
        ripples.append(np.abs(bent).max())
    # an edge on a pin is two half steps side by side, whose ripples (−r)ⁱ cancel but for (1 − r)/2; as r → 1 all of it
    assert ripples[0] == pytest.approx(0.5 * (1 - r) * ripples[1], rel=1e-6)
    assert assess_screen(screen.replace(law=ScreenLaw(5.0, 0.1, -1.26, 0))).verdict == "unstable"


# Pistons


def dense_pistons(shape, p, ks, kv, force):
    """Return heights at rest by the matrix of pins and horizontal masses."""
    n, m = shape
    pins = n * m
    across, down = n * (m - 1), (n - 1) * m
    G = np.zeros((pins, across + down))
    for r in range(n):
        for j in range(m):
            if j < m - 1:
                G[r * m + j, r * (m - 1) + j] += 1
            if j > 0:
                G[r * m + j, r * (m - 1) + j - 1] -= 1
            if r < n - 1:
                G[r * m + j, across + r * m + j] += 1
            if r > 0:
                G[r * m + j, across + (r - 1) * m + j] -= 1
    piston = np.hstack([np.eye(pins), G])
    pin = ks * np.eye(pins) + kv * laplacian(shape, "free")
    links = np.zeros((across + down,) * 2)
    for first, lines, length, stride, offset in ((0, n, m - 1, 1, m - 1), (across, m, n - 1, m, 1)):
        for line in range(lines):
            at = first + line * offset + stride * np.arange(length)
            links[np.ix_(at, at)] += p.ground_stiffness * np.eye(length)
            if length:
                links[np.ix_(at, at)] += p.neighbour_stiffness * laplacian((length,), "fixed")
    K = p.stiffness * piston.T @ piston
    K[:pins, :pins] += pin
    K[pins:, pins:] += links
    return np.linalg.solve(K, np.concatenate([force.ravel(), np.zeros(across + down)]))[:pins].reshape(shape)


LINE = {
    "VS": (1.0, 0.0, 0.0, 0.0), "VV": (1e-3, 1.0, 0.0, 0.0), "HS": (0.0, 0.0, 1.0, 0.0), "HSHV": (0.0, 0.0, 1.0, 5.0),
    "HSVV": (0.0, 5.0, 1.0, 0.0), "HSVS": (5.0, 0.0, 1.0, 0.0), "HV": (0.0, 0.0, 0.0, 5.0),
}  # fmt: skip


def piston_screen(shape, variant, kp=1000.0, **more):
    ks, kv, khs, khv = LINE[variant]
    pistons = Pistons(stiffness=kp, ground_stiffness=khs, neighbour_stiffness=khv)
    return Screen(shape=shape, spacing=1.0, law=ScreenLaw(ks, 0, kv, 0), edges="free", pistons=pistons, **more)


@pytest.mark.parametrize("variant", LINE)
def test_pistons_rest_where_the_matrix_says(variant):
    screen = piston_screen((6, 7), variant)
    ks, kv, _, _ = LINE[variant]
    force = np.random.default_rng(5).normal(size=(6, 7))
    exact = dense_pistons((6, 7), screen.pistons, ks, kv, force)
    # the matrix has a condition number of kp over the softest link at most: 1e6 eps
    assert static_response(screen, force) == pytest.approx(exact, abs=1e-9 * np.abs(exact).max())


def test_pistons_in_a_line_have_the_values_of_the_thesis():
    force = np.eye(1, 41, 20)[0]
    wanted = {
        "VS": [0.9756, -0.0244, -0.0244, -0.0244], "HSHV": [0.1574, -0.0280, -0.0180],
        "HSVV": [0.0996, 0.0244, -0.0110, -0.0215, -0.0196], "HS": [2 + 1 / 1000, -1.0, 0.0, 0.0],
    }  # fmt: skip
    for variant, values in wanted.items():
        found = static_response(piston_screen((41,), variant), force)
        assert found[20 : 20 + len(values)] == pytest.approx(values, abs=6e-5)
        assert found.sum() == pytest.approx(0.000999 if variant == "VS" else 0.001, abs=1e-6)
    peak = transfer(Pistons(stiffness=1e12, ground_stiffness=1.0), 0.0, 5.0, [np.linspace(1e-3, 4, 4000)])
    assert peak.max() == pytest.approx(1 / (2 * np.sqrt(5)), rel=1e-6)  # at λ = √(k_hs/k_vv)


def test_two_dimensions_hold_matter_as_one_does():
    """The triple piston: pushed pins raise their four neighbours alone, and the sum of heights stays."""
    force = np.zeros((15, 15))
    force[7, 7] = -1.0
    found = static_response(piston_screen((15, 15), "HS", kp=1e6), force)
    assert found[7, 7] == pytest.approx(-4.0, rel=1e-5)
    assert found[[6, 8, 7, 7], [7, 7, 6, 8]] == pytest.approx(np.ones(4), rel=1e-5)
    found[[7, 6, 8, 7, 7], [7, 7, 7, 6, 8]] = 0.0
    assert np.abs(found).max() < 1e-5
    assert found.sum() == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("shape", [(9,), (5, 6)])
def test_pistons_settle_to_their_rest(shape):
    force = np.random.default_rng(6).normal(size=shape)
    pistons = Pistons(stiffness=400.0, ground_stiffness=50.0, ground_damping=20.0, neighbour_stiffness=30.0, mass=1.5)
    screen = Screen(
        shape=shape, spacing=1.0, law=ScreenLaw(20.0, 20.0, 10.0, 1.0), mass=1.0, frequency=100.0, edges="free",
        pistons=pistons, force=force,
    )  # fmt: skip
    assert assess_screen(screen).verdict == "stable"
    engine = ScreenEngine(screen)
    engine.advance(2000)
    # the slowest mode falls by e^(−20 s × 1/s) = 2e-9 and faster
    assert engine.heights() == pytest.approx(static_response(screen, force), abs=1e-7)


def marked_line(variant, **more):
    """Return a line of pins pressed down by one elastic marker, and which pins it leaves alone at rest."""
    tip = Engraver(name="tip", points=[[20.3, 0, 0]], stiffness=2.0, reach=4.0, height=2.0)
    screen = piston_screen((41,), variant, engravers=(tip,), **more)
    found = rest_heights(screen)
    return screen, found, engraving_force(screen, found)[0] == 0


@pytest.mark.parametrize("variant", LINE)
def test_pistons_under_an_elastic_marker_are_at_rest(variant):
    """The dense matrix, given the forces of the marker at those heights, has the same heights."""
    screen, found, alone = marked_line(variant)
    force = engraving_force(screen, found)[0]
    assert 0 < (~alone).sum() < 12
    ks, kv, _, _ = LINE[variant]
    exact = dense_pistons((1, 41), screen.pistons, ks, kv, force[None])[0]
    # forces are left below 1e-10 of the largest; the softest link, 1e-3 N/m, makes heights of them
    assert found == pytest.approx(exact, abs=1e-10 * np.abs(force).max() * 41 * 1e3)
    tip = Engraver(name="tip", points=[[4.2, 3.9, 0]], stiffness=60.0, reach=2.0, height=0.5)
    assert rest_heights(piston_screen((9, 9), variant, engravers=(tip,))).min() < -0.1


def test_what_a_marker_leaves_alone_shows_the_kind_of_matter():
    """Figs. 7.27b to 7.37b: one level, parabolas, nothing, a rim."""
    heights = {variant: marked_line(variant) for variant in ("VS", "HV", "VV", "HS", "HSHV", "HSVV")}
    for variant in ("VS", "HV"):
        _, u, alone = heights[variant]
        assert np.ptp(u[alone]) < 1e-9 * np.ptp(u)
        assert (u[alone] > 0).all()
    screen = heights["VV"][0].replace(law=ScreenLaw(0.0, 0.0, 1.0, 0.0))
    u = rest_heights(screen)
    alone = engraving_force(screen, u)[0] == 0
    bent = np.diff(u, 2)[alone[1:-1]]  # k_vv u″ is the pressure
    assert bent.mean() < -0.01
    assert np.ptp(bent) < 1e-7 * abs(bent.mean())
    _, u, alone = heights["HS"]
    far = np.convolve(~alone, [1, 1, 1], "same") == 0
    assert np.abs(u[far]).max() < 1e-9 * np.ptp(u)
    assert (u[alone & ~far] > 0.01 * np.ptp(u)).all()
    for variant in ("HSHV", "HSVV"):  # beyond the rim both fall by the root of their recurrence, smaller than 1
        _, u, alone = heights[variant]
        edge = int(np.flatnonzero(~alone).max())
        assert u[edge + 1 :].max() > 0
        assert np.abs(u[-4:]).max() < 0.1 * np.abs(u[edge + 1 :]).max()
    sums = {variant: u.sum() for variant, (_, u, _) in heights.items()}
    for variant in ("HV", "HS", "HSHV", "HSVV"):  # the push of the marker over k_pist
        screen, u, _ = heights[variant]
        assert sums[variant] == pytest.approx(engraving_force(screen, u)[0].sum() / 1000.0, rel=1e-6)


def test_an_elementary_eeshco_has_many_states_of_rest():
    """Any heights of the same sum, with masses where their columns want them, stay where they are [fig. 7.25]."""
    bare = Screen(shape=9, spacing=1.0, law=ScreenLaw(0, 0, 0, 0), edges="free", pistons=Pistons(stiffness=100.0))
    push = np.eye(1, 9, 4)[0]
    with pytest.raises(InputError, match="nothing holds a mode"):
        static_response(bare, push)
    tip = Engraver(name="tip", points=[[4, 0, 0]], stiffness=5.0, reach=1.0, height=0.5)
    with pytest.raises(InputError, match="many states of rest"):
        rest_heights(bare.replace(engravers=(tip,)))
    rests = []
    for seed in (1, 2):
        start = np.random.default_rng(seed).normal(size=9)
        damped = bare.replace(
            law=ScreenLaw(0, 5.0, 0, 0), mass=1.0, heights=start - start.mean(),
            pistons=Pistons(stiffness=100.0, ground_damping=5.0),
        )  # fmt: skip
        engine = ScreenEngine(damped)
        engine.advance(20000)
        rests.append(engine.heights())
        engine.advance(1000)
        # all has decayed by e^(−200 s × 2.5/s) or faster; 21 000 steps round at the size of heights
        assert engine.heights() == pytest.approx(rests[-1], abs=21000 * EPS)
        assert rests[-1].sum() == pytest.approx(0.0, abs=9 * 21000 * EPS)
    assert np.abs(rests[0] - rests[1]).max() > 0.1
    held = transfer(bare.pistons, 0.0, 0.0, [axis_eigenvalues(9, "free")])
    assert held[0] == pytest.approx(1 / 100.0)  # the sum alone is held
    assert np.isinf(held[1:]).all()


# Engravers


def plain_steps(screen, steps):
    """Step a screen by the matrix A and the law of buffers, pin by pin."""
    A = laplacian(screen.shape, screen.edges)
    ks, zs, kv, zv = screen.law
    m, T = screen.mass, screen.step
    now = np.zeros(screen.count)
    before = now.copy()
    places = np.stack(np.meshgrid(*map(np.arange, screen.shape), indexing="ij"), -1).reshape(screen.count, -1)
    for n in range(steps):
        f = -ks * now - kv * A @ now - (zs * (now - before) + zv * A @ (now - before)) / T
        for e in screen.engravers:
            at, old = (screen.locate(e.at([t])[0]) for t in (n * T, (n - 1) * T))
            for g, o in zip(at, old, strict=True):
                h, u = now - e.height, before - e.height
                d = np.sqrt((((places - g) * screen.spacing) ** 2).sum(1) + h**2)
                was = np.sqrt((((places - o) * screen.spacing) ** 2).sum(1) + u**2)
                f += np.where(d < e.reach, (e.stiffness * (e.reach - d) - e.damping * (d - was) / T) * h / d, 0.0)
        now, before = 2 * now - before + T**2 / m * f, now
    return now.reshape(screen.shape)


def engraved(shape, edges="fixed", seed=0):
    rng = np.random.default_rng(seed)
    middle = 0.5 * (np.array(shape) - 1)
    points = np.zeros((8, 5, 3))
    points[..., : len(shape)] = 0.1 * (middle + rng.uniform(-0.6, 0.6, (8, 5, len(shape))) * middle)
    engraver = Engraver(name="tip", points=points, rate=25.0, stiffness=20.0, damping=0.2, reach=0.32, height=-0.15)
    law = ScreenLaw(10.0, 0.2, 20.0, 0.1)
    return Screen(shape=shape, spacing=0.1, law=law, mass=0.05, frequency=100.0, edges=edges, engravers=(engraver,))


@pytest.mark.parametrize("edges", ["fixed", "free"])
@pytest.mark.parametrize("shape", [(60,), (24, 37), (7, 8, 9)])
def test_engraving_is_the_law_of_buffers(shape, edges):
    screen = engraved(shape, edges)
    engine = ScreenEngine(screen)
    engine.advance(25)
    exact = plain_steps(screen, 25)
    assert np.abs(exact).max() > 0.02  # they do press
    # sums in another order: some 100 roundings a step at the size of heights, which the damped screen does not amplify
    assert np.abs(engine.heights() - exact).max() < 25 * 100 * EPS * np.abs(exact).max()


def test_any_number_of_threads_gives_the_same_bits():
    found = []
    for count in (1, 2):
        with threads(count):
            engine = ScreenEngine(engraved((70, 40), seed=2))
            engine.advance(40)
            found.append(engine.heights())
    assert (found[0] == found[1]).all()


def test_a_screen_at_rest_is_one_that_has_settled():
    screen = engraved((21, 17))
    tip = screen.engravers[0]
    still = Engraver(name="tip", points=tip.points[3], stiffness=20.0, reach=0.32, height=-0.15)
    screen = screen.replace(engravers=(still,), law=ScreenLaw(10.0, 1.5, 20.0, 0.1))
    engine = ScreenEngine(screen)
    engine.advance(1000)  # decays within 0.1 s: 10 s leave rounding only
    found = rest_heights(screen)
    force, _, _ = engraving_force(screen, found)
    assert np.abs(force - 10.0 * found - 20.0 * (laplacian(screen.shape, "fixed") @ found.ravel()).reshape(found.shape)
                  ).max() <= 1e-10 * np.abs(force).max()  # fmt: skip
    assert found == pytest.approx(engine.heights(), abs=1e-9)


def test_what_engraves_is_pushed_back():
    """What pins do to a point is the slope of the energy of its buffers: the whole energy stays."""
    point = Engraver(
        name="ball",
        points=[[1.03, 0.98, 0.0]],
        stiffness=30.0,
        reach=0.5,
        height=-0.2,
        mass=0.4,
        velocity=(0.3, 0.1, 0),
    )
    screen = Screen(shape=(21, 21), spacing=0.1, law=ScreenLaw(40.0, 0, 10.0, 0), mass=0.05, engravers=(point,))
    drifts = []
    for frequency in (400.0, 800.0):
        engine = ScreenEngine(screen.replace(frequency=frequency))
        start = whole_energy(engine)
        for _ in range(int(frequency)):
            engine.advance()
        assert np.abs(engine.positions()["ball"][0] - [1.33, 1.08, 0.0]).max() > 0.1  # where it would fly freely
        drifts.append(abs(whole_energy(engine) - start) / start)
    assert drifts[0] < 0.01
    assert drifts[1] < 0.6 * drifts[0]  # velocities are taken half a step late: the energy errs with the step


@pytest.mark.parametrize("law", ["C", "IV", "V"])
def test_a_screen_dresses_what_no_mode_moves(law):
    """Two-way runs of 1 s against the free flight of the marker, kept and not kept by (3.37) for the stiffest mode."""
    errors = {}
    for mass in (1.0, 100.0):
        point = Engraver(name="tip", points=[[0.3, 0, 0.5]], stiffness=40.0, damping=0.2, reach=0.08, height=0.05,
                         mass=mass, velocity=(0.4, 0, 0))  # fmt: skip
        screen = Screen(shape=(101, 101), spacing=0.01, axes="xz", law=law, mass=0.05, engravers=(point,))
        longest = longest_dressing(screen, mass)
        cells = [
            MarkerOnCell(marker_mass=mass, contact_stiffness=40.0, cell_mass=0.05, cell_stiffness=k).longest
            for k in screen.links[0]
            + np.array([screen_eigenvalues(screen)[j, j] for j in (0, 50, 100)]) * screen.links[2]
        ]
        assert longest[[0, 50, 100], [0, 50, 100]] == pytest.approx(cells)
        rec = mf.simulate(screen, t1=1.0)
        free = 0.4 * rec.time("tip.position")
        errors[longest.min() > 1.0] = np.linalg.norm(rec["tip.position"][:, 0, 0] - 0.3 - free) / np.linalg.norm(free)
    assert errors[True] < 0.1 < 0.5 < errors[False]


def whole_energy(engine):
    screen = engine.screen
    mover = engine._masses[0]
    speed = (mover.now - mover.before) * screen.frequency
    at = screen.replace(engravers=(Engraver(name="b", points=mover.now, stiffness=30.0, reach=0.5, height=-0.2),))
    buffers = engraving_force(at, engine.heights())[2]
    return sum(engine.energies()) + 0.5 * 0.4 * float((speed**2).sum()) + buffers


def test_marked_and_unmarked_slowly():
    """Row 3: a soft engraver marks with (z_s + z_M)/(k_s + k_M), and the mark fades with z_s/k_s."""
    tip = Engraver(name="tip", points=[[0.5, 0, 0]], stiffness=10.0, damping=2.0, reach=0.2, height=-0.1)
    screen = Screen(shape=11, spacing=0.1, law=EXPERIMENTS[3].law, frequency=1000.0, engravers=(tip,))
    engine, trace = ScreenEngine(screen), []
    for _ in range(2000):
        engine.advance()
        trace.append(engine.heights()[5])
    # right over the tip d = ω + 0.1: (z_s + z_M) ω̇ + (k_s + k_M) ω = k_M 0.1
    t = np.arange(1, 2001) * 1e-3
    assert trace == pytest.approx(0.05 * (1 - np.exp(-t * 20 / 12)), abs=0.05 * 2e-3)  # step over time constant


def test_stability_of_the_engraved_cell():
    """(1, 1) with (0.5, 0.3) or (2.1, 0) is outside, with (0.5, 0) inside [§8.4.2.3]."""
    for K, Z, stable in ((0.5, 0.3, False), (2.1, 0.0, False), (0.5, 0.0, True)):
        tip = Engraver(name="tip", points=[[0.2, 0, 0]], stiffness=K, damping=Z, reach=0.05, height=-0.01)
        found = assess_screen(Screen(shape=5, spacing=0.1, law="C", mass=1.0, frequency=1.0, engravers=(tip,)))
        assert found.verdict == ("stable" if stable else "unstable when engraved")
        assert found.bound == pytest.approx(3 + K + 2 * Z)
        assert (found.engraver, found.pin) == ("tip", (2,))


def test_points_far_above_one_another_are_counted_apart():
    """A pin is within reach of points whose heights differ by two reaches at most."""
    for height, touching in ((0.25, 2), (0.29, 2), (0.7, 1)):
        tip = Engraver(name="tip", points=[[0.2, 0.1, 0.2], [0.2, 0.1 + height, 0.2]], stiffness=0.5, reach=0.15,
                       height=None)  # fmt: skip
        screen = Screen(shape=(5, 5), spacing=0.1, axes="xz", law="S", mass=1.0, frequency=1.0, engravers=(tip,))
        assert assess_screen(screen).marked[0] == pytest.approx(0.5 * touching)


def test_the_triangle_decides_what_grows():
    rng = np.random.default_rng(8)
    start = rng.normal(size=12)
    for _ in range(40):
        segment = ModeSegment(tuple(rng.uniform((-0.1, -0.1), (3, 2))), tuple(rng.uniform((-0.1, -0.1), (4.5, 2.2))))
        screen = Screen(shape=12, spacing=1.0, law=segment, heights=start)
        points = modal_points(screen)
        radius = max(np.abs(np.roots([1, K + Z - 2, 1 - Z])).max() for K, Z in points)
        if abs(radius - 1) < 0.005:
            continue  # 3000 samples do not tell
        engine = ScreenEngine(screen)
        with np.errstate(all="ignore"):
            engine.advance(3000)
            grown = not np.abs(engine.heights()).max() < 1e3
        assert grown == (radius > 1)
        assert grown == (assess_screen(screen).verdict == "unstable")


def test_eigenvalues_along_an_axis():
    assert axis_eigenvalues(3, "fixed") == pytest.approx(2 - 2 * np.cos(np.arange(1, 4) * np.pi / 4))
    assert axis_eigenvalues(3, "free") == pytest.approx(2 - 2 * np.cos(np.arange(3) * np.pi / 3))


@pytest.mark.parametrize("way", ["function", "samples", "network"])
def test_points_that_move_at_the_start_moved_before_it(way):
    """Their velocity counts in the first step, too: as points of given velocity that are too heavy to be pushed."""
    place, velocity = np.array([[0.21, 0.0, 0.17]]), np.array([0.4, 0.0, -0.3])
    given = {"stiffness": 30.0, "damping": 0.4, "reach": 0.12, "height": 0.05}
    plain = Screen(shape=(6, 6), spacing=0.1, axes="xz", law="IV", mass=0.05)
    heavy = Engraver(name="tip", points=place, mass=1e12, velocity=velocity, **given)
    wanted = ScreenEngine(plain.replace(engravers=(heavy,)))
    if way == "network":
        b = mf.NetworkBuilder(frequency=200.0)
        b.masses("tip", place, mass=1.0, velocity=velocity)
        tip = Engraver(name="tip", points=Follow("tip"), **given)
        rec = mf.simulate(Screens({"soil": plain.replace(engravers=(tip,))}, b.build()), t1=0.02, rate=100.0)
        wanted.advance(2)
        found = rec["soil.heights"][2]
    else:
        at = (
            (lambda t: place + t * velocity)
            if way == "function"
            else place + velocity * np.arange(9)[:, None, None] / 70
        )
        tip = Engraver(name="tip", points=at, rate=None if way == "function" else 70.0, **given)
        engine = ScreenEngine(plain.replace(engravers=(tip,)))
        engine.advance(2)
        wanted.advance(2)
        found = engine.heights()
    # Places differ by roundings, of which velocities have the hundredfold; nothing here amplifies them.
    assert np.abs(found).max() > 1e-4
    np.testing.assert_allclose(found, wanted.heights(), rtol=0, atol=1e4 * EPS)
