"""Figures: how they are built, named, changed and asked, and what is refused when they are wrong."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models import shifted
from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError, MotiformError, RunError
from motiform.geometry import MassProperties
from motiform.motion import tree
from motiform.motion.tree import Figure, Segment, Tag
from motiform.motion.tree.joints import AxesJoint, Axis, Polynomial, Spline, linear

Z = (0.0, 0.0, 1.0)
ROUND = 0.1 * np.eye(3)


def arm():
    """A trunk that floats, with an arm of three hinges and a hand on a ball."""
    b = FigureBuilder(name="arm")
    b.segment("trunk", None, joints.free(), mass=30.0, inertia=ROUND)
    b.segment(
        "upper",
        "trunk",
        joints.cardan("zxy", names=("flexion", "adduction", "rotation"), limits=[(-1, 3), (-2, 1), (-1.5, 1.5)]),
        placement=shifted(0, 0.4, 0.2),
        mass=2.0,
        com=(0, -0.15, 0),
        inertia=ROUND,
    )
    b.segment(
        "fore", "upper", joints.revolute(Z, limits=(0, 2.5)), placement=shifted(y=-0.3), mass=1.0, com=(0, -0.1, 0)
    )
    b.segment("hand", "fore", joints.spherical(), placement=shifted(y=-0.25), mass=0.4, inertia=0.01 * np.eye(3))
    b.segment("watch", "fore", joints.fixed(), placement=shifted(y=-0.2))
    b.tag("wrist", "fore", (0, -0.25, 0))
    b.tag("tip", "hand", (0, -0.1, 0))
    return b


# ---- names, sizes, order -------------------------------------------------------------------------------------------


def test_sizes_and_names():
    figure = arm().build()
    assert (figure.nq, figure.nv) == (7 + 3 + 1 + 4, 6 + 3 + 1 + 3)
    assert figure.names == ("trunk", "upper", "fore", "hand", "watch")
    assert figure.tag_names == ("wrist", "tip")
    assert figure.coordinates == (
        *("trunk.wx", "trunk.wy", "trunk.wz", "trunk.vx", "trunk.vy", "trunk.vz"),
        *("flexion", "adduction", "rotation", "fore", "hand.wx", "hand.wy", "hand.wz"),
    )
    assert figure.mass == pytest.approx(33.4)
    assert figure.gravity == (0.0, -9.81, 0.0)
    assert "5 segments, 13 freedoms, 2 tags, 33.4 kg" in repr(figure)
    assert figure.segment("fore").com.tolist() == [0, -0.1, 0]
    assert [figure.parent_index(n) for n in range(5)] == [-1, 0, 1, 2, 2]


def test_default_names_of_axes():
    b = FigureBuilder()
    b.segment("a", None, joints.planar())
    b.segment("b", "a", joints.cardan("xyx"))
    b.segment("c", "b", joints.universal((1, 1, 0), (0, 0, 1)))
    assert b.build().coordinates == ("a.tx", "a.ty", "a.rz", "b.rx1", "b.ry2", "b.rx3", "c.r1", "c.rz")


def test_neutral_configuration_and_velocity():
    figure = arm().build()
    neutral = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert figure.neutral().tolist() == neutral
    q = figure.configuration(flexion=0.3, fore=1.2, hand=(0, 1, 0, 0))
    assert q.tolist() == [0, 0, 0, 1, 0, 0, 0, 0.3, 0, 0, 1.2, 0, 1, 0, 0]
    assert figure.neutral().tolist() == neutral
    assert figure.configuration(upper=(1, 2, 3))[7:10].tolist() == [1, 2, 3]
    v = figure.velocity(rotation=2.0, hand=(1, 2, 3), **{"trunk.vy": 5.0})
    assert v.tolist() == [0, 0, 0, 0, 5, 0, 0, 0, 2, 0, 1, 2, 3]
    assert figure.velocity().shape == (13,)


def test_limits():
    limits = arm().build().limits
    assert limits[6:10].tolist() == [[-1, 3], [-2, 1], [-1.5, 1.5], [0, 2.5]]
    assert (limits[:6] == (-np.inf, np.inf)).all()
    assert (limits[10:] == (-np.inf, np.inf)).all()


def test_coordinates_in_an_order_of_ones_own():
    plain = arm().build()
    order = ("fore", "hand", "rotation", "trunk", "flexion", "adduction")
    figure = arm().build(coordinates=order)
    assert figure.coordinates[:4] == ("fore", "hand.wx", "hand.wy", "hand.wz")
    assert sorted(figure.coordinates) == sorted(plain.coordinates)
    rng = np.random.default_rng(0)
    values = {"flexion": 0.1, "adduction": 0.2, "rotation": -0.3, "fore": 1.0}
    values |= {"trunk": [1, 2, 3, 0.6, 0, 0.8, 0], "hand": [0.8, 0, 0.6, 0]}
    speeds = {name: rng.normal() for name in plain.coordinates}
    q, v = [f.configuration(**values) for f in (plain, figure)], [f.velocity(**speeds) for f in (plain, figure)]
    place = [plain.coordinates.index(name) for name in figure.coordinates]
    np.testing.assert_array_equal(v[1], v[0][place])
    np.testing.assert_array_equal(tree.tags(figure, q[1]), tree.tags(plain, q[0]))
    M = tree.inertia_matrix(plain, q[0])
    np.testing.assert_array_equal(tree.inertia_matrix(figure, q[1]), M[np.ix_(place, place)])
    tau = tree.nonlinear_effects(plain, q[0], v[0])
    np.testing.assert_array_equal(tree.nonlinear_effects(figure, q[1], v[1]), tau[place])
    a = tree.forward_dynamics(plain, q[0], v[0], tau)
    np.testing.assert_array_equal(tree.forward_dynamics(figure, q[1], v[1], tau[place]), a[place])
    np.testing.assert_array_equal(figure.limits, plain.limits[place])
    moved = [tree.advance(f, x, y, 0.1) for f, x, y in zip((plain, figure), q, v, strict=True)]
    np.testing.assert_array_equal(tree.tags(figure, moved[1]), tree.tags(plain, moved[0]))


@pytest.mark.parametrize("ball_first", [True, False])
def test_a_coordinate_may_have_the_name_of_a_segment_on_a_ball(ball_first):
    b = FigureBuilder()
    hinge, ball = ("a", joints.revolute(Z, name="b")), ("b", joints.spherical())
    for name, joint in (ball, hinge) if ball_first else (hinge, ball):
        b.segment(name, None, joint, mass=1.0, inertia=ROUND)
    for figure in (b.build(), b.build(coordinates=("b", "b/joint")), b.build(coordinates=("b/joint", "b"))):
        assert (figure.nq, figure.nv) == (5, 4)
        assert sorted(figure.coordinates) == ["b", "b.wx", "b.wy", "b.wz"]
        assert figure.coordinates.index("b") == int(figure.layout.v[figure.index("a")][0])
        q = figure.configuration(b=0.5)  # the coordinate: it is the shorter name for it
        assert q[figure.layout.q[figure.index("a")]].tolist() == [0.5]
        assert q[figure.layout.q[figure.index("b")]].tolist() == [1, 0, 0, 0]
        assert np.cos(0.5) == pytest.approx(
            tree.forward_kinematics(figure, q).rotation[figure.index("a"), 0, 0], abs=1e-15
        )


@pytest.mark.parametrize(
    "order",
    [
        ("fore",),
        ("fore", "hand", "rotation", "trunk", "flexion", "adduction", "fore"),
        ("fore", "hand", "rotation", "trunk", "flexion", "elbow"),
        ("hand.wx", "fore", "rotation", "trunk", "flexion", "adduction"),
        (),
        (1, 2),
        "fore",
        5,
    ],
)
def test_orders_that_do_not_fit_are_refused(order):
    with pytest.raises(InputError, match="the order"):
        arm().build(coordinates=order)


# ---- changing ------------------------------------------------------------------------------------------------------


def test_replace_gives_a_changed_figure():
    figure = arm().build()
    q, v = figure.neutral(), np.ones(figure.nv)
    before = tree.inertia_matrix(figure, q)
    heavier = figure.replace(segments={"hand": {"mass": 1.4, "com": (0, -0.05, 0)}})
    assert heavier.mass == pytest.approx(figure.mass + 1.0)
    assert heavier.segment("hand").com.tolist() == [0, -0.05, 0]
    assert figure.segment("hand").mass == 0.4
    assert (tree.inertia_matrix(heavier, q) != before).any()
    np.testing.assert_array_equal(tree.inertia_matrix(figure, q), before)
    floating = figure.replace(gravity=(0, 0, 0), name="astronaut")
    assert (floating.name, floating.gravity) == ("astronaut", (0.0, 0.0, 0.0))
    assert (tree.nonlinear_effects(floating, q, 0 * v) == 0).all()
    fewer = figure.replace(segments=figure.segments[:3], tags=())
    assert fewer.nv == 10


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"segments": {"hnad": {"mass": 1.0}}}, "Did you mean 'hand'"),
        ({"segments": {"hand": {"mas": 1.0}}}, "no such field.*Did you mean 'mass'"),
        ({"segments": {"hand": {"mass": -1.0}}}, "segment 'hand': mass"),
        ({"gravty": (0, 0, 0)}, "Did you mean 'gravity'"),
        ({"gravity": (0, np.nan, 0)}, "gravity"),
        ({"tags": (Tag("t", "nowhere", (0, 0, 0)),)}, "tag 't': unknown segment"),
        ({"segments": ()}, "must have segments"),
    ],
)
def test_wrong_changes_are_refused(changes, match):
    with pytest.raises(InputError, match=match):
        arm().build().replace(**changes)


def test_figures_are_frozen():
    figure = arm().build()
    with pytest.raises(AttributeError):
        figure.gravity = (0, 0, 0)
    with pytest.raises(AttributeError):
        figure.segments[0].mass = 3.0
    with pytest.raises(ValueError, match="read-only"):
        figure.segment("fore").com[0] = 1.0
    inertia = np.eye(3)
    b = FigureBuilder()
    b.segment("s", None, joints.fixed(), mass=1.0, inertia=inertia)
    built = b.build()
    inertia[0, 0] = 9.0  # the caller's array is not the figure's
    assert built.segment("s").inertia[0, 0] == 1.0
    b.segment("t", None, joints.fixed())  # nor does the builder go on changing what it has built
    assert built.names == ("s",)


def test_mass_properties_and_notes():
    b = FigureBuilder(gravity=[0, 0, -1])
    b.segment("s", None, joints.free(), mass=MassProperties(2.0, np.array([0.1, 0.2, 0.3]), ROUND))
    b.notes.append("a sensor was left out")
    figure = b.build()
    assert figure.segment("s").mass == 2.0
    assert figure.segment("s").com.tolist() == [0.1, 0.2, 0.3]
    np.testing.assert_array_equal(figure.segment("s").inertia, ROUND)
    assert figure.notes == ("a sensor was left out",)
    assert figure.gravity == (0.0, 0.0, -1.0)


def test_armature_and_damping_one_or_each():
    b = FigureBuilder()
    b.segment("s", None, joints.universal((1, 0, 0), (0, 1, 0)), armature=0.3, damping=(0.1, 0.2))
    s = b.build().segment("s")
    assert s.armature.tolist() == [0.3, 0.3]
    assert s.damping.tolist() == [0.1, 0.2]


# ---- what is refused -----------------------------------------------------------------------------------------------


def built(*segments, **more):
    b = FigureBuilder()
    for name, parent, *rest in segments:
        joint = rest[0] if rest else joints.revolute(Z)
        b.segment(name, parent, joint, mass=1.0, inertia=ROUND)
    for call, arguments in more.items():
        getattr(b, call)(*arguments)
    return b.build()


WRONG_TREES = {
    "no segments": (lambda: FigureBuilder().build(), "must have segments"),
    "cycle": (lambda: built(("a", "c"), ("b", "a"), ("c", "b")), r"cycle.*a → c → b → a"),
    "own parent": (lambda: built(("a", "a")), "cycle"),
    "parent later": (lambda: built(("a", "b"), ("b", None)), "after its parent"),
    "unknown parent": (lambda: built(("trunk", None), ("arm", "trnuk")), "segment 'arm': unknown parent.*'trunk'"),
    "parent is a number": (lambda: built(("a", None), ("b", 5)), "unknown parent"),
    "name twice": (lambda: built(("a", None), ("a", None)), "two segments must not share a name"),
    "no name": (lambda: built(("", None)), "the name of a segment must be a text"),
    "name is a number": (lambda: built((5, None)), "the name of a segment must be a text"),
    "coordinates twice": (
        lambda: built(("a", None, joints.revolute(Z, name="x")), ("b", "a", joints.revolute(Z, name="x"))),
        "two coordinates must not share a name",
    ),
    "no joint": (lambda: built(("a", None, "revolute")), "segment 'a': the joint must be a Joint"),
    "joint class": (lambda: built(("a", None, AxesJoint)), "segment 'a': the joint must be a Joint"),
    "tag of nothing": (lambda: built(("arm", None), tag=("tip", "amr", (0, 0, 0))), "tag 'tip'.*Did you mean 'arm'"),
    "tag of two numbers": (lambda: built(("a", None), tag=("tip", "a", (0, 0))), "tag 'tip'"),
    "tag of words": (lambda: built(("a", None), tag=("tip", "a", "here")), "tag 'tip'"),
    "NaN tag": (lambda: built(("a", None), tag=("tip", "a", (0, 0, np.nan))), "tag 'tip'"),
    "coupled to nothing": (lambda: built(("a", None), couple=("a", "b", linear())), "unknown coordinate.*got 'b'"),
    "nothing coupled": (lambda: built(("a", None), couple=("b", "a", linear())), "unknown coordinate.*got 'b'"),
    "coupled to itself": (lambda: built(("a", None), couple=("a", "a", linear())), "coupling of 'a'"),
    "coupled by a number": (lambda: built(("a", None), ("b", None), couple=("a", "b", 2.0)), "of 'a': the function"),
    "quaternion coupled": (
        lambda: built(("a", None, joints.spherical()), ("b", None), couple=("a.wx", "b", linear())),
        "unknown coordinate",
    ),
    "closed to itself": (lambda: built(("a", None), close=("c", "a", (0, 0, 0), "a", (1, 0, 0))), "join different"),
    "closed in the world": (lambda: built(("a", None), close=("c", None, (0, 0, 0), None, (1, 0, 0))), "different"),
    "closed to nothing": (lambda: built(("a", None), close=("c", "a", (0, 0, 0), "x", (1, 0, 0))), "'c'.*got 'x'"),
    "closed at words": (lambda: built(("a", None), close=("c", "a", "x", None, (1, 0, 0))), "closure 'c'"),
    "rows": (lambda: built(("a", None), close=("c", "a", (0, 0, 0), None, (1, 0, 0), "xw")), "closure 'c': rows"),
    "rows twice": (lambda: built(("a", None), close=("c", "a", (0, 0, 0), None, (1, 0, 0), "xx")), "closure 'c': rows"),
    "no rows": (lambda: built(("a", None), close=("c", "a", (0, 0, 0), None, (1, 0, 0), "")), "closure 'c': rows"),
    "rows are a number": (lambda: built(("a", None), close=("c", "a", (0, 0, 0), None, (1, 0, 0), 5)), "'c': rows"),
    "no distance": (
        lambda: built(("a", None), close=("c", "a", (0, 0, 0), None, (1, 0, 0), "distance")),
        "closure 'c': the distance must be positive",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "match"), WRONG_TREES.values(), ids=WRONG_TREES)
def test_wrong_trees_are_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_chains_of_couplings_are_refused():
    b = FigureBuilder()
    for name in "abc":
        b.segment(name, None, joints.revolute(Z), mass=1.0, inertia=ROUND)
    b.couple("b", "a", linear())
    b.couple("c", "b", linear())
    with pytest.raises(InputError, match=r"coupling of 'c'.*must not follow another"):
        b.build()
    b.couplings[-1] = b.couplings[0]
    with pytest.raises(InputError, match="two couplings must not share a name"):
        b.build()


@pytest.mark.parametrize("turn", [[1, 2], "x", 2 * np.eye(3), np.diag([1, 1, -1]), np.full((3, 3), np.nan)])
def test_welds_turned_by_no_rotation_are_refused(turn):
    b = FigureBuilder()
    b.segment("a", None, joints.revolute(Z), mass=1.0)
    with pytest.raises(InputError, match="closure 'c'"):
        b.close("c", "a", (0, 0, 0), None, (0, 0, 0), "weld", turn=turn)


@pytest.mark.parametrize("gravity", ["down", (0, 1), None, (0, np.inf, 0), [[0, 0, 0]]])
def test_wrong_gravity_is_refused(gravity):
    b = FigureBuilder(gravity=gravity)
    b.segment("a", None, joints.fixed())
    with pytest.raises(InputError, match="gravity"):
        b.build()


def rotated(moments):
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    return R @ np.diag(moments) @ R.T


WRONG_MATTER = {
    "negative mass": {"mass": -1.0},
    "NaN mass": {"mass": np.nan},
    "infinite mass": {"mass": np.inf},
    "mass of words": {"mass": "heavy"},
    "two masses": {"mass": [1.0, 2.0]},
    "NaN centre": {"com": (0, np.nan, 0)},
    "centre of two": {"com": (0, 1)},
    "inertia without mass": {"mass": 0.0, "inertia": ROUND},
    "negative moment": {"inertia": np.diag([1.0, 1.0, -0.1])},
    "negative moment, turned": {"inertia": rotated([1.0, 1.0, -1e-3])},
    "triangle": {"inertia": np.diag([1.0, 1.0, 2.1])},
    "triangle, turned": {"inertia": rotated([1.0, 0.5, 1.6])},
    "asymmetric": {"inertia": np.eye(3) + np.diag([0.1, 0.0], 1)},
    "three moments": {"inertia": (1.0, 1.0, 1.0)},
    "NaN inertia": {"inertia": np.diag([1.0, 1.0, np.nan])},
    "inertia of words": {"inertia": "round"},
    "negative armature": {"armature": -0.1},
    "two armatures": {"armature": (0.1, 0.1)},
    "ragged armature": {"armature": [[1.0], [1.0, 2.0]]},
    "armature None": {"armature": None},
    "NaN damping": {"damping": np.nan},
    "negative damping": {"damping": (-0.1,)},
    "damping of words": {"damping": "little"},
    "placement": {"placement": np.eye(4)},
    "many placements": {"placement": Transform.translation_of(np.zeros((2, 3)))},
}


@pytest.mark.parametrize("matter", WRONG_MATTER.values(), ids=WRONG_MATTER)
def test_impossible_matter_is_refused_by_the_name_of_its_segment(matter):
    b = FigureBuilder()
    with pytest.raises(InputError, match="segment 'stone'"):
        b.segment("stone", None, joints.revolute(Z), **{"mass": 1.0, **matter})


@pytest.mark.parametrize("moments", [(0, 0, 0), (0, 1, 1), (1, 1, 2), (1, 2, 3), (1e-12, 1e-12, 1e-12)])
def test_possible_inertias_are_taken(moments):
    """Points, rods, flat plates, on the very edge of what is possible, in any axes."""
    b = FigureBuilder()
    b.segment("s", None, joints.revolute(Z), mass=1.0, inertia=np.diag(moments))
    b.segment("t", None, joints.revolute(Z), mass=1.0, inertia=rotated(moments))
    b.build()


# ---- asking for what is not there ----------------------------------------------------------------------------------


def test_unknown_names_are_reported_with_the_nearest():
    figure = arm().build()
    for ask in (
        figure.index,
        figure.segment,
        figure.coordinate_slices,
        lambda n: tree.jacobian(figure, figure.neutral(), n),
    ):
        with pytest.raises(InputError, match=r"no such segment.*Did you mean 'hand'"):
            ask("hnad")
        with pytest.raises(InputError, match="no such segment"):
            ask(5)
    with pytest.raises(InputError, match=r"no such coordinate.*Did you mean 'flexion'"):
        figure.configuration(flexoin=1.0)
    with pytest.raises(InputError, match="no such coordinate"):
        figure.velocity(elbow=1.0)


@pytest.mark.parametrize("value", ["x", (1, 2), [[1]], {}])
def test_wrong_values_of_coordinates_are_refused(value):
    figure = arm().build()
    for ask in (figure.configuration, figure.velocity):
        with pytest.raises(InputError, match="flexion"):
            ask(flexion=value)


@pytest.mark.parametrize("point", [(1, 2), "tip", (0, 0, np.nan), None, np.zeros((2, 3))])
def test_wrong_points_of_jacobians_are_refused(point):
    figure = arm().build()
    with pytest.raises(InputError):
        tree.jacobian(figure, figure.neutral(), "hand", point)


def test_a_figure_without_closures_mass_or_tags():
    figure = built(("a", None))
    with pytest.raises(InputError, match="has no closures"):
        tree.constraint(figure, [0.0], [0.0])
    assert tree.tags(figure, [0.0]).shape == (0, 3)
    assert tree.tag_jacobians(figure, np.zeros((4, 1))).shape == (4, 0, 3, 1)
    b = FigureBuilder()
    b.segment("ghost", None, joints.revolute(Z))
    with pytest.raises(InputError, match="no centre of mass"):
        tree.centers_of_mass(b.build(), [0.0])


@pytest.mark.parametrize("h", [np.nan, np.inf, "long", None, [1.0, 2.0]])
def test_wrong_times_are_refused(h):
    with pytest.raises(InputError):
        tree.advance(built(("a", None)), [0.0], [1.0], h)


def test_numbers_that_are_not_finite_name_the_joint():
    figure = arm().build()
    q, v = figure.neutral(), np.zeros(figure.nv)
    q[12] = np.nan
    with pytest.raises(InputError, match="joint of segment 'hand'"):
        tree.inertia_matrix(figure, q)
    v[8] = np.inf
    with pytest.raises(InputError, match="rotation"):
        tree.nonlinear_effects(figure, figure.neutral(), v)


# ---- segments without mass -----------------------------------------------------------------------------------------


def massless(**last):
    b = FigureBuilder(name="thin")
    b.segment("base", None, joints.revolute(Z), mass=1.0, com=(0.1, 0, 0), inertia=ROUND)
    b.segment("feather", "base", joints.universal((1, 0, 0), (0, 1, 0)), placement=shifted(0.3), **last)
    return b


def test_massless_ends_have_no_forward_dynamics():
    figure = massless().build()
    q, v, tau = np.zeros((3, 3))
    for shape in ((), (5,), (70,)):
        states = [np.broadcast_to(x, (*shape, 3)).copy() for x in (q, v, tau)]
        with pytest.raises(RunError, match=r"joint of segment 'feather'.*moves nothing that has inertia"):
            tree.forward_dynamics(figure, *states)
        with pytest.raises(RunError, match=r"joint of segment 'feather'.*moves nothing that has inertia"):
            tree.forward_dynamics(figure, *states, np.zeros((2, 6)))
    assert np.isfinite(tree.inverse_dynamics(figure, q, v, tau)).all()
    assert np.isfinite(tree.inertia_matrix(figure, q)).all()


def test_armature_or_load_gives_them_one():
    q, v, tau = np.random.default_rng(0).normal(size=(3, 3))
    a = tree.forward_dynamics(massless(armature=0.01).build(), q, v, tau)
    np.testing.assert_allclose(a[1:], tau[1:] / 0.01, rtol=1e-12)
    b = massless()
    b.segment("load", "feather", joints.fixed(), placement=shifted(0.1, 0.2, 0.3), mass=0.5, inertia=0.01 * np.eye(3))
    figure = b.build()
    a = tree.forward_dynamics(figure, q, v, tau)
    np.testing.assert_allclose(tree.inverse_dynamics(figure, q, v, a), tau, atol=1e-11)


POINTS = {
    "ball": [joints.spherical()],
    "cardan": [joints.cardan("zyx")],
    "three hinges": [joints.revolute(a) for a in np.eye(3)],
    "free": [joints.free()],
    "free cardan": [joints.free("cardan")],
    "shifts twice": [AxesJoint([Axis("prismatic", (1, 0, 0)), Axis("prismatic", (1, 0, 0))])],
    "shifts in three": [joints.prismatic((1, 0, 0)), joints.prismatic((0, 1, 0)), joints.prismatic((1, 1, 0))],
}


@pytest.mark.parametrize("chain", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("seed", range(5))
def test_a_point_mass_turned_about_itself_is_singular(chain, seed):
    """The inertia matrix is singular, and rounding alone would hide it: no acceleration of 1e16 comes back."""
    rng = np.random.default_rng(seed)
    b = FigureBuilder()
    for n, joint in enumerate(chain):
        last = n == len(chain) - 1
        com = rng.normal(size=3) if last else (0, 0, 0)
        b.segment(f"s{n}", None if n == 0 else f"s{n - 1}", joint, mass=2.0 * last, com=com)
    figure = b.build()
    q = tree.repair(figure, figure.neutral() + 0.3 * rng.normal(size=figure.nq))
    M = tree.inertia_matrix(figure, q)
    assert np.linalg.eigvalsh(M)[0] < 1e-12 * np.abs(M).max()
    with pytest.raises(RunError, match="moves nothing that has inertia"):
        tree.forward_dynamics(figure, q, np.zeros(figure.nv), rng.normal(size=figure.nv))


@pytest.mark.parametrize("small", [1e-2, 1e-4])
def test_small_parts_far_out_are_not_taken_for_massless(small):
    """A crumb whose moment about its own hinge, small³, is 2.5e-11 of that about the root, from where it is described.

    Rounding of the latter, some 10 ε, is then 1e-4 of the former.
    """
    b = FigureBuilder()
    b.segment("crane", None, joints.spherical(), mass=1e4, com=(10, 0, 0), inertia=1e5 * np.eye(3))
    b.segment("crumb", "crane", joints.revolute(Z), placement=shifted(20), mass=small, com=(small, 0, 0))
    figure = b.build()
    a = tree.forward_dynamics(figure.replace(gravity=(0, 0, 0)), figure.neutral(), np.zeros(4), [0, 0, 0, small**3])
    assert a[3] == pytest.approx(1.0, rel=1e-4)


# ---- anything at all -----------------------------------------------------------------------------------------------

NUMBER = st.one_of(
    st.floats(-3, 3),
    st.sampled_from([0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e308, 1e-308, 5e-324, 1e160]),
    st.integers(-2, 2),
)
THING = st.one_of(NUMBER, st.none(), st.text(max_size=3), st.booleans(), st.lists(NUMBER, max_size=4), st.just({}))
VECTOR = st.one_of(st.tuples(NUMBER, NUMBER, NUMBER), THING)
NAME = st.one_of(st.sampled_from(["a", "b", "c", ""]), st.none(), st.integers(0, 1))
FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def outcome(function, *arguments, **options):
    """Return the result, or None after one of motiform's own errors; any other error fails the test."""
    try:
        with np.errstate(all="ignore"):
            return function(*arguments, **options)
    except MotiformError:
        return None


