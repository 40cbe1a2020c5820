"""OpenSim's ConstantCurvatureJoint: a rod of constant length that bends to an arc of a circle, as a part of a spine."""

from collections.abc import Sequence
from math import comb, factorial

import numpy as np
from numpy.polynomial import Polynomial as Power

from motiform.motion.tree.model.joint import Array, Joint, as_limits
from motiform.spatial import Transform, rotation_from_euler, skew

__all__ = ["CurvatureJoint"]

# With w = 1 − cos θ: θ² = 2 Σ (2w)ⁿ / (n² C(2n, n)), which converges for θ below 180°; at 90° to 2⁻⁶⁰ with 60 terms.
_SQUARE = Power([0.0] + [2.0 * 2.0**n / (n * n * comb(2 * n, n)) for n in range(1, 61)])
_SINE = Power([(-1.0) ** k / factorial(2 * k + 1) for k in range(14)])  # sin θ / θ in powers of θ²
_COSINE = Power([(-1.0) ** k / factorial(2 * k + 2) for k in range(14)])  # (1 − cos θ) / θ²


class CurvatureJoint(Joint):
    """Turns about x, z and y, and the end of an arc of `length` [m] that leaves along y and ends along the turned y.

    The third coordinate is a twist alone. `neutral_angles` are added to the coordinates; `tail` is the child frame at
    the end of the arc. Coordinates in `held`, by number, stand at their values and are none of the joint.
    """

    def __init__(
        self, length: float, neutral_angles: Array, tail: Transform, names: Sequence[str], start: Array,
        limits: Array | None, held: dict[int, float],
    ) -> None:  # fmt: skip
        self.length, self.tail = float(length), tail
        self.moving = [k for k in range(3) if k not in held]
        self.base = np.array(neutral_angles, float) + [held.get(k, 0.0) for k in range(3)]
        self.names, self.named, self.start = tuple(names), True, np.array(start, float)
        self.nq = self.nv = len(self.moving)
        self.units = ("rad",) * self.nv
        self.limits = as_limits(limits, self.nv, f"curved joint of {', '.join(self.names)}")

    @property
    def plain(self) -> bool:
        """Return that velocities are the derivatives of the coordinates."""
        return True

    def neutral(self) -> Array:
        """Return the default values."""
        return self.start.copy()

    def _angles(self, q: Array) -> Array:
        found = np.broadcast_to(self.base, (*np.shape(q)[:-1], 3)).copy()
        found[..., self.moving] += q
        return found

    def transform(self, q: Array) -> Transform:
        """Return the child frame in the joint's frame."""
        angles = self._angles(np.asarray(q, float))
        return Transform(rotation_from_euler(angles, "xzy"), self._arc(angles)[0]) @ self.tail

    def subspace(self, q: Array) -> Array:
        """Return S, (..., 6, nv)."""
        angles = self._angles(np.asarray(q, float))
        R, slopes = rotation_from_euler(angles, "xzy"), self._arc(angles)[1]
        return self._carried(np.concatenate([_turning(angles), np.swapaxes(R, -1, -2) @ slopes], axis=-2))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        """Return dS/dt as seen in the child."""
        angles = self._angles(np.asarray(q, float))
        speed = np.zeros_like(angles)
        speed[..., self.moving] = v
        R, (_, slopes, bends) = rotation_from_euler(angles, "xzy"), self._arc(angles)
        back, turning = np.swapaxes(R, -1, -2), _turning(angles)
        omega = (turning @ speed[..., None])[..., 0]
        linear = back @ np.einsum("...ijk,...k->...ij", bends, speed) - skew(omega) @ back @ slopes
        return self._carried(np.concatenate([_turning_rate(angles, speed), linear], axis=-2))

    def rate(self, q: Array, v: Array) -> Array:
        """Return dq/dt."""
        return np.array(v, float)

    def advance(self, q: Array, v: Array, h: float) -> Array:
        """Return the coordinates after the time h [s]."""
        return np.asarray(q, float) + h * np.asarray(v, float)

    def _carried(self, twists: Array) -> Array:
        """Return twists (angular, linear) at the end of the arc as those of the child frame."""
        R, p = self.tail.rotation, self.tail.translation
        angular, linear = twists[..., :3, :], twists[..., 3:, :]
        return np.concatenate([R.T @ angular, R.T @ (linear - skew(p) @ angular)], axis=-2)[..., self.moving]

    def _arc(self, angles: Array) -> tuple[Array, Array, Array]:
        """Return the end of the arc (..., 3), its derivatives by the angles (..., 3, 3) and the second ones.

        It is l (B uₓ, A, B u_z) with the turned axis u = (−sin z, cos x cos z, sin x cos z), A = sin θ / θ and
        B = (1 − cos θ) / (θ sin θ), cos θ = u_y.
        """
        x, z = angles[..., 0], angles[..., 1]
        cx, sx, cz, sz, zero = np.cos(x), np.sin(x), np.cos(z), np.sin(z), np.zeros_like(x)
        w = 1.0 - cx * cz
        w1 = np.stack([sx * cz, cx * sz], -1)
        w2 = np.stack([np.stack([cx * cz, -sx * sz], -1), np.stack([-sx * sz, cx * cz], -1)], -2)
        u = np.stack([-sz, sx * cz], -1)
        u1 = np.stack([np.stack([zero, -cz], -1), np.stack([cx * cz, -sx * sz], -1)], -2)
        u2 = np.stack([_square(zero, zero, sz), _square(-sx * cz, -cx * sz, -sx * cz)], -3)
        (a, a1, a2), (b, b1, b2) = (_of_angles(f, w1, w2) for f in _factors(w))
        p, slopes, bends = (np.zeros((*x.shape, 3, *rest)) for rest in ((), (3,), (3, 3)))
        for row, k in ((0, 0), (2, 1)):
            p[..., row] = b * u[..., k]
            slopes[..., row, :2] = b1 * u[..., k, None] + b[..., None] * u1[..., k, :]
            mixed = b1[..., :, None] * u1[..., k, None, :]
            bends[..., row, :2, :2] = (
                b2 * u[..., k, None, None] + mixed + np.swapaxes(mixed, -1, -2) + b[..., None, None] * u2[..., k, :, :]
            )
        p[..., 1], slopes[..., 1, :2], bends[..., 1, :2, :2] = a, a1, a2
        return self.length * p, self.length * slopes, self.length * bends


