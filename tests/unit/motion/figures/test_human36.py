"""Every number of Human36 against tables typed here from spec and literature, its signs, symmetry and errors."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion import tree
from motiform.motion.figures import TABLES, Anthropometry, Human36, human36

H, MASS = 1.741, 73.0
ROUND = 1e-12  # m, kg: a few roundings of numbers near 1

LENGTHS = {
    (1,): 0.2075 * H,
    (2,): 0.09085,
    (3,): 0.1002 * H,
    (4, 14): 0.0222 * H,
    (5, 15): 0.2493 * H,
    (6, 16): 0.2425 * H,
    (7, 17): 0.0980 * H,
    (8, 18): 0.0127,
    (9, 19): 0.1817,
    (10, 20): 0.0104 * H,
    (11, 21): 0.259 * H / 2 - 0.0127,
    (12, 22): 0.09085,
    (13, 23): 0.1618 * H,
    (24, 25): 0.1544 * H,
    (26,): 0.139 * H,
    (27, 28): 0.1091 * H,
    (29,): 0.1395 * H,
    (30, 31): 0.1482 * H,
}
L = {n: value for numbers, value in LENGTHS.items() for n in numbers}

# kind: mass %, centre of mass of the right one [m], radii %, the length that they are parts of
SEGMENTS = {
    "lower_trunk": (27.5, (0, 0.5108 * L[1], 0), (27.22, 26.28, 22.6), L[1]),
    "thigh": (14.16, (0, -0.4095 * L[6], 0), (32.9, 14.9, 32.9), L[6]),
    "shank": (4.33, (0, -0.4459 * L[5], 0), (25.5, 10.3, 24.9), L[5]),
    "foot": (1.37, (0.4415 * L[30] - 0.0248 * H, -L[4] / 2, 0), (12.4, 25.7, 24.5), L[30]),
    "thorax": (15.96, (0.1817 / 2, 0.7001 * L[7], 0), (71.6, 65.9, 45.4), L[7]),
    "shoulder": (0.0, (0, 0, 0), (0, 0, 0), 1.0),
    "upper_arm": (2.71, (0, -0.5772 * L[13], 0), (28.5, 15.8, 26.9), L[13]),
    "forearm": (1.62, (0, -0.4574 * L[24], 0), (27.6, 12.1, 26.5), L[24]),
    "hand": (0.61, (0, -0.3691 * L[27], 0), (28.8, 18.4, 23.5), L[27]),
    "head": (6.94, (0, 0.4998 * L[29], 0), (30.3, 26.1, 31.5), L[29]),
}

TAGS = {
    1: ("r_digit2", "right_foot", (0.1235 * H, -L[4], 0)),
    2: ("r_calcaneous_post", "right_foot", (-0.0248 * H, -L[4], 0)),
    3: ("r_metatarsal_pha5", "right_foot", (0.0662 * H, -L[4], 0.0305 * H)),
    4: ("r_metatarsal_pha1", "right_foot", (0.0662 * H, -L[4], -0.0305 * H)),
    5: ("r_lateral_malleolus", "right_shank", (0, -L[5], 0.0249 * H)),
    6: ("r_femoral_lateral_epicn", "right_thigh", (0, -L[6], 0.0290 * H)),
    7: ("r_trochanterion", "right_thigh", (0, 0, 0.0941 * H - L[3] / 2)),
    8: ("r_iliocristale", "lower_trunk", (0.0271 * H, 0.0366 * H, 0.0697 * H)),
    17: ("substernale", "thorax", (0.1219 * H, 0, 0)),
    18: ("suprasternale", "thorax", (0.1817, L[7], 0)),
    19: ("r_acromion", "right_shoulder", (-0.09085, L[10] + 0.0198 * H, L[11])),
    20: ("r_humeral_lateral_epicn", "right_upper_arm", (0, -L[13], 0.0211 * H)),
    21: ("r_radial_styloid", "right_forearm", (0, -0.1533 * H, 0.0331 * H)),
    22: ("r_dactylion", "right_hand", (0, -0.1091 * H, 0)),
    27: ("cervicale", "thorax", (0.09085 - 0.0392 * H, L[26], 0)),
    28: ("vertex", "head", (0, 0.1395 * H, 0)),
}
for n in (*range(1, 9), *range(19, 23)):
    name, segment, (x, y, z) = TAGS[n]
    TAGS[n + (8 if n < 9 else 4)] = ("l" + name[1:], segment.replace("right", "left"), (x, y, -z))


@pytest.fixture(scope="module")
def body() -> Human36:
    return human36()


def kind(segment):
    return segment.removeprefix("right_").removeprefix("left_")


# ---- numbers -------------------------------------------------------------------------------------------------------


def test_lengths_are_those_of_the_table(body):
    assert body.height == H
    assert len(body.lengths) == 31
    assert sorted(L) == list(range(1, 32))
    for number, value in L.items():
        assert body.lengths[number - 1] == pytest.approx(value, abs=ROUND)
        assert body.lengths[f"L{number}"] == body.lengths[number - 1]
    with pytest.raises(ValueError, match="read-only"):
        body.lengths[0] = 1.0


def test_masses_are_those_of_the_table_and_sum_to_the_body(body):
    assert body.body_mass == MASS
    assert body.mass == pytest.approx(MASS, abs=ROUND)
    for name, mass in body.masses.items():
        assert mass == pytest.approx(SEGMENTS[kind(name)][0] / 100 * MASS, abs=ROUND)


def test_centers_and_inertias_are_those_of_the_table(body):
    for segment in body.segments:
        percent, center, radii, length = SEGMENTS[kind(segment.name)]
        np.testing.assert_allclose(segment.com, center, rtol=0, atol=ROUND)
        moments = percent / 100 * MASS * (np.array(radii) / 100 * length) ** 2
        np.testing.assert_allclose(segment.inertia, np.diag(moments), rtol=0, atol=ROUND)
        np.testing.assert_allclose(body.radii[segment.name], np.array(radii) / 100 * length, rtol=0, atol=ROUND)
        np.testing.assert_array_equal(body.centers[segment.name], segment.com)


def test_tags_are_those_of_the_table(body):
    assert len(body.tags) == 28
    for number, (name, segment, point) in TAGS.items():
        tag = body.tags[number - 1]
        assert (tag.name, tag.segment) == (name, segment)
        np.testing.assert_allclose(tag.point, point, rtol=0, atol=ROUND)


def test_the_height_is_the_sum_of_its_parts(body):
    legs = sum(body.lengths[f"L{n}"] for n in (4, 5, 6))
    assert legs + sum(body.lengths[f"L{n}"] for n in (1, 26, 29)) == pytest.approx(H, abs=1e-4 * H)  # printed digits


# ---- where it stands -----------------------------------------------------------------------------------------------


def test_five_tags_at_zero_by_hand(body):
    """Added up from the table by hand, in metres."""
    found = dict(zip(body.tag_names, tree.tags(body, np.zeros(42)), strict=True))
    expected = {
        # 0.1235·1.741 = 0.2150135; half of 0.1002·1.741 = 0.0872241
        "r_digit2": (0.2150135, 0.0, 0.0872241),
        # hip 0.514·1.741 = 0.894874, + 0.0366·1.741 = 0.0637206; 0.0271·1.741, −0.0697·1.741
        "l_iliocristale": (0.0471811, 0.9585946, -0.1213477),
        # x: −0.09085 + 0.0392 of the height back from L2: −0.09085 + 0.09085 − 0.0682472; y: (0.514 + 0.2075 + 0.139)·H
        "cervicale": (-0.0682472, 1.4981305, 0.0),
        # the whole height; over T10 − L2 + L2
        "vertex": (0.0, 1.741, 0.0),
        # y: (0.514 + 0.2075 + 0.098 + 0.0104 − 0.1618 − 0.1544 − 0.1091)·H = 0.4046·H; z: 0.1295·H
        "l_dactylion": (0.0, 0.7044086, -0.2254595),
    }
    for name, point in expected.items():
        np.testing.assert_allclose(found[name], point, rtol=0, atol=2e-7)  # seven digits above, a few added


@pytest.mark.parametrize("options", [{}, {"sex": "female"}, {"height": 1.2}, {"table": "dempster"}])
def test_both_feet_are_flat_on_the_ground(options):
    figure = human36(**options)
    tags = dict(zip(figure.tag_names, tree.tags(figure, np.zeros(42)), strict=True))
    soles = [tags[name] for names in figure.contact_solids.values() for name in names]
    assert len(soles) == 8
    np.testing.assert_allclose(np.array(soles)[:, 1], 0.0, atol=1e-15 * 8)
    ankles = tree.forward_kinematics(figure, np.zeros(42))[1][[figure.index("right_foot"), figure.index("left_foot")]]
    np.testing.assert_allclose(ankles.mean(0)[[0, 2]], 0.0, atol=1e-15)


def test_frames_are_parallel_to_the_world_at_zero(body):
    np.testing.assert_allclose(
        tree.forward_kinematics(body, np.zeros(42))[0], np.broadcast_to(np.eye(3), (17, 3, 3)), atol=1e-15
    )


def rank(figure, q):
    singular = np.linalg.svd(tree.tag_jacobians(figure, q).reshape(-1, figure.nv), compute_uv=False)
    return int((singular > 1e-9 * singular[0]).sum())


def test_rank_of_the_tag_jacobian(body):
    assert rank(body, np.zeros(42)) == 37
    rng = np.random.default_rng(7)
    assert [rank(body, 0.4 * rng.normal(size=42)) for _ in range(5)] == [41] * 5


# ---- signs and symmetry --------------------------------------------------------------------------------------------

FORWARD, UP, RIGHT = np.eye(3)
SIGNS = {  # coordinate: the tag that moves, and where to (on the right side)
    "right_ankle_eversion": ("r_metatarsal_pha5", UP),
    "right_ankle_dorsiflexion": ("r_digit2", UP),
    "right_knee_extension": ("r_lateral_malleolus", FORWARD),
    "right_hip_abduction": ("r_lateral_malleolus", RIGHT),
    "right_hip_external_rotation": ("r_digit2", RIGHT),
    "right_hip_flexion": ("r_lateral_malleolus", FORWARD),
    "thorax_right_bending": ("suprasternale", RIGHT),
    "thorax_left_rotation": ("suprasternale", -RIGHT),
    "thorax_extension": ("cervicale", -FORWARD),
    "right_clavicle_elevation": ("r_acromion", UP),
    "right_clavicle_retraction": ("r_acromion", -FORWARD),
    "right_shoulder_abduction": ("r_dactylion", RIGHT),
    "right_shoulder_external_rotation": ("r_humeral_lateral_epicn", -FORWARD),
    "right_shoulder_flexion": ("r_dactylion", FORWARD),
    "right_forearm_supination": ("r_radial_styloid", -FORWARD),
    "right_elbow_flexion": ("r_radial_styloid", FORWARD),
    "right_wrist_radial_deviation": ("r_dactylion", RIGHT),
    "right_wrist_flexion": ("r_dactylion", FORWARD),
    "head_right_bending": ("vertex", RIGHT),
    "head_extension": ("vertex", -FORWARD),
    "pelvis_forward": ("vertex", FORWARD),
    "pelvis_upward": ("vertex", UP),
    "pelvis_rightward": ("vertex", RIGHT),
    "pelvis_right_lean": ("vertex", RIGHT),
    "pelvis_left_turn": ("suprasternale", -RIGHT),
    "pelvis_backward_tilt": ("vertex", -FORWARD),
}


@pytest.mark.parametrize("name", SIGNS)
def test_a_coordinate_does_what_its_name_says(body, name):
    tag, way = SIGNS[name]
    J = tree.tag_jacobians(body, np.zeros(42))
    column = body.coordinates.index(name)
    assert J[body.tag_names.index(tag), :, column] @ way > 1e-3  # m/rad, or m/m
    if name.startswith("right_"):
        other = J[body.tag_names.index("l" + tag[1:]), :, body.coordinates.index(name.replace("right", "left", 1))]
        assert other @ (way * (1, 1, -1)) > 1e-3


def test_the_order_of_q_is_the_printed_one(body):
    """Joints first, the base last; places that the tables of HuMAnS print."""
    at = {name: n + 1 for n, name in enumerate(body.coordinates)}
    assert [at[f"left_shoulder_{name}"] for name in ("flexion", "external_rotation", "abduction")] == [29, 28, 27]
    assert [at[f"right_hip_{name}"] for name in ("flexion", "external_rotation", "abduction")] == [6, 5, 4]
    assert at["right_knee_extension"] == 3
    assert [at["head_right_bending"], at["head_left_rotation"], at["head_extension"]] == [34, 35, 36]
    assert [at["pelvis_forward"], at["pelvis_upward"], at["pelvis_rightward"]] == [37, 38, 39]
    assert [at["pelvis_right_lean"], at["pelvis_left_turn"], at["pelvis_backward_tilt"]] == [40, 41, 42]


def mirror(names):
    """Velocities of the body seen in the mirror z → −z."""
    odd = ("right_bending", "left_rotation", "rightward", "right_lean", "left_turn")
    out = np.zeros((len(names), len(names)))
    for n, name in enumerate(names):
        if name.startswith(("right_", "left_")):
            side, rest = name.split("_", 1)
            out[names.index(("left_" if side == "right" else "right_") + rest), n] = 1.0
        else:
            out[n, n] = -1.0 if name.endswith(odd) else 1.0
    return out


@pytest.mark.parametrize("sex", ["male", "female"])
def test_left_and_right_are_mirror_images(sex):
    body = human36(sex=sex)
    P = mirror(body.coordinates)
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=42), rng.normal(size=42)
    M = tree.inertia_matrix(body, q)
    np.testing.assert_allclose(tree.inertia_matrix(body, P @ q), P @ M @ P.T, rtol=0, atol=1e-12 * np.abs(M).max())
    n = tree.nonlinear_effects(body, q, v)
    np.testing.assert_allclose(tree.nonlinear_effects(body, P @ q, P @ v), P @ n, rtol=0, atol=1e-12 * np.abs(n).max())


# ---- choices and changes -------------------------------------------------------------------------------------------


def test_every_choice_is_kept_and_read_back():
    body = human36(
        1.8,
        80.0,
        lengths={"L5": 0.45, 15: 0.45},
        masses={"head": 6.0},
        tags={"r_digit2": (0.2, -0.04, 0.01)},
        centers={"foot": (0.05, -0.02, 0.004)},
        radii={"right_hand": (0.05, 0.03, 0.04)},
        limits={"q3": (-2.0, 0.1)},
        gravity=(0, -1.62, 0),
        name="walker",
    )
    assert (body.height, body.body_mass, body.name, body.gravity) == (1.8, 80.0, "walker", (0.0, -1.62, 0.0))
    assert body.lengths["L5"] == body.lengths["L15"] == 0.45
    assert body.lengths["L6"] == pytest.approx(0.2425 * 1.8)
    assert body.masses["head"] == 6.0
    assert body.masses["thorax"] == pytest.approx(0.1596 * 80)
    assert body.tags[0].point == (0.2, -0.04, 0.01)
    assert body.centers["right_foot"].tolist() == [0.05, -0.02, 0.004]
    assert body.centers["left_foot"].tolist() == [0.05, -0.02, -0.004]
    np.testing.assert_allclose(body.radii["right_hand"], (0.05, 0.03, 0.04), rtol=1e-15)
    assert body.limits[2].tolist() == [-2.0, 0.1]
    assert np.isinf(body.limits[3:]).all()
    assert body.recipe.lengths == {"L5": 0.45, "L15": 0.45}


def test_all_lengths_at_once():
    given = 0.1 + 0.01 * np.arange(31)
    body = human36(lengths=given)
    np.testing.assert_array_equal(body.lengths, given)
    assert dict(zip(body.tag_names, body.tags, strict=True))["l_humeral_lateral_epicn"].point[1] == -given[22]


def test_replace_keeps_the_other_choices():
    first = human36(1.8, lengths={"L5": 0.45}, tags={"vertex": (0.0, 0.3, 0.0)}, limits="anatomical")
    second = first.replace(mass=60.0, lengths={"L15": 0.45}, gravity=(0, 0, 0))
    assert isinstance(second, Human36)
    assert second.lengths["L5"] == second.lengths["L15"] == 0.45
    assert second.tags[27].point == (0.0, 0.3, 0.0)
    assert (second.height, second.mass, second.gravity) == (1.8, pytest.approx(60.0), (0.0, 0.0, 0.0))
    np.testing.assert_array_equal(second.limits, first.limits)
    assert first.lengths["L15"] != 0.45  # the first one is as it was
    back = second.replace(lengths={"L5": None}, tags=None)
    assert back.lengths["L5"] == pytest.approx(0.2493 * 1.8)
    assert back.lengths["L15"] == 0.45
    assert back.tags[27].point == pytest.approx((0.0, 0.1395 * 1.8, 0.0))


def test_fields_of_a_figure_are_replaced_too_and_survive_new_measures():
    body = human36().replace(segments={"head": {"mass": 9.0}}, closures=())
    assert body.masses["head"] == 9.0
    taller = body.replace(height=2.0)
    assert taller.masses["head"] == 9.0
    assert taller.height == 2.0
    whole = human36().replace(segments=human36().segments)
    with pytest.raises(InputError, match="measures first"):
        whole.replace(height=2.0)


def test_uneven_legs_are_reported(body):
    assert body.notes == ()
    uneven = body.replace(lengths={"L5": 0.40})
    (note,) = uneven.notes
    assert "left foot stands" in note


def test_anatomical_limits_hold_the_zero_posture():
    limits = human36(limits="anatomical").limits
    assert (limits[:36, 0] < 0).all()
    assert (limits[:36, 1] > 0).all()
    assert np.isinf(limits[36:]).all()
    degrees = np.degrees(limits)
    np.testing.assert_allclose(degrees[5], (-30, 120))  # hip: 30 extension, 120 flexion
    np.testing.assert_allclose(degrees[2], (-135, 10))  # knee: 135 flexion
    np.testing.assert_array_equal(limits[:6], limits[6:12])
    assert np.isinf(human36().limits).all()


def test_tables_are_whole():
    for (name, _), table in TABLES.items():
        percent = {k: v for k, v in table.masses.items() if k in ("lower_trunk", "thorax", "head")}
        whole = sum(percent.values()) + 2 * sum(v for k, v in table.masses.items() if k not in percent)
        assert whole == pytest.approx(100, abs=0.011), name  # De Leva's women sum to 99.99
        assert human36(table=table).mass == pytest.approx(table.mass, abs=1e-12)


# De Leva's Table 4, two parts of the trunk: mass %, centre % from above, radii % (sagittal, transverse, long), mm
PARTS = {
    "female": ((14.65, 45.12, (43.3, 35.4, 41.5), 205.3), (12.47, 49.20, (43.3, 40.2, 44.4), 181.5)),
    "male": ((16.33, 45.02, (48.2, 38.3, 46.8), 215.5), (11.17, 61.15, (61.5, 55.1, 58.7), 145.7)),
}


def lower_trunk(sex):
    """Centre of mass and radii [% of the length] of the middle and lower parts of a trunk together."""
    (m1, c1, r1, l1), (m2, c2, r2, l2) = PARTS[sex]
    y1, y2, m = l2 + (1 - c1 / 100) * l1, (1 - c2 / 100) * l2, m1 + m2
    center = (m1 * y1 + m2 * y2) / m
    apart = m1 * m2 / m**2 * (y1 - y2) ** 2
    x, z, y = ((m1 * (a * l1) ** 2 + m2 * (b * l2) ** 2) / m / 1e4 for a, b in zip(r1, r2, strict=True))
    return 100 * center / (l1 + l2), 100 * np.sqrt([x + apart, y, z + apart]) / (l1 + l2)


# Women: mass %, centre %, radii % (x, y, z), the length that they are parts of [mm]; of the trunk below
WOMAN = {
    "thigh": (14.78, 36.12, (36.9, 16.2, 36.4), "L6", 368.5),
    "shank": (4.81, 44.16, (27.1, 9.3, 26.7), "L5", 432.3),
    "foot": (1.29, 40.14, (13.9, 29.9, 27.9), "L30", 228.3),
    "thorax": (15.45, 100 - 20.77, (74.6, 71.8, 50.2), "L7", 142.5),
    "upper_arm": (2.55, 57.54, (27.8, 14.8, 26.0), "L13", 275.1),
    "forearm": (1.38, 45.59, (26.1, 9.4, 25.7), "L24", 264.3),
    "hand": (0.56, 34.27, (24.4, 15.4, 20.8), "L27", 170.1),
    "head": (6.68, 100 - 48.41, (27.1, 26.1, 29.5), "L29", 243.7),
}


def test_female_numbers():
    body, table = human36(sex="female"), TABLES["deleva", "female"]
    assert (body.height, body.body_mass) == (1.735, 61.9)
    for kind, (mass, center, radii, length, millimetres) in WOMAN.items():
        assert table.masses[kind] == mass
        assert table.centers[kind] == pytest.approx(center, abs=1e-12)
        assert table.radii[kind] == radii
        assert body.lengths[length] == pytest.approx(
            millimetres / 1000, abs=0.00005 * 1.735
        )  # four digits of the ratio
    for length, millimetres in {"L1": 386.8, "L26": 228.0, "L4": 1735 - 243.7 - 614.8 - 368.5 - 432.3}.items():
        assert body.lengths[length] == pytest.approx(millimetres / 1000, abs=0.00005 * 1.735)
    assert table.masses["lower_trunk"] == pytest.approx(12.47 + 14.65, abs=1e-12)
    center, radii = lower_trunk("female")
    assert table.centers["lower_trunk"] == pytest.approx(center, abs=0.005)
    np.testing.assert_allclose(table.radii["lower_trunk"], radii, atol=0.005)
    assert body.masses["right_thigh"] == pytest.approx(0.1478 / 0.9999 * 61.9, abs=1e-12)


def test_dempster_numbers():
    """Masses of Winter's table [%]; centres and radii of the long limbs."""
    body = human36(mass=100.0, table="dempster")
    masses = {"lower_trunk": 28.1, "thorax": 21.6, "head": 8.1, "left_thigh": 10.0, "left_shank": 4.65}
    masses |= {"left_foot": 1.45, "left_upper_arm": 2.8, "left_forearm": 1.6, "left_hand": 0.6}
    assert {name: body.masses[name] for name in masses} == pytest.approx(masses, abs=1e-12)
    for name, center, radius in (("upper_arm", 43.6, 32.2), ("forearm", 43.0, 30.3), ("thigh", 43.3, 32.3)):
        length = {"upper_arm": L[13], "forearm": L[24], "thigh": L[6]}[name]
        assert body.centers[f"right_{name}"][1] == pytest.approx(-center / 100 * length)
        np.testing.assert_allclose(body.radii[f"right_{name}"][[0, 2]], radius / 100 * length)


