"""Doors: what comes into a public function with arguments that are not as stated leaves with an error of motiform.

Functions check what they can say best. What they leave to Python and NumPy (a text where a number is meant, an unknown
argument, an array that is none) ends there in TypeError, ValueError and their like. The door of a public function, or
of a public method of a public class, looks at the arguments only then, so that a right call costs nothing, and names
the first that is not of its stated type, the shapes that do not fit, or the numbers that end beyond floats. Where all
are right, it is a defect of ours, and told so (`DefectError`); an exception of a function that the caller gave goes on
as it is. A public dataclass has fields of their stated types: what is wrong is not found later, elsewhere.
"""

import inspect
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cached_property, wraps
from types import FunctionType, ModuleType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from motiform.base.errors import InputError, know_class, stated_types
from motiform.base.misfits import FOREIGN, told, wrong_argument
from motiform.base.stated import checker_of, hints_of, words_of

__all__ = ["open_doors"]

_SPECIAL = ("__init__", "__call__", "__getitem__", "__add__", "__or__", "__matmul__", "__contains__")


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
        if not owner.__module__.startswith("motiform."):
            continue
        _open_new(owner)
        if own.get("_is_protocol", False):
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


def _open_new(owner: Any) -> None:
    """Give the making of a named tuple, and of what is abstract or takes nothing, its door."""
    if hasattr(owner, "_fields") and isinstance(vars(owner).get("__new__"), staticmethod):
        if not hasattr(owner.__new__, "_door"):
            owner.__new__ = staticmethod(_tuple_door(owner))
    elif owner.__new__ is object.__new__ and (
        inspect.isabstract(owner) or owner.__init__ is object.__init__ or vars(owner).get("_is_protocol", False)
    ):

        def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
            lacking = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
            if lacking or vars(cls).get("_is_protocol", False):
                got = f"no {lacking}" if lacking else "what others share"
                raise InputError("only its kinds can be made", where=f"{cls.__name__}()", got=got)
            if (args or kwargs) and cls.__init__ is object.__init__:
                raise InputError("it takes no arguments", where=f"{cls.__name__}()", got=f"{len(args) + len(kwargs)}")
            further = super(owner, cls).__new__
            return further(cls) if further is object.__new__ else further(cls, *args, **kwargs)

        owner.__new__ = staticmethod(new)


def _tuple_door(owner: Any) -> Any:
    """Return the door of the making of a named tuple, whose items are of their stated types then."""
    make, checked = owner.__new__, None

    @wraps(make)
    def door(cls: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal checked
        try:
            made = make(cls, *args, **kwargs)
        except FOREIGN as error:
            raise told(error, make, owner.__name__, (cls, *args), kwargs)  # noqa: B904
        if sys._getframe(1).f_globals.get("__name__", "").startswith(("motiform.", "numba.")):
            return made
        if checked is None:
            hints = stated_types(owner)
            tests = [(name, checker_of(hints.get(name, Any)), hints.get(name, Any)) for name in owner._fields]
            checked = [(name, test, hint) for name, test, hint in tests if test is not None]
        for name, is_right, hint in checked:
            if not is_right(getattr(made, name)):
                raise wrong_argument(name, getattr(made, name), words_of(hint), f"{owner.__name__}()")
        return made

    door._door = True  # type: ignore[attr-defined]
    return door


def _door(function: Callable[..., Any], name: str) -> Any:
    if function.__code__.co_flags & inspect.CO_GENERATOR:

        @wraps(function)
        def door(*args: Any, **kwargs: Any) -> Any:
            try:
                return (yield from function(*args, **kwargs))
            except FOREIGN as error:
                raise told(error, function, name, args, kwargs)  # noqa: B904, it has its cause

    else:

        @wraps(function)
        def door(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except FOREIGN as error:
                raise told(error, function, name, args, kwargs)  # noqa: B904

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
        except FOREIGN as error:
            raise told(error, function, owner.__name__, (self, *args), kwargs)  # noqa: B904
        if sys._getframe(1).f_globals.get("__name__", "").startswith("motiform."):
            return  # made of what has passed a door
        if checked is None:
            checked = _checked_fields(owner, function)
        for name, is_right, hint in checked:
            if not is_right(getattr(self, name)):
                raise wrong_argument(name, getattr(self, name), words_of(hint), f"{owner.__name__}()")

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
            hints = {key: hint for key, hint in hints_of(function).items() if _says_ours(hint)}
            checked = {key: test for key, hint in hints.items() if (test := checker_of(hint)) is not None}
        try:
            function(self, *args, **kwargs)
        except FOREIGN as error:
            raise told(error, function, owner.__name__, (self, *args), kwargs)  # noqa: B904
        for key, value in (*zip(names, args, strict=False), *kwargs.items()):
            if key in checked and not checked[key](value):
                raise wrong_argument(key, value, words_of(hints_of(function)[key]), f"{owner.__name__}()")

    door._door = True  # type: ignore[attr-defined]
    return door


def _says_ours(hint: Any) -> bool:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return all(one is NoneType or str(getattr(one, "__module__", "")).startswith("motiform.") for one in parts)


def _checked_fields(owner: type, function: Callable[..., None]) -> list[tuple[str, Callable[[Any], bool], Any]]:
    """Return the fields that a making sets and whose types can be told at once, with what tells it."""
    hints, made = hints_of(function), inspect.signature(function).parameters
    found = []
    for one in fields(owner):
        is_right = checker_of(hints.get(one.name, Any)) if one.name in made else None
        if is_right is not None:
            found.append((one.name, is_right, hints[one.name]))
    return found
