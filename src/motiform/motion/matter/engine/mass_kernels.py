"""Kernels of masses: each gathers what pulls it, and moves [Habibi97 1.6].

Positions x[axis, mass] are those of this sample, `before` those of the sample before it, which the next ones replace:
nobody else reads them.
"""

# mypy: disable-error-code="no-untyped-def, assignment"

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel
from motiform.motion.matter.engine.link_kernels import law_range, law_tension, load_law
from motiform.motion.run.options import LOST

__all__ = [
    "add_aside", "add_forces", "clear", "clear_runs", "extrapolate_run", "impose", "move_masses", "move_runs",
    "slow_forces",
]  # fmt: skip


_RUN = 64  # masses that are looked at together: a floor does nothing where none of them is near


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
def add_aside(i, forces, pushed, aside):
    """Add the forces that were put aside for some masses."""
    for axis in range(3):
        forces[axis, pushed[i]] += aside[axis, pushed[i]]


@kernel
def slow_forces(i, where, x, before, mass, drag, gravity, air, gain, per_step, forces):
    """Add gravity and drag of a mass at a sub-rate: so much stronger at its turn, none else; all have gravity once."""
    m = where[i]
    for axis in range(3):
        speed = (x[axis, m] - before[axis, m]) * per_step - air[axis]
        forces[axis, m] += (gain - 1.0) * (mass[i] * gravity[axis]) - gain * (drag[i] * speed)


@kernel
def impose(i, x, moved, values):
    """Set the prescribed positions of imposed points."""
    for axis in range(3):
        x[axis, moved[i]] = values[i, axis]


@inline
def _both(x, axis, n, offset, ahead, behind):
    """Return what the two links of a direction pull a mass with, along an axis."""
    place = x[axis, ix(n)]
    return ahead * (x[axis, ix(n + offset)] - place) + behind * (x[axis, ix(n - offset)] - place)


