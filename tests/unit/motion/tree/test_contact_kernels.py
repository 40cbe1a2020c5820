"""The kernels of the contact joint give the numbers of the NumPy class."""

import numpy as np
import pytest

from motiform.base.kernels import compiled
from motiform.geometry import surfaces as s
from motiform.motion.tree.contact_joints.contact import contact
from motiform.motion.tree.kernels import contact as contact_kernels
from motiform.spatial import Transform, random_rotation

EPS = np.finfo(float).eps
RADII = (0.5, 0.4, 0.3)
SMOOTH = [s.plane(), s.sphere(0.4), s.cylinder(0.3), s.cone(0.5), s.torus(0.6, 0.2), s.ellipsoid(RADII)]
HOLLOW = [
    s.sphere(2.0, inside=True),
    s.cylinder(2.0, inside=True),
    s.torus(5.0, 2.0, inside=True),
    s.ellipsoid((2.5, 2.2, 2.0), inside=True),
    s.cone(0.8, inside=True),
]
EDGE = s.circle(0.4)
CASES = (
    [(a, b, {}) for a in SMOOTH for b in SMOOTH if not (a.kind == b.kind == "plane")]
    + [(a, b, {}) for a in HOLLOW for b in (s.sphere(0.1), s.ellipsoid((0.12, 0.1, 0.08)), s.circle(0.1))]
    + [(EDGE, b, {}) for b in SMOOTH]
    + [(a, EDGE, {}) for a in [*SMOOTH, EDGE]]
    + [
        (s.plane(), s.plane(), {"rolling": False}),
        (s.cylinder(0.3), s.cylinder(0.5), {"line": True}),
        (s.cylinder(0.9, inside=True), s.cylinder(0.5), {}),
    ]
)


@compiled
def everything(numbers, at, q, iq, b, t, place, rates, dq, repaired):
    """Put the answers of all kernels in arrays; return their status."""
    R, p, RL, pL = contact_kernels.contact_place(numbers, at, q, iq, b)
    for i in range(9):
        place[i], place[12 + i] = R[i], RL[i]
    for i in range(3):
        place[9 + i], place[21 + i] = p[i], pL[i]
    six = (t[0], t[1], t[2], t[3], t[4], 0.0)
    O1, s1, O2, s2, ok = contact_kernels.contact_rates(numbers, at, q, iq, b, six)
    for i in range(3):
        rates[i], rates[3 + i], rates[6 + i], rates[9 + i] = O1[i], s1[i], O2[i], s2[i]
    contact_kernels.contact_repair(numbers, at, repaired, iq, b)
    return ok + 2 * contact_kernels.contact_qdot(numbers, at, q, iq, b, six, dq, iq)


@compiled
def column(numbers, at, j):
    return contact_kernels.contact_column(numbers, at, j)


def near(surface, rng):
    return np.array([0.5, 0.1, 0.9]) if surface.kind == "cone" else rng.normal(size=3)


def start(joint, rng):
    one, two = joint.surfaces
    for _ in range(300):
        try:
            yaw = 0.0 if joint.pair.both_lines else rng.uniform(-3, 3)
            n1, n2 = (rng.normal(size=3) if x.edge else None for x in (one, two))
            q = joint.configuration(near(one, rng), near(two, rng), yaw=yaw, normal1=n1, normal2=n2)
        except Exception as error:
            problem = error
            continue
        if joint.pair.contact != "point" or joint.relative_curvature(q)[0] > 0.2:
            return q
    raise problem


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].kind}{'-in' * c[0].inside}-{c[1].kind}")
def test_kernels_equal_the_class(case):
    one, two, options = case
    rng = np.random.default_rng(3)
    poses = [Transform(random_rotation(rng), rng.normal(size=3)) for _ in range(2)]
    joint = contact(one, two, pose1=poses[0], pose2=poses[1], sliding=True, **options)
    if not joint.pair.follow:
        joint = contact(one, two, pose1=poses[0], pose2=poses[1], sliding=True, gauge=0.3, **options)
    # slightly off the surfaces, as the stages of an integrator are, with quaternions not of length one
    state = start(joint, rng) + 1e-3 * rng.normal(size=14)
    v = rng.normal(size=joint.nv)
    at, iq, b = 7, 2, 1
    numbers = np.concatenate([np.full(at, np.nan), joint.numbers(), [np.nan]])
    q = np.full((3, iq + 14), np.nan).T  # a state is contiguous on the CPU
    q[iq:, b] = state
    repaired, dq, place, rates = q.copy(), np.full_like(q, np.nan), np.zeros(24), np.zeros(12)
    t = joint._twist(v)[:5]
    assert everything(numbers, at, q, iq, b, t, place, rates, dq, repaired) == 3

    T, L, (x1, x2) = joint.transform(state), joint.frames(state)[1], joint.rates(state, v)
    expected = np.concatenate([T.rotation.ravel(), T.translation, L.rotation.ravel(), L.translation])
    assert np.abs(place - expected).max() < 50 * EPS  # products of rotations, lengths of a few metres
    # The 2×2 system has a condition of (K1 + K2)max/min; its solution is that much less exact.
    scale = np.abs(np.concatenate([x1, x2])).max()
    condition = 1.0
    if joint.pair.contact == "point" and np.isfinite(joint.relative_curvature(state)).all():
        condition = np.divide(*joint.relative_curvature(state)[::-1])
    tolerance = 200 * EPS * scale * condition
    assert np.abs(rates - np.concatenate([x1, x2])).max() < tolerance
    assert np.abs(dq[iq:, b] - joint.rate(state, v)).max() < tolerance
    assert np.isnan(dq[:iq]).all()
    assert np.isnan(dq[:, [0, 2]]).all()
    assert np.abs(repaired[iq:, b] - joint.repair(state)).max() < 40 * EPS
    assert tuple(column(numbers, at, j) for j in range(joint.nv)) == joint.columns


@pytest.mark.parametrize(
    ("one", "two"),
    [(s.sphere(0.5, inside=True), s.sphere(0.5)), (s.sphere(0.5, inside=True), s.sphere(0.6)), (EDGE, EDGE)],
)
def test_kernels_report_conforming_surfaces(one, two):
    joint = contact(one, two, sliding=True)
    upright = np.array([0.5, 0, 0, 1, 0, 0, 0])
    q = np.concatenate([upright, upright])[:, None]
    if one.edge:  # tangent edges: both around z with the normal along x
        half = np.sqrt(0.5)
        q[3:7, 0] = q[10:14, 0] = half, 0, half, 0
    status = everything(
        joint.numbers(), 0, q, 0, 0, np.ones(5), np.zeros(24), np.zeros(12), np.zeros((14, 1)), q.copy()
    )
    assert status == 0
