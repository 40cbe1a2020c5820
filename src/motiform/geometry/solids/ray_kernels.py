"""Rays and convex solids: what the kinds share.

A convex solid is met along an interval (enter, exit) of the ray o + t d, |d| = 1; enter > exit where it is missed.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import routine
from motiform.geometry.search.bvh_kernels import inverse
from motiform.spatial.algebra import axpy, dot

__all__ = ["ball_interval", "roots", "slab"]


@routine
def roots(b, c, square):
    """Return both roots −b ∓ √square of t² + 2bt + c, each without cancellation."""
    if square < 0.0:
        return np.inf, -np.inf
    s = math.sqrt(square)
    if b < 0.0:
        return c / (s - b), s - b
    q = -b - s
    return q, (c / q if q < 0.0 else 0.0)


@routine
def slab(o, d, half):
    """|o + t d| ≤ half, along one axis."""
    n = inverse(d)
    a, b = (-half - o) * n, (half - o) * n
    return min(a, b), max(a, b)


@routine
def ball_interval(o, d, r):
    """|o + t d| = r: t² + 2 (o·d) t + o·o − r² = 0; the discriminant from the distance between ray and centre."""
    b = dot(o, d)
    away = axpy(-b, d, o)
    return roots(b, dot(o, o) - r * r, r * r - dot(away, away))
