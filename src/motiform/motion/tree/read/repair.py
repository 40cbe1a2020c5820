"""The nearest possible inertia to one that no matter has."""

from itertools import combinations

import numpy as np

from motiform.motion.tree.read.elements import Element
from motiform.motion.tree.read.shared import Report
from motiform.spatial.checks import Array

__all__ = ["nearest_inertia", "possible_inertia"]

ROUNDING = 1e-9  # excess over the triangle inequality that a segment allows, relative
# Moments of matter on one axis each: all that are possible are sums of these with factors not below zero.
_RAYS = np.ones((3, 3)) - np.eye(3)


def nearest_inertia(inertia: Array) -> Array:
    """Return the nearest inertia that matter can have, by the sum of squares of its entries, (3, 3) [kg·m²].

    Its axes stay. The moments are projected on the cone of those that obey the triangle inequality.
    """
    J = 0.5 * (inertia + inertia.T)
    moments, axes = np.linalg.eigh(J)
    if 2.0 * moments[2] <= moments.sum():
        return J
    best, least = np.zeros(3), np.inf
    for count in (1, 2):
        for chosen in combinations(range(3), count):
            rays = _RAYS[:, chosen]
            found = np.maximum(np.linalg.lstsq(rays, moments, rcond=None)[0], 0.0)
            distance = float(np.linalg.norm(rays @ found - moments))
            if distance < least:
                best, least = rays @ found, distance
    nearest: Array = axes @ np.diag(best) @ axes.T
    return 0.5 * (nearest + nearest.T)


def possible_inertia(element: Element, mass: float, inertia: Array, report: Report) -> Array:
    """Return the inertia that a segment of that mass can have: as it is, or repaired with a note."""
    size = float(np.abs(inertia).max())
    if size == 0.0:
        return inertia
    if mass == 0.0:
        problem = f"a link with inertia must have mass, but has inertia up to {size:.3g} kg·m² and no mass"
        report.mend(element, problem, "its inertia was left out", remedy="Give it a mass.")
        return np.zeros((3, 3))
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] >= -ROUNDING * size and moments[2] <= (1.0 + ROUNDING) * (moments[0] + moments[1]):
        return inertia
    nearest = nearest_inertia(inertia)
    change = float(np.linalg.norm(nearest - inertia))
    share = change / float(np.linalg.norm(inertia))
    report.mend(
        element,
        "the principal moments must be those of a solid, but are " + ", ".join(f"{m:.4g}" for m in moments) + " kg·m²",
        f"the nearest possible ones were taken, {change:.2g} kg·m² or {100 * share:.2g} % away",
        allowed="none below zero, none above the sum of the two others",
    )
    return nearest
