"""Forces on a rigid body and the rate of its state, for kernels."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline
from motiform.motion.bodies.columns import (
    AIR,
    DAMPING,
    DRAG,
    FOLLOWS,
    FORCE,
    FROM,
    GRAVITY,
    GUST,
    INVERSE,
    LEVER,
    MASS,
    OTHER,
    OWN,
    PINNED,
    PIVOT,
    POINT,
    PRESSURE,
    PULSE,
    REST,
    SPIN_DRAG,
    STIFFNESS,
    TORQUE,
    UNTIL,
    WAVE,
    WIND,
    L,
    P,
    R,
    X,
)
from motiform.spatial.algebra import add, axpy, cross, dot, mean3, mean9, norm, scale, sub, tmul, transform


@inline
def at3(table, i, column):
    """Return the vector that begins at a column of row i."""
    return table[i, column], table[i, column + 1], table[i, column + 2]


@inline
def at9(table, i, column):
    """Return the matrix that begins at a column of row i."""
    a, b, c = at3(table, i, column)
    d, e, f = at3(table, i, column + 3)
    g, h, k = at3(table, i, column + 6)
    return a, b, c, d, e, f, g, h, k


@inline
def env3(env, entry):
    """Return the vector that begins at an entry of the environment."""
    return env[entry], env[entry + 1], env[entry + 2]


@inline
def put_state(y, i, x, r, p, ell):
    """Write the state of body i."""
    y[i, 0], y[i, 1], y[i, 2] = x
    y[i, 3], y[i, 4], y[i, 5], y[i, 6], y[i, 7], y[i, 8], y[i, 9], y[i, 10], y[i, 11] = r
    y[i, 12], y[i, 13], y[i, 14] = p
    y[i, 15], y[i, 16], y[i, 17] = ell


@inline
def angular_velocity(i, bodies, r, ell):
    """ω = R I⁻¹ Rᵀ L [Zara, state]."""
    return transform(r, transform(at9(bodies, i, INVERSE), tmul(r, ell)))


@inline
def mass_centre(i, bodies, x, r):
    """Centre of mass: its own number, or pivot + R lever."""
    if bodies[i, PINNED] == 0.0:
        return x
    return add(at3(bodies, i, PIVOT), transform(r, at3(bodies, i, LEVER)))


@inline
def linear_velocity(i, bodies, r, p, w):
    """v = P/M, or ω × R lever for a pinned body."""
    if bodies[i, PINNED] == 0.0:
        return scale(1.0 / bodies[i, MASS], p)
    return cross(w, transform(r, at3(bodies, i, LEVER)))


@inline
def _wind(env, t, x):
    """Uniform wind and a travelling gust: w + g sin(k·x − Ω t)."""
    phase = dot(env3(env, WAVE), x) - env[PULSE] * t
    return axpy(math.sin(phase), env3(env, GUST), env3(env, WIND))


@inline
def _drag(i, bodies, env, t, x, r, v, w):
    """Return force and torque about the centre of mass of the air.

    F = −½ ρ |u| R D Rᵀ u at the centre of pressure, u its velocity through the air; τ = −½ ρ |ω| R S Rᵀ ω besides.
    """
    arm = transform(r, at3(bodies, i, PRESSURE))
    u = sub(add(v, cross(w, arm)), _wind(env, t, add(x, arm)))
    a, s = tmul(r, u), tmul(r, w)
    d, e = at3(bodies, i, DRAG), at3(bodies, i, SPIN_DRAG)
    f = scale(-0.5 * env[AIR] * norm(u), transform(r, (d[0] * a[0], d[1] * a[1], d[2] * a[2])))
    q = scale(-0.5 * env[AIR] * norm(w), transform(r, (e[0] * s[0], e[1] * s[1], e[2] * s[2])))
    return f, add(q, cross(arm, f))


@inline
def _applied(i, r, t, starts, loads):
    """Return force and torque about the centre of mass of the loads that act on body i at time t."""
    f, q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(starts[i], starts[i + 1]):
        if loads[k, FROM] <= t < loads[k, UNTIL]:
            force, torque = at3(loads, k, FORCE), at3(loads, k, TORQUE)
            if loads[k, FOLLOWS] != 0.0:
                force, torque = transform(r, force), transform(r, torque)
            f = add(f, force)
            q = add(q, add(torque, cross(transform(r, at3(loads, k, POINT)), force)))  # (r − x) × f [Zara]
    return f, q


@inline
def about_pivot(i, bodies, r, f, q):
    """Move a torque from the centre of mass to the point that the angular momentum is about."""
    if bodies[i, PINNED] == 0.0:
        return q
    return add(q, cross(transform(r, at3(bodies, i, LEVER)), f))


@inline
def wrench(i, t, inside, x, r, v, w, bodies, env, starts, loads):
    """Return force and torque about the centre of mass on body i, springs and functions apart.

    Loads act or not by the instant `inside`, the middle of a fixed step: one whose edges lie between steps gives its
    impulse exactly, whatever rounding does to the ends of the step.
    """
    f = scale(bodies[i, MASS], env3(env, GRAVITY))
    q = (0.0, 0.0, 0.0)
    if env[AIR] != 0.0:
        fd, qd = _drag(i, bodies, env, t, x, r, v, w)
        f, q = add(f, fd), add(q, qd)
    fa, qa = _applied(i, r, inside, starts, loads)
    return add(f, fa), add(q, qa)


@inline
def fastening(b, point, y, bodies):
    """Return where a spring's end is in the world; b < 0 is the world itself."""
    if b < 0:
        return point
    r = at9(y, b, R)
    return add(mass_centre(b, bodies, at3(y, b, X), r), transform(r, point))


