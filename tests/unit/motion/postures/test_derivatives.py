import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from models import free_body
from motiform import FigureBuilder, joints
from motiform.base.errors import InputError
from motiform.motion import tree
from motiform.motion.postures.derivatives import smooth, velocities
from motiform.spatial import exp_quaternion, multiply_quaternions, random_rotation, rotation_from_quaternion

RATE, CUTOFF = 100.0, 6.0  # Hz
H = 1.0 / RATE
EPS = np.finfo(float).eps


def hinge():
    b = FigureBuilder()
    b.segment(
        "arm", None, joints.revolute(axis=(0, 0, 1)), mass=1.0, com=(0, -0.2, 0), inertia=np.diag([0.1, 0.1, 0.1])
    )
    return b.build()


def gain(f):
    """Amplitude after both passes: 1 / (1 + (√2 − 1) (Ω/Ωc)⁴), Ω = tan(π f / rate), half power at the cutoff."""
    return 1.0 / (1.0 + (np.sqrt(2) - 1) * (np.tan(np.pi * f * H) / np.tan(np.pi * CUTOFF * H)) ** 4)


def spline_symbols(theta):
    """First and second derivative of the quintic spline through exp(i θ n), times the step.

    From the values of the B-spline of degree 5 and its derivatives at whole numbers: (1, 26, 66, 26, 1)/120,
    (1, 10, 0, −10, −1)/24, (1, 2, −6, 2, 1)/6.
    """
    value = (66 + 52 * np.cos(theta) + 2 * np.cos(2 * theta)) / 120
    first = (20 * np.sin(theta) + 2 * np.sin(2 * theta)) / 24
    second = (-6 + 4 * np.cos(theta) + 2 * np.cos(2 * theta)) / 6
    return first / value, second / value


@pytest.mark.parametrize("f", [0.7, 2.0, 6.0])
def test_a_sinusoid_is_damped_and_differentiated_as_computed_by_hand(f):
    t = np.arange(600) * H
    figure, w = hinge(), 2 * np.pi * f
    q, v, a = velocities(figure, t, np.sin(w * t)[:, None], cutoff=CUTOFF)
    first, second = spline_symbols(w * H)
    inside = slice(200, 400)  # what the ends leave has died out: its pole decays as exp(−34 t), e⁻⁶⁸ after 2 s
    # Sums of some 100 rounded terms, times 1/h for each derivative.
    assert_allclose(q[inside, 0], gain(f) * np.sin(w * t[inside]), atol=1e3 * EPS)
    assert_allclose(v[inside, 0], gain(f) * first / H * np.cos(w * t[inside]), atol=1e3 * EPS / H)
    assert_allclose(a[inside, 0], gain(f) * second / H**2 * np.sin(w * t[inside]), atol=1e4 * EPS / H**2)
    # The spline itself errs by θ⁶/5040 (first) and θ⁴/720 (second derivative), and terms of higher order.
    assert abs(first / (w * H) - 1) <= 1.2 * (w * H) ** 6 / 5040
    assert abs(second / (w * H) ** 2 + 1) <= 1.2 * (w * H) ** 4 / 720


def test_without_a_filter_polynomials_of_degree_five_are_exact():
    t = np.linspace(0.0, 1.0, 41)
    p = np.polynomial.Polynomial([0.1, -0.3, 0.5, 0.2, -0.4, 0.3])
    q, v, a = velocities(hinge(), t, p(t)[:, None], cutoff=None)
    assert_array_equal(q[:, 0], p(t))
    # Rounding ε of values, over h and h², times the norm of one-sided formulas of order five (below 300).
    assert_allclose(v[:, 0], p.deriv(1)(t), atol=300 * EPS / t[1])
    assert_allclose(a[:, 0], p.deriv(2)(t), atol=300 * EPS / t[1] ** 2)


def test_a_steady_motion_passes_the_filter_up_to_its_ends():
    t = np.arange(50) * H
    q, v, a = velocities(hinge(), t, 3.0 * t[:, None] + 1.0, cutoff=CUTOFF)
    assert_allclose(q[:, 0], 3 * t + 1, atol=1e3 * EPS)
    assert_allclose(v[:, 0], 3.0, atol=1e3 * EPS / H)
    assert_allclose(a[:, 0], 0.0, atol=1e4 * EPS / H**2)


