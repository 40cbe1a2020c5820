"""Muscles of OpenSim models: paths, wrap objects, parameters, what is left out, what is wrong."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motiform.base.errors import MotiformError
from motiform.motion.actuation.muscles import (
    DeGrooteFregly,
    Millard,
    MovingPoint,
    PathWrap,
    Thelen,
    fibre_forces,
    path_geometry,
    read_muscles,
    static_optimization,
)
from motiform.motion.tree import inverse_dynamics

BODY = """<Body name="{name}"><mass>2</mass><mass_center>0 -0.1 0</mass_center><inertia>0.02 0.002 0.02 0 0 0</inertia>
<WrapObjectSet><objects>{wraps}</objects></WrapObjectSet></Body>"""
JOINT = """<PinJoint name="{name}"><socket_parent_frame>{parent}</socket_parent_frame>
<socket_child_frame>{child}</socket_child_frame><coordinates><Coordinate name="{coordinate}"><range>-1 2</range>{more}
</Coordinate></coordinates><frames>
<PhysicalOffsetFrame name="{parent}"><socket_parent>{inner}</socket_parent>
<translation>{at}</translation></PhysicalOffsetFrame>
<PhysicalOffsetFrame name="{child}"><socket_parent>{outer}</socket_parent></PhysicalOffsetFrame></frames></PinJoint>"""
WRAPS = """<WrapCylinder name="bone"><translation>0 -0.3 0</translation><quadrant>-x</quadrant><radius>0.02</radius>
<length>0.1</length></WrapCylinder><WrapSphere name="off"><active>false</active><radius>0.01</radius></WrapSphere>
<WrapEllipsoid name="belly"><dimensions>0.02 0.05 0.03</dimensions></WrapEllipsoid>
<WrapTorus name="ring"><inner_radius>0.01</inner_radius><outer_radius>0.04</outer_radius></WrapTorus>"""
POINT = '<PathPoint name="{n}"><socket_parent_frame>{f}</socket_parent_frame><location>{x}</location></PathPoint>'
A = POINT.format(n="a", f="/ground", x="-0.03 0.05 0")
B = POINT.format(n="b", f="/bodyset/upper", x="-0.03 -0.1 0")
C = POINT.format(n="c", f="/bodyset/lower", x="-0.02 -0.1 0.01")
IF = """<ConditionalPathPoint name="if"><socket_parent_frame>/bodyset/lower</socket_parent_frame>
<location>-0.05 0 0</location>
<socket_coordinate>/jointset/elbow/{coordinate}</socket_coordinate><range>0.5 2</range></ConditionalPathPoint>"""
MOVES = """<MovingPathPoint name="moves"><socket_parent_frame>/bodyset/lower</socket_parent_frame>
<socket_x_coordinate>/jointset/elbow/flexion</socket_x_coordinate>
<socket_y_coordinate>/jointset/elbow/flexion</socket_y_coordinate>
<socket_z_coordinate>/jointset/elbow/flexion</socket_z_coordinate>
<x_location><SimmSpline><x>-1 0 1 2</x><y>-0.02 -0.03 -0.03 -0.02</y></SimmSpline></x_location>
<y_location><MultiplierFunction><function><LinearFunction><coefficients>0.01 -0.02</coefficients></LinearFunction>
</function><scale>2</scale></MultiplierFunction></y_location>
<z_location><Constant><value>0.001</value></Constant></z_location></MovingPathPoint>"""
SIZES = """<max_isometric_force>700</max_isometric_force><optimal_fiber_length>0.09</optimal_fiber_length>
<tendon_slack_length>0.15</tendon_slack_length><pennation_angle_at_optimal>0.2</pennation_angle_at_optimal>"""


def wrap(name, span="-1 -1"):
    return f"<PathWrap><wrap_object>{name}</wrap_object><method>midpoint</method><range>{span}</range></PathWrap>"


def muscle(tag, name, points, wraps="", more=""):
    return f"""<{tag} name="{name}"><GeometryPath><PathPointSet><objects>{points}</objects></PathPointSet>
