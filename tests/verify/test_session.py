"""A session that the project makes itself: walkers of known asymmetry, two conditions, a broken file, no static.

The markers have 0.2 mm of noise about those of the figure, so that its angles are what the fit finds: knees of
0.5 ± 0.4 rad have a range of 0.8 rad, of 0.5 ± 0.25 rad one of 0.5 rad.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.figures import human36
from motiform.motion.postures.gait.reference import read_reference, write_reference
from motiform.trials import session
from walkers import CYCLE, SPEED, standing, write_walk

BODY = {"height": 1.75, "mass": 70.0}
BROKEN = "PathFileType\t4\t(X/Y/Z)\tbroken.trc\nDataRate\tCameraRate\n"
# Channels of a carrier of 150 Hz that is on over the first half of each right cycle, which begins where the right heel
# is foremost; its side is told by its name.
EMG = {
    "RVL": lambda t: np.sin(2 * np.pi * 150 * t) * (1 + np.sin(2 * np.pi * t / CYCLE)),
    "EMG9": lambda t: np.sin(2 * np.pi * 150 * t),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The folder of the session, and what it has become."""
    folder = tmp_path_factory.mktemp("session")
    body = human36(**BODY)
    for k in range(2):
        write_walk(body, folder / "in" / "even" / f"walk{k}.c3d", later=0.1 * k, emg=EMG, seed=k)
        write_walk(body, folder / "in" / "limp" / f"walk{k}.trc", later=0.1 * k, knees=(0.4, 0.25), seed=9 + k)
    (folder / "in" / "limp" / "broken.trc").write_text(BROKEN)
    return folder, session(folder / "in", folder / "out", **BODY, pdf=True)


def test_every_file_has_a_row_and_nothing_is_lost(place):
    _, found = place
    rows = {row["file"]: row for row in found.gait.trials}
    assert {name: row["status"] for name, row in rows.items()} == {
        "even/walk0.c3d": "done", "even/walk1.c3d": "done", "limp/broken.trc": "failed", "limp/walk0.trc": "done",
        "limp/walk1.trc": "done",
    }  # fmt: skip
    assert rows["limp/broken.trc"]["error"]
    assert "no static trial: zeros of angles are known to some degrees only" in found.gait.warnings
    assert "1 of the trials failed: limp/broken.trc" in found.gait.warnings
    for row in found.gait.trials:
        if row["status"] == "done":
            own = [one for one in found.gait.pool.cycles if one.trial == row["trial"]]
            assert len(own) == row["cycles_found_left"] + row["cycles_found_right"] >= 4


def test_the_asymmetry_is_recovered(place):
    """Ranges of the mean knee curves: off by the noise, and by the bend between points, 0.4 (2 π / 100)² / 2 rad.

    0.2 mm at markers 0.1 m from the knee are 2 mrad in a cycle, in the mean of four 1 mrad; the ends of a range are
    some three deviations out, each, and calibration shifts markers by less than this noise.
    """
    gait = place[1].gait
    tiny = np.rad2deg(0.4 * (2 * np.pi / 100) ** 2 / 2 + 2 * 3 * 1e-3)
    for condition, side, size in (("even", "l", 0.4), ("even", "r", 0.4), ("limp", "l", 0.25), ("limp", "r", 0.4)):
        mean = gait.mean("knee flexion", condition, side).mean
        assert np.ptp(mean) == pytest.approx(np.rad2deg(2 * size), abs=tiny)
        assert mean[:-1].mean() == pytest.approx(np.rad2deg(0.5), abs=0.5)
    rows = {(row["condition"], row["title"]): row for row in gait.sides_compared()}
    limp, even = rows["limp", "knee flexion"], rows["even", "knee flexion"]
    assert limp["range_asymmetry"] == pytest.approx(200 * (0.25 - 0.4) / 0.65, abs=1.0)
    assert even["range_asymmetry"] == pytest.approx(0.0, abs=1.0)
    # The difference of two sines of one phase, 0.15 rad: its root mean square is that over √2.
    assert limp["rms"] == pytest.approx(np.rad2deg(0.15) / np.sqrt(2), abs=0.5)
    assert even["rms"] < 0.5
    apart = {(row["side"], row["title"]): row for row in gait.conditions_compared()}
    assert apart["l", "knee flexion"]["rms"] == pytest.approx(np.rad2deg(0.15) / np.sqrt(2), abs=0.5)
    assert apart["r", "knee flexion"]["rms"] < 0.5
    alike = [row for row in gait.consistency() if row["title"] == "knee flexion"]
    assert min(row["cmc"] for row in alike) > 0.99


def test_strides_in_space_and_time(place):
    from motiform.motion.postures.gait.spatial import summarise

    found = summarise(place[1].gait.strides_of("even"))
    assert found["stride_time"].mean == pytest.approx(CYCLE, abs=0.02)
    assert found["speed"].mean == pytest.approx(SPEED, rel=1e-3)
    assert found["stride_length"].mean == pytest.approx(SPEED * CYCLE, rel=0.02)
    assert found["cadence"].mean == pytest.approx(120 / CYCLE, rel=0.02)
    assert found["stance"].mean + found["swing"].mean == pytest.approx(100.0)


