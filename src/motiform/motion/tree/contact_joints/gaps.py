"""Gaps that need no search for the nearest points: of balls, of what lies over a plane, and of what is far apart."""

import numpy as np

from motiform.geometry.surfaces import Surface
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.contact_joints.nearest import ball_of, project
from motiform.motion.tree.model.joint import Array

__all__ = ["quick_gap"]

_WIDE = 1e-2  # share of the sizes of the surfaces: wider gaps along the line of their origins are enough


def quick_gap(joint: ContactJoint, q: Array, exact: bool = False) -> float | None:
    """Return the gap of one configuration [m], or where it is wide a part of it that is certain; None: it is sought.

    With `exact` it is the gap or None.
    """
    sides = (q[:3], q[3:7]), (q[7:10], q[10:])
    if joint.pair.contact == "face":
        return float(_seen(*sides[0], *sides[1])[2])
    ball = ball_of(joint)
    if ball:
        (p, turn), (own, back) = sides if ball == 2 else sides[::-1]
        foot, n = project(joint.surfaces[2 - ball], (x := _seen(p, turn, own, back))[None])
        return float(n[0] @ (x - foot[0])) - joint.surfaces[ball - 1].radius  # type: ignore[attr-defined]
    one, two = joint.surfaces
    for surface, other, ((p, turn), (own, back)) in ((one, two, sides), (two, one, sides[::-1])):
        if surface.kind == "plane" and joint.pair.contact == "point":
            normal = _turned(back, _turned(turn * _BACK, _UP))
            reach = _reach(other, normal)
            return None if reach is None else float(_seen(p, turn, own, back)[2]) - reach
    return None if exact else _apart(joint, sides)


def _apart(joint: ContactJoint, sides: tuple[tuple[Array, Array], tuple[Array, Array]]) -> float | None:
    """Return how far two surfaces are apart along the line of their origins, if that is wide: the gap is no less."""
    line = _seen(*sides[0], *sides[1])
    length = float(np.linalg.norm(line))
    if not length > 0:
        return None
    line = line / length
    first = _reach(joint.surfaces[0], line)
    second = _reach(joint.surfaces[1], _turned(sides[1][1], _turned(sides[0][1] * _BACK, line)))
    if first is None or second is None:
        return None
    apart = length - first - second
    return apart if apart > _WIDE * (first + second) else None


def _reach(surface: Surface, normal: Array) -> float | None:
    """Return how far a surface reaches from its origin along a line; None: it has no end."""
    if surface.inside:
        return None
    if surface.kind == "sphere":
        return float(surface.radius)  # type: ignore[attr-defined]
    if surface.kind == "ellipsoid":
        return float(np.linalg.norm(np.asarray(surface.radii) * normal))  # type: ignore[attr-defined]
    across = float(np.hypot(normal[0], normal[1]))
    if surface.kind == "torus":
        return float(surface.ring * across + surface.tube)  # type: ignore[attr-defined]
    return float(surface.radius * across) if surface.kind == "circle" else None  # type: ignore[attr-defined]


def _seen(p1: Array, turn1: Array, p2: Array, turn2: Array) -> Array:
    """Return the origin of surface 2 in the coordinates of surface 1: p1 − R1 R2ᵀ p2."""
    return p1 - _turned(turn1, _turned(turn2 * _BACK, p2))


_BACK = np.array([1.0, -1.0, -1.0, -1.0])  # the inverse of a quaternion, but for its length
_UP = np.array([0.0, 0.0, 1.0])


def _turned(quaternion: Array, v: Array) -> Array:
    """Return a vector turned by a quaternion of any length."""
    w, a, b, c = quaternion.tolist()
    x, y, z = v.tolist()
    f = 2.0 / (w * w + a * a + b * b + c * c)
    i, j, k = b * z - c * y, c * x - a * z, a * y - b * x
    return np.array([
        x + f * (w * i + b * k - c * j), y + f * (w * j + c * i - a * k), z + f * (w * k + a * j - b * i),
    ])  # fmt: skip
