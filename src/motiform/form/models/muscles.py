"""How muscles are drawn: their paths as lines, by activation."""

import numpy as np

from motiform.form.looks import ColorBy, LinksLook, Looks
from motiform.motion.actuation import HillMuscles, StimulatedMuscles

__all__ = ["muscles_looks"]

_PULL = 3e5  # [Pa] of a fibre's cross-section: a muscle is drawn with a quarter of the radius that this gives
_REST_TO_ACTIVE = np.array([(0.20, 0.32, 0.72), (0.62, 0.42, 0.66), (0.85, 0.10, 0.10)])


def muscles_looks(actuator: HillMuscles | StimulatedMuscles, _model: object) -> Looks:
    """Return the paths of muscles, from blue at rest to red at full activation."""
    ends = np.cumsum(actuator.corners)
    first = [np.arange(end - count, end - 1) for end, count in zip(ends, actuator.corners, strict=True)]
    pick = np.repeat(np.arange(len(first)), [len(own) for own in first])
    at = np.concatenate(first)
    force = np.array(_greatest_forces(actuator))
    line = f"{actuator.name}.line"
    color = ColorBy(channel=f"{actuator.name}.activation", map=(0.0, 1.0), pick=pick, colors=_REST_TO_ACTIVE)
    radius = 0.25 * np.sqrt(force / (np.pi * _PULL))[pick]
    return Looks(
        {actuator.name: LinksLook(links=(line, line), pairs=np.column_stack([at, at + 1]), radius=radius, color=color)}
    )


def _greatest_forces(actuator: HillMuscles | StimulatedMuscles) -> list[float]:
    if isinstance(actuator, StimulatedMuscles):
        return [muscle.force for muscle in actuator.muscles]
    return [muscle.max_force for muscle in actuator.muscles.muscles]
