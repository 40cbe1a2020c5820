"""The model of the bench, and the peers that are always there."""

import numpy as np

from bench.act.cases import Legs, Shared
from bench.act.model import postures, write_model
from bench.act.peers.numpy import paths
from bench.act.peers.scipy import bounded
from motiform.motion.actuation.muscles import path_geometry, read_muscles, share_moments


def test_arrays_over_postures_have_our_lengths_and_arms(tmp_path):
    """Another way to the same lengths: rounding of 1 m and of angles near grazing, below 1e-10."""
    write_model(tmp_path / "legs.osim")
    muscles = read_muscles(tmp_path / "legs.osim")
    legs = Legs(tmp_path / "legs.osim", muscles, postures(muscles.figure.coordinates, 12))
    assert len(muscles.muscles) == 92
    ours = path_geometry(muscles.paths, legs.q)
    length, arm = paths(legs)(12)
    np.testing.assert_allclose(length, ours.length, atol=1e-10)
    np.testing.assert_allclose(arm, ours.arm, atol=1e-8)


def test_bounded_least_squares_are_our_shares():
    """bvls stops at 1e-10 of the cost: activations to 1e-5."""
    rng = np.random.default_rng(0)
    shared = Shared(rng.normal(size=(3, 10, 4)) * 30, rng.normal(size=(3, 4)) * 30)
    ours = share_moments(shared.gain, shared.moment, 0.01, 1.0)
    np.testing.assert_allclose(bounded(shared)(3), ours.activation, atol=1e-5)
