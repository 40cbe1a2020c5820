"""`motiform reconstruct FOLDER --session` as a person types it."""

import json

import pytest

from walkers import write_walk


@pytest.fixture
def call(tmp_path, reconstruct_in):
    return reconstruct_in(tmp_path)


def test_what_cannot_be_is_refused(call, tmp_path):
    (tmp_path / "a.trc").write_text("PathFileType\t4\n")
    code, _, err = call("a.trc", "--reference", "r.csv")
    assert (code, "a reference is of a session" in err) == (2, True)
    code, _, err = call("a.trc", "b.trc", "--session")
    assert (code, "a session must be one folder" in err) == (2, True)
    code, _, err = call("a.trc", "--session")
    assert (code, "a session must be a folder" in err) == (2, True)
    code, _, err = call(".", "--session", "--reference", "r.csv")
    assert (code, "no such file" in err) == (2, True)


@pytest.mark.slow
def test_a_session_by_the_command_and_again(call, tmp_path):
    from motiform.motion.figures import human36

    for k in range(2):
        write_walk(human36(1.75, 70.0), tmp_path / "in" / f"walk{k}.trc", later=0.1 * k, seed=k)
    (tmp_path / "in" / "session.toml").write_text('subject = "P1"\nheight = 1.75\nmass = 70\n')
    code, out, err = call("in", "--session", "--out", "out", "--jobs", 1, "--quiet")
    assert code == 0, err
    assert "all trials: " in out
    assert (tmp_path / "out" / "session.html").is_file()
    assert not (tmp_path / "out" / "trials" / "walk0" / "report.html").exists()
    assert json.loads((tmp_path / "out" / "session.json").read_text())["subject"] == "P1"
    code, out, _ = call("in", "--session", "--out", "out", "--jobs", 1, "--quiet", "--resume")
    assert (code, "already done" in out) == (0, True)
    # another mass is another session: its results are not replaced unasked
    code, _, err = call("in", "--session", "--out", "out", "--mass", 60, "--jobs", 1, "--quiet")
    assert (code, "Say --overwrite" in err) == (2, True)
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "session.json").write_text("{}")
    code, _, err = call("in", "--session", "--out", "foreign", "--quiet")
    assert (code, "the folder holds other things" in err) == (2, True)
