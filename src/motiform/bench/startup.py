"""How long `import motiform` takes, in a process of its own."""

import subprocess
import sys

from motiform.base.progress import Progress
from motiform.bench.report import Report, Result

__all__ = ["measure"]

_TIMED = "import time; t = time.perf_counter(); import {0}; print(time.perf_counter() - t)"


def measure(*, device: str, progress: Progress) -> Report:
    """Time the import of motiform beside that of numpy alone, which it contains."""
    names, rounds = ("motiform", "numpy"), 5
    best = dict.fromkeys(names, float("inf"))
    for n in range(rounds):
        for name in names:
            took = subprocess.run(
                [sys.executable, "-c", _TIMED.format(name)], capture_output=True, text=True, check=True
            )
            best[name] = min(best[name], float(took.stdout))
        progress((n + 1) / rounds)
    result = Result("import", "cpu", 1, "ms", "lower", 1e3 * best["motiform"], {"numpy": 1e3 * best["numpy"]})
    return Report("startup", (result,))
