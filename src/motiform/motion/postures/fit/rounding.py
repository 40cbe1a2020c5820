"""How exactly a tag can be put onto a marker: the rounding of both, below which no step can be told from noise.

With u the unit roundoff, |m| the distance of a marker from the origin, ℓ the length of the way from the root to its
tag through d segments:

- the marker, the place of the root and their sum are rounded, each by u |m| at most;
- a segment's turn is a product of up to three, each sine and cosine within u and each product of 3 × 3 numbers within
  3 √3 u: less than 19 u in all; its coordinates are rounded, up to half a turn each, by 3 π u. Each turns what follows,
  so that a tag moves by less than (19 + 3 π) u ℓ d; the sums along the way add 4 u ℓ d.

A posture whose tags are that near to their markers is as good as another. An error e of the residuals moves the tags of
Newton's step by the projection of e onto the motions of the tags, which is not longer than e: smaller steps are noise.
"""

import numpy as np

from motiform.motion.tree import Figure, forward_kinematics, tags
from motiform.motion.tree.model.joint import Array

__all__ = ["chain_rounding", "sample_rounding"]

_U = 0.5 * np.finfo(float).eps
_OUTSIDE = 3.0
"""Roundings of a marker's size: its own, the root's and that of their sum."""
_TURN = 19.0 + 3.0 * np.pi + 4.0
"""Roundings of the way to a tag for each segment in it."""


def chain_rounding(figure: Figure, q: Array) -> Array:
    """Return how far rounding moves each tag relative to its root [m], (tags,): d and ℓ are those at a posture."""
    places = np.asarray(forward_kinematics(figure, q)[1])
    ways, depths = np.zeros(len(figure.segments)), np.zeros(len(figure.segments))
    for n in range(len(figure.segments)):
        parent = figure.parent_index(n)
        depths[n] = 1.0
        if parent >= 0:
            ways[n] = ways[parent] + np.linalg.norm(places[n] - places[parent])
            depths[n] += depths[parent]
    own = np.array([figure.index(tag.segment) for tag in figure.tags])
    last = np.linalg.norm(tags(figure, q) - places[own], axis=1)
    return np.asarray(_U * _TURN * depths[own] * (ways[own] + last))


def sample_rounding(chain: Array, weights: Array, markers: Array) -> Array:
    """Return the root of the mean square rounding of the visible markers of each sample [m], (samples,).

    weights (tags,), or (samples, tags).
    """
    size = np.linalg.norm(markers, axis=-1)
    seen = np.isfinite(size) & (weights > 0)
    own = np.where(seen, _OUTSIDE * _U * np.nan_to_num(size) + chain, 0.0)
    return np.asarray(np.sqrt((own**2 * weights).sum(-1) / np.maximum((seen * weights).sum(-1), np.finfo(float).tiny)))
