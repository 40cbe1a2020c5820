"""Lines of a TOML file, so that an error can name one: the standard reader does not keep them."""

import re
from collections.abc import Sequence

__all__ = ["line_of"]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_\-.\"' ]+?)\s*=")


def line_of(text: str, place: Sequence[str | int]) -> int | None:
    """Return the line (from 1) that comes nearest to a place such as ("body", 0, "shape", "box"), or None.

    The nearest is the line that sets the longest leading part of the place.
    """
    wanted = tuple(place)
    best, depth = None, 0
    header: tuple[str | int, ...] = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _HEADER.match(line):
            keys: list[str | int] = [key.strip().strip("\"'") for key in match[2].split(".")]
            if match[1] == "[[":
                name = match[2]
                counts[name] = counts.get(name, -1) + 1
                keys.append(counts[name])
            elif keys and (outer := counts.get(str(keys[0]))) is not None:
                keys.insert(1, outer)
            header = tuple(keys)
            here = header
        elif match := _KEY.match(line):
            here = (*header, *(key.strip().strip("\"'") for key in match[1].split(".")))
        else:
            continue
        shared = min(len(here), len(wanted))
        shared = shared if here[:shared] == wanted[:shared] else 0
        if shared > depth:
            best, depth = number, shared
    return best
