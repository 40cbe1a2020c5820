"""A session of one real trial: forces of the ground against the plates themselves, and what is known of walking."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import motiform
from motiform.trials import session

DATA = os.environ.get("MOTIFORM_DATA")
pytestmark = [
    pytest.mark.skipif(not DATA, reason="MOTIFORM_DATA is not set: the real trials are not here"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("session")
    (folder / "in").mkdir()
    shutil.copy(Path(DATA) / "mocap" / "walking5.c3d", folder / "in")
    return folder, session(folder / "in", folder / "out", report=False).gait


def test_forces_over_the_cycle_are_those_of_the_plates(walk):
    """Right stances: in the middle of single support the foot carries all that any plate tells."""
    folder, gait = walk
    title = "ground force upward"
    rows = [k for k in gait.pool.of("", "r") if not gait.pool.quantities[title].left_out[k]]
    assert rows
    trial = motiform.read_markers(folder / "in" / "walking5.c3d")
    up = "xyz".index(trial.manifest["up"])
    whole = np.abs(np.asarray(trial["plate.force"])[..., up].sum(1))
    times = trial.time("plate.force")
    mass = float(next(note for note in gait.notes if note.startswith("mass")).split()[1])
    for k in rows:
        cycle = gait.pool.cycles[k]
        for percent in (25, 30, 35, 40):  # of the cycle: the left foot swings
            at = cycle.start + (cycle.end - cycle.start) * percent / 100
            expected = float(np.interp(at, times, whole)) / (mass * 9.81)
            # both are interpolated, from 250 Hz and from the rate of the plates
            assert gait.pool.quantities[title].values[k][percent] == pytest.approx(expected, abs=0.02)


def test_a_usual_walk(walk):
    """Ranges that textbooks of gait have for adults: knee 55 to 70°, hip 35 to 50°, stance 60 %.

    [Kadaba90]; the trial is fast, 1.6 m/s.
    """
    from motiform.motion.postures.gait.spatial import summarise

    _, gait = walk
    knee, hip = (np.ptp(gait.mean(title, "", "r").mean) for title in ("knee flexion", "hip flexion"))
    assert 50 < knee < 80
    assert 35 < hip < 55
    found = summarise(gait.strides_of(""))
    assert found["stance"].mean == pytest.approx(60, abs=5)
    assert found["double_support"].mean == pytest.approx(25, abs=6)
    assert found["speed"].mean == pytest.approx(found["stride_length"].mean / found["stride_time"].mean, rel=0.03)
