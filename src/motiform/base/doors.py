"""Doors: what comes into a public function with arguments that are not as stated leaves with an error of motiform.

Functions check what they can say best. What they leave to Python and NumPy (a text where a number is meant, an unknown
argument, an array that is none) ends there in TypeError, ValueError and their like. The door of a public function, or
of a public method of a public class, looks at the arguments only then, so that a right call costs nothing, and names
the first that is not of its stated type, the shapes that do not fit, or the numbers that end beyond floats. Where all
are right, the exception goes on as it is: it is a defect of ours, or of a function that the caller gave. A public
dataclass that was made has fields of their stated types: what is wrong is not found later, elsewhere.
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, cached_property, wraps
from math import isfinite
from numbers import Number
from types import FunctionType, ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from motiform.base.errors import InputError, MotiformError, closest, know_class, stated_types, type_words

__all__ = ["open_doors"]

_FOREIGN = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
_SHAPES = (
    "broadcast", "core dimension", "reshape", "axis remapping", "No matching definition", "are not aligned",
    "shape mismatch", "dimension", "out of bounds for axis", "too many indices", "to scalar variable",
    "unsized object", "0-d array", "array at index", "not enough values to unpack", "too many values to unpack",
    "must be square", "setting an array element", "length-1 arrays", "same shape", "for @:", "zero-size array",
    "subscripts", "too deep for", "inhomogeneous", "cannot unpack non-iterable", "boolean index did not match",
)  # fmt: skip
"""Words of NumPy and Numba on shapes."""
_SPECIAL = ("__init__", "__call__", "__getitem__", "__add__", "__or__", "__matmul__", "__contains__")
_HOMES = ("motiform", "numpy", "scipy", "numba")
_PLAIN = (float, int)
_INDICES = ("valid indices", "used as indices", "scalar index", "indices must be integers")
_CONVERTED = ("could not convert string to", "float() argument must be", "int() argument must be", "invalid literal")
_NO_NUMBERS, _FEW = (str, bytes, dict, NoneType, list, tuple), 20
_OPTIONS = ("missing", "unexpected keyword argument")
_ENDS = 1e-100, 1e100  # beyond them a square or a cube is no longer a float


def open_doors(package: dict[str, Any]) -> None:
    """Give every public function and class of a package its door; called at the end of ``__init__.py``.

    Modules of the package that call one another import from where a function is defined, and pass no door.
    """
    for name in package["__all__"]:
        what = package.get(name)
        if isinstance(what, FunctionType) and what.__module__.startswith("motiform.") and not hasattr(what, "_door"):
            door = _door(what, name)
            door.__module__, door.__qualname__ = package["__name__"], name  # where pickle finds it
            package[name] = door
        elif isinstance(what, ModuleType) and not hasattr(what, "__path__") and hasattr(what, "__all__"):
            open_doors(vars(what))  # a module that is public as a whole
        elif isinstance(what, type) and not issubclass(what, BaseException):
            _open_class(what)


def _open_class(kind: type) -> None:
    """Give the public methods of a class, also those that it inherits within motiform, and its making their doors."""
    for owner in kind.__mro__:
        own = vars(owner)
        if not owner.__module__.startswith("motiform.") or own.get("_is_protocol", False):
            continue
        know_class(owner)
        for name, member in list(own.items()):
            if (name.startswith("_") and name not in _SPECIAL) or name in own.get("__dataclass_fields__", ()):
                continue
            if isinstance(member, cached_property) and not hasattr(member.func, "_door"):
                member.func = _door(member.func, f"{owner.__name__}.{name}")
            elif isinstance(member, property) and member.fget is not None and not hasattr(member.fget, "_door"):
                door = _door(member.fget, f"{owner.__name__}.{name}")
                setattr(owner, name, property(door, member.fset, member.fdel, member.__doc__))
            bound = isinstance(member, classmethod | staticmethod)
            function = member.__func__ if bound else member
            if isinstance(function, FunctionType) and not hasattr(function, "_door"):
                if name == "__init__":
                    door = _making_door(function, owner)
                else:
                    door = _door(function, f"{owner.__name__}.{name}")
                setattr(owner, name, type(member)(door) if bound else door)


def _door(function: Callable[..., Any], name: str) -> Any:
    if function.__code__.co_flags & inspect.CO_GENERATOR:

        @wraps(function)
        def door(*args: Any, **kwargs: Any) -> Any:
            try:
                return (yield from function(*args, **kwargs))
            except _FOREIGN as error:
                raise _told(error, function, name, args, kwargs)  # noqa: B904, it has its cause

    else:

        @wraps(function)
        def door(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except _FOREIGN as error:
                raise _told(error, function, name, args, kwargs)  # noqa: B904

    door._door = True  # type: ignore[attr-defined]
    return door


def _making_door(function: Callable[..., None], owner: type) -> Any:
    """Return the door of the making of an object, whose fields, where it has any, are of their stated types then."""
    if not is_dataclass(owner):
        return _plain_making_door(function, owner)
    checked: list[tuple[str, Callable[[Any], bool], Any]] | None = None

    @wraps(function)
    def door(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal checked
        try:
            function(self, *args, **kwargs)
        except _FOREIGN as error:
            raise _told(error, function, owner.__name__, (self, *args), kwargs)  # noqa: B904
        if sys._getframe(1).f_globals.get("__name__", "").startswith("motiform."):
            return  # made in a run, of what has passed a door
        if checked is None:
            checked = _checked_fields(owner, function)
        for name, is_right, hint in checked:
            if not is_right(getattr(self, name)):
                raise _wrong_argument(name, getattr(self, name), _words_of(hint), f"{owner.__name__}()")

    door._door = True  # type: ignore[attr-defined]
    return door


def _plain_making_door(function: Callable[..., None], owner: type) -> Any:
    """Return the door of a class that keeps its arguments as it likes: those that are objects of ours are checked."""
    checked: dict[str, Callable[[Any], bool]] | None = None
    names: list[str] = []

    @wraps(function)
    def door(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal checked
        if checked is None:
            names.extend(list(inspect.signature(function).parameters)[1:])
            hints = {key: hint for key, hint in _hints(function).items() if _says_ours(hint)}
            checked = {key: test for key, hint in hints.items() if (test := _test_of(hint)) is not None}
        try:
            function(self, *args, **kwargs)
        except _FOREIGN as error:
            raise _told(error, function, owner.__name__, (self, *args), kwargs)  # noqa: B904
        for key, value in (*zip(names, args, strict=False), *kwargs.items()):
            if key in checked and not checked[key](value):
                raise _wrong_argument(key, value, _words_of(_hints(function)[key]), f"{owner.__name__}()")

    door._door = True  # type: ignore[attr-defined]
    return door


def _says_ours(hint: Any) -> bool:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return all(one is NoneType or str(getattr(one, "__module__", "")).startswith("motiform.") for one in parts)


def _checked_fields(owner: type, function: Callable[..., None]) -> list[tuple[str, Callable[[Any], bool], Any]]:
    """Return the fields that a making sets and whose types can be told at once, with what tells it."""
    hints, made = _hints(function), inspect.signature(function).parameters
    found = []
    for one in fields(owner):
        is_right = _test_of(hints.get(one.name, Any)) if one.name in made else None
        if is_right is not None:
            found.append((one.name, is_right, hints[one.name]))
    return found


def _test_of(hint: Any) -> Callable[[Any], bool] | None:
    """Return what tells, without a look at every number, whether a value is of a stated type; None: it may be any."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        tests = [_test_of(one) for one in inner]
        return None if None in tests else lambda value: any(test(value) for test in tests if test is not None)
    if hint is NoneType:
        return lambda value: value is None
    if origin is Callable or hint is Callable:
        return callable
    if _says_array(hint):
        return lambda value: hasattr(value, "dtype") and value.dtype.kind in "fiubc"
    if hint is float or hint is int:
        return lambda value: isinstance(value, _PLAIN) or hasattr(value, "dtype") or isinstance(value, Number)
    kind = origin or hint
    if kind is tuple or kind is list or kind is Sequence:
        return _items_test_of(inner)
    if not isinstance(kind, type) or kind in (object, bool):
        return None
    if getattr(kind, "_is_protocol", False):
        names = _protocol_names(kind)
        return lambda value: all(hasattr(value, name) for name in names)
    if kind in (set, frozenset):
        test = _items_test_of((*inner, Ellipsis))
        return lambda value: isinstance(value, kind) and (test is None or test(value))
    if kind is Mapping or kind is dict:
        each = _test_of(inner[1]) if len(inner) == 2 else None
        plain = (dict, kind)  # a dict is told faster than a mapping
        return lambda value: isinstance(value, plain) and (each is None or all(map(each, value.values())))
    if kind is str or kind.__module__.startswith("motiform."):
        return lambda value: isinstance(value, kind)
    return None