def test_angles_that_jump_by_a_turn_are_unwrapped():
    t = np.arange(200) * H
    q = 2.0 * t[:, None] * np.pi
    jumped = (q + np.pi) % (2 * np.pi) - np.pi
    smooth_q, v, _ = velocities(hinge(), t, jumped, cutoff=CUTOFF)
    assert_allclose(v, 2 * np.pi, atol=1e3 * EPS / H)
    assert_allclose(smooth_q - smooth_q[0], q - q[0], atol=1e4 * EPS)


def spinning(t, w=(0.4, -2.0, 5.0)):
    start = np.array([0.1, -0.5, 0.7, 0.5]) / np.linalg.norm([0.1, -0.5, 0.7, 0.5])
    turned = multiply_quaternions(start, exp_quaternion(np.outer(t, w)))
    place = np.stack([0.3 + 2 * t, 1.0 - t, 0.5 * t], axis=1)
    return np.concatenate([place, turned], axis=1), np.array(w)


@pytest.mark.parametrize("flips", [False, True])
def test_a_body_that_spins_evenly_has_a_constant_spin_in_its_axes(flips):
    t = np.arange(400) * H
    q, w = spinning(t)
    if flips:
        q[::3, 3:] *= -1
    figure = free_body(mass=2.0, inertia=(0.1, 0.15, 0.2))
    moved, v, a = velocities(figure, t, q, cutoff=CUTOFF)
    inside = slice(120, 280)  # exp(−34 · 1.2) = 2e-18 of what the ends do
    theta = np.linalg.norm(w) / 2 * H  # a quaternion turns by half the angle
    first, _ = spline_symbols(theta)
    # All four numbers are damped alike, so that the direction of ω is exact and its size is the spline's.
    assert_allclose(v[inside, :3], np.broadcast_to(w * first / theta, (160, 3)), atol=1e3 * EPS / H)
    assert_allclose(a[inside, :3], 0.0, atol=1e4 * EPS / H**2)
    world = (rotation_from_quaternion(q[inside, 3:]) @ v[inside, 3:, None])[..., 0]
    assert_allclose(world, np.broadcast_to([2.0, -1.0, 0.5], (160, 3)), atol=1e3 * EPS / H)
    assert_allclose(np.linalg.norm(moved[:, 3:], axis=1), 1.0, atol=4 * EPS)
    # The acceleration of the origin is zero: that of v in turning axes is −ω × v.
    acceleration = tree.motion(figure, moved[inside], v[inside], a[inside]).accelerations[:, 0, 3:]
    assert_allclose(acceleration, 0.0, atol=1e4 * EPS / H**2)


def test_the_axes_in_which_rotations_are_given_do_not_matter():
    rng = np.random.default_rng(4)
    t = np.arange(150) * H
    angles = np.cumsum(rng.normal(size=(150, 3)), axis=0) * 0.05
    turned = exp_quaternion(angles)
    q = np.concatenate([np.zeros((150, 3)), turned], axis=1)
    S = random_rotation(rng)
    from motiform.spatial import quaternion_from_rotation

    other = np.concatenate([np.zeros((150, 3)), multiply_quaternions(quaternion_from_rotation(S), turned)], axis=1)
    one, two = (velocities(free_body(mass=2.0, inertia=(0.1, 0.15, 0.2)), t, x, cutoff=CUTOFF) for x in (q, other))
    # World axes do not enter ω in the body's axes; rounding ε of quaternions over h, h².
    assert_allclose(two.v[:, :3], one.v[:, :3], atol=1e3 * EPS / H)
    assert_allclose(two.a[:, :3], one.a[:, :3], atol=1e4 * EPS / H**2)


def test_velocities_are_those_of_the_configuration():
    """Along a smooth random motion of a free body with arms, q advances by v: checked by central differences."""
    b = FigureBuilder()
    solid = {"mass": 1.0, "com": (0, 0.1, 0), "inertia": np.diag([0.1, 0.1, 0.1])}
    b.segment("body", None, joints.free(), **solid)
    b.segment("ball", "body", joints.spherical(), **solid)
    b.segment("hinge", "ball", joints.revolute(axis=(0, 1, 0)), **solid)
    figure = b.build()
    h = 1e-3
    t = np.arange(2001) * h
    at = np.arange(1, 4)
    wave = [np.sin(np.outer(t, at * k) + k) for k in (1.0, 1.3, 0.7, 0.9)]
    q = np.concatenate([wave[0], exp_quaternion(wave[1]), exp_quaternion(wave[2]), wave[3][:, :1]], axis=1)
    moved = velocities(figure, t, q, cutoff=None)
    rate = tree.configuration_rate(figure, q, moved.v)
    central = (q[2:] - q[:-2]) / (2 * h)
    third = 4.0**3 * 4  # rad/s³: bound of the third derivative of what turns and shifts with up to 4 rad/s
    assert_allclose(rate[1:-1], central, atol=h**2 / 6 * third)
    assert_allclose((moved.v[2:] - moved.v[:-2]) / (2 * h), moved.a[1:-1], atol=h**2 / 6 * third * 8)


