"""Free bodies by NumPy: the same RK4 step, vectorised over bodies, one array per component."""

from collections.abc import Callable

import numpy as np

from bench.bodies.model import STEP, STEPS
from motiform.motion.bodies import Bodies

__all__ = ["fly"]


def fly(model: Bodies) -> Callable[[], np.ndarray]:
    """Return the same RK4 step with vectors as rows of (3, n) and matrices as (9, n) arrays."""
    rows = model.initial_state().rows()
    mass = model.bodies[0].properties.mass
    inverse = np.linalg.inv(model.bodies[0].properties.inertia)
    gravity = np.array(model.environment.gravity)[:, None]
    start = np.ascontiguousarray(rows.T)
    columns = [slice(3 + c, 12 + c, 3) for c in range(3)]

    def rate(y: np.ndarray) -> np.ndarray:
        out = np.empty_like(y)
        r, ell = y[3:12].reshape(3, 3, -1), y[15:18]
        w = np.einsum("ijn,jn->in", r, inverse @ np.einsum("jin,jn->in", r, ell))
        out[0:3] = y[12:15] / mass
        for c in columns:
            a = y[c.start : 12 : 3]
            d = out[c.start : 12 : 3]
            d[0] = w[1] * a[2] - w[2] * a[1]
            d[1] = w[2] * a[0] - w[0] * a[2]
            d[2] = w[0] * a[1] - w[1] * a[0]
        out[12:15] = mass * gravity
        out[15:18] = 0.0
        return out

    def repaired(y: np.ndarray) -> np.ndarray:
        r = y[3:12].reshape(3, 3, -1)
        for _ in range(2):
            gram = np.einsum("kin,kjn->ijn", r, r)
            r = 1.5 * r - 0.5 * np.einsum("ikn,kjn->ijn", r, gram)
        y[3:12] = r.reshape(9, -1)
        return y

    def call() -> np.ndarray:
        y = start
        for _ in range(STEPS):
            a = rate(y)
            b = rate(y + 0.5 * STEP * a)
            c = rate(y + 0.5 * STEP * b)
            d = rate(y + STEP * c)
            y = repaired(y + STEP / 6 * (a + 2 * (b + c) + d))
        return y[:12].T

    return call
