"""Random trees against Pinocchio and MuJoCo, and the identities that hold on every tree (V20).

Tolerances: 1e-11 of the largest number of each quantity (the table of known answers). Accelerations from forward
dynamics are solutions of M a = f: two backward stable ways differ by up to 2 c nv ε cond(M) |a|, c some 10 operations
deep, so they are held to 20 nv ε cond(M), or to 1e-11 where that is more.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform import FigureBuilder, Transform, joints
from motiform.motion import tree
from motiform.spatial import quaternion_from_rotation, random_rotation

EPS = np.finfo(float).eps
CLOSE = 1e-11


def assert_near(found, expected, tolerance=CLOSE, floor=1e-3):
    """Compare by the largest number of the expected array; `floor` is the size below which numbers are as good as 0."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    size = max(np.abs(expected).max(initial=0.0), floor)
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * size


# ---- random trees --------------------------------------------------------------------------------------------------


@dataclass
class Spec:
    """A segment of a random tree, in words that every engine has."""

    name: str
    parent: int
    kind: str  # axes, ball, free
    axes: list[joints.Axis]
    placement: Transform
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    armature: float
    damping: float
    names: list[str] = field(default_factory=list)


def random_inertia(rng, mass):
    """Moments of a cloud of points: always possible."""
    x = rng.normal(size=(6, 3)) * 0.15
    x -= x.mean(0)
    return mass / 6 * (np.eye(3) * (x**2).sum() - x.T @ x)


def random_axis(rng, direction, *, pitch):
    kind = "prismatic" if rng.random() < 0.25 else "revolute"
    point = rng.normal(size=3) * 0.2 if rng.random() < 0.5 and kind == "revolute" else np.zeros(3)
    h = rng.normal() * 0.1 if pitch and kind == "revolute" and rng.random() < 0.4 else 0.0
    return joints.Axis(kind, tuple(direction), tuple(point), h, rng.normal() * 0.3 if rng.random() < 0.5 else 0.0)


def random_tree(rng, count, *, massless=True, pitch=True, floating=True):
    """Return segments: several roots, branches, one to three axes a joint, balls and free roots."""
    specs = []
    for n in range(count):
        parent = -1 if n == 0 or rng.random() < 0.1 else int(rng.integers(max(0, n - 4), n))
        draw = rng.random()
        kind = "axes" if draw < 0.7 else "ball"
        if parent < 0 and floating and draw < 0.6:
            kind = "free"
        frame = rng.permutation(np.diag(rng.choice([-1.0, 1.0], 3)))  # axes of one joint are not parallel
        directions = [d if rng.random() < 0.5 else d + 0.3 * rng.normal(size=3) for d in frame]
        fewest = 1 if parent < 0 else 0  # Pinocchio leaves what is fixed to the world out of its sums
        axes = [random_axis(rng, d, pitch=pitch) for d in directions[: rng.integers(fewest, 4)]]
        light = massless and n > 0 and kind == "axes" and rng.random() < 0.25
        mass = 0.0 if light else float(rng.uniform(0.5, 3.0))
        placement = Transform(random_rotation(rng), rng.normal(size=3) * 0.4)
        com = rng.normal(size=3) * 0.2
        inertia = np.zeros((3, 3)) if light else random_inertia(rng, mass)
        armature, damping = (float(x) if rng.random() < 0.5 else 0.0 for x in rng.uniform(0.01, 0.3, 2))
        if kind == "free":
            armature = 0.0  # MuJoCo's acts on accelerations in world axes
        if light:
            armature = 0.05  # a massless segment at the end of a branch needs it to be moved at all
        specs.append(
            Spec(
                f"s{n}", parent, kind, axes if kind == "axes" else [], placement, mass, com, inertia, armature, damping
            )
        )
    return specs


GRAVITY = (0.3, -9.7, 1.1)