def test_gaps_part_the_motion():
    t = np.arange(300) * H
    whole = np.sin(3 * t)[:, None]
    holed = whole.copy()
    holed[100:120] = np.nan
    holed[200], holed[202] = np.nan, np.nan
    found = velocities(hinge(), t, holed, cutoff=CUTOFF)
    alone = velocities(hinge(), t[:100], whole[:100], cutoff=CUTOFF)
    for x, y in zip(found, alone, strict=True):
        assert_array_equal(x[:100], y)
        assert np.isnan(x[100:120]).all()
    assert found.q[201, 0] == whole[201, 0]
    assert np.isnan(found.v[201, 0])  # one sample has no velocity
    assert np.isfinite(found.a[203:]).all()


def test_uneven_times_are_filtered_on_an_even_grid():
    rng = np.random.default_rng(1)
    even = np.arange(400) * H
    t = even + np.concatenate([[0], rng.uniform(-0.2, 0.2, 398) * H, [0]])
    w = 2 * np.pi
    _, v, a = velocities(hinge(), t, np.sin(w * t)[:, None], cutoff=CUTOFF)
    inside = slice(120, 280)
    # Damping as on the even grid, whose step differs by a few parts in a thousand and its gain by less than 1e-5, and
    # the cubic interpolation's 5/384 (w h)⁴, h the widest step, which the derivatives raise by 1/h each.
    wide = 5 / 384 * (1.4 * w * H) ** 4
    assert_allclose(v[inside, 0], gain(1.0) * w * np.cos(w * t[inside]), atol=(1e-5 + 2 * wide / (w * H)) * w)
    assert_allclose(
        a[inside, 0], -gain(1.0) * w**2 * np.sin(w * t[inside]), atol=(1e-5 + 4 * wide / (w * H) ** 2) * w**2
    )


def test_coupled_coordinates_follow():
    b = FigureBuilder()
    solid = {"mass": 1.0, "com": (0, 0.1, 0), "inertia": np.diag([0.1, 0.1, 0.1])}
    b.segment("body", None, joints.free(), **solid)
    b.segment("knee", "body", joints.revolute(axis=(0, 0, 1), name="knee"), **solid)
    b.segment("cap", "knee", joints.revolute(axis=(0, 0, 1), name="cap"), **solid)
    b.couple("cap", "knee", joints.linear(0.5))
    figure = b.build()
    t = np.arange(100) * H
    q = np.concatenate([spinning(t)[0], 2.0 * t[:, None]], axis=1)
    found = velocities(figure, t, q, cutoff=None)
    assert found.v.shape == (100, 7)
    assert_allclose(found.v[:, 6], 2.0, atol=1e3 * EPS / H)


def test_short_runs_and_wrong_input():
    figure = hinge()
    one = velocities(figure, [0.0], [[0.3]])
    assert one.q[0, 0] == 0.3
    assert np.isnan(one.v).all()
    three = velocities(figure, [0.0, 0.1, 0.2], [[0.0], [0.1], [0.4]], cutoff=None)
    assert_allclose(three.a, 20.0, rtol=1e-12)  # the parabola 0.1 + … : second difference 0.2 over 0.1²
    with pytest.raises(InputError, match="cutoff"):
        velocities(figure, np.arange(10) * 0.1, np.zeros((10, 1)), cutoff=6.0)
    with pytest.raises(InputError, match="times must increase"):
        velocities(figure, [0.0, 0.0, 0.1], np.zeros((3, 1)))
    with pytest.raises(InputError, match="q must have nq numbers on its last axis"):
        velocities(figure, [0.0, 0.1], np.zeros((2, 2)))
    with pytest.raises(InputError, match="times"):
        velocities(figure, [0.0, 0.1], np.zeros((3, 1)))


def test_smooth_halves_the_power_at_the_cutoff():
    t = np.arange(800) * H
    wave = np.sin(2 * np.pi * CUTOFF * t)[:, None]
    inside = slice(300, 500)
    assert_allclose(smooth(wave, RATE, CUTOFF)[inside], wave[inside] / np.sqrt(2), atol=1e3 * EPS)
