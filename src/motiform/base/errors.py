"""Errors that say where, what was got, what is allowed and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["InputError", "MotiformError", "RecordingError", "RunError", "SceneError", "ShapeError", "closest"]


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
        super().__init__(f"{text}. {remedy}" if remedy else text)


class InputError(MotiformError):
    """What was given is wrong: a value, a file, a name. The command line ends with code 2."""

    exit_code = 2


class SceneError(InputError):
    """A scene file or a parameter of it is wrong."""


class ShapeError(InputError):
    """A shape, mesh or mass distribution is impossible."""


class RecordingError(InputError):
    """A recording or table cannot be read, or does not hold what was asked."""


class RunError(MotiformError):
    """The input was right but the work failed: a full disk, a run that diverged. The command line ends with code 1."""


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return a remedy that offers the nearest of the known names, or None."""
    near = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"Did you mean {near[0]!r}?" if near else None