def test_the_male_lower_trunk_lacks_the_parallel_axis_term():
    """The printed radii about x and z are those of the parts about their own centres; the page of figures says so."""
    _, radii = lower_trunk("male")
    printed = TABLES["deleva", "male"].radii["lower_trunk"]
    assert radii[1] == pytest.approx(printed[1], abs=0.01)
    np.testing.assert_allclose(radii, (39.2, 26.3, 36.2), atol=0.1)


def test_a_table_of_your_own():
    mine = Anthropometry("mine", 1.7, 70.0, *(getattr(TABLES["deleva", "male"], k) for k in FIELDS))
    assert human36(table=mine).height == 1.7


FIELDS = ("lengths", "masses", "centers", "radii", "landmarks")

BAD = [
    ({"height": -1.0}, "height", "SI units"),
    ({"height": np.nan}, "height", "SI units"),
    ({"height": "tall"}, "height", "a finite number above zero"),
    ({"mass": 0.0}, "mass", "SI units"),
    ({"mass": np.inf}, "mass", "SI units"),
    ({"lengths": {"L32": 0.1}}, "no such length", "L1 to L31"),
    ({"lengths": {"shank": 0.1}}, "no such length", "L1 to L31"),
    ({"lengths": {5: -0.1}}, "length 5", "zero or more"),
    ({"lengths": {5: np.nan}}, "length 5", "zero or more"),
    ({"lengths": np.ones(30)}, "lengths", "all 31"),
    ({"tags": {"r_digit": (0, 0, 0)}}, "no such name in tags", "r_digit2"),
    ({"tags": {"r_digit2": (0, 0)}}, "tags of 'r_digit2'", "3 finite numbers"),
    ({"tags": {"r_digit2": (0, 0, np.nan)}}, "tags of 'r_digit2'", "3 finite numbers"),
    ({"masses": {"hed": 1.0}}, "no such name in masses", "Did you mean 'head'"),
    ({"masses": {"head": -1.0}}, "masses of 'head'", "none below 0"),
    ({"masses": [1.0]}, "masses", "a mapping"),
    ({"centers": {"thigh": (0, 0)}}, "centers of 'right_thigh'", "3 finite numbers"),
    ({"radii": {"head": (-1, 1, 1)}}, "radii of 'head'", "none below 0"),
    ({"radii": {"head": (1, 0.1, 0.1)}}, "the principal moments must be those of a solid", "principal moments"),
    ({"sex": "woman"}, "has no data for this sex", "male"),
    ({"sex": "female", "table": "dempster"}, "has no data for this sex", "deleva"),
    ({"table": "winter"}, "no such anthropometric table", "deleva"),
    ({"limits": "all"}, "limits", "anatomical"),
    ({"limits": {"knee": (0, 1)}}, "no such coordinate", "q1 to q42"),
    ({"limits": {"q3": (1, 0)}}, "limits of 'q3'", "lower bound first"),
    ({"gravity": (0, 1)}, "gravity", "three finite numbers"),
    ({"name": 3}, "name", "text"),
]


