"""Light: the sun, the sky, and what surfaces and the ground send on of them. docs/image.md gives the formulas."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import routine
from motiform.image.cast.nearest_kernels import cast, unit
from motiform.spatial.algebra import axpy, dot, load3, scale, sub

__all__ = ["fraction", "ground_distance", "ground_lit", "haze", "lit", "pixel_hash", "seen", "sky"]

# Rows of the view (rows, 3).
EYE, FORWARD, RIGHT, UP, SUN, SUN_COLOR, ZENITH, HORIZON, NADIR, TONE_A, TONE_B, GROUND, SCALES = range(13)
# Columns of the row of scales.
CELL, FADE, SPREAD = range(3)

R1, R2 = 0.7548776662466927, 0.5698402909980532  # 1/g and 1/g² with g³ = g + 1: points that fill a square evenly
_OFF = 1e-9  # how far a ray starts off the surface, relative to where it is: far above rounding, far below sight
_GLOSS = 48.0  # exponent of the highlight
_MIRROR = 0.3  # how much of the mirrored sky is kept: bodies do not mirror one another, and rims stay calm
_F0 = 0.04  # what glass and plastic reflect when looked at straight


@routine
def mix(s, a, b):
    """(1 − s) a + s b."""
    return axpy(s, sub(b, a), a)


@routine
def sky(d, view):
    """Color of the sky in a direction: from the horizon to the zenith, and to the nadir where there is no ground."""
    h = abs(d[1])
    return mix(h * h * (3.0 - 2.0 * h), load3(view, HORIZON), load3(view, ZENITH if d[1] >= 0.0 else NADIR))


@routine
def ambient(n, view):
    """Light from all directions on a surface: half-way between sky and ground for a wall."""
    return mix(0.5 + 0.5 * n[1], load3(view, NADIR), load3(view, ZENITH))


@routine
def fraction(x):
    """x − ⌊x⌋."""
    return x - math.floor(x)


@routine
def pixel_hash(x, y):
    """Return a number in [0, 1) that looks random but depends on the pixel alone."""
    h = (x * 0x8DA6B343 + y * 0xD8163841) & 0xFFFFFFFF
    h = ((h ^ (h >> 15)) * 0x2C1B3C6D) & 0xFFFFFFFF
    h = ((h ^ (h >> 12)) * 0x297A2D39) & 0xFFFFFFFF
    return (h ^ (h >> 15)) / 4294967296.0


@routine
def _tilt(axis, radius, angle):
    """Return the unit vector at sine ``radius`` from the axis, turned by ``angle`` about it [Duff17]."""
    x, y, z = axis
    s = math.copysign(1.0, z)
    a = -1.0 / (s + z)
    b = x * y * a
    along = math.sqrt(max(0.0, 1.0 - radius * radius))
    u, v = radius * math.cos(angle), radius * math.sin(angle)
    return (
        along * x + u * (1.0 + s * x * x * a) + v * b,
        along * y + u * s * b + v * (s + y * y * a),
        along * z - u * s * x - v * y,
    )


@routine
def seen(p, flat, n, index, jitter, rays, view, tree, pieces, meshes):
    """Return how much of the sun's disc and of the sky a point sees, asked at places ``index`` of the sequence.

    Where a smoothed normal lets light come through its own triangle nothing is asked: the true surface is not there.
    """
    start = axpy(_OFF * (1.0 + abs(p[0]) + abs(p[1]) + abs(p[2])), flat, p)
    by_sun, by_sky = 0.0, 0.0
    for k in range(rays + 1):  # the sun first; one loop, so that the code of `cast` is there once
        j = index if k == 0 else index * rays + k
        a, b = fraction(j * R1 + jitter), fraction(j * R2 + 0.61803 * jitter)
        if k == 0:
            d = _tilt(load3(view, SUN), view[SCALES, SPREAD] * math.sqrt(a), 2.0 * math.pi * b)
        else:
            d = _tilt(n, math.sqrt(a), 2.0 * math.pi * b)  # as dense as the cosine, so that each ray counts the same
        free = 1.0
        if dot(d, flat) > 0.0:
            _, piece, _, _, _ = cast(start, d, True, tree, pieces, meshes)
            free = 1.0 if piece < 0 else 0.0
        if k == 0:
            by_sun = free
        else:
            by_sky += free
    return by_sun, (by_sky / rays if rays else 1.0)


@routine
def lit(albedo, n, d, view):
    """Return what the surface sends to the eye from the sun and from the sky, both unshaded."""
    sun = load3(view, SUN)
    facing = max(0.0, dot(n, sun))
    grazing = 1.0 - min(1.0, max(0.0, -dot(n, d)))
    fresnel = _F0 + (1.0 - _F0) * grazing**5
    half = unit(sub(sun, d))
    shine = _F0 * (_GLOSS + 8.0) / 8.0 * max(0.0, dot(n, half)) ** _GLOSS * facing
    color = load3(view, SUN_COLOR)
    by_sun = times(color, axpy(facing * (1.0 - _F0), albedo, (shine, shine, shine)))
    mirror = axpy(-2.0 * dot(n, d), n, d)
    by_sky = axpy(_MIRROR * fresnel, sky(mirror, view), scale(1.0 - fresnel, times(albedo, ambient(n, view))))
    return by_sun, by_sky


@routine
def times(a, b):
    """Return the products of the components."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@routine
def _stripes(x, width):
    """Mean of a wave that is +1 and −1 on alternate unit intervals over a window around x."""
    a, b = 0.5 * (x - 0.5 * width), 0.5 * (x + 0.5 * width)
    return 2.0 * (abs(fraction(a) - 0.5) - abs(fraction(b) - 0.5)) / width


@routine
def _ground_albedo(p, t, d, view):
    """Two tones in a checkerboard, averaged over what the pixel covers: no ripples towards the horizon."""
    cell = view[SCALES, CELL]
    x, z = 1e-9, 1e-9
    for row in (RIGHT, UP):  # how the point moves over the ground when the pixel moves by one
        step = load3(view, row)
        slide = axpy(-step[1] / d[1], d, step)
        x, z = x + abs(t * slide[0]), z + abs(t * slide[2])
    wave = _stripes(p[0] / cell, x / cell) * _stripes(p[2] / cell, z / cell)
    return mix(0.5 + 0.5 * wave, load3(view, TONE_A), load3(view, TONE_B))


@routine
def ground_distance(o, d, view):
    """Return how far the ground lies along the ray: inf without ground, below it, or looking up."""
    height = o[1] - view[GROUND, 1]
    if view[SCALES, FADE] > 0.0 and height > 0.0 and d[1] < 0.0:
        return -height / d[1]
    return np.inf


@routine
def haze(p, view):
    """How much of the ground is still seen at a point: 1 at the middle, 0 far away."""
    x, z = (p[0] - view[GROUND, 0]) / view[SCALES, FADE], (p[2] - view[GROUND, 2]) / view[SCALES, FADE]
    return math.exp(-(x * x + z * z))


@routine
def ground_lit(p, t, d, clear, view):
    """Return what the ground sends to the eye from the sun and from the sky, both unshaded, as far as it is clear."""
    up = (0.0, 1.0, 0.0)
    albedo = _ground_albedo(p, t, d, view)
    by_sun = scale(clear * max(0.0, view[SUN, 1]), times(albedo, load3(view, SUN_COLOR)))
    return by_sun, scale(clear, times(albedo, ambient(up, view)))