@FUZZ
@given(
    kind=st.sampled_from(["revolute", "prismatic", "helical", "planar", "universal"]),
    axis=VECTOR,
    other=VECTOR,
    point=VECTOR,
    number=THING,
    limits=THING,
)
def test_any_joint_is_made_or_refused(kind, axis, other, point, number, limits):
    joint = {
        "revolute": lambda: joints.revolute(axis, point=point, offset=number, limits=limits),
        "prismatic": lambda: joints.prismatic(axis, offset=number, limits=limits),
        "helical": lambda: joints.helical(axis, number, point=point),
        "planar": lambda: joints.planar(axis),
        "universal": lambda: joints.universal(axis, other),
    }
    made = outcome(joint[kind])
    if made is not None:
        T = made.transform(np.full(made.nq, 0.3))
        R = T.rotation
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)


@FUZZ
@given(order=st.one_of(st.text("xyzw", max_size=4), THING), signs=THING, offsets=THING, names=THING)
def test_any_cardan_joint_is_made_or_refused(order, signs, offsets, names):
    outcome(joints.cardan, order)
    outcome(joints.cardan, "zyx", signs)
    outcome(joints.cardan, "zyx", offsets=offsets)
    outcome(joints.cardan, "zyx", names=names)
    outcome(joints.free, "cardan", order=order)
    outcome(joints.spherical, names=names)


