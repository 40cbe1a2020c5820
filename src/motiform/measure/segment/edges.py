"""Edges of bone by the recursive filters of Deriche, which are optimal after Canny's criteria.  [Perez94 4.3.1]

Smoothing by S(x) = (α²/4)(1/α + |x|) e^(−α|x|) goes with the derivative S′(x) = −(α³/4) x e^(−α|x|) and S″ [Deriche87].
Each is a kernel (c₀ + c₁|n|) qⁿ, q = e^(−αh), on either side of a pixel: two recursions of second order, whatever α is.
They are written out because the recursive filters of ITK are Gaussian.
"""

from typing import Any, Literal, get_args

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.checks import check_amount, check_length
from motiform.measure.segment.contours import Contour, contour_of
from motiform.measure.segment.thresholds import choose_thresholds
from motiform.measure.volume.volume import Volume
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["deriche_filter", "edge_contours", "edge_gradient"]

Order = Literal[0, 1, 2]
_CLEAR = 0.9  # of the points of a contour have the least gradient or more
_TIMES, _STEP = 5.0, 0.2  # noise, and part of the difference of both thresholds, that an edge is steeper than
_FINEST = 30.0  # α h: beyond it q is lost among the digits of 1


def deriche_filter(values: Any, alpha: float, *, order: Order = 1, axis: int = -1, spacing: float = 1.0) -> Array:
    """Return values smoothed along an axis, or the first or second derivative of what is smoothed [Deriche87].

    The kernels are exact on grids: constants, straight lines and parabolas have their own value, slope and curvature.
    Values go on beyond the ends as they are there.

    Parameters
    ----------
    alpha : 1/α is the scale, in units of `spacing`; the standard deviation of the smoothing is 2/α.
    order : of the derivative, 0 to 2.
    spacing : between values along the axis.
    """
    given = as_floats(values, where="values of a filter", error=ShapeError)
    h = check_length(spacing, "spacing")
    if given.ndim == 0 or not -given.ndim <= axis < given.ndim or given.shape[axis] == 0:
        got, allowed = Words(f"shape {given.shape}, axis {axis}"), "one of the axes, with values on it"
        raise ShapeError("values must be along an axis", where="deriche_filter", got=got, allowed=allowed)
    if order not in get_args(Order):
        raise InputError(
            "the order of a derivative must be known", where="deriche_filter", got=order, allowed="0, 1, 2"
        )
    scale = _scale(alpha, h)
    q = np.exp(-scale)
    if order == 0:  # Σ = 1
        k = 1.0 / ((1 + q) / (1 - q) + 2 * scale * q / (1 - q) ** 2)
        return _recursions(given, axis, q, k, k * scale)
    if order == 1:  # Σ −n f(n) = 1
        return _recursions(given, axis, q, 0.0, -((1 - q) ** 3) / (2 * q * (1 + q)), odd=True) / h
    k = 2 * (1 - q) ** 3 / (1 + q) ** 3  # Σ f = 0, Σ n² f(n)/2 = 1
    return _recursions(given, axis, q, -k, k * (1 - q * q) / (2 * q)) / h**2


def _recursions(values: Array, axis: int, q: float, c0: float, c1: float, *, odd: bool = False) -> Array:
    """Return the convolution with (c0 + c1 |n|) qⁿ, or with c1 n q^|n| where it is `odd`, along an axis."""
    from scipy.signal import lfilter, lfilter_zi

    above, below = np.array([c0, (c1 - c0) * q]), np.array([1.0, -2 * q, q * q])
    held = lfilter_zi(above, below)  # as if the first value had been there for ever
    x = np.moveaxis(values, axis, -1)

    def onward(way: Array) -> Array:
        return np.asarray(lfilter(above, below, way, zi=held * way[..., :1])[0])

    forward, back = onward(x), onward(x[..., ::-1])[..., ::-1]
    both = forward - back if odd else forward + back - c0 * x
    return np.moveaxis(both, -1, axis)


def _scale(alpha: Any, h: float) -> float:
    scale = as_floats(alpha, where="alpha")
    if scale.ndim or not 0 < scale * h <= _FINEST:
        got, allowed = Words(f"{alpha} for a spacing of {h:g}"), f"above 0, {_FINEST:g} per spacing at most"
        raise InputError("alpha must be positive", where="Deriche's filter", got=got, allowed=allowed)
    return float(scale) * h


