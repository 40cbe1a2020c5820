"""Pictures in a notebook."""

import os
import sys
from collections.abc import Iterable

__all__ = ["show_pictures"]


def show_pictures(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Show picture files (PNG) in a notebook; elsewhere print their paths."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    in_notebook = getattr(shell, "kernel", None) is not None
    for path in paths:
        if in_notebook:
            from IPython.display import Image, display

            display(Image(filename=os.fspath(path)))
        else:
            print(os.fspath(path))
