"""Kernels of rigid bodies: forces, rates, steps and meters, one body an element.

A body is a row of constants (columns below) and a row of state: centre x, rotation R by rows, momentum P, angular
momentum L (about the centre of mass; about the pivot for a pinned body, whose x and P follow from R and L).
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel
from motiform.spatial.algebra import (
    add,
    axpy,
    cayley,
    cross,
    dot,
    matmul,
    maxpy,
    mean3,
    mean9,
    norm,
    orthonormal,
    scale,
    sub,
    tmul,
    transform,
)

# Columns of a body's constants
MASS, INERTIA, INVERSE, PINNED, PIVOT, LEVER = 0, 1, 10, 19, 20, 23
DRAG, PRESSURE, SPIN_DRAG, CONSTANTS = 26, 29, 32, 35
# Columns of the state
X, R, P, L, STATE = 0, 3, 12, 15, 18
# Entries of the environment
GRAVITY, AIR, WIND, GUST, WAVE, PULSE, ENVIRONMENT = 0, 3, 4, 7, 10, 13, 14
# Columns of an applied load: force, torque, point in the body's axes, 1 if in body axes, from, until
FORCE, TORQUE, POINT, FOLLOWS, FROM, UNTIL, LOAD = 0, 3, 6, 9, 10, 11, 12
# Columns of one end of a spring: own point, other point, stiffness, damping, rest length
OWN, OTHER, STIFFNESS, DAMPING, REST, SPRING = 0, 3, 6, 7, 8, 9
# Columns of what is observed: position, quaternion, velocity, angular velocity in body axes; and of the meters
OBSERVED, METERS = 13, 9

OK, NOT_CONVERGED, NOT_FINITE = 0, 1, 2
MOST_SWEEPS = 60


@inline
def _at3(table, i, column):
    return table[i, column], table[i, column + 1], table[i, column + 2]


@inline
def _at9(table, i, column):
    a, b, c = _at3(table, i, column)
    d, e, f = _at3(table, i, column + 3)
    g, h, k = _at3(table, i, column + 6)
    return a, b, c, d, e, f, g, h, k


@inline
def _env3(env, entry):
    return env[entry], env[entry + 1], env[entry + 2]


@inline
def _put(y, i, x, r, p, ell):
    y[i, 0], y[i, 1], y[i, 2] = x
    y[i, 3], y[i, 4], y[i, 5], y[i, 6], y[i, 7], y[i, 8], y[i, 9], y[i, 10], y[i, 11] = r
    y[i, 12], y[i, 13], y[i, 14] = p
    y[i, 15], y[i, 16], y[i, 17] = ell


@inline
def _angular_velocity(i, bodies, r, ell):
    """ω = R I⁻¹ Rᵀ L [Zara, state]."""
    return transform(r, transform(_at9(bodies, i, INVERSE), tmul(r, ell)))


@inline
def _centre(i, bodies, x, r):
    """Centre of mass: its own number, or pivot + R lever."""
    if bodies[i, PINNED] == 0.0:
        return x
    return add(_at3(bodies, i, PIVOT), transform(r, _at3(bodies, i, LEVER)))


@inline
def _velocity(i, bodies, r, p, w):
    """v = P/M, or ω × R lever for a pinned body."""
    if bodies[i, PINNED] == 0.0:
        return scale(1.0 / bodies[i, MASS], p)
    return cross(w, transform(r, _at3(bodies, i, LEVER)))


@inline
def _wind(env, t, x):
    """Uniform wind and a travelling gust: w + g sin(k·x − Ω t)."""
    phase = dot(_env3(env, WAVE), x) - env[PULSE] * t
    return axpy(math.sin(phase), _env3(env, GUST), _env3(env, WIND))


@inline
def _drag(i, bodies, env, t, x, r, v, w):
    """Return force and torque about the centre of mass of the air.

    F = −½ ρ |u| R D Rᵀ u at the centre of pressure, u its velocity through the air; τ = −½ ρ |ω| R S Rᵀ ω besides.
    """
    arm = transform(r, _at3(bodies, i, PRESSURE))
    u = sub(add(v, cross(w, arm)), _wind(env, t, add(x, arm)))
    a, s = tmul(r, u), tmul(r, w)
    d, e = _at3(bodies, i, DRAG), _at3(bodies, i, SPIN_DRAG)
    f = scale(-0.5 * env[AIR] * norm(u), transform(r, (d[0] * a[0], d[1] * a[1], d[2] * a[2])))
    q = scale(-0.5 * env[AIR] * norm(w), transform(r, (e[0] * s[0], e[1] * s[1], e[2] * s[2])))
    return f, add(q, cross(arm, f))


@inline
def _applied(i, r, t, starts, loads):
    """Return force and torque about the centre of mass of the loads that act on body i at time t."""
    f, q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(starts[i], starts[i + 1]):
        if loads[k, FROM] <= t < loads[k, UNTIL]:
            force, torque = _at3(loads, k, FORCE), _at3(loads, k, TORQUE)
            if loads[k, FOLLOWS] != 0.0:
                force, torque = transform(r, force), transform(r, torque)
            f = add(f, force)
            q = add(q, add(torque, cross(transform(r, _at3(loads, k, POINT)), force)))  # (r − x) × f [Zara]
    return f, q


@inline
def _about_pivot(i, bodies, r, f, q):
    """Move a torque from the centre of mass to the point that the angular momentum is about."""
    if bodies[i, PINNED] == 0.0:
        return q
    return add(q, cross(transform(r, _at3(bodies, i, LEVER)), f))


@inline
def _wrench(i, t, x, r, v, w, bodies, env, starts, loads):
    """Return force and torque about the centre of mass on body i, springs and functions apart."""
    f = scale(bodies[i, MASS], _env3(env, GRAVITY))
    q = (0.0, 0.0, 0.0)
    if env[AIR] != 0.0:
        fd, qd = _drag(i, bodies, env, t, x, r, v, w)
        f, q = add(f, fd), add(q, qd)
    fa, qa = _applied(i, r, t, starts, loads)
    return add(f, fa), add(q, qa)


@inline
def _fastening(b, point, y, bodies):
    """Return where a spring's end is in the world; b < 0 is the world itself."""
    if b < 0:
        return point
    r = _at9(y, b, R)
    return add(_centre(b, bodies, _at3(y, b, X), r), transform(r, point))


