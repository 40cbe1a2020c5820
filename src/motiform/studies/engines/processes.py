"""Tasks in processes of this machine.

Own workers rather than a pool of the standard library: that one loses every task when a single worker is killed, and
cannot stop those that run when Ctrl-C is pressed.
"""

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from types import ModuleType
from typing import Any

from motiform.base.progress import Progress
from motiform.studies.engines.backend import ATTEMPTS, Result, Work, attempt, limit_threads

__all__ = ["over_processes"]

_LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PATIENCE = 5.0  # s for a worker to end


@dataclass
class _WorkerPool:
    """Workers, each with at most one task, and the tasks that have not begun."""

    work: Work
    tasks: Sequence[Any]
    threads: int
    """Of the kernels of each worker."""
    waiting: deque[int] = field(default_factory=deque)
    tries: dict[int, int] = field(default_factory=dict)
    busy: dict[Connection, tuple[Any, int]] = field(default_factory=dict)
    """Pipe of each worker, its process and the number of its task."""
    parts: dict[int, float] = field(default_factory=dict)
    """Fraction done of each task that is worked on."""
    done: int = 0
    """Tasks that are done."""

    @property
    def fraction(self) -> float:
        """Fraction of all tasks that is done."""
        return (self.done + sum(self.parts.values())) / len(self.tasks)

    def start_worker(self) -> None:
        """Start a worker on the next task."""
        context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
        ours, theirs = context.Pipe()
        with _few_threads(), _without_script(self.work):
            process = context.Process(target=_serve, args=(theirs, self.work, self.threads), daemon=True)
            process.start()
        theirs.close()  # so that the end of the process ends the pipe
        self.busy[ours] = (process, -1)
        self.assign_task(ours)

    def assign_task(self, pipe: Connection) -> None:
        """Give a worker the next task, or let it go."""
        process, _ = self.busy.pop(pipe)
        number = self.waiting.popleft() if self.waiting else None
        with suppress(OSError):  # it is dead: its pipe tells so next
            pipe.send(None if number is None else (number, self.tasks[number]))
        if number is None:
            pipe.close()
            process.join(_PATIENCE)
        else:
            self.tries[number] = self.tries.get(number, 0) + 1
            self.busy[pipe] = (process, number)

    def reclaim_task(self, pipe: Connection) -> Result | None:
        """Take the task of a dead worker back; return its result where it kills every worker."""
        process, number = self.busy.pop(pipe)
        pipe.close()
        process.join(_PATIENCE)
        self.parts.pop(number, None)
        if self.tries[number] < ATTEMPTS:
            self.waiting.append(number)
            return None
        self.done += 1
        way = f"ended by signal {-process.exitcode}" if (process.exitcode or 0) < 0 else f"code {process.exitcode}"
        return Result(number, error=f"the process that worked on it died {ATTEMPTS} times ({way}); out of memory?")

    def stop_workers(self) -> None:
        """Stop all workers, whatever they do."""
        for process, _ in self.busy.values():
            process.terminate()
        for pipe, (process, _) in self.busy.items():
            process.join(_PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()
            pipe.close()


def over_processes(work: Work, tasks: Sequence[Any], count: int, threads: int, report: Progress) -> Iterator[Result]:
    """Give the results of tasks worked on by so many processes, with so many threads each."""
    crew = _WorkerPool(work, tasks, threads, deque(range(len(tasks))))
    try:
        for _ in range(min(count, len(tasks))):
            crew.start_worker()
        while crew.busy:
            for pipe in wait(list(crew.busy)):
                assert isinstance(pipe, Connection)
                result = _receive(crew, pipe)
                report(crew.fraction)
                if result is not None:
                    yield result
            while crew.waiting and len(crew.busy) < count:  # in the place of those that died
                crew.start_worker()
    finally:
        crew.stop_workers()


def _receive(crew: _WorkerPool, pipe: Connection) -> Result | None:
    """Take what a worker says; return the result if it is one."""
    try:
        said = pipe.recv()
    except (EOFError, OSError):
        return crew.reclaim_task(pipe)
    if not isinstance(said, Result):
        crew.parts[crew.busy[pipe][1]] = float(said)
        return None
    crew.parts.pop(said.number, None)
    crew.tries.pop(said.number, None)
    crew.done += 1
    crew.assign_task(pipe)
    return said


def _serve(pipe: Connection, work: Work, threads: int) -> None:
    """Work on tasks until there are no more, or their results are no longer wanted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who hired us, who then stops us
    limit_threads(threads)
    with suppress(EOFError, OSError):
        while (task := pipe.recv()) is not None:
            pipe.send(attempt(work, task[0], task[1], pipe.send))


@contextmanager
def _without_script(work: Work) -> Iterator[None]:
    """Keep processes that begin inside from running the user's script again, unless the work is defined in it.

    They would start a study each, where the script has no ``if __name__ == "__main__":``.
    """
    script = sys.modules["__main__"]
    try:
        needed = b"__main__" in ForkingPickler.dumps(work)
        if not needed:
            sys.modules["__main__"] = ModuleType("__main__")
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _few_threads() -> Iterator[None]:
    """Let processes that begin inside use one thread for linear algebra, unless the user has said otherwise."""
    ours = [name for name in _LIBRARIES if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]
