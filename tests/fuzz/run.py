"""The fuzzer: cases of all targets in processes of bounded time and memory.

python tests/fuzz/run.py [--cases N] [--seconds S] [--seed S] [--target NAME] [--jobs J] [--bounds] [--only CASE]

Every case follows from the seed, the target and its number. A case is good when it ends with a result or an error of
motiform, within its time and memory. What is not is written to the terminal with the command that repeats it.
"""

import argparse
import ctypes
import faulthandler
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TextIO

SECONDS, GIB = 120.0, 4.0  # of one case; kernels that it is the first to need are compiled in it
SLOW = 10.0  # [s] of a case that is done again, its kernels compiled: nothing of the corpus is so big
MOST = 1.0  # [GiB] that a process may keep of its cases; a fresh one follows it
ROOT = Path(__file__).parents[1]
BOUNDS = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_FULL_TRACEBACKS": "1"}
BEYOND = "debug: IndexError"  # what Numba then prints


def one_case(target: str, seed: int, number: int, folder: Path) -> str:
    """Do a case and return "" where it is good, else what happened."""
    from fuzz.targets import TARGETS
    from motiform.base.errors import MotiformError

    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            TARGETS[target](random.Random(f"{seed}:{target}:{number}"), folder)
    except MotiformError as error:
        return "" if str(error) else "an error without words"
    except MemoryError:
        return "MemoryError"
    except Exception as error:
        import traceback

        frames = [f for f in traceback.extract_tb(error.__traceback__) if "motiform" in f.filename]
        at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        return f"{type(error).__name__} at {at}: {str(error)[:150]}"
    return ""


def work() -> None:
    """Make the corpora of the targets on the command line once, then fork children that do cases.

    Cases come from stdin, one a line; each is answered with a line: what was wrong, seconds.
    """
    sys.path.insert(0, str(ROOT))
    from alone import fork_alone, without_threads
    from fuzz.targets import CORPORA

    without_threads()
    out, home = os.fdopen(os.dup(1), "w"), Path(tempfile.mkdtemp(prefix="fuzz-", dir=_quick()))
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for target in sys.argv[2:]:
            CORPORA[target]()
    out.write("ready\n")
    out.flush()
    more = True
    while more:
        reader, writer = os.pipe()  # the case that a child has begun, and its end
        stuck = home / "stuck"
        child = fork_alone()
        if not child:
            os.close(reader)
            with stuck.open("w") as stacks:
                _do_cases(out, home, os.fdopen(writer, "w"), stacks)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as report:
            lines = report.read().split()
        status = os.waitpid(child, 0)[1]
        if lines and lines[-1] == "begun":
            late = os.WIFEXITED(status)  # the watchdog's end; others are signals
            report = f"no answer in {SECONDS:.0f} s" if late else f"the process died ({status})"
            out.write(json.dumps([f"{report}\n{stuck.read_text()}".strip(), SECONDS]) + "\n")
            out.flush()
        more = not lines or lines[-1] != "end"
    shutil.rmtree(home, ignore_errors=True)


def _quick() -> str | None:
    """Return a folder in memory where there is one: recordings are synced to a disk at every commit."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _do_cases(out: TextIO, home: Path, report: TextIO, stacks: TextIO) -> None:
    """Do cases until there are none, or too much memory is kept."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(GIB * 2**30), int(GIB * 2**30)))
    except ImportError:
        pass
    faulthandler.enable(stacks)
    for stream in (1, 2):  # what compiled code and libraries print
        os.dup2(stacks.fileno(), stream)
    flush, read = ctypes.CDLL(None).fflush, Path(stacks.name).open()  # noqa: SIM115, ends with the process
    begun_with = _kept()
    while line := sys.stdin.readline():
        print("begun", file=report, flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True, file=stacks)
        target, seed, number = json.loads(line)
        shutil.rmtree(home / "around", ignore_errors=True)
        folder = home / "around" / "inside"  # where ".." leads, too
        folder.mkdir(parents=True)
        os.chdir(folder)
        begun = time.process_time()  # whatever else the machine does
        wrong = one_case(target, seed, number, folder)
        seconds = time.process_time() - begun
        flush(None)
        if beyond := next((line for line in read if line.startswith(BEYOND)), ""):
            wrong = f"out of bounds: {beyond.strip()}"
        os.chdir(home)
        faulthandler.cancel_dump_traceback_later()
        print("done", file=report, flush=True)
        out.write(json.dumps([wrong, seconds]) + "\n")
        out.flush()
        if wrong == "MemoryError" or _kept() > begun_with + MOST:
            return
    print("end", file=report, flush=True)


