import re
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError, MotiformError
from motiform.geometry import Ball, Box, Capsule, Cylinder, write_mesh
from motiform.motion.tree.joints import AxesJoint, FreeJoint, SphericalJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.read import ReaderWarning, read_mjcf
from motiform.motion.tree.read.mjcf.settings import turn_to
from motiform.spatial import Transform, exp_rotation, rotation_from_euler, rotation_from_quaternion

LEG = """<mujoco model="leg">
  <compiler angle="degree"/>
  <option gravity="0 0 -9" timestep="0.001"/>
  <default>
    <geom density="500"/>
    <default class="red"><geom rgba="1 0 0 1" size="0.05 0.2"/><joint damping="2" armature="0.1"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="hip" pos="0 0 1">
      <joint name="swing" axis="0 1 0" pos="0 0 0.1" range="-90 45" ref="30"/>
      <joint name="slip" type="slide" axis="1 0 0" range="-1 2"/>
      <geom type="capsule" class="red"/>
      <site name="mark" pos="0.1 0 0"/>
      <body name="knee" pos="0 0 -0.4" childclass="red">
        <joint name="ball" type="ball"/>
        <geom type="box" size="0.1 0.1 0.1" pos="0 0 -0.2" mass="1"/>
      </body>
    </body>
  </worldbody>
  <sensor><jointpos joint="swing"/></sensor>
  <actuator><motor joint="swing"/></actuator>
</mujoco>
"""


def read(folder, text, **options) -> Figure:
    path = folder / "model.xml"
    path.write_text(text, "utf-8")
    return read_mjcf(path, **options)


def refused(folder, text, **options) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text, **{"strict": True, **options})
    return str(caught.value)


def model(inside='<joint name="j"/><geom size="0.1"/>', before="", after="", attributes=""):
    body = f'<body name="a" {attributes}>{inside}</body>'
    return f"<mujoco>{before}\n<worldbody>\n{body}\n</worldbody>\n{after}</mujoco>"


def test_a_leg(tmp_path):
    leg = read(tmp_path, LEG)
    assert (leg.name, leg.names, leg.gravity) == ("leg", ("hip", "knee"), (0.0, 0.0, -9.0))
    assert leg.coordinates == ("swing", "slip", "ball.wx", "ball.wy", "ball.wz")
    hip, knee = leg.segments
    assert isinstance(hip.joint, AxesJoint)
    assert isinstance(knee.joint, SphericalJoint)
    swing, slip = hip.joint.axes
    assert (swing.kind, swing.point, slip.kind) == ("revolute", (0.0, 0.0, 0.1), "prismatic")
    assert swing.offset == -np.deg2rad(30)
    np.testing.assert_allclose(leg.limits[:2], [[-np.pi / 2, np.pi / 4], [-1, 2]], rtol=1e-15)
    assert leg.tags[0].name == "mark"


def test_classes_give_their_attributes_to_children(tmp_path):
    hip, knee = read(tmp_path, LEG).segments
    np.testing.assert_array_equal(hip.damping, [0, 0])
    np.testing.assert_array_equal(knee.damping, [2, 2, 2])
    np.testing.assert_array_equal(knee.armature, [0.1, 0.1, 0.1])
    (part,) = hip.parts
    assert (part.shape, part.color) == (Capsule(0.05, 0.4), (1.0, 0.0, 0.0))
    volume = np.pi * 0.05**2 * 0.4 + 4 / 3 * np.pi * 0.05**3
    assert hip.mass == pytest.approx(500 * volume, rel=1e-14)
    np.testing.assert_allclose(knee.inertia, np.eye(3) * (0.2**2 + 0.2**2) / 12, rtol=1e-14)


def test_what_is_left_out_is_listed(tmp_path):
    leg = read(tmp_path, LEG)
    notes = " ".join(leg.notes)
    for word in ("<sensor>", "actuators", "the look of plane geoms", "solver settings"):
        assert word in notes


