"""Every joint: subspace, rates and steps fit its transform, and the compiled algorithms say what the joint says.

Derivatives are central differences of sixth order with step h = 1e-2: their error is h⁶ f⁽⁷⁾/140 ≈ 1e-14 f⁽⁷⁾ plus
some 10 ε/h ≈ 2e-13 of rounding. Angles move at up to 3 rad/s here, so f⁽⁷⁾ may be 3⁷ ≈ 2000: in all below 1e-10.
"""

import itertools

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError, MotiformError
from motiform.motion import tree
from motiform.motion.tree.joints import AxesJoint, Axis, FunctionJoint, Polynomial, Spline, linear
from motiform.spatial import log_rotation, random_rotation, rotation_from_euler, skew

STEP, CLOSE = 1e-2, 1e-10
X, Y, Z = np.eye(3)
ROUNDING = 1e-13


class Crank(joints.Joint):
    """A joint of a user: turns about z by sin(q0) and shifts along the turned x by q1², by no kernel."""

    nq = nv = 2
    names = ("turn", "shift")

    @property
    def plain(self):
        return True

    def neutral(self):
        return np.zeros(2)

    def transform(self, q):
        turn = np.zeros((*q.shape[:-1], 3))
        turn[..., 2] = np.sin(q[..., 0])
        from motiform.spatial import exp_rotation

        R = exp_rotation(turn)
        return Transform(R, R[..., :, 0] * q[..., 1:] ** 2)

    def subspace(self, q):
        S = np.zeros((*q.shape[:-1], 6, 2))
        slope = np.cos(q[..., 0])
        S[..., 2, 0] = slope
        S[..., 4, 0] = slope * q[..., 1] ** 2  # ω × r, in the child
        S[..., 3, 1] = 2 * q[..., 1]
        return S

    def subspace_rate(self, q, v):
        S = np.zeros((*q.shape[:-1], 6, 2))
        curve = -np.sin(q[..., 0]) * v[..., 0]
        S[..., 2, 0] = curve
        S[..., 4, 0] = curve * q[..., 1] ** 2 + np.cos(q[..., 0]) * 2 * q[..., 1] * v[..., 1]
        S[..., 3, 1] = 2 * v[..., 1]
        return S

    def rate(self, q, v):
        return np.array(v, float)


class Swivel(joints.Joint):
    """A joint of a user that is not plain: an angle kept as (cos, sin)."""

    nq, nv = 2, 1
    names = ("w",)

    def neutral(self):
        return np.array([1.0, 0.0])

    def transform(self, q):
        u = q / np.linalg.norm(q, axis=-1, keepdims=True)
        R = np.zeros((*q.shape[:-1], 3, 3))
        R[..., 0, 0] = 1.0
        R[..., 1, 1] = R[..., 2, 2] = u[..., 0]
        R[..., 1, 2], R[..., 2, 1] = -u[..., 1], u[..., 1]
        return Transform(R, np.zeros(3))

    def subspace(self, q):
        return np.broadcast_to(np.eye(6)[:, :1], (*q.shape[:-1], 6, 1))

    def subspace_rate(self, q, v):
        return np.zeros((*q.shape[:-1], 6, 1))

    def rate(self, q, v):
        return np.stack([-q[..., 1] * v[..., 0], q[..., 0] * v[..., 0]], axis=-1)

    def repair(self, q):
        return q / np.linalg.norm(q, axis=-1, keepdims=True)


KNEE_X = Spline([-2.1, -1.2, -0.4, 0.3, 1.0], [0.032, 0.041, -0.005, 0.02, 0.0])

