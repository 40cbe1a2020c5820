"""Errors that state location, value, what is allowed and the remedy."""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

__all__ = [
    "InputError", "MotiformError", "MotiformWarning", "RecordingError", "RunError", "SceneError", "ShapeError",
    "closest", "closest_file", "outside_data", "printable",
]  # fmt: skip


class MotiformWarning(UserWarning):
    """Base of every warning that motiform gives: a result that is doubtful, or that differs from what was asked for."""


class MotiformError(Exception):
    """Base of every error that motiform raises on purpose.

    The text reads ``where: problem (got …; allowed: …). Remedy.``
    """

    exit_code = 1

    def __init__(
        self, problem: str, *, where: str | None = None, got: object = None, allowed: str | None = None,
        remedy: str | None = None,
    ) -> None:  # fmt: skip
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


class InputError(MotiformError, ValueError):
    """What was given is wrong: a value, a file, a name. It is a ValueError, too. The command line ends with code 2."""

    exit_code = 2


class SceneError(InputError):
    """A scene file or a parameter of it is wrong."""


class ShapeError(InputError):
    """A shape, mesh or mass distribution is impossible."""


class RecordingError(InputError):
    """A recording or table cannot be read, or does not contain the requested data."""


class RunError(MotiformError):
    """The input was right but the work failed: a full disk, a run that diverged. The command line ends with code 1."""


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


_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE)


@contextmanager
def outside_data(where: str, problem: str, kind: type[MotiformError] = InputError) -> Iterator[None]:
    """Turn what outside data (a file, a scene, a recording) makes Python or a library raise into an error of motiform.

    It has the exception as its cause. Each kind of outside data has one place that does this, where it comes in; what
    a caller's own values or a defect of ours raise elsewhere stays as it is.

    >>> with outside_data("a.txt", "the file cannot be read as a number"):
    ...     float("x")
    Traceback (most recent call last):
    motiform.base.errors.InputError: a.txt: the file cannot be read as a number: ValueError: could not convert ...
    """
    try:
        yield
    except (MotiformError, Warning):
        raise
    except OSError as error:
        kind = RunError if error.errno in _FAILED else kind
        raise kind(f"{problem}: {error.strerror or error}", where=str(error.filename or where)[:300]) from error
    except Exception as error:  # a damaged file can make a library raise anything
        raise kind(f"{problem}: {type(error).__name__}: {str(error)[:200]}", where=where[:300]) from error
