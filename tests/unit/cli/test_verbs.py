"""The command line as a person types it: real processes, exit codes and last lines."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-c", "from motiform.cli import main; main()"]


def motiform(*arguments, cwd, env=None):
    told = {**os.environ, "COLUMNS": "200", **(env or {})}
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=told, capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def here(folder, monkeypatch, capfd):
    """The command in this process, in the folder: gives code, stdout, stderr."""
    from motiform.cli import main

    monkeypatch.chdir(folder)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["motiform", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capfd.readouterr()

    return call


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the recording of a short throw."""
    path = tmp_path_factory.mktemp("cli")
    done = motiform("run", "thrown", "--set", "scene.duration=0.2", "--out", "throw.mf", "-q", cwd=path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wrote 0.2 s of 'Thrown hammer' (10 channels): throw.mf")
    return path


def test_list_as_json(tmp_path):
    done = motiform("list", "--json", cwd=tmp_path)
    rows = json.loads(done.stdout)
    assert {"handle", "thrown", "top", "particles", "flock"} <= {row["name"] for row in rows}
    assert all(set(row) == {"name", "title", "part", "seconds"} for row in rows)


def test_doctor_tells_devices_and_caches(tmp_path):
    report = json.loads(motiform("doctor", "--json", cwd=tmp_path, env={"MOTIFORM_CACHE": str(tmp_path / "c")}).stdout)
    assert report["packages"]["needed"]["numba"]
    assert report["devices"]["cpu"]["cores"] >= 1
    assert report["cache"]["folder"] == str(tmp_path / "c")


def test_run_again_changes_nothing_and_another_scene_is_refused(folder):
    again = motiform("run", "thrown", "--set", "scene.duration=0.2", "--out", "throw.mf", cwd=folder)
    assert (again.returncode, again.stdout) == (0, "already done, nothing changed: throw.mf\n")
    other = motiform("run", "thrown", "--set", "scene.duration=0.3", "--out", "throw.mf", cwd=folder)
    assert other.returncode == 2
    assert "there is a recording already" in other.stderr
    assert "--overwrite" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "throwm"), ["no such scene", "Did you mean 'thrown'?"]),
        (("run", "absent.toml"), ["absent.toml", "No such file"]),
        (("run", "thrown", "--set", "motion.stp=1"), ["motion.stp", "Did you mean 'step'?"]),
        (("run", "thrown", "--set", "nonsense"), ["path=value"]),
        (("run", "thrown", "--functions", "absent.py"), ["absent.py"]),
        (("film", "absent.mf"), ["absent.mf"]),
        (("film", "throw.mf", "--size", "big"), ["1280x720"]),
        (("film", "throw.mf", "--out", "film.xyz"), [".xyz"]),
        (("export", "throw.mf", "--out", "a.fbx"), [".fbx"]),
        (("image", "throw.mf", "energi"), ["Did you mean 'energy'?"]),
        (("bench", "body"), ["unknown benchmark", "bodies"]),
        (("fly",), ["No such command 'fly'"]),
        (("film",), ["Missing argument 'RECORDING'"]),
        (("view", "absent.mf", "--no-browser"), ["absent.mf"]),
    ],
)
def test_wrong_input_ends_with_two_and_no_traceback(here, arguments, words):
    code, _, stderr = here(*arguments)
    assert code == 2, stderr
    assert "Traceback" not in stderr
    for word in words:
        assert word in stderr


def test_picture_plot_and_exports(here):
    small = ("--size", "64x36")
    assert here("film", "throw.mf", "--out", "p.png", *small)[1].startswith("wrote picture: p.png")
    assert here("film", "throw.mf", "--out", "f.mp4", *small, "-q")[1].startswith("wrote film: f.mp4")
    assert here("image", "throw.mf", "energy", "--out", "e.svg")[1].startswith("wrote plot: e.svg")
    for name in ("a.glb", "a.x3d", "a.csv"):
        assert here("export", "throw.mf", "--out", name)[1].startswith(f"wrote export: {name}")
        assert here("export", "throw.mf", "--out", name)[0] == 2  # not over a result


def test_functions_come_from_a_named_file_only(here, folder):
    (folder / "push.py").write_text(
        "import numpy as np\n"
        "def force(t, state):\n"
        "    f = np.zeros_like(state.position)\n"
        "    f[:, 0] = 3.0\n"
        "    return f, np.zeros_like(f)\n"
    )
    out = ("--set", "scene.duration=0.1", "--out", "pushed.mf", "-q")
    assert here("run", "thrown", "--functions", "push.py", *out)[0] == 0
    from motiform.record import open_recording

    pushed = open_recording(folder / "pushed.mf")
    momentum = pushed["momentum"][:, 0]
    assert momentum[-1] - momentum[0] == pytest.approx(3.0 * 0.1, rel=1e-12)  # dP/dt = F, whatever the step


def test_interrupted_run_resumes_to_the_same_bits(tmp_path):
    scene = ("mobile", "--set", "scene.duration=400", "--set", "motion.step=1e-3")
    start = subprocess.Popen([*COMMAND, "run", *scene, "--out", "long.mf", "-q"], cwd=tmp_path, stderr=subprocess.PIPE)
    commit = tmp_path / "long.mf" / "commit.json"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (commit.exists() and _committed(tmp_path) > 0.5):
        time.sleep(0.05)
    start.send_signal(signal.SIGINT)
    _, stderr = start.communicate(timeout=60)
    assert start.returncode == 130, stderr
    assert b"--resume" in stderr
    from motiform.record import compare, open_recording

    reached = open_recording(tmp_path / "long.mf")
    assert not reached.complete
    refused = motiform("run", *scene, "--out", "long.mf", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    shorter = ("mobile", "--set", f"scene.duration={reached.duration + 1:.3f}", "--set", "motion.step=1e-3")
    other = motiform("run", *shorter, "--out", "long.mf", "--resume", cwd=tmp_path)
    assert other.returncode == 2  # another scene may not go on with it
    whole = motiform("run", *shorter, "--out", "whole.mf", "-q", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    prefix = open_recording(tmp_path / "whole.mf")
    count = reached.count("energy")
    assert (prefix.read("energy", 0, count) == reached["energy"]).all()
    assert not compare(prefix, reached).identical


def _committed(folder):
    from motiform.base.errors import MotiformError
    from motiform.record import open_recording

    try:
        return open_recording(folder / "long.mf").duration
    except MotiformError:
        return 0.0
