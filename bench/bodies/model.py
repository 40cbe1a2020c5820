"""Free boxes of the bodies bench, and the steps that are taken."""

import numpy as np

from motiform.geometry import Box
from motiform.motion.bodies import Bodies, Body
from motiform.spatial import random_rotation

__all__ = ["STEP", "STEPS", "make_model"]

STEP = 1e-3
"""[s]"""
STEPS = 200


def make_model(count: int) -> Bodies:
    """Return so many free boxes, placed, turned and thrown at random."""
    rng = np.random.default_rng(1)
    body = Body(
        "bodies",
        Box((0.3, 0.2, 0.1)).mass_properties(density=1000.0),
        position=rng.normal(size=(count, 3)),
        rotation=random_rotation(rng, count),
        velocity=rng.normal(size=(count, 3)),
        spin=3 * rng.normal(size=(count, 3)),
    )
    return Bodies((body,))
