"""Marker trials: from files of markers to postures, efforts and reports, one trial or many."""

from motiform.trials.stage import DoubtfulWarning, reconstruct

__all__ = ["DoubtfulWarning", "reconstruct"]
