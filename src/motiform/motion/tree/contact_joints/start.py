"""Configurations of a contact joint from points of its surfaces, or from a pose that is almost a contact."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, ShapeError
from motiform.motion.tree.contact_joints.equations import relative_curvature
from motiform.motion.tree.contact_joints.pairs import CONFORMING
from motiform.motion.tree.model.joint import Array
from motiform.spatial import (
    Transform,
    exp_rotation,
    multiply_quaternions,
    normalize_quaternion,
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from motiform.spatial.checks import Words, as_floats

if TYPE_CHECKING:
    from motiform.motion.tree.contact_joints.joint import ContactJoint

__all__ = ["between", "configuration", "neutral", "touch", "turned_to"]

_PARALLEL = 1e-6  # sine of an angle below which directions count as parallel
_TILT = 1e-3  # [rad] by which lines or faces may be off in a pose that is almost a contact


# ---- small rotations ------------------------------------------------------------------------------------------------
def between(a: Array, b: Array) -> Array:
    """Return the quaternion of the smallest rotation from unit vectors a to b, (..., 4).

    Where they are opposite, the half turn about the axis x, or y, made perpendicular to them.
    """
    a, b = np.broadcast_arrays(a, b)
    q = np.concatenate([1.0 + (a * b).sum(-1, keepdims=True), np.cross(a, b)], axis=-1)
    aside = np.where(np.abs(a[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    half = np.concatenate([np.zeros_like(q[..., :1]), _across(aside, a)], axis=-1)
    return normalize_quaternion(np.where(np.linalg.norm(q, axis=-1, keepdims=True) < 1e-9, half, q))


def turned_to(quaternion: Array, axis: int, direction: Array, *, either: bool = False) -> Array:
    """Return frames turned by the smallest rotation that brings one of their axes to a direction, (..., 4).

    With `either`, to it or its opposite, whichever is nearer.
    """
    now = rotation_from_quaternion(quaternion)[..., :, axis]
    if either:
        direction = np.where((now * direction).sum(-1, keepdims=True) < 0, -direction, direction)
    return normalize_quaternion(multiply_quaternions(between(now, direction), quaternion))


def _across(v: Array, n: Array) -> Array:
    """Return the part of vectors perpendicular to n."""
    part: Array = v - n * (v * n).sum(-1, keepdims=True)
    return part


def _frame(t1: Array, n: Array) -> Array:
    """Return the rotation with first axis t1 and third axis n."""
    t1, n = np.broadcast_arrays(t1, n)
    return np.stack([t1, np.cross(n, t1), n], axis=-1)


def _apply(R: Array, v: Array) -> Array:
    product: Array = (R @ v[..., None])[..., 0]
    return product


# ---- from points ----------------------------------------------------------------------------------------------------
def configuration(
    joint: "ContactJoint",
    p1: ArrayLike | None,
    p2: ArrayLike | None,
    direction: ArrayLike | None,
    yaw: ArrayLike,
    normal1: ArrayLike | None,
    normal2: ArrayLike | None,
    checked: bool = True,
) -> Array:
    """Return the configuration in which points of the two surfaces meet, (..., 14)."""
    one, two = joint.surfaces
    p1, n1 = one.project(one.anchor(True) if p1 is None else p1, _normal(normal1))
    p2, n2 = two.project(two.anchor(False) if p2 is None else p2, _normal(normal2))
    angle = as_floats(yaw, where="yaw of a contact")
    if joint.pair.both_lines and angle.any():
        raise InputError("a contact along lines of both bodies has no yaw", where=repr(joint), got=yaw, allowed="0")
    A1, A2 = joint.poses[0].rotation, joint.poses[1].rotation
    out = _apply(A1, n1)
    least = rotation_from_quaternion(between(_apply(A2, -n2), out))
    R12 = A1.T @ exp_rotation(angle[..., None] * out) @ least @ A2
    if joint.pair.follow == 2 and direction is not None:  # the line of body 2 is laid along it
        t1 = _apply(exp_rotation(angle[..., None] * n1), _tangent(direction, n1))
        R12 = _frame(t1, n1) @ np.swapaxes(_frame(two.line(p2), -n2), -1, -2)
        direction = t1
    q = _assembled(joint, p1, n1, p2, n2, R12, direction)
    if checked:
        _check_contact(joint, q)
    return q


def neutral(joint: "ContactJoint") -> Array:
    """Return the contact of default points, the bodies crossed if they could not touch otherwise."""
    angles = np.array([0.0] if joint.pair.contact != "point" else [0.0, np.pi / 2])
    q = configuration(joint, None, None, None, angles, None, None, checked=False)
    least = relative_curvature(joint.surfaces, joint._frames(q))[0][..., 0]
    crossed = len(angles) == 2 and not least[0] > CONFORMING and least[1] > least[0]
    return q[1 if crossed else 0]


def _normal(normal: ArrayLike | None) -> Array | None:
    return None if normal is None else as_floats(normal, 3, where="normal of an edge")


def _tangent(direction: ArrayLike, n: Array) -> Array:
    """Return the unit vector along a surface nearest to a direction."""
    d = as_floats(direction, 3, where="direction of a contact frame")
    part = _across(d, n)
    size = np.linalg.norm(part, axis=-1, keepdims=True)
    if not (size > _PARALLEL * np.linalg.norm(d, axis=-1, keepdims=True)).all():
        raise InputError(
            "the direction must not be normal to the surface", where="direction of a contact frame", got=d,
            allowed="one along the surface",
        )  # fmt: skip
    return np.asarray(part / size)


def _assembled(
    joint: "ContactJoint", p1: Array, n1: Array, p2: Array, n2: Array, R12: Array, direction: ArrayLike | None
) -> Array:
    """Return the configuration with these points, and the surfaces turned against each other by R12."""
    one, two = joint.surfaces
    if joint.pair.follow == 1:
        t1 = _along_line(one.line(p1), direction, joint)
    elif joint.pair.follow == 2:
        t1 = _tangent(_apply(R12, two.line(p2)), n1)
    elif direction is not None:
        t1 = _tangent(direction, n1)
    else:
        t1 = rotation_from_quaternion(between(np.array([0.0, 0.0, 1.0]), n1))[..., 0]
    R1 = _frame(t1, n1)
    turn1 = quaternion_from_rotation(R1)
    turn2 = turned_to(quaternion_from_rotation(np.swapaxes(R12, -1, -2) @ R1), 2, -n2)
    if joint.pair.both_lines:
        turn2 = turned_to(turn2, 0, two.line(p2), either=True)
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in (p1, turn1, p2, turn2)))
    q = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in (p1, turn1, p2, turn2)], axis=-1)
    return q


def _along_line(line: Array, direction: ArrayLike | None, joint: "ContactJoint") -> Array:
    if direction is None:
        return line
    d = as_floats(direction, 3, where="direction of a contact frame")
    if np.linalg.norm(np.cross(d, line), axis=-1).max() > _PARALLEL * np.linalg.norm(d):
        raise InputError(
            "the contact frame lies along the line of contact", where=repr(joint), got=d, allowed=Words(f"±{line}")
        )
    return np.where((d * line).sum(-1, keepdims=True) < 0, -line, line)


def _check_contact(joint: "ContactJoint", q: Array) -> None:
    """Refuse points at which the surfaces would overlap beside the contact."""
    if joint.pair.contact == "face":
        return
    curvature, size = relative_curvature(joint.surfaces, joint._frames(q))
    least = curvature[..., 1 if joint.pair.contact == "line" else 0]
    if not (least > CONFORMING * size).all():
        raise InputError(
            "the surfaces cannot touch at these points alone", where=repr(joint),
            got=Words(f"relative curvature {np.min(least):.3g} per metre"), allowed="above zero",
            remedy="Choose points where the surfaces bend away from each other.",
        )  # fmt: skip


# ---- from a pose ----------------------------------------------------------------------------------------------------
def touch(
    joint: "ContactJoint", T_1_2: Transform, p1: ArrayLike | None, p2: ArrayLike | None, tolerance: float
) -> Array:
    """Return the configuration nearest to a pose that is almost a contact, (14,)."""
    if not isinstance(T_1_2, Transform) or T_1_2.batch:
        raise InputError(
            "the pose of body 2 in body 1 must be a single Transform", where="touch", got=repr(T_1_2),
            allowed="a Transform",
        )  # fmt: skip
    T = joint.poses[0].inverse() @ T_1_2 @ joint.poses[1]  # surface 2 in surface 1
    if joint.pair.both_lines:
        T = _parallel(T)
    found = [_common_normal(joint, T, *start) for start in _starts(joint, T, p1, p2)]
    good = [f for f in found if f is not None]
    if not good:
        raise InputError(
            "no points with a common normal were found", where=repr(joint), got=repr(T_1_2),
            remedy="Give p1 and p2 near the contact.",
        )  # fmt: skip
    gap, x1, n1, x2, n2 = min(good, key=lambda f: abs(f[0]))
    if not abs(gap) <= tolerance:
        raise InputError(
            "the surfaces do not touch" if gap > 0 else "the surfaces overlap", where=repr(joint),
            got=Words(f"a gap of {gap:.6g} m"), allowed=f"at most {tolerance:g} m",
            remedy="Move the body nearer, or allow a larger tolerance.",
        )  # fmt: skip
    q = joint.repair(_assembled(joint, x1, n1, x2, n2, T.rotation, None))
    _check_contact(joint, q)
    return q


def _parallel(T: Transform) -> Transform:
    """Return the pose with the axes z of two cylinders made parallel, if they almost are."""
    axis = T.rotation[:, 2]
    level = np.array([0.0, 0.0, np.copysign(1.0, axis[2])])
    if np.linalg.norm(np.cross(axis, level)) > _TILT:
        return T
    return Transform(rotation_from_quaternion(between(axis, level)) @ T.rotation, T.translation)


def _starts(
    joint: "ContactJoint", T: Transform, p1: ArrayLike | None, p2: ArrayLike | None
) -> list[tuple[Array, Array]]:
    """Return pairs of points to look for the contact from: the feet of the surfaces' own points on each other."""
    one, two = joint.surfaces
    back = T.inverse()
    if p1 is not None and p2 is not None:
        return [(one.project(p1)[0], two.project(p2)[0])]
    inner1 = [p1] if p1 is not None else [np.zeros(3), one.anchor(True), one.anchor(False)]
    inner2 = [p2] if p2 is not None else [np.zeros(3), two.anchor(True), two.anchor(False)]
    pairs = []
    for first, second, points, to, swap in (
        (one, two, [T.point(x) for x in inner2], back, False),
        (two, one, [back.point(x) for x in inner1], T, True),
    ):
        for x in points:
            try:
                foot = first.project(x)[0]
                pair = foot, second.project(to.point(foot))[0]
                pairs.append(pair[::-1] if swap else pair)
            except ShapeError:  # a centre or an axis has no foot; another point has
                continue
    return pairs


