"""Figures coupled with matter."""

from motiform.motion.coupled.parts import Attachment, FigureInMatter, SegmentSolid

__all__ = ["Attachment", "FigureInMatter", "SegmentSolid"]
