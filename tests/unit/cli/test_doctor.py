"""`motiform doctor` tries what it lists, and says what is broken and how to mend it."""

import json
import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "motiform", "doctor"]


def doctor(*arguments, **env):
    return subprocess.run(
        [*COMMAND, *arguments], env=os.environ | env, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture
def broken(tmp_path):
    """Return a function that puts a package in front of the real one whose import fails."""

    def put(name, line):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(line, "utf-8")
        return {"PYTHONPATH": str(tmp_path)}

    return put


@pytest.mark.slow
def test_what_is_installed_works(tmp_path):
    done = doctor("--json", MOTIFORM_CACHE=str(tmp_path))
    report = json.loads(done.stdout)
    assert (done.returncode, report["broken"], report["mend"]) == (0, False, [])
    assert set(report["tried"].values()) == {"works"}
    assert report["devices"]["cpu"]["threads"] >= 1
    assert report["cache"]["folder"] == str(tmp_path)


@pytest.mark.slow
def test_libraries_that_are_broken_are_named_with_their_errors(broken):
    """One that is needed fails to import, and an extra ends the process: both are found in one report."""
    pytest.importorskip("dask", reason="dask is not installed")
    broken("distributed", "import os; os._exit(9)")
    done = doctor(**broken("trimesh", "raise ImportError('libsomething.so: cannot open shared object file')"))
    assert done.returncode == 1
    assert "broken: ImportError: libsomething.so: cannot open shared object file" in done.stdout
    assert "broken: its import ends the process with code 9" in done.stdout
    for name in ("trimesh", "distributed"):
        assert f"pip install --force-reinstall {name}" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_an_extra_that_is_broken_does_not_end_it():
    """Only what motiform itself needs makes the exit code 1."""
    from motiform.cli.doctor import _fails, _mend_packages

    packages = {"needed": {"numpy": "2.4.0"}, "dask": {"distributed": "2026.1 (broken: ImportError: x)"}}
    assert not any(_fails(state) for state in packages["needed"].values())
    assert _mend_packages(packages, ["needed"]) == [
        "distributed is installed but broken: pip install --force-reinstall distributed"
    ]
