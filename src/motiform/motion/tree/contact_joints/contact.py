"""The constructor of contact joints."""

from collections.abc import Sequence

from motiform.base.errors import InputError
from motiform.geometry.surfaces import Surface
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.contact_joints.leaving import LeavingContact
from motiform.spatial import Transform

__all__ = ["contact"]


def contact(
    surface1: Surface,
    surface2: Surface,
    *,
    pose1: Transform | None = None,
    pose2: Transform | None = None,
    sliding: bool = False,
    rolling: bool = True,
    spin: bool = True,
    gauge: float = 0.0,
    line: bool = False,
    friction: float | None = None,
    release: bool = False,
    restitution: float | None = None,
    names: Sequence[str] | None = None,
) -> ContactJoint:
    """Return the joint of two surfaces in contact: surface 1 of the parent, surface 2 of the child.

    `pose1` and `pose2` place the surfaces in their bodies (the first in the joint's frame). Velocities are those of
    the child against its parent at the contact point, in the contact frame: `rolling` frees wx, wy, `spin` wz, about
    the normal, `sliding` vx, vy. A cylinder or cone on a plane touches along a line and keeps wx only (about that
    line) of wx, wy; so do two cylinders that lie in or, with `line`, on each other, and these do not spin; two planes
    keep wz, vx, vy. `gauge` is the share of the spin with which the contact frame turns in body 1; nothing physical
    depends on it. `friction` is Coulomb's coefficient μ, the largest share of the normal force that the
    tangential one may be. A contact that does not slide ends a simulation where it would need more; None sets no bound.
    One that may slide does so against μ N, sticks where that holds it, and slides again where it does not; None, and
    0, are without friction.

    With `release` the surfaces part where they would have to pull, and land on each other again, with `restitution`
    (Poisson's, from 0 to 1): a run goes on through both. The joint then has six velocities, vz along the normal too.
    """
    options = {
        "pose1": pose1, "pose2": pose2, "sliding": sliding, "rolling": rolling, "spin": spin, "gauge": gauge,
        "line": line, "friction": friction,
    }  # fmt: skip
    if release:
        return LeavingContact(surface1, surface2, options, restitution=restitution or 0.0, names=names)
    if restitution is not None:
        raise InputError(
            "restitution belongs to contacts that leave and land", got=restitution, remedy="Say release=True."
        )
    return ContactJoint(surface1, surface2, **options, names=names)  # type: ignore[arg-type]
