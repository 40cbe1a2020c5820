"""Many identical bodies at random positions."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.machine import check_memory
from motiform.motion.bodies.model import Body
from motiform.motion.run import check_number
from motiform.spatial import random_rotation
from motiform.spatial.checks import as_floats, generator

__all__ = ["scatter"]

_COPY_BYTES = 1500  # of a body while it is built and run


def scatter(
    body: Body,
    count: int,
    box: ArrayLike,
    *,
    turned: bool = False,
    velocity: float = 0.0,
    spin: float = 0.0,
    rng: np.random.Generator | int = 0,
) -> Body:
    """Return many bodies like one, at random places within a box about it.

    `box` are the edges of the box [m], (3,). With `turned` each is turned at random. `velocity` [m/s] and `spin`
    [rad/s] are the largest random parts along each axis, added to the body's own. `rng` draws; the same seed gives the
    same bodies.
    """
    edges = as_floats(box, 3, where="scatter, box").reshape(3)
    if not isinstance(count, int | np.integer) or count < 1 or body.many:
        raise InputError("a single body is scattered, one or more times", where=f"body {body.name!r}", got=count)
    remedy = "Scatter fewer copies."
    check_memory(_COPY_BYTES * int(count), f"copies of body {body.name!r}", got=f"{count} copies", remedy=remedy)
    speed, turning = (check_number(x, k, "scatter", least=0.0) for k, x in (("velocity", velocity), ("spin", spin)))
    draw, R = generator(rng), np.asarray(body.rotation)
    position = np.asarray(body.position) + (draw.random((count, 3)) - 0.5) * edges
    rotation = random_rotation(draw, count) @ R if turned else np.broadcast_to(R, (count, 3, 3)).copy()
    return replace(
        body, position=position, rotation=rotation,
        velocity=np.asarray(body.velocity) + speed * (2 * draw.random((count, 3)) - 1),
        spin=np.asarray(body.spin) + turning * (2 * draw.random((count, 3)) - 1),
    )  # fmt: skip
