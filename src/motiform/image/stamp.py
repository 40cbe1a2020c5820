"""Keys in pictures and films: a hash of all that they were made of, by which they are known again.

A checksum ends them (PNG has its own), so that one that was cut or damaged is not taken for the one that was made.
"""

import hashlib
import re
import subprocess
from contextlib import suppress
from pathlib import Path

__all__ = ["NAME", "append_checksum", "read_stamp"]

NAME = "motiform"
_SUM = f"{NAME}-sum ".encode()
_SIZE = len(_SUM) + 64
_PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
_AROUND = {  # what makes the checksum a comment of the format
    ".svg": (b"<!-- ", b" -->\n"),
    ".pdf": (b"% ", b"\n"),
    ".mp4": ((8 + _SIZE).to_bytes(4, "big") + b"free", b""),
    ".exr": (b"", b""),  # nothing refers to it
}


def append_checksum(path: Path) -> None:
    """End a file with its checksum."""
    before, after = _AROUND[path.suffix.lower()]
    with path.open("rb+") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest().encode()
        file.seek(0, 2)
        file.write(before + _SUM + found + after)


def _is_sealed(path: Path) -> bool:
    before, after = _AROUND[path.suffix.lower()]
    digest, left = hashlib.sha256(), path.stat().st_size - len(before) - _SIZE - len(after)
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(left, 2**20))):
            digest.update(block)
            left -= len(block)
        return file.read() == before + _SUM + digest.hexdigest().encode() + after


def read_stamp(path: Path) -> str | None:
    """Return the key of a picture (.png, .exr), a plot (.svg, .pdf) or a film (.mp4).

    None where it has none, or is not as it was written.
    """
    if not path.is_file():
        return None
    with suppress(Exception):  # a file that is no picture has no key
        if path.suffix.lower() == ".png":
            from PIL import Image

            with Image.open(path) as image:
                key = str(image.info[NAME])
                image.verify()  # all chunks but for the last
                return key if path.read_bytes().endswith(_PNG_END) else None
        if not _is_sealed(path):
            return None
        if path.suffix.lower() == ".exr":
            from motiform.image.exr import exr_attributes

            return exr_attributes(path)[NAME].decode()
        if path.suffix.lower() in (".svg", ".pdf"):
            match = re.search(rb"motiform ([0-9a-f]{64})", path.read_bytes())
            return None if match is None else match[1].decode()
        from imageio_ffmpeg import get_ffmpeg_exe

        command = [get_ffmpeg_exe(), "-v", "error", "-i", f"file:{path}", "-f", "ffmetadata", "-"]
        said = subprocess.run(command, capture_output=True, timeout=30, check=True, stdin=subprocess.DEVNULL).stdout
        lines = said.decode(errors="replace").splitlines()
        return next(line.partition(f"comment={NAME} ")[2] for line in lines if line.startswith(f"comment={NAME} "))
    return None
