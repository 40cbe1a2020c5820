"""Obstacles: solids that contact points of figures can touch.

Each is fixed in the world or in a segment's frame and has a frame of its own, its axis or outward normal along y.
All factories also take `segment`, the segment that carries it (None: the world), `friction` and `restitution` (None:
the values of the point that touches it count) and `color` (red, green, blue from 0 to 1); those of centred shapes take
`placement`, the obstacle's frame in the segment's or the world's.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import atan2, cos, hypot, isnan, pi, sin, tan
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry import (
    Ball,
    Box,
    Capsule,
    Compound,
    Cylinder,
    EndlessCylinder,
    Face,
    Hollow,
    Mesh,
    Plane,
    Shape,
    Solid,
    Torus,
    surfaces,
)
from motiform.geometry.checks import check_length, check_point
from motiform.geometry.meshes.tessellate import revolve
from motiform.geometry.solids.columns import OPEN, SIZES
from motiform.geometry.solids.register import NUMBERS, has_distance
from motiform.geometry.touch.solids import TOUCHING, can_touch
from motiform.spatial import Transform, rotation_y_to
from motiform.spatial.checks import Array, Words, as_floats

if TYPE_CHECKING:
    from motiform.motion.tree.model.segment import SegmentSurface

__all__ = [
    "Obstacle",
    "ball",
    "box",
    "capsule",
    "cylinder",
    "distances",
    "face",
    "floor",
    "from_surface",
    "hollow_ball",
    "hollow_box",
    "plane",
    "profile",
    "slope",
    "stairs",
    "torus",
    "tube",
]

SLAB = 0.02  # [m] thickness of planes and faces in pictures
WIDE = 20.0  # [m] size of endless obstacles in pictures
_MOST_STEPS = 10_000  # of stairs: each is an obstacle of its own


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A solid against which balls come into contact.

    Attributes
    ----------
    solid : any that has a signed distance, in the obstacle's own frame, an ellipsoid, a mesh (its convex hull), or a
        hollow ball or endless cylinder.
    segment : the segment that carries it; None, the world.
    placement : the obstacle's frame in the segment's (the world's) frame.
    friction : coefficient, 0 to inf; None, the touching point's own.
    restitution : 0 to 1; None, the touching point's own.
    """

    name: str
    solid: Solid
    segment: str | None = None
    placement: Transform = field(default_factory=Transform.identity)
    friction: float | None = None
    restitution: float | None = None
    color: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(
                "the name must be text", where="obstacle", got=self.name, allowed="a text that is not empty"
            )
        where = f"obstacle {self.name!r}"
        if self.segment is not None and (not isinstance(self.segment, str) or not self.segment):
            allowed = "the name of a segment, or None for the world"
            raise InputError(
                "the obstacle must be on a segment of the figure", where=where, got=self.segment, allowed=allowed
            )
        kind = getattr(self.solid, "kind", type(self.solid).__name__)
        hollow = isinstance(self.solid, Hollow) and isinstance(self.solid.shape, Ball | EndlessCylinder)
        if not hollow and not (isinstance(self.solid, Solid) and (has_distance(kind) or can_touch(self.solid))):
            allowed = ", ".join(
                [*(name for name in NUMBERS if has_distance(name) or name in TOUCHING), "hollow ball", "tube"]
            )
            raise InputError("this solid cannot be an obstacle", where=where, got=Words(kind), allowed=allowed)
        object.__setattr__(self, "placement", _base(self.placement, where))
        object.__setattr__(self, "friction", _part(self.friction, np.inf, f"{where} friction"))
        object.__setattr__(self, "restitution", _part(self.restitution, 1.0, f"{where} restitution"))
        object.__setattr__(self, "color", _color(self.color, where))

    @property
    def number(self) -> int:
        """The number by which kernels know its kind: that of a hollow shape is −1 − the shape's."""
        return -1 - NUMBERS[self.solid.shape.kind] if isinstance(self.solid, Hollow) else NUMBERS[self.solid.kind]

    @property
    def sizes(self) -> Array:
        """The sizes of the solid as kernels take them [m], (SIZES,)."""
        return np.array([*self.solid.sizes, *[0.0] * (SIZES - len(self.solid.sizes))])

    @property
    def shape(self) -> Shape:
        """What it looks like, in its own frame; endless ones end, and of bowls and tubes one sees half."""
        match self.solid:
            case Shape():
                return self.solid
            case Hollow():
                radius = self.solid.shape.sizes[0]
                return _bowl(radius) if isinstance(self.solid.shape, Ball) else _pipe(radius)
            case EndlessCylinder():
                return Cylinder(self.solid.radius, WIDE)
        x, z = self.solid.size if isinstance(self.solid, Face) else (WIDE, WIDE)
        return Compound(((Box((x, SLAB, z)), Transform.translation_of((0.0, -0.5 * SLAB, 0.0))),))

    def __repr__(self) -> str:
        held = f" on {self.segment!r}" if self.segment else ""
        return f"<Obstacle {self.name!r}: {self.solid.kind}{held}>"


