"""Whose trial a file is, by its folders: condition, subject, variant of its measures.  [HuMAnS 9.6.1, 9.6.2]"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["TrialGroup", "find_group", "other_subject", "variants_of"]

_SUBJECT = re.compile(r"subject[ _-]?(?P<name>.+)", re.IGNORECASE)
_DIGITS = 2  # of the number of a subject; those after them are the number of the variant  [HuMAnS 9.6.2]


@dataclass(frozen=True)
class TrialGroup:
    """Where a trial belongs in a study; empty where the folders do not tell."""

    condition: str = ""
    """Folders about that of the subject, such as "before"."""
    subject: str = ""
    """Name of the subject, such as "01" of a folder Subject01."""
    variant: str = ""
    """Number of the variant of the subject's measures, such as "03" of a column 0103."""
    column: str | None = None
    """Column of the table of subjects that the trial is done with, where the folder tells it."""


def find_group(file: Path, place: Path, columns: Iterable[str] = ()) -> TrialGroup:
    """Return the condition and the subject of a file, by the nearest folder that is a subject's.

    `place` is its place below the folder that was named, which is looked at, too. A subject's folder is SubjectXX, or
    has the name of a column of the table of subjects. The condition is the other folders of the place, else the folder
    that the subject's is in.
    """
    known = [column.lower() for column in columns]
    inside = place.parent.parts
    folders = [folder.name for folder in file.absolute().parents[: len(place.parts)]]
    for n, name in enumerate(folders):
        match = _SUBJECT.fullmatch(name)
        if match is None and name.lower() not in known:
            continue
        others = [*inside[: max(len(inside) - n - 1, 0)], *inside[len(inside) - n :]]
        around = file.absolute().parents[n].parent.name
        return TrialGroup("/".join(others) or around, match["name"] if match else name)
    return TrialGroup(place.parent.as_posix() if inside else "")


def variants_of(columns: Iterable[str], subject: str) -> list[tuple[str, str]]:
    """Return the columns of a table that are of a subject, each with the number of its variant, or "".

    Column 01 and, as its variants, 0101, 0103, … are of subject 01.
    """
    found = [(column, "") for column in columns if _same(_plain(column), subject)]
    for column in columns:
        number, variant = _split(column)
        if variant and subject.isdigit() and len(subject) <= _DIGITS and int(number) == int(subject):
            found.append((column, variant))
    return found


def other_subject(column: str, subject: str) -> bool:
    """Tell whether a column of a table is that of another subject: both are numbers, and differ."""
    numbers = _plain(column).isdigit() and subject.isdigit()
    return numbers and column not in [name for name, _ in variants_of([column], subject)]


def _split(column: str) -> tuple[str, str]:
    """Return number and variant of a column, such as 01 and 03 of 0103."""
    name = _plain(column)
    return (name[:_DIGITS], name[_DIGITS:]) if name.isdigit() and len(name) > _DIGITS else (name, "")


def _plain(column: str) -> str:
    match = _SUBJECT.fullmatch(column)
    return match["name"] if match else column


def _same(one: str, two: str) -> bool:
    both = one.isdigit() and two.isdigit()
    return one.lower() == two.lower() or (both and int(one) == int(two))
