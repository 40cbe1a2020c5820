"""Bip and Kondo: printed numbers, postures at zero, signs, symmetry, changes and errors."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion import tree
from motiform.motion.contact import points_of_tags
from motiform.motion.figures import TABLES, Bip, Kondo, bip, bip_table, human, human36, kondo, kondo_table
from motiform.motion.figures.anthropometry import MEASURED_LANDMARKS

FORWARD, UP, RIGHT = np.eye(3)


def places(figure, q=None):
    return dict(zip(figure.tag_names, tree.tags(figure, np.zeros(figure.nv) if q is None else q), strict=True))


@pytest.mark.parametrize("make", [bip, kondo])
def test_both_feet_are_flat_on_the_ground(make):
    figure = make()
    found = places(figure)
    feet = {name: tags for name, tags in figure.contact_solids.items() if name.endswith("_foot")}
    for foot, names in feet.items():
        assert len(names) == 4
        corners = np.array([found[name] for name in names])
        np.testing.assert_allclose(corners[:, 1], 0.0, atol=1e-15)
        assert {tag.segment for tag in figure.tags if tag.name in names} == {foot}
        assert np.linalg.matrix_rank(corners - corners.mean(0), tol=1e-6) == 2  # a sole, not a line
    center = tree.centers_of_mass(figure, np.zeros(figure.nv))[-1]
    soles = np.array([found[name] for names in feet.values() for name in names])
    for axis in (0, 2):  # it does not fall over
        assert soles[:, axis].min() < center[axis] < soles[:, axis].max()


@pytest.mark.parametrize("make", [bip, kondo])
def test_fields_and_measures_are_replaced(make):
    first = make()
    lighter = first.replace(masses={"trunk": 0.5}, gravity=(0, 0, 0)).replace(limits={"right_knee": (0, 1)})
    assert type(lighter) is type(first)
    assert lighter.masses["trunk"] == 0.5
    assert lighter.gravity == (0.0, 0.0, 0.0)
    assert lighter.limits[2].tolist() == [0.0, 1.0]
    assert lighter.replace(masses=None).masses == first.masses
    assert first.replace(segments={"left_foot": {"mass": 7.0}}).replace(name="other").masses["left_foot"] == 7.0


@pytest.mark.parametrize("make", [bip, kondo])
def test_every_massive_segment_wears_something(make):
    assert all(segment.parts for segment in make().segments if segment.mass)


# ---- Bip -----------------------------------------------------------------------------------------------------------


def test_bip_printed_frames():
    """Rows of the table as they are printed, lengths filled in."""
    printed = {
        1: (0, 0.0, "foot + shank + thigh + q17", "-pi/2", "0"),
        2: (1, 0.0, "q18", "pi/2", "pi/2"),
        3: (2, 0.0, "q16", "pi/2", "pi/2"),
        4: (3, 0.0, 0.0, "pi/2", "pi/2 + q20"),
        5: (4, 0.0, 0.0, "pi/2", "pi/2 + q21"),
        18: (17, "shank", 0.0, "0", "-q6"),
        19: (18, 0.0, 0.0, "-pi/2", "q5"),
        21: (6, 0.0, "lumbar", "pi/2", "pi + q13"),
        22: (21, 0.0, 0.0, "pi/2", "pi/2 + q14"),
        23: (22, 0.0, 0.0, "-pi/2", "q15"),
    }
    found = {f.number: (f.ref, f.r, f.lam, f.alpha, f.theta) for f in bip_table.FRAMES if f.printed}
    assert found == printed
    L = bip().lengths
    assert (L["foot"], L["shank"], L["lumbar"]) == (0.083, 0.410, 0.128)
    assert L["foot"] + L["shank"] + L["thigh"] == pytest.approx(0.903, abs=1e-15)


def test_bip_printed_masses_and_centers():
    robot = bip()
    printed = {
        "pelvis": (8.8, (0, 12, -68)),
        "right_hip_bracket": (3.2, (5, -29, -107)),
        "left_ankle_cardan": (0.18, (0, 0, 0)),
        "left_foot": (2.34, (59, 0, 19)),
        "lumbar_lever": (1.05, (0, 47, -25)),
        "lumbar_cardan": (0.46, (0, 0, 46)),
        "trunk": (48.0, (405, 13, 9)),
    }
    for name, (mass, millimetres) in printed.items():
        segment = robot.segment(name)
        assert segment.mass == mass
        np.testing.assert_allclose(segment.com, np.array(millimetres) / 1000, atol=1e-15)
    assert robot.mass == pytest.approx(105, abs=0.1)
    assert isinstance(robot, Bip)


@pytest.mark.parametrize(
    ("name", "printed", "last_digit"),
    [
        ("pelvis", [[13, 0, 0], [0, 14, 2], [0, 2, 5]], 1e-12),
        ("left_foot", [[2, 0, 0], [0, 3, 0], [0, 0, 1]], 1e-12),
        ("left_ankle_cardan", np.zeros((3, 3)), 1e-12),
        # No matter has the three below to the digit printed, 0.01 kg m²: they are met within its rounding.
        ("right_hip_bracket", [[6, 0, 0], [0, 5, -1], [0, -1, 1]], 0.051),
        ("lumbar_lever", [[0, 0, 0], [0, 0, 0], [0, 0, 1]], 0.5),
        ("lumbar_cardan", [[1, 0, 0], [0, 0, 0], [0, 0, 1]], 0.5),
    ],
)
def test_bip_printed_inertias(name, printed, last_digit):
    """About the origin of the frame, in 0.01 kg m²."""
    s = bip().segment(name)
    about_origin = s.inertia + s.mass * (s.com @ s.com * np.eye(3) - np.outer(s.com, s.com))
    np.testing.assert_allclose(100 * about_origin, printed, rtol=0, atol=last_digit)


def test_bip_tags():
    robot = bip()
    assert len(robot.tags) == 25
    points = [(tag.segment, tuple(round(1000 * x, 9) for x in tag.point)) for tag in robot.tags]
    assert points[:4] == [("right_foot", (83, y, z)) for y, z in ((-90, 170), (90, 170), (-60, -120), (60, -120))]
    assert points[4:6] == [("right_ankle_cardan", (0, 0, 0)), ("right_shank", (0, 0, 0))]
    assert points[15:19] == [("trunk", (x, 0, z)) for x, z in ((0, 110), (0, -110), (660, 110), (660, -110))]
    assert points[21:] == [("trunk", (660, y, z)) for y, z in ((150, 110), (150, -110), (-150, -110), (-150, 110))]
    assert robot.suspension == robot.tag_names[21:]
    found = places(robot)
    np.testing.assert_allclose(found["right_foot_front_outer"], (0.17, 0.0, 0.20), atol=1e-15)
    np.testing.assert_allclose(found["right_hip"], (0, 0.903, 0.11), atol=1e-15)
    np.testing.assert_allclose(found["attachment_front_left"], (0.15, 0.903 + 0.128 + 0.66, -0.11), atol=1e-15)


def test_bip_legs_are_mirror_images():
    """The printed trunk is not: its centre of mass is 9 mm to the right; without it the robot is symmetric."""
    robot = bip(masses={"trunk": 0.0})
    P = mirror(robot.coordinates, ("yaw", "roll", "rightward"))
    q = np.random.default_rng(5).normal(size=21)
    M = tree.inertia_matrix(robot, q)
    np.testing.assert_allclose(tree.inertia_matrix(robot, P @ q), P @ M @ P.T, rtol=0, atol=1e-12 * np.abs(M).max())


def test_bip_closes_with_other_legs():
    robot = bip(lengths={"shank": 0.5, "foot": 0.1})
    found = places(robot)
    np.testing.assert_allclose(found["left_foot_rear_inner"][1], 0.0, atol=1e-15)
    np.testing.assert_allclose(found["left_hip"][1], 1.01, atol=1e-15)
    assert robot.replace(lengths={"thigh": 0.3}).lengths["shank"] == 0.5


BIP_SIGNS = {
    "left_ankle_roll": ("left_foot_center", -RIGHT),
    "right_ankle_roll": ("right_foot_center", RIGHT),
    "left_ankle_pitch": ("left_foot_center", -FORWARD),
    "right_knee": ("right_ankle", -FORWARD),
    "left_hip_pitch": ("left_ankle", -FORWARD),
    "right_hip_roll": ("right_ankle", RIGHT),
    "right_hip_yaw": ("right_foot_front_outer", RIGHT),
    "lumbar_yaw": ("attachment_front_left", -RIGHT),
    "lumbar_roll": ("trunk_high_right", RIGHT),
    "lumbar_pitch": ("trunk_high_right", -FORWARD),
    "pelvis_forward": ("lumbar", FORWARD),
    "pelvis_upward": ("lumbar", UP),
    "pelvis_rightward": ("lumbar", RIGHT),
    "pelvis_roll": ("lumbar", RIGHT),
    "pelvis_yaw": ("attachment_front_left", -RIGHT),
    "pelvis_pitch": ("lumbar", -FORWARD),
}
KONDO_SIGNS = {
    "right_ankle_roll": ("right_foot_heel_left", RIGHT),
    "left_ankle_roll": ("left_foot_heel_left", -RIGHT),
    "right_ankle_pitch": ("right_foot_heel_left", -FORWARD),
    "right_knee": ("right_foot_ankle_on_leg", -FORWARD),
    "right_hip_pitch": ("right_knee", -FORWARD),
    "right_hip_roll": ("right_knee", RIGHT),
    "left_hip_roll": ("left_knee", -RIGHT),
    "right_shoulder_roll": ("right_fist", RIGHT),
    "left_shoulder_roll": ("left_fist", -RIGHT),
    "left_shoulder_pitch": ("left_fist", -FORWARD),
    "left_elbow": ("left_fist", -FORWARD),
    "head_turn": ("nose", -RIGHT),
    "trunk_forward": ("neck", FORWARD),
    "trunk_upward": ("neck", UP),
    "trunk_rightward": ("neck", RIGHT),
    "trunk_right_lean": ("neck", RIGHT),
    "trunk_left_turn": ("nose", -RIGHT),
    "trunk_backward_tilt": ("neck", -FORWARD),
}


@pytest.mark.parametrize(
    ("make", "name"), [*((bip, name) for name in BIP_SIGNS), *((kondo, name) for name in KONDO_SIGNS)]
)
def test_a_coordinate_does_what_its_name_says(make, name):
    figure = make()
    tag, way = (BIP_SIGNS if make is bip else KONDO_SIGNS)[name]
    J = tree.tag_jacobians(figure, np.zeros(figure.nv))
    assert J[figure.tag_names.index(tag), :, figure.coordinates.index(name)] @ way > 1e-3  # m/rad, or m/m


def mirror(names, odd):
    out = np.zeros((len(names), len(names)))
    for n, name in enumerate(names):
        side, rest = name.split("_", 1)
        if side in ("right", "left"):
            out[names.index(("left_" if side == "right" else "right_") + rest), n] = 1.0
        else:
            out[n, n] = -1.0 if name.endswith(odd) else 1.0
    return out


# ---- Kondo ---------------------------------------------------------------------------------------------------------

MASSES = {"trunk": 40.38, "hip": 0.77, "thigh": 7.69, "leg": 3.85, "ankle": 0.77, "foot": 5.38}
MASSES |= {"shoulder": 0.77, "arm": 3.85, "hand": 5.00, "head": 3.46}
CENTERS = {"trunk": (0, 0.5, 0), "leg": (0, -0.6, 0), "foot": (0, 0, 0.25), "shoulder": (0, 0, -0.5)}
CENTERS |= {"arm": (0, -0.4, 0), "head": (0.4, 0.6, 0)}
CENTERS |= dict.fromkeys(("hip", "thigh", "ankle", "hand"), (0, -0.5, 0))


def test_kondo_masses_centers_and_boxes():
    robot = kondo()
    edges = kondo_table.boxes({f"L{n + 1}": x for n, x in enumerate(robot.lengths)})
    for segment in robot.segments:
        name = segment.name.removeprefix("right_").removeprefix("left_")
        assert segment.mass == pytest.approx(MASSES[name] / 100 * 1.3, abs=1e-15)
        side = (1, 1, -1) if segment.name.startswith("left_") else (1, 1, 1)
        np.testing.assert_allclose(segment.com, np.array(CENTERS[name]) * edges[name] * side, atol=1e-15)
        a, b, c = edges[name]
        moments = segment.mass / 12 * np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2])
        np.testing.assert_allclose(segment.inertia, np.diag(moments), atol=1e-15)
    assert robot.mass == pytest.approx(1.3, abs=1e-14)
    assert isinstance(robot, Kondo)


def test_kondo_is_340_mm_high_with_34_tags_and_24_lengths():
    robot = kondo()
    assert len(robot.tags) == 34
    assert len(robot.lengths) == 24
    assert sum(robot.lengths[n] for n in (0, 1, 2, 3, 4, 6, 7)) == pytest.approx(0.340, abs=1e-15)
    np.testing.assert_allclose(places(robot)["neck"], (0, 0.295, 0), atol=1e-15)
    assert robot.tag_names[4] == "right_foot_ankle_on_foot"
    assert robot.tag_names[17] == "left_iliac_crest"
    assert robot.tag_names[30:] == ("neck", "nose", "left_ear", "right_ear")
    assert robot.hanim["left_great_trochanter"] == "Kondo_l_hip"
    assert len(robot.hanim) == 17
    assert set(robot.hanim) <= set(robot.tag_names)


def test_kondo_scales():
    large = kondo(0.68, 2.6, lengths={"L3": 0.2})
    assert large.lengths["L4"] == pytest.approx(0.12)
    assert large.lengths["L3"] == 0.2
    assert large.mass == pytest.approx(2.6)
    assert large.replace(height=0.34).lengths["L3"] == 0.2


def test_kondo_is_its_own_mirror_image():
    robot = kondo()
    P = mirror(robot.coordinates, ("head_turn", "rightward", "right_lean", "left_turn"))
    q = np.random.default_rng(6).normal(size=23)
    M = tree.inertia_matrix(robot, q)
    np.testing.assert_allclose(tree.inertia_matrix(robot, P @ q), P @ M @ P.T, rtol=0, atol=1e-12 * np.abs(M).max())


def test_kondo_elbows_bend_in_the_plane_stated():
    robot = kondo(elbows="frontal")
    J = tree.tag_jacobians(robot, np.zeros(23))
    for side, way in (("right", RIGHT), ("left", -RIGHT)):
        column = J[robot.tag_names.index(f"{side}_fist"), :, robot.coordinates.index(f"{side}_elbow")]
        np.testing.assert_allclose(column, 0.6 * robot.lengths["L14"] * way, atol=1e-15)


def test_kondo_servo_limits():
    limits = kondo(limits="servos").limits
    np.testing.assert_allclose(limits[:17], np.tile((-np.pi / 2, np.pi / 2), (17, 1)))
    assert np.isinf(limits[17:]).all()


BAD = [
    (bip, {"lengths": {"arm": 1.0}}, "no such name in lengths", "foot, shank"),
    (bip, {"lengths": {"shank": 0.0}}, "length 'shank'", "above zero"),
    (bip, {"masses": {"trunk": np.nan}}, "masses of 'trunk'", "finite number"),
    (bip, {"tags": {"knee": (0, 0, 0)}}, "no such name in tags", "right_knee"),
    (bip, {"limits": "anatomical"}, "limits", "None, or a mapping"),
    (kondo, {"height": -0.3}, "height", "SI units"),
    (kondo, {"mass": "light"}, "mass", "SI units"),
    (kondo, {"lengths": {"L25": 0.1}}, "no such length", "L1 to L24"),
    (kondo, {"lengths": [0.1] * 23}, "lengths", "all 24"),
    (kondo, {"elbows": "both"}, "elbows must be in an allowed plane", "sagittal, frontal"),
    (kondo, {"limits": {"right_knee": (1, 0)}}, "limits of 'right_knee'", "lower bound first"),
]


@pytest.mark.parametrize(("make", "options", "problem", "remedy"), BAD)
def test_bad_input_is_reported(make, options, problem, remedy):
    with pytest.raises(InputError) as caught:
        make(**options)
    assert problem in str(caught.value)
    assert remedy in str(caught.value)


def test_bip_has_the_three_contact_solids_of_its_points():
    """Points 1 to 4, 5 to 8 and 9 to 12, tags 1 to 4, 11 to 14 and 22 to 25 [HuMAnS Fig. 2.5]."""
    figure = bip()
    numbers = {
        solid: [figure.tag_names.index(tag) + 1 for tag in tags] for solid, tags in figure.contact_solids.items()
    }
    assert numbers == {"right_foot": [1, 2, 3, 4], "left_foot": [11, 12, 13, 14], "trunk": [22, 23, 24, 25]}
    assert len(points_of_tags(figure)) == 12


def test_the_man_on_bips_frames_weighs_and_turns_as_human36():
    """The same table of masses and radii on other frames. Trunk and limbs keep their places to some centimetres, of
    the 0.5 m of their radius about the hips: a tenth of the moments of inertia, a third about the vertical, where the
    radius is a tenth of a metre."""
    man, other = human(mass=80.0), human36(height=1.741, mass=80.0)
    assert man.names == bip().names
    assert man.coordinates == bip().coordinates
    assert man.mass == pytest.approx(80.0, rel=1e-12)
    assert man.lengths == bip().lengths
    for kind in ("thigh", "shank", "foot"):
        assert man.masses[f"left_{kind}"] == pytest.approx(other.masses[f"left_{kind}"], rel=1e-12)
    own = np.diag(tree.inertia_matrix(man, man.neutral()))
    at = [man.coordinates.index(f"pelvis_{name}") for name in ("roll", "pitch", "yaw")]
    theirs = np.diag(tree.inertia_matrix(other, other.neutral()))[[-3, -1, -2]]
    np.testing.assert_allclose(own[at[:2]], theirs[:2], rtol=0.1)
    assert own[at[2]] == pytest.approx(theirs[2], rel=1 / 3)
    with pytest.raises(InputError, match="no such name in masses"):
        human(masses={"lumbar_cardan": 1.0})
    assert human(masses={"trunk": 40.0}).masses["trunk"] == 40.0


def test_landmarks_of_the_foot_are_the_means_of_those_measured():
    """Over those in whom the place was measured, mean place over mean height, to the digits printed [HuMAnS 3.2.1]."""
    height = np.array(MEASURED_LANDMARKS["height"])
    for name, printed in {"toe_x": 0.1235, "ball_x": 0.0662, "ball_z": 0.0305, "malleolus_z": 0.0249}.items():
        place = np.array(MEASURED_LANDMARKS[name])
        seen = np.isfinite(place)
        assert round(place[seen].mean() / height[seen].mean(), 4) == pytest.approx(printed, abs=5e-5)
        assert TABLES["deleva", "male"].landmarks[name] == printed
