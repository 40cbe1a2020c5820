"""Heads of volumes, checked before ITK reads them: damaged ones make it write past its memory."""

import math
import re
from pathlib import Path
from typing import BinaryIO

from motiform.base.errors import InputError
from motiform.base.files import named_file, plain_file
from motiform.base.machine import check_memory
from motiform.measure.volume.dicom_head import check_dicom
from motiform.measure.volume.nifti_head import check_nifti
from motiform.spatial.checks import Words

__all__ = ["check_head"]

_LINES, _LONGEST = 400, 1000  # lines of a head, bytes of a line: ours have 15 lines of up to 80
_MOST_AXES = 8
_NUMBER = re.compile(r"[-+]?(\d++\.?+\d*+|\.\d++)([eE][-+]?\d{1,3})?|[-+]?(nan|inf)", re.IGNORECASE)
_DIGITS, _LARGEST = 40, 1e30
_DATA = {"nrrd": re.compile(r"data\s*file", re.IGNORECASE), "meta": re.compile(r"elementdatafile", re.IGNORECASE)}
_SERIES = re.compile(r"([^\s%]*)%(0?)(\d?)d([^\s%]*)((?:\s+[-+]?\d{1,9}){0,4})")
"""Slices in files of their own: a pattern, first and last number, the step."""
_MOST_FILES = 100_000
_LARGEST_FILE = 1 << 40  # bytes
_ENCODINGS = ("raw", "txt", "text", "ascii", "hex", "gz", "gzip", "bz2", "bzip2")
_NUMBERS = {
    "nrrd": ("dimension", "space dimension", "sizes", "spacings", "axis mins", "axis maxs", "space directions",
             "space origin", "measurement frame", "thicknesses", "line skip", "byte skip", "old min", "old max"),
    "meta": ("ndims", "dimsize", "elementspacing", "elementsize", "offset", "position", "origin", "transformmatrix",
             "rotation", "orientation", "centerofrotation", "compresseddatasize", "headersize", "elementmin",
             "elementmax", "elementnumberofchannels", "id", "parentid", "color"),
}  # fmt: skip


def check_head(place: Path) -> None:
    """Refuse a file whose head is not as its format says; what is not looked at passes."""
    name = place.name.lower()
    if name.endswith((".nii", ".nii.gz")):
        check_nifti(place)
    elif name.endswith(".dcm") and not check_dicom(place):
        raise _damaged(place, "no DICOM file", "DICM after 128 bytes")
    kind = "nrrd" if name.endswith((".nrrd", ".nhdr")) else "meta" if name.endswith((".mha", ".mhd")) else None
    if kind is None:
        return
    fields, listed = _fields(place, ":" if kind == "nrrd" else "=", kind)
    for key, text in fields.items():
        if key in _NUMBERS[kind] and not all(_is_number(part) for part in re.split(r"[\s,()]+", text) if part):
            raise _damaged(place, f"{key}: {text[:60]}", "numbers")
    axes = fields.get("dimension" if kind == "nrrd" else "ndims", "")
    if not axes.isdecimal() or not 1 <= int(axes[:9]) <= _MOST_AXES:
        raise _damaged(place, f"{axes[:60] or 'no'} dimensions", f"1 to {_MOST_AXES} dimensions")
    sizes = fields.get("sizes" if kind == "nrrd" else "dimsize", "").split()
    if len(sizes) != int(axes) or not all(size.isdecimal() and 1 <= int(size[:19]) < 2**31 for size in sizes):
        raise _damaged(place, f"sizes {' '.join(sizes)[:60]}", f"{axes} whole numbers above 0")
    if kind == "nrrd" and fields.get("encoding", "").lower() not in _ENCODINGS:
        raise _damaged(place, f"encoding {fields.get('encoding', '')[:40]!r}", ", ".join(_ENCODINGS))
    voxels = math.prod(int(size) for size in sizes)
    check_memory(voxels, "the volume", got=f"{voxels} voxels", where=str(place), remedy="Check its sizes.")
    for one in _data_files(place, fields.get("file", ""), listed, int(sizes[-1])):
        if (
            one == "-"
            or named_file(one, place.parent, reader="a volume", where=str(place), largest=_LARGEST_FILE) is None
        ):
            raise InputError(
                "no such file of voxels", where=str(place), got=one[:200], remedy="Put it beside the head."
            )


def _fields(place: Path, mark: str, kind: str) -> tuple[dict[str, str], list[str]]:
    """Return the fields of a head by their names in small letters, and the lines after one that begins a list."""
    fields: dict[str, str] = {}
    with plain_file(place).open("rb") as data:
        for _ in range(_LINES):
            line = _line(place, data)
            if line is None or (kind == "nrrd" and not line):
                return fields, []
            if kind == "nrrd" and line.startswith("#"):
                continue
            key, found, text = line.partition(mark)
            name = key.strip().lower()
            names_data = _DATA[kind].search(key if kind == "nrrd" else line) is not None
            if names_data and name not in ("data file", "datafile", "elementdatafile"):
                raise _damaged(place, line[:60], "the name of the data file in a field of its own")
            if found:
                name = "file" if names_data else name
                if name in fields:
                    raise _damaged(place, f"{name} twice", "every field once")
                fields[name] = text.lstrip("=").strip()
                if names_data and fields[name].startswith("LIST"):
                    return fields, [line for _ in range(_MOST_FILES) if (line := _line(place, data))]
                if names_data and kind == "meta":
                    return fields, []
    raise _damaged(place, f"more than {_LINES} lines", f"up to {_LINES}")


def _line(place: Path, data: BinaryIO) -> str | None:
    """Return the next line of a head, None after the last."""
    raw = data.readline(_LONGEST + 1)
    if len(raw) > _LONGEST:
        raise _damaged(place, f"a line of more than {_LONGEST} bytes", f"up to {_LONGEST}")
    line = raw.strip()
    if any(byte < 32 and byte != 9 for byte in line) or (raw and not line and raw.strip(b"\r\n")):
        raise _damaged(place, repr(raw[:40]), "text")
    return line.decode("latin-1") if raw else None


def _data_files(place: Path, pattern: str, listed: list[str], slices: int) -> list[str]:
    """Return the names of the files that hold the voxels: one, a list, or those of a pattern with numbers."""
    if pattern.startswith("LIST"):
        return listed
    if "%" not in pattern:
        return [] if pattern in ("", "LOCAL", "Local", "local") else [pattern]
    series = _SERIES.fullmatch(pattern)
    if series is None:
        raise _damaged(place, pattern[:60], "a pattern such as slice%03d.raw 1 120 1")
    before, fill, width, after, numbers = series.groups()
    first, last, step, *_ = [*map(int, numbers.split()), *(1, slices, 1)[len(numbers.split()) :], 0]
    count = (last - first) // step if step else -1
    if not 0 <= count < _MOST_FILES:
        raise _damaged(place, pattern[:60], f"1 to {_MOST_FILES} files")
    return [f"{before}{n:{fill}{width}d}{after}" for n in range(first, first + (count + 1) * step, step)]


def _is_number(text: str) -> bool:
    if len(text) > _DIGITS or not (_NUMBER.fullmatch(text) or text.lower() == "none"):
        return False
    return text.lower() in ("none", "nan") or abs(float(text)) < _LARGEST  # ITK turns axes of 1e308 without end


def _damaged(place: Path, got: str, allowed: str) -> InputError:
    return InputError("the head of the volume is damaged", where=str(place), got=Words(got), allowed=allowed)
