"""The first row of a table: names of columns with their units, written and read.

A column is called as `labels` calls the number that it holds, with its unit: ``hand.position.x [m]``. Read back,
columns whose names end in ``.x``, ``.y``, ``.z``, in ``.w``, ``.x``, ``.y``, ``.z`` or in ``.0``, ``.1``, … make one
channel; a column with another name is a channel. ``name[0]``, ``name[1]``, … and ``name[w]``, … are read too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from motiform.base.errors import RecordingError
from motiform.record.channel import Channel
from motiform.record.labels import columns

__all__ = ["Columns", "grouped", "heads", "heads_with_units"]

_INDEX = r"(?:\[(?P<index>(?:\d+,)*(?:\d+|[wxyz]))\])?"
_HEAD = re.compile(rf"(?P<name>.*?){_INDEX}(?: \[(?P<unit>[^\[\]]*)\])?", re.DOTALL)
_XYZ, _WXYZ = ("x", "y", "z"), ("w", "x", "y", "z")


@dataclass(frozen=True)
class Columns:
    """The columns of a channel."""

    unit: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    places: tuple[int, ...]
    """Columns in the order of the numbers of a sample."""


@dataclass(frozen=True)
class _Head:
    name: str
    unit: str
    column: int
    index: tuple[str, ...] = ()
    dotted: bool = True
    """Whether its index was a part of its name."""


def heads(channels: Iterable[Channel], labels: object, where: str) -> dict[str, str]:
    """Return name and unit of each number of a sample; two of one name are refused."""
    found: dict[str, str] = {}
    for channel in channels:
        for name, unit in columns(channel, labels):
            if name in found:
                raise RecordingError(
                    "columns of a table must have different names", where=where, got=name,
                    remedy="Choose channels by names=.",
                )  # fmt: skip
            found[name] = unit
    return found


def heads_with_units(channels: Iterable[Channel], labels: object, where: str) -> list[str]:
    """Return the first row of a table, without the time."""
    return [f"{name} [{unit}]" if unit else name for name, unit in heads(channels, labels, where).items()]


def grouped(row: list[str], where: str) -> dict[str, Columns]:
    """Return the channels that the columns of a table make, by name."""
    found = _without_lone_letters([_split(head, k) for k, head in enumerate(row)])
    folded = True
    while folded:
        found, folded = _merge_indices(found)
    groups: dict[str, list[_Head]] = {}
    for head in found:
        groups.setdefault(head.name, []).append(head)
    return {name: _columns(name, some, where) for name, some in groups.items()}


def _split(head: str, column: int) -> _Head:
    match = _HEAD.fullmatch(head.strip())
    name, index, unit = match.group("name", "index", "unit") if match else (head, None, None)
    return _Head(name.strip(), unit or "", column, tuple(index.split(",")) if index else (), not index)


def _merge_indices(found: list[_Head]) -> tuple[list[_Head], bool]:
    """Take the last part of names for an index, where together they make one; return whether some did."""
    parents: dict[tuple[str, bool], list[_Head]] = {}
    for head in found:
        stem, _, last = head.name.rpartition(".")
        if stem and head.dotted and (last in _WXYZ or last.isdecimal()):
            parents.setdefault((stem, last in _WXYZ), []).append(head)
    taken = {head.name for head in found}
    chosen = {id(h) for (stem, _), some in parents.items() if stem not in taken and _fits(some) for h in some}
    return [_folded(head) if id(head) in chosen else head for head in found], bool(chosen)


def _fits(some: list[_Head]) -> bool:
    """Tell whether the last parts of names are those of one channel's axis."""
    lasts = list(dict.fromkeys(head.name.rpartition(".")[2] for head in some))
    inner = {head.index for head in some}
    whole = len(some) == len(lasts) * len(inner) == len({(head.name, head.index) for head in some})
    letters = inner == {()} and sorted(lasts) in (list(_XYZ), list(_WXYZ))
    return whole and len({head.unit for head in some}) == 1 and (letters or _counted(lasts))


def _counted(lasts: list[str]) -> bool:
    return set(lasts) == {str(k) for k in range(len(lasts))}


def _folded(head: _Head) -> _Head:
    stem, _, last = head.name.rpartition(".")
    return replace(head, name=stem, index=(last, *head.index))


def _without_lone_letters(found: list[_Head]) -> list[_Head]:
    """Return the columns with letters in brackets as names where they make no vector: force[x] alone is a name."""
    letters: dict[str, set[str]] = {}
    for head in found:
        letters.setdefault(head.name, set()).update(head.index[-1:])
    lone = {name for name, some in letters.items() if some & set(_WXYZ) and some not in (set(_XYZ), set(_WXYZ))}
    return [
        replace(h, name=f"{h.name}[{','.join(h.index)}]", index=()) if h.index and h.name in lone else h for h in found
    ]


def _columns(name: str, some: list[_Head], where: str) -> Columns:
    """Return the columns of a channel, checked to fill a rectangle."""
    units = {head.unit for head in some}
    if len(units) > 1:
        raise RecordingError(
            "the columns of a channel must have one unit", where=f"{where}:1", got=f"{name}: {', '.join(sorted(units))}"
        )
    letters = _letters(some)
    index = [
        (*map(int, h.index[:-1]), letters.index(h.index[-1])) if letters else tuple(map(int, h.index)) for h in some
    ]
    ranks = {len(place) for place in index}
    shape = tuple(max(axis) + 1 for axis in zip(*index, strict=True)) if len(ranks) == 1 else ()
    if len(ranks) > 1 or int(np.prod(shape, dtype=object)) != len(some) or len(set(index)) != len(some):
        raise RecordingError(
            "the columns of a channel must fill its shape", where=f"{where}:1",
            got=f"{name!r} with {len(some)} columns", allowed="each index once, from 0, none left out, the same unit",
        )  # fmt: skip
    places = tuple(head.column for _, head in sorted(zip(index, some, strict=True), key=lambda pair: pair[0]))
    return Columns(units.pop(), _dims(len(shape), letters, some[0].dotted), shape, places)


def _letters(some: list[_Head]) -> tuple[str, ...]:
    found = {head.index[-1] for head in some if head.index}
    return next((letters for letters in (_WXYZ, _XYZ) if found == set(letters)), ())


def _dims(rank: int, letters: tuple[str, ...], dotted: bool) -> tuple[str, ...]:
    """Return names of axes; numbers in brackets may well be those of a vector."""
    last = "quaternion" if letters == _WXYZ else "axis" if letters == _XYZ or not dotted else "index"
    return (*(f"index{k}" for k in range(rank - 1)), last) if rank else ()
