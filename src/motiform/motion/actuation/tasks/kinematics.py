"""Points, frames and the centre of mass of one state: where they are, how they move, and their Jacobians."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from motiform.motion.tree import (
    Figure,
    Motion,
    centers_of_mass,
    centroidal_bias,
    centroidal_matrix,
    jacobian,
    joint_axes,
    motion,
)
from motiform.motion.tree.model.joint import Array

__all__ = ["Frame", "Moving", "StateKinematics"]


class Moving(NamedTuple):
    """A vector that depends on the state: y, dy/dt = J v, and d²y/dt² = J a + bias."""

    value: Array
    """(3,)"""
    jacobian: Array
    """(3, nv)"""
    rate: Array
    """(3,)"""
    bias: Array
    """(3,)"""

    def __sub__(self, other: "Moving") -> "Moving":
        return Moving(*(a - b for a, b in zip(self, other, strict=True)))


class Frame(NamedTuple):
    """The turn of a segment: axes in the world, and its angular velocity as a moving vector without a value."""

    rotation: Array
    """(3, 3)"""
    jacobian: Array
    """Of the angular velocity, (3, nv), world axes."""
    spin: Array
    """Angular velocity [rad/s], (3,)."""
    bias: Array
    """Angular acceleration that velocities alone make [rad/s²], (3,)."""


@dataclass(frozen=True, eq=False)
class StateKinematics:
    """What tasks ask of a state."""

    figure: Figure
    q: Array
    v: Array

    @cached_property
    def moving(self) -> Motion:
        """Poses, velocities, and accelerations that velocities alone make."""
        return motion(self.figure, self.q, self.v)

    @cached_property
    def _axes(self) -> Array:
        return joint_axes(self.figure, self.q)

    def _jacobian(self, n: int, point: Array) -> Array:
        """Return the Jacobian of a frame at a point of segment n, (6, nv), in world axes."""
        if self.figure.coupled is not None:
            return jacobian(self.figure, self.q, self.figure.names[n], point)
        x = self.moving.poses.rotation[n] @ point + self.moving.poses.position[n]
        w, u = self._axes[:, :3], self._axes[:, 3:]
        both = np.concatenate([w, u + np.cross(w, x)], axis=1) * self.figure.carried[n][:, None]
        return np.asarray(both.T)

    def point(self, n: int, point: Array) -> Moving:
        """Return a point of segment n, in world axes."""
        R, p = self.moving.poses.rotation[n], self.moving.poses.position[n]
        r, twist, rate = R @ point, self.moving.twists[n], self.moving.accelerations[n]
        o = twist[:3]
        return Moving(
            p + r, self._jacobian(n, point)[3:], twist[3:] + np.cross(o, r),
            rate[3:] + np.cross(rate[:3], r) + np.cross(o, np.cross(o, r)),
        )  # fmt: skip

    def tag(self, k: int) -> Moving:
        """Return a tag, in world axes."""
        packed = self.figure.packed
        return self.point(int(packed.tags[k]), packed.tag_points[k])

    def frame(self, n: int) -> Frame:
        """Return the frame of segment n."""
        J = self._jacobian(n, np.zeros(3))[:3]
        return Frame(self.moving.poses.rotation[n], J, self.moving.twists[n, :3], self.moving.accelerations[n, :3])

    @cached_property
    def center(self) -> Moving:
        """The centre of mass, in world axes."""
        figure, q, v = self.figure, self.q, self.v
        J = centroidal_matrix(figure, q)[3:] / figure.mass
        bias = centroidal_bias(figure, q, v)[3:] / figure.mass
        return Moving(centers_of_mass(figure, q)[-1], J, J @ v, bias)

    def seen_from(self, n: int | None, origin: Moving | None, target: Moving) -> Moving:
        """Return target − origin in the axes of segment n (None: the world).

        y = Rᵀ r:  dy/dt = Rᵀ (ṙ − ω × r),  d²y/dt² = Rᵀ (r̈ − ω̇ × r − ω × (ω × r) − 2 ω × (ṙ − ω × r)).
        """
        apart = target if origin is None else target - origin
        if n is None:
            return apart
        R, J, o, do = self.frame(n)
        r, slow = apart.value, apart.rate - np.cross(o, apart.value)
        cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
        turn = np.cross(do, r) + np.cross(o, np.cross(o, r)) + 2.0 * np.cross(o, slow)
        return Moving(R.T @ r, R.T @ (apart.jacobian + cross @ J), R.T @ slow, R.T @ (apart.bias - turn))
