"""Exact markers converge within the rounding of their numbers, wherever the origin is."""

import numpy as np
import pytest

from motiform.motion import figures
from motiform.motion.postures import Fit, fit_trial
from motiform.motion.postures.fit import options
from motiform.motion.tree import tags
from motiform.record import Channel, Recording

U = 0.5 * np.finfo(float).eps


def recording(x, names):
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=60.0)
    return Recording.from_arrays({"markers": (channel, x)}, manifest={"labels": {"marker": names}, "up": "y"})


@pytest.mark.parametrize("away", [0.0, 1e3, 1e5, 1e7])
@pytest.mark.parametrize("count", [18, 28])
def test_exact_markers_converge(away, count, monkeypatch):
    """58 of 60 samples did not, 100 km from the origin: steps below rounding were asked for."""
    man = figures.human36()
    t = np.arange(60)[:, None] / 60
    size = 0.15 * np.random.default_rng(1).normal(size=(2, man.nq))
    x = tags(man, man.neutral() + size[0] * np.sin(2 * np.pi * t) + 0.5 * size[1] * np.cos(2 * np.pi * t))
    x = x[:, :count] + (away, 0.0, 0.0)
    monkeypatch.setattr(options, "EXACT", 0.0)  # the search alone, without what is exact enough
    found = fit_trial.fit_markers(man, recording(x, list(man.tag_names[:count])), Fit())
    bound = found.fitter.rounding(found.markers)
    assert (found.found.status == options.FINE).all()
    assert np.median(found.found.rms) <= bound.max()
    assert found.found.rms.max() <= 10 * max(bound.max(), found.fit.accuracy)  # the last step is that small, too
    assert np.median(found.found.steps) <= 10
    # the bound is that of the numbers: three roundings of the size of the coordinates, and those of a body of 2 m
    assert 3 * U * away <= bound.min()
    assert bound.max() <= 3 * U * (1.001 * away + 3.0) + 37 * U * 7 * 3.0


def test_the_bound_is_above_the_rounding_of_tags():
    """A shift rounds every sum of the way anew."""
    man, shift = figures.human36(), 0.1
    q = man.neutral() + np.random.default_rng(0).uniform(-0.6, 0.6, (200, man.nq))
    moved = q.copy()
    moved[:, [name.endswith("forward") for name in man.coordinates]] += shift
    off = np.linalg.norm(tags(man, moved) - tags(man, q) - (shift, 0.0, 0.0), axis=-1).max(0)
    chain = fit_trial.Fitter(man, np.ones(28), man.neutral()).chain
    assert off.max() > U
    assert (off <= 2 * (chain + 3 * U * np.linalg.norm(tags(man, q), axis=-1).max(0))).all()  # of both
