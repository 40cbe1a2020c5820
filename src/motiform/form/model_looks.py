"""From models to their looks."""

from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.form.looks import LinesLook, Looks, PointsLook
from motiform.form.looks.plain import PartLook

if TYPE_CHECKING:
    from motiform.geometry.maps import Cover
    from motiform.motion.bodies import Bodies
    from motiform.motion.bones import Wrist
    from motiform.motion.contact import Contacts
    from motiform.motion.coupled.parts import SegmentSolid
    from motiform.motion.matter import Network
    from motiform.motion.screens import Screen, Screens
    from motiform.motion.tree import Figure

__all__ = ["looks_of", "marker_looks"]


def looks_of(
    model: "Bodies | Figure | Network | Wrist | Cover | Screen | Screens",
    *others: "Contacts | Network | SegmentSolid | Cover",
) -> Looks:  # fmt: skip
    """Return how a model is drawn, together with others that go with it.

    ``looks_of(bodies)``, ``looks_of(network)``, ``looks_of(wrist)``, ``looks_of(screen)``, ``looks_of(figure)``,
    ``looks_of(figure, contacts)``, ``looks_of(figure, network, *solids)``,
    ``looks_of(wrist, wrist.bones["lunate"].cover)``, ``looks_of(cover)``. Shapes and colors are those of the model;
    `matter.GroupLook` and `NetworkBuilder.look` choose those of networks.
    """
    from motiform.form.models import LOOKS

    looks = Looks()
    for thing in (model, *others):
        found = next((make for kind, make in LOOKS.items() if isinstance(thing, kind)), None)
        if found is None:
            allowed = ", ".join(kind.__name__ for kind in LOOKS)
            raise InputError("this type has no looks", got=type(thing).__name__, allowed=allowed)
        looks |= found(thing, model)
    return looks


def marker_looks(figure: "Figure") -> Looks:
    """Return the channels "markers" and "tags" as balls, with a line between the two of a pair.

    A figure whose segments have no shapes is drawn by lines from joint to joint.
    """
    from motiform.motion.tree import tag_positions

    if not figure.tags:
        raise InputError("the figure must have tags", remedy="Add them with FigureBuilder.tag.")
    size = float(np.linalg.norm(np.ptp(tag_positions(figure, figure.neutral()), axis=0))) or 1.0
    found: dict[str, PartLook] = {}
    if not any(segment.parts for segment in figure.segments):
        for segment in figure.segments:
            if segment.parent is not None:
                ends = (f"{segment.parent}.position", f"{segment.name}.position")
                stick = LinesLook(lines=ends, radius=0.005 * size, color=(0.72, 0.72, 0.75), beads=24)
                found[f"stick {segment.name}"] = stick
    found["markers"] = PointsLook(points="markers", radius=0.0075 * size, color=(0.05, 0.35, 0.85))
    found["tags"] = PointsLook(points="tags", radius=0.005 * size, color=(0.95, 0.45, 0.05))
    found["errors"] = LinesLook(lines=("markers", "tags"), radius=0.002 * size, color=(0.1, 0.1, 0.12))
    return Looks(found)
