"""Derivatives, Coriolis and centroidal matrices against Pinocchio on random trees that mix kinds of joints.

Pinocchio gets one joint for each axis of ours, a spherical or a free one where we have these. Its quaternions end with
w, and the velocities of its free joint are (linear, angular).
"""

import numpy as np
import pytest

from motiform import FigureBuilder, joints
from motiform.motion.tree import advance, inverse_dynamics
from motiform.motion.tree.algorithms.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from motiform.motion.tree.algorithms.matrices import (
    centroidal_bias,
    centroidal_matrix,
    coriolis_matrix,
    gravity_effects,
)
from motiform.spatial import Transform, random_rotation

pin = pytest.importorskip("pinocchio")

RELATIVE = 1e-11
LINEAR_FIRST = [3, 4, 5, 0, 1, 2]


def random_joint(rng):
    axis, other, point = rng.normal(size=(3, 3))
    return [
        lambda: joints.revolute(axis, point=point * 0.2, offset=0.3),
        lambda: joints.revolute((0, -1, 0)),
        lambda: joints.prismatic(axis, offset=-0.1),
        lambda: joints.helical(axis, 0.2),
        lambda: joints.universal(axis, other),
        lambda: joints.planar(axis),
        lambda: joints.cardan("zyx", (1, -1, 1)),
        joints.spherical,
        joints.free,
        lambda: joints.free("cardan"),
        joints.fixed,
    ][rng.integers(11)]()


class Twin:
    """A figure, the same tree in Pinocchio, and the way from our numbers to its own."""

    def __init__(self, seed, count=9):
        self.rng = rng = np.random.default_rng(seed)
        builder = FigureBuilder(gravity=rng.normal(size=3) * 5)
        self.model, self.armature = pin.Model(), []
        self.model.gravity.linear[:] = builder.gravity
        self.places_q, self.places_v, self.offsets, ends, way = [], [], [], [], []
        for n in range(count):
            joint = joints.free() if n == 0 else random_joint(rng)
            # branches one after the other, as Pinocchio needs them: the parent is on the way to the last segment
            parent = None if n == 0 or rng.random() < 0.1 else way[-1 - min(rng.geometric(0.5) - 1, len(way) - 1)]
            way = [*way[: way.index(parent) + 1], n] if parent is not None else [n]
            if parent is None and not joint.nv:
                joint = joints.spherical()  # Pinocchio leaves masses fixed to the world out of the centre of mass
            place = Transform(random_rotation(rng), rng.normal(size=3) * 0.4)
            points = rng.normal(size=(6, 3)) * 0.3
            points -= points.mean(0)
            mass, com = rng.uniform(0.5, 5), rng.normal(size=3) * 0.2
            inertia = mass / 6 * (np.eye(3) * (points**2).sum() - points.T @ points)
            armature = rng.uniform(0, 0.5, joint.nv)
            builder.segment(
                f"s{n}", None if parent is None else f"s{parent}", joint, placement=place,
                mass=mass, com=com, inertia=inertia, armature=armature,
            )  # fmt: skip
            before = (0, pin.SE3.Identity()) if parent is None else ends[parent]
            last, rest = self._add(joint, before[0], before[1] * pin.SE3(place.rotation, place.translation))
            self.model.appendBodyToJoint(last, pin.Inertia(mass, com, inertia), rest)
            ends.append((last, rest))
            self.armature.append(armature)
        self.figure = builder.build()
        self.model.armature[:] = np.concatenate(self.armature)[self.places_v]
        self.data = self.model.createData()

    def _add(self, joint, parent, place):
        """Add a joint; return the last of Pinocchio's that stand for it and where the child is in it."""
        at_q, at_v = len(self.places_q), len(self.places_v)
        name = f"{len(self.model.names)}"
        if not isinstance(joint, joints.AxesJoint):
            free = isinstance(joint, joints.FreeJoint)
            kind, q = (
                (pin.JointModelFreeFlyer(), [0, 1, 2, 4, 5, 6, 3])
                if free
                else (pin.JointModelSpherical(), [1, 2, 3, 0])
            )
            self.places_q += [at_q + k for k in q]
            self.places_v += [at_v + k for k in (LINEAR_FIRST if free else range(3))]
            self.offsets += [0.0] * joint.nq
            return self.model.addJoint(parent, kind, place, name), pin.SE3.Identity()
        for n, axis in enumerate(joint.axes):
            direction, point = np.array(axis.direction), pin.SE3(np.eye(3), np.array(axis.point))
            kind = (
                pin.JointModelPrismaticUnaligned(direction)
                if axis.kind == "prismatic"
                else pin.JointModelHelicalUnaligned(direction, axis.pitch)
                if axis.pitch
                else pin.JointModelRevoluteUnaligned(direction)
            )
            parent, place = self.model.addJoint(parent, kind, place * point, f"{name}.{n}"), point.inverse()
            self.places_q.append(at_q + n)
            self.places_v.append(at_v + n)
            self.offsets.append(axis.offset)
        return parent, place

    def state(self):
        q = advance(self.figure, self.figure.neutral(), self.rng.normal(size=self.figure.nv))
        return q, *self.rng.normal(size=(2, self.figure.nv))

    def theirs(self, q, *vectors):
        """Return our numbers in Pinocchio's order."""
        return (q + np.array(self.offsets)[np.argsort(self.places_q)])[self.places_q], *(
            v[self.places_v] for v in vectors
        )

    def ours(self, matrix):
        """Return a matrix of Pinocchio's with its velocities in our order."""
        back = np.argsort(self.places_v)
        return np.array(matrix)[np.ix_(back, back)]


