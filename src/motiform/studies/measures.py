"""Measures: one number of a recording, by reducing a channel, counting events, or a function of the user."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError, closest
from motiform.record import Recording
from motiform.studies.functions import function_key, is_function_name, load_function

__all__ = ["REDUCTIONS", "CaseMeasure", "parse_measure", "parse_measures"]


def _mean(x: np.ndarray, t: np.ndarray, even: bool) -> float:
    """Return the mean over samples at a rate; by the trapezoidal rule over time where samples have their own times."""
    if even or len(x) < 2 or t[-1] == t[0]:
        return float(np.mean(x))
    return float(np.trapezoid(x, t) / (t[-1] - t[0]))


def _percentile(x: np.ndarray, part: str) -> float:
    return float(np.percentile(x, float(part)))


def _crossing(x: np.ndarray, t: np.ndarray, value: float) -> float:
    """Return the first time at which a channel reaches a value, between samples by a line; nan where it never does."""
    above = x - value
    if above[0] == 0.0:
        return float(t[0])
    after = np.flatnonzero(np.sign(above[1:]) != np.sign(above[0]))
    if not len(after):
        return math.nan
    k = int(after[0])
    return float(t[k] + (t[k + 1] - t[k]) * above[k] / (above[k] - above[k + 1]))


#: Ways to make one number of a channel: (samples, times, whether these are even, argument) -> number.
REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray, bool, str], float]] = {
    "max": lambda x, t, even, _: float(np.max(x)),
    "min": lambda x, t, even, _: float(np.min(x)),
    "first": lambda x, t, even, _: float(x[0]),
    "final": lambda x, t, even, _: float(x[-1]),
    "mean": lambda x, t, even, _: _mean(x, t, even),
    "rms": lambda x, t, even, _: math.sqrt(_mean(np.square(x), t, even)),
    "range": lambda x, t, even, _: float(np.max(x) - np.min(x)),
    "percentile": lambda x, t, even, part: _percentile(x, part),
    "crosses": lambda x, t, even, value: _crossing(x, t, float(value)),
}
_NUMBERED = ("percentile", "crosses")
_NAMED = (*REDUCTIONS, "at", "count")
_ALLOWED = "max, min, first, final, mean, rms, range, percentile 95, crosses 0.5, at EVENT, count"


@dataclass(frozen=True)
class CaseMeasure:
    """A column of the table: what is taken of the recording of a case."""

    name: str
    channel: str = ""
    """A channel or one number of it; the name of events, where they are counted, with * for any letters."""
    how: str = ""
    argument: str = ""
    """The part of a percentile, the value that is crossed, or the name of the event at which the channel is taken."""
    function: Callable[[Any], Any] | str | None = None
    """Takes the recording instead."""
    folder: Path | None = None
    """Where the module of a named function is looked for."""

    @property
    def key(self) -> str:
        """What it is, apart from its name: numbers of equal keys are equal."""
        if self.function is None:
            return f"{self.channel}|{self.how}|{self.argument}"
        return f"function|{function_key(self._called())}"

    @property
    def needs(self) -> str | None:
        """The channel that it takes, if it takes one."""
        return self.channel if self.function is None and self.how != "count" else None

    def value(self, rec: Any) -> float:
        """Return the number."""
        if self.function is not None:
            found = self._called()(rec)
            if isinstance(found, bool | int | float | np.number | np.bool_):
                return float(found)
            raise RunError("a measure must be a number", where=f"measure {self.name!r}", got=repr(found)[:60])
        if isinstance(rec, Mapping):
            return self._of_numbers(rec)
        if self.how == "count":
            return float(sum(fnmatchcase(event.name, self.channel) for event in rec.events))
        x, t = np.asarray(rec[self.channel], float), rec.time(self.channel)
        if x.ndim != 1 or not len(x):
            got = "no sample" if not len(x) else f"{x[0].size} numbers a sample"
            raise RunError("a measure needs samples of one number", where=f"measure {self.name!r}", got=got)
        if self.how == "at":
            when = next((event.time for event in rec.events if fnmatchcase(event.name, self.argument)), math.nan)
            return float(np.interp(when, t, x)) if math.isfinite(when) else math.nan
        return REDUCTIONS[self.how](x, t, rec.channel(self.channel).rate is not None, self.argument)

    def _of_numbers(self, found: Mapping[str, Any]) -> float:
        """Return the number of what a model gives as a table of numbers or arrays."""
        if self.channel not in found:
            raise RunError("the model must give what is measured", where=f"measure {self.name!r}", got=self.channel,
                           allowed=", ".join(map(str, found)), remedy=closest(self.channel, found))  # fmt: skip
        x = np.atleast_1d(np.asarray(found[self.channel], float))
        if self.how not in REDUCTIONS:
            raise RunError("events are those of a recording", where=f"measure {self.name!r}", got=self.how)
        return REDUCTIONS[self.how](x, np.arange(len(x), dtype=float), True, self.argument)

    def _called(self) -> Callable[[Any], Any]:
        return load_function(self.function, self.folder) if isinstance(self.function, str) else self.function  # type: ignore[return-value]


def parse_measures(given: Mapping[str, Any] | None, folder: Path | None = None) -> tuple[CaseMeasure, ...]:
    """Return the measures that a study asks for, by the names of their columns."""
    if not isinstance(given or {}, Mapping):
        raise InputError("measures must be a mapping", got=repr(given)[:60], allowed="{name: (channel, reduction)}")
    return tuple(parse_measure(str(name), one, folder) for name, one in (given or {}).items())


def parse_measure(name: str, given: Any, folder: Path | None = None) -> CaseMeasure:
    """Return a measure: ``("energy", "max")``, ``("q.knee", "percentile", 95)``, "module:function", or a function."""
    where = f"measure {name!r}"
    if callable(given):
        return CaseMeasure(name, function=given, folder=folder)
    if isinstance(given, str):
        if not is_function_name(given):
            raise InputError("a measure must be a channel with a reduction, or a function", where=where, got=given,
                             allowed='["energy", "max"] or "module:function"')  # fmt: skip
        load_function(given, folder)
        return CaseMeasure(name, function=given, folder=folder)
    parts = list(given) if isinstance(given, Sequence) else []
    if not 2 <= len(parts) <= 3 or not all(isinstance(part, str) for part in parts[:2]):
        raise InputError("a measure must be a channel with a reduction, or a function", where=where,
                         got=repr(given)[:60], allowed='["energy", "max"] or "module:function"')  # fmt: skip
    channel, words, *rest = parts
    how, _, inside = words.strip().partition(" ")
    argument = str(rest[0] if rest else inside).strip()
    if how not in _NAMED:
        raise InputError("no such reduction of a channel", where=where, got=how, allowed=_ALLOWED,
                         remedy=closest(how, _NAMED))  # fmt: skip
    if (how in (*_NUMBERED, "at")) != bool(argument) or (how in _NUMBERED and not _fits(how, argument)):
        raise InputError("a reduction must have what it needs, and nothing more", where=where,
                         got=f"{how} {argument}".strip(), allowed=_ALLOWED)  # fmt: skip
    return CaseMeasure(name, channel, how, argument)


def _fits(how: str, argument: str) -> bool:
    try:
        number = float(argument)
    except ValueError:
        return False
    return math.isfinite(number) and (how != "percentile" or 0.0 <= number <= 100.0)


def check_channels(measures: Sequence[CaseMeasure], known: Recording) -> dict[str, str]:
    """Return the units of measures; refuse channels that a recording would not have, or of several numbers a sample."""
    units = {}
    for measure in measures:
        if measure.needs is None:
            continue
        where = f"measure {measure.name!r}"
        try:
            chosen = known.channel(measure.needs)
        except InputError as error:
            raise InputError(error.problem, where=where, got=measure.needs, allowed=error.allowed,
                             remedy=error.remedy) from error  # fmt: skip
        if chosen.shape:
            parts = [f"{measure.needs}.{label}" for label in known.labels(measure.needs)[0]][:4]
            raise InputError("a measure needs one number of a channel", where=where, got=measure.needs,
                             remedy=f"Choose one, such as {' or '.join(parts)}.")  # fmt: skip
        units[measure.name] = "s" if measure.how == "crosses" else chosen.unit
    return units
