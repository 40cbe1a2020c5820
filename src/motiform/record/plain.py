"""Plain values: what JSON can hold, with numpy's numbers and the floats that JSON lacks."""

import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.base.machine import check_memory

__all__ = ["dump_plain", "load_plain", "to_plain"]

_DEEPEST = 100  # far from the depth at which Python gives up
_ITEM = 24  # most bytes that a value takes in memory for each of its text: "{},"
_BITS = 4096  # far from the digits at which Python gives up
_FLOAT = "__float__"  # {"__float__": "inf"}: JSON has no word for nan and infinity


def to_plain(value: Any, where: str) -> Any:
    """Return the value as dicts with text keys, lists, text, numbers, bools and None; arrays become lists."""
    return _to_plain(value, (None, where), _DEEPEST)


def _place(path: Any) -> str:
    """Return the place of a value in words; paths are chains (path of the parent, own part) until they are told."""
    parent, part = path
    return str(part) if parent is None else _place(parent) + (f"[{part}]" if isinstance(part, int) else f".{part}")


def _to_plain(value: Any, path: Any, depth: int) -> Any:
    if depth < 0:
        raise InputError(
            "values are nested too deep", where=_place(path)[:80] + " …", allowed=f"up to {_DEEPEST} levels",
            remedy="Flatten them; a list or dict must not hold itself.",
        )  # fmt: skip
    if value is None or isinstance(value, bool) or type(value) is str:
        return value
    if isinstance(value, int):
        if value.bit_length() > _BITS:
            allowed = f"whole numbers of up to {_BITS} bits"
            raise InputError("the number is too large for a file", where=_place(path), allowed=allowed)
        return value
    if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind in "biufU":
        return _to_plain(value.tolist(), path, depth)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _to_plain(item, (path, str(key)), depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(item, (path, k), depth - 1) for k, item in enumerate(value)]
    if isinstance(value, PurePath):
        return str(value)
    raise InputError(
        "the value cannot be kept in a file", where=_place(path), got=type(value).__name__,
        allowed="text, numbers, bools, None, and dicts, lists or arrays of them",
    )  # fmt: skip


def dump_plain(value: Any, *, indent: int | None = None, sort: bool = False) -> str:
    """Return plain values as JSON text that any reader takes; sorted, it depends on the values alone."""
    separators = None if indent else (",", ":")
    try:
        return json.dumps(value, indent=indent, separators=separators, sort_keys=sort, allow_nan=False)
    except ValueError:  # a number that is not finite
        return json.dumps(_escape(value), indent=indent, separators=separators, sort_keys=sort, allow_nan=False)


def load_plain(text: str | bytes) -> Any:
    """Return the values of `dump_plain`'s text."""
    check_memory(
        _ITEM * len(text), "values that are read from text", got=f"{len(text)} bytes", error=RecordingError,
        remedy="Read them on a larger machine.",
    )  # fmt: skip
    return json.loads(text, object_hook=_unescape)


def _escape(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: repr(value)}
    if isinstance(value, dict):
        return {key: _escape(item) for key, item in value.items()}
    return [_escape(item) for item in value] if isinstance(value, list) else value


def _unescape(value: dict[str, Any]) -> Any:
    if value.keys() == {_FLOAT} and value[_FLOAT] in ("nan", "inf", "-inf"):
        return float(value[_FLOAT])
    return value
