"""Solids that points can touch: static, moved by a function of time, or carried by a segment."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.geometry.search.closest import pack_solids, pose_rows
from motiform.motion.matter.engine.columns import CAPPED, NO_FRICTION, STICKING
from motiform.motion.matter.engine.layouts import SolidPoses, Spinning, Touching
from motiform.motion.matter.model.network import Network, NetworkSolid
from motiform.motion.run.functions import call
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform.base.kernels import Device
    from motiform.motion.matter.engine.spins import Spins

__all__ = ["DeviceSolids", "asked_pose"]


class DeviceSolids:
    """The solids of a network on a device.

    The force on a point is the law of the gap between its ball and the surface, along the outward normal, and friction
    across it. Velocities are those against the place of the solid that is where the point is: the pose of a moving
    solid at this sample and at the one before it, so its function is asked from one step before the start on.
    """

    def __init__(
        self, device: "Device", network: Network, pad: int, spins: "Spins | None" = None, *, wrenches: bool = False
    ) -> None:
        self.device, self.solids, self.rate, self.pad = device, network.solids, network.frequency, pad
        self.wrenches = wrenches
        """Whether the forces of each solid on each point are kept, which wrenches are summed from."""
        put, count = device.array, len(network.solids)
        packed = pack_solids([(solid.shape, solid.placement) for solid in network.solids])
        self.points = np.unique(np.concatenate([solid.points for solid in network.solids]))
        self.size = len(self.points)
        kinds = np.array([_has_friction(solid) for solid in network.solids], np.int64)
        self._remembers = bool((kinds == STICKING).any())
        turns = network.inertia[self.points] > 0 if spins is not None else np.zeros(1, bool)
        self._spins = spins if turns.any() else None
        self._touching = Touching(
            members=put(self.points + pad),
            meets=put(np.array([np.isin(self.points, solid.points) for solid in network.solids], np.uint8)),
            radius=put(network.radius[self.points]),
            turns=put(turns.astype(np.uint8)),
            table=put(np.concatenate([_row(solid) for solid in network.solids])),
            cutoff=put(np.array([float(solid.law.cutoff) for solid in network.solids])),
            rubs=put(kinds),
            rub=put(np.array([_friction_law(solid) for solid in network.solids])),
            per_step=network.frequency,
        )
        resists = any(solid.friction is not None and solid.friction.resists for solid in network.solids)
        planes = 7 if resists and self._spins is not None else 3
        self._memory = put(np.zeros((planes, count, self.size) if self._remembers else (3, 1, 1)))
        none = put(np.zeros((3, 1)))
        self._none = Spinning(0, none, none, put(np.zeros(1)))
        self._shapes = tuple(put(array) for array in packed.arrays[1:])
        self._rows = np.array(packed.poses)
        self._rows_before = self._rows.copy()
        self._moving_host = np.array([solid.motion is not None for solid in network.solids])
        self._placed_at: int | None = None
        self._put_poses()
        self._own: Any = put(np.zeros((1, 1, 1)))
        self._kept = False
        self._passed = put(np.full(count, -1, np.int64))

    # ---- where they are ---------------------------------------------------------------------------------------------

    def carry(self, which: np.ndarray, poses: np.ndarray, before: np.ndarray) -> None:
        """Put some solids where others carry them: rows of poses (solids, 12), now and one step before."""
        self._moving_host[which] = True
        self._rows[which], self._rows_before[which] = poses, before
        self._put_poses()

    def _place(self, sample: int) -> None:
        """Ask the moving solids where they are."""
        if self._placed_at == sample:
            return
        for n, solid in enumerate(self.solids):
            if solid.motion is not None:
                known = self._placed_at == sample - 1
                self._rows_before[n] = self._rows[n] if known else _row_at(solid, (sample - 1) / self.rate)
                self._rows[n] = _row_at(solid, sample / self.rate)
        self._placed_at = sample
        if any(solid.motion is not None for solid in self.solids):
            self._put_poses()

    def _put_poses(self) -> None:
        put = self.device.array
        self._placed = SolidPoses(put(self._moving_host.astype(np.uint8)), put(self._rows), put(self._rows_before))

    @property
    def poses(self) -> np.ndarray:
        """Where the solids are: rotation by rows, then translation [m], world from solid, (solids, 12)."""
        return self._rows.copy()

    # ---- what they do -----------------------------------------------------------------------------------------------

    def act(self, sample: int, x: Any, before: Any, forces: Any) -> None:
        """Add the forces of the solids on points: forces[axis, mass] at positions x and those of the sample before."""
        from motiform.motion.matter.engine import solid_kernels

        self._place(sample)
        if self.wrenches and not self._kept:
            self._kept = True
            self._own = self.device.array(np.zeros((len(self.solids), 6 if self._spins else 3, self.size)))
        self._x, spins = x, self._spins
        rotations = self._none if spins is None else Spinning(1, spins.rates, spins.torques, spins.lost)
        self.device.launch(
            solid_kernels.solid_forces, self.size, sample, x, before, self._touching, self._placed, self._shapes,
            rotations, self._memory, int(self.wrenches), self._own, self._passed, forces, least=512,
        )  # fmt: skip
        if self.wrenches:
            self._sum()

    def _sum(self) -> None:
        """Sum the wrenches of the step, while the positions that they belong to are still there."""
        from motiform.motion.matter.engine import solid_kernels

        device, count = self.device, len(self.solids)
        parts = device.empty((count, -(-self.size // solid_kernels.BLOCK), 6))
        launch = device.launch
        elements = count * parts.shape[1]
        launch(
            solid_kernels.wrench_parts, elements, self._x, self._touching.members, self._own, self._placed.poses, parts,
            least=4,
        )  # fmt: skip
        while parts.shape[1] > 1:
            sums = device.empty((count, -(-parts.shape[1] // solid_kernels.BLOCK), 6))
            launch(solid_kernels.sum_parts, count * sums.shape[1], parts, sums, least=4)
            parts = sums
        self._parts = parts

    def solid_wrenches(self) -> np.ndarray:
        """Return what points did to each solid in the last step, (solids, 6): moment about its frame's origin, force.

        World axes [N m, N]; only where `wrenches` are asked for. The order of the sums depends on their number alone.
        """
        self._check_kept()
        return self.device.host(self._parts)[:, 0]

    def contact_forces(self) -> np.ndarray:
        """Return the forces on points in the last step [N], (solids, points, 3), in the order of `points`."""
        self._check_kept()
        return np.ascontiguousarray(self.device.host(self._own)[:, :3].transpose(0, 2, 1))

    @property
    def passed(self) -> dict[str, int]:
        """First step in which a point passed through a solid, or its middle, by solid."""
        steps = self.device.host(self._passed)
        return {solid.name: int(step) for solid, step in zip(self.solids, steps, strict=True) if step >= 0}

    def _check_kept(self) -> None:
        if not self.wrenches or not self._kept:
            raise InputError("forces of solids were not kept", remedy="Set wrenches=True before the step.")

    # ---- checkpoints ------------------------------------------------------------------------------------------------

    def checkpoint(self) -> dict[str, Any]:
        """Return what the next steps depend on: how far points that stick are held off."""
        return {"memory": self.device.host(self._memory)} if self._remembers else {}

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        if self._remembers:
            self._memory = self.device.array(np.asarray(kept["memory"], float))


def _row(solid: NetworkSolid) -> np.ndarray:
    try:
        return solid.law.rows(1, np.zeros(1))
    except InputError as error:
        raise InputError(
            "a law of a solid has one number of each kind", where=f"solid {solid.name!r}", got=solid.law.name,
            remedy="Give radii to the points, or add the solid once for each kind of points.",
        ) from error  # fmt: skip


def _has_friction(solid: NetworkSolid) -> int:
    rub = solid.friction
    return NO_FRICTION if rub is None or not rub.acts else STICKING if rub.stiffness > 0 else CAPPED


def _friction_law(solid: NetworkSolid) -> tuple[float, ...]:
    rub = solid.friction
    return (0.0,) * 5 if rub is None else (rub.limit, rub.stiffness, rub.damping, rub.rolling, rub.torsion)


def _row_at(solid: NetworkSolid, t: float) -> np.ndarray:
    return np.asarray(pose_rows([asked_pose(solid, t)])[0])


def asked_pose(solid: NetworkSolid, t: float) -> Transform:
    """Return the pose given by a solid's function, checked."""
    where = f"motion of solid {solid.name!r}, t = {t:.6g} s"
    pose = call(solid.motion, t, what="it", where=where)  # type: ignore[arg-type]
    if not isinstance(pose, Transform) or pose.batch:
        raise InputError(
            "the function returned a wrong value", where=where, got=repr(pose)[:80], allowed="a single Transform"
        )
    if not (np.isfinite(pose.rotation).all() and np.isfinite(pose.translation).all()):
        raise RunError("the function returned numbers that are not finite", where=where)
    return pose