<PathWrapSet><objects>{wraps}</objects></PathWrapSet></GeometryPath>{SIZES}{more}</{tag}>"""


FORCES = [
    muscle("Thelen2003Muscle", "thelen", A + B + C, wrap("bone", "2 3") + wrap("off"), "<Flen>1.5</Flen>"),
    muscle("Millard2012EquilibriumMuscle", "millard", B + MOVES, "", "<fiber_damping>0.05</fiber_damping>"
           "<ActiveForceLengthCurve><minimum_value>0.05</minimum_value></ActiveForceLengthCurve><min_control>0.01</min_control>"),
    muscle("DeGrooteFregly2016Muscle", "degroote", B + IF.format(coordinate="flexion") + C, "",
           "<ignore_tendon_compliance>true</ignore_tendon_compliance>"),
    muscle("Schutte1993Muscle_Deprecated", "schutte", A + C),
    muscle("Thelen2003Muscle", "still", A + C, "", "<appliesForce>false</appliesForce>"),
    f"""<Ligament name="band"><GeometryPath><PathPointSet><objects>{B}{C}</objects></PathPointSet></GeometryPath>
<resting_length>0.2</resting_length><pcsa_force>300</pcsa_force></Ligament>""",
    """<CoordinateActuator name="motor"><coordinate>flexion</coordinate><optimal_force>20</optimal_force>
<min_control>-1</min_control><max_control>1</max_control></CoordinateActuator>""",
    '<CoordinateLimitForce name="stop"></CoordinateLimitForce>',
]  # fmt: skip


def model(tmp_path, forces=FORCES, locked=""):
    frames = {"inner": "/ground", "outer": "/bodyset/upper", "at": "0 0 0", "more": "", "coordinate": "swing"}
    joints = JOINT.format(name="shoulder", parent="g", child="u", **frames)
    frames |= {"inner": "/bodyset/upper", "outer": "/bodyset/lower", "at": "0 -0.3 0", "more": locked}
    joints += JOINT.format(name="elbow", parent="u2", child="l", **(frames | {"coordinate": "flexion"}))
    text = f"""<?xml version="1.0"?><OpenSimDocument Version="40000"><Model name="two"><gravity>0 -9.80665 0</gravity>
<BodySet><objects>{BODY.format(name="upper", wraps=WRAPS)}{BODY.format(name="lower", wraps="")}</objects></BodySet>
<JointSet><objects>{joints}</objects></JointSet><ForceSet><objects>{"".join(forces)}</objects></ForceSet></Model></OpenSimDocument>"""
    path = tmp_path / "two.osim"
    path.write_text(text)
    return path


def test_what_a_file_says(tmp_path):
    found = read_muscles(model(tmp_path))
    assert found.names == ("thelen", "millard", "degroote", "schutte")
    thelen, millard, degroote, schutte = found.muscles
    assert thelen.model == Thelen(lengthening_force=1.5)
    assert millard.model == Millard(active_least=0.05, damping=0.05)
    assert (degroote.model, degroote.rigid_tendon) == (DeGrooteFregly(), True)
    assert schutte.model == Millard()
    assert (thelen.max_force, thelen.fibre_length, thelen.slack_length, thelen.pennation) == (700, 0.09, 0.15, 0.2)
    assert (thelen.activations, millard.activations, degroote.activations) == ((0.01, 1.0), (0.01, 1.0), (0.0, 1.0))
    assert (thelen.smoothing, degroote.smoothing) == (None, 0.1)  # OpenSim's own
    assert thelen.path.wraps == (PathWrap("bone", 1, 2, "midpoint"),)
    assert next((o.name, o.segment, o.surface.side) for o in found.objects) == ("bone", "upper", "-x")
    assert isinstance(millard.path.points[1], MovingPoint)
    assert degroote.path.points[1].active == ("flexion", 0.5, 2.0)
    assert thelen.path.points[0].segment is None
    assert found.ligaments[0].tension(0.25) == pytest.approx(300 * (0.12 + 0.26) / 2, rel=0.1)
    assert (found.actuators[0].coordinate, found.actuators[0].low) == ("flexion", -1.0)
    notes = " ".join(found.notes)
    for words in ("switched off", "CoordinateLimitForce", "curves of Millard's muscle"):
        assert words in notes


def test_moving_points_stay_at_the_ends_of_the_range(tmp_path):
    """Beyond the coordinate's range the point stands still, and pulls with no arm of its own."""
    found = read_muscles(model(tmp_path))
    k = found.names.index("millard")
    point = found.muscles[k].path.points[1]
    assert point.ranges[0] == (-1.0, 2.0)
    q = np.array([[0.0, 2.5], [0.0, 2.5 + 1e-4], [0.0, 2.5 - 1e-4]])
    geometry = path_geometry(found.paths, q)
    slope = (geometry.length[1, k] - geometry.length[2, k]) / 2e-4
    assert geometry.arm[0, k, 1] == pytest.approx(-slope, abs=1e-9)