class ObstacleOptions(TypedDict, total=False):
    """What every factory takes."""

    segment: str | None
    friction: float | None
    restitution: float | None
    color: tuple[float, float, float] | None


class PlacedOptions(ObstacleOptions, total=False):
    """Arguments of the constructors of centred shapes."""

    placement: Transform


# -------------------------------------------------------------------- planes
def plane(
    *,
    name: str = "ground",
    point: ArrayLike = (0.0, 0.0, 0.0),
    normal: ArrayLike = (0.0, 1.0, 0.0),
    **options: Unpack[ObstacleOptions],
) -> Obstacle:
    """Return a half-space through a point [m]; it is solid on the side away from the normal (of any length)."""
    p, n = check_point(point, f"point of plane {name!r}"), check_point(normal, f"normal of plane {name!r}")
    if not float(np.linalg.norm(n)) > 1e-12:
        raise InputError(
            "a normal must have a direction", where=f"plane {name!r}", got=n.tolist(), allowed="length above 1e-12"
        )
    return Obstacle(name, Plane(), placement=Transform(rotation_y_to(n), p), **options)


def floor(height: float = 0.0, *, name: str = "ground", **options: Unpack[ObstacleOptions]) -> Obstacle:
    """Return level ground at that height [m]."""
    y = _number(height, f"height of floor {name!r}")
    return plane(name=name, point=(0.0, y, 0.0), **options)


def slope(
    angle: float, *, name: str = "slope", point: ArrayLike = (0.0, 0.0, 0.0), **options: Unpack[ObstacleOptions]
) -> Obstacle:
    """Return a plane that rises toward +x by an angle [rad] about z, through a point [m]."""
    a = _number(angle, f"angle of slope {name!r}")
    if not abs(a) < 0.5 * pi:
        raise InputError(
            "a slope must be less steep than a wall",
            where=f"slope {name!r}",
            got=Words(f"{a} rad"),
            allowed="angles between -pi/2 and pi/2, both excluded",
            remedy="Angles are in radians; for a wall use plane(normal=...).",
        )
    return plane(name=name, point=point, normal=(-sin(a), cos(a), 0.0), **options)


def face(size: ArrayLike, *, name: str = "face", **options: Unpack[PlacedOptions]) -> Obstacle:
    """Return a rectangle of that size (x, z) [m], centred, solid below: +y is its outside.

    A point under it, however deep, is in it. Points beside it have their distance from its edges.
    """
    return Obstacle(name, Face(size), **options)  # type: ignore[arg-type]


