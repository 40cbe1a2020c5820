"""Numbers that tell kernels how to fit, by their places in an array, and what became of a sample."""

__all__ = ["ACCURACY", "FINE", "KEEP", "LOST", "MOST", "NOISE", "OPTIONS", "PRIOR", "ROBUST", "SPREAD", "UNSETTLED"]

ACCURACY, ROBUST, PRIOR, KEEP, NOISE, MOST, SPREAD, OPTIONS = range(8)
"""Step of the tags at which a sample is done [m]; square of the scale of the robust loss [m²]; 1 over the variance of a
coordinate from sample to sample [1/rad²]; least weight of staying where one is [m²/rad²]; part of the residual at which
a sample is done, too; most steps; weight of coordinates that are not known in standard deviations [m²/rad²]."""

FINE, UNSETTLED, LOST = range(3)
