"""`motiform reconstruct` as a person types it: files in, folders of results out, also where some files are wrong."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

COMMAND = [sys.executable, "-c", "from motiform.cli import main; main()"]
HEIGHT, MASS, SAMPLES = 1.75, 70.0, 30
BODY = ("--height", HEIGHT, "--mass", MASS)


def motiform(*arguments, cwd, env=None):
    environment = {**os.environ, "COLUMNS": "200", **(env or {})}
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=600
    )


def motion(figure, phase):
    """A small motion of all joints about the neutral posture, (samples, nq)."""
    size = np.random.default_rng(7).uniform(-0.15, 0.15, figure.nq)
    t = np.arange(SAMPLES) / 100.0
    return figure.neutral() + size * np.sin(2 * np.pi * t + phase)[:, None]


def write_trial(figure, q, path):
    from motiform.measure import write_trc
    from motiform.motion.tree import tags
    from motiform.record import Channel, Recording

    x = tags(figure, q)
    x[5:9, 3] = np.nan
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=100.0)
    manifest = {"labels": {"marker": list(figure.tag_names)}, "up": "y"}
    write_trc(Recording.from_arrays({"markers": (channel, x)}, manifest=manifest), path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with trials of a known motion, and their results by the command."""
    from motiform.motion.figures import human36

    path = tmp_path_factory.mktemp("trials")
    body = human36(HEIGHT, MASS)
    (path / "in").mkdir()
    for k in range(3):
        write_trial(body, motion(body, 0.7 * k), path / "in" / f"t{k}.trc")
    done = motiform("reconstruct", "in", *BODY, "--out", "out", "--jobs", 1, "--json", cwd=path)
    assert done.returncode == 0, done.stderr
    (path / "printed.json").write_text(done.stdout, "utf-8")
    return path


@pytest.fixture
def here(folder, reconstruct_in):
    return reconstruct_in(folder)


def test_report_in_json(folder):
    summary = json.loads((folder / "printed.json").read_text())
    assert summary["count"] == {"done": 3, "doubtful": 0, "skipped": 0, "failed": 0, "left": 0}
    assert [row["trial"] for row in summary["trials"]] == ["t0", "t1", "t2"]
    assert json.loads((folder / "out" / "summary.json").read_text()) == summary
    for row in summary["trials"]:
        assert (row["status"], row["samples"], row["markers"]) == ("done", SAMPLES, 28)
        assert row["seen"] == pytest.approx(1 - 4 / (28 * SAMPLES))
        assert row["rms"] < 1e-6  # m: the file has its numbers to less
        assert set(row["files"]) <= set(os.listdir(folder / "out" / row["trial"]))
    assert not [name for name in os.listdir(folder / "out") if name.startswith(".")]


def test_recording_has_the_motion(folder):
    from motiform import open_recording
    from motiform.motion.figures import human36
    from motiform.motion.tree import tags

    body = human36(HEIGHT, MASS)
    rec = open_recording(folder / "out" / "t1" / "t1.mf")
    assert rec.complete
    assert rec.manifest["title"] == "t1"
    expected = tags(body, motion(body, 0.7))
    assert np.abs(rec["tags"] - expected).max() < 1e-6
    assert np.isnan(rec["markers"][5:9, 3]).all()


def test_tables_have_the_layout_of_humans(folder):
    from motiform import open_recording

    rec = open_recording(folder / "out" / "t0" / "t0.mf")
    expected = {
        "coordinates.csv": ([f"QREC{n}" for n in range(1, 43)], rec["q"]),
        "tags.csv": (None, np.concatenate([rec["tags"], rec["center_of_mass"][:, None]], axis=1)),
        "centers_of_mass.csv": (None, rec["centers_of_mass"]),
    }
    for name, (heads, values) in expected.items():
        with open(folder / "out" / "t0" / name, newline="") as file:
            first, *rows = csv.reader(file)
        count = values[0].size // 3
        axes = [f"{axis}{n}" for n in [*range(1, count), "GlobalCOM"] for axis in "XYZ"]
        assert first == ["sample", *(heads or axes)]
        assert [row[0] for row in rows] == [str(n) for n in range(1, SAMPLES + 1)]
        np.testing.assert_array_equal(np.array(rows)[:, 1:].astype(float), values.reshape(SAMPLES, -1))


