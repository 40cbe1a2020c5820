"""Where the benchmarks are: in the repository, beside the package's source."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from motiform.base.errors import InputError

__all__ = ["has_benchmarks", "load_benchmarks"]

_CHECKOUT = Path(__file__).parents[3]


def has_benchmarks() -> bool:
    """Whether this is a checkout of the repository, which has them."""
    return (_CHECKOUT / "bench" / "register.py").is_file() and (_CHECKOUT / "src" / "motiform").is_dir()


def load_benchmarks(module: str = "bench") -> ModuleType:
    """Return a module of the benchmarks; an error outside of a checkout."""
    if not has_benchmarks():
        raise InputError(
            "benchmarks are in the repository, not in the installed package",
            got=str(Path(__file__).parents[1]),
            remedy="Clone the repository and run `make bench` there.",
        )
    if str(_CHECKOUT) not in sys.path:
        sys.path.append(str(_CHECKOUT))
    return import_module(module)
