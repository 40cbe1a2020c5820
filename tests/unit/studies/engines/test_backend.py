"""Tasks over processes and over a Dask cluster: all of them done, whoever dies."""

import os
import signal
import socket
import threading
import time

import pytest

from motiform.base.errors import InputError, RunError
from motiform.studies import cores, run_tasks

TASKS = '''
"""Work for the tests, in a module that workers can import."""
import os, time
from pathlib import Path


def square(task, progress):
    progress(0.5)
    if task < 0:
        raise ValueError(f"no root of {task}")
    return task * task


def threads(task, progress):
    import numba
    return os.getpid(), numba.get_num_threads()


def wait_for_go(task, progress):
    """Tell that it has begun, by whom, and end when it is let go."""
    folder, number = Path(task[0]), task[1]
    (folder / f"begun-{number}-{os.getpid()}").touch()
    while not (folder / "go").exists():
        time.sleep(0.02)
    return number


def die(task, progress):
    if task == 0:
        os.kill(os.getpid(), 9)
    return task
'''


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A module of task functions, found by child processes too."""
    import importlib

    (tmp_path / "motiform_test_work.py").write_text(TASKS, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    return importlib.import_module("motiform_test_work")


def kill_one_that_works(folder):
    """Kill the process that has begun task 0, then let all tasks end; return its number."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(folder.glob("begun-0-*")):
        time.sleep(0.02)
    (begun,) = folder.glob("begun-0-*")
    process = int(begun.name.rsplit("-", 1)[1])
    os.kill(process, signal.SIGKILL)
    (folder / "go").touch()
    return process


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_and_errors_of_all_tasks(work, jobs):
    fractions = []
    found = {r.number: r for r in run_tasks(work.square, [3, -1, 5], jobs=jobs, progress=fractions.append)}
    assert (found[0].value, found[2].value) == (9, 25)
    assert found[1].value is None
    assert found[1].error.startswith("ValueError: no root of -1\n")
    assert fractions[-1] == pytest.approx(1.0)  # sums of thirds
    assert any(0.0 < part < 1.0 for part in fractions)


def test_processes_have_one_thread_each(work):
    pairs = [r.value for r in run_tasks(work.threads, [0, 1, 2], jobs=2)]
    assert {threads for _, threads in pairs} == {1}
    assert os.getpid() not in {process for process, _ in pairs}


def test_a_killed_process_loses_no_task(work, tmp_path):
    killed = []
    killer = threading.Thread(target=lambda: killed.append(kill_one_that_works(tmp_path)))
    killer.start()
    found = list(run_tasks(work.wait_for_go, [(str(tmp_path), n) for n in range(4)], jobs=2))
    killer.join()
    assert sorted(r.value for r in found) == [0, 1, 2, 3]
    begun = [path.name for path in tmp_path.glob("begun-0-*")]
    assert len(begun) == 2  # by the one that was killed, and by another
    assert f"begun-0-{killed[0]}" in begun


@pytest.mark.slow
def test_a_task_that_kills_its_process_is_given_up(work):
    found = {r.number: r for r in run_tasks(work.die, [0, 1, 2], jobs=2)}
    assert (found[1].value, found[2].value) == (1, 2)
    assert "died 3 times (ended by signal 9)" in found[0].error


def test_leaving_early_stops_the_processes(work, tmp_path):
    results = run_tasks(work.wait_for_go, [(str(tmp_path), n) for n in range(2)], jobs=2)
    with pytest.raises(RuntimeError, match="enough"):
        for _ in _interrupted(results, tmp_path):
            pass
    for path in tmp_path.glob("begun-*"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.name.rsplit("-", 1)[1]), 0)


def _interrupted(results, folder):
    """Give results; raise in their midst, as Ctrl-C does, once both tasks have begun."""

    def raise_here(*_):
        raise RuntimeError("enough")

    before = signal.signal(signal.SIGALRM, raise_here)
    watcher = threading.Thread(target=_alarm_when_begun, args=(folder,))
    watcher.start()
    try:
        yield from results
    finally:
        signal.signal(signal.SIGALRM, before)
        watcher.join()


