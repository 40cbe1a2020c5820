"""What is wrong with the arguments of a call that ended in an exception of Python or NumPy."""

import csv
import errno
import inspect
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from numbers import Number
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from motiform.base.errors import DefectError, InputError, MotiformError, RangeError, RunError, closest
from motiform.base.stated import checker_of, hints_of, is_array, words_of, wrong_type

__all__ = ["FOREIGN", "told", "wrong_argument"]

FOREIGN = Exception  # those of Numba are of no class of Python
_SHAPES = (
    "broadcast", "core dimension", "reshape", "axis remapping", "No matching definition", "are not aligned",
    "shape mismatch", "dimension", "out of bounds for axis", "too many indices", "to scalar variable",
    "unsized object", "0-d array", "array at index", "not enough values to unpack", "too many values to unpack",
    "must be square", "setting an array element", "length-1 arrays", "same shape", "for @:", "zero-size array",
    "subscripts", "too deep for", "inhomogeneous", "cannot unpack non-iterable", "boolean index did not match",
    "total size of new array",
)  # fmt: skip
"""Words of NumPy and Numba on shapes."""
_NOTHING = ("at least one array", "empty list", "empty sequence", "is empty", "empty array", "zero-size array")
_TOO_LARGE = ("array is too big", "Maximum allowed", "too large to")
_HOMES = (
    "motiform", "numpy", "scipy", "numba", "llvmlite", "pandas", "xarray", "zarr", "numcodecs", "pydantic", "pint",
    "trimesh", "matplotlib", "contourpy", "imageio", "PIL", "SimpleITK",
)  # fmt: skip
"""Modules that motiform computes with; frames of others are those of a caller's function."""
_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE)
_NO_INTEGER = "interpreted as an integer"
_NUL = "embedded null"  # in a path
_INDICES = ("valid indices", "used as indices", "scalar index", "indices must be integers")
_CONVERTED = ("could not convert string to", "float() argument must be", "int() argument must be", "invalid literal")
_NO_NUMBERS, _FEW = (str, bytes, dict, NoneType, list, tuple), 20
_OWN = ("self", "cls", "_cls")
_OF_VALUES = (TypeError, ValueError, AttributeError, LookupError, NotImplementedError)
_OPTIONS = ("missing", "unexpected keyword argument")