def profile(
    points: ArrayLike,
    width: float,
    *,
    name: str = "ground",
    placement: Transform | None = None,
    **options: Unpack[ObstacleOptions],
) -> tuple[Obstacle, ...]:
    """Return ground under a line through points (x, y) [m], (n, 2), with increasing x: a face for each stretch.

    It is centred at z = 0 and ends at the first and the last point. Faces are called `name`.0, `name`.1 and so on.
    Where two meet each keeps to its side of the joint: nothing touches an edge that is not there, and no point is
    under both or neither of them.
    """
    line = as_floats(points, 2, where=f"points of profile {name!r}")
    if line.ndim != 2 or len(line) < 2:
        raise InputError(
            "the array has the wrong shape",
            where=f"points of profile {name!r}",
            got=line.shape,
            allowed="(n, 2), n ≥ 2",
        )
    steps = np.diff(line, axis=0)
    if not (steps[:, 0] > 0.0).all():
        n = int((steps[:, 0] <= 0.0).argmax())
        raise InputError(
            f"x does not increase after point {n}",
            where=f"profile {name!r}",
            got=line[n : n + 2, 0].tolist(),
            allowed="increasing x",
            remedy="Use a box for a step, or a steep stretch.",
        )
    wide = check_length(width, f"width of profile {name!r}")
    base = _base(placement, f"profile {name!r}")
    angles = [atan2(y, x) for x, y in steps.tolist()]
    slants = [OPEN, *[tan(0.5 * (b - a)) for a, b in pairwise(angles)], OPEN]
    faces = []
    for k, (angle, (x, y)) in enumerate(zip(angles, steps.tolist(), strict=True)):
        at = Transform.from_euler((angle,), "z", (*(0.5 * (line[k] + line[k + 1])), 0.0))
        face = Face((hypot(x, y), wide), (slants[k], slants[k + 1]))
        faces.append(Obstacle(f"{name}.{k}", face, placement=base @ at, **options))
    return tuple(faces)


# -------------------------------------------------------------------- solids
def box(size: ArrayLike, *, name: str = "box", **options: Unpack[PlacedOptions]) -> Obstacle:
    """Return a box of that size (x, y, z) [m], centred."""
    return Obstacle(name, Box(size), **options)  # type: ignore[arg-type]


def ball(radius: float, *, name: str = "ball", **options: Unpack[PlacedOptions]) -> Obstacle:
    """Return a ball of that radius [m], centred."""
    return Obstacle(name, Ball(radius), **options)


def hollow_ball(radius: float, *, name: str = "bowl", **options: Unpack[PlacedOptions]) -> Obstacle:
    """Return a bowl, solid outside of that radius [m]: points are inside of it."""
    return Obstacle(name, Hollow(Ball(radius)), **options)


def tube(radius: float, *, name: str = "tube", **options: Unpack[PlacedOptions]) -> Obstacle:
    """Return an endless tube along y, solid outside of that radius [m]: points are inside of it."""
    return Obstacle(name, Hollow(EndlessCylinder(radius)), **options)


def hollow_box(
    size: ArrayLike,
    *,
    name: str = "room",
    open_top: bool = False,
    placement: Transform | None = None,
    **options: Unpack[ObstacleOptions],
) -> tuple[Obstacle, ...]:
    """Return the inside of a box of that size (x, y, z) [m], centred, as six walls: what touches is inside of it.

    They are called `name`.left and `name`.right (−x, +x), `name`.bottom and `name`.top, `name`.back and `name`.front
    (−z, +z), solid without end on their outer sides. With `open_top` there is no top, and walls end at its height.
    """
    x, y, z = (0.5 * check_length(one, f"size of hollow box {name!r}") for one in as_floats(size, 3, where="size"))
    base = _base(placement, f"hollow box {name!r}")
    walls = {
        "left": ((1, 0, 0), (-x, 0, 0), (2 * y, 2 * z)),
        "right": ((-1, 0, 0), (x, 0, 0), (2 * y, 2 * z)),
        "bottom": ((0, 1, 0), (0, -y, 0), (2 * x, 2 * z)),
        "top": ((0, -1, 0), (0, y, 0), (2 * x, 2 * z)),
        "back": ((0, 0, 1), (0, 0, -z), (2 * x, 2 * y)),
        "front": ((0, 0, -1), (0, 0, z), (2 * x, 2 * y)),
    }
    found = []
    for side, (normal, at, extent) in walls.items():
        if side == "top" and open_top:
            continue
        solid = Face(_turned(normal, extent)) if open_top and side != "bottom" else Plane()
        placed = base @ Transform(rotation_y_to(np.array(normal, float)), np.array(at, float))
        found.append(Obstacle(f"{name}.{side}", solid, placement=placed, **options))
    return tuple(found)


