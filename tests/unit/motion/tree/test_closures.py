"""Closures of points and contacts: what may be built, how contacts are found, forces, effort, bad input."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError, RunError
from motiform.geometry import surfaces as s
from motiform.motion import tree
from motiform.motion.tree.algorithms.closure_rows import contact_frames, contact_gap
from motiform.motion.tree.algorithms.closures import closure_forces, closure_wrenches, constrain_closures, weigh
from motiform.motion.tree.algorithms.effort import effort
from motiform.motion.tree.algorithms.forward import held_contact_force, loaded_dynamics
from motiform.motion.tree.algorithms.matrices import contact_wrench
from motiform.motion.tree.contact_joints.nearest import nearest
from motiform.motion.tree.joints import linear
from motiform.spatial import exp_rotation, random_rotation

UP = Transform(exp_rotation(np.array([-np.pi / 2, 0, 0])), np.zeros(3))
BODY = {"mass": 1.0, "inertia": 0.01 * np.eye(3)}
TIGHT = {"rtol": 0, "atol": 1e-11}  # of numbers of about one


def ball_on_ground(**more):
    """A free ball on a plane."""
    joint = joints.contact(s.plane(), s.sphere(0.1), pose1=UP, **more)
    b = FigureBuilder(name="marble")
    b.segment("ball", None, joints.free(), **BODY)
    b.close_contact("ground", None, "ball", joint)
    return b.build()


def table():
    """A heavy plate on three balls, one of them in the tree: more rows than freedoms."""
    b = FigureBuilder(name="table")
    places = {"one": (0.0, 0.0, 0.0), "two": (0.5, 0.0, 0.1), "three": (0.2, 0.0, 0.6)}

    def leg(name):
        at = Transform.translation_of(places[name])
        return joints.contact(s.plane(), s.sphere(0.05), pose1=UP, pose2=at)

    b.segment("plate", None, leg("one"), mass=3.0, com=(0.2, 0.1, 0.2), inertia=np.diag([0.1, 0.2, 0.1]))
    for name in ("two", "three"):
        b.close_contact(name, None, "plate", leg(name))
    figure = b.build()
    return figure, leg("one").touch(Transform.translation_of((0, 0.05, 0)))


# ---- which rows -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("joint", "rows", "places"),
    [
        (joints.contact(s.plane(), s.sphere(1.0)), "vx vy vz", "vz"),
        (joints.contact(s.plane(), s.sphere(1.0), spin=False), "wz vx vy vz", "vz"),
        (joints.contact(s.plane(), s.sphere(1.0), sliding=True), "vz", "vz"),
        (joints.contact(s.plane(), s.sphere(1.0), rolling=False, sliding=True), "wx wy vz", "vz"),
        (joints.contact(s.plane(), s.cylinder(1.0)), "wy vx vy vz", "wy vz"),
        (joints.contact(s.cylinder(1.0), s.cylinder(1.0), line=True), "wy wz vx vy vz", "wy wz vz"),
        (joints.contact(s.plane(), s.plane(), rolling=False, sliding=True), "wx wy vz", "wx wy vz"),
    ],
)
def test_rows_are_what_the_joint_does_not_leave_free(joint, rows, places):
    b = FigureBuilder()
    b.segment("body", None, joints.free(), **BODY)
    b.close_contact("touch", None, "body", joint)
    (closure,) = b.build().closures
    assert closure.rows == tuple(rows.split())
    assert closure.count == len(closure.rows) == 6 - joint.nv
    held = [name for name, place in zip(closure.rows, closure.holonomic, strict=True) if place]
    assert held == places.split()


def test_bad_contacts_are_refused_by_name():
    def built(a, b, joint):
        builder = FigureBuilder()
        builder.segment("one", None, joints.free(), **BODY)
        builder.segment("two", None, joints.free(), **BODY)
        builder.close_contact("touch", a, b, joint)
        return builder.build()

    ball = joints.contact(s.plane(), s.sphere(1.0))
    with pytest.raises(InputError, match=r"closure 'touch': unknown segment .*thumb"):
        built(None, "thumb", ball)
    with pytest.raises(InputError, match="must join different segments"):
        built("one", "one", ball)
    with pytest.raises(InputError, match="must be a segment"):
        built("one", None, ball)
    with pytest.raises(InputError, match="the joint must be a contact joint"):
        built("one", "two", joints.revolute((0, 0, 1)))
    with pytest.raises(InputError, match=r"closure 'touch'.*cannot roll|cannot roll.*closure 'touch'"):
        built("one", "two", joints.contact(s.plane(), s.plane()))
    with pytest.raises(InputError, match="a cone cannot spin"):
        built("one", "two", joints.contact(s.plane(), s.cone(0.3)))
    assert built("one", "two", joints.contact(s.plane(), s.cone(0.3), spin=False)).closures[0].count == 5


# ---- where surfaces touch -------------------------------------------------------------------------------------------
TOUCHING = [
    (s.plane(), s.sphere(0.3)),
    (s.sphere(0.3), s.plane()),
    (s.sphere(0.4), s.sphere(0.3)),
    (s.sphere(1.0, inside=True), s.sphere(0.3)),
    (s.sphere(0.3), s.sphere(1.0, inside=True)),
    (s.cylinder(0.5), s.sphere(0.2)),
    (s.cone(0.5), s.sphere(0.2)),
    (s.torus(1.0, 0.3), s.sphere(0.2)),
    (s.plane(), s.ellipsoid((0.4, 0.3, 0.2))),
    (s.ellipsoid((0.4, 0.3, 0.2)), s.ellipsoid((0.2, 0.3, 0.25))),
    (s.sphere(1.0, inside=True), s.ellipsoid((0.4, 0.3, 0.2))),
    (s.plane(), s.torus(0.4, 0.1)),
    (s.cylinder(0.5), s.cylinder(0.3)),
    (s.plane(), s.circle(0.3)),
    (s.circle(0.3), s.sphere(0.4)),
    (s.plane(), s.cylinder(0.3)),
    (s.cylinder(0.3), s.plane()),
]


def near_contact(joint, rng):
    """A contact whose surfaces bend away from each other well."""
    for _ in range(500):
        points = [np.array([0.5, 0.1, 0.9]) if x.kind == "cone" else rng.normal(size=3) for x in joint.surfaces]
        points = [x * (1, 1, 0) if y.kind == "cylinder" else x for x, y in zip(points, joint.surfaces, strict=True)]
        normals = {f"normal{k}": rng.normal(size=3) if x.edge else None for k, x in enumerate(joint.surfaces, start=1)}
        try:
            q = joint.configuration(*points, yaw=rng.uniform(-3, 3), **normals)
        except InputError:
            continue
        if joint.pair.contact != "point" or joint.relative_curvature(q)[0] > 1.0:
            return q
    raise AssertionError("no contact found")


@pytest.mark.parametrize("pair", TOUCHING, ids=lambda pair: f"{pair[0]!r} {pair[1]!r}")
def test_contacts_are_found_from_poses(pair):
    joint, rng = joints.contact(*pair), np.random.default_rng(5)
    qs = np.array([near_contact(joint, rng) for _ in range(4)])
    p1, R1, p2, R2 = joint._frames(qs)
    T = joint.transform(qs)
    found = nearest(joint, T.rotation, T.translation, "here")
    np.testing.assert_allclose(found.off, np.zeros((4, 6)), **TIGHT)
    line = joint.pair.contact == "line"  # there the point is the cylinder's z = 0, as that of the start is
    assert line or joint.pair.contact == "point"
    np.testing.assert_allclose(found.frames[0], p1, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.frames[2], p2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.frames[1][..., 2], R1[..., 2], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.frames[3][..., 2], R2[..., 2], rtol=0, atol=1e-9)
    # moved apart along the normal the gap is just that, and inward it is negative
    for gap in (0.01, -0.005):
        apart = T.translation + gap * R1[..., 2]
        moved = nearest(joint, T.rotation, apart, "here")
        np.testing.assert_allclose(moved.off[:, 5], np.full(4, gap), **TIGHT)
        L = moved.frames[1]
        np.testing.assert_allclose(np.swapaxes(L, -1, -2) @ L, np.broadcast_to(np.eye(3), (4, 3, 3)), **TIGHT)
        assert np.linalg.det(L).min() > 0


def test_tilts_are_seen():
    joint = joints.contact(s.plane(), s.cylinder(0.3))
    flat = exp_rotation(np.array([0, np.pi / 2, 0]))  # the axis along x
    for tilt in (0.02, -0.03):
        R = exp_rotation(np.array([0, tilt, 0])) @ flat
        found = nearest(joint, R[None], np.array([[0, 0, 0.3]]), "here")
        along = np.sign(found.frames[1][0, 0, 0])  # the first axis of L is along the cylinder, either way
        assert found.off[0, 1] == pytest.approx(along * np.sin(tilt))
    faces = joints.contact(s.plane(), s.plane(), rolling=False, sliding=True)
    R = exp_rotation(np.array([0.02, 0, 0])) @ np.diag([1.0, -1.0, -1.0])
    found = nearest(faces, R[None], np.array([[0.3, 0.2, 0.1]]), "here")
    np.testing.assert_allclose(found.off[0], [np.sin(0.02), 0, 0, 0, 0, 0.1], **TIGHT)


def test_surfaces_without_a_common_normal_are_reported():
    figure = ball_on_ground()
    joint = joints.contact(s.cylinder(0.5), s.sphere(0.1))
    with pytest.raises(
        RunError, match=r"no points with a common normal.*'ball'|'ball'.*no points with a common normal"
    ):
        contact_gap(figure, figure.neutral(), None, "ball", joint)  # the ball's centre is on the axis


def test_gaps_in_batches():
    figure = ball_on_ground()
    q = np.tile(figure.neutral(), (2, 3, 1))
    q[..., 1] = np.linspace(0.05, 0.3, 6).reshape(2, 3)
    joint = figure.closures[0].joint
    np.testing.assert_allclose(contact_gap(figure, q, None, "ball", joint), q[..., 1] - 0.1, **TIGHT)
    np.testing.assert_allclose(tree.constraint(figure, q, np.zeros(6)).value[..., 2], q[..., 1] - 0.1, **TIGHT)
    L = contact_frames(figure, q)["ground"]
    assert L.batch == (2, 3)
    np.testing.assert_allclose(L.rotation[..., 2], np.broadcast_to([0, 1.0, 0], (2, 3, 3)), **TIGHT)
    np.testing.assert_allclose(L.translation, q[..., :3] * (1, 0, 1), **TIGHT)


# ---- closing --------------------------------------------------------------------------------------------------------
def test_a_ball_is_put_on_the_ground_and_rolls():
    figure = ball_on_ground()
    q = figure.configuration(ball=[0.3, 0.5, -0.2, 0.8, 0.2, -0.4, 0.4])
    on, v = tree.close_loops(figure, q, [1.0, 2.0, 3.0, 0.5, 0.2, 0.1])
    np.testing.assert_allclose(on[:3], [0.3, 0.1, -0.2], **TIGHT)
    R = tree.forward_kinematics(figure, on).rotation[0]
    w, u = R @ v[:3], R @ v[3:]
    np.testing.assert_allclose(u, np.cross(w, [0, 0.1, 0]), **TIGHT)  # the point below is at rest
    many, _ = tree.close_loops(figure, np.tile(q, (4, 1)))
    np.testing.assert_allclose(many, np.tile(on, (4, 1)), **TIGHT)


def test_a_cylinder_is_laid_flat():
    joint = joints.contact(s.plane(), s.cylinder(0.1), pose1=UP)
    b = FigureBuilder()
    b.segment("roll", None, joints.free(), **BODY)
    b.close_contact("ground", None, "roll", joint)
    figure = b.build()
    q = np.concatenate([[0, 0.15, 0], [1.0, 0.05, 0.1, 0.0] / np.linalg.norm([1.0, 0.05, 0.1])])
    q, _ = tree.close_loops(figure, q)
    R, p = tree.forward_kinematics(figure, q)
    assert abs(R[0, 1, 2]) < 1e-11
    assert p[0, 1] == pytest.approx(0.1)


def test_contacts_and_points_together_and_far_from_closed():
    b = FigureBuilder()
    b.segment("ball", None, joints.free(), **BODY)
    b.close_contact("ground", None, "ball", joints.contact(s.plane(), s.sphere(0.1), pose1=UP))
    b.close("string", None, (0, 0, 0), "ball", (0, 0, 0), rows="distance", length=0.5)
    figure = b.build()
    q, v = tree.close_loops(figure, figure.configuration(ball=[0.3, 0.4, 0.1, 1, 0, 0, 0]), np.ones(6))
    assert np.linalg.norm(q[:3]) == pytest.approx(0.5)
    assert q[1] == pytest.approx(0.1)
    found = tree.constraint(figure, q, v)
    assert found.value.shape == (4,)
    np.testing.assert_allclose(found.jacobian @ v, np.zeros(4), **TIGHT)
    high = b.build()
    b.close("ceiling", None, (0, 2.0, 0), "ball", (0, 0, 0), rows="y")
    with pytest.raises(RunError, match="cannot be closed"):
        tree.close_loops(b.build(), high.configuration(ball=[0.3, 0.4, 0.1, 1, 0, 0, 0]))


# ---- forces ---------------------------------------------------------------------------------------------------------
def test_forces_by_name_and_as_wrenches():
    figure, q = table()
    v, tau = np.zeros(3), np.array([0.1, -0.2, 0.3])
    external = np.random.default_rng(0).normal(size=(1, 6))
    force = closure_forces(figure, q, v, tau, external)
    found = tree.constrained_dynamics(figure, q, v, tau, external)
    assert list(force) == ["two", "three"]
    np.testing.assert_array_equal(np.concatenate([force["two"], force["three"]]), found.forces)
    wrenches = closure_wrenches(figure, q, v, tau, external)
    # the figure without closures, under these wrenches, moves alike
    a = tree.forward_dynamics(figure.opened, q, v, tau, external + wrenches)
    np.testing.assert_allclose(a, found.acceleration, rtol=0, atol=1e-10)
    _, J, _ = tree.constraint(figure, q, v)
    np.testing.assert_allclose(
        tree.inverse_dynamics(figure, q, v, found.acceleration, external), tau + J.T @ found.forces, rtol=0, atol=1e-10
    )
    free = tree.forward_dynamics(figure.opened, q, v, tau, external)
    np.testing.assert_allclose(
        constrain_closures(figure, q, v, free).acceleration, found.acceleration, rtol=0, atol=1e-10
    )


@pytest.mark.slow
def test_three_legs_carry_the_weight():
    figure, q = table()
    force = closure_forces(figure, q, np.zeros(3), np.zeros(3))
    a, loads = loaded_dynamics(figure, q, np.zeros(3), np.zeros(3))
    own = contact_wrench(figure, q, np.zeros(3), a, "plate", loads)[3:]
    np.testing.assert_allclose(held_contact_force(figure, q, np.zeros(3), np.zeros(3), "plate"), own, atol=1e-11)
    # weights at the three points whose mean place is the centre of mass
    A = [[1, 1, 1], [0, 0.5, 0.2], [0, 0.1, 0.6]]
    expected = 3.0 * 9.81 * np.linalg.solve(A, [1, 0.2, 0.2])
    np.testing.assert_allclose([own[2], force["two"][2], force["three"][2]], expected, rtol=1e-10)


def test_batches_of_contacts():
    rng = np.random.default_rng(1)
    egg = joints.contact(s.plane(), s.ellipsoid((0.3, 0.2, 0.25)), pose1=UP)
    b = FigureBuilder()
    b.segment("egg", None, joints.free(), **BODY)
    b.close_contact("ground", None, "egg", egg)
    figure = b.build()
    q = np.array([[0, 0.3, 0, *rng.normal(size=4)] for _ in range(6)]).reshape(2, 3, 7)
    q[..., 3:] /= np.linalg.norm(q[..., 3:], axis=-1, keepdims=True)
    q, v = tree.close_loops(figure, q, rng.normal(size=(2, 3, 6)))
    many = tree.constrained_dynamics(figure, q, v, np.zeros(6))
    a, loads = loaded_dynamics(figure, q, v, np.zeros(6))
    assert loads.shape == (2, 3, 1, 6)
    np.testing.assert_allclose(a, many.acceleration, rtol=0, atol=1e-10)
    for at in np.ndindex(2, 3):
        one = tree.constrained_dynamics(figure, q[at], v[at], np.zeros(6))
        np.testing.assert_allclose(one.acceleration, many.acceleration[at], rtol=0, atol=1e-10)
        np.testing.assert_allclose(one.forces, many.forces[at], rtol=0, atol=1e-10)
    shared = tree.constraint(figure, q[0, 0], v)  # one configuration, many velocities
    assert shared.jacobian.shape == (2, 3, 3, 6)
    assert shared.bias.shape == (2, 3, 3)


# ---- effort ---------------------------------------------------------------------------------------------------------
def random_figure():
    b = FigureBuilder(name="chain")
    b.segment("one", None, joints.free(), **BODY)
    b.segment("two", "one", joints.revolute((0, 0, 1)), placement=Transform.translation_of((0.2, 0, 0)), **BODY)
    b.segment(
        "three",
        "two",
        joints.spherical(),
        placement=Transform(random_rotation(np.random.default_rng(2)), np.ones(3)),
        **BODY,
    )
    return b.build()


def test_effort_without_closures_is_inverse_dynamics():
    figure, rng = random_figure(), np.random.default_rng(3)
    q = tree.repair(figure, figure.neutral() + 0.3 * rng.normal(size=figure.nq))
    v, a = rng.normal(size=(2, 4, figure.nv))
    external = rng.normal(size=(4, 3, 6))
    found = effort(figure, q, v, a, external=external)
    np.testing.assert_allclose(found.tau, tree.inverse_dynamics(figure, q, v, a, external), **TIGHT)
    assert found.forces.shape == (4, 0)
    # asked for in another order, and a segment's joint as a whole
    names = ["three", "two", "one"]
    other = effort(figure, q, v, a, names, external)
    order = np.concatenate([figure.places(name, "v") for name in names])
    np.testing.assert_allclose(other.tau, found.tau[:, order], **TIGHT)


def test_effort_that_cannot_be_is_reported_with_its_coordinates():
    b = FigureBuilder(name="pendulum")
    b.segment("upper", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.3, 0))
    b.segment(
        "lower",
        "upper",
        joints.revolute((0, 0, 1)),
        placement=Transform.translation_of((0, -0.6, 0)),
        mass=1.0,
        com=(0, -0.3, 0),
    )
    figure = b.build()
    q, v = np.array([0.3, 0.2]), np.array([1.0, -0.5])
    with pytest.raises(RunError, match=r"forces left over on lower'; allowed: actuated here: upper"):
        effort(figure, q, v, [0.0, 1.0], ["upper"])
    tau = np.array([2.0, 0.0])
    a = tree.forward_dynamics(figure, q, v, tau)
    np.testing.assert_allclose(effort(figure, q, v, a, ["upper"]).tau, [2.0], **TIGHT)
    with pytest.raises(InputError, match="no such coordinate"):
        effort(figure, q, v, a, ["knee"])
    with pytest.raises(InputError, match="named once"):
        effort(figure, q, v, a, ["upper", "upper"])
    with pytest.raises(InputError, match="sequence of names"):
        effort(figure, q, v, a, "upper")
    with pytest.raises(InputError, match="external must have one wrench for each segment"):
        effort(figure, q, v, a, external=np.zeros((3, 6)))


def test_effort_refuses_motions_that_break_a_closure():
    figure = ball_on_ground()
    q = figure.configuration(ball=[0, 0.1, 0, 1, 0, 0, 0])
    with pytest.raises(InputError, match=r"velocities must keep the closures.*|closure 'ground'"):
        effort(figure, q, [0, 0, 1.0, 0, 0, 0], np.zeros(6))
    with pytest.raises(InputError, match="accelerations must keep the closures"):
        effort(figure, q, np.zeros(6), [0, 0, 1.0, 0, 0, 0])


def test_effort_takes_the_smallest_moments():
    """A ball that rolls along x at ẍ, driven by a moment about z or a force along x: what each alone would need."""
    figure = ball_on_ground()
    q = figure.configuration(ball=[0, 0.1, 0, 1, 0, 0, 0])
    ax, m, moment, r = 2.0, 1.0, 0.01, 0.1
    a = np.array([0, 0, -ax / r, ax, 0, 0])
    whole = (m + moment / r**2) * ax  # as a force along x
    assert effort(figure, q, np.zeros(6), a, [figure.coordinates[3]]).tau == pytest.approx([whole])
    assert effort(figure, q, np.zeros(6), a, [figure.coordinates[2]]).tau == pytest.approx([-whole * r])
    # both: fx − τ/r = whole with the smallest fx² + τ²
    both = effort(figure, q, np.zeros(6), a, [figure.coordinates[3], figure.coordinates[2]])
    np.testing.assert_allclose(both.tau, whole / (1 + 1 / r**2) * np.array([1.0, -1 / r]), **TIGHT)
    assert both.forces[2] == pytest.approx(m * 9.81)
    # nothing is needed to let it lie
    assert np.abs(effort(figure, q, np.zeros(6), np.zeros(6)).tau).max() < 1e-12


def test_effort_of_a_coupled_figure_with_a_contact():
    b = FigureBuilder()
    b.segment("slide", None, joints.prismatic((1, 0, 0), name="slide"), mass=1.0)
    b.segment(
        "wheel",
        "slide",
        joints.revolute((0, 0, 1), name="wheel"),
        placement=Transform.translation_of((0, 0.2, 0)),
        **BODY,
    )
    b.segment("drive", None, joints.revolute((0, 0, 1), name="drive"), **BODY)
    b.couple("drive", "wheel", linear(3.0))
    b.close_contact("ground", None, "wheel", joints.contact(s.plane(), s.sphere(0.2), pose1=UP))
    figure = b.build()
    assert figure.coordinates == ("slide", "wheel")
    # ẍ = −r φ̈; (2 m + (I + 9 I)/r²) ẍ = F
    a = np.array([0.4, -2.0])
    found = effort(figure, np.zeros(2), np.zeros(2), a, ["slide"])
    assert found.tau == pytest.approx([(2.0 + 0.1 / 0.04) * 0.4])
    np.testing.assert_allclose(tree.forward_dynamics(figure, np.zeros(2), np.zeros(2), [found.tau[0], 0]), a, **TIGHT)


# ---- closures that are joints ---------------------------------------------------------------------------------------
JOINED = ["weld", "revolute", "prismatic", "cylindrical", "line"]
AXIS = (0.3, -0.5, 0.8)


def two_bodies(rows, turn):
    b = FigureBuilder(name="pair")
    for name in "ab":
        b.segment(name, None, joints.free(), **BODY)
    b.close("joint", "a", (0.1, 0.2, -0.1), "b", (-0.2, 0.1, 0.3), rows, axis=AXIS, turn=turn)
    return b.build()


@pytest.mark.parametrize("rows", JOINED)
def test_rows_of_joined_segments_are_the_rates_of_their_values(rows):
    """Near closed states, J v and dJ/dt v against central differences along the motion: right to h², 1e-8."""
    rng = np.random.default_rng(4)
    figure, h = two_bodies(rows, random_rotation(rng)), 1e-4
    q, v = tree.close_loops(figure, figure.neutral(), rng.normal(size=figure.nv))
    ahead, behind = (tree.advance(figure, q, v, t) for t in (h, -h))
    here, values = tree.constraint(figure, q, v), [tree.constraint(figure, at, v).value for at in (ahead, behind)]
    assert np.abs(here.value).max() < 1e-11
    np.testing.assert_allclose((values[0] - values[1]) / (2 * h), here.jacobian @ v, atol=1e-6)
    rates = [tree.constraint(figure, at, v).jacobian @ v for at in (ahead, behind)]
    free = tree.constraint(figure, q, v)
    np.testing.assert_allclose((rates[0] - rates[1]) / (2 * h), free.bias, atol=1e-5)


@pytest.mark.parametrize("rows", JOINED)
def test_joined_segments_keep_the_freedom_of_the_joint(rows):
    """Free twists of b in a are those of the joint: about the axis, along it, both, or none."""
    figure = two_bodies(rows, np.eye(3))
    q, _ = tree.close_loops(figure, figure.neutral())
    J = tree.constraint(figure, q, np.zeros(figure.nv)).jacobian
    free = {"weld": 6, "revolute": 7, "prismatic": 7, "cylindrical": 8, "line": 10}[rows]
    assert np.linalg.matrix_rank(J) == 12 - free
    n = np.array(AXIS) / np.linalg.norm(AXIS)
    point = np.array([-0.2, 0.1, 0.3])
    about = np.concatenate([np.zeros(6), n, -np.cross(n, point)])  # b turns about its own point
    R, _ = tree.forward_kinematics(figure, q)  # a line leaves the axes of b as they are
    along = np.concatenate([np.zeros(9), R[1].T @ R[0] @ n])
    assert (np.abs(J @ about).max() < 1e-12) == (rows in ("revolute", "cylindrical", "line"))
    assert (np.abs(J @ along).max() < 1e-12) == (rows in ("prismatic", "cylindrical", "line"))


def test_closures_beyond_floats_are_reported():
    b = FigureBuilder(name="speck")
    b.segment("a", None, joints.free(), mass=1e-90, inertia=1e-90 * np.eye(3))
    b.close("pin", None, (0, 0, 0), "a", (0, 0, 0))
    figure = b.build()
    with pytest.raises(RunError, match="'speck': closures are beyond the range of floats"):
        weigh(figure, 1e-90 * np.eye(6), np.full((3, 6), 1e300))


def test_a_closure_needs_an_axis():
    b = FigureBuilder()
    b.segment("a", None, joints.free(), **BODY)
    b.close("hinge", None, (0, 0, 0), "a", (0, 0, 0), "revolute", axis=(0, 0, 0))
    with pytest.raises(InputError, match="the axis must have a direction"):
        b.build()