@pytest.mark.parametrize(("options", "problem", "remedy"), BAD)
def test_bad_input_is_reported(options, problem, remedy):
    with pytest.raises(InputError) as caught:
        human36(**options)
    assert problem in str(caught.value)
    assert remedy in str(caught.value)


def test_a_change_that_does_not_exist_is_reported(body):
    with pytest.raises(InputError, match=r"no such measure or field.*Did you mean 'height'"):
        body.replace(heigth=1.8)


def test_h_anim_names_every_segment(body):
    assert set(body.hanim) == set(body.names)
    joints, segments = zip(*body.hanim.values(), strict=True)
    assert len(set(joints)) == len(set(segments)) == 17
    assert body.hanim["right_shank"] == ("r_knee", "r_calf")


def test_the_look_fills_the_body(body):
    """Every massive segment has a shape, and the body reaches from the ground to its height."""
    _, p = tree.forward_kinematics(body, np.zeros(42))
    low, high = [], []
    for n, segment in enumerate(body.segments):
        assert segment.parts or not segment.mass
        for part in segment.parts:
            bounds = part.shape.bounds_in(part.placement) + p[n]
            low.append(bounds[0])
            high.append(bounds[1])
    assert np.min(low, axis=0)[1] == pytest.approx(0.0, abs=0.005)
    assert np.max(high, axis=0)[1] == pytest.approx(H, abs=0.01)
