"""The classical Runge–Kutta method."""

from motiform.motion.run.integrators.method import LINEAR, Method, tableau

__all__ = ["METHOD", "RK4"]

RK4 = tableau("rk4", 4, [[1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])

METHOD = Method(
    "rk4",
    4,
    adaptive=False,
    conserves=LINEAR | {"orthogonality"},
    models=("bodies", "figure"),
    text="classical Runge–Kutta, rotations repaired each step",
    tableau=RK4,
)
