"""Numbers that tell kernels how to fit, by their places in an array, and what became of a sample."""

__all__ = [
    "ACCURACY",
    "ALIGN",
    "FINE",
    "KEEP",
    "LOST",
    "MOST",
    "NOISE",
    "OPTIONS",
    "PRIOR",
    "ROBUST",
    "SPREAD",
    "UNSETTLED",
]

ACCURACY, ROBUST, PRIOR, KEEP, NOISE, MOST, SPREAD, ALIGN, OPTIONS = range(9)
"""Step of the tags at which a sample is done [m]; square of the scale of the robust loss [m²]; 1 over the variance of a
coordinate from sample to sample [1/rad²]; least weight of staying where one is [m²/rad²]; part of the residual at which
a sample is done, too; most steps; weight of coordinates that are not known in standard deviations [m²/rad²]; above 0:
a sample is first drawn to the prior along what no tag tells."""

FINE, UNSETTLED, LOST = range(3)
