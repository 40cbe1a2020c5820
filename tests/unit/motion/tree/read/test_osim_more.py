"""Parts of OpenSim models that few files have: old versions, frames by stations, rare joints, closures."""

import numpy as np
import pytest

from motiform.motion.tree.algorithms.closures import constraint
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.algorithms.kinematics import forward_kinematics, tags
from motiform.motion.tree.algorithms.loops import close_loops
from motiform.motion.tree.read.osim.curvature import CurvatureJoint
from motiform.spatial import Transform, exp_rotation, rotation_from_euler
from osim_texts import HIP, KNEE, axis, body, coordinate, coupler, custom, frame, joint, locked, model, read, refused

MARKER = (
    '<MarkerSet><objects><Marker name="{0}"><body>{1}</body><location>1 2 3</location></Marker></objects></MarkerSet>'
)


def el(tag, inner="", name=None):
    return f"<{tag}{'' if name is None else f' name={name!r}'}>{inner}</{tag}>"


# ---- versions
def old(joint_text, version="30000"):
    """A model of version 3 or before: the ground is a body, joints stand in the bodies that they carry."""
    ground = '<Body name="ground"><mass>0</mass><Joint/></Body>'
    arm = f"<mass>1</mass><inertia_xx>1</inertia_xx><inertia_yy>1</inertia_yy><inertia_zz>1</inertia_zz>{joint_text}"
    return f"""<OpenSimDocument Version="{version}"><Model name="m"><BodySet><objects>{ground}
<Body name="arm">{arm}</Body></objects></BodySet>{MARKER.format("g", "ground")}</Model></OpenSimDocument>"""


PIN = "<Joint><PinJoint name='p'><parent_body>ground</parent_body><location_in_parent>0 1 0</location_in_parent>\
<CoordinateSet><objects><Coordinate name='a'/></objects></CoordinateSet></PinJoint></Joint>"


@pytest.mark.parametrize("version", ["10905", "20302", "30000"])
def test_a_marker_on_the_ground_is_left_out(tmp_path, version):
    figure = read(tmp_path, old(PIN, version))
    assert figure.coordinates == ("a",)
    assert not figure.tags
    assert "markers of the ground" in " ".join(figure.notes)


def test_documents_before_two_name_axes_by_a_list(tmp_path):
    """Turns and shifts in one list, told apart by a flag; an axis without a function follows its coordinate."""
    axes = [("a", "true", "0 0 1"), ("b", "false", "0 1 0"), ("c", "true", "1 0 0")]
    listed = "".join(
        f"<TransformAxis><coordinate>{name}</coordinate><axis>{u}</axis><is_rotation>{turn}</is_rotation><function/>"
        "</TransformAxis>"
        for name, turn, u in axes
    )
    text = PIN.replace("PinJoint", "CustomJoint").replace(
        "</CoordinateSet>", "</CoordinateSet><TransformAxisSet><objects>"
    )
    text = text.replace("</CustomJoint>", f"{listed}</objects></TransformAxisSet></CustomJoint>")
    figure = read(tmp_path, old(text.replace("<Coordinate name='a'/>", ""), "10900"))
    assert figure.coordinates == ("a", "c", "b")
    R, p = forward_kinematics(figure, np.array([0.3, -0.4, 0.7]))
    np.testing.assert_allclose(R[0], rotation_from_euler([0.3, -0.4], "zx"), atol=1e-15)
    np.testing.assert_allclose(p[0], [0, 1.7, 0], atol=1e-15)


def test_connectors_of_version_three_and_a_half(tmp_path):
    def connector(name, connectee):
        return el("Connector_PhysicalFrame_", el("connectee_name", connectee), name)

    places = "<location_in_parent>0 1 0</location_in_parent><orientation_in_parent>0 0.5 0</orientation_in_parent>\
<location_in_child>0 0.25 0</location_in_child>"
    ends = f"<connectors>{connector('parent_body', '../ground')}{connector('child_body', '../thigh')}</connectors>"
    hip = el("PinJoint", ends + places + el("CoordinateSet", el("objects", coordinate("hip"))), "hip")
    offset = f'<FrameSet><objects><PhysicalOffsetFrame name="o"><connectors>{connector("parent", "thigh")}</connectors>\
<translation>0 0 2</translation></PhysicalOffsetFrame></objects></FrameSet>'
    marker = f'<MarkerSet><objects><Marker name="m"><connectors>{connector("parent_frame", "o")}</connectors>\
<location>1 0 0</location></Marker></objects></MarkerSet>'
    figure = read(tmp_path, model(body("thigh"), hip, offset + marker, "30501"))
    expected = (
        Transform.from_euler([0, 0.5, 0], "xyz", [0, 1, 0])
        @ Transform.from_euler([0.3], "z", np.zeros(3))
        @ Transform(np.eye(3), np.array([0, -0.25, 0]))
    )
    np.testing.assert_allclose(tags(figure, np.array([0.3]))[0], expected.point([1.0, 0, 2]), atol=1e-15)


