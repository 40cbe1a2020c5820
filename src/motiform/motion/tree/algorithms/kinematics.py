"""Kinematics: poses, velocities, tags, centres of mass, Jacobians."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.sums import sum_over
from motiform.motion.tree.algorithms.batch import as_states, not_a_figure, run_states
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = [
    "Motion", "Poses", "centers_of_mass", "forward_kinematics", "jacobian", "joint_axes", "motion", "tag_accelerations",
    "tag_jacobians", "tag_positions", "tag_velocities", "tags",
]  # fmt: skip


class Poses(NamedTuple):
    """Frames of all segments in the world."""

    rotation: Array
    """(..., segments, 3, 3)"""
    position: Array
    """[m], (..., segments, 3)"""


class Motion(NamedTuple):
    """How all segments move, in world axes, at their own origins."""

    poses: Poses
    twists: Array
    """Angular [rad/s] and linear velocity [m/s], (..., segments, 6)."""
    accelerations: Array
    """Angular [rad/s²] and linear acceleration [m/s²], (..., segments, 6), without gravity."""


def forward_kinematics(figure: Figure, q: ArrayLike, *, device: str = "cpu") -> Poses:
    """Return the frames of all segments in the world."""
    try:
        batch, (states,) = as_states(figure, [("q", q, figure.nq)])
    except AttributeError:
        raise not_a_figure(figure) from None
    if figure.coupled is not None:
        states = figure.coupled.expand(states)
    out = run_states(figure, tree_columns.POSES, 12 * len(figure.segments), [states], device=device)
    return as_poses(figure, batch, out)


def as_poses(figure: Figure, batch: tuple[int, ...], out: Array) -> Poses:
    out = out.reshape(*batch, len(figure.segments), 12)
    return Poses(out[..., :9].reshape(*out.shape[:-1], 3, 3), out[..., 9:])


def motion(figure: Figure, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None, *, device: str = "cpu") -> Motion:
    """Return poses, velocities and accelerations of all segments; without `a`, those that velocities alone make."""
    try:
        single = figure.single if device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty(24 * len(figure.segments))
        try:
            done = entries.motion(single.ints, single.floats, single.work, q, v, single.zeros if a is None else a, out)
            if done == 0:
                return _as_motion(figure, (), out)
        except (TypeError, ValueError):
            pass  # as for `joint_axes`
    given = np.zeros(figure.nv) if a is None else a
    try:
        batch, (qs, vs, as_) = as_states(figure, [("q", q, figure.nq), ("v", v, figure.nv), ("a", given, figure.nv)])
    except AttributeError:
        raise not_a_figure(figure) from None
    if figure.coupled is not None:
        qs, vs, as_ = figure.coupled.expand_motion(qs, vs, as_)
    return _as_motion(
        figure, batch, run_states(figure, tree_columns.MOTION, 24 * len(figure.segments), [qs, vs, as_], device=device)
    )


def _as_motion(figure: Figure, batch: tuple[int, ...], out: Array) -> Motion:
    n = len(figure.segments)
    twists, accelerations = (out[..., k : k + 6 * n].reshape(*batch, n, 6) for k in (12 * n, 18 * n))
    return Motion(as_poses(figure, batch, out[..., : 12 * n]), twists, accelerations)


def joint_axes(figure: Figure, q: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the twist of each velocity in world axes about the world's origin, (..., nv, 6).

    It is the Jacobian of the whole tree: the twist of a segment is the sum over the velocities between it and the
    world, v_k times row k.
    """
    try:
        single = figure.single if device == "cpu" else None
    except AttributeError:
        raise not_a_figure(figure) from None
    if single is not None and type(q) is np.ndarray and q.ndim == 1:
        out = np.empty((figure.nv, 6))
        try:
            if entries.axes(single.ints, single.floats, single.work, q, out) == 0:
                return out
        except (TypeError, ValueError):
            pass  # not one state as the compiled function takes it: the general path, which also reports what is wrong
    return _joint_axes(figure, q, device)


def _joint_axes(figure: Figure, q: ArrayLike, device: str) -> Array:
    try:
        batch, (states,) = as_states(figure, [("q", q, figure.nq)])
    except AttributeError:
        raise not_a_figure(figure) from None
    coupled = figure.coupled
    full = states if coupled is None else coupled.expand(states)
    out = run_states(figure, tree_columns.TWISTS, 6 * figure.layout.nv, [full], device=device)
    axes = out.reshape(len(full), figure.layout.nv, 6)
    if coupled is not None:
        axes = np.swapaxes(coupled.matrix(states), -1, -2) @ axes
    return axes.reshape(*batch, figure.nv, 6)


