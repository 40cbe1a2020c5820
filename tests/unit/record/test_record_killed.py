"""A run that is killed, interrupted or starved loses at most what came after its last commit."""

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import walker

from motiform.base.errors import MotiformError, RecordingError, RunError
from motiform.record import Recorder, compare, open_recording
from motiform.record import files as files_module
from motiform.record import places as places_module
from motiform.record import site as site_module
from motiform.record import writer as writer_module

STEPS = 60


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nobody disturbed, and its files."""
    path = tmp_path_factory.mktemp("whole") / "walk.mf"
    return walker.go(walker.begin(path), STEPS), walker.content(path)


def assert_beginning(path, whole):
    """The recording opens, is incomplete, and holds a beginning of the whole one, bit by bit."""
    rec = open_recording(path)
    assert not rec.complete
    assert "incomplete" in rec.warning
    assert "INCOMPLETE" in repr(rec)
    for name in rec:
        count = rec.count(name)
        assert rec[name].tobytes() == whole.read(name, 0, count).tobytes()
        assert rec.time(name).tobytes() == whole.time(name, 0, count).tobytes()
    assert rec.events == whole.events[: len(rec.events)]
    return rec


def heed_interrupts():
    """Undo what a shell does to jobs in the background: they are begun deaf to SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(path, steps):
    worker = [sys.executable, walker.__file__, str(path), str(steps)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(worker, **pipes, text=True, preexec_fn=heed_interrupts)
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    return process


ENDLESS = 10**9  # steps: a worker that is fast or slow is always stopped in the middle


def walk_alone(path, found, more=40):
    """What nobody stopped, a little longer than what was found; and its length."""
    steps = found.count("walk") + more
    return walker.go(walker.begin(path), steps), steps


def test_sigkill_at_random_moments(quick_path):
    """A real process, killed again and again, ends with the same bits as one that nobody killed."""
    path, chance = quick_path / "walk.mf", random.Random(3)
    for _ in range(6):
        process = start(path, ENDLESS)
        time.sleep(chance.uniform(0.0, 0.25))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    whole, steps = walk_alone(quick_path / "whole.mf", open_recording(path))
    assert_beginning(path, whole)
    assert start(path, steps).wait() == 0
    assert compare(open_recording(path), whole).identical
    assert walker.content(path) == walker.content(quick_path / "whole.mf")


def test_sigint_in_the_middle(quick_path):
    """Ctrl-C: every appended sample is kept, the rest follows after resuming."""
    path = quick_path / "walk.mf"
    process = start(path, ENDLESS)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate()
    assert "KeyboardInterrupt" in text
    assert process.returncode != 0
    whole, steps = walk_alone(quick_path / "whole.mf", open_recording(path))
    assert_beginning(path, whole)
    assert compare(walker.go(Recorder.resume(path, discard=True), steps), whole).identical


class Killed(BaseException):
    pass


class Saboteur:
    """Stands for the os module: the n-th call that touches the disk does not happen, and maybe none after it."""

    hooked = ("replace", "rename", "fsync", "unlink", "truncate", "open")

    def __init__(self, turn, error, forever):
        self.turn, self.error, self.forever, self.calls = turn, error, forever, 0

    def __getattr__(self, name):
        value = getattr(os, name)
        if name not in self.hooked:
            return value

        def hooked(*args, **kwargs):
            if name == "open" and args[1] & getattr(os, "O_NOFOLLOW", 0):
                return value(*args, **kwargs)  # a file of a recording is read
            self.calls += 1
            if self.calls == self.turn or (self.forever and self.calls > self.turn):
                raise self.error
            return value(*args, **kwargs)

        return hooked


def sabotage(monkeypatch, turn, error, forever):
    saboteur = Saboteur(turn, error, forever)
    for module in (files_module, places_module, writer_module):
        monkeypatch.setattr(module, "os", saboteur)
    return saboteur


def run_sabotaged(path, turn, error, forever):
    """Walk with the n-th call failing; tell whether it did, and how many samples had been appended."""
    appended = {}
    with pytest.MonkeyPatch.context() as patch:
        recorder = walker.begin(path, overwrite=True)
        saboteur = sabotage(patch, turn, error, forever)
        if forever:  # the dead remove nothing
            patch.setattr(site_module, "remove_folder", lambda folder: None)
        try:
            walker.go(recorder, STEPS, every=20)
        except (type(error), MotiformError):
            appended = recorder.counts
        finally:
            recorder._sink.release()
    return saboteur.calls >= turn, appended


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("replaces", [False, True])
def test_death_before_each_call_that_touches_the_disk(quick_path, whole, part, replaces):
    """Exhaustive where SIGKILL is random: die before the n-th call, for every n; open, resume, get the same files.

    Before the first commit is there the name is free, or has what is to be replaced; nothing empty is left under it.
    """
    turn, reached, early = 1 + part, True, 0
    while reached:
        path = quick_path / f"{turn}.mf"
        if replaces:
            walker.go(walker.begin(path), 5)
        old = walker.content(path)
        reached, _ = run_sabotaged(path, turn, Killed(), True)
        if reached:
            assert path.exists() or not replaces
            if walker.content(path) == old:
                early += 1
                assert path.exists() == replaces
                again = walker.begin(path, overwrite=replaces)
            else:
                if open_recording(path).complete:  # the last calls come after the last commit
                    break
                assert_beginning(path, whole[0])
                again = Recorder.resume(path, discard=True)
            assert compare(walker.go(again, STEPS), whole[0]).identical
            assert walker.content(path) == whole[1]
            turn += 12  # the four parts together take a third of the calls, to stay quick
    assert turn > 60
    assert early > 1


def test_death_while_resuming(quick_path, whole):
    """Die before the n-th call of resume, for every n, with samples after the checkpoint; the next resume does it."""
    turn, reached = 1, True
    while reached:
        path = quick_path / f"{turn}.mf"
        recorder = walker.begin(path)
        rng, x = np.random.default_rng(7), np.zeros(3)
        for k in range(40):
            walker.step(recorder, k, x, rng)
            if k == 4:
                recorder.commit({"k": 5, "x": x, "rng": rng.bit_generator.state}, force=True)
        recorder.close()
        with pytest.MonkeyPatch.context() as patch:
            saboteur = sabotage(patch, turn, Killed(), True)
            try:
                Recorder.resume(path)._sink.release()
            except Killed:
                assert_beginning(path, whole[0])
        reached = saboteur.calls >= turn
        assert compare(walker.go(Recorder.resume(path), STEPS), whole[0]).identical
        assert walker.content(path) == whole[1]
        turn += 1
    assert turn > 10


@pytest.mark.parametrize("part", range(3))
def test_ctrl_c_before_each_call_that_touches_the_disk(quick_path, whole, part):
    """The interrupted block commits all that was appended, each sample once; nothing hidden is left."""
    turn, reached = 1 + part, True
    while reached:
        path = quick_path / f"{turn}.mf"
        reached, appended = run_sabotaged(path, turn, KeyboardInterrupt(), False)
        if reached and appended:
            rec = open_recording(path)
            assert {name: rec.count(name) for name in rec} == appended
            assert not list(quick_path.glob(".*"))
            if not rec.complete:
                assert_beginning(path, whole[0])
                assert compare(walker.go(Recorder.resume(path, discard=True), STEPS), whole[0]).identical
        turn += 9
    assert turn > 60


def test_ctrl_c_right_after_a_commit_does_not_repeat_samples(tmp_path, whole):
    for path in (tmp_path / "walk.mf", None):
        recorder = walker.begin(path)
        write, calls = recorder._sink.write, []

        def interrupted(*args, write=write, calls=calls, **options):
            write(*args, **options)
            calls.append(1)
            if len(calls) == 3:
                raise KeyboardInterrupt

        recorder._sink.write = interrupted
        with pytest.raises(KeyboardInterrupt):
            walker.go(recorder, STEPS)
        rec = recorder._result
        assert rec.count("walk") == 9
        assert rec["walk"].tobytes() == whole[0].read("walk", 0, 9).tobytes()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
def test_injected_disk_errors(quick_path, whole, code):
    """A disk that fails for good: a clear error, and what was committed stays and is resumed."""
    for turn in (1, 5, 17, 60):
        path = quick_path / f"{turn}.mf"
        recorder = walker.begin(path)
        with pytest.MonkeyPatch.context() as patch:
            sabotage(patch, turn, OSError(code, os.strerror(code)), True)
            with pytest.raises(RunError, match=str(path)) as caught:
                walker.go(recorder, STEPS)
            assert any("not yet committed" in note for note in caught.value.__notes__)
        assert "safe" in str(caught.value)
        if turn == 60:
            assert_beginning(path, whole[0])
        else:
            assert list(quick_path.iterdir()) == []  # nothing was committed: nothing is left
        again = Recorder.resume(path, discard=True) if turn == 60 else walker.begin(path)
        assert compare(walker.go(again, STEPS), whole[0]).identical
        shutil.rmtree(path)


def commit_often(recorder, k):
    for _ in range(20):
        recorder.commit({"k": k}, force=True)


def test_full_disk_for_a_while(tmp_path, whole):
    """A commit that failed is tried again: nothing is lost when there is room again."""
    recorder = walker.begin(tmp_path / "walk.mf")
    rng, x = np.random.default_rng(7), np.zeros(3)
    for k in range(STEPS):
        walker.step(recorder, k, x, rng)
        if k % 7 == 0:
            with pytest.MonkeyPatch.context() as patch:
                sabotage(patch, 1 + k // 2, OSError(errno.ENOSPC, "No space left on device"), True)
                with pytest.raises(RunError, match="disk is full"):
                    commit_often(recorder, k)
    assert compare(recorder.finish(), whole[0]).identical


@pytest.fixture
def small_disk(tmp_path):
    """A real file system of 128 KiB, where this user may mount one."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root mounts a small disk; injected errors are tested instead")
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"mount is not allowed here: {made.stderr.strip()}; injected errors are tested instead")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_real_full_disk(small_disk):
    """Fill a real disk: the error is clear, nothing is damaged, and with room again the same recorder goes on."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(40_000))
    recorder = walker.begin(small_disk / "walk.mf")
    rng, x, k, error = np.random.default_rng(7), np.zeros(3), 0, None
    while error is None:
        walker.step(recorder, k, x, rng)
        k += 1
        try:
            recorder.commit({"k": k}, force=True)
        except RunError as caught:
            error = caught
    assert "disk is full" in str(error)
    seen = open_recording(small_disk / "walk.mf")
    assert not seen.complete
    ballast.unlink()
    whole = walker.go(walker.begin(None), k)
    assert_beginning(small_disk / "walk.mf", whole)
    assert seen.count("walk") >= k - 1
    assert compare(recorder.finish(), whole).identical
    assert not list(small_disk.rglob("*.partial"))


def test_full_disk_at_the_start(small_disk):
    """There is no half-made recording, and the old one is still there when it was to be replaced."""
    old = walker.go(walker.begin(small_disk / "walk.mf"), 5)
    before = walker.content(small_disk / "walk.mf")
    (small_disk / "ballast").write_bytes(bytes(100_000)[: _free(small_disk) - 8192])
    for name, overwrite in (("walk.mf", True), ("new.mf", False)):
        with pytest.raises(RunError, match="disk is full"):
            walker.begin(small_disk / name, overwrite=overwrite)
    assert sorted(entry.name for entry in small_disk.iterdir()) == ["ballast", "walk.mf"]
    assert walker.content(small_disk / "walk.mf") == before
    assert compare(open_recording(small_disk / "walk.mf"), old).identical


def _free(folder):
    room = os.statvfs(folder)
    return room.f_bavail * room.f_bsize


def test_read_only_disk(small_disk):
    """No folder, a clear error; and reading works."""
    rec = walker.go(walker.begin(small_disk / "walk.mf"), 5)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for path, overwrite in ((small_disk / "new.mf", False), (small_disk / "walk.mf", True)):
        with pytest.raises(RecordingError, match=r"cannot be written \(got 'Read-only file system'\)"):
            walker.begin(path, overwrite=overwrite)
    assert compare(open_recording(small_disk / "walk.mf"), rec).identical


def test_folder_without_permission(tmp_path, monkeypatch):
    if os.geteuid() == 0:  # root may write everywhere: let the system say no in its place
        sabotage(monkeypatch, 1, PermissionError(errno.EACCES, "Permission denied"), True)
    else:
        tmp_path.chmod(0o555)
    with pytest.raises(RecordingError, match="cannot be written"):
        walker.begin(tmp_path / "walk.mf")
    assert list(tmp_path.iterdir()) == [] or os.geteuid() == 0


def test_limit_on_the_size_of_files(quick_path):
    """RLIMIT_FSIZE in a real process."""
    path = quick_path / "walk.mf"
    code = (
        f"import resource, sys; sys.path.insert(0, {str(Path(walker.__file__).parent)!r}); import walker;"
        f"recorder = walker.begin({str(path)!r});"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (1600, {resource.RLIM_INFINITY}));"
        "walker.go(recorder, 400)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "RunError" in done.stderr
    assert "larger than allowed" in done.stderr
    assert_beginning(path, walker.go(walker.begin(None), 400))


def test_two_writers(tmp_path):
    """A second process, or recorder, may not touch what the first is writing, before its first commit or after it."""
    path = tmp_path / "walk.mf"
    recorder = walker.begin(path)
    with pytest.raises(RecordingError, match="another process is writing"):
        walker.begin(path)
    recorder.append({"count": [1]})
    recorder.commit(force=True)
    with pytest.raises(RecordingError, match="another process is writing"):
        Recorder.resume(path)
    with pytest.raises(RecordingError, match="another process is writing"):
        walker.begin(path, overwrite=True)
    assert open_recording(path)["count"].tolist() == [1]
    recorder.close()
    assert Recorder.resume(path).counts == {"walk": 0, "count": 1, "turn": 0}
