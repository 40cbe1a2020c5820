"""Functions of a user that a study names: "module:function", from a file beside it or an installed module."""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from motiform.base.digest import Digest
from motiform.base.errors import InputError, closest

__all__ = ["function_key", "is_function_name", "load_function"]


def is_function_name(text: Any) -> bool:
    """Tell whether a text names a function of a module."""
    module, sign, name = text.partition(":") if isinstance(text, str) else ("", "", "")
    return bool(sign) and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def load_function(name: str, folder: Path | None) -> Callable[..., Any]:
    """Return the function that "module:function" names; a file of that name in the folder comes first.

    The module is executed: a study that names functions is a program.
    """
    module_name, _, own = name.partition(":")
    file = None if folder is None else folder.joinpath(*module_name.split(".")).with_suffix(".py")
    try:
        module = _from_file(file) if file is not None and file.is_file() else importlib.import_module(module_name)
    except Exception as error:  # whatever the module does wrong is the module's
        raise InputError(f"the module failed: {type(error).__name__}: {error}", where=name) from error
    found = getattr(module, own, None)
    if not callable(found):
        remedy = closest(own, [one for one in vars(module) if not one.startswith("_")])
        raise InputError("no such function in the module", where=module_name, got=own, remedy=remedy)
    return found


def _from_file(file: Path) -> Any:
    """Return the module of a file, executed once in a process."""
    name = f"motiform_study_{Digest(str(file.resolve())).text(12)}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@cache
def function_key(function: Callable[..., Any]) -> str:
    """Return what a function is known by: its name and the source of its module, where that can be read."""
    function = inspect.unwrap(function)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    try:
        source = inspect.getsourcefile(function)
        text = Path(source).read_bytes() if source else b""
    except (TypeError, OSError):  # built in, or typed into a prompt
        text = getattr(getattr(function, "__code__", None), "co_code", b"")
    return Digest(name, text).text(24)
