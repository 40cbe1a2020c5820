"""Energy–momentum steps of rigid bodies on the rotation group [SimoWong91]."""

# mypy: disable-error-code="no-untyped-def"

import math
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.kernels import inline, kernel
from motiform.motion.bodies.columns import NOT_CONVERGED, NOT_FINITE, OK
from motiform.motion.bodies.force_kernels import at3, put_state, spring_load
from motiform.motion.bodies.step_kernels import (
    MOST_SWEEPS,
    first_turn,
    is_finite,
    load_state,
    mean_load,
    midpoint_end,
    pose_change,
    settled,
    write_sample,
)
from motiform.spatial.algebra import add
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.bodies.drive import CoupledBodies


@inline
def _midpoint(i, t, h, s0, bodies, env, starts, loads):
    """Return the end of an energy–momentum step, by sweeps over its mean load, and whether they settled."""
    x, r, p, ell = s0
    s1, done, before = s0, False, math.inf
    theta = first_turn(i, h, r, ell, bodies)
    for _ in range(MOST_SWEEPS):
        mean_r, f, q = mean_load(i, t, h, s0, s1, bodies, env, starts, loads)
        end, theta, fine = midpoint_end(i, h, x, r, p, ell, mean_r, f, q, theta, bodies)
        change = pose_change(i, bodies, s1, end)
        s1, done, before = end, fine and settled(change, before), change
        if done:
            break
    return s1, done


@kernel
def advance(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take energy–momentum steps on the group."""
    s = load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        good = True
        for k in range(steps):
            s, fine = _midpoint(i, (first + n) * interval + k * h, h, s, bodies, env, starts, loads)
            good = good and fine
        write_sample(history, n, i, status, s, good)
    put_state(y, i, s[0], s[1], s[2], s[3])


@kernel
def midpoint_sweep(i, t, h, y0, y1, bodies, env, starts, loads, ends, partners, springs, given, out, change, status):
    """Find the end of an energy–momentum step anew, from the load between its start y0 and its last end y1."""
    s0, s1 = load_state(y0, i), load_state(y1, i)
    x, r, p, ell = s0
    mean_r, f, q = mean_load(i, t, h, s0, s1, bodies, env, starts, loads)
    fs, qs = spring_load(i, y0, y1, bodies, ends, partners, springs)
    f, q = add(add(f, fs), at3(given, i, 0)), add(add(q, qs), at3(given, i, 3))
    guess = first_turn(i, h, r, ell, bodies)
    end, _, fine = midpoint_end(i, h, x, r, p, ell, mean_r, f, q, guess, bodies)
    put_state(out, i, end[0], end[1], end[2], end[3])
    change[i] = pose_change(i, bodies, s1, end)
    status[i] = (OK if fine else NOT_CONVERGED) if is_finite(end) else NOT_FINITE


def step(system: "CoupledBodies", t: float, rows: Array, h: float, status: Array) -> Array:
    """Return the state after one step of bodies that act on one another, by sweeps over their mean loads."""
    n = len(rows)
    last, end, change, before = rows.copy(), np.empty_like(rows), np.empty(n), np.inf
    for _ in range(MOST_SWEEPS):
        given = system.ask(t + h / 2, 0.5 * (rows + last)) if system.forces else system.given
        system.launch(midpoint_sweep, n, t, h, rows, last, *system.constants, given, end, change, status)
        last, end = end, last
        now = float(change.max())
        if status.any() or settled.py_func(now, before):
            return last
        before = now
    status[int(np.argmax(change))] = NOT_CONVERGED
    return last