def tag_positions(figure: Figure, q: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the tags in the world [m], (..., tags, 3). `tags` is its short name."""
    R, p = forward_kinematics(figure, q, device=device)
    at, points = figure.packed.tags, figure.packed.tag_points
    return (R[..., at, :, :] @ points[:, :, None])[..., 0] + p[..., at, :]


tags = tag_positions


def centers_of_mass(figure: Figure, q: ArrayLike, *, device: str = "cpu") -> Array:
    """Return the centres of mass of all segments and, last, of the whole figure [m], (..., segments + 1, 3).

    A segment without mass is at its origin shifted by its `com`; a figure without mass has no centre.
    """
    R, p = forward_kinematics(figure, q, device=device)
    com = np.array([segment.com for segment in figure.segments])
    mass = np.array([segment.mass for segment in figure.segments])
    if not mass.sum() > 0:
        raise InputError("a figure without mass has no centre of mass", where=f"figure {figure.name!r}")
    own = (R @ com[:, :, None])[..., 0] + p
    whole = sum_over(own * mass[:, None], -2) / mass.sum()
    return np.concatenate([own, whole[..., None, :]], axis=-2)


def _point_jacobians(figure: Figure, q: ArrayLike, segments: list[int], points: Array) -> tuple[Array, Array]:
    """Return the angular and linear Jacobians of points of segments, each (..., points, 3, nv)."""
    try:
        batch, (states,) = as_states(figure, [("q", q, figure.nq)])
    except AttributeError:
        raise not_a_figure(figure) from None
    coupled = figure.coupled
    full = states if coupled is None else coupled.expand(states)
    out = run_states(figure, tree_columns.TWISTS, 6 * figure.layout.nv, [full])
    axes = out.reshape(len(full), 1, figure.layout.nv, 6) * figure.carried[segments][:, :, None]
    out = run_states(figure, tree_columns.POSES, 12 * len(figure.segments), [full])
    R, p = as_poses(figure, (len(full),), out)
    x = (R[:, segments] @ points[:, :, None])[..., 0] + p[:, segments]
    angular = np.swapaxes(axes[..., :3], -1, -2)
    linear = np.swapaxes(axes[..., 3:] + np.cross(axes[..., :3], x[:, :, None, :]), -1, -2)
    if coupled is not None:
        G = coupled.matrix(states)[:, None]
        angular, linear = angular @ G, linear @ G
    shape = (*batch, len(segments), 3, figure.nv)
    return angular.reshape(shape), linear.reshape(shape)


def tag_jacobians(figure: Figure, q: ArrayLike) -> Array:
    """Return how the tags move with the velocities, (..., tags, 3, nv)."""
    return _point_jacobians(figure, q, list(figure.packed.tags), figure.packed.tag_points)[1]


def jacobian(figure: Figure, q: ArrayLike, segment: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the Jacobian of a frame at a point of a segment, (..., 6, nv): its twist is J v, in world axes there."""
    place = as_floats([point], 1, 3, where=f"point of segment {segment!r}").reshape(1, 3)
    angular, linear = _point_jacobians(figure, q, [figure.index(segment)], place)
    return np.concatenate([angular[..., 0, :, :], linear[..., 0, :, :]], axis=-2)


def tag_velocities(figure: Figure, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the velocities of the tags [m/s], (..., tags, 3)."""
    moving = motion(figure, q, v)
    o, u, r = _at_tags(figure, moving)
    return u + np.cross(o, r)


def tag_accelerations(figure: Figure, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> Array:
    """Return the accelerations of the tags [m/s²], (..., tags, 3); without `a` the velocity-product terms dJ/dt v."""
    moving = motion(figure, q, v, a)
    o, _, r = _at_tags(figure, moving)
    turn = moving.accelerations[..., figure.packed.tags, :]
    return turn[..., 3:] + np.cross(turn[..., :3], r) + np.cross(o, np.cross(o, r))


def _at_tags(figure: Figure, moving: Motion) -> tuple[Array, Array, Array]:
    """Return angular and linear velocity of each tag's segment, and the tag from its segment's origin."""
    at = figure.packed.tags
    r = (moving.poses.rotation[..., at, :, :] @ figure.packed.tag_points[:, :, None])[..., 0]
    twist = moving.twists[..., at, :]
    return twist[..., :3], twist[..., 3:], r
