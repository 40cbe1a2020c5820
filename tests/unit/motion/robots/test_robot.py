import numpy as np
import pytest

from motiform import simulate
from motiform.base.errors import InputError
from motiform.geometry import Box, Plane
from motiform.motion.contact import contact_gaps
from motiform.motion.robots import ActuatorControl, Robot, read_robot
from motiform.motion.tree import FigureState, advance, inertia_matrix, read

TABLE = """<mujoco model="table">
  <compiler angle="radian"/>
  <default><geom friction="0.7"/><position kp="400" kv="20" ctrlrange="-1 1"/></default>
  <worldbody>
    {world}
    <body name="top" pos="0 0 0.6"><freejoint/><geom name="plate" type="box" size="0.3 0.3 0.05" mass="4"/>
      {legs}
    </body>
  </worldbody>
  <contact><exclude body1="world" body2="leg4"/></contact>
  <equality>{equality}</equality>
  <actuator>{actuators}</actuator>
  <keyframe><key name="home" qpos="0 0 0.6 1 0 0 0 0 0 0 0" ctrl="0.1 0 0 0"/></keyframe>
</mujoco>"""
LEG = """<body name="leg{n}" pos="{x} {y} -0.05"><joint name="hip{n}" axis="0 1 0" range="-1 1"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
    <geom name="foot{n}" size="0.03" pos="0 0 -0.4" mass="0.1" {more}/></body>"""
PLACES = [(0.2, 0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.2)]


def robot(
    folder, world='<geom name="floor" type="plane" size="1 1 1" pos="0 0 0.1"/>', more="", equality="", **options
) -> Robot:
    legs = "".join(LEG.format(n=n + 1, x=x, y=y, more=more) for n, (x, y) in enumerate(PLACES))
    actuators = "".join(f'<position name="a{n}" joint="hip{n}"/>' for n in range(1, 5))
    (folder / "table.xml").write_text(TABLE.format(world=world, legs=legs, actuators=actuators, equality=equality))
    return read_robot(folder / "table.xml", **options)


def test_geoms_that_may_touch_are_points_against_the_world(tmp_path):
    found = robot(tmp_path).contacts
    assert [o.name for o in found.obstacles] == ["floor"]
    assert isinstance(found.obstacles[0].solid, Plane)
    feet = [p for p in found.points if p.name.startswith("foot")]
    assert [p.name for p in feet] == ["foot1", "foot2", "foot3"]  # leg 4 is excluded
    assert len(found.points) == 8 + 3  # the corners of the plate
    assert {p.friction for p in found.points} == {0.7}
    assert {p.segment for p in feet} == {"leg1", "leg2", "leg3"}


def test_friction_is_the_greater_of_two_and_none_without_tangents(tmp_path):
    floor = '<geom name="floor" type="plane" size="1 1 1" friction="{}" condim="{}"/>'
    frictions = {p.friction for p in robot(tmp_path, floor.format(0.9, 3)).contacts.points}
    assert frictions == {0.9}
    slippery = robot(tmp_path, floor.format(0.9, 1), more='condim="1"').contacts.points
    assert {p.friction for p in slippery if p.segment != "top"} == {0.0}
    assert {p.friction for p in robot(tmp_path, friction=0.3).contacts.points} == {0.3}


def test_a_plane_of_a_moving_segment_is_left_out_and_reported(tmp_path):
    found = robot(tmp_path, more='type="plane"')
    assert not [p for p in found.contacts.points if p.name.startswith("foot")]
    assert any(
        "left out contacts of 'foot1': contacts of a segment must be of a bounded shape" in n for n in found.notes
    )


def test_bits_decide_what_touches(tmp_path):
    floor = '<geom name="floor" type="plane" size="1 1 1" contype="2" conaffinity="4"/>'
    assert [p.name for p in robot(tmp_path, floor, more='contype="4"').contacts.points] == ["foot1", "foot2", "foot3"]


def test_a_file_without_ground_gets_a_floor(tmp_path):
    assert [o.name for o in robot(tmp_path, "").contacts.obstacles] == ["floor"]
    assert robot(tmp_path, "", floor=False).contacts.obstacles == ()
    box = robot(tmp_path, '<geom name="step" type="box" size="1 1 0.1" pos="0 0 -0.1"/>').contacts.obstacles
    assert [o.name for o in box] == ["step"]
    assert box[0].solid == Box((2.0, 2.0, 0.2))


