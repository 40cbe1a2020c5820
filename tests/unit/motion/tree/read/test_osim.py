import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError, MotiformError
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.algorithms.kinematics import forward_kinematics, tags
from motiform.motion.tree.joints import AxesJoint, FunctionJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.segment import Tag
from motiform.motion.tree.read import read_figure, read_marker_set, read_osim
from motiform.motion.tree.read.osim.functions import SimmSpline
from motiform.spatial import rotation_from_euler
from osim_texts import HIP, KNEE, axis, body, coordinate, coupler, custom, frame, joint, locked, model, read, refused

LEG = Path(__file__).parent / "leg.osim"


LINE = '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>'


# ---- a leg of version 3


def test_a_leg():
    leg = read_osim(LEG)
    assert (leg.name, leg.gravity) == ("leg", (0.0, -9.80665, 0.0))
    assert leg.names == ("pelvis", "femur_r", "tibia_r", "talus_r", "calcn_r", "toes_r")
    pelvis = ("pelvis_tilt", "pelvis_list", "pelvis_rotation", "pelvis_tx", "pelvis_ty", "pelvis_tz")
    hip = ("hip_flexion_r", "hip_adduction_r", "hip_rotation_r")
    assert leg.coordinates == (*pelvis, *hip, "knee_angle_r", "ankle_angle_r")
    assert isinstance(leg.segment("femur_r").joint, AxesJoint)
    assert isinstance(leg.segment("tibia_r").joint, FunctionJoint)
    assert leg.segment("toes_r").joint.nv == 0
    assert leg.segment("pelvis").mass == 11.777
    np.testing.assert_array_equal(np.diag(leg.segment("femur_r").inertia), [0.1339, 0.0351, 0.1412])
    assert leg.packed.kernel_only


def test_the_leg_begins_at_the_default_values():
    leg = read_osim(LEG)
    assert leg.neutral().tolist() == [0, 0, 0, 0, 0.95, 0, 0, 0, 0, 0, 0]
    assert leg.configuration(knee_angle_r=-0.5)[9] == -0.5


def test_ranges_are_limits_where_clamped():
    leg = read_osim(LEG)
    np.testing.assert_array_equal(leg.limits[6:9], [[-2, 2]] * 3)
    assert not np.isfinite(leg.limits[9]).any()
    np.testing.assert_array_equal(leg.segment("tibia_r").joint.ranges, [[-2.0943951, 0.17453293]])


def test_what_is_left_out_is_listed():
    leg = read_osim(LEG)
    notes = " ".join(leg.notes)
    for words in (
        "Thelen2003Muscle of <ForceSet>",
        "geometry of bodies (6 times)",
        "'subtalar_angle_r' is held at 0.1",
    ):
        assert words in notes


def test_locked_coordinates_can_be_let_go():
    leg = read_osim(LEG, locked="free")
    assert leg.coordinates[-2:] == ("subtalar_angle_r", "mtp_angle_r")
    held = read_osim(LEG)
    q = np.random.default_rng(1).uniform(-1, 1, held.nq)
    np.testing.assert_allclose(tags(leg, np.r_[q, 0.1, 0.0]), tags(held, q), atol=1e-15)  # rounding of 1 m


def test_the_knee_moves_along_its_splines():
    leg = read_osim(LEG)
    x = [-2.0944, -1.22173, -0.523599, -0.349066, -0.174533, 0.159149, 2.0944]
    y = [-0.4226, -0.4082, -0.399, -0.3976, -0.3966, -0.395264, -0.396]
    for angle in (-2.5, -1.0, 0.1):
        R, p = forward_kinematics(leg, leg.configuration(knee_angle_r=angle, pelvis_ty=0.0))
        hip = p[leg.index("femur_r")]
        assert p[leg.index("tibia_r")][1] - hip[1] == pytest.approx(float(SimmSpline(x, y)(angle)), abs=1e-15)
        np.testing.assert_allclose(R[leg.index("tibia_r")], rotation_from_euler([angle], "z"), atol=1e-15)


