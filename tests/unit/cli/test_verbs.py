"""The command line as a person types it: real processes, exit codes and last lines."""

import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from motiform.base.errors import MotiformWarning
from motiform.cli import _silence_libraries
from motiform.cli.shared import beside

COMMAND = [sys.executable, "-c", "from motiform.cli import main; main()"]


def motiform(*arguments, cwd, env=None):
    environment = {**os.environ, "COLUMNS": "200", **(env or {})}
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300
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
    (path / "throw.toml").write_text("")
    (path / "pushes.py").write_text("def forces(t, state):\n    return None\n")
    _leave_empty(path / "empty.mf")
    return path


def _leave_empty(path):
    """Make what a process leaves that was killed after it had made a recording and before its first sample."""
    from motiform.record import Channel, Recorder

    recorder = Recorder(path, [Channel("energy", rate=1.0)])
    recorder.commit(force=True)
    recorder._sink.release()


def test_list_as_json(tmp_path):
    done = motiform("list", "--json", cwd=tmp_path)
    rows = json.loads(done.stdout)
    assert {"handle", "thrown", "top", "particles", "flock"} <= {row["name"] for row in rows}
    assert all(set(row) == {"name", "title", "part", "seconds"} for row in rows)


@pytest.mark.slow
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
        (("run", "absent.toml"), ["absent.toml: there is no such scene"]),
        (("run", "thorw.toml"), ["Did you mean 'throw.toml'?"]),
        (("run", "thrown", "--set", "motion.stp=1"), ["motion.stp", "Did you mean 'step'?"]),
        (("run", "thrown", "--set", "nonsense"), ["path=value"]),
        (("run", "thrown", "--functions", "absent.py"), ["absent.py"]),
        (("run", "thrown", "--functions", "psuh.py"), ["Did you mean 'pushes.py'?"]),
        (("run", "thrown", "--functions", "pushes.py"), ["must define", "It defines 'forces'. Did you mean 'force'?"]),
        (("film", "absent.mf"), ["absent.mf"]),
        *(
            ((verb, name, *more), words)
            for verb, *more in (
                ("film",),
                ("plot",),
                ("picture",),
                ("export", "--out", "a.csv"),
                ("view", "--no-browser"),
            )
            for name, words in (
                ("thorw.mf", ["thorw.mf: there is no such recording. Did you mean 'throw.mf'?"]),
                ("throw", ["Did you mean 'throw.mf'?"]),
                ("gone/x.mf", ["The folder 'gone' is not there either."]),
                ("mobil", ["there is no such recording. Did you mean 'mobile'?"]),
                ("empty.mf", ["empty.mf: the recording holds no sample", "run it again"]),
                *(() if verb == "view" else (("mobile", ["this is a scene", "`motiform run mobile` makes one"]),)),
            )
        ),
        (("reconstruct", "thorw.mf"), ["no such file or folder", "Did you mean 'throw.mf'?"]),
        (("reconstruct", "throw.toml", "--static", "thorw.toml"), ["--static", "Did you mean 'throw.toml'?"]),
        (("reconstruct", "throw.toml", "--weights", "thorw.toml"), ["--weights", "Did you mean 'throw.toml'?"]),
        (("reconstruct", "throw.toml", "--subject", "thorw.toml"), ["--subject", "Did you mean 'throw.toml'?"]),
        (("reconstruct", "throw.toml", "--figure", "humen36"), ["no such figure", "Did you mean 'human36'?"]),
        (("reconstruct", "throw.toml", "--set", "markres.up=z"), ["no such parameter", "Did you mean 'markers'?"]),
        (("reconstruct", "throw.toml", "--set", "reconstruct.cutof=3"), ["no such option", "Did you mean 'cutoff'?"]),
        (("film", "throw.mf", "--size", "big"), ["1280x720"]),
        (("film", "throw.mf", "--out", "film.xyz"), [".xyz"]),
        (
            ("picture", "throw.mf", "--out", "a.png", "--at", "99"),
            ["--at: the instant must lie within the recording", "99 s", "0 to 0.2 s"],
        ),
        (("picture", "throw.mf", "--out", "a.png", "--at", "nan"), ["0 to 0.2 s"]),
        (("picture", "throw.mf", "--out", "a.png", "--at", "0.1", "--strobe", "3"), ["Give one of them"]),
        (("picture", "throw.mf", "--out", "a.mp4"), ["a.mp4", "motiform film makes films"]),
        (("film", "throw.mf", "--out", "a.exr"), ["a.exr", "motiform picture makes one picture"]),
        (("film", "throw.mf", "--out", "a.mp4", "--bits", "16"), ["'--bits'", "with --sequence"]),
        (("picture", "throw.mf", "--out", "a.png", "--bits", "12"), ["8 or 16"]),
        (("film", "throw.mf", "--out", "a.mp4", "--sequence"), ["'.mp4'", ".png, .exr"]),
        (("picture", "throw.mf", "--out", "a.png", "--size", "A99"), ["A0 to A10"]),
        (("picture", "throw.mf", "--chroma", "relief"), ["heights of one channel", "Record a screen"]),
        (("film", "throw.mf", "--chroma", "relief"), ["heights of one channel", "Record a screen"]),
        (("picture", "throw.mf", "--enlarged", "4"), ["--enlarged", "--chroma OPERATOR"]),
        (("picture", "throw.mf", "--chroma", "relief", "--strobe", "3"), ["'--strobe'", "pictures of forms"]),
        (("export", "throw.mf", "--out", "a.fbx"), [".fbx"]),
        (("plot", "throw.mf", "energi"), ["Did you mean 'energy'?"]),
        (("plot", "throw.mf", "hammer.position.u"), ["no such component of 'hammer.position'", "x, y, z"]),
        (("bench", "bodys"), ["unknown benchmark", "Did you mean 'bodies'?"]),
        (("flim", "throw.mf"), ["No such command 'flim'", "film"]),
        (("bench", "bodies", "--device", "tpu"), ["unknown device", "'cuda'"]),
        (("fly",), ["No such command 'fly'"]),
        (("film",), ["Missing argument 'RECORDING'"]),
        (("view", "absent.mf", "--no-browser"), ["absent.mf"]),
        (("view", "top", "--seeds", "a.toml"), ["--seeds is for a CT"]),
    ],
)
def test_wrong_input_ends_with_two_and_no_traceback(here, arguments, words):
    code, _, stderr = here(*arguments)
    assert code == 2, stderr
    assert "Traceback" not in stderr
    assert stderr.splitlines()[0].strip()  # no empty line of a bar that never moved
    for word in words:
        assert word in stderr