@pytest.mark.slow
def test_solids_touch_the_world_and_one_another_unless_joined_or_excluded(tmp_path):
    found = robot(tmp_path, touch="solids").contacts
    feet = [f"foot{n}" for n in range(1, 5)]
    assert list(found.point_names) == ["plate", *feet]
    between = {(a, b) for n, a in enumerate(feet) for b in feet[n + 1 :]}
    ground = {(name, "floor") for name in ("plate", *feet[:3])}  # leg 4 is excluded
    assert set(found.pairs) == between | ground  # each leg is joined to the top
    assert found.points[0].shape == Box((0.6, 0.6, 0.1))
    with pytest.raises(InputError, match="unknown choice of touch"):
        robot(tmp_path, touch="all")


@pytest.mark.slow
def test_solids_that_overlap_in_the_first_posture_do_not_touch(tmp_path):
    post = '<body name="post" pos="0.2 0.2 0.1"><geom name="post" type="box" size="0.1 0.1 0.1"/></body>'
    found = robot(tmp_path, post, touch="solids")
    assert ("foot1", "post") not in found.contacts.pairs
    assert {("foot2", "post"), ("plate", "post")} <= set(found.contacts.pairs)
    assert any("1 pairs of solids that overlap" in note and "foot1–post" in note for note in found.notes)


