"""Vertices of a rigged surface by dual quaternions, one vertex at one sample for each index."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel
from motiform.spatial.algebra import add, axpy, cross, scale

__all__ = ["pose_vertices"]


@inline
def _turned(w, u, p):
    """Return p turned by the unit quaternion (w, u): p + 2 u × (u × p + w p)."""
    return axpy(2.0, cross(u, axpy(w, p, cross(u, p))), p)


@kernel
def pose_vertices(i, count, rest, joint, weight, motions, out):
    """Blend the motions of a vertex's segments and move it by the unit dual quaternion that results [Kavan08].

    motions: (samples, segments, 8), real and dual part of each; one whose real part points against that of the first
    segment, the heaviest, is taken with the other sign: both are the same motion.
    """
    sample, v = i // count, i % count
    first = joint[v, 0]
    a, b, c, d = (
        motions[sample, first, 0], motions[sample, first, 1], motions[sample, first, 2], motions[sample, first, 3],
    )  # fmt: skip
    r0 = r1 = r2 = r3 = d0 = d1 = d2 = d3 = 0.0
    for k in range(4):
        w, s = weight[v, k], joint[v, k]
        if w > 0.0:
            x, y, z, t = motions[sample, s, 0], motions[sample, s, 1], motions[sample, s, 2], motions[sample, s, 3]
            if a * x + b * y + c * z + d * t < 0.0:
                w = -w
            r0, r1, r2, r3 = r0 + w * x, r1 + w * y, r2 + w * z, r3 + w * t
            d0 += w * motions[sample, s, 4]
            d1 += w * motions[sample, s, 5]
            d2 += w * motions[sample, s, 6]
            d3 += w * motions[sample, s, 7]
    size = 1.0 / math.sqrt(r0 * r0 + r1 * r1 + r2 * r2 + r3 * r3)
    w, u = r0 * size, (r1 * size, r2 * size, r3 * size)
    e0, e = d0 * size, (d1 * size, d2 * size, d3 * size)
    # Shift 2 (w e − e₀ u + u × e): the vector part of 2 dual · conj(real).
    shift = scale(2.0, add(axpy(w, e, scale(-e0, u)), cross(u, e)))
    p = add(_turned(w, u, (rest[v, 0], rest[v, 1], rest[v, 2])), shift)
    out[sample, v, 0], out[sample, v, 1], out[sample, v, 2] = p
