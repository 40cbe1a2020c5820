"""The verb `motiform wrist`: its inputs, its stages and its page."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from motiform.base.errors import InputError
from motiform.cli.app import app
from motiform.cli.wrist_inputs import Stages, input_kind, parse_angles, read_driver
from motiform.geometry import write_mesh
from motiform.record import open_recording
from wrists import bones


def invoke(*arguments):
    return CliRunner().invoke(app, ["wrist", *map(str, arguments)])


@pytest.mark.parametrize(
    ("text", "angles"), [("-10:10:10", [-10, 0, 10]), ("30,-5.5", [30, -5.5]), ("0:1:2", [0]), (None, [])]
)
def test_angles_are_ranges_or_lists(text, angles):
    np.testing.assert_allclose(parse_angles(text, "--flexion"), angles)


@pytest.mark.parametrize("text", ["a", "1:2", "0:10:0", "10:0:1", "0:1e9:1e-3", "1,,2", "1," * 3000 + "1"])
def test_wrong_angles_are_refused(text):
    with pytest.raises(InputError, match="--flexion: angles must be numbers"):
        parse_angles(text, "--flexion")


def test_poses_are_read_from_arrays_and_tables(tmp_path):
    poses = np.tile(np.eye(4), (3, 1, 1))
    np.save(tmp_path / "a.npy", poses)
    np.savetxt(tmp_path / "b.csv", poses.reshape(3, 16), delimiter=",")
    np.savetxt(tmp_path / "c.txt", poses.reshape(3, 16))
    for name in ("a.npy", "b.csv", "c.txt"):
        np.testing.assert_array_equal(read_driver(tmp_path / name), poses)
    (tmp_path / "d.csv").write_text("1,2,three\n")
    with pytest.raises(InputError, match="poses cannot be read"):
        read_driver(tmp_path / "d.csv")


def test_kinds_of_sources(tmp_path):
    (tmp_path / "labels.nrrd").touch()
    (tmp_path / "seeds.toml").touch()
    with pytest.raises(InputError, match="no meshes"):
        input_kind(tmp_path, None)
    assert input_kind(tmp_path / "labels.nrrd", None) == "labels"
    assert input_kind(tmp_path / "labels.nrrd", tmp_path / "seeds.toml") == "volume"
    (tmp_path / "lunate.stl").touch()
    assert input_kind(tmp_path, None) == "meshes"


def test_stages_belong_to_one_input(tmp_path):
    source, out = tmp_path / "a.stl", tmp_path / "out"
    source.write_text("one")
    first = Stages.open(out, [source], {}, resume=False, overwrite=False)
    assert not out.exists()
    first.place()
    first.finish("recording")
    with pytest.raises(InputError, match="an incomplete run is here"):
        Stages.open(out, [source], {}, resume=False, overwrite=False)
    again = Stages.open(out, [source], {}, resume=True, overwrite=False)
    assert list(again.done) == ["recording"]
    again.finish("report")
    assert Stages.open(out, [source], {}, resume=False, overwrite=False).whole
    source.write_text("two")
    with pytest.raises(InputError, match="results of another input"):
        Stages.open(out, [source], {}, resume=True, overwrite=False)
    assert not Stages.open(out, [source], {}, resume=False, overwrite=True).done
    with pytest.raises(InputError, match="holds something else"):
        Stages.open(tmp_path, [source], {}, resume=False, overwrite=True)
    assert source.exists()


def test_input_that_is_refused_leaves_nothing_and_replaces_nothing(tmp_path):
    folder, out = tmp_path / "bones", tmp_path / "out"
    folder.mkdir()
    (folder / "lunate.stl").write_text("no mesh")
    assert invoke(folder, "--out", out).exit_code != 0
    assert not out.exists()
    kept = Stages.open(out, [folder], {}, resume=False, overwrite=False)
    (kept.place() / "wrist.mf").mkdir()
    kept.finish("recording")
    before = sorted(path.name for path in out.iterdir())
    assert invoke(folder, "--out", out, "--overwrite").exit_code != 0
    assert sorted(path.name for path in out.iterdir()) == before


def test_a_run_that_ended_before_its_first_result_is_begun_again(tmp_path):
    source, out = tmp_path / "a.stl", tmp_path / "out"
    source.write_text("one")
    Stages.open(out, [source], {}, resume=False, overwrite=False).place()
    source.write_text("two")
    again = Stages.open(out, [source], {}, resume=False, overwrite=False)
    assert not again.done
    (again.place() / "wrist.mf").mkdir()  # interrupted while it was written
    with pytest.raises(InputError, match="an incomplete run is here"):
        Stages.open(out, [source], {}, resume=False, overwrite=False)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", '{"key": 1, "done": {}}', '{"key": "a", "done": [1]}'])
def test_a_damaged_list_of_stages_is_refused(tmp_path, text):
    out = tmp_path / "out"
    out.mkdir()
    (out / "stages.json").write_text(text)
    with pytest.raises(InputError, match="the list of stages is damaged"):
        Stages.open(out, [], {}, resume=True, overwrite=False)
    assert not Stages.open(out, [], {}, resume=False, overwrite=True).done


@pytest.mark.parametrize("file", ["wrist.mf/chunk", "report.html", "summary.json"])
@pytest.mark.parametrize("how", ["gone", "empty", "flipped"])
def test_a_stage_whose_files_are_damaged_is_done_again(tmp_path, file, how):
    out = tmp_path / "out"
    first = Stages.open(out, [], {}, resume=False, overwrite=False)
    (first.place() / "wrist.mf").mkdir()
    for name in ("wrist.mf/chunk", "report.html", "summary.json"):
        (out / name).write_bytes(b"some bytes")
    first.finish("recording", "wrist.mf")
    first.finish("report", "report.html", "summary.json")
    assert Stages.open(out, [], {}, resume=False, overwrite=False).whole
    if how == "gone":
        (out / file).unlink()
    else:
        (out / file).write_bytes(b"" if how == "empty" else b"some bites")
    again = Stages.open(out, [], {}, resume=False, overwrite=False)
    assert again.damaged == ("recording" if file.startswith("wrist") else "report")
    assert list(again.done) == ([] if file.startswith("wrist") else ["recording"])


@pytest.mark.slow
def test_a_folder_becomes_a_recording_and_a_page(tmp_path):
    folder, out = tmp_path / "<b>wrist", tmp_path / "out"
    folder.mkdir()
    for name in ("radius", "ulna", "scaphoid", "lunate", "triquetrum", "capitate", "hamate"):
        write_mesh(bones()[name], folder / f"{name}.stl")
    write_mesh(bones()["lunate"], folder / "a<i>.stl")
    options = [folder, "--out", out, "--quick", "--flexion", "20,-20", "--cut", "scapholunate", "--json"]
    assert "a share must be" in str(invoke(*options, "--fracture", "scaphoid=2").exception)
    options[-1:-1] = ["--fracture", "scaphoid=0.5"]
    result = invoke(*options)
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["poses"] == 2
    assert set(summary["extremes"]) == {"flexion", "extension"}
    rec = open_recording(out / "wrist.mf")
    assert rec.manifest["cut"] == ["scapholunate"]
    assert rec.manifest["fractured"] == ["scaphoid=0.5"]
    assert "scaphoid_distal.position" in rec.names
    page = (out / "report.html").read_text("utf-8")
    assert "&lt;b&gt;wrist" in page
    assert "a&lt;i&gt;.stl" in page
    assert "<b>wrist" not in page
    assert page.count("<img ") == 6  # straight, two bent, three plots
    written = (out / "report.html").stat().st_mtime_ns
    assert invoke(*options[:-1]).exit_code == 0
    assert (out / "report.html").stat().st_mtime_ns == written  # nothing is made twice
    (out / "report.html").unlink()
    state = json.loads((out / "stages.json").read_text())
    del state["done"]["report"]
    (out / "stages.json").write_text(json.dumps(state))
    assert "an incomplete run is here" in str(invoke(*options).exception)
    resumed = invoke(*options, "--resume")
    assert resumed.exit_code == 0
    assert (out / "report.html").is_file()


@pytest.mark.slow
def test_bones_touch_by_balls(tmp_path):
    folder = tmp_path / "bones"
    folder.mkdir()
    for name in ("radius", "scaphoid", "lunate", "capitate"):
        write_mesh(bones()[name], folder / f"{name}.stl")
    options = [folder, "--out", tmp_path / "out", "--quick", "--flexion", "20", "--contact"]
    assert invoke(*options, "balls").exit_code == 0
    rec = open_recording(tmp_path / "out" / "wrist.mf")
    assert rec.manifest["contact"]["kind"] == "balls"
    assert rec["lunate.touching_balls"].shape == (1,)
    assert "contact must be of a known kind" in str(invoke(*options, "spheres", "--overwrite").exception)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["nowhere"], "there is no such file or folder"),
        ([".", "--resume", "--overwrite"], "resumed or overwritten"),
        ([".", "--driver", "x.npy", "--flexion", "3"], "either angles or --driver"),
    ],
)
def test_wrong_requests_end_with_an_error(options, text):
    result = invoke(*options)
    assert result.exit_code != 0
    assert text in str(result.exception)
