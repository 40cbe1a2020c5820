"""The fuzzer: cases of all targets in processes of bounded time and memory.

python tests/fuzz/run.py [--cases N] [--seconds S] [--seed S] [--target NAME] [--jobs J] [--only CASE]

Every case follows from the seed, the target and its number. A case is good when it ends with a result or an error of
motiform, within its time and memory. What is not is written to the terminal with the command that repeats it.
"""

import argparse
import io
import json
import os
import random
import select
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

SECONDS, GIB = 120.0, 4.0  # of one case; kernels that it is the first to need are compiled in it
MOST = 1.5  # [GiB] that a process may keep between cases; a fresh one follows it
ROOT = Path(__file__).parents[1]


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
    """Take cases from stdin, one a line, and answer each with a line: what was wrong, seconds, memory kept [GiB]."""
    sys.path.insert(0, str(ROOT))
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(GIB * 2**30), int(GIB * 2**30)))
    except ImportError:
        pass
    out = os.fdopen(os.dup(1), "w")
    home = Path(tempfile.mkdtemp(prefix="fuzz-"))
    for line in sys.stdin:
        target, seed, number = json.loads(line)
        folder = home / "around" / "inside"  # where ".." leads, too
        folder.mkdir(parents=True)
        os.chdir(folder)
        begun = time.monotonic()
        told = one_case(target, seed, number, folder)
        seconds = time.monotonic() - begun
        os.chdir(home)
        shutil.rmtree(home / "around", ignore_errors=True)
        out.write(json.dumps([told, seconds, _kept()]) + "\n")
        out.flush()
    shutil.rmtree(home, ignore_errors=True)


def _kept() -> float:
    """Return the memory of this process [GiB], 0 where the system does not tell it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**30
    except (OSError, ValueError):
        return 0.0


class Worker:
    """A process that does cases; it is ended when one takes too long."""

    def __init__(self) -> None:
        env = {**os.environ, "MOTIFORM_QUIET": "1", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([sys.executable, __file__, "--work"], text=True, env=env, **pipes)
        self.fresh, self.kept = True, 0.0

    def do(self, case: tuple[str, int, int]) -> tuple[str, float]:
        """Return what became of a case, and how long it took [s]."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        begun = time.monotonic()
        limit = SECONDS + (300.0 if self.fresh else 0.0)  # the first may compile, and makes the corpus
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        line = self.process.stdout.readline() if ready else ""
        self.fresh = False
        if not line:
            return (f"no answer in {limit:.0f} s" if not ready else "the process died"), time.monotonic() - begun
        told, seconds, self.kept = json.loads(line)
        return told, seconds

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
    turns, end = _turns(targets), time.monotonic() + seconds

    def go_on() -> None:
        worker = Worker()
        try:
            while (number := next(numbers)) < cases and time.monotonic() < end:
                target = turns[number % len(turns)]
                told, spent = worker.do((target, seed, number))
                if told.startswith(("MemoryError", "no answer", "the process")):  # or it was what others had left
                    worker.end()
                    worker = Worker()
                    told, spent = worker.do((target, seed, number))
                with lock:
                    found.done[target] += 1
                    found.seconds[target] += spent
                    if told:
                        found.wrong[f"{target} {seed} {number}"] = told
                if worker.kept > MOST or told.startswith(("no answer", "the process")):
                    worker.end()
                    worker = Worker()
        finally:
            worker.end()

    threads = [threading.Thread(target=go_on) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _turns(targets: list[str]) -> list[str]:
    """Return the order of targets: each as often as its share, evenly mixed."""
    from fuzz.targets import SHARES

    places = [((n + 0.5) / SHARES[name], name) for name in targets for n in range(SHARES[name])]
    return [name for _, name in sorted(places)]


def main() -> None:
    """Fuzz, and end with 1 where something was wrong."""
    sys.path.insert(0, str(ROOT))
    from fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no case is begun")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once; 0: one for each core")
    parser.add_argument("--only", type=int, help="number of the one case to do, in this process, with its traceback")
    given = parser.parse_args()
    targets = given.target or list(TARGETS)
    if given.only is not None:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            os.chdir(folder)
            TARGETS[targets[0]](random.Random(f"{given.seed}:{targets[0]}:{given.only}"), Path(folder))
        return
    begun = time.monotonic()
    found = fuzz(given.cases, given.seed, targets, given.seconds, given.jobs or os.cpu_count() or 1)
    spent = time.monotonic() - begun
    for case, told in found.wrong.items():
        target, seed, number = case.split()
        print(f"{told}\n    python tests/fuzz/run.py --target {target} --seed {seed} --only {number}")
    for kind, times in Counter(told.split(": ")[0] for told in found.wrong.values()).most_common():
        print(f"{times:6} {kind}")
    for name, times in found.done.items():
        print(f"{times:8} {name:8} {times / max(found.seconds[name], 1e-9):8.1f} a second")
    total = sum(found.done.values())
    print(f"{total} cases in {spent:.0f} s ({total / spent:.1f} a second), {len(found.wrong)} wrong")
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    work() if "--work" in sys.argv else main()