def test_mot_is_in_degrees_and_metres(folder):
    from motiform import open_recording
    from motiform.measure import read_sto
    from motiform.motion.figures import human36

    body = human36(HEIGHT, MASS)
    rec = open_recording(folder / "out" / "t0" / "t0.mf")
    text = (folder / "out" / "t0" / "t0.mot").read_text()
    assert "inDegrees=yes" in text
    heads = text.split("endheader\n")[1].split("\n")[0].split("\t")
    assert heads == ["time", *body.coordinates]
    shifts = [name for name in body.coordinates if name.endswith(("forward", "upward", "rightward"))]
    assert len(shifts) == 3
    read = read_sto(folder / "out" / "t0" / "t0.mot", rotations=[n for n in body.coordinates if n not in shifts])
    for k, name in enumerate(body.coordinates):  # to and from degrees: two roundings
        np.testing.assert_allclose(read[name], rec["q"][:, k], rtol=4 * np.finfo(float).eps, atol=0)
    angles = read_sto(folder / "out" / "t0" / "t0_angles.sto")
    assert "right_knee.flexion" in angles.names


def test_report_page_is_complete_in_itself(folder):
    page = (folder / "out" / "t0" / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    for words in ("Residuals of markers", "Gaps", "Coordinates", "r_digit2", "1 gaps in 1 markers", "human36"):
        assert words in page, words
    sources = re.findall(r'(?:src|href)="([^"]{0,40})', page)
    assert len(sources) >= 5 + 2  # pictures, residuals of each marker and the scale of their colours
    assert page.count('role="img"') >= 2 + 2  # errors, residuals of each marker, two pages of coordinates
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "http" not in re.sub(r'"data:[^"]*"', "", page)


def test_what_is_done_is_skipped_and_nothing_is_replaced_unasked(here, folder):
    before = (folder / "out" / "t0" / "summary.json").stat().st_mtime_ns
    code, stdout, _ = here("in", *BODY, "--out", "out", "--resume")
    assert code == 0
    assert stdout.splitlines()[-1].startswith("already done, nothing changed: 3 trials in ")
    assert (folder / "out" / "t0" / "summary.json").stat().st_mtime_ns == before
    code, _, stderr = here("in", "--height", 1.7, "--mass", MASS, "--out", "out")
    assert code == 2
    assert "other results are there" in stderr
    assert "--overwrite" in stderr
    assert (folder / "out" / "t0" / "summary.json").stat().st_mtime_ns == before


@pytest.mark.parametrize("how", ["recording gone", "chunk flipped", "table cut", "page gone"])
def test_damage_of_what_is_done_is_seen(folder, how):
    from motiform.trials.trial import is_whole, read_done

    place = folder / "out" / "t0"
    done, kept = read_done(place), folder / "kept"
    assert is_whole(place, done)
    file = {
        "recording gone": place / "t0.mf" / "zarr.json",
        "chunk flipped": place / "t0.mf" / "data" / "q" / "c.0.0",
        "table cut": place / "t0.mot",
        "page gone": place / "report.html",
    }[how]
    file.rename(kept)
    try:
        assert not is_whole(place, done)
        if not how.endswith("gone"):
            data = kept.read_bytes()
            file.write_bytes(data[:-9] if how == "table cut" else data[:40] + bytes([data[40] ^ 1]) + data[41:])
            assert not is_whole(place, done)
    finally:
        kept.replace(file)
    assert is_whole(place, done)


def test_a_damaged_trial_is_done_again_by_the_command(here, folder):
    more = ("--no-report", "--jobs", 1)
    assert here("in/t0.trc", *BODY, "--out", "redone", *more)[0] == 0
    place = folder / "redone" / "t0"
    before = (place / "t0.mot").read_bytes()
    (place / "t0.mot").write_bytes(before[:-9])
    code, stdout, stderr = here("in/t0.trc", *BODY, "--out", "redone", *more)
    assert (code, stdout.splitlines()[-1].startswith("wrote 1 trial")) == (0, True)
    assert "t0: files of it are missing or damaged; it is done again" in stderr
    assert (place / "t0.mot").read_bytes() == before
    (place / "summary.json").write_text((place / "summary.json").read_text().replace('"samples": 30', '"samples": "x"'))
    code, _, stderr = here("in/t0.trc", *BODY, "--out", "redone", *more)
    assert code == 2
    assert "results are there whose summary is damaged. Say --overwrite" in stderr
    assert here("in/t0.trc", *BODY, "--out", "redone", "--overwrite", *more)[0] == 0


def test_the_recording_of_another_trial_is_not_that_of_this_one(folder, tmp_path):
    from motiform.trials.trial import is_whole, read_done

    place = tmp_path / "t0"
    shutil.copytree(folder / "out" / "t0", place)
    assert is_whole(place, read_done(place))
    shutil.rmtree(place / "t0.mf")
    shutil.copytree(folder / "out" / "t1" / "t1.mf", place / "t0.mf")
    assert not is_whole(place, read_done(place))


def test_overwrite_replaces_results_but_nothing_else(here, folder):
    more = ("--no-report", "--jobs", 1)
    assert here("in/t0.trc", *BODY, "--out", "again", *more)[0] == 0
    assert here("in/t0.trc", *BODY, "--out", "again", "--cutoff", 8, *more)[0] == 2
    assert here("in/t0.trc", *BODY, "--out", "again", "--cutoff", 8, "--overwrite", *more)[0] == 0
    summary = json.loads((folder / "again" / "t0" / "summary.json").read_text())
    assert summary["options"]["reconstruct"]["cutoff"] == 8
    assert "report.html" not in os.listdir(folder / "again" / "t0")
    assert [name for name in os.listdir(folder / "again") if name.startswith(".")] == []
    (folder / "mine" / "t0").mkdir(parents=True)
    (folder / "mine" / "t0" / "thesis.txt").touch()
    code, _, stderr = here("in/t0.trc", *BODY, "--out", "mine", "--overwrite", *more)
    assert code == 2
    assert "holds other things" in stderr
    assert (folder / "mine" / "t0" / "thesis.txt").exists()


def write_bad_trials(folder):
    """A truncated C3D, one sample of nothing, other markers, a subject 2 km tall; return their names."""
    bad = folder / "bad"
    bad.mkdir(exist_ok=True)
    text = (folder / "in" / "t0.trc").read_text()
    (bad / "cut.c3d").write_bytes(b"\x02P" + bytes(100))
    head, table = text.split("\n", 6)[:6], text.split("\n")[6:]
    blank = ["\t".join([*row.split("\t")[:2], *[""] * 84]) for row in table if row]
    (bad / "nothing.trc").write_text("\n".join([*head, *blank]) + "\n")
    (bad / "others.trc").write_text(re.sub(r"[rl]_[a-z_0-9]+|substernale|suprasternale|cervicale|vertex", "Q", text))
    (bad / "tall.trc").write_text(text.replace("\tmm\t", "\tm\t"))
    return ["cut", "nothing", "others", "tall"]


@pytest.mark.slow
def test_bad_files_do_not_stop_the_others(here, folder):
    names = write_bad_trials(folder)
    code, stdout, stderr = here("bad", "in/t0.trc", *BODY, "--out", "mixed", "--no-report", "--jobs", 2, "--json")
    assert code == 1
    assert "Traceback" not in stderr
    rows = {row["trial"]: row for row in json.loads(stdout)["trials"]}
    assert rows["t0"]["status"] == "done"
    for name in names:
        assert rows[name]["status"] == "failed", name
        assert rows[name]["error"] in stderr
        assert "traceback" not in rows[name], rows[name]["traceback"]
        assert not (folder / "mixed" / name).exists()
    assert json.loads((folder / "mixed" / "summary.json").read_text())["count"]["failed"] == len(names)
    assert here("bad/cut.c3d", "bad/others.trc", *BODY, "--out", "worse", "--jobs", 1)[0] == 2  # nothing was right


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("absent.c3d",), ["no such file or folder", "absent.c3d"]),
        (("in/t0.trc", "--figure", "human63"), ["no such figure", "Did you mean 'human36'?"]),
        (("in/t0.trc", "--subject", "absent.csv"), ["--subject", "TABLE.csv:NAME"]),
        (("in/t0.trc", "--correspondence", "absent.csv"), ["absent.csv"]),
        (("in/t0.trc", "--weights", "weights.csv"), ["weights.csv:2", "tag,weight"]),
        (("in/t0.trc", "--static", "absent.c3d"), ["--static"]),
        (("in/t0.trc", "--set", "figure.lenghts.L5=0.4"), ["Did you mean 'lengths'?"]),
        (("in/t0.trc", "--set", "motion.step=1"), ["--set", "calibrate.…"]),
        (("in/t0.trc", "--set", "reconstruct.acuracy=1"), ["Did you mean 'accuracy'?"]),
        (("in/t0.trc", "--resume", "--overwrite"), ["Give one of them"]),
        (("in/t0.trc", "--sex", "both"), ["both"]),
        (("in/t0.trc", "--out", "in/t0.trc"), ["the output must be a folder"]),
    ],
)
def test_wrong_input_ends_with_two_and_no_traceback(here, folder, arguments, words):
    (folder / "weights.csv").write_text("tag,weight\nvertex,heavy\n")
    code, _, stderr = here(*arguments)
    assert code == 2, stderr
    assert "Traceback" not in stderr
    for word in words:
        assert word in stderr


