"""Tasks on the workers of a Dask cluster."""

import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from motiform.base.errors import InputError, RunError
from motiform.base.libraries import load_library
from motiform.base.progress import Progress
from motiform.studies.engines.backend import Result, Work, attempt, limit_threads

__all__ = ["over_cluster"]

_PATIENCE = 30  # s for a scheduler to answer, for a first worker to join, and for one to come back
_AHEAD, _FEWEST = 4, 64  # tasks for each thread that the scheduler holds, and at least
_LOOK = 3  # s between two looks at the workers while no task ends


def over_cluster(work: Work, tasks: Sequence[Any], scheduler: str, count: int, report: Progress) -> Iterator[Result]:
    """Give the results of tasks worked on by a cluster; those of a worker that is lost begin again on another."""
    with _client(scheduler, count) as client:
        futures: dict[Any, int] = {}
        begun = done = 0
        window, looked = _window(client, scheduler), monotonic()
        try:
            while done < len(tasks):
                if monotonic() - looked > _LOOK:  # workers come and go
                    window, looked = _window(client, scheduler), monotonic()
                for n in range(begun, min(done + window, len(tasks))):
                    with _cluster_errors(scheduler):
                        futures[client.submit(_on_worker, work, n, tasks[n], pure=False)] = n
                    begun = n + 1
                for future in _some_done(client, list(futures), scheduler):
                    result = _result(futures[future], future, scheduler)
                    if result is None:
                        continue
                    del futures[future]
                    done += 1
                    report(done / len(tasks))
                    yield result
                    future.release()
        finally:
            with suppress(OSError, RuntimeError, CancelledError):  # a cluster that has stopped works on nothing
                client.cancel(list(futures))


def _window(client: Any, scheduler: str) -> int:
    """Return how many tasks the scheduler holds at once: enough for its workers, however many tasks there are."""
    return max(_FEWEST, _AHEAD * sum(int(one.get("nthreads", 1)) for one in _workers(client, scheduler).values()))


def _some_done(client: Any, futures: list[Any], scheduler: str) -> list[Any]:
    """Wait until some are done and return them; RunError where no worker has been there for a while."""
    wait = load_library("distributed").wait
    alone = None
    while True:
        try:
            return list(wait(futures, timeout=_LOOK, return_when="FIRST_COMPLETED").done)
        except CancelledError:
            return [future for future in futures if future.status not in ("pending", "finished")]
        except TimeoutError:
            workers = _workers(client, scheduler)
        now = monotonic()
        alone = None if workers else now if alone is None else alone
        if alone is not None and now - alone > _PATIENCE:
            raise RunError(
                "a cluster must have workers", where=scheduler, got=f"none, with {len(futures)} tasks to do",
                remedy="What is finished stays; start workers and the same command again.",
            )  # fmt: skip


def _workers(client: Any, scheduler: str) -> Any:
    with _cluster_errors(scheduler):
        return client.scheduler_info()["workers"]


@contextmanager
def _cluster_errors(scheduler: str) -> Iterator[None]:
    """Turn what Dask raises where its scheduler is gone, at any moment of an exchange, into RunError."""
    try:
        yield
    except (OSError, RuntimeError, CancelledError) as error:
        raise _stopped(scheduler, f"{type(error).__name__}: {error}") from error


def _stopped(scheduler: str, got: str) -> RunError:
    remedy = "What is finished stays; start the scheduler and the same command again."
    return RunError("the cluster has stopped", where=scheduler, got=got, remedy=remedy)


def _on_worker(work: Work, number: int, task: Any) -> Result:
    limit_threads(1)
    return attempt(work, number, task, lambda part: None)


def _result(number: int, future: Any, scheduler: str) -> Result | None:
    """Return the result of a task; None where its worker died with it, so that it is done again."""
    limit = _LOOK
    while future.status == "finished":
        with _cluster_errors(scheduler):  # the scheduler may end between the end of a task and its result
            try:
                found = future.result(timeout=limit)
            except TimeoutError:
                limit *= 2  # it may be large
                continue
        assert isinstance(found, Result)
        return found
    if future.status in ("pending", "lost"):
        return None
    if future.status == "error":  # the task itself raises nothing: its workers died, or do not know it
        with _cluster_errors(scheduler):
            error = future.exception()
        return Result(number, error=f"{type(error).__name__}: {error}")
    raise _stopped(scheduler, f"a task that is {future.status}")


def _silence() -> None:
    """Keep Dask's tracebacks from the user: what is lost goes on elsewhere, or is told by an error.

    Some of its loggers have a level of their own.
    """
    for name in ("distributed", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _connected(make: Any, scheduler: str) -> Any:
    """Return a client; InputError where nothing answers, or what answers is no scheduler, which Dask waits for."""
    made: list[Any] = []

    def connect() -> None:
        try:
            made.append(make(scheduler, timeout=_PATIENCE))
        except Exception as error:  # of many kinds, where something else than a scheduler answers
            made.append(error)

    thread = threading.Thread(target=connect, name="motiform-connect", daemon=True)
    thread.start()
    thread.join(2 * _PATIENCE)
    found = (
        made[0] if made else TimeoutError(f"What is there says nothing that Dask understands for {2 * _PATIENCE} s.")
    )
    if not isinstance(found, Exception):
        return found
    raise InputError(
        "the scheduler does not answer", where="scheduler", got=scheduler,
        allowed="an address such as tcp://host:8786, or local", remedy=str(found) or None,
    ) from found  # fmt: skip


@contextmanager
def _client(scheduler: str, count: int) -> Iterator[Any]:
    """Give a client of the scheduler; "local" starts a cluster here and ends it."""
    distributed = load_library("distributed", where="scheduler")
    _silence()
    if scheduler == "local":
        with (
            distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    with _connected(distributed.Client, scheduler) as client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            remedy = "Start one: dask worker ADDRESS."
            raise RunError("the cluster has no worker", where="scheduler", got=scheduler, remedy=remedy) from None
        yield client