def _items_test_of(inner: Sequence[Any]) -> Callable[[Any], bool] | None:
    if not inner:
        return _has_items
    if len(inner) > 1 and inner[-1] is not Ellipsis:
        return lambda value: _has_items(value) and len(value) == len(inner)
    test = _test_of(inner[0])
    return _has_items if test is None else lambda value: _has_items(value) and all(test(one) for one in value)


def _has_items(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes) and getattr(value, "shape", None) != ()


@cache
def _protocol_names(kind: type) -> tuple[str, ...]:
    """Return the public names that an object of a protocol has."""
    own = [one for one in kind.__mro__ if vars(one).get("_is_protocol", False) and one.__module__ != "typing"]
    names = {name for one in own for name in (*vars(one), *vars(one).get("__annotations__", {}))}
    return tuple(sorted(name for name in names if not name.startswith("_")))


def _words_of(hint: Any) -> str:
    """Return the words for a stated type."""
    inner, origin = get_args(hint), get_origin(hint)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_words_of(one) for one in inner))
    if _says_array(hint):
        return "an array of numbers"
    kind = origin or hint
    if kind in (Any, object):
        return "anything"
    if kind in (tuple, list, Sequence, set, frozenset):
        same = len(inner) == 1 or (inner and inner[-1] is Ellipsis)
        return f"a sequence, each {_words_of(inner[0])}" if same else f"{len(inner)} values" if inner else "a sequence"
    if kind in (Mapping, dict):
        return f"a mapping, each {_words_of(inner[1])}" if len(inner) == 2 else "a mapping"
    if kind is Callable or getattr(kind, "_is_protocol", False):
        names = ", ".join(_protocol_names(kind)) if kind is not Callable else ""
        return f"an object with {names}" if names else "a function"
    return (type_words(_NOTHING, kind) if isinstance(kind, type) else None) or str(kind)


