"""The free rotation of a rigid body in closed form, and how far a run is from it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.bodies import Bodies
from motiform.record import Recording
from motiform.scene import parse_scene

__all__ = ["rotation_error", "rotation_exact"]


def rotation_exact(inertia: Sequence[float], spin: Sequence[float], t: ArrayLike) -> np.ndarray:
    """Return the angular velocity of a free body in principal axes [rad/s], (times, 3), by Jacobi's functions.

    Parameters
    ----------
    inertia : principal moments of inertia, in growing order [kg m²].
    spin : angular velocity at t = 0 [rad/s], without a part about the second axis.
    t : times [s].
    """
    from scipy.special import ellipj

    (i1, i2, i3), (a, zero, c) = inertia, spin
    # Euler's equations I ω' = (I ω) × ω with ω = (a cn pt, b sn pt, c dn pt),
    # where cn' = −sn dn, sn' = cn dn, dn' = −m sn cn
    p = c * np.sqrt((i3 - i2) * (i3 - i1) / (i1 * i2))
    b = (i3 - i1) / (i2 * p) * c * a
    m = (i2 - i1) / (i3 * p) * a * b / c
    if not (i1 < i2 < i3 and zero == 0.0 and c > 0.0 and m < 1.0):
        raise InputError(
            "the rotation must be about the axis of the largest inertia", got=f"inertia {inertia}, spin {spin}",
            allowed="moments in growing order, no spin about the second axis, L² > 2 E I₂",
        )  # fmt: skip
    sn, cn, dn, _ = ellipj(p * np.asarray(t, float), m)
    return np.stack([a * cn, b * sn, c * dn], axis=-1)


def rotation_error(rec: Recording) -> float:
    """Return the largest error of the angular velocity of a free body, as a part of that at the start."""
    scene = parse_scene(rec.manifest["scene_text"], name=rec.manifest["scene"], settings=rec.manifest["settings"])
    model = scene.build().model
    if not isinstance(model, Bodies) or len(model.bodies) != 1:
        raise InputError("the scene must be one body", where=scene.name)
    (body,) = model.bodies
    name = f"{body.name}.angular_velocity"
    exact = rotation_exact(
        np.diag(body.properties.inertia).tolist(), np.asarray(body.spin, float).tolist(), rec.time(name)
    )
    return float(np.linalg.norm(rec[name] - exact, axis=1).max() / np.linalg.norm(np.asarray(body.spin, float)))
