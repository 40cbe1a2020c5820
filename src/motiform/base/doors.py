"""Doors: what comes into a public function with arguments that are not as stated leaves with an error of motiform.

Functions check what they can say best. What they leave to Python and NumPy (a text where a number is meant, an unknown
argument, an array that is none) ends there in TypeError, ValueError and their like. The door of a public function looks
at the arguments only then, so that a right call costs nothing, and names the first that is not of its stated type.
Where all are, the exception goes on as it is: it is a defect of ours, or of a function that the caller gave.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from math import isfinite
from types import FunctionType, ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from motiform.base.errors import InputError, MotiformError, closest, stated_types, type_words

__all__ = ["open_doors"]

_FOREIGN = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
_SHAPES = ("broadcast", "core dimension", "reshape", "axis remapping", "No matching definition", "are not aligned",
           "shape mismatch", "dimensions", "out of bounds for axis", "too many indices")  # fmt: skip
"""Words of NumPy and Numba on shapes."""
_OPTIONS = ("missing", "unexpected keyword argument")
_ENDS = 1e-100, 1e100  # beyond them a square or a cube is no longer a float


def open_doors(package: dict[str, Any]) -> None:
    """Give every public function and class of a package its door; called at the end of ``__init__.py``.

    Modules of the package that call one another import from where a function is defined, and pass no door.
    """
    for name in package["__all__"]:
        what = package.get(name)
        if isinstance(what, FunctionType) and what.__module__.startswith("motiform.") and not hasattr(what, "_door"):
            door = _door(what, what)
            door.__module__, door.__qualname__ = package["__name__"], name  # where pickle finds it
            package[name] = door
        elif isinstance(what, ModuleType) and not hasattr(what, "__path__") and hasattr(what, "__all__"):
            open_doors(vars(what))  # a module that is public as a whole
        elif isinstance(what, type) and _has_own_init(what):
            what.__init__ = _door(what.__init__, what)  # type: ignore[misc]


def _has_own_init(kind: type) -> bool:
    """Whether a class of motiform makes its objects by a function of its own that has no door yet."""
    made = vars(kind).get("__init__")
    plain = isinstance(made, FunctionType) and not hasattr(made, "_door") and kind.__module__.startswith("motiform.")
    return plain and not issubclass(kind, BaseException) and not getattr(kind, "_is_protocol", False)


def _door(function: Callable[..., Any], named: Callable[..., Any]) -> Any:
    @wraps(function)
    def door(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _FOREIGN as error:
            if isinstance(error, MotiformError):
                raise
            given = (named.__name__, args, kwargs)
            found = _misfit(function, *given) or _unfit_shapes(error, *given) or _unfit_options(error, function, *given)
            if found is None:
                raise
            raise found from error

    door._door = True  # type: ignore[attr-defined]
    return door


def _misfit(function: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the error that names the first argument that is not as stated; None where all are."""
    where, known = f"{name}()", [one for one in inspect.signature(function).parameters if one != "self"]
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
            got = value if isinstance(value, str | int | float | None) else repr(value)[:60]
            return InputError(f"{key!r} must be {words}", where=where, got=got)
    return None


def _unfit_shapes(error: Exception, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> InputError | None:
    """Return the error that tells the shapes of arrays where NumPy or a kernel refused them; None: it was another."""
    if not isinstance(error, ValueError | TypeError | IndexError) or not any(part in str(error) for part in _SHAPES):
        return None
    import numpy as np

    values = {**{f"argument {n + 1}": one for n, one in enumerate(args)}, **kwargs}
    shapes = [f"{key} {np.shape(one)}" for key, one in values.items() if _is_array(one)]
    if not shapes:
        return None
    return InputError("the shapes of the arrays do not fit", where=f"{name}()", got=", ".join(shapes))


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
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return None
    if kind in (Sequence, list, tuple):
        return _wrong_items(value, inner)
    words = type_words(value, kind)
    if words is None and kind is Iterable and isinstance(value, list | tuple):
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
    if not isfinite(value):
        return "a finite number"
    if kind is int and value != int(value):
        return "a whole number"
    if kind is float and value and not _ENDS[0] < abs(value) < _ENDS[1]:
        return f"a number between {_ENDS[0]:g} and {_ENDS[1]:g}"
    return f"a number below {_ENDS[1]:g}" if abs(value) > _ENDS[1] else None


def _wrong_items(values: Any, inner: Sequence[Any]) -> str | None:
    if (
        not hasattr(values, "__len__")
        or not hasattr(values, "__getitem__")
        or isinstance(values, Mapping | str | bytes)
    ):
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
    if raw.dtype.kind not in "fiub" or not np.isfinite(raw).all():
        return False
    large = np.abs(raw.astype(float))
    return not (large > _ENDS[1]).any() and not ((large < _ENDS[0]) & (large > 0)).any()
