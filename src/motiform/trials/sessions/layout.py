"""What the files of a session are: static or gait trials, and of which condition."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError, closest
from motiform.base.files import reads_file
from motiform.base.toml import parse_toml
from motiform.motion.postures.gait.pool import PoolRules
from motiform.trials.batch import find_trials, names_of
from motiform.trials.subjects import find_group

__all__ = ["GAIT", "IGNORED", "STATIC", "SessionFile", "SessionLayout", "read_layout"]

STATIC, GAIT, IGNORED = "static", "gait", "ignore"
ROLES = (STATIC, GAIT, IGNORED)
TABLES = ("session.toml", "session.csv")
"""Files that tell the layout of the folder that they are in."""
_STANDS = re.compile(r"static|standing|neutral|calibration|(?<![a-z])(cal|stat|[tn][-_ ]?pose)(?![a-z])", re.IGNORECASE)
_KEYS = ("title", "subject", "height", "mass", "sex", "conditions", "header", "rules", "trial")
_COLUMNS = ("file", "condition", "role")
_UNLISTED = "no pattern of the table of the session names it"


@dataclass(frozen=True)
class SessionFile:
    """A file of a session."""

    path: Path
    place: str
    """Below the folder of the session, with its ending."""
    name: str
    """Of its results."""
    condition: str
    role: str
    """One of `ROLES`."""
    why: str = ""
    """How the role is known."""


@dataclass(frozen=True)
class SessionLayout:
    """The files of a session, and what its table tells."""

    folder: Path
    files: tuple[SessionFile, ...]
    title: str = ""
    subject: str = ""
    measures: Mapping[str, Any] = field(default_factory=dict)
    """height [m], mass [kg], sex: those that are told."""
    conditions: tuple[str, ...] = ()
    """In the order of the report; the first is what the others are compared with."""
    header: Mapping[str, str] = field(default_factory=dict)
    rules: PoolRules = field(default_factory=PoolRules)

    def of(self, role: str) -> list[SessionFile]:
        """Return the files with a role."""
        return [one for one in self.files if one.role == role]

    def with_static(self, places: Iterable[str], why: str) -> "SessionLayout":
        """Return the layout with these files as static trials."""
        chosen = set(places)
        files = (replace(one, role=STATIC, why=why) if one.place in chosen else one for one in self.files)
        return replace(self, files=tuple(files))


def read_layout(folder: Path, leave_out: Iterable[Path] = ()) -> SessionLayout:
    """Return the layout of a folder: by its session.toml or session.csv where there is one, else by names.

    A static trial has "static", "standing", "calibration", "cal" or "t-pose" in its name. The condition is the folder
    that a trial is in, or its name without the number at its end, where several trials share one.
    """
    if not folder.is_dir():
        raise InputError(
            "a session must be a folder", where=str(folder), got="no folder" if folder.exists() else "nothing"
        )
    tables = [folder / name for name in TABLES if (folder / name).is_file()]
    if len(tables) > 1:
        raise InputError("a session must have one table", where=str(folder), got=" and ".join(TABLES))
    told = _read_table(tables[0]) if tables else {}
    found = find_trials([folder], [*leave_out, *tables])
    rows = told.get("trial") or []
    _check_subject(found, str(told.get("subject") or ""))
    files = tuple(
        _file(path, place, name, rows) for (path, place), name in zip(found.items(), names_of(found), strict=True)
    )
    files = files if rows else _by_names(files)
    where = str(tables[0]) if tables else str(folder)
    for row in rows:
        if not any(_matches(one, row) for one in files):
            raise InputError("a row of the table must name a file", where=where, got=row["file"],
                             remedy=closest(row["file"], [one.place for one in files]))  # fmt: skip
    order = [str(one) for one in told.get("conditions") or []]
    known = tuple(dict.fromkeys([*order, *(one.condition for one in files if one.role == GAIT)]))
    unknown = [one for one in order if not any(file.condition == one for file in files)]
    if unknown:
        raise InputError("conditions must be those of trials", where=where, got=", ".join(unknown),
                         allowed=", ".join(known[len(order) :]) or None)  # fmt: skip
    header = {str(key): str(value) for key, value in (told.get("header") or {}).items()}
    return SessionLayout(
        folder, files, str(told.get("title") or ""), str(told.get("subject") or ""), _measures(told, where), known,
        header, _rules(told.get("rules") or {}, where),
    )  # fmt: skip


def _check_subject(found: Mapping[Path, Path], stated: str) -> None:
    subjects = dict.fromkeys(find_group(path, place).subject.lower() for path, place in found.items())
    if len(subjects) > 1 and not stated:
        raise InputError("a session must be of one subject", got=", ".join(one or "none" for one in subjects),
                         remedy="Give the folder of each subject by itself.")  # fmt: skip


def _file(path: Path, place: Path, name: str, rows: Sequence[Mapping[str, str]]) -> SessionFile:
    made = SessionFile(path, place.as_posix(), name, _folder_of(place), GAIT)
    for row in rows:
        if _matches(made, row):
            role = row.get("role") or (STATIC if _STANDS.search(path.stem) else GAIT)
            return replace(made, condition=row.get("condition") or made.condition, role=role, why="by the table")
    return replace(made, role=IGNORED, why=_UNLISTED) if rows else made


def _folder_of(place: Path) -> str:
    return place.parent.as_posix() if place.parent.parts else ""


def _matches(file: SessionFile, row: Mapping[str, str]) -> bool:
    return fnmatch(file.place, row["file"]) or fnmatch(Path(file.place).name, row["file"])


def _by_names(files: tuple[SessionFile, ...]) -> tuple[SessionFile, ...]:
    """Return the files with the roles and conditions that their names tell."""
    roles = [STATIC if _STANDS.search(one.path.stem) else GAIT for one in files]
    files = tuple(
        replace(one, role=role, why="by its name" if role == STATIC else "")
        for one, role in zip(files, roles, strict=True)
    )
    walks = [one for one in files if one.role == GAIT]
    if any(one.condition for one in walks):
        return files
    stems = [_without_number(one.path.stem) for one in walks]
    if len(set(stems)) == len(stems):  # names that nothing shares tell no condition
        return files
    names = {one.place: stem for one, stem in zip(walks, stems, strict=True)}
    alone = len(set(stems)) == 1
    return tuple(
        replace(one, condition="" if alone else names[one.place]) if one.place in names else one for one in files
    )


def _without_number(name: str) -> str:
    """Return a name without the number at its end and what sets it off."""
    bare = name.rstrip("0123456789")
    return name if bare == name else bare.rstrip("-_ .")


# ---------------------------------------------------------------- the table
@reads_file("table of a session")
def _read_table(path: Path) -> dict[str, Any]:
    text = path.read_text("utf-8-sig")
    if path.suffix == ".csv":
        return {"trial": _rows_of(text, path)}
    try:
        told = parse_toml(text)
    except ValueError as error:
        raise InputError("the table of a session must be TOML", where=str(path), got=str(error)[:120]) from error
    _known(told, _KEYS, str(path))
    for key, kind in (("trial", list), ("header", dict), ("rules", dict), ("conditions", list)):
        if key in told and not isinstance(told[key], kind):
            raise InputError(f"{key} must be {'tables' if kind is list else 'a table'}", where=str(path),
                             got=repr(told[key])[:40])  # fmt: skip
    for row in told.get("trial") or []:
        _check_row(row, str(path))
    return told


def _rows_of(text: str, path: Path) -> list[dict[str, str]]:
    reader = csv.DictReader(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    heads = [str(head).strip().lower() for head in reader.fieldnames or []]
    if "file" not in heads:
        raise InputError("the table of a session must have its columns", where=str(path), got=", ".join(heads),
                         allowed=", ".join(_COLUMNS))  # fmt: skip
    reader.fieldnames = heads
    found = [{key: (value or "").strip() for key, value in row.items() if key in _COLUMNS} for row in reader]
    for row in found:
        _check_row(row, str(path))
    return found


def _check_row(row: Any, where: str) -> None:
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()) or not row.get("file"):
        raise InputError("a trial of a session must have a file", where=where, got=repr(row)[:60],
                         allowed='file = "walk*.c3d"')  # fmt: skip
    _known(row, _COLUMNS, where)
    if row.get("role", "") not in ("", *ROLES):
        raise InputError("the role of a trial must be known", where=where, got=row["role"], allowed=", ".join(ROLES),
                         remedy=closest(row["role"], ROLES))  # fmt: skip


def _known(table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    for key in table:
        if key not in keys:
            raise InputError("no such key", where=where, got=key, allowed=", ".join(keys), remedy=closest(key, keys))


def _measures(told: Mapping[str, Any], where: str) -> dict[str, Any]:
    found = {name: told[name] for name in ("height", "mass", "sex") if name in told}
    for name in ("height", "mass"):
        value = found.get(name, 1.0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise InputError(f"the {name} must be a number above 0", where=where, got=repr(value)[:40])
    return found


def _rules(told: Mapping[str, Any], where: str) -> PoolRules:
    names = [one.name for one in fields(PoolRules)]
    _known(told, names, where)
    for name, value in told.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise InputError(f"{name} must be a number from 0", where=where, got=repr(value)[:40])
    return PoolRules(**{name: float(value) for name, value in told.items()})
