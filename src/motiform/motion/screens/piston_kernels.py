"""Steps of pistons: the pressure of each column, and the horizontal masses between columns [Habibi97 §7.4.3]."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import kernel
from motiform.motion.screens.pin_kernels import padded_row

__all__ = ["find_pressure", "move_horizontal"]


@kernel
def find_pressure(e, rows, columns, dimensions, stiff, w, across, down, push, force):
    """Write −K (Δx + Δy + h) of a column, with the constant force on its pin added."""
    r, j = e // columns, e % columns
    R = padded_row(r, rows, dimensions)
    stretch = across[r, j + 1] - across[r, j] + w[R, j + 1]
    if dimensions == 2:
        stretch += down[r + 1, j] - down[r, j]
    force[r, j] = -stiff * stretch
    if push.shape[0] > 0:
        force[r, j] += push[r, j]


@kernel
def move_horizontal(e, along, columns, law, x, before, after, force, push):
    """Step a horizontal mass along the columns (along = 1) or the rows (0); law: pin over mass, K, Z, K_v, Z_v."""
    if along == 1:
        r, i = e // (columns - 1), 1 + e % (columns - 1)
        left, right = force[r, i - 1], force[r, i]
        if push.shape[0] > 0:
            left, right = left - push[r, i - 1], right - push[r, i]
        x_low, x_high, old_low, old_high = x[r, i - 1], x[r, i + 1], before[r, i - 1], before[r, i + 1]
    else:
        r, i = 1 + e // columns, e % columns
        left, right = force[r - 1, i], force[r, i]
        if push.shape[0] > 0:
            left, right = left - push[r - 1, i], right - push[r, i]
        x_low, x_high, old_low, old_high = x[r - 1, i], x[r + 1, i], before[r - 1, i], before[r + 1, i]
    now, old = x[r, i], before[r, i]
    pull = law[1] * now + law[2] * (now - old)
    bend = 2.0 * now - x_low - x_high
    pull += law[3] * bend + law[4] * (bend - (2.0 * old - old_low - old_high))
    after[r, i] = 2.0 * now - old + law[0] * (left - right) - pull
