"""The machine: what is said of it in manifests and summaries, and what fits into its memory."""

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError

__all__ = ["available", "check_memory", "check_steps", "machine", "memory"]

_MOST_STEPS = 10**9
_UNCHECKED_BYTES = 64e6  # [byte] that are not asked for


@cache
def memory() -> float:
    """Return the memory that a process may take [byte]: the machine's, or what a container or a limit leaves of it.

    Infinite if the system does not state it.
    """
    found = [float("inf")]
    try:
        found.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
        found.append(float(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    except (AttributeError, OSError, ValueError):  # other systems, no container, "max"
        pass
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found += [] if limit == resource.RLIM_INFINITY else [float(limit)]
    except ImportError:
        pass
    return min(found)


def available() -> float:
    """Return the memory that is not in use now [byte]; infinite if the system does not state it."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return float("inf")
    found = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return 1024.0 * float(found[0][1]) if found else float("inf")


def check_memory(
    needed: float, what: str, *, got: str, remedy: str, where: str | None = None, error: type[InputError] = InputError
) -> None:
    """Refuse what would take more than half of the memory [byte], or than is free, before it is built."""
    if needed > 0.5 * memory():
        got = f"{got}, {needed / 1e9:.3g} GB of {memory() / 1e9:.3g} GB"
        raise error(f"{what} must fit into half of the memory", where=where, got=got, remedy=remedy)
    if needed > _UNCHECKED_BYTES and needed > (free := available()):
        got = f"{got}, {needed / 1e9:.3g} GB of {free / 1e9:.3g} GB"
        raise error(f"{what} must fit into the memory that is free", where=where, got=got, remedy=remedy)


def check_steps(steps: int) -> None:
    """Refuse numbers of steps at once that no machine ends."""
    if not 0 <= steps < _MOST_STEPS:
        raise InputError("steps at once must be few enough to end", got=steps, allowed=f"0 to {_MOST_STEPS - 1}")


def machine() -> dict[str, Any]:
    """Return by what version and on what machine something is made."""
    import numba
    import numpy

    from motiform import __version__

    return {
        "version": __version__,
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": sys.version.split()[0],
            "numpy": numpy.__version__,
            "numba": numba.__version__,
        },
    }
