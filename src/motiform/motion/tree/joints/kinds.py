"""The joints, made by name: ``joints.revolute(axis=(0, 0, 1))``.

Every joint is one of four things: a sequence of screws (`AxesJoint`), screws driven by functions of coordinates
(`FunctionJoint`), a quaternion with or without a translation (`BallJoint`, `FreeJoint`), or a contact
(`ContactJoint`). Joints of other kinds are subclasses of `Joint`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.contact_joints.joint import ContactJoint, contact
from motiform.motion.tree.model.functions import CoordinateFunction, Polynomial, Spline, linear
from motiform.motion.tree.model.joint import Array, Joint, as_limits, unit_vector
from motiform.spatial import (
    Transform,
    cross_motion,
    exp_quaternion,
    exp_rotation,
    multiply_quaternions,
    rotation_from_quaternion,
    skew,
)

__all__ = [
    "AxesJoint",
    "Axis",
    "BallJoint",
    "ContactJoint",
    "FreeJoint",
    "FunctionJoint",
    "Joint",
    "Polynomial",
    "Spline",
    "cardan",
    "contact",
    "fixed",
    "free",
    "function",
    "helical",
    "linear",
    "planar",
    "prismatic",
    "revolute",
    "spherical",
    "universal",
]

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Axis:
    """A screw: a turn about an axis through a point, with a pitch, or a shift along it."""

    kind: Literal["revolute", "prismatic"]
    direction: Triple
    point: Triple = (0.0, 0.0, 0.0)
    """A point of the axis [m], in the frame that moves with it, at zero."""
    pitch: float = 0.0
    """Shift along the axis per angle [m/rad]."""
    offset: float = 0.0
    """Angle [rad] or shift [m] of the joint where its coordinate is zero."""

    def __post_init__(self) -> None:
        if self.kind not in ("revolute", "prismatic"):
            raise InputError("kind of axis", got=self.kind, allowed="revolute, prismatic")
        object.__setattr__(
            self, "direction", tuple(unit_vector(self.direction, f"{self.kind} axis", zero=True).tolist())
        )
        try:
            numbers = np.array([*self.point, self.pitch, self.offset], float)
        except (TypeError, ValueError):
            numbers = np.empty(0)
        if numbers.shape != (5,) or not np.isfinite(numbers).all():
            raise InputError(
                "point, pitch or offset",
                where=f"{self.kind} axis",
                got=(self.point, self.pitch, self.offset),
                allowed="finite numbers, point (3,)",
            )
        object.__setattr__(self, "point", tuple(float(x) for x in self.point))

    def transform(self, x: Array) -> Transform:
        """Return the displacement by the angle or shift x, without the offset."""
        a, c = np.array(self.direction), np.array(self.point)
        if self.kind == "prismatic":
            return Transform._trusted(np.broadcast_to(np.eye(3), (*x.shape, 3, 3)), a * x[..., None], None)
        R = exp_rotation(a * x[..., None])
        return Transform._trusted(R, c - R @ c + self.pitch * a * x[..., None], None)

    def check(self, where: str) -> None:
        """Refuse an axis without a direction; the place is known when the segment is."""
        if not any(self.direction):
            raise InputError(
                f"a {self.kind} axis without a direction", where=where, got=self.direction, allowed="not all zero"
            )

    @property
    def screw(self) -> Array:
        """The twist of unit rate, (6,)."""
        a = np.array(self.direction)
        if self.kind == "prismatic":
            return np.concatenate([np.zeros(3), a])
        return np.concatenate([a, np.cross(self.point, a) + self.pitch * a])


def _chain(axes: Sequence[Axis], x: Array) -> tuple[Transform, Array]:
    """Return the displacement by axes that each move the next, and their twists in the last frame, (..., 6, axes)."""
    batch = x.shape[:-1]
    T = Transform._trusted(np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3)), None)
    twists = np.zeros((*batch, 6, len(axes)))
    for k in reversed(range(len(axes))):
        twists[..., k] = T.inverse().motion(np.broadcast_to(axes[k].screw, (*batch, 6)))
        T = axes[k].transform(x[..., k] + axes[k].offset) @ T
    return T, twists


def _moved_by_later(twists: Array, rates: Array) -> Array:
    """Return the rate of each twist in the last frame: it moves with all axes after its own, (..., 6, axes)."""
    out, later = np.zeros_like(twists), np.zeros(twists.shape[:-1])
    for k in reversed(range(twists.shape[-1])):
        out[..., k] = -cross_motion(later, twists[..., k])
        later = later + twists[..., k] * rates[..., k, None]
    return out


class AxesJoint(Joint):
    """Screws in sequence, each fixed in the frame that those before it have moved; its coordinates are plain."""

    kernel = True

    def __init__(
        self, axes: Sequence[Axis], names: Sequence[str] | None = None, limits: ArrayLike | None = None
    ) -> None:
        self.axes = tuple(axes)
        if not all(isinstance(axis, Axis) for axis in self.axes):
            raise InputError("axes of a joint", got=self.axes, allowed="a sequence of Axis")
        self.nq = self.nv = len(self.axes)
        self.named = names is not None
        self.names = _named(names, _default_names(self.axes))
        self.units = tuple("rad" if axis.kind == "revolute" else "m" for axis in self.axes)
        self.limits = as_limits(limits, self.nv, f"joint with {', '.join(self.names) or 'no'} axes")

    @property
    def plain(self) -> bool:
        return True

    def check(self, where: str) -> None:
        for axis in self.axes:
            axis.check(where)

    def neutral(self) -> Array:
        return np.zeros(self.nq)

    def transform(self, q: Array) -> Transform:
        return _chain(self.axes, np.asarray(q, float))[0]

    def subspace(self, q: Array) -> Array:
        return _chain(self.axes, np.asarray(q, float))[1]

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return _moved_by_later(self.subspace(q), np.asarray(v, float))

    def rate(self, q: Array, v: Array) -> Array:
        return np.array(v, float)

    def advance(self, q: Array, v: Array, h: float) -> Array:
        return np.asarray(q, float) + h * np.asarray(v, float)


_LETTERS = {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}


def _default_names(axes: Sequence[Axis]) -> tuple[str, ...]:
    names = []
    for n, axis in enumerate(axes):
        x, y, z = axis.direction
        letter = _LETTERS.get((abs(x), abs(y), abs(z)), str(n + 1))
        names.append(("r" if axis.kind == "revolute" else "t") + letter)
    if len(set(names)) < len(names):
        names = [f"{name}{n + 1}" for n, name in enumerate(names)]
    return tuple(names)


class FunctionJoint(Joint):
    """Screws in sequence whose angles and shifts are functions of coordinates, as in an anatomical knee.

    Axis k stands at functions[k](q[drivers[k]]); the twist of coordinate c is Σ f_k' times the axes that it drives.
    """

    kernel = True

    def __init__(
        self,
        axes: Sequence[Axis],
        functions: Sequence[CoordinateFunction],
        drivers: Sequence[int],
        names: Sequence[str],
        limits: ArrayLike | None = None,
    ) -> None:
        self.axes, self.functions, self.drivers = tuple(axes), tuple(functions), tuple(int(c) for c in drivers)
        self.names, self.named = tuple(names), True
        self.nq = self.nv = len(self.names)
        self.limits = as_limits(limits, self.nv, f"function joint of {', '.join(self.names)}")
        if not len(self.axes) == len(self.functions) == len(self.drivers):
            raise InputError(
                "function joint",
                got=f"{len(self.axes)} axes, {len(self.functions)} functions, {len(self.drivers)} drivers",
                allowed="one function and one driver for each axis",
            )
        if set(self.drivers) != set(range(self.nv)):
            raise InputError(
                "drivers of a function joint",
                got=self.drivers,
                allowed=f"numbers 0 to {self.nv - 1}, each used",
                remedy="Every coordinate must drive an axis.",
            )
        for function in self.functions:
            if not isinstance(function, CoordinateFunction):
                raise InputError("function of a coordinate", got=repr(function), allowed="Polynomial, Spline")
        turned = {driver for driver, axis in zip(self.drivers, self.axes, strict=True) if axis.kind == "revolute"}
        self.units = tuple("rad" if k in turned else "m" for k in range(self.nv))

    @property
    def plain(self) -> bool:
        return True

    def check(self, where: str) -> None:
        for axis in self.axes:
            axis.check(where)

    def neutral(self) -> Array:
        return np.zeros(self.nq)

    def _evaluated(self, q: Array) -> tuple[Array, Array, Array]:
        found = [f.derivatives(q[..., c]) for f, c in zip(self.functions, self.drivers, strict=True)]
        value, first, second = (np.stack([f[n] for f in found], axis=-1) for n in range(3))
        return value, first, second

    @property
    def _drives(self) -> Array:
        """1 where coordinate c drives axis k, (axes, nv)."""
        return np.equal.outer(np.array(self.drivers), np.arange(self.nv)).astype(float)

    def transform(self, q: Array) -> Transform:
        return _chain(self.axes, self._evaluated(np.asarray(q, float))[0])[0]

    def subspace(self, q: Array) -> Array:
        value, first, _ = self._evaluated(np.asarray(q, float))
        return (_chain(self.axes, value)[1] * first[..., None, :]) @ self._drives

    def subspace_rate(self, q: Array, v: Array) -> Array:
        value, first, second = self._evaluated(np.asarray(q, float))
        twists = _chain(self.axes, value)[1]
        driving = np.asarray(v, float)[..., list(self.drivers)]
        moved = _moved_by_later(twists, first * driving) * first[..., None, :]
        return (moved + twists * (second * driving)[..., None, :]) @ self._drives

    def rate(self, q: Array, v: Array) -> Array:
        return np.array(v, float)

    def advance(self, q: Array, v: Array, h: float) -> Array:
        return np.asarray(q, float) + h * np.asarray(v, float)

    def numbers(self) -> Array:
        """Return the joint as the kernels read it: the number of axes, their blocks, the functions."""
        head, tail = [float(len(self.axes))], list[float]()
        start = 1 + 11 * len(self.axes)
        for axis, function, driver in zip(self.axes, self.functions, self.drivers, strict=True):
            kind = 1.0 if axis.kind == "prismatic" else 0.0
            head += [kind, *axis.direction, *axis.point, axis.pitch, axis.offset, float(driver), start + len(tail)]
            tail += function.numbers()
        return np.array(head + tail)


def _quaternion_rate(quaternion: Array, omega: Array) -> Array:
    """q̇ = ½ q (0, ω), ω in the turned axes."""
    pure = np.concatenate([np.zeros((*omega.shape[:-1], 1)), omega], axis=-1)
    return 0.5 * multiply_quaternions(quaternion, pure)


def _named(names: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return names told, one for each velocity, or the default."""
    if names is None:
        return default
    if not isinstance(names, Sequence) or len(names) != len(default) or not all(isinstance(n, str) for n in names):
        raise InputError("names of coordinates", got=repr(names), allowed=f"{len(default)} names")
    return tuple(names)