def test_envelopes_over_the_cycle(place):
    """1 + sin(2 π t/T) is largest a quarter of a cycle after t = 0: at the same place in the cycles of both trials."""
    gait = place[1].gait
    curve = gait.mean("vastus lateralis EMG", "even", "r").mean
    assert np.nanmax(curve) == pytest.approx(100.0)
    assert np.nanmin(curve) < 10.0
    assert not len(gait.pool.curves("vastus lateralis EMG", "limp", "r"))
    notes = [note for row in gait.trials for note in row.get("notes") or ()]
    assert "EMG left out, EMG9: its name does not tell the side" in notes


def test_tables_and_json_say_the_same(place):
    folder, found = place
    told = json.loads((folder / "out" / "session.json").read_text())
    assert (told["kind"], told["version"], told["conditions"]) == ("motiform session", 1, ["even", "limp"])
    assert len(told["cycles"]) == len(found.gait.pool.cycles)
    page = (Path(__file__).parents[2] / "docs" / "session.md").read_text("utf-8")
    assert [key for key in told if f"`{key}`" not in page and key not in ("kind", "version", "motiform")] == []
    own = {(one["condition"], one["side"]): one for one in told["means"] if one["title"] == "knee flexion"}
    mean = found.gait.mean("knee flexion", "limp", "l").mean
    assert own["limp", "l"]["mean"] == pytest.approx(mean.tolist(), rel=1e-5)
    with (folder / "out" / "session_means.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream)
                if (row["quantity"], row["condition"], row["side"]) == ("knee flexion", "limp", "left")]  # fmt: skip
    assert [float(row["mean"]) for row in rows] == pytest.approx(mean.tolist(), rel=1e-5)
    with (folder / "out" / "session_cycles.csv").open(newline="") as stream:
        every = list(csv.DictReader(stream))
    assert len(every) == 101 * len(told["cycles"])
    page = (folder / "out" / "session.html").read_text("utf-8")
    for words in ("Spatio-temporal", "Sagittal plane", "Condition against condition", "Electromyography", "Consistency",
                  "limp/broken.trc", "What is left out"):  # fmt: skip
        assert words in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert (folder / "out" / "session.pdf").read_bytes().startswith(b"%PDF")


def test_a_second_run_does_nothing_again_and_gives_the_same_bytes(place):
    folder, found = place
    before = {path.name: path.read_bytes() for path in found.files}
    again = session(folder / "in", folder / "out", **BODY, pdf=True)
    assert sorted(row["status"] for row in again.batch.rows) == ["failed", *["skipped"] * 4]
    assert {path.name: path.read_bytes() for path in again.files} == before


def test_a_session_is_the_reference_of_another(place, tmp_path):
    """Even walking as the reference of both: scores are zero for itself, and those of the left knee for limping."""
    folder, _ = place
    found = session(folder / "in", folder / "out", **BODY, reference=f"{folder / 'out' / 'session.json'}:even")
    even, limp = found.gait.indices()
    assert max(value for own in even.profile.values() for value in own.values()) < 0.5
    # both sides of the reference are alike: so is their mean
    assert limp.profile["l"]["knee flexion"] == pytest.approx(np.rad2deg(0.15) / np.sqrt(2), abs=0.5)
    assert limp.profile["r"]["knee flexion"] < 0.5
    assert even.deviation == {}
    assert "of 1 subject" in found.gait.no_deviation_index()
    with pytest.raises(InputError, match="must be given with one of them"):
        read_reference(folder / "out" / "session.json")
    with pytest.raises(InputError, match="a reference must have subjects, each once"):
        write_reference([f"{folder / 'out' / 'session.json'}:even"], tmp_path / "r.json", source="one")


def test_a_static_trial_calibrates_and_a_still_one_is_found(tmp_path):
    body = human36(**BODY)
    write_walk(body, tmp_path / "in" / "one.trc")
    standing(body, tmp_path / "in" / "two.trc")
    found = session(tmp_path / "in", tmp_path / "out", **BODY, report=False)
    rows = {row["file"]: row for row in found.gait.trials}
    assert (rows["two.trc"]["role"], rows["two.trc"]["why"]) == ("static", "its markers stay within 30 mm")
    assert found.gait.settings["calibration"]["by"] == "static trials"
    assert not [words for words in found.gait.warnings if "static" in words]
    assert not (tmp_path / "out" / "session.html").exists()


def test_a_folder_of_statics_alone_is_refused(tmp_path):
    standing(human36(**BODY), tmp_path / "static.trc")
    with pytest.raises(InputError, match="a session must have gait trials"):
        session(tmp_path, tmp_path / "out")
