"""Studies: the table, what is run again and what is not, and what is refused before the first run."""

import csv
import json
import math
import shutil

import pytest

import motiform as mf
import study_models
from motiform.base.errors import InputError, MotiformError, RecordingError
from motiform.studies.folder import JOURNAL

WAVES = {"amplitude": [1.0, 2.0, 0.5]}
TOP = {"top": ("x", "max")}
pandas = pytest.importorskip("pandas", reason="tables are pandas' DataFrames")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "s"


def ran(folder):
    return len(list(folder.iterdir()))


def waves(out, folder=None, parameters=WAVES, measures=TOP, **options):
    settings = {} if folder is None else {"folder": str(folder)}
    return mf.study(study_models.wave, parameters, measures=measures, out=out, jobs=1, settings=settings, **options)


def test_a_scene_with_two_parameters(out):
    """Each row has the numbers of its own run, in the order of the grid."""
    grid = {"motion.step": [1e-3, 5e-4], "scene.duration": [0.1, 0.2]}
    measures = {"peak": ("energy", "max"), "end": ("handle.angular_velocity.y", "final")}
    found = mf.study("handle", grid, measures=measures, out=out, jobs=1)
    table = found.table
    assert list(table.columns) == [*grid, *measures, "status", "error", "seconds", "version", "hash"]
    assert [tuple(row) for row in table[list(grid)].to_numpy()] == [(a, b) for a in (1e-3, 5e-4) for b in (0.1, 0.2)]
    for number, row in table.iterrows():
        rec = mf.simulate("handle", settings={name: row[name] for name in grid})
        assert row["peak"] == rec["energy"].max()
        assert row["end"] == rec["handle.angular_velocity.y"][-1]
        assert mf.compare(found.recording(number), rec).identical
    assert set(table["status"]) == {"done"}
    assert table["hash"].nunique() == 4
    assert set(table["version"]) == {mf.__version__}
    assert (out / "index.html").read_text().count("<svg") >= 2
    with open(out / "table.csv", newline="") as file:
        assert [float(row["peak"]) for row in csv.DictReader(file)] == list(table["peak"])


def test_a_failing_case_is_a_row_with_its_error(out):
    found = mf.study(study_models.numbers, {"x": [4, -1, 9]}, out=out, jobs=1)
    table = found.table
    assert list(table["status"]) == ["done", "failed", "done"]
    assert table["error"][1] == "ValueError: no root of -1"
    assert math.isnan(table["root"][1])
    assert list(table["root"][[0, 2]]) == [2.0, 3.0]  # numbers of a function are columns of their own
    assert found.count == {"done": 2, "failed": 1, "skipped": 0, "left": 0}
    assert "no root of -1" in (out / "index.html").read_text()


def test_constraints_skip_cases(out):
    found = mf.study(study_models.numbers, {"x": [1, 4], "y": [1, 4]}, constraints=["x < y"], out=out, jobs=1)
    assert list(found.table["status"]) == ["skipped", "done", "skipped", "skipped"]
    with pytest.raises(InputError, match="must leave a case"):
        mf.study(study_models.numbers, {"x": [1, 4]}, constraints=["x > 9"], out=out / "b", jobs=1)


def test_what_is_done_is_not_run_again(out, tmp_path):
    (runs := tmp_path / "runs").mkdir()
    first = waves(out, runs)
    assert ran(runs) == 3
    again = waves(out, runs)  # the same study is opened
    assert (ran(runs), again.ran) == (3, 0)
    pandas.testing.assert_frame_equal(first.table, again.table)
    more = waves(out, runs, {"amplitude": [1.0, 3.0, 2.0, 0.5]}, resume=True)
    assert ran(runs) == 4
    assert list(more.table["top"]) == [1.0, 3.0, 2.0, 0.5]


def test_changed_measures_are_taken_of_kept_recordings(out, tmp_path):
    (runs := tmp_path / "runs").mkdir()
    before = waves(out, runs).table
    found = waves(out, runs, measures={"top": ("x", "max"), "low": ("x", "min"), "own": study_models.top}, resume=True)
    assert (ran(runs), found.ran, found.measured) == (3, 0, 3)
    assert list(found.table["own"]) == [1.0, 2.0, 0.5]
    assert (found.table["low"] < 0).all()
    assert list(found.table["seconds"]) == list(before["seconds"])  # those of the run
    shutil.rmtree(out / "runs")
    waves(out, runs, measures={"mean": ("x", "mean")}, resume=True)
    assert ran(runs) == 6  # nothing is kept: they run


