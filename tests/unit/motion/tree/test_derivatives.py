"""Derivatives of inverse and forward dynamics: against differences, between kinds of joints, and what is refused.

Differences here are of sixth order with the step H along `advance`: their error is H⁶/140 times a seventh derivative
(at most 3⁷ of the forces for the products of turns in these trees) plus 2 eps/H, together below 1e-10 of the forces.
"""

import numpy as np
import pytest

from motiform import FigureBuilder, joints
from motiform.base.errors import InputError, RunError
from motiform.geometry import surfaces
from motiform.motion.tree import advance, forward_dynamics, inertia_matrix, inverse_dynamics, nonlinear_effects
from motiform.motion.tree.algorithms.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from motiform.motion.tree.algorithms.matrices import coriolis_matrix, gravity_effects
from motiform.motion.tree.model.joint import Joint
from motiform.spatial import Transform, exp_rotation, random_rotation

H = 0.01
DIFFERENCES = 1e-10
ROUNDING = 1e-13  # some hundred operations, each good to 2e-16


class Hinge(Joint):
    """A hinge about z that only its own methods describe."""

    nq = nv = 1
    names = ("turn",)

    def neutral(self):
        return np.zeros(1)

    def transform(self, q):
        turn = exp_rotation(np.array([0.0, 0.0, 1.0]) * q)
        return Transform(turn, np.zeros((*q.shape[:-1], 3)))

    def subspace(self, q):
        return np.broadcast_to(np.eye(6)[:, 2:3], (*q.shape[:-1], 6, 1))

    def subspace_rate(self, q, v):
        return np.zeros((*q.shape[:-1], 6, 1))

    def rate(self, q, v):
        return v


def knee(second):
    """A function joint: a turn about z that also shifts along x."""
    return joints.function(
        [
            (joints.Axis("revolute", (0, 0, 1)), joints.linear(), "knee"),
            (joints.Axis("prismatic", (1, 0, 0)), second, "knee"),
        ]
    )


KINDS = {
    "axes": [
        joints.universal((1, 2, 0), (0, 0, 1)),
        joints.helical((1, 1, 0), 0.1, point=(0.1, 0.2, 0.3)),
        joints.cardan("zxz", (1, -1, 1)),
        joints.planar((1, 2, 3)),
        joints.prismatic((1, 2, 3), offset=0.3),
    ],
    "ball": [joints.spherical(), joints.revolute((1, 0, 0)), joints.spherical()],
    "free": [joints.free(), joints.spherical(), joints.universal((1, 2, 0), (0, 0, 1)), joints.fixed(), joints.free()],
    "function": [joints.free(), knee(joints.Polynomial((0.1, 0.3, -0.2, 0.5))), joints.revolute((1, 1, 0))],
    "contact": [joints.revolute((0, 0, 1)), joints.contact(surfaces.plane(), surfaces.sphere(0.3)), joints.spherical()],
    "slide": [
        joints.free(),
        joints.contact(surfaces.ellipsoid((1.0, 0.7, 0.5)), surfaces.torus(0.4, 0.1), sliding=True),
        joints.revolute((1, 1, 0)),
    ],
    "user": [joints.revolute((1, 0, 0)), Hinge(), joints.spherical()],
}
kinds = pytest.mark.parametrize("kind", KINDS)


def tree(chain, rng, couplings=(), branch=True):
    """A tree of random segments, each on one of the two before it, with armature and damping."""
    b = FigureBuilder(gravity=(1.0, -9.0, 3.0))
    for n, joint in enumerate(chain):
        points = rng.normal(size=(8, 3)) * 0.2
        points -= points.mean(0)
        mass = rng.uniform(0.5, 3)
        b.segment(
            f"s{n}",
            None if n == 0 else f"s{rng.integers(max(0, n - 2), n) if branch else n - 1}",
            joint,
            placement=Transform(random_rotation(rng), rng.normal(size=3) * 0.3),
            mass=mass,
            com=rng.normal(size=3) * 0.2,
            inertia=mass / 8 * (np.eye(3) * (points**2).sum() - points.T @ points),
            armature=rng.uniform(0, 0.3),
            damping=rng.uniform(0, 0.5),
        )
    for coupling in couplings:
        b.couple(*coupling)
    return b.build()


