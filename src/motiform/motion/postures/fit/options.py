"""Options of the fitting kernels, by their places in an array, and what became of a sample."""

__all__ = [
    "ACCURACY", "ALIGN", "EVERY", "EXACT", "FINE", "KEEP", "LOST", "MOST", "NOISE", "NOWHERE", "OPTIONS", "PRIOR",
    "ROBUST", "SEEN", "SPREAD", "THRESHOLD", "UNSETTLED",
]  # fmt: skip

ACCURACY, ROBUST, PRIOR, KEEP, NOISE, MOST, SPREAD, ALIGN, THRESHOLD, OPTIONS = range(10)
"""Step of the tags at which a sample is done [m]; square of the scale of the robust loss [m²]; 1 over the variance of a
coordinate from sample to sample [1/rad²]; least weight of staying where one is [m²/rad²]; part of the residual at which
a sample is done, too; most steps; weight of coordinates that are not known in standard deviations [m²/rad²]; along what
a sample goes to its aim; distance of tags from markers at which a sample is done, too [m]."""

NOWHERE, EVERY, SEEN = 0.0, 1.0, 2.0
"""Values of ALIGN: samples have no aim; they go there along what all tags together do not determine; along what
the visible ones do not."""

FINE, UNSETTLED, LOST = range(3)

EXACT = 1e-8
"""Distance of tags from markers [m] that is exact: a thousand times less than cameras tell. A sample that is so near
has converged, whatever its last step was."""
