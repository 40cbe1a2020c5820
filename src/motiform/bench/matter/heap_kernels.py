# mypy: disable-error-code="no-untyped-def"
"""Forces of the heap of the matter bench, pair by pair: plain, serial, what peers are checked against."""

import math

from motiform.base.kernels import compiled

__all__ = ["add_contacts"]


@compiled
def add_contacts(pairs, x, v, size, stiffness, viscosity, slide, friction, out):
    """Add the forces of those pairs that touch [N] to out, (grains, 3), and return how many touch."""
    count = 0
    for n in range(len(pairs)):
        i, j = pairs[n, 0], pairs[n, 1]
        ux, uy, uz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        d2 = ux * ux + uy * uy + uz * uz
        if d2 >= size * size:
            continue
        count += 1
        d = math.sqrt(d2)
        ux, uy, uz = ux / d, uy / d, uz / d
        wx, wy, wz = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2]
        rate = wx * ux + wy * uy + wz * uz
        wx, wy, wz = wx - rate * ux, wy - rate * uy, wz - rate * uz
        normal = stiffness * (size - d) - viscosity * rate
        speed = math.sqrt(wx * wx + wy * wy + wz * wz)
        drag = min(friction * abs(normal), slide * speed) / speed if speed > 0 else 0.0
        for axis, f in enumerate((normal * ux - drag * wx, normal * uy - drag * wy, normal * uz - drag * wz)):
            out[i, axis] -= f
            out[j, axis] += f
    return count
