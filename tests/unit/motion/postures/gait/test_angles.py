import numpy as np
import pytest
from numpy.testing import assert_allclose

from models import free_body
from motiform import FigureBuilder, Recording, joints
from motiform.base.errors import InputError
from motiform.motion.figures import human36
from motiform.motion.postures.gait.angles import JointAngle, default_joints, joint_angles, static_frames
from motiform.motion.tree import forward_kinematics
from motiform.spatial import quaternion_from_rotation

ROUND = 1e-14  # rad: a handful of roundings of rotations
SIDES = ("right", "left")


def two_segments(distal="right_thigh"):
    b = FigureBuilder()
    solid = {"mass": 1.0, "inertia": np.diag([0.1, 0.1, 0.1])}
    b.segment("lower_trunk", None, joints.free(), **solid)
    b.segment(distal, "lower_trunk", joints.spherical(), **solid)
    return b.build()


@pytest.mark.parametrize("sequence", ["zxy", "zyx", "xyz", "yxy", "zxz"])
def test_angles_are_those_of_scipy(sequence):
    from scipy.spatial.transform import Rotation

    figure, rng = two_segments(), np.random.default_rng(3)
    whole, turn = Rotation.random(50, rng=rng), Rotation.random(50, rng=rng)
    q = np.tile(figure.neutral(), (50, 1))
    q[:, 3:7] = quaternion_from_rotation(whole.as_matrix())  # where the body stands does not matter
    q[:, 7:] = quaternion_from_rotation(turn.as_matrix())
    found = joint_angles(figure, q, {"hip": ("lower_trunk", "right_thigh")}, sequence)
    # Near gimbal lock outer angles lose digits as 1/cos or 1/sin of the middle one; these are not nearer than 1e-3.
    assert_allclose(found["hip"], turn.as_euler(sequence.upper()), atol=1e-11)
    assert found.values.shape == (50, 1, 3)


def test_sequences_of_plug_in_gait():
    """The ankle by dorsiflexion, rotation, inversion (Y Z X there, z y x here), others by Y X Z, z x y here."""
    from scipy.spatial.transform import Rotation

    man, rng = human36(), np.random.default_rng(5)
    found = default_joints(man, "plug-in-gait")
    q = man.neutral() + 0.4 * rng.normal(size=(20, man.nq))
    R = forward_kinematics(man, q).rotation
    angles = joint_angles(man, q, convention="plug-in-gait")
    for name, order, signs in (
        ("right_ankle", "ZYX", (1, 1, 1)), ("right_hip", "ZXY", (1, 1, 1)), ("right_knee", "ZXY", (-1, 1, 1)),
        ("right_shoulder", "ZXY", (1, -1, 1)), ("trunk", "ZXY", (-1, 1, -1)),
    ):  # fmt: skip
        one = found[name]
        turn = np.swapaxes(R[:, man.index(one.proximal)], -1, -2) @ R[:, man.index(one.distal)]
        assert_allclose(angles[name], Rotation.from_matrix(turn).as_euler(order) * signs, atol=1e-12)
    assert found["left_ankle"].names == ("dorsiflexion", "internal_rotation", "inversion")
    small = 0.3 * np.eye(man.nq)[man.coordinates.index("left_ankle_eversion")]
    both = [joint_angles(man, man.neutral() + small, ["left_ankle"], convention=c) for c in ("isb", "plug-in-gait")]
    assert both[0]["left_ankle"][1] == pytest.approx(both[1]["left_ankle"][2])  # inversion of either
    with pytest.raises(InputError, match="plug-in-gait"):
        joint_angles(man, q, convention="vicon")


@pytest.mark.parametrize(
    ("coordinate", "joint", "angle", "sign"),
    [
        ("hip_flexion", "hip", "flexion", 1),
        ("hip_abduction", "hip", "adduction", -1),
        ("hip_external_rotation", "hip", "internal_rotation", -1),
        ("knee_extension", "knee", "flexion", -1),
        ("ankle_dorsiflexion", "ankle", "dorsiflexion", 1),
        ("ankle_eversion", "ankle", "inversion", -1),
        ("elbow_flexion", "elbow", "flexion", 1),
        ("forearm_supination", "elbow", "pronation", -1),
        ("wrist_flexion", "wrist", "flexion", 1),
        ("wrist_radial_deviation", "wrist", "ulnar_deviation", -1),
    ],
)
@pytest.mark.parametrize("side", SIDES)
def test_one_movement_moves_one_angle_alike_on_both_sides(side, coordinate, joint, angle, sign):
    man = human36()
    found = joint_angles(man, man.configuration(**{f"{side}_{coordinate}": 0.3}))
    expected = np.zeros((len(found.joints), 3))
    k = found.joints.index(f"{side}_{joint}")
    expected[k, found.names[k].index(angle)] = 0.3 * sign
    # Shoulders are at rest in gimbal lock, where only the sum of their outer angles is known.
    free = [n for n, name in enumerate(found.joints) if "shoulder" not in name]
    assert_allclose(found.values[free], expected[free], atol=ROUND)


