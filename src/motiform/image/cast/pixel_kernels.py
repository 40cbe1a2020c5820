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

__all__ = ["pixel_ray", "shade", "tone_map", "trace"]

# Numbers of the plan (6,): of a band of rows, which begins at row FIRST of the picture.
WIDTH, HEIGHT, STRIDE, SAMPLES, AMBIENT, FIRST = range(6)
# Columns of a pixel's light (pixels, 9): what is fixed, and what the sun and the sky give where nothing shades.
_FIXED, BY_SUN, _BY_SKY = 0, 3, 6
# Columns of a pixel's guide (pixels, 6): how much of sun and sky it sees, which piece it shows, its normal.
_SUN_SEEN, _SKY_SEEN, _PIECE, _NORMAL = 0, 1, 2, 3
_ON_GROUND, _ON_SKY, _MIXED = -1, -2, -3
_ASKED = 64  # least questions for shade of a pixel on an edge, and at least _EACH of every sample
_EACH = 4
_FEW = 64.0  # questions of a pixel and its neighbours that are too few: their noise would be seen
_LONE = 4.0  # weight of neighbours that is little, of 16


@routine
def _trace_ray(o, d, view, tree, pieces, meshes):
    """Return what one ray sees, and where: (piece, asked, point, flat, normal, fixed, by sun, by sky).

    `asked` says whether the point may be shaded; `flat` is the normal of its triangle.
    """
    none, up = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    t, piece, triangle, u, v = cast(o, d, False, tree, pieces, meshes)
    down = ground_distance(o, d, view)
    if piece < 0 and down == np.inf:
        return _ON_SKY, False, o, up, up, sky(d, view), none, none
    if down < t:
        p = axpy(down, d, o)
        clear = haze(p, view)
        fixed = scale(1.0 - clear, load3(view, HORIZON))
        by_sun, by_sky = ground_lit(p, down, d, clear, view)
        return _ON_GROUND, clear >= 1e-3, p, up, up, fixed, by_sun, by_sky  # else too far to ask for shade
    p = axpy(t, d, o)
    flat, n = surface_normals(p, d, piece, triangle, u, v, pieces, meshes)
    by_sun, by_sky = lit(load3(pieces.colors, piece), n, d, view)
    return owner(piece, pieces, meshes), True, p, flat, n, none, by_sun, by_sky


@routine
def _sample(s, x, y, view):
    """Return the direction of ray s of a pixel."""
    return unit(pixel_ray(x + fraction(0.5 + s * R1), y + fraction(0.5 + s * R2), view))


@routine
def _bayer(x, y):
    """Number the pixels of every 4 by 4 block from 0 to 15, neighbours far apart."""
    z = x ^ y
    return ((z & 1) << 3) | ((y & 1) << 2) | (z & 2) | ((y >> 1) & 1)


@routine
def pixel_ray(x, y, view):
    """Return the direction through a point of the picture, from (0, 0) at its upper left corner, not of length one."""
    return axpy(x, load3(view, RIGHT), axpy(y, load3(view, UP), load3(view, FORWARD)))