def state(figure, rng, scale=0.2):
    """A random state near the neutral one, and loads."""
    q = advance(figure, figure.neutral(), rng.normal(size=figure.nv) * scale)
    return q, *rng.normal(size=(2, figure.nv)), rng.normal(size=(len(figure.segments), 6))


def along_motions(f, q, nv):
    """Columns of the derivative of f(q) along each velocity, by sixth-order differences."""
    columns = []
    for e in np.eye(nv):
        parts = [c * (f(q, m * H * e) - f(q, -m * H * e)) for m, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))]
        columns.append(sum(parts) / H)
    return np.stack(columns, axis=-1)


def close(found, expected, tolerance):
    assert np.abs(found - expected).max() <= tolerance * max(np.abs(expected).max(), 1.0)


@kinds
def test_inverse_dynamics_against_differences(kind):
    rng = np.random.default_rng(5)
    figure = tree(KINDS[kind], rng)
    q, v, a, loads = state(figure, rng)
    dq, dv, da = inverse_dynamics_derivatives(figure, q, v, a, loads)
    expected = along_motions(lambda q, d: inverse_dynamics(figure, advance(figure, q, d), v, a, loads), q, figure.nv)
    close(dq, expected, DIFFERENCES)
    change = [inverse_dynamics(figure, q, v + e, a) - inverse_dynamics(figure, q, v - e, a) for e in np.eye(figure.nv)]
    close(dv, np.stack(change, axis=-1) / 2, ROUNDING)  # a quadratic: the difference is exact
    close(da, inertia_matrix(figure, q), ROUNDING)


@kinds
def test_forward_dynamics_against_differences(kind):
    rng = np.random.default_rng(6)
    figure = tree(KINDS[kind], rng)
    q, v, tau, loads = state(figure, rng)
    dq, dv, dtau = forward_dynamics_derivatives(figure, q, v, tau, loads)
    M = inertia_matrix(figure, q)
    worse = np.linalg.cond(M)  # accelerations carry the error of forces times M⁻¹
    expected = along_motions(lambda q, d: forward_dynamics(figure, advance(figure, q, d), v, tau, loads), q, figure.nv)
    close(dq, expected, worse * DIFFERENCES)
    units = np.eye(figure.nv)
    change = [forward_dynamics(figure, q, v + e, tau) - forward_dynamics(figure, q, v - e, tau) for e in units]
    close(dv, np.stack(change, axis=-1) / 2, worse * ROUNDING)
    close(dtau @ M, units, worse * ROUNDING)


@kinds
def test_one_state_and_many(kind):
    rng = np.random.default_rng(7)
    figure = tree(KINDS[kind], rng)
    q = np.stack([state(figure, rng)[0] for _ in range(5)])
    v, a = rng.normal(size=(2, 5, figure.nv))
    for derivatives in (inverse_dynamics_derivatives, forward_dynamics_derivatives):
        many = derivatives(figure, q, v, a)
        for n in range(5):
            for found, one in zip(many, derivatives(figure, q[n], v[n], a[n]), strict=True):
                close(found[n], one, 1e-11)  # differences may take another step in a batch of other states
        spread = derivatives(figure, q[:, None], v[:2], a[0])
        assert spread.dq.shape == (5, 2, figure.nv, figure.nv)
        close(spread.dv[0, 0], derivatives(figure, q[0], v[0], a[0]).dv, 1e-11)


