"""The force of turbulent wind on masses with drag."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import kernel

__all__ = ["add_eddies"]


@kernel
def add_eddies(i, pad, x, drag, waves, t, forces):
    """Add c Σ a cos(k·x − ω t) + b sin(k·x − ω t) to the force on mass i; `waves` is `Eddies.table`."""
    n = pad + i
    c = drag[n]
    if c > 0.0:
        u, v, w = 0.0, 0.0, 0.0
        for q in range(waves.shape[0]):
            phase = waves[q, 0] * x[0, n] + waves[q, 1] * x[1, n] + waves[q, 2] * x[2, n] - waves[q, 9] * t
            cosine, sine = math.cos(phase), math.sin(phase)
            u += waves[q, 3] * cosine + waves[q, 6] * sine
            v += waves[q, 4] * cosine + waves[q, 7] * sine
            w += waves[q, 5] * cosine + waves[q, 8] * sine
        forces[0, n] += c * u
        forces[1, n] += c * v
        forces[2, n] += c * w
