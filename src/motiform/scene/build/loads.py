"""Pushes of a scene: forces and torques on segments and bodies between two instants."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from motiform.base.errors import SceneError, closest
from motiform.motion.tree import Control, Figure, FigureState, poses
from motiform.scene.build.drive import Array, Member
from motiform.scene.read.load import Scene

__all__ = ["build_loads"]


class SceneLoads:
    """All pushes of a scene, together; `jumps` are the instants at which one begins or ends."""

    of_scene = True

    def __init__(self, figure: Figure, loads: list[tuple[int, Any, Array, float]]) -> None:
        self.figure, self.loads, self.count = figure, loads, len(figure.segments)
        instants = {x for _, table, _, until in loads for x in (table.start, until)}
        self.jumps = tuple(sorted(x for x in instants if 0 < x < np.inf))

    def __call__(self, t: float, state: FigureState) -> Array:
        out = np.zeros((self.count, 6))
        acting = [load for load in self.loads if load[1].start <= t < load[3]]
        if not acting:
            return out
        turns = poses(self.figure, state.q)[0]
        for n, table, at, _ in acting:
            R = turns[n]
            force, torque = (np.array(x) for x in (table.force, table.torque))
            if table.follows:
                force, torque = R @ force, R @ torque
            out[n, :3] += torque + np.cross(R @ at, force)
            out[n, 3:] += force
        return out


def build_loads(scene: Scene, figure: Figure, members: Sequence[Member], centers: dict[str, Array]) -> Control | None:
    """Return the loads of the figures and, with contacts, of the bodies, whose centres of mass are given."""
    found: list[tuple[int, Any, Array, float]] = []
    for n, table in enumerate(scene.document.figure):
        for k, load in enumerate(table.load):
            name = members[n].prefix + load.segment
            if name not in figure.names:
                raise SceneError(
                    "no such segment",
                    where=scene.place("figure", n, "load", k, "segment"),
                    got=load.segment,
                    allowed=", ".join(figure.names),
                    remedy=closest(name, figure.names),
                )
            at = figure.segment(name).com if load.at is None else np.array(load.at)
            found.append((figure.index(name), load, at, np.inf if load.until is None else load.until))
    for force in scene.document.force:
        for name in [m for m in figure.names if m == force.body or m.startswith(f"{force.body}.")]:
            at = np.zeros(3) if force.at is None else np.array(force.at) - centers[force.body]
            found.append((figure.index(name), force, at, np.inf if force.until is None else force.until))
    return SceneLoads(figure, found) if found else None
