"""Postures and efforts of a motion do not depend on where the axes of the laboratory point."""

from itertools import permutations, product

import numpy as np
import pytest

import motiform as mf
from motiform.measure.frames import move
from motiform.motion.postures import velocities, virtual_markers
from motiform.motion.postures.floating_base import FloatingBase, heading_apart
from motiform.motion.tree import forward_kinematics
from motiform.record import Recording
from motiform.spatial import exp_rotation

MAN = mf.figures.human36(1.7, 70.0)
NAMES = list(MAN.coordinates)
TURNS = [NAMES.index(f"pelvis_{name}") for name in ("right_lean", "left_turn", "backward_tilt")]
SHIFTS = [NAMES.index(f"pelvis_{name}") for name in ("forward", "upward", "rightward")]
JOINTS = np.setdiff1d(np.arange(42), TURNS + SHIFTS)
UP = np.array([0.0, 1.0, 0.0])


def walk(samples: int = 60) -> np.ndarray:
    """Steps of somebody who turns round, (samples, 42)."""
    t, w = np.arange(samples) / 50, 2 * np.pi
    q = np.tile(MAN.neutral(), (samples, 1))
    q[:, SHIFTS[0]], q[:, SHIFTS[1]] = 0.8 * t, 0.02 * np.sin(2 * w * t)
    q[:, NAMES.index("right_hip_flexion")] = 0.4 * np.sin(w * t)
    q[:, NAMES.index("left_hip_flexion")] = -0.4 * np.sin(w * t)
    q[:, NAMES.index("right_knee_extension")] = -0.3 + 0.3 * np.cos(w * t)
    q[:, NAMES.index("thorax_extension")] = 0.1 * np.sin(2 * w * t)
    for side in ("right", "left"):  # the markers of a straight arm do not tell how it is turned
        q[:, NAMES.index(f"{side}_elbow_flexion")] = 0.8 + 0.2 * np.sin(w * t)
    base = FloatingBase.of(MAN)
    assert base is not None
    inner = base.enter(q)
    heading, lean, tilt = base.q[3:]
    inner[:, heading] = 3.4 * t / t[-1]
    inner[:, lean], inner[:, tilt] = 0.08 * np.sin(w * t), 0.06 * np.sin(w * t + 1)
    return base.leave(inner, q)


def measured() -> Recording:
    """Markers with noise and gaps."""
    rec = virtual_markers(MAN, walk(), rate=50.0, noise=5e-4, seed=1)
    markers = np.array(rec["markers"])
    markers[20:24, 3] = markers[40:50, 16] = np.nan
    return Recording.from_arrays(
        {"markers": (rec.channel("markers"), markers)}, manifest={**rec.manifest, "up": "y"}
    )  # fmt: skip


def found(rec: Recording) -> Recording:
    """Postures and efforts."""
    return mf.reconstruct(MAN, rec, dynamics=True)


@pytest.fixture(scope="module")
def straight() -> Recording:
    """Seen in the axes of the figure."""
    return found(measured())


def same(one: Recording, other: Recording, turn: np.ndarray) -> None:
    """Compare what does not depend on the room, and the rest turned: to 1e-6 of what it ranges over.

    Coordinates that the markers do not determine count as forces alone.
    """
    told = np.asarray(one["unseen"]).max(0) < 0.1
    assert told.sum() > 30
    joints, turns = (np.array([k for k in some if told[k]]) for some in (JOINTS, TURNS))
    every = {"q": joints, "v": joints, "power": joints, "std": [*joints, *turns], "effort": JOINTS}
    for name, columns in every.items():
        a, b = (np.asarray(rec[name])[:, columns] for rec in (one, other))
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-6 * np.ptp(a), err_msg=name)
    for name in ("tags", "center_of_mass"):
        a, b = (np.asarray(rec[name]) for rec in (one, other))
        np.testing.assert_allclose(b, a @ turn.T, rtol=0, atol=1e-6 * np.ptp(a), err_msg=name)
    for half in (slice(0, 3), slice(3, 6)):
        a, b = (np.asarray(rec["residual"])[:, half] for rec in (one, other))
        np.testing.assert_allclose(b, a @ turn.T, rtol=0, atol=1e-6 * np.ptp(a), err_msg="residual")


