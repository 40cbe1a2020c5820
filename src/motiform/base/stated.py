"""Stated types of arguments and fields: whether a value is of one, and the words for it."""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cache
from math import isfinite
from numbers import Number
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from motiform.base.errors import stated_types, type_words

__all__ = ["checker_of", "hints_of", "is_array", "says_array", "words_of", "wrong_type"]

_PLAIN = (float, int)
_ENDS = 1e-100, 1e100  # beyond them a square or a cube is no longer a float
_ARRAY_LIKE = "ArrayLike"  # of NumPy, from Python 3.12 on; a union of its parts before


@cache
def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the stated types of a function's parameters by name."""
    return stated_types(inspect.unwrap(function))


def checker_of(hint: Any) -> Callable[[Any], bool] | None:
    """Return what tells, without a look at every number, whether a value is of a stated type; None: it may be any."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        tests = [checker_of(one) for one in inner]
        return None if None in tests else lambda value: any(test(value) for test in tests if test is not None)
    if hint is NoneType:
        return lambda value: value is None
    if origin is Callable or hint is Callable:
        return callable
    if repr(hint) == _ARRAY_LIKE:
        return None  # numbers, texts and objects, too
    if says_array(hint):
        return _becomes_array
    if hint is float or hint is int:
        return lambda value: isinstance(value, _PLAIN) or hasattr(value, "dtype") or isinstance(value, Number)
    kind = origin or hint
    if kind is tuple or kind is list or kind is Sequence:
        return _items_checker_of(inner)
    if not isinstance(kind, type) or kind in (object, bool):
        return None
    if getattr(kind, "_is_protocol", False):
        names = _protocol_names(kind)
        return lambda value: all(hasattr(value, name) for name in names)
    if kind in (set, frozenset):
        test = _items_checker_of((*inner, Ellipsis))
        return lambda value: isinstance(value, kind) and (test is None or test(value))
    if kind is Mapping or kind is dict:
        each = checker_of(inner[1]) if len(inner) == 2 else None
        plain = (dict, kind)  # a dict is told faster than a mapping
        return lambda value: isinstance(value, plain) and (each is None or all(map(each, value.values())))
    if kind is str or kind.__module__.startswith("motiform."):
        return lambda value: isinstance(value, kind)
    return None


def _becomes_array(value: Any) -> bool:
    """Whether a value is an array of numbers, or a number or a list that becomes one."""
    if isinstance(value, type):
        return False
    if not hasattr(value, "dtype"):
        import numpy as np

        if not isinstance(value, list | tuple | Number):
            return False
        try:
            value = np.asarray(value)
        except (ValueError, OverflowError):
            return False
    return value.dtype.kind in "fiubc"


def _items_checker_of(inner: Sequence[Any]) -> Callable[[Any], bool] | None:
    if not inner:
        return _has_items
    if len(inner) > 1 and inner[-1] is not Ellipsis:
        each = [checker_of(one) or _is_any for one in inner]

        def fit(value: Any) -> bool:
            if not _has_items(value):
                return False
            items = list(value)  # a table's length is that of its rows, its items are columns
            return len(items) == len(each) and all(fits(one) for fits, one in zip(each, items, strict=True))

        return fit
    test = checker_of(inner[0])
    return _has_items if test is None else lambda value: _has_items(value) and all(test(one) for one in value)


def _is_any(_: Any) -> bool:
    return True


def _has_items(value: Any) -> bool:
    known = hasattr(value, "__len__") and (hasattr(value, "__iter__") or hasattr(value, "__getitem__"))
    return known and not isinstance(value, str | bytes | type) and getattr(value, "shape", None) != ()


@cache
def _protocol_names(kind: type) -> tuple[str, ...]:
    """Return the public names that an object of a protocol has."""
    own = [one for one in kind.__mro__ if vars(one).get("_is_protocol", False) and one.__module__ != "typing"]
    names = {name for one in own for name in (*vars(one), *vars(one).get("__annotations__", {}))}
    return tuple(sorted(name for name in names if not name.startswith("_")))


def words_of(hint: Any) -> str:
    """Return the words for a stated type."""
    inner, origin = get_args(hint), get_origin(hint)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(words_of(one) for one in inner))
    if says_array(hint) and origin is not Callable:
        return "an array of numbers"
    kind = origin or hint
    if kind in (Any, object):
        return "anything"
    if kind in (tuple, list, Sequence, set, frozenset):
        same = len(inner) == 1 or (inner and inner[-1] is Ellipsis)
        return f"a sequence, each {words_of(inner[0])}" if same else f"{len(inner)} values" if inner else "a sequence"
    if kind in (Mapping, dict):
        return f"a mapping, each {words_of(inner[1])}" if len(inner) == 2 else "a mapping"
    if kind is Callable or getattr(kind, "_is_protocol", False):
        names = ", ".join(_protocol_names(kind)) if kind is not Callable else ""
        return f"an object with {names}" if names else "a function"
    return (type_words(_NOTHING, kind) if isinstance(kind, type) else None) or str(kind)


class _Nothing:
    """Of no stated type."""


_NOTHING = _Nothing()


def wrong_type(value: object, hint: Any) -> str | None:
    """Return what is allowed where a value is not of a stated type."""
    if hint is Any or hint is object:
        return None
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _wrong_of_several(value, [one for one in inner if one is not Any])
    if origin is Literal:
        return None if any(value is one or value == one for one in inner if type(value) is type(one)) else (
            " or ".join(map(repr, inner)))  # fmt: skip
    if origin is Callable or hint is Callable:
        return None if callable(value) else "a function"
    if says_array(hint):
        return None if is_array(value) else "an array of finite numbers"
    kind = origin or hint
    if not isinstance(kind, type):
        return None
    if getattr(kind, "_is_protocol", False):
        return None if all(hasattr(value, name) for name in _protocol_names(kind)) else words_of(kind)
    if kind in (Sequence, list, tuple):
        return _wrong_items(value, inner)
    words = type_words(value, kind)
    if words is None and kind in (Mapping, dict):
        return _wrong_values(value, inner)
    if words is None and kind in (Iterable, Collection) and hasattr(value, "__len__"):
        named = isinstance(value, str | dict) and inner == (str,)
        return None if named else _wrong_items(list(value) if isinstance(value, Set) else value, inner)
    if words is None and kind is str and not _is_written(value):
        return "text that can be written"
    return _wrong_number(value, kind) if words is None and kind in (int, float) else words


def _is_written(text: Any) -> bool:
    """Whether text has no halves of characters (surrogates), which no file and no terminal takes."""
    try:
        return bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _wrong_of_several(value: object, kinds: Sequence[Any]) -> str | None:
    if any(says_array(kind) for kind in kinds):  # ArrayLike, or one of several with it
        others = [kind for kind in kinds if not says_array(kind) and not getattr(kind, "_is_protocol", False)]
        named = [kind for kind in others if kind not in (bool, int, float, complex, str, bytes)]
        fits = any(wrong_type(value, kind) is None for kind in named) or (value is None and NoneType in kinds)
        return None if fits or is_array(value) else "an array of finite numbers"
    found = [wrong_type(value, kind) for kind in kinds]
    return None if None in found else " or ".join(dict.fromkeys(filter(None, found)))


def _wrong_number(value: Any, kind: type) -> str | None:
    if not isinstance(value, _PLAIN) and not hasattr(value, "dtype"):
        return "a float or an int"  # NumPy computes with no others
    if isinstance(value, int) and abs(value) >= 2**63:
        return "a number with fewer digits"  # NumPy has no integers of so many
    if not isfinite(value):
        return "a finite number"
    if kind is int and value != int(value):
        return "a whole number"
    if kind is float and value and not _ENDS[0] < abs(value) < _ENDS[1]:
        return f"a number between {_ENDS[0]:g} and {_ENDS[1]:g}"
    return f"a number below {_ENDS[1]:g}" if abs(value) > _ENDS[1] else None


def _wrong_items(values: Any, inner: Sequence[Any]) -> str | None:
    if not _has_items(values) or not hasattr(values, "__getitem__") or hasattr(values, "keys"):
        return "a sequence"
    if not inner:
        return None
    same = len(inner) == 1 or inner[-1] is Ellipsis
    if not same and len(values) != len(inner):
        return f"{len(inner)} values"
    for value, hint in zip(values, [inner[0]] * len(values) if same else inner, strict=True):
        words = wrong_type(value, hint)
        if words:
            return f"a sequence, each {words}"
    return None


def _wrong_values(table: Any, inner: Sequence[Any]) -> str | None:
    for key, value in table.items() if len(inner) == 2 else ():
        words = wrong_type(key, inner[0])
        if words:
            return f"a mapping, each key {words}"
        words = wrong_type(value, inner[1])
        if words:
            return f"a mapping, each {words}"
    return None


def says_array(hint: Any) -> bool:
    """Whether a stated type is that of an array, or of what becomes one."""
    text, origin = repr(hint), get_origin(hint)
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin.__name__ != "ndarray":
        return False  # a table or a sequence of arrays
    return "ndarray" in text or "_SupportsArray" in text or "_array_like" in text or text == _ARRAY_LIKE


def is_array(value: object) -> bool:
    """Whether a value is an array of finite numbers whose squares are floats."""
    import numpy as np

    try:
        raw = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return False
    if raw.dtype.kind not in "fiub" or (raw.dtype.kind == "b" and not raw.ndim) or not np.isfinite(raw).all():
        return False
    large = np.abs(raw.astype(float))
    return not (large > _ENDS[1]).any() and not ((large < _ENDS[0]) & (large > 0)).any()
