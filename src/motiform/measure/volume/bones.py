"""A wrist of smooth shapes laid out like a carpus: the bones of examples and tests, made by code alone.

Every bone begins as a union of ellipsoids. Where two come near they share the room: each ends half a gap before the
surface on which both are equally near, so that neighbours fit as joints do.
"""

from typing import Any, Literal

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry import Mesh
from motiform.geometry.checks import check_length
from motiform.spatial.checks import Array, generator

__all__ = ["synthetic_bones"]

# Ellipsoids of a right wrist: centre and semi-axes [mm] along radial, distal, palmar.
_SHAPES: dict[str, tuple[tuple[float, ...], ...]] = {
    "radius": (
        (6.0, -24.0, 0.0, 12.0, 29.0, 9.0),
        (8.0, -6.0, 0.0, 15.0, 11.0, 10.5),
        (19.0, -1.0, 1.0, 5.0, 8.0, 6.0),
    ),
    "ulna": ((-15.0, -26.0, -1.0, 6.5, 26.0, 6.5), (-15.0, -8.0, -1.0, 8.0, 8.0, 8.0)),
    "scaphoid": ((12.5, 9.0, 0.5, 7.0, 9.5, 6.5), (17.5, 15.0, 6.0, 5.0, 6.0, 5.0)),
    "lunate": ((-1.5, 7.5, 0.5, 7.0, 7.5, 8.5),),
    "triquetrum": ((-13.5, 11.0, 0.0, 7.0, 7.5, 6.5),),
    "pisiform": ((-15.0, 13.0, 11.5, 5.0, 6.5, 5.0),),
    "trapezium": ((22.0, 23.0, 5.0, 7.0, 7.0, 7.0),),
    "trapezoid": ((12.5, 25.5, -2.0, 6.0, 6.5, 7.0),),
    "capitate": ((1.0, 17.5, 0.0, 6.5, 7.0, 7.0), (1.5, 25.0, -1.0, 7.5, 9.0, 8.5)),
    "hamate": ((-11.5, 25.0, -1.0, 7.5, 9.5, 8.0), (-11.5, 27.0, 8.0, 3.5, 4.5, 6.5)),
    "metacarpal1": ((33.0, 43.0, 9.0, 6.0, 20.0, 6.0),),
    "metacarpal2": ((14.0, 52.0, -1.5, 6.5, 24.0, 6.5),),
    "metacarpal3": ((2.5, 55.0, -1.5, 6.5, 25.0, 6.5),),
    "metacarpal4": ((-8.0, 54.0, -1.0, 5.5, 23.0, 5.5),),
    "metacarpal5": ((-17.0, 50.0, 0.0, 5.5, 21.0, 5.5),),
}
_LONGEST, _STEPS = 2.2, 30  # along a ray, in units of the shape; halvings of the interval that holds the surface


def synthetic_bones(
    *,
    side: str = "right",
    gap: float = 1.2e-3,
    size: float = 1.0,
    detail: int = 3,
    variation: float = 0.0,
    seed: int = 0,
    distal: Literal["y", "z"] = "y",
) -> dict[str, Mesh]:
    """Return the fifteen bones of a synthetic wrist [m], x radial on the right.

    Parameters
    ----------
    side : "right" or "left", its mirror image in x.
    gap : between neighbours [m].
    size : scale of the whole; 1 for an adult hand.
    detail : times that the 20 triangles of a first ball are split in four, 2 to 6.
    variation : standard deviation of the semi-axes (relative) and centres (relative to 10 mm): other wrists.
    seed : of the generator of that variation.
    distal : axis towards the fingers: "y", with z palmar, or "z" as in axial images, with y dorsal.
    """
    if distal not in ("y", "z"):
        raise InputError("distal must be an axis", where="distal", got=distal, allowed="'y', 'z'")
    if side not in ("right", "left"):
        raise InputError("side must be that of a hand", where="side", got=side, allowed="'right', 'left'")
    if isinstance(detail, bool) or not isinstance(detail, int) or not 2 <= detail <= 6:
        raise InputError("detail is out of range", where="synthetic_bones", got=detail, allowed="2 to 6")
    space, scale = check_length(gap, "gap") * 1e3, check_length(size, "size") * 1e-3
    shapes = _varied(variation, seed)
    mirror = np.array([-1.0 if side == "left" else 1.0, 1.0, 1.0])
    found = {}
    for name in shapes:
        directions, faces = _sphere(detail + (name in ("radius", "ulna")))  # long bones have long triangles
        points = _surface(name, shapes, directions, space) * mirror * scale
        if distal == "z":
            points = points[:, [0, 2, 1]] * (1.0, -1.0, 1.0)
        found[name] = Mesh(points, faces[:, ::-1].copy() if side == "left" else faces)
    return found


