"""Where the samples of a run are no longer finite."""

from fractions import Fraction

import numpy as np

__all__ = ["Lost", "first_lost"]

Lost = tuple[Fraction, str]
"""Part of a block that is whole, and the channel that is not finite after it."""
_SURE = ("q", "v", "energy", "energy.kinetic", "energy.potential", "momentum", "angular_momentum")
_SURE_ENDS = (".position", ".orientation", ".velocity", ".angular_velocity")


def first_lost(found: dict[str, np.ndarray]) -> Lost | None:
    """Return where the state or what is conserved is no longer finite, as a part of the block, and the channel.

    None: all are. Channels may have rates of their own, and so other numbers of samples in a block.
    """
    lost = []
    for name, values in found.items():
        if (name in _SURE or name.endswith(_SURE_ENDS)) and not np.isfinite(values).all():
            whole = np.isfinite(values).reshape(len(values), -1).all(axis=1)
            lost.append((Fraction(int(np.argmin(whole)), len(values)), name))
    return min(lost, default=None)
