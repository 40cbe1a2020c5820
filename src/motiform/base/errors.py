"""Errors that state location, value, what is allowed and the remedy."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import ParamSpec, TypeVar

__all__ = [
    "InputError",
    "MotiformError",
    "RecordingError",
    "RunError",
    "SceneError",
    "ShapeError",
    "check_keywords",
    "closest",
    "closest_file",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class MotiformError(Exception):
    """Base of every error that motiform raises on purpose.

    The text reads ``where: problem (got …; allowed: …). Remedy.``
    """

    exit_code = 1

    def __init__(
        self,
        problem: str,
        *,
        where: str | None = None,
        got: object = None,
        allowed: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem, self.where, self.got, self.allowed, self.remedy = problem, where, got, allowed, remedy
        facts = [f"got {got!r}" if isinstance(got, str) else f"got {got}"] if got is not None else []
        facts += [f"allowed: {allowed}"] if allowed else []
        text = f"{where}: {problem}" if where else problem
        text += f" ({'; '.join(facts)})" if facts else ""
        super().__init__(_ended(f"{_ended(text + '.')} {remedy}") if remedy else _ended(text))


def _ended(text: str) -> str:
    """Return a text whose last sentence has one mark at its end: parts may come from elsewhere, with theirs."""
    while text.endswith(("..", "?.", "!.")):
        text = text[:-1]
    return text


class InputError(MotiformError):
    """What was given is wrong: a value, a file, a name. The command line ends with code 2."""

    exit_code = 2


class SceneError(InputError):
    """A scene file or a parameter of it is wrong."""


class ShapeError(InputError):
    """A shape, mesh or mass distribution is impossible."""


class RecordingError(InputError):
    """A recording or table cannot be read, or does not contain the requested data."""


class RunError(MotiformError):
    """The input was right but the work failed: a full disk, a run that diverged. The command line ends with code 1."""


def closest(name: str, names: Iterable[str], *, most: int = 1) -> str | None:
    """Return a remedy that offers the nearest of the known names, or None; with `most` above 1, several of them.

    >>> closest("knee", ["right_knee", "left_knee", "hip"], most=2)
    "Did you mean 'right_knee' or 'left_knee'?"
    """
    known = list(names)
    near = get_close_matches(name, known, n=most, cutoff=0.6)
    if most > 1:
        near = list(dict.fromkeys([*(one for one in known if name.lower() in one.lower()), *near]))[:most]
    offered = [repr(one) for one in near]
    listed = " or ".join([", ".join(offered[:-1]), offered[-1]] if len(offered) > 1 else offered)
    return f"Did you mean {listed}?" if near else None


def closest_file(path: Path) -> str | None:
    """Return a remedy that offers the nearest name in the folder of a file that is not there, or None."""
    try:
        return closest(path.name, [entry.name for entry in path.parent.iterdir()])
    except (OSError, ValueError):  # what is no name has no folder
        return f"The folder {str(path.parent)!r} is not there either."


def check_keywords(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function that answers an unknown keyword with the nearest that it has.

    >>> @check_keywords
    ... def fall(height: float, *, drag: float = 0.0) -> None: ...
    >>> fall(1.0, darg=2.0)
    Traceback (most recent call last):
    motiform.base.errors.InputError: fall(): unknown argument (got 'darg'; allowed: height, drag). Did you mean 'drag'?
    """
    known = list(signature(function).parameters)

    @wraps(function)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        for name in kwargs:
            if name not in known:
                raise InputError(
                    "unknown argument", where=f"{function.__name__}()", got=name, allowed=", ".join(known),
                    remedy=closest(name, known),
                )  # fmt: skip
        return function(*args, **kwargs)

    return checked