def _varied(variation: float, seed: int) -> dict[str, Array]:
    rng = generator(seed)
    found = {}
    for name, rows in _SHAPES.items():
        table = np.array(rows)
        shift, stretch = rng.normal(size=3) * variation * 10.0, np.exp(rng.normal(size=3) * variation)
        table[:, :3] += shift
        table[:, 3:] *= stretch
        found[name] = table
    return found


def _depth(rows: Array, x: Array) -> Array:
    """Return about how far points are outside of the union of ellipsoids [mm], negative inside."""
    found = []
    for row in rows:
        scaled = (x - row[:3]) / row[3:]
        r = np.linalg.norm(scaled, axis=-1)
        slope = np.linalg.norm(scaled / row[3:], axis=-1)
        # First order in the distance from the surface: r (r − 1)/|∇| of the quadric.
        found.append(np.where(r > 1e-9, r * (r - 1.0) / np.maximum(slope, 1e-9), -row[3:].min()))
    return np.asarray(np.min(found, axis=0))


def _outside(name: str, shapes: dict[str, Array], x: Array, gap: float) -> Array:
    """Return what is negative inside of a bone: inside of its shape, and nearer to it than to others [mm]."""
    own = _depth(shapes[name], x)
    worst = own
    low, high = x.min(axis=0) - gap, x.max(axis=0) + gap
    for other, rows in shapes.items():
        near = ((rows[:, :3] + rows[:, 3:] > low) & (rows[:, :3] - rows[:, 3:] < high)).all(axis=1).any()
        if other != name and near:
            worst = np.maximum(worst, 0.5 * (own - _depth(rows, x) + gap))
    return worst


def _surface(name: str, shapes: dict[str, Array], directions: Array, gap: float) -> Array:
    """Return where rays from the middle of a bone leave it [mm], (V, 3)."""
    rows = shapes[name]
    volume = rows[:, 3:].prod(axis=1)
    center = volume @ rows[:, :3] / volume.sum()
    low, high = (rows[:, :3] - rows[:, 3:]).min(axis=0), (rows[:, :3] + rows[:, 3:]).max(axis=0)
    rays = directions * 0.5 * (high - low)
    inner, outer = np.zeros(len(rays)), np.full(len(rays), _LONGEST)
    for step in np.linspace(0.05, _LONGEST, 44):  # the first crossing: what lies behind a neighbour is not the bone's
        out = _outside(name, shapes, center + step * rays, gap) > 0
        inner = np.where(~out & (outer == _LONGEST), step, inner)
        outer = np.where(out & (outer == _LONGEST), step, outer)
    for _ in range(_STEPS):
        middle = 0.5 * (inner + outer)
        out = _outside(name, shapes, center + middle[:, None] * rays, gap) > 0
        inner, outer = np.where(out, inner, middle), np.where(out, middle, outer)
    return np.asarray(center + 0.5 * (inner + outer)[:, None] * rays)


def _sphere(detail: int) -> tuple[Array, Any]:
    """Return a ball of equal triangles: unit vectors and faces, outward."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=detail)
    return np.asarray(ball.vertices, np.float64), np.asarray(ball.faces, np.int64)
