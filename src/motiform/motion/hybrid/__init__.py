"""Event-driven simulation of figures with contacts, time-stepping for crowded scenes, and figures in matter."""

from motiform.motion.hybrid.matter.run import Attachment, SegmentSolid, simulate_coupled
from motiform.motion.hybrid.run import simulate_hybrid

__all__ = ["Attachment", "SegmentSolid", "simulate_coupled", "simulate_hybrid"]
