"""Keyword arguments that a function does not take, answered with the nearest that it takes."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from motiform.base.errors import InputError, closest

__all__ = ["checks_keywords"]

P = ParamSpec("P")
R = TypeVar("R")


def checks_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Make unknown keyword arguments raise an InputError that names the nearest known one."""
    parameters = signature(function).parameters
    known = [name for name, one in parameters.items() if one.kind is Parameter.KEYWORD_ONLY]

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in parameters:
                raise InputError(
                    "unknown argument",
                    where=f"{function.__name__}()",
                    got=name,
                    allowed=", ".join(known),
                    remedy=closest(name, known),
                )
        return function(*args, **kwargs)

    return checked
