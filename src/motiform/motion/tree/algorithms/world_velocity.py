"""Velocities of a joint from how its segment moves in the world."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.algorithms.kinematics import jacobian
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["joint_velocity"]

_LEFT = 1e-9  # of the motion that is asked for: what a joint may leave of it


def joint_velocity(
    figure: Figure,
    q: ArrayLike,
    segment: str,
    *,
    velocity: ArrayLike | None = None,
    spin: ArrayLike | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
    v: ArrayLike | None = None,
) -> Array:
    """Return v, (nv,), in which the joint of a segment gives it this motion, other joints as in `v` (at rest).

    `velocity` [m/s] is that of a point of the segment (its origin) and `spin` [rad/s] that of the segment, in world
    axes; what is not given follows: a ball that rolls spins as its velocity asks. Of several motions the least is
    taken. A motion that the joint cannot make is refused, with the nearest that it can.
    """
    own = figure.places(segment, "v")
    out = np.zeros(figure.nv) if v is None else np.array(as_floats(v, figure.nv, where="v"))
    out[own] = 0.0
    wanted = {"spin": (spin, slice(0, 3)), "velocity": (velocity, slice(3, 6))}
    rows = [rows for given, rows in wanted.values() if given is not None]
    if not rows:
        raise InputError("a velocity or a spin must be given", where=f"segment {segment!r}")
    asked = np.concatenate(
        [as_floats(given, 3, where=name) for name, (given, _) in wanted.items() if given is not None]
    )
    J = jacobian(figure, q, segment, point)
    J = np.concatenate([J[part] for part in rows])
    rest = asked - J @ out
    out[own] = np.linalg.lstsq(J[:, own], rest, rcond=1e-12)[0]
    left = float(np.abs(J @ out - asked).max())
    if left > _LEFT * max(float(np.abs(asked).max()), float(np.abs(rest).max())):
        raise InputError(
            "the joint cannot give its segment this motion", where=f"joint of segment {segment!r}",
            got=np.array2string(asked, precision=6), allowed=f"such as {np.array2string(J @ out, precision=6)}",
            remedy="Leave velocity or spin out, or take another joint.",
        )  # fmt: skip
    return out
