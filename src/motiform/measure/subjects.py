"""Subjects in a table: lengths and positions of tags, one column per subject.  [HuMAnS 9.6.2]"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.measure.detect import length_unit
from motiform.measure.text import cells_of, read_text, split_axis
from motiform.record.files import AnyPath, as_path, disk, new_file, write_file

__all__ = ["HUMAN36_TAGS", "Subject", "read_subjects", "write_subjects"]

_FOOT = ("digit2", "calcaneous_post", "metatarsal_pha5", "metatarsal_pha1")
_LEG = (*_FOOT, "lateral_malleolus", "femoral_lateral_epicn", "trochanterion", "iliocristale")
_ARM = ("acromion", "humeral_lateral_epicn", "radial_styloid", "dactylion")
HUMAN36_TAGS = (
    *(f"{side}_{name}" for side in "rl" for name in _LEG),
    *("substernale", "suprasternale"),
    *(f"{side}_{name}" for side in "rl" for name in _ARM),
    *("cervicale", "vertex"),
)
"""The tags of Human36 in HuMAnS's order, for tables without names."""
_LENGTHS = 31
_LENGTH = re.compile(r"L\s*\(?(\d{1,3})\)?", re.IGNORECASE)
_AXIS_FIRST = re.compile(r"(?P<axis>[xyz])\s++(?P<name>.*\S)", re.IGNORECASE)
_UNIT = re.compile(r"(?<!\s)\s*+[\[(]\s*+(?P<unit>[a-zµ]++)\s*+[\])]\s*+$", re.IGNORECASE)


@dataclass(frozen=True)
class Subject:
    """The measures of one subject."""

    name: str
    lengths: Mapping[str, float] = field(default_factory=dict)
    """L1 to L31 [m], those that are known."""
    tags: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Places of tags in their segments' frames [m], those that are known."""
    height: float | None = None
    """[m]"""
    mass: float | None = None
    """[kg]"""
    sex: str | None = None

    @property
    def measures(self) -> dict[str, Any]:
        """Arguments for ``motiform.figures.human36``: what is known and nothing else."""
        known = {"height": self.height, "mass": self.mass, "sex": self.sex}
        found: dict[str, Any] = {key: value for key, value in known.items() if value is not None}
        found |= {"lengths": dict(self.lengths)} if self.lengths else {}
        tags = {name: place for name, place in self.tags.items() if ":" not in name}
        own = {name.partition(":")[2]: (name.partition(":")[0], p) for name, p in self.tags.items() if ":" in name}
        return found | ({"tags": tags} if tags else {}) | ({"markers": own} if own else {})