def told(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Exception:
    """Return the error to raise instead of one of Python: which argument is wrong, or that none is.

    What comes from a caller's function stays as it is, and so does what a protocol of Python asks for.
    """
    if isinstance(error, MotiformError | Warning | StopIteration | StopAsyncIteration):
        return error
    try:
        found = _found(error, function, name, args, kwargs)
    except Exception:  # an object of the caller that cannot be looked at
        found = None
    if found is None and (not _is_ours(error) or _is_asked(error, name) or _is_inside()):
        return error
    found = found or DefectError.of(error, f"{name}()")
    found.__cause__ = error
    return found


def _found(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> MotiformError | None:
    given = (name, args, kwargs)
    found = _misfit(function, *given) or _unfit_options(error, function, *given) or _lacks(error, function, *given)
    if found is None and _is_ours(error):
        found = _unfit_file(error, *given) or _not_arrays(error, function, *given) or _unfit_content(error, *given)
        found = found or _unfit_sizes(error, *given) or _unfit_shapes(error, *given) or _unfit_numbers(error, *given)
        found = found or _unstated(error, function, *given)
    return found


def _is_asked(error: Exception, name: str) -> bool:
    """Whether an exception tells what a protocol of Python asks for: that a container ends, or lacks a key."""
    return name.endswith("__getitem__") and isinstance(error, LookupError)


def _is_inside() -> bool:
    """Whether the caller of the door is motiform itself, which may know what to do."""
    return str(sys._getframe(3).f_globals.get("__name__", "")).startswith("motiform.")


def _is_ours(error: Exception) -> bool:
    """Whether an exception comes from motiform or what it computes with, and not from a caller's function."""
    trace = error.__traceback__
    while trace is not None:
        home = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        compiled = not home and not set(_HOMES).isdisjoint(Path(trace.tb_frame.f_code.co_filename).parts)
        if not compiled and home not in _HOMES and home not in sys.stdlib_module_names:
            return False
        trace = trace.tb_next
    return True


def _misfit(function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the error that names the first argument that is not as stated; None where all are."""
    known = [one for one in inspect.signature(function).parameters if one not in _OWN]
    where = f"{name}()"
    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError as error:
        unknown = next((key for key in kwargs if key not in known), None)
        if unknown is not None:
            remedy = closest(unknown, known)
            return InputError("unknown argument", where=where, got=unknown, allowed=", ".join(known), remedy=remedy)
        return InputError(f"the arguments do not fit: {error}", where=where, allowed=", ".join(known))
    hints = hints_of(function)
    parameters = inspect.signature(function).parameters
    for key, value in bound.items():
        hint, default = hints.get(key, Any), parameters[key].default
        if (
            parameters[key].kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
            or value is default
        ):
            continue
        words = wrong_type(value, hint)
        if words:
            return wrong_argument(key, value, words, where)
    return _changed(bound, where)


def _changed(bound: Mapping[str, Any], where: str) -> InputError | None:
    """Return the error of an object of ours with a field that was given another type after it was made."""
    for key, value in bound.items():
        if not is_dataclass(value) or isinstance(value, type) or not type(value).__module__.startswith("motiform."):
            continue
        hints = hints_of(type(value).__init__)
        for one in fields(value):
            is_right, own = checker_of(hints.get(one.name, Any)), getattr(value, one.name, None)
            if is_right is not None and not is_right(own):
                return wrong_argument(f"{key}.{one.name}", own, words_of(hints[one.name]), where)
    return None


def _lacks(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InputError | None:
    """Return the error of an argument without an attribute, a number or a key that is needed; None: of none.

    Keys are those of a mapping, or of a recording's manifest.
    """
    given = {key: one for key, one in inspect.signature(function).bind(*args, **kwargs).arguments.items()
             if key not in _OWN}  # fmt: skip
    for key, value in given.items():
        parts = [value, *value[:_FEW]] if isinstance(value, list | tuple) else [value]
        if isinstance(error, AttributeError) and error.name and any(error.obj is one for one in parts):
            return wrong_argument(key, value, f"an object with {error.name!r}", f"{name}()")
        if _is_no_number(error) and any(isinstance(one, _NO_NUMBERS) or type(one) is object for one in parts):
            return wrong_argument(key, value, "numbers", f"{name}()")
        if _NO_INTEGER in str(error) and hints_of(function).get(key) is int and not isinstance(value, int):
            return wrong_argument(key, value, "a whole number, of the type int", f"{name}()")
    for key, value in given.items() if type(error) is KeyError and error.args else ():
        table = value if isinstance(value, Mapping) else getattr(value, "manifest", None)
        if isinstance(table, Mapping) and error.args[0] not in table:
            known = ", ".join(map(str, table))[:200]
            return InputError(f"{key!r} must have {error.args[0]!r}", where=f"{name}()", got=known or "nothing")
    return None


def _is_no_number(error: Exception) -> bool:
    return isinstance(error, TypeError | ValueError) and any(part in str(error) for part in _CONVERTED)


def _not_arrays(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InputError | None:
    """Return the error of a list, number or table where only an array of NumPy can be computed with; None: of none."""
    if not isinstance(error, AttributeError | TypeError) and type(error).__module__ != "pandas.errors":
        return None
    hints = hints_of(function)
    for key, value in inspect.signature(function).bind(*args, **kwargs).arguments.items():
        parts = get_args(hints[key]) if get_origin(hints.get(key)) in (Union, UnionType) else (hints.get(key),)
        listed = (
            not hasattr(value, "shape")
            or isinstance(value, Number)
            or type(value).__module__.partition(".")[0] == "pandas"
        )
        if listed and value is not None and any(_is_ndarray(part) for part in parts):
            return wrong_argument(key, value, "an array of NumPy", f"{name}()")
        if any(_is_ndarray(one) for part in parts for one in get_args(part)):
            return wrong_argument(key, value, "a sequence of arrays of NumPy", f"{name}()")
    return None


def _is_ndarray(hint: Any) -> bool:
    return getattr(get_origin(hint) or hint, "__name__", "") == "ndarray"


def _unfit_sizes(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> InputError | None:
    """Return the error of what is empty, too large, or not within what is there; None: it was another."""
    text, where = str(error), f"{name}()"
    if isinstance(error, MemoryError) or any(part in text for part in _TOO_LARGE):
        return InputError("it needs more memory than there is", where=where, got=_sizes(args, kwargs))
    if isinstance(error, ValueError | IndexError) and any(part in text for part in _NOTHING):
        return InputError("it cannot be computed of nothing", where=where, got=_sizes(args, kwargs))
    if isinstance(error, IndexError) and "out of range" in text:
        return RangeError(f"there are fewer of them: {error}", where=where, got=_sizes(args, kwargs))
    return None


def _sizes(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the numbers, shapes and lengths that were given."""
    found = []
    for key, one in _named(args, kwargs).items():
        if hasattr(one, "shape"):
            found.append(f"{key} {one.shape}")
        elif isinstance(one, Number | str | NoneType):
            found.append(f"{key} {repr(one)[:30]}")
        elif hasattr(one, "__len__"):
            found.append(f"{key} of {len(one)}")
    return ", ".join(found)[:200] or "nothing"


def _unfit_shapes(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> InputError | None:
    """Return the error that tells the shapes of arrays where NumPy or a kernel refused them; None: it was another."""
    if isinstance(error, TypeError | IndexError) and any(part in str(error) for part in _INDICES):
        return InputError("indices are whole numbers or slices", where=f"{name}()", got=repr(args[1:])[:80])
    if not isinstance(error, ValueError | TypeError | IndexError) or not any(part in str(error) for part in _SHAPES):
        return None
    if "inhomogeneous" in str(error):
        return InputError("rows of an array must have one length", where=f"{name}()", got=repr(args)[:80])
    import numpy as np

    values = _named(args, kwargs).items()
    shapes = [f"{key} {np.shape(one)}" for key, one in values if is_array(one) or hasattr(one, "shape")]
    if not shapes:
        return None
    kind = RangeError if isinstance(error, IndexError) else InputError
    return kind("the shapes of the arrays do not fit", where=f"{name}()", got=", ".join(shapes))


def _own_fields(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the objects of ours that were given, the one whose method it is among them."""
    found: dict[str, Any] = {}
    first = [("self" if n == 0 else f"argument {n + 1}", one) for n, one in enumerate(args)]
    for key, one in (*first, *kwargs.items()):
        if isinstance(one, type) or not type(one).__module__.startswith("motiform."):
            continue
        names = [own.name for own in fields(one)] if is_dataclass(one) else getattr(one, "_fields", ())
        found.update({f"{key}.{name}": getattr(one, name, None) for name in names})
    return found


def _named(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by their names or numbers, with the fields of an object whose method it is."""
    return {**_own_fields(args, kwargs), **{f"argument {n + 1}": one for n, one in enumerate(args)}, **kwargs}


def _unfit_numbers(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> InputError | None:
    """Return the error of numbers with which something cannot be computed; None: it was another."""
    if not isinstance(error, ArithmeticError | struct.error) and type(error).__name__ != "LinAlgError":
        return None
    values = _named(args, kwargs).items()
    numbers = ", ".join(f"{key} {repr(one)[:30]}" for key, one in values if isinstance(one, int | float))
    return InputError(f"it cannot be computed for these values: {error}", where=f"{name}()", got=numbers or "arrays")


def _unfit_file(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> MotiformError | None:
    """Return the error of a file that cannot be named, read or written; None: it was another."""
    paths = [one for one in (*args, *kwargs.values()) if isinstance(one, str | PathLike)]
    place = str(paths[0])[:300] if paths else ""
    if paths and (isinstance(error, UnicodeEncodeError) or (type(error) is ValueError and _NUL in str(error))):
        return InputError("not a name of a file", where=f"{name}()", got=repr(place)[:80])
    if paths and isinstance(error, UnicodeError | csv.Error):
        return InputError("the text cannot be read", where=place, got=str(error)[:200])
    if not isinstance(error, OSError) or error.errno is None:
        return None
    kind = RunError if error.errno in _FAILED or not (error.filename or paths) else InputError
    place = place or f"{name}()"
    return kind("cannot be read or written", where=str(error.filename or place)[:300], got=error.strerror)


def _unfit_content(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return what a recording among the arguments says of its own manifest, which may have come from any file."""
    tellers = (getattr(value, "_unfit", None) for value in (*args, *kwargs.values()))
    return next((found for tell in tellers if callable(tell) and (found := tell(error))), None)


def _unstated(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InputError | None:
    """Return the error of arguments whose types do not say all: shapes, lengths, names; None: all is stated."""
    if not isinstance(error, _OF_VALUES) and type(error).__module__.partition(".")[0] != "numba":
        return None
    hints, bound = hints_of(function), inspect.signature(function).bind(*args, **kwargs).arguments
    values = _own_fields(args, kwargs)
    found = [key for key, one in values.items() if _is_open(one, float, error)]
    for key, one in bound.items():
        if key not in _OWN and _is_open(one, hints.get(key, Any), error):
            values[key] = one
            found.append(key)
    if not found:
        return None
    got = ", ".join(f"{key} {getattr(values[key], 'shape', '') or repr(values[key])[:60]}" for key in found[:_FEW])
    return InputError(f"the arguments do not fit: {type(error).__name__}, {error}", where=f"{name}()", got=got)


def _is_open(value: Any, hint: Any, error: Exception) -> bool:
    """Whether a value of its stated type may still be wrong."""
    if hint is Any or isinstance(value, list | tuple | Mapping | Iterator) or hasattr(value, "shape"):
        return True
    named = isinstance(value, str) and isinstance(error, LookupError)
    return named or (isinstance(value, float) and hint is not float)


def _unfit_options(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InputError | None:
    """Return the error of options that are handed on to a function that lacks or does not know some; None: of none."""
    handed = any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
    if not handed or not isinstance(error, TypeError) or not any(part in str(error) for part in _OPTIONS):
        return None
    return InputError(f"the arguments do not fit: {error}", where=f"{name}()")


def wrong_argument(name: str, value: Any, words: str, where: str) -> InputError:
    """Return the error of an argument that is not what the words say."""
    got = value if isinstance(value, str | int | float | None) else repr(value)[:60]
    return InputError(f"{name!r} must be {words}", where=where, got=got)
