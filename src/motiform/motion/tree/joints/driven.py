"""Joints whose axis displacements are functions of coordinates, such as an anatomical knee."""

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.joints.axes import Axis, chain, moved_by_later, stretched_axes
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.model.joint import Array, Joint, as_limits
from motiform.spatial import Transform

__all__ = ["FunctionJoint", "function"]


class FunctionJoint(Joint):
    """Screws in sequence whose angles and shifts are functions of coordinates, as in an anatomical knee.

    Axis k stands at functions[k](q[drivers[k]]); the twist of coordinate c is Σ f_k' times the axes that it drives.
    """

    code = tree_columns.FUNCTION

    def __init__(
        self, axes: Sequence[Axis], functions: Sequence[CoordinateFunction], drivers: Sequence[int],
        names: Sequence[str], limits: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        self.axes, self.functions, self.drivers = tuple(axes), tuple(functions), tuple(int(c) for c in drivers)
        self.names, self.named = tuple(names), True
        self.nq = self.nv = len(self.names)
        self.limits = as_limits(limits, self.nv, f"function joint of {', '.join(self.names)}")
        if not len(self.axes) == len(self.functions) == len(self.drivers):
            raise InputError(
                "axes, functions and drivers of a joint must match",
                got=f"{len(self.axes)} axes, {len(self.functions)} functions, {len(self.drivers)} drivers",
                allowed="one function and one driver for each axis",
            )
        if set(self.drivers) != set(range(self.nv)):
            raise InputError(
                "the drivers of a joint must be its coordinates", got=self.drivers,
                allowed=f"numbers 0 to {self.nv - 1}, each used", remedy="Every coordinate must drive an axis.",
            )  # fmt: skip
        for function in self.functions:
            if not isinstance(function, CoordinateFunction):
                raise InputError(
                    "a function of a coordinate must be of a known kind",
                    got=repr(function),
                    allowed="Polynomial, Spline",
                )
        turned = {driver for driver, axis in zip(self.drivers, self.axes, strict=True) if axis.kind == "revolute"}
        self.units = tuple("rad" if k in turned else "m" for k in range(self.nv))

    @property
    def plain(self) -> bool:
        return True

    def check(self, where: str) -> None:
        for axis in self.axes:
            axis.check(where)

    def stretched(self, placement: Transform, child: Array, parent: Array) -> tuple[Transform, Joint]:
        placement, axes, along = stretched_axes(self.axes, placement, child, parent)
        found, triples = copy(self), zip(axes, self.functions, along, strict=True)
        found.axes = axes
        found.functions = tuple(f.scaled(s) if axis.kind == "prismatic" else f for axis, f, s in triples)
        return placement, found

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
        return chain(self.axes, self._evaluated(np.asarray(q, float))[0])[0]

    def subspace(self, q: Array) -> Array:
        value, first, _ = self._evaluated(np.asarray(q, float))
        return (chain(self.axes, value)[1] * first[..., None, :]) @ self._drives

    def subspace_rate(self, q: Array, v: Array) -> Array:
        value, first, second = self._evaluated(np.asarray(q, float))
        twists = chain(self.axes, value)[1]
        driving = np.asarray(v, float)[..., list(self.drivers)]
        moved = moved_by_later(twists, first * driving) * first[..., None, :]
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


def function(axes: Sequence[tuple[Axis, CoordinateFunction, str]], *, limits: ArrayLike | None = None) -> FunctionJoint:
    """Return a joint whose axis displacements are functions of coordinates: each (axis, function, coordinate name).

    >>> from motiform.joints import Axis, Spline, function, linear
    >>> knee = function([
    ...     (Axis("revolute", (0, 0, 1)), linear(), "knee"),
    ...     (Axis("prismatic", (1, 0, 0)), Spline([-2.1, -1.0, 0.0], [0.0032, 0.0041, -0.005]), "knee"),
    ... ])
    """
    names = tuple(dict.fromkeys(name for _, _, name in axes))
    return FunctionJoint(
        [axis for axis, _, _ in axes], [f for _, f, _ in axes], [names.index(name) for _, _, name in axes], names,
        limits,
    )  # fmt: skip
