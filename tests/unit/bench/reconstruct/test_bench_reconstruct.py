"""The reconstruct bench: its trial, its report."""

import json

import numpy as np
import pytest

from bench import register
from bench.reconstruct import cases as reconstruct
from bench.reconstruct.peers import opensim
from bench.reconstruct.synthetic_trial import make_trial
from motiform.base.errors import InputError


def test_the_trial_is_what_is_said(tmp_path):
    trial = make_trial(tmp_path, samples=3)
    assert (trial.figure.nv, len(trial.figure.tags)) == (37, 45)
    assert trial.markers["markers"].shape == (3, 45, 3)
    assert {"walker.osim", "walk.trc"} <= {path.name for path in tmp_path.iterdir()}
    assert trial.distance(np.tile(trial.figure.neutral(), (3, 1))) > 0.01


def test_report(monkeypatch):
    monkeypatch.setattr(reconstruct, "_ROUNDS", 1)
    monkeypatch.setattr(reconstruct, "make_trial", lambda folder: make_trial(folder, samples=4))
    monkeypatch.setattr(opensim, "run_opensim", lambda trial: (8.0, np.tile(trial.figure.neutral(), (4, 1))))
    monkeypatch.setattr(register, "usable", lambda name: True)
    seen = []
    rows = json.loads(json.dumps(reconstruct.measure(device="cpu", progress=seen.append).as_dict()))["results"]
    assert seen[-1] == 1.0
    for row in rows:
        assert (row["case"], row["unit"], row["better"]) == ("ik/trial", "ms", "lower")
        assert row["peers"] == {"opensim": 2000.0}
        assert row["speedup"]["opensim"] == pytest.approx(2000.0 / row["ours"], rel=1e-3)
        assert row["error_mm"]["ours"] < row["error_mm"]["opensim"]
    assert rows[0]["threads"] == 1


def test_cpu_only():
    with pytest.raises(InputError, match="CPU"):
        reconstruct.measure(device="cuda", progress=lambda fraction: None)
