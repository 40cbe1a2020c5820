"""Files that are given to be read."""

import errno
import os
import stat
from pathlib import Path

__all__ = ["plain_file"]


def plain_file(path: Path) -> Path:
    """Return the path of what can be read to its end: a pipe would wait for a writer, a device may never end."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a folder is told as such when it is opened
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a plain file")
    return path