def edge_gradient(volume: Volume, *, alpha: float | None = None, across: bool = False) -> Volume:
    """Return how steep the grey value is: the magnitude of its gradient by Deriche's filters [1/m].

    Parameters
    ----------
    alpha : 1/scale [1/m]; by default one over the smallest spacing of the slices.
    across : whether the derivative across slices, along the third axis, is part of the gradient.
    """
    scale, h = _alpha(volume, alpha), volume.grid.spacing[: 3 if across else 2]
    values = volume.values.astype(float)
    squares = sum(_derivative(values, scale, h, [axis]) ** 2 for axis in range(len(h)))
    return Volume(np.sqrt(squares).astype(np.float32), volume.grid, volume.notes)


def edge_contours(
    volume: Volume, *, alpha: float | None = None, least: float | None = None, smallest: float = 2e-6
) -> list[Contour]:
    """Return the outer edges of bone in every slice: closed lines on which the gradient in the slice is greatest.

    There the second derivative along the gradient is zero. No threshold of grey values is needed: dense and thin bone
    have their edge where it is steepest. The smoothing takes a circle of radius r by 2/(α² r) at most too far in. Edges
    that fade before they close, or leave the volume, are left out: bones that touch need seeds (`segment_bones`).

    Parameters
    ----------
    alpha : 1/scale [1/m]; by default one over the smallest spacing of the slices.
    least : gradient [1/m] that nine tenths of a line must have; by default five times that of the noise, and that of
        a step of a fifth of the difference of both thresholds of `segment_bones`, α/4 of its height, at least.
    smallest : lines around less [m²] are left out.
    """
    from contourpy import contour_generator
    from scipy.ndimage import map_coordinates

    scale, h, found = _alpha(volume, alpha), volume.grid.spacing[:2], []
    bound = _clear_of_noise(volume, scale) if least is None else check_amount(least, "least", "1/m")
    for k in range(volume.grid.shape[2]):
        values = volume.values[:, :, k].astype(float)
        x, y = (_derivative(values, scale, h, [axis]) for axis in range(2))
        xx, xy, yy = (_derivative(values, scale, h, pair) for pair in ([0, 0], [0, 1], [1, 1]))
        steep = x * x + y * y
        inward = -(x * x * xx + 2 * x * y * xy + y * y * yy) / np.maximum(steep, np.finfo(float).tiny)
        padded = np.pad(inward, 1, constant_values=-max(float(np.abs(inward).max()), 1.0))
        lines: Any = contour_generator(z=padded).lines(0.0)
        for line in lines:  # of points (column, row)
            index = line[:-1, ::-1] - 1.0
            made = contour_of(k, index * h)
            if made is None or made.area < smallest:
                continue
            along = map_coordinates(steep, index.T, order=1, mode="nearest")
            if np.mean(along >= bound**2) >= _CLEAR:
                found.append(made)
    return found


def _alpha(volume: Volume, alpha: float | None) -> float:
    if not isinstance(volume, Volume):
        got = Words(type(volume).__name__)
        raise InputError("edges must be those of a Volume", where="edges", got=got, allowed="Volume")
    return 1.0 / float(volume.grid.spacing[:2].min()) if alpha is None else alpha


def _clear_of_noise(volume: Volume, alpha: float) -> float:
    """Return a gradient that noise does not have: of most voxels it is noise alone, with a median of σ √(2 ln 2)."""
    low, high, _ = choose_thresholds(volume, None, None)
    noise = float(np.median(edge_gradient(volume, alpha=alpha).values)) / np.sqrt(2 * np.log(2))
    return max(_TIMES * noise, 0.25 * alpha * _STEP * (high - low))


def _derivative(values: Array, alpha: float, spacing: Array, along: list[int]) -> Array:
    """Return the derivative along axes (one or two of them), smoothed along the others of as many as have a spacing."""
    for axis, h in enumerate(spacing):
        order: Any = along.count(axis)
        finest = min(alpha, _FINEST / float(h))  # of thick slices: differences of neighbours, nearly
        values = deriche_filter(values, finest, order=order, axis=axis, spacing=float(h))
    return values
