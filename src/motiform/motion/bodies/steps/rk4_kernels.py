"""Classical Runge–Kutta steps of rigid bodies."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, kernel
from motiform.motion.bodies.force_kernels import finished, put_state, rate_alone
from motiform.motion.bodies.step_kernels import load_state, write_sample
from motiform.spatial.algebra import axpy, maxpy, nearest_rotation


@inline
def _moved(h, s, d):
    """Return s + h d."""
    return axpy(h, d[0], s[0]), maxpy(h, d[1], s[1]), axpy(h, d[2], s[2]), axpy(h, d[3], s[3])


@kernel
def advance(i, y, history, bodies, env, starts, loads, first, interval, steps, status):
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
        write_sample(history, n, i, status, start, True)
    put_state(y, i, start[0], start[1], start[2], start[3])
