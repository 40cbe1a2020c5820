"""Contact joints whose surfaces may part: six velocities, of which those of the contact are free while they touch."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry.surfaces import Surface
from motiform.motion.tree.contact_joints import columns as contact_joint_columns
from motiform.motion.tree.contact_joints.gaps import quick_gap
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.contact_joints.nearest import Nearest, nearest
from motiform.motion.tree.contact_joints.pairs import VELOCITIES
from motiform.motion.tree.model.joint import Array
from motiform.spatial import Transform, normalize_quaternion, quaternion_from_rotation
from motiform.spatial.checks import Words, as_floats

__all__ = ["LeavingContact"]


class LeavingContact(ContactJoint):
    """Two surfaces that touch, part, and land again.

    By itself it is a free joint: its velocities are all six of body 2 against body 1, at L and in its axes, and L is
    fixed in body 2. A run holds it in contact while that presses: then it is `held`, and the other velocities are zero.
    """

    leaves = True

    def __init__(
        self, surface1: Surface, surface2: Surface, options: Mapping[str, Any], *, restitution: float = 0.0,
        names: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(surface1, surface2, **options)
        free = self.columns
        self.restitution = as_floats(restitution, where="restitution of a contact joint").item()
        self.columns, self.nv = tuple(range(6)), 6
        self.named = names is not None
        self.names = (*VELOCITIES, "vz") if names is None else tuple(names)
        if len(self.names) != self.nv:
            got, allowed = Words(f"{self.names}"), "six names: wx, wy, wz, vx, vy, vz"
            raise InputError("a contact joint must have a name for each velocity", got=got, allowed=allowed)
        self.units = ("rad",) * 3 + ("m",) * 3
        self.held = ContactJoint(*self.surfaces, **options, names=[self.names[k] for k in free])
        """The joint while the surfaces touch."""
        self.held.named = self.named

    @property
    def forbidden(self) -> tuple[int, ...]:
        """Which turns, 0 to 2, are none while the surfaces touch."""
        return tuple(k for k in range(3) if k not in self.held.columns)

    @property
    def bound(self) -> float:
        """Greatest friction over the normal force: infinite for what never slips."""
        return (self.friction or 0.0) if self.sliding else np.inf

    def check(self, where: str = "contact joint") -> None:
        """Raise an error that names the place if the surfaces cannot touch and part as asked."""
        self.held.check(where)
        if not 0 <= self.restitution <= 1:
            got, allowed = self.restitution, "from 0 to 1"
            raise InputError("restitution is out of range", where=where, got=got, allowed=allowed)
        if not self.sliding and self.friction is not None:
            raise InputError(
                "a contact with release and friction must be able to slide",
                where=where,
                got=Words(f"{self!r} with friction {self.friction:g}"),
                remedy="Say sliding=True; without friction= it never slips.",
            )
        if self.pair.contact == "point" and not (self.rolling and self.spin):
            raise InputError(
                "a contact with release must not hold rotation", where=where, got=Words(f"{self!r}"),
                allowed="rolling and spin left free",
            )  # fmt: skip

    def numbers(self) -> Array:
        """Return the constants of the joint for kernels, as laid out in `columns`."""
        block = super().numbers()
        block[contact_joint_columns.CONTACT] = contact_joint_columns.APART
        return block

    # ---- configuration ----------------------------------------------------------------------------------------------
    def apart(self, T_1_2: Transform) -> Array:
        """Return the configuration (14,) of a pose of body 2 in body 1 whose surfaces need not touch.

        L is at the point of surface 2 that is nearest to surface 1.
        """
        if not isinstance(T_1_2, Transform) or T_1_2.batch:
            got, allowed = repr(T_1_2), "a Transform"
            raise InputError("the pose of body 2 in body 1 must be a single Transform", got=got, allowed=allowed)
        self.check()
        T = self.poses[0].inverse() @ T_1_2 @ self.poses[1]
        found = nearest(self.held, T.rotation[None], T.translation[None], repr(self))
        L2 = Transform(found.frames[3][0], found.frames[2][0])
        L1 = T @ L2
        return np.concatenate([L1.translation, L1.quaternion, L2.translation, L2.quaternion])

    def raised(self, q: ArrayLike, gap: float) -> Array:
        """Return the configuration with body 2 moved from body 1 by a gap [m] along the normal, (..., 14)."""
        q = self._checked(q).copy()
        q[..., :3] += gap * self._frames(q)[1][..., 2]
        return q

    def nearest(self, q: ArrayLike) -> Nearest:
        """Return the contact frame at the nearest points of the surfaces, (N, ...), for configurations (N, 14)."""
        p1, R1, p2, R2 = self._frames(q)
        R = R1 @ np.swapaxes(R2, -1, -2)
        return nearest(self.held, R, p1 - (R @ p2[..., None])[..., 0], repr(self))

    def gap(self, q: Array, *, exact: bool = False) -> float:
        """Return the gap of one configuration [m]; where it is wide a part that is certain, unless `exact`."""
        found = quick_gap(self.held, q, exact)
        return float(self.nearest(q[None]).off[0, 5]) if found is None else found

    def landed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return configuration and velocities of one state with L at the nearest points of the surfaces."""
        p1, R1, p2, R2 = (x[0] for x in self.nearest(q[None]).frames)
        q1 = np.concatenate([p1, quaternion_from_rotation(R1), p2, quaternion_from_rotation(R2)])
        return q1, np.linalg.solve(self.subspace(q1), self.subspace(q) @ v)

    def repair(self, q: ArrayLike) -> Array:
        """Return the configuration with quaternions of length 1."""
        P = self.halves(q)
        turn = normalize_quaternion(P[..., 3:])
        return np.concatenate([P[..., :3], turn], axis=-1).reshape(*P.shape[:-2], 14)

    def rates(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return the twists of L relative to surface 1 and to surface 2, in L, (..., 6): that of body 2, and none."""
        t, q = self._twist(v), self._checked(q)
        t = np.broadcast_to(t, (*np.broadcast_shapes(q.shape[:-1], t.shape[:-1]), 6))
        return t, np.zeros_like(t)