@inline
def _move(low, high, step, x, before, forces, given, air, m):
    """Gather the forces on a run of masses and take a step; note the first step at which one is lost."""
    whole, pull, stencils, per_step = m.whole, m.pull, m.stencils, m.frequency
    if given == 0:
        for axis in range(3):
            for i in range(low, high):
                forces[axis, ix(i)] = 0.0
    q = 0
    while q < stencils:
        first, last = max(low, whole[q, 0]), min(high, whole[q, 1])
        o1, s1 = whole[q, 2], whole[q, 3]
        if q + 2 < stencils and whole[q + 2, 0] == whole[q, 0]:  # three of one grid: forces are fetched once for all
            o2, s2, o3, s3 = whole[q + 1, 2], whole[q + 1, 3], whole[q + 2, 2], whole[q + 2, 3]
            for n in range(first, last):
                a, b = pull[ix(s1 + n)], pull[ix(s1 + n - o1)]
                c2, d2 = pull[ix(s2 + n)], pull[ix(s2 + n - o2)]
                c3, d3 = pull[ix(s3 + n)], pull[ix(s3 + n - o3)]
                forces[0, ix(n)] += _both(x, 0, n, o1, a, b) + _both(x, 0, n, o2, c2, d2) + _both(x, 0, n, o3, c3, d3)
                forces[1, ix(n)] += _both(x, 1, n, o1, a, b) + _both(x, 1, n, o2, c2, d2) + _both(x, 1, n, o3, c3, d3)
                forces[2, ix(n)] += _both(x, 2, n, o1, a, b) + _both(x, 2, n, o2, c2, d2) + _both(x, 2, n, o3, c3, d3)
            q += 3
        else:
            for n in range(first, last):
                a, b = pull[ix(s1 + n)], pull[ix(s1 + n - o1)]
                for axis in range(3):
                    forces[axis, ix(n)] += _both(x, axis, n, o1, a, b)
            q += 1
    starts, arms, signs, radial = m.starts, m.arms, m.signs, m.radial
    if starts.shape[0] > 1:
        for n in range(low, high):
            i, k = ix(n), ix(n - m.pad)
            fx, fy, fz = forces[0, i], forces[1, i], forces[2, i]
            px, py, pz = x[0, i], x[1, i], x[2, i]
            for b in range(starts[k], radial[k]):  # along the line to the other end
                j, s = ix(arms[ix(b), 0]), pull[ix(arms[ix(b), 1])]
                fx += s * (x[0, j] - px)
                fy += s * (x[1, j] - py)
                fz += s * (x[2, j] - pz)
            for b in range(radial[k], starts[k + ix(1)]):  # along an axis
                axis, f = arms[ix(b), 0], signs[ix(b)] * pull[ix(arms[ix(b), 1])]
                fx += f if axis == 0 else 0.0
                fy += f if axis == 1 else 0.0
                fz += f if axis == 2 else 0.0
            forces[0, i], forces[1, i], forces[2, i] = fx, fy, fz
    floors = m.floors
    for f in range(m.floor_count):
        axis, side, place, law = floors[f, 2], floors[f, 3], m.floor_places[f], load_law(m.floor_laws, f)
        first, last, far = max(low, floors[f, 0]), min(high, floors[f, 1]), law_range(law)
        for start in range(first, last, _RUN):
            end, near = min(start + _RUN, last), 0
            for n in range(start, end):
                near += 1 if side * (x[axis, ix(n)] - place) < far else 0
            if near > 0:
                for n in range(start, end):
                    i = ix(n)
                    d, rate = side * (x[axis, i] - place), side * ((x[axis, i] - before[axis, i]) * per_step)
                    forces[axis, i] -= side * law_tension(law, d, rate)
    lost, mobility, drag, free, bad = 0, m.mobility, m.drag, m.free, m.bad
    for axis in range(3):
        bit, g, wind = 1 << axis, m.gravity[axis], air[axis]
        if m.plain != 0:  # no drag, and all move along every axis
            for n in range(low, high):
                i = ix(n)
                w = mobility[i]
                place = 2.0 * x[axis, i] - before[axis, i] + (w * forces[axis, i] + (g if w > 0.0 else 0.0))
                lost += 0 if abs(place) < LOST else 1
                before[axis, i] = place  # [Habibi97 1.6]
        else:
            for n in range(low, high):
                i = ix(n)
                f = forces[axis, i] - drag[i] * ((x[axis, i] - before[axis, i]) * per_step - wind)
                forces[axis, i] = f
                w = mobility[i] if (free[i] & bit) != 0 else 0.0
                place = 2.0 * x[axis, i] - before[axis, i] + (w * f + (g if w > 0.0 else 0.0))
                lost += 0 if abs(place) < LOST else 1
                before[axis, i] = place
    if lost > 0 and bad[0] < 0:
        bad[0] = step  # all writers of this step write the same value


@kernel
def move_masses(c, step, x, before, forces, given, air, masses):
    """Take the step of a run of all masses."""
    low = masses.pad + c * masses.width
    high = min(low + masses.width, masses.pad + masses.size)
    _move(low, high, step, x, before, forces, given, air, masses)


@kernel
def move_runs(c, runs, step, x, before, forces, given, air, masses):
    """Take the step of a run of masses that are awake."""
    _move(runs[c, 0], runs[c, 1], step, x, before, forces, given, air, masses)


@kernel
def extrapolate_run(c, runs, x, before):
    """Put a run of masses that took a step, x, to where they are at their next turn, and at the sample before it."""
    k = runs[c, 2]
    for axis in range(3):
        for n in range(runs[c, 0], runs[c, 1]):
            i = ix(n)
            start, move = before[axis, i], x[axis, i] - before[axis, i]
            last, far = start + (k - 1) * move, start + k * move
            x[axis, i], before[axis, i] = (far, last) if k % 2 == 1 else (last, far)


@kernel
def clear_runs(c, runs, forces):
    """Forget the forces on a run of masses."""
    for axis in range(3):
        for n in range(runs[c, 0], runs[c, 1]):
            forces[axis, ix(n)] = 0.0
