"""Postures of a model that OpenSim reads too: the same minimum, at its tightest accuracy."""

import numpy as np
import pytest

import motiform
from bench.reconstruct.peers.opensim import run_opensim
from bench.reconstruct.synthetic_trial import make_trial

pytest.importorskip("opensim")


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    return make_trial(tmp_path_factory.mktemp("opensim"), samples=40, seed=3)


def test_same_minimum_as_opensim(trial):
    """Distances to 1 µm, angles to 0.01°: both are at the minimum, so the difference is their accuracy."""
    _, theirs = run_opensim(trial, accuracy=1e-9)
    rec = motiform.reconstruct(trial.figure, trial.markers, dynamics=False)
    assert abs(trial.distance(rec["q"]) - trial.distance(theirs)) < 1e-6
    per_sample = np.sqrt(((motiform.tags(trial.figure, theirs) - rec["markers"]) ** 2).sum(-1).mean(1))
    assert np.abs(per_sample - rec["error.rms"]).max() < 1e-6
    assert np.degrees(np.abs(rec["q"] - theirs).max()) < 0.01


def test_never_farther_than_opensim_at_its_default_accuracy(trial):
    _, theirs = run_opensim(trial)
    rec = motiform.reconstruct(trial.figure, trial.markers, dynamics=False)
    assert trial.distance(rec["q"]) <= trial.distance(theirs)
