"""Explicit Euler."""

from motiform.motion.run.integrators.method import LINEAR, Method, tableau

__all__ = ["EULER", "METHOD"]

EULER = tableau("euler", 1, [], [1])

METHOD = Method(
    "euler",
    1,
    adaptive=False,
    conserves=LINEAR,
    models=("bodies", "figure"),
    text="explicit Euler as in the course: energy grows, rotations swell",
    tableau=EULER,
)
