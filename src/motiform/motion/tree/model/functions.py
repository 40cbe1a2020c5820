"""Functions of one coordinate: polynomials and cubic splines, with two derivatives."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.model.joint import Array

__all__ = ["CoordinateFunction", "Polynomial", "Spline", "linear"]


@runtime_checkable
class CoordinateFunction(Protocol):
    """A function of one coordinate."""

    def derivatives(self, x: ArrayLike) -> tuple[Array, Array, Array]:
        """Return the value and the first two derivatives."""
        ...

    def scaled(self, factor: float) -> "CoordinateFunction":
        """Return the function of a shift that grows with its segment; see `Joint.stretched`."""
        ...

    def numbers(self) -> list[float]:
        """Return the function as the kernels read it."""
        ...


@dataclass(frozen=True)
class Polynomial:
    """c0 + c1 x + c2 x² + …"""

    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        try:
            c = tuple(float(value) for value in self.coefficients)
        except (TypeError, ValueError):
            c = ()
        if not c or not np.isfinite(c).all():
            raise InputError(
                "a polynomial must have finite coefficients",
                got=repr(self.coefficients),
                allowed="one finite number or more",
            )
        object.__setattr__(self, "coefficients", c)

    def derivatives(self, x: ArrayLike) -> tuple[Array, Array, Array]:
        """Return the value and the first two derivatives."""
        x = np.asarray(x, float)
        p = np.polynomial.Polynomial(self.coefficients)
        return p(x), p.deriv()(x) + 0 * x, p.deriv(2)(x) + 0 * x

    def __call__(self, x: ArrayLike) -> Array:
        """Return the value."""
        return self.derivatives(x)[0]

    def scaled(self, factor: float) -> "Polynomial":
        """Return the polynomial times a factor; a coordinate that is itself a shift keeps its slope."""
        c = self.coefficients
        if len(c) == 2 and abs(c[1]) == 1.0:
            return Polynomial((factor * c[0], c[1]))
        return Polynomial(tuple(factor * x for x in c))

    def numbers(self) -> list[float]:
        """Return 0, the number of coefficients, the coefficients."""
        return [0.0, float(len(self.coefficients)), *self.coefficients]


def linear(slope: float = 1.0, offset: float = 0.0) -> Polynomial:
    """Return the function offset + slope x."""
    return Polynomial((offset, slope))


@dataclass(frozen=True, eq=False)
class Spline:
    """The natural cubic spline through points, with linear extrapolation."""

    x: Array
    y: Array

    def __post_init__(self) -> None:
        try:
            x, y = np.array(self.x, float), np.array(self.y, float)
        except (TypeError, ValueError):
            raise InputError(
                "x and y of a spline must be numbers", got=repr((self.x, self.y)), allowed="x and y, numbers"
            ) from None
        if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
            raise InputError(
                "x and y of a spline must have the same length",
                got=f"shapes {x.shape} and {y.shape}",
                allowed="two points or more, x and y",
            )
        if not (np.isfinite(x).all() and np.isfinite(y).all() and (np.diff(x) > 0).all()):
            raise InputError(
                "x of a spline must increase", got=f"x = {x}, y = {y}", allowed="finite numbers, x increasing"
            )
        for name, value in (("x", x), ("y", y)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                finite = bool(np.isfinite(self.pieces).all())
        except ValueError:  # scipy's, of slopes that overflow
            finite = False
        if not finite:
            raise InputError("the slopes of a spline must be finite", got=f"x = {x}, y = {y}")

    @cached_property
    def pieces(self) -> Array:
        """Coefficients c0..c3 of each piece in powers of x − x_i, (points − 1, 4)."""
        if len(self.x) == 2:
            slope = (self.y[1] - self.y[0]) / (self.x[1] - self.x[0])
            return np.array([[self.y[0], slope, 0.0, 0.0]])
        from scipy.interpolate import CubicSpline

        return CubicSpline(self.x, self.y, bc_type="natural").c[::-1].T

    def derivatives(self, x: ArrayLike) -> tuple[Array, Array, Array]:
        """Return the value and the first two derivatives."""
        x = np.asarray(x, float)
        at = np.clip(x, self.x[0], self.x[-1])
        n = np.clip(np.searchsorted(self.x, at, side="right") - 1, 0, len(self.x) - 2)
        c, s = self.pieces[n], at - self.x[n]
        value = c[..., 0] + s * (c[..., 1] + s * (c[..., 2] + s * c[..., 3]))
        first = c[..., 1] + s * (2 * c[..., 2] + 3 * s * c[..., 3])
        second = np.where(at == x, 2 * c[..., 2] + 6 * s * c[..., 3], 0.0)
        return value + first * (x - at), first, second

    def __call__(self, x: ArrayLike) -> Array:
        """Return the value."""
        return self.derivatives(x)[0]

    def scaled(self, factor: float) -> "Spline":
        """Return the spline times a factor."""
        return type(self)(self.x, factor * self.y)

    def numbers(self) -> list[float]:
        """Return 1, the number of points, their x, the four coefficients of each piece."""
        return [1.0, float(len(self.x)), *self.x.tolist(), *self.pieces.ravel().tolist()]
