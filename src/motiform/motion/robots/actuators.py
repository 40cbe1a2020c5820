"""Actuators with linear laws, as a control."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree import Figure, FigureState, gravity_effects, inertia_matrix
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.model_file import FileActuator
from motiform.spatial.checks import as_floats

__all__ = ["ActuatorControl", "FileActuator", "WeightCompensation"]

Command = Callable[[float], ArrayLike]


@dataclass(frozen=True, eq=False)
class ActuatorControl:
    """tau = Σ gear · clip(gain u + bias₀ + bias₁ length + bias₂ rate) with length = Σ gear · q.

    Time-stepping takes springs and dampers at a step's end. Where joints follow others by couplings, the force goes to
    those that lead.
    """

    figure: Figure
    actuators: Sequence[FileActuator]
    command: Command | ArrayLike = 0.0
    """u (actuators,), or a function of time [s]: positions, velocities or efforts, as each actuator takes them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "actuators", tuple(self.actuators))
        if not callable(self.command):
            object.__setattr__(self, "command", self._checked(self.command))
        self._gear  # noqa: B018, refuses coordinates that are not there

    def _checked(self, command: Any) -> Array:
        found = as_floats(command, where="command of actuators")
        if found.shape not in ((), (len(self.actuators),)):
            raise InputError(
                "a command must have one number for each actuator",
                got=f"shape {found.shape}",
                allowed=f"one number or {len(self.actuators)}",
            )
        return np.broadcast_to(found, (len(self.actuators),))

    @cached_property
    def _gear(self) -> tuple[Array, Array]:
        """Lengths by all coordinates of the tree, (actuators, nq), and rates by all its velocities, (actuators, nv)."""
        layout = self.figure.layout
        lengths, rates = (np.zeros((len(self.actuators), n)) for n in (layout.nq, layout.nv))
        for n, actuator in enumerate(self.actuators):
            for name, gear in actuator.joints:
                if name not in layout.places_q or len(layout.places_q[name]) != 1:
                    raise InputError("no such plain coordinate", where=f"actuator {actuator.name!r}", got=name)
                lengths[n, layout.places_q[name][0]] += gear
                rates[n, layout.places_v[name][0]] += gear
        return lengths, rates

    @cached_property
    def _numbers(self) -> tuple[Array, Array, Array, Array]:
        """Gains, biases (actuators, 3), ranges of commands and forces (actuators, 2)."""
        gain = np.array([a.gain for a in self.actuators], float)
        bias = np.array([a.bias for a in self.actuators], float).reshape(-1, 3)
        bias[:, 2] -= self._ratios()
        ranges = [np.array([getattr(a, key) for a in self.actuators]).reshape(-1, 2) for key in ("commands", "forces")]
        return gain, bias, ranges[0], ranges[1]

    def _ratios(self) -> Array:
        """Damping of the servos that give a ratio: 2 ratio √(gain · inertia), inertia 1 / (g M⁻¹ gᵀ) at neutral()."""
        ratios = np.array([a.damping_ratio for a in self.actuators], float)
        if not ratios.any():
            return ratios
        tree, gear = self.figure.replace(couplings=(), closures=()), self._gear[1]
        pliancy = np.einsum("ij,ji->i", gear, np.linalg.solve(inertia_matrix(tree, tree.neutral()), gear.T))
        gains = np.array([max(a.gain, 0.0) for a in self.actuators], float)
        return np.where(ratios > 0.0, 2.0 * ratios * np.sqrt(gains / pliancy), 0.0)

    @cached_property
    def stiffness(self) -> Array:
        """[N·m/rad or N/m], (nv,), at the neutral posture where couplings are not linear."""
        return self._share(self._numbers[1][:, 1])

    @cached_property
    def damping(self) -> Array:
        """[N·m·s/rad or N·s/m], (nv,)."""
        return self._share(self._numbers[1][:, 2])

    def _share(self, bias: Array) -> Array:
        coupled, rates = self.figure.coupled, self._gear[1]
        if coupled is not None:
            rates = rates @ coupled.matrix(self.figure.neutral())
        return np.maximum(-bias, 0.0) @ rates**2

    def forces(self, t: float, state: FigureState) -> Array:
        """Return the force of each actuator, (actuators,) [N or N·m]."""
        given = self.command
        u = self._checked(given(t)) if callable(given) else given
        gain, bias, commands, forces = self._numbers
        coupled, (lengths, rates) = self.figure.coupled, self._gear
        q = state.q if coupled is None else coupled.expand(state.q)
        v = state.v if coupled is None else coupled.expand_velocity(state.q, state.v)
        raw = gain * np.clip(u, *commands.T) + bias[:, 0] + bias[:, 1] * (lengths @ q) + bias[:, 2] * (rates @ v)
        return np.clip(raw, *forces.T)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the forces on the coordinates, (nv,)."""
        tau: Array = self.forces(t, state) @ self._gear[1]
        return tau if self.figure.coupled is None else self.figure.coupled.reduce(state.q, tau)


@dataclass(frozen=True, eq=False)
class WeightCompensation:
    """Forces on the coordinates that carry a share of the weight of some segments."""

    figure: Figure
    shares: Mapping[str, float]
    """By segment, 0 to 1; above 1 it is lifted."""

    @cached_property
    def _carried_mass(self) -> Figure:
        """The figure with the mass that is carried, and nothing else."""
        none = np.zeros((3, 3))
        changes = {
            s.name: {"mass": s.mass * self.shares.get(s.name, 0.0), "inertia": none} for s in self.figure.segments
        }
        return self.figure.replace(segments=changes)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the forces at an instant, (nv,)."""
        return gravity_effects(self._carried_mass, state.q)
