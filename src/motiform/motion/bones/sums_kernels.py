"""Gradient and Hessian of a sum of squares over the free bodies, for kernels.

A body is a set of bones that move together. Its small motion is a twist (ω, v) in the axes of the radius about the
body's centre c: a point X moves by ω × (X − c) + v. A row is the derivative of a length with regard to such a twist,
((X − c) × n, n) for a point X that counts along n.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.spatial.algebra import cross, dot, sub

__all__ = ["add_force", "add_stiffness", "add_turning", "row"]


@inline
def row(point, center, direction):
    """Return ((X − c) × n, n)."""
    turn = cross(sub(point, center), direction)
    return turn[0], turn[1], turn[2], direction[0], direction[1], direction[2]


@routine
def add_force(gradient, slot, force, w):
    """Add force · w to the gradient of the body in this slot; bodies that are not free have −1."""
    if slot >= 0:
        for k in range(6):
            gradient[6 * slot + k] += force * w[k]


@routine
def add_stiffness(hessian, first, second, stiffness, w, z):
    """Add stiffness · w zᵀ to the block (first, second) of the Hessian."""
    if first >= 0 and second >= 0:
        for k in range(6):
            s = stiffness * w[k]
            for n in range(6):
                hessian[6 * first + k, 6 * second + n] += s * z[n]


@routine
def add_turning(hessian, slot, force, point, center, direction):
    """Add F [½ (n rᵀ + r nᵀ) − (n·r) 1]: what a length gains along n by ½ ω × (ω × r), r from the centre."""
    if slot >= 0:
        r = sub(point, center)
        level = dot(direction, r)
        for i in range(3):
            for j in range(3):
                half = 0.5 * (direction[i] * r[j] + r[i] * direction[j])
                hessian[6 * slot + i, 6 * slot + j] += force * (half - (level if i == j else 0.0))
