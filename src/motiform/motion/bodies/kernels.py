"""Kernels of rigid bodies, one body an element: many steps of bodies alone, or one evaluation of bodies coupled."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel
from motiform.motion.bodies.columns import NOT_CONVERGED, NOT_FINITE, OK
from motiform.motion.bodies.force_kernels import (
    angular_velocity,
    at3,
    finished,
    linear_velocity,
    mass_centre,
    put_state,
    rate_alone,
    spring_load,
    state_rate,
    wrench,
)
from motiform.motion.bodies.step_kernels import (
    MOST_SWEEPS,
    first_turn,
    is_finite,
    kicked,
    load_state,
    mean_load,
    midpoint_end,
    pose_change,
    settled,
)
from motiform.spatial.algebra import add, axpy, maxpy, nearest_rotation

# ---- bodies that do not act on one another: many samples in registers -----------------------------------------------
# Sample n of the history is `steps` steps after the one before it; times follow from its number alone, so that blocks
# of any length give the same bits.


@inline
def _keep(history, n, i, status, s, fine):
    """Write a sample and, once, the first at which something went wrong."""
    put_state(history[n], i, s[0], s[1], s[2], s[3])
    code = (OK if fine else NOT_CONVERGED) if is_finite(s) else NOT_FINITE
    if code != OK and status[i, 0] == OK:
        status[i, 0], status[i, 1] = code, n


@kernel
def advance_euler(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take explicit Euler steps as in the course [Zara, simulation loop]."""
    x, r, p, ell = load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        for k in range(steps):
            t = (first + n) * interval + k * h
            dx, dr, dp, dl = rate_alone(i, t, t + 0.5 * h, x, r, p, ell, bodies, env, starts, loads)
            x, r, p, ell = finished(i, axpy(h, dx, x), maxpy(h, dr, r), axpy(h, dp, p), axpy(h, dl, ell), bodies)
        _keep(history, n, i, status, (x, r, p, ell), True)
    put_state(y, i, x, r, p, ell)


@kernel
def advance_symplectic_euler(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
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
        _keep(history, n, i, status, s, good)
    put_state(y, i, s[0], s[1], s[2], s[3])


@inline
def _moved(h, s, d):
    """Return s + h d."""
    return axpy(h, d[0], s[0]), maxpy(h, d[1], s[1]), axpy(h, d[2], s[2]), axpy(h, d[3], s[3])


@kernel
def advance_rk4(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take classical Runge–Kutta steps, the rotation repaired after each.

    One loop over the stages of all steps keeps one copy of the forces in machine code: four would compile ten times
    longer and run slower.
    """
    start = load_state(y, i)
    h = interval / steps
    end, stage, ahead = start, start, 0.0
    for n in range(history.shape[0]):
        for m in range(4 * steps):
            t, k = (first + n) * interval + (m // 4) * h, m % 4
            x, r, p, ell = stage
            d = rate_alone(i, t + ahead * h, t + 0.5 * h, x, r, p, ell, bodies, env, starts, loads)
            end = _moved(h / 6.0 if k == 0 or k == 3 else h / 3.0, end, d)
            if k < 3:
                ahead = 1.0 if k == 2 else 0.5
                stage = _moved(ahead * h, start, d)
            else:
                x, r, p, ell = end
                start = finished(i, x, nearest_rotation(r), p, ell, bodies)
                end, stage, ahead = start, start, 0.0
        _keep(history, n, i, status, start, True)
    put_state(y, i, start[0], start[1], start[2], start[3])


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
def advance_lie_midpoint(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take energy–momentum steps on the group."""
    s = load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        good = True
        for k in range(steps):
            s, fine = _midpoint(i, (first + n) * interval + k * h, h, s, bodies, env, starts, loads)
            good = good and fine
        _keep(history, n, i, status, s, good)
    put_state(y, i, s[0], s[1], s[2], s[3])


# ---- bodies that do: one evaluation a launch ------------------------------------------------------------------------


@kernel
def rate(i, t, inside, y, bodies, env, starts, loads, ends, partners, springs, given, out):
    """Write dy/dt of body i; `given` holds what user functions give, loads are those at the instant `inside`."""
    x, r, p, ell = load_state(y, i)
    w = angular_velocity(i, bodies, r, ell)
    v = linear_velocity(i, bodies, r, p, w)
    f, q = wrench(i, t, inside, mass_centre(i, bodies, x, r), r, v, w, bodies, env, starts, loads)
    fs, qs = spring_load(i, y, y, bodies, ends, partners, springs)
    f, q = add(add(f, fs), at3(given, i, 0)), add(add(q, qs), at3(given, i, 3))
    dx, dr, dp, dl = state_rate(i, r, p, ell, v, w, f, q, bodies)
    put_state(out, i, dx, dr, dp, dl)


@kernel
def repair(i, y, bodies, orthonormalise):
    """Bring body i back to the group and recompute the dependent numbers."""
    x, r, p, ell = load_state(y, i)
    if orthonormalise:
        r = nearest_rotation(r)
    x, r, p, ell = finished(i, x, r, p, ell, bodies)
    put_state(y, i, x, r, p, ell)


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
