"""Motion of a wrist in time as a run: recorded while it grows, interrupted, resumed, refused."""

import numpy as np
import pytest

from models import Stop, stop_after
from motiform.base.errors import InputError, RecordingError
from motiform.motion.bones import Loads
from motiform.motion.run import blocks
from motiform.record import Recorder, compare, open_recording
from wrists import carpus

TIMES = {"semi-implicit": [0.0, 0.05, 0.1, 0.15, 0.3], "cash-karp": [0.0, 5e-5, 1e-4, 1.5e-4, 2e-4]}


def bent(method="semi-implicit", **options):
    """A wrist that is flexed by 20° in 0.3 s, with friction."""
    times = np.array(TIMES[method])
    settings = {"step": 1e-2, "tolerance": 1e-4, "loads": Loads(drag=50.0, friction=0.3, creep=1e-3)} | options
    return carpus().simulate(times, flexion=np.deg2rad(20.0) * times / 0.3, method=method, **settings)


@pytest.fixture
def many_commits(monkeypatch):
    """Each sample is a block, committed with its checkpoint."""
    monkeypatch.setattr(blocks, "_PACE", 0.0)
    commit = Recorder.commit
    monkeypatch.setattr(
        Recorder, "commit", lambda self, checkpoint=None, force=False: commit(self, checkpoint, force=True)
    )


@pytest.mark.parametrize("method", TIMES)
def test_an_interrupted_run_goes_on_to_the_same_bits(method, tmp_path, many_commits):
    whole, out = bent(method), tmp_path / "bent.mf"
    for part in (0.2, 0.6):
        with pytest.raises(Stop):
            bent(method, out=out, resume=True, progress=stop_after(part, Stop))
        left = open_recording(out)
        assert not left.complete
        assert 0 < left.count("energy") < 5
    told = []
    resumed = bent(method, out=out, resume=True, progress=told.append)
    assert told[0] > 0.5  # it goes on; it does not begin again
    assert resumed.complete
    assert compare(whole, resumed).identical
    assert resumed.manifest["labels"] == whole.manifest["labels"]
    assert bent(method, out=out, resume=True).complete  # found finished


def test_a_recording_of_another_run_is_refused(tmp_path):
    out = tmp_path / "bent.mf"
    bent(out=out)
    with pytest.raises(RecordingError, match="another run"):
        bent(out=out, resume=True, step=5e-3)
    with pytest.raises(RecordingError, match="already"):
        bent(out=out)
    assert bent(out=out, overwrite=True, step=5e-3).complete
    with pytest.raises(InputError, match="on disk"):
        bent(resume=True)
