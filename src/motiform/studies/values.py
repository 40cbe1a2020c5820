"""Values of a parameter: lists, ranges over numbers, and files of a folder."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest

__all__ = ["ParameterRange", "parameter_values"]

SCALES = ("linear", "log")
_KEYS = ("from", "to", "steps", "scale", "files")
MOST_VALUES = 1_000_000


@dataclass(frozen=True)
class ParameterRange:
    """Numbers from low to high, on a linear or a logarithmic scale."""

    low: float
    high: float
    scale: str = "linear"

    def at(self, part: Any) -> np.ndarray:
        """Return the numbers at parts of the range, 0 to 1."""
        u = np.asarray(part, float)
        if self.scale == "log":
            return np.asarray(self.low * (self.high / self.low) ** u)
        return np.asarray(self.low + (self.high - self.low) * u)

    def values(self, steps: int) -> list[Any]:
        """Return so many numbers, both ends among them; whole ones where all of them are."""
        found = [float(v) for v in self.at(np.linspace(0.0, 1.0, steps) if steps > 1 else np.zeros(1))]
        found[-1] = float(self.high) if steps > 1 else found[-1]  # not rounded
        whole = isinstance(self.low, int) and isinstance(self.high, int) and all(v.is_integer() for v in found)
        return [int(v) for v in found] if whole else found


def parameter_values(path: str, given: Any, folder: Path | None) -> list[Any] | ParameterRange:
    """Return the values of a parameter, or the range that samples are taken from, where `steps` are not given.

    Parameters
    ----------
    given : a list, ``{"from": 0.1, "to": 0.5, "steps": 5, "scale": "log"}``, or ``{"files": "trials/*.c3d"}``, a
        pattern or a folder.
    folder : where files are looked for, and what their names begin at.
    """
    where = f"parameter {path!r}"
    if isinstance(given, Mapping):
        unknown = [key for key in given if key not in _KEYS]
        if unknown:
            raise InputError("no such key of a parameter", where=where, got=str(unknown[0]), allowed=", ".join(_KEYS),
                             remedy=closest(unknown[0], _KEYS))  # fmt: skip
        return _files(str(given["files"]), folder, where) if "files" in given else _range(given, where)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError("a parameter must have a list of values, a range or files", where=where, got=repr(given)[:60],
                         allowed="[1, 2], { from = 1, to = 2, steps = 3 } or { files = 'folder/*.c3d' }",
                         remedy="A single value belongs to [set].")  # fmt: skip
    values = [plain(value) for value in given]
    if not values:
        raise InputError("a parameter must have a value", where=where, got="an empty list")
    for value in values:
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError("a value must be finite", where=where, got=value)
    twice = next((value for n, value in enumerate(values) if value in values[:n]), None) if len(values) < 2000 else None
    if twice is not None:
        raise InputError("values of a parameter must differ", where=where, got=f"{twice!r} twice")
    return values


def plain(value: Any) -> Any:
    """Return a value as TOML and JSON have it."""
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if value is None or not isinstance(value, bool | int | float | str):
        raise InputError("a value must be a number, text, a list or a table", got=repr(value)[:60])
    return value


def _range(given: Mapping[str, Any], where: str) -> list[Any] | ParameterRange:
    for key in ("from", "to"):
        value = given.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise InputError(f"a range must have a number as {key!r}", where=where, got=repr(value)[:60])
    low, high, scale = plain(given["from"]), plain(given["to"]), given.get("scale", "linear")
    if scale not in SCALES:
        raise InputError("no such scale of a range", where=where, got=str(scale), allowed=", ".join(SCALES),
                         remedy=closest(str(scale), SCALES))  # fmt: skip
    if low >= high:
        raise InputError("the range is empty: 'from' must be below 'to'", where=where, got=f"{low} to {high}")
    if scale == "log" and low <= 0:
        raise InputError("a range on a logarithmic scale must be above 0", where=where, got=low)
    span, steps = ParameterRange(low, high, scale), plain(given.get("steps", 0))
    if "steps" not in given:
        return span
    if isinstance(steps, bool) or not isinstance(steps, int) or not 2 <= steps <= MOST_VALUES:
        raise InputError("the range is empty: it must have 2 steps or more", where=where, got=repr(steps)[:60],
                         allowed=f"a whole number, 2 to {MOST_VALUES}")  # fmt: skip
    return span.values(steps)


def _files(pattern: str, folder: Path | None, where: str) -> list[Any]:
    """Return the files that a pattern or a folder holds, named from `folder`, in order of their names."""
    if folder is None:
        raise InputError("a scene from text cannot read files", where=where, got=pattern)
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        raise InputError("files must lie in the folder of the model", where=where, got=pattern)
    inside = f"{pattern}/*" if (folder / pattern).is_dir() else pattern
    try:
        found = sorted(path.relative_to(folder).as_posix() for path in folder.glob(inside) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        raise InputError(f"the pattern of files cannot be read: {error}", where=where, got=pattern) from error
    found = [name for name in found if not name.rpartition("/")[2].startswith(".")]
    if not found:
        raise InputError("no such files", where=where, got=pattern, allowed=f"files in {str(folder)!r}")
    return found
