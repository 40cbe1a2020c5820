"""A root with six freedoms as shifts, heading, list and tilt: what is found does not depend on the room.

Three angles of a root have a singular posture: those of Human36 (z, y, x) where the body faces along ±z. With the
heading, the turn about the vertical, as the first of them it is where somebody lies on the side [Baker01]. Postures are
fitted, low-passed and differentiated so, and told in the coordinates of the figure.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from motiform.motion.postures.fit.unwind import Turns, nearest_path, wrapped
from motiform.motion.tree import Figure
from motiform.motion.tree.joints.axes import AxesJoint, Axis
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import velocity_names
from motiform.spatial import Transform, euler_from_rotation, exp_rotation, rotation_from_euler
from motiform.spatial.axes import across_axes

__all__ = ["FloatingBase", "about_vertical", "heading_apart"]

_NAMES = ("shift_1", "shift_2", "shift_3", "heading", "list", "tilt")
_SINGULAR = 1e-9  # cosine of the second angle, below which the posture has no rate of the first
_LEAST = 1e-3  # cosine of the second angle, below which the standard deviation of the others counts as infinite


@dataclass(frozen=True)
class FloatingBase:
    """A figure, and the same with another root: its coordinates have the same places in q and v."""

    given: Figure
    figure: Figure
    """With shifts, heading, list and tilt."""

    @staticmethod
    def of(figure: Figure) -> "FloatingBase | None":
        """Return the base of a figure whose root has three shifts and then three turns about orthogonal axes."""
        return _made(figure)

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
        ways = [first + wrapped(way - first) for way in (out[..., at], self._turns(first).other(out[..., at]))]
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
        one, other = _basis(source), _basis(target)
        turn = other.E.T @ one.E
        R = turn @ rotation_from_euler(out[..., self.q[3:]] * one.signs, "xyz") @ turn.T
        out[..., self.q[3:]] = euler_from_rotation(R, "xyz") * other.signs
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
    def leave_rates(self, q: Array, v: Array, a: Array, given: Array) -> tuple[Array, Array]:
        """Return velocities and their rates of `figure` at q as those of the given one at `given`, (..., nv).

        In its singular posture what no rate can tell is left out. The shifts are the same.
        """
        at_q, at_v = self.q[3:], self.v[3:]
        own, other = _basis(self.figure), _basis(self.given)
        v_out, a_out = np.array(v, float), np.array(a, float)
        angles, first, second = q[..., at_q], v[..., at_v], a[..., at_v]
        spin = own.turning(angles, first)
        v_out[..., at_v] = rates = other.rates(given[..., at_q], spin)
        change = own.turning(angles, second) + own.turning_bias(angles, first)
        a_out[..., at_v] = other.rates(given[..., at_q], change - other.turning_bias(given[..., at_q], rates))
        return v_out, a_out

    def leave_efforts(self, q: Array, effort: Array, given: Array) -> Array:
        """Return generalised forces of `figure` at q as those of the given one at `given`, (..., nv)."""
        at_q, at_v = self.q[3:], self.v[3:]
        out = np.array(effort, float)
        moment = _basis(self.figure).moment(q[..., at_q], effort[..., at_v])
        matrix = _basis(self.given).matrix(given[..., at_q])
        out[..., at_v] = (np.swapaxes(matrix, -1, -2) @ moment[..., None])[..., 0]
        return out

    def leave_covariance(self, q: Array, covariance: Array, angle: float) -> Array:
        """Return variances of the root, (samples, 6), from its covariance (samples, 6, 6) in the rates of `figure`.

        Of shifts along their own directions after a turn by `angle` [rad] about the vertical; of turns about the axes
        of the root that the angles of the given figure turn about, as it stands: they have no singular posture.
        """
        A, P = self._slides, self._placement.rotation
        shifts = np.linalg.inv(A) @ P.T @ about_vertical(self.given, angle) @ P @ A
        directions = np.array([axis.direction for axis in _axes(self.given)[3:]])
        turns = directions @ _basis(self.figure).matrix(q[:, self.q[3:]])
        out = np.empty((len(q), 6))
        for part, M in ((slice(0, 3), shifts), (slice(3, 6), turns)):
            out[:, part] = ((M @ covariance[:, part, part]) * M).sum(-1)
        return out


@dataclass(frozen=True)
class _Basis:
    """Three turns about orthogonal axes: E has the first two and their product in its columns.

    R = E Rx(α) Ry(β) Rz(γ) Eᵀ, the angles with their signs; the angular velocity is told in the axes of the root.
    """

    E: Array
    signs: Array

    def turning(self, angles: Array, rates: Array) -> Array:
        """Return the angular velocity [rad/s], (..., 3)."""
        return np.asarray((self.matrix(angles) @ rates[..., None])[..., 0])

    def matrix(self, angles: Array) -> Array:
        """Return the matrix from rates to angular velocity, (..., 3, 3)."""
        _, b, c = np.moveaxis(angles * self.signs, -1, 0)
        W = np.zeros((*b.shape, 3, 3))
        W[..., 0, 0], W[..., 1, 0], W[..., 2, 0] = np.cos(b) * np.cos(c), -np.cos(b) * np.sin(c), np.sin(b)
        W[..., 0, 1], W[..., 1, 1], W[..., 2, 2] = np.sin(c), np.cos(c), 1.0
        return np.asarray(self.E @ (W * self.signs))

    def turning_bias(self, angles: Array, rates: Array) -> Array:
        """Return what the rates alone change of the angular velocity [rad/s²], (..., 3)."""
        _, b, c = np.moveaxis(angles * self.signs, -1, 0)
        da, db, dc = np.moveaxis(rates * self.signs, -1, 0)
        x = -da * (np.sin(b) * np.cos(c) * db + np.cos(b) * np.sin(c) * dc) + db * np.cos(c) * dc
        y = da * (np.sin(b) * np.sin(c) * db - np.cos(b) * np.cos(c) * dc) - db * np.sin(c) * dc
        return np.asarray(np.stack([x, y, da * np.cos(b) * db], axis=-1) @ self.E.T)

    def rates(self, angles: Array, turning: Array) -> Array:
        """Return the rates of the angles of an angular velocity, (..., 3); of a singular posture the first is zero."""
        _, b, c = np.moveaxis(angles * self.signs, -1, 0)
        x, y, z = np.moveaxis(turning @ self.E, -1, 0)
        free = np.abs(np.cos(b)) > _SINGULAR
        da = np.where(free, (np.cos(c) * x - np.sin(c) * y) / np.where(free, np.cos(b), 1.0), 0.0)
        db, dc = np.sin(c) * x + np.cos(c) * y, z - np.sin(b) * da
        return np.asarray(np.stack([da, db, dc], axis=-1) * self.signs)

    def moment(self, angles: Array, efforts: Array) -> Array:
        """Return the moment whose work the efforts of the angles do [N·m], (..., 3), in the axes of the root."""
        return np.asarray(np.linalg.solve(np.swapaxes(self.matrix(angles), -1, -2), efforts[..., None])[..., 0])


def _basis(figure: Figure) -> _Basis:
    n1, n2, n3 = (np.array(axis.direction) for axis in _axes(figure)[3:])
    E = np.stack([n1, n2, np.cross(n1, n2)], axis=1)
    return _Basis(E, np.array([1.0, 1.0, np.sign(n3 @ E[:, 2])]))


@lru_cache(maxsize=8)
def _made(figure: Figure) -> "FloatingBase | None":
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
    return FloatingBase(figure, _plain(figure, segments, order))


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


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[..., None])[..., 0])