def close(found, expected):
    assert np.abs(found - expected).max() <= RELATIVE * np.abs(expected).max()


seeds = pytest.mark.parametrize("seed", range(12))


@seeds
def test_inverse_dynamics(seed):
    twin = Twin(seed)
    q, v, a = twin.state()
    state = twin.theirs(q, v, a)
    tau = np.array(pin.rnea(twin.model, twin.data, *state))  # the twins are the same tree
    close(inverse_dynamics(twin.figure, q, v, a), tau[np.argsort(twin.places_v)])
    expected = pin.computeRNEADerivatives(twin.model, twin.data, *state)
    for found, other in zip(inverse_dynamics_derivatives(twin.figure, q, v, a), expected, strict=True):
        close(found, twin.ours(other))


@seeds
def test_forward_dynamics(seed):
    twin = Twin(seed)
    q, v, tau = twin.state()
    expected = pin.computeABADerivatives(twin.model, twin.data, *twin.theirs(q, v, tau))
    for found, other in zip(forward_dynamics_derivatives(twin.figure, q, v, tau), expected, strict=True):
        close(found, twin.ours(other))


@seeds
def test_coriolis_and_gravity(seed):
    twin = Twin(seed)
    q, v, _ = twin.state()
    theirs = twin.theirs(q, v)
    close(coriolis_matrix(twin.figure, q, v), twin.ours(pin.computeCoriolisMatrix(twin.model, twin.data, *theirs)))
    gravity = np.array(pin.computeGeneralizedGravity(twin.model, twin.data, theirs[0]))
    close(gravity_effects(twin.figure, q), gravity[np.argsort(twin.places_v)])


@seeds
def test_centroidal_momentum(seed):
    twin = Twin(seed)
    q, v, _ = twin.state()
    theirs = twin.theirs(q, v)
    A = np.array(pin.computeCentroidalMap(twin.model, twin.data, theirs[0]))[LINEAR_FIRST]
    close(centroidal_matrix(twin.figure, q), A[:, np.argsort(twin.places_v)])
    rate = np.array(pin.dccrba(twin.model, twin.data, *theirs))[LINEAR_FIRST] @ theirs[1]
    close(centroidal_bias(twin.figure, q, v), rate)


@pytest.mark.parametrize("seed", [0, 1])
def test_loads_that_turn_with_their_segments(seed):
    """Pinocchio's loads are fixed in the joints' axes, ours in the world's: they differ by how loads turn.

    A moment m and a force f at a segment's origin turn there by e × m and e × f as the segment turns by e.
    """
    twin = Twin(seed)
    figure = twin.figure
    q, v, a = twin.state()
    pin.forwardKinematics(twin.model, twin.data, twin.theirs(q)[0])
    from motiform.motion.tree import forward_kinematics, jacobian

    loads = np.zeros((len(figure.segments), 6))
    loads[0], R = (
        twin.rng.normal(size=6),
        forward_kinematics(figure, q).rotation[0],
    )  # the free root, whose frame is its joint's
    given = pin.StdVec_Force([pin.Force.Zero() for _ in range(twin.model.njoints)])
    given[1] = pin.Force(R.T @ loads[0, 3:], R.T @ loads[0, :3])
    theirs = pin.computeRNEADerivatives(twin.model, twin.data, *twin.theirs(q, v, a), given)[0]
    J = jacobian(figure, q, "s0")
    turned = np.vstack([np.cross(J[:3], loads[0, :3], axisa=0).T, np.cross(J[:3], loads[0, 3:], axisa=0).T])
    found = inverse_dynamics_derivatives(figure, q, v, a, loads).dq
    close(
        found, twin.ours(theirs) + J.T @ turned
    )  # tau falls by what a load gives: − Jᵀ (load that stays − that turns)