def _kept() -> float:
    """Return the memory of this process [GiB], 0 where the system does not tell it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**30
    except (OSError, ValueError):
        return 0.0


class Worker:
    """A process that does cases in children of its own."""

    def __init__(self, targets: list[str]) -> None:
        env = {**os.environ, "MOTIFORM_QUIET": "1", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([sys.executable, __file__, "--work", *targets], text=True, env=env, **pipes)
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise RuntimeError("there is no corpus: --only 0 tells why")

    def do(self, case: tuple[str, int, int]) -> tuple[str, float]:
        """Return what became of a case, and how long it took [s]."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the process that forks has ended")
        fault, seconds = json.loads(line)
        return fault, seconds

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


@dataclass
class Found:
    """What cases came to: their number and time [s] by target, and what was wrong by case."""

    done: Counter = field(default_factory=Counter)
    seconds: Counter = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)


def fuzz(cases: int, seed: int, targets: list[str], seconds: float = float("inf"), jobs: int = 1) -> Found:
    """Do cases, the targets in turn by their shares; return what they came to."""
    found, numbers, lock = Found(), count(), threading.Lock()
    turns = _turns(targets)

    def go_on() -> None:
        worker = Worker(targets)
        end = time.monotonic() + seconds  # kernels are compiled and corpora made before
        try:
            while (number := next(numbers)) < cases and time.monotonic() < end:
                target = turns[number % len(turns)]
                fault, spent = worker.do((target, seed, number))
                if fault == "MemoryError":  # or it was what others had left
                    fault, spent = worker.do((target, seed, number))
                if spent > SLOW and not fault:
                    fault, spent = worker.do((target, seed, number))
                    fault = fault or (f"slow: {spent:.0f} s" if spent > SLOW else "")
                with lock:
                    found.done[target] += 1
                    found.seconds[target] += spent
                    if fault:
                        print(f"{fault}\n    {_again(target, seed, number)}", flush=True)
                        found.wrong[f"{target} {seed} {number}"] = fault
        finally:
            worker.end()

    threads = [threading.Thread(target=go_on) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _again(target: str, seed: int, number: int) -> str:
    return f"python tests/fuzz/run.py --target {target} --seed {seed} --only {number}"


def _turns(targets: list[str]) -> list[str]:
    """Return the order of targets: each as often as its share, evenly mixed."""
    from fuzz.targets import SHARES

    places = [((n + 0.5) / SHARES[name], name) for name in targets for n in range(SHARES[name])]
    return [name for _, name in sorted(places)]


def main() -> None:
    """Fuzz, and end with 1 where something was wrong."""
    sys.path.insert(0, str(ROOT))
    from fuzz.targets import CORPORA, TARGETS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no case is begun")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once; 0: one for each core")
    parser.add_argument("--bounds", action="store_true", help="compiled code checks the bounds of arrays (slower)")
    parser.add_argument("--only", type=int, help="number of the one case to do, in this process, with its traceback")
    given = parser.parse_args()
    if given.bounds and "NUMBA_BOUNDSCHECK" not in os.environ:
        from motiform.base.caches import cache_dir

        env = {**os.environ, **BOUNDS, "MOTIFORM_CACHE": str(cache_dir() / "bounds")}
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
    targets = given.target or list(TARGETS)
    if given.only is not None:
        CORPORA[targets[0]]()
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            os.chdir(folder)
            TARGETS[targets[0]](random.Random(f"{given.seed}:{targets[0]}:{given.only}"), Path(folder))
        return
    begun = time.monotonic()
    found = fuzz(given.cases, given.seed, targets, given.seconds, given.jobs or os.cpu_count() or 1)
    spent = time.monotonic() - begun
    for kind, times in Counter(fault.split("\n")[0].split(": ")[0] for fault in found.wrong.values()).most_common():
        print(f"{times:6} {kind}")
    for name, times in found.done.items():
        rate = times / max(found.seconds[name], 1e-9)
        print(f"{times:8} {name:8} {rate:8.1f} a second")
    total = sum(found.done.values())
    print(f"{total} cases in {spent:.0f} s ({total / spent:.1f} a second), {len(found.wrong)} wrong")
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    work() if "--work" in sys.argv else main()
