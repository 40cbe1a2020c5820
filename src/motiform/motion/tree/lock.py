"""Figures of which some joints are locked in a posture: fewer coordinates, the same bodies."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.joints import fixed
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.start import start
from motiform.spatial import Transform

__all__ = ["lock_joints"]


def lock_joints(figure: Figure, segments: Sequence[str], q: ArrayLike | None = None) -> Figure:
    """Return a figure in which the joints of these segments are fixed as they are at q, (nq,); None: neutral.

    Mass, shapes, tags and closures stay. (Pinocchio: buildReducedModel.)
    """
    given = [segments] if isinstance(segments, str) else list(segments)
    for name in given:
        if name not in figure.names:
            remedy = closest(str(name), figure.names)
            raise InputError("no such segment", where="lock_joints", got=name, remedy=remedy)
    locked = {name for segment in given for name in figure.segment(segment).joint.names}
    for coupling in figure.couplings:
        ends = {coupling.dependent, coupling.leading}
        if ends & locked and not ends <= locked:
            got, remedy = ", ".join(sorted(ends & locked)), "Lock the joints of both."
            raise InputError("coupled coordinates must be locked together", where="lock_joints", got=got, remedy=remedy)
    R, p = forward_kinematics(figure, start(figure, q, None).q)
    found = []
    for n, segment in enumerate(figure.segments):
        own: Any = segment
        if segment.name in given:
            at, parent = Transform(R[n], p[n]), figure.parent_index(n)
            place = at if parent < 0 else Transform(R[parent], p[parent]).inverse() @ at
            own = replace(segment, joint=fixed(), placement=place, armature=0.0, damping=0.0)
        found.append(own)
    order = figure.order
    if order is not None:
        order = tuple(name for name in order if name not in locked and name not in given)
    return Figure(
        tuple(found), figure.tags, figure.surfaces,
        tuple(c for c in figure.couplings if c.dependent not in locked), figure.closures, figure.gravity, figure.name,
        order, figure.notes, figure.vertical,
    )  # fmt: skip
