"""What a model of muscles gives: its curves.

Lengths are in optimal fibre lengths (tendon: in slack lengths), speeds in greatest shortening speeds with lengthening
positive, forces in greatest isometric forces. Each curve gives its value and its slope.
"""

from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial.checks import Array

__all__ = ["CompiledModel", "Curve", "MuscleModel", "check_above"]

Curve = tuple[Array, Array]


@runtime_checkable
class MuscleModel(Protocol):
    """What a muscle's curves give."""

    @property
    def damping(self) -> float:
        """Force of the fibre at the greatest shortening speed."""
        ...

    @property
    def shortest(self) -> float:
        """Length at which the fibre goes slack."""
        ...

    def active(self, length: Array) -> Curve:
        """Return the active force at full activation without motion."""
        ...

    def passive(self, length: Array) -> Curve:
        """Return the force of the stretched fibre."""
        ...

    def speed(self, speed: Array, activation: Array | float = 1.0) -> Curve:
        """Return the factor of the active force."""
        ...

    def tendon(self, length: Array) -> Curve:
        """Return the force of the stretched tendon."""
        ...


class CompiledModel(MuscleModel):
    """A model whose curves are kernels, in the file of its `kind` with `_kernels`, that read its `numbers`."""

    kind: ClassVar[str]

    @property
    def numbers(self) -> Array:
        """What the kernels read."""
        raise NotImplementedError

    def active(self, length: Array) -> Curve:  # noqa: D102
        return self._curve("active", length)

    def passive(self, length: Array) -> Curve:  # noqa: D102
        return self._curve("passive", length)

    def speed(self, speed: Array, activation: Array | float = 1.0) -> Curve:  # noqa: D102
        return self._curve("speed", speed, activation)

    def tendon(self, length: Array) -> Curve:  # noqa: D102
        return self._curve("tendon", length)

    def _curve(self, name: str, x: Array, activation: Array | float = 1.0) -> Curve:
        from motiform.motion.actuation.muscles.curves.dispatch_kernels import curve_values

        x, a = (np.array(one, float, order="C") for one in np.broadcast_arrays(x, activation))
        values, slopes = np.empty(x.shape), np.empty(x.shape)
        curve_values[name, self.kind].function(self.numbers, x.ravel(), a.ravel(), values.ravel(), slopes.ravel())
        return values, slopes


def check_above(value: float, least: float, name: str, where: str) -> None:
    """Refuse a number of a model that is not above a bound."""
    if not (np.isfinite(value) and value > least):
        raise InputError(f"{name} must be above {least:g}", where=where, got=value, allowed=f"above {least:g}")
