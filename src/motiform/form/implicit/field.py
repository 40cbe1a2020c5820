"""Implicit surfaces: a field of skeletons, whose level is the surface."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.form.implicit import columns as field_columns
from motiform.form.implicit.adaptive import refined
from motiform.form.implicit.elements import check_corners, check_exponent, check_metric, half_extents, shaped_columns
from motiform.form.implicit.onto import EXACT, Net, onto_surface
from motiform.form.implicit.polygons import check_cells, net_in_boxes, standing_corner, surface_of_blocks
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["KINDS", "MOST", "Implicit", "blobs", "reached_cells", "wyvill_level"]

KINDS = {"blinn": field_columns.BLINN, "wyvill": field_columns.WYVILL, "convolution": field_columns.CONVOLUTION}
_CUT = 1e-9  # of the level: fields of exponentials end where they are that small
MOST = 1 << 20  # cells along an axis
_SIDE = 8  # cells along an edge of a block whose points are added


@dataclass(frozen=True, eq=False)
class Implicit:
    """A field V of skeletons; the surface is where V is `level`, and V is above it inside.

    A skeleton is one element or several, each a point, the line between two corners, a triangle or a tetrahedron. Kinds
    of fields, r the distance to the element:

    - "blinn": C exp(−a r²), `size` is a [1/m²]  [Blinn82]
    - "wyvill": C (1 − 22/9 u + 17/9 u² − 4/9 u³), u = r²/R² up to 1, `size` is R [m]  [Wyvill86]
    - "convolution": C ∫ exp(−a |σ − x|²) dσ along the line, `size` is a [1/m²]  [BloomenthalShoemake91]

    Within a skeleton the strongest element counts, and skeletons are added; by convolution all elements are added.
    With `neighbours` only the strongest skeleton and those that it is paired with count: others do not blend.

    With `radii`, distances are measured along the axes of an ellipsoid, each in its radius: with ξ the way from the
    element in these axes, Q = Σ (ξᵢ/radiusᵢ)² is in place of r², and `size` has no unit. A point's Q with an `exponent`
    e is Σ |ξᵢ/radiusᵢ|^e, and u = Q/R^e: surfaces are superellipsoids [Barr81], and the field is flatter inside and
    steeper outside [Blinn82].
    """

    start: Array
    """One corner of each element [m], (n, 3)."""
    end: Array | None = None
    """The second corner [m], (n, 3); None, or equal to the first: points."""
    kind: str = "wyvill"
    size: float | Array = 1.0
    """Of the kernel, as `kind` says; one for all or one for each."""
    strength: float | Array = 1.0
    """C, one for all or one for each."""
    level: float = 0.5
    skeleton: Any = None
    """Number of the skeleton of each element, from 0 on, (n,); None: each is one."""
    neighbours: Iterable[tuple[int, int]] | None = None
    """Pairs of skeletons that blend; None: all do."""
    third: Array | None = None
    """The third corner [m], (n, 3): triangles; lines where it is the second."""
    fourth: Array | None = None
    """The fourth corner [m], (n, 3): tetrahedra, within which the distance is 0; triangles where it is the third."""
    radii: Any = None
    """Radii of the ellipsoids that distances are measured in [m], (3,) or (n, 3); None: distances are Euclidean."""
    turn: Any = (1.0, 0.0, 0.0, 0.0)
    """Axes of the ellipsoids in the world as quaternions (w, x, y, z), (4,) or (n, 4)."""
    exponent: float | Array = 2.0
    """e of points, from 2 to 64, one for all or one for each."""
    _corners: list[Array] = field(init=False, repr=False)
    _shapes: tuple[Array, Array] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        corners = check_corners(self.start, self.end, self.third, self.fourth)
        start, end = corners[:2]
        if self.kind not in KINDS:
            raise InputError("unknown kind of field", where="Implicit", got=self.kind, allowed=", ".join(KINDS))
        if self.kind == "convolution" and (start == end).all(axis=1).any():
            raise InputError("a convolution needs elements with a length", where="Implicit", allowed="two ends")
        exponent = check_exponent(self.exponent, corners)
        metric = check_metric((1.0, 1.0, 1.0) if self.radii is None else self.radii, self.turn, len(start))
        more = self.third is not None or self.fourth is not None
        shaped = more or self.radii is not None or bool((exponent != 2.0).any())
        if shaped and self.kind == "convolution":
            raise InputError("a convolution must be along lines, by Euclidean distances", where="Implicit")
        for name in ("size", "strength"):
            given = np.asarray(getattr(self, name), float)
            if given.shape not in ((), (len(start),)) or not (np.isfinite(given).all() and (given > 0).all()):
                raise InputError(f"`{name}` must be above 0, one or one for each", where="Implicit", got=given)
        if not (np.isfinite(self.level) and self.level > 0):
            raise InputError("the level must be above 0", where="Implicit", got=self.level)
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)
        object.__setattr__(self, "_corners", corners)
        object.__setattr__(self, "_shapes", (metric, exponent) if shaped else None)
        object.__setattr__(self, "skeleton", self._numbers(len(start)))

    def _numbers(self, count: int) -> Any:
        given = np.arange(count) if self.skeleton is None else np.asarray(self.skeleton)
        if given.shape != (count,) or given.dtype.kind not in "iu" or given.min() < 0:
            raise InputError("`skeleton` must be a whole number from 0 for each element", where="Implicit")
        return given.astype(np.int64)

    def values(self, points: Any) -> Array:
        """Return V at points (n, 3) [m], (n,)."""
        return self._evaluate(points)[:, 0]

    def gradients(self, points: Any) -> Array:
        """Return the gradient of V at points (n, 3) [m], (n, 3) [1/m]."""
        return self._evaluate(points)[:, 1:]

    def to_mesh(self, spacing: float, *, tolerance: float | None = None) -> Mesh:
        """Return the surface as triangles, with cells of an edge of `spacing` [m] in blocks that elements reach.

        With a tolerance [m], the largest distance of triangles from the surface, cells are of several sizes: small
        where the surface bends. What cells of `spacing` show is then there within the tolerance, too. Either way
        vertices are on the surface, and it is a manifold (`polygonise`).
        """
        low, high = self._boxes
        boxes = np.stack([low, high], axis=1)
        net = self._added(low, high, spacing) if self._plain else net_in_boxes(self._depths, boxes, spacing)
        return self._settled(net, spacing) if tolerance is None else refined(self._depths, net, spacing, tolerance)

    def _settled(self, net: Net, spacing: float) -> Mesh:
        """Return a net with its vertices on the surface: by Newton's method, or between the nodes where that fails."""
        vertices, far = self._newton(net.vertices, spacing)
        vertices[far] = onto_surface(self._depths, net.vertices[far], net.ends[far], EXACT * spacing)
        return Mesh(vertices, net.faces)

    def _depths(self, points: Array) -> Array:
        """Return the level less V at points: below 0 inside."""
        return np.asarray(self.level - self.values(points))

    @property
    def _plain(self) -> bool:
        """Whether it is a sum over points."""
        alone = len(np.unique(self.skeleton)) == len(self.start)
        points = self._shapes is None and bool((self.start == self.end).all())
        return alone and self.neighbours is None and points

    def _added(self, low: Array, high: Array, spacing: float) -> Net:
        """Return the surface of a sum over points, which are added to the nodes of blocks one at a time."""
        from motiform.base.kernels import get_device
        from motiform.form.implicit.field_kernels import fill_blocks

        check_cells(high.max(axis=0) - low.min(axis=0), spacing)
        side = _SIDE * spacing
        origin = standing_corner(low, side)
        keys, starts, listed = reached_cells(low, high, origin, side)
        blocks = np.stack([keys // MOST**2, keys // MOST % MOST, keys % MOST], axis=1)
        points, places = self._elements(np.arange(len(low))), (self.start - origin) / spacing
        given = (spacing, KINDS[self.kind], points, places, self._reach)

        def at_nodes(some: slice) -> Array:
            own, begins = blocks[some], starts[some.start :]
            along, out = np.empty((len(own), _SIDE + 1)), np.empty((len(own), *[_SIDE + 1] * 3))
            get_device("cpu").launch(fill_blocks, len(own), own, *given, begins, listed, self.level, along, out)
            return out

        return surface_of_blocks(at_nodes, blocks, origin, spacing, _SIDE)

    def onto(self, points: Any, *, most: float) -> Array:
        """Return points (n, 3) moved onto the surface along gradients by Newton's method, by `most` [m] at most."""
        return self._newton(_places(points), most)[0]

    def _newton(self, points: Array, most: float) -> tuple[Array, Any]:
        """Return points moved onto the surface, and the numbers of those that did not come to it."""
        from motiform.base.kernels import get_device
        from motiform.form.implicit.field_kernels import move_onto

        moved, there = points.copy(), np.empty(len(points), bool)
        given = (most, self.level, self._kind, *self._packed)
        get_device("cpu").launch(move_onto, len(moved), *given, moved, there)
        return moved, np.flatnonzero(~there)

    @cached_property
    def _reach(self) -> Array:
        """Distance from its skeleton beyond which an element counts no more [m], or [1] in its metric, (n,)."""
        size, strength = (np.broadcast_to(np.asarray(x, float), len(self.start)) for x in (self.size, self.strength))
        if self.kind == "wyvill":
            return np.array(size)
        if self.kind == "convolution":
            strength = strength * np.sqrt(np.pi / size)  # of an endless line
        power = np.maximum(np.log(strength / (_CUT * self.level)), 0.0) / size
        return np.sqrt(power) if self._shapes is None else power ** (1.0 / self._shapes[1])

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        """Lowest and highest corners of the boxes that hold the fields of elements [m], (n, 3) each."""
        half = self._reach[:, None] if self._shapes is None else half_extents(*self._shapes, self._reach)
        ends = np.stack(self._corners)
        return ends.min(axis=0) - half, ends.max(axis=0) + half

    @cached_property
    def _packed(self) -> tuple[Any, ...]:
        """What the kernel reads: elements by skeleton, in the cells of a grid that they reach."""
        order = np.argsort(self.skeleton, kind="stable")
        elements = self._elements(order)
        low, high = (corner[order] for corner in self._boxes)
        half = self._reach if self._shapes is None else half_extents(*self._shapes, self._reach)
        origin, side = low.min(axis=0), float(np.median(half))
        side = max(side, float((high.max(axis=0) - origin).max()) / (MOST - 2))
        cells = reached_cells(low, high, origin, side)
        skeleton = self.skeleton[order]
        return elements, skeleton, cells, (origin, side, MOST), *self._graph(int(skeleton.max()) + 1)

    @property
    def _kind(self) -> int:
        """Number of its kind for kernels."""
        return KINDS[self.kind] + (0 if self._shapes is None else field_columns.SHAPED)

    def _elements(self, order: Any) -> Array:
        """Return the numbers of elements, see `columns`, in an order."""
        elements = np.empty((len(order), field_columns.WIDTH))
        elements[:, field_columns.START : field_columns.START + 3] = self.start[order]
        elements[:, field_columns.END : field_columns.END + 3] = np.asarray(self.end)[order]
        for column, given in ((field_columns.STRENGTH, self.strength), (field_columns.SIZE, self.size)):
            elements[:, column] = np.broadcast_to(np.asarray(given, float), len(order))[order]
        if self._shapes is None:
            return elements
        corners, (metric, exponent) = [corner[order] for corner in self._corners], self._shapes
        return shaped_columns(elements, corners, metric[order], exponent[order], KINDS[self.kind])

    def _graph(self, count: int) -> tuple[bool, Any, Any]:
        if self.neighbours is None:
            return False, np.zeros(1, np.int64), np.zeros(1, np.int64)
        pairs = np.asarray(list(self.neighbours), np.int64).reshape(-1, 2)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= count):
            raise InputError("neighbours must be skeletons", where="Implicit", allowed=f"0 to {count - 1}")
        both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        starts = np.searchsorted(both[:, 0], np.arange(count + 1))
        return True, starts.astype(np.int64), np.append(both[:, 1], 0)

    def _evaluate(self, points: Any) -> Array:
        from motiform.base.kernels import get_device
        from motiform.form.implicit.field_kernels import evaluate

        places = _places(points)
        out = np.empty((len(places), 4))
        get_device("cpu").launch(evaluate, len(places), places, self._kind, *self._packed, out)
        return out


def _places(points: Any) -> Array:
    places = np.ascontiguousarray(points, float)
    if places.ndim != 2 or places.shape[1] != 3:
        raise InputError("points must be of shape (n, 3)", where="Implicit", got=f"shape {places.shape}")
    return places


def reached_cells(low: Array, high: Array, origin: Array, side: float) -> tuple[Any, Any, Any]:
    """Return the keys of the cells that elements reach, where each begins, and the elements, in order in each."""
    from motiform.base.kernels import get_device
    from motiform.form.implicit.field_kernels import list_cells
    from motiform.geometry.search.neighbours import sort_keys

    device = get_device("cpu")
    first, last = (np.maximum(np.floor((x - origin) / side), 0.0).astype(np.int64) for x in (low, high))  # −0 is cell 0
    ends = np.cumsum((last - first + 1).prod(axis=1))
    key, element = np.empty((2, ends[-1]), np.int64)
    shape = last.max(axis=0) + 1
    device.launch(list_cells, len(first), first, last, ends, shape, key, element)
    key, element = sort_keys(device, key, element, int(shape.prod()).bit_length())
    begins = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    i, j, k = np.unravel_index(key[begins], shape)
    return (i * MOST + j) * MOST + k, np.append(begins, len(key)).astype(np.int64), element


def wyvill_level(part: float) -> float:
    """Return Wyvill's field of one point at some part of its radius, 0 to 1: the level whose surface is there."""
    u = part * part
    return 1.0 - 22.0 / 9.0 * u + 17.0 / 9.0 * u**2 - 4.0 / 9.0 * u**3


def blobs(
    points: Any,
    *,
    radius: float,
    reach: float | None = None,
    spacing: float | None = None,
    tolerance: float | None = None,
) -> Mesh:
    """Return one surface around points (n, 3) [m], each alone a ball of `radius` [m]; near ones melt together.

    The field is Wyvill's, of radius `reach` [m] (twice the ball's, unless given); the level is that of a ball of
    `radius`. `spacing` is the edge of a cell [m], half the radius unless given; `tolerance` is that of
    `Implicit.to_mesh`. Points that are nan are left out.
    """
    places = np.asarray(points, float)
    places = places[np.isfinite(places).all(axis=1)] if places.ndim == 2 else places
    wide = 2.0 * radius if reach is None else reach
    if not (np.isfinite(radius) and 0.0 < radius < wide):
        raise InputError("a radius must be above 0 and below the reach", where="blobs", got=f"{radius:g}, {wide:g} m")
    cell = 0.5 * radius if spacing is None else spacing
    field = Implicit(places, kind="wyvill", size=wide, level=wyvill_level(radius / wide))
    return field.to_mesh(cell, tolerance=tolerance)
