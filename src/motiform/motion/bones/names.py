"""Names of the fifteen bones of the wrist and what files call them."""

import re
from collections.abc import Iterable

from motiform.base.errors import InputError, closest

__all__ = ["BONES", "CARPALS", "DISTAL_ROW", "METACARPALS", "bone_name", "check_bone"]

CARPALS = ("scaphoid", "lunate", "triquetrum", "pisiform", "trapezium", "trapezoid", "capitate", "hamate")
DISTAL_ROW = CARPALS[4:]
METACARPALS = tuple(f"metacarpal{n}" for n in range(1, 6))
BONES = ("radius", "ulna", *CARPALS, *METACARPALS)

_SHORT = {
    "rad": "radius", "uln": "ulna", "sca": "scaphoid", "scaph": "scaphoid", "navicular": "scaphoid", "lun": "lunate",
    "semilunar": "lunate", "trq": "triquetrum", "tri": "triquetrum", "triq": "triquetrum", "triquetral": "triquetrum",
    "pis": "pisiform", "tpm": "trapezium", "tzm": "trapezium", "tpd": "trapezoid", "tzd": "trapezoid",
    "cap": "capitate", "ham": "hamate",
    **{f"{word}{n}": f"metacarpal{n}" for word in ("mc", "meta", "met", "metacarp") for n in range(1, 6)},
}  # fmt: skip


def bone_name(text: str) -> str | None:
    """Return the bone that a file name or a key means, or None: "66582_sca_L", "Lunate", "mc3", "Metacarpal 3"."""
    words = re.sub(r"(metacarpal|meta|met|mc)[ _-]*([1-5])", r" \1\2 ", text.lower())
    parts = [word for word in re.split(r"[^a-z0-9]+", words) if word]
    found = {name for part in parts for name in [_SHORT.get(part, part)] if name in BONES}
    if not found:  # "LunateLeft", "rightscaphoid"
        found = {name for name in BONES if name in "".join(parts)}
    return found.pop() if len(found) == 1 else None


def check_bone(name: object, known: Iterable[str], where: str) -> str:
    """Return the full name of a bone that is among the known ones."""
    names = list(known)
    full = name if name in names else bone_name(name) if isinstance(name, str) else None
    if full not in names:
        remedy = closest(name, names) if isinstance(name, str) else None
        raise InputError("no such bone", where=where, got=name, allowed=", ".join(names), remedy=remedy)
    return str(full)