def _square(xx: Array, xz: Array, zz: Array) -> Array:
    return np.stack([np.stack([xx, xz], -1), np.stack([xz, zz], -1)], -2)


def _factors(w: Array) -> tuple[tuple[Array, Array, Array], tuple[Array, Array, Array]]:
    """Return A and B as functions of w = 1 − cos θ, with two derivatives each."""
    s, s1, s2 = _SQUARE(w), _SQUARE.deriv()(w), _SQUARE.deriv(2)(w)
    f, f1, f2 = _SINE(s), _SINE.deriv()(s), _SINE.deriv(2)(s)
    g, g1, g2 = _COSINE(s), _COSINE.deriv()(s), _COSINE.deriv(2)(s)
    b = g / f
    b1 = (g1 - b * f1) / f
    b2 = (g2 - 2 * b1 * f1 - b * f2) / f
    return (f, f1 * s1, f2 * s1**2 + f1 * s2), (b, b1 * s1, b2 * s1**2 + b1 * s2)


def _of_angles(function: tuple[Array, Array, Array], w1: Array, w2: Array) -> tuple[Array, Array, Array]:
    """Return a function of w with its derivatives by x and z."""
    value, first, second = function
    outer = w1[..., :, None] * w1[..., None, :]
    return value, first[..., None] * w1, second[..., None, None] * outer + first[..., None, None] * w2


def _turning(angles: Array) -> Array:
    """Return the angular velocity in the turned axes for each rate of x, z and y, (..., 3, 3)."""
    z, y = angles[..., 1], angles[..., 2]
    cz, sz, cy, sy, zero = np.cos(z), np.sin(z), np.cos(y), np.sin(y), np.zeros_like(z)
    rows = [[cz * cy, -sy, zero], [-sz, zero, zero + 1.0], [cz * sy, cy, zero]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def _turning_rate(angles: Array, speed: Array) -> Array:
    z, y, vz, vy = angles[..., 1], angles[..., 2], speed[..., 1], speed[..., 2]
    cz, sz, cy, sy, zero = np.cos(z), np.sin(z), np.cos(y), np.sin(y), np.zeros_like(z)
    rows = [
        [-sz * cy * vz - cz * sy * vy, -cy * vy, zero],
        [-cz * vz, zero, zero],
        [-sz * sy * vz + cz * cy * vy, -sy * vy, zero],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)
