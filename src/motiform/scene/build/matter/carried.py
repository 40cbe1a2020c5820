"""What holds the networks of a scene and its figures together."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import SceneError, closest
from motiform.geometry import Compound
from motiform.motion.coupled.parts import Attachment, SegmentSolid
from motiform.motion.matter import Network
from motiform.motion.tree import Figure, forward_kinematics
from motiform.spatial import Transform

__all__ = ["Carriers", "Matter"]


@dataclass(frozen=True)
class Matter:
    """The networks of a scene as one, and what holds them and a figure together."""

    network: Network
    contacts: tuple[SegmentSolid, ...] = ()
    attachments: tuple[Attachment, ...] = ()


class Carriers:
    """Segments that carry solids and points, and those that they carry."""

    def __init__(self, figure: Figure | None, q: np.ndarray | None) -> None:
        self.figure = figure
        self.frames = None if figure is None or q is None else forward_kinematics(figure, q)
        self.contacts: list[SegmentSolid] = []
        self.attachments: list[Attachment] = []

    def frame(self, segment: str, where: str) -> Transform:
        """Return where a segment is at the start."""
        names = () if self.figure is None else self.figure.names
        if self.figure is None or self.frames is None or segment not in names:
            allowed = ", ".join(names) or "none: the scene has neither figures nor bodies"
            raise SceneError(
                "no such segment", where=where, got=segment, allowed=allowed, remedy=closest(segment, names)
            )
        n = self.figure.index(segment)
        return Transform(self.frames[0][n], self.frames[1][n])

    def check_tag(self, name: str, segment: str, where: str) -> None:
        """Refuse a tag that a segment does not have."""
        assert self.figure is not None
        known = [tag.name for tag in self.figure.tags if tag.segment == segment]
        if name not in known:
            raise SceneError(
                "no such tag of the segment", where=where, got=name, allowed=", ".join(known) or "none",
                remedy=closest(name, known),
            )  # fmt: skip

    def shape(self, segment: str, where: str) -> tuple[Any, Transform]:
        """Return the shapes of a segment as one."""
        self.frame(segment, where)
        assert self.figure is not None
        parts = self.figure.segment(segment).parts
        if not parts:
            raise SceneError("the segment has no shape", where=where, got=segment, remedy="Give the solid a shape.")
        if len(parts) == 1:
            return parts[0].shape, parts[0].placement
        return Compound(tuple((part.shape, part.placement) for part in parts)), Transform.identity()