def _unit(quaternion: Array) -> Array:
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


class BallJoint(Joint):
    """Any rotation: q is a quaternion, v the angular velocity in the child's axes."""

    kernel = True
    nq, nv = 4, 3
    units = ("rad", "rad", "rad")
    q_names = ("qw", "qx", "qy", "qz")

    def __init__(self, names: Sequence[str] | None = None) -> None:
        self.names, self.named = _named(names, ("wx", "wy", "wz")), names is not None

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def transform(self, q: Array) -> Transform:
        R = rotation_from_quaternion(_unit(np.asarray(q, float)))
        return Transform._trusted(R, np.zeros(R.shape[:-1]), None)

    def subspace(self, q: Array) -> Array:
        return np.broadcast_to(np.eye(6)[:, :3], (*np.shape(q)[:-1], 6, 3))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return np.zeros((*np.shape(v)[:-1], 6, 3))

    def rate(self, q: Array, v: Array) -> Array:
        return _quaternion_rate(np.asarray(q, float), np.asarray(v, float))

    def advance(self, q: Array, v: Array, h: float) -> Array:
        return multiply_quaternions(np.asarray(q, float), exp_quaternion(h * np.asarray(v, float)))

    def repair(self, q: Array) -> Array:
        return _unit(np.asarray(q, float))