class _Nothing:
    """Of no stated type."""


_NOTHING = _Nothing()


def _wrong_argument(name: str, value: Any, words: str, where: str) -> InputError:
    got = value if isinstance(value, str | int | float | None) else repr(value)[:60]
    return InputError(f"{name!r} must be {words}", where=where, got=got)


def _told(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Exception:
    """Return the error to raise instead of one of Python: which argument is wrong, or the same where none is."""
    if isinstance(error, MotiformError):
        return error
    given = (name, args, kwargs)
    found = _misfit(function, *given) or _unfit_options(error, function, *given) or _lacks(error, function, *given)
    if found is None and _is_ours(error):
        found = _not_arrays(error, function, *given) or _unfit_shapes(error, *given) or _unfit_numbers(error, *given)
    if found is None:
        return error
    found.__cause__ = error
    return found


def _is_ours(error: Exception) -> bool:
    """Whether an exception comes from motiform or a library that it computes with, and not from a caller's function."""
    trace, home = error.__traceback__, ""
    while trace is not None:
        home, trace = str(trace.tb_frame.f_globals.get("__name__", "")), trace.tb_next
    return home.partition(".")[0] in _HOMES


def _misfit(function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the error that names the first argument that is not as stated; None where all are."""
    known = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
    where = f"{name}()"
    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError as error:
        unknown = next((key for key in kwargs if key not in known), None)
        if unknown is not None:
            remedy = closest(unknown, known)
            return InputError("unknown argument", where=where, got=unknown, allowed=", ".join(known), remedy=remedy)
        return InputError(f"the arguments do not fit: {error}", where=where, allowed=", ".join(known))
    hints = _hints(function)
    parameters = inspect.signature(function).parameters
    for key, value in bound.items():
        hint, default = hints.get(key, Any), parameters[key].default
        if (
            parameters[key].kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
            or value is default
        ):
            continue
        words = _wrong(value, hint)
        if words:
            return _wrong_argument(key, value, words, where)
    return None


def _lacks(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InputError | None:
    """Return the error of an argument without an attribute, a number or a key that is needed; None: of none.

    Keys are those of a mapping, or of a recording's manifest.
    """
    given = {key: one for key, one in inspect.signature(function).bind(*args, **kwargs).arguments.items()
             if key not in ("self", "cls")}  # fmt: skip
    for key, value in given.items():
        parts = [value, *value[:_FEW]] if isinstance(value, list | tuple) else [value]
        if isinstance(error, AttributeError) and error.name and any(error.obj is one for one in parts):
            return _wrong_argument(key, value, f"an object with {error.name!r}", f"{name}()")
        if _is_no_number(error) and any(isinstance(one, _NO_NUMBERS) or type(one) is object for one in parts):
            return _wrong_argument(key, value, "numbers", f"{name}()")
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
    """Return the error of a list or a number where only an array of NumPy can be computed with; None: of none."""
    if not isinstance(error, AttributeError | TypeError):
        return None
    hints = _hints(function)
    for key, value in inspect.signature(function).bind(*args, **kwargs).arguments.items():
        parts = get_args(hints[key]) if get_origin(hints.get(key)) in (Union, UnionType) else (hints.get(key),)
        if isinstance(value, Number | list | tuple) and any(_is_ndarray(part) for part in parts):
            return _wrong_argument(key, value, "an array of NumPy", f"{name}()")
    return None


def _is_ndarray(hint: Any) -> bool:
    return getattr(get_origin(hint) or hint, "__name__", "") == "ndarray"


def _unfit_shapes(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> InputError | None:
    """Return the error that tells the shapes of arrays where NumPy or a kernel refused them; None: it was another."""
    if isinstance(error, TypeError | IndexError) and any(part in str(error) for part in _INDICES):
        return InputError("indices are whole numbers or slices", where=f"{name}()", got=repr(args[1:])[:80])
    if not isinstance(error, ValueError | TypeError | IndexError) or not any(part in str(error) for part in _SHAPES):
        return None
    if "inhomogeneous" in str(error):
        return InputError("rows of an array must have one length", where=f"{name}()", got=repr(args)[:80])
    import numpy as np

    shapes = [f"{key} {np.shape(one)}" for key, one in _named(args, kwargs).items() if _is_array(one)]
    if not shapes:
        return None
    return InputError("the shapes of the arrays do not fit", where=f"{name}()", got=", ".join(shapes))


def _named(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by their names or numbers, with the fields of an object whose method it is."""
    own: dict[str, Any] = {}
    if args and is_dataclass(args[0]):
        own = {f"self.{one.name}": getattr(args[0], one.name, None) for one in fields(args[0])}
    return {**own, **{f"argument {n + 1}": one for n, one in enumerate(args)}, **kwargs}


def _unfit_numbers(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> InputError | None:
    """Return the error of numbers with which something cannot be computed; None: it was another."""
    if not isinstance(error, ArithmeticError) and type(error).__name__ != "LinAlgError":
        return None
    values = _named(args, kwargs).items()
    numbers = ", ".join(f"{key} {repr(one)[:30]}" for key, one in values if isinstance(one, int | float))
    return InputError(f"it cannot be computed for these values: {error}", where=f"{name}()", got=numbers or "arrays")


def _unfit_options(
    error: Exception, function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InputError | None:
    """Return the error of options that are handed on to a function that lacks or does not know some; None: of none."""
    handed = any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
    if not handed or not isinstance(error, TypeError) or not any(part in str(error) for part in _OPTIONS):
        return None
    return InputError(f"the arguments do not fit: {error}", where=f"{name}()")


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return stated_types(inspect.unwrap(function))


def _wrong(value: object, hint: Any) -> str | None:
    """Return what is allowed where a value is not of a stated type."""
    if hint is Any or hint is object:
        return None
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _wrong_of_several(value, inner)
    if origin is Literal:
        return None if any(value is one or value == one for one in inner if type(value) is type(one)) else (
            " or ".join(map(repr, inner)))  # fmt: skip
    if origin is Callable or hint is Callable:
        return None if callable(value) else "a function"
    if _says_array(hint):
        return None if _is_array(value) else "an array of finite numbers"
    kind = origin or hint
    if not isinstance(kind, type):
        return None
    if getattr(kind, "_is_protocol", False):
        return None if all(hasattr(value, name) for name in _protocol_names(kind)) else _words_of(kind)
    if kind in (Sequence, list, tuple):
        return _wrong_items(value, inner)
    words = type_words(value, kind)
    if (
        words is None
        and kind is Iterable
        and (isinstance(value, list | tuple | str | bytes | dict) and inner != (str,))
    ):
        return _wrong_items(value, inner)
    return _wrong_number(value, kind) if words is None and kind in (int, float) else words


def _says_array(hint: Any) -> bool:
    text, origin = repr(hint), get_origin(hint)
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin.__name__ != "ndarray":
        return False  # a table or a sequence of arrays
    return "ndarray" in text or "_SupportsArray" in text or "_array_like" in text


def _wrong_of_several(value: object, kinds: Sequence[Any]) -> str | None:
    if any(_says_array(kind) for kind in kinds):  # ArrayLike, or one of several with it
        others = [kind for kind in kinds if not _says_array(kind) and not getattr(kind, "_is_protocol", False)]
        named = [kind for kind in others if kind not in (bool, int, float, complex, str, bytes)]
        fits = any(_wrong(value, kind) is None for kind in named) or (value is None and NoneType in kinds)
        return None if fits or _is_array(value) else "an array of finite numbers"
    found = [_wrong(value, kind) for kind in kinds]
    return None if None in found else " or ".join(dict.fromkeys(filter(None, found)))


def _wrong_number(value: Any, kind: type) -> str | None:
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
    if not _has_items(values) or not hasattr(values, "__getitem__") or isinstance(values, Mapping):
        return "a sequence"
    if not inner:
        return None
    same = len(inner) == 1 or inner[-1] is Ellipsis
    if not same and len(values) != len(inner):
        return f"{len(inner)} values"
    for value, hint in zip(values, [inner[0]] * len(values) if same else inner, strict=True):
        words = _wrong(value, hint)
        if words:
            return f"a sequence, each {words}"
    return None


def _is_array(value: object) -> bool:
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
