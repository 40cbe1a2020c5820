"""Coupled steps of matter and a figure: forces at an instant, then both move."""

from typing import Any

import numpy as np

from motiform.base.errors import RunError
from motiform.base.machine import check_steps
from motiform.motion.coupled.figure import MovedFigure
from motiform.motion.coupled.parts import Frames, Joined
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.tree import forward_kinematics
from motiform.motion.tree.model.joint import Array

__all__ = ["CoupledEngine"]


class CoupledEngine:
    """An engine of matter whose carried solids and points follow a figure, which feels them.

    The forces of a sample come from the places of both at that sample and at the one before it; the figure takes the
    same forces, with the other sign, in the same step.
    """

    def __init__(
        self, joined: Joined, figure: MovedFigure, *, reaction: bool, device: str = "cpu",
        checkpoint: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.network = joined.network
        self.joined, self.moved, self.reaction = joined, figure, reaction
        network = joined.network
        self.matter = Engine.resume(network, checkpoint and checkpoint["matter"], device=device)
        if checkpoint is not None:
            figure.restore(checkpoint["figure"])
        put = self.matter.device.array
        self._carried = put(joined.points + self.matter._pad) if len(joined.points) else None
        if self.matter._solids is not None:
            self.matter._solids.wrenches = bool(len(joined.solids))
        self._before, self._now = self._frames(figure.q_before), self._frames(figure.q)
        self.events = getattr(figure, "events", [])
        """What happened at the start."""
        segments = len(figure.figure.segments)
        self.wrenches = np.zeros((segments, 6)) if checkpoint is None else np.array(checkpoint["wrenches"], float)
        """Of matter on the segments in the last step, (segments, 6): moment about the origin, force, world axes."""

    @property
    def sample(self) -> int:
        """Number of the step that it is at."""
        return self.matter.sample

    def _frames(self, q: Array) -> Frames:
        R, p = forward_kinematics(self.moved.figure, q)
        return R, p

    def advance(self, steps: int = 1) -> None:
        """Take steps."""
        check_steps(steps)
        for _ in range(steps):
            self._step()
        self.matter.check()

    def _step(self) -> None:
        from motiform.motion.matter.engine import mass_kernels

        matter, joined, n = self.matter, self.joined, self.sample
        if len(joined.solids):
            matter._solids.carry(joined.solids, joined.solid_rows(*self._now), joined.solid_rows(*self._before))
        matter._step()
        self.wrenches = self._felt(n)
        self.moved.step(n, self.wrenches if self.reaction else np.zeros_like(self.wrenches))
        self._before, self._now = self._now, self._frames(self.moved.q)
        if self._carried is not None:
            places = matter.device.array(joined.point_places(*self._now))
            matter.device.launch(mass_kernels.impose, len(joined.points), matter._x, self._carried, places)

    def _felt(self, sample: int) -> Array:
        """Return the wrenches that matter puts on the segments, from the forces of this step."""
        joined, (R, p) = self.joined, self._now
        found = np.zeros((len(p), 6))
        if len(joined.solids):
            felt = self.matter._solids.solid_wrenches()[joined.solids]
            arms = joined.solid_rows(R, p)[:, 9:] - p[joined.solid_segments]
            felt[:, :3] += np.cross(arms, felt[:, 3:])
            np.add.at(found, joined.solid_segments, felt)
        if self._carried is not None:
            forces = self._forces()
            arms = joined.point_places(R, p) - p[joined.point_segments]
            np.add.at(found, joined.point_segments, np.concatenate([np.cross(arms, forces), forces], axis=1))
        if not np.isfinite(found).all():
            self.matter.check()
            raise RunError(
                "the run has diverged", where=f"step {sample}, t = {sample / self.matter.network.frequency:.6g} s",
                got="a force on the figure that is not finite",
                remedy="Lower stiffness or damping, or raise the network's frequency.",
            )  # fmt: skip
        return found

    def _forces(self) -> Array:
        from motiform.motion.matter.engine.solid_kernels import pick_forces

        device, count = self.matter.device, len(self.joined.points)
        picked = device.empty((count, 3))
        device.launch(pick_forces, count, self.matter._forces, self._carried, picked, least=4096)
        return device.host(picked)

    def checkpoint(self) -> dict[str, Any]:
        """Return all data needed to continue from here with the same bits."""
        return {
            "sample": self.sample,
            "matter": self.matter.checkpoint(),
            "figure": self.moved.checkpoint(),
            "wrenches": self.wrenches.copy(),
        }
