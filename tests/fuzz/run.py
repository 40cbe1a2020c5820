"""The fuzzer: cases of all targets in processes of bounded time and memory.

python tests/fuzz/run.py [--cases N] [--seed S] [--target NAME] [--jobs J] [--only CASE]

Every case follows from the seed, the target and its number. A case is good when it ends with a result or an error of
motiform, within its time and memory. What is not is written to the terminal with the command that repeats it.
"""

import argparse
import io
import json
import os
import random
import select
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

SECONDS, GIB = 120.0, 4.0  # of one case; kernels that it is the first to need are compiled in it
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
    """Take cases from stdin, one a line, and answer each with a line."""
    sys.path.insert(0, str(ROOT))
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(GIB * 2**30), int(GIB * 2**30)))
    except ImportError:
        pass
    out = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        target, seed, number = json.loads(line)
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            told = one_case(target, seed, number, Path(folder))
        out.write(json.dumps(told) + "\n")
        out.flush()


class Worker:
    """A process that does cases; it is ended when one takes too long."""

    def __init__(self) -> None:
        env = {**os.environ, "MOTIFORM_QUIET": "1", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([sys.executable, __file__, "--work"], text=True, env=env, **pipes)
        self.fresh = True

    def do(self, case: tuple[str, int, int]) -> str:
        """Return what became of a case."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        limit = SECONDS + (300.0 if self.fresh else 0.0)  # the first may compile, and makes the corpus
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        line = self.process.stdout.readline() if ready else ""
        self.fresh = False
        return json.loads(line) if line else f"no answer in {limit:.0f} s" if not ready else "the process died"

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def fuzz(cases: int, seed: int, targets: list[str], seconds: float = float("inf")) -> tuple[Counter, dict[str, str]]:
    """Do cases, the targets in turn; return how many of each were done, and what was wrong by its case."""
    worker, done, wrong = Worker(), Counter(), {}
    begun = time.monotonic()
    try:
        for number in range(cases):
            if time.monotonic() - begun > seconds:
                break
            target = targets[number % len(targets)]
            told = worker.do((target, seed, number))
            done[target] += 1
            if told:
                wrong[f"{target} {seed} {number}"] = told
            if told.startswith(("no answer", "the process")):
                worker.end()
                worker = Worker()
    finally:
        worker.end()
    return done, wrong


def main() -> None:
    """Fuzz, and end with 1 where something was wrong."""
    sys.path.insert(0, str(ROOT))
    from fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--only", type=int, help="number of the one case to do, in this process, with its traceback")
    given = parser.parse_args()
    targets = given.target or list(TARGETS)
    if given.only is not None:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            TARGETS[targets[0]](random.Random(f"{given.seed}:{targets[0]}:{given.only}"), Path(folder))
        return
    done, wrong = fuzz(given.cases, given.seed, targets)
    kinds = Counter(
        told.split(":")[0] + ":" + told.split(":")[1][:6] if ":" in told else told for told in wrong.values()
    )
    for case, told in wrong.items():
        target, seed, number = case.split()
        print(f"{told}\n    python tests/fuzz/run.py --target {target} --seed {seed} --only {number}")
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    print(f"{sum(done.values())} cases ({', '.join(f'{n} {name}' for name, n in done.items())}), {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    work() if "--work" in sys.argv else main()