JOINTS = {
    "fixed": joints.fixed(),
    "revolute": joints.revolute((0.3, -1.0, 0.5)),
    "revolute x": joints.revolute((-2, 0, 0)),
    "revolute point": joints.revolute((0, 0, 1), point=(0.1, -0.2, 0.3)),
    "revolute offset": joints.revolute((0, -3, 0), offset=0.7),
    "revolute both": joints.revolute((1, 2, 3), point=(0.3, 0.2, -0.4), offset=-1.1),
    "prismatic": joints.prismatic((1, 1, 0)),
    "prismatic offset": joints.prismatic((0, 0, -2), offset=0.3),
    "helical": joints.helical((1, 0, 0), 0.05),
    "helical all": joints.helical((1, -2, 0.5), -0.2, point=(0.1, 0.3, 0.2), offset=0.4),
    "universal": joints.universal((0, 0, 1), (1, 0, 0)),
    "universal skew": joints.universal((1, 0.2, 0), (0.3, 1, -1)),
    "cardan": joints.cardan(),
    "cardan xzx": joints.cardan("xzx", (1, -1, -1), offsets=(0.1, 0.9, -0.3)),
    "cardan of two": joints.cardan("yx", (-1, 1)),
    "spherical": joints.spherical(),
    "planar": joints.planar(),
    "planar skew": joints.planar((1, 2, -0.5)),
    "free": joints.free(),
    "free cardan": joints.free("cardan", order="yxz"),
    "axes": AxesJoint(
        [
            Axis("prismatic", (1, 0, 1)),
            Axis("revolute", (0, 1, 1), (0.2, 0, 0.1), 0.03, 0.5),
            Axis("prismatic", (0, 1, 0)),
            Axis("revolute", (0, 0, -1)),
        ]
    ),
    "function": joints.function(
        [(Axis("revolute", (0, 0, 1)), linear(), "knee"), (Axis("prismatic", (1, 0, 0)), KNEE_X, "knee")]
    ),
    "function of two": joints.function(
        [
            (Axis("revolute", (0, 1, 1), (0.1, 0.2, 0.0), 0.04, 0.2), Polynomial((0.1, 0.5, -0.3, 0.2)), "u"),
            (Axis("prismatic", (1, 0, 0), offset=0.1), KNEE_X, "w"),
            (Axis("revolute", (1, 0, 0), (0.0, 0.1, 0.0)), Polynomial((0.3,)), "u"),
            (Axis("revolute", (1, 0, 0)), Polynomial((0.0, 1.0, 0.4)), "w"),
            (Axis("prismatic", (0, 0, -1)), Polynomial((0.0, 0.2, 0.3)), "u"),
        ]
    ),
    "user": Crank(),
    "user, not plain": Swivel(),
}


@pytest.fixture(params=JOINTS.items(), ids=lambda item: item[0])
def joint(request):
    return request.param[1]


def rng_of(joint):
    return np.random.default_rng(len(joint.names) * 10 + joint.nq)


def random_q(joint, rng, shape=()):
    return joint.repair(joint.neutral() + 0.5 * rng.normal(size=(*shape, joint.nq)))


def derivative(f, h=STEP):
    """Central differences of sixth order at zero."""
    weights = ((45, 1), (-9, 2), (1, 3))
    return sum(w * (f(k * h) - f(-k * h)) for w, k in weights) / (60 * h)


def path(joint, q, v):
    """A smooth path through q at the velocity v, from the differential equation of q alone (Taylor by rk4 steps)."""

    def at(t):
        x, steps = q, 40
        for _ in range(steps):
            h = t / steps
            a = joint.rate(x, v)
            b = joint.rate(x + h / 2 * a, v)
            c = joint.rate(x + h / 2 * b, v)
            x = x + h / 6 * (a + 2 * b + 2 * c + joint.rate(x + h * c, v))
        return x

    return at


def test_subspace_is_the_derivative_of_the_transform(joint):
    rng = rng_of(joint)
    for _ in range(4):
        q, v = random_q(joint, rng), rng.normal(size=joint.nv)
        at = path(joint, q, v)
        T = joint.transform(q)
        W = T.rotation.T @ derivative(lambda t, at=at: joint.transform(at(t)).rotation)
        linear_velocity = T.rotation.T @ derivative(lambda t, at=at: joint.transform(at(t)).translation)
        twist = joint.subspace(q) @ v
        np.testing.assert_allclose(skew(twist[:3]), W, atol=CLOSE)
        np.testing.assert_allclose(twist[3:], linear_velocity, atol=CLOSE)


def test_subspace_rate_is_the_derivative_of_the_subspace(joint):
    rng = rng_of(joint)
    for _ in range(4):
        q, v = random_q(joint, rng), rng.normal(size=joint.nv)
        at = path(joint, q, v)
        expected = derivative(lambda t, at=at: np.array(joint.subspace(at(t))))
        np.testing.assert_allclose(joint.subspace_rate(q, v), expected, atol=CLOSE)
        np.testing.assert_allclose(joint.bias(q, v), expected @ v, atol=CLOSE * 10)


