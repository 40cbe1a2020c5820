"""The reconstruct bench: its trial, its report."""

import json

import numpy as np
import pytest

from bench import register
from bench.reconstruct import cases as reconstruct
from bench.reconstruct.peers import opensim, opensim_whole
from bench.reconstruct.synthetic_trial import make_trial
from bench.reconstruct.whole import run_command, write_scale_setup
from motiform.base.errors import InputError
from motiform.motion.postures.opensim.scaling import read_scale_setup


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
    monkeypatch.setattr(opensim_whole, "tools", lambda trial: lambda: (6.0, 0.01))
    monkeypatch.setattr(reconstruct, "run_command", lambda trial: lambda: (2.0, 0.009))
    monkeypatch.setattr(register, "usable", lambda name: True)
    seen = []
    rows = json.loads(json.dumps(reconstruct.measure(device="cpu", progress=seen.append).as_dict()))["results"]
    assert seen[-1] == 1.0
    whole = rows.pop()
    assert (whole["case"], whole["unit"], whole["ours"]) == ("trial/whole", "s", 2.0)
    assert whole["peers"] == {"opensim": 6.0}
    assert whole["error_mm"] == {"ours": 9.0, "opensim": 10.0}
    for row in rows:
        assert (row["case"], row["unit"], row["better"]) == ("ik/trial", "ms", "lower")
        assert row["peers"] == {"opensim": 2000.0}
        assert row["speedup"]["opensim"] == pytest.approx(2000.0 / row["ours"], rel=1e-3)
        assert row["error_mm"]["ours"] < row["error_mm"]["opensim"]
    assert rows[0]["threads"] == 1


@pytest.mark.slow
def test_the_command_and_the_scripted_tools_do_the_same(tmp_path):
    """Both scale by the same distances: with their postures the markers are as far from the tags, to 1 %."""
    trial = make_trial(tmp_path, samples=30)
    assert read_scale_setup(write_scale_setup(trial)).model == tmp_path / "walker.osim"
    seconds, distance = run_command(trial)()
    assert seconds > 0
    # 5 mm beside its place and 2 mm of noise in each direction, and a scale that errs by as much
    assert 0.005 < distance < 0.015
    pytest.importorskip("opensim", reason="has no wheel for this platform")
    assert opensim_whole.tools(trial)()[1] == pytest.approx(distance, rel=0.01)


def test_cpu_only():
    with pytest.raises(InputError, match="CPU"):
        reconstruct.measure(device="cuda", progress=lambda fraction: None)
