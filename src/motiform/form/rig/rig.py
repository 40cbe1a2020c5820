"""A surface that follows the segments of a figure: its rest shape, and by how much each segment moves each vertex."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial import multiply_quaternions, rotate
from motiform.spatial.checks import Array, check_indices, check_shape

__all__ = ["Posed", "Rig"]

_MOST = 4  # segments that move a vertex, as in files of other programs
_SUM = 1e-3  # of weights from 1: files keep them in 8 bits


@dataclass(frozen=True, eq=False)
class Rig:
    """A mesh bound to segments, by their frames at rest.

    >>> rest = {"arm": ((0, 0, 0), (1, 0, 0, 0))}
    >>> Rig.bind([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], rest, {"arm": [1, 1, 1]}).segments
    ('arm',)
    """

    vertices: Array
    """At rest, in the world [m], (points, 3)."""
    faces: Any
    """Vertices of each triangle, counter-clockwise seen from outside, (triangles, 3)."""
    segments: tuple[str, ...]
    position: Array
    """Origins of the segments at rest [m], (segments, 3)."""
    orientation: Array
    """Axes of the segments at rest as quaternions (w, x, y, z), (segments, 4)."""
    joint: Any
    """Segments that move each vertex, the heaviest first, (points, 4)."""
    weight: Array
    """Their weights, of sum 1, (points, 4)."""
    color: Array
    """Red, green, blue from 0 to 1, (3,) or (triangles, 3)."""

    def __post_init__(self) -> None:
        points, segments = len(self.vertices), len(self.segments)
        shapes = {
            "vertices": (points, 3),
            "faces": (len(self.faces), 3),
            "position": (segments, 3),
            "orientation": (segments, 4),
            "joint": (points, _MOST),
            "weight": (points, _MOST),
        }
        for key, shape in shapes.items():
            check_shape(getattr(self, key), shape, key, "Rig")
        check_indices(self.faces, points, "faces", "Rig")
        check_indices(self.joint, segments, "joint", "Rig")

    @classmethod
    def bind(cls, vertices: Any, faces: Any, rest: Any, weights: Any, *, color: Any = (0.8, 0.6, 0.48)) -> "Rig":
        """Return a rig of a mesh of one's own.

        Parameters
        ----------
        vertices, faces : the mesh at rest, (points, 3) [m] and (triangles, 3).
        rest : {segment: (origin [m], quaternion (w, x, y, z))}, frames in the world at which the mesh is as given.
        weights : {segment: one weight for each vertex, (points,)}; of a vertex the four largest count.
        """
        places, corners = np.asarray(vertices, float), np.asarray(faces)
        if places.ndim != 2 or places.shape[1] != 3 or not len(places) or not np.isfinite(places).all():
            raise InputError("vertices must be finite, of shape (n, 3)", where="Rig", got=f"shape {places.shape}")
        if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu" or not len(corners):
            raise InputError("faces must be whole numbers of shape (n, 3)", where="Rig", got=f"shape {corners.shape}")
        missing = [name for name in weights if name not in rest]
        if missing:
            raise InputError(
                "a segment must have a frame at rest", where="Rig", got=missing[0], allowed=", ".join(rest)
            )
        names = tuple(weights)
        table = np.stack([np.asarray(weights[name], float) for name in names], axis=1)
        frames = [(np.asarray(rest[name][0], float), np.asarray(rest[name][1], float)) for name in names]
        joint, weight = heaviest(table, len(places))
        at, turn = (np.stack([frame[k] for frame in frames]) for k in (0, 1))
        turn = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        return cls(places, corners.astype(np.int64), names, at, turn, joint, weight, np.asarray(color, float))

    @cached_property
    def outline(self) -> "Rig":
        """The few vertices that reach farthest, of those that each segment moves most: bounds are found by them."""
        grid = np.array([d for d in product((-2, -1, 0, 1, 2), repeat=3) if max(map(abs, d)) == 2], float)
        directions = grid / np.linalg.norm(grid, axis=1, keepdims=True)
        found = []
        for n in range(len(self.segments)):
            own = np.flatnonzero(self.joint[:, 0] == n)
            if len(own):
                found.append(own[np.unique((self.vertices[own] @ directions.T).argmax(axis=0))])
        kept = np.concatenate(found)
        points, joint, weight = (np.ascontiguousarray(x[kept]) for x in (self.vertices, self.joint, self.weight))
        return replace(self, vertices=points, faces=np.empty((0, 3), np.int64), joint=joint, weight=weight)


def heaviest(table: Array, points: int) -> tuple[Any, Array]:
    """Return the four heaviest columns of each row and their weights, of sum 1; rows have to sum to 1."""
    if table.ndim != 2 or len(table) != points or not np.isfinite(table).all() or (table < 0).any():
        got, allowed = f"shape {table.shape}", f"{points} finite numbers of 0 or more for each segment"
        raise InputError("a segment must have a weight for each vertex", where="Rig", got=got, allowed=allowed)
    off = np.abs(table.sum(axis=1) - 1.0)
    if (off > _SUM).any():
        got = f"{table[off.argmax()].sum():g} at vertex {off.argmax()}"
        raise InputError("the weights of a vertex must sum to 1", where="Rig", got=got)
    joint = np.argsort(-table, axis=1, kind="stable")[:, :_MOST]
    weight = np.take_along_axis(table, joint, axis=1)
    missing = ((0, 0), (0, _MOST - joint.shape[1]))
    joint, weight = np.pad(joint, missing).astype(np.int32), np.pad(weight, missing)
    return joint, weight / weight.sum(axis=1, keepdims=True)


class Posed:
    """The vertices of a rig over time [m], (samples, points, 3), computed for the samples that are asked for."""

    ndim, dtype = 3, np.dtype(float)

    def __init__(self, rig: Rig, position: Array, orientation: Array) -> None:
        """Take the poses of the rig's segments, (samples, segments, 3) [m] and (samples, segments, 4)."""
        count = len(rig.segments)
        for name, value, width in (("position", position, 3), ("orientation", orientation, 4)):
            shape = tuple(getattr(value, "shape", ()))
            if len(shape) != 3 or shape != (len(position), count, width):
                allowed = f"(samples, {count}, {width})"
                raise InputError(
                    "poses must be of the rig's segments", where=f"Posed, {name}", got=shape, allowed=allowed
                )
        self.rig, self.position, self.orientation = rig, position, orientation

    @property
    def shape(self) -> tuple[int, int, int]:
        """Samples, points, 3."""
        return len(self.position), len(self.rig.vertices), 3

    def __len__(self) -> int:
        return len(self.position)

    def __getitem__(self, key: Any) -> Array:
        first, *others = key if isinstance(key, tuple) else (key,)
        samples = np.arange(len(self))[first]
        found = self._at(np.ravel(samples)).reshape(*samples.shape, *self.shape[1:])
        return found[(*[slice(None)] * samples.ndim, *others)] if others else found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)

    def turned(self, rotation: Array) -> "Posed":
        """Return the vertices in axes to which a rotation (3, 3) leads from the present ones."""
        from motiform.form.upright import turn_orientations, turn_points

        return Posed(self.rig, turn_points(self.position, rotation), turn_orientations(self.orientation, rotation))

    def outline(self) -> "Posed":
        """Return the vertices that bounds are found by."""
        return Posed(self.rig.outline, self.position, self.orientation)

    def _at(self, samples: Any) -> Array:
        from motiform.base.kernels import get_device
        from motiform.form.rig.pose_kernels import pose_vertices

        rig, device = self.rig, get_device("cpu")
        motions = dual_motions(rig, np.asarray(self.position[samples], float), np.asarray(self.orientation[samples]))
        out = np.empty((len(samples), *self.shape[1:]))
        count = self.shape[1]
        device.launch(pose_vertices, out.size // 3, count, rig.vertices, rig.joint, rig.weight, motions, out)
        return out


def dual_motions(rig: Rig, position: Array, orientation: Array) -> Array:
    """Return the motion of each segment from rest as a dual quaternion, (samples, segments, 8)  [Kavan08]."""
    back = rig.orientation * (1.0, -1.0, -1.0, -1.0)
    size = np.linalg.norm(orientation, axis=-1, keepdims=True)
    real = multiply_quaternions(orientation / np.where(size > 0.0, size, np.nan), back)
    known = np.isfinite(real).all(axis=-1, keepdims=True)
    shift = position - rotate(np.where(known, real, (1.0, 0.0, 0.0, 0.0)), rig.position)
    still = np.concatenate([np.zeros_like(shift[..., :1]), shift], axis=-1)
    return np.ascontiguousarray(np.concatenate([real, 0.5 * _product(still, real)], axis=-1))


def _product(a: Array, b: Array) -> Array:
    """Return the products of quaternions of any length, (..., 4)."""
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)
