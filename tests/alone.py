"""Processes that fork have no other threads: a lock that one holds would stay held in the child for ever."""

import os
from pathlib import Path

__all__ = ["fork_alone", "without_threads"]


def without_threads() -> None:
    """Let no library start threads in this process from now on."""
    import numcodecs.blosc

    numcodecs.blosc.use_threads = False


def fork_alone() -> int:
    """Fork, and return as `os.fork` does; a process that has threads does not fork."""
    threads = Path("/proc/self/task")
    if threads.exists():
        found = [(path / "comm").read_text().strip() for path in threads.iterdir()]
        assert len(found) == 1, f"a process with threads does not fork: {found}"
    return os.fork()
