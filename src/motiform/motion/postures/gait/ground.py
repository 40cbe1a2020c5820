"""Forces of the ground on each foot over time, along the way, across it and upward."""

import numpy as np

from motiform.base.errors import MotiformError
from motiform.motion.postures.dynamics.plates import assign_plates, read_loads
from motiform.motion.postures.gait.events import Walker
from motiform.motion.postures.gait.series import SideSeries, load_known
from motiform.motion.tree.model.figure import Figure
from motiform.record.recording import Recording

__all__ = ["DIRECTIONS", "ground_series"]

DIRECTIONS = ("upward", "forward", "lateral")
"""Of the force on a foot; lateral is to the foot's own side."""


def ground_series(rec: Recording, figure: Figure, markers: Recording, walker: Walker) -> list[SideSeries]:
    """Return the forces of the ground on each foot in parts of the weight; none without plates.

    ``rec`` is that of `motiform.reconstruct` for ``markers``. They are told where the foot is in the air or on a usable
    plate of its own, as the moments are.
    """
    if "plate.force" not in markers or "effort.known" not in rec or not figure.mass > 0:
        return []
    try:
        given = assign_plates(figure, rec.time("q"), rec["q"], markers, cutoff=None)
    except MotiformError:  # no plate is usable
        return []
    loads, times = read_loads(markers, walker.up), rec.time("q")
    axes = np.stack([walker.up, walker.forward, np.cross(walker.forward, walker.up)])
    weight = figure.mass * float(np.linalg.norm(figure.gravity))
    found = []
    for side, sign in (("l", -1.0), ("r", 1.0)):
        force = np.zeros((len(times), 3))
        for c in given.contacts:
            if c.usable and c.foot >= 0 and given.feet[c.foot].side == side:
                inside = (times >= c.start) & (times <= c.end)
                own = loads.wrench[:, c.plate, 3:] @ axes.T / weight
                force[inside] += np.stack([np.interp(times[inside], loads.times, own[:, k]) for k in range(3)], axis=1)
        force[:, 2] *= sign
        force[~load_known(rec, side)] = np.nan
        found += [SideSeries("forces", "ground force", name, side, force[:, k]) for k, name in enumerate(DIRECTIONS)]
    return found