def test_a_body_that_turns_about_a_ball_away_from_its_origin_hangs_on_a_massless_segment(tmp_path):
    figure = read(
        tmp_path, model('<joint name="j" type="ball" pos="0 0 0.3"/><geom size="0.1"/>', attributes='pos="1 0 0"')
    )
    assert figure.names == ("a/j", "a")
    between, body = figure.segments
    assert (between.mass, body.parent, body.joint.nv) == (0.0, "a/j", 0)
    q = np.array([np.cos(0.4), np.sin(0.4), 0, 0])
    T = between.placement @ between.joint.transform(q) @ body.placement
    R = exp_rotation([0.8, 0, 0])
    np.testing.assert_allclose(T.translation, np.array([1, 0, 0.3]) - R @ [0, 0, 0.3], atol=1e-15)
    np.testing.assert_allclose(T.rotation, R, atol=1e-15)


def test_free_bodies_have_the_position_of_the_format(tmp_path):
    figure = read(tmp_path, model('<freejoint/><geom size="0.1"/>', attributes='pos="1 2 3" quat="0 1 0 0"'))
    assert isinstance(figure.segments[0].joint, FreeJoint)
    np.testing.assert_array_equal(figure.segments[0].placement.matrix(), np.eye(4))
    np.testing.assert_array_equal(figure.neutral(), [1, 2, 3, 0, 1, 0, 0])


def test_the_world_is_a_segment_where_it_wears_something(tmp_path):
    world = '<worldbody><geom type="box" size="1 1 1" pos="0 0 2"/><site name="s" pos="3 0 0"/>{}</worldbody>'
    body = '<body name="a"><joint/><geom size="1"/></body>'
    figure = read(tmp_path, f"<mujoco>{world.format(body)}</mujoco>")
    assert figure.names == ("world", "a")
    world_, _ = figure.segments
    assert (world_.mass, world_.joint.nv, world_.parts[0].shape) == (0.0, 0, Box((2.0, 2.0, 2.0)))
    assert (figure.tags[0].name, figure.tags[0].segment) == ("s", "world")
    assert read(tmp_path, f"<mujoco>{world.format('')}</mujoco>").names == ("world",)
    assert read(tmp_path, "<mujoco/>").names == ("world",)


def test_mocap_bodies_are_fixed(tmp_path):
    figure = read(tmp_path, model('<geom size="0.1"/>', attributes='mocap="true" pos="1 0 0"'))
    assert figure.nv == 0
    assert "mocap" in figure.notes[0]


def test_an_impossible_inertia_is_mended(tmp_path):
    with pytest.warns(ReaderWarning, match="body 'a': the principal moments must be those of a solid"):
        figure = read(tmp_path, model('<inertial mass="1" pos="0 0 0" diaginertia="1 1 9"/>'))
    # (1, 1, 9) on the face a + b = c: less (−1, −1, 1) (9 − 2) / 3
    np.testing.assert_allclose(figure.segments[0].inertia, np.diag([10, 10, 20]) / 3, rtol=1e-14)


def test_tendons_without_force_are_noted(tmp_path):
    figure = read(tmp_path, model(after='<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'))
    assert "tendons without force" in figure.notes[0]


@pytest.mark.parametrize(
    ("equality", "says"),
    [
        ('<joint joint1="i" joint2="j"/><joint joint1="j" joint2="i"/>', "in a circle"),
        ('<connect body1="b" anchor="0 0 0"/>', "unknown body"),
        ('<weld site1="s" site2="t"/>', "unknown site"),
        ('<joint joint1="i" joint2="j"/><joint joint1="i" joint2="k" polycoef="0 1 1"/>', "a second equality"),
        ('<tendon tendon1="t"/>', "tendons that are not fixed"),
    ],
)
def test_wrong_equalities_are_refused(tmp_path, equality, says):
    inside = '<joint name="i" axis="1 0 0"/><joint name="j" axis="0 0 1"/><joint name="k"/><geom size="0.1"/>'
    assert says in refused(tmp_path, model(inside, after=f"<equality>{equality}</equality>"))


