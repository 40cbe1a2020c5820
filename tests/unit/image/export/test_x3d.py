"""X3D: parsed as XML, names and routes resolved, poses compared with the form."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from motiform.form import Form, Part
from motiform.geometry import Ball, Box, Particles
from motiform.image import CameraPath
from motiform.image.export import export
from motiform.spatial import exp_rotation, rotation_from_quaternion, upright

# field: (node, access) of ISO/IEC 19775-1 that our routes may use
OUTPUTS = {
    ("TimeSensor", "fraction_changed"),
    ("PositionInterpolator", "value_changed"),
    ("OrientationInterpolator", "value_changed"),
    ("CoordinateInterpolator", "value_changed"),
    ("ScalarInterpolator", "value_changed"),
}
INPUTS = {
    ("PositionInterpolator", "set_fraction"),
    ("OrientationInterpolator", "set_fraction"),
    ("Transform", "set_translation"),
    ("Transform", "set_rotation"),
    ("Transform", "set_scale"),
    ("CoordinateInterpolator", "set_fraction"),
    ("Coordinate", "set_point"),
    ("ScalarInterpolator", "set_fraction"),
    ("Viewpoint", "set_position"),
    ("Viewpoint", "set_orientation"),
    ("Viewpoint", "set_fieldOfView"),
}
DIGITS = 1e-8  # nine significant digits


def parsed(form, tmp_path, **options):
    root = ElementTree.parse(export(form, tmp_path / "a.x3d", **options)).getroot()
    defined = {}
    for element in root.iter():
        if "DEF" in element.attrib:
            assert element.attrib["DEF"] not in defined
            defined[element.attrib["DEF"]] = element
    for element in root.iter():
        if "USE" in element.attrib:
            assert element.tag == defined[element.attrib["USE"]].tag
            assert set(element.attrib) == {"USE"}
    for route in root.iter("ROUTE"):
        assert (defined[route.attrib["fromNode"]].tag, route.attrib["fromField"]) in OUTPUTS
        assert (defined[route.attrib["toNode"]].tag, route.attrib["toField"]) in INPUTS
    return root, defined


def numbers(text, width=None):
    flat = np.array(text.split(), dtype=float)
    return flat if width is None else flat.reshape(-1, width)


def routed(root, defined, body, field):
    """Return the interpolator that drives a field of a body, checked to be driven by the clock."""
    [source] = [
        r.attrib["fromNode"]
        for r in root.iter("ROUTE")
        if (r.attrib["toNode"], r.attrib["toField"]) == (body, f"set_{field}")
    ]
    [clock] = [r.attrib["fromNode"] for r in root.iter("ROUTE") if r.attrib["toNode"] == source]
    assert defined[clock].tag == "TimeSensor"
    return defined[source]


def test_poses_at_the_keys_are_those_of_the_form(form, tmp_path):
    root, defined = parsed(form, tmp_path)
    assert (root.tag, root.attrib["version"]) == ("X3D", "4.0")
    [part] = form.parts
    moves, turns = routed(root, defined, "body", "translation"), routed(root, defined, "body", "rotation")
    clock = defined["clock"]
    seconds = numbers(moves.attrib["key"]) * float(clock.attrib["cycleInterval"]) + form.times[0]
    np.testing.assert_allclose(seconds, form.times, atol=2 * DIGITS)
    position = numbers(moves.attrib["keyValue"], 3)
    np.testing.assert_allclose(position, part.position[:, 0], rtol=DIGITS)
    turn = numbers(turns.attrib["keyValue"], 4)
    np.testing.assert_allclose(np.linalg.norm(turn[:, :3], axis=1), 1, atol=2 * DIGITS)
    found = exp_rotation(turn[:, :3] * turn[:, 3:])
    np.testing.assert_allclose(
        found, rotation_from_quaternion(part.orientation[:, 0]), atol=DIGITS * (2 + np.abs(turn[:, 3]).max())
    )
    assert (np.sum(turn[1:, :3] * turn[:-1, :3], axis=1) > 0.9).all()  # the axis never flips
    assert np.abs(np.diff(turn[:, 3])).max() < np.pi  # nor does the angle jump
    body = defined["body"]
    np.testing.assert_array_equal(numbers(body.attrib["translation"]), position[0])
    np.testing.assert_array_equal(numbers(body.attrib["rotation"]), turn[0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("box", [("Box", {"size": "0.2 0.4 0.6"})]),
        ("ball", [("Sphere", {"radius": "0.3"})]),
        ("cylinder", [("Cylinder", {"radius": "0.1", "height": "0.5"})]),
        ("ellipsoid", [("Sphere", {"radius": "1"})]),
        (
            "capsule",
            [
                ("Cylinder", {"radius": "0.1", "height": "0.5"}),
                ("Sphere", {"radius": "0.1"}),
                ("Sphere", {"radius": "0.1"}),
            ],
        ),
        ("compound", [("Box", {"size": "0.1 0.1 0.5"}), ("Cylinder", {"radius": "0.05", "height": "0.4"})]),
    ],
)
def test_primitives_are_exact(one, shapes, tmp_path, name, expected):
    root, _ = parsed(one(shapes[name]), tmp_path)
    found = [shape[1] for shape in root.iter("Shape")]
    assert len(found) == len(expected)
    for element, (tag, fields) in zip(found, expected, strict=True):
        assert element.tag == tag
        assert fields.items() <= element.attrib.items()


def test_compound_parts_and_ellipsoid_are_placed(one, shapes, tmp_path):
    root, _ = parsed(one(shapes["compound"], offset=(1, 2, 3)), tmp_path)
    look = next(e for e in root.iter("Transform") if e.attrib.get("DEF") == "body_shape")
    assert look.attrib["translation"] == "1 2 3"
    second = look[1]
    np.testing.assert_allclose(numbers(second.attrib["translation"]), [0.2, 0, 0.1])
    turn = numbers(second.attrib["rotation"])
    _, placement = shapes["compound"].parts[1]
    np.testing.assert_allclose(exp_rotation(turn[:3] * turn[3]), placement.rotation, atol=3 * DIGITS)
    root, _ = parsed(one(shapes["ellipsoid"]), tmp_path, overwrite=True)
    [scaled] = [e for e in root.iter("Transform") if "scale" in e.attrib]
    assert scaled.attrib["scale"] == "0.1 0.2 0.3"


def test_a_mesh_keeps_its_triangles(one, shapes, tmp_path):
    root, _ = parsed(one(shapes["mesh"]), tmp_path)
    [triangles] = root.iter("IndexedTriangleSet")
    [points] = root.iter("Coordinate")
    np.testing.assert_array_equal(np.array(triangles.attrib["index"].split(), int).reshape(-1, 3), shapes["mesh"].faces)
    np.testing.assert_allclose(numbers(points.attrib["point"], 3), shapes["mesh"].vertices, rtol=DIGITS)


def test_particles_are_spheres(one, tmp_path):
    shape = Particles(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.ones(3), 0.1)
    root, _ = parsed(one(shape), tmp_path)
    spheres = list(root.iter("Sphere"))
    assert len(spheres) == 3


def test_shapes_are_shared_and_rest_is_not_animated(mixed, tmp_path):
    root, defined = parsed(mixed, tmp_path)
    assert sum("DEF" in box.attrib for box in root.iter("Box")) == 1
    assert {defined[name].tag for name in ("turning", "still", "two_boxes_0", "two_boxes_1")} == {"Transform"}
    driven = {route.attrib["toNode"] for route in root.iter("ROUTE")}
    assert "still" not in driven
    assert "turning" in driven
    assert len(list(root.iter("PositionInterpolator"))) == 3


def test_names_that_xml_forbids_or_that_meet_are_made_distinct(one, tmp_path):
    form = one(Box((1, 1, 1)))
    part = form.parts[0]
    names = ["a b", "a_b", "1<&>\"'", "clock", "é\x00"]
    parts = tuple(Part(name, part.shape, part.offset, part.color, part.position, part.orientation) for name in names)
    root, defined = parsed(Form(parts, form.times, "title with \x01 <&>"), tmp_path)
    assert len([e for e in root.find("Scene") if e.tag == "Transform"]) == 5
    assert root.find("Scene/WorldInfo").attrib["title"] == "title with  <&>"
    assert {"a_b", "a_b_2"} <= set(defined)


def test_one_sample_is_a_still(one, tmp_path):
    root, _ = parsed(one(Ball(1), samples=1), tmp_path)
    assert not list(root.iter("ROUTE"))
    assert not list(root.iter("TimeSensor"))


def test_rate_reduces_the_keys(one, tmp_path):
    root, _ = parsed(one(Ball(1), samples=241, rate=240.0), tmp_path, rate=10)
    [moves] = root.iter("PositionInterpolator")
    np.testing.assert_allclose(numbers(moves.attrib["key"]), np.arange(11) / 10, atol=DIGITS)


def test_the_viewpoint_looks_at_its_target(one, tmp_path):
    form = replace(one(Ball(1)), image={"camera": {"from": [2, 1.5, 2], "to": [0, 1, 0]}})
    root, _ = parsed(form, tmp_path)
    [view] = root.iter("Viewpoint")
    turn = numbers(view.attrib["orientation"])
    forward = np.array([-2, -0.5, -2]) / np.linalg.norm([2, 0.5, 2])
    np.testing.assert_allclose(exp_rotation(turn[:3] * turn[3]) @ [0, 0, -1], forward, atol=4 * DIGITS)
    assert view.attrib["position"] == "2 1.5 2"


def test_a_camera_that_moves(one, tmp_path, up):
    keys = [
        {"time": 0, "from": [2, 1.5, 2]},
        {"time": 0.5, "from": [2, 1, -1]},
        {"time": 1, "from": [1, 1, -1], "fov": 0.4},
    ]
    hints = {"camera": {"to": [0, 1, 0], "path": keys}}
    form = replace(one(Ball(1), samples=41, rate=40.0), image=hints, up=up)
    path, R = CameraPath.from_hints(hints["camera"]).over(form.up), upright(up)
    root, defined = parsed(form, tmp_path)
    [view] = root.iter("Viewpoint")
    ends = {
        (r.attrib["fromNode"], r.attrib["toField"])
        for r in root.iter("ROUTE")
        if r.attrib["toNode"] == view.attrib["DEF"]
    }
    fields = {field.removeprefix("set_"): defined[name] for name, field in ends}
    assert set(fields) == {"position", "orientation", "fieldOfView"}  # it looks at one place
    times = numbers(fields["position"].attrib["key"])
    assert times == pytest.approx(np.arange(41) / 40, abs=DIGITS)
    cameras = [path.at(t) for t in times]
    places = numbers(fields["position"].attrib["keyValue"], 3)
    assert places == pytest.approx(np.array([c.position for c in cameras]) @ R.T, abs=4 * DIGITS)
    assert numbers(fields["fieldOfView"].attrib["keyValue"]) == pytest.approx([c.fov for c in cameras], abs=DIGITS)
    turns = numbers(fields["orientation"].attrib["keyValue"], 4)
    for (*axis, angle), camera in zip(turns, cameras, strict=True):
        turn = exp_rotation(np.array(axis) * angle)
        right, above, forward = camera.axes
        assert np.abs(turn - (R @ np.stack([right, above, -forward], axis=1))).max() < 8 * DIGITS
    assert numbers(view.attrib["position"]) == pytest.approx(R @ [2, 1.5, 2], abs=4 * DIGITS)
    assert (np.sum(turns[1:, :3] * turns[:-1, :3], axis=1) > 0).all()  # no axis turns over between keys


def test_skins_links_and_sizes(soft, tmp_path):
    root, defined = parsed(soft, tmp_path)
    [skin], [links] = soft.skins, soft.links
    [shapes] = root.iter("CoordinateInterpolator")
    places = numbers(shapes.attrib["keyValue"]).reshape(31, -1, 3)
    index = [np.array(one.attrib["index"].split(), int).reshape(-1, 3) for one in root.iter("IndexedTriangleSet")]
    found = places[20][np.concatenate(index)]
    expected = skin.vertices[20][np.concatenate([skin.faces[own] for _, own in skin.tones])]
    np.testing.assert_allclose(found, expected, atol=DIGITS)
    assert defined["balls_0"].attrib["scale"] == "0.25 0.25 0.25"
    sizes = numbers(defined["rope_1_scale"].attrib["keyValue"], 3)
    length = [np.linalg.norm(np.diff(links.ends(k)[1], axis=0)) for k in range(31)]
    np.testing.assert_allclose(sizes[:, 1], length, rtol=DIGITS)


def test_a_world_with_another_axis_up_is_turned_to_y_up(mixed, tmp_path, up):
    form, R = replace(mixed, up=up), upright(up)
    root, defined = parsed(form, tmp_path)
    found = numbers(defined["turning_translation"].attrib["keyValue"], 3)
    np.testing.assert_allclose(found, form.parts[0].position[:, 0] @ R.T, rtol=DIGITS, atol=DIGITS)
    *axis, angle = numbers(next(root.iter("Viewpoint")).attrib["orientation"])
    right = exp_rotation(np.array(axis) * angle)[:, 0]
    assert abs(right[1]) <= 4 * DIGITS  # the horizon is level
