"""What actuators keep and write over one step of time-stepping."""

from typing import Any

import numpy as np

from motiform.base.layouts import Floats, Ints, NamedTuple
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.actuation import Actuation, join_actuators

__all__ = [
    "ADDRESS",
    "EVENTS",
    "FIRED",
    "KEPT",
    "LOOKS",
    "NOW",
    "OVER_STEP",
    "RESUMES",
    "ROOM",
    "STEP",
    "SUMMED",
    "ActuatorSpace",
    "actuator_space",
]

ADDRESS, SUMMED, RESUMES, EVENTS, KEPT, FIRED = range(6)
"""Of the integers: the compiled routine; whether nothing depends on states; whether a step goes on after Python was
asked; events of the step that is tried, and of those that were taken; then whether each event has just happened, and
how often in a row."""
NOW, STEP = 0, 1
"""Of the clock: the instant within the step [s], and the sub-step to try next [s]; then when each event was last."""
ROOM = 512
"""Events for which there is room."""
LOOKS = 30
"""Instants of a sub-step at which margins are looked at, at most."""


class ActuatorSpace(NamedTuple):
    """Actuators, and what they keep and write over one step; n numbers are states and impulses (nv)."""

    acts: Actuation
    ints: Ints
    clock: Floats
    z: Floats
    """States and memory."""
    seen: Floats
    """The same where rates or margins are asked for."""
    w: Floats
    """States and impulse at the begin of a sub-step, at its end, at a stage and at a look, (4 n,)."""
    stages: Floats
    """Rates, (7 n,)."""
    dense: Floats
    """Of the dense output, (4 n,)."""
    margins: Floats
    """At all looks, then two of one instant, ((LOOKS + 2) events,)."""
    looks: Floats
    spare: Floats
    """Forces that nobody wants, and one number."""
    events: Floats
    """Time and number of each, (2 ROOM,)."""


OVER_STEP: tuple[Any, ...] = ("int64", ActuatorSpace, "float64", "float64", *["float64[::1]"] * 6)
"""Types of the routine for one step: its status; t, the step, q, v, z, mean forces, stiffness and damping."""


def actuator_space(acting: Acting | None, nv: int) -> ActuatorSpace:
    """Return room for the actuators of a figure; without them for none."""
    acts = None if acting is None else acting.actuation
    address, summed, nx, size, count = 0, 0, 0, 0, 0
    if acts is not None and acting is not None:
        from motiform.base.addresses import address_of
        from motiform.motion.stepping.substep_kernels import actuators_over_step

        address, summed, nx, size = address_of(actuators_over_step), int(acting.summed), acting.nx, len(acting.z0)
        count = sum(len(part.events) for part in acting.parts)
    acts = join_actuators([], [], [], (np.zeros(nv), np.zeros(nv))) if acts is None else acts
    n = nx + nv
    return ActuatorSpace(
        acts=acts,
        ints=np.array([address, summed, 0, 0, 0, *np.zeros(2 * count, np.int64)], np.int64),
        clock=np.zeros(2 + count),
        z=np.zeros(size),
        seen=np.zeros(size),
        w=np.zeros(4 * n),
        stages=np.zeros(7 * n),
        dense=np.zeros(4 * n),
        margins=np.zeros((LOOKS + 2) * count),
        looks=np.zeros(LOOKS),
        spare=np.zeros(nv + 1),
        events=np.zeros(2 * ROOM),
    )