def test_velocities_are_those_of_the_transform_and_accelerations_their_rates(joint):
    """Of any smooth path of the numbers q, whose quaternions have any length."""
    rng = rng_of(joint)
    q, dq, ddq = random_q(joint, rng), *(0.3 * rng.normal(size=(2, joint.nq)))
    if isinstance(joint, Swivel):
        with pytest.raises(InputError, match=r"velocities of such a joint are not known \(got 'Swivel'"):
            joint.velocities(q, dq, ddq)
        return

    def at(t):
        return q + t * dq + t * t / 2 * ddq, dq + t * ddq, ddq

    v, a = joint.velocities(*at(0.0))
    T, twist = joint.transform(q), joint.subspace(joint.repair(q)) @ v
    W = T.rotation.T @ derivative(lambda t: joint.transform(at(t)[0]).rotation)
    np.testing.assert_allclose(skew(twist[:3]), W, atol=CLOSE)
    shift = T.rotation.T @ derivative(lambda t: joint.transform(at(t)[0]).translation)
    np.testing.assert_allclose(twist[3:], shift, atol=CLOSE)
    np.testing.assert_allclose(a, derivative(lambda t: joint.velocities(*at(t))[0]), atol=CLOSE)


def test_a_joint_between_segments_of_twice_the_size_moves_twice_as_far(joint):
    """Angles stay, lengths double: shifts that are coordinates, and positions of free joints, too."""
    rng, two = rng_of(joint), 2.0 * np.ones(3)
    q = random_q(joint, rng)
    placement = Transform(random_rotation(rng), rng.normal(size=3))
    if isinstance(joint, Crank | Swivel):
        assert joint.stretched(placement, np.ones(3), np.ones(3)) == (placement, joint)
        with pytest.raises(InputError, match="the joint cannot be scaled"):
            joint.stretched(placement, two, two)
        return
    lengths = np.array([unit == "m" for unit in joint.q_units], bool) & (not isinstance(joint, FunctionJoint))
    moved, large = joint.stretched(placement, two, two)
    before, after = placement @ joint.transform(q), moved @ large.transform(q * np.where(lengths, 2.0, 1.0))
    np.testing.assert_allclose(after.rotation, before.rotation, atol=ROUNDING)
    np.testing.assert_allclose(after.translation, 2.0 * before.translation, atol=10 * ROUNDING)


def test_full_turns_leave_what_a_joint_says_they_leave(joint):
    q = random_q(joint, rng_of(joint))
    for k in range(joint.nq):
        turned = q.copy()
        turned[k] += 2.0 * np.pi
        before, after = joint.transform(q), joint.transform(turned)
        same = np.allclose(before.rotation, after.rotation, atol=1e-9)
        same = same and np.allclose(before.translation, after.translation, atol=1e-9)
        assert same or k not in joint.turns  # of others, as of a function's, nothing is said


def test_advance_follows_the_rate(joint):
    rng = rng_of(joint)
    q, v, h = random_q(joint, rng), rng.normal(size=joint.nv), 0.3
    # the path takes 40 steps of fourth order: (0.3/40)⁴/120 · 3⁵ < 1e-8; `advance` of the base takes 8: < 5e-6
    tolerance = 5e-6 if type(joint).advance is joints.Joint.advance else 1e-8
    np.testing.assert_allclose(joint.advance(q, v, h), path(joint, q, v)(h), atol=tolerance)
    np.testing.assert_allclose(joint.advance(q, v, 0.0), q, atol=ROUNDING)
    there = joint.advance(q, v, h)
    np.testing.assert_allclose(joint.advance(there, v, -h), q, atol=max(ROUNDING, tolerance * (tolerance > 1e-8)))


def test_advance_of_quaternions_is_exact_at_any_speed():
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-9, 1e-4, 1e-3, 1.001e-3, 0.1, 3.0, 50.0):
        v = rng.normal(size=6) * scale
        q = random_q(JOINTS["free"], rng)
        whole = JOINTS["free"].advance(q, v, 1.0)
        halves = JOINTS["free"].advance(JOINTS["free"].advance(q, v, 0.5), v, 0.5)
        # a screw is a one-parameter group; its shift goes with v/ω
        np.testing.assert_allclose(whole, halves, atol=ROUNDING * max(1.0, scale))
        T, T1 = JOINTS["free"].transform(q), JOINTS["free"].transform(whole)
        relative = T.inverse() @ T1
        if np.linalg.norm(v[:3]) < np.pi:
            np.testing.assert_allclose(log_rotation(relative.rotation), v[:3], atol=ROUNDING * 10)
        assert np.linalg.norm(whole[3:]) == pytest.approx(1.0, abs=ROUNDING)


