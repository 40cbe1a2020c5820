"""Bodies that press on one another through layers of cartilage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.checks import check_length, read_only
from motiform.geometry.maps.cover import Cover
from motiform.geometry.maps.elements import along_curve, surface_elements
from motiform.geometry.maps.signed import SignedMap
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["ContactBody", "Pressed", "SurfaceContacts", "contact_body"]

_GROUP = 8  # elements of a group


@dataclass(frozen=True, eq=False)
class ContactBody:
    """A body as others touch it.

    Attributes
    ----------
    elements : (m, 4), points of its surface [m] and their areas [m²]; neighbours in the array are neighbours in space.
    map : the signed distance to its surface.
    """

    elements: Array
    map: SignedMap


def contact_body(surface: Mesh | Cover, map: SignedMap, *, spacing: float = 0.5e-3) -> ContactBody:
    """Return a body from its surface, a mesh or a cover, and its signed map; elements are about `spacing` [m] apart."""
    elements = surface_elements(surface, spacing)
    return ContactBody(read_only(elements[along_curve(elements[:, :3])]), map)


@dataclass(frozen=True, eq=False)
class Pressed:
    """Contact of pairs of bodies, both ways averaged.

    Attributes
    ----------
    pairs : (p, 2), numbers of the bodies.
    force : (p, 3) [N], on the first of each pair, world axes; the second feels the opposite.
    moment : (p, 3) [N·m], on the first, about the world's origin.
    area : (p,) [m²], of the surface that presses.
    depth : (p,) [m], the greatest.
    energy : (p,) [J].
    """

    pairs: Any
    force: Array
    moment: Array
    area: Array
    depth: Array
    energy: Array


class SurfaceContacts:
    """Forces of many bodies on one another, for any poses.

    A layer of thickness t covers each body. Where the layers of two overlap by d = 2t − s, with s the other's signed
    distance, the pressure is k d (elastic foundation [Johnson85]). Every element is a ball of radius t that is held
    against the other's map; the sum of k d over its area is the integral over the surface, so that it converges with
    the spacing whatever the number of balls. The mean over both surfaces is opposite on both bodies.

    Balls around groups and patches of elements are held against the map first; most are further away than they are
    large.
    """

    def __init__(
        self, bodies: Sequence[ContactBody], *, thickness: float = 0.5e-3, stiffness: float = 1e10, pairs: Any = None,
        device: str = "cpu",
    ) -> None:  # fmt: skip
        """`thickness` of a layer [m], `stiffness` [N/m³], `pairs` (p, 2) that may touch, by default all."""
        from motiform.base.kernels import get_device

        count = len(bodies)
        self.device = get_device(device)
        self._margin, self._stiffness = 2 * check_length(thickness, "thickness"), float(stiffness)
        every = [(a, b) for a in range(count) for b in range(a + 1, count)]
        self.pairs = np.array(every if pairs is None else pairs, np.int64).reshape(-1, 2)
        if not ((self.pairs >= 0) & (self.pairs < count)).all() or (self.pairs[:, 0] == self.pairs[:, 1]).any():
            allowed = f"two different ones of 0 to {count - 1}"
            raise InputError("pairs must be numbers of bodies", got=Words(str(pairs)[:80]), allowed=allowed)
        for n, body in enumerate(bodies):
            _check_margin(body, self._margin, f"body {n}")
        self._directed = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        self._boxes = np.array([_box(body) for body in bodies])
        self._pack(bodies)
        self._known: tuple[bytes, Any, Any] = (b"", None, None)

    def _pack(self, bodies: Sequence[ContactBody]) -> None:
        """Put all bodies in few arrays on the device; groups without elements fill the last patch of a body."""
        from motiform.geometry.maps.touch_kernels import GROUPS

        put = self.device.array
        wide = _GROUP * GROUPS
        counts = np.array([len(body.elements) for body in bodies])
        self._patches = np.concatenate([[0], np.cumsum(-(-counts // wide))])
        offset = np.concatenate([[0], np.cumsum(counts)])
        starts = [
            np.minimum(np.arange(0, (last - first) * wide, _GROUP), n) + o
            for first, last, n, o in zip(self._patches[:-1], self._patches[1:], counts, offset[:-1], strict=True)
        ]
        edges = np.concatenate([*starts, offset[-1:]])
        elements = np.concatenate([body.elements for body in bodies])
        groups = _around(elements[:, :3], edges)
        patches = _around_balls(groups.reshape(-1, GROUPS, 4))
        maps = [np.asarray(body.map.coefficients, np.float32).ravel() for body in bodies]
        firsts = np.cumsum([0] + [len(m) for m in maps])[:-1]
        corners = np.array([[*body.map.origin, body.map.spacing] for body in bodies])
        sizes = np.array([body.map.coefficients.shape for body in bodies], np.int64)
        self.element_count = len(elements)
        self._bodies = [put(one) for one in (patches, groups, edges, elements)]
        self._maps = [put(one) for one in (np.concatenate(maps), sizes, corners, firsts)]

    def press(self, poses: Any) -> Pressed:
        """Return the contact of all pairs with bodies at poses T_world_body, (bodies, 4, 4)."""
        from motiform.geometry.maps.touch_kernels import SUMS, press_patch

        T, count = as_floats(poses, 4, 4, where="poses"), len(self._boxes)
        if T.shape != (count, 4, 4):
            raise InputError("each body must have a pose", where="poses", got=T.shape, allowed=f"({count}, 4, 4)")
        R, t = T[:, :3, :3], T[:, :3, 3]
        near = self._near(R, t)
        sums = np.zeros((len(self._directed), SUMS))
        if len(near):
            items, starts = self._items(near)
            out = self.device.empty((int(starts[-1]), SUMS))
            self.device.launch(
                press_patch, int(starts[-1]), items, self.device.array(self._relative(near, R, t)), *self._bodies,
                *self._maps, self._margin, self._stiffness, out, least=32,
            )  # fmt: skip
            found = self.device.host(out)
            sums[near, :8] = np.add.reduceat(found[:, :8], starts[:-1], axis=0)
            sums[near, 8] = np.maximum.reduceat(found[:, 8], starts[:-1])
        return self._both(sums, R, t)

    def _near(self, R: Array, t: Array) -> Any:
        """Return which directed pairs have boxes, along the world's axes, that come within both layers."""
        middle, half = self._boxes.mean(axis=1), 0.5 * np.ptp(self._boxes, axis=1)
        center = np.einsum("nij,nj->ni", R, middle) + t
        reach = np.einsum("nij,nj->ni", np.abs(R), half)
        a, b = self.pairs.T
        near = (np.abs(center[a] - center[b]) <= reach[a] + reach[b] + self._margin).all(axis=1)
        return np.flatnonzero(np.concatenate([near, near]))

    def _items(self, near: Any) -> tuple[Any, Any]:
        """Return the patches to look at on the device, (pair, patch, map), and where those of each pair begin."""
        key = near.tobytes()
        if key != self._known[0]:
            a, b = self._directed[near].T
            counts = np.diff(self._patches)[a]
            starts = np.concatenate([[0], np.cumsum(counts)])
            pair = np.repeat(np.arange(len(a)), counts)
            patch = np.arange(starts[-1]) - np.repeat(starts[:-1] - self._patches[a], counts)
            items = np.column_stack([pair, patch, b[pair]]).astype(np.int64)
            self._known = (key, self.device.array(items), starts)
        return self._known[1:]

    def _relative(self, near: Any, R: Array, t: Array) -> Array:
        """Return the poses of the first of each directed pair in the second's axes: rotation by rows, translation."""
        a, b = self._directed[near].T
        relative = np.empty((len(near), 12))
        # sums as written: a product of many small matrices wakes the threads of a library for nothing
        relative[:, :9] = np.einsum("nji,njk->nik", R[b], R[a]).reshape(-1, 9)
        relative[:, 9:] = np.einsum("nji,nj->ni", R[b], t[a] - t[b])
        return relative

    def _both(self, sums: Array, R: Array, t: Array) -> Pressed:
        """Return the mean of both ways, in world axes: either way is on the first body in the second's axes."""
        count = len(self.pairs)
        force, moment = np.zeros((count, 3)), np.zeros((count, 3))
        for way, sign in ((slice(None, count), 0.5), (slice(count, None), -0.5)):
            frame = self._directed[way][:, 1]
            f = np.einsum("nij,nj->ni", R[frame], sums[way, :3])
            force += sign * f
            moment += sign * (np.einsum("nij,nj->ni", R[frame], sums[way, 3:6]) + _cross(t[frame], f))
        one, two = sums[:count], sums[count:]
        depth = np.maximum(one[:, 8], two[:, 8])
        return Pressed(self.pairs, force, moment, 0.5 * (one[:, 6] + two[:, 6]), depth, 0.5 * (one[:, 7] + two[:, 7]))