@pytest.mark.parametrize("up", [None, "y"])
def test_postures_stand_on_the_ground(tmp_path, up):
    found = robot(tmp_path, up=up)
    q, command = found.posture("home")
    np.testing.assert_array_equal(q, [0, 0, 0.6, 1, 0, 0, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(command, [0.1, 0, 0, 0])
    gaps = contact_gaps(found.figure, found.contacts, found.grounded(q))
    assert gaps.min() == pytest.approx(0.0, abs=1e-15)
    assert found.grounded(q)[2] == pytest.approx(0.1 + 0.03 + 0.4 + 0.05, abs=1e-15)
    with pytest.raises(InputError, match="no such posture"):
        found.posture("hom")


@pytest.mark.slow
def test_a_robot_stands_on_the_floor_at_once(tmp_path):
    """At rest the floor carries the weight, and servos hold what the legs need: closed form, no other engine."""
    found = robot(tmp_path)
    contacts = found.contacts.replace(pairs=None)  # all four feet
    more = tuple(
        p.__class__("foot4", "leg4", p.point, p.radius, friction=0.7) for p in contacts.points if p.name == "foot1"
    )
    contacts = contacts.replace(points=(*contacts.points, *more))
    q = found.grounded(found.posture().q)
    control = found.controls(np.zeros(4))
    run = simulate(found.figure, q0=q, contacts=contacts, controls=control, t1=0.4, integrator="time-stepping")
    assert np.abs(run["v"][-1]).max() < 1e-3
    forces = run["contact.force"][-1]
    # What still moves weighs m a: with speeds under 1e-3 m/s that die out in some 0.05 s that is below 0.1 % of g.
    assert forces[:, 2].sum() == pytest.approx(found.figure.mass * 9.81, rel=2e-3)
    assert np.abs(run["q"][-1][2] - q[2]) < 1e-4


TIES = """<joint joint1="hip2" joint2="hip1" polycoef="0.1 -1 0.5"/>
    <connect body1="leg1" body2="leg3" anchor="0 0 -0.4"/>"""


@pytest.mark.slow
def test_couplings_and_closures_are_held_by_forces_where_things_touch(tmp_path):
    found = robot(tmp_path, equality=TIES)
    assert (found.figure.couplings, found.figure.closures) == ((), ())
    assert any("2 couplings and closures are held by forces" in note for note in found.notes)
    exact = robot(tmp_path, equality=TIES, ties="exact").figure
    assert (len(exact.couplings), len(exact.closures)) == (1, 1)
    q = found.grounded(found.posture().q)
    assert q[8] == pytest.approx(0.1, abs=1e-15)  # follows hip 1
    run = simulate(
        found.figure, q0=q, contacts=found.contacts, controls=found.controls(), t1=0.1, integrator="time-stepping"
    )
    errors, _ = found.ties.rows(run["q"][-1], run["v"][-1])
    # Servos of 400 N·m/rad at some 0.1 rad on legs of 0.1 kg·m²: less than 400 rad/s², over ω² = 35500 /s² 0.011.
    assert np.abs(errors).max() < 0.011
    with pytest.raises(InputError, match="unknown choice of ties"):
        robot(tmp_path, ties="soft")


def test_errors_of_ties_die_out_as_critically_damped_springs(tmp_path):
    """J by differences of the errors; the law by the accelerations that the forces alone give."""
    found = robot(tmp_path, equality=TIES)
    ties, tree, rng = found.ties, found.figure, np.random.default_rng(1)
    q, v, h = found.posture().q.copy(), rng.standard_normal(tree.nv), 1e-6
    q[7:] += rng.uniform(-0.2, 0.2, 4)
    errors, J = ties.rows(q, v)
    ahead, back = (ties.rows(advance(tree, q, step * v), v)[0] for step in (h, -h))
    # differences over 1e-6 leave 1e-12 of curvature and 1e-16 / 1e-6 of rounding
    np.testing.assert_allclose(J @ v, (ahead - back) / (2 * h), atol=1e-8)
    acceleration = np.linalg.solve(inertia_matrix(tree, q), ties(0.0, FigureState(q, v)))
    omega = 2 * np.pi * ties.frequency
    wanted = -(omega**2) * errors - 2 * omega * (J @ v)
    held = J @ acceleration
    # Both legs turn about y: the connection along y can be neither opened nor closed, its row is zero.
    free = np.linalg.norm(J, axis=1) > 1e-9
    np.testing.assert_allclose(held[free], wanted[free], rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_urdf_robots_have_collision_shapes_and_motors(tmp_path):
    text = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
        iyz="0"/></inertial><contact><lateral_friction value="0.4"/></contact>
        <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry></collision>
        <collision><geometry><mesh filename="none.stl"/></geometry></collision></link><link name="b"/>
        <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="0" upper="1" effort="7"
        velocity="1"/></joint></robot>"""
    (tmp_path / "r.urdf").write_text(text)
    found = read_robot(tmp_path / "r.urdf", free=True)
    (point,) = found.contacts.points
    assert (point.segment, point.point, point.radius, point.friction) == ("a", (0.0, 0.0, 1.0), 0.1, 0.4)
    assert any("no such mesh file" in note for note in found.notes)
    state = FigureState(found.figure.neutral(), np.zeros(found.figure.nv))
    assert found.controls([5.0])[0](0.0, state)[-1] == 5.0
    assert found.controls([50.0])[0](0.0, state)[-1] == 7.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'fre'"):
        read_robot(tmp_path / "r.urdf", fre=True)
    (tmp_path / "s.xml").write_text("<sdf/>")
    with pytest.raises(InputError, match="the root element must be that of a model"):
        read_robot(tmp_path / "s.xml")


def test_commands_have_one_number_for_each_actuator(tmp_path):
    found = robot(tmp_path)
    with pytest.raises(InputError, match="one number for each actuator"):
        found.controls([1.0, 2.0])
    figure = read.read_mjcf(tmp_path / "table.xml")
    with pytest.raises(InputError, match="no such plain coordinate"):
        ActuatorControl(figure.replace(name="x"), [type(found.actuators[0])("b", (("knee", 1.0),))])


ARM = """<mujoco><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
  <body name="base" pos="0 0 0.1"><joint name="turn" axis="0 0 1" range="0.5 2"/>
    <geom name="foot" type="cylinder" size="0.1 0.15"/>
    <body name="arm" pos="0 0 0.5"><joint name="lift" axis="0 1 0" range="-1 1"/>
      <geom name="ball" size="0.05" pos="0.3 0 0"/></body></body></worldbody>{keys}</mujoco>"""


@pytest.mark.parametrize("keys", ["", '<keyframe><key name="home" qpos="0.2 1.5"/></keyframe>'])
def test_a_posture_beyond_limits_or_in_the_floor_can_start(tmp_path, keys):
    """Files may begin so, and engines with soft contacts push it out; here the rule is stated in notes."""
    (tmp_path / "arm.xml").write_text(ARM.format(keys=keys))
    robot = read_robot(tmp_path / "arm.xml")
    q = robot.posture().q
    assert q.tolist() == ([0.5, 1.0] if keys else [0.5, 0.0])
    where, count, by = ("posture 'home'", 2, "lift by 0.5") if keys else ("neutral", 1, "turn by 0.5")
    assert f"{where}: {count} coordinates moved to their limits, {by}" in robot.notes
    (note,) = (note for note in robot.notes if "points that overlap" in note)
    assert note.startswith("12 pairs")  # the lower rim, 50 mm below the floor
    assert {point for point, _ in robot.contacts.pairs} >= {"ball"}
    assert robot.gaps(q).min() >= 0.0
    rec = simulate(
        robot.figure, q0=q, contacts=robot.contacts, controls=robot.controls(), t1=0.01, integrator="time-stepping"
    )
    assert rec.complete


QUADRUPED = """<robot name="dog"><link name="trunk"><inertial><mass value="10"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{}</link></robot>"""
LOST = '<collision><geometry><mesh filename="package://dog/meshes/{}.stl"/></geometry></collision>'
BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (LOST.format("trunk") + LOST.format("foot"), "2 of 2 collision shapes were left out, nothing of it can touch"),
        (LOST.format("foot") + BALL, "1 of 2 collision shapes were left out, these pass through"),
    ],
)
def test_collision_meshes_that_are_missing_are_reported(tmp_path, shapes, says):
    """A dog without the meshes of its feet falls through the floor: how many are lost, and where they were sought."""
    path = tmp_path / "dog.urdf"
    path.write_text(QUADRUPED.format(shapes))
    with pytest.warns(read.ReaderWarning) as caught:
        found = read_robot(path, free=True)
    (text,) = (str(one.message) for one in caught)
    assert says in text
    assert "dog.urdf:2: no such mesh file 'package://dog/meshes/foot.stl'" in text
    assert f"looked for in {tmp_path.resolve()}" in text
    assert len(found.contacts.points) == shapes.count("sphere")
    with pytest.raises(InputError, match="no such mesh file"):
        read_robot(path, free=True, strict=True)


def test_geoms_whose_meshes_cannot_be_read_are_reported(tmp_path):
    (tmp_path / "foot.stl").write_bytes(b"solid")
    path = tmp_path / "dog.xml"
    path.write_text("""<mujoco><asset><mesh name="m" file="foot.stl"/></asset><worldbody>
<geom type="plane" size="1 1 1"/><body name="trunk"><freejoint/>
<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom name="foot" type="mesh" mesh="m"/>
</body></worldbody></mujoco>""")
    with pytest.warns(read.ReaderWarning, match="1 of 2 collision shapes were left out"):
        assert not read_robot(path).contacts.points


def test_an_arm_whose_base_is_a_mesh_has_a_floor_and_says_what_cannot_be_touched(tmp_path):
    from motiform.geometry import Box, write_mesh

    write_mesh(Box((0.1, 0.1, 0.1)).to_mesh(), tmp_path / "base.stl")
    path = tmp_path / "arm.urdf"
    path.write_text(f"""<robot name="arm"><link name="base"><collision><geometry><mesh filename="base.stl"/></geometry>
</collision></link><link name="arm">{BALL}</link><joint name="j" type="revolute">
<parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3"/></joint></robot>""")
    with pytest.warns(read.ReaderWarning, match="contacts are lost, left out contacts with 'base.collision1': a mesh"):
        found = read_robot(path)
    assert [o.name for o in found.contacts.obstacles] == ["floor"]
    assert len(found.contacts.points) == 1


def test_a_base_that_can_be_touched_stands_in_place_of_a_floor_which_is_noted(tmp_path):
    """And a robot that nothing can touch is told: its links meet their neighbours alone."""
    heavy = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    box = '<collision><origin xyz="0 0 0.5"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    arm = f'<robot name="r"><link name="base">{heavy}{box}</link><link name="a">{heavy}{box}</link><joint name="j" '
    joint = 'type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint></robot>'
    (tmp_path / "r.urdf").write_text(arm + joint)
    robot = read_robot(tmp_path / "r.urdf")
    assert "no floor was added: the base of the robot, base, can be touched" in robot.notes
    assert "nothing of the robot can touch anything: it has no contact points" in robot.notes
    (tmp_path / "r.urdf").write_text((arm + joint).replace(box, "", 1))
    robot = read_robot(tmp_path / "r.urdf")
    assert len(robot.contacts.points) == 8  # corners above a floor
    assert not any("no floor" in note or "nothing" in note for note in robot.notes)
