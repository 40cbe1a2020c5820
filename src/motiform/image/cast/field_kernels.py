"""Where a ray meets an implicit surface, and its normal there. docs/image.md gives the method.

All blocks of all surfaces are rows of one array, after them the elements of each block: kernels hand few arrays on.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import inline, routine
from motiform.form.implicit.columns import CONVOLUTION
from motiform.form.implicit.field_kernels import element_at
from motiform.spatial.algebra import axpy, norm, scale

__all__ = ["FIELD", "OWNER", "WIDE", "field_normal", "intersect_field"]

FIELD = -1
"""Kind of the pieces that are blocks of a field; no solid has this number."""
LEVEL, STEP, FIRST, LAST, KIND, OWNER = 6, 7, 8, 9, 10, 11
"""Columns of a block after its corners [m]: level, step along rays [m], rows of its elements, kind, first piece."""
SKELETON = 8
"""Column of an element that those of `form.implicit.columns` leave to it."""
WIDE = 12
_FOUND = 1e-13  # length of the interval that holds the crossing, over that along the ray, at which it is found
_TURNS = 60


@inline
def _field(b, x, fields):
    """Return V and its gradient at x: within a skeleton the strongest element, skeletons added."""
    kind = int(fields[b, KIND])
    value, g = 0.0, (0.0, 0.0, 0.0)
    own, slope, before = 0.0, (0.0, 0.0, 0.0), -1.0
    for e in range(int(fields[b, FIRST]), int(fields[b, LAST])):
        v, d = element_at(e, kind, fields, x)
        if kind == CONVOLUTION or fields[e, SKELETON] != before:
            value, g = value + own, axpy(1.0, slope, g)
            own, slope, before = v, d, fields[e, SKELETON]
        elif v > own:
            own, slope = v, d
    return value + own, axpy(1.0, slope, g)


@routine
def _above(b, t, o, d, fields):
    """Return V less its level at a place of the ray."""
    value, _ = _field(b, axpy(t, d, o), fields)
    return value - fields[b, LEVEL]


@routine
def _crossing(b, low, high, v_low, v_high, o, d, fields):
    """Return where V crosses its level between two places of the ray, by the Illinois method [DowellJarratt71]."""
    side = 0
    for _ in range(_TURNS):
        if high - low <= _FOUND * (1.0 + high):
            break
        t = (low * v_high - high * v_low) / (v_high - v_low)
        if not low < t < high:
            t = 0.5 * (low + high)
        v = _above(b, t, o, d, fields)
        if v == 0.0:
            return t
        if (v < 0.0) == (v_low < 0.0):
            low, v_low = t, v
            v_high, side = (0.5 * v_high if side == 1 else v_high), 1
        else:
            high, v_high = t, v
            v_low, side = (0.5 * v_low if side == 2 else v_low), 2
    return 0.5 * (low + high)


@routine
def intersect_field(b, o, d, reach, fields):
    """Return where the ray first meets the surface within block b, inf for nowhere: samples, then the crossing."""
    low, high = 0.0, reach
    for k in range(3):
        if d[k] == 0.0:
            if o[k] < fields[b, k] or o[k] > fields[b, 3 + k]:
                return np.inf
        else:
            one, other = (fields[b, k] - o[k]) / d[k], (fields[b, 3 + k] - o[k]) / d[k]
            low, high = max(low, min(one, other)), min(high, max(one, other))
    if not low < high:
        return np.inf
    count = max(1, math.ceil((high - low) / fields[b, STEP]))
    before, v_before = low, _above(b, low, o, d, fields)
    for k in range(1, count + 1):
        t = low + (high - low) * k / count
        v = _above(b, t, o, d, fields)
        if (v < 0.0) != (v_before < 0.0):
            return _crossing(b, before, t, v_before, v, o, d, fields)
        before, v_before = t, v
    return np.inf


@routine
def field_normal(b, p, fields):
    """Return the unit vector against the gradient of V at a point, outward."""
    _, g = _field(b, p, fields)
    length = norm(g)
    return scale(-1.0 / length, g) if length > 0.0 else (0.0, 1.0, 0.0)
