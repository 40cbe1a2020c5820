"""Locks on files and folders that end with the process that holds them."""

import os
from pathlib import Path

__all__ = ["lock", "unlock"]


def lock(path: Path, *, wait: bool) -> int | None:
    """Lock an existing file or folder and return the handle for `unlock`; the end of the process unlocks it too.

    Where another process holds the lock: wait for it, or raise BlockingIOError. None where the system has no such
    locks (Windows, some network disks) or the path cannot be opened.
    """
    try:
        import fcntl

        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)  # network disks lock what is writable
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        os.close(handle)
        return None
    return handle


def unlock(handle: int | None) -> None:
    """Give up a lock; None, the lock of a system without them, is nothing to give up."""
    if handle is not None:
        os.close(handle)