def make_figure(specs, *, order=None):
    b = FigureBuilder(gravity=GRAVITY, name="random")
    for s in specs:
        s.names = [f"{s.name}_{k}" for k in range(len(s.axes))]
        joint = {
            "axes": lambda s=s: joints.AxesJoint(s.axes, names=s.names),
            "ball": joints.spherical,
            "free": joints.free,
        }
        b.segment(
            s.name,
            None if s.parent < 0 else specs[s.parent].name,
            joint[s.kind](),
            placement=s.placement,
            mass=s.mass,
            com=s.com,
            inertia=s.inertia,
            armature=s.armature,
            damping=s.damping,
        )
    if order is None:
        return b.build()
    blocks = [name for s in specs for name in (s.names if s.kind == "axes" else [s.name])]
    return b.build(coordinates=[blocks[k] for k in order.permutation(len(blocks))])


def random_state(rng, figure):
    q = figure.neutral() + rng.normal(size=figure.nq)
    return tree.repair(figure, q), rng.normal(size=figure.nv), rng.normal(size=figure.nv)


# ---- Pinocchio -----------------------------------------------------------------------------------------------------


def depth_first(specs, parent=-1):
    return [k for n, s in enumerate(specs) if s.parent == parent for k in (n, *depth_first(specs, n))]


class Pin:
    """The same tree in Pinocchio, one joint per axis, and the maps of coordinates."""

    def __init__(self, specs, figure):
        import pinocchio as pin

        self.pin, self.specs, self.figure = pin, specs, figure
        model = pin.Model()
        model.gravity.linear = np.array(GRAVITY)
        ends: dict[int, tuple[int, object]] = {}  # last joint of each segment and the segment's frame in it
        self.own: dict[int, list[int]] = {}
        for n in depth_first(specs):  # Pinocchio takes the joints of a subtree to be neighbours
            s = specs[n]
            at, place = ends[s.parent] if s.parent >= 0 else (0, pin.SE3.Identity())
            place = place * pin.SE3(np.array(s.placement.rotation), np.array(s.placement.translation))
            own = []
            for k, axis in enumerate(s.axes):
                a, c = np.array(axis.direction), np.array(axis.point)
                if axis.kind == "prismatic":
                    kind = pin.JointModelPrismaticUnaligned(a)
                elif axis.pitch:
                    kind = pin.JointModelHelicalUnaligned(a, axis.pitch)
                else:
                    kind = pin.JointModelRevoluteUnaligned(a)
                at = model.addJoint(at, kind, place * pin.SE3(np.eye(3), c), f"{s.name}.{k}")
                place = pin.SE3(np.eye(3), -c)
                own.append(at)
            if s.kind != "axes":
                kind = pin.JointModelSpherical() if s.kind == "ball" else pin.JointModelFreeFlyer()
                at, place = model.addJoint(at, kind, place, s.name), pin.SE3.Identity()
                own.append(at)
            if s.mass:
                model.appendBodyToJoint(at, pin.Inertia(s.mass, s.com, s.inertia), place)
            ends[n] = (at, place)
            model.addFrame(pin.Frame(s.name, at, place, pin.FrameType.OP_FRAME))
            self.own[n] = own
        self._maps(model)
        model.armature = self.P @ self._per_velocity("armature")
        self.model, self.data, self.ends = model, model.createData(), ends

    def _per_velocity(self, name):
        out = np.zeros(self.figure.nv)
        for n, s in enumerate(self.specs):
            out[self.figure.layout.v[n]] = getattr(s, name)
        return out

    def _maps(self, model):
        """P: velocities of Pinocchio from ours."""
        figure = self.figure
        self.P = np.zeros((model.nv, figure.nv))
        for n, s in enumerate(self.specs):
            ours = figure.layout.v[n]
            theirs = np.concatenate([model.idx_vs[j] + np.arange(model.nvs[j]) for j in self.own[n]] or [[]]).astype(
                int
            )
            if s.kind == "free":
                theirs = np.roll(theirs, 3)  # its free joint has the linear velocity first
            self.P[theirs, ours] = 1.0
        self.damping = self._per_velocity("damping")

    def q(self, q):
        out = np.zeros(self.model.nq)
        for n, s in enumerate(self.specs):
            own = q[self.figure.layout.q[n]]
            at = [self.model.idx_qs[j] for j in self.own[n]]
            if s.kind == "axes":
                for k, axis in enumerate(s.axes):
                    out[at[k]] = own[k] + axis.offset
            elif s.kind == "ball":
                out[at[0] : at[0] + 4] = own[[1, 2, 3, 0]]
            else:
                out[at[0] : at[0] + 7] = own[[0, 1, 2, 4, 5, 6, 3]]
        return out

    def forces(self, q, external):
        """Wrenches on segments (world axes, at their origins) as Pinocchio takes them: in the joints' frames."""
        pin = self.pin
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        out = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for n, (moment, force) in enumerate(external.reshape(-1, 2, 3)):
            joint = self.ends[n][0]
            x = self.data.oMf[self.model.getFrameId(self.specs[n].name)].translation
            out[joint] += self.data.oMi[joint].actInv(pin.Force(force, moment + np.cross(x, force)))
        return out