@pytest.mark.parametrize(
    ("coordinate", "joint", "angle"),
    [
        ("thorax_extension", "trunk", "extension"),
        ("thorax_right_bending", "trunk", "right_bending"),
        ("thorax_left_rotation", "trunk", "left_rotation"),
        ("head_extension", "neck", "extension"),
    ],
)
def test_the_trunk(coordinate, joint, angle):
    man = human36()
    found = joint_angles(man, man.configuration(**{coordinate: 0.2}), [joint])
    assert_allclose(found[joint], 0.2 * np.equal(found.names[0], angle), atol=ROUND)


def test_three_hip_angles_by_hand():
    """R = Rz(α) Rx(β) Ry(γ), written out; on the left the mirror turns β and γ round."""
    a, b, c = 0.5, -0.2, 0.3  # rad
    ca, sa, cb, sb, cc, sc = np.cos(a), np.sin(a), np.cos(b), np.sin(b), np.cos(c), np.sin(c)
    R = np.array(
        [
            [ca * cc - sa * sb * sc, -sa * cb, ca * sc + sa * sb * cc],
            [sa * cc + ca * sb * sc, ca * cb, sa * sc - ca * sb * cc],
            [-cb * sc, sb, cb * cc],
        ]
    )
    for name, signs in (("right_thigh", (1, 1, 1)), ("left_thigh", (1, -1, -1))):
        figure = two_segments(name)
        q = figure.neutral()
        q[7:] = quaternion_from_rotation(R)
        assert_allclose(joint_angles(figure, q).values[0], np.multiply((a, b, c), signs), atol=ROUND)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("movement", "plane"), [("shoulder_abduction", 0.0), ("shoulder_flexion", np.pi / 2)])
def test_raised_arms(side, movement, plane):
    man = human36()
    found = joint_angles(man, man.configuration(**{f"{side}_{movement}": 1.0}), [f"{side}_shoulder"])
    assert found.names[0] == ("plane_of_elevation", "elevation", "internal_rotation")
    # An arm raised in a plane without a turn about itself turns back at the end what it turned at the start.
    assert_allclose(found.values[0], [plane, 1.0, -plane], atol=ROUND)


def test_an_abducted_arm_that_turns_inwards():
    man = human36()
    q = man.configuration(right_shoulder_abduction=1.0, right_shoulder_external_rotation=-0.4)
    # R = Rz Ry Rx of Human36 turns before it raises, so only the raised angle is compared: it is cos⁻¹ of R_yy.
    found = joint_angles(man, q, ["right_shoulder"])["right_shoulder"]
    assert found[1] == pytest.approx(1.0, abs=1e-12)


def test_a_static_pose_is_the_zero_of_all_angles():
    man, rng = human36(), np.random.default_rng(5)
    still = 0.2 * rng.normal(size=man.nq)
    frames = static_frames(man, still)
    found = joint_angles(man, still, frames=frames)
    free = [n for n, name in enumerate(found.joints) if "shoulder" not in name]
    assert_allclose(found.values[free], 0.0, atol=1e-14)
    # A knee that bends from there about the axis of the static z tells what it bends.
    names = ["right_knee"]
    man0 = human36()
    q = man0.configuration(right_knee_extension=-0.1)
    frames = static_frames(man0, q)
    q2 = man0.configuration(right_knee_extension=-0.7)
    assert_allclose(joint_angles(man0, q2, names, frames=frames).values[0], [0.6, 0.0, 0.0], atol=ROUND)


def test_a_static_pose_may_face_anywhere():
    man = human36()
    still = man.configuration(pelvis_left_turn=2.0, right_hip_flexion=0.2)
    frames = static_frames(man, np.tile(still, (5, 1)))
    moved = still.copy()
    moved[man.coordinates.index("right_hip_flexion")] += 0.3
    assert_allclose(joint_angles(man, moved, ["right_hip"], frames=frames).values[0], [0.3, 0, 0], atol=ROUND)


def test_names_of_opensim_are_known_and_channels_made():
    b = FigureBuilder()
    solid = {"mass": 1.0, "inertia": np.diag([0.1, 0.1, 0.1])}
    b.segment("pelvis", None, joints.free(), **solid)
    b.segment("femur_l", "pelvis", joints.spherical(), **solid)
    b.segment("tibia_l", "femur_l", joints.revolute(axis=(0, 0, 1)), **solid)
    figure = b.build()
    assert list(default_joints(figure)) == ["left_hip", "left_knee"]
    q = np.tile(figure.configuration(tibia_l=-0.5), (4, 1))
    channels = joint_angles(figure, q).channels(rate=100.0)
    rec = Recording.from_arrays(channels)
    assert rec.unit("left_knee.flexion") == "rad"
    assert_allclose(rec["left_knee.flexion"], 0.5, atol=ROUND)


def test_unknown_joints_are_refused():
    man = human36()
    with pytest.raises(InputError, match="Did you mean 'right_knee'"):
        joint_angles(man, man.neutral(), ["right_kneee"])
    with pytest.raises(InputError, match="no such segment"):
        joint_angles(man, man.neutral(), {"x": JointAngle("thorax", "tail")})
    ball = free_body(name="ball")
    with pytest.raises(InputError, match="joints="):
        joint_angles(ball, ball.neutral())
    with pytest.raises(InputError, match="no such joint"):
        joint_angles(man, man.neutral(), ["right_hip"])["left_hip"]
