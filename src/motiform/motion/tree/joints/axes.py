"""Joints that are screws in sequence: hinges, sliders, screws, Cardan and planar joints.

A joint of this kind is one more function that returns an `AxesJoint`.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.joint import Array, Joint, as_limits, named_as, unit_vector
from motiform.spatial import Transform, cross_motion, exp_rotation

__all__ = [
    "UNITS", "AxesJoint", "Axis", "cardan", "chain", "fixed", "helical", "moved_by_later", "planar", "prismatic",
    "revolute", "stretched_axes", "universal",
]  # fmt: skip

Triple = tuple[float, float, float]
UNITS: dict[str, Triple] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_LETTERS: dict[tuple[float, ...], str] = {unit: letter for letter, unit in UNITS.items()}
_OWN: dict[tuple[float, ...], int] = {
    UNITS["x"]: tree_columns.TURN_X,
    UNITS["y"]: tree_columns.TURN_Y,
    UNITS["z"]: tree_columns.TURN_Z,
}


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
            raise InputError("an axis must be of a known kind", got=self.kind, allowed="revolute, prismatic")
        object.__setattr__(
            self, "direction", tuple(unit_vector(self.direction, f"{self.kind} axis", zero=True).tolist())
        )
        try:
            numbers = np.array([*self.point, self.pitch, self.offset], float)
        except (TypeError, ValueError):
            numbers = np.empty(0)
        if numbers.shape != (5,) or not np.isfinite(numbers).all():
            raise InputError(
                "point, pitch and offset of an axis must be finite", where=f"{self.kind} axis",
                got=(self.point, self.pitch, self.offset), allowed="finite numbers, point (3,)",
            )  # fmt: skip
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
                f"a {self.kind} axis must have a direction", where=where, got=self.direction, allowed="not all zero"
            )

    def numbers(self) -> tuple[int, tuple[float, ...]]:
        """Return the axis as the kernels read it: its kind, direction, point, pitch, offset and sign.

        The sign makes the direction one of the frame's own axes, where it can.
        """
        own = (
            tree_columns.SHIFT
            if self.kind == "prismatic"
            else _OWN.get(tuple(map(abs, self.direction)), tree_columns.SCREW)
        )
        if own != tree_columns.SHIFT and (self.pitch or any(self.point)):
            own = tree_columns.SCREW
        sign = 1.0 if own in (tree_columns.SHIFT, tree_columns.SCREW) else float(sum(self.direction))
        return own, (*self.direction, *self.point, self.pitch, self.offset, sign)

    @property
    def screw(self) -> Array:
        """The twist of unit rate, (6,)."""
        a = np.array(self.direction)
        if self.kind == "prismatic":
            return np.concatenate([np.zeros(3), a])
        return np.concatenate([a, np.cross(self.point, a) + self.pitch * a])


def chain(axes: Sequence[Axis], x: Array) -> tuple[Transform, Array]:
    """Return the displacement by axes that each move the next, and their twists in the last frame, (..., 6, axes)."""
    batch = x.shape[:-1]
    T = Transform._trusted(np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3)), None)
    twists = np.zeros((*batch, 6, len(axes)))
    for k in reversed(range(len(axes))):
        twists[..., k] = T.inverse().motion(np.broadcast_to(axes[k].screw, (*batch, 6)))
        T = axes[k].transform(x[..., k] + axes[k].offset) @ T
    return T, twists


def moved_by_later(twists: Array, rates: Array) -> Array:
    """Return the rate of each twist in the last frame: it moves with all axes after its own, (..., 6, axes)."""
    out, later = np.zeros_like(twists), np.zeros(twists.shape[:-1])
    for k in reversed(range(twists.shape[-1])):
        out[..., k] = -cross_motion(later, twists[..., k])
        later = later + twists[..., k] * rates[..., k, None]
    return out


def stretched_axes(
    axes: Sequence[Axis], placement: Transform, child: Array, parent: Array
) -> tuple[Transform, tuple[Axis, ...], list[float]]:
    """Return a joint's placement and axes where child and parent are stretched, and the parent's factor along each.

    The joint's centre follows the parent, and seen from the child the child.
    """
    R, p = placement.rotation, placement.translation
    center = next((np.array(axis.point) for axis in axes if axis.kind == "revolute"), np.zeros(3))
    along = [float(parent @ (R @ axis.direction) ** 2) for axis in axes]
    found = []
    for axis, factor in zip(axes, along, strict=True):
        x, y, z = (child * axis.point).tolist()
        offset = axis.offset * factor if axis.kind == "prismatic" else axis.offset
        found.append(replace(axis, point=(x, y, z), pitch=axis.pitch * factor, offset=offset))
    return Transform(R, parent * (p + R @ center) - R @ (child * center)), tuple(found), along


class AxesJoint(Joint):
    """Screws in sequence, each fixed in the frame that those before it have moved; its coordinates are plain."""

    code = tree_columns.AXES

    def __init__(
        self, axes: Sequence[Axis], names: Sequence[str] | None = None, limits: ArrayLike | None = None, *,
        start: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        self.axes = tuple(axes)
        if not all(isinstance(axis, Axis) for axis in self.axes):
            raise InputError("the axes of a joint must be Axis objects", got=self.axes, allowed="a sequence of Axis")
        self.nq = self.nv = len(self.axes)
        self.named = names is not None
        self.names = named_as(names, _default_names(self.axes))
        self.units = tuple("rad" if axis.kind == "revolute" else "m" for axis in self.axes)
        self.limits = as_limits(limits, self.nv, f"joint with {', '.join(self.names) or 'no'} axes")
        self.start = np.zeros(self.nq) if start is None else np.array(start, float).reshape(self.nq)

    @property
    def plain(self) -> bool:
        return True

    def check(self, where: str) -> None:
        for axis in self.axes:
            axis.check(where)

    @property
    def turns(self) -> tuple[int, ...]:
        return tuple(k for k, axis in enumerate(self.axes) if axis.kind == "revolute" and axis.pitch == 0)

    def stretched(self, placement: Transform, child: Array, parent: Array) -> tuple[Transform, Joint]:
        placement, axes, _ = stretched_axes(self.axes, placement, child, parent)
        found = copy(self)
        found.axes = axes
        return placement, found

    def neutral(self) -> Array:
        return self.start.copy()

    def transform(self, q: Array) -> Transform:
        return chain(self.axes, np.asarray(q, float))[0]

    def subspace(self, q: Array) -> Array:
        return chain(self.axes, np.asarray(q, float))[1]

    def subspace_rate(self, q: Array, v: Array) -> Array:
        return moved_by_later(self.subspace(q), np.asarray(v, float))

    def rate(self, q: Array, v: Array) -> Array:
        return np.array(v, float)

    def advance(self, q: Array, v: Array, h: float) -> Array:
        return np.asarray(q, float) + h * np.asarray(v, float)

    def column(self, k: int) -> tuple[int, Sequence[float]]:
        return self.axes[k].numbers()


def _default_names(axes: Sequence[Axis]) -> tuple[str, ...]:
    names = []
    for n, axis in enumerate(axes):
        x, y, z = axis.direction
        letter = _LETTERS.get((abs(x), abs(y), abs(z)), str(n + 1))
        names.append(("r" if axis.kind == "revolute" else "t") + letter)
    if len(set(names)) < len(names):
        names = [f"{name}{n + 1}" for n, name in enumerate(names)]
    return tuple(names)


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
        raise InputError(
            "the axes of a universal joint must not be parallel",
            got=f"{a} and {b}",
            allowed="two axes that are not parallel",
        )
    return AxesJoint([Axis("revolute", a), Axis("revolute", b)], names, limits)  # type: ignore[arg-type]


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
        raise InputError("the order of a Cardan joint must be a text", got=repr(order), allowed="letters x, y, z")
    for what, numbers in (("signs", signs), ("offsets", offsets)):
        if np.ndim(numbers) != 1:
            raise InputError(
                f"{what} of a Cardan joint must be a row of numbers", got=repr(numbers), allowed=f"{len(order)} numbers"
            )
    signs = tuple(signs) or (1.0,) * len(order)
    offsets = tuple(offsets) or (0.0,) * len(order)
    if not order or set(order) - set(UNITS) or any(a == b for a, b in pairwise(order)):
        raise InputError(
            "the order of a Cardan joint must be axes, neighbours different",
            got=order,
            allowed="letters x, y, z, neighbours different",
        )
    if not len(signs) == len(offsets) == len(order) or set(signs) - {1, -1}:
        raise InputError(
            "signs and offsets of a Cardan joint must match its order", got=signs, allowed=f"{len(order)} times 1 or −1"
        )
    axes = [
        Axis("revolute", tuple(s * u for u in UNITS[letter]), offset=o)  # type: ignore[arg-type]
        for letter, s, o in zip(order, signs, offsets, strict=True)
    ]
    return AxesJoint(axes, names, limits)


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
