"""The muscle model of Thelen."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from motiform.motion.actuation.muscles.curves.model import CompiledModel, check_above
from motiform.spatial.checks import Array

__all__ = ["Thelen"]


@dataclass(frozen=True)
class Thelen(CompiledModel):
    """Curves of [Thelen03], with the numbers of OpenSim where none are given.

    Attributes
    ----------
    active_shape : width of the active curve, γ.
    passive_strain, passive_shape : strain at one greatest isometric force, and shape factor.
    tendon_strain : at one greatest isometric force.
    speed_shape, lengthening_force : A_f, and the force at fast lengthening.
    linear_from : share of the lengthening force from which the curve goes on straight.

    """

    kind: ClassVar[str] = "thelen"
    active_shape: float = 0.45
    passive_strain: float = 0.6
    passive_shape: float = 5.0
    tendon_strain: float = 0.04
    speed_shape: float = 0.25
    lengthening_force: float = 1.4
    linear_from: float = 0.95
    damping: float = 0.0

    def __post_init__(self) -> None:
        for name in ("active_shape", "passive_strain", "passive_shape", "tendon_strain", "speed_shape"):
            check_above(getattr(self, name), 0.0, name, "Thelen")
        check_above(self.lengthening_force, 1.0, "lengthening_force", "Thelen")

    @property
    def shortest(self) -> float:
        """A hundredth of the optimal length."""
        return 0.01

    @cached_property
    def numbers(self) -> Array:
        """Width; rate and size of the passive force; A_f, F_len, share; end of the toe, stiffness beyond it.

        The end of the tendon's toe is without the paper's rounding.
        """
        passive = self.passive_shape / self.passive_strain, np.expm1(self.passive_shape)
        toe = 99.0 * self.tendon_strain * np.exp(3.0) / (166.0 * np.exp(3.0) - 67.0)
        speed = self.speed_shape, self.lengthening_force, self.linear_from
        return np.array([self.active_shape, *passive, *speed, toe, 0.67 / (self.tendon_strain - toe)])
