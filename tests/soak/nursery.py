"""A process that has imported and compiled all that runs need, and forks a child for each: only the run is paid.

Children are the command line itself (`motiform.cli.main`), without the start of Python. They commit every 30 ms and not
every 2 s, so that a run of some tenths of a second has commits between which it can be killed.
"""

import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from alone import fork_alone, without_threads

ENOUGH = 300.0  # [s] that any process may take
_LOOK = 1e-3  # [s] from one look at the children to the next; counted, as a clock also runs while the machine stands


@dataclass
class Job:
    """A command of motiform; a signal that comes so long [s] after its start, and limits of the process."""

    arguments: list[str]
    after: float | None = None
    sent: int = signal.SIGKILL
    limits: dict[str, int] = field(default_factory=dict)


@dataclass
class Ended:
    """How a command ended: its code (−n: by signal n), what it said, how long it took [s]."""

    code: int
    said: str
    seconds: float


class Nursery:
    """The process that forks, seen from outside."""

    def __init__(self, kinds: Sequence[Sequence[str]]) -> None:
        environment = {**os.environ, "MOTIFORM_QUIET": "1", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, __file__], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._ask(kinds)

    def _ask(self, what: object) -> list[list]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the process that forks has ended"
        return json.loads(line)

    def run(self, *jobs: Job) -> list[Ended]:
        """Run commands at once, and return how they ended."""
        return [Ended(*one) for one in self._ask([asdict(job) for job in jobs])]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


# ---------------------------------------------------------------- inside of it
def serve() -> None:
    """Prepare kinds of runs, then take lists of jobs, one a line, and answer each with how they ended."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what runs print is not the bench's
    kinds = json.loads(sys.stdin.readline())
    _prepare(kinds)
    answers.write("[]\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(_run([Job(**one) for one in json.loads(line)])) + "\n")
        answers.flush()


def _prepare(kinds: Sequence[Sequence[str]]) -> None:
    """Import and compile: run each command in this process, once, without threads."""
    from motiform.cli.app import app
    from motiform.motion.run import blocks
    from motiform.record import recorder

    without_threads()
    recorder._COMMIT_SECONDS, recorder._COMMIT_SHARE = 0.03, 1
    blocks._PACE = 0.01
    with tempfile.TemporaryDirectory(prefix="nursery-") as folder:
        for n, arguments in enumerate(kinds):
            app([*arguments, "--out", str(Path(folder) / f"{n}.mf")], standalone_mode=False)


def _command(arguments: Sequence[str]) -> int:
    from motiform.cli import main

    sys.argv = ["motiform", *arguments]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _run(jobs: list[Job]) -> list[tuple[int, str, float]]:
    with tempfile.TemporaryDirectory(prefix="said-") as folder:
        files = [Path(folder) / str(n) for n in range(len(jobs))]
        for file in files:
            file.touch()  # a child may be killed before it says anything
        begun = time.monotonic()
        waiting = {_fork(job, file): n for n, (job, file) in enumerate(zip(jobs, files, strict=True))}
        sent: set[int] = set()
        found: dict[int, tuple[int, float]] = {}
        looks = 0
        while waiting:
            now, looks = time.monotonic() - begun, looks + 1
            for pid, n in list(waiting.items()):
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    found[n] = os.waitstatus_to_exitcode(status), now
                    del waiting[pid]
                elif jobs[n].after is not None and now >= jobs[n].after and pid not in sent:  # type: ignore[operator]
                    os.kill(pid, jobs[n].sent)
                    sent.add(pid)
                elif looks == round(ENOUGH / _LOOK):
                    os.kill(pid, signal.SIGABRT)  # which shows its stack
                elif looks > round((ENOUGH + 5) / _LOOK):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_LOOK)
        return [(found[n][0], file.read_text("utf-8", "replace")[-2000:], found[n][1]) for n, file in enumerate(files)]


def _fork(job: Job, said: Path) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    pid = fork_alone()
    if pid:
        return pid
    code = 70
    try:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signal.signal(getattr(signal, name), signal.SIG_DFL if name != "SIGINT" else signal.default_int_handler)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT, 0o600), 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)  # what is said survives a kill
        faulthandler.enable()
        _limit(job.limits)
        code = _command(job.arguments)
    except BaseException:  # whatever it is, it is told, and the child ends here
        import traceback

        traceback.print_exc(file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(code)


def _limit(limits: dict[str, int]) -> None:
    import resource

    for kind, size in limits.items():
        resource.setrlimit(getattr(resource, kind), (size, size))
    if limits:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


if __name__ == "__main__":
    serve()
