"""Peers do the same work: what differs is refused before the clock starts."""

import numpy as np

from motiform.base.errors import RunError

__all__ = ["check_same", "difference"]


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference as a part of the largest number that is expected."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def check_same(where: str, far: float, tolerance: float, unit: str = "") -> None:
    """Refuse a peer whose result is not as near as the tolerance; ``where`` is "theme, case, peer"."""
    if not far < tolerance:
        got, allowed = f"a difference of {far:.2g}{unit}", f"below {tolerance:.2g}{unit}"
        raise RunError("a peer must get the same result", where=f"bench {where}", got=got, allowed=allowed)