def test_a_part_of_a_channel_is_plotted_and_columns_have_names(here, folder):
    assert here("plot", "throw.mf", "hammer.position.y", "--out", "y.svg")[0] == 0
    assert "hammer.position.y" in (folder / "y.svg").read_text()
    assert here("export", "throw.mf", "--out", "heads.csv")[0] == 0
    heads = (folder / "heads.csv").read_text().splitlines()[0].split(",")
    assert heads[:3] == ["time [s]", "hammer.position.x [m]", "hammer.position.y [m]"]
    assert "hammer.orientation.w" in heads


def test_the_pictures_of_a_film_as_files(here, folder):
    code, out, _ = here("film", "throw.mf", "--out", "shot.exr", "--sequence", "--size", "32x18", "--fps", "10")
    assert code == 0
    assert "3 pictures from: shot_0001.exr" in out
    assert [path.name for path in sorted(folder.glob("shot_*"))] == [f"shot_000{k}.exr" for k in (1, 2, 3)]


@pytest.mark.parametrize("count", [0, 1])
def test_a_recording_without_a_course_is_no_plot(here, folder, count):
    from motiform.record import Channel, Recording

    channel = Channel("q", rate=10.0)
    manifest = {"image": {"plot": ["q"]}}
    Recording.from_arrays([channel], {"q": [1.0] * count}, manifest=manifest).save(folder / "q.mf", overwrite=True)
    for arguments in (("plot", "q.mf"), ("plot", "q.mf", "q")):
        code, out, err = here(*arguments)
        assert (code, out) == (2, "")
        assert ("holds no sample", "a plot over time needs more samples (got \"1 of 'q'\"")[count] in err
    assert not (folder / "q-plot.png").exists()


