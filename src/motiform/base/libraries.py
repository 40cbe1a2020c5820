"""Which libraries can be used: each import is tried in a separate process, because a broken library can abort it."""

import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec

__all__ = ["import_failure", "import_failures", "usable"]

_PATIENCE = 120.0  # s for one import


@cache
def import_failure(module: str) -> str | None:
    """Return why a module cannot be imported, in one line; None if it can."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"import {module}"], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"its import takes longer than {_PATIENCE:g} s"
    if done.returncode == 0:
        return None
    last = (done.stderr.strip().splitlines() or [f"its import ends the process with code {done.returncode}"])[-1]
    return last[:300]


@cache
def usable(module: str) -> bool:
    """Whether an optional library is there and works; one that is there and broken is reported on stderr."""
    if find_spec(module.partition(".")[0]) is None:
        return False
    failure = import_failure(module)
    if failure is not None:
        print(f"motiform: {module} is left out, its import fails: {failure}", file=sys.stderr)
    return failure is None


def import_failures(modules: Iterable[str], jobs: int = 4) -> dict[str, str | None]:
    """Return `import_failure` of each module; some are tried at the same time."""
    names = list(modules)
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(names, pool.map(import_failure, names), strict=True))
