"""TOML from anyone: bounded before it is parsed.

`tomllib` takes time with the square of the parts of a key, and a level of Python's stack for each level of nesting.
"""

import re
import tomllib
from typing import Any

__all__ = ["MOST_PARTS", "parse_toml"]

MOST_PARTS = 32  # parts of a key "a.b.c": scenes have three
_DEEPEST = 200  # arrays and tables within one another
_LARGEST = 4 << 20  # characters; what is read as TOML is written by a person
_TEXTS = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|\'\'\'(?:[^\']|\'(?!\'\'))*+(?:\'\'\')?'
    r'|"(?:[^"\\\n]|\\.)*+"?|\'[^\'\n]*+\'?|#[^\n]*+',
    re.DOTALL,
)
"""Strings and comments, whether they end or not."""
_LONG_KEY = re.compile(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{MOST_PARTS}}}")
_BRACKETS = re.compile(r"[\[\]{}]")


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text. ValueError (`tomllib.TOMLDecodeError` is one) says what is wrong with it."""
    if len(text) > _LARGEST:
        raise tomllib.TOMLDecodeError(f"a text of {len(text)} characters is too long, allowed are {_LARGEST}")
    plain = _TEXTS.sub(lambda found: "" if found[0][0] == "#" else "s" + "\n" * found[0].count("\n"), text)
    long = _LONG_KEY.search(plain)
    if long:
        raise tomllib.TOMLDecodeError(f"a key has more than {MOST_PARTS} parts{_at(plain, long.start())}")
    level = 0
    for bracket in _BRACKETS.finditer(plain):
        level = level + 1 if bracket[0] in "[{" else max(level - 1, 0)
        if level > _DEEPEST:
            raise tomllib.TOMLDecodeError(f"arrays and tables are nested too deeply{_at(plain, bracket.start())}")
    try:
        return tomllib.loads(text)
    except RecursionError as error:  # of a caller who is deep in the stack
        raise tomllib.TOMLDecodeError("arrays and tables are nested too deeply") from error


def _at(text: str, place: int) -> str:
    """Return the line of a place, in the words of tomllib."""
    return f" (at line {text.count(chr(10), 0, place) + 1})"
