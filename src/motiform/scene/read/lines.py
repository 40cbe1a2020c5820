"""Lines of a TOML file, so that an error can name one: the standard reader does not keep them."""

import re
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["line_of"]

_HEADER = re.compile(r"^\s*+(\[\[?+)([^\]]++)\]\]?+\s*+(#.*)?$")
_KEY = re.compile(r"^\s*+([A-Za-z0-9_\-.\"' ]++)\s*+=")


def line_of(text: str, place: Sequence[str | int]) -> int | None:
    """Return the line (from 1) that comes nearest to a place such as ("body", 0, "shape", "box"), or None.

    The nearest is the line that sets the longest leading part of the place.
    """
    wanted = tuple(place)
    best, depth = None, 0
    for number, here in _set_places(text):
        shared = min(len(here), len(wanted))
        shared = shared if here[:shared] == wanted[:shared] else 0
        if shared > depth:
            best, depth = number, shared
    return best


@lru_cache(4)  # a builder asks for places of one text after another
def _set_places(text: str) -> tuple[tuple[int, tuple[str | int, ...]], ...]:
    """Return the lines that set something, and what."""
    found: list[tuple[int, tuple[str | int, ...]]] = []
    header: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    inside = False  # a text of several lines, which may look like keys
    for number, line in enumerate(text.splitlines(), start=1):
        was, inside = inside, inside != bool((line.count('"""') + line.count("'''")) % 2)
        if was:
            continue
        if match := _HEADER.match(line):
            header = _resolved(_names(match[2]), match[1] == "[[", counts)
            found.append((number, header))
        elif match := _KEY.match(line):
            found.append((number, (*header, *_names(match[1]))))
    return tuple(found)


def _names(dotted: str) -> list[str]:
    return [key.strip().strip("\"'") for key in dotted.split(".")]


def _resolved(names: list[str], element: bool, counts: dict[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """Return a header as a place: after the name of an array of tables comes the number of its latest element."""
    place: tuple[str | int, ...] = ()
    for n, name in enumerate(names):
        place = (*place, name)
        if element and n == len(names) - 1:
            counts[place] = counts.get(place, -1) + 1
        if place in counts:
            place = (*place, counts[place])
    return place
