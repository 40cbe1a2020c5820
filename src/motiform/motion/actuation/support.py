"""Arms that help: a force that pushes a segment up toward the height that a posture asks for, up to a limit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.commands import CommandedActuator, SampledLaw
from motiform.motion.actuation.trajectories import Posture
from motiform.motion.run import check_number
from motiform.motion.tree import ActuatorChannel, Figure, FigureState, forward_kinematics, jacobian
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["SUPPORT_QUANTITIES", "ArmSupport"]

SUPPORT_QUANTITIES = {
    "force": ("N", "of the support, world axes"),
    "lag": ("m", "from the point to its place in the posture"),
}
"""Quantities that are recorded: units and what they are."""


@dataclass(frozen=True, eq=False)
class ArmSupport(CommandedActuator):
    """F = spring (x* − x) + damper (ẋ* − ẋ) at a point of a segment, as hands on armrests give it.

    x* is the place of the point in the posture of the instant. Upward the force is between 0 and `limit`: hands push
    and do not pull; along each of the two axes of the ground it is at most `hold`. It is set every `period`.
    """

    figure: Figure
    segment: str
    posture: Posture
    """q* (nq,) and v* (nv,) as a function of time [s]."""
    limit: float
    """Largest force upward [N]."""
    hold: float = 0.0
    """Largest force along an axis of the ground [N]."""
    spring: float = 20000.0
    """[N/m]"""
    damper: float = 1500.0
    """[N·s/m]"""
    at: ArrayLike = (0.0, 0.0, 0.0)
    """Point of the segment's frame [m], (3,)."""
    period: float = 0.01
    """[s]"""
    name: str = "support"
    command: SampledLaw = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.figure.index(self.segment)
        for name in ("limit", "hold", "spring", "damper"):
            check_number(getattr(self, name), name, self.name, least=0.0)
        at = as_floats(self.at, where=f"{self.name}, at")
        if at.shape != (3,):
            raise InputError("at must be a point", where=self.name, got=at.shape, allowed="(3,)")
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "command", SampledLaw(self._law, self.period))

    @property
    def size(self) -> int:  # type: ignore[override]
        """Efforts (nv,), force (3,) and lag (3,)."""
        return self.figure.nv + 6

    @property
    def quantities(self) -> Sequence[ActuatorChannel]:  # type: ignore[override]
        """The force, and by how much the point is elsewhere."""
        return tuple(
            ActuatorChannel(key, unit, ("x", "y", "z"), text) for key, (unit, text) in SUPPORT_QUANTITIES.items()
        )

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        """Least and greatest force, world axes."""
        up = np.abs(self.figure.up) > 0.5
        positive = self.figure.up > 0.5
        most = np.where(up & ~positive, 0.0, np.where(up, self.limit, self.hold))
        return np.where(up & positive, 0.0, np.where(up, -self.limit, -self.hold)), most

    def _point(self, q: Array) -> tuple[Array, Array]:
        """Return the place of the point and its Jacobian, (3,) and (3, nv)."""
        at, n = forward_kinematics(self.figure, q), self.figure.index(self.segment)
        place = at.position[n] + at.rotation[n] @ np.asarray(self.at)
        return place, jacobian(self.figure, q, self.segment, self.at)[3:]

    def _law(self, t: float, state: FigureState) -> Array:
        q, v = self.posture(t)
        (wanted, way), (real, J) = self._point(q), self._point(state.q)
        lag = wanted - real
        force = np.clip(self.spring * lag + self.damper * (way @ v - J @ state.v), *self._bounds)
        return np.concatenate([force @ J, force, lag])

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:
        """Return what the force does to the coordinates, (nv,)."""
        return self.command_at(t, state)[: self.figure.nv], state.z[:0]

    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:
        """Return force and lag of the last call."""
        command = self.command_at(t, state)[self.figure.nv :]
        return {"force": command[:3], "lag": command[3:]}
