"""The verb study: files, exit codes, what is printed."""

import json
import shutil

import pytest
import typer

import study_models
from motiform.base.errors import InputError
from motiform.cli.app import app

STUDY = """
[study]
model = "study_models:numbers"
title = "Roots"
constraints = ["x < 9"]
[parameters]
x = [1, 4, 9]
[measures]
root = ["root", "final"]
"""


def run(*arguments):
    """Return the exit code of the command."""
    try:
        return app(["study", *map(str, arguments)], standalone_mode=False) or 0
    except typer.Exit as error:
        return error.exit_code


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(study_models.__file__, tmp_path / "study_models.py")
    (tmp_path / "roots.toml").write_text(STUDY)
    return tmp_path / "roots.toml"


def test_a_study_file(file, tmp_path, capsys):
    assert run(file, "--jobs", 1) == 0
    assert "wrote 2 cases (2 ran); 1 skipped: roots" in capsys.readouterr().out
    head, *rows = (tmp_path / "roots" / "table.csv").read_text().splitlines()
    assert head == "x,root,status,error,seconds,version,hash"
    assert [row.split(",")[1:3] for row in rows] == [["1.0", "done"], ["2.0", "done"], ["", "skipped"]]
    assert run(file, "--jobs", 1) == 0
    assert "already done, nothing ran" in capsys.readouterr().out
    assert run(file, "--jobs", 1, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["count"] == {"cases": 3, "done": 2, "failed": 0, "skipped": 1, "left": 0, "ran": 0, "measured": 0}


def test_failed_cases_are_code_1_with_the_table_written(file, tmp_path, capsys):
    file.write_text(STUDY.replace("[1, 4, 9]", "[1, -4]"))
    assert run(file, "--jobs", 1, "--out", tmp_path / "o") == 1
    assert "1 cases failed; the first: ValueError: no root of -4" in capsys.readouterr().err
    assert "no root of -4" in (tmp_path / "o" / "table.csv").read_text()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("[parameters]", "[parmeters]"), "Did you mean 'parameters'"),
        (("title", "titel"), "Did you mean 'title'"),
        (("model", "#"), "needs a model"),
        (('"Roots"', "3"), "title must be text"),
        (("[1, 4, 9]", "[1, 4"), "must be TOML"),
        (('["x < 9"]', '"x < 9"'), "must be a list"),
        (("x = [1, 4, 9]", ""), "must have a parameter"),
        (("study_models:numbers", "study_models:number"), "Did you mean 'numbers'"),
        (('"final"', '"finl"'), "Did you mean 'final'"),
    ],
)
def test_files_that_are_refused(file, tmp_path, change, text):
    assert change[0] in STUDY
    file.write_text(STUDY.replace(*change))
    with pytest.raises(InputError, match=text):
        run(file, "--jobs", 1)
    assert not (tmp_path / "roots").exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["rots.toml"], "Did you mean 'roots.toml'"),
        (["none"], "no such study"),
        (["roots.toml", "--resume", "--overwrite"], "resumed or overwritten"),
        (["roots.toml", "--jobs", "1", "--scheduler", "tcp://a:1"], "either --jobs or --scheduler"),
        (["roots.toml", "--keep", "some"], "no such choice"),
    ],
)
def test_options_that_are_refused(file, arguments, text):
    with pytest.raises(InputError, match=text):
        run(*arguments)


def test_paths_with_and_without_quotes_and_files_beside_the_study(file, tmp_path):
    from motiform.studies.files import read_study

    file.write_text("""
[study]
model = "own.toml"
cases = "cases.csv"
[parameters]
motion.step = [1e-3]
"body.handle.spin.0" = { from = 0, to = 1, steps = 2 }
scene = { duration = [1, 2] }
[set]
motion.integrator = "rk4"
""")
    found = read_study(file)
    assert list(found.arguments["parameters"]) == ["motion.step", "body.handle.spin.0", "scene.duration"]
    assert found.arguments["settings"] == {"motion.integrator": "rk4"}
    assert found.arguments["cases"] == tmp_path / "cases.csv"


def test_view_opens_the_page(file, tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run(file, "--out", tmp_path / "r", "--jobs", 1) == 0
    app(["view", str(tmp_path / "r")], standalone_mode=False)
    assert opened == [(tmp_path / "r" / "index.html").as_uri()]
    assert opened[0] in capsys.readouterr().out
    (tmp_path / "r" / "index.html").unlink()
    with pytest.raises(InputError, match="no page yet"):
        app(["view", str(tmp_path / "r")], standalone_mode=False)