@pytest.mark.parametrize(
    ("attribute", "rotation"),
    [
        ('quat="1 2 3 4"', rotation_from_quaternion([1, 2, 3, 4])),
        ('axisangle="0 0 2 90"', rotation_from_euler([np.pi / 2], "z")),
        ('euler="10 20 30"', rotation_from_euler(np.deg2rad([10, 20, 30]), "xyz")),
        ('xyaxes="0 2 0 -3 1 0"', np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])),
        ('zaxis="0 5 0"', rotation_from_euler([-np.pi / 2], "x")),
        ('zaxis="0 0 -1"', np.diag([1.0, -1.0, -1.0])),
    ],
)
def test_orientations(tmp_path, attribute, rotation):
    figure = read(tmp_path, model(attributes=attribute))
    np.testing.assert_allclose(figure.segments[0].placement.rotation, rotation, rtol=0, atol=1e-15)


def test_capitals_in_eulerseq_turn_about_axes_at_rest(tmp_path):
    figure = read(tmp_path, model(before='<compiler eulerseq="XYZ" angle="radian"/>', attributes='euler="1 2 3"'))
    expected = rotation_from_euler([1, 2, 3], "xyz", fixed=True)
    np.testing.assert_allclose(figure.segments[0].placement.rotation, expected, rtol=0, atol=1e-15)


def test_the_smallest_turn_of_z():
    for direction in np.random.default_rng(1).standard_normal((20, 3)):
        u = direction / np.linalg.norm(direction)
        R = turn_to(u)
        np.testing.assert_allclose(R[:, 2], u, atol=1e-15)
        assert np.trace(R) == pytest.approx(1 + 2 * u[2], abs=1e-14)  # angle between z and u


