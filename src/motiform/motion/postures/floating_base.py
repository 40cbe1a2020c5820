"""A root with six freedoms as shifts, heading, list and tilt: what is found does not depend on the room.

Three angles of a root have a singular posture: those of Human36 (z, y, x) where the body faces along ±z. With the
heading, the turn about the vertical, as the first of them it is where somebody lies on the side [Baker01]. Postures are
fitted, low-passed and differentiated so, and told in the coordinates of the figure.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motiform.motion.postures.fit.unwind import Turns, nearest_path
from motiform.motion.tree import Figure
from motiform.motion.tree.joints.axes import AxesJoint, Axis
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import velocity_names
from motiform.spatial import Transform, euler_from_rotation, exp_rotation
from motiform.spatial.axes import across_axes

__all__ = ["FloatingBase", "about_vertical", "heading_apart"]

_NAMES = ("shift_1", "shift_2", "shift_3", "heading", "list", "tilt")
_SINGULAR = 1e-9  # of the largest singular value: a rate that posture does not have
_LEAST = 1e-3  # cosine of the second angle, below which the standard deviation of the others counts as infinite


@dataclass(frozen=True)
class FloatingBase:
    """A figure, and the same with another root: its coordinates have the same places in q and v."""

    given: Figure
    figure: Figure
    """With shifts, heading, list and tilt."""

    @classmethod
    def of(cls, figure: Figure) -> "FloatingBase | None":
        """Return the base of a figure whose root has three shifts and then three turns about orthogonal axes."""
        if len(figure.roots) != 1:
            return None
        root = figure.segments[figure.roots[0]]
        joint, names = root.joint, velocity_names(root)
        followed = {name for one in figure.couplings for name in (one.dependent, one.leading)}
        if not isinstance(joint, AxesJoint) or not _floats(joint) or followed & set(names):
            return None
        if np.any(root.armature) or np.any(root.damping):
            return None
        up = root.placement.rotation.T @ figure.up
        ahead = across_axes(up)[0] if abs(up[0]) > 0.5 else np.array([1.0, 0.0, 0.0])
        ahead = ahead - (ahead @ up) * up
        ahead /= np.linalg.norm(ahead)
        side = np.cross(ahead, up)
        turns = [Axis("revolute", (float(a[0]), float(a[1]), float(a[2]))) for a in (up, ahead, side)]
        own = [f"{root.name}.{name}" for name in _NAMES]
        other = AxesJoint([*joint.axes[:3], *turns], own)
        new = dict(zip(names, own, strict=True))
        order = figure.order and tuple(new.get(name, name) for name in figure.order)
        segments = tuple(replace(s, joint=other) if s is root else s for s in figure.segments)
        return cls(figure, _plain(figure, segments, order))

    @property
    def _root(self) -> int:
        return self.given.roots[0]

    @cached_property
    def q(self) -> Array:
        """Places in q of shifts and turns, (6,)."""
        return self.given.free_places(self._root)[0]

    @cached_property
    def v(self) -> Array:
        """Places in v, (6,)."""
        return self.given.free_places(self._root)[1]

    @property
    def _placement(self) -> Transform:
        return self.given.segments[self._root].placement

    @property
    def _slides(self) -> Array:
        """Directions of the shifts in the columns, (3, 3)."""
        return np.array([axis.direction for axis in _axes(self.given)[:3]]).T

    # ---------------------------------------------------------------- postures
    def enter(self, q: Array) -> Array:
        """Return configurations of the given figure as those of `figure`, (..., nq)."""
        return self._converted(q, self.given, self.figure)

    def leave(self, q: Array, near: Array) -> Array:
        """Return configurations of `figure` as those of the given one whose angles are nearest to others."""
        out = self._converted(q, self.figure, self.given)
        at, first = self.q[3:], near[..., self.q[3:]]
        ways = [first + _wrapped(way - first) for way in (out[..., at], self._turns(first).other(out[..., at]))]
        away = [((way - first) ** 2).sum(-1, keepdims=True) for way in ways]
        out[..., at] = np.where(away[1] < away[0], ways[1], ways[0])
        return out

    def leave_path(self, q: Array, std: Array, prior: Array) -> Array:
        """Return configurations (samples, nq) as those of the given figure, continuous, nearest to its `prior` (nq,).

        `std` (samples, 3): standard deviation of turns about the axes of the root [rad].
        """
        out = self._converted(q, self.figure, self.given)
        at = self.q[3:]
        cosine = np.abs(np.cos(out[:, at[1], None]))
        out[:, at] = nearest_path(self._turns(prior[at]), out[:, at], std / np.maximum(cosine, _LEAST))
        return out

    def _turns(self, prior: Array) -> Turns:
        bounds = np.full(3, np.inf)
        return Turns(np.arange(3), 0.5 * np.pi, -bounds, bounds, prior)

    def _converted(self, q: Array, source: Figure, target: Figure) -> Array:
        out = np.array(q, float)
        axes = _axes(target)[3:]
        n1, n2, n3 = (np.array(axis.direction) for axis in axes)
        E = np.stack([n1, n2, np.cross(n1, n2)], axis=1)
        R = source.segments[self._root].joint.transform(out[..., self.q]).rotation
        angles = euler_from_rotation(E.T @ R @ E, "xyz")
        angles[..., 2] *= np.sign(n3 @ E[:, 2])
        out[..., self.q[3:]] = angles
        return out

    def turned(self, q: Array, angle: float | Array) -> Array:
        """Return configurations of `figure` after a turn [rad] about the vertical through the world's origin.

        One angle, or one for each configuration.
        """
        out = np.array(q, float)
        A, P, axes = self._slides, self._placement, _axes(self.figure)
        start = A @ np.array([axis.offset for axis in axes[:3]])
        place = P.translation + (out[..., self.q[:3]] @ A.T + start) @ P.rotation.T
        place = _times(about_vertical(self.given, angle), place)
        out[..., self.q[:3]] = ((place - P.translation) @ P.rotation - start) @ np.linalg.inv(A).T
        out[..., self.q[3]] += angle
        return out

    def turned_given(self, q: Array, angle: float | Array) -> Array:
        """Return configurations of the given figure after such a turn, as near to its neutral one as they can be."""
        turned = self.turned(self.enter(q), angle)
        return self.leave(turned, np.broadcast_to(self.given.neutral(), turned.shape))

    # ---------------------------------------------------------------- rates, forces, certainty
    def _subspaces(self, q: Array, given: Array) -> tuple[Array, Array]:
        """Return what twists rates of the root make, of `figure` and of the given one, (..., 6, 6)."""
        pairs = ((self.figure, q), (self.given, given))
        mine, own = (f.segments[self._root].joint.subspace(x[..., self.q]) for f, x in pairs)
        return mine, own

    def leave_rates(self, q: Array, v: Array, a: Array, given: Array) -> tuple[Array, Array]:
        """Return velocities and their rates of `figure` at q as those of the given one at `given`, (..., nv).

        In its singular posture what no rate can tell is left out.
        """
        mine, own = self._subspaces(q, given)
        inverse = np.linalg.pinv(own, rcond=_SINGULAR)
        v_out, a_out = np.array(v, float), np.array(a, float)
        v_out[..., self.v] = _times(inverse, _times(mine, v[..., self.v]))
        rates = [
            f.segments[self._root].joint.subspace_rate(x[..., self.q], w[..., self.v])
            for f, x, w in ((self.figure, q, v), (self.given, given, v_out))
        ]
        twist = _times(mine, a[..., self.v]) + _times(rates[0], v[..., self.v]) - _times(rates[1], v_out[..., self.v])
        a_out[..., self.v] = _times(inverse, twist)
        return v_out, a_out

    def leave_efforts(self, q: Array, effort: Array, given: Array) -> Array:
        """Return generalised forces of `figure` at q as those of the given one at `given`, (..., nv)."""
        mine, own = self._subspaces(q, given)
        out = np.array(effort, float)
        wrench = _times(np.linalg.pinv(np.swapaxes(mine, -1, -2), rcond=_SINGULAR), out[..., self.v])
        out[..., self.v] = _times(np.swapaxes(own, -1, -2), wrench)
        return out

    def leave_covariance(self, q: Array, covariance: Array, angle: float) -> Array:
        """Return variances of the root, (samples, 6), from its covariance (samples, 6, 6) in the rates of `figure`.

        Of shifts along their own directions after a turn by `angle` [rad] about the vertical; of turns about the axes
        of the root that the angles of the given figure turn about, as it stands: they have no singular posture.
        """
        M = np.zeros((len(q), 6, 6))
        A, P = self._slides, self._placement.rotation
        M[:, :3, :3] = np.linalg.inv(A) @ P.T @ about_vertical(self.given, angle) @ P @ A
        directions = np.array([axis.direction for axis in _axes(self.given)[3:]])
        joint = self.figure.segments[self._root].joint
        M[:, 3:, 3:] = directions @ joint.subspace(q[:, self.q])[:, :3, 3:]
        return np.asarray(np.einsum("nij,njk,nik->ni", M, covariance, M))


def about_vertical(figure: Figure, angle: float | Array) -> Array:
    """Return the rotation about the vertical, or one for each angle [rad]."""
    return np.asarray(exp_rotation(np.asarray(angle, float)[..., None] * figure.up))


def heading_apart(figure: Figure, q: Array, points: Array) -> float:
    """Return the turn about the vertical [rad] from the tags of a posture (nq,) to points (tags, 3), nan where unseen.

    The one that brings them nearest; zero where fewer than two are seen.
    """
    from motiform.motion.tree import tags

    seen = np.isfinite(points).all(-1)
    if seen.sum() < 2:
        return 0.0
    first, second = across_axes(figure.up)
    own, there = (x[seen] - x[seen].mean(0) for x in (tags(figure, q), points))
    a, b = (np.stack([x @ first, x @ second]) for x in (own, there))
    return float(np.arctan2((a[0] * b[1] - a[1] * b[0]).sum(), (a * b).sum()))


def _plain(figure: Figure, segments: tuple, order: tuple[str, ...] | None) -> Figure:
    """Return the figure with other segments: a plain one, whatever it was made by."""
    return Figure(
        segments, figure.tags, figure.surfaces, figure.couplings, figure.closures, figure.gravity, figure.name, order,
        figure.notes, figure.vertical,
    )  # fmt: skip


def _axes(figure: Figure) -> tuple[Axis, ...]:
    joint = figure.segments[figure.roots[0]].joint
    assert isinstance(joint, AxesJoint)
    return joint.axes


def _floats(joint: AxesJoint) -> bool:
    """Whether a joint is three shifts and then three turns, about axes at right angles through one point."""
    kinds = [axis.kind for axis in joint.axes]
    if kinds != 3 * ["prismatic"] + 3 * ["revolute"] or any(a.pitch or any(a.point) for a in joint.axes[3:]):
        return False
    directions = np.array([axis.direction for axis in joint.axes])
    offsets = [axis.offset for axis in joint.axes[3:]]
    right = np.abs(directions[3:] @ directions[3:].T - np.eye(3)).max() < 1e-12 and not any(offsets)
    return bool(right and abs(np.linalg.det(directions[:3])) > 1e-3)


def _wrapped(angle: Array) -> Array:
    return np.asarray(angle - 2.0 * np.pi * np.rint(angle / (2.0 * np.pi)))


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[..., None])[..., 0])
