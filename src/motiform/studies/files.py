"""Study files: TOML that says what is run, with which parameters, and what is measured."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError, closest, closest_file
from motiform.base.files import plain_file
from motiform.base.toml import parse_toml

__all__ = ["StudyFile", "built_in_studies", "read_study"]

GALLERY = Path(__file__).parent / "gallery"
_LARGEST = 4 << 20  # bytes
_HEAD = ("model", "title", "description", "keep", "zip", "cases", "constraints")
_SECTIONS = ("study", "set", "parameters", "sample", "measures")


@dataclass(frozen=True)
class StudyFile:
    """A study as a file defines it; `arguments` are those of `motiform.study`."""

    name: str
    model: str
    arguments: dict[str, Any]
    description: str = ""


def built_in_studies() -> dict[str, Path]:
    """Return the files of the built-in studies by their names."""
    return {path.stem: path for path in sorted(GALLERY.glob("*.toml"))}


def read_study(source: str | Path) -> StudyFile:
    """Read a study file, or a built-in study by its name."""
    path = Path(source)
    if path.suffix != ".toml":
        known = built_in_studies()
        if str(source) not in known:
            raise InputError("no such study", got=str(source), allowed=f"a .toml file, or one of: {', '.join(known)}",
                             remedy=closest(str(source), known) or closest_file(path))  # fmt: skip
        path = known[str(source)]
    where = str(path)
    if not path.is_file():
        raise InputError("there is no such study", where=where, remedy=closest_file(path))
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("the file is too large for a study", where=where, got=f"{path.stat().st_size} bytes")
        raw = parse_toml(plain_file(path).read_bytes().decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        place = f"{where}:{line[1]}" if line else where
        raise InputError(f"the study must be TOML: {str(error).splitlines()[0]}", where=place) from error
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError(f"cannot read the study: {reason}", where=where) from error
    return _study(raw, path, where)


def _study(raw: Mapping[str, Any], path: Path, where: str) -> StudyFile:
    _check_keys(raw, _SECTIONS, where, "section")
    for section in raw:
        if not isinstance(raw[section], Mapping):
            raise InputError("a section must be a table", where=f"{where}: {section}", got=repr(raw[section])[:60])
    head = raw.get("study", {})
    _check_keys(head, _HEAD, f"{where}: [study]", "key")
    for key in ("model", "title", "description", "keep", "cases"):
        if key in head and not isinstance(head[key], str):
            raise InputError(f"{key} must be text", where=f"{where}: [study]", got=repr(head[key])[:60])
    for key in ("zip", "constraints"):
        if not isinstance(head.get(key, []), list):
            raise InputError(f"{key} must be a list", where=f"{where}: [study]", got=repr(head[key])[:60])
    if "model" not in head:
        allowed = "a built-in scene, a scene file, or module:function"
        raise InputError("a study needs a model", where=f"{where}: [study]", allowed=allowed)
    arguments: dict[str, Any] = {
        "parameters": _flat(raw.get("parameters", {}), _is_range),
        "settings": _flat(raw.get("set", {}), lambda one: False),
        "measures": dict(raw.get("measures", {})),
        "sample": raw.get("sample"),
        "zipped": head.get("zip", []),
        "constraints": head.get("constraints", []),
        "cases": path.parent / head["cases"] if "cases" in head else None,
        "keep": head.get("keep"),
        "title": head.get("title"),
        "folder": path.parent,
    }
    return StudyFile(path.stem, head["model"], arguments, head.get("description", ""))


def _check_keys(table: Mapping[str, Any], allowed: tuple[str, ...], where: str, what: str) -> None:
    unknown = next((key for key in table if key not in allowed), None)
    if unknown is not None:
        raise InputError(f"no such {what} of a study", where=where, got=unknown, allowed=", ".join(allowed),
                         remedy=closest(unknown, allowed))  # fmt: skip


def _is_range(value: Mapping[str, Any]) -> bool:
    return "files" in value or {"from", "to"} <= set(value)


def _flat(table: Mapping[str, Any], whole: Any) -> dict[str, Any]:
    """Return values by dotted paths: motion.step = […] may stand with or without quotes."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping) and not whole(value) and value and not set(value) & {"from", "to", "steps"}:
            found |= {f"{key}.{rest}": own for rest, own in _flat(value, whole).items()}
        else:
            found[key] = value
    return found
