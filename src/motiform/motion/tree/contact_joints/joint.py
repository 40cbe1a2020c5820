"""The contact joint: two surfaces that roll, slide and spin on each other in permanent contact.

The contact frame L stands at the contact point, its third axis n along the outward normal of surface 1 (the parent's).
It belongs to neither body: a configuration keeps it in the coordinates of either surface, q = (p1, quaternion1, p2,
quaternion2), 14 numbers with five freedoms. Velocities are those of body 2 relative to body 1 at the contact point, in
the axes of L, of which the free ones are kept: (ωx, ωy) roll, ωz spins, (vx, vy) slide.  [ContactJoints 1, 2]
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry.surfaces import ConeSurface, Surface
from motiform.motion.tree.contact_joints import columns as contact_joint_columns
from motiform.motion.tree.contact_joints import start as contact_start
from motiform.motion.tree.contact_joints import steps as contact_steps
from motiform.motion.tree.contact_joints.equations import (
    Frames,
    Surfaces,
    flat_rates,
    point_rates,
    relative_curvature,
    turn_of_line,
)
from motiform.motion.tree.contact_joints.pairs import VELOCITIES, check_pair, pair_of
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.joint import Array, Joint
from motiform.spatial import (
    Transform,
    cross_motion,
    multiply_quaternions,
    normalize_quaternion,
    rotation_from_quaternion,
)
from motiform.spatial.checks import Words, as_floats

__all__ = ["ContactJoint"]

Method = Literal["rkmk4", "rk4", "expmid", "exp", "torus"]


class ContactJoint(Joint):
    """Two surfaces in contact; made by `joints.contact`.

    Which velocities are free is decided here and does not change: those asked for, less those that a contact along a
    line or on a face forbids. Along a line the first axis of L is that line, and stays so.
    """

    nq = 14
    quaternions = (3, 10)
    q_names = tuple(
        f"{what}{k}_{axis}" for k in (1, 2) for what, axes in (("p", "xyz"), ("q", "wxyz")) for axis in axes
    )
    q_units = (*("m",) * 3, *("",) * 4) * 2
    leaves = False
    """Whether the surfaces may part, see `LeavingContact`."""

    def __init__(
        self, surface1: Surface, surface2: Surface, *, pose1: Transform | None = None, pose2: Transform | None = None,
        sliding: bool = False, rolling: bool = True, spin: bool = True, gauge: float = 0.0, line: bool = False,
        friction: float | None = None, names: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.friction = None if friction is None else _coefficient(friction)
        self.surfaces = _surfaces(surface1, surface2)
        self.poses = _pose(pose1), _pose(pose2)
        self.sliding, self.rolling, self.spin, self.line = bool(sliding), bool(rolling), bool(spin), bool(line)
        self.gauge = as_floats(gauge, where="gauge of a contact joint").item()
        self.pair = pair_of(surface1, surface2, self.line)
        asked = ((0, 1) if rolling else ()) + ((2,) if spin else ()) + ((3, 4) if sliding else ())
        self.columns = tuple(k for k in asked if k not in self.pair.forbidden)
        self.nv = len(self.columns)
        self.named = names is not None
        self.names = tuple(VELOCITIES[k] for k in self.columns) if names is None else tuple(names)
        if len(self.names) != self.nv:
            raise InputError(
                "a contact joint must have a name for each velocity",
                got=Words(f"{self.names}"),
                allowed=f"{self.nv} names",
            )
        self.units = tuple("rad" if k < 3 else "m" for k in self.columns)
        self.code = (
            tree_columns.GIVEN
            if any(s.kind in ("parametric", "implicit") for s in self.surfaces)
            else tree_columns.CONTACT
        )

    def __repr__(self) -> str:
        return f"contact({self.surfaces[0]!r}, {self.surfaces[1]!r}; {', '.join(self.names)})"

    def check(self, where: str = "contact joint") -> None:
        """Raise an error that names the place if the surfaces cannot touch as asked."""
        if not self.nv:
            raise InputError(
                "a contact must leave a freedom", where=where, got=Words(f"{self!r}"),
                allowed="at least one of sliding, rolling, spin that the surfaces permit",
                remedy="Take joints.fixed().",
            )  # fmt: skip
        check_pair(*self.surfaces, self.pair, rolling=self.rolling, line=self.line, gauge=self.gauge, where=where)
        if self.sliding and self.friction and self.pair.contact != "point" and 2 in self.columns:
            raise InputError(
                "along a line and on a face all points must slide at one velocity for friction to be known",
                where=where, got=Words(f"{self!r} with friction {self.friction:g}"), allowed="no spin about the normal",
                remedy="Say spin=False, or leave out friction.",
            )  # fmt: skip

    def numbers(self) -> Array:
        """Return the constants of the joint for kernels, as laid out in `columns`."""
        from motiform.geometry.surfaces.kernels import KINDS

        block = np.zeros(contact_joint_columns.SIZE)
        for at, pose in zip(contact_joint_columns.POSE, self.poses, strict=True):
            block[at : at + 12] = np.concatenate([pose.rotation.ravel(), pose.translation])
        for at, surface in zip(contact_joint_columns.SURFACE, self.surfaces, strict=True):
            lengths = _lengths(surface)
            block[at : at + 2 + len(lengths)] = KINDS[surface.kind], surface.sign, *lengths
        block[contact_joint_columns.GAUGE], block[contact_joint_columns.FOLLOW], block[contact_joint_columns.COUNT] = (
            self.gauge,
            self.pair.follow,
            self.nv,
        )
        block[contact_joint_columns.CONTACT] = {
            "point": contact_joint_columns.POINT,
            "line": contact_joint_columns.LINE,
            "face": contact_joint_columns.FACE,
        }[self.pair.contact]
        block[contact_joint_columns.COLUMNS : contact_joint_columns.COLUMNS + self.nv] = self.columns
        return block

    # ---- configuration ----------------------------------------------------------------------------------------------
    def neutral(self) -> Array:
        """Return the contact of a default point of each surface, (14,), the bodies crossed if need be.

        Where the surfaces would overlap there, `configuration` with points of your own is needed.
        """
        self.check()
        return contact_start.neutral(self)

    def configuration(
        self,
        p1: ArrayLike | None = None,
        p2: ArrayLike | None = None,
        *,
        direction: ArrayLike | None = None,
        yaw: ArrayLike = 0.0,
        normal1: ArrayLike | None = None,
        normal2: ArrayLike | None = None,
    ) -> Array:
        """Return the configuration (..., 14) in which points [m] of the two surfaces meet.

        `p1` and `p2`, in the coordinates of their surfaces, are projected on them. `direction`, in those of surface 1,
        is that of the first axis of L. The child is turned as little as possible against its parent, then by `yaw`
        [rad] about the outward normal of surface 1. An edge also needs its outward normal: radial unless given.
        """
        self.check()
        return contact_start.configuration(self, p1, p2, direction, yaw, normal1, normal2)

    def touch(
        self, T_1_2: Transform, *, p1: ArrayLike | None = None, p2: ArrayLike | None = None, tolerance: float = 1e-3
    ) -> Array:
        """Return the configuration (14,) nearest to a pose of body 2 in body 1 that is almost a contact.

        The points with a common normal are found by Newton's method, from `p1` and `p2` (coordinates of the surfaces)
        if given. Bodies whose gap or overlap is above the tolerance [m] are refused.
        """
        self.check()
        return contact_start.touch(self, T_1_2, p1, p2, tolerance)

    def frames(self, q: ArrayLike) -> tuple[Transform, Transform]:
        """Return the contact frame in body 1 and in body 2, (T_1_L, T_2_L)."""
        p1, R1, p2, R2 = self._frames(q)
        L1, L2 = Transform._trusted(R1, p1, None), Transform._trusted(R2, p2, None)
        return self.poses[0] @ L1, self.poses[1] @ L2

    def transform(self, q: ArrayLike) -> Transform:
        """Return the pose of body 2 in body 1."""
        T_1_L, T_2_L = self.frames(q)
        return T_1_L @ T_2_L.inverse()

    def gaps(self, q: ArrayLike) -> Array:
        """Return how far L is off: distance [m] and angle [rad] from surface 1, then from surface 2, (..., 4)."""
        p1, R1, p2, R2 = self._frames(q)
        found = []
        for surface, p, R, sign in zip(self.surfaces, (p1, p2), (R1, R2), (1.0, -1.0), strict=True):
            n = R[..., :, 2]
            foot, m = surface.project(p, sign * n)
            found += [np.linalg.norm(foot - p, axis=-1), np.linalg.norm(sign * m - n, axis=-1)]
        return np.stack(found, axis=-1)

    def charts(self, q: ArrayLike) -> Array:
        """Return the coordinates (u1, v1, u2, v2) of the contact point on the two surfaces, (..., 4)."""
        p1, _, p2, _ = self._frames(q)
        return np.concatenate([self.surfaces[0].chart(p1), self.surfaces[1].chart(p2)], axis=-1)

    def relative_curvature(self, q: ArrayLike) -> Array:
        """Return the eigenvalues of K1 + K2 [1/m], smaller first, (..., 2); a point contact needs both above zero."""
        return relative_curvature(self.surfaces, self._frames(q))[0]

    def repair(self, q: ArrayLike) -> Array:
        """Return the configuration put back on both surfaces, by the smallest rotation of L.  [ContactJoints 6]"""
        q = self._checked(q)
        p1, R1, p2, R2 = self._frames(q)
        parts = []
        for body, p, R, sign in ((0, p1, R1, 1.0), (1, p2, R2, -1.0)):
            foot, n = self.surfaces[body].project(p, sign * R[..., :, 2])
            turn = normalize_quaternion(q[..., 7 * body + 3 : 7 * body + 7])
            turn = contact_start.turned_to(turn, 2, sign * n)
            if self.pair.contact == "line" and self.surfaces[body].kind != "plane":
                turn = contact_start.turned_to(turn, 0, self.surfaces[body].line(foot), either=True)
            parts += [foot, turn]
        return np.concatenate(parts, axis=-1)

    # ---- motion -----------------------------------------------------------------------------------------------------
    def rates(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return the twists of L relative to surface 1 and to surface 2, in L, both (..., 6).  [ContactJoints 4]

        ṡ1 − ṡ2 = v and K1 ṡ1 + K2 ṡ2 = (ωy, −ωx): two surfaces part nowhere and keep one normal.
        """
        frames, t = self._frames(q), self._twist(v)
        w, slip = np.stack([t[..., 1], -t[..., 0]], axis=-1), t[..., 3:5]
        batch = np.broadcast_shapes(frames[0].shape[:-1], t.shape[:-1])
        w, slip = np.broadcast_to(w, (*batch, 2)), np.broadcast_to(slip, (*batch, 2))
        if self.pair.contact == "point":
            s1, s2, m1 = point_rates(self.surfaces, frames, w, slip, repr(self))
        else:
            s1, s2, m1 = flat_rates(self.surfaces, self.pair, frames, w, slip, repr(self))
        spin = np.broadcast_to(self._spin_of_frame(frames, t[..., 2], s1, s2), batch)
        omega = np.stack([-m1[..., 1], m1[..., 0], spin], axis=-1)
        zero = np.zeros((*batch, 1))
        return (np.concatenate([omega, s1, zero], axis=-1), np.concatenate([omega - t[..., :3], s2, zero], axis=-1))

    def _spin_of_frame(self, frames: Frames, spin: Array, s1: Array, s2: Array) -> Array:
        """Return how fast L turns about its normal in body 1: the gauge's share of the spin, or with a line."""
        p1, R1, p2, R2 = frames
        if self.pair.follow == 1:
            return turn_of_line(self.surfaces[0], p1, R1[..., 0], s1[..., 1])
        if self.pair.follow == 2:
            return spin + turn_of_line(self.surfaces[1], p2, R2[..., 0], s2[..., 1])
        return self.gauge * spin

    def rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return dq/dt, (..., 14): ṗ = R ṡ, and ½ quaternion (0, Ω)."""
        P, xi = self.halves(q), np.stack(self.rates(q, v), axis=-2)
        pure = np.concatenate([np.zeros_like(xi[..., :1]), 0.5 * xi[..., :3]], axis=-1)
        moved = (rotation_from_quaternion(P[..., 3:]) @ xi[..., 3:, None])[..., 0]
        rate = np.concatenate([moved, multiply_quaternions(P[..., 3:], pure)], axis=-1)
        return rate.reshape(*rate.shape[:-2], 14)

    def subspace(self, q: ArrayLike) -> Array:
        """Return S, (..., 6, nv): the free unit twists of L, seen in body 2.  [ContactJoints 5]"""
        return self.frames(q)[1].motion_matrix()[..., self.columns]

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return dS/dt, (..., 6, nv): the axes move in body 2 as L does.  [ContactJoints 5]"""
        xi2 = self.rates(q, v)[1][..., None, :]
        moved = cross_motion(xi2, np.eye(6)[list(self.columns)])
        return self.frames(q)[1].motion_matrix() @ np.swapaxes(moved, -1, -2)

    def bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return dS/dt v, (..., 6)."""
        return self.frames(q)[1].motion(cross_motion(self.rates(q, v)[1], self._twist(v)))

    def advance(
        self, q: ArrayLike, v: ArrayLike | Callable[[float], ArrayLike], h: float, method: Method = "rkmk4"
    ) -> Array:
        """Return the configuration one step of h [s] later, at constant v or at v(t), t from 0 to h.

        "rkmk4" and "rk4" are of fourth order; "exp" (one twist) is exact where curvatures are constant in L, as is
        "expmid", its midpoint rule of second order elsewhere. "torus" goes plane by plane, which is wrong by a fixed
        amount where the principal directions cross.  `repair` after a step puts L back on the surfaces.
        """
        time = as_floats(h, where="step of a contact").item()
        velocity = v if callable(v) else lambda _: v
        return contact_steps.step(self, self._checked(q), lambda t: np.asarray(velocity(t), float), time, method)

    def wrench(self, q: ArrayLike, f: ArrayLike) -> tuple[Array, Array]:
        """Return moment [N·m] and force [N] on body 2 at the contact point, in L, (..., 3) each.

        `f` is the joint's wrench on the child, (..., 6), at its origin and in its axes. The force's third number is
        what presses the bodies together; at zero they part.  [ContactJoints 7]
        """
        g = self.frames(q)[1].inverse().force(f)
        return g[..., :3], g[..., 3:]

    # ---- what comes in ----------------------------------------------------------------------------------------------
    def _checked(self, q: ArrayLike) -> Array:
        return as_floats(q, 14, where=f"configuration of {self!r}")

    def halves(self, q: ArrayLike) -> Array:
        """Return the pose (point, quaternion) of L in surface 1 and in surface 2, (..., 2, 7)."""
        q = self._checked(q)
        return q.reshape(*q.shape[:-1], 2, 7)

    def _frames(self, q: ArrayLike) -> Frames:
        P = self.halves(q)
        R = rotation_from_quaternion(P[..., 3:])
        return P[..., 0, :3], R[..., 0, :, :], P[..., 1, :3], R[..., 1, :, :]

    def _twist(self, v: ArrayLike) -> Array:
        """Return the twist of body 2 relative to body 1 in L, (..., 6)."""
        v = as_floats(v, self.nv, where=f"velocities of {self!r}")
        t = np.zeros((*v.shape[:-1], 6))
        t[..., self.columns] = v
        return t


def _surfaces(*surfaces: Surface) -> Surfaces:
    for number, surface in enumerate(surfaces, start=1):
        if not isinstance(surface, Surface):
            raise InputError(
                f"surface {number} of a contact must be a surface",
                got=Words(f"{surface!r}"),
                allowed="plane(), sphere(radius), ... of motiform.geometry.surfaces",
            )
    return surfaces[0], surfaces[1]


def _pose(pose: Transform | None) -> Transform:
    if pose is None:
        return Transform.identity()
    if not isinstance(pose, Transform) or pose.batch:
        raise InputError(
            "the pose of a surface must be a Transform", got=Words(f"{pose!r}"), allowed="one Transform, or None"
        )
    return Transform(pose.rotation, pose.translation)


def _lengths(surface: Surface) -> tuple[float, ...]:
    """Return the lengths of a surface for kernels; of a cone sine and cosine of its half angle."""
    if isinstance(surface, ConeSurface):
        return float(np.sin(surface.half_angle)), float(np.cos(surface.half_angle))
    named = [getattr(surface, name) for name in ("radius", "ring", "tube") if hasattr(surface, name)]
    return tuple(getattr(surface, "radii", named))


def _coefficient(friction: float) -> float:
    given = as_floats(friction, where="friction of a contact joint")
    if given.size != 1:
        raise InputError("friction must be one number", got=f"shape {given.shape}", allowed="zero or more")
    found = given.item()
    if found < 0:
        raise InputError("friction must not be negative", got=found, allowed="zero or more")
    return found
