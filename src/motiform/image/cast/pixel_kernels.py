"""The ray caster: what each pixel sees. docs/image.md gives the formulas.

Each pixel is computed independently, from a fixed sequence of numbers, so a picture does not depend on the number
of threads.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import kernel, routine
from motiform.image.cast.light_kernels import (
    EYE,
    FORWARD,
    HORIZON,
    R1,
    R2,
    RIGHT,
    UP,
    fraction,
    ground_distance,
    ground_lit,
    haze,
    lit,
    pixel_hash,
    seen,
    sky,
)
from motiform.image.cast.nearest_kernels import cast, owner, surface_normals, unit
from motiform.spatial.algebra import add, axpy, load3, scale

__all__ = ["develop", "pixel_ray", "trace"]

# Numbers of the plan (6,): of a band of rows, which begins at row FIRST of the picture.
WIDTH, HEIGHT, STRIDE, SAMPLES, AMBIENT, FIRST = range(6)
# Columns of a pixel's light (pixels, 9): what is fixed, and what the sun and the sky give where nothing shades.
_FIXED, BY_SUN, _BY_SKY = 0, 3, 6
# Columns of a pixel's guide (pixels, 6): how much of sun and sky it sees, which piece it shows, its normal.
_SUN_SEEN, _SKY_SEEN, _PIECE, _NORMAL = 0, 1, 2, 3
_ON_GROUND, _ON_SKY, _MIXED = -1, -2, -3


@routine
def _look(o, d, index, jitter, rays, view, tree, pieces, meshes):
    """Return (piece, normal, fixed, by sun, by sky, sun seen, sky seen) of what one ray sees."""
    none, up = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    t, piece, triangle, u, v = cast(o, d, False, tree, pieces, meshes)
    down = ground_distance(o, d, view)
    if piece < 0 and down == np.inf:
        return _ON_SKY, up, sky(d, view), none, none, 1.0, 1.0
    if down < t:
        piece, flat, n = _ON_GROUND, up, up
        p = axpy(down, d, o)
        clear = haze(p, view)
        fixed = scale(1.0 - clear, load3(view, HORIZON))
        by_sun, by_sky = ground_lit(p, down, d, clear, view)
        if clear < 1e-3:  # too far to ask for shade
            return piece, up, fixed, by_sun, by_sky, 1.0, 1.0
    else:
        p, fixed = axpy(t, d, o), none
        flat, n = surface_normals(p, d, piece, triangle, u, v, pieces, meshes)
        by_sun, by_sky = lit(load3(pieces.colors, piece), n, d, view)
    sun_seen, sky_seen = seen(p, flat, n, index, jitter, rays, view, tree, pieces, meshes)
    return owner(piece, pieces, meshes), n, fixed, by_sun, by_sky, sun_seen, sky_seen


@routine
def _bayer(x, y):
    """Number the pixels of every 4 by 4 block from 0 to 15, neighbours far apart."""
    z = x ^ y
    return ((z & 1) << 3) | ((y & 1) << 2) | (z & 2) | ((y >> 1) & 1)


@routine
def pixel_ray(x, y, view):
    """Return the direction through a point of the picture, from (0, 0) at its upper left corner, not of length one."""
    return axpy(x, load3(view, RIGHT), axpy(y, load3(view, UP), load3(view, FORWARD)))


@kernel
def trace(i, light, guide, view, plan, tree, pieces, meshes):
    """Write what pixel i receives (light) and what it shows (guide)."""
    x, row = i % plan[WIDTH], i // plan[WIDTH]
    row = (row * plan[STRIDE]) % plan[HEIGHT]  # in scattered order: sky and bodies spread over the threads evenly
    pixel, y = row * plan[WIDTH] + x, row + plan[FIRST]
    samples, rays = plan[SAMPLES], plan[AMBIENT]
    tile, jitter = _bayer(x, y), pixel_hash(x, y) / (16.0 * samples)
    fixed, by_sun, by_sky = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    sunlit, others = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    normal, sun_seen, sky_seen, shown = (0.0, 0.0, 0.0), 0.0, 0.0, _MIXED
    for s in range(samples):
        d = unit(pixel_ray(x + fraction(0.5 + s * R1), y + fraction(0.5 + s * R2), view))
        piece, n, f, a, b, sun, sky = _look(
            load3(view, EYE), d, tile * samples + s, jitter, rays, view, tree, pieces, meshes
        )
        shown = piece if s == 0 or piece == shown else _MIXED
        fixed, by_sun, by_sky, normal = add(fixed, f), add(by_sun, a), add(by_sky, b), add(normal, n)
        sunlit, others = axpy(sun, a, sunlit), add(others, axpy(sky, b, f))
        sun_seen, sky_seen = sun_seen + sun, sky_seen + sky
    if shown == _MIXED:  # an edge: light and shade of different things, taken together where they were seen
        fixed, by_sun, by_sky, sun_seen = others, sunlit, (0.0, 0.0, 0.0), float(samples)
    for k in range(3):
        light[pixel, _FIXED + k] = fixed[k] / samples
        light[pixel, BY_SUN + k] = by_sun[k] / samples
        light[pixel, _BY_SKY + k] = by_sky[k] / samples
        guide[pixel, _NORMAL + k] = normal[k] / samples
    guide[pixel, _SUN_SEEN], guide[pixel, _SKY_SEEN] = sun_seen / samples, sky_seen / samples
    guide[pixel, _PIECE] = shown


@routine
def _srgb(x, levels):
    """Return the sRGB code (0 to levels) of a linear intensity; above 0.8 it bends towards 1 instead of clipping."""
    if x > 0.8:
        x = 0.8 + 0.2 * math.tanh((x - 0.8) / 0.2)
    code = 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1.0 / 2.4) - 0.055
    return int(levels * min(max(code, 0.0), 1.0) + 0.5)


@routine
def _shade(i, light, guide, plan):
    """Return the part of the sun and of the sky that pixel i sees: the mean over 5 by 5 neighbours on its smooth piece.

    Weights 1/2, 1, 1, 1, 1/2 count each of the 16 parts of the sequence once, whatever the place.
    """
    width, height = plan[WIDTH], plan[HEIGHT]
    x, y = i % width, i // width
    sun_seen, sky_seen, total = guide[i, _SUN_SEEN], guide[i, _SKY_SEEN], 1.0
    if guide[i, _PIECE] >= _ON_GROUND:
        sun_seen, sky_seen, total = 0.0, 0.0, 0.0
        for row in range(max(0, y - 2), min(height, y + 3)):
            for column in range(max(0, x - 2), min(width, x + 3)):
                j = row * width + column
                alike = 0.0
                for k in range(3):
                    alike += guide[i, _NORMAL + k] * guide[j, _NORMAL + k]
                if guide[j, _PIECE] == guide[i, _PIECE] and alike > 0.9:
                    weight = (0.5 if abs(row - y) == 2 else 1.0) * (0.5 if abs(column - x) == 2 else 1.0)
                    sun_seen += weight * guide[j, _SUN_SEEN]
                    sky_seen += weight * guide[j, _SKY_SEEN]
                    total += weight
        if total == 0.0:  # a normal that turns over within the pixel: keep its own shade
            sun_seen, sky_seen, total = guide[i, _SUN_SEEN], guide[i, _SKY_SEEN], 1.0
    return sun_seen, sky_seen, total


@kernel
def develop(i, light, guide, plan, exposure, levels, picture):
    """Write the color of pixel i: sRGB codes from 0 to `levels`; where that is 0, linear light."""
    sun_seen, sky_seen, total = _shade(i, light, guide, plan)
    for k in range(3):
        value = light[i, _FIXED + k] + (sun_seen * light[i, BY_SUN + k] + sky_seen * light[i, _BY_SKY + k]) / total
        picture[i, k] = exposure * value if levels == 0.0 else _srgb(exposure * value, levels)