def _common_normal(
    joint: "ContactJoint", T: Transform, x1: Array, x2: Array
) -> tuple[float, Array, Array, Array, Array] | None:
    """Find points of the surfaces with a common normal; return the gap along it, and points and normals.

    Newton on r_t + s2 − s1 − g m1 = 0 and (n1 + n2)_t + m1 + m2 = 0, with the shifts s = S y and turns of the normal
    m = M y of the surfaces, r the vector from point 1 to point 2 and g its length along n1.
    """
    one, two = joint.surfaces
    (x1, n1), (x2, n2) = one.project(x1), two.project(x2)
    if two.edge:
        x2, n2 = two.project(x2, -T.rotation.T @ n1)
    if one.edge:
        x1, n1 = one.project(x1, -T.rotation @ n2)
    gap = np.inf
    for _ in range(60):
        r, toward = T.point(x2) - x1, T.vector(n2)
        turn = between(np.array([0.0, 0.0, 1.0]), n1)
        L1 = rotation_from_quaternion(turn)
        L2 = T.rotation.T @ rotation_from_quaternion(turned_to(turn, 2, -toward))
        gap = float(r @ n1)
        S1, M1 = one.moves(x1, L1[:, :2], n1)
        S2, M2 = two.moves(x2, L2[:, :2], n2)
        miss = np.concatenate([r @ L1[:, :2], (n1 + toward) @ L1[:, :2]])
        A = np.block([[-S1 - gap * M1, S2], [M1, M2]])
        y = np.linalg.lstsq(A, -miss, rcond=1e-10)[0]
        turned = np.hypot(np.linalg.norm(M1 @ y[:2]), np.linalg.norm(M2 @ y[2:]))
        y /= max(1.0, 2.0 * float(turned))  # half a radian at most
        try:
            x1, n1 = one.project(x1 + L1[:, :2] @ (S1 @ y[:2]), n1 + L1[:, :2] @ (M1 @ y[:2]))
            x2, n2 = two.project(x2 + L2[:, :2] @ (S2 @ y[2:]), n2 + L2[:, :2] @ (M2 @ y[2:]))
        except ShapeError:
            return None
        if np.abs(y).max() < 1e-12 * (1.0 + np.abs(x1).max()):
            break
    tilt = np.linalg.norm(np.cross(n1, T.vector(n2)))
    aside = np.linalg.norm(_across(T.point(x2) - x1, n1))
    facing = n1 @ T.vector(n2) < 0
    allowed = 1e-9 if joint.pair.contact == "point" else _TILT
    if not (facing and tilt <= allowed and aside <= 1e-9 * (1.0 + np.abs(x1).max())):
        return None
    return float((T.point(x2) - x1) @ n1), x1, n1, x2, n2