def test_what_a_file_is_can_be_seen():
    assert read_figure(LEG).name == "leg"


def test_unit_of_each_coordinate():
    leg = read_osim(LEG)
    assert leg.segment("pelvis").joint.units == ("m", "m", "m", "rad", "rad", "rad")  # in the order of its axes
    assert leg.segment("tibia_r").joint.units == ("rad",)


# ---- functions


def test_a_spline_through_points_of_a_cubic_is_the_cubic():
    """Its end conditions take the third derivative of the cubic through four points, so a cubic comes back."""
    p = np.polynomial.Polynomial([0.3, -1.2, 0.7, 0.4])
    x = np.array([-1.0, -0.3, 0.2, 0.9, 1.7])
    at = np.linspace(-1, 1.7, 30)
    value, first, second = SimmSpline(x, p(x)).derivatives(at)
    np.testing.assert_allclose(value, p(at), atol=1e-14)
    np.testing.assert_allclose(first, p.deriv()(at), atol=1e-13)
    np.testing.assert_allclose(second, p.deriv(2)(at), atol=1e-12)  # two divisions by steps of 0.5


@pytest.mark.parametrize(
    ("function", "value"),
    [
        ('<Constant name="function"><value>0.25</value></Constant>', 0.25),
        (
            '<PolynomialFunction name="function"><coefficients>2 3 0.5</coefficients></PolynomialFunction>',
            2 * 0.16 + 1.7,
        ),
        ("<function><PiecewiseLinearFunction><x>0 1</x><y>1 3</y></PiecewiseLinearFunction></function>", 1.8),
        ("<LinearFunction><coefficients>2 0.1</coefficients></LinearFunction>", 0.9),
        (f'<MultiplierFunction name="function"><function>{LINE}</function><scale>3</scale></MultiplierFunction>', 1.2),
    ],
)
def test_functions(tmp_path, function, value):
    axes = axis("rotation1", "turn", LINE) + axis("translation1", "turn", function, "1 0 0")
    figure = read(tmp_path, model(joints=custom(axes)))
    assert forward_kinematics(figure, np.array([0.4, 0.0]))[1][0][0] == pytest.approx(value, rel=1e-15)


def test_coordinates_of_a_custom_joint_are_in_the_order_of_its_axes(tmp_path):
    axes = (
        axis("translation1", "t", LINE, "1 0 0") + axis("rotation2", "b", LINE) + axis("rotation1", "a", LINE, "1 0 0")
    )
    listed = coordinate("t") + coordinate("b", "<default_value>0.5</default_value>") + coordinate("a")
    figure = read(tmp_path, model(joints=custom(axes, listed)))
    assert figure.coordinates == ("a", "b", "t", "knee")
    assert figure.neutral().tolist() == [0, 0.5, 0, 0]


# ---- frames, markers


def test_frames_by_every_kind_of_path(tmp_path):
    inner = frame("far", "../near", "0 1 0", "0 0 0.3")
    bodies = body("thigh", more=f"<components>{frame('near', '..', '1 0 0', '0.2 0 0')}{inner}</components>") + body(
        "shank"
    )
    knee = joint("PinJoint", "knee", "/bodyset/thigh/far", "shank_offset", coordinate("knee"),
                 f"<frames>{frame('shank_offset', '/bodyset/shank', '0 0 2')}</frames>")  # fmt: skip
    figure = read(tmp_path, model(bodies, HIP + knee))
    (R, p) = forward_kinematics(figure, np.zeros(2))
    Rx, Rz = rotation_from_euler([0.2], "x"), rotation_from_euler([0.3], "z")
    expected = np.array([1, 0, 0]) + Rx @ [0, 1, 0] - Rx @ Rz @ [0, 0, 2]
    np.testing.assert_allclose(p[1], expected, atol=1e-15)
    np.testing.assert_allclose(R[1], Rx @ Rz, atol=1e-15)


