"""Muscles of a model file by us and by OpenSim: two legs with 92 muscles, 34 of them over a cylinder.

Without wrapping both do the same arithmetic: 1e-12 m. Over a cylinder OpenSim's points of tangency are approximate (an
apex in place of the unrolled line); lengths differ by the square of that angle, moment arms by the angle itself.
"""

import numpy as np
import pytest

from bench.act.cases import Legs, Shared
from bench.act.model import postures, swing, write_model
from motiform.motion.actuation.muscles import path_geometry, read_muscles, static_optimization
from motiform.motion.tree import inverse_dynamics

pytest.importorskip("opensim", reason="opensim has no wheel for this platform, or is not installed")


def test_lengths_and_moment_arms(tmp_path):
    from bench.act.peers.opensim import paths

    write_model(tmp_path / "legs.osim")
    muscles = read_muscles(tmp_path / "legs.osim")
    legs = Legs(tmp_path / "legs.osim", muscles, postures(muscles.figure.coordinates, 10))
    ours = path_geometry(muscles.paths, legs.q)
    length, arm = paths(legs)(10)
    wrapped = np.array([bool(path.wraps) for path in muscles.paths.paths])
    np.testing.assert_allclose(ours.length[:, ~wrapped], length[:, ~wrapped], atol=1e-12)
    np.testing.assert_allclose(ours.arm[:, ~wrapped], arm[:, ~wrapped], atol=1e-12)
    np.testing.assert_allclose(ours.length[:, wrapped], length[:, wrapped], atol=1e-4)
    np.testing.assert_allclose(ours.arm[:, wrapped], arm[:, wrapped], atol=2e-3)
    assert (length - ours.length)[:, wrapped].min() > -1e-9  # no line round the cylinder is shorter than ours


def test_static_optimisation(tmp_path):
    """OpenSim stops at a cost of 1e-4 above the least; costs grow with the squares of activations, of 92 muscles."""
    from bench.act.peers.opensim import shares

    write_model(tmp_path / "legs.osim")
    muscles = read_muscles(tmp_path / "legs.osim")
    times, q, v, a = swing(muscles.figure.coordinates, 6)
    effort = inverse_dynamics(muscles.figure, q, v, a)
    rec = static_optimization(muscles, (times, q, v, effort), passive=False)
    ours, cost = rec["activation"], (rec["activation"] ** 2).sum(1) + (rec["reserve"] ** 2).sum(1)
    theirs = shares(Shared(np.zeros(0), np.zeros(0), Legs(tmp_path / "legs.osim", muscles, q)))(6)
    assert ours.max() > 0.1
    assert np.sqrt(np.mean((ours - theirs) ** 2)) < np.sqrt(1e-4 * cost.max() / 92)
