"""Marker trials: from files of markers to postures, efforts and reports, one trial or many."""

from motiform.base.doors import open_doors
from motiform.trials.stage import reconstruct

__all__ = ["reconstruct"]

open_doors(globals())