@inline
def _fastening_velocity(b, point, y, bodies):
    if b < 0:
        return 0.0, 0.0, 0.0
    r = _at9(y, b, R)
    w = _angular_velocity(b, bodies, r, _at3(y, b, L))
    return add(_velocity(b, bodies, r, _at3(y, b, P), w), cross(w, transform(r, point)))


@inline
def _springs(i, y0, y1, bodies, ends, partners, springs):
    """Return force and torque about the centre of mass of the springs on body i, between two states.

    f = k (½(l0 + l1) − rest) (d0 + d1)/(l0 + l1): the discrete gradient of ½ k (l − rest)², which does exactly the
    work that the energy loses [Gonzalez96]; with y0 = y1 it is the law itself. The damper acts along the mean.
    """
    f, q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(ends[i], ends[i + 1]):
        j, own, other = partners[k], _at3(springs, k, OWN), _at3(springs, k, OTHER)
        d0 = sub(_fastening(j, other, y0, bodies), _fastening(i, own, y0, bodies))
        d1 = sub(_fastening(j, other, y1, bodies), _fastening(i, own, y1, bodies))
        l0, l1, d = norm(d0), norm(d1), add(d0, d1)
        force = (0.0, 0.0, 0.0)
        if l0 + l1 > 0.0:  # a spring of no length has no direction
            force = scale(springs[k, STIFFNESS] * (0.5 * (l0 + l1) - springs[k, REST]) / (l0 + l1), d)
        dd = dot(d, d)
        if springs[k, DAMPING] != 0.0 and dd > 0.0:
            u0 = sub(_fastening_velocity(j, other, y0, bodies), _fastening_velocity(i, own, y0, bodies))
            u1 = sub(_fastening_velocity(j, other, y1, bodies), _fastening_velocity(i, own, y1, bodies))
            force = axpy(springs[k, DAMPING] * dot(mean3(u0, u1), d) / dd, d, force)
        arm = transform(mean9(_at9(y0, i, R), _at9(y1, i, R)), own)
        f, q = add(f, force), add(q, cross(arm, force))
    return f, q


@inline
def _derivative(i, r, p, ell, v, w, f, q, bodies):
    """Return ẋ = v, Ṙ = [ω]× R, Ṗ = F, L̇ = τ [Zara, derivative]."""
    c0, c1, c2 = cross(w, (r[0], r[3], r[6])), cross(w, (r[1], r[4], r[7])), cross(w, (r[2], r[5], r[8]))
    turn = (c0[0], c1[0], c2[0], c0[1], c1[1], c2[1], c0[2], c1[2], c2[2])
    return v, turn, f, _about_pivot(i, bodies, r, f, q)