class FreeJoint(Joint):
    """No constraint: q = (position, quaternion), v = (angular, linear) velocity in the child's axes at its origin."""

    kernel = True
    nq, nv = 7, 6
    units = ("rad", "rad", "rad", "m", "m", "m")
    q_names = ("x", "y", "z", "qw", "qx", "qy", "qz")
    q_units = ("m", "m", "m", "", "", "", "")

    def __init__(self, names: Sequence[str] | None = None) -> None:
        self.names, self.named = _named(names, ("wx", "wy", "wz", "vx", "vy", "vz")), names is not None

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def transform(self, q: Array) -> Transform:
        q = np.asarray(q, float)
        return Transform._trusted(rotation_from_quaternion(_unit(q[..., 3:])), q[..., :3], None)

    def subspace(self, q: Array) -> Array:
        return np.broadcast_to(np.eye(6), (*np.shape(q)[:-1], 6, 6))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return np.zeros((*np.shape(v)[:-1], 6, 6))

    def rate(self, q: Array, v: Array) -> Array:
        q, v = np.asarray(q, float), np.asarray(v, float)
        R = rotation_from_quaternion(_unit(q[..., 3:]))
        moved = (R @ v[..., 3:, None])[..., 0]
        return np.concatenate([moved, _quaternion_rate(q[..., 3:], v[..., :3])], axis=-1)

    def advance(self, q: Array, v: Array, h: float) -> Array:
        q, v = np.asarray(q, float), np.asarray(v, float)
        R = rotation_from_quaternion(_unit(q[..., 3:]))
        shift = (R @ _exp_shift(h * v[..., :3]) @ (h * v[..., 3:, None]))[..., 0]
        turned = multiply_quaternions(q[..., 3:], exp_quaternion(h * v[..., :3]))
        return np.concatenate([q[..., :3] + shift, turned], axis=-1)

    def repair(self, q: Array) -> Array:
        q = np.asarray(q, float)
        return np.concatenate([q[..., :3], _unit(q[..., 3:])], axis=-1)