SEEDS = range(10)


@pytest.fixture(scope="module", params=SEEDS)
def pin_case(request):
    pytest.importorskip("pinocchio")
    rng = np.random.default_rng(100 + request.param)
    specs = random_tree(rng, 9)
    figure = make_figure(specs, order=rng if request.param % 2 else None)
    return Pin(specs, figure), figure, *random_state(rng, figure), rng.normal(size=(len(specs), 6)) * 5


def test_the_random_trees_have_everything():
    specs = [random_tree(np.random.default_rng(100 + seed), 9) for seed in SEEDS]
    everything = [s for one in specs for s in one]
    axes = [axis for s in everything for axis in s.axes]
    assert {s.kind for s in everything} == {"axes", "ball", "free"}
    assert any(s.mass == 0 for s in everything)
    assert any(s.kind == "axes" and not s.axes for s in everything)
    assert any(sum(s.parent < 0 for s in one) > 1 for one in specs)
    assert any(max(sum(s.parent == n for s in one) for n in range(len(one))) > 1 for one in specs)
    assert any(axis.pitch for axis in axes)
    assert any(axis.offset for axis in axes)
    assert any(any(axis.point) for axis in axes)
    assert {axis.kind for axis in axes} == {"revolute", "prismatic"}


def test_pinocchio_poses_jacobians_and_motion(pin_case):
    other, figure, q, v, a, _ = pin_case
    pin, model, data = other.pin, other.model, other.data
    pin.forwardKinematics(model, data, other.q(q), other.P @ v, other.P @ a)
    pin.updateFramePlacements(model, data)
    pin.computeJointJacobians(model, data, other.q(q))
    R, p = tree.forward_kinematics(figure, q)
    moving = tree.motion(figure, q, v, a)
    frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for n, name in enumerate(figure.names):
        at = model.getFrameId(name)
        assert_near(R[n], data.oMf[at].rotation)
        assert_near(p[n], data.oMf[at].translation)
        J = pin.getFrameJacobian(model, data, at, frame)
        assert_near(tree.jacobian(figure, q, name), np.vstack([J[3:], J[:3]]) @ other.P)
        twist = pin.getFrameVelocity(model, data, at, frame)
        assert_near(moving.twists[n], np.concatenate([twist.angular, twist.linear]))
        rate = pin.getFrameClassicalAcceleration(model, data, at, frame)
        assert_near(moving.accelerations[n], np.concatenate([rate.angular, rate.linear]))


def test_pinocchio_inertia_matrix_and_inverse_dynamics(pin_case):
    other, figure, q, v, a, external = pin_case
    pin, model, data = other.pin, other.model, other.data
    M = pin.crba(model, data, other.q(q))
    M = np.triu(M) + np.triu(M, 1).T
    assert_near(tree.inertia_matrix(figure, q), other.P.T @ M @ other.P)
    h = pin.nonLinearEffects(model, data, other.q(q), other.P @ v)
    assert_near(tree.nonlinear_effects(figure, q, v), other.P.T @ h + other.damping * v)
    tau = pin.rnea(model, data, other.q(q), other.P @ v, other.P @ a, other.forces(q, external))
    assert_near(tree.inverse_dynamics(figure, q, v, a, external), other.P.T @ tau + other.damping * v)
    tau = pin.rnea(model, data, other.q(q), other.P @ v, other.P @ a)
    assert_near(tree.inverse_dynamics(figure, q, v, a), other.P.T @ tau + other.damping * v)


