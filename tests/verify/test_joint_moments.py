"""Moments of the leg's joints in the joint coordinate system: those that no coordinate takes up, too."""

import numpy as np
import pytest

import motiform as mf
from motiform.motion.postures.gait.angles import angles_between, default_joints, moment_axes
from motiform.motion.postures.gait.events import Walker
from motiform.motion.postures.gait.series import joint_series
from motiform.motion.tree import forward_kinematics, joint_wrenches
from motiform.record import Channel, Recording
from motiform.spatial import exp_rotation

MAN = mf.figures.human36(1.75, 75.0)
JOINTS = ("hip", "knee", "ankle")
FORCE = np.array([60.0, 700.0, 40.0])
"""[N] Of the ground, on the right foot alone."""


def posture(seed: int = 0) -> np.ndarray:
    """Legs bent and turned, (42,)."""
    rng, q = np.random.default_rng(seed), MAN.neutral()
    q[:12] = rng.uniform(-0.3, 0.3, 12)
    return q


def loaded(q: np.ndarray, point: np.ndarray, force: np.ndarray = FORCE) -> Recording:
    """A recording of a posture held on one foot: no gravity, so that the ground's force alone makes moments."""
    man = MAN.replace(gravity=(0.0, 0.0, 0.0))
    external = np.zeros((len(man.segments), 6))
    foot = man.index("right_foot")
    external[foot] = [*np.cross(point - forward_kinematics(man, q).position[foot], force), *force]
    none = np.zeros(42)
    moments = joint_wrenches(man, q, none, none, external)[:, :3]
    effort = mf.inverse_dynamics(man, q, none, none, external)
    arrays = {"q": q, "unseen": none, "status": np.zeros(()), "effort": effort, "power": none, "joint_moment": moments}
    three = {name: np.repeat(np.asarray(value)[None], 3, 0) for name, value in arrays.items()}
    return Recording.from_arrays(
        {n: (Channel(n, shape=v.shape[1:], dims=("k",) * (v.ndim - 1), rate=100.0), v) for n, v in three.items()}
    )


def told(rec: Recording, convention: str = "isb") -> dict[str, float]:
    """Return the moments of the right leg [N·m], by joint and direction."""
    heels = {"r": np.zeros((3, 3)), "l": np.zeros((3, 3))}
    toes = {side: np.tile([0.2, 0.0, 0.0], (3, 1)) for side in heels}
    walker = Walker(rec.time("q"), heels, toes, np.zeros((3, 3)), np.array([0.0, 1.0, 0.0]))
    series = joint_series(rec, MAN, walker, convention).series
    return {
        f"{one.joint}.{one.name}": float(one.values[0]) * MAN.mass
        for one in series
        if one.group == "moments" and one.side == "r"
    }


def test_the_adduction_moment_of_a_hinge_is_force_times_lever() -> None:
    """Standing: 700 N upwards 3 cm beside and 5 cm before the knee."""
    q = MAN.neutral()
    knee = forward_kinematics(MAN, q).position[MAN.index("right_shank")]
    found = told(loaded(q, knee + np.array([0.05, -0.4, -0.03]), np.array([0.0, 700.0, 0.0])))
    # the ground's moment about the knee is r × F = (0.03 · 700, 0, 0.05 · 700): it extends and, from inside, adducts
    assert found["knee.adduction"] == pytest.approx(-0.03 * 700, rel=1e-9)
    assert found["knee.flexion"] == pytest.approx(0.05 * 700, rel=1e-9)
    assert found["knee.internal_rotation"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_moments_do_the_work_of_the_angles(seed: int) -> None:
    """A small turn δ of the segment by angles dα: M · δ = Σ M_k dα_k, with the moments along the three axes."""
    q, joints, rng = posture(seed), default_joints(MAN), np.random.default_rng(seed + 10)
    for side in ("right", "left"):
        for kind in JOINTS:
            angle = joints[f"{side}_{kind}"]
            R = forward_kinematics(MAN, q).rotation
            moment, turn, step = rng.normal(size=3), rng.normal(size=3), 1e-6
            axes = moment_axes(MAN, R, angle, "isb")
            changed = []
            for sign in (1.0, -1.0):
                other = R.copy()
                n = MAN.index(angle.distal)
                other[n] = exp_rotation(sign * step * turn) @ R[n]
                changed.append(angles_between(MAN, other, angle))
            rates = (changed[0] - changed[1]) / (2 * step)
            # axes do not stand at right angles: turn = Σ rates_k axis_k, and M · turn = Σ (M · axis_k) rates_k
            np.testing.assert_allclose(rates @ axes, turn, atol=1e-8)
            assert moment @ turn == pytest.approx((axes @ moment) @ rates, abs=1e-8)


@pytest.mark.parametrize("convention", ["isb", "plug-in-gait"])
def test_moments_are_those_of_the_ground_about_the_joint(convention: str) -> None:
    """Of a bent leg without gravity: the cross product of lever and force, along the axes of the convention."""
    q = posture(3)
    at = forward_kinematics(MAN, q)
    point = at.position[MAN.index("right_foot")] + np.array([0.08, -0.06, 0.02])
    found = told(loaded(q, point), convention)
    for kind in JOINTS:
        angle = default_joints(MAN, convention)[f"right_{kind}"]
        outer = np.cross(point - at.position[MAN.index(angle.distal)], FORCE)
        own = moment_axes(MAN, at.rotation, angle, convention) @ outer
        for name, value in zip(angle.names, own, strict=True):
            sign = 1.0 if convention == "plug-in-gait" else -1.0
            assert found[f"{kind}.{name}"] == pytest.approx(sign * value, abs=1e-9)
