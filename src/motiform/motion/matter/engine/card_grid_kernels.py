"""The step of masses that grids pull, for a GPU: every link is worked out at both of its ends, and nothing of it kept.

Its distance a step before is that of the positions before, to the bit; these are not replaced, since others read them.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel
from motiform.motion.run.options import LOST

__all__ = ["step_grid"]


@inline
def _pull(x, before, j, px, py, pz, bx, by, bz, stiffness, damping, rest):
    """Return the pull of the link to mass j on one that is at p and was at b."""
    dx, dy, dz = x[0, j] - px, x[1, j] - py, x[2, j] - pz
    ex, ey, ez = before[0, j] - bx, before[1, j] - by, before[2, j] - bz
    d, earlier = math.sqrt(dx * dx + dy * dy + dz * dz), math.sqrt(ex * ex + ey * ey + ez * ez)
    s = (stiffness * (d - rest) + damping * (d - earlier)) / d
    return s * dx, s * dy, s * dz


@kernel
def step_grid(
    n, pad, step, x, before, after, whole, real, there, stencils, forces, given, mobility, gravity, bad
):  # fmt: skip
    """Take the step of a mass that only grids and given forces pull; note the first step at which one is lost."""
    m = pad + n
    i = ix(m)
    px, py, pz, bx, by, bz = x[0, i], x[1, i], x[2, i], before[0, i], before[1, i], before[2, i]
    fx, fy, fz = 0.0, 0.0, 0.0
    if given != 0:
        fx, fy, fz = forces[0, i], forces[1, i], forces[2, i]
    for q in range(stencils):
        if whole[q, 0] <= m and m < whole[q, 1]:
            offset, l = whole[q, 2], whole[q, 3] + m
            k, z, rest = real[q, 0], real[q, 1], real[q, 2]
            if there[ix(l)] != 0:
                gx, gy, gz = _pull(x, before, ix(m + offset), px, py, pz, bx, by, bz, k, z, rest)
                fx, fy, fz = fx + gx, fy + gy, fz + gz
            if there[ix(l - offset)] != 0:
                gx, gy, gz = _pull(x, before, ix(m - offset), px, py, pz, bx, by, bz, k, z, rest)
                fx, fy, fz = fx + gx, fy + gy, fz + gz
    forces[0, i], forces[1, i], forces[2, i] = fx, fy, fz
    w = mobility[i]
    falls = 1.0 if w > 0.0 else 0.0
    ax = 2.0 * px - bx + (w * fx + falls * gravity[0])
    ay = 2.0 * py - by + (w * fy + falls * gravity[1])
    az = 2.0 * pz - bz + (w * fz + falls * gravity[2])
    after[0, i], after[1, i], after[2, i] = ax, ay, az  # [Habibi97 1.6]
    if not (abs(ax) < LOST and abs(ay) < LOST and abs(az) < LOST) and bad[0] < 0:
        bad[0] = step  # all writers of this step write the same value