def _exp_shift(w: Array) -> Array:
    """Return ∫₀¹ exp(s [w]×) ds, (..., 3, 3): how a turning velocity adds up."""
    angle2 = np.sum(w * w, axis=-1)[..., None, None]
    angle = np.sqrt(angle2)
    small = angle < 1e-3
    safe = np.where(small, 1.0, angle)
    b = np.where(small, 0.5 - angle2 / 24, 2 * np.sin(safe / 2) ** 2 / safe**2)
    c = np.where(small, 1 / 6 - angle2 / 120, (safe - np.sin(safe)) / safe**3)
    W = skew(w)
    return np.eye(3) + b * W + c * (W @ W)


# ---- by name ---------------------------------------------------------------------------------------------------------


def fixed() -> AxesJoint:
    """Return a joint without freedom."""
    return AxesJoint(())


def _single(axis: Axis, name: str | None, limits: tuple[float, float] | None) -> AxesJoint:
    return AxesJoint([axis], None if name is None else (name,), limits)


def revolute(
    axis: ArrayLike,
    *,
    point: ArrayLike = (0.0, 0.0, 0.0),
    offset: float = 0.0,
    limits: tuple[float, float] | None = None,
    name: str | None = None,
) -> AxesJoint:
    """Return a hinge: a turn [rad] about an axis through `point` [m]."""
    return _single(Axis("revolute", axis, point, 0.0, offset), name, limits)  # type: ignore[arg-type]


def prismatic(
    axis: ArrayLike, *, offset: float = 0.0, limits: tuple[float, float] | None = None, name: str | None = None
) -> AxesJoint:
    """Return a slider: a shift [m] along an axis."""
    return _single(Axis("prismatic", axis, offset=offset), name, limits)  # type: ignore[arg-type]


def helical(
    axis: ArrayLike,
    pitch: float,
    *,
    point: ArrayLike = (0.0, 0.0, 0.0),
    offset: float = 0.0,
    limits: tuple[float, float] | None = None,
    name: str | None = None,
) -> AxesJoint:
    """Return a screw: a turn [rad] with a shift of `pitch` metres per radian."""
    return _single(Axis("revolute", axis, point, pitch, offset), name, limits)  # type: ignore[arg-type]


def universal(
    axis1: ArrayLike, axis2: ArrayLike, *, names: Sequence[str] | None = None, limits: ArrayLike | None = None
) -> AxesJoint:
    """Return two turns [rad], the second axis moved by the first."""
    a, b = unit_vector(axis1, "first axis", zero=True), unit_vector(axis2, "second axis", zero=True)
    if a.any() and b.any() and np.linalg.norm(np.cross(a, b)) < 1e-9:
        raise InputError("universal joint", got=f"{a} and {b}", allowed="two axes that are not parallel")
    return AxesJoint([Axis("revolute", a), Axis("revolute", b)], names, limits)  # type: ignore[arg-type]