MARKERS = """<MarkerSet name="markerset"><objects>
<Marker name="a"><socket_parent_frame>/bodyset/thigh</socket_parent_frame><location>1 2 3</location></Marker>
<Marker name="b"><body>shank</body><location>4 5 6</location><fixed>true</fixed></Marker>
</objects></MarkerSet>"""


def test_markers_are_tags(tmp_path):
    ground = '<Marker name="g"><socket_parent_frame>/ground</socket_parent_frame><location>0 0 0</location></Marker>'
    figure = read(tmp_path, model(more=MARKERS.replace("<objects>", f"<objects>{ground}")))
    assert figure.tags == (Tag("a", "thigh", (1, 2, 3)), Tag("b", "shank", (4, 5, 6)))
    assert "markers of the ground" in " ".join(figure.notes)


def test_a_marker_set_of_its_own(tmp_path):
    path = tmp_path / "markers.xml"
    path.write_text(f'<OpenSimDocument Version="20302">{MARKERS}</OpenSimDocument>', "utf-8")
    found = read_marker_set(path)
    assert found == (Tag("a", "thigh", (1, 2, 3)), Tag("b", "shank", (4, 5, 6)))
    figure = read(tmp_path, model())
    assert figure.replace(tags=found).tag_names == ("a", "b")
    other = MARKERS.replace("1 2 3", "9 9 9").replace('"b"', '"c"')
    both = read(tmp_path, model(more=other), markers=path)
    assert [(tag.name, tag.point[0]) for tag in both.tags] == [("a", 1.0), ("c", 4.0), ("b", 4.0)]
    named = read(tmp_path, model(more='<MarkerSet file="markers.xml"/>'))
    assert named.tags == found


# ---- trees


def test_a_joint_described_from_the_outer_body(tmp_path):
    """Version 3: the joint says how the parent moves in the child."""
    text = LEG.read_text("utf-8").replace("<reverse>false</reverse>", "<reverse>true</reverse>", 1)
    (tmp_path / "leg.osim").write_text(text, "utf-8")
    q = np.array([0.3, 0.2, -0.1, 0.5, 0.9, 0.1, 0, 0, 0, 0, 0])
    R, p = forward_kinematics(read_osim(LEG), q)
    R_back, p_back = forward_kinematics(read_osim(tmp_path / "leg.osim"), q)
    np.testing.assert_allclose(R_back[0], R[0].T, atol=1e-15)
    np.testing.assert_allclose(p_back[0], -R[0].T @ p[0], atol=1e-15)


def test_bodies_and_joints_in_any_order(tmp_path):
    figure = read(tmp_path, model(joints=KNEE + HIP))
    assert figure.names == ("thigh", "shank")
    assert figure.coordinates == ("knee", "hip")


def test_joints_without_names_of_coordinates(tmp_path):
    figure = read(tmp_path, model(joints=joint("FreeJoint", "hip", "/ground", "/bodyset/thigh") + KNEE))
    assert figure.coordinates == (*(f"hip_coord_{k}" for k in range(6)), "knee")


