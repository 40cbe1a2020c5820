"""What a manifest says of pictures, typed: a file may hold anything, what is read from it has the types stated here."""

import math
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from motiform.base.errors import RecordingError

__all__ = ["as_typed", "check_manifest"]

Triple = tuple[float, float, float]
_Rows = dict[str, dict[str, Any]]
ENTRIES: dict[str, Any] = {
    "title": str | None, "image": dict[str, Any], "form": _Rows, "links": list[dict[str, Any]], "bones": _Rows,
    "skeleton": dict[str, Any], "skeleton.figure": str, "skeleton.segments": _Rows, "skeleton.tags": _Rows,
    "gravity": Triple | None, "up": str | None, "notes": list[str], "settings": dict[str, Any],
    "image.camera": dict[str, Any] | None, "image.plot": list[str], "image.ground": bool,
    "image.ground_height": float | None, "image.strobe": int, "image.speed": float, "image.paths": bool,
    "image.skin": bool, "image.hide": list[str],
    "labels": dict[str, list[str]], "sound": dict[str, Any], "sound.form": str, "sound.peak": float | None,
    "screen": dict[str, Any], "plates": list[dict[str, Any]], "body": dict[str, Any], "axes": dict[str, Triple],
    "side": str, "driven": list[str], "calibration": dict[str, Any] | None, "taken": dict[str, Any] | None,
    "reconstruct": dict[str, Any], "reconstruct.per_marker": _Rows, "reconstruct.angles": str,
    "reconstruct.samples": int, "reconstruct.rms": float | None, "reconstruct.rms_weighted": float | None,
    "reconstruct.notes": list[str], "reconstruct.cutoff": float | None, "reconstruct.residual": dict[str, Any] | None,
    "muscles": dict[str, Any], "muscles.weight": float, "muscles.joints": list[str], "muscles.notes": list[str],
    "muscles.reserve_peak": dict[str, float | None], "muscles.moment_peak": dict[str, float | None],
}  # fmt: skip
"""Entries that are read, by their places, and their types; others are the writer's own."""
_WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a finite number", NoneType: "nothing"}


def check_manifest(manifest: Mapping[str, Any], where: str) -> None:
    """Refuse a manifest whose entries have other types than those of `ENTRIES`: a recording comes from anyone."""
    for place, hint in ENTRIES.items():
        table: Any = manifest
        *parents, key = place.split(".")
        for parent in parents:
            table = table.get(parent) or {}
        if key in table:
            as_typed(table[key], hint, f"{where}: manifest: {place}")
    image = manifest.get("image") or {}
    if not float(image.get("speed", 1.0)) > 0 or not 0 < int(image.get("strobe", 1)) <= 1000:
        raise RecordingError("speed and strobe must be above 0", where=f"{where}: manifest: image", got=str(image)[:80])


def as_typed(value: Any, hint: Any, where: str) -> Any:
    """Return a plain value as the type that is stated: lists as tuples, numbers as floats; RecordingError else.

    >>> as_typed([1, 2.5], tuple[float, float], "map")
    (1.0, 2.5)
    """
    found = _typed(value, hint)
    if found is _WRONG:
        raise RecordingError("a value must have its type", where=where, got=repr(value)[:60], allowed=_words(hint))
    return found


_WRONG = object()


def _typed(value: Any, hint: Any) -> Any:
    """Return the value as its type, or `_WRONG`."""
    origin, given = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return next((one for one in (_typed(value, kind) for kind in given) if one is not _WRONG), _WRONG)
    if origin is tuple:
        return _tuple(value, given)
    if origin is list:
        items = [_typed(one, given[0]) for one in value] if isinstance(value, list | tuple) else [_WRONG]
        return _WRONG if any(one is _WRONG for one in items) else items
    if origin is dict:
        fits = isinstance(value, Mapping) and all(
            isinstance(key, str) and _typed(one, given[1]) is not _WRONG for key, one in value.items()
        )
        return value if fits else _WRONG
    return _single(value, hint)


def _tuple(value: Any, given: tuple[Any, ...]) -> Any:
    if not isinstance(value, list | tuple | np.ndarray):
        return _WRONG
    kinds = (given[0],) * len(value) if given[-1] is ... else given
    if len(kinds) != len(value):
        return _WRONG
    items = tuple(_typed(one, kind) for one, kind in zip(value, kinds, strict=True))
    return _WRONG if any(one is _WRONG for one in items) else items


def _single(value: Any, hint: Any) -> Any:
    if hint is bool or hint is NoneType or hint is str:
        return value if isinstance(value, hint) else _WRONG
    if hint is int:
        return int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else _WRONG
    if hint is float:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        try:
            return float(value) if number and math.isfinite(value) else _WRONG
        except OverflowError:
            return _WRONG
    if hint is np.ndarray:
        return _array(value)
    return value  # Any, or what has a reader of its own


def _array(value: Any) -> Any:
    if not isinstance(value, list | tuple | np.ndarray):
        return _WRONG
    try:
        found = np.asarray(value)
    except ValueError:  # rows of different lengths
        return _WRONG
    return found if found.dtype.kind in "biuf" else _WRONG


def _words(hint: Any) -> str:
    """Return a type in words."""
    origin, given = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(_words(one) for one in given)
    if origin is tuple:
        return f"a list of {_words(given[0])}" if given[-1] is ... else f"{len(given)} of: {_words(given[0])}"
    if origin is list:
        return f"a list of {_words(given[0])}"
    if origin is dict:
        return "a table" if given[1] is Any else f"a table of {_words(given[1])}"
    return _WORDS.get(hint, "an array of numbers" if hint is np.ndarray else "a value")