def test_frames_move_what_is_in_them(tmp_path):
    inside = """<frame pos="1 0 0" euler="0 0 90"><joint name="j" axis="1 0 0" pos="0 1 0"/><site name="s" pos="1 0 0"/>
        <geom type="cylinder" size="0.1 0.2"/><body name="b" pos="0 2 0"><geom size="0.1"/></body></frame>"""
    figure = read(tmp_path, model(inside))
    (axis,) = figure.segment("a").joint.axes
    np.testing.assert_allclose([*axis.direction, *axis.point], [0, 1, 0, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(figure.tags[0].point, [1, 1, 0], atol=1e-15)
    np.testing.assert_allclose(figure.segment("b").placement.translation, [-1, 0, 0], atol=1e-15)
    assert figure.segment("a").parts[0].shape == Cylinder(0.1, 0.4)


@pytest.mark.parametrize(("settings_", "mass"), [("auto", 3.0), ("true", 5.0), ("false", 3.0)])
def test_inertia_from_geoms_or_not(tmp_path, settings_, mass):
    inside = '<joint/><geom size="0.1" mass="5"/><inertial mass="3" pos="0 0 0" diaginertia="1 1 1"/>'
    figure = read(tmp_path, model(inside, f'<compiler inertiafromgeom="{settings_}"/>'))
    assert figure.segments[0].mass == mass


def test_geoms_outside_the_group_range_weigh_nothing_and_collision_groups_are_not_drawn(tmp_path):
    inside = '<joint/><geom size="0.1" mass="5"/><geom type="box" size="1 1 1" mass="2" group="3"/>'
    figure = read(tmp_path, model(inside, '<compiler inertiagrouprange="0 2"/>'))
    assert figure.segments[0].mass == 5.0
    assert [part.shape for part in figure.segments[0].parts] == [Ball(0.1)]


def test_sizes_of_a_class_fill_what_an_element_leaves_open(tmp_path):
    figure = read(tmp_path, model('<joint/><geom size="0.5"/>', '<default><geom type="box" size="1 2 3"/></default>'))
    assert figure.segments[0].parts[0].shape == Box((1.0, 4.0, 6.0))


def test_a_joint_held_by_an_equality_leaves_the_tree(tmp_path):
    inside = '<joint name="i" axis="1 0 0"/><joint name="j" axis="0 0 1"/><geom size="0.1"/>'
    figure = read(tmp_path, model(inside, after='<equality><joint joint1="i" polycoef="0.5"/></equality>'))
    assert figure.coordinates == ("j",)
    segment = figure.segments[0]
    T = segment.placement @ segment.joint.transform(np.array([0.3]))
    expected = rotation_from_euler([0.5, 0.3], "xz")
    np.testing.assert_allclose(T.rotation, expected, rtol=0, atol=1e-15)


def test_an_equality_of_joints_is_a_polynomial_about_their_references(tmp_path):
    inside = '<joint name="x" type="slide" ref="2"/><joint name="y" type="slide" ref="-1"/><geom size="0.1"/>'
    after = '<equality><joint joint1="y" joint2="x" polycoef="0.5 1 -2"/></equality>'
    (coupling,) = read(tmp_path, model(inside, after=after)).couplings
    x = 2.7
    assert coupling.function(x) == pytest.approx(-1 + 0.5 + 0.7 - 2 * 0.7**2, rel=1e-14)


def test_flags_switch_gravity_damping_and_equality_off(tmp_path):
    flags = '<option><flag gravity="disable" damper="disable" equality="disable"/></option>'
    inside = '<joint name="i" damping="3"/><joint name="j"/><geom size="0.1"/>'
    figure = read(tmp_path, model(inside, flags, '<equality><joint joint1="i" joint2="j"/></equality>'))
    assert figure.gravity == (0.0, 0.0, 0.0)
    assert not figure.segments[0].damping.any()
    assert figure.couplings == ()


def test_a_mesh_lies_in_the_folder_of_meshes_or_of_the_file_that_names_it(tmp_path):
    """As MuJoCo 4.0 looks for it."""
    (tmp_path / "m" / "parts").mkdir(parents=True)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text('<mujoco><asset><mesh name="s" file="../s.stl"/></asset></mujoco>')
    geom = '<joint/><geom type="mesh" mesh="s" density="1000"/>'
    text = model(geom, '<compiler meshdir="m"/><include file="parts/arm.xml"/>')
    assert "no such mesh file" in refused(tmp_path, text)
    write_mesh(Box((0.1, 0.1, 0.1)).to_mesh(), tmp_path / "m" / "s.stl")
    assert read(tmp_path, text).mass == pytest.approx(1.0, rel=1e-6)  # corners are float32
    write_mesh(Box((0.2, 0.1, 0.1)).to_mesh(), tmp_path / "s.stl")  # m/../s.stl comes first
    assert read(tmp_path, text).mass == pytest.approx(2.0, rel=1e-6)


def test_includes_come_from_the_folder_only(tmp_path):
    inner = tmp_path / "inner"
    (inner / "parts").mkdir(parents=True)
    included = '<mujocoinclude>\n<body name="b"><joint name="k"/><geom size="wrong"/></body></mujocoinclude>'
    (inner / "parts" / "arm.xml").write_text(included.replace("wrong", "0.1"))
    text = model('<joint name="j"/><geom size="0.1"/><include file="parts/arm.xml"/>')
    assert read(inner, text).names == ("a", "b")
    (inner / "parts" / "deep").mkdir()
    (inner / "parts" / "deep" / "hand.xml").write_text('<mujoco><body name="c"/></mujoco>')
    nested = '<include file="deep/hand.xml"/></mujocoinclude>'  # from the file that includes it
    (inner / "parts" / "arm.xml").write_text(included.replace("wrong", "0.1").replace("</mujocoinclude>", nested))
    assert read(inner, text).names == ("a", "b", "c")
    (inner / "parts" / "arm.xml").write_text(included)
    assert "parts/arm.xml:2 <geom>" in refused(inner, text)
    (tmp_path / "arm.xml").write_text(included)
    assert "read its own folder only" in refused(inner, text.replace("parts/arm", "../arm"))
    assert "no such file" in refused(inner, text.replace("parts/arm", "none"))
    (inner / "parts" / "arm.xml").write_text('<mujoco><include file="parts/arm.xml"/></mujoco>')
    assert "included once" in refused(inner, text)


JOINT = '<joint name="j" {}/><geom size="0.1"/>'


@pytest.mark.parametrize(
    ("text", "feature", "says"),
    [
        (model(JOINT.format('stiffness="2"')), "stiffness", "the spring of a joint"),
        (model(JOINT.format('springdamper="1 1"')), "stiffness", "the spring of a joint"),
        (model(JOINT.format('frictionloss="2"')), "frictionloss", "frictionloss"),
        (model(JOINT.format('damping="1 2"')), "damping", "not linear"),
        (model(after='<tendon><fixed stiffness="1"><joint joint="j" coef="1"/></fixed></tendon>'), "tendon", "<fixed>"),
        (model(after='<tendon><spatial range="0 1"/></tendon>'), "tendon", "<spatial>"),
        (model(after='<equality><flex flex="f"/></equality>'), "equality", "kind <flex>"),
        (model(before='<option density="1.2"/>'), "fluid", "a fluid"),
        (model(before='<option viscosity="1.2"/>'), "fluid", "a fluid"),
        (model(attributes='gravcomp="1"'), "gravcomp", "compensation of gravity"),
        (model(before='<compiler alignfree="true"/>'), "alignfree", "alignment"),
        (model(after='<actuator><motor joint="j" armature="1"/></actuator>'), "actuator", "armature of an actuator"),
        (model(after="<deformable><flex/></deformable>"), "deformable", "<flex>"),
        (model(before="<extension><plugin/></extension>"), "extension", "an extension"),
        (model('<joint name="j"/><geom size="0.1"/><plugin/>'), "extension", "a plugin"),
    ],
)
def test_physics_that_a_figure_has_not_is_left_out_with_a_warning_or_refused(tmp_path, text, feature, says):
    with pytest.warns(ReaderWarning, match=re.escape(says)):
        figure = read(tmp_path, text)
    assert any(says in note for note in figure.notes)
    message = refused(tmp_path, text)
    assert re.search(r"model\.xml:\d+ <\w+.*is not supported", message)
    assert says in message
    assert f"skip=({feature!r},)" in message
    figure = read(tmp_path, text, strict=True, skip=[feature])
    assert any("skipped as told" in note for note in figure.notes)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<mujoco>", "well-formed"),
        ("<robot/>", "of an MJCF model"),
        ("<mujoco><wordlbody/></mujoco>", "unknown section .*'worldbody'"),
        (model("<composite/>"), "model.xml:3 <composite>: <composite> is not supported"),
        (model("<goem/>"), "<goem>: unknown element .*'geom'"),
        (model(JOINT.format('dampin="1"')), "unknown attribute .*'damping'"),
        (model(JOINT.format('type="hing"')), "unknown type .*'hinge'"),
        (model(JOINT.format('axis="0 0 0"')), "no direction"),
        (model(JOINT.format('range="2 1"')), "the range is empty"),
        (model(JOINT.format('class="no"')), "unknown default class"),
        (model('<joint type="free"/><joint/><geom size="0.1"/>'), "a free joint must be alone"),
        (model('<body><freejoint/><geom size="0.1"/></body>'), "a free joint must be alone"),
        (model('<geom type="capsule" size="0.1"/>'), "size of a capsule"),
        (model('<geom type="bx" size="0.1"/>'), "unknown type"),
        (model('<geom size="-1"/>'), "length must be positive"),
        (model('<geom size="0.1" mass="-1"/>'), "0 or more"),
        (model('<geom type="mesh" mesh="m"/>'), "unknown mesh"),
        (model('<geom size="0.1" shellinertia="true"/>'), "shell"),
        (model('<geom size="0.1" fromto="0 0 0 1 1 1"/>'), "fromto"),
        (model('<geom type="capsule" size="0.1" pos="1 0 0" fromto="0 0 0 1 1 1"/>'), "fromto"),
        (
            model('<inertial mass="1" pos="0 0 0" diaginertia="1 1 9"/>'),
            "model.xml:3 <body name='a'>: .*the principal moments must be those of a solid",
        ),
        (model('<inertial mass="1" diaginertia="1 1 1"/>'), "no attribute 'pos'"),
        (model('<inertial mass="1" pos="0 0 0" fullinertia="1 1 1 0 0 0" quat="1 0 0 0"/>'), "fullinertia"),
        (model(attributes='quat="1 0 0 0" euler="0 0 0"'), "an element has at most one orientation"),
        (model(attributes='quat="0 0 0 0"'), "a quaternion must have a length above 0"),
        (model(attributes='xyaxes="1 0 0 2 0 0"'), "xyaxes"),
        (model(before='<compiler eulerseq="xyw"/>'), "eulerseq"),
        (model(before='<compiler coordinate="global"/>'), "unknown coordinate"),
        (model(after='<equality><joint joint1="k"/></equality>'), "no such hinge or slide"),
        (
            model(before='<default><default class="x"/><default class="x"/></default>'),
            "every default class must have a name of its own",
        ),
        (model('<body name="a"><geom size="1"/></body>'), "two segments must not share a name"),
        ("<mujoco><worldbody><joint/></worldbody></mujoco>", "the world cannot move"),
    ],
)
def test_wrong_files_are_refused_with_file_line_and_remedy(tmp_path, text, says):
    message = refused(tmp_path, text)
    assert re.search(says, message, re.DOTALL)
    assert "model.xml" in message


