"""The muscle model of De Groote and Fregly."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from motiform.motion.actuation.muscles.curves.model import CompiledModel, check_above
from motiform.spatial.checks import Array

__all__ = ["DeGrooteFregly"]


@dataclass(frozen=True)
class DeGrooteFregly(CompiledModel):
    """Smooth curves for optimisation.  [DeGroote16 supplement]

    Attributes
    ----------
    width : of the active curve, over that of the paper.
    passive_strain : of the fibre at one greatest isometric force.
    tendon_strain : of the tendon at one greatest isometric force.
    damping : force of the fibre at the greatest shortening speed, in greatest isometric forces.

    """

    kind: ClassVar[str] = "degroote"
    width: float = 1.0
    passive_strain: float = 0.6
    tendon_strain: float = 0.049
    damping: float = 0.0

    def __post_init__(self) -> None:
        for name in ("width", "passive_strain", "tendon_strain"):
            check_above(getattr(self, name), 0.0, name, "DeGrooteFregly")

    @property
    def shortest(self) -> float:
        """Where the passive force is zero."""
        return 0.2

    @cached_property
    def numbers(self) -> Array:
        """Width; rate of the passive force and its value at 0.2; rate of the tendon."""
        strain = self.passive_strain
        return np.array([self.width, 4.0 / strain, np.exp(-3.2 / strain), np.log(6.0) / self.tendon_strain])