def test_a_trial_that_was_refused_is_done_when_it_is_put_right(here, folder):
    """It leaves no folder of its own, only its row in the summary of the batch."""
    right = (folder / "in" / "t0.trc").read_bytes()
    (folder / "late.trc").write_text("no markers")
    more = ("--height", HEIGHT, "--mass", MASS, "--out", "mended", "--no-report", "--jobs", 1)
    assert here("late.trc", *more)[0] == 2
    assert sorted(entry.name for entry in (folder / "mended").iterdir()) == ["summary.json", "trials.csv"]
    (folder / "late.trc").write_bytes(right)
    code, _, stderr = here("late.trc", *more)
    assert code == 0, stderr
    assert sorted(entry.name for entry in (folder / "mended").iterdir()) == ["late", "summary.json", "trials.csv"]


def test_subjects_by_folder_and_correspondence_and_weights(here, folder):
    from motiform.measure import Subject, write_subjects

    (folder / "Subject01").mkdir()
    (folder / "Subject01" / "a.trc").write_bytes((folder / "in" / "t0.trc").read_bytes())
    write_subjects([Subject("1", height=HEIGHT, mass=MASS), Subject("2", height=1.9)], folder / "who.csv")
    (folder / "pairs.csv").write_text("tag,marker\nvertex,\n")
    (folder / "weights.csv").write_text("tag,weight\nr_digit2,0.5\n")
    more = ("--correspondence", "pairs.csv", "--weights", "weights.csv", "--no-report", "--jobs", 1)
    code, _, stderr = here("Subject01", "--subject", "who.csv", "--out", "who", *more)
    assert code == 0, stderr
    summary = json.loads((folder / "who" / "a" / "summary.json").read_text())
    assert (summary["subject"], summary["markers"]) == ("1", 27)
    assert summary["rms"] < 1e-6  # m: of this height, not of the other
    code, _, stderr = here("in/t0.trc", "--subject", "who.csv", "--out", "whose", *more)
    assert code == 2
    assert "the subject of the trial is not known" in stderr


