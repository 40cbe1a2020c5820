# mypy: disable-error-code="no-untyped-def"
"""Forces of the heap of the matter bench, pair by pair: plain, serial, what peers are checked against."""

import math

import numpy as np

from motiform.base.kernels import compiled

__all__ = ["add_contacts", "add_spin_contacts"]


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


@compiled
def add_spin_contacts(
    pairs, x, v, spin, held, size, stiffness, viscosity, hold, slide, friction, step, radii, out, torque
):
    """Add the forces and torques of those pairs that touch [N, N m] to (grains, 3), and return how many touch.

    `held` is the slip of each pair [m], which is updated. `radii`: arms are radii, as in LAMMPS, whose history is only
    laid into the plane across the line; otherwise they reach to the contact, and history turns with the pair.
    """
    count = 0
    e, h, f, u, w = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for n in range(len(pairs)):
        i, j = pairs[n, 0], pairs[n, 1]
        u[:] = x[j] - x[i]
        d = math.sqrt((u * u).sum())
        if d >= size:
            held[n] = 0.0
            continue
        count += 1
        u /= d
        arm = 0.5 * size if radii else 0.5 * d
        e[:] = v[j] - v[i]
        rate = (e * u).sum()
        w[:] = arm * (spin[i] + spin[j])
        e -= rate * u + np.cross(w, u)
        h[:] = held[n]
        if not radii:
            h += 0.5 * step * np.cross(spin[i] + spin[j], held[n])
        h -= (h * u).sum() * u
        h += step * e
        normal = stiffness * (size - d) - viscosity * rate
        f[:] = hold * h + slide * e
        most, strong = friction * abs(normal), math.sqrt((f * f).sum())
        if strong > most:
            f *= most / strong
            h[:] = (f - slide * e) / hold
        held[n] = h
        out[i] += f - normal * u
        out[j] -= f - normal * u
        w[:] = arm * np.cross(u, f)
        torque[i] += w
        torque[j] += w
    return count
