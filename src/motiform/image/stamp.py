"""Keys in pictures and films: a hash of all that they were made of, by which they are known again."""

import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["png_stamp", "read_stamp"]

_NAME = "motiform"


def png_stamp(key: str) -> Any:
    """Return what puts a key into a PNG file."""
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text(_NAME, key)
    return info


def read_stamp(path: Path) -> str | None:
    """Return the key of a picture (.png) or a film (.mp4); None where it has none, or cannot be read."""
    if not path.is_file():
        return None
    with suppress(Exception):  # a file that is no picture has no key
        if path.suffix.lower() == ".png":
            from PIL import Image

            with Image.open(path) as image:
                return str(image.info[_NAME])
        from imageio_ffmpeg import get_ffmpeg_exe

        command = [get_ffmpeg_exe(), "-v", "error", "-i", f"file:{path}", "-f", "ffmetadata", "-"]
        told = subprocess.run(command, capture_output=True, timeout=30, check=True, stdin=subprocess.DEVNULL).stdout
        lines = told.decode(errors="replace").splitlines()
        return next(line.partition(f"comment={_NAME} ")[2] for line in lines if line.startswith(f"comment={_NAME} "))
    return None
