"""The references cited in the code, from the BibTeX file ``references.bib`` beside this module.

A comment ``# [Zara 3.2]`` where an equation is computed names the document by a key of the file and the place in it;
``corrected`` after the place marks a corrected misprint.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from motiform.base.errors import InputError, closest

__all__ = ["REFERENCES", "cite"]

REFERENCES: Mapping[str, str]
"""All references by their keys; the file is read when they are first asked for."""

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n((?:  \w+ = \{.*\},\n)*)\}$", re.MULTILINE)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


def cite(key: str) -> str:
    """Return the full reference of a key."""
    known = _references()
    if not isinstance(key, str) or key not in known:
        remedy = closest(key, known) if isinstance(key, str) else None
        raise InputError(
            "no such reference", got=key if isinstance(key, str) else repr(key), allowed=", ".join(known), remedy=remedy
        )
    return known[key]


def __getattr__(name: str) -> Any:
    if name == "REFERENCES":
        return _references()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _references() -> dict[str, str]:
    text = files("motiform.base").joinpath("references.bib").read_text("utf-8")
    return {key: _sentence(dict(_FIELD.findall(fields))) for _, key, fields in _ENTRY.findall(text)}


def _sentence(of: dict[str, str]) -> str:
    """Return the fields of an entry as the sentence that is read: authors, title, where it is printed."""
    names = of.get("author", "").strip("{}").replace(" and others", " et al.").split(" and ")
    where = of.get("howpublished", "")
    if "journal" in of:
        where = f"{of['journal']} {of['volume']} ({of['year']}) {of['pages'].replace('--', '–')}"
    elif "publisher" in of:
        where = f"{of['publisher']} {of['year']}"
    parts = [*names, of["title"], of.get("edition", ""), where, of.get("note", "")]
    return ", ".join(part for part in parts if part) + "." + (f" doi:{of['doi']}" if "doi" in of else "")
