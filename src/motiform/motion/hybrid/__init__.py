"""Event-driven simulation of figures with contacts, and time-stepping for long or crowded scenes."""

from motiform.motion.hybrid.run import simulate_hybrid

__all__ = ["simulate_hybrid"]