def _alarm_when_begun(folder):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list(folder.glob("begun-*"))) < 2:
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGALRM)


def test_no_tasks_and_wrong_jobs():
    assert list(run_tasks(print, [])) == []
    assert cores() >= 1
    with pytest.raises(InputError, match="jobs"):
        run_tasks(print, [1], jobs=0)


@pytest.mark.slow
def test_dask_cluster_here_loses_no_task_of_a_killed_worker(work, tmp_path):
    pytest.importorskip("distributed")
    killer = threading.Thread(target=kill_one_that_works, args=(tmp_path,))
    killer.start()
    found = list(run_tasks(work.wait_for_go, [(str(tmp_path), n) for n in range(4)], jobs=2, scheduler="local"))
    killer.join()
    assert sorted(r.value for r in found) == [0, 1, 2, 3]
    assert len(list(tmp_path.glob("begun-0-*"))) == 2


def test_no_scheduler_is_reported(monkeypatch):
    pytest.importorskip("distributed")
    from motiform.studies.engines import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    with pytest.raises(InputError, match="the scheduler does not answer"):
        list(run_tasks(print, [1], scheduler="tcp://127.0.0.1:9"))
    with pytest.raises(InputError, match="the scheduler does not answer"):
        list(run_tasks(print, [1], scheduler="nowhere://x"))


def test_another_server_is_reported_in_time(monkeypatch):
    """What accepts a connection and says nothing: Dask would wait for it for ever."""
    pytest.importorskip("distributed")
    from motiform.studies.engines import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(InputError, match="the scheduler does not answer"):
            list(run_tasks(print, [1], scheduler=f"tcp://127.0.0.1:{silent.getsockname()[1]}"))


def test_no_logger_of_dask_writes_tracebacks():
    """Some have a level of their own, by Dask's configuration: that of "distributed" is not enough."""
    import logging

    pytest.importorskip("distributed")
    from motiform.studies.engines.cluster import _silence

    logging.getLogger("distributed.client").setLevel(logging.WARNING)
    _silence()
    known = [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]
    assert "distributed.client" in known
    assert not [name for name in known if logging.getLogger(name).isEnabledFor(logging.ERROR)]


@pytest.mark.parametrize("status", ["finished", "error", "cancelled"])
def test_a_scheduler_that_ends_before_a_result_came_is_reported(status):
    """It is killed between the end of a task and the exchange of its result."""
    from motiform.studies.engines.cluster import _result

    class Future:
        def __init__(self):
            self.status = status

        def exception(self, timeout=None):
            raise ConnectionResetError(104, "Connection reset by peer")

        result = exception

    with pytest.raises(RunError, match="the cluster has stopped"):
        _result(0, Future(), "tcp://127.0.0.1:8786")


def test_a_result_that_dies_with_its_worker_is_done_again():
    """A worker is killed between the end of a task and its result: asking for it would wait for ever."""
    from motiform.studies.engines.backend import Result
    from motiform.studies.engines.cluster import _result

    class Future:
        status = "finished"

        def result(self, timeout=None):
            assert timeout is not None
            self.status = "lost"
            raise TimeoutError(f"timed out after {timeout} s.")

    assert _result(0, Future(), "tcp://127.0.0.1:8786") is None

    class Slow(Future):
        asked = ()

        def result(self, timeout=None):
            self.asked += (timeout,)
            if len(self.asked) < 3:
                raise TimeoutError
            return Result(0, 5)

    slow = Slow()
    assert _result(0, slow, "tcp://127.0.0.1:8786").value == 5
    assert slow.asked[2] > slow.asked[1] > slow.asked[0]  # a large result comes in the end


@pytest.mark.parametrize("error", [TimeoutError("timed out"), ConnectionResetError(104, "reset")])
def test_a_scheduler_that_does_not_tell_its_workers_is_reported(error):
    from motiform.studies.engines.cluster import _workers

    class Client:
        def scheduler_info(self):
            raise error

    with pytest.raises(RunError, match="the cluster has stopped"):
        _workers(Client(), "tcp://127.0.0.1:8786")