@routine
def _radiance(x, y, plan, view, tree, pieces, meshes):
    """Return what the sun and all else send to a pixel, each sample shaded where it is seen.

    Of the samples of an edge only some show one body, those on one side of it. Each asks at several places of the
    sequence in a row, which are spread over the sky: places of the number of the sample alone would be those of the
    sequence that its ray passes the pixel at, and a body in a part of the pixel would see but a part of the sky.
    """
    samples, rays = plan[SAMPLES], plan[AMBIENT]
    tile, jitter, parts = _bayer(x, y), pixel_hash(x, y) / (16.0 * samples), max(_EACH, -(-_ASKED // samples))
    by_sun, rest = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for s in range(samples):
        _, asked, p, flat, n, f, a, b = _trace_ray(load3(view, EYE), _sample(s, x, y, view), view, tree, pieces, meshes)
        sun, sky = (0.0, 0.0) if asked else (1.0, 1.0)
        for part in range(parts if asked else 0):
            index = (tile * samples + s) * parts + part
            one, other = seen(p, flat, n, index, jitter, rays, view, tree, pieces, meshes)
            sun, sky = sun + one / parts, sky + other / parts
        by_sun, rest = axpy(sun / samples, a, by_sun), axpy(1.0 / samples, axpy(sky, b, f), rest)
    return by_sun, rest


@routine
def _place(i, plan):
    """Return column and row of pixel i in a scattered order: sky and bodies spread over the threads evenly."""
    return i % plan[WIDTH], (i // plan[WIDTH] * plan[STRIDE]) % plan[HEIGHT]


@kernel
def trace(i, light, guide, view, plan, tree, pieces, meshes):
    """Write what a pixel receives (light) and what it shows (guide)."""
    x, row = _place(i, plan)
    pixel, y = row * plan[WIDTH] + x, row + plan[FIRST]
    samples, rays = plan[SAMPLES], plan[AMBIENT]
    tile, jitter = _bayer(x, y), pixel_hash(x, y) / (16.0 * samples)
    fixed, by_sun, by_sky = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    normal, sun_seen, sky_seen, shown = (0.0, 0.0, 0.0), 0.0, 0.0, _MIXED
    for s in range(samples):
        piece, asked, p, flat, n, f, a, b = _trace_ray(
            load3(view, EYE), _sample(s, x, y, view), view, tree, pieces, meshes
        )  # fmt: skip
        shown = piece if s == 0 or piece == shown else _MIXED
        if shown == _MIXED:
            break  # an edge: `shade` asks anew
        sun, sky = 1.0, 1.0
        if asked:
            sun, sky = seen(p, flat, n, tile * samples + s, jitter, rays, view, tree, pieces, meshes)
        fixed, by_sun, by_sky, normal = add(fixed, f), add(by_sun, a), add(by_sky, b), add(normal, n)
        sun_seen, sky_seen = sun_seen + sun, sky_seen + sky
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
def _neighbours(x, y, guide, plan):
    """Return the sums of what neighbours see of the sun and of the sky, and of their weights: 5 by 5 on a smooth piece.

    Weights 1/2, 1, 1, 1, 1/2 count each of the 16 parts of the sequence once, whatever the place.
    """
    width, height = plan[WIDTH], plan[HEIGHT]
    i, sun_seen, sky_seen, total = y * width + x, 0.0, 0.0, 0.0
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
    return sun_seen, sky_seen, total


@kernel
def shade(i, light, guide, view, plan, tree, pieces, meshes, free):
    """Write how much of the sun and of the sky a pixel sees (free).

    A pixel on an edge, or with few neighbours that are alike, asks anew; its light is then what it receives.
    """
    x, y = _place(i, plan)
    pixel = y * plan[WIDTH] + x
    sun_seen, sky_seen, total = 1.0, 1.0, 1.0
    if guide[pixel, _PIECE] >= _ON_GROUND:
        sun_seen, sky_seen, total = _neighbours(x, y, guide, plan)
    lone = total < _LONE and total * plan[SAMPLES] < _FEW
    if guide[pixel, _PIECE] == _MIXED or (lone and guide[pixel, _PIECE] != _ON_SKY):
        by_sun, rest = _radiance(x, y + plan[FIRST], plan, view, tree, pieces, meshes)
        for k in range(3):
            light[pixel, _FIXED + k], light[pixel, BY_SUN + k], light[pixel, _BY_SKY + k] = rest[k], by_sun[k], 0.0
        sun_seen, sky_seen, total = 1.0, 1.0, 1.0
    free[pixel, 0], free[pixel, 1] = sun_seen / total, sky_seen / total


@kernel
def tone_map(i, light, free, exposure, levels, picture):
    """Write the color of pixel i: sRGB codes from 0 to `levels`; where that is 0, linear light."""
    for k in range(3):
        value = light[i, _FIXED + k] + free[i, 0] * light[i, BY_SUN + k] + free[i, 1] * light[i, _BY_SKY + k]
        picture[i, k] = exposure * value if levels == 0.0 else _srgb(exposure * value, levels)