@inline
def _rate_alone(i, t, x, r, p, ell, bodies, env, starts, loads):
    w = _angular_velocity(i, bodies, r, ell)
    v = _velocity(i, bodies, r, p, w)
    f, q = _wrench(i, t, _centre(i, bodies, x, r), r, v, w, bodies, env, starts, loads)
    return _derivative(i, r, p, ell, v, w, f, q, bodies)


@inline
def _finished(i, x, r, p, ell, bodies):
    """Return the state with the numbers that follow from others put right: x and P of a pinned body."""
    if bodies[i, PINNED] == 0.0:
        return x, r, p, ell
    w = _angular_velocity(i, bodies, r, ell)
    return _centre(i, bodies, x, r), r, scale(bodies[i, MASS], _velocity(i, bodies, r, p, w)), ell


@inline
def _solve(m, a):
    """Return M⁻¹ a by Cramer's rule."""
    c0 = (m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4])
    c1 = (m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5])
    c2 = (m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3])
    inverse = 1.0 / (m[0] * c0[0] + m[1] * c1[0] + m[2] * c2[0])
    return scale(inverse, (dot(c0, a), dot(c1, a), dot(c2, a)))


@inline
def _turn(inertia, a, d, theta, variational):
    """Return the Cayley vector θ of a step by Newton from a guess, and whether it converged.

    I θ + ½ θ×Iθ + ¼ θ×d (+ ¼ (θ·Iθ) θ) = a. Without the last term it is the midpoint rule, which keeps the energy
    [SimoWong91]; with it the variational step, which keeps the symplectic form [BouRabee09, MarsdenWest01]. d is h²
    times the torque in body axes.
    """
    for _ in range(MOST_SWEEPS):
        h = transform(inertia, theta)
        e = dot(theta, h) if variational else 0.0
        residual = sub(axpy(0.25 * e, theta, add(h, cross(theta, add(scale(0.5, h), scale(0.25, d))))), a)
        # Jacobian: I + ½([θ]×I − [Iθ]×) − ¼[d]× (+ ¼ (θ·Iθ) 1 + ½ θ (Iθ)ᵀ)
        s = add(scale(0.5, h), scale(0.25, d))
        k0 = cross(theta, (inertia[0], inertia[3], inertia[6]))
        k1 = cross(theta, (inertia[1], inertia[4], inertia[7]))
        k2 = cross(theta, (inertia[2], inertia[5], inertia[8]))
        o = 0.5 if variational else 0.0
        jacobian = (
            inertia[0] + 0.5 * k0[0] + 0.25 * e + o * theta[0] * h[0],
            inertia[1] + 0.5 * k1[0] + s[2] + o * theta[0] * h[1],
            inertia[2] + 0.5 * k2[0] - s[1] + o * theta[0] * h[2],
            inertia[3] + 0.5 * k0[1] - s[2] + o * theta[1] * h[0],
            inertia[4] + 0.5 * k1[1] + 0.25 * e + o * theta[1] * h[1],
            inertia[5] + 0.5 * k2[1] + s[0] + o * theta[1] * h[2],
            inertia[6] + 0.5 * k0[2] + s[1] + o * theta[2] * h[0],
            inertia[7] + 0.5 * k1[2] - s[0] + o * theta[2] * h[1],
            inertia[8] + 0.5 * k2[2] + 0.25 * e + o * theta[2] * h[2],
        )
        change = _solve(jacobian, residual)
        theta = sub(theta, change)
        if norm(change) <= 1e-9 * norm(theta):  # Newton's next change would be below rounding
            return theta, True
    return theta, norm(theta) == 0.0


@inline
def _first_turn(i, h, r, ell, bodies):
    """Return a first guess of the turn of a step: h ω in body axes."""
    return scale(h, transform(_at9(bodies, i, INVERSE), tmul(r, ell)))


@inline
def _kick_drift(i, h, x, r, p, ell, f, q, bodies):
    """Return the state after a symplectic Euler step: P and L take the load, then x and R drift with the new ones."""
    p1 = axpy(h, f, p)
    ell1 = axpy(h, _about_pivot(i, bodies, r, f, q), ell)
    a, guess = scale(h, tmul(r, ell1)), _first_turn(i, h, r, ell1, bodies)
    theta, fine = _turn(_at9(bodies, i, INERTIA), a, (0.0, 0.0, 0.0), guess, True)
    x1, r1 = axpy(h / bodies[i, MASS], p1, x), orthonormal(matmul(r, cayley(theta)))
    return _finished(i, x1, r1, p1, ell1, bodies), fine


