"""Kernels of masses: each gathers what pulls it, and moves [Habibi97 1.6].

Positions x[axis, mass] are those of this sample, `before` those of the sample before it, which the next ones replace:
nobody else reads them.
"""

# mypy: disable-error-code="no-untyped-def, assignment"

from numba import uint64 as ix

from motiform.base.kernels import kernel

__all__ = ["add_forces", "clear", "impose", "move_masses"]

_HUGE = 1e100  # [m] nothing that is simulated is there: the run has diverged


@kernel
def clear(c, width, forces):
    """Forget the forces on a run of masses."""
    for axis in range(3):
        for i in range(c * width, min((c + 1) * width, forces.shape[1])):
            forces[axis, ix(i)] = 0.0


@kernel
def add_forces(i, forces, pushed, values):
    """Add forces on some masses, each named once."""
    for axis in range(3):
        forces[axis, pushed[i]] += values[i, axis]


@kernel
def impose(i, x, moved, values):
    """Put points where they are told to be."""
    for axis in range(3):
        x[axis, moved[i]] = values[i, axis]


@kernel
def move_masses(
    c, width, pad, masses, step, x, before, forces, given, mobility, free, gravity, drag, air, whole, stencils, pull,
    starts, arms,
    signs, radial, per_step, bad,
):  # fmt: skip
    """Gather the forces on masses and take a step; note the first step at which one is lost."""
    low, high = pad + c * width, min(pad + (c + 1) * width, pad + masses)
    if given == 0:
        for axis in range(3):
            for i in range(low, high):
                forces[axis, ix(i)] = 0.0
    for q in range(stencils):
        offset, start = whole[q, 2], whole[q, 3]
        for n in range(max(low, whole[q, 0]), min(high, whole[q, 1])):
            i, j, h = ix(n), ix(n + offset), ix(n - offset)
            s, t = pull[ix(start + n)], pull[ix(start + n - offset)]
            forces[0, i] += s * (x[0, j] - x[0, i]) + t * (x[0, h] - x[0, i])
            forces[1, i] += s * (x[1, j] - x[1, i]) + t * (x[1, h] - x[1, i])
            forces[2, i] += s * (x[2, j] - x[2, i]) + t * (x[2, h] - x[2, i])
    if starts.shape[0] > 1:
        for n in range(low, high):
            i, m = ix(n), ix(n - pad)
            fx, fy, fz = forces[0, i], forces[1, i], forces[2, i]
            px, py, pz = x[0, i], x[1, i], x[2, i]
            for b in range(starts[m], radial[m]):  # along the line to the other end
                j, s = ix(arms[ix(b), 0]), pull[ix(arms[ix(b), 1])]
                fx += s * (x[0, j] - px)
                fy += s * (x[1, j] - py)
                fz += s * (x[2, j] - pz)
            for b in range(radial[m], starts[m + ix(1)]):  # along an axis
                axis, f = arms[ix(b), 0], signs[ix(b)] * pull[ix(arms[ix(b), 1])]
                fx += f if axis == 0 else 0.0
                fy += f if axis == 1 else 0.0
                fz += f if axis == 2 else 0.0
            forces[0, i], forces[1, i], forces[2, i] = fx, fy, fz
    lost = 0
    for axis in range(3):
        bit, g, wind = 1 << axis, gravity[axis], air[axis]
        for n in range(low, high):
            i = ix(n)
            moved = x[axis, i] - before[axis, i]
            f = forces[axis, i] - drag[i] * (moved * per_step - wind)  # [N]
            forces[axis, i] = f
            w = mobility[i] if (free[i] & bit) != 0 else 0.0
            h = g if w > 0.0 else 0.0
            place = 2.0 * x[axis, i] - before[axis, i] + (w * f + h)  # [Habibi97 1.6]
            lost += 0 if abs(place) < _HUGE else 1
            before[axis, i] = place
    if lost > 0 and bad[0] < 0:
        bad[0] = step  # whoever writes it in this step writes the same