def test_methods_take_leading_axes(joint):
    rng = rng_of(joint)
    q, v = random_q(joint, rng, (3, 2)), rng.normal(size=(3, 2, joint.nv))
    T, S, dS = joint.transform(q), joint.subspace(q), joint.subspace_rate(q, v)
    assert T.rotation.shape == (3, 2, 3, 3)
    assert S.shape == dS.shape == (3, 2, 6, joint.nv)
    moved, rate = joint.advance(q, v, 0.1), joint.rate(q, v)
    assert moved.shape == rate.shape == q.shape
    for at in np.ndindex(3, 2):
        np.testing.assert_allclose(T.rotation[at], joint.transform(q[at]).rotation, atol=ROUNDING)
        np.testing.assert_allclose(T.translation[at], joint.transform(q[at]).translation, atol=ROUNDING)
        np.testing.assert_allclose(S[at], joint.subspace(q[at]), atol=ROUNDING)
        np.testing.assert_allclose(dS[at], joint.subspace_rate(q[at], v[at]), atol=ROUNDING)
        np.testing.assert_allclose(moved[at], joint.advance(q[at], v[at], 0.1), atol=ROUNDING)


def test_neutral_and_sizes(joint):
    q = joint.neutral()
    assert q.shape == (joint.nq,)
    assert len(joint.names) == joint.nv
    assert joint.units is None or len(joint.units) == joint.nv
    assert joint.subspace(q).shape == (6, joint.nv)
    np.testing.assert_array_equal(joint.repair(q), q)


def test_names_and_units_tell_what_the_numbers_do(joint):
    assert len(set(joint.q_names)) == len(joint.q_units) == joint.nq
    S = joint.subspace(random_q(joint, rng_of(joint), ()))
    for k, unit in enumerate(joint.units or ()):
        assert (unit == "rad") == (np.abs(S[:3, k]).max() > 0)  # what turns is an angle; a pure shift has no such part
    if joint.plain:
        assert joint.q_names == joint.names
    q = joint.neutral()
    for k, name in enumerate(joint.q_names):
        if name in ("x", "y", "z") and joint.q_units[k] == "m":
            moved = joint.transform(q + np.eye(joint.nq)[k]).translation - joint.transform(q).translation
            np.testing.assert_allclose(moved, np.eye(3)["xyz".index(name)], atol=ROUNDING)
        if name == "qw":
            assert q[k] == 1.0


def test_neutral_is_the_identity_where_there_is_no_offset(joint):
    axes = getattr(joint, "axes", ())
    if any(axis.offset for axis in axes) or isinstance(joint, FunctionJoint):
        pytest.skip("the neutral place is not the identity")
    T = joint.transform(joint.neutral())
    np.testing.assert_allclose(T.matrix(), np.eye(4), atol=ROUNDING)


# ---- the compiled algorithms against the joints' own methods -------------------------------------------------------


def composed(figure, q, v, a):
    """Poses, columns and motion of all segments by NumPy, from the joints' own methods [Featherstone08 4.1, 4.2]."""
    poses, twists, accelerations = [], [], []
    axes = np.zeros((figure.nv, 6))
    for n, segment in enumerate(figure.segments):
        parent = figure.parent_index(n)
        own_q, own_v = q[figure.layout.q[n]], v[figure.layout.v[n]]
        joint = segment.joint
        T = segment.placement @ joint.transform(own_q)
        S = joint.subspace(own_q)
        V, A = np.zeros(6), np.zeros(6)
        if parent >= 0:
            V, A = T.inverse().motion(twists[parent]), T.inverse().motion(accelerations[parent])
            T = poses[parent] @ T
        relative = S @ own_v
        V = V + relative
        crossed = np.concatenate(
            [np.cross(V[:3], relative[:3]), np.cross(V[:3], relative[3:]) + np.cross(V[3:], relative[:3])]
        )
        A = A + S @ a[figure.layout.v[n]] + joint.bias(own_q, own_v) + crossed
        poses.append(T)
        twists.append(V)
        accelerations.append(A)
        axes[figure.layout.v[n]] = T.motion(S.T) if joint.nv else np.zeros((0, 6))
    # from the segments' frames, spatial, to world axes at their origins, of the point there
    R = np.array([T.rotation for T in poses])
    p = np.array([T.translation for T in poses])
    V, A = np.array(twists), np.array(accelerations)
    A[:, 3:] += np.cross(V[:, :3], V[:, 3:])
    turn = lambda x: (R @ x[:, :, None])[:, :, 0]  # noqa: E731
    return R, p, axes, np.hstack([turn(V[:, :3]), turn(V[:, 3:])]), np.hstack([turn(A[:, :3]), turn(A[:, 3:])])


