"""Steps of a rigid body on the group of rotations, for kernels."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline
from motiform.motion.bodies.columns import INERTIA, INVERSE, MASS, NOT_CONVERGED, NOT_FINITE, OK, L, P, R, X
from motiform.motion.bodies.force_kernels import (
    about_pivot,
    angular_velocity,
    at3,
    at9,
    finished,
    linear_velocity,
    put_state,
    wrench,
)
from motiform.spatial.algebra import (
    add,
    axpy,
    cayley,
    cross,
    dot,
    matmul,
    mean3,
    mean9,
    norm,
    orthonormal,
    scale,
    sub,
    tmul,
    transform,
)

MOST_SWEEPS = 200
MOST_TURN = 2.0  # Cayley vector of a quarter turn: beyond it a step says nothing of the motion


@inline
def _solve(m, a):
    """Return M⁻¹ a by Cramer's rule."""
    c0 = (m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4])
    c1 = (m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5])
    c2 = (m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3])
    inverse = 1.0 / (m[0] * c0[0] + m[1] * c1[0] + m[2] * c2[0])
    return scale(inverse, (dot(c0, a), dot(c1, a), dot(c2, a)))


@inline
def cayley_turn(inertia, a, d, theta, variational):
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
            return theta, norm(theta) <= MOST_TURN
    return theta, norm(theta) == 0.0


@inline
def first_turn(i, h, r, ell, bodies):
    """Return a first guess of the turn of a step: h ω in body axes."""
    return scale(h, transform(at9(bodies, i, INVERSE), tmul(r, ell)))


@inline
def kicked(i, h, x, r, p, ell, f, q, bodies):
    """Return the state after a symplectic Euler step: P and L take the load, then x and R drift with the new ones."""
    p1 = axpy(h, f, p)
    ell1 = axpy(h, about_pivot(i, bodies, r, f, q), ell)
    a, guess = scale(h, tmul(r, ell1)), first_turn(i, h, r, ell1, bodies)
    theta, fine = cayley_turn(at9(bodies, i, INERTIA), a, (0.0, 0.0, 0.0), guess, True)
    x1, r1 = axpy(h / bodies[i, MASS], p1, x), orthonormal(matmul(r, cayley(theta)))
    return finished(i, x1, r1, p1, ell1, bodies), fine


@inline
def midpoint_end(i, h, x, r, p, ell, mean_r, f, q, guess, bodies):
    """Return the end of an energy–momentum step under a given mean load, and its turn [SimoWong91]."""
    p1 = axpy(h, f, p)
    ell1 = axpy(h, about_pivot(i, bodies, mean_r, f, q), ell)
    before, after = tmul(r, ell), tmul(r, ell1)
    a, d = scale(0.5 * h, add(before, after)), scale(h, sub(after, before))
    theta, fine = cayley_turn(at9(bodies, i, INERTIA), a, d, guess, False)
    x1 = axpy(h / bodies[i, MASS], mean3(p, p1), x)
    return finished(i, x1, orthonormal(matmul(r, cayley(theta))), p1, ell1, bodies), theta, fine


@inline
def mean_load(i, t, h, s0, s1, bodies, env, starts, loads):
    """Return the mean rotation and the load, springs apart, on a body between two of its states."""
    (x0, r0, p0, l0), (x1, r1, p1, l1) = s0, s1
    mean_r = mean9(r0, r1)
    w = mean3(angular_velocity(i, bodies, r0, l0), angular_velocity(i, bodies, r1, l1))
    v = linear_velocity(i, bodies, mean_r, mean3(p0, p1), w)
    f, q = wrench(i, t + 0.5 * h, t + 0.5 * h, mean3(x0, x1), mean_r, v, w, bodies, env, starts, loads)
    return mean_r, f, q


@inline
def pose_change(i, bodies, s0, s1):
    """Return how far two poses of a body are apart: the turn, and the shift beyond rounding relative to its size."""
    r0, r1 = s0[1], s1[1]
    turned = math.fabs(r0[0] - r1[0])
    for k in range(1, 9):
        turned = max(turned, math.fabs(r0[k] - r1[k]))
    trace = bodies[i, INERTIA] + bodies[i, INERTIA + 4] + bodies[i, INERTIA + 8]
    size = math.sqrt(0.5 * trace / bodies[i, MASS])
    shift = norm(sub(s0[0], s1[0])) - 2.0 * _EPS * norm(s1[0])
    if not math.isfinite(shift):  # sweeps that run away
        return math.inf
    return max(turned, shift / size)


_EPS = 2.220446049250313e-16
SETTLED = 18 * _EPS  # a turn of nine products, each twice rounded
STALLED = 1e-9


@inline
def settled(change, before):
    """Whether sweeps have ended: the last change is rounding, or small and no longer falling.

    Sweeps that fall by less than a twentieth each do not come below STALLED within MOST_SWEEPS: what stalls there is
    rounding of the forces.
    """
    return change <= SETTLED or (change <= STALLED and change > 0.95 * before)


@inline
def is_finite(s):
    """Whether the numbers of a state are finite."""
    (x, r, p, ell) = s
    total = x[0] + x[1] + x[2] + p[0] + p[1] + p[2] + ell[0] + ell[1] + ell[2] + r[0] + r[4] + r[8]
    return math.isfinite(total)


@inline
def load_state(y, i):
    """Return the state of body i: x, R, P, L."""
    return at3(y, i, X), at9(y, i, R), at3(y, i, P), at3(y, i, L)


@inline
def write_sample(history, n, i, status, s, fine):
    """Write a sample and, once, the first at which something went wrong."""
    put_state(history[n], i, s[0], s[1], s[2], s[3])
    code = (OK if fine else NOT_CONVERGED) if is_finite(s) else NOT_FINITE
    if code != OK and status[i, 0] == OK:
        status[i, 0], status[i, 1] = code, n
