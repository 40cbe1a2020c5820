"""Gaps and normals of two solids, with the kernels as plain Python: compiling them takes longer than all of this."""

import os
import subprocess
import sys

import numpy as np

ROUNDS = 4  # poses of each pair of kinds


def turned(rng):
    """Return a random rotation matrix."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


def check_pair(first, second, rng, net):
    """Check one pair: the gap is that along its normal, and along no other it is greater."""
    from motiform.geometry.touch.columns import MOST, ROOM, TOUCH_FLOATS, WIDTH
    from motiform.geometry.touch.manifold_kernels import touch_pair
    from motiform.geometry.touch.solids import reach_of, touch_numbers

    R, o = turned(rng), 0.07 * rng.normal(size=3)
    (a, one), (b, two) = touch_numbers(first), touch_numbers(second)
    F, size = np.array([*one, *two]), 2 * min(reach_of(first), reach_of(second))
    room, T = np.empty((ROOM, WIDTH)), np.empty((MOST, TOUCH_FLOATS))
    pair = a, 0, b, len(one), tuple(R.ravel().tolist()), tuple(o.tolist())
    count, gap = touch_pair(F, pair, (0.0, 0.0, 0.0), size, np.inf, room, T)

    def along(n):
        return -n @ o - first.reach(-n) - second.reach(n @ R)

    left = 2e-4 * size if gap < 0 else 1e-12  # what a rough polytope leaves of an overlap
    assert gap >= along(net).max() - left, (first.kind, second.kind, gap, along(net).max())
    found = along(T[:count, 4:7])
    assert np.abs(np.linalg.norm(T[:count, 4:7], axis=1) - 1).max() < 1e-12
    assert np.abs(found - gap).min() < 1e-3 * size, (first.kind, second.kind, gap, found)  # of a face that lies flat
    if count == 1:
        assert abs(found[0] - gap) < 1e-9, (first.kind, second.kind, gap, found)
    return gap


def check_all():
    """Check all pairs of kinds that are convex, apart and overlapping."""
    from motiform.geometry import Ball, Box, Capsule, Cone, Cylinder, Ellipsoid

    solids = (
        Ball(0.05), Box((0.2, 0.1, 0.15)), Capsule(0.04, 0.15), Cylinder(0.06, 0.15), Cone(0.08, 0.15),
        Cone(0.08, 0.15, 0.03), Ellipsoid((0.1, 0.05, 0.07)),
    )  # fmt: skip
    rng = np.random.default_rng(4)
    net = rng.normal(size=(4000, 3))
    net /= np.linalg.norm(net, axis=1, keepdims=True)
    gaps = [
        check_pair(a, b, rng, net)
        for k, a in enumerate(solids)
        for b in solids[k:]
        for _ in range(ROUNDS)
    ]  # fmt: skip
    assert 0.25 < np.mean(np.array(gaps) < 0) < 0.75


def test_gaps_are_the_greatest_over_all_normals():
    """Apart this is the distance, overlapping the least shift that parts them: max over n of −h_a(−n) − h_b(n)."""
    ran = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


if __name__ == "__main__":
    check_all()