@inline
def _midpoint_end(i, h, x, r, p, ell, mean_r, f, q, guess, bodies):
    """Return the end of an energy–momentum step under a given mean load, and its turn [SimoWong91]."""
    p1 = axpy(h, f, p)
    ell1 = axpy(h, _about_pivot(i, bodies, mean_r, f, q), ell)
    before, after = tmul(r, ell), tmul(r, ell1)
    a, d = scale(0.5 * h, add(before, after)), scale(h, sub(after, before))
    theta, fine = _turn(_at9(bodies, i, INERTIA), a, d, guess, False)
    x1 = axpy(h / bodies[i, MASS], mean3(p, p1), x)
    return _finished(i, x1, orthonormal(matmul(r, cayley(theta))), p1, ell1, bodies), theta, fine


@inline
def _mean_load(i, t, h, s0, s1, bodies, env, starts, loads):
    """Return the mean rotation and the load, springs apart, on a body between two of its states."""
    (x0, r0, p0, l0), (x1, r1, p1, l1) = s0, s1
    mean_r = mean9(r0, r1)
    w = mean3(_angular_velocity(i, bodies, r0, l0), _angular_velocity(i, bodies, r1, l1))
    v = _velocity(i, bodies, mean_r, mean3(p0, p1), w)
    f, q = _wrench(i, t + 0.5 * h, mean3(x0, x1), mean_r, v, w, bodies, env, starts, loads)
    return mean_r, f, q


@inline
def _change(i, bodies, s0, s1):
    """Return how far two poses of a body are apart: the turn, and the shift relative to its place and its size."""
    r0, r1 = s0[1], s1[1]
    turned = math.fabs(r0[0] - r1[0])
    for k in range(1, 9):
        turned = max(turned, math.fabs(r0[k] - r1[k]))
    trace = bodies[i, INERTIA] + bodies[i, INERTIA + 4] + bodies[i, INERTIA + 8]
    size = math.sqrt(0.5 * trace / bodies[i, MASS])
    place = size + norm(s1[0])
    if not math.isfinite(place):  # sweeps that run away: a ratio would be 0
        return math.inf
    return max(turned, norm(sub(s0[0], s1[0])) / place)


SETTLED, STALLED = 4e-15, 1e-9


@inline
def settled(change, before):
    """Whether sweeps have ended: the last change is rounding, or small and no longer falling."""
    return change <= SETTLED or (change <= STALLED and change > 0.5 * before)


@inline
def _finite(s):
    (x, r, p, ell) = s
    total = x[0] + x[1] + x[2] + p[0] + p[1] + p[2] + ell[0] + ell[1] + ell[2] + r[0] + r[4] + r[8]
    return math.isfinite(total)


@inline
def _load_state(y, i):
    return _at3(y, i, X), _at9(y, i, R), _at3(y, i, P), _at3(y, i, L)


# ---- bodies that do not act on one another: many samples in registers -----------------------------------------------
# Sample n of the history is `steps` steps after the one before it; times follow from its number alone, so that blocks
# of any length give the same bits.


@inline
def _keep(history, n, i, status, s, fine):
    """Write a sample and, once, the first at which something went wrong."""
    _put(history[n], i, s[0], s[1], s[2], s[3])
    code = (OK if fine else NOT_CONVERGED) if _finite(s) else NOT_FINITE
    if code != OK and status[i, 0] == OK:
        status[i, 0], status[i, 1] = code, n


