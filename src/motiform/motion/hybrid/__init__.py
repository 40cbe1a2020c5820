"""Event-driven simulation of figures with contacts, time-stepping for crowded scenes, and figures in matter."""

from motiform.motion.hybrid.matter.parts import Attachment, FigureInMatter, SegmentSolid

__all__ = ["Attachment", "FigureInMatter", "SegmentSolid"]