def test_recordings_are_kept_by_choice(out, tmp_path):
    for keep, count in (("all", 3), ("failed", 0), ("none", 0)):
        waves(tmp_path / keep, keep=keep)
        assert len(list((tmp_path / keep).glob("runs/*/*.mf"))) == count
    with pytest.raises(InputError, match="is not kept"):
        waves(tmp_path / "none", keep="none").recording(0)
    with pytest.raises(InputError, match="Did you mean 'none'"):
        waves(out, keep="non")
    assert not out.exists()


def test_a_journal_cut_anywhere_gives_the_same_table(out, tmp_path):
    (runs := tmp_path / "runs").mkdir()
    whole = waves(out, runs).table.drop(columns="seconds")
    journal = (out / JOURNAL).read_bytes()
    for end in range(0, len(journal), 97):
        (out / JOURNAL).write_bytes(journal[:end])
        before, lines = ran(runs), journal[:end].count(b"\n")
        found = waves(out, runs, resume=True)
        assert ran(runs) - before == 3 - lines
        pandas.testing.assert_frame_equal(found.table.drop(columns="seconds"), whole)


def test_an_unfinished_study_is_not_continued_unasked(out):
    waves(out)
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    (out / JOURNAL).write_bytes(b"".join(lines[:1]))
    with pytest.raises(RecordingError, match="unfinished"):
        waves(out)
    assert waves(out, overwrite=True).ran == 3


def test_two_studies_in_one_folder_are_refused(out):
    waves(out)
    with pytest.raises(RecordingError, match="another study"):
        waves(out, parameters={"amplitude": [1.0], "sleep": [0.0]}, resume=True)
    with pytest.raises(RecordingError, match="of the same model"):
        waves(out, parameters={"amplitude": [9.0]})
    with pytest.raises(RecordingError, match="of another model"):
        mf.study(study_models.numbers, {"amplitude": [1]}, out=out, jobs=1, resume=True)


def test_a_changed_scene_under_a_kept_study_is_refused(out, tmp_path):
    scene = tmp_path / "own.toml"
    text = mf.load_scene("handle").text.replace("duration = 30", "duration = 0.05")
    scene.write_text(text)
    given = ({"motion.step": [1e-3]}, {"peak": ("energy", "max")})
    mf.study(scene, given[0], measures=given[1], out=out, jobs=1)
    scene.write_text(text.replace("density = 2700", "density = 7800"))
    with pytest.raises(RecordingError, match="the model is not that of the kept study"):
        mf.study(scene, given[0], measures=given[1], out=out, jobs=1, resume=True)
    scene.write_text("# a comment\n" + text)
    assert mf.study(scene, given[0], measures=given[1], out=out, jobs=1).ran == 0
    assert mf.study(scene, given[0], measures=given[1], out=out, jobs=1, overwrite=True).ran == 1


