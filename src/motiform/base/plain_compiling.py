"""How kernels are compiled with a version of Numba that is not known: by its public parts alone.

Results have the same bits. Loops run on one core, and each process compiles its kernels, which takes minutes for some.
"""

import os
import sys
from typing import Any

import numba

from motiform.base.numba_versions import KNOWN

__all__ = ["cache_on_disk", "launch_threads", "spread_over"]

if not os.environ.get("MOTIFORM_QUIET"):
    first, beyond = (".".join(map(str, version)) for version in KNOWN)
    print(
        f"motiform: Numba {numba.__version__} is not one of the versions that it knows ({first} or later, below "
        f"{beyond}): kernels run on one core, and are compiled in every process",
        file=sys.stderr,
        flush=True,
    )


def cache_on_disk(dispatcher: Any) -> Any:
    """Return the function as it is: nothing is kept."""
    return dispatcher


def launch_threads() -> None:
    """Start no threads."""


def spread_over(piece: Any) -> Any:
    """Return a function for compiled code that runs all parts of a loop, as `compiling.spread_over`."""

    @numba.njit(error_model="numpy", nogil=True)
    def spread(count, parts, arguments):  # type: ignore[no-untyped-def]
        piece(0, parts, count, parts, arguments)

    return spread