@FUZZ
@given(x=THING, y=THING, at=st.floats(-5, 5))
def test_any_function_is_made_or_refused(x, y, at):
    for function in (outcome(Polynomial, x), outcome(Spline, x, y)):
        if function is not None:
            with np.errstate(all="ignore"):
                assert len(function.derivatives(at)) == 3


@FUZZ
@given(
    name=NAME,
    parent=NAME,
    mass=THING,
    com=VECTOR,
    inertia=st.one_of(THING, st.lists(NUMBER, min_size=9, max_size=9).map(lambda x: np.reshape(x, (3, 3)))),
    armature=THING,
    damping=THING,
    gravity=VECTOR,
)
def test_any_segment_is_built_or_refused(name, parent, mass, com, inertia, armature, damping, gravity):
    def make(**options):
        b = FigureBuilder(gravity=options.pop("gravity", (0, -9.81, 0)))
        b.segment("a", None, joints.revolute(Z), mass=1.0, inertia=ROUND)
        b.segment(options.pop("name", "b"), options.pop("parent", "a"), joints.revolute(Z), **options)
        return b.build()

    outcome(make, name=name, parent=parent)
    outcome(make, gravity=gravity)
    for options in ({"mass": mass}, {"mass": 1.0, "com": com}, {"mass": 1.0, "inertia": inertia}):
        outcome(make, **options)
    outcome(make, armature=armature)
    outcome(make, damping=damping)


