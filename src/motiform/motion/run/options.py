"""Options of a run: end time, sampling rate, integrator."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.run.integrators import get_method

__all__ = ["DIVERGED", "RunArguments", "RunOptions", "check_number"]

DIVERGED = "the run has diverged: its state is no longer finite"
LOST = 1e100  # [SI] numbers of a state from which a run is lost: squares of smaller ones, times masses, are floats

_MOST = 1e9  # samples of a run, and steps from one sample to the next


def check_number(
    value: float, what: str, where: str, *, least: float | None = None, above: float | None = None, most: float = np.inf
) -> float:
    """Return a finite number within its bounds."""
    try:
        value = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what} must be a number", where=where, got=value, allowed="a finite number") from error
    low = (least is not None and value < least) or (above is not None and value <= above)
    if not np.isfinite(value) or low or value > most:
        bounds = [f"at least {least}"] if least is not None else [f"above {above}"] if above is not None else []
        bounds += [f"at most {most:g}"] if most < np.inf else []
        allowed = ", ".join(["a finite number", *bounds])
        raise InputError(f"{what} is out of range", where=where, got=value, allowed=allowed)
    return value


@dataclass(frozen=True)
class RunOptions:
    """How a run is made."""

    t1: float
    """End of the run [s]."""
    rate: float = 100.0
    """Samples kept per second [Hz]."""
    integrator: str = "lie-midpoint"
    step: float = 1e-3
    """Longest step of a fixed-step integrator [s]; shortened so that a whole number of steps makes a sample."""
    rtol: float = 1e-9
    """Relative tolerance of an adaptive integrator."""
    atol: float = 1e-12
    """Absolute tolerance of an adaptive integrator, on every number of the state."""
    device: str = "cpu"
    t0: float = 0.0
    """Its begin, the instant of the first sample [s]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "t0", check_number(self.t0, "t0", "options"))
        for key, least in (("t1", None), ("rate", None), ("step", None), ("rtol", None), ("atol", 0.0)):
            above = (self.t0 if key == "t1" else 0.0) if least is None else None
            object.__setattr__(self, key, check_number(getattr(self, key), key, "options", least=least, above=above))
        if not self.duration * self.rate < _MOST:
            got = f"{self.duration * self.rate:.3g}"
            raise InputError(
                "too many samples", got=got, allowed="at most 1e9", remedy="Lower rate or shorten the run."
            )
        if not self.rate * self.step * _MOST > 1:
            raise InputError(
                "too many steps from sample to sample",
                got=f"step {self.step:g} s at {self.rate:g} samples a second",
                allowed="at most 1e9",
                remedy="Raise step or rate.",
            )
        if self.samples < 2:
            raise InputError(
                "a run must not end before its first sample",
                got=f"{self.duration:g} s at {self.rate:g} samples a second",
                remedy="Raise rate or lengthen the run.",
            )
        get_method(self.integrator)

    @property
    def duration(self) -> float:
        """From begin to end [s]."""
        return self.t1 - self.t0

    def instant(self, sample: int) -> float:
        """Return when a sample is taken [s]."""
        return self.t0 + sample / self.rate

    @property
    def samples(self) -> int:
        """Number of samples, the one at the start counted."""
        return int(np.floor(self.duration * self.rate * (1 + 1e-12))) + 1

    @property
    def steps(self) -> int:
        """Steps of a fixed-step integrator from one sample to the next."""
        return max(1, int(np.ceil(1 / (self.rate * self.step) * (1 - 1e-12))))


class RunArguments(TypedDict, total=False):
    """What `simulate` takes for every kind of model: how long and how finely it runs, and where its recording goes."""

    t0: float | None
    """Begin of the run [s]; other than 0 of figures alone: what acts on them is asked from there on."""
    t1: float | None
    """End of the run [s]."""
    rate: float | None
    """Samples kept per second [Hz]."""
    integrator: str | None
    """One that takes this kind of model."""
    step: float | None
    """Longest step of an integrator with fixed steps [s]."""
    rtol: float | None
    """Relative tolerance of an adaptive integrator."""
    atol: float | None
    """Absolute tolerance of an adaptive integrator, on every number of the state."""
    device: str | None
    """The processor, "cpu", or a GPU, "cuda"."""
    out: str | Path | None
    """Folder to write the recording to while it grows; None keeps it in memory."""
    overwrite: bool
    """Whether a recording at `out` is replaced."""
    resume: bool
    """Whether a recording at `out` is continued from its last commit."""
    progress: Progress | None
    """Called with the fraction done; raising in it stops the run, and what is recorded stays."""
