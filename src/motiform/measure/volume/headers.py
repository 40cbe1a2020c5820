"""Heads of volumes, checked before ITK reads them: damaged ones make it write past its memory."""

import re
from pathlib import Path

from motiform.base.errors import InputError
from motiform.base.files import plain_file
from motiform.measure.volume.dicom_head import check_dicom
from motiform.measure.volume.nifti_head import check_nifti
from motiform.spatial.checks import Words

__all__ = ["check_head"]

_LINES, _LONGEST = 400, 1000  # lines of a head, bytes of a line: ours have 15 lines of up to 80
_MOST_AXES = 8
_NUMBER = re.compile(r"[-+]?(\d++\.?+\d*+|\.\d++)([eE][-+]?\d{1,3})?|[-+]?(nan|inf)", re.IGNORECASE)
_DIGITS, _LARGEST = 40, 1e30
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
    fields = _fields(place, ":" if kind == "nrrd" else "=", kind)
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


def _fields(place: Path, mark: str, kind: str) -> dict[str, str]:
    """Return the fields of a head by their names in small letters."""
    fields: dict[str, str] = {}
    with plain_file(place).open("rb") as data:
        for _ in range(_LINES):
            raw = data.readline(_LONGEST + 1)
            if len(raw) > _LONGEST:
                raise _damaged(place, f"a line of more than {_LONGEST} bytes", f"up to {_LONGEST}")
            line = raw.strip()
            if not raw or (kind == "nrrd" and not line):
                return fields
            if any(byte < 32 and byte != 9 for byte in line):
                raise _damaged(place, repr(line[:40]), "text")
            key, found, text = line.decode("latin-1").partition(mark)
            if found:
                name = key.strip().lower()
                if name in fields:
                    raise _damaged(place, f"{name} twice", "every field once")
                fields[name] = text.lstrip("=").strip()
            if kind == "meta" and key.strip().lower() == "elementdatafile":
                return fields
    raise _damaged(place, f"more than {_LINES} lines", f"up to {_LINES}")


def _is_number(text: str) -> bool:
    if len(text) > _DIGITS or not (_NUMBER.fullmatch(text) or text.lower() == "none"):
        return False
    return text.lower() in ("none", "nan") or abs(float(text)) < _LARGEST  # ITK turns axes of 1e308 without end


def _damaged(place: Path, got: str, allowed: str) -> InputError:
    return InputError("the head of the volume is damaged", where=str(place), got=Words(got), allowed=allowed)