@FUZZ
@given(a=NAME, b=NAME, point=VECTOR, rows=THING, length=THING, function=THING, tag=VECTOR, order=THING)
def test_any_closure_coupling_or_tag_is_built_or_refused(a, b, point, rows, length, function, tag, order):
    def make(call, *arguments, **options):
        builder = FigureBuilder()
        for name, parent in (("a", None), ("b", "a"), ("c", "b")):
            builder.segment(name, parent, joints.revolute(Z), mass=1.0, inertia=ROUND)
        if call != "build":
            getattr(builder, call)(*arguments, **options)
            return builder.build()
        return builder.build(*arguments)

    outcome(make, "close", "x", a, point, b, (0, 0, 1))
    outcome(make, "close", "x", "a", (0, 0, 0), "c", (0, 0, 1), rows)
    outcome(make, "close", "x", "a", (0, 0, 0), "c", (0, 0, 1), "distance", length=length)
    outcome(make, "close", "x", "a", (0, 0, 0), "c", (0, 0, 1), "weld", turn=point)
    outcome(make, "couple", a, b, linear())
    outcome(make, "couple", "a", "b", function)
    outcome(make, "tag", "t", a, tag)
    outcome(make, "build", order)


FUZZED = None


@FUZZ
@given(q=THING, v=THING, a=THING, external=THING)
def test_any_state_has_a_result_or_is_refused(q, v, a, external):
    global FUZZED
    FUZZED = FUZZED or built(("a", None), ("b", "a"), ("c", "b", joints.prismatic((1, 0, 0))))
    fine = np.array([0.1, 0.2, 0.3])
    for x in (q, [q, v, a]):
        outcome(tree.forward_kinematics, FUZZED, x)
        outcome(tree.inertia_matrix, FUZZED, x)
        outcome(tree.joint_axes, FUZZED, x)
    for x in (v, [q, v, a]):
        outcome(tree.nonlinear_effects, FUZZED, fine, x)
        outcome(tree.energy, FUZZED, fine, x)
        outcome(tree.inverse_dynamics, FUZZED, fine, fine, x)
        outcome(tree.forward_dynamics, FUZZED, fine, fine, x)
        outcome(tree.advance, FUZZED, fine, x, a)
    outcome(tree.inverse_dynamics, FUZZED, fine, fine, fine, external)
    outcome(tree.forward_dynamics, FUZZED, fine, fine, fine, external)


def test_segments_and_figures_may_be_made_directly():
    figure = Figure((Segment("a", None, joints.revolute(Z), mass=1.0, inertia=ROUND),))
    assert figure.nv == 1
    with pytest.raises(InputError, match="must have segments"):
        Figure(())