@inline
def _fastening_velocity(b, point, y, bodies):
    if b < 0:
        return 0.0, 0.0, 0.0
    r = at9(y, b, R)
    w = angular_velocity(b, bodies, r, at3(y, b, L))
    return add(linear_velocity(b, bodies, r, at3(y, b, P), w), cross(w, transform(r, point)))


@inline
def spring_load(i, y0, y1, bodies, ends, partners, springs):
    """Return force and torque about the centre of mass of the springs on body i, between two states.

    f = k (½(l0 + l1) − rest) (d0 + d1)/(l0 + l1): the discrete gradient of ½ k (l − rest)², which does exactly the
    work that the energy loses [Gonzalez96]; with y0 = y1 it is the law itself. The damper acts along the mean.
    """
    f, q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(ends[i], ends[i + 1]):
        j, own, other = partners[k], at3(springs, k, OWN), at3(springs, k, OTHER)
        d0 = sub(fastening(j, other, y0, bodies), fastening(i, own, y0, bodies))
        d1 = sub(fastening(j, other, y1, bodies), fastening(i, own, y1, bodies))
        l0, l1, d = norm(d0), norm(d1), add(d0, d1)
        force = (0.0, 0.0, 0.0)
        if l0 + l1 > 0.0:  # a spring of no length has no direction
            force = scale(springs[k, STIFFNESS] * (0.5 * (l0 + l1) - springs[k, REST]) / (l0 + l1), d)
        dd = dot(d, d)
        if springs[k, DAMPING] != 0.0 and dd > 0.0:
            u0 = sub(_fastening_velocity(j, other, y0, bodies), _fastening_velocity(i, own, y0, bodies))
            u1 = sub(_fastening_velocity(j, other, y1, bodies), _fastening_velocity(i, own, y1, bodies))
            force = axpy(springs[k, DAMPING] * dot(mean3(u0, u1), d) / dd, d, force)
        arm = transform(mean9(at9(y0, i, R), at9(y1, i, R)), own)
        f, q = add(f, force), add(q, cross(arm, force))
    return f, q


@inline
def state_rate(i, r, p, ell, v, w, f, q, bodies):
    """Return ẋ = v, Ṙ = [ω]× R, Ṗ = F, L̇ = τ [Zara, derivative]."""
    c0, c1, c2 = cross(w, (r[0], r[3], r[6])), cross(w, (r[1], r[4], r[7])), cross(w, (r[2], r[5], r[8]))
    turn = (c0[0], c1[0], c2[0], c0[1], c1[1], c2[1], c0[2], c1[2], c2[2])
    return v, turn, f, about_pivot(i, bodies, r, f, q)


@inline
def rate_alone(i, t, inside, x, r, p, ell, bodies, env, starts, loads):
    """Return the rate of a body on which no other acts."""
    w = angular_velocity(i, bodies, r, ell)
    v = linear_velocity(i, bodies, r, p, w)
    f, q = wrench(i, t, inside, mass_centre(i, bodies, x, r), r, v, w, bodies, env, starts, loads)
    return state_rate(i, r, p, ell, v, w, f, q, bodies)


@inline
def finished(i, x, r, p, ell, bodies):
    """Return the state with its dependent numbers recomputed: x and P of a pinned body."""
    if bodies[i, PINNED] == 0.0:
        return x, r, p, ell
    w = angular_velocity(i, bodies, r, ell)
    return mass_centre(i, bodies, x, r), r, scale(bodies[i, MASS], linear_velocity(i, bodies, r, p, w)), ell