def test_letters_of_windows_in_a_document_that_declares_utf_8(tmp_path):
    path = tmp_path / "model.osim"
    text = model().replace('name="m"', 'name="Mühle"')
    path.write_bytes(b'<?xml version="1.0" encoding="UTF-8"?>' + text.encode("cp1252"))
    from motiform.motion.tree.read import read_osim

    assert read_osim(path).name == "Mühle"


# ---- coordinates that move nothing
def test_a_coordinate_that_moves_nothing_is_held(tmp_path):
    zero = "<Constant name='function'><value>0.2</value></Constant>"
    text = model(joints=custom(axis("rotation1", "a", zero), coordinate("a") + coordinate("b")))
    figure = read(tmp_path, text)
    assert figure.coordinates == ("knee",)
    assert [note for note in figure.notes if "moves nothing" in note] == [
        "coordinate 'a' is held at 0, as it moves nothing",
        "coordinate 'b' is held at 0, as it moves nothing",
    ]
    leading = text.replace('<Model name="m">', '<Model name="m">' + coupler(leading="b"))
    assert "a coordinate must move an axis to lead others" in refused(tmp_path, leading)


# ---- frames by stations
def test_a_frame_by_stations(tmp_path):
    points = {"a": (0.1, 0.2, 0.3), "b": (0.5, 0.2, 0.1), "c": (0.2, 0.7, 0.4), "o": (0.3, 0.3, 0.3)}
    stations = "".join(
        f'<Station name="{name}"><socket_parent_frame>/bodyset/thigh</socket_parent_frame>'
        f"<location>{x} {y} {z}</location></Station>"
        for name, (x, y, z) in points.items()
    )
    sockets = "".join(
        f"<socket_{tag}>../{name}</socket_{tag}>"
        for tag, name in zip(("point_a", "point_b", "point_c", "origin_point"), "abco", strict=True)
    )
    axes = el("ab_axis", "-z") + el("ab_x_ac_axis", "+x")
    defined = el("StationDefinedFrame", sockets + axes, "f")
    thigh = body("thigh", more=f"<components>{stations}{defined}</components>")
    knee = KNEE.replace("/bodyset/thigh<", "/bodyset/thigh/f<")
    figure = read(tmp_path, model(thigh + body("shank"), HIP + knee))
    a, b, c, o = (np.array(points[name]) for name in "abco")
    ab, n = b - a, np.cross(b - a, c - a)
    R, p = forward_kinematics(figure, np.zeros(2))
    np.testing.assert_allclose(p[1], o, atol=1e-15)
    np.testing.assert_allclose(R[1][:, 2], -ab / np.linalg.norm(ab), atol=1e-15)
    np.testing.assert_allclose(R[1][:, 0], n / np.linalg.norm(n), atol=1e-15)
    assert np.linalg.det(R[1]) == pytest.approx(1.0)
    line = thigh.replace("0.2 0.7 0.4", "0.9 0.2 -0.1")
    assert "must form a triangle" in refused(tmp_path, model(line + body("shank"), HIP + knee))
    assert "unknown station" in refused(tmp_path, model(thigh.replace("../c<", "../d<") + body("shank"), HIP + knee))


