"""Solids that touch by points only: an event-driven run ends where they enter each other between these."""

from dataclasses import replace
from math import cos, pi

import numpy as np

from motiform.base.errors import RunError
from motiform.geometry import Cylinder, Mesh
from motiform.geometry.touch.columns import MOST
from motiform.geometry.touch.solids import can_touch, reach_of
from motiform.motion.contact.points import ContactPoint, Contacts
from motiform.motion.contact.problem import ContactProblem
from motiform.motion.tree import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["OverlapWatch"]

_DEPTH = 1e-4  # of its size by which a solid may enter an obstacle
_RIM = 1 - cos(pi / 12)  # of its radius by which a cylinder sinks between two of the points on its rim
_COARSE = 0.05  # of its size, of a mesh whose corners were chosen


class OverlapWatch:
    """The solids of a figure whose points may touch obstacles, and how deep they are in these."""

    def __init__(self, figure: Figure, problem: ContactProblem) -> None:
        contacts, packed = problem.contacts, problem.packed
        solids: dict[ContactPoint, ContactPoint] = {}
        pairs: dict[tuple[ContactPoint, str], None] = {}
        others = tuple(o for o in contacts.obstacles if can_touch(o.solid))
        known = {o.name for o in others}
        for p, o in zip(packed.point_of, packed.obstacle_of, strict=True):
            solid, other = contacts.points[p].corner_of, contacts.obstacles[o].name
            if solid is not None and other in known:
                alike = sum(one.name == solid.name for one in solids)
                solids.setdefault(solid, replace(solid, name=f"{solid.name}{f' ({alike + 1})' if alike else ''}"))
                pairs[solids[solid], other] = None
        kept = tuple((solid.name, other) for solid, other in pairs)
        self.problem = (
            ContactProblem(figure, Contacts(tuple(solids.values()), others, kept, limits=False)) if kept else None
        )
        self.allowed = np.array([_allowed(solid) for solid, _ in pairs])

    def check(self, at: float, q: Array) -> None:
        """Refuse a configuration in which a solid is deeper in an obstacle than its points tell."""
        if self.problem is None:
            return
        gaps = self.problem.gaps(q).reshape(-1, MOST).min(axis=1)
        deep = np.flatnonzero(gaps < -self.allowed)
        if len(deep):
            k = int(deep[np.argmin(gaps[deep])])
            raise RunError(
                "two solids overlap where neither has a contact point",
                where=f"t = {at:.6g} s, {self.problem.packed.names[MOST * k].rsplit('.', 1)[0]}",
                got=f"{-gaps[k]:.3g} m",
                remedy="Take solids (contact.solid_contacts): they touch by edges too.",
            )


def _allowed(solid: ContactPoint) -> float:
    """Return how deep a solid may be in an obstacle [m]: by rounding, and between the points of a round surface."""
    shape = solid.shape
    assert shape is not None
    coarse = _COARSE if isinstance(shape, Mesh) and solid.note else _DEPTH
    return coarse * reach_of(shape) + (_RIM * shape.radius if isinstance(shape, Cylinder) else 0.0)