def test_pinocchio_forward_dynamics(pin_case):
    other, figure, q, v, tau, external = pin_case
    pin, model, data = other.pin, other.model, other.data
    condition = np.linalg.cond(tree.inertia_matrix(figure, q))
    tolerance = max(CLOSE, 20 * figure.nv * EPS * condition)
    drive = other.P @ (tau - other.damping * v)
    expected = pin.aba(model, data, other.q(q), other.P @ v, drive, other.forces(q, external))
    assert_near(tree.forward_dynamics(figure, q, v, tau, external), other.P.T @ expected, tolerance)
    expected = pin.aba(model, data, other.q(q), other.P @ v, drive)
    assert_near(tree.forward_dynamics(figure, q, v, tau), other.P.T @ expected, tolerance)


def test_pinocchio_centres_momentum_and_energy(pin_case):
    other, figure, q, v, _, _ = pin_case
    pin, model, data = other.pin, other.model, other.data
    center = pin.centerOfMass(model, data, other.q(q), other.P @ v)
    found = tree.centers_of_mass(figure, q)
    assert_near(found[-1], center)
    pin.framesForwardKinematics(model, data, other.q(q))
    for n, s in enumerate(other.specs):
        assert_near(found[n], data.oMf[model.getFrameId(s.name)].act(s.com))
    h = pin.computeCentroidalMomentum(model, data, other.q(q), other.P @ v)
    about_origin = h.angular + np.cross(center, h.linear)
    assert_near(tree.momentum(figure, q, v), np.concatenate([about_origin, h.linear]))
    energy = tree.energy(figure, q, v)
    drives = 0.5 * (model.armature * (other.P @ v) ** 2).sum()
    bare = pin.Model(model)
    bare.armature = np.zeros(model.nv)
    assert_near(energy.kinetic, pin.computeKineticEnergy(bare, bare.createData(), other.q(q), other.P @ v) + drives)
    assert_near(energy.potential, pin.computePotentialEnergy(model, data, other.q(q)))


# ---- MuJoCo --------------------------------------------------------------------------------------------------------