@pytest.mark.slow
def test_folders_of_a_laboratory_are_walked_mirrored_and_resumed(here, folder):
    """Conditions, subjects, variants of a subject's measures, and a bad file: a table has a row for each."""
    from motiform.measure import Subject, write_subjects

    good = (folder / "in" / "t0.trc").read_bytes()
    for place in ("before/Subject01/walk.trc", "after/Subject01/walk.trc", "before/Subject02/walk.trc"):
        (folder / "Measures" / place).parent.mkdir(parents=True)
        (folder / "Measures" / place).write_bytes(good if "01" in place else b"no markers")
    body = Subject("01", height=HEIGHT, mass=MASS)
    variant = Subject("0103", height=1.05 * HEIGHT, mass=MASS)
    write_subjects([body, variant, Subject("02", height=1.8)], folder / "study.csv")
    more = ("--subject", "study.csv", "--out", "study", "--no-report", "--jobs", 1)
    assert here("Measures", *more)[0] == 1
    with open(folder / "study" / "trials.csv", newline="") as file:
        rows = {row["trial"]: row for row in csv.DictReader(file)}
    keys = ("condition", "subject", "variant", "status")
    assert {name: tuple(row[key] for key in keys) for name, row in rows.items()} == {
        "after/Subject01/walk": ("after", "01", "", "done"),
        "after/Subject01/0103/walk": ("after", "01", "03", "done"),
        "before/Subject01/walk": ("before", "01", "", "done"),
        "before/Subject01/0103/walk": ("before", "01", "03", "done"),
        "before/Subject02/walk": ("before", "02", "", "failed"),
    }
    assert "walk.trc" in rows["before/Subject02/walk"]["error"]
    assert float(rows["before/Subject01/walk"]["rms [m]"]) < 1e-6  # of this height
    assert float(rows["before/Subject01/0103/walk"]["rms [m]"]) > 1e-3  # 5 % too tall
    # the bad file is put right, and the table gets a subject more: the others stay as they are
    (folder / "Measures/before/Subject02/walk.trc").write_bytes(good)
    write_subjects(
        [body, variant, Subject("02", height=1.8), Subject("03", height=1.6)], folder / "study.csv", overwrite=True
    )
    code, stdout, stderr = here("Measures/after", "Measures/before", *more, "--resume", "--json")
    assert code == 0, stderr
    assert json.loads(stdout)["count"] == {"done": 1, "doubtful": 0, "skipped": 4, "failed": 0, "left": 0}
    assert {row["variant"] for row in json.loads(stdout)["trials"]} == {"", "03"}


