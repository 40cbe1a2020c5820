"""Where motiform keeps what it can make again."""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

__all__ = ["cache_dir", "source_key"]


def cache_dir() -> Path:
    """Return the folder of caches: ``$MOTIFORM_CACHE``, else the platform's (``~/.cache/motiform`` on Linux)."""
    if told := os.environ.get("MOTIFORM_CACHE"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "motiform"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "motiform"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "motiform"


@cache
def source_key() -> str:
    """Return a key of all of the package's source: size and time of every file.

    Numba looks only at the file of the outermost function, so a changed helper in another file would leave stale
    machine code behind; with this key in the path it cannot.
    """
    package = Path(__file__).parents[1]
    stamps = sorted((str(f.relative_to(package)), f.stat().st_size, f.stat().st_mtime_ns) for f in package.rglob("*.py"))
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]