@kernel
def advance_euler(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take explicit Euler steps as in the course [Zara, simulation loop]."""
    x, r, p, ell = _load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        for k in range(steps):
            t = (first + n) * interval + k * h
            dx, dr, dp, dl = _rate_alone(i, t, x, r, p, ell, bodies, env, starts, loads)
            x, r, p, ell = _finished(i, axpy(h, dx, x), maxpy(h, dr, r), axpy(h, dp, p), axpy(h, dl, ell), bodies)
        _keep(history, n, i, status, (x, r, p, ell), True)
    _put(y, i, x, r, p, ell)


@kernel
def advance_symplectic_euler(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take symplectic Euler steps on the group."""
    s = _load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        good = True
        for k in range(steps):
            x, r, p, ell = s
            w = _angular_velocity(i, bodies, r, ell)
            v = _velocity(i, bodies, r, p, w)
            f, q = _wrench(i, (first + n) * interval + k * h, x, r, v, w, bodies, env, starts, loads)
            s, fine = _kick_drift(i, h, x, r, p, ell, f, q, bodies)
            good = good and fine
        _keep(history, n, i, status, s, good)
    _put(y, i, s[0], s[1], s[2], s[3])


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
    start = _load_state(y, i)
    h = interval / steps
    end, stage, ahead = start, start, 0.0
    for n in range(history.shape[0]):
        for m in range(4 * steps):
            t, k = (first + n) * interval + (m // 4) * h, m % 4
            d = _rate_alone(i, t + ahead * h, stage[0], stage[1], stage[2], stage[3], bodies, env, starts, loads)
            end = _moved(h / 6.0 if k == 0 or k == 3 else h / 3.0, end, d)
            if k < 3:
                ahead = 1.0 if k == 2 else 0.5
                stage = _moved(ahead * h, start, d)
            else:
                x, r, p, ell = end
                start = _finished(i, x, orthonormal(orthonormal(r)), p, ell, bodies)
                end, stage, ahead = start, start, 0.0
        _keep(history, n, i, status, start, True)
    _put(y, i, start[0], start[1], start[2], start[3])


@inline
def _midpoint(i, t, h, s0, bodies, env, starts, loads):
    """Return the end of an energy–momentum step, by sweeps over its mean load, and whether they settled."""
    x, r, p, ell = s0
    s1, done, before = s0, False, math.inf
    theta = _first_turn(i, h, r, ell, bodies)
    for _ in range(MOST_SWEEPS):
        mean_r, f, q = _mean_load(i, t, h, s0, s1, bodies, env, starts, loads)
        end, theta, fine = _midpoint_end(i, h, x, r, p, ell, mean_r, f, q, theta, bodies)
        change = _change(i, bodies, s1, end)
        s1, done, before = end, fine and settled(change, before), change
        if done:
            break
    return s1, done


@kernel
def advance_lie_midpoint(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take energy–momentum steps on the group."""
    s = _load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        good = True
        for k in range(steps):
            s, fine = _midpoint(i, (first + n) * interval + k * h, h, s, bodies, env, starts, loads)
            good = good and fine
        _keep(history, n, i, status, s, good)
    _put(y, i, s[0], s[1], s[2], s[3])


# ---- bodies that do: one evaluation a launch ------------------------------------------------------------------------


@kernel
def rate(i, t, y, bodies, env, starts, loads, ends, partners, springs, given, out):
    """Write dy/dt of body i; `given` holds force and torque of user functions."""
    x, r, p, ell = _load_state(y, i)
    w = _angular_velocity(i, bodies, r, ell)
    v = _velocity(i, bodies, r, p, w)
    f, q = _wrench(i, t, _centre(i, bodies, x, r), r, v, w, bodies, env, starts, loads)
    fs, qs = _springs(i, y, y, bodies, ends, partners, springs)
    f, q = add(add(f, fs), _at3(given, i, 0)), add(add(q, qs), _at3(given, i, 3))
    dx, dr, dp, dl = _derivative(i, r, p, ell, v, w, f, q, bodies)
    _put(out, i, dx, dr, dp, dl)


@kernel
def repair(i, y, bodies, orthonormalise):
    """Bring body i back to the group and put right what follows from other numbers."""
    x, r, p, ell = _load_state(y, i)
    if orthonormalise:
        r = orthonormal(orthonormal(r))
    x, r, p, ell = _finished(i, x, r, p, ell, bodies)
    _put(y, i, x, r, p, ell)


@kernel
def kick_drift(i, t, h, y, bodies, env, starts, loads, ends, partners, springs, given, out, status):
    """Take one symplectic Euler step."""
    x, r, p, ell = _load_state(y, i)
    w = _angular_velocity(i, bodies, r, ell)
    v = _velocity(i, bodies, r, p, w)
    f, q = _wrench(i, t, x, r, v, w, bodies, env, starts, loads)
    fs, qs = _springs(i, y, y, bodies, ends, partners, springs)
    f, q = add(add(f, fs), _at3(given, i, 0)), add(add(q, qs), _at3(given, i, 3))
    (x, r, p, ell), fine = _kick_drift(i, h, x, r, p, ell, f, q, bodies)
    _put(out, i, x, r, p, ell)
    status[i] = (OK if fine else NOT_CONVERGED) if _finite((x, r, p, ell)) else NOT_FINITE


@kernel
def midpoint_sweep(i, t, h, y0, y1, bodies, env, starts, loads, ends, partners, springs, given, out, change, status):
    """Find the end of an energy–momentum step anew, from the load between its start y0 and its last end y1."""
    s0, s1 = _load_state(y0, i), _load_state(y1, i)
    x, r, p, ell = s0
    mean_r, f, q = _mean_load(i, t, h, s0, s1, bodies, env, starts, loads)
    fs, qs = _springs(i, y0, y1, bodies, ends, partners, springs)
    f, q = add(add(f, fs), _at3(given, i, 0)), add(add(q, qs), _at3(given, i, 3))
    guess = _first_turn(i, h, r, ell, bodies)
    end, _, fine = _midpoint_end(i, h, x, r, p, ell, mean_r, f, q, guess, bodies)
    _put(out, i, end[0], end[1], end[2], end[3])
    change[i] = _change(i, bodies, s1, end)
    status[i] = (OK if fine else NOT_CONVERGED) if _finite(end) else NOT_FINITE


# ---- what is seen ---------------------------------------------------------------------------------------------------


@inline
def _quaternion(r):
    """Return the unit quaternion of a rotation with w ≥ 0 (Shepperd: divide by the largest of the four)."""
    trace = r[0] + r[4] + r[8]
    if trace >= r[0] and trace >= r[4] and trace >= r[8]:
        q = (1.0 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1])
    elif r[0] >= r[4] and r[0] >= r[8]:
        q = (r[7] - r[5], 1.0 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6])
    elif r[4] >= r[8]:
        q = (r[2] - r[6], r[1] + r[3], 1.0 + r[4] - r[0] - r[8], r[5] + r[7])
    else:
        q = (r[3] - r[1], r[2] + r[6], r[5] + r[7], 1.0 + r[8] - r[0] - r[4])
    s = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if q[0] < 0.0:
        s = -s
    return s * q[0], s * q[1], s * q[2], s * q[3]


@kernel
def observe(e, rows, bodies, env, ends, partners, springs, seen_rows, meter_rows):
    """Write what is seen of one body at one sample and its share of the meters.

    Meters: kinetic and potential energy, momentum, angular momentum about the origin, ‖RᵀR − 1‖.
    """
    n, i = e // rows.shape[1], e % rows.shape[1]
    y, seen, meters = rows[n], seen_rows[n], meter_rows[n]
    x, r, p, ell = _load_state(y, i)
    w = _angular_velocity(i, bodies, r, ell)
    v = _velocity(i, bodies, r, p, w)
    q, wb = _quaternion(r), tmul(r, w)
    seen[i, 0], seen[i, 1], seen[i, 2] = x
    seen[i, 3], seen[i, 4], seen[i, 5], seen[i, 6] = q
    seen[i, 7], seen[i, 8], seen[i, 9] = v
    seen[i, 10], seen[i, 11], seen[i, 12] = wb
    kinetic, origin = 0.5 * dot(ell, w), x
    if bodies[i, PINNED] == 0.0:
        kinetic += 0.5 * dot(p, v)
    else:
        origin = _at3(bodies, i, PIVOT)
    potential = -bodies[i, MASS] * dot(_env3(env, GRAVITY), x)
    for k in range(ends[i], ends[i + 1]):
        j = partners[k]
        d = sub(_fastening(j, _at3(springs, k, OTHER), y, bodies), _fastening(i, _at3(springs, k, OWN), y, bodies))
        stretch = norm(d) - springs[k, REST]
        share = 0.5 if j >= 0 else 1.0  # a spring between two bodies is met twice
        potential += share * 0.5 * springs[k, STIFFNESS] * stretch * stretch
    about = add(ell, cross(origin, p))
    c0, c1, c2 = (r[0], r[3], r[6]), (r[1], r[4], r[7]), (r[2], r[5], r[8])
    a, b, c = dot(c0, c0) - 1.0, dot(c1, c1) - 1.0, dot(c2, c2) - 1.0
    d01, d02, d12 = dot(c0, c1), dot(c0, c2), dot(c1, c2)
    meters[i, 0], meters[i, 1] = kinetic, potential
    meters[i, 2], meters[i, 3], meters[i, 4] = p
    meters[i, 5], meters[i, 6], meters[i, 7] = about
    meters[i, 8] = math.sqrt(a * a + b * b + c * c + 2.0 * (d01 * d01 + d02 * d02 + d12 * d12))