@pytest.mark.parametrize("degrees", [90])
def test_a_quarter_turn_of_the_room_changes_nothing(straight: Recording, degrees: float) -> None:
    """The angles z, y, x of the root are singular there."""
    R = exp_rotation(np.deg2rad(degrees) * UP)
    other = found(move(measured(), R, np.zeros(3), up="y"))
    same(straight, other, R)
    assert np.asarray(other["std"])[:, TURNS].max() < np.deg2rad(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("degrees", range(10, 360, 10))
def test_a_turn_of_the_room_changes_nothing(straight: Recording, degrees: float) -> None:
    """About the vertical."""
    R = exp_rotation(np.deg2rad(degrees) * UP)
    same(straight, found(move(measured(), R, np.zeros(3), up="y")), R)


AXES = [
    np.array(signs)[:, None] * np.eye(3)[list(order)]
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
]


@pytest.mark.slow
@pytest.mark.parametrize("axes", [R for R in AXES if np.linalg.det(R) > 0])
def test_the_axes_of_the_file_change_nothing(straight: Recording, axes: np.ndarray) -> None:
    """All 24 ways in which a laboratory can name its axes."""
    up = "xyz"[int(np.argmax(np.abs(axes @ UP)))]
    rec = move(measured(), axes, np.zeros(3), up=up if (axes @ UP).sum() > 0 else f"-{up}")
    other = found(rec)
    turn = np.asarray(other["tags"])[0] - np.asarray(other["tags"])[0].mean(0)
    own = np.asarray(straight["tags"])[0] - np.asarray(straight["tags"])[0].mean(0)
    R = np.linalg.lstsq(own, turn, rcond=None)[0].T
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-6)
    same(straight, other, np.round(R))


def test_the_base_tells_the_same_posture_in_other_coordinates() -> None:
    """Places, rates, accelerations and forces agree by the two sets of coordinates."""
    base, rng = FloatingBase.of(MAN), np.random.default_rng(0)
    assert base is not None
    q, v, a = (rng.normal(size=(6, 42)) for _ in range(3))
    inner = base.enter(q)
    np.testing.assert_allclose(mf.tags(base.figure, inner), mf.tags(MAN, q), atol=1e-13)
    np.testing.assert_allclose(base.leave(inner, q), q, atol=1e-12)
    there = base.turned(inner, 0.7)
    np.testing.assert_allclose(mf.tags(base.figure, there), mf.tags(MAN, q) @ exp_rotation(0.7 * UP).T, atol=1e-13)
    assert heading_apart(MAN, q[0], mf.tags(base.figure, there)[0]) == pytest.approx(0.7, abs=1e-12)
    own_v, own_a = base.leave_rates(inner, v, a, q)
    efforts = mf.inverse_dynamics(base.figure, inner, v, a)
    there_efforts = mf.inverse_dynamics(MAN, q, own_v, own_a)
    np.testing.assert_allclose(base.leave_efforts(inner, efforts, q), there_efforts, atol=1e-8)


def test_the_variance_of_the_root_is_that_of_turns_about_its_axes() -> None:
    """By the covariance of markers with noise: 400 fits of one posture, seen where the angles are singular."""
    base = FloatingBase.of(MAN)
    assert base is not None
    q = base.turned_given(MAN.neutral()[None], np.array([0.5 * np.pi]))
    rec = virtual_markers(MAN, np.repeat(q, 400, 0), rate=100.0, noise=1e-3, seed=2)
    fitted = mf.reconstruct(MAN, rec)
    R = forward_kinematics(MAN, np.asarray(fitted["q"])).rotation[:, 0]
    true = forward_kinematics(MAN, q).rotation[0, 0]
    own = true.T @ R
    turned = 0.5 * np.stack([own[:, 2, 1] - own[:, 1, 2], own[:, 0, 2] - own[:, 2, 0], own[:, 1, 0] - own[:, 0, 1]], -1)
    told = np.asarray(fitted["std"]).mean(0)[TURNS]
    # a standard deviation of 400 samples is known to 1 / sqrt(800), and so are the three at 4 of these
    np.testing.assert_allclose(turned.std(0), told, rtol=4 / np.sqrt(800))


def test_velocities_do_not_depend_on_the_room() -> None:
    """Filtered and differentiated postures of somebody who turns by half a turn."""
    q, t = walk(), np.arange(60) / 50
    base = FloatingBase.of(MAN)
    assert base is not None
    moving = [velocities(MAN, t, base.turned_given(q, angle)) for angle in (0.0, 1.0, 0.5 * np.pi)]
    efforts = [mf.inverse_dynamics(MAN, one.q, one.v, one.a)[:, JOINTS] for one in moving]
    for other in efforts[1:]:
        np.testing.assert_allclose(other, efforts[0], rtol=0, atol=1e-9 * np.ptp(efforts[0]))