def figure_of(kinds, rng, *, chain=True):
    b = FigureBuilder()
    names = []
    for n, joint in enumerate(kinds):
        if isinstance(joint, FunctionJoint):
            joint = FunctionJoint(joint.axes, joint.functions, joint.drivers, [f"f{n}{name}" for name in joint.names])
        parent = None if not names or not chain else names[int(rng.integers(max(0, n - 2), n))]
        names.append(f"s{n}")
        x = rng.normal(size=(5, 3))
        inertia = np.eye(3) * (x**2).sum() - x.T @ x
        placement = Transform(random_rotation(rng), rng.normal(size=3))
        b.segment(names[-1], parent, joint, placement=placement, mass=1.0, com=rng.normal(size=3), inertia=inertia)
    return b.build()


def state_of(figure, rng):
    q = np.concatenate([random_q(s.joint, rng) for s in figure.segments])
    return q, rng.normal(size=figure.nv), rng.normal(size=figure.nv)


def assert_kernels_agree(figure, rng):
    q, v, a = state_of(figure, rng)
    R, p, axes, twists, accelerations = composed(figure, q, v, a)
    # numbers grow along the chain: rounding is relative to the largest of each kind
    moving = tree.motion(figure, q, v, a)
    for found, expected in (
        (tree.forward_kinematics(figure, q).rotation, R),
        (tree.forward_kinematics(figure, q).position, p),
        (tree.joint_axes(figure, q), axes),
        (moving.poses.rotation, R),
        (moving.poses.position, p),
        (moving.twists, twists),
        (moving.accelerations, accelerations),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max(initial=0.0)))


@pytest.mark.parametrize("below", [False, True], ids=["root", "child"])
def test_kernels_say_what_the_joint_says(joint, below):
    rng = rng_of(joint)
    kinds = [joints.free(), joint, joints.universal(Y, X)] if below else [joint, joints.universal(Y, X)]
    for _ in range(3):
        assert_kernels_agree(figure_of(kinds, rng), rng)


@pytest.mark.parametrize("seed", range(4))
def test_kernels_agree_on_trees_of_all_joints(seed):
    rng = np.random.default_rng(seed)
    kinds = [list(JOINTS.values())[k] for k in rng.permutation(len(JOINTS))]
    assert_kernels_agree(figure_of(kinds, rng), rng)
    assert_kernels_agree(figure_of(kinds[:6], rng, chain=False), rng)


def test_function_joints_agree_beyond_the_ends_and_at_the_points_of_their_splines():
    rng = np.random.default_rng(5)
    figure = figure_of([JOINTS["function"]], rng)
    for x in (*KNEE_X.x, -2.1 - 1e-9, -7.0, 1.5, 30.0):
        R, p, axes, _, _ = composed(figure, np.array([x]), np.ones(1), np.ones(1))
        np.testing.assert_allclose(tree.forward_kinematics(figure, [x]).rotation, R, atol=ROUNDING)
        np.testing.assert_allclose(tree.forward_kinematics(figure, [x]).position, p, atol=ROUNDING)
        np.testing.assert_allclose(tree.joint_axes(figure, [x]), axes, atol=ROUNDING)


