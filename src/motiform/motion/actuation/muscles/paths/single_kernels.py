"""All paths of a figure in one posture, in one call from Python.

The same routines as for many postures run on the same kind of arrays, so the results have the same bits.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, routine, typed_entry
from motiform.motion.actuation.muscles.paths import columns as path_columns
from motiform.motion.actuation.muscles.paths.kernels import path_line
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero, write_axes, write_pose
from motiform.motion.tree.model import actuation_columns as asked
from motiform.motion.tree.model import columns as tree
from motiform.motion.tree.model.actuation import ACTUATOR

__all__ = ["fill_lines", "muscle_paths", "one_path_state"]

_1, _2 = "float64[::1]", "float64[:, ::1]"


@routine
def path_states(body, numbers, ints, floats, q, work, poses, twists, lines, lengths, arms, reports):
    """Write lines, lengths, moment arms and reports of all paths in a posture (1, nq)."""
    W, b = one_state(work), state_zero(body)
    place(body, numbers, q.T, W, b, W, b)
    P, T = poses.T, twists.T
    for i in range(body[tree.SEGMENTS]):
        write_pose(body, i, b, W, b, P)
    write_axes(body, b, W, b, T)
    for m in range(ints[path_columns.PATHS]):
        path_line(ints, floats, poses, twists, q, b, m, lines, m, lengths, arms, reports)


@entry(
    f"void(int64[::1], {_1}, int64[::1], {_1}, {_2}, {_1}, {_2}, {_2}, {_2}, {_2}, float64[:, :, ::1], int64[:, ::1])"
)
def one_path_state(body, numbers, ints, floats, q, work, poses, twists, lines, lengths, arms, reports):
    """Write what `path_states` writes, from Python; `body` and `numbers` are those of the figure."""
    path_states(body, numbers, ints, floats, q, work, poses, twists, lines, lengths, arms, reports)


@entry(f"void({_2}, int64[::1], float64[:, :, ::1])")
def fill_lines(entries, counts, lines):
    """Write the corners of all paths in all postures, as many in each: the longest part is halved until there are."""
    for e in range(entries.shape[0] if counts.shape[0] > 0 else 0):
        s, m = e // counts.shape[0], e % counts.shape[0]
        first = 0
        for k in range(m):
            first += counts[k]
        n, count = int(entries[e, 0]), counts[m]
        for k in range(min(n, count)):
            for j in range(3):
                lines[s, first + k, j] = entries[e, 4 * k + 1 + j]
        while n < count:
            longest, place = -1.0, 0
            for k in range(n - 1):
                x = lines[s, first + k + 1, 0] - lines[s, first + k, 0]
                y = lines[s, first + k + 1, 1] - lines[s, first + k, 1]
                z = lines[s, first + k + 1, 2] - lines[s, first + k, 2]
                part = math.sqrt(x * x + y * y + z * z)
                if part > longest:
                    longest, place = part, k
            for k in range(n - 1, place, -1):
                for j in range(3):
                    lines[s, first + k + 1, j] = lines[s, first + k, j]
            for j in range(3):
                lines[s, first + place + 1, j] = 0.5 * (lines[s, first + place, j] + lines[s, first + place + 2, j])
            n += 1


@typed_entry(*ACTUATOR)
def muscle_paths(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """The geometry of muscles along paths: lengths, and moment arms (paths, nv) in place of forces.

    What was found last holds as long as the figure stands still.
    """
    bodies, numbers, nq, segments, nv, room, rows = ints[0], ints[1], ints[2], ints[3], ints[4], ints[5], ints[6]
    n = out.shape[0]
    known, found = work[:nq], work[nq : nq + n * (1 + nv)]
    moved = False
    for k in range(nq):
        moved = moved or known[ix(k)] != q[ix(k)]
    if moved:
        for k in range(nq):
            known[ix(k)] = q[ix(k)]
        found[:] = 0.0
        a = nq + n * (1 + nv)
        b, c = a + room, a + room + 12 * segments
        d, e = c + 6 * nv, c + 6 * nv + n * rows
        path_states(
            ints[7 : 7 + bodies],
            floats[:numbers],
            ints[7 + bodies :],
            floats[numbers:],
            known.reshape(1, nq),
            work[a:b],
            work[b:c].reshape(1, 12 * segments),
            work[c:d].reshape(1, 6 * nv),
            work[d:e].reshape(n, rows),
            found[:n].reshape(1, n),
            found[n:].reshape(1, n, nv),
            work[e : e + n].reshape(1, n),
        )
    for k in range(n):
        out[ix(k)] = found[ix(k)]
    for k in range(n * nv):
        tau[ix(k)] = found[ix(n + k)]
    return asked.OK
