"""Muscle paths of a model file by us and by OpenSim: two legs with 92 muscles, 34 of them over a cylinder.

Without wrapping both do the same arithmetic: 1e-12 m. Over a cylinder OpenSim's points of tangency are approximate (an
apex in place of the unrolled line); lengths differ by the square of that angle, moment arms by the angle itself.
"""

import numpy as np
import pytest

from motiform.bench.act.cases import Legs
from motiform.bench.act.model import postures, write_model
from motiform.motion.actuation.muscles import path_geometry, read_muscles

pytest.importorskip("opensim", reason="opensim has no wheel for this platform, or is not installed")


def test_lengths_and_moment_arms(tmp_path):
    from motiform.bench.act.peers.opensim import paths

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