@pytest.mark.parametrize("angle", [1e3, 9.99e4, 1.00001e5, -1e7, 1e12, np.pi / 4, np.pi / 2, np.pi, -3 * np.pi / 2])
def test_large_angles_and_corners_of_the_quadrants(angle):
    # ε·|angle| is not lost: sine and cosine of the given double are right to rounding, by libm
    b = FigureBuilder()
    b.segment("s", None, joints.revolute(Z))
    b.segment("t", "s", joints.revolute((1, 1, 1)))
    for x in (angle, np.nextafter(angle, 0)):
        R = tree.forward_kinematics(b.build(), [x, 0.0]).rotation[0]
        np.testing.assert_allclose(R[:2, :2], [[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]], atol=4e-16)


def test_whole_turns_of_a_screw_add_up():
    b = FigureBuilder()
    b.segment("nut", None, joints.helical(Z, 0.01))
    p = tree.forward_kinematics(b.build(), [20 * np.pi]).position[0]
    np.testing.assert_allclose(p, [0, 0, 0.2 * np.pi], atol=ROUNDING)


# ---- what each joint means -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("xyz")] + ["xyx", "zxz", "yzy"])
@pytest.mark.parametrize("signs", list(itertools.product((1, -1), repeat=3)))
def test_cardan_joints_turn_as_euler_angles_do(order, signs):
    q = np.array([0.3, -0.7, 1.1])
    R = joints.cardan(order, signs).transform(q).rotation
    np.testing.assert_allclose(R, rotation_from_euler(q * signs, order), atol=ROUNDING)


def test_the_default_cardan_joint_is_zyx():
    def about(axis, x):
        return rotation_from_euler([x], axis)

    R = joints.cardan().transform(np.array([0.1, 0.2, 0.3])).rotation
    np.testing.assert_allclose(R, about("z", 0.1) @ about("y", 0.2) @ about("x", 0.3), atol=ROUNDING)


def test_a_hinge_keeps_the_points_of_its_axis():
    joint = joints.revolute((1, 2, 3), point=(0.3, 0.2, -0.4), offset=0.2)
    T = joint.transform(np.array([1.3]))
    for along in (0.0, 0.7):
        point = np.array([0.3, 0.2, -0.4]) + along * np.array([1, 2, 3])
        np.testing.assert_allclose(T.point(point), point, atol=ROUNDING)
    np.testing.assert_allclose(joint.transform(np.array([-0.2])).matrix(), np.eye(4), atol=ROUNDING)


@pytest.mark.parametrize(("normal", "first", "second"), [(X, Y, Z), (Y, Z, X), (Z, X, Y)])
def test_planar_joints_shift_along_the_two_other_axes_in_cyclic_order(normal, first, second):
    T = joints.planar(normal).transform(np.array([2.0, 3.0, 0.5]))
    np.testing.assert_allclose(T.translation, 2 * first + 3 * second, atol=ROUNDING)
    np.testing.assert_allclose(log_rotation(T.rotation), 0.5 * normal, atol=ROUNDING)


def test_a_skew_planar_joint_stays_in_its_plane():
    n = np.array([1, 2, -0.5])
    T = joints.planar(n).transform(np.random.default_rng(0).normal(size=(20, 3)))
    np.testing.assert_allclose(T.translation @ n, 0, atol=ROUNDING)
    np.testing.assert_allclose(T.rotation @ n, np.broadcast_to(n, (20, 3)), atol=ROUNDING)


def test_free_joints_are_placed_by_position_and_orientation():
    quaternion = np.array([0.5, 0.5, 0.5, 0.5])
    T = joints.free().transform(np.array([1.0, 2.0, 3.0, *quaternion]))
    np.testing.assert_allclose(T.translation, [1, 2, 3])
    np.testing.assert_allclose(T.rotation @ X, Y, atol=ROUNDING)
    T = joints.free("cardan").transform(np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3]))
    np.testing.assert_allclose(T.translation, [1, 2, 3])
    np.testing.assert_allclose(T.rotation, rotation_from_euler([0.1, 0.2, 0.3], "zyx"), atol=ROUNDING)


def test_quaternions_of_any_length_place_alike_and_repair_makes_them_unit():
    for kind in ("spherical", "free"):
        joint = JOINTS[kind]
        q = random_q(joint, np.random.default_rng(1))
        longer = np.array(q)
        longer[-4:] *= 3.0
        np.testing.assert_allclose(joint.transform(longer).matrix(), joint.transform(q).matrix(), atol=ROUNDING)
        np.testing.assert_allclose(joint.repair(longer), q, atol=ROUNDING)
        figure = figure_of([joint], np.random.default_rng(2))
        np.testing.assert_allclose(
            tree.forward_kinematics(figure, longer).rotation, tree.forward_kinematics(figure, q).rotation, atol=ROUNDING
        )
        np.testing.assert_allclose(tree.repair(figure, longer), q, atol=ROUNDING)