def test_one_state_and_many_have_the_same_bits_where_kernels_know_the_joints():
    rng = np.random.default_rng(8)
    figure = tree(KINDS["free"], rng)
    q, v, a, _ = state(figure, rng)
    for derivatives in (inverse_dynamics_derivatives, forward_dynamics_derivatives):
        many = derivatives(figure, np.stack([q] * 4), v, a)
        for found, one in zip(many, derivatives(figure, q, v, a), strict=True):
            assert np.array_equal(found, np.stack([one] * 4))


def test_velocity_derivative_is_twice_the_coriolis_terms_and_the_damping():
    """Forces are quadratic in v: Euler's theorem gives dtau/dv v = 2 C v + D v."""
    rng = np.random.default_rng(9)
    figure = tree(KINDS["free"], rng)
    q, v, a, _ = state(figure, rng)
    damping = np.concatenate([segment.damping for segment in figure.segments])
    found = inverse_dynamics_derivatives(figure, q, v, a).dv @ v
    close(found, 2 * coriolis_matrix(figure, q, v) @ v + damping * v, ROUNDING)
    close(
        coriolis_matrix(figure, q, v) @ v + gravity_effects(figure, q) + damping * v,
        nonlinear_effects(figure, q, v),
        ROUNDING,
    )


@pytest.mark.parametrize("other", [knee(joints.Polynomial((0.2,))), Hinge()], ids=["function", "user"])
def test_the_same_hinge_in_another_kind_of_joint(other):
    """Differences against the exact columns of a hinge that stands in the same place."""
    shift = 0.2 if isinstance(other, joints.FunctionJoint) else 0.0
    same = joints.AxesJoint([joints.Axis("revolute", (0, 0, 1)), joints.Axis("prismatic", (1, 0, 0), offset=shift)])
    figures = [
        tree([joints.free(), joint, joints.spherical()], np.random.default_rng(10), branch=False)
        for joint in (other, same)
    ]
    rng = np.random.default_rng(11)
    q, v, a, loads = state(figures[0], rng)
    at_q, at_v = np.insert(np.arange(12), 8, 12), np.insert(np.arange(10), 7, 10)  # the shift stays at zero
    q2, v2, a2 = (np.append(x, 0.0)[at] for x, at in ((q, at_q), (v, at_v), (a, at_v)))
    found = inverse_dynamics_derivatives(figures[0], q, v, a, loads)
    exact = inverse_dynamics_derivatives(figures[1], q2, v2, a2, loads)
    keep = np.delete(np.arange(11), 7)
    for x, y in zip(found[:2], exact[:2], strict=True):
        close(x, y[np.ix_(keep, keep)], 1e-11)


def test_sharp_surfaces_get_smaller_steps():
    """A flat ellipsoid bends within millimetres; differences with a step of 1e-4 rad are good to 2e-16/1e-4."""
    rng = np.random.default_rng(12)
    egg = joints.contact(surfaces.ellipsoid((0.1, 0.05, 0.03)), surfaces.plane(), sliding=True)
    figure = tree([joints.revolute((0, 0, 1)), egg], rng)
    q, v, a, loads = state(figure, rng, 0.05)
    dq = inverse_dynamics_derivatives(figure, q, v, a, loads).dq
    h = 1e-4
    for k, e in enumerate(np.eye(figure.nv)):
        parts = [
            c
            * (
                inverse_dynamics(figure, advance(figure, q, m * h * e), v, a, loads)
                - inverse_dynamics(figure, advance(figure, q, -m * h * e), v, a, loads)
            )
            for m, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))
        ]
        close(dq[:, k], sum(parts) / h, 1e-10)


