"""Kinds of models: the arguments and integrators that each takes."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from motiform.base.errors import InputError, MotiformWarning, closest
from motiform.motion.run.guards import Guard
from motiform.motion.run.integrators import get_method, integrators_of
from motiform.motion.run.options import RunArguments, RunOptions
from motiform.motion.run.system import System

__all__ = [
    "ModelKind",
    "StepWarning",
    "check_integrator",
    "find_kind",
    "one_or_several",
    "several_guards",
    "split_arguments",
]


def _nothing(model: Any) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class ModelKind:
    """A kind of model that `simulate` takes."""

    name: str
    """The name that integrators give in `Method.models`."""
    noun: str
    """As errors name it."""
    model: type
    system: Callable[..., System]
    """system(model, options, …), with the arguments by name."""
    arguments: type
    """What `simulate` takes for this kind beside `RunArguments`: a TypedDict with each argument's type and meaning."""
    integrator: str
    """Taken where none is given."""
    needs: tuple[str, ...] = ()
    """Arguments that make a model of this kind."""
    only: Callable[[Any], bool] | None = None
    """Whether a model is of this kind; None: all of its type are."""
    defaults: Callable[[Any], dict[str, Any]] = _nothing
    """Gives options that depend on the model."""
    anytime: bool = False
    """Whether a run may begin at another instant than 0 s."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Arguments that it does not take, and what to do instead."""
    forms: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Arguments that are checked, or brought into one form, before the run: one guard or several, say."""

    @property
    def takes(self) -> tuple[str, ...]:
        """Names of the arguments beside the options of a run."""
        return tuple(name for name in self.arguments.__annotations__ if name not in RunArguments.__annotations__)

    def checked(
        self, given: Mapping[str, Any], options: Mapping[str, Any] = {}, kinds: Iterable["ModelKind"] = ()
    ) -> dict[str, Any]:
        """Return arguments as the system takes them; refuse those, and options, that this kind does not take."""
        wrong = [n for n in given if n not in self.takes] + [n for n in options if n in self.hints]
        if wrong:
            name = wrong[0]
            owners = ", ".join(dict.fromkeys(kind.noun for kind in kinds if name in kind.takes))
            raise InputError(
                f"{self.noun} takes no {name!r}" + (f", which is for {owners}" if owners else ""),
                where="simulate()",
                allowed=", ".join((*self.takes, *(o for o in _OPTIONS if o not in self.hints))),
                remedy=self.hints.get(name) or closest(name, self.takes),
            )
        return {name: self.forms[name](one) if name in self.forms else one for name, one in given.items()}

    def options(self, model: Any, given: Mapping[str, Any]) -> RunOptions:
        """Return how a model is run."""
        if "t1" not in given:
            raise InputError("the end of the run must be given", remedy="Give t1, in seconds, such as t1=2.0.")
        made = RunOptions(**{"integrator": self.integrator, **self.defaults(model), **given})
        if made.t0 != 0.0 and not self.anytime:
            raise InputError(f"runs of {self.noun} must begin at 0 s", where="simulate()", got=f"t0 = {made.t0:g} s")
        if "step" in given and made.step * made.rate > 1 + 1e-9 and not get_method(made.integrator).adaptive:
            problem = (
                f"step {made.step:g} s is longer than from sample to sample, {1 / made.rate:g} s at {made.rate:g} Hz"
            )
            warnings.warn(f"{problem}: steps of {1 / made.rate:g} s are taken.", StepWarning, stacklevel=4)
        return made


class StepWarning(MotiformWarning):
    """Steps are shorter than was asked for: a sample is kept after each."""


_OPTIONS = tuple(one for one in RunArguments.__annotations__ if one in RunOptions.__dataclass_fields__)


def split_arguments(
    kinds: Iterable[ModelKind], given: Mapping[str, Any], only: Iterable[str] | None = None, function: str = "simulate"
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of models and the options of a run, without those that are None.

    A name that no kind knows, or that is not of `only`, is a TypeError, as of any function.
    """
    known = list(only or (*_OPTIONS, *dict.fromkeys(name for kind in kinds for name in kind.takes)))
    for name in given:
        if name not in known:
            hint = closest(name, known)
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}" + (f". {hint}" if hint else ""))
    found = {name: one for name, one in given.items() if one is not None}
    options = {name: found.pop(name) for name in _OPTIONS if name in found}
    return found, options


def one_or_several(fits: Callable[[Any], bool], allowed: str) -> Callable[[Any], list[Any]]:
    """Return the form of an argument that is one function, guard or motion, or several: a list."""

    def listed(given: Any) -> list[Any]:
        found = [given] if fits(given) else list(given) if isinstance(given, Iterable) else [given]
        for one in found:
            if not fits(one):
                raise InputError("not a function of the run", got=one, allowed=f"{allowed}, one or several")
        return found

    return listed


def several_guards(given: Any) -> list[Guard]:
    """Return guards, one or several, as a list."""
    return one_or_several(lambda one: isinstance(one, Guard), "Guard")(given)


def check_integrator(options: RunOptions, kind: str, noun: str) -> None:
    """Refuse an integrator that does not take this kind of model."""
    allowed = integrators_of(kind)
    if options.integrator not in allowed:
        takes = ", ".join(get_method(options.integrator).models)
        raise InputError(
            f"the integrator must be one for {noun}",
            got=f"{options.integrator}, for {takes}",
            allowed=", ".join(allowed),
        )


def find_kind(kinds: Iterable[ModelKind], model: Any, given: Iterable[str]) -> ModelKind:
    """Return the kind of a model; what only one kind takes, and then needs as an argument, decides between several."""
    fitting = [kind for kind in kinds if isinstance(model, kind.model) and all(name in given for name in kind.needs)]
    fitting = [kind for kind in fitting if kind.only is None or kind.only(model)]
    return max(fitting, key=lambda kind: (kind.only is not None, len(kind.needs)))
