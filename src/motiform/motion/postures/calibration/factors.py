"""Scale factors of a figure, and the resulting masses."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["Factors", "as_factors", "new_masses"]

Factors = Mapping[str, float | ArrayLike]


def as_factors(factors: Any, names: tuple[str, ...], where: str) -> dict[str, Array]:
    """Return {name: three factors above zero}."""
    if not isinstance(factors, Mapping):
        raise InputError(
            "factors must be a mapping", where=where, got=repr(factors), allowed="a mapping {segment: factor}"
        )
    found = {}
    for name, value in factors.items():
        if name not in names:
            raise InputError(
                "no such segment", where=where, got=str(name), allowed=", ".join(names),
                remedy=closest(str(name), names),
            )  # fmt: skip
        try:
            three = np.asarray(value, float)
        except (TypeError, ValueError):
            three = np.empty(0)
        if three.shape not in ((), (3,)) or not (np.isfinite(three) & (three > 0)).all():
            allowed = "one number above zero, or three"
            raise InputError(f"the factor of {name!r} must be positive", where=where, got=repr(value), allowed=allowed)
        found[str(name)] = np.broadcast_to(three, (3,)).astype(float)
    return found


def new_masses(figure: Figure, volumes: Mapping[str, float], mass: float | None, by: str) -> dict[str, float]:
    """Return the mass of each segment [kg], from the growth of their volumes where told so."""
    grown = {s.name: s.mass * (volumes[s.name] if by == "volume" else 1.0) for s in figure.segments}
    whole = sum(grown.values())
    return grown if mass is None else {name: m * mass / whole for name, m in grown.items()}
