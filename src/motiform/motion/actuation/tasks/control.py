"""Computed task control: efforts that make a task function follow a trajectory on given contact points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.motors import velocity_places
from motiform.motion.actuation.tasks.function import TaskFunction, prioritized
from motiform.motion.actuation.tasks.kinds import TagTask
from motiform.motion.actuation.tasks.trajectory import SUSPENDED, TaskTrajectory
from motiform.motion.run import check_number
from motiform.motion.tree import inverse_dynamics
from motiform.motion.tree.model.joint import Array

__all__ = ["TaskControl", "TaskEfforts"]

_SMALL = 1e-3  # weight of the size of contact forces beside what they must carry [1/√(N·m)]


class TaskEfforts(NamedTuple):
    """Efforts of the drives, and what they count on."""

    efforts: Array
    """[N·m or N], one for each driven coordinate."""
    acceleration: Array
    """That the model has under them, (nv,)."""
    forces: Array
    """On the points that carry, world axes [N], (points, 3)."""
    missing: float
    """[N or N·m] Largest force on undriven coordinates that no contact force gives: above zero it cannot stand so."""


@dataclass(frozen=True, eq=False)
class TaskControl:
    """d²Q/dt² = Q̈* + 2 ζ ω (Q̇* − Q̇) + ω² (Q* − Q), with points that carry held where they are.

    Accelerations follow by priorities: first those that hold the points, then the tasks. Forces of the points, within
    their friction cones, give what undriven coordinates need; drives give the rest: τ = M a + h − Jᵀ f.
    """

    function: TaskFunction
    trajectory: TaskTrajectory
    driven: Sequence[str]
    """Coordinates with drives."""
    supports: Mapping[int, Sequence[str]]
    """Tags that carry the figure, by the contact code of a phase; with code 4, those it hangs by, held in every way."""
    frequency: float = 1.5
    """ω/2π [Hz]"""
    ratio: float = 1.0
    """ζ"""
    friction: float = 0.6
    """Of the points that carry; a pyramid inside Coulomb's cone."""

    def __post_init__(self) -> None:
        figure, where = self.function.figure, "task control"
        for name, bound in (("frequency", {"above": 0.0}), ("ratio", {"least": 0.0}), ("friction", {"above": 0.0})):
            check_number(getattr(self, name), name, where, **bound)
        object.__setattr__(self, "driven", tuple(self.driven))
        self._places  # noqa: B018, refuses coordinates that are not there
        n = np.asarray(self.trajectory.poses).shape[1]
        if n != self.function.size:
            got = f"{n} numbers a pose"
            raise InputError(
                "the trajectory must be of the task function", where=where, got=got, allowed=str(self.function.size)
            )
        for code in set(np.asarray(self.trajectory.contacts).tolist()):
            if code not in self.supports:
                raise InputError("a phase must have its contact points", where=where, got=f"contact code {code}",
                                 allowed=", ".join(map(str, self.supports)))  # fmt: skip
        unknown = [tag for tags in self.supports.values() for tag in tags if tag not in figure.tag_names]
        if unknown:
            raise InputError("no such tag", where=where, got=unknown[0])

    @cached_property
    def _places(self) -> np.ndarray:
        return velocity_places(self.function.figure, self.driven, "task control")

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> TaskEfforts:
        """Return the efforts at a time for a state, which may be an observed one."""
        figure, wanted = self.function.figure, self.trajectory(t)
        found = self.function.at(q, v)
        w = 2 * np.pi * self.frequency
        drawn = (
            wanted.acceleration + 2 * self.ratio * w * (wanted.rate - found.rate) + w**2 * (wanted.value - found.value)
        )
        J, bias, rate = self._points(wanted.contact, q, v)
        held = (J, -bias - 2 * self.ratio * w * rate)
        tasks = [(found.jacobian[own], (drawn - found.bias)[own]) for own in self.function.levels]
        a = prioritized([held, *tasks] if len(J) else tasks)
        need = inverse_dynamics(figure, q, v, a)
        free = np.setdiff1d(np.arange(figure.nv), self._places)
        forces, missing = self._forces(J, need, free, hung=wanted.contact == SUSPENDED)
        tau = need - J.T @ forces.ravel() if len(J) else need
        return TaskEfforts(tau[self._places], a, forces, missing)

    @cached_property
    def _held(self) -> dict[int, TaskFunction]:
        """The points that carry, by contact code."""
        figure = self.function.figure
        return {code: TaskFunction(figure, [TagTask(t) for t in tags]) for code, tags in self.supports.items() if tags}

    def _points(self, code: int, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array, Array]:
        """Return the Jacobian (3 points, nv), velocity-product terms and velocities of the points that carry."""
        if code not in self._held:
            return np.zeros((0, self.function.figure.nv)), np.zeros(0), np.zeros(0)
        _, J, rate, bias = self._held[code].at(q, v)
        return J, bias, rate

    def _forces(self, J: Array, need: Array, free: np.ndarray, *, hung: bool) -> tuple[Array, float]:
        """Return the least forces that give the undriven coordinates what they need (points, 3): within the cones, or
        in any direction where it hangs.
        """
        from scipy.optimize import nnls

        if not len(free):
            return np.zeros((len(J) // 3, 3)), 0.0
        if hung and len(J):
            forces = np.linalg.lstsq(J[:, free].T, need[free], rcond=None)[0]
            return forces.reshape(-1, 3), float(np.abs(J[:, free].T @ forces - need[free]).max())
        rays = self._rays
        G = (
            np.concatenate([J[3 * k : 3 * k + 3].T @ rays for k in range(len(J) // 3)], axis=1)
            if len(J)
            else np.zeros((len(need), 0))
        )
        if not G.shape[1]:
            return np.zeros((0, 3)), float(np.abs(need[free]).max())
        rows = np.vstack([G[free], _SMALL * np.eye(G.shape[1])])
        share, _ = nnls(rows, np.concatenate([need[free], np.zeros(G.shape[1])]), maxiter=30 * G.shape[1])
        left = float(np.abs(G[free] @ share - need[free]).max())
        return share.reshape(-1, 4) @ rays.T, left

    @cached_property
    def _rays(self) -> Array:
        """Edges of the friction pyramid, (3, 4), with the world's vertical."""
        up = self.function.figure.up
        across = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
        across /= np.linalg.norm(across)
        sides = [across, np.cross(up, across)]
        return np.stack([up + s * self.friction * side for side in sides for s in (1.0, -1.0)], axis=1)
