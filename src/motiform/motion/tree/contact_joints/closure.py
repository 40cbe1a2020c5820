"""Two segments that touch beside the tree."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.tree.contact_joints.joint import ContactJoint

__all__ = ["ContactClosure"]


@dataclass(frozen=True, eq=False)
class ContactClosure:
    """A contact between two segments that closes a loop, with the surfaces of a contact joint.

    Its rows are those of (wx, wy, wz, vx, vy, vz), the motion of b relative to a at the contact point in the contact
    frame, that the joint does not leave free; vz, along the normal, is always the last.  [ContactJoints 5]
    """

    name: str
    a: str | None
    b: str
    joint: ContactJoint

    @cached_property
    def components(self) -> tuple[int, ...]:
        """Which of (wx, wy, wz, vx, vy, vz) its rows are."""
        return tuple(k for k in range(6) if k not in self.joint.columns)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of its rows."""
        return tuple(("wx", "wy", "wz", "vx", "vy", "vz")[k] for k in self.components)

    @property
    def count(self) -> int:
        """Number of its rows."""
        return len(self.components)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds places: the gap, and the tilt of lines and faces; the others hold velocities alone."""
        return tuple(k == 5 or k in self.joint.pair.forbidden for k in self.components)

    @property
    def turns(self) -> tuple[bool, ...]:
        """Whether each row holds an angle, not a length."""
        return tuple(k < 3 for k in self.components)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Lengths that give the size of the linkage [m]: those of the places of the surfaces."""
        return tuple(float(np.linalg.norm(pose.translation)) for pose in self.joint.poses)

    def check(self) -> None:
        """Raise an error if the surfaces cannot form such a closure."""
        where, joint = f"closure {self.name!r}", self.joint
        if not isinstance(joint, ContactJoint):
            allowed = "joints.contact(surface1, surface2)"
            raise InputError("the joint must be a contact joint", where=where, got=repr(joint), allowed=allowed)
        if self.b is None:
            raise InputError(
                "b of a contact must be a segment", where=where, remedy="Make the world a, with surface 1."
            )
        joint.check(where)
        if joint.leaves:
            allowed, remedy = "one that lasts", "Say release=False, or put it in the tree."
            raise InputError(
                "the contact of a closure cannot leave and land", where=where, got="release=True", allowed=allowed,
                remedy=remedy,
            )  # fmt: skip
        if joint.sliding and joint.friction:
            raise InputError(
                "the contact of a closure must not slide with friction",
                where=where,
                got=f"sliding=True with friction {joint.friction:g}",
                allowed="sliding without friction, or friction without sliding",
                remedy="Leave out friction or sliding.",
            )
        if {2, 3} - set(joint.columns) == {3} and any(s.kind == "cone" for s in joint.surfaces if joint.pair.follow):
            raise InputError(
                "a cone cannot spin on a plane beside the tree without sliding",
                where=where,
                got=repr(joint),
                remedy="Which point of its line holds is not known: say spin=False or sliding=True, "
                "or put it in the tree.",
            )