def _cross(a: Array, b: Array) -> Array:
    """Return a × b of rows: numpy's own takes several times as long for few."""
    (x, y, z), (u, v, w) = a.T, b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def _around(points: Array, edges: Any) -> Array:
    """Return balls (centre, radius) around runs of points; of an empty run one that touches nothing."""
    counts = np.diff(edges)
    full = counts > 0
    balls = np.zeros((len(counts), 4))
    balls[:, 3] = -np.inf
    low = np.minimum.reduceat(points, edges[:-1][full], axis=0)
    high = np.maximum.reduceat(points, edges[:-1][full], axis=0)
    balls[full, :3] = 0.5 * (low + high)
    owner = np.repeat(np.arange(len(counts)), counts)
    far = np.linalg.norm(points - balls[owner, :3], axis=1)
    np.maximum.at(balls[:, 3], owner, far)
    return balls


def _around_balls(balls: Array) -> Array:
    """Return balls around the balls of each row, (n, 4) of (n, m, 4)."""
    full = np.isfinite(balls[..., 3:])
    low = np.where(full, balls[..., :3] - balls[..., 3:], np.inf).min(axis=1)
    high = np.where(full, balls[..., :3] + balls[..., 3:], -np.inf).max(axis=1)
    center = 0.5 * (low + high)
    far = np.linalg.norm(balls[..., :3] - center[:, None], axis=-1) + balls[..., 3]
    return np.column_stack([center, far.max(axis=1)])


def _box(body: ContactBody) -> Array:
    return np.stack([body.elements[:, :3].min(axis=0), body.elements[:, :3].max(axis=0)])


def _check_margin(body: ContactBody, margin: float, where: str) -> None:
    """Refuse a map that ends where contact may still be: it would vanish silently."""
    box, own = _box(body), body.map.bounds
    least = float(min((box[0] - own[0]).min(), (own[1] - box[1]).min()))
    if least < margin:
        raise ShapeError(
            "a signed map must reach beyond its body by both layers", where=where,
            got=Words(f"{1e3 * least:.2g} mm"), allowed=f"{1e3 * margin:.2g} mm and more",
        )  # fmt: skip
