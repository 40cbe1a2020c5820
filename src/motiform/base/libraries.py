"""Libraries that are not needed by all: their import, the command that installs them, and whether they work."""

import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from motiform.base.errors import InputError

__all__ = ["OPTIONAL", "OptionalLibrary", "import_failure", "import_failures", "load_library", "usable"]


class OptionalLibrary(NamedTuple):
    """Where an optional library comes from."""

    package: str
    """Its name on PyPI."""
    extra: str | None
    """The extra of motiform that brings it; None: it is installed by its own name."""

    @property
    def command(self) -> str:
        """The command that installs it."""
        return f"pip install {self.package}" if self.extra is None else f"pip install 'motiform[{self.extra}]'"


#: Optional libraries by the module that is imported; `pyproject.toml` has the same extras.
OPTIONAL = {
    "viser": OptionalLibrary("viser", "studio"),
    "websockets": OptionalLibrary("websockets", "studio"),
    "SimpleITK": OptionalLibrary("SimpleITK", "ct"),
    "pandas": OptionalLibrary("pandas", "report"),
    "xarray": OptionalLibrary("xarray", "report"),
    "pxr": OptionalLibrary("usd-core", "usd"),
    "numba_cuda": OptionalLibrary("numba-cuda", "gpu"),
    "dask": OptionalLibrary("dask", "dask"),
    "distributed": OptionalLibrary("distributed", "dask"),
    "mido": OptionalLibrary("mido", "midi"),
    "pythonosc": OptionalLibrary("python-osc", "midi"),
    "xacro": OptionalLibrary("xacro", None),
}


def load_library(module: str, *, where: str | None = None, otherwise: str | None = None) -> Any:
    """Return a module of an optional library; without the library, an error with the command that installs it.

    ``where`` is what asks for it; ``otherwise`` what can be done without it, as a sentence.
    """
    top = module.partition(".")[0]
    optional = OPTIONAL[top]
    try:
        import_module(top)
        return import_module(module)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == top
        problem = "is not installed" if absent else "cannot be imported"
        command = optional.command if absent else f"pip install --force-reinstall {optional.package}"
        raise InputError(
            f"the library {optional.package} {problem}", where=where, got=None if absent else str(error)[:300],
            remedy=f"Install it: {command}." + (f" {otherwise}" if otherwise else ""),
        ) from error  # fmt: skip


_PATIENCE = 120.0  # s for one import


@cache
def import_failure(module: str) -> str | None:
    """Return why a module cannot be imported, in one line; None if it can.

    It is tried in a process of its own, because a broken library can abort it.
    """
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
