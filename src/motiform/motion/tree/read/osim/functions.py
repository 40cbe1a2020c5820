"""The functions of OpenSim: splines, broken lines, polynomials, as functions of one coordinate."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.motion.tree.model.functions import CoordinateFunction, Polynomial, Spline
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.elements import located
from motiform.motion.tree.read.osim.elements import Node

__all__ = ["BrokenLine", "SimmSpline", "as_line", "constant_value", "function_inside", "read_function", "scaled"]

_SPLINES = ("SimmSpline", "NaturalCubicSpline", "NatCubicSpline", "natCubicSpline")
KNOWN = (
    "Constant",
    "LinearFunction",
    "SimmSpline",
    "PiecewiseLinearFunction",
    "PolynomialFunction",
    "MultiplierFunction",
)


@dataclass(frozen=True, eq=False)
class SimmSpline(Spline):
    """The cubic spline of SIMM and OpenSim, with linear extrapolation.

    Other than a natural spline it bends at its ends: the third derivative there is that of the cubic through the first
    (last) four points; through three points it is a parabola.  [Forsythe77 4.4]
    """

    @cached_property
    def pieces(self) -> Array:
        """Coefficients c0..c3 of each piece in powers of x − x_i, (points − 1, 4)."""
        x, y, n = self.x, self.y, len(self.x)
        d = np.diff(x)
        slope = np.diff(y) / d
        if n == 2:
            return np.array([[y[0], slope[0], 0.0, 0.0]])
        A, r = np.diag(np.r_[-d[0], 2 * (d[:-1] + d[1:]), -d[-1]]), np.zeros(n)
        A += np.diag(d, 1) + np.diag(d, -1)
        r[1:-1] = np.diff(slope)
        if n > 3:  # third divided differences at the ends
            r[0] = (r[2] / (x[3] - x[1]) - r[1] / (x[2] - x[0])) * d[0] ** 2 / (x[3] - x[0])
            r[-1] = -(r[-2] / (x[-1] - x[-3]) - r[-3] / (x[-2] - x[-4])) * d[-1] ** 2 / (x[-1] - x[-4])
        c = np.linalg.solve(A, r)
        return np.column_stack([y[:-1], slope - d * (c[1:] + 2 * c[:-1]), 3 * c[:-1], np.diff(c) / d])


@dataclass(frozen=True, eq=False)
class BrokenLine(Spline):
    """Straight pieces between points; beyond its ends the first and the last go on."""

    @cached_property
    def pieces(self) -> Array:
        """Coefficients c0..c3 of each piece in powers of x − x_i, (points − 1, 4)."""
        slope = np.diff(self.y) / np.diff(self.x)
        return np.column_stack([self.y[:-1], slope, np.zeros((len(slope), 2))])


def function_inside(node: Node, tag: str) -> Node | None:
    """Return the function that an element holds, as ``<function><Class>``, ``<Class name="function">``, ``<Class>``."""
    wrapped = node.field(tag)
    if wrapped is not None:
        return wrapped.nodes[0] if wrapped.nodes else None
    classes = [child for child in node.nodes if child.tag[:1].isupper() and child.name in ("", tag)]
    return classes[0] if classes else None


def read_function(node: Node) -> CoordinateFunction:
    """Return the function of an element."""
    with located(node):
        if node.tag == "Constant":
            return Polynomial((node.scalar("value", 0.0),))
        if node.tag == "LinearFunction":
            slope, offset = node.vector("coefficients", 2, (1.0, 0.0)).tolist()
            return Polynomial((offset, slope))
        if node.tag == "PolynomialFunction":
            return Polynomial(tuple(node.vector("coefficients", None)[::-1].tolist()))
        if node.tag in _SPLINES:
            return SimmSpline(node.vector("x", None), node.vector("y", None))
        if node.tag == "PiecewiseLinearFunction":
            return BrokenLine(node.vector("x", None), node.vector("y", None))
        if node.tag == "MultiplierFunction":
            inner = function_inside(node, "function")
            if inner is None:
                raise node.error("the <function> is missing", allowed=", ".join(KNOWN))
            return scaled(read_function(inner), node.scalar("scale", 1.0))
    raise node.error("a function of this kind is not supported", allowed=", ".join(KNOWN))


def scaled(function: CoordinateFunction, factor: float) -> CoordinateFunction:
    """Return the function times a number."""
    if isinstance(function, Polynomial):
        return Polynomial(tuple(factor * c for c in function.coefficients))
    assert isinstance(function, Spline)
    return function if factor == 1.0 else type(function)(function.x, factor * function.y)


def as_line(function: CoordinateFunction) -> tuple[float, float] | None:
    """Return (slope, offset) of a straight line, or None."""
    if not isinstance(function, Polynomial):
        return None
    offset, *others = function.coefficients
    slope, *higher = others or [0.0]
    return None if any(higher) else (slope, offset)


def constant_value(function: CoordinateFunction) -> float | None:
    """Return the value of a constant function, or None."""
    line = as_line(function)
    return line[1] if line is not None and line[0] == 0.0 else None
