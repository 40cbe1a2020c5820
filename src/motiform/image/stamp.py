"""Keys in pictures and films: a hash of all that they were made of, by which they are known again."""

import re
import subprocess
from contextlib import suppress
from pathlib import Path

__all__ = ["NAME", "read_stamp"]

NAME = "motiform"


def read_stamp(path: Path) -> str | None:
    """Return the key of a picture (.png, .exr), a plot (.svg, .pdf) or a film (.mp4).

    None where it has none, or cannot be read.
    """
    if not path.is_file():
        return None
    with suppress(Exception):  # a file that is no picture has no key
        if path.suffix.lower() == ".png":
            from PIL import Image

            with Image.open(path) as image:
                return str(image.info[NAME])
        if path.suffix.lower() == ".exr":
            from motiform.image.exr import exr_attributes

            return exr_attributes(path)[NAME].decode()
        if path.suffix.lower() in (".svg", ".pdf"):
            told = re.search(rb"motiform ([0-9a-f]{64})", path.read_bytes())
            return None if told is None else told[1].decode()
        from imageio_ffmpeg import get_ffmpeg_exe

        command = [get_ffmpeg_exe(), "-v", "error", "-i", f"file:{path}", "-f", "ffmetadata", "-"]
        said = subprocess.run(command, capture_output=True, timeout=30, check=True, stdin=subprocess.DEVNULL).stdout
        lines = said.decode(errors="replace").splitlines()
        return next(line.partition(f"comment={NAME} ")[2] for line in lines if line.startswith(f"comment={NAME} "))
    return None
