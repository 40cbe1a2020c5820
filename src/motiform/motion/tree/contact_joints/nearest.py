"""Contact closures: the nearest points of two surfaces of known poses, and the constraint rows.

Nothing is remembered from one state to the next: points, normals and the contact frame follow from the poses, all
states at once. The contact frame's first axis along the surface is any, except along a line; what the rows hold does
not depend on it.  [ContactJoints 5]
"""

from typing import NamedTuple

import numpy as np

from motiform.base.errors import RunError
from motiform.geometry.surfaces import Surface
from motiform.geometry.surfaces.surface import unit
from motiform.motion.tree.contact_joints.equations import Frames, flat_rates, point_rates
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.joint import Array

__all__ = ["Nearest", "apply", "back", "ball_of", "cross", "frame_twist", "nearest", "project"]

_UP = np.array([0.0, 0.0, 1.0])
_EXACT_FOOT = ("plane", "sphere", "cylinder", "cone", "torus", "circle")  # their `project` gives the nearest point
_ROUNDS = 40  # of Newton's method; where it converges at all, 5 to 10 do


class Nearest(NamedTuple):
    """The contact frame L of surfaces that touch, or almost do."""

    frames: Frames
    """Point and axes in surface 1, and in surface 2; off contact the points are the two ends of the gap."""
    off: Array
    """How far (wx, wy, wz, vx, vy, vz) have gone from contact, (..., 6): angles of lines and faces [rad], the gap [m];
    zero for those that only velocities know."""


def nearest(joint: ContactJoint, R: Array, p: Array, where: str) -> Nearest:
    """Return where the surfaces of a joint are nearest; R, p: axes and origin of surface 2 in surface 1, (N, 3, 3)."""
    with np.errstate(all="ignore"):
        if joint.pair.contact == "point":
            found = _points(joint, R, p)
        elif joint.pair.contact == "face":
            found = _faces(R, p)
        elif joint.pair.both_lines:
            found = _two_cylinders(joint, R, p)
        else:
            found = _line_on_plane(joint, R, p)
    lost = ~np.isfinite(found.off.sum(-1))
    if lost.any():
        raise RunError(
            "no points with a common normal were found",
            where=where + (f", state {int(np.argmax(lost))}" if len(lost) > 1 else ""),
            got=repr(joint),
            remedy="Start nearer to a contact.",
        )
    return found


def frame_twist(joint: ContactJoint, frames: Frames, t: Array, where: str) -> Array:
    """Return the twist of L relative to surface 1, in L, (..., 6), when body 2 moves by t against body 1.

    What the joint does not leave free counts as zero.  [ContactJoints 4]
    """
    free = np.zeros_like(t)
    free[..., joint.columns] = t[..., joint.columns]
    w, v = np.stack([free[..., 1], -free[..., 0]], axis=-1), free[..., 3:5]
    if joint.pair.contact == "point":
        s1, s2, m1 = point_rates(joint.surfaces, frames, w, v, where)
    else:
        s1, s2, m1 = flat_rates(joint.surfaces, joint.pair, frames, w, v, where)
    spin = np.broadcast_to(joint._spin_of_frame(frames, free[..., 2], s1, s2), m1.shape[:-1])
    return np.stack([-m1[..., 1], m1[..., 0], spin, s1[..., 0], s1[..., 1], np.zeros_like(spin)], axis=-1)


# ---- lines and faces ------------------------------------------------------------------------------------------------
def apply(R: Array, v: Array) -> Array:
    """Return R v."""
    product: Array = (R @ v[..., None])[..., 0]
    return product


def back(R: Array, v: Array) -> Array:
    """Return Rᵀ v."""
    product: Array = (v[..., None, :] @ R)[..., 0, :]
    return product


def cross(a: Array, b: Array) -> Array:
    """Return a × b; several times as fast as NumPy's own for a few vectors."""
    (ax, ay, az), (bx, by, bz) = (tuple(x[..., k] for k in range(3)) for x in (a, b))
    x = ay * bz - az * by
    out = np.empty((*x.shape, 3))
    out[..., 0], out[..., 1], out[..., 2] = x, az * bx - ax * bz, ax * by - ay * bx
    return out


def _dot(a: Array, b: Array) -> Array:
    product: Array = (a * b).sum(-1)
    return product


def _found(
    R: Array, p1: Array, t1: Array, n: Array, p2: Array, angles: tuple[Array | float, ...], gap: Array
) -> Nearest:
    R1 = np.stack(np.broadcast_arrays(t1, cross(n, t1), n), axis=-1)
    off = np.zeros((len(gap), 6))
    off[:, 0], off[:, 1], off[:, 2] = angles
    off[:, 5] = gap
    return Nearest((p1, R1, p2, np.swapaxes(R, -1, -2) @ R1), off)


