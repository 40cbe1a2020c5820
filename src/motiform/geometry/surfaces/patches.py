"""Surfaces defined by user functions: parametric and implicit patches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.checks import check_point
from motiform.geometry.surfaces.surface import Surface, unit
from motiform.spatial.checks import Array, Words

__all__ = ["ImplicitSurface", "ParametricSurface", "implicit", "parametric"]

ParametricFunction = Callable[[Array], tuple[ArrayLike, ArrayLike, ArrayLike]]
ImplicitFunction = Callable[[Array], tuple[ArrayLike, ArrayLike, ArrayLike]]
_SWEEPS = 50


def _called(function: Any, x: Array, shapes: tuple[tuple[int, ...], ...], what: str) -> list[Array]:
    """Return what the caller's function gives at points, with its shapes checked."""
    found = [np.asarray(value, float) for value in function(x)]
    wanted = [(*x.shape[:-1], *shape) for shape in shapes]
    if [value.shape for value in found] != wanted:
        raise ShapeError(
            "the function of a surface must return arrays of the right shape", where=what,
            got=Words(", ".join(str(value.shape) for value in found)), allowed=", ".join(map(str, wanted)),
            remedy="Keep the leading axes of the argument: they are batches.",
        )  # fmt: skip
    return found


def _check_function(given: object, name: str) -> None:
    if not callable(given):
        raise InputError(f"{name!r} must be a function", where="surface", got=repr(given)[:60])


@dataclass(frozen=True)
class ImplicitSurface(Surface):
    """The surface F(x) = 0 of a function that is negative inside the material."""

    kind: ClassVar[str] = "implicit"
    function: ImplicitFunction
    near: tuple[float, float, float] = (0.0, 0.0, 1.0)
    inside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "near", tuple(check_point(self.near, "point near an implicit surface").tolist()))

    def _derivatives(self, x: Array) -> list[Array]:
        return _called(self.function, x, ((), (3,), (3, 3)), "implicit surface")

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        for _ in range(_SWEEPS):
            F, g, _ = self._derivatives(x)
            step = (F / (g * g).sum(-1))[..., None] * g
            x = x - step
            moved = np.linalg.norm(step, axis=-1)
            if not (moved > 1e-15 * (1.0 + np.linalg.norm(x, axis=-1))).any():
                break
        settled = moved <= 1e-9 * (1.0 + np.linalg.norm(x, axis=-1))
        return np.where(settled[..., None], x, np.nan), unit(self._derivatives(x)[1])

    def _shape(self, x: Array, T: Array) -> Array:
        _, g, H = self._derivatives(x)
        return np.swapaxes(T, -1, -2) @ H @ T / np.linalg.norm(g, axis=-1)[..., None, None]

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        return self.project(self.near)[0]


@dataclass(frozen=True)
class ParametricSurface(Surface):
    """The surface x(u) of a function of two parameters, x_u × x_v pointing out of the material."""

    kind: ClassVar[str] = "parametric"
    function: ParametricFunction
    guess: Callable[[Array], ArrayLike]
    near: tuple[float, float, float] = (0.0, 0.0, 1.0)
    inside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "near", tuple(check_point(self.near, "point near a parametric surface").tolist()))

    def _derivatives(self, u: Array) -> list[Array]:
        return _called(self.function, u, ((3,), (3, 2), (3, 2, 2)), "parametric surface")

    def chart(self, x: ArrayLike) -> Array:
        """Return the parameters u of the foot of points, (..., 2), by Newton's method from the guess."""
        x = np.asarray(x, float)
        u = np.broadcast_to(np.asarray(self.guess(x), float), (*x.shape[:-1], 2))
        for _ in range(_SWEEPS):
            y, J, D = self._derivatives(u)
            r, JT = (y - x)[..., None], np.swapaxes(J, -1, -2)
            A = JT @ J + np.einsum("...i,...iab->...ab", r[..., 0], D)
            step = _solve2(A, (JT @ r)[..., 0])
            u = u - step
            if not (np.abs(step) > 1e-15 * (1.0 + np.abs(u))).any():
                break
        settled = (np.abs(step) <= 1e-9 * (1.0 + np.abs(u))).all(-1, keepdims=True)
        return np.where(settled, u, np.nan)

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        u = self.chart(x)
        if not np.isfinite(u).all():
            raise self._no_foot(x)
        y, J, _ = self._derivatives(u)
        return y, unit(np.cross(J[..., 0], J[..., 1]))

    def _shape(self, x: Array, T: Array) -> Array:
        """K = −Tᵀ X G⁻¹ II G⁻¹ Xᵀ T."""
        _, J, D = self._derivatives(self.chart(x))
        n = unit(np.cross(J[..., 0], J[..., 1]))
        JT = np.swapaxes(J, -1, -2)
        B = np.linalg.solve(JT @ J, JT @ T)
        return -np.swapaxes(B, -1, -2) @ np.einsum("...i,...iab->...ab", n, D) @ B

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        return self.project(self.near)[0]


def _solve2(A: Array, b: Array) -> Array:
    """Return A⁻¹ b for 2×2 matrices; not finite where A is singular."""
    det = A[..., 0, 0] * A[..., 1, 1] - A[..., 0, 1] * A[..., 1, 0]
    x = A[..., 1, 1] * b[..., 0] - A[..., 0, 1] * b[..., 1]
    y = A[..., 0, 0] * b[..., 1] - A[..., 1, 0] * b[..., 0]
    solution: Array = np.stack([x, y], axis=-1) / det[..., None]
    return solution


def parametric(
    function: ParametricFunction,
    guess: Callable[[Array], ArrayLike],
    *,
    near: tuple[float, float, float] = (0.0, 0.0, 1.0),
    inside: bool = False,
) -> ParametricSurface:
    """Return the surface x(u).

    `function` takes parameters (..., 2) and gives x (..., 3) [m], dx/du (..., 3, 2) and d²x/du² (..., 3, 2, 2);
    `guess` takes points (..., 3) and gives parameters to look for their foot from; `near` is a point near the surface
    at which a contact may begin.
    """
    _check_function(function, "function")
    _check_function(guess, "guess")
    return ParametricSurface(function, guess, near, inside)


def implicit(
    function: ImplicitFunction, *, near: tuple[float, float, float] = (0.0, 0.0, 1.0), inside: bool = False
) -> ImplicitSurface:
    """Return the surface F(x) = 0, F < 0 in the material.

    `function` takes points (..., 3) [m] and gives F (...), its gradient (..., 3) and its Hessian (..., 3, 3); `near`
    is a point near the surface at which a contact may begin.
    """
    _check_function(function, "function")
    return ImplicitSurface(function, near, inside)