def _turned(normal: tuple[int, int, int], extent: tuple[float, float]) -> tuple[float, float]:
    """Return the size along x and z of a face whose y is turned to a normal, of a wall's extents in axis order."""
    R = rotation_y_to(np.array(normal, float))
    across = [k for k in range(3) if not normal[k]]
    return extent[across.index(int(np.argmax(np.abs(R[:, 0]))))], extent[across.index(int(np.argmax(np.abs(R[:, 2]))))]


def capsule(radius: float, length: float, *, name: str = "capsule", **options: Unpack[PlacedOptions]) -> Obstacle:
    """Return a capsule along y, centred: radius and distance of the centres of its caps [m]."""
    return Obstacle(name, Capsule(radius, length), **options)


def cylinder(
    radius: float, *, name: str = "cylinder", height: float | None = None, **options: Unpack[PlacedOptions]
) -> Obstacle:
    """Return a cylinder along y, centred: radius and height [m]; without a height it is endless."""
    return Obstacle(name, EndlessCylinder(radius) if height is None else Cylinder(radius, height), **options)


def torus(ring: float, tube: float, *, name: str = "torus", **options: Unpack[PlacedOptions]) -> Obstacle:
    """Return a torus about y: radius [m] of the ring's middle line and of its tube, the smaller one."""
    return Obstacle(name, Torus(ring, tube), **options)


def stairs(
    count: int,
    rise: float,
    run: float,
    width: float,
    at: ArrayLike = (0.0, 0.0, 0.0),
    *,
    name: str = "stairs",
    descending: bool = False,
    depth: float | None = None,
    placement: Transform | None = None,
    **options: Unpack[ObstacleOptions],
) -> tuple[Obstacle, ...]:
    """Return a flight of steps along +x as boxes `name`.0, `name`.1, …, in the order in which +x meets them.

    `at` [m] is the middle of its foot at the lower x, on the floor: the first riser, or descending, the wall under the
    highest step. `rise`, `run` and `width` (z) [m] are those of one step. Boxes reach `depth` [m] below the floor (as
    deep as one rise) and a little under the next higher step, so that the nearest side is always one that can be seen.
    """
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 1 <= count <= _MOST_STEPS:
        allowed = f"1 to {_MOST_STEPS}"
        raise InputError("the number of steps must be whole", where=f"stairs {name!r}", got=count, allowed=allowed)
    h, s, w = (check_length(v, f"{k} of stairs {name!r}") for k, v in (("rise", rise), ("run", run), ("width", width)))
    low = h if depth is None else check_length(depth, f"depth of stairs {name!r}")
    foot = check_point(at, f"at of stairs {name!r}")
    base = _base(placement, f"stairs {name!r}")
    lap = min(0.25 * s, h)
    boxes = []
    for k in range(int(count)):
        step = count - k if descending else k + 1
        top = step * h
        more = lap if step < count else 0.0
        x = (k + 0.5) * s + (-0.5 if descending else 0.5) * more
        middle = Transform.translation_of(foot + np.array([x, 0.5 * (top - low), 0.0]))
        boxes.append(Obstacle(f"{name}.{k}", Box((s + more, top + low, w)), placement=base @ middle, **options))
    return tuple(boxes)


def from_surface(
    surface: "SegmentSurface",
    *,
    name: str | None = None,
    friction: float | None = None,
    restitution: float | None = None,
    color: tuple[float, float, float] | None = None,
) -> Obstacle:
    """Return the obstacle that a figure's named surface is: a plane, cylinder, torus or sphere, or a bowl."""
    face = surface.surface
    found: Solid | None = None
    if isinstance(face, surfaces.PlaneSurface):
        found = Plane()
    elif isinstance(face, surfaces.SphereSurface):
        found = Hollow(Ball(face.radius)) if face.inside else Ball(face.radius)
    elif isinstance(face, surfaces.CylinderSurface) and not face.inside:
        found = EndlessCylinder(face.radius)
    elif isinstance(face, surfaces.TorusSurface) and not face.inside:
        found = Torus(face.ring, face.tube)
    if found is None:
        raise InputError(
            "this surface cannot be an obstacle",
            where=f"surface {surface.name!r}",
            got=Words(f"{face.kind}, from inside" if face.inside else face.kind),
            allowed="plane, sphere, sphere from inside, cylinder, torus",
        )
    placed = surface.placement @ Transform.rotation_of(_Z_FROM_Y)
    return Obstacle(name or surface.name, found, surface.segment, placed, friction, restitution, color)


