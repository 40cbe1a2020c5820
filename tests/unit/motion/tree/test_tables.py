import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError, MotiformError
from motiform.motion.tree.joints import Axis
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.read.expressions import evaluate
from motiform.motion.tree.read.tables import (
    CardanRow,
    DHRow,
    builder_from_table,
    figure_from_cardan,
    figure_from_dh,
    fold,
)
from motiform.spatial import Transform, point_inertia, random_rotation, rotation_from_cardan

ROUNDING = 4e-15  # a chain of at most seven products of numbers below 3, each rounded to 2e-16 of its size


def matrix_of(figure: Figure, q, segment: str = "a"):
    """The segment's frame in its parent, from the joint alone."""
    n = figure.index(segment)
    found = figure.segments[n]
    return (found.placement @ found.joint.transform(np.asarray(q, float)[figure.layout.q[n]])).matrix()[:3]


# ---- the matrices of the conventions ---------------------------------------------------------------------------------


def dh_matrix(r, lam, alpha, theta):
    """As printed by the authors of the convention."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s, 0, r], [ca * s, ca * c, -sa, -lam * sa], [sa * s, sa * c, ca, lam * ca]])


def cardan_matrix(translation, rotation):
    return np.column_stack([rotation_from_cardan(rotation), translation])


def random_parameters(rng, count):
    """Constants, coordinates with signs, and sums of both: (what is typed, value at q)."""
    typed, values, q = [], [], []
    for _ in range(count):
        constant, x, kind = rng.uniform(-2, 2), rng.uniform(-2, 2), rng.integers(4)
        if kind == 0:
            typed, values = [*typed, constant], [*values, constant]
            continue
        q.append(x)
        sign = (-1) ** kind
        name = f"q{len(q)}"
        plain = name if sign > 0 else f"-{name}"
        typed.append(plain if kind == 1 else f"{constant!r} {'+' if sign > 0 else '-'} {name}")
        values.append(sign * x if kind == 1 else constant + sign * x)
    return typed, values, q


@pytest.mark.parametrize("seed", range(30))
def test_the_denavit_hartenberg_matrix_is_the_printed_one(seed):
    typed, values, q = random_parameters(np.random.default_rng(seed), 4)
    figure = figure_from_dh([DHRow("a", None, *typed, mass=1.0)])
    assert figure.nq == len(q)
    np.testing.assert_allclose(matrix_of(figure, q), dh_matrix(*values), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("seed", range(30))
def test_the_cardan_matrix_is_translation_then_z_then_y_then_x(seed):
    typed, values, q = random_parameters(np.random.default_rng(seed), 6)
    figure = figure_from_cardan([CardanRow("a", None, tuple(typed[:3]), tuple(typed[3:]), mass=1.0)])
    np.testing.assert_allclose(matrix_of(figure, q), cardan_matrix(values[:3], values[3:]), rtol=0, atol=ROUNDING)


def test_a_quarter_turn_typed_as_pi_over_two_is_exact():
    figure = figure_from_dh([DHRow("a", None, 0, "q1", "-pi/2", "pi/2")])
    (axis,) = figure.segments[0].joint.axes
    assert axis.direction == (0.0, 0.0, 1.0)
    np.testing.assert_array_equal(matrix_of(figure, [0.0])[:, :3], [[0, -1, 0], [0, 0, 1], [-1, 0, 0]])


def test_rows_of_a_printed_robot_chain_as_their_matrices():
    """The first printed frames of Bip: constants stand before, between and behind its coordinates."""
    rows = [
        DHRow("1", None, 0, "0.903 + q17", "-pi/2", 0),
        DHRow("2", "1", 0, "q18", "pi/2", "pi/2"),
        DHRow("3", "2", 0, "q16", "pi/2", "pi/2"),
        DHRow("4", "3", 0, 0, "pi/2", "pi/2 + q20"),
        DHRow("5", "4", 0, 0, "pi/2", "pi/2 + q21"),
    ]
    figure = figure_from_dh(rows)
    assert figure.coordinates == ("q16", "q17", "q18", "q20", "q21")
    q16, q17, q18, q20, q21 = q = [0.3, 0.1, -0.2, 0.7, -1.1]
    h = np.pi / 2
    expected = [
        dh_matrix(0, 0.903 + q17, -h, 0),
        dh_matrix(0, q18, h, h),
        dh_matrix(0, q16, h, h),
        dh_matrix(0, 0, h, h + q20),
        dh_matrix(0, 0, h, h + q21),
    ]
    for row, matrix in zip(rows, expected, strict=True):
        np.testing.assert_allclose(matrix_of(figure, q, row.name), matrix, rtol=0, atol=ROUNDING)


def test_constants_fold_to_the_left_of_axes_with_points_and_pitch():
    rng = np.random.default_rng(3)
    constants = [Transform(random_rotation(rng), rng.standard_normal(3)) for _ in range(3)]
    axes = [Axis("revolute", (1, 2, 3), (0.1, 0.2, 0.3), 0.4, 0.5), Axis("prismatic", (0, 1, 1))]
    placement, folded = fold([constants[0], axes[0], constants[1], axes[1], constants[2]])
    x = np.array([0.7, -0.3])

    def moved(axis, value):
        return axis.transform(np.array(value + axis.offset))

    long = constants[0] @ moved(axes[0], x[0]) @ constants[1] @ moved(axes[1], x[1]) @ constants[2]
    short = placement @ moved(folded[0], x[0]) @ moved(folded[1], x[1])
    np.testing.assert_allclose(short.matrix(), long.matrix(), rtol=0, atol=1e-14)  # lengths of about 5 m


# ---- tables ----------------------------------------------------------------------------------------------------------

LEG = [
    CardanRow("trunk", None, ("q7", "L5 + L6 + q8", "q9"), ("q12", "q11", "q10"), 40.0, inertia=(1.0, 2.0, 3.0)),
    CardanRow("thigh", "trunk", (0, 0, "L3/2"), ("q6", "-q5", "-q4"), 9.0, (0, "-0.4*L6", 0)),
    CardanRow("shank", "thigh", (0, "−L6", 0), ("q3", 0, 0), 3.0, (0, "-L5/2", 0)),
    CardanRow("foot", "shank", (0, "-L[5]", 0), ("q[2]", 0, "-q[1]"), 1.0),
]
LENGTHS = {"H": 1.741, "L3": "0.1002*H", "L5": "0.2493*H", "L6": "0.2425*H"}


def test_a_leg_typed_as_in_a_paper():
    tags = {"toe": ("foot", ("0.1235*H", 0, 0))}
    leg = figure_from_cardan(LEG, lengths=LENGTHS, tags=tags)
    assert leg.coordinates == tuple(f"q{n}" for n in range(1, 13))
    assert leg.gravity == (0.0, -9.81, 0.0)
    assert leg.tags[0].point == (0.1235 * 1.741, 0.0, 0.0)
    np.testing.assert_allclose(matrix_of(leg, np.zeros(12), "trunk")[:, 3], [0, (0.2493 + 0.2425) * 1.741, 0])
    np.testing.assert_allclose(leg.segment("thigh").com, [0, -0.4 * 0.2425 * 1.741, 0])


def test_an_order_of_coordinates_can_be_given_and_lengths_can_be_numbered():
    rows = [CardanRow("a", None, ("L2", 0, 0), ("swing", 0, "roll"), 1.0)]
    figure = figure_from_cardan(rows, lengths=[0.1, 0.2], coordinates=["roll", "swing"])
    assert figure.coordinates == ("roll", "swing")
    q = [0.3, -0.8]
    np.testing.assert_allclose(matrix_of(figure, q), cardan_matrix([0.2, 0, 0], [q[1], 0, q[0]]), rtol=0, atol=ROUNDING)


def test_rows_of_both_kinds_mix():
    builder, order = builder_from_table([DHRow("a", None, theta="q2"), CardanRow("b", "a", (0, "q1", 0))])
    assert builder.build(coordinates=order).coordinates == ("q1", "q2")


def test_a_coordinate_used_again_is_coupled():
    rows = [DHRow("a", None, theta="q1", mass=1.0), DHRow("b", "a", r=0.5, theta="0.2 - 2*q1", mass=1.0)]
    figure = figure_from_dh(rows)
    assert figure.coordinates == ("q1",)
    (coupling,) = figure.couplings
    assert coupling.leading == "q1"
    assert coupling.function(0.3) == -0.6
    turned = matrix_of(figure, [0.0, -0.6], "b")  # q1 and its follower
    np.testing.assert_allclose(turned, dh_matrix(0.5, 0, 0, 0.2 - 0.6), rtol=0, atol=ROUNDING)


def test_inertia_about_the_origin_becomes_inertia_about_the_centre():
    rng = np.random.default_rng(1)
    R, G, m = random_rotation(rng), np.array([0.3, -0.2, 0.5]), 2.5
    about_center = R @ np.diag([0.02, 0.03, 0.04]) @ R.T
    about_origin = about_center + point_inertia(m, G)
    row = CardanRow("a", None, rotation=("q1", 0, 0), mass=m, com=tuple(G), inertia=about_origin)
    np.testing.assert_allclose(figure_from_cardan([row]).segments[0].inertia, about_center, rtol=0, atol=1e-15)
    direct = CardanRow("a", None, rotation=("q1", 0, 0), mass=m, com=tuple(G), inertia=about_center, about="center")
    np.testing.assert_array_equal(figure_from_cardan([direct]).segments[0].inertia, about_center)


# ---- expressions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "constant", "coordinate", "factor"),
    [
        ("-q5", 0, "q5", -1),
        ("L3/2", 0.25, None, 0),
        ("0.1 + q2", 0.1, "q2", 1),
        ("pi/2-q1", np.pi / 2, "q1", -1),
        ("-(q1 - 3*L3)", 1.5, "q1", -1),
        ("2*(L3 - 1)/4", -0.25, None, 0),
        ("1e-3*2", 2e-3, None, 0),
        ("--q1", 0, "q1", 1),
        ("q1 - q1 + 2", 2, None, 0),
        (".5", 0.5, None, 0),
        ("1/3", 1 / 3, None, 0),
    ],
)
def test_expressions(text, constant, coordinate, factor):
    value = evaluate(text, "here", {"L3": 0.5}, None)
    assert (value.constant, value.coordinate, value.factor) == (constant, coordinate, factor)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "an empty text"),
        ("q1 q2", "unexpected 'q2'"),
        ("q1 + q2", "two coordinates"),
        ("q1*q1", "product of coordinates"),
        ("1/0", "division by zero"),
        ("1/q1", "division by zero or by a coordinate"),
        ("(1", "not closed"),
        ("1 +", "ends too early"),
        ("L4", "unknown name 'L4'"),
        ("__import__('os')", "unexpected"),
        ("q1.real", "unexpected"),
        ("2**3", "unexpected"),
        ("1e400", "overflows"),
        ("(" * 200 + "1" + ")" * 199, "parentheses"),
        ("1+" * 300, "too long"),
    ],
)
def test_wrong_expressions_name_the_place_and_the_problem(text, says):
    with pytest.raises(InputError, match=says) as caught:
        evaluate(text, "row 'a', Tx", {"L3": 0.5}, None)
    assert str(caught.value).startswith("row 'a', Tx: ")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="q1L3+-*/(). epi[]", max_size=30))
def test_any_text_is_a_value_or_an_error(text):
    try:
        value = evaluate(text, "here", {"L3": 0.5}, None)
    except MotiformError:
        return
    assert np.isfinite(value.constant)


@pytest.mark.parametrize(
    ("rows", "options", "says"),
    [
        ([CardanRow("a", None, (0, 0))], {}, "row 'a', translation: three parameters are needed"),
        (
            [CardanRow("a", None, rotation=("2*q1", 0, 0))],
            {},
            "row 'a', z: a coordinate must stand without a factor at first",
        ),
        ([CardanRow("a", None, rotation=(None, 0, 0))], {}, "row 'a', z: a parameter must be"),
        ([CardanRow("a", None, rotation=(np.nan, 0, 0))], {}, "row 'a', z: a parameter must be"),
        ([CardanRow("a", None, mass="q1")], {}, "row 'a', mass: a parameter must be constant"),
        ([CardanRow("a", None, mass=1.0, inertia=(1, 2))], {}, "row 'a', inertia: the inertia must be three moments"),
        ([CardanRow("a", None, mass=1.0, inertia=(1, 1, 1), about="knee")], {}, "row 'a', about"),
        ([CardanRow("a", "b")], {}, "unknown parent"),
        ([CardanRow("a", None, rotation=("q1", 0, 0))], {"coordinates": ["q2"]}, "unknown name 'q1'"),
        ([CardanRow("a", None)], {"coordinates": ["q2"]}, "q2 in no row"),
        ([CardanRow("a", None)], {"lengths": {"L1": "L2"}}, "length 'L1': unknown name"),
        ([CardanRow("a", None)], {"lengths": {"q1": 1}, "coordinates": ["q1"]}, "a length and a coordinate"),
        ([DHRow("a", None)], {}, "row 1: a row must be of the kind of the table"),
        (
            [CardanRow("a", None, mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))],
            {},
            "the principal moments must be those of a solid",
        ),  # about the origin it is at least m d²
    ],
)
def test_wrong_tables_name_the_row(rows, options, says):
    with pytest.raises(InputError, match=says):
        figure_from_cardan(rows, **options)
