"""Where motiform keeps what it can make again."""

import hashlib
import os
import shutil
import sys
import time
from functools import cache
from pathlib import Path

__all__ = ["KERNEL_FILES", "cache_dir", "forget_old", "source_key"]

KERNEL_FILES = ("*kernels.py", "algebra.py", "columns.py")
"""Names of the files in which kernels, what they call and the constants baked into them live."""


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
    """Return a key of the source of all kernels: the text of every file named *kernels.py, algebra.py or columns.py.

    Numba looks only at the file of the outermost function, so a changed helper in another file would leave stale
    machine code behind; with this key in the path it cannot. Kernels and what they call live in files so named.
    """
    package = Path(__file__).parents[1]
    files = sorted(file for name in KERNEL_FILES for file in package.rglob(name))
    digest = hashlib.sha256()
    for file in files:
        digest.update(str(file.relative_to(package)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def forget_old(folder: Path, days: float = 30.0) -> None:
    """Remove the subfolders that nothing was written to for so long: machine code of versions that are gone."""
    for old in folder.iterdir() if folder.is_dir() else ():
        if old.is_dir() and old.name != source_key() and time.time() - old.stat().st_mtime > days * 86400:
            shutil.rmtree(old, ignore_errors=True)