KINDS = {  # OpenSim's names and the freedoms of each
    "WeldJoint": 0, "PinJoint": 1, "SliderJoint": 1, "UniversalJoint": 2, "BallJoint": 3, "GimbalJoint": 3,
    "PlanarJoint": 3, "FreeJoint": 6,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_is_read(tmp_path, kind):
    coordinates = "".join(coordinate(f"q{n}") for n in range(KINDS[kind]))
    knee = joint(kind, "knee", "/bodyset/thigh", "/bodyset/shank", coordinates)
    assert read(tmp_path, model(joints=HIP + knee)).nv == 1 + KINDS[kind]


def test_defaults_of_a_class(tmp_path):
    more = "<defaults><Coordinate name='default'><range>-1 2</range><clamped>true</clamped></Coordinate></defaults>"
    np.testing.assert_array_equal(read(tmp_path, model(more=more)).limits, [[-1, 2]] * 2)


def test_an_impossible_inertia_of_published_models_is_made_possible(tmp_path):
    figure = read(tmp_path, model(body("thigh", 0.2166, "0.0001 0.0002 0.001 0 0 0") + body("shank")))
    np.testing.assert_allclose(np.diag(figure.segments[0].inertia), [0.00045, 0.00055, 0.001], rtol=1e-12)
    assert "impossible inertia of body 'thigh'" in " ".join(figure.notes)
    massless = read(tmp_path, model(body("thigh", 0.0, "1 1 1 0 0 0") + body("shank")))
    assert "bodies without mass" in " ".join(massless.notes)


# ---- couplings, what stands still


def test_a_coupler(tmp_path):
    figure = read(tmp_path, model(more=coupler()))
    assert figure.coordinates == ("hip",)
    np.testing.assert_allclose(figure.coupled.expand(np.array([0.3])), [0.3, 2 * (0.15 + 0.1)], rtol=1e-15)
    assert inertia_matrix(figure, np.zeros(1)).shape == (1, 1)


def test_a_coupler_that_is_off(tmp_path):
    for more in ("<isDisabled>true</isDisabled>", "<isEnforced>false</isEnforced>"):
        assert not read(tmp_path, model(more=coupler(more=more))).couplings


def test_a_coordinate_led_by_one_that_is_locked_stands_still(tmp_path):
    figure = read(tmp_path, model(joints=HIP.replace(coordinate("hip"), locked("hip")) + KNEE, more=coupler()))
    assert figure.nq == 0
    R, _ = forward_kinematics(figure, np.zeros(0))
    np.testing.assert_allclose(R[1], rotation_from_euler([0.3 + 0.5], "z"), atol=1e-15)


def test_a_prescribed_constant_stands_still(tmp_path):
    function = "<prescribed>true</prescribed><prescribed_function><{0}>{1}</{0}></prescribed_function>"
    still = HIP.replace(coordinate("hip"), coordinate("hip", function.format("Constant", "<value>0.7</value>")))
    assert read(tmp_path, model(joints=still + KNEE)).coordinates == ("knee",)
    moved = HIP.replace(coordinate("hip"), coordinate("hip", function.format("Sine", "<amplitude>1</amplitude>")))
    assert "a coordinate that is a function of time" in refused(tmp_path, model(joints=moved + KNEE))
    assert read(tmp_path, model(joints=moved + KNEE), skip="prescribed").coordinates == ("hip", "knee")


def test_other_constraints_are_refused_by_name_unless_skipped(tmp_path):
    more = '<ConstraintSet><objects>\n<RollingOnSurfaceConstraint name="p"/></objects></ConstraintSet>'
    text = refused(tmp_path, model(more=more))
    kind = "RollingOnSurfaceConstraint"
    assert f"model.osim:2 <{kind} name='p'>: a constraint of kind {kind} is not supported" in text
    figure = read(tmp_path, model(more=more), skip="constraints")
    assert f"constraint of kind {kind} (skipped" in figure.notes[0]


# ---- what is refused


LOOP = joint("PinJoint", "again", "/ground", "/bodyset/shank")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (model(joints=HIP + KNEE + LOOP), "'again'>: it closes a loop: the ground and 'shank' are"),
        (model(joints=HIP), "'shank'>: the body has no joint to the ground"),
        (model(bodies=" ", joints=""), "the model has no <Body>"),
        (model(joints=HIP + KNEE.replace("PinJoint", "ScrewJoint")), "a joint of this kind is not supported"),
        (model(joints=HIP + KNEE.replace("shank", "shang")), "unknown body or frame (got '/bodyset/shang')"),
        (model(joints=HIP.replace("socket_child", "sock")), "no <socket_child_frame>"),
        (model(joints=HIP + KNEE.replace('"knee"', '"hip"', 2)), "every coordinate must have a name of its own"),
        (model(joints=HIP.replace(coordinate("hip"), coordinate("a") * 2) + KNEE), "too many coordinates"),
        (model(body("thigh", "x") + body("shank")), "<mass>: the content must be a number (got"),
        (model(body("thigh", -1) + body("shank")), "mass"),
        (model(body("thigh", inertia="1 2 3") + body("shank")), "<inertia>: the field has the wrong number of values"),
        (model(body("thigh", inertia="-1 1 1 0 0 0") + body("shank")), "the principal moments must be"),
        (model(version="10800"), "the version of the document is too old (got '10800'"),
        (model(joints=custom(axis("rotation1", "a b", LINE))), "an axis of several coordinates"),
        (model(joints=custom(axis("rotation1", "", LINE))), "the function needs a coordinate"),
        (model(joints=custom(axis("rotation4", "a", LINE))), "unknown axis"),
        (model(joints=custom(axis("rotation1", "a", LINE, "0 0 0"))), "an axis must have a direction"),
        (model(joints=custom(axis("rotation1", "a", "<Sine name='function'/>"))), "a function of this kind"),
        (model(joints=custom(axis("rotation1", "a", "<SimmSpline name='function'><x>0 0</x><y>1 2</y></SimmSpline>"))),
         "x increasing"),
        (model(more=coupler("ankle")), "unknown coordinate (got 'ankle')"),
        (model(more=coupler(leading="hip knee")), "a coupler of several coordinates"),
        (model(joints=HIP + KNEE.replace(coordinate("knee"), locked("knee")), more=coupler()), "coordinate is held"),
        (model(joints=HIP.replace("</Coord", "<range>2 1</range></Coord") + KNEE), "the range is empty"),
        (model(joints=HIP.replace("</Coord", "<locked>yes</locked></Coord") + KNEE), "the text must be true or false"),
        (model(more=MARKERS.replace('"b"', '"a"')), "every marker must have a name of its own"),
        (model(more=MARKERS.replace("shank", "foot")), "unknown body or frame (got 'foot')"),
        (model(more='<MarkerSet file="none.xml"/>'), "no such marker set file"),
        (model(more='<MarkerSet file="../none.xml"/>'), "a model can read its own folder only"),
        ("<OpenSimDocument Version='40000'><ScaleTool/></OpenSimDocument>", "must have one such element"),
        ("<robot/>", "of an OpenSim document"),
    ],
)  # fmt: skip
def test_refusals_say_where_and_what(tmp_path, text, words):
    found = refused(tmp_path, text)
    assert words in found
    assert re.search(r"model\.osim:\d+ <", found)