def test_dependent_coordinates():
    rng = np.random.default_rng(13)
    chain = [joints.free(), joints.revolute((0, 0, 1), name="lead"), joints.revolute((0, 1, 0), name="follow")]
    chain.append(joints.universal((1, 0, 0), (0, 1, 0)))
    figure = tree(chain, rng, [("follow", "lead", joints.Polynomial((0.1, 0.5, 0.4, -0.2)))])
    q, v, a, loads = state(figure, rng)
    found = inverse_dynamics_derivatives(figure, q, v, a, loads)
    expected = along_motions(lambda q, d: inverse_dynamics(figure, advance(figure, q, d), v, a, loads), q, figure.nv)
    close(found.dq, expected, DIFFERENCES)
    change = [inverse_dynamics(figure, q, v + e, a) - inverse_dynamics(figure, q, v - e, a) for e in np.eye(figure.nv)]
    close(found.dv, np.stack(change, axis=-1) / 2, ROUNDING)
    close(found.da, inertia_matrix(figure, q), ROUNDING)
    forward = forward_dynamics_derivatives(figure, q, v, inverse_dynamics(figure, q, v, a, loads), loads)
    close(found.da @ forward.dq, -found.dq, 1e-10)


def test_coordinates_in_another_order():
    rng = np.random.default_rng(14)
    plain = tree(KINDS["axes"], rng)
    names = list(plain.coordinates)
    mixed = plain.replace(order=tuple(names[::-1]))
    q, v, a, _ = state(plain, rng)
    for derivatives in (inverse_dynamics_derivatives, forward_dynamics_derivatives):
        ours, others = derivatives(plain, q, v, a), derivatives(mixed, q[::-1].copy(), v[::-1].copy(), a[::-1].copy())
        for x, y in zip(ours, others, strict=True):
            close(y[::-1, ::-1], x, ROUNDING)


def test_a_pendulum_in_closed_form():
    """tau = (I + m l²) a + m g l sin q + d v."""
    b = FigureBuilder()
    b.segment(
        "bob",
        None,
        joints.revolute((0, 0, 1)),
        mass=2.0,
        com=(0, -0.5, 0),
        inertia=np.diag([0.1, 0.1, 0.1]),
        damping=0.3,
    )
    figure = b.build()
    dq, dv, da = inverse_dynamics_derivatives(figure, [0.4], [1.5], [2.0])
    inertia = 0.1 + 2.0 * 0.25
    assert dq.item() == pytest.approx(2.0 * 9.81 * 0.5 * np.cos(0.4), rel=1e-14)
    assert (dv.item(), da.item()) == pytest.approx((0.3, inertia), rel=1e-14)
    forward = forward_dynamics_derivatives(figure, [0.4], [1.5], [0.0])
    assert forward.dq.item() == pytest.approx(-2.0 * 9.81 * 0.5 * np.cos(0.4) / inertia, rel=1e-14)
    assert (forward.dv.item(), forward.dtau.item()) == pytest.approx((-0.3 / inertia, 1 / inertia), rel=1e-14)


# ---- what is refused


def two_bars():
    b = FigureBuilder()
    for n, parent in enumerate((None, "bar0")):
        b.segment(f"bar{n}", parent, joints.revolute((0, 0, 1)), mass=1.0, inertia=np.eye(3))
    return b


def test_closed_loops_are_refused_by_name():
    b = two_bars()
    b.close("ring", "bar1", (1, 0, 0), None, (1, 0, 0), "xy")
    with pytest.raises(InputError, match="ring"):
        forward_dynamics_derivatives(b.build(), np.zeros(2), np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("derivatives", [inverse_dynamics_derivatives, forward_dynamics_derivatives])
def test_bad_numbers(derivatives):
    figure = two_bars().build()
    with pytest.raises(InputError, match=r"v must have .*\(3,\)"):
        derivatives(figure, np.zeros(2), np.zeros(3), np.zeros(2))
    with pytest.raises(InputError, match=r"v\[1\] \(bar1\): the number must be finite"):
        derivatives(figure, np.zeros(2), np.array([0.0, np.nan]), np.zeros(2))


def test_a_joint_that_moves_no_mass():
    b = FigureBuilder()
    b.segment("nothing", None, joints.revolute((0, 0, 1)))
    with pytest.raises(RunError, match="nothing"):
        forward_dynamics_derivatives(b.build(), np.zeros(1), np.zeros(1), np.zeros(1))