def distances(obstacle: Obstacle, points: ArrayLike) -> tuple[Array, Array]:
    """Return the signed distance [m], (...), of points, (..., 3), and the outward unit normal there, (..., 3).

    Points and normals are in the frame of the obstacle's segment (the world's). Distances are negative inside.
    """
    from motiform.motion.contact.obstacle_kernels import many_distances

    if not isinstance(obstacle.solid, Hollow) and not has_distance(obstacle.solid.kind):
        raise InputError(
            "this solid has no signed distance",
            where=f"obstacle {obstacle.name!r}",
            got=Words(obstacle.solid.kind),
            allowed=", ".join(name for name in NUMBERS if has_distance(name)),
            remedy="Use motiform.geometry.touch_points.",
        )
    p = as_floats(points, 3, where="points")
    here = np.ascontiguousarray(obstacle.placement.inverse().point(p).reshape(-1, 3))
    out, regions = np.empty((len(here), 10)), np.empty(len(here), np.int64)
    many_distances.function(obstacle.number, obstacle.sizes, here, out, regions)
    return out[:, 0].reshape(p.shape[:-1]), obstacle.placement.vector(out[:, 1:4]).reshape(p.shape)


# -------------------------------------------------------------------- checks and pictures
_Z_FROM_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # surfaces have their axis along z


def _base(placement: Any, where: str) -> Transform:
    placed = Transform.identity() if placement is None else placement
    if not isinstance(placed, Transform) or placed.batch:
        raise InputError(
            "the placement must be a single Transform", where=where, got=placement, allowed="one Transform"
        )
    return placed


def _number(value: Any, where: str) -> float:
    number = as_floats(value, where=where)
    if number.ndim:
        raise InputError("the array has the wrong shape", where=where, got=number.shape, allowed="one number")
    return number.item()


def _part(value: Any, most: float, where: str) -> float | None:
    if value is None:
        return None
    number = as_floats(value, where=where, finite=False)
    if number.ndim or isnan(number) or not 0.0 <= number <= most:
        allowed = "0 to 1" if most == 1.0 else "0 or more, also inf"
        raise InputError("the coefficient is out of range", where=where, got=value, allowed=f"{allowed}, or None")
    return number.item()


def _color(color: Any, where: str) -> tuple[float, float, float] | None:
    if color is None:
        return None
    values = as_floats(color, 3, where=f"{where} color")
    if values.shape != (3,) or not ((values >= 0.0) & (values <= 1.0)).all():
        raise InputError(
            "a color must be three numbers from 0 to 1", where=where, got=color, allowed="red, green, blue from 0 to 1"
        )
    r, g, b = values.tolist()
    return r, g, b


def _bowl(radius: float, steps: int = 24) -> Mesh:
    """The lower half of a shell around the sphere, a fiftieth of the radius thick."""
    angle = np.linspace(-0.5 * pi, 0.0, steps)
    arc = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Mesh(*revolve(np.concatenate([1.02 * arc, arc[::-1]]), 2 * steps))


def _pipe(radius: float, steps: int = 24) -> Mesh:
    """Half of a shell around the cylinder, that of −x, a fiftieth of the radius thick."""
    angle = np.linspace(0.5 * pi, 1.5 * pi, steps)
    arc = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    loop = np.concatenate([1.02 * arc, arc[::-1]])
    ends = [np.column_stack([loop[:, 0], np.full(len(loop), y), loop[:, 1]]) for y in (-0.5 * WIDE, 0.5 * WIDE)]
    n = len(loop)
    faces = []
    for k in range(n):
        m = (k + 1) % n
        faces += [(k, m, n + m), (k, n + m, n + k)]
    for k in range(steps - 1):
        quad = (k, k + 1, n - 2 - k, n - 1 - k)
        faces += [(quad[2], quad[1], quad[0]), (quad[3], quad[2], quad[0])]
        faces += [(n + quad[0], n + quad[1], n + quad[2]), (n + quad[0], n + quad[2], n + quad[3])]
    return Mesh(np.concatenate(ends), np.array(faces))
