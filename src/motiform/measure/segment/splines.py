"""The smoothing spline with ρ of values on a line, on a plane, and along a closed contour.  [Perez94 10.1]"""

from typing import Any

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.checks import check_length
from motiform.measure.segment.contours import Contour, contour_of
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["smooth_contour", "smooth_planes", "smoothing_spline"]

_MOST = 4096  # values along an axis: matrices of that size are decomposed
_NEAR = 0.01  # of the mean distance: points that are nearer to one another count once


def smoothing_spline(values: Any, rho: float, *, spacing: float = 1.0) -> Array:
    """Return the smoothing spline of values on a line (n,) or a plane (n, m), at the places of the values.

    On a line it is the function σ of least ∫ σ″² dt + ρ Σ (σ(tᵢ) − zᵢ)², on a plane that of least
    ∬ (∂⁴σ/∂x²∂y²)² dx dy + ρ Σ (σ(xᵢ, yⱼ) − zᵢⱼ)²  [Perez94 10.1 E2, E3, corrected: the printed E2 and E3 lack the
    squares]. Ends are natural: σ″ = 0. The larger ρ is, the nearer σ is to the values; straight lines, and on the plane
    functions of one coordinate alone, are kept whatever ρ is.

    Parameters
    ----------
    rho : weight of the values, per `spacing` unit³ on a line and unit⁶ on a plane.
    spacing : between neighbouring values.
    """
    z = as_floats(values, where="values of a spline", error=ShapeError)
    if z.ndim not in (1, 2) or min(z.shape, default=0) < 1 or max(z.shape) > _MOST:
        got, allowed = Words(f"shape {z.shape}"), f"(n,) or (n, m), {_MOST} along an axis at most"
        raise ShapeError("values must be on a line or a plane", where="smoothing_spline", got=got, allowed=allowed)
    h = check_length(spacing, "spacing")
    if z.ndim == 2:
        return smooth_planes(z, rho, h)
    rough, U = _modes(len(z), h)
    return np.asarray(U @ ((U.T @ z) / (1.0 + rough / _weight(rho))))


def smooth_planes(z: Array, rho: float, h: float) -> Array:
    """Return the smoothing splines of planes of values, (..., n, m)."""
    (along, U), (across, V) = (_modes(n, h) for n in z.shape[-2:])
    return np.asarray(U @ ((U.T @ z @ V) / (1.0 + along[:, None] * across / _weight(rho))) @ V.T)


def _weight(rho: Any) -> float:
    weight = as_floats(rho, where="rho")
    if weight.ndim or not weight > 0:
        raise InputError("rho must be positive", where="smoothing spline", got=rho, allowed="above 0")
    return float(weight)


def _modes(n: int, h: float) -> tuple[Array, Array]:
    """Return eigenvalues (n,) and vectors (n, n) of K, where zᵀ K z = ∫ σ″² of the natural spline through z."""
    if n < 3:
        return np.zeros(n), np.eye(n)
    inner = np.arange(n - 2)
    Q = np.zeros((n, n - 2))
    Q[inner, inner], Q[inner + 1, inner], Q[inner + 2, inner] = 1 / h, -2 / h, 1 / h
    R = h / 6 * (4 * np.eye(n - 2) + np.eye(n - 2, k=1) + np.eye(n - 2, k=-1))
    values, vectors = np.linalg.eigh(Q @ np.linalg.solve(R, Q.T))
    return np.maximum(values, 0.0), vectors


def smooth_contour(contour: Contour, *, rho: float | None = None, wavelength: float = 3e-3) -> Contour:
    """Return a contour smoothed by the closed cubic spline of least ∫ |σ″|² ds + ρ Σ |σ(sᵢ) − zᵢ|².

    s is the length along the contour, z are its points. With ripples of wavelength λ and points h apart the spline
    keeps 1/(1 + (2π/λ)⁴ h/ρ) of them.  [Reinsch67], [Perez94 10.1 E2]

    Parameters
    ----------
    rho : weight of the points [1/m³]; by default h (2π/wavelength)⁴.
    wavelength : of the ripples that are halved [m]. A circle of radius r is kept but for (wavelength/2πr)⁴ of it.
    """
    if not isinstance(contour, Contour):
        got = Words(type(contour).__name__)
        raise InputError("what is smoothed must be a Contour", where="smooth_contour", got=got, allowed="Contour")
    points = _apart(contour.points)
    if len(points) < 3:
        got = Words(f"{len(points)} points that differ")
        raise ShapeError("a contour must have three corners", where="smooth_contour", got=got, allowed="3 or more")
    gaps = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    halved = check_length(wavelength, "wavelength")
    weight = gaps.mean() * (2 * np.pi / halved) ** 4 if rho is None else _weight(rho)
    made = contour_of(contour.slice, _closed(points, gaps, weight))
    if made is None:
        remedy = "Take a shorter wavelength, or a greater rho."
        raise InputError("nothing of the contour is left", where="smooth_contour", got=weight, remedy=remedy)
    return made


def _apart(points: Array) -> Array:
    """Return the points of a closed line without those that nearly repeat the one before."""
    gaps = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    return points[gaps > _NEAR * gaps.mean()]


def _closed(z: Array, gaps: Array, weight: float) -> Array:
    """Return the points of the closed smoothing spline: σ = z − Q γ/ρ with (R + Qᵀ Q/ρ) γ = Qᵀ z  [Reinsch67].

    SciPy's smoothing splines (`make_smoothing_spline`) have natural ends; this one has none.
    """
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import spsolve

    n, before = len(z), np.roll(gaps, 1)
    here, after, last = np.arange(n), np.roll(np.arange(n), -1), np.roll(np.arange(n), 1)

    def cyclic(lower: Array, middle: Array, upper: Array) -> Any:
        rows, columns = np.tile(here, 3), np.concatenate([last, here, after])
        return csc_array((np.concatenate([lower, middle, upper]), (rows, columns)), shape=(n, n))

    Qt = cyclic(1 / before, -1 / before - 1 / gaps, 1 / gaps)
    R = cyclic(before / 6, (before + gaps) / 3, gaps / 6)
    bent = spsolve(csc_array(R + Qt @ Qt.T / weight), Qt @ z)
    return np.asarray(z - Qt.T @ bent / weight)
