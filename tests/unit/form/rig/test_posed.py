"""Rigs of one's own: dual quaternions against closed forms, and what is refused."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.form.rig import Posed, Rig
from motiform.spatial import exp_quaternion, multiply_quaternions, rotate

STILL = (1.0, 0.0, 0.0, 0.0)
REST = {"lower": ((0.0, 0.0, 0.0), STILL), "upper": ((0.0, 1.0, 0.0), exp_quaternion(np.array([0.0, 0.3, 0.0])))}


@pytest.fixture
def tube():
    """Return a tube of radius 0.1 m along y, whose weights pass from one segment to the other between 0.5 and 1.5 m."""
    turn, y = np.meshgrid(np.linspace(0, 2 * np.pi, 12, endpoint=False), np.linspace(0, 2, 21), indexing="ij")
    points = np.stack([0.1 * np.cos(turn), y, 0.1 * np.sin(turn)], axis=-1).reshape(-1, 3)
    upper = np.clip(points[:, 1] - 0.5, 0.0, 1.0)
    return Rig.bind(points, np.array([[0, 1, 2]]), REST, {"lower": 1.0 - upper, "upper": upper})


def poses_of(rig, *moves):
    """Return the poses of the rig's segments that are at rest, then turned and shifted in the world."""
    position, orientation = [], []
    for n, (turn, shift) in enumerate(moves):
        q = exp_quaternion(np.asarray(turn, float))
        position.append(rotate(q, rig.position[n]) + shift)
        orientation.append(multiply_quaternions(q, rig.orientation[n]))
    return np.array(position)[None], np.array(orientation)[None]


def test_at_rest_it_is_as_given(tube):
    position, orientation = poses_of(tube, ((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, 0)))
    np.testing.assert_allclose(Posed(tube, position, orientation)[0], tube.vertices, atol=1e-15)


def test_segments_that_move_as_one_move_it_rigidly(tube):
    turn, shift = np.array([0.4, -1.2, 0.7]), np.array([0.3, -2.0, 5.0])
    position, orientation = poses_of(tube, (turn, shift), (turn, shift))
    expected = rotate(exp_quaternion(turn), tube.vertices) + shift
    for sign in (1.0, -1.0):  # of a quaternion, which is the same orientation
        signs = np.array([[1.0], [sign]])
        np.testing.assert_allclose(Posed(tube, position, signs * orientation)[0], expected, atol=4e-15)


@pytest.mark.parametrize("angle", [0.5, 2.0, 3.1])
def test_a_twisted_tube_keeps_its_radius(tube, angle):
    """About one axis a blend of dual quaternions is a turn about it; a linear blend shrinks to cos(angle/2) midway."""
    position, orientation = poses_of(tube, ((0, 0, 0), (0, 0, 0)), ((0, angle, 0), (0, 0, 0)))
    found = Posed(tube, position, orientation)[0]
    np.testing.assert_allclose(np.hypot(found[:, 0], found[:, 2]), 0.1, rtol=1e-13)
    np.testing.assert_allclose(found[:, 1], tube.vertices[:, 1], atol=1e-15)
    # Midway, where weights are equal, it is turned by half the angle.
    middle = np.flatnonzero(np.isclose(tube.vertices[:, 1], 1.0))
    half = rotate(exp_quaternion(np.array([0.0, 0.5 * angle, 0.0])), tube.vertices[middle])
    np.testing.assert_allclose(found[middle], half, atol=1e-15)


def test_a_bent_tube_keeps_its_distance_from_the_joint(tube):
    """Both segments turn about the joint at (0, 1, 0), so every blend of them does."""
    joint = np.array([0.0, 1.0, 0.0])
    bend = np.array([2.0, 0.0, 0.0])
    shift = joint - rotate(exp_quaternion(bend), joint)
    position, orientation = poses_of(tube, ((0, 0, 0), (0, 0, 0)), (bend, shift))
    found = Posed(tube, position, orientation)[0]
    apart = np.linalg.norm(tube.vertices - joint, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found - joint, axis=1), apart, rtol=1e-13)


def test_samples_are_chosen_as_from_an_array(tube):
    rng = np.random.default_rng(0)
    orientation = exp_quaternion(rng.normal(size=(6, 2, 3)))
    posed = Posed(tube, rng.normal(size=(6, 2, 3)), orientation)
    whole = np.asarray(posed)
    assert whole.shape == posed.shape == (6, 252, 3)
    np.testing.assert_array_equal(posed[-1], whole[-1])
    np.testing.assert_array_equal(posed[1:4][:, [3, 5]], whole[1:4][:, [3, 5]])
    np.testing.assert_array_equal(posed[np.array([4, 0]), 7], whole[[4, 0], 7])
    with threads(2):
        np.testing.assert_array_equal(np.asarray(posed), whole)


def test_an_unknown_pose_leaves_its_vertices_unknown(tube):
    position, orientation = poses_of(tube, ((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, 0)))
    position[0, 1] = np.nan
    found = Posed(tube, position, orientation)[0]
    np.testing.assert_array_equal(np.isfinite(found).all(axis=1), tube.vertices[:, 1] <= 0.5)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"weights": {"lower": [0.5] * 3}}, "the weights of a vertex must sum to 1"),
        ({"weights": {"lower": [1.0, 1.0]}}, "a segment must have a weight for each vertex"),
        ({"weights": {"hand": [1.0] * 3}}, "a segment must have a frame at rest"),
        ({"faces": [(0, 1, 3)]}, "faces is out of range"),
        ({"vertices": [(0, 0, np.nan)] * 3}, "vertices must be finite"),
    ],
)
def test_what_is_no_rig_is_refused(change, text):
    given = {"vertices": np.eye(3), "faces": [(0, 1, 2)], "rest": REST, "weights": {"lower": [1.0] * 3}} | change
    with pytest.raises(InputError, match=text):
        Rig.bind(**given)


def test_samples_are_iterated(tube):
    posed = Posed(tube, np.zeros((3, 2, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (3, 2, 1)))
    assert len(list(posed)) == 3
    with pytest.raises(IndexError):
        posed[3]


def test_poses_of_other_shapes_are_refused(tube):
    for position, orientation in [
        ((6, 2, 2), (6, 2, 4)),
        ((6, 3, 3), (6, 3, 4)),
        ((6, 2, 3), (5, 2, 4)),
        ((2, 3), (2, 4)),
    ]:
        with pytest.raises(InputError, match="poses must be of the rig's segments"):
            Posed(tube, np.zeros(position), np.ones(orientation))