def begun(out):
    return out.is_dir() and any(name.is_dir() and not name.name.startswith(".") for name in out.iterdir())


@pytest.mark.slow
def test_interrupted_batch_keeps_what_is_done_and_goes_on(folder, tmp_path):
    many = tmp_path / "many"
    many.mkdir()
    for n in range(40):
        (many / f"m{n:02}.trc").write_bytes((folder / "in" / f"t{n % 3}.trc").read_bytes())

    def heed_interrupts():  # jobs in the background of a shell are begun deaf to SIGINT
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    command = [*COMMAND, "reconstruct", "many", *map(str, BODY), "--no-report", "--jobs", "2", "--out", "out"]
    start = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts)
    deadline = time.monotonic() + 300
    while start.poll() is None and time.monotonic() < deadline and not begun(tmp_path / "out"):
        time.sleep(0.02)
    start.send_signal(signal.SIGINT)
    _, stderr = start.communicate(timeout=60)
    assert start.returncode == 130, stderr
    assert "--resume" in stderr
    assert "Traceback" not in stderr
    whole = [path for path in (tmp_path / "out").iterdir() if path.is_dir() and not path.name.startswith(".")]
    assert 1 <= len(whole) < 40
    assert all((path / "summary.json").is_file() for path in whole)
    for path in list(many.iterdir())[: 40 - 6]:  # six or so are enough to see it go on
        if path.stem not in {done.name for done in whole}:
            path.unlink()
    again = motiform("reconstruct", "many", *BODY, "--no-report", "--out", "out", "--resume", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    count = json.loads(again.stdout)["count"]
    assert count["skipped"] == len(whole)
    assert count["done"] + count["skipped"] == len(list(many.iterdir()))
    assert count["failed"] == count["left"] == 0


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, processes of their own; gives the address and the workers' processes."""
    pytest.importorskip("distributed")
    file, started = tmp_path / "scheduler.json", []

    def start(what, *arguments):
        command = [sys.executable, "-m", "dask", what, *arguments, "--scheduler-file", str(file)]
        started.append(subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    start("scheduler", "--port", "0", "--no-dashboard")
    for _ in range(2):
        start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (file.exists() and file.read_text()):
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], {process.pid: process for process in started[1:]}
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_loses_no_trial_of_a_killed_worker(folder, tmp_path, cluster):
    from distributed import Client

    def at_work(dask_worker):  # inside, so that it is sent whole: workers cannot import this file
        return os.getpid(), dask_worker.state.executing_count

    address, workers = cluster
    many = tmp_path / "many"
    many.mkdir()
    for n in range(6):
        (many / f"m{n}.trc").write_bytes((folder / "in" / f"t{n % 3}.trc").read_bytes())
    arguments = ["many", *map(str, BODY), "--no-report", "--scheduler", address, "--out", "out", "--json"]
    run = subprocess.Popen([*COMMAND, "reconstruct", *arguments], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        with Client(address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            busy, deadline = [], time.monotonic() + 120
            while not busy and time.monotonic() < deadline and run.poll() is None:
                busy = [process for process, count in client.run(at_work).values() if count]
        workers[busy[0]].kill()  # it has begun: the first trial of a process takes seconds
        stdout, _ = run.communicate(timeout=300)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == 0
    assert json.loads(stdout)["count"] == {"done": 6, "doubtful": 0, "skipped": 0, "failed": 0, "left": 0}
    assert sorted(row["trial"] for row in json.loads(stdout)["trials"]) == [f"m{n}" for n in range(6)]
    for n in range(6):
        assert (tmp_path / "out" / f"m{n}" / "summary.json").is_file()


def test_forces_setups_forward_and_marker_sets(here, folder):
    """One trial with all of them: weight on one foot by a table of forces, a task, markers of a set, x forward."""
    from motiform.motion.figures import human36

    body = human36(HEIGHT, MASS, markers="plug-in-gait")
    path = folder / "more"
    path.mkdir()
    write_trial(body, motion(body, 0.3), path / "walk.trc")
    times = np.arange(SAMPLES) / 100.0
    rows = [f"{t:.2f}\t0\t{MASS * 9.81}\t0\t0\t0\t0.09\t0\t0\t0" for t in times]
    names = [f"ground_{what}{axis}" for what in ("force_v", "force_p", "torque_") for axis in "xyz"]
    head = ["forces", f"nRows={SAMPLES}", "nColumns=10", "endheader", "\t".join(["time", *names])]
    (path / "walk_grf.mot").write_text("\n".join([*head, *rows]) + "\n")
    tasks = "".join(f'<IKMarkerTask name="{name}"><weight>1</weight></IKMarkerTask>' for name in body.tag_names)
    tasks += '<IKCoordinateTask name="right_knee_extension"><weight>1e6</weight></IKCoordinateTask>'
    setup = f"<InverseKinematicsTool><IKTaskSet><objects>{tasks}</objects></IKTaskSet></InverseKinematicsTool>"
    (path / "ik.xml").write_text(f'<OpenSimDocument Version="40000">{setup}</OpenSimDocument>')
    options = ("--markers", "plug-in-gait", "--forces", path, "--ik-setup", path / "ik.xml", "--forward", "-z")
    ways = ("--out", path / "out", "--jobs", 1, "--no-report", "--json")
    code, out, err = here(path / "walk.trc", *BODY, *options, *ways)
    assert code == 0, err
    row = json.loads(out)["trials"][0]
    assert row["markers"] == 28 + 43
    assert {"walk.bvh", "walk_efforts.sto"} <= set(row["files"])
    with open(path / "out" / "walk" / "coordinates.csv") as file:
        table = np.array([list(map(float, line[1:])) for line in list(csv.reader(file))[1:]])
    knee, turned = body.coordinates.index("right_knee_extension"), body.coordinates.index("pelvis_left_turn")
    assert np.abs(table[:, knee]).max() < 1e-5  # held by the task
    turn = table[:, turned] - motion(body, 0.3)[:, turned]
    assert np.abs(np.abs(turn) - np.pi / 2).max() < 0.2  # x is where −z was
    code, _, err = here(path / "walk.trc", *BODY, "--forces", "none.mot", "--out", path / "out2")
    assert code == 2
    assert "--forces" in err