_UNITS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def cardan(
    order: str = "zyx",
    signs: Sequence[float] = (),
    *,
    offsets: Sequence[float] = (),
    names: Sequence[str] | None = None,
    limits: ArrayLike | None = None,
) -> AxesJoint:
    """Return turns [rad] about the axes named in `order`, each moved by those before it; signs turn them round.

    The default is R = Rz(q1) Ry(q2) Rx(q3).
    """
    if not isinstance(order, str):
        raise InputError("order of a Cardan joint", got=repr(order), allowed="letters x, y, z")
    for what, numbers in (("signs", signs), ("offsets", offsets)):
        if np.ndim(numbers) != 1:
            raise InputError(f"{what} of a Cardan joint", got=repr(numbers), allowed=f"{len(order)} numbers")
    signs = tuple(signs) or (1.0,) * len(order)
    offsets = tuple(offsets) or (0.0,) * len(order)
    if not order or set(order) - set(_UNITS) or any(a == b for a, b in pairwise(order)):
        raise InputError("order of a Cardan joint", got=order, allowed="letters x, y, z, neighbours different")
    if not len(signs) == len(offsets) == len(order) or set(signs) - {1, -1}:
        raise InputError("signs of a Cardan joint", got=signs, allowed=f"{len(order)} times 1 or −1")
    axes = [
        Axis("revolute", tuple(s * u for u in _UNITS[letter]), offset=o)  # type: ignore[arg-type]
        for letter, s, o in zip(order, signs, offsets, strict=True)
    ]
    return AxesJoint(axes, names, limits)


def spherical(*, names: Sequence[str] | None = None) -> BallJoint:
    """Return a ball joint without singularities: a quaternion."""
    return BallJoint(names)


def planar(
    normal: ArrayLike = (0.0, 0.0, 1.0), *, names: Sequence[str] | None = None, limits: ArrayLike | None = None
) -> AxesJoint:
    """Return two shifts [m] in a plane and a turn [rad] about its normal.

    The shifts are along the two other axes in cyclic order where the normal is x, y or z (z: along x, then y).
    """
    n = unit_vector(normal, "normal of a planar joint", zero=True)
    first = np.roll(np.eye(3), -1, axis=0)[np.argmax(np.abs(n))] if np.abs(n).max() == 1 else _any_perpendicular(n)
    second = np.cross(n, first)
    axes = [Axis("prismatic", first), Axis("prismatic", second), Axis("revolute", n)]  # type: ignore[arg-type]
    return AxesJoint(axes, names, limits)


def _any_perpendicular(n: Array) -> Array:
    e = np.eye(3)[np.argmin(np.abs(n))]
    a = e - n * (n @ e)
    return a / np.linalg.norm(a)


def free(
    kind: Literal["quaternion", "cardan"] = "quaternion",
    *,
    order: str = "zyx",
    names: Sequence[str] | None = None,
) -> FreeJoint | AxesJoint:
    """Return the joint of a free segment: with a quaternion, or with three shifts along x, y, z and Cardan angles."""
    if kind == "quaternion":
        return FreeJoint(names)
    if kind != "cardan":
        raise InputError("kind of a free joint", got=kind, allowed="quaternion, cardan")
    shifts = [Axis("prismatic", _UNITS[letter]) for letter in "xyz"]
    return AxesJoint([*shifts, *cardan(order).axes], names)


def function(axes: Sequence[tuple[Axis, CoordinateFunction, str]], *, limits: ArrayLike | None = None) -> FunctionJoint:
    """Return a joint whose axes stand at functions of coordinates: (axis, function, name of its coordinate) each.

    >>> knee = function([
    ...     (Axis("revolute", (0, 0, 1)), linear(), "knee"),
    ...     (Axis("prismatic", (1, 0, 0)), Spline([-2.1, -1.0, 0.0], [0.0032, 0.0041, -0.005]), "knee"),
    ... ])
    """
    names = tuple(dict.fromkeys(name for _, _, name in axes))
    return FunctionJoint(
        [axis for axis, _, _ in axes],
        [f for _, f, _ in axes],
        [names.index(name) for _, _, name in axes],
        names,
        limits,
    )
