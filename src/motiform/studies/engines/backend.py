"""One function over many tasks: here, in processes of this machine, or on the workers of a Dask cluster.

Results come as they are ready. A task whose worker dies is repeated on another; an exception of a task is reported and
does not stop the others.
"""

import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from motiform.base.errors import InputError
from motiform.base.progress import Progress

__all__ = ["ATTEMPTS", "Result", "Work", "check_jobs", "cores", "run_tasks"]

ATTEMPTS = 3
"""Times that a task is begun before the deaths of its workers are taken to be its doing."""

#: Gets a task and tells the fraction of it that is done. A function of a module, so that workers find it.
Work = Callable[[Any, Progress], Any]


@dataclass(frozen=True)
class Result:
    """What became of one task."""

    number: int
    """Place of the task in the list."""
    value: Any = None
    """What the function returned."""
    error: str | None = None
    """What it raised, or how its workers died, with the traceback where there is one."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_jobs(jobs: int | None) -> None:
    """Refuse a number of processes that is none."""
    if jobs is not None and not (isinstance(jobs, int) and jobs >= 1):
        raise InputError("jobs must be 1 or more", got=jobs, allowed="a whole number, 1 or more")


def run_tasks(
    work: Work,
    tasks: Sequence[Any],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Yield the result of each task when it is ready, in any order.

    Parameters
    ----------
    work : called as ``work(task, progress)``. Tasks and results are pickled; a sequence may make each task when it is
        asked for.
    jobs : processes, which share the cores: each has ``cores / jobs`` threads, at least one; 1 works in this process
        with all of its threads. None: one for each core, no more than there are tasks.
    scheduler : address of a Dask scheduler ("tcp://host:8786"), or "local" for a cluster of ``jobs`` workers here. What
        tasks name on disk must be there for the workers too.
    progress : called with the fraction of all tasks that is done.
    """
    check_jobs(jobs)
    count = min(cores() if jobs is None else jobs, max(1, len(tasks)))
    report = progress or (lambda fraction: None)
    if not tasks:
        return iter(())
    if scheduler is not None:
        from motiform.studies.engines.cluster import over_cluster

        return over_cluster(work, tasks, scheduler, count, report)
    if count > 1:
        from motiform.studies.engines.processes import over_processes

        return over_processes(work, tasks, count, max(1, cores() // count), report)
    return _here(work, tasks, report)


def _here(work: Work, tasks: Sequence[Any], report: Progress) -> Iterator[Result]:
    for number, task in enumerate(tasks):
        first, share = number / len(tasks), 1.0 / len(tasks)
        yield attempt(work, number, task, partial(_part, report, first, share))
        report(first + share)


def _part(report: Progress, first: float, share: float, part: float) -> None:
    report(first + share * part)


def attempt(work: Work, number: int, task: Any, report: Progress) -> Result:
    """Return the result of a task, including its exception."""
    try:
        return Result(number, work(task, report))
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return Result(number, error=f"{type(error).__name__}: {error}\n{text}")


def limit_threads(count: int) -> None:
    """Let the kernels that this thread launches use so many cores: the others have tasks of their own."""
    import numba

    numba.set_num_threads(min(count, numba.get_num_threads()))
