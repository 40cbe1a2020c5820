"""Kernels of rigid bodies that act on one another: one evaluation a launch, one body an element."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import kernel
from motiform.motion.bodies.force_kernels import (
    angular_velocity,
    at3,
    finished,
    linear_velocity,
    mass_centre,
    put_state,
    spring_load,
    state_rate,
    wrench,
)
from motiform.motion.bodies.step_kernels import load_state
from motiform.spatial.algebra import add, nearest_rotation


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
