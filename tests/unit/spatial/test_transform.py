"""Transforms chain by name and keep power."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.spatial import Transform, power, random_rotation, rotation_about

EPS = np.finfo(float).eps


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def some(rng: np.random.Generator, *frames: str, count: int | None = None) -> Transform:
    shape = (3,) if count is None else (count, 3)
    return Transform(random_rotation(rng, count), rng.standard_normal(shape), frames or None)  # type: ignore[arg-type]


def test_it_takes_coordinates_in_the_second_frame_to_the_first() -> None:
    T_world_hand = Transform(rotation_about("z", np.pi / 2), [1, 2, 3], ("world", "hand"))
    assert_allclose(T_world_hand.point([1, 0, 0]), [1, 3, 3], atol=2 * EPS)  # the hand's x axis points along world y
    assert_allclose(T_world_hand.vector([1, 0, 0]), [0, 1, 0], atol=EPS)
    assert_allclose(T_world_hand.point([0, 0, 0]), T_world_hand.translation)


def test_chains_by_name(rng: np.random.Generator) -> None:
    T_world_arm, T_arm_hand = some(rng, "world", "arm"), some(rng, "arm", "hand")
    T_world_hand = T_world_arm @ T_arm_hand
    assert T_world_hand.frames == ("world", "hand")
    assert T_world_hand.inverse().frames == ("hand", "world")
    p = rng.standard_normal((5, 3))
    assert_allclose(T_world_hand.point(p), T_world_arm.point(T_arm_hand.point(p)), atol=30 * EPS)
    assert_allclose(T_world_hand.matrix(), T_world_arm.matrix() @ T_arm_hand.matrix(), atol=10 * EPS)
    with pytest.raises(InputError, match=r"T_arm_hand @ T_world_arm: .*'hand' on the left, 'world' on the right"):
        T_arm_hand @ T_world_arm


def test_unnamed_frames_chain_freely(rng: np.random.Generator) -> None:
    a, b = some(rng, "world", "arm"), some(rng)
    assert (a @ b).frames is None
    assert (b @ a).frames is None
    assert b.named("arm", "hand").frames == ("arm", "hand")
    assert (a @ b.named("arm", "hand")).frames == ("world", "hand")


def test_the_inverse_undoes_it(rng: np.random.Generator) -> None:
    T = some(rng, count=50)
    assert_allclose((T @ T.inverse()).matrix(), np.broadcast_to(np.eye(4), (50, 4, 4)), atol=20 * EPS)
    p = rng.standard_normal((50, 3))
    assert_allclose(T.inverse().point(T.point(p)), p, atol=40 * EPS)


def test_power_does_not_depend_on_the_frame(rng: np.random.Generator) -> None:
    T = some(rng, count=100)
    V, W = rng.standard_normal((2, 100, 6))
    # sums of about 30 products of numbers up to 3 × 3
    assert_allclose(power(T.motion(V), T.force(W)), power(V, W), atol=300 * EPS)


def test_motion_moves_the_reference_point_with_the_right_sign() -> None:
    T = Transform.translation_of([1.0, 0, 0])
    # a body that spins about the vertical axis through (1, 0, 0): the point at the origin goes backward along z… ω × r
    spin = T.motion([0, 1, 0, 0, 0, 0])
    assert_allclose(spin, [0, 1, 0, *np.cross([0, 1, 0], [-1, 0, 0])])
    # a force along y at (1, 0, 0) has the moment r × f = z about the origin
    assert_allclose(T.force([0, 0, 0, 0, 1, 0]), [0, 0, 1, 0, 1, 0])


def test_six_by_six_matrices_do_the_same(rng: np.random.Generator) -> None:
    T, V = some(rng, count=10), rng.standard_normal((10, 6))
    assert_allclose((T.motion_matrix() @ V[..., None])[..., 0], T.motion(V), atol=30 * EPS)
    assert_allclose((T.force_matrix() @ V[..., None])[..., 0], T.force(V), atol=30 * EPS)
    assert_allclose(
        np.swapaxes(T.force_matrix(), 1, 2) @ T.motion_matrix(), np.broadcast_to(np.eye(6), (10, 6, 6)), atol=30 * EPS
    )
    a, b = T[:5], T[5:]
    assert_allclose((a @ b).motion(V[:5]), a.motion(b.motion(V[:5])), atol=100 * EPS)
    assert_allclose((a @ b).force(V[:5]), a.force(b.force(V[:5])), atol=100 * EPS)


def test_constructors_agree(rng: np.random.Generator) -> None:
    T = some(rng, "a", "b")
    for same in (
        Transform.from_quaternion(-2 * T.quaternion, T.translation, ("a", "b")),
        Transform.from_matrix(T.matrix(), ("a", "b")),
        Transform.translation_of(T.translation, ("a", "m")) @ Transform.rotation_of(T.rotation, ("m", "b")),
        T @ Transform.identity(("b", "b")),
    ):
        assert same.frames == ("a", "b")
        assert_allclose(same.matrix(), T.matrix(), atol=10 * EPS)
    turn = Transform.from_euler([0.1, 0.2, 0.3], "zyx", (1, 2, 3))
    assert_allclose(
        turn.rotation, rotation_about("z", 0.1) @ rotation_about("y", 0.2) @ rotation_about("x", 0.3), atol=2 * EPS
    )


def test_it_is_frozen_and_does_not_share_memory() -> None:
    p = np.zeros(3)
    T = Transform(np.eye(3), p)
    p[0] = 1.0
    assert T.translation[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        T.translation[0] = 1.0
    with pytest.raises(AttributeError):
        T.translation = p  # type: ignore[misc]


def test_batches_broadcast(rng: np.random.Generator) -> None:
    one, many = some(rng), some(rng, count=4)
    assert (one @ many).batch == (4,)
    assert one.point(rng.standard_normal((2, 5, 3))).shape == (2, 5, 3)
    assert Transform(np.eye(3), np.zeros((7, 3))).rotation.shape == (7, 3, 3)
    assert "batch (4,)" in repr(many)
    assert repr(Transform.identity(("world", "hand"))).startswith("<T_world_hand: at [0.0, 0.0, 0.0] m")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Transform(np.eye(3) + 0.1, np.zeros(3)), "Transform.rotation: the matrix must be a rotation"),
        (lambda: Transform(np.eye(3), [0, np.inf, 0]), r"Transform.translation: the number at index \[1\]"),
        (lambda: Transform(np.eye(3), np.zeros(3), "hand"), "must be a pair of names"),
        (lambda: Transform(np.eye(3), np.zeros(3), ("world", "")), "must be a pair of names"),
        (lambda: Transform(np.stack([np.eye(3)] * 2), np.zeros((3, 3))), "leading axes do not fit"),
        (lambda: Transform.from_matrix(2 * np.eye(4)), "last row"),
        (lambda: Transform.identity()[0], "no members"),
    ],
)
def test_rejections_say_why(call: object, text: str) -> None:
    with pytest.raises(InputError, match=text):
        call()  # type: ignore[operator]


def test_only_transforms_multiply() -> None:
    with pytest.raises(TypeError):
        Transform.identity() @ 3  # type: ignore[operator]
