"""Control laws, called at a period by a `SampledLaw` or at every instant: servos toward a posture, computed torque."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.control import plain_places
from motiform.motion.actuation.motors import velocity_places
from motiform.motion.actuation.trajectories import PackedTrajectory, Posture
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, FigureState, inverse_dynamics
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready

__all__ = ["ComputedTorque", "ServoLaw"]


@dataclass(frozen=True, eq=False)
class ServoLaw:
    """gain (q* − q) + damping (v* − v) of some coordinates: voltages of motors, or efforts of drives."""

    figure: Figure
    coordinates: Sequence[str]
    posture: Posture
    """q* (nq,) and v* (nv,) as a function of time [s], such as a `PostureTrajectory`."""
    gain: ArrayLike
    """For each coordinate or all [V/rad, or N·m/rad]."""
    damping: ArrayLike = 0.0
    """[V·s/rad, or N·m·s/rad]"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "coordinates", tuple(self.coordinates))
        self._places  # noqa: B018, refuses coordinates that are not there
        for name in ("gain", "damping"):
            value = np.asarray(getattr(self, name), float)
            if value.shape not in ((), (len(self.coordinates),)) or not np.isfinite(value).all() or (value < 0).any():
                allowed = f"one number or {len(self.coordinates)}, not below 0"
                raise InputError(f"{name} is out of range", where="servo law", got=repr(value)[:80], allowed=allowed)

    @cached_property
    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        v = velocity_places(self.figure, self.coordinates, "servo law")
        return np.array([self.figure.places(name, "q")[0] for name in self.coordinates], np.int64), v

    @cached_property
    def _law(self) -> tuple[Any, PackedTrajectory, list[Array]]:
        """The kernel, the posture, and places and gains as the kernel takes them."""
        from motiform.motion.actuation.law_kernels import servo_commands

        n = len(self.coordinates)
        gains = [np.array(np.broadcast_to(np.asarray(g, float), (n,))) for g in (self.gain, self.damping)]
        return servo_commands.function, PackedTrajectory(self.figure, self.posture), [*self._places, *gains]

    @cached_property
    def packed(self) -> PackedActuator | None:
        """The law as compiled steps take it; None where the posture is a function of the user's."""
        from motiform.motion.actuation.laws_part_kernels import servo_law

        _, way, (at_q, at_v, gain, damping) = self._law
        if not len(way.times):
            return None
        sizes = (len(at_q), len(way.times), len(way.pieces), way.pieces.shape[2], way.wanted.shape[1])
        ints = np.concatenate([sizes, at_q, at_v]).astype(np.int64)
        floats = np.concatenate([way.times, way.pieces.ravel(), gain, damping])
        return PackedActuator(servo_law, ints, floats, np.zeros(3 * way.wanted.shape[1]))

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the commands, (coordinates,)."""
        law, way, numbers = self._law
        q, v = ready(state.q, self.figure.nq, "q"), ready(state.v, self.figure.nv, "v")
        out = np.empty(len(self.coordinates))
        law(*way.at(t), q, v, *numbers, out)
        return out


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """tau = M (a* + 2 ζ ω (v* − v) + ω² (q* − q)) + bias forces: errors decay alike in all coordinates.

    Of figures whose coordinates are all plain and driven, ë + 2 ζ ω ė + ω² e = 0 where the model is right and the law
    acts at every instant.
    """

    figure: Figure
    posture: Posture
    """q*, v* as a function of time [s]; with a method `acceleration`, a* is among it."""
    frequency: float = 3.0
    """ω/2π [Hz]"""
    ratio: float = 1.0
    """ζ"""

    def __post_init__(self) -> None:
        check_number(self.frequency, "frequency", "computed torque", above=0.0)
        check_number(self.ratio, "ratio", "computed torque", least=0.0)
        if len(plain_places(self.figure)[1]) != self.figure.nv or self.figure.nq != self.figure.nv:
            remedy = "A floating base has no drive: take a posture control or a task."
            raise InputError("computed torque must drive all coordinates", where=repr(self.figure), remedy=remedy)

    @cached_property
    def _law(self) -> tuple[Any, PackedTrajectory]:
        """The kernel and the posture."""
        from motiform.motion.actuation.law_kernels import tracking_acceleration

        return tracking_acceleration.function, PackedTrajectory(self.figure, self.posture)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the forces, (nv,)."""
        law, way = self._law
        q, v = ready(state.q, self.figure.nq, "q"), ready(state.v, self.figure.nv, "v")
        a = np.empty(self.figure.nv)
        law(*way.at(t), q, v, 2 * np.pi * self.frequency, float(self.ratio), a)
        return inverse_dynamics(self.figure, q, v, a)
