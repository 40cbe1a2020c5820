"""Pistons that conserve the sum of heights, and the exact response of a screen with them [Habibi97 §7.4.3]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.run import check_number
from motiform.spatial.checks import Array

__all__ = ["VARIANTS", "Pistons", "Variant", "transfer"]


@dataclass(frozen=True, kw_only=True)
class Pistons:
    """Columns joined by horizontal masses: what one pin gives up, its neighbours get.

    Each pin is a column with the pressure P = −k_pist(Δx + [Δy] + h), h from rest, which pushes the pin up and the
    horizontal masses on both sides apart, along one axis or two. Masses beyond the edges are fixed, so that the sum of
    heights is constant at rest. In two dimensions this is the triple piston, which the thesis proposes [7.64].
    """

    stiffness: float
    """k_pist [N/m]."""
    mass: float | None = None
    """Of a horizontal mass [kg]; that of a pin if not given."""
    ground_stiffness: float = 0.0
    """HS: of a horizontal mass to its place at rest [N/m]."""
    ground_damping: float = 0.0
    """HS [N s/m]."""
    neighbour_stiffness: float = 0.0
    """HV: between horizontal masses, along the pistons [N/m]."""
    neighbour_damping: float = 0.0
    """HV [N s/m]."""

    def __post_init__(self) -> None:
        check_number(self.stiffness, "stiffness", "pistons", above=0.0)
        if self.mass is not None:
            check_number(self.mass, "mass", "pistons", above=0.0)
        for key in ("ground_stiffness", "ground_damping", "neighbour_stiffness", "neighbour_damping"):
            check_number(getattr(self, key), key, "pistons", least=0.0)


class Variant(NamedTuple):
    """Which links a screen with pistons has besides them: of pins (V) and of horizontal masses (H), to ground (S) and
    to neighbours (V)."""

    vs: bool = False
    vv: bool = False
    hs: bool = False
    hv: bool = False


#: The variants of the thesis, HSVS, and the two combined for full control [Habibi97 §7.4.3.4].
VARIANTS = {
    "elementary": Variant(),
    "VS": Variant(vs=True),
    "VV": Variant(vv=True),
    "HS": Variant(hs=True),
    "HV": Variant(hv=True),
    "HSHV": Variant(hs=True, hv=True),
    "HSVS": Variant(vs=True, hs=True),
    "HSVV": Variant(vv=True, hs=True),
    "HSHVVV": Variant(vv=True, hs=True, hv=True),
}


def transfer(pistons: Pistons, ground: float, neighbour: float, eigenvalues: Sequence[Array]) -> Array:
    """Return height over force [m/N] of each mode, from λ = 2 − 2 cos θ along each axis.

    A = Σ λ/(k_hs + k_hv λ) + 1/k_pist, H = A/(1 + A (k_vs + k_vv Σ λ)); inf where nothing holds a mode.
    """
    total: Array = np.zeros(())
    yielding: Array = np.asarray(1.0 / pistons.stiffness)
    for values in eigenvalues:
        stiff = pistons.ground_stiffness + pistons.neighbour_stiffness * values
        with np.errstate(divide="ignore", invalid="ignore"):
            gives = np.where(values == 0, 0.0, values / stiff)  # horizontal masses move in no uniform mode
        yielding, total = np.add.outer(yielding, gives), np.add.outer(total, values)
    held = ground + neighbour * total
    if (held < 0).any():
        raise InputError("a mode of the pins must not be pushed from rest", got=float(held.min()), allowed="0 or more")
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / (1.0 / yielding + held))