def test_figures_move_their_configurations_joint_by_joint():
    rng = np.random.default_rng(9)
    figure = figure_of(list(JOINTS.values()), rng)
    q, v, _ = state_of(figure, rng)
    rate, moved = tree.configuration_rate(figure, q, v), tree.advance(figure, q, v, 0.2)
    for n, segment in enumerate(figure.segments):
        at_q, at_v = figure.coordinate_slices(segment.name)
        np.testing.assert_allclose(rate[at_q], segment.joint.rate(q[at_q], v[at_v]), atol=ROUNDING)
        np.testing.assert_allclose(moved[at_q], segment.joint.advance(q[at_q], v[at_v], 0.2), atol=ROUNDING)
        assert figure.names[n] == segment.name
    if figure.single is None:  # joints of a user: the compiled rate of a state is for kernels alone
        figure = figure_of([j for j in JOINTS.values() if j.kernel], rng)
        q, v, _ = state_of(figure, rng)
    from motiform.motion.tree.kernels.state import one_configuration_rate, one_repair

    out, longer = np.empty(figure.nq), 1.5 * q
    one_configuration_rate.function(figure.packed.ints, figure.packed.floats, q, v, out)
    np.testing.assert_allclose(out, tree.configuration_rate(figure, q, v), atol=ROUNDING)
    one_repair.function(figure.packed.ints, figure.packed.floats, longer)
    np.testing.assert_allclose(longer, tree.repair(figure, 1.5 * q), atol=ROUNDING)


# ---- functions of coordinates --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [Polynomial((1.0,)), Polynomial((0.0, 2.0)), Polynomial((0.3, -1.0, 0.5, 0.2)), linear(3.0, 1.0), KNEE_X],
)
def test_functions_and_their_derivatives(function):
    for x in (-1.7, -0.9, 0.1, 0.6):
        at = lambda t, x=x: function(x + t)  # noqa: E731
        value, first, second = function.derivatives(x)
        assert value == pytest.approx(float(at(0.0)))
        assert first == pytest.approx(derivative(at), abs=CLOSE)
        assert second == pytest.approx(derivative(lambda t, x=x: function.derivatives(x + t)[1]), abs=CLOSE)
        for number in (value, first, second):
            assert np.shape(number) == ()
    value, first, second = function.derivatives(np.zeros((2, 3)))
    assert value.shape == first.shape == second.shape == (2, 3)


def test_splines_go_through_their_points_and_on_straight():
    np.testing.assert_allclose(KNEE_X(KNEE_X.x), KNEE_X.y, atol=ROUNDING)
    for end, outside in ((KNEE_X.x[0], -5.0), (KNEE_X.x[-1], 4.0)):
        value, first, second = KNEE_X.derivatives(end)
        assert second == pytest.approx(0.0, abs=CLOSE)  # natural
        beyond, slope, curve = KNEE_X.derivatives(outside)
        assert beyond == pytest.approx(value + first * (outside - end))
        assert slope == pytest.approx(first)
        assert curve == 0.0
    line = Spline([0.0, 2.0], [1.0, 5.0])
    np.testing.assert_allclose(line([-1.0, 1.0, 3.0]), [-1.0, 3.0, 7.0])


def test_splines_are_scipys_natural_ones():
    from scipy.interpolate import CubicSpline

    own = CubicSpline(KNEE_X.x, KNEE_X.y, bc_type="natural")
    x = np.linspace(KNEE_X.x[0], KNEE_X.x[-1], 41)
    np.testing.assert_allclose(KNEE_X(x), own(x), atol=ROUNDING)


# ---- wrong joints --------------------------------------------------------------------------------------------------

