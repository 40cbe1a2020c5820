"""A digest that identifies a run: the same for the same model in another process."""

import hashlib
from dataclasses import fields, is_dataclass
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from motiform.record import Recording

__all__ = ["identify"]

_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)


def identify(*parts: Any) -> tuple[str, list[str]]:
    """Return a digest of models, arguments and options, and the names of the functions among them.

    A function is known by its name alone, as is what an object of a class from outside the package does.
    """
    functions: list[str] = []
    text = _tell(parts, functions)
    return hashlib.sha256(text.encode()).hexdigest()[:24], list(dict.fromkeys(functions))


def _tell(what: Any, functions: list[str]) -> str:
    """Return all that a value is made of, as text; note the functions that are met."""
    if isinstance(what, np.ndarray):
        return f"{what.shape}{hashlib.sha256(np.ascontiguousarray(what).tobytes()).hexdigest()}"
    if isinstance(what, Recording):  # by its samples: the same in memory and on disk
        return _tell({name: np.asarray(what[name]) for name in what.names}, functions)
    if isinstance(what, dict):
        return "{" + ",".join(f"{key}:{_tell(value, functions)}" for key, value in what.items()) + "}"
    if isinstance(what, list | tuple):
        return "[" + ",".join(_tell(value, functions) for value in what) + "]"
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
        return f"{type(what).__name__}{_tell(inside, functions)}"
    if own or hasattr(what, "__dict__"):
        return f"{type(what).__name__}{_tell(vars(what), functions)}"
    return repr(what)
