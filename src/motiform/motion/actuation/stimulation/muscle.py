"""A muscle under electrical stimulation: its numbers, and how many fibres a pulse recruits."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run import check_number
from motiform.spatial.checks import Array, as_floats

__all__ = ["HAMSTRINGS", "MAX_CURRENT", "MAX_WIDTH", "QUADRICEPS", "StimulatedMuscle", "pulse_intensity", "recruitment"]

MAX_WIDTH, MAX_CURRENT = 500e-6, 0.1
"""Of a pulse that recruits all fibres [s], [A]; chosen, as the source prints no numbers in its table 1.2."""


@dataclass(frozen=True)
class StimulatedMuscle:
    """A contractile element in series with a spring, in parallel with an exponential spring  [HuMAnS 1.2].

    Strain ε = L/L₀ − 1. The defaults are those of the quadriceps.
    """

    name: str
    stiffness: float = 1e4
    """Greatest stiffness of the contractile element k_m [N/m]."""
    force: float = 500.0
    """Greatest force F_m [N]."""
    series: float = 1e4
    """Stiffness of the series spring k_s [N/m]."""
    parallel: float = 0.0
    """Of the parallel spring k_p [N]."""
    parallel_rate: float = 1.0
    """Exponent of the parallel spring k_ep."""
    contractile_length: float = 0.082
    """At rest, L_c0 [m]."""
    length: float = 0.492
    """Of the whole muscle at rest, L_0 [m]."""
    rise: float = 5.0
    """Calcium signal after a pulse U_p [1/s]."""
    fall: float = -5.0
    """Calcium signal at rest U_m [1/s], below 0."""
    high: float = 0.020
    """How long the signal stays at U_p, τ₁ [s]."""
    ramp: float = 0.010
    """How long it falls to U_m, τ₂ [s]."""

    def __post_init__(self) -> None:
        where = f"stimulated muscle {self.name!r}"
        above = (
            "stiffness",
            "force",
            "series",
            "parallel_rate",
            "contractile_length",
            "length",
            "rise",
            "high",
            "ramp",
        )
        for name in above:
            check_number(getattr(self, name), name, where, above=0.0)
        check_number(self.parallel, "parallel", where, least=0.0)
        if not check_number(self.fall, "fall", where) < 0:
            raise InputError(
                "the calcium signal at rest must be below 0", where=where, got=self.fall, allowed="< 0 1/s"
            )

    def scaled(self, strength: float) -> "StimulatedMuscle":
        """Return a muscle of so many like this one side by side: forces and stiffnesses are multiplied."""
        factor = check_number(strength, "strength", f"stimulated muscle {self.name!r}", above=0.0)
        own = {key: factor * getattr(self, key) for key in ("stiffness", "force", "series", "parallel")}
        return replace(self, **own)

    def numbers(self) -> list[float]:
        """Return the numbers that the kernel reads."""
        return [
            self.stiffness, self.force, self.series, self.parallel, self.parallel_rate, self.contractile_length,
            self.length, self.rise, self.fall, self.high, self.ramp,
        ]  # fmt: skip


QUADRICEPS = StimulatedMuscle("quadriceps")
HAMSTRINGS = StimulatedMuscle("hamstrings", contractile_length=0.107)


def pulse_intensity(
    width: ArrayLike, current: ArrayLike, *, max_width: float = MAX_WIDTH, max_current: float = MAX_CURRENT
) -> Array:
    """Return the intensity of pulses, pw i/(pw_max i_max), from their width [s] and current [A]  [HuMAnS 1.2.2]."""
    where = "stimulation pulse"
    most = check_number(max_width, "max_width", where, above=0.0) * check_number(
        max_current, "max_current", where, above=0.0
    )
    pw, i = as_floats(width, where=f"{where}, width"), as_floats(current, where=f"{where}, current")
    for name, value, bound, unit in (("width", pw, max_width, "s"), ("current", i, max_current, "A")):
        if not ((value >= 0).all() and (value <= bound).all()):
            got, allowed = repr(value.tolist())[:60], f"0 to {bound:g} {unit}"
            raise InputError(f"the {name} of a pulse is out of range", where=where, got=got, allowed=allowed)
    return np.asarray(pw * i / most)


def recruitment(intensity: ArrayLike) -> Array:
    """Return the share of fibres that a pulse recruits, α = ½ + ½ tanh(5 (x − ½))/tanh(5/2).

    x is the charge of the pulse over the greatest one, width times current, between 0 and 1.
    """
    x = as_floats(intensity, where="intensity of pulses")
    if (x < 0).any() or (x > 1).any():
        worst = x[(x < 0) | (x > 1)].ravel()[0] if x.ndim else x
        raise InputError("the intensity of a pulse is out of range", got=float(worst), allowed="0 to 1")
    return 0.5 + 0.5 * np.tanh(5.0 * (x - 0.5)) / np.tanh(2.5)