def test_held_coordinates_decide_conditions_at_once(tmp_path):
    """A locked elbow at 1 rad: the conditional point is always there, the moving one stands."""
    locked = "<default_value>1</default_value><locked>true</locked>"
    held = read_muscles(model(tmp_path, FORCES[:4], locked))
    free = read_muscles(model(tmp_path, FORCES[:4]))
    assert held.figure.nq == 1
    for x in (-0.4, 0.3):
        one, two = path_geometry(held.paths, [x]), path_geometry(free.paths, [x, 1.0])
        np.testing.assert_allclose(one.length, two.length, atol=1e-14)
        np.testing.assert_allclose(one.arm[:, 0], two.arm[:, 0], atol=1e-14)


def test_another_axis_up_turns_the_ground_points(tmp_path):
    path = model(tmp_path)
    plain, turned = read_muscles(path), read_muscles(path, up="z")
    q = [0.3, 0.8]
    np.testing.assert_allclose(path_geometry(turned.paths, q).length, path_geometry(plain.paths, q).length, atol=1e-14)


def test_a_model_shares_its_moments(tmp_path):
    found = read_muscles(model(tmp_path, FORCES[:4]))
    q = np.array([[0.2, 0.4], [0.3, 0.9]])
    v = np.zeros_like(q)
    tau = inverse_dynamics(found.figure, q, v, v)
    rec = static_optimization(found, ([0.0, 0.1], q, v, tau))
    arms = path_geometry(found.paths, q).arm
    np.testing.assert_allclose(np.einsum("sm,smk->sk", rec["force"], arms) + rec["reserve"], tau, atol=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "/bodyset/lower</socket_parent_frame><location>",
            "/bodyset/loewr</socket_parent_frame><location>",
            "unknown body",
        ),
        ("<wrap_object>bone", "<wrap_object>bnoe", "unknown wrap object.*bone"),
        ("<radius>0.02", "<radius>-0.02", "radius must be above 0"),
        ("<quadrant>-x", "<quadrant>left", "unknown quadrant"),
        ("<optimal_fiber_length>0.09", "<optimal_fiber_length>-0.09", "fibre_length must be above 0"),
        ("elbow/flexion</socket_coordinate>", "elbow/flexoin</socket_coordinate>", "unknown coordinate.*flexion"),
        ("<range>2 3", "<range>2 9", "points of the path"),
        ("<resting_length>0.2", "<resting_length>0", "rest_length must be above 0"),
        ("<inner_radius>0.01", "<inner_radius>0.05", "wider than its tube"),
        ("WrapTorus", "WrapBox", "not supported"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, old, new, text):
    path = model(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(MotiformError, match=text) as error:
        read_muscles(path)
    assert "two.osim:" in str(error.value)


WORDS = ["", "nan", "inf", "-1", "0", "1e300", "abc", "1 2", "1 2 3 4", "true", "/ground", "upper", "flexion", "1e-300"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), word=st.sampled_from(WORDS), whole=st.booleans())
def test_damaged_files_give_muscles_or_an_error_of_ours(tmp_path, place, word, whole):
    path = model(tmp_path)
    text = path.read_text()
    pattern = r"<(\w+)[^<>]*>[^<>]*</\1>" if whole else r"(?<=>)[^<>\s][^<>]*(?=<)"
    places = [match.span() for match in re.finditer(pattern, text)]
    first, last = places[int(place * len(places))]
    path.write_text(text[:first] + ("" if whole else word) + text[last:])
    try:
        found = read_muscles(path)
    except MotiformError:
        return
    geometry = path_geometry(found.paths, found.figure.neutral(), np.ones(found.figure.nv))
    assert np.isfinite(geometry.arm).all()
    assert np.isfinite(fibre_forces(found.muscles, geometry.length, geometry.speed).active).all()


def test_unknown_options_are_named(tmp_path):
    with pytest.raises(TypeError, match="unexpected keyword argument 'lock'"):
        read_muscles(model(tmp_path), lock="free")
