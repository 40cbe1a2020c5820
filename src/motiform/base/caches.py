"""Where motiform keeps what it can make again."""

import ast
import errno
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["KERNEL_FILES", "cache_dir", "forget_old", "private_cache", "source_key"]

KERNEL_FILES = ("*kernels.py", "kernels/*.py", "algebra.py", "columns.py", "layouts.py", "register.py", "compiling.py")
"""Names of the files in which kernels, what they call and the constants baked into them live."""


def cache_dir() -> Path:
    """Return the folder of caches: ``$MOTIFORM_CACHE``, else the platform's (``~/.cache/motiform`` on Linux)."""
    if folder := os.environ.get("MOTIFORM_CACHE"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "motiform"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "motiform"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "motiform"


def private_cache() -> Path:
    """Return the folder of caches, made where it is not there; OSError says why it cannot be used.

    What is in it is run as a part of motiform: it belongs to the user, with mode 0700. One that others could have
    written to is not used; one that they can only read is closed to them.
    """
    try:
        folder = cache_dir()
    except RuntimeError as error:  # of Path.home
        raise OSError(errno.ENOENT, "the user has no home folder") from error
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "geteuid"):  # Windows gives every user a folder of its own
        found = os.stat(folder)
        if found.st_uid != os.geteuid():
            raise OSError(errno.EPERM, "it belongs to another user; choose one of your own by MOTIFORM_CACHE")
        if found.st_mode & 0o022:
            raise OSError(errno.EPERM, "others can write to it; remove it, or choose another by MOTIFORM_CACHE")
        if found.st_mode & 0o077:
            folder.chmod(0o700)
    return folder


@cache
def source_key(file: str | Path) -> str:
    """Return a key of the source of a file of kernels: its text and that of the kernel files it imports, near or far.

    Numba looks only at the file of the outermost function, so a changed helper in another file would leave stale
    machine code behind; with this key in the path it cannot. Kernels and what they call live in files named
    *kernels.py, in folders kernels/, in algebra.py, columns.py and layouts.py; compiling.py says how they are compiled.
    A file dispatch_kernels.py is written from the register beside it and calls the kernels there.
    """
    package = Path(__file__).parents[1]
    found: set[Path] = set()
    waiting = [Path(file).resolve()]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += _imported(here, package)
    digest = hashlib.sha256()
    for one in sorted(found, key=str):
        name = one.relative_to(package) if one.is_relative_to(package) else one.name
        digest.update(str(name).encode() + b"\0" + one.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _imported(file: Path, package: Path) -> list[Path]:
    """Return the kernel files of the package that a file imports."""
    found = list(file.parent.glob("*kernels.py")) if file.name == "dispatch_kernels.py" else []
    for node in _statements(ast.parse(file.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        paths = [package.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names]
        found += [path for path in paths if any(path.match(kind) for kind in KERNEL_FILES) and path.is_file()]
    return found


def _statements(block: list[Any]) -> Iterator[Any]:
    """Yield the statements of a block and of the blocks in it: most of a syntax tree is expressions."""
    for one in block:
        yield one
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from _statements(getattr(one, part, []))


def forget_old(folder: Path, days: float = 30.0) -> None:
    """Remove the subfolders that nothing used for so long: machine code of versions that are gone."""
    for old in folder.iterdir() if folder.is_dir() else ():
        if old.is_dir() and time.time() - old.stat().st_mtime > days * 86400:
            shutil.rmtree(old, ignore_errors=True)
