"""A digest that identifies a run: the same for the same model in another process."""

from dataclasses import fields, is_dataclass
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from motiform.base.digest import Digest
from motiform.record import Recording

__all__ = ["identify"]

_PLAIN = frozenset((np.ndarray, float, str, int, bool, type(None)))
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)
_read: WeakKeyDictionary[Any, tuple[str, list[str]]] = WeakKeyDictionary()
"""Digests of models that never change, and the functions in them: a figure takes as long as 200 of its steps."""


def identify(*parts: Any) -> tuple[str, list[str]]:
    """Return a digest of models, arguments and options, and the names of the functions among them.

    A function is known by its name alone, as is what an object of a class from outside the package does.
    """
    functions: list[str] = []
    content = _content(parts, functions)
    return Digest(content).text(24), list(dict.fromkeys(functions))


def _content(what: Any, functions: list[str]) -> Any:
    """Return what a value is made of, as numbers, text, arrays and lists of them; note the functions in it."""
    if type(what) in _PLAIN:
        return what
    if getattr(type(what), "unchanging", False):
        if what not in _read:
            inside: list[str] = []
            _read[what] = Digest(_parts(what, inside)).text(), inside
        functions += _read[what][1]
        return _read[what][0]
    return _parts(what, functions)


def _parts(what: Any, functions: list[str]) -> Any:
    if isinstance(what, Recording):  # by its samples: the same in memory and on disk
        return [part for name in what.names for part in (name, np.asarray(what[name]))]
    if isinstance(what, dict):  # its order counts: that of segments, say
        return [part for key, value in what.items() for part in (str(key), _content(value, functions))]
    if isinstance(what, list | tuple):
        return [_content(value, functions) for value in what]
    if isinstance(what, _FUNCTIONS):
        functions.append(what.__qualname__)
        return what.__qualname__  # its module has another name where it is run as a script
    if isinstance(what, type):
        return what.__qualname__
    own = type(what).__module__.partition(".")[0] == "motiform"
    if not own and (callable(what) or hasattr(what, "act")):  # a function, or an actuator of a user
        functions.append(type(what).__name__)
    if is_dataclass(what):
        inside = {f.name: getattr(what, f.name) for f in fields(what)}
        return [type(what).__name__, _content(inside, functions)]
    if own or hasattr(what, "__dict__"):
        return [type(what).__name__, _content(vars(what), functions)]
    return repr(what)
