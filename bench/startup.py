"""How long `import motiform` takes, in a process of its own."""

import subprocess
import sys

from bench.register import peers_of
from bench.report import Report, Result
from motiform.base.progress import Progress

__all__ = ["measure"]

_TIMED = "import time; t = time.perf_counter(); import {0}; print(time.perf_counter() - t)"


def measure(*, device: str, progress: Progress) -> Report:
    """Time the import of motiform beside that of its peers alone."""
    peers, rounds = [peer.name for peer in peers_of("startup", "import")], 5
    best = dict.fromkeys(("motiform", *peers), float("inf"))
    for n in range(rounds):
        for name in best:
            took = subprocess.run(
                [sys.executable, "-c", _TIMED.format(name)], capture_output=True, text=True, check=True
            )
            best[name] = min(best[name], 1e3 * float(took.stdout))
        progress((n + 1) / rounds)
    own = best.pop("motiform")
    return Report("startup", (Result("import", "cpu", 1, "ms", "lower", own, best),))
