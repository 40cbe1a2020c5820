"""The points at which the solids of a figure touch at a configuration."""

import numpy as np

from motiform.geometry.touch.solids import touch_listed, touch_room
from motiform.motion.contact.layouts import ContactModel
from motiform.motion.tree.model.joint import Array

__all__ = ["SolidTouches"]


class SolidTouches:
    """Pairs of solids of a figure: which are near, and room for their points."""

    def __init__(self, head: ContactModel, pairs: int) -> None:
        self.head = head
        self.chosen = np.zeros(pairs, np.int64)
        """Pairs that were near at the last look, the first of them."""
        self.kinds, self.poses, self.sizes = np.zeros((pairs, 4), np.int64), np.zeros((pairs, 27)), np.zeros(pairs)
        self.near, self._room = 0, touch_room(pairs)

    def find_near(self, q: Array, reach: float) -> tuple[Array, np.ndarray, Array]:
        """Return gap, number of points, and points (gap, site, normal) of the pairs that are near."""
        from motiform.motion.contact.solid_kernels import near_solids

        listed = (self.chosen, self.kinds, self.poses, self.sizes)
        self.near = near = int(near_solids.function(self.head, q, reach, *listed))
        rows = (self.kinds[:near], self.poses[:near], self.sizes[:near])
        return touch_listed(self.head.cfloats, *rows, reach, self._room)

    def find(self, q: Array, reach: float) -> int:
        """Write the points of all pairs nearer than `reach` [m] to their table; return how many points are nearer."""
        from motiform.motion.contact.solid_kernels import write_contact_points

        _, counts, points = self.find_near(q, reach)
        head = self.head
        return int(
            write_contact_points.function(head.cints, head.cfloats, self.chosen, self.near, reach, counts, points)
        )
