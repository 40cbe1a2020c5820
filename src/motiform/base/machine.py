"""The version and the machine that something is made with, for manifests and summaries."""

import os
import platform
import sys
from typing import Any

__all__ = ["machine"]


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
