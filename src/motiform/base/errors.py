"""Errors that state location, value, what is allowed and the remedy."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, wraps
from inspect import signature
from numbers import Number
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = [
    "DefectError",
    "InputError",
    "MotiformError",
    "MotiformWarning",
    "RangeError",
    "RecordingError",
    "RunError",
    "SceneError",
    "ShapeError",
    "check_keywords",
    "closest",
    "closest_file",
    "know_class",
    "printable",
    "stated_types",
    "type_words",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")


class MotiformWarning(UserWarning):
    """Base of every warning that motiform gives: a result that is doubtful, or that differs from what was asked for."""


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
        super().__init__(printable(_ended(f"{_ended(text + '.')} {remedy}") if remedy else _ended(text)))

    recording: Any = None
    """Of a run that failed: the recording of the samples before the error, incomplete; None: there was none."""

    def __reduce__(self) -> tuple[Any, ...]:
        own = {key: value for key, value in self.__dict__.items() if key != "recording"}  # it stays in its process
        return type(self), self.args, own


def printable(text: str) -> str:
    """Return text whose control characters are written out: names of files and markers command no terminal."""
    plain = text.isprintable()
    return text if plain else "".join(c if _harmless(c) else c.encode("unicode_escape").decode() for c in text)


def _harmless(character: str) -> bool:
    """Whether a terminal shows a character and does nothing else, or it is a line end, a tab or a kind of space."""
    return character.isprintable() or character in "\n\t" or (character.isspace() and character > "\x9f")


def _ended(text: str) -> str:
    """Return a text whose last sentence has one mark at its end: parts may come from elsewhere, with theirs."""
    while text.endswith(("..", "?.", "!.")):
        text = text[:-1]
    return text


class InputError(MotiformError):
    """What was given is wrong: a value, a file, a name. The command line ends with code 2."""

    exit_code = 2


class RangeError(InputError, IndexError):
    """An index is beyond what is there. It is an IndexError, too: that ends iterations of Python."""


class SceneError(InputError):
    """A scene file or a parameter of it is wrong."""


class ShapeError(InputError):
    """A shape, mesh or mass distribution is impossible."""


class RecordingError(InputError):
    """A recording or table cannot be read, or does not contain the requested data."""


class RunError(MotiformError):
    """The input was right but the work failed: a full disk, a run that diverged. The command line ends with code 1."""


class DefectError(MotiformError):
    """A defect of motiform: neither what was given nor the machine is known to be wrong. Its cause is the exception."""

    @classmethod
    def of(cls, error: Exception, where: str | None = None) -> "DefectError":
        """Return the error that tells an exception of Python, and where in motiform it came from."""
        trace, at = error.__traceback__, ""
        while trace is not None:
            parts = Path(trace.tb_frame.f_code.co_filename).parts
            if "motiform" in parts:
                own = parts[len(parts) - parts[::-1].index("motiform") :]
                at = f" at {'/'.join(own)}:{trace.tb_lineno}"
            trace = trace.tb_next
        told = cls(
            "motiform has a defect here, or does not say what is wrong with what it was given",
            where=where,
            got=printable(f"{type(error).__name__}{at}: {str(error)[:200]}"),
            remedy="Please report it with its traceback (MOTIFORM_TRACEBACK=1 shows it on the command line).",
        )  # fmt: skip
        told.__cause__ = error
        return told


def closest(name: object, names: Iterable[str], *, most: int = 1) -> str | None:
    """Return a remedy that offers the nearest of the known names, or None; with `most` above 1, several of them.

    >>> closest("knee", ["right_knee", "left_knee", "hip"], most=2)
    "Did you mean 'right_knee' or 'left_knee'?"
    """
    known = [one for one in names if isinstance(one, str)]
    if not isinstance(name, str):
        return None  # what is no name is near to none
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
    """Return a function that answers an unknown keyword with the nearest that it has, and refuses other types.

    Types are checked where a parameter is stated to be text, a number, a path, a table or an object of a class.

    >>> @check_keywords
    ... def fall(height: float, *, drag: float = 0.0) -> None: ...
    >>> fall(1.0, darg=2.0)
    Traceback (most recent call last):
    motiform.base.errors.InputError: fall(): unknown argument (got 'darg'; allowed: height, drag). Did you mean 'drag'?
    >>> fall("high")
    Traceback (most recent call last):
    motiform.base.errors.InputError: fall(): 'height' must be a number (got 'high')
    """
    known, kinds = list(signature(function).parameters), cache(lambda: _kinds(function))

    @wraps(function)
    def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        for name in kwargs:
            if name not in known:
                raise InputError(
                    "unknown argument", where=f"{function.__name__}()", got=name, allowed=", ".join(known),
                    remedy=closest(name, known),
                )  # fmt: skip
        for name, value in (*zip(known, args, strict=False), *kwargs.items()):
            words = _wrong(value, kinds().get(name, ()))
            if words:
                got = value if isinstance(value, str | int | float | None) else repr(value)[:60]
                raise InputError(f"{name!r} must be {words}", where=f"{function.__name__}()", got=got)
        return function(*args, **kwargs)

    return checked


_NUMBER, _OPEN, _MANY = "a number", (Any, object), 5
_WORDS = {
    str: "text", bool: "True or False", int: "a whole number", float: _NUMBER, NoneType: "None", Path: "a path",
    PathLike: "a path", Mapping: "a mapping", Iterable: "a sequence", Callable: "a function",
}  # fmt: skip


class _Stated:
    """What `get_type_hints` takes: something with annotations."""

    def __init__(self, annotations: dict[str, Any]) -> None:
        self.__annotations__ = annotations


_known: dict[str, type | None] = {}


def know_class(kind: type) -> None:
    """Keep a public class for annotations that only type checkers import; one of two with the same name is none."""
    _known[kind.__name__] = kind if _known.get(kind.__name__, kind) is kind else None


class _Public(dict[str, object]):
    """The public classes by name, for annotations that only type checkers import; what a module has goes before."""

    def __init__(self, own: Mapping[str, object]) -> None:
        super().__init__()
        self._own = own

    def __missing__(self, name: str) -> object:
        import motiform

        if name in self._own:
            return self._own[name]
        if name in dir(motiform):
            return getattr(motiform, name)
        found = _known.get(name)
        if found is None:
            raise KeyError(name)
        return found


def _kinds(function: Callable[..., object]) -> dict[str, tuple[type, ...]]:
    """Return the classes that each parameter may be of; without those that could be anything.

    What may be of many classes is left to the function, which has better words for them all.
    """
    found = {}
    for name, hint in stated_types(function).items():
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        parts = tuple(get_origin(part) or part for part in parts)
        # ArrayLike is a union of protocols: what it takes is known to NumPy alone.
        plain = all(isinstance(p, type) and p not in _OPEN and not getattr(p, "_is_protocol", False) for p in parts)
        if plain and len(parts) <= _MANY:
            found[name] = tuple(Iterable if part in (Sequence, list, tuple) else part for part in parts)
    return found


def stated_types(function: Callable[..., object]) -> dict[str, Any]:
    """Return the types that are stated for arguments, or fields, without those that only type checkers know."""
    hints: dict[str, Any] = {}
    own = vars(sys.modules[function.__module__]) if isinstance(function, type) else getattr(function, "__globals__", {})
    for name, stated in function.__annotations__.items():
        try:
            hints.update(get_type_hints(_Stated({name: stated}), own, _Public(own)))
        except NameError:  # a class that only type checkers see
            continue
    return hints


def type_words(value: object, kind: type) -> str | None:
    """Return what is allowed where a value is not of a class."""
    return _wrong(value, (kind,))


def _wrong(value: object, kinds: tuple[type, ...]) -> str | None:
    """Return what is allowed where a value is of none of these classes."""
    if any(_is(value, kind) for kind in kinds):
        return None
    return " or ".join(_WORDS.get(kind) or _with_article(kind.__name__) for kind in kinds) or None


def _is(value: object, kind: type) -> bool:
    """Return whether a value is of a class; scalars of NumPy are numbers and truth values, too."""
    of_numpy = getattr(getattr(value, "dtype", None), "kind", "") if getattr(value, "shape", None) == () else None
    scalar = of_numpy or ""
    if kind is float or kind is int:  # to Python, times and complex numbers of NumPy are numbers, too
        plain = isinstance(value, Number) and not isinstance(value, bool | complex)
        return plain if of_numpy is None else scalar in ("i", "u", "f", "b")
    if kind is bool:
        return isinstance(value, bool) or scalar == "b"
    return isinstance(value, str | PathLike if kind is Path or kind is PathLike else kind)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
