import re
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError, MotiformError
from motiform.geometry import Ball, Box, Cylinder, Mesh, write_mesh
from motiform.motion.tree.joints import AxesJoint, FreeJoint, SphericalJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.read import ReaderWarning, read_figure, read_urdf
from motiform.spatial import rotation_from_euler

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"><color rgba="0 0 0.8 1"/></material>
  <link name="base">
    <visual><origin xyz="0 0 0.1" rpy="0 0 0.5"/><geometry><box size="0.2 0.3 0.4"/></geometry>
      <material name="blue"/></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.03" iyy="0.04" izz="0.02" ixy="0.001" ixz="0.002" iyz="-0.003"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>
    <visual><origin xyz="0 0 0.4"/><geometry><sphere radius="0.06"/></geometry></visual>
  </link>
  <link name="lower"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.5" rpy="0.3 0 0"/><parent link="base"/><child link="upper"/><axis xyz="0 3 4"/>
    <limit lower="-1" upper="2" effort="100" velocity="3"/><dynamics damping="0.5"/>
    <safety_controller k_velocity="10"/>
  </joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/></joint>
  <transmission name="t"/>
</robot>
"""


def read(folder, text, **options) -> Figure:
    path = folder / "robot.urdf"
    path.write_text(text, "utf-8")
    return read_urdf(path, **options)


def refused(folder, text, **options) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text, **{"strict": True, **options})
    return str(caught.value)


def warned(folder, text, **options) -> tuple[Figure, str]:
    """Return the figure of a file, and its one warning."""
    with pytest.warns(ReaderWarning) as caught:
        figure = read(folder, text, **options)
    (warning,) = caught
    return figure, str(warning.message)


def robot(*parts):
    return f'<robot name="r">{"".join(parts)}</robot>'


LINKS = '<link name="a"/>\n<link name="b"/>'


def joint(inside="", kind="continuous", name="j", parent="a", child="b"):
    return f'\n<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def test_an_arm(tmp_path):
    arm = read(tmp_path, ARM)
    assert arm.name == "arm"
    assert arm.names == ("base", "upper", "lower")
    assert arm.coordinates == ("shoulder", "elbow")
    assert arm.gravity == (0.0, 0.0, -9.81)
    np.testing.assert_array_equal(arm.limits, [[-1, 2], [-np.inf, np.inf]])
    upper = arm.segment("upper")
    assert upper.parent == "base"
    np.testing.assert_allclose(upper.joint.axes[0].direction, [0, 0.6, 0.8], rtol=1e-15)
    np.testing.assert_array_equal(upper.damping, [0.5])
    np.testing.assert_allclose(upper.placement.rotation, rotation_from_euler([0.3], "x"), atol=1e-16)


def test_inertia_is_turned_into_the_link(tmp_path):
    upper = read(tmp_path, ARM).segment("upper")
    R = rotation_from_euler([0.3, 0.2, 0.1], "zyx")  # roll, pitch, yaw about axes at rest
    J = np.array([[0.03, 0.001, 0.002], [0.001, 0.04, -0.003], [0.002, -0.003, 0.02]])
    np.testing.assert_allclose(upper.inertia, R @ J @ R.T, rtol=0, atol=1e-17)
    np.testing.assert_array_equal(upper.com, [0, 0, 0.2])


def test_visuals_are_worn_and_cylinders_stand_along_z(tmp_path):
    arm = read(tmp_path, ARM)
    (box,) = arm.segment("base").parts
    assert box.shape == Box((0.2, 0.3, 0.4))
    assert box.color == (0.0, 0.0, 0.8)
    np.testing.assert_array_equal(box.placement.translation, [0, 0, 0.1])
    cylinder, ball = arm.segment("upper").parts
    assert (cylinder.shape, ball.shape) == (Cylinder(0.05, 0.4), Ball(0.06))
    np.testing.assert_allclose(cylinder.shape.bounds_in(cylinder.placement)[1], [0.05, 0.05, 0.2], atol=1e-16)


def test_what_is_left_out_is_listed(tmp_path):
    arm = read(tmp_path, ARM)
    notes = " ".join(arm.notes)
    for word in ("<collision> geometry", "<transmission>", "effort bounds", "<safety_controller>"):
        assert word in notes
    assert "robot.urdf:7:" in notes


def test_a_free_root_and_own_gravity(tmp_path):
    arm = read(tmp_path, ARM, free=True, gravity=(0, -1, 0))
    assert isinstance(arm.segments[0].joint, FreeJoint)
    assert (arm.nq, arm.nv, arm.gravity) == (9, 8, (0.0, -1.0, 0.0))


def test_floating_and_planar_joints(tmp_path):
    links = LINKS + '<link name="c"/>'
    figure = read(tmp_path, robot(links, joint(kind="floating"), joint(kind="planar", name="k", parent="b", child="c")))
    assert isinstance(figure.segment("b").joint, FreeJoint)
    assert figure.coordinates[0] == "j.wx"
    planar = figure.segment("c").joint
    assert isinstance(planar, AxesJoint)
    assert [axis.kind for axis in planar.axes] == ["prismatic", "prismatic", "revolute"]
    assert planar.axes[2].direction == (1.0, 0.0, 0.0)


def test_mimics_of_mimics_follow_the_one_that_leads(tmp_path):
    parts = [
        LINKS + '<link name="c"/><link name="d"/>',
        joint(),
        joint('<mimic joint="j" multiplier="2" offset="0.5"/>', name="k", child="c"),
        joint('<mimic joint="k" multiplier="-3" offset="0.1"/>', name="m", child="d"),
    ]
    figure = read(tmp_path, robot(*parts))
    assert figure.coordinates == ("j",)
    followers = {c.dependent: c for c in figure.couplings}
    assert followers["m"].leading == "j"
    assert followers["m"].function(1.0) == pytest.approx(-3 * (2 + 0.5) + 0.1, rel=1e-15)


def test_order_is_outward_by_the_joints_of_the_file(tmp_path):
    links = "".join(f'<link name="{name}"/>' for name in "zyxwv")
    joints = [("x", "w"), ("v", "x"), ("v", "z"), ("z", "y")]
    text = robot(links, *(joint(name=p + c, parent=p, child=c) for p, c in joints))
    assert read(tmp_path, text).names == ("v", "x", "w", "z", "y")


def test_meshes_of_the_folder_are_worn(tmp_path):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    (tmp_path / "parts").mkdir()
    write_mesh(Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])), tmp_path / "parts" / "t.stl")
    mesh = '<mesh filename="{}" scale="2 1 -1"/>'
    text = robot(f'<link name="a"><visual><geometry>{mesh}</geometry></visual></link>')
    for name in ("parts/t.stl", "package://robot/parts/t.stl", "package://parts/t.stl"):
        (part,) = read(tmp_path, text.format(name)).segments[0].parts
        assert part.shape.volume == pytest.approx(2 / 6, rel=1e-6)  # stl holds float32; turned outward again
    assert read(tmp_path, text.format("parts/t.stl"), meshes="skip").segments[0].parts == ()
    missing = read(tmp_path, text.format("other.stl"))
    assert missing.segments[0].parts == ()
    assert "the mesh other.stl" in missing.notes[0]
    assert "no such mesh file" in refused(tmp_path, text.format("other.stl"), meshes="all")


@pytest.mark.parametrize(
    "name", ["../secret.stl", "/etc/hosts.stl", "package://x/../../secret.stl", "file:///etc/a.stl"]
)
def test_meshes_outside_the_folder_are_not_read(tmp_path, name):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.stl").write_bytes(b"")
    text = robot(f'<link name="a"><visual><geometry><mesh filename="{name}"/></geometry></visual></link>')
    assert "read its own folder only" in refused(inner, text)
    figure = read(inner, text)
    assert figure.segments[0].parts == ()
    assert "read its own folder only" in figure.notes[0]


def test_meshes_are_found_under_roots(tmp_path):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    (tmp_path / "all" / "deep" / "arm_description" / "meshes").mkdir(parents=True)
    place = tmp_path / "all" / "deep" / "arm_description" / "meshes" / "t.obj"
    write_mesh(Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])), place)
    inner = tmp_path / "all" / "deep" / "arm_description" / "urdf"
    inner.mkdir()
    text = robot('<link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual></link>')
    for name in ("package://arm_description/meshes/t.obj", "model://arm_description/meshes/t.obj", "../meshes/t.obj"):
        found = read(inner, text.format(name)).segments[0].parts
        assert len(found) == (not name.startswith(".."))  # it is in the package, by the name of the folder
        for root in (tmp_path / "all", inner.parent, [tmp_path, tmp_path / "all"]):
            (part,) = read(inner, text.format(name), roots=root, meshes="all").segments[0].parts
            assert part.shape.volume == pytest.approx(1 / 6, rel=1e-12)
    assert "no such mesh file" in refused(inner, text.format("package://other/t.obj"), roots=tmp_path, meshes="all")
    assert "no such folder" in refused(inner, text, roots=tmp_path / "none")


def inertial(mass, moments):
    entries = " ".join(f'{k}="{v!r}"' for k, v in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), moments, strict=True))
    return robot(f'<link name="a"><inertial><mass value="{mass}"/><inertia {entries}/></inertial></link>')


@pytest.mark.parametrize(
    "moments", [(1, 1, 9, 0, 0, 0), (1, 2, 3.001, 0.01, 0, 0), (-1, 2, 5, 1, 2, 3), (-1, -2, -3, 0, 0, 0)]
)
def test_an_impossible_inertia_becomes_the_nearest_possible_one(tmp_path, moments):
    """The nearest by an independent way: the second moments C = ½ tr(I) 1 − I as L Lᵀ, fitted by least squares."""
    from scipy.optimize import least_squares

    figure, message = warned(tmp_path, inertial(2.0, moments))
    xx, yy, zz, xy, xz, yz = moments
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)

    def matrix(x):
        L = x.reshape(3, 3)
        C = L @ L.T
        return np.trace(C) * np.eye(3) - C

    starts = np.random.default_rng(1).standard_normal((8, 9))
    fits = [least_squares(lambda x: (matrix(x) - J).ravel(), x0, xtol=1e-15, ftol=1e-15, gtol=1e-15) for x0 in starts]
    best = min(fits, key=lambda fit: fit.cost)
    found = figure.segments[0].inertia
    distance = np.linalg.norm(found - J)
    assert distance <= np.sqrt(2 * best.cost) * (1 + 1e-9)  # the least of a convex problem: nothing is nearer
    # Cost is quadratic at the least: a fit to 1e-15 of it leaves 3e-8 of the matrix; where it ends at a face of the
    # cone it approaches slower.
    np.testing.assert_allclose(found, matrix(best.x), atol=1e-4 * np.abs(J).max())
    assert f"{distance:.2g} kg·m²" in figure.notes[0]
    assert "link 'a': the principal moments must be those of a solid" in message


def test_inertia_without_mass_is_left_out(tmp_path):
    figure, message = warned(tmp_path, inertial(0.0, (1, 1, 1, 0, 0, 0)))
    assert not figure.segments[0].inertia.any()
    assert "a link with inertia must have mass" in message


def test_unknown_parts_are_noted_and_nearly_known_ones_are_a_warning(tmp_path):
    text = robot('<link name="a" self_filter="1"><vendor/></link><link name="b"/>', joint('<joint_properties d="1"/>'))
    figure = read(tmp_path, text)
    assert [note.partition(": ")[2] for note in figure.notes] == [
        "left out unknown attribute 'self_filter' of <link>",
        "left out unknown element 'vendor'",
        "left out unknown element 'joint_properties'",
    ]
    _, message = warned(tmp_path, robot(LINKS, joint('<origin xzy="0 0 1"/>')))
    assert "Did you mean 'xyz'?" in message


def test_slips_of_the_pen_are_mended_with_a_note(tmp_path):
    text = "\n\n" + ARM.replace('xyz="0 0 0.5"', 'xyz="0, 0, 0.5"').replace(
        '<axis xyz="0 3 4"/>', '<axis xyz="0 3 4"/>' * 2
    )
    figure, message = warned(tmp_path, text + "\n\0")
    np.testing.assert_array_equal(figure.segment("upper").placement.translation, [0, 0, 0.5])
    assert "'0, 0, 0.5' was taken as its numbers" in message
    assert "at most one <axis>: the first was taken" in message
    figure, message = warned(tmp_path, robot(LINKS, joint('<mimic joint="k"/>', kind="fixed")))
    assert "the mimic of joint 'j' was left out" in message
    figure, message = warned(tmp_path, robot(LINKS, joint('<limit lower="1" upper="0"/>', kind="revolute")))
    assert np.isinf(figure.limits).all()


def test_looks_that_cannot_be_drawn_are_noted(tmp_path):
    for shape in ('<sphere radius="0"/>', "<cone/>", "", '<box size="1 1"/>'):
        figure = read(tmp_path, robot(f'<link name="a"><visual><geometry>{shape}</geometry></visual></link>'))
        assert figure.segments[0].parts == ()
        assert "something to look at" in figure.notes[0]


def test_a_spherical_joint(tmp_path):
    figure = read(tmp_path, robot(LINKS, joint(kind="spherical")))
    assert isinstance(figure.segment("b").joint, SphericalJoint)
    assert figure.coordinates == ("j.wx", "j.wy", "j.wz")


def test_dry_friction_is_left_out_with_a_warning_or_refused(tmp_path):
    text = robot(LINKS, joint('<dynamics damping="1" friction="0.2"/>'))
    figure, message = warned(tmp_path, text)
    assert "left out dry friction of a joint" in message
    assert "left out dry friction of a joint" in figure.notes[0]
    message = refused(tmp_path, text)
    assert re.search(r"robot\.urdf:3 <dynamics>: dry friction of a joint is not supported", message)
    assert "skip=('friction',)" in message
    figure = read(tmp_path, text, skip=["friction"])
    assert "skipped as told" in figure.notes[0]
    assert "unknown feature" in refused(tmp_path, text, skip=["frictoin"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "robot.urdf:1: the file must be well-formed XML: no element found"),
        ("<robot><link></robot>", "robot.urdf:1: the file must be well-formed XML: mismatched tag"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>', "document type"),
        ("<sdf/>", "<sdf>: the root must be that of a URDF model"),
        (robot(), "the model has no <link>"),
        (robot("<link/>"), "no attribute 'name'"),
        (robot(LINKS), "more than one link has no joint"),
        (robot(LINKS, '\n<link name="a"/>'), "robot.urdf:3 <link name='a'>: every <link> must have a name of its own"),
        (robot(LINKS, joint(child="c")), "unknown link"),
        (robot(LINKS, joint(), joint(name="k")), "link 'b' is carried by more than one joint"),
        (robot(LINKS, joint(), joint(name="k", parent="b", child="a")), "form a loop"),
        (
            robot(LINKS, '<link name="c"/>', joint(), joint(name="k", parent="c", child="c")),
            "links must not form a loop",
        ),
        (robot(LINKS, joint(kind="revolut")), "unknown type .*Did you mean 'revolute'"),
        (robot(LINKS, joint(kind="revolute")), "must have a <limit>"),
        (robot(LINKS, joint('<limit lower="1" upper="0"/>', kind="revolute")), "the range is empty"),
        (robot(LINKS, joint('<axis xyz="0 0 0"/>')), "no direction"),
        (robot(LINKS, joint('<axis xyz="0 0"/>')), "'xyz' .*3 numbers"),
        (robot(LINKS, joint('<axis xyz="0 0 one"/>')), "must be a number"),
        (robot(LINKS, joint('<axis xyz="0 0 nan"/>')), "must be a number"),
        (robot(LINKS, joint('<axis xyz="0 0 1e300"/>')), "must be a number"),
        (robot(LINKS, joint('<origin xzy="0 0 1"/>')), "unknown attribute .*'xyz'"),
        (robot(LINKS, joint('<spring k="1"/>')), "<spring>: unknown element"),
        (robot(LINKS, joint('<mimic joint="x"/>')), "no such joint to mimic"),
        (robot(LINKS, joint('<mimic joint="j"/>')), "mimic in a circle"),
        (robot(LINKS, joint('<dynamics damping="-1"/>')), "0 or more"),
        (robot('<link name="a"><inertial><mass value="-1"/></inertial></link>'), "'value'"),
        (
            robot(
                '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/>'
                "</inertial></link>"
            ),
            "robot.urdf:1 <link name='a'>: .*the principal moments must be those of a solid",
        ),
        (robot('<link name="a"><visual><geometry><cone/></geometry></visual></link>'), "unknown shape"),
        (
            robot('<link name="a"><visual><geometry><sphere radius="-1"/></geometry></visual></link>'),
            "length must be positive",
        ),
        (robot("<xacro:macro/>"), "Expand the file with xacro"),
        (robot("<links/>"), "unknown element .*'link'"),
    ],
)
def test_wrong_files_are_refused_with_file_line_and_remedy(tmp_path, text, says):
    assert re.search(says, refused(tmp_path, text), re.DOTALL)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_urdf(tmp_path / "none.urdf")
    with pytest.raises(InputError, match="cannot be read"):
        read_urdf(tmp_path)
    with pytest.raises(InputError, match="the path must be text"):
        read_urdf(None)
    with pytest.raises(InputError, match="unknown choice of meshes"):
        read_urdf(tmp_path, meshes="some")
    (tmp_path / "a.xml").write_text("<a/>")
    with pytest.raises(InputError, match="the root element must be that of a model"):
        read_figure(tmp_path / "a.xml")


def test_depth_and_size_are_bounded(tmp_path, monkeypatch):
    assert "nested too deep" in refused(tmp_path, "<a>" * 2000 + "</a>" * 2000)
    monkeypatch.setattr("motiform.motion.tree.read.elements.LARGEST", 100)
    assert "too large" in refused(tmp_path, ARM)


def test_a_chain_of_hundreds_of_links_is_read(tmp_path):
    links = "".join(f'<link name="l{n}"/>' for n in range(300))
    joints = "".join(joint(name=f"j{n}", parent=f"l{n}", child=f"l{n + 1}") for n in range(299))
    assert read(tmp_path, robot(links, joints)).nv == 299


TOKENS = st.sampled_from(
    ["<", ">", "/", '"', "0", "-1", "1e30", "nan", " ", "link", "joint", "parent", "a", "xyz=", "é", "&lt;", "]]>"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_give_a_figure_or_an_error_of_ours(tmp_path, data):
    text = ARM
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 30))
        text = text[:at] + data.draw(TOKENS) + text[at + cut :]
    with suppress(MotiformError):
        assert isinstance(read(tmp_path, text), Figure)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_any_bytes_give_an_error_of_ours(tmp_path, data):
    (tmp_path / "x.urdf").write_bytes(b"<?xml version='1.0' encoding='" + data)
    with pytest.raises(MotiformError):
        read_figure(tmp_path / "x.urdf")


# ---- ROS -----------------------------------------------------------------------------------------
MESHED = '<link name="a"><{kind}><geometry><mesh filename="{name}"/></geometry></{kind}>{more}</link>'
TETRAHEDRON = Mesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))


def package(folder, name, said=None):
    """Make a package of ROS with a mesh; `said` is the name that it gives itself."""
    (folder / name / "meshes").mkdir(parents=True)
    (folder / name / "package.xml").write_text(f"<package><name>{said or name}</name></package>")
    write_mesh(TETRAHEDRON, folder / name / "meshes" / "t.stl")
    return folder / name


def drawn(folder, name, **options):
    folder.mkdir(parents=True, exist_ok=True)
    return len(read(folder, robot(MESHED.format(kind="visual", name=name, more="")), **options).segments[0].parts)


def test_packages_are_found_as_ros_does(tmp_path, monkeypatch):
    name = "package://arm_description/meshes/t.stl"
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    own = package(tmp_path / "ws", "arm_description")
    assert drawn(own / "urdf", name)  # in the package
    assert drawn(own / "urdf", "../meshes/t.stl")  # up to the package's folder
    assert not drawn(own / "urdf", "../../other/t.stl")
    other = package(tmp_path / "ws", "robot")
    assert drawn(other / "urdf" / "deep", name)  # a package beside
    assert drawn(package(tmp_path / "fork", "my_arm", "arm_description") / "urdf", name)  # by the name in package.xml
    alone = tmp_path / "alone"
    assert not drawn(alone, name)
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path / 'none'}:{tmp_path / 'ws'}")
    assert drawn(alone, name)
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    package(tmp_path / "install" / "share", "arm_description")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    assert drawn(alone, name)


@pytest.mark.parametrize("place", ["beside", "root", "ros"])
def test_packages_go_by_their_package_xml_wherever_their_folder_lies(tmp_path, monkeypatch, place):
    """As ROS has it: a folder that is only called so gives way to the package that says so."""
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    work = tmp_path / "ws"
    said = package(work, "folder_of_any_name", "arm_description")
    write_mesh(TETRAHEDRON, said / "meshes" / "own.stl")
    package(work, "arm_description", "another")
    alone = tmp_path / "alone"
    own = package(work, "robot") / "urdf" if place == "beside" else alone
    options = {"roots": work} if place == "root" else {}
    if place == "ros":
        monkeypatch.setenv("ROS_PACKAGE_PATH", str(work))
    assert drawn(own, "package://arm_description/meshes/own.stl", **options)
    assert drawn(own, "package://arm_description/meshes/t.stl", **options)
    assert drawn(own, "package://another/meshes/t.stl", **options)
    write_mesh(Mesh(2.0 * np.eye(4)[:, 1:], TETRAHEDRON.faces), work / "arm_description" / "meshes" / "both.stl")
    write_mesh(TETRAHEDRON, said / "meshes" / "both.stl")
    figure = read(own, robot(MESHED.format(kind="visual", name="package://arm_description/meshes/both.stl", more="")),
                  **options)  # fmt: skip
    assert figure.segments[0].parts[0].shape.vertices.max() == (2.0 if place == "root" else 1.0)  # root/NAME is plain


@pytest.mark.parametrize("text", ["", "<package>", "<!DOCTYPE p><package><name>arm</name></package>", "\0", None])
def test_a_package_whose_file_cannot_be_read_goes_by_its_folder(tmp_path, text):
    package(tmp_path / "ws", "arm")
    place = tmp_path / "ws" / "arm" / "package.xml"
    place.unlink()
    if text is None:
        (tmp_path / "p.xml").write_text("<package><name>other</name></package>")
        place.symlink_to(tmp_path / "p.xml")
    else:
        place.write_text(text)
    assert drawn(tmp_path / "alone", "package://arm/meshes/t.stl", roots=tmp_path / "ws")
    assert not drawn(tmp_path / "alone", "package://other/meshes/t.stl", roots=tmp_path / "ws")


@pytest.mark.parametrize("name", ["package://etc/t.stl", "package://ws/secret/t.stl", "package://../secret/t.stl"])
def test_folders_that_are_no_packages_are_not_read(tmp_path, monkeypatch, name):
    """A folder beside those above the model must have a package.xml; one above must not hold the user's home."""
    secret = tmp_path / "ws" / "secret"
    (tmp_path / "ws" / "etc").mkdir(parents=True)
    secret.mkdir()
    for folder in (secret, tmp_path / "ws" / "etc"):
        write_mesh(TETRAHEDRON, folder / "t.stl")
    monkeypatch.setenv("HOME", str(tmp_path / "ws" / "user"))
    assert not drawn(tmp_path / "ws" / "user" / "downloads", name)