@pytest.mark.slow
def test_libraries_do_not_warn_on_the_screen(folder):
    """A letter that no font has, numbers that are not finite, and a symbol of formulas."""
    import numpy as np

    from motiform.record import Channel, Recording

    bad = {
        "gaps": (Channel("gaps", dims=("body",), shape=(20,), rate=10.0), np.full((5, 20), np.nan)),
        "huge": (
            Channel("huge", dims=("$_",), shape=(2,), rate=10.0),
            np.array([[1e308, -1e308], [1e-308, np.inf], [1, 2]]),
        ),
        "flat": (Channel("flat", rate=10.0), np.zeros(5)),
    }
    manifest = {"title": "\u6f22\U00012345 $x$", "labels": {"$_": ["_a$", "\U00012345"]}}
    Recording.from_arrays(bad, manifest=manifest).save(folder / "bad.mf", overwrite=True)
    done = motiform("plot", "bad.mf", "gaps", "huge", "flat", "--overwrite", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    asked = motiform("plot", "bad.mf", "flat", "--overwrite", cwd=folder, env={"PYTHONWARNINGS": "always"})
    assert "Glyph" in asked.stderr  # so there was something to keep off


INSIDE = """
[scene]
title = "Inside"
duration = 0.1
[[body]]
name = "crate"
shape = { box = [0.4, 0.2, 0.3], density = 500 }
pose = { at = [0, HEIGHT, 0] }
[[obstacle]]
name = "ground"
floor = 0
"""


def test_a_scene_that_was_refused_runs_when_it_is_put_right(here, folder):
    """The first hour of a person: a body inside the floor, then the number is corrected."""
    (folder / "crate.toml").write_text(INSIDE.replace("HEIGHT", "0.05"))
    before = sorted(entry.name for entry in folder.iterdir())
    code, _, stderr = here("run", "crate.toml", "-q")
    assert (code, "inside an obstacle" in stderr) == (2, True)
    assert sorted(entry.name for entry in folder.iterdir()) == before
    (folder / "crate.toml").write_text(INSIDE.replace("HEIGHT", "0.1"))
    assert here("run", "crate.toml", "-q")[0] == 0
    code, stdout, _ = here("plot", "crate.mf", "energy", "--out", "crate.png")
    assert (code, stdout.startswith("wrote plot: crate.png")) == (0, True)


@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_a_recording_without_samples_stands_in_nobodys_way(here, folder, resume):
    _leave_empty(folder / "killed.mf")
    code, stdout, _ = here("run", "thrown", "--set", "scene.duration=0.1", "--out", "killed.mf", "-q", *resume)
    assert (code, stdout.startswith("wrote 0.1 s")) == (0, True)
    shutil.rmtree(folder / "killed.mf")


def test_corners_that_were_chosen_are_reported(here, folder):
    from motiform.geometry import Cylinder, write_mesh

    write_mesh(Cylinder(0.3, 0.2).to_mesh(detail=100), folder / "disk.stl")
    mesh = INSIDE.replace("HEIGHT", "0.1").replace("box = [0.4, 0.2, 0.3]", 'mesh = "disk.stl"')
    (folder / "disk.toml").write_text(mesh)
    code, stdout, stderr = here("run", "disk.toml", "-q")
    assert (code, stdout.startswith("wrote 0.1 s")) == (0, True), stderr
    assert "segment 'crate': 64 of 200 corners of its mesh may touch" in stderr


def test_picture_plot_and_exports(here):
    small = ("--size", "64x36")
    assert here("picture", "throw.mf", "--out", "p.png", *small)[1].startswith("wrote picture: p.png")
    assert here("film", "throw.mf", "--out", "f.mp4", *small, "-q")[1].startswith("wrote film: f.mp4")
    for line in ("wrote plot: e.svg", "already done, nothing changed: e.svg"):
        assert here("plot", "throw.mf", "energy", "--out", "e.svg")[1].startswith(line)
    assert here("plot", "throw.mf", "hammer.position", "--out", "e.svg")[0] == 2  # another plot
    for line in ("wrote plot: throw-plot.png", "already done, nothing changed: throw-plot.png"):
        assert here("plot", "throw.mf", "energy")[1].startswith(line)
    assert here("plot", "throw.mf", "energy", "--out", "e.pdf")[1].startswith("wrote plot: e.pdf")
    assert here("plot", "throw.mf", "energy", "--out", "e.pdf")[1].startswith("already done")
    for name in ("a.glb", "a.x3d", "a.csv"):
        assert here("export", "throw.mf", "--out", name)[1].startswith(f"wrote export: {name}")
        assert here("export", "throw.mf", "--out", name)[0] == 2  # not over a result


def test_functions_of_a_file_are_those_that_the_model_takes(here, folder):
    (folder / "drive.py").write_text("def control(t, state):\n    return 0.0 * state.v\n")
    run = ("run", "pendulum", "--set", "scene.duration=0.1", "--out", str(folder / "driven.mf"))
    assert here(*run, "--functions", str(folder / "drive.py"))[0] == 0


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


@pytest.mark.parametrize(
    ("recording", "name"), [("a/handle.mf", "a/handle.mp4"), ("v1.2", "v1.2.mp4"), ("../x.mf", "../x.mp4")]
)
def test_results_lie_beside_their_recording(recording, name):
    assert beside(Path(recording), ".mp4") == Path(name)


def test_a_result_of_the_folder_one_stands_in_has_its_name(tmp_path, monkeypatch):
    (tmp_path / "r.mf").mkdir()
    monkeypatch.chdir(tmp_path / "r.mf")
    assert beside(Path("."), ".mp4") == tmp_path / "r.mp4"


LONG = ("mobile", "--set", "scene.duration=40", "--set", "motion.step=1e-3")

# Commits all the time, and gets the signal right after the third commit: the run can neither end before nor run on.
STOPPED = """
import signal, sys
from motiform.record import recorder
from motiform.record.writer import DiskSink
recorder._COMMIT_SECONDS = recorder._COMMIT_SHARE = 0.0
write, commits = DiskSink.write, 0
def counted(*arguments, **options):
    global commits
    write(*arguments, **options)
    commits += 1
    if commits == 3:
        signal.raise_signal({by})
DiskSink.write = counted
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell are begun deaf to SIGINT
from motiform.cli import main
main()
"""


def stopped_half_way(folder, name, by):
    """Begin a run that is stopped by a signal after its third commit; return its code and stderr."""
    command = [sys.executable, "-c", STOPPED.format(by=int(by)), "run", *LONG, "--out", name, "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stderr


@pytest.mark.slow
def test_killed_run_resumes_to_the_same_bits(tmp_path):
    from motiform.record import compare, open_recording

    code, _ = stopped_half_way(tmp_path, "killed.mf", signal.SIGKILL)
    assert code == -signal.SIGKILL
    reached = open_recording(tmp_path / "killed.mf")
    assert not reached.complete
    assert 0 < reached.duration < 40
    refused = motiform("run", *LONG, "--out", "killed.mf", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    other = motiform("run", "mobile", "--out", "killed.mf", "--resume", cwd=tmp_path)
    assert other.returncode == 2
    assert "another run" in other.stderr
    resumed = motiform("run", *LONG, "--out", "killed.mf", "--resume", "-q", cwd=tmp_path)
    whole = motiform("run", *LONG, "--out", "whole.mf", "-q", cwd=tmp_path)
    assert (resumed.returncode, whole.returncode) == (0, 0), resumed.stderr + whole.stderr
    assert compare(open_recording(tmp_path / "killed.mf"), open_recording(tmp_path / "whole.mf")).identical


@pytest.mark.slow
def test_interrupted_run_keeps_what_it_has_and_says_how_to_go_on(tmp_path):
    from motiform.record import open_recording

    code, stderr = stopped_half_way(tmp_path, "cut.mf", signal.SIGINT)
    assert code == 130
    assert "--resume" in stderr
    assert "Traceback" not in stderr
    assert 0 < open_recording(tmp_path / "cut.mf").duration < 40


@pytest.mark.parametrize(("verb", "words"), [("picture", "Its time (s)"), ("export", "with the extra usd")])
def test_help_shows_units_and_extras(here, monkeypatch, verb, words):
    monkeypatch.setenv("COLUMNS", "200")
    code, stdout, _ = here(verb, "--help")
    assert code == 0
    assert words in stdout


def test_warnings_of_motiform_are_reported_and_those_of_libraries_are_not(capsys, monkeypatch):
    monkeypatch.setattr(sys, "warnoptions", [])
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setenv("PYTHONWARNINGS", "")
    with warnings.catch_warnings():
        _silence_libraries()
        warnings.warn("a doubt", MotiformWarning, stacklevel=1)
        warnings.warn("a library's", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr().err == "motiform: a doubt\n"


@pytest.mark.slow
def test_a_sound_that_is_gone_is_written_again_and_another_file_is_kept(here, folder):
    asked = ("run", "plucked-strings", "--set", "scene.duration=0.1", "--out", "heard.mf", "-q")
    assert here(*asked)[0] == 0
    heard = (folder / "heard.wav").read_bytes()
    (folder / "heard.wav").unlink()
    code, out, _ = here(*asked)
    assert code == 0
    assert "already done" in out
    assert (folder / "heard.wav").read_bytes() == heard
    (folder / "heard.wav").write_bytes(b"mine")
    code, _, err = here(*asked)
    assert code == 2
    assert "heard.wav: the file is not the sound of the recording" in err
    assert (folder / "heard.wav").read_bytes() == b"mine"


def test_a_defect_is_one_line(here, monkeypatch):
    def fail(*_args, **_kwargs):
        raise RuntimeError("of ours")

    monkeypatch.setattr("motiform.scene.list_scenes", fail)
    monkeypatch.delenv("MOTIFORM_TRACEBACK", raising=False)
    code, _out, stderr = here("list")
    assert code == 1
    assert stderr.startswith("motiform: motiform has a defect here")
    assert "RuntimeError" in stderr
    assert "Traceback" not in stderr
    monkeypatch.setenv("MOTIFORM_TRACEBACK", "1")
    assert "in fail" in here("list")[2]
