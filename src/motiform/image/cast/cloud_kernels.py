"""Light through puffs of Gaussian density: Beer's law with closed line integrals. docs/image.md gives the formulas."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import kernel, routine
from motiform.image.cast.light_kernels import EYE, NADIR, SUN, SUN_COLOR, ZENITH, ground_distance
from motiform.image.cast.nearest_kernels import cast, unit
from motiform.image.cast.pixel_kernels import BY_SUN, FIRST, WIDTH, pixel_ray
from motiform.spatial.algebra import add, axpy, dot, load3, scale, sub

__all__ = ["composite_clouds", "light_puffs", "shadows"]

# Columns of puffs (puffs, 8): place, width, depth, color.
_WIDE, _DEPTH, _COLOR = 3, 4, 5
_ROOT_HALF = 0.7071067811865476
_FAR = 4.5  # half of the square of the reach in widths, `REACH`
_SUNLIT = 0.5  # a puff turns half of its surface to the sun
TILE = 16  # pixels along the side of a square of the picture that has its own list of puffs


@routine
def _depth(j, o, d, end, puffs):
    """Return the optical depth of puff j along a ray, from its origin to a distance; d has length one."""
    to = sub(load3(puffs, j), o)
    wide = puffs[j, _WIDE]
    middle = dot(to, d)
    off = 0.5 * (dot(to, to) - middle * middle) / (wide * wide)
    if off > _FAR:
        return 0.0
    k = _ROOT_HALF / wide
    share = 0.5 * (math.erf(k * (end - middle)) + math.erf(k * middle))
    return puffs[j, _DEPTH] * math.exp(-off) * share


@kernel
def light_puffs(i, puffs, view, tree, pieces, meshes, colors):
    """Write the light that puff i sends on: of the sun, through bodies and other puffs, and of sky and ground."""
    p, sun = load3(puffs, i), load3(view, SUN)
    _, piece, _, _, _ = cast(p, sun, True, tree, pieces, meshes)
    through = 0.0
    if piece < 0:
        depth = 0.0
        for j in range(puffs.shape[0]):
            depth += _depth(j, p, sun, math.inf, puffs)
        through = math.exp(-depth)
    around = scale(0.5, add(load3(view, ZENITH), load3(view, NADIR)))
    light = axpy(_SUNLIT * through, load3(view, SUN_COLOR), around)
    for k in range(3):
        colors[i, k] = puffs[i, _COLOR + k] * light[k]


@kernel
def shadows(i, light, view, plan, tree, pieces, meshes, puffs, across, along, starts, members):
    """Take from the sun's light on what pixel i shows what puffs on the way to the sun keep, exp(−depth).

    The plane across the sun's rays has squares, each with the puffs that may shade it: `across` are two unit vectors
    in it and (corner, corner, side), `along` the squares on each side.
    """
    x, y = i % plan[WIDTH], i // plan[WIDTH] + plan[FIRST]
    o, d = load3(view, EYE), unit(pixel_ray(x + 0.5, y + 0.5, view))
    end, _, _, _, _ = cast(o, d, False, tree, pieces, meshes)
    end = min(end, ground_distance(o, d, view))
    if end < math.inf:
        p, side = axpy(end, d, o), across[2, 2]
        a = math.floor((dot(p, load3(across, 0)) - across[2, 0]) / side)
        b = math.floor((dot(p, load3(across, 1)) - across[2, 1]) / side)
        if a >= 0 and b >= 0 and a < along[0] and b < along[1]:
            square, depth = b * along[0] + a, 0.0
            for m in range(starts[square], starts[square + 1]):
                depth += _depth(members[m], p, load3(view, SUN), math.inf, puffs)
            kept = math.exp(-depth)
            for k in range(3):
                light[i, BY_SUN + k] *= kept


@kernel
def composite_clouds(i, light, view, plan, tree, pieces, meshes, puffs, colors, starts, members):
    """Lay the puffs over pixel i, front to back: what is behind comes through by exp(−depth)."""
    x, y = i % plan[WIDTH], i // plan[WIDTH] + plan[FIRST]
    across = (plan[WIDTH] + TILE - 1) // TILE
    tile = (y // TILE) * across + x // TILE
    if starts[tile] < starts[tile + 1]:
        o, d = load3(view, EYE), unit(pixel_ray(x + 0.5, y + 0.5, view))
        end, _, _, _, _ = cast(o, d, False, tree, pieces, meshes)
        end = min(end, ground_distance(o, d, view))
        through, r, g, b = 1.0, 0.0, 0.0, 0.0
        for m in range(starts[tile], starts[tile + 1]):
            j = members[m]
            kept = math.exp(-_depth(j, o, d, end, puffs))
            taken = through * (1.0 - kept)
            r, g, b = r + taken * colors[j, 0], g + taken * colors[j, 1], b + taken * colors[j, 2]
            through *= kept
        for k in range(9):
            light[i, k] *= through
        light[i, 0] += r
        light[i, 1] += g
        light[i, 2] += b
