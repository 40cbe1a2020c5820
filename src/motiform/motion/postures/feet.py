"""The feet of a figure: segments and points of their soles."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["Feet", "Foot", "find_feet", "foot_points", "side_of", "up_of"]

Feet = Sequence[str] | Mapping[str, Sequence[str]]
"""Names of segments, or {segment: names of the tags of its sole}."""

_FOOT = re.compile(r"foot|calcn|calcaneus|heel", re.IGNORECASE)
_TOES = re.compile(r"toe", re.IGNORECASE)


class Foot(NamedTuple):
    """A segment that stands on the ground, with points of its sole."""

    name: str
    """The segment that takes the force of the ground."""
    side: str
    """ "r", "l", or "" if the name has no side."""
    segment: int
    segments: Array
    """Segment of each point, (points,)."""
    points: Array
    """[m], (points, 3), each in the axes of its segment; heel first, tip last along the foot's x axis."""


def side_of(name: str) -> str:
    """Return "r" or "l" for a name such as right_foot, calcn_l or RCAL; "" if there is no side."""
    parts = re.split(r"[^a-z]+", name.lower())
    for side, word in (("r", "right"), ("l", "left")):
        if word in parts or parts[0] == side or parts[-1] == side or name.lower().startswith(word):
            return side
    return ""


def up_of(figure: Figure) -> Array:
    """Return the unit vector against gravity, (3,); the figure's vertical where there is none."""
    return figure.up


def find_feet(figure: Figure, feet: Feet | None = None) -> tuple[Foot, ...]:
    """Return the feet of a figure: those given, its contact solids, or segments named foot, calcn (with their toes)."""
    if feet is None:
        solids = getattr(figure, "contact_solids", None)
        feet = {name: tags for name, tags in solids.items() if _FOOT.search(name)} if solids else None
        feet = feet or [name for name in figure.names if _FOOT.search(name)]
        feet = feet or [name for name in figure.names if _TOES.search(name)]
    if isinstance(feet, str) or len(feet) == 0:
        raise InputError(
            "the segments of the feet are not known", where=f"figure {figure.name!r}", got=str(feet) or None,
            allowed="names of segments, or {segment: names of tags}", remedy="Name them by feet=.",
        )  # fmt: skip
    own = feet if isinstance(feet, Mapping) else dict.fromkeys(feet, ())
    return tuple(_foot(figure, name, tuple(tags)) for name, tags in own.items())


def _foot(figure: Figure, name: str, tags: tuple[str, ...]) -> Foot:
    unknown = [tag for tag in tags if tag not in figure.tag_names]
    if unknown:
        raise InputError("no such tag", where=f"foot {name!r}", got=", ".join(unknown))
    if tags and name not in figure.names:  # a contact solid under a name of its own
        name = figure.tags[figure.tag_names.index(tags[0])].segment
    n, side = figure.index(name), side_of(name)
    carried = [n] + [
        k for k, other in enumerate(figure.names) if k != n and _TOES.search(other) and figure.parent_index(k) == n
    ]
    chosen = [t for t in figure.tags if (t.name in tags if tags else figure.index(t.segment) in carried)]
    segments = [figure.index(t.segment) for t in chosen]
    points = [np.array(t.point) for t in chosen]
    if len(points) < 2:  # no sole to see: its frame, its centre of mass, its toes
        segments += [n, n, *carried[1:]]
        points += [np.zeros(3), figure.segments[n].com, *(np.zeros(3) for _ in carried[1:])]
    order = np.argsort(_along(figure, n, segments, points), kind="stable")
    return Foot(name, side, n, np.array(segments)[order], np.array(points)[order])


def _along(figure: Figure, foot: int, segments: list[int], points: list[Array]) -> list[float]:
    """Return how far forward in the foot points lie [m], with all joints neutral."""
    R, p = forward_kinematics(figure, figure.neutral())
    return [float((R[foot].T @ (R[k] @ x + p[k] - p[foot]))[0]) for k, x in zip(segments, points, strict=True)]


def foot_points(foot: Foot, rotation: Array, position: Array) -> Array:
    """Return the points of a sole in the world [m], (..., points, 3), from the poses of all segments."""
    turned = (rotation[..., foot.segments, :, :] @ foot.points[:, :, None])[..., 0]
    return np.asarray(turned + position[..., foot.segments, :])