WRONG = {
    "zero axis": lambda: joints.revolute((0, 0, 0)),
    "NaN axis": lambda: joints.prismatic((0, np.nan, 1)),
    "infinite axis": lambda: joints.revolute((0, np.inf, 1)),
    "two numbers": lambda: joints.revolute((0, 1)),
    "axis of words": lambda: joints.revolute("x"),
    "axis of None": lambda: joints.revolute(None),
    "NaN point": lambda: joints.revolute(Z, point=(0, 0, np.nan)),
    "point of two": lambda: joints.revolute(Z, point=(0, 0)),
    "point of words": lambda: joints.revolute(Z, point=(0, 0, "a")),
    "point None": lambda: joints.revolute(Z, point=None),
    "NaN offset": lambda: joints.revolute(Z, offset=np.nan),
    "infinite pitch": lambda: joints.helical(Z, np.inf),
    "pitch of words": lambda: joints.helical(Z, "fine"),
    "kind of axis": lambda: Axis("screw", (0, 0, 1)),
    "limits turned": lambda: joints.revolute(Z, limits=(2.0, 1.0)),
    "limits of words": lambda: joints.revolute(Z, limits=("a", "b")),
    "limits of three": lambda: joints.revolute(Z, limits=(0, 1, 2)),
    "NaN limits": lambda: joints.prismatic(Z, limits=(0, np.nan)),
    "parallel axes": lambda: joints.universal(Z, -Z),
    "order": lambda: joints.cardan("zza"),
    "order twice": lambda: joints.cardan("zzx"),
    "no order": lambda: joints.cardan(""),
    "order of numbers": lambda: joints.cardan(5),
    "signs": lambda: joints.cardan("zyx", (1, 2, 1)),
    "two signs": lambda: joints.cardan("zyx", (1, 1)),
    "two offsets": lambda: joints.cardan("zyx", offsets=(1, 1)),
    "names": lambda: joints.cardan("zyx", names=("a", "b")),
    "names of a free joint": lambda: joints.free(names=("a", "b")),
    "names of a ball": lambda: joints.spherical(names=("a", "b")),
    "normal": lambda: joints.planar((0, 0, 0)),
    "kind": lambda: joints.free("euler"),
    "free order": lambda: joints.free("cardan", order="zz"),
    "no axes": lambda: AxesJoint([1]),
    "function without function": lambda: joints.function([(Axis("revolute", (0, 0, 1)), 3.0, "a")]),
    "counts": lambda: FunctionJoint([Axis("revolute", (0, 0, 1))], [], [0], ["a"]),
    "drivers": lambda: FunctionJoint([Axis("revolute", (0, 0, 1))], [linear()], [1], ["a", "b"]),
    "empty polynomial": lambda: Polynomial(()),
    "NaN polynomial": lambda: Polynomial((1.0, np.nan)),
    "polynomial of words": lambda: Polynomial("ab"),
    "polynomial of a number": lambda: Polynomial(5),
    "spline of one": lambda: Spline([1.0], [1.0]),
    "spline back": lambda: Spline([1.0, 0.5], [1.0, 2.0]),
    "spline twice": lambda: Spline([1.0, 1.0], [1.0, 2.0]),
    "spline shapes": lambda: Spline([1.0, 2.0], [1.0, 2.0, 3.0]),
    "NaN spline": lambda: Spline([1.0, 2.0], [1.0, np.nan]),
    "spline of words": lambda: Spline("ab", "cd"),
}


@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG)
def test_wrong_joints_are_refused(make):
    with pytest.raises(InputError):
        FigureBuilder().segment("knee", None, make())


@pytest.mark.parametrize("joint", [joints.revolute, joints.prismatic, joints.planar, lambda a: joints.helical(a, 0.1)])
def test_an_axis_without_a_direction_is_reported_with_its_segment(joint):
    with pytest.raises(InputError, match=r"segment 'knee': a .* axis must have a direction"):
        FigureBuilder().segment("knee", None, joint((0, 0, 0)))


def test_what_a_users_joint_gives_is_checked():
    class Wrong(Crank):
        def subspace(self, q):
            return np.swapaxes(super().subspace(q), -1, -2)

    class Failing(Crank):
        def transform(self, q):
            raise KeyError("x")

    for joint, text in ((Wrong(), "subspace of the joint"), (Failing(), "the joint failed: KeyError")):
        b = FigureBuilder()
        b.segment("own", None, joint, mass=1.0)
        figure = b.build()
        with pytest.raises(MotiformError, match=f"joint of segment 'own': {text}"):
            tree.inverse_dynamics(figure, figure.neutral(), np.zeros(figure.nv), np.zeros(figure.nv))
