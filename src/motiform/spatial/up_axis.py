"""The up direction: axes by name, and the rotation between a world and one with y up."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError

__all__ = ["AXES", "up_against", "up_name", "up_vector", "upright"]

AXES = ("x", "y", "z", "-x", "-y", "-z")
_STEEP = 0.9  # cosine between up and x from which on x is no forward direction


def up_vector(up: str | ArrayLike) -> np.ndarray:
    """Return the unit vector (3,) of an axis by name ("y" is (0, 1, 0), "-z" (0, 0, −1)), or along a vector.

    >>> up_vector("-z").tolist(), up_vector((0.0, 9.81, 0.0)).tolist()
    ([0.0, 0.0, -1.0], [0.0, 1.0, 0.0])
    """
    if isinstance(up, str):
        axis = up.lower().lstrip("+")
        if axis not in AXES:
            raise _wrong(up)
        return np.where(np.arange(3) == "xyz".index(axis[-1]), -1.0 if axis[0] == "-" else 1.0, 0.0)
    try:
        vector = np.array(up, float)
    except (TypeError, ValueError):
        raise _wrong(up) from None
    if vector.shape != (3,) or not np.isfinite(vector).all() or not vector.any():
        raise _wrong(up)
    vector = vector / np.abs(vector).max()  # lengths near the ends of the range of floats
    return vector / np.linalg.norm(vector) + 0.0  # no negative zeros


def _wrong(up: Any) -> InputError:
    return InputError(
        "up must be an axis or a direction",
        got=repr(up)[:40],
        allowed=f"{', '.join(AXES)}, or a vector that is not zero",
    )


def up_against(gravity: ArrayLike | None, otherwise: str | ArrayLike = "y") -> np.ndarray:
    """Return the unit vector (3,) opposite to gravity, or the given direction for a world without gravity.

    >>> up_against((0, 0, -9.81)).tolist(), up_against((0, 0, 0)).tolist()
    ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    """
    return up_vector(-np.asarray(gravity, float) if gravity is not None and np.any(gravity) else otherwise)


def up_name(up: ArrayLike) -> str:
    """Return the name of the axis that is nearest to a vector.

    >>> up_name((0.1, 0.0, -2.0))
    '-z'
    """
    vector = up_vector(up)
    k = int(np.argmax(np.abs(vector)))
    return AXES[k if vector[k] > 0 else k + 3]


def upright(up: str | ArrayLike) -> np.ndarray:
    """Return the rotation (3, 3) from a world with that direction up to one with y up: R @ up is (0, 1, 0).

    Its rows are the directions that become x (forward), y (up) and z (right). Of the world's axes x stays where it is
    horizontal; where x is up, z stays. Where up is an axis, all entries are 0, 1 or −1.

    >>> upright("z").tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    """
    u = up_vector(up)
    forward = np.array([1.0, 0.0, 0.0]) if abs(u[0]) < _STEEP else np.cross(u, (0.0, 0.0, 1.0))
    forward = forward - (forward @ u) * u
    forward = forward / np.linalg.norm(forward)
    return np.stack([forward, u, np.cross(forward, u)]) + 0.0