def test_bodies_and_joints_without_names_are_numbered(tmp_path):
    inside = '<joint/><geom size="1"/><body><joint/><geom size="1"/></body>'
    figure = read(tmp_path, f"<mujoco><worldbody><body>{inside}</body></worldbody></mujoco>")
    assert (figure.names, figure.coordinates) == (("body1", "body2"), ("joint1", "joint2"))


def test_a_rope_of_hundreds_of_bodies_is_read(tmp_path):
    count = 300
    text = '<body pos="0 0 1"><joint/><geom size="0.1"/>' * count + "</body>" * count
    assert read(tmp_path, f"<mujoco><worldbody>{text}</worldbody></mujoco>").nv == count


def test_a_missing_mesh_is_left_out_of_the_look_but_needed_for_the_mass(tmp_path):
    assets = '<asset><mesh name="m" file="m.stl"/></asset>'
    inertial = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
    figure = read(tmp_path, model(f'<joint/>{inertial}<geom type="mesh" mesh="m"/>', assets))
    assert figure.segments[0].parts == ()
    assert "the mesh m.stl" in figure.notes[0]
    assert "no such mesh file" in refused(tmp_path, model('<joint/><geom type="mesh" mesh="m"/>', assets))
    outside = assets.replace("m.stl", "../m.stl")
    assert "read its own folder only" in refused(tmp_path, model('<geom type="mesh" mesh="m"/>', outside))