def numbers(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


class Mujoco:
    """The same tree in MuJoCo; linear velocities of its free joints are in world axes."""

    def __init__(self, specs, figure):
        import mujoco

        self.mujoco, self.specs, self.figure = mujoco, specs, figure
        children: dict[int, list[int]] = {}
        for n, s in enumerate(specs):
            children.setdefault(s.parent, []).append(n)
        flags = '<flag contact="disable" constraint="disable" energy="enable"/>'
        text = (
            f'<mujoco><compiler angle="radian" inertiafromgeom="false"/><option gravity="{numbers(GRAVITY)}" '
            f'jacobian="dense">{flags}</option><worldbody>{self._bodies(children, -1)}</worldbody></mujoco>'
        )
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def _bodies(self, children, parent):
        return "".join(self._body(n, children) for n in children.get(parent, []))

    def _body(self, n, children):
        s = self.specs[n]
        R, I = s.placement.rotation, s.inertia
        own = f'armature="{s.armature!r}" damping="{s.damping!r}"'
        if s.kind == "axes":
            kinds = {"revolute": "hinge", "prismatic": "slide"}
            joint = "".join(
                f'<joint name="{s.name}.{k}" type="{kinds[a.kind]}" axis="{numbers(a.direction)}" '
                f'pos="{numbers(a.point)}" {own}/>'
                for k, a in enumerate(s.axes)
            )
        else:
            joint = f'<joint name="{s.name}.0" type="{s.kind}" {own}/>'
        moments = numbers([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        return (
            f'<body name="{s.name}" pos="{numbers(s.placement.translation)}" '
            f'quat="{numbers(quaternion_from_rotation(R))}">{joint}'
            f'<inertial pos="{numbers(s.com)}" mass="{s.mass!r}" fullinertia="{moments}"/>'
            f"{self._bodies(children, n)}</body>"
        )

    def joint(self, s, k):
        return self.model.joint(f"{s.name}.{k}")

    def set(self, q, v):
        """Give it our state; return T and dT/dt v, where its velocities are T v."""
        model, data, figure = self.model, self.data, self.figure
        T, drift = np.zeros((model.nv, figure.nv)), np.zeros(model.nv)
        for n, s in enumerate(self.specs):
            own, ours = q[figure.layout.q[n]], figure.layout.v[n]
            if s.kind == "axes":
                for k, axis in enumerate(s.axes):
                    data.qpos[self.joint(s, k).qposadr[0]] = own[k] + axis.offset
                    T[self.joint(s, k).dofadr[0], ours[k]] = 1.0
                continue
            at, dof = self.joint(s, 0).qposadr[0], self.joint(s, 0).dofadr[0]
            if s.kind == "ball":
                data.qpos[at : at + 4] = own
                T[dof + np.arange(3), ours] = 1.0
            else:
                # a free body of MuJoCo is placed in the world, ours in the frame of its placement
                place = s.placement @ Transform.from_quaternion(own[3:], own[:3])
                data.qpos[at : at + 3], data.qpos[at + 3 : at + 7] = place.translation, place.quaternion
                T[np.ix_(dof + np.arange(3), ours[3:])] = place.rotation
                T[dof + 3 + np.arange(3), ours[:3]] = 1.0
                drift[dof : dof + 3] = place.rotation @ np.cross(v[ours[:3]], v[ours[3:]])
        data.qvel[:] = T @ v
        return T, drift


@pytest.fixture(scope="module", params=SEEDS)
def mujoco_case(request):
    pytest.importorskip("mujoco")
    rng = np.random.default_rng(200 + request.param)
    specs = random_tree(rng, 8, massless=False, pitch=False)
    figure = make_figure(specs)
    return Mujoco(specs, figure), figure, *random_state(rng, figure), rng.normal(size=(len(specs), 6)) * 5


def test_mujoco_poses_and_jacobians(mujoco_case):
    other, figure, q, v, _, _ = mujoco_case
    mujoco, model, data = other.mujoco, other.model, other.data
    T, _ = other.set(q, v)
    mujoco.mj_forward(model, data)
    R, p = tree.forward_kinematics(figure, q)
    for n, s in enumerate(other.specs):
        body = model.body(s.name).id
        assert_near(R[n], data.xmat[body].reshape(3, 3))
        assert_near(p[n], data.xpos[body])
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, linear, angular, data.xpos[body], body)
        assert_near(tree.jacobian(figure, q, s.name), np.vstack([angular, linear]) @ T)


def test_mujoco_dynamics(mujoco_case):
    other, figure, q, v, a, external = mujoco_case
    mujoco, model, data = other.mujoco, other.model, other.data
    T, drift = other.set(q, v)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    assert_near(tree.inertia_matrix(figure, q), T.T @ M @ T)
    passive = np.array(data.qfrc_passive)  # minus damping times velocity
    expected = T.T @ (M @ (T @ a + drift) + data.qfrc_bias - passive)
    assert_near(tree.inverse_dynamics(figure, q, v, a), expected)
    assert_near(tree.nonlinear_effects(figure, q, v), T.T @ (M @ drift + data.qfrc_bias - passive))
    for n, s in enumerate(other.specs):  # MuJoCo's wrenches are at the centre of mass, force first
        body = model.body(s.name).id
        moment, force = external[n, :3], external[n, 3:]
        arm = data.xpos[body] - data.xipos[body]
        data.xfrc_applied[body] = np.concatenate([force, moment + np.cross(arm, force)])
    tau = a
    data.qfrc_applied[:] = np.linalg.solve(T.T, tau)
    mujoco.mj_forward(model, data)
    expected = np.linalg.solve(T, data.qacc - drift)
    condition = np.linalg.cond(tree.inertia_matrix(figure, q))
    found = tree.forward_dynamics(figure, q, v, tau, external)
    assert_near(found, expected, max(CLOSE, 20 * figure.nv * EPS * condition))
    data.xfrc_applied[:] = 0


def test_mujoco_centres_momentum_and_energy(mujoco_case):
    other, figure, q, v, _, _ = mujoco_case
    mujoco, model, data = other.mujoco, other.model, other.data
    other.set(q, v)
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    centers = tree.centers_of_mass(figure, q)
    for n, s in enumerate(other.specs):
        assert_near(centers[n], data.xipos[model.body(s.name).id])
    assert_near(centers[-1], data.subtree_com[0])
    linear = data.subtree_linvel[0] * figure.mass
    angular = data.subtree_angmom[0] + np.cross(data.subtree_com[0], linear)
    assert_near(tree.momentum(figure, q, v), np.concatenate([angular, linear]))
    energy = tree.energy(figure, q, v)
    assert_near(energy.potential, data.energy[0])
    assert_near(energy.kinetic, data.energy[1])


# ---- identities (V20) ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=range(6))
def own_case(request):
    rng = np.random.default_rng(300 + request.param)
    specs = random_tree(rng, 12)
    figure = make_figure(specs, order=rng)
    return figure, *random_state(rng, figure), rng.normal(size=(len(specs), 6)) * 5


def test_inverse_dynamics_undoes_forward_dynamics(own_case):
    figure, q, v, tau, external = own_case
    a = tree.forward_dynamics(figure, q, v, tau, external)
    back = tree.inverse_dynamics(figure, q, v, a, external)
    # what rounding of a costs is seen in the size of M a, not in that of tau
    size = np.abs(tree.inertia_matrix(figure, q)) @ np.abs(a) + np.abs(tree.nonlinear_effects(figure, q, v))
    assert np.abs(back - tau).max() <= CLOSE * size.max()


def test_forward_dynamics_undoes_inverse_dynamics(own_case):
    figure, q, v, a, external = own_case
    tau = tree.inverse_dynamics(figure, q, v, a, external)
    condition = np.linalg.cond(tree.inertia_matrix(figure, q))
    tolerance = max(CLOSE, 20 * figure.nv * EPS * condition)
    assert_near(tree.forward_dynamics(figure, q, v, tau, external), a, tolerance)


def test_columns_of_the_inertia_matrix_are_inverse_dynamics(own_case):
    figure, q, v, _, _ = own_case
    M = tree.inertia_matrix(figure, q)
    h = tree.nonlinear_effects(figure, q, v)
    columns = tree.inverse_dynamics(figure, q, v, np.eye(figure.nv)) - h
    assert_near(columns.T, M, CLOSE * max(1.0, np.abs(h).max() / np.abs(M).max()))
    assert (M == M.T).all()
    assert (np.linalg.eigvalsh(M) > 0).all()


def test_kinetic_energy_is_half_v_m_v(own_case):
    figure, q, v, _, _ = own_case
    assert_near(tree.energy(figure, q, v).kinetic, 0.5 * v @ tree.inertia_matrix(figure, q) @ v)


def test_power_of_external_wrenches_and_gravity_is_the_rate_of_energy(own_case):
    figure, q, v, tau, external = own_case
    a = tree.forward_dynamics(figure, q, v, tau, external)
    damping = np.zeros(figure.nv)
    for n, segment in enumerate(figure.segments):
        damping[figure.layout.v[n]] = segment.damping
    power = v @ (tau - damping * v) + (tree.motion(figure, q, v).twists * external).sum()
    # dE/dt by differences of fourth order along a path with this velocity and acceleration at 0: h⁴ E⁽⁵⁾/30 + ε E/h,
    # both below 1e-9 of the powers that are added up (E⁽⁵⁾ is some |v|⁵ times them)
    h = 1e-3

    def total(t):
        moved = tree.advance(figure, tree.advance(figure, q, v, t), a, t * t / 2)
        return tree.energy(figure, moved, v + a * t).total

    rate = (8 * (total(h) - total(-h)) - (total(2 * h) - total(-2 * h))) / (12 * h)
    scale = np.abs(v * tau).sum() + np.abs(external).sum() * np.abs(v).sum() + (np.abs(v) @ np.abs(a)) * 10
    assert abs(rate - power) <= 1e-6 * scale


def floating_tree():
    rng = np.random.default_rng(7)
    specs = random_tree(rng, 6, floating=False)
    for s in specs:
        s.parent = max(s.parent, 0)
    specs[0].parent, specs[0].kind, specs[0].axes, specs[0].damping, specs[0].armature = -1, "free", [], 0.0, 0.0
    specs[0].mass, specs[0].inertia = 2.0, random_inertia(rng, 2.0)
    return make_figure(specs).replace(gravity=(0.0, 0.0, 0.0)), rng


@pytest.mark.parametrize("driven", [False, True])
def test_momentum_of_a_free_system_is_constant(driven):
    figure, rng = floating_tree()
    inner = np.ones(figure.nv)
    inner[figure.layout.v[0]] = 0.0
    amplitude, phase = inner * rng.normal(size=figure.nv), rng.normal(size=figure.nv)
    q, v, _ = random_state(rng, figure)
    if not driven:  # no losses: energy stays as well
        figure = figure.replace(segments={name: {"damping": 0.0} for name in figure.names})

    def rate(t, y):
        q, v = y[: figure.nq], y[figure.nq :]
        tau = amplitude * np.sin(5 * t + phase) * driven
        return np.concatenate([tree.configuration_rate(figure, q, v), tree.forward_dynamics(figure, q, v, tau)])

    run = solve_ivp(rate, (0.0, 1.0), np.concatenate([q, v]), "DOP853", rtol=1e-11, atol=1e-12)
    assert run.success
    qs, vs = tree.repair(figure, run.y[: figure.nq].T), run.y[figure.nq :].T
    momentum = tree.momentum(figure, qs, vs)
    # errors of each step stay below rtol of the state and add up over the steps
    tolerance = 1e-11 * len(run.t) * 10
    assert np.abs(momentum - momentum[0]).max() <= tolerance * np.abs(momentum[0]).max()
    assert np.abs(vs[-1] - vs[0]).max() > 0.1  # it did move
    if not driven:
        total = tree.energy(figure, qs, vs).total
        assert np.abs(total - total[0]).max() <= tolerance * total[0]


def test_a_free_body_by_quaternion_and_by_cardan_angles_falls_alike():
    rng = np.random.default_rng(3)
    I, com = random_inertia(rng, 2.0), rng.normal(size=3)
    figures = []
    for joint in (joints.free(), joints.free("cardan")):
        b = FigureBuilder()
        b.segment("s", None, joint, mass=2.0, com=com, inertia=I)
        figures.append(b.build())
    angles, x = rng.normal(size=3) * 0.4, rng.normal(size=3)
    q2, v2 = np.concatenate([x, angles]), rng.normal(size=6)
    R = tree.forward_kinematics(figures[1], q2).rotation[0]
    moving = tree.motion(figures[1], q2, v2)
    q1 = np.concatenate([x, quaternion_from_rotation(R)])
    v1 = np.concatenate([R.T @ moving.twists[0, :3], R.T @ moving.twists[0, 3:]])
    wrench = rng.normal(size=(1, 6))
    a1 = tree.forward_dynamics(figures[0], q1, v1, np.zeros(6), wrench)
    a2 = tree.forward_dynamics(figures[1], q2, v2, np.zeros(6), wrench)
    first = tree.motion(figures[0], q1, v1, a1)
    second = tree.motion(figures[1], q2, v2, a2)
    assert_near(first.twists, second.twists)
    condition = np.linalg.cond(tree.inertia_matrix(figures[1], q2))
    assert_near(first.accelerations, second.accelerations, max(CLOSE, 120 * EPS * condition))
