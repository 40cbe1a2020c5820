"""Additional loads on rigid bodies: functions of time and state."""

from collections.abc import Callable

import numpy as np

from motiform.motion.bodies.model import State

__all__ = ["Force"]

Force = Callable[[float, State], tuple[np.ndarray, np.ndarray]]
"""force(t, state) gives forces [N] and torques about the centres of mass [N m], world axes, (n, 3) each."""