TOKENS = st.sampled_from(
    ["<", ">", "/", '"', "0", "-1", "1e30", "nan", " ", "body", "joint", "class", "a", "quat=", "é", "&lt;", "frame"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_give_a_figure_or_an_error_of_ours(tmp_path, data):
    text = LEG
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(TOKENS) + text[at + data.draw(st.integers(0, 30)) :]
    with suppress(MotiformError):
        assert isinstance(read(tmp_path, text), Figure)


ATTRIBUTES = st.sampled_from(
    ["pos", "quat", "euler", "axis", "range", "ref", "damping", "armature", "size", "fromto", "mass", "density", "type"]
)
VALUES = st.sampled_from(
    ["", "0", "1", "-1", "1e30", "1e-30", "0 0 0", "1 2 3", "1e30 1e30 1e30 1e30", "x", "free", "mesh"]
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 40), ATTRIBUTES, VALUES), min_size=1, max_size=4))
def test_wild_values_give_a_figure_or_an_error_of_ours(tmp_path, changes):
    tags = re.split(r"(?<!/)(?=/?>)", LEG)  # each ends where an attribute may follow
    opening = [n for n, tag in enumerate(tags) if re.search(r"<(body|joint|geom|site|option)[^<]*\Z", tag)]
    for n, name, value in changes:
        at = opening[n % len(opening)]
        if not re.search(rf"\b{name}=[^<]*\Z", tags[at]):
            tags[at] += f' {name}="{value}"'
    with suppress(MotiformError):
        assert isinstance(read(tmp_path, "".join(tags)), Figure)


def test_the_pose_of_an_identity_is_exact():
    np.testing.assert_array_equal(turn_to(np.array([0.0, 0.0, 1.0])), Transform.identity().rotation)


def test_a_joint_may_have_the_name_of_a_free_body(tmp_path):
    inside = '<freejoint/><geom size="0.1"/><body name="b"><joint name="a"/><geom size="0.1"/></body>'
    figure = read(tmp_path, model(inside))
    assert (figure.nq, figure.nv) == (8, 7)
    assert sorted(np.concatenate(figure.layout.q)) == list(range(8))
