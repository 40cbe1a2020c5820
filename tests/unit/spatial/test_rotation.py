"""Conventions and accuracy of rotations. u = 1.1e-16 is half a rounding of float64, eps = 2u."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from motiform.base.errors import InputError, MotiformError
from motiform.spatial import (
    cardan_from_rotation,
    cayley,
    check_rotation,
    conjugate,
    euler_from_rotation,
    exp_quaternion,
    exp_rotation,
    log_quaternion,
    log_rotation,
    multiply_quaternions,
    nearest_rotation,
    normalize_quaternion,
    quaternion_from_rotation,
    random_rotation,
    rotate,
    rotation_about,
    rotation_from_cardan,
    rotation_from_euler,
    rotation_from_quaternion,
    skew,
    slerp,
)

EPS = np.finfo(float).eps
X, Y, Z = np.eye(3)
S = np.sqrt(0.5)
SEQUENCES = ["".join(p) for p in product("xyz", repeat=3) if p[0] != p[1] and p[1] != p[2]]


@pytest.fixture
def turns() -> np.ndarray:
    return random_rotation(np.random.default_rng(7), 200)


def orthogonality(R: np.ndarray) -> float:
    return float(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max())


# ------------------------------------------------------------------ conventions


def test_a_positive_quarter_turn_is_right_handed_and_active() -> None:
    for (a, b), axis in zip([(Y, Z), (Z, X), (X, Y)], "xyz", strict=True):
        assert_allclose(rotation_about(axis, np.pi / 2) @ a, b, atol=EPS)


def test_quaternions_are_w_first() -> None:
    assert_allclose(exp_quaternion([np.pi / 2, 0, 0]), [S, S, 0, 0], atol=EPS)
    assert_allclose(quaternion_from_rotation(rotation_about("z", np.pi / 2)), [S, 0, 0, S], atol=EPS)
    assert_allclose(rotation_from_quaternion([S, 0, S, 0]), rotation_about("y", np.pi / 2), atol=2 * EPS)


def test_a_product_turns_by_the_right_factor_first(turns: np.ndarray) -> None:
    a, b = turns[:100], turns[100:]
    qa, qb = quaternion_from_rotation(a), quaternion_from_rotation(b)
    # each entry is a sum of few products of numbers below 1: under 10 roundings
    assert_allclose(rotation_from_quaternion(multiply_quaternions(qa, qb)), a @ b, atol=10 * EPS)
    v = np.array([1.0, -2.0, 0.5])
    assert_allclose(rotate(multiply_quaternions(qa, qb), v), rotate(qa, rotate(qb, v)), atol=40 * EPS)
    assert_allclose(rotate(qa, v), a @ v, atol=20 * EPS)


def test_the_conjugate_turns_back(turns: np.ndarray) -> None:
    q = quaternion_from_rotation(turns)
    assert_allclose(multiply_quaternions(q, conjugate(q)), np.broadcast_to([1.0, 0, 0, 0], q.shape), atol=4 * EPS)
    assert_allclose(rotation_from_quaternion(conjugate(q)), np.swapaxes(turns, 1, 2), atol=10 * EPS)


def test_skew_is_the_cross_product() -> None:
    v, u = np.array([[1.0, 2, 3], [-1, 0, 4]]), np.array([0.3, -0.2, 0.9])
    assert_allclose(skew(v) @ u, np.cross(v, u), rtol=0, atol=0)


@pytest.mark.parametrize("axes", SEQUENCES)
@pytest.mark.parametrize("fixed", [False, True])
def test_euler_order_agrees_with_scipy(axes: str, fixed: bool, turns: np.ndarray) -> None:
    angles = euler_from_rotation(turns, axes, fixed=fixed)
    theirs = Rotation.from_euler(axes if fixed else axes.upper(), angles).as_matrix()  # scipy: capitals are intrinsic
    assert_allclose(rotation_from_euler(angles, axes, fixed=fixed), theirs, atol=10 * EPS)
    assert_allclose(theirs, turns, atol=20 * EPS)
    middle = angles[:, 1]
    low, high = (0, np.pi) if axes[0] == axes[2] else (-np.pi / 2, np.pi / 2)
    assert (middle >= low).all()
    assert (middle <= high).all()


def test_intrinsic_and_fixed_are_each_other_reversed() -> None:
    angles = np.array([0.3, -0.7, 1.1])
    R = rotation_about("z", 0.3) @ rotation_about("y", -0.7) @ rotation_about("x", 1.1)
    assert_allclose(rotation_from_euler(angles, "zyx"), R, atol=2 * EPS)
    assert_allclose(rotation_from_euler(angles[::-1], "xyz", fixed=True), R, atol=2 * EPS)
    assert_allclose(rotation_from_cardan(angles), R, atol=2 * EPS)  # Rz Ry Rx of spec/humans.md §2
    assert_allclose(cardan_from_rotation(R), angles, atol=4 * EPS)
    assert_allclose(rotation_from_euler([0.3], "z"), rotation_about("z", 0.3), atol=0)


@pytest.mark.parametrize("axes", SEQUENCES)
@pytest.mark.parametrize("away", [0.0, 1e-15, 1e-12, 1e-9, 1e-8, 1e-4])
def test_gimbal_lock_still_gives_the_rotation_back(axes: str, away: float) -> None:
    locks = (0.0, np.pi) if axes[0] == axes[2] else (-np.pi / 2, np.pi / 2)
    for lock in locks:
        R = rotation_from_euler([0.4, lock + away, -1.3], axes)
        assert_allclose(rotation_from_euler(euler_from_rotation(R, axes), axes), R, atol=10 * EPS)


# ------------------------------------------------------------------ accuracy


def test_exp_agrees_with_the_matrix_exponential() -> None:
    for v in np.random.default_rng(1).standard_normal((20, 3)) * 2:
        assert_allclose(exp_rotation(v), expm(skew(v)), atol=50 * EPS)  # Padé of scipy carries tens of roundings


@pytest.mark.parametrize("angle", [0.0, 5e-324, 1e-310, 1e-200, 1e-160, 1e-100, 1e-20, 1e-9, 1e-8, 1e-7, 1e-4, 0.1])
def test_log_keeps_all_digits_near_zero(angle: float) -> None:
    axis = np.array([0.6, -0.48, 0.64])
    v = angle * axis
    # off-diagonal entries are v to a relative rounding, and stay so through the quaternion; half a subnormal is lost
    assert_allclose(log_rotation(exp_rotation(v)), v, rtol=20 * EPS, atol=2e-323)
    assert_allclose(log_quaternion(exp_quaternion(v)), v, rtol=8 * EPS, atol=2e-323)


@pytest.mark.parametrize("short", [0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3, 0.1])
@pytest.mark.parametrize("axis", [X, Y, Z, -Z, np.array([0.6, -0.48, 0.64]), np.array([1e-9, 1.0, 1e-5])])
def test_log_keeps_all_digits_near_half_a_turn(short: float, axis: np.ndarray) -> None:
    axis = axis / np.linalg.norm(axis)
    v = (np.pi - short) * axis
    found = log_rotation(exp_rotation(v))
    if short < 1e-12:
        found = found * np.sign(found @ v)  # at half a turn both signs are the same rotation
    assert_allclose(
        found, v, atol=20 * EPS * np.pi
    )  # the entries of R carry a few roundings; log is not stretching them
    assert np.linalg.norm(found) <= np.pi * (1 + 2 * EPS)


def test_log_and_exp_are_inverse_everywhere(turns: np.ndarray) -> None:
    assert_allclose(exp_rotation(log_rotation(turns)), turns, atol=20 * EPS)
    assert_allclose(log_rotation(turns), Rotation.from_matrix(turns).as_rotvec(), atol=40 * EPS)


def test_conversions_round_trip_in_batches(turns: np.ndarray) -> None:
    R = turns.reshape(4, 50, 3, 3)
    q = quaternion_from_rotation(R)
    assert q.shape == (4, 50, 4)
    assert (q[..., 0] >= 0).all()
    assert_allclose(rotation_from_quaternion(q), R, atol=10 * EPS)
    assert_allclose(np.linalg.norm(q, axis=-1), 1.0, atol=2 * EPS)


@pytest.mark.parametrize("size", [1e-300, 5e-324, 1e-160, 1.0, 1e150, 1e300])
def test_normalize_neither_over_nor_underflows(size: float) -> None:
    assert_allclose(normalize_quaternion([0, 0, -size, 0]), [0, 0, -1, 0], atol=0)
    if size > 1e-310:
        assert_allclose(normalize_quaternion(np.array([3, 0, 4, 0]) * (size / 8)), [0.6, 0, 0.8, 0], atol=2 * EPS)


def test_cayley_is_its_formula_and_near_exp() -> None:
    for v in np.random.default_rng(2).standard_normal((20, 3)):
        half = skew(v) / 2
        assert_allclose(cayley(v), np.linalg.solve(np.eye(3) - half, np.eye(3) + half), atol=20 * EPS)
    v = 1e-2 * np.array([0.6, -0.48, 0.64])
    # the angles differ by θ − 2 atan(θ/2) = θ³/12 − θ⁵/80…; the entries of R by no more
    assert np.abs(cayley(v) - exp_rotation(v)).max() <= 1e-6 / 12
    assert orthogonality(cayley(1e200 * X + Y)) <= 4 * EPS


# ------------------------------------------------------------------ slerp


def test_slerp_turns_at_constant_speed_between_its_ends() -> None:
    q0, q1 = exp_quaternion([0.1, 0.2, -0.3]), exp_quaternion([1.0, -0.4, 0.2])
    t = np.linspace(-0.5, 1.5, 21)
    q = slerp(q0, q1, t)
    steps = log_quaternion(multiply_quaternions(conjugate(q[:-1]), q[1:]))
    assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=20 * EPS)
    assert_allclose(slerp(q0, q1, 0.0), q0, atol=2 * EPS)
    assert_allclose(slerp(q0, q1, 1.0), q1, atol=8 * EPS)


def test_slerp_takes_the_short_way_unless_asked() -> None:
    q0, q1 = np.array([1.0, 0, 0, 0]), exp_quaternion([0, 0, 1.0])
    assert_allclose(slerp(q0, -q1, 0.5), slerp(q0, q1, 0.5), atol=2 * EPS)
    # the long way round to −q1 turns by −(2π − 1): halfway that is ½ − π about z
    assert_allclose(log_quaternion(slerp(q0, -q1, 0.5, shortest=False)), [0, 0, 0.5 - np.pi], atol=8 * EPS)


@pytest.mark.parametrize("small", [0.0, 1e-300, 1e-17, 1e-12, 1e-8, 1e-4])
def test_slerp_near_equal_and_near_antipodal(small: float) -> None:
    q0 = exp_quaternion([0.3, -1.0, 0.5])
    step = exp_quaternion([small, 0.0, 0.0])
    for sign in (1.0, -1.0):
        q1 = sign * multiply_quaternions(q0, step)
        middle = slerp(q0, q1, 0.25)
        assert_allclose(log_quaternion(multiply_quaternions(conjugate(q0), middle)), [small / 4, 0, 0], atol=8 * EPS)
        long = slerp(q0, q1, np.linspace(0, 1, 5), shortest=False)
        assert_allclose(np.linalg.norm(long, axis=-1), 1.0, atol=4 * EPS)
        assert_allclose(long[-1], q1, atol=8 * EPS)


def test_slerp_half_a_turn_apart() -> None:
    q0, q1 = np.array([1.0, 0, 0, 0]), np.array([0.0, 0, 1.0, 0])
    assert_allclose(rotation_from_quaternion(slerp(q0, q1, 0.5)) @ X, -Z, atol=4 * EPS)


# ------------------------------------------------------------------ nearest, random


def test_nearest_rotation_undoes_a_stretch(turns: np.ndarray) -> None:
    stretch = np.array([[1.1, 0.05, 0], [0.05, 0.9, -0.02], [0, -0.02, 1.05]])  # symmetric, positive definite
    assert_allclose(nearest_rotation(turns @ stretch), turns, atol=30 * EPS)
    assert_allclose(nearest_rotation(1e-200 * turns), turns, atol=30 * EPS)


def test_nearest_rotation_beats_every_other(turns: np.ndarray) -> None:
    A = np.diag([1.0, 0.5, -0.2]) + 0.01
    best = np.linalg.norm(nearest_rotation(A) - A)
    assert np.linalg.det(nearest_rotation(A)) == pytest.approx(1.0)
    assert (np.linalg.norm(turns - A, axis=(1, 2)) >= best).all()
    around = nearest_rotation(A) @ exp_rotation(1e-3 * np.random.default_rng(0).standard_normal((100, 3)))
    assert (np.linalg.norm(around - A, axis=(1, 2)) >= best).all()


def test_random_rotations_are_uniform() -> None:
    n = 20_000
    R = random_rotation(np.random.default_rng(3), n)
    assert orthogonality(R) <= 10 * EPS
    # over all orientations each entry has mean 0 and variance 1/3; five standard deviations of the mean
    assert np.abs(R.mean(axis=0)).max() <= 5 * np.sqrt(1 / 3 / n)
    # the angle has density (1 − cos θ)/π: mean π/2 + 2/π, variance below 0.5
    angle = np.linalg.norm(log_rotation(R), axis=1)
    assert abs(angle.mean() - (np.pi / 2 + 2 / np.pi)) <= 5 * np.sqrt(0.5 / n)
    assert random_rotation(np.random.default_rng(3)).shape == (3, 3)


# ------------------------------------------------------------------ rejections


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: normalize_quaternion([0, 0, 0, 0]), "a quaternion must have a length above 0"),
        (lambda: normalize_quaternion([1, 0, 0]), r"got \(3,\); allowed: numbers of shape \(\.\.\., 4\)"),
        (lambda: exp_rotation([np.nan, 0, 0]), r"the number at index \[0\]"),
        (lambda: exp_rotation([1e300, 0, 0]), "the angle is too large"),
        (lambda: skew("abc"), "must be an array of numbers"),
        (lambda: skew([True, False, True]), "must be an array of numbers"),
        (lambda: skew([[1, 2, 3], [1, 2]]), "must be an array of numbers"),
        (lambda: rotation_from_euler([1, 2, 3], "zzx"), "successive turns must be about different axes"),
        (lambda: rotation_from_euler([1, 2, 3], "zyw"), "unknown axes"),
        (lambda: rotation_from_euler([1, 2], "zyx"), "the array has the wrong shape"),
        (lambda: euler_from_rotation(np.eye(3), "zy"), "allowed: 3 of the letters x, y, z"),
        (lambda: check_rotation(np.diag([1.0, 1.0, -1.0])), "the matrix must not mirror"),
        (lambda: check_rotation(np.eye(3) * 1.01), r"must be a rotation .* Use nearest_rotation"),
        (lambda: nearest_rotation(np.zeros((3, 3))), "the matrix has no nearest rotation"),
        (lambda: nearest_rotation(-np.eye(3)), "the matrix has no nearest rotation"),
    ],
)
def test_rejections_say_why(call: object, text: str) -> None:
    with pytest.raises(InputError, match=text):
        call()  # type: ignore[operator]


anything = st.one_of(
    arrays(np.float64, array_shapes(max_dims=3, max_side=4), elements=st.floats(width=64)),
    arrays(np.float64, st.sampled_from([(3,), (4,), (2, 3), (5, 4), (3, 3), (2, 3, 3)]), elements=st.floats(-1e6, 1e6)),
    st.lists(st.integers() | st.text() | st.none(), max_size=4),
)


@given(anything)
def test_any_input_gives_a_rotation_or_a_motiform_error(value: object) -> None:
    for function in (exp_rotation, cayley, rotation_from_quaternion, nearest_rotation, rotation_from_cardan):
        try:
            R = function(value)  # type: ignore[operator]
        except MotiformError:
            continue
        if R.size:
            assert orthogonality(R) <= 40 * EPS
            assert np.linalg.det(R).min() > 0


def test_logarithms_of_what_is_not_of_length_one() -> None:
    # Normalising is exact for powers of two; the small angle shows that the length is taken out.
    assert_allclose(log_quaternion([2.0, 2e-200, 0.0, 0.0]), [2e-200, 0.0, 0.0], rtol=8 * EPS)
    with pytest.raises(InputError, match="a quaternion must have a length above 0"):
        log_quaternion(np.zeros(4))
    for matrix in (2 * np.eye(3), np.diag([1.0, 1.0, -1.0]), np.eye(3) + 1e-5):
        with pytest.raises(InputError, match=r"must be a rotation|must not mirror"):
            log_rotation(matrix)
