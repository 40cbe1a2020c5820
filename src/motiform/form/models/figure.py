"""How figures, the obstacles that they touch and the solids that they carry are drawn."""

import numpy as np

from motiform.base.errors import InputError
from motiform.form.looks import Looks, RestSegment, ShapeLook
from motiform.form.looks.skeleton import Skeleton, SkeletonSegment, SkeletonTag
from motiform.geometry import Compound, Shape
from motiform.motion.contact import Contacts
from motiform.motion.coupled.parts import SegmentSolid
from motiform.motion.figures.human36_table import SEGMENTS, SPREAD
from motiform.motion.tree import Figure, forward_kinematics
from motiform.spatial import Transform, quaternion_from_rotation

__all__ = ["STONE", "contact_looks", "figure_looks", "is_up", "placed", "solid_looks"]

_GREY, STONE = (0.55, 0.57, 0.6), (0.74, 0.71, 0.66)
_ROUNDING = 1e-12  # of entries of a rotation

RGB = tuple[float, float, float] | np.ndarray


def figure_looks(figure: Figure, _model: object) -> Looks:
    """Return the parts of the segments, and those of humans at rest."""
    found, owned = {}, dict[str, list[str]]()
    for segment in figure.segments:
        for n, part in enumerate(segment.parts):
            name = segment.name if len(segment.parts) == 1 else f"{segment.name}.{n + 1}"
            found[name] = _carried(part.shape, part.placement, part.color or _GREY, segment.name)
            owned.setdefault(segment.name, []).append(name)
    return Looks(found, bones=_bones(figure, owned), skeleton=_skeleton(figure))


def _skeleton(figure: Figure) -> Skeleton:
    """Return the tree of the figure in its neutral posture."""
    rotation, position = forward_kinematics(figure, figure.neutral())
    turn = quaternion_from_rotation(rotation)
    segments = {
        segment.name: SkeletonSegment(
            at=tuple(position[n].tolist()), turn=tuple(turn[n].tolist()), parent=segment.parent
        )
        for n, segment in enumerate(figure.segments)
    }
    tags = {
        tag.name: SkeletonTag(segment=tag.segment, at=tuple(np.asarray(tag.point, float).tolist()))
        for tag in figure.tags
    }
    return Skeleton(figure=figure.name, segments=segments, tags=tags)


def _bones(figure: Figure, owned: dict[str, list[str]]) -> dict[str, RestSegment]:
    """Return the segments of all humans in a figure, with arms and legs apart; none of other figures."""
    names, freedoms = {segment.name for segment in figure.segments}, set(figure.coordinates)
    starts = [name.removesuffix(SEGMENTS[0]) for name in owned if name.endswith(SEGMENTS[0])]
    humans = [p for p in starts if {p + s for s in SEGMENTS} <= names and {p + c for c in SPREAD} <= freedoms]
    if not humans:
        return {}
    rotation, position = forward_kinematics(
        figure, figure.configuration(**{p + c: x for p in humans for c, x in SPREAD.items()})
    )
    ours = {p + s for p in humans for s in SEGMENTS} & set(owned)
    found = {}
    for n, segment in enumerate(figure.segments):
        if segment.name in ours:
            at, turn = position[n].tolist(), quaternion_from_rotation(rotation[n]).tolist()
            parent = segment.parent if segment.parent in ours else None
            found[segment.name] = RestSegment(
                parts=tuple(owned[segment.name]), at=tuple(at), turn=tuple(turn), parent=parent
            )
    return found


def contact_looks(contacts: Contacts, figure: object) -> Looks:
    """Return the obstacles: those of the world where they are, the others on their segments.

    An obstacle on a segment that has a shape is drawn only where it has a color of its own. The ground of a picture may
    stand for level ground.
    """
    if not isinstance(figure, Figure):
        raise InputError("contacts must be drawn with their figure", remedy="Use looks_of(figure, contacts).")
    found = {}
    for obstacle in contacts.obstacles:
        carrier, color = obstacle.segment, obstacle.color or STONE
        if carrier is None:
            level = obstacle.solid.ground and obstacle.color is None and is_up(obstacle.placement, figure.up)
            ground = float(obstacle.placement.translation @ figure.up) if level else None
            look = placed(obstacle.shape, obstacle.placement, color, ground=ground)
        elif obstacle.color is None and figure.segment(carrier).parts:
            continue
        else:
            look = _carried(obstacle.shape, obstacle.placement, color, carrier)
        found[f"obstacle {obstacle.name}"] = look
    return Looks(found)


def solid_looks(solid: SegmentSolid, _model: object) -> Looks:
    """Return a solid that a segment carries into matter, where it has a color of its own."""
    if solid.color is None or not isinstance(solid.shape, Shape):
        return Looks()
    return Looks({f"solid {solid.name}": _carried(solid.shape, solid.placement, solid.color, solid.segment)})


def _carried(shape: Shape, placement: Transform, color: RGB, segment: str) -> ShapeLook:
    """Return a shape that is placed in the frame of a segment."""
    turned = not np.array_equal(placement.rotation, np.eye(3))
    return ShapeLook(
        shape=Compound(((shape, placement),)) if turned else shape,
        offset=(0.0, 0.0, 0.0) if turned else tuple(placement.translation.tolist()), color=color,
        position=f"{segment}.position", orientation=f"{segment}.orientation",
    )  # fmt: skip


def placed(
    shape: Shape, placement: Transform, color: RGB, *, moved: str | None = None, ground: float | None = None,
    stands: float | None = None,
) -> ShapeLook:  # fmt: skip
    """Return a shape in the world, that the channels of `moved` move where they are recorded."""
    return ShapeLook(
        shape=shape, color=color, at=tuple(placement.translation.tolist()),
        turn=tuple(quaternion_from_rotation(placement.rotation).tolist()),
        position=None if moved is None else f"{moved}.position",
        orientation=None if moved is None else f"{moved}.orientation", ground=ground, stands=stands,
    )  # fmt: skip


def is_up(placement: Transform, up: np.ndarray) -> bool:
    """Return whether y of a placed shape points up, but for roundings."""
    return bool(np.abs(placement.rotation[:, 1] - up).max() <= _ROUNDING)
