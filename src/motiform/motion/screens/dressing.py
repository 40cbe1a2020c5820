"""How long a screen dresses a marker: no mode moves what engraves it [Habibi97 §6.4.2.3]."""

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.run import check_number
from motiform.motion.screens.model import Screen
from motiform.motion.screens.modes import screen_eigenvalues
from motiform.spatial.checks import Array

__all__ = ["longest_dressing"]


def longest_dressing(screen: Screen, mass: float) -> Array:
    """Return for each mode how long a marker of a mass [kg] is not moved by it: π √(M/k_j) [s], `shape`.

    Each mode is a cell of stiffness k_j = k_s + λ_j k_v, and the marker drives it while ΔT < π √(M/k_j)
    [Habibi97 3.37]; inf where nothing holds a mode. The least of them is that of the screen: a longer run should let
    the pins push back, with `Engraver(mass=…)`. The other half of (3.37), on the rate, no stable run meets.
    """
    check_number(mass, "mass", "marker", above=0.0)
    if screen.pistons is not None:
        raise InputError("the condition is that of screens without pistons", where="longest_dressing")
    stiffness = screen.links[0] + screen_eigenvalues(screen) * screen.links[2]
    with np.errstate(divide="ignore"):
        return np.asarray(np.pi * np.sqrt(mass / np.maximum(stiffness, 0.0)))
