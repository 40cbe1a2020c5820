"""Whether adaptive steps will reach the end of a run."""

import warnings
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import MotiformWarning, RunError

__all__ = ["Headway", "SlowWarning"]

_SHORT = 1e-5  # [s] steps that are warned of


class SlowWarning(MotiformWarning):
    """Adaptive steps are so short that a run takes very long."""


@dataclass
class Headway:
    """Judges by its last steps whether an adaptive run will see its end: refuses to go on, or warns once."""

    end: float = np.inf
    """Of the run [s]."""
    many: float = 1e6
    """Steps to the end that are warned of."""
    too_many: float = 1e8
    """Steps to the end that it will not see."""
    patience: int = 1000
    """Steps by which the others are judged."""
    remedy: str = "The model is stiff: lower stiffness or damping, take a fixed step, or ask for less (rtol, atol)."
    steps: int = 0
    """Since `begun` [s]."""
    begun: float = np.nan
    warned: bool = False

    def step(self, t: float) -> None:
        """Count a step that begins at t."""
        if self.steps == 0:
            self.begun = t
        self.steps += 1
        if self.steps <= self.patience:
            return
        left, h = self.end - t, (t - self.begun) / self.patience
        self.steps = 0
        if self.too_many * h < left < np.inf:
            got = f"steps of {h:.3g} s with {left:.3g} s to go"
            raise RunError("the adaptive steps must make headway", where=f"t = {t:.9g} s", got=got, remedy=self.remedy)
        if self.many * h < left < np.inf and h < _SHORT and not self.warned:
            text = (
                f"t = {t:.3g} s: the adaptive steps are of {h:.2g} s, {left / h:.1g} of them to the end. {self.remedy}"
            )
            warnings.warn(text, SlowWarning, stacklevel=2)
            self.warned = True
