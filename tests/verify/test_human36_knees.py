"""Knees of Human36: three axes as Grood and Suntay have them, and a bending that carries the others with it."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.motion.postures import joint_angles, virtual_markers
from motiform.motion.postures.gait.angles import default_joints, moment_axes
from motiform.motion.tree import forward_kinematics, joint_wrenches

SIDES = ("right", "left")


def man(knee: str):
    return mf.figures.human36(1.75, 75.0, knee=knee, markers="plug-in-gait")


def moving(figure, samples: int = 40) -> np.ndarray:
    rng = np.random.default_rng(4)
    t = np.linspace(0.0, 1.0, samples)[:, None]
    q = 0.15 * np.sin(2 * np.pi * (t * rng.uniform(0.5, 1.5, figure.nq) + rng.uniform(0, 1, figure.nq)))
    for side in SIDES:
        q[:, figure.coordinates.index(f"{side}_knee_extension")] -= 0.6
    return q


def test_the_hinge_is_the_default() -> None:
    plain, told = mf.figures.human36(1.75, 75.0), mf.figures.human36(1.75, 75.0, knee="hinge")
    assert plain.coordinates == told.coordinates
    assert mf.figures.human36(knee="three-axes").coordinates[:42] == plain.coordinates
    with pytest.raises(InputError, match=r"the knee must be of a known kind.*three-axes"):
        mf.figures.human36(knee="three axes")


def test_three_axes_are_the_angles_of_the_joint_coordinate_system() -> None:
    figure = man("three-axes")
    q = moving(figure)
    found = joint_angles(figure, q)
    for side in SIDES:
        names = [f"{side}_knee_{name}" for name in ("extension", "adduction", "internal_rotation")]
        own = q[:, [figure.coordinates.index(name) for name in names]] * [-1.0, 1.0, 1.0]
        np.testing.assert_allclose(found[f"{side}_knee"], own, atol=1e-12)


def test_what_follows_the_bending_is_what_was_measured() -> None:
    """At 30, 60 and 90°: adduction, internal rotation [°] and the way of the tibia [mm] by the published equations."""
    figure, straight = man("coupled"), man("hinge")
    for F in (30.0, 60.0, 90.0):
        bend = {f"{side}_knee_extension": np.deg2rad(-F) for side in SIDES}
        q = figure.configuration(**bend)
        adduction = 0.0791 * F - 5.733e-4 * F**2 - 7.682e-6 * F**3 + 5.759e-8 * F**4
        rotation = 0.3695 * F - 2.958e-3 * F**2 + 7.666e-6 * F**3
        way = -np.array([-0.1283 * F + 4.796e-4 * F**2, -0.0683 * F + 8.804e-4 * F**2 - 3.750e-6 * F**3, 0.0])
        at, hinge = (forward_kinematics(f, f.configuration(**bend)) for f in (figure, straight))
        for side in SIDES:
            own = np.rad2deg(joint_angles(figure, q)[f"{side}_knee"])
            np.testing.assert_allclose(own, [F, adduction, rotation], atol=1e-9)
            n = figure.index(f"{side}_shank")
            gone = at.rotation[n].T @ (at.position[n] - hinge.position[n])
            np.testing.assert_allclose(1e3 * gone, way, atol=1e-9)


@pytest.mark.parametrize("knee", ["three-axes", "coupled"])
def test_the_dynamics_undo_each_other(knee: str) -> None:
    figure, rng = man(knee), np.random.default_rng(1)
    q, v, a = moving(figure, 5), rng.normal(size=(5, figure.nv)), rng.normal(size=(5, figure.nv))
    efforts = mf.inverse_dynamics(figure, q, v, a)
    np.testing.assert_allclose(mf.forward_dynamics(figure, q, v, efforts), a, atol=1e-8)


def test_the_moments_of_three_axes_are_those_that_bones_take_up_in_a_hinge() -> None:
    """Of the same motion without adduction and rotation."""
    hinge, free = man("hinge"), man("three-axes")
    q = moving(hinge, 6)
    rng = np.random.default_rng(2)
    v, a = rng.normal(size=(6, 42)), rng.normal(size=(6, 42))
    more = np.zeros((6, 4))
    efforts = mf.inverse_dynamics(free, *(np.concatenate([x, more], axis=1) for x in (q, v, a)))
    moments = joint_wrenches(hinge, q, v, a)[..., :3]
    R = forward_kinematics(hinge, q).rotation
    for side in SIDES:
        angle = default_joints(hinge)[f"{side}_knee"]
        own = (moment_axes(hinge, R, angle, "isb") @ moments[:, hinge.index(f"{side}_shank"), :, None])[..., 0]
        names = [f"{side}_knee_{name}" for name in ("extension", "adduction", "internal_rotation")]
        found = efforts[:, [free.coordinates.index(name) for name in names]] * [-1.0, 1.0, 1.0]
        np.testing.assert_allclose(found, own, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("knee", ["three-axes", "coupled"])
def test_markers_bring_the_motion_back(knee: str) -> None:
    """Of Plug-in Gait's set, without noise: the tags are on their markers, and knees bend as they did."""
    figure = man(knee)
    q = moving(figure)
    rec = mf.reconstruct(figure, virtual_markers(figure, q, rate=100.0))
    assert np.asarray(rec["error.rms"]).max() < 1e-8
    for side in SIDES:
        own = joint_angles(figure, np.asarray(rec["q"]))[f"{side}_knee"]
        np.testing.assert_allclose(own, joint_angles(figure, q)[f"{side}_knee"], atol=1e-4)
