"""Explicit Euler steps of rigid bodies."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import kernel
from motiform.motion.bodies.force_kernels import finished, put_state, rate_alone
from motiform.motion.bodies.step_kernels import load_state, write_sample
from motiform.spatial.algebra import axpy, maxpy


@kernel
def advance(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
    """Take explicit Euler steps as in the course [Zara, simulation loop]."""
    x, r, p, ell = load_state(y, i)
    h = interval / steps
    for n in range(history.shape[0]):
        for k in range(steps):
            t = (first + n) * interval + k * h
            dx, dr, dp, dl = rate_alone(i, t, t + 0.5 * h, x, r, p, ell, bodies, env, starts, loads)
            x, r, p, ell = finished(i, axpy(h, dx, x), maxpy(h, dr, r), axpy(h, dp, p), axpy(h, dl, ell), bodies)
        write_sample(history, n, i, status, (x, r, p, ell), True)
    put_state(y, i, x, r, p, ell)