def _faces(R: Array, p: Array) -> Nearest:
    """Two planes: the origin of the second is the point of contact; its normal m turns as (ωy, −ωx)."""
    m, x = -R[..., 2], np.broadcast_to([1.0, 0.0, 0.0], p.shape)
    return _found(R, p * (1.0, 1.0, 0.0), x, np.broadcast_to(_UP, p.shape), 0.0 * p, (-m[:, 1], m[:, 0], 0.0), p[:, 2])


def _two_cylinders(joint: ContactJoint, R: Array, p: Array) -> Nearest:
    """Cylinders side by side, or one in the other: z = 0 of the second is the point of contact."""
    one, two = joint.surfaces
    out = unit(p * (1.0, 1.0, 0.0))  # from the first axis to the second
    p1 = two.sign * one.radius * out + p * _UP  # type: ignore[attr-defined]
    n = one.sign * two.sign * out
    p2 = -one.sign * two.radius * unit(back(R, out) * (1.0, 1.0, 0.0))  # type: ignore[attr-defined]
    line = R[..., 2] * np.sign(R[..., 2, 2])[:, None]
    t1 = np.broadcast_to(_UP, p.shape)
    gap = _dot(apply(R, p2) + p - p1, n)
    return _found(R, p1, t1, n, p2, (0.0, -_dot(line, n), _dot(line, cross(n, t1))), gap)


def _line_on_plane(joint: ContactJoint, R: Array, p: Array) -> Nearest:
    """A cylinder (its z = 0) or a cone on a plane: the line whose normal faces the plane most."""
    one, two = joint.surfaces
    if one.kind == "plane":
        x = _facing_point(two, -R[..., 2, :])
        at, line = apply(R, x) + p, apply(R, two.line(x))
        n = np.broadcast_to(_UP, p.shape)
        t1 = unit(line - n * _dot(line, n)[:, None])
        return _found(R, at * (1.0, 1.0, 0.0), t1, n, x, (0.0, -_dot(line, n), 0.0), at[:, 2])
    n = -R[..., 2]
    x = _facing_point(one, n)
    line, at = one.line(x), back(R, x - p)
    t1 = unit(line - n * _dot(line, n)[:, None])
    return _found(R, x, t1, n, at * (1.0, 1.0, 0.0), (0.0, _dot(line, n), 0.0), at[:, 2])


def _facing_point(surface: Surface, direction: Array) -> Array:
    """Return the point of a cylinder (z = 0) or cone (1 m from its apex) whose normal is nearest to a direction."""
    out = unit(direction * (1.0, 1.0, 0.0))
    if surface.kind == "cylinder":
        return surface.radius * out  # type: ignore[attr-defined]
    sine, cosine = np.sin(surface.half_angle), np.cos(surface.half_angle)  # type: ignore[attr-defined]
    return sine * out + cosine * _UP


# ---- points ---------------------------------------------------------------------------------------------------------
def _points(joint: ContactJoint, R: Array, p: Array) -> Nearest:
    """Surfaces that touch in a point: of all common normals that are found, that with the smallest gap."""
    x1, n1, x2, n2 = _starts(joint, R, p)
    if not ball_of(joint):
        x1, n1, x2, n2 = _newton(joint, R, p, x1, n1, x2, n2)
    r, toward = apply(R, x2) + p - x1, apply(R, n2)
    gap = _dot(r, n1)
    aside, tilt = np.linalg.norm(r - n1 * gap[..., None], axis=-1), np.linalg.norm(cross(n1, toward), axis=-1)
    near = aside + np.abs(gap) * tilt <= 1e-9 * (1.0 + np.abs(x1).max(-1) + np.abs(x2).max(-1))
    good = near & (tilt <= 1e-9) & (_dot(n1, toward) < 0)
    best = np.argmin(np.where(good, np.abs(gap), np.inf), axis=0)
    states = np.arange(len(p))
    x1, n1, x2 = x1[best, states], n1[best, states], x2[best, states]
    gap = np.where(good[best, states], gap[best, states], np.nan)
    R1 = _axes_about(n1)
    off = np.zeros((len(p), 6))
    off[:, 5] = gap
    return Nearest((x1, R1, x2, np.swapaxes(R, -1, -2) @ R1), off)


def ball_of(joint: ContactJoint) -> int:
    """Return which surface, 1 or 2, is a ball: the foot of its centre on the other is the contact; 0 if none is."""
    one, two = joint.surfaces
    if two.kind == "sphere" and not two.inside and one.kind in _EXACT_FOOT:
        return 2
    return 1 if one.kind == "sphere" and not one.inside and two.kind in _EXACT_FOOT else 0


