"""A study whose workers and command are killed gives the table of an undisturbed one, bit for bit."""

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import study_models

CASES = 60
STUDY = f"""
[study]
model = "study_models:wave"
[parameters]
amplitude = {{ from = 0.1, to = 3.0, steps = {CASES} }}
[set]
sleep = 0.1
[measures]
top = ["x", "max"]
rms = ["x", "rms"]
low = "study_models:top"
"""

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed by SIGKILL")


@pytest.fixture
def file(tmp_path):
    shutil.copy(study_models.__file__, tmp_path / "study_models.py")
    (tmp_path / "waves.toml").write_text(STUDY)
    return tmp_path / "waves.toml"


def command(file, out, *options):
    return [sys.executable, "-m", "motiform", "study", str(file), "--out", str(out), "--jobs", "2", *options]


def table(out):
    with open(out / "table.csv", newline="") as rows:
        return [{name: cell for name, cell in row.items() if name != "seconds"} for row in csv.DictReader(rows)]


def children(process):
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in listed.read_text().split()] if listed.exists() else []


def lines(out):
    journal = out / "cases.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def wait_for_lines(out, count, process):
    deadline = time.monotonic() + 120
    while lines(out) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="workers are found in /proc")
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_random(file, tmp_path, seed):
    whole, out, chance = tmp_path / "whole", tmp_path / "killed", random.Random(seed)
    subprocess.run(command(file, whole), check=True, capture_output=True)
    kills = 0
    while True:
        begun = lines(out)
        options = ("--resume",) if (out / "study.json").exists() else ()
        process = subprocess.Popen(command(file, out, *options), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if kills < 4:
            wait_for_lines(out, begun + chance.randint(2, 8), process)
            workers = children(process.pid)
            for worker in chance.sample(workers, min(1, len(workers))):
                os.kill(worker, signal.SIGKILL)
            wait_for_lines(out, begun + chance.randint(9, 14), process)
            process.kill()
            kills += 1
        if process.wait() == 0:
            break
    assert kills == 4
    assert table(out) == table(whole)
    assert len(table(out)) == CASES
    assert {row["status"] for row in table(out)} == {"done"}
    partial = [path for path in out.glob("runs/*/*") if path.suffix != ".mf"]
    assert partial == []


@pytest.mark.slow
def test_ctrl_c_writes_the_table_of_what_is_done(file, tmp_path):
    out = tmp_path / "s"
    process = subprocess.Popen(command(file, out), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    wait_for_lines(out, 5, process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume goes on from there" in told
    assert "Traceback" not in told
    states = [row["status"] for row in table(out)]
    assert len(states) == CASES
    assert set(states) == {"done", "left"}
    assert "The study was interrupted" in (out / "index.html").read_text()
