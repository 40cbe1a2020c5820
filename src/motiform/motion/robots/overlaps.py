"""What overlaps in the first posture of a file, and so cannot touch."""

import numpy as np

from motiform.geometry import Shape
from motiform.geometry.touch.solids import touch_points
from motiform.motion.contact import Contacts, contact_gaps
from motiform.motion.tree import Figure, forward_kinematics, joints
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.model_file import FileSolid
from motiform.spatial import Transform

__all__ = ["moving_segments", "overlap_note", "overlapping_solids", "points_inside"]

OVERLAP = 1e-6  # [m] by which what rests on something may overlap it


def moving_segments(figure: Figure) -> set[str | None]:
    """Return the segments that can move."""
    found: set[str | None] = set()
    for segment in figure.segments:
        if segment.joint.nv or segment.parent in found:
            found.add(segment.name)
    return found


def held_segments(figure: Figure) -> set[str | None]:
    """Return the segments that can move but not be lifted: those on roots that are not free."""
    found: set[str | None] = set()
    for segment in figure.segments:
        free = isinstance(segment.joint, joints.FreeJoint) if segment.parent is None else segment.parent not in found
        if not free:
            found.add(segment.name)
    return found & moving_segments(figure)


def points_inside(figure: Figure, q: Array, contacts: Contacts) -> set[tuple[str, str]]:
    """Return points and what they are inside of in a posture, of segments that no free root can lift out."""
    held, found = held_segments(figure), set[tuple[str, str]]()
    points = tuple(point for point in contacts.points if point.segment in held)
    names = {point.name for point in points}
    for obstacle in contacts.obstacles if points else ():
        own = tuple(pair for pair in contacts.pairs or () if pair[1] == obstacle.name and pair[0] in names)
        one = contacts.replace(points=points, obstacles=(obstacle,), pairs=own)
        gaps = contact_gaps(figure, one, q)
        found |= {(point.name, obstacle.name) for point, gap in zip(points, gaps, strict=True) if gap < -OVERLAP}
    return found


def overlap_note(pairs: set[tuple[str, str]], what: str) -> list[str]:
    """Return the note on pairs that overlap in the first posture."""
    if not pairs:
        return []
    shown = ", ".join(f"{a}–{b}" for a, b in sorted(pairs)[:5]) + (" …" if len(pairs) > 5 else "")
    return [f"{len(pairs)} pairs of {what} that overlap in the first posture do not touch: {shown}"]


def overlapping_solids(
    figure: Figure, q: Array, own: list[FileSolid], touched: dict[str, list[FileSolid]]
) -> set[tuple[str, str]]:
    """Return the pairs of solids that overlap in a posture, with the world where no free root can lift them."""
    R, p = forward_kinematics(figure, q)
    held = held_segments(figure)

    def placed(solid: FileSolid) -> Transform:
        if solid.segment is None:
            return solid.placement
        n = figure.index(solid.segment)
        return Transform(R[n], p[n]) @ solid.placement

    return {
        (solid.name, other.name)
        for solid in own
        for other in touched[solid.name]
        if (other.segment is not None or solid.segment in held) and _overlap(solid, other, placed(solid), placed(other))
    }


def _overlap(solid: FileSolid, other: FileSolid, a: Transform, b: Transform) -> bool:
    """Whether two solids overlap: first their balls, then themselves."""
    if isinstance(other.solid, Shape):
        (c, r), (d, s) = solid.solid.ball_around(), other.solid.ball_around()
        if np.linalg.norm(a.point(c) - b.point(d)) > r + s:
            return False
    return float(touch_points(solid.solid, other.solid, a, b, reach=OVERLAP).gap) < -OVERLAP
