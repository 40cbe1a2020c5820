"""What is seen of a rigid body, and its share of the meters."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel
from motiform.motion.bodies.columns import GRAVITY, MASS, OTHER, OWN, PINNED, PIVOT, REST, STIFFNESS
from motiform.motion.bodies.force_kernels import angular_velocity, at3, env3, fastening, linear_velocity
from motiform.motion.bodies.step_kernels import load_state
from motiform.spatial.algebra import add, cross, dot, norm, sub, tmul


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
    x, r, p, ell = load_state(y, i)
    w = angular_velocity(i, bodies, r, ell)
    v = linear_velocity(i, bodies, r, p, w)
    q, wb = _quaternion(r), tmul(r, w)
    seen[i, 0], seen[i, 1], seen[i, 2] = x
    seen[i, 3], seen[i, 4], seen[i, 5], seen[i, 6] = q
    seen[i, 7], seen[i, 8], seen[i, 9] = v
    seen[i, 10], seen[i, 11], seen[i, 12] = wb
    kinetic, origin = 0.5 * dot(ell, w), x
    if bodies[i, PINNED] == 0.0:
        kinetic += 0.5 * dot(p, v)
    else:
        origin = at3(bodies, i, PIVOT)
    potential = -bodies[i, MASS] * dot(env3(env, GRAVITY), x)
    for k in range(ends[i], ends[i + 1]):
        j = partners[k]
        d = sub(fastening(j, at3(springs, k, OTHER), y, bodies), fastening(i, at3(springs, k, OWN), y, bodies))
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
