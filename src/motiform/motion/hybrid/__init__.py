"""Event-driven simulation of figures with contacts, time-stepping for many contacts, and figures with matter."""

from motiform.motion.hybrid.bodies import add_body, body_segments, start_bodies
from motiform.motion.hybrid.matter.parts import Attachment, FigureInMatter, SegmentSolid

__all__ = ["Attachment", "FigureInMatter", "SegmentSolid", "add_body", "body_segments", "start_bodies"]
