"""Marker trials: from files of markers to postures, efforts and reports, one trial or many, or those of a session."""

from motiform.trials.sessions import Session, session
from motiform.trials.stage import DoubtfulWarning, reconstruct

__all__ = ["DoubtfulWarning", "Session", "reconstruct", "session"]
