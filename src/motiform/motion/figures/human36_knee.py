"""Knees of Human36: a hinge, three axes, or a bending that carries the other motions with it."""

from typing import Literal, get_args

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.tree.joints.axes import AxesJoint, Axis
from motiform.motion.tree.joints.driven import FunctionJoint
from motiform.motion.tree.model.functions import Polynomial, linear
from motiform.motion.tree.model.joint import Joint

__all__ = ["KNEE_RANGES", "Knee", "check_knee", "knee_coordinates", "knee_joints"]

Knee = Literal["hinge", "three-axes", "coupled"]
KNEES: tuple[str, ...] = get_args(Knee)

KNEE_RANGES: dict[str, tuple[float, float]] = {
    f"{side}_knee_{name}": bounds
    for side in ("right", "left")
    for name, bounds in (("adduction", (-15, 15)), ("internal_rotation", (-40, 40)))
}
"""[°] Lowest and highest: wide of what a bent knee can be turned by hand."""

_DEGREE = np.pi / 180.0
# Of the flexion F [°]: adduction and internal rotation of the tibia [°], and the way of the femur on it, forward and
# up [mm], along the tibia's own axes.  [Walker88]
_ADDUCTION = (0.0, 0.0791, -5.733e-4, -7.682e-6, 5.759e-8)
_INTERNAL_ROTATION = (0.0, 0.3695, -2.958e-3, 7.666e-6)
_FORWARD = (0.0, -0.1283, 4.796e-4)
_UP = (0.0, -0.0683, 8.804e-4, -3.750e-6)


def check_knee(knee: str) -> str:
    """Return the kind of knee, or say which there are."""
    if knee not in KNEES:
        raise InputError(
            "the knee must be of a known kind", where="human36", got=repr(knee), allowed=", ".join(KNEES),
            remedy=closest(str(knee), KNEES),
        )  # fmt: skip
    return knee


def knee_coordinates(knee: str) -> tuple[str, ...]:
    """Return the names of the coordinates that a kind of knee has beside its extension."""
    if knee != "three-axes":
        return ()
    return tuple(f"{side}_knee_{name}" for side in ("right", "left") for name in ("adduction", "internal_rotation"))


def knee_joints(knee: str) -> dict[str, Joint]:
    """Return the joints of both shanks, by the name of the segment; none for the hinge."""
    sides = (("right", 1.0), ("left", -1.0))
    if knee == "three-axes":
        return {f"{side}_shank": _three_axes(side, sign) for side, sign in sides}
    return {f"{side}_shank": _coupled(side, sign) for side, sign in sides} if knee == "coupled" else {}


def _three_axes(side: str, sign: float) -> Joint:
    """Extension about the thigh's z, adduction about the floating axis, rotation along the shank.  [GroodSuntay83]"""
    axes = [Axis("revolute", (0.0, 0.0, 1.0)), Axis("revolute", (sign, 0.0, 0.0)), Axis("revolute", (0.0, sign, 0.0))]
    names = ("extension", "adduction", "internal_rotation")
    return AxesJoint(axes, [f"{side}_knee_{name}" for name in names])


def _coupled(side: str, sign: float) -> Joint:
    """Adduction, rotation and shifts that follow the bending, of knees without muscles."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    axes = [Axis("revolute", z), Axis("revolute", x), Axis("revolute", y), Axis("prismatic", x), Axis("prismatic", y)]
    functions = [
        linear(), _of_extension(_ADDUCTION, sign * _DEGREE), _of_extension(_INTERNAL_ROTATION, sign * _DEGREE),
        _of_extension(_FORWARD, -1e-3), _of_extension(_UP, -1e-3),
    ]  # fmt: skip
    return FunctionJoint(axes, functions, [0] * len(axes), [f"{side}_knee_extension"])


def _of_extension(coefficients: tuple[float, ...], unit: float) -> Polynomial:
    """Return a polynomial of the extension [rad] from one of the flexion [°]."""
    return Polynomial(tuple(unit * c * (-1.0 / _DEGREE) ** n for n, c in enumerate(coefficients)))