# ---- rare joints
def test_a_scapula_on_the_thorax(tmp_path):
    """Against the composition that the format documents: an ellipsoid a quarter turn about z, then a hinge."""
    more = """<thoracic_ellipsoid_radii_x_y_z>0.08 0.2 0.11</thoracic_ellipsoid_radii_x_y_z>
<scapula_winging_axis_origin>0.03 -0.02</scapula_winging_axis_origin>
<scapula_winging_axis_direction>0.4</scapula_winging_axis_direction>"""
    thorax = frame("t", "/bodyset/thigh", "0.1 0 0", "0.2 -0.8 0.1")
    frames = el("frames", thorax + frame("s", "/bodyset/shank", "0 0.1 0"))
    names = "".join(map(coordinate, ("abduction", "elevation", "upward", "winging")))
    scapula = joint("ScapulothoracicJoint", "st", "t", "s", names, more + frames)
    figure = read(tmp_path, model(joints=HIP + scapula))
    q = np.array([0.0, 0.5, -0.3, 0.7, 0.25])
    (q0, q1, q2, q3), (a, b, c) = q[1:], (0.2, 0.08, 0.11)
    point = np.array([a * np.sin(q1), -b * np.sin(q0) * np.cos(q1), c * np.cos(q0) * np.cos(q1)])
    quarter = Transform.from_euler([np.pi / 2], "z", np.zeros(3))
    wing, at = np.array([-np.sin(0.4), np.cos(0.4), 0.0]), np.array([0.03, -0.02, 0.0])
    turned = exp_rotation(q3 * wing)
    expected = (
        Transform.from_euler([0.2, -0.8, 0.1], "xyz", [0.1, 0, 0])
        @ quarter
        @ Transform(rotation_from_euler([q0, q1, q2], "xyz"), point)
        @ quarter.inverse()
        @ Transform(turned, at - turned @ at)
        @ Transform(np.eye(3), np.array([0, -0.1, 0]))
    )
    R, p = forward_kinematics(figure, q)
    np.testing.assert_allclose(R[1], expected.rotation, atol=1e-14)
    np.testing.assert_allclose(p[1], expected.translation, atol=1e-14)


def curved():
    tail = Transform.from_euler([0.3, -0.2, 0.5], "xyz", [0.02, 0.01, -0.03])
    return CurvatureJoint(0.4, np.array([0.1, -0.05, 0.2]), tail, "xzy", np.zeros(3), None, {})


@pytest.mark.parametrize("q", [(0.3, -0.4, 0.5), (-0.1, 0.05, -0.2), (1.2, 0.9, 0.1), (-0.1 + 1e-9, 0.05, 0.0)])
def test_the_twists_of_a_curved_joint_are_those_of_its_poses(q):
    """Central differences, right to h² times third derivatives, 1e-9, and rounding over h, 1e-11."""
    curve, q, v, h = curved(), np.array(q), np.array([0.7, -0.4, 0.9]), 1e-5
    S = curve.subspace(q)
    for k in range(3):
        step = h * np.eye(3)[k]
        here, ahead, behind = (curve.transform(x) for x in (q, q + step, q - step))
        linear = here.rotation.T @ (ahead.translation - behind.translation) / (2 * h)
        turn = here.rotation.T @ (ahead.rotation - behind.rotation) / (2 * h)
        np.testing.assert_allclose(S[:, k], [turn[2, 1], turn[0, 2], turn[1, 0], *linear], atol=1e-9)
    rate = (curve.subspace(q + h * v) - curve.subspace(q - h * v)) / (2 * h)
    np.testing.assert_allclose(curve.subspace_rate(q, v), rate, atol=1e-8)


def test_a_curved_joint_is_an_arc_of_its_length(tmp_path):
    more = "<neutral_angle_x_z_y>0.1 0 0</neutral_angle_x_z_y><length>0.4</length>"
    names = "".join(map(coordinate, "xzy"))
    spine = joint("ConstantCurvatureJoint", "spine", "/bodyset/thigh", "/bodyset/shank", names, more)
    figure = read(tmp_path, model(joints=HIP + spine))
    for x, z, y in ((0.4, 0.3, 0.2), (-0.1, 0.0, 0.7), (-0.9, 0.8, 0.0)):
        R, p = forward_kinematics(figure, np.array([0.0, x, z, y]))
        np.testing.assert_allclose(R[1], rotation_from_euler([0.1 + x, z, y], "xzy"), atol=1e-15)
        end = R[1][:, 1]
        angle = np.arccos(min(1.0, end[1]))
        across = np.array([end[0], 0, end[2]])
        r = 0.4 / angle if angle > 1e-8 else np.inf  # a straight rod
        arc = (
            r * np.sin(angle) * np.array([0, 1, 0]) + r * (1 - np.cos(angle)) * across / np.sin(angle)
            if angle > 1e-8
            else [0, 0.4, 0]
        )
        np.testing.assert_allclose(p[1], arc, atol=1e-14)
    assert inertia_matrix(figure, np.full(4, 0.1)).shape == (4, 4)
    still = read(tmp_path, model(joints=HIP + spine.replace(coordinate("z"), locked("z", 0.3))))
    assert still.coordinates == ("hip", "x", "y")
    np.testing.assert_allclose(
        forward_kinematics(still, np.array([0, 0.4, 0.2]))[1],
        forward_kinematics(figure, np.array([0, 0.4, 0.3, 0.2]))[1],
        atol=1e-15,
    )


