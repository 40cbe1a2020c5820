"""Symplectic Euler steps of rigid bodies on the rotation group."""

# mypy: disable-error-code="no-untyped-def"

from typing import TYPE_CHECKING

import numpy as np

from motiform.base.kernels import kernel
from motiform.motion.bodies.columns import NOT_CONVERGED, NOT_FINITE, OK
from motiform.motion.bodies.force_kernels import angular_velocity, at3, linear_velocity, put_state, spring_load, wrench
from motiform.motion.bodies.step_kernels import is_finite, kicked, load_state, write_sample
from motiform.spatial.algebra import add
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.bodies.drive import CoupledBodies


@kernel
def advance(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take symplectic Euler steps on the group."""
    s = load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        good = True
        for k in range(steps):
            x, r, p, ell = s
            w = angular_velocity(i, bodies, r, ell)
            v = linear_velocity(i, bodies, r, p, w)
            t = (first + n) * interval + k * h
            f, q = wrench(i, t, t + 0.5 * h, x, r, v, w, bodies, env, starts, loads)
            s, fine = kicked(i, h, x, r, p, ell, f, q, bodies)
            good = good and fine
        write_sample(history, n, i, status, s, good)
    put_state(y, i, s[0], s[1], s[2], s[3])


@kernel
def kick_drift(i, t, h, y, bodies, env, starts, loads, ends, partners, springs, given, out, status):
    """Take one symplectic Euler step."""
    x, r, p, ell = load_state(y, i)
    w = angular_velocity(i, bodies, r, ell)
    v = linear_velocity(i, bodies, r, p, w)
    f, q = wrench(i, t, t + 0.5 * h, x, r, v, w, bodies, env, starts, loads)
    fs, qs = spring_load(i, y, y, bodies, ends, partners, springs)
    f, q = add(add(f, fs), at3(given, i, 0)), add(add(q, qs), at3(given, i, 3))
    (x, r, p, ell), fine = kicked(i, h, x, r, p, ell, f, q, bodies)
    put_state(out, i, x, r, p, ell)
    status[i] = (OK if fine else NOT_CONVERGED) if is_finite((x, r, p, ell)) else NOT_FINITE


def step(system: "CoupledBodies", t: float, rows: Array, h: float, status: Array) -> Array:
    """Return the state after one step of bodies that act on one another."""
    end = np.empty_like(rows)
    system.launch(kick_drift, len(rows), t, h, rows, *system.constants, system.ask(t, rows), end, status)
    return end
