"""Surfaces that a taut line wraps: a muscle over a bone.

Each surface is in its own frame, with the axis of cylinders and tori along z, as in SIMM and OpenSim, whose rules say
whether a line wraps and on which side. Where it does, its curve is the geodesic that the straight parts are tangent to.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry.paths import columns as wrap_columns
from motiform.spatial.checks import Array, as_floats

__all__ = [
    "METHODS", "SIDES", "WrapCylinder", "WrapEllipsoid", "WrapSphere", "WrapSurface", "WrapTorus", "Wrapped",
    "wrap_line",
]  # fmt: skip

SIDES = ("all", "+x", "-x", "+y", "-y", "+z", "-z")
"""Where a line may pass: anywhere, or on the side of an axis of the surface."""
METHODS = ("hybrid", "midpoint", "axial")
"""How the first guess on an ellipsoid is made, in the order of `columns`."""


def _length(value: float, name: str, where: str) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = np.nan
    if not (np.isfinite(found) and found > 0.0):
        raise InputError(f"{name} must be above 0", where=where, got=repr(value), allowed="a length above 0 m")
    return found


@dataclass(frozen=True)
class WrapSurface:
    """What all of them share: the side on which a line is to pass."""

    kind: ClassVar[int]
    lengths: ClassVar[tuple[str, ...]]
    side: str = "all"

    def __post_init__(self) -> None:
        where = type(self).__name__
        if not hasattr(self, "lengths"):
            raise InputError(
                "this is what surfaces share, and none itself", where=where, remedy="Take one of its kinds."
            )
        if self.side not in SIDES:
            raise InputError("unknown side", where=where, got=self.side, allowed=", ".join(SIDES))
        for name in self.lengths:
            object.__setattr__(self, name, _length(getattr(self, name), name, where))

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Three numbers for the kernels."""
        raise NotImplementedError

    def contains(self, point: ArrayLike) -> np.ndarray:
        """Return whether points (..., 3) [m] are inside: lines from them do not wrap; cylinders have no ends."""
        x, a = np.asarray(point, float), self.sizes
        if self.kind == wrap_columns.ELLIPSOID:
            return np.asarray(((x / a) ** 2).sum(-1) < 1.0)
        rho = np.hypot(x[..., 0], x[..., 1])
        if self.kind == wrap_columns.TORUS:
            return np.asarray(np.hypot(rho - a[1], x[..., 2]) < a[0])
        return np.asarray((rho if self.kind == wrap_columns.CYLINDER else np.linalg.norm(x, axis=-1)) < a[0])

    @property
    def axis_sign(self) -> tuple[int, int]:
        """Number of the axis and its sign; 0: any side."""
        return (0, 0) if self.side == "all" else ("xyz".index(self.side[1]), 1 if self.side[0] == "+" else -1)


@dataclass(frozen=True)
class WrapSphere(WrapSurface):
    """A sphere around the origin; `radius` [m]."""

    radius: float = 0.05
    kind = wrap_columns.SPHERE
    lengths = ("radius",)

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Radius."""
        return self.radius, 0.0, 0.0


@dataclass(frozen=True)
class WrapCylinder(WrapSurface):
    """A cylinder along z; `radius`, `length` [m]. A line that touches it beyond both ends stays straight."""

    radius: float = 0.05
    length: float = 1.0
    kind = wrap_columns.CYLINDER
    lengths = ("radius", "length")

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Radius and half the length."""
        return self.radius, self.length / 2, 0.0


@dataclass(frozen=True)
class WrapEllipsoid(WrapSurface):
    """An ellipsoid; `radii` [m] along x, y, z."""

    radii: tuple[float, float, float] = (0.05, 0.05, 0.05)
    kind = wrap_columns.ELLIPSOID
    lengths = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        found = as_floats(self.radii, where="radii of a WrapEllipsoid")
        if found.shape != (3,):
            raise InputError("an ellipsoid must have three radii", got=f"shape {found.shape}", allowed="(3,)")
        x, y, z = (_length(r, "radius", "WrapEllipsoid") for r in found.tolist())
        object.__setattr__(self, "radii", (x, y, z))

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Radii."""
        return self.radii


@dataclass(frozen=True)
class WrapTorus(WrapSurface):
    """A ring around z that a line passes through; `tube` is the radius of its tube, `ring` that of its centre line."""

    tube: float = 0.01
    ring: float = 0.05
    kind = wrap_columns.TORUS
    lengths = ("tube", "ring")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ring <= self.tube:
            got = f"ring {self.ring:g} m, tube {self.tube:g} m"
            raise InputError("the ring must be wider than its tube", where="WrapTorus", got=got, allowed="ring > tube")

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Radius of the tube and of the ring."""
        return self.tube, self.ring, 0.0


class Wrapped(NamedTuple):
    """Lines over a surface."""

    length: Array
    """Length of the whole line [m], (...,)."""
    touches: np.ndarray
    """Whether it wraps, (...,) bool."""
    first: Array
    """Where it meets the surface [m], (..., 3); nan where it stays straight."""
    last: Array
    """Where it leaves it [m], (..., 3)."""
    inside: np.ndarray
    """Whether an end is inside, so that it stays straight, (...,) bool."""
    planar: np.ndarray
    """Whether no geodesic was found and the curve is a planar section, (...,) bool."""


def wrap_line(
    surface: WrapSurface, start: ArrayLike, end: ArrayLike, *, method: str = "hybrid", device: str = "cpu"
) -> Wrapped:
    """Return the taut lines from `start` to `end` (..., 3) [m], in the surface's frame."""
    from motiform.base.kernels import get_device
    from motiform.geometry.paths.wrap_kernels import wrap_lines

    if method not in METHODS:
        raise InputError("unknown method of wrapping", got=method, allowed=", ".join(METHODS))
    a, b = as_floats(start, where="start of a line"), as_floats(end, where="end of a line")
    for name, array in (("start", a), ("end", b)):
        if array.shape[-1:] != (3,):
            raise InputError(f"{name} must be points", got=f"shape {array.shape}", allowed="(…, 3)")
    batch = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    flat = [np.ascontiguousarray(np.broadcast_to(x, (*batch, 3))).reshape(-1, 3) for x in (a, b)]
    on, count = get_device(device), len(flat[0])
    actions, points, arcs = on.empty(count, np.int64), on.empty((count, 6)), on.empty(count)
    axis, sign = surface.axis_sign
    starts, ends = (on.array(x) for x in flat)
    how = METHODS.index(method)
    on.launch(
        wrap_lines, count, surface.kind, on.array(surface.sizes), axis, sign, how, starts, ends, actions, points, arcs
    )
    action, place = on.host(actions).reshape(batch), on.host(points).reshape(*batch, 6)
    touches = action >= wrap_columns.WRAPPED
    place = np.where(touches[..., None], place, np.nan)
    first, last = place[..., :3], place[..., 3:]
    straight = np.linalg.norm(b - a, axis=-1)
    ends_length = np.linalg.norm(first - a, axis=-1) + np.linalg.norm(b - last, axis=-1)
    length = np.where(touches, ends_length + on.host(arcs).reshape(batch), straight)
    return Wrapped(length, touches, first, last, action == wrap_columns.INSIDE, action == wrap_columns.PLANAR)
