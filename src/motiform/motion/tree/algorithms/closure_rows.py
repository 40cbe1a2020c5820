"""The rows of one closure: how far off it is, the wrench of each row, and its velocity-product term."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.tree.algorithms.batch import as_states
from motiform.motion.tree.algorithms.kinematics import Motion, forward_kinematics
from motiform.motion.tree.contact_joints.closure import ContactClosure
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.contact_joints.nearest import Nearest, apply, back, cross, frame_twist, nearest
from motiform.motion.tree.model.closure import AnyClosure, Closure
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial import Transform, log_rotation

__all__ = ["ClosureRows", "contact_frames", "contact_gap", "rows_of"]


class ClosureRows(NamedTuple):
    """Rows of one closure for N states."""

    value: Array
    """How far off it is [m or rad], (N, rows)."""
    wrenches: Array
    """What a force of one does to b, and against a: moment about the world's origin and force, world axes,
    (N, rows, 6). The rate of a row is this times the twist of b less that of a, about the same point."""
    bias: Array
    """What velocities alone add to the rate of that rate, (N, rows)."""


class _Side(NamedTuple):
    """How a segment moves: axes, origin, its velocity, the angular velocity, both accelerations, (N, 3) each."""

    R: Array
    p: Array
    o: Array
    u: Array
    s: Array
    t: Array


def _side(figure: Figure, moving: Motion, name: str | None) -> _Side:
    if name is None:
        zero = np.zeros((len(moving.twists), 3))
        return _Side(np.broadcast_to(np.eye(3), (len(zero), 3, 3)), zero, zero, zero, zero, zero)
    n = figure.index(name)
    twist, rate = moving.twists[:, n], moving.accelerations[:, n]
    p = moving.poses.position[:, n]
    return _Side(moving.poses.rotation[:, n], p, twist[:, :3], twist[:, 3:], rate[:, :3], rate[:, 3:])


def _wrenches(axes: Array, point: Array | None) -> Array:
    """Return unit forces along axes (N, rows, 3) at a point, or unit moments; about the origin, (N, rows, 6)."""
    if point is None:
        return np.concatenate([axes, np.zeros_like(axes)], axis=-1)
    return np.concatenate([cross(point[:, None, :], axes), axes], axis=-1)


# ---- points held together -------------------------------------------------------------------------------------------
def rows_of(figure: Figure, moving: Motion, closure: AnyClosure, rest: bool) -> ClosureRows:
    """Return the rows of a closure; at rest those of contacts have no bias."""
    if isinstance(closure, ContactClosure):
        return _contact_rows(figure, moving, closure, rest)
    assert isinstance(closure, Closure)
    return _closure_rows(figure, moving, closure)


def _closure_rows(figure: Figure, moving: Motion, closure: Closure) -> ClosureRows:
    """Return the rows of a closure of points, distances or axes."""
    a, b = _side(figure, moving, closure.a), _side(figure, moving, closure.b)
    (xa, va, aa), (xb, vb, ab) = _point(a, closure.point_a), _point(b, closure.point_b)
    d, rate, second = xb - xa, vb - va, ab - aa
    if closure.rows == "distance":
        length = closure.length
        value = ((d * d).sum(-1, keepdims=True) / length - length) / 2
        bias = ((rate * rate) + (d * second)).sum(-1, keepdims=True) / length
        return ClosureRows(value, _wrenches(d[:, None, :] / length, xb), bias)
    # seen from a: d' = Raᵀ (ḋ − ω × d), d'' = Raᵀ (d̈ − α × d − 2 ω × ḋ + ω × (ω × d))
    apparent = second - cross(a.s, d) - 2 * cross(a.o, rate) + cross(a.o, cross(a.o, d))
    along = _directions(closure)
    axes = along @ np.swapaxes(a.R, -1, -2)
    held = ClosureRows(back(a.R, d) @ along.T, _wrenches(axes, xb), back(a.R, apparent) @ along.T)
    if not any(closure.turns):
        return held
    turning = (_pointing_rows if closure.rows in ("revolute", "cylindrical") else _turning_rows)(a, b, closure)
    return ClosureRows(*(np.concatenate(pair, axis=1) for pair in zip(held, turning, strict=True)))


def _directions(closure: Closure) -> Array:
    """Return the directions along which the points coincide, in the axes of a, (rows, 3)."""
    if closure.rows in ("line", "prismatic", "cylindrical"):
        return closure.cross_axes
    letters = "xyz" if closure.rows in ("weld", "revolute") else closure.rows
    return np.eye(3)[["xyz".index(letter) for letter in letters]]


def _seen_from(a: _Side, b: _Side) -> tuple[Array, Array]:
    """Return the angular velocity of b seen from a, and its rate, in the axes of a."""
    return back(a.R, b.o - a.o), back(a.R, b.s - a.s - cross(a.o, b.o - a.o))


def _turning_rows(a: _Side, b: _Side, closure: Closure) -> ClosureRows:
    """Return the rows that hold the axes of b in those of a."""
    axes = np.swapaxes(a.R, -1, -2)
    off = log_rotation(axes @ b.R @ np.asarray(closure.turn).T)
    return ClosureRows(off, _wrenches(axes, None), _seen_from(a, b)[1])


def _pointing_rows(a: _Side, b: _Side, closure: Closure) -> ClosureRows:
    """Return the rows that keep an axis of b, m, along one of a, n: with e1 × e2 = n, −e2 · m and e1 · m."""
    e1, e2 = closure.cross_axes
    m = back(a.R, apply(b.R, np.asarray(closure.turn).T @ closure.unit_axis))
    turning, rate = _seen_from(a, b)
    moves = np.stack([cross(e2, m), cross(m, e1)], axis=1)  # what the rows' rates are times the angular velocity
    moved = cross(turning, m)
    bias = (moves @ rate[..., None])[..., 0]
    bias = bias + np.stack([(turning * cross(e2, moved)).sum(-1), (turning * cross(moved, e1)).sum(-1)], axis=-1)
    return ClosureRows(np.stack([-(m @ e2), m @ e1], axis=-1), _wrenches(moves @ np.swapaxes(a.R, -1, -2), None), bias)


def _point(side: _Side, point: tuple[float, float, float]) -> tuple[Array, Array, Array]:
    """Return place, velocity and acceleration of a point of a segment."""
    r = apply(side.R, np.array(point))
    return side.p + r, side.u + cross(side.o, r), side.t + cross(side.s, r) + cross(side.o, cross(side.o, r))


# ---- contacts -------------------------------------------------------------------------------------------------------
def _contact_rows(figure: Figure, moving: Motion, closure: ContactClosure, rest: bool) -> ClosureRows:
    """Return the rows of a contact: what the joint does not leave free of the motion of b relative to a, in L.

    With `rest` nothing moves, and there is no velocity-product term.
    """
    a, b = _side(figure, moving, closure.a), _side(figure, moving, closure.b)
    joint, which, where = closure.joint, list(closure.components), f"closure {closure.name!r}"
    found = _touching(joint, a.R, a.p, b.R, b.p, where)
    L, x = _frame(joint, found, a.R, a.p)
    axes = np.swapaxes(L, -1, -2)
    wrenches = np.concatenate([_wrenches(axes, None), _wrenches(axes, x)], axis=1)[:, which]
    if rest:
        return ClosureRows(found.off[:, which], wrenches, np.zeros((len(x), len(which))))
    (Va, Aa), (Vb, Ab) = _spatial(a, x), _spatial(b, x)
    t = _turned(L, Vb - Va)
    frame = _turned(L, Va) + frame_twist(joint, found.frames, t, where)
    # X_L (A2 − A1) − (V1 + ξ1) × (V2 − V1)  [ContactJoints 5]
    bias = _turned(L, Ab - Aa) - _cross_motion(frame, t)
    return ClosureRows(found.off[:, which], wrenches, bias[:, which])


def _touching(joint: ContactJoint, Ra: Array, pa: Array, Rb: Array, pb: Array, where: str) -> Nearest:
    """Return where surfaces touch whose bodies have these poses in the world."""
    one, two = joint.poses
    R1, R2 = Ra @ one.rotation, Rb @ two.rotation
    p1, p2 = pa + apply(Ra, one.translation), pb + apply(Rb, two.translation)
    return nearest(joint, np.swapaxes(R1, -1, -2) @ R2, back(R1, p2 - p1), where)


def _frame(joint: ContactJoint, found: Nearest, Ra: Array, pa: Array) -> tuple[Array, Array]:
    """Return axes and origin of L in the world."""
    p1, R1, _, _ = found.frames
    R = Ra @ joint.poses[0].rotation
    return R @ R1, pa + apply(Ra, joint.poses[0].translation) + apply(R, p1)


def _spatial(side: _Side, x: Array) -> tuple[Array, Array]:
    """Return twist and spatial acceleration about a point of the world, (N, 6) each."""
    r = x - side.p
    linear = side.t - cross(side.o, side.u) + cross(side.s, r)
    return (np.concatenate([side.o, side.u + cross(side.o, r)], axis=-1), np.concatenate([side.s, linear], axis=-1))


def _turned(L: Array, six: Array) -> Array:
    """Return angular and linear part in the axes of L."""
    return np.concatenate([back(L, six[:, :3]), back(L, six[:, 3:])], axis=-1)


def _cross_motion(V: Array, t: Array) -> Array:
    w, v, a, b = V[:, :3], V[:, 3:], t[:, :3], t[:, 3:]
    return np.concatenate([cross(w, a), cross(w, b) + cross(v, a)], axis=-1)


def _poses(figure: Figure, q: Array, name: str | None) -> tuple[Array, Array]:
    if name is None:
        return np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    R, p = forward_kinematics(figure, q)
    n = figure.index(name)
    return R[:, n], p[:, n]


def contact_frames(figure: Figure, q: ArrayLike) -> dict[str, Transform]:
    """Return the contact frame of every contact closure in the world, by name: forces of its rows are in its axes."""
    batch, (qs,) = as_states(figure, [("q", q, figure.nq)])
    found = {}
    for closure in figure.closures:
        if isinstance(closure, ContactClosure):
            (Ra, pa), (Rb, pb) = _poses(figure, qs, closure.a), _poses(figure, qs, closure.b)
            touching = _touching(closure.joint, Ra, pa, Rb, pb, f"closure {closure.name!r}")
            L, x = _frame(closure.joint, touching, Ra, pa)
            found[closure.name] = Transform(L.reshape(*batch, 3, 3), x.reshape(*batch, 3))
    return found


def contact_gap(figure: Figure, q: ArrayLike, a: str | None, b: str, joint: ContactJoint) -> Array:
    """Return the gap [m] between the surfaces of a contact joint on two segments (a None: the world), (...).

    Below zero they overlap. The joint need not be in the figure: it is what a guard for a contact to come looks at.
    """
    batch, (qs,) = as_states(figure, [("q", q, figure.nq)])
    gap = _touching(joint, *_poses(figure, qs, a), *_poses(figure, qs, b), f"contact of {b!r}").off[:, 5]
    return gap.reshape(batch)
