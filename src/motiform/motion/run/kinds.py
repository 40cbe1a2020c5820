"""Kinds of models: which arguments and integrators each takes."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from motiform.base.errors import InputError, MotiformWarning, closest
from motiform.motion.run.integrators import get_method, integrators_of
from motiform.motion.run.options import RunOptions
from motiform.motion.run.system import System

__all__ = ["ModelKind", "StepWarning", "check_integrator", "find_kind"]


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
    """system(model, options, …): its arguments after the options are those that `simulate` takes for this kind."""
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

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arguments beside the options of a run."""
        return tuple(signature(self.system).parameters)[2:]

    def check(self, given: Mapping[str, Any], options: Mapping[str, Any] = {}) -> None:
        """Refuse arguments and options that this kind does not take."""
        wrong = [name for name in given if name not in self.arguments] + [
            name for name in options if name in self.hints
        ]
        if wrong:
            name = wrong[0]
            remedy = self.hints.get(name) or closest(name, self.arguments)
            allowed = ", ".join((*self.arguments, *(o for o in _OPTIONS if o not in self.hints)))
            raise InputError(f"{self.noun} takes no {name!r}", where="simulate()", allowed=allowed, remedy=remedy)

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


_OPTIONS = ("t0", "t1", "rate", "integrator", "step", "rtol", "atol", "device")


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