@reads_file("subjects")
def read_subjects(path: AnyPath) -> dict[str, Subject]:
    """Read subjects from a CSV table with one column for each, by name.

    The first row is ``subject,01,02,…``; the others begin with the name of a measure: ``height``, ``mass``, ``sex``,
    ``L1`` to ``L31``, ``r_digit2.x``, … in metres and kilograms, or with a unit as in ``L5 [cm]``. Tags of a
    laboratory's own have their segment before them: ``left_thigh:LTHI.x``. Blank cells are not known. A table of
    numbers alone is HuMAnS's: number of the subject, 31 lengths, x, y, z of 28 tags.
    """
    place = as_path(path)
    if not place.is_file():
        raise InputError("no such file", where=str(place), allowed="a CSV table with a column for each subject")
    lines = read_text(place).split("\n")
    mark = next((mark for mark in ("\t", ";", ",") if mark in lines[0]), ",")
    rows = [(n, cells_of(line, mark)) for n, line in enumerate(lines, 1) if line.strip(" ,;\t")]
    if all(_is_number(cells[0]) for _, cells in rows):
        rows = _name_rows(rows, str(place))
    heads = rows[0][1][1:]
    while heads and not heads[-1]:
        heads.pop()
    if not heads or not all(heads) or len(set(heads)) != len(heads):
        raise InputError(
            "every subject must have a name of its own", where=f"{place}:{rows[0][0]}", got=", ".join(heads),
            allowed="one name a column",
        )  # fmt: skip
    return {name: _subject(name, k, rows[1:], str(place)) for k, name in enumerate(heads, start=1)}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _name_rows(rows: list[tuple[int, list[str]]], where: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a table without names, with names."""
    names = ["subject", *(f"L{n}" for n in range(1, _LENGTHS + 1)), *(f"{t}.{a}" for t in HUMAN36_TAGS for a in "xyz")]
    if len(rows) not in (1 + _LENGTHS, len(names)):
        raise InputError(
            "the rows of a table must have names", where=where, got=len(rows), allowed=f"32 or {len(names)}"
        )
    return [(n, [name, *cells]) for name, (n, cells) in zip(names, rows, strict=False)]


def _subject(name: str, column: int, rows: list[tuple[int, list[str]]], where: str) -> Subject:
    lengths: dict[str, float] = {}
    places: dict[str, dict[str, float]] = {}
    known: dict[str, Any] = {}
    for number, cells in rows:
        cell = cells[column] if column < len(cells) else ""
        if not cell or not cells[0]:
            continue
        at = f"{where}:{number} subject {name!r}"
        unit = _UNIT.search(cells[0])
        key = _UNIT.sub("", cells[0]).strip()
        length, tag = _LENGTH.fullmatch(key), split_axis(key, "._") or _AXIS_FIRST.fullmatch(key)
        if key.lower() == "sex":
            known["sex"] = cell.lower()
        elif key.lower() == "mass":
            known["mass"] = _value(cell, None, at)
        elif key.lower() in ("height", "size", "stature"):
            known["height"] = _value(cell, unit, at)
        elif length:
            lengths[f"L{int(length[1])}"] = _value(cell, unit, at)
        elif tag:
            places.setdefault(tag["name"].strip().replace(" ", "_"), {})[tag["axis"].lower()] = _value(cell, unit, at)
        else:
            raise InputError(
                "the name of a measure must be known", where=at, got=cells[0],
                allowed="height, mass, sex, L1 to L31, or tag.x",
            )  # fmt: skip
    for tag_name, place in places.items():
        if set(place) != set("xyz"):
            raise InputError(
                f"tag {tag_name!r} must have all coordinates", where=f"{where} subject {name!r}", got=", ".join(place),
                allowed="x, y, z",
            )  # fmt: skip
    return Subject(name, lengths, {tag_name: (p["x"], p["y"], p["z"]) for tag_name, p in places.items()}, **known)


def _value(cell: str, unit: re.Match[str] | None, where: str) -> float:
    try:
        number = float(cell)
        if not np.isfinite(number):
            raise ValueError
    except ValueError:
        raise InputError("the cell must be a number", where=where, got=cell[:40]) from None
    return number * length_unit(unit["unit"], where) if unit else number


def write_subjects(
    subjects: Mapping[str, Subject] | Iterable[Subject], path: AnyPath, *, overwrite: bool = False
) -> None:
    """Write subjects as a CSV table with one column for each; reading it gives the same bits.

    HuMAnS adds a subject at the end of a table: read it, add to the dict, write it with ``overwrite=True``.
    """
    each = list(subjects.values()) if isinstance(subjects, Mapping) else list(subjects)
    if not each:
        raise InputError("a table needs a subject", where=str(path))
    names = [subject.name for subject in each]
    if len(set(names)) != len(names) or any(re.search(r"[,;\t\n]", name) or not name for name in names):
        raise InputError(
            "every subject must have a name of its own", got=", ".join(names), allowed="each once, without commas"
        )
    lengths = sorted({key for subject in each for key in subject.lengths}, key=lambda key: int(key[1:]))
    tags = list(dict.fromkeys(tag for subject in each for tag in subject.tags))
    rows: list[list[Any]] = [["subject", *names]]
    for key in ("height", "mass", "sex"):
        values = [getattr(subject, key) for subject in each]
        if any(value is not None for value in values):
            rows.append([f"{key} [m]" if key == "height" else key, *values])
    rows += [[f"{key} [m]", *(subject.lengths.get(key) for subject in each)] for key in lengths]
    for tag in tags:
        for k, axis in enumerate("xyz"):
            rows.append([f"{tag}.{axis} [m]", *(s.tags[tag][k] if tag in s.tags else None for s in each)])
    place = new_file(path, overwrite)
    lines = [
        ",".join("" if c is None else repr(float(c)) if isinstance(c, (int, float)) else c for c in row) for row in rows
    ]
    with disk(place):
        write_file(place, ("\n".join(lines) + "\n").encode())