def project(surface: Surface, x: Array, normal: Array | None = None) -> tuple[Array, Array]:
    """Return foot and outward normal; not finite where there is none."""
    foot, n = surface._foot(x, normal)
    return foot, surface.sign * n


def _starts(joint: ContactJoint, R: Array, p: Array) -> tuple[Array, Array, Array, Array]:
    """Return points and normals to look for contacts from, (starts, N, 3) each: feet of own points on the other."""
    one, two = joint.surfaces
    firsts, seconds = [], []
    for x in _own_points(two) if ball_of(joint) != 1 else ():
        first = project(one, apply(R, x) + p)[0]
        firsts.append(first)
        seconds.append(project(two, back(R, first - p))[0])
    for x in _own_points(one) if ball_of(joint) != 2 else ():
        second = project(two, back(R, x - p))[0]
        firsts.append(project(one, apply(R, second) + p)[0])
        seconds.append(second)
    (x1, n1), (x2, n2) = project(one, np.array(firsts)), project(two, np.array(seconds))
    if two.edge:
        x2, n2 = project(two, x2, -back(R, n1))
    if one.edge:
        x1, n1 = project(one, x1, -apply(R, n2))
    return x1, n1, x2, n2


def _own_points(surface: Surface) -> list[Array]:
    """Return the centre and two opposite points; a sphere's centre says all."""
    centre = np.zeros(3)
    return [centre] if surface.kind == "sphere" else [centre, surface.anchor(True), surface.anchor(False)]


def _newton(
    joint: ContactJoint, R: Array, p: Array, x1: Array, n1: Array, x2: Array, n2: Array
) -> tuple[Array, Array, Array, Array]:
    """Move pairs of points to a common normal.

    Newton on r_t + s2 − s1 − g m1 = 0 and (n1 + n2)_t + m1 + m2 = 0, with the shifts s = S y and turns of the normal
    m = M y of the surfaces, r the vector from point 1 to point 2 and g its length along n1.
    """
    one, two = joint.surfaces
    for _ in range(_ROUNDS):
        r, toward = apply(R, x2) + p - x1, apply(R, n2)
        L1 = _axes_about(n1)[..., :2]
        T2 = np.swapaxes(R, -1, -2) @ _carried(L1, n1, -toward)
        gap = _dot(r, n1)[..., None, None]
        S1, M1 = one.moves(x1, L1, n1)
        S2, M2 = two.moves(x2, T2, n2)
        miss = np.concatenate([back(L1, r), back(L1, n1 + toward)], axis=-1)
        A = np.concatenate([np.concatenate([-S1 - gap * M1, S2], axis=-1), np.concatenate([M1, M2], axis=-1)], axis=-2)
        y = -_solved(A, miss)
        m1, m2 = apply(M1, y[..., :2]), apply(M2, y[..., 2:])
        turned = np.sqrt(_dot(m1, m1) + _dot(m2, m2))[..., None]
        y = y / np.maximum(1.0, 2.0 * turned)  # half a radian at most
        x1, n1 = project(one, x1 + apply(L1, apply(S1, y[..., :2])), n1 + apply(L1, apply(M1, y[..., :2])))
        x2, n2 = project(two, x2 + apply(T2, apply(S2, y[..., 2:])), n2 + apply(T2, apply(M2, y[..., 2:])))
        still = np.abs(y).max(-1) < 1e-12 * (1.0 + np.abs(x1).max(-1))
        if (still | ~np.isfinite(y).all(-1)).all():
            break
    return x1, n1, x2, n2


def _axes_about(n: Array) -> Array:
    """Return right-handed axes with the third along n, (..., 3, 3).  [Duff17]"""
    x, y, z = n[..., 0], n[..., 1], n[..., 2]
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    rows = [[1.0 + sign * x * x * a, b, x], [sign * b, sign + y * y * a, y], [-sign * x, -y, z]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _carried(T: Array, n: Array, to: Array) -> Array:
    """Return tangents turned by the smallest rotation that brings n to another direction."""
    axis, cosine = cross(n, to)[..., None, :], _dot(n, to)[..., None, None]
    t = np.swapaxes(T, -1, -2)
    once = cross(axis, t)
    return np.swapaxes(t + once + cross(axis, once) / np.maximum(1.0 + cosine, 1e-3), -1, -2)


def _solved(A: Array, b: Array) -> Array:
    """Return A⁻¹ b; not finite where A has no inverse."""
    try:
        return np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        singular = ~(np.abs(np.linalg.det(A)) > 0)
        A = np.where(singular[..., None, None], np.eye(4), A)
        return np.where(singular[..., None], np.nan, np.linalg.solve(A, b[..., None])[..., 0])
