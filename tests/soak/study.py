"""A study of many runs on a Dask cluster whose workers, then whose scheduler are killed: nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from alone import fork_alone, without_threads

WAIT = 60.0  # [s] for a process to be ready
SPINS = (1.0, 2.0, 3.0, 4.0, 5.0)


def one_run(task: tuple[str, int], progress: Any) -> str:
    """Run one of the study: its recording is its result, which is there when the study is begun again."""
    from motiform.scene import simulate

    folder, number = Path(task[0]), task[1]
    settings = {"scene.duration": 0.5, "body.0.spin": [0.01, SPINS[number % len(SPINS)], 0.01]}
    simulate("handle", settings=settings, out=folder / f"{number}.mf", resume=True)
    return f"{number}.mf"


class Forks:
    """A process that has imported all that schedulers and workers need, and forks them."""

    def __init__(self) -> None:
        alone = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": "ignore"} | alone
        self._process = subprocess.Popen(
            [sys.executable, __file__], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, kind: str, *arguments: str) -> int:
        """Start a scheduler or a worker and return its process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([kind, *arguments]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """Fork a scheduler or a worker for each line, and answer with its process."""
    from distributed.cli import dask_scheduler, dask_worker

    mains = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}
    without_threads()
    with TemporaryDirectory() as folder:
        one_run((folder, 0), None)
    answers = os.fdopen(os.dup(1), "w")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead leave nothing
    for line in sys.stdin:
        kind, *arguments = json.loads(line)
        pid = fork_alone()
        if not pid:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number in (0, 1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            try:
                mains[kind](arguments, standalone_mode=False)
            finally:
                os._exit(0)
        answers.write(f"{pid}\n")
        answers.flush()


class Cluster:
    """A scheduler and workers, each a process of its own, on this machine."""

    def __init__(self, folder: Path, forks: Forks) -> None:
        self._forks, self.workers = forks, list[int]()
        file = folder / f"scheduler-{time.monotonic_ns()}.json"
        self.scheduler = forks.start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        end = time.monotonic() + WAIT
        while not (file.exists() and file.read_text()):
            if time.monotonic() > end:
                raise RuntimeError("the scheduler does not start")
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]

    def add_worker(self) -> None:
        """Start a worker; it joins when it is ready."""
        self.workers.append(
            self._forks.start("worker", self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard")
        )

    def close(self) -> None:
        """Kill what is left."""
        for process in (*self.workers, self.scheduler):
            kill(process)


def kill(process: int) -> None:
    """End a process, unless it has ended."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


@contextmanager
def cluster(folder: Path, workers: int, forks: Forks) -> Iterator[Cluster]:
    """Give a cluster that is gone afterwards."""
    found = Cluster(folder, forks)
    try:
        for _ in range(workers):
            found.add_worker()
        yield found
    finally:
        found.close()


def study(folder: Path, runs: int, workers: int = 2) -> dict[str, Any]:
    """Do the study: a worker is killed twice, then the scheduler, then all workers; begun again each time.

    Return how often each was done, the errors that were told, how many recordings were there after each end, and those
    that are missing or differ from runs without a fault.
    """
    from motiform.base.errors import RunError
    from motiform.studies import run_tasks
    from motiform.studies.engines import cluster as dask

    out, forks = folder / "runs", Forks()
    out.mkdir()
    errors, kept, killed = [], [], {"worker": 0, "scheduler": 0, "all workers": 0}
    dask._PATIENCE = WAIT  # type: ignore[misc, assignment]  # s for workers to start on a busy machine

    def go_on(until: int) -> None:
        """Work on what is left, and do a fault when so many recordings are there."""
        tasks = [(str(out), n) for n in range(runs) if not _finished(out / f"{n}.mf")]
        with cluster(folder, workers, forks) as found:
            for done, result in enumerate(run_tasks(one_run, tasks, scheduler=found.address), start=runs - len(tasks)):
                assert result.error is None, result.error
                if done in (runs // 10, runs // 5):
                    kill(found.workers[done % workers])
                    found.add_worker()
                    killed["worker"] += 1
                if done == until and until < runs // 2:
                    kill(found.scheduler)
                    killed["scheduler"] += 1
                elif done == until:
                    dask._PATIENCE = 5  # type: ignore[misc]  # s until no worker is taken to be the end
                    for worker in found.workers:
                        kill(worker)
                    killed["all workers"] += 1

    usual = dask._PATIENCE
    for until in (runs // 3, 2 * runs // 3, 2 * runs):
        try:
            go_on(until)
        except RunError as error:
            errors.append(str(error))
        dask._PATIENCE = usual
        kept.append(sum(_finished(path) for path in out.glob("*.mf")))
    forks.close()
    return {"killed": killed, "errors": errors, "kept": kept, "wrong": _differing(folder, out, runs)}


def _finished(path: Path) -> bool:
    from motiform.base.errors import MotiformError
    from motiform.record import open_recording

    try:
        return path.exists() and open_recording(path).complete
    except MotiformError:
        return False


def _differing(folder: Path, out: Path, runs: int) -> list[str]:
    from motiform.record import compare, open_recording

    whole = folder / "whole"
    whole.mkdir()
    for n in range(min(runs, len(SPINS))):
        one_run((str(whole), n), None)
    wrong = [f"{n}.mf is not there" for n in range(runs) if not _finished(out / f"{n}.mf")]
    for n in range(runs):
        path, other = out / f"{n}.mf", whole / f"{n % len(SPINS)}.mf"
        if _finished(path) and not compare(open_recording(path), open_recording(other)).identical:
            wrong.append(f"{n}.mf has other bits")
    return wrong


if __name__ == "__main__":
    serve()