# ---- closures
def closed(inner):
    return f"<ConstraintSet><objects>{inner}</objects></ConstraintSet>"


ENDS = "<socket_body_1>/bodyset/shank</socket_body_1><socket_body_2>/ground</socket_body_2>"
PLACES = "<location_body_1>0 -0.5 0</location_body_1><location_body_2>0.4 -0.6 0</location_body_2>"
CLOSED = {
    "PointConstraint": (ENDS + PLACES, ("xyz", 3)),
    "ConstantDistanceConstraint": (ENDS + PLACES + "<constant_distance>0.2</constant_distance>", ("distance", 1)),
    "PointOnLineConstraint": (
        "<line_body>ground</line_body><line_direction_vec>1 1 0</line_direction_vec>"
        "<point_on_line>0.3 -0.5 0</point_on_line>"
        "<follower_body>shank</follower_body><point_on_follower>0 -0.5 0</point_on_follower>",
        ("line", 2),
    ),
}


@pytest.mark.parametrize("kind", CLOSED)
def test_constraints_of_points_are_closures(tmp_path, kind):
    inner, (rows, count) = CLOSED[kind]
    knee = KNEE.replace("/bodyset/thigh<", "o<").replace(
        "</coordinates>", f"</coordinates><frames>{frame('o', '/bodyset/thigh', '0 -0.5 0')}</frames>"
    )
    figure = read(tmp_path, model(joints=HIP + knee, more=closed(f'<{kind} name="k">{inner}</{kind}>')))
    (closure,) = figure.closures
    assert (closure.name, closure.rows, closure.count) == ("k", rows, count)
    q, _ = close_loops(figure, [0.3, 0.9])
    R, p = forward_kinematics(figure, q)
    end = p[1] + R[1] @ [0, -0.5, 0]
    if rows == "xyz":
        np.testing.assert_allclose(end, [0.4, -0.6, 0], atol=1e-11)
    elif rows == "distance":
        assert np.linalg.norm(end - [0.4, -0.6, 0]) == pytest.approx(0.2, abs=1e-11)
    else:
        np.testing.assert_allclose(np.cross(end - [0.3, -0.5, 0], [1, 1, 0]), 0, atol=1e-11)


@pytest.mark.parametrize("version", ["4", "3"])
def test_a_weld_constraint_holds_place_and_axes(tmp_path, version):
    """Both frames coincide: of version 4 as frames, of version 3 as places and angles in bodies."""
    free = joint("FreeJoint", "hip", "/ground", "/bodyset/thigh") + joint(
        "FreeJoint", "knee", "/ground", "/bodyset/shank"
    )
    if version == "4":
        frames = frame("f", "/bodyset/thigh", "0.1 0 0", "0.3 0 0") + frame("g", "/bodyset/shank", "0 0.2 0", "0 0.4 0")
        parts = el("socket_frame1", "f") + el("socket_frame2", "g") + el("frames", frames)
    else:
        parameters = {
            "body": ("thigh", "shank"),
            "location_body": ("0.1 0 0", "0 0.2 0"),
            "orientation_body": ("0.3 0 0", "0 0.4 0"),
        }
        parts = "".join(el(f"{key}_{k + 1}", pair[k]) for key, pair in parameters.items() for k in (0, 1))
    inner = el("WeldConstraint", parts, "w" if version == "4" else None)
    figure = read(tmp_path, model(joints=free, more=closed(inner)))
    q, _ = close_loops(figure, 0.1 * np.arange(12))
    R, p = forward_kinematics(figure, q)
    np.testing.assert_allclose(p[0] + R[0] @ [0.1, 0, 0], p[1] + R[1] @ [0, 0.2, 0], atol=1e-11)
    np.testing.assert_allclose(
        R[0] @ rotation_from_euler([0.3], "x"), R[1] @ rotation_from_euler([0.4], "y"), atol=1e-11
    )
    assert np.linalg.matrix_rank(constraint(figure, q, np.zeros(12)).jacobian) == 6