def test_a_link_whose_meshes_are_missing_is_drawn_by_its_collision_shapes(tmp_path):
    more = '<collision><geometry><box size="1 2 3"/></geometry></collision>'
    text = robot(MESHED.format(kind="visual", name="none.stl", more=more))
    figure = read(tmp_path, text)
    assert [part.shape for part in figure.segments[0].parts] == [Box((1.0, 2.0, 3.0))]
    assert any("links are drawn by their collision shapes" in note for note in figure.notes)
    assert read(tmp_path, text, meshes="skip").segments[0].parts == ()
    write_mesh(TETRAHEDRON, tmp_path / "none.stl")
    assert [part.shape.kind for part in read(tmp_path, text).segments[0].parts] == ["mesh"]


def test_collada_meshes_are_drawn(tmp_path):
    """The three corners (0, 0, 0), (1, 0, 0), (0, 1, 0) in millimetres."""
    (
        tmp_path / "t.dae"
    ).write_text("""<COLLADA><asset><unit meter="0.001"/></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries></COLLADA>""")
    (part,) = read(tmp_path, robot(MESHED.format(kind="visual", name="t.dae", more=""))).segments[0].parts
    np.testing.assert_array_equal(part.shape.vertices.max(axis=0), [0.001, 0.001, 0])


def test_macros_that_are_left_over_are_left_out_with_a_warning(tmp_path):
    macro = '<xacro:macro name="m"><link name="b"/></xacro:macro>'
    figure, message = warned(tmp_path, robot(f'{macro}<link name="a"><xacro:inertia m="${{m}}"/></link>'))
    assert figure.names == ("a",)
    assert "robot.urdf:1: left out <xacro:macro>, which xacro did not expand" in message
    assert "<xacro:inertia>" in message


def test_files_of_macros_are_expanded_by_xacro(tmp_path, monkeypatch):
    path = tmp_path / "arm.urdf.xacro"
    path.write_text("""<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">
<xacro:property name="m" value="2"/>
<xacro:macro name="part" params="name"><link name="${name}"><inertial><mass value="${3 * m}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro>
<xacro:part name="a"/></robot>""")
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(InputError, match=r"the library xacro is not installed.*pip install xacro"):
        read_figure(path)
    monkeypatch.delitem(sys.modules, "xacro")
    pytest.importorskip("xacro", reason="xacro is not installed")
    assert read_figure(path).segments[0].mass == 6.0
    path.write_text("<robot><xacro:if/></robot>")
    with pytest.raises(InputError, match="xacro cannot expand it"):
        read_figure(path)