def test_a_folder_of_others_is_refused(out):
    out.mkdir()
    (out / "thesis.txt").touch()
    for options in ({}, {"overwrite": True}, {"resume": True}):
        with pytest.raises(RecordingError, match="holds other files"):
            waves(out, **options)
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("parameters", "options", "text"),
    [
        ({"motion.stop": [1e-3]}, {}, "no such parameter.*Did you mean 'motion.step'"),
        ({"body.handel.color": [[1, 1, 1]]}, {}, "no such parameter.*Did you mean"),
        ({"moton.step": [1e-3]}, {}, "no such parameter.*Did you mean 'motion.step'"),
        ({"motion.step": []}, {}, "must have a value"),
        ({"motion.step": {"from": 2, "to": 1, "steps": 3}}, {}, "range is empty"),
        ({"motion.step": [1e-3]}, {"measures": {"m": ("enrgy", "max")}}, "no such channel.*Did you mean 'energy'"),
        ({"motion.step": [1e-3]}, {"measures": {"m": ("momentum", "max")}}, "one number of a channel"),
        ({"motion.step": [1e-3]}, {"measures": {"status": ("energy", "max")}}, "a name of its own"),
        ({"motion.step": [1e-3]}, {"constraints": ["motion.stp < 1"]}, "Did you mean 'motion.step'"),
        ({"motion.step": [1e-3]}, {"constraints": "motion.step < 1"}, "list of texts"),
        ({"motion.step": [1e-3]}, {"jobs": 0}, "jobs must be 1 or more"),
        ({"motion.step": [1e-3]}, {"resume": True, "overwrite": True}, "resumed or overwritten"),
        ({}, {}, "must have a parameter"),
        ("motion.step", {}, "must be a mapping"),
    ],
)
def test_bad_input_is_refused_before_the_first_run(out, parameters, options, text):
    with pytest.raises(MotiformError, match=f"(?s){text}"):
        mf.study("handle", parameters, out=out, **options)
    assert not (out / JOURNAL).exists()


@pytest.mark.parametrize(
    ("model", "text"), [("handel", "Did you mean 'handle'"), (3, "needs a model"), ("none_here:f", "module failed")]
)
def test_models_that_are_refused(out, model, text):
    with pytest.raises(InputError, match=text):
        mf.study(model, {"motion.step": [1e-3]}, out=out)


def test_a_value_that_the_scene_refuses_fails_alone(out):
    found = mf.study("handle", {"motion.step": [-1.0, 1e-3]}, settings={"scene.duration": 0.05}, out=out, jobs=1,
                     measures={"peak": ("energy", "max")})  # fmt: skip
    assert list(found.table["status"]) == ["failed", "done"]
    assert "must be above 0" in found.table["error"][0]


@pytest.mark.slow
def test_workers_give_the_same_table(out, tmp_path):
    """By two processes, and in this one: every column but the seconds has the same bits."""
    tables = []
    for jobs in (1, 2):
        given = {"motion.step": [1e-3, 2e-3, -1.0], "motion.integrator": ["rk4", "lie-midpoint"]}
        found = mf.study("handle", given, settings={"scene.duration": 0.1}, out=tmp_path / str(jobs), jobs=jobs,
                         measures={"a": ("energy", "range"), "b": ("handle.angular_velocity.x", "rms")})  # fmt: skip
        tables.append([line.split(",") for line in (found.folder.table).read_text().splitlines()])
        seconds = tables[-1][0].index("seconds")
        tables[-1] = [cells[:seconds] + cells[seconds + 1 :] for cells in tables[-1]]
    assert tables[0] == tables[1]


def test_the_head_tells_what_a_study_is(out):
    waves(out)
    head = json.loads((out / "study.json").read_text())
    assert head["kind"] == "motiform study"
    assert head["parameters"] == ["amplitude"]


def test_warnings_of_cases_are_told(out):
    found = mf.study("handle", {"motion.step": [0.02, 1e-3]}, settings={"scene.duration": 0.05}, out=out, jobs=1,
                     measures={"peak": ("energy", "max")})  # fmt: skip
    (warning,) = found.warnings()
    assert "longer than from sample to sample" in warning
    assert "longer than from sample to sample" in (out / "index.html").read_text()


def test_a_damaged_recording_is_run_again_for_new_measures(out, tmp_path):
    (runs := tmp_path / "runs").mkdir()
    waves(out, runs)
    place = next(out.glob("runs/*/*.mf"))
    for file in place.rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged")
    found = waves(out, runs, measures={"low": ("x", "min")}, resume=True)
    assert ran(runs) == 4
    assert found.count["done"] == 3


def test_functions_that_workers_cannot_find_are_refused(out):
    given = {"measures": {"n": lambda found: found["root"]}, "out": out}
    with pytest.raises(InputError, match=r"those of a module.*jobs=1"):
        mf.study(study_models.numbers, {"x": [1, 4]}, jobs=2, **given)
    assert not out.exists()
    assert list(mf.study(study_models.numbers, {"x": [1, 4]}, jobs=1, **given).table["n"]) == [1.0, 2.0]