def test_frames_in_a_circle(tmp_path):
    frames = f"<frames>{frame('a', '../b')}{frame('b', '../a')}</frames>"
    text = model(joints=HIP + joint("PinJoint", "knee", "a", "/bodyset/shank", "", frames))
    assert "frames must not form a circle" in refused(tmp_path, text)


def test_wrong_choices(tmp_path):
    for options, words in (({"skip": "constraint"}, "unknown feature"), ({"locked": "no"}, "unknown choice of locked")):
        assert words in refused(tmp_path, model(), **options)


def test_a_marker_set_that_needs_the_model(tmp_path):
    path = tmp_path / "markers.xml"
    text = MARKERS.replace("/bodyset/thigh", "/jointset/hip/thigh_offset")
    path.write_text(f'<OpenSimDocument Version="40000">{text}</OpenSimDocument>', "utf-8")
    with pytest.raises(InputError, match=r"must be a body.*read_osim"):
        read_marker_set(path)


TOKENS = st.sampled_from(
    ["", "<", ">", "/", "0", "-1", "nan", "1e400", "Joint", "ground", "thigh", "<Body>", "</objects>"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_give_a_figure_or_an_error_of_ours(tmp_path, data):
    text = LEG.read_text("utf-8") if data.draw(st.booleans()) else model(more=MARKERS + coupler())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(TOKENS) + text[at + data.draw(st.integers(0, 20)) :]
    with suppress(MotiformError):
        assert isinstance(read(tmp_path, text), Figure)
