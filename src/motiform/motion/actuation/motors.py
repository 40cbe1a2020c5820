"""Torque drives and electric motors.

Of a motor with gear n, torque constant k (that of its back-EMF, too), resistance R and inductance L, at a joint that
turns at ω, with friction b ω + c tanh(ω/ω_c):

    L di/dt = u − R i − k n ω,    τ = n k i − b ω − c tanh(ω/ω_c);    without inductance i = (u − k n ω)/R

Energy: u i = R i² + d(½ L i²)/dt + n k i ω.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError, closest
from motiform.motion.actuation import columns as actuation_columns
from motiform.motion.actuation.commands import Command, CommandedActuator
from motiform.motion.run import check_number
from motiform.motion.tree import ActuatorChannel, Figure, FigureState
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready
from motiform.spatial.checks import as_floats

__all__ = ["Motor", "Motors", "TorqueDrives", "freeze_gears", "with_rotors"]


def velocity_places(figure: Figure, coordinates: Sequence[str], where: str) -> np.ndarray:
    """Return where coordinates are in v; each must be there once."""
    for name in coordinates:
        if name not in figure.coordinates:
            known = figure.coordinates
            raise InputError("no such coordinate", where=where, got=name, remedy=closest(name, known))
    if len(set(coordinates)) < len(coordinates):
        raise InputError("a coordinate must have one drive", where=where, got=", ".join(coordinates))
    return np.array([figure.places(name, "v")[0] for name in coordinates], np.int64)


@dataclass(frozen=True, eq=False)
class TorqueDrives(CommandedActuator):
    """Drives that give the commanded efforts, within `limit` and, with `lag`, late by a first order.

    lag dτ/dt = command − τ.
    """

    figure: Figure
    coordinates: Sequence[str]
    command: Command = 0.0
    """[N·m or N], one for each coordinate."""
    limit: float = np.inf
    """Largest effort [N·m or N]."""
    lag: float = 0.0
    """[s]; 0: at once."""
    name: str = "drives"

    def __post_init__(self) -> None:
        object.__setattr__(self, "coordinates", tuple(self.coordinates))
        self._places  # noqa: B018, refuses coordinates that are not there
        check_number(self.lag, "lag", self.name, least=0.0)
        if not self.limit > 0:
            raise InputError("limit must be above 0", where=self.name, got=self.limit)
        self.commands  # noqa: B018, refuses commands of a wrong shape

    @cached_property
    def _places(self) -> np.ndarray:
        return velocity_places(self.figure, self.coordinates, self.name)

    @property
    def size(self) -> int:  # type: ignore[override]
        """One number for each coordinate."""
        return len(self.coordinates)

    @cached_property
    def states(self) -> Sequence[str]:  # type: ignore[override]
        """Efforts of drives with a lag."""
        return [f"effort.{name}" for name in self.coordinates] if self.lag else []

    @property
    def quantities(self) -> Sequence[ActuatorChannel]:  # type: ignore[override]
        """Their efforts."""
        return (ActuatorChannel("effort", "", tuple(self.coordinates), "efforts of the drives [N m or N]"),)

    @cached_property
    def _kernel(self) -> Any:
        from motiform.motion.actuation.law_kernels import drive_efforts

        return drive_efforts.function

    def _efforts(self, t: float, state: FigureState) -> tuple[Array, Array, Array]:
        """Return efforts, what they do to the velocities, and the rates of those with a lag."""
        efforts, out, rates = np.empty(self.size), np.empty(self.figure.nv), np.empty(len(self.states))
        command, z = ready(self.command_at(t, state), self.size, "a command"), self.own(state.z)
        self._kernel(self._places, float(self.limit), float(self.lag), command, z, efforts, rates, out)
        return efforts, out, rates

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:  # noqa: D102
        return self._efforts(t, state)[1:]

    @cached_property
    def packed(self) -> PackedActuator | None:
        """Their places, limit and lag."""
        return self._pack(np.zeros(self.size))

    def _pack(self, damping: Array) -> PackedActuator | None:
        """Return the drives as compiled steps take them, with damping of their joints (drives,)."""
        from motiform.motion.actuation.drive_kernels import torque_drives

        numbers = np.array([self.limit, self.lag, *damping], float)
        return self.commands.pack(PackedActuator(torque_drives, self._places, numbers, np.zeros(0)))

    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:  # noqa: D102
        return {"effort": self._efforts(t, state)[0]}


@dataclass(frozen=True)
class Motor:
    """A direct-current motor with a gear on one coordinate."""

    coordinate: str
    constant: float
    """Torque constant k [N·m/A], the back-EMF constant [V·s/rad], of the motor's shaft."""
    resistance: float
    """R [Ω]"""
    gear: float | CoordinateFunction = 1.0
    """Turns of the motor for one of the joint; of a linkage a function of the coordinate, such as a `Polynomial`."""
    inductance: float = 0.0
    """L [H]; 0: the current follows at once."""
    rotor_inertia: float = 0.0
    """Of the motor's shaft [kg·m²]; the joint feels gear² times it, of one posture: see `with_rotors`."""
    viscous: float = 0.0
    """Friction of the joint b [N·m·s/rad]."""
    friction: float = 0.0
    """Dry friction of the joint c [N·m]."""
    friction_speed: float = 1e-2
    """Speed of the joint ω_c below which dry friction fades [rad/s]."""
    voltage: float = np.inf
    """Largest voltage [V]."""

    def __post_init__(self) -> None:
        where = f"motor of {self.coordinate!r}"
        if not isinstance(self.gear, CoordinateFunction):
            check_number(self.gear, "gear", where, above=0.0)
        for name in ("constant", "resistance", "friction_speed"):
            check_number(getattr(self, name), name, where, above=0.0)
        for name in ("inductance", "rotor_inertia", "viscous", "friction"):
            check_number(getattr(self, name), name, where, least=0.0)
        if not self.voltage > 0:
            raise InputError("voltage must be above 0", where=where, got=self.voltage)

    def gear_at(self, x: float) -> float:
        """Return the turns of the motor for one of the joint where its coordinate is x."""
        if not isinstance(self.gear, CoordinateFunction):
            return self.gear
        found = float(self.gear.derivatives(x)[0])
        if not (np.isfinite(found) and found > 0):
            where, got = f"motor of {self.coordinate!r}", f"{found:g} at {x:.6g}"
            raise RunError("a gear must be above 0 wherever the joint goes", where=where, got=got)
        return found


def freeze_gears(figure: Figure, motors: Sequence[Motor], q: ArrayLike | None = None) -> list[Motor]:
    """Return motors with the constant gears that they have at q, (nq,); None: neutral  [HuMAnS 6.1.3]."""
    posture = figure.neutral() if q is None else as_floats(q, where="q of gears")
    velocity_places(figure, [motor.coordinate for motor in motors], "motors")
    at = [int(figure.places(motor.coordinate, "q")[0]) for motor in motors]
    return [replace(motor, gear=motor.gear_at(float(posture[k]))) for motor, k in zip(motors, at, strict=True)]


def with_rotors(figure: Figure, motors: Sequence[Motor], q: ArrayLike | None = None) -> Figure:
    """Return a figure whose joints carry the inertia of the motors' rotors, gear² times that of the shaft.

    Gears that depend on the coordinate count as at q, (nq,); None: neutral.
    """
    motors = freeze_gears(figure, motors, q)
    velocity_places(figure, [motor.coordinate for motor in motors], "motors")
    armature: dict[str, Array] = {}
    for n, segment in enumerate(figure.segments):
        own = np.array(np.broadcast_to(segment.armature, (segment.joint.nv,)), float)
        names = [figure.layout.names[place] for place in figure.layout.v[n]]
        for motor in motors:
            if motor.coordinate in names:
                own[names.index(motor.coordinate)] += motor.gear_at(0.0) ** 2 * motor.rotor_inertia
                armature[segment.name] = own
    return figure.replace(segments={name: {"armature": own} for name, own in armature.items()})


MOTOR_QUANTITIES = {
    "voltage": ("V", "at the motors"),
    "current": ("A", "of the motors"),
    "effort": ("N m", "of the motors on their coordinates, less friction"),
    "supplied": ("J", "energy that the motors took since the start"),
    "heat": ("J", "of resistance and friction since the start"),
    "magnetic": ("J", "energy in the inductances"),
}
"""Quantities that are recorded: units and what they are."""


@dataclass(frozen=True, eq=False)
class Motors(CommandedActuator):
    """Electric motors; the command are their voltages. `figure` carries their rotors: see `with_rotors`.

    Currents of motors with inductance are states, and so are the energy supplied, ∫ u i dt, and the heat of resistance
    and friction.
    """

    figure: Figure
    motors: Sequence[Motor]
    command: Command = 0.0
    """Voltages [V], one for each motor."""
    name: str = "motors"
    _numbers: Any = field(init=False, repr=False)
    """Of each motor, see `columns`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "motors", tuple(self.motors))
        frozen = freeze_gears(self.figure, self.motors)
        numbers = [[getattr(motor, key) for key in actuation_columns.MOTOR] for motor in frozen]
        object.__setattr__(self, "_numbers", np.array(numbers, float).reshape(-1, len(actuation_columns.MOTOR)))
        self._places, self.commands  # noqa: B018, their checks belong here
        self._check_rotors()

    def _check_rotors(self) -> None:
        """Refuse a figure that does not carry the rotors."""
        for motor in self.motors:
            for n, segment in enumerate(self.figure.segments):
                names = [self.figure.layout.names[place] for place in self.figure.layout.v[n]]
                if motor.coordinate in names:
                    has = np.broadcast_to(segment.armature, (segment.joint.nv,))[names.index(motor.coordinate)]
                    least = 0.0 if isinstance(motor.gear, CoordinateFunction) else motor.gear**2
                    if has < 0.999 * least * motor.rotor_inertia or (motor.rotor_inertia > 0 and has == 0):
                        raise InputError(
                            "the figure does not carry the motor's rotor",
                            where=f"motor of {motor.coordinate!r}",
                            got=f"armature {has:.6g} kg m²",
                            allowed=f"at least {least * motor.rotor_inertia:.6g} kg m²" if least else "above 0",
                            remedy="Take actuation.with_rotors(figure, motors).",
                        )

    @cached_property
    def _places(self) -> np.ndarray:
        return velocity_places(self.figure, self.names, self.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates that they drive."""
        return tuple(motor.coordinate for motor in self.motors)

    @property
    def size(self) -> int:  # type: ignore[override]
        """One voltage for each motor."""
        return len(self.motors)

    @cached_property
    def _inductive(self) -> np.ndarray:
        """Motors with inductance."""
        return np.flatnonzero(self._numbers[:, actuation_columns.INDUCTANCE] > 0)

    @cached_property
    def states(self) -> Sequence[str]:  # type: ignore[override]
        """Currents of motors with inductance, then energies supplied, then heat."""
        wound = [f"current.{self.names[k]}" for k in self._inductive]
        return [*wound, *(f"supplied.{name}" for name in self.names), *(f"heat.{name}" for name in self.names)]

    @property
    def sums(self) -> int:  # type: ignore[override]
        """The energies."""
        return 2 * self.size

    @property
    def quantities(self) -> Sequence[ActuatorChannel]:  # type: ignore[override]
        """Voltages, currents, efforts and energies."""
        return tuple(ActuatorChannel(key, unit, self.names, text) for key, (unit, text) in MOTOR_QUANTITIES.items())

    @cached_property
    def damping(self) -> Array:  # type: ignore[override]
        """By back-EMF and friction, (nv,)."""
        n, out = self._numbers, np.zeros(self.figure.nv)
        out[self._places] = (n[:, actuation_columns.GEAR] * n[:, actuation_columns.CONSTANT]) ** 2 / n[
            :, actuation_columns.RESISTANCE
        ] + n[:, actuation_columns.VISCOUS]
        return out

    def numbers_at(self, q: Array) -> Array:
        """Return the numbers of the motors in a posture, see `columns`."""
        if not self._linkages:
            return self._numbers
        found: Array = self._numbers.copy()
        for k, place in self._linkages:
            found[k, actuation_columns.GEAR] = self.motors[k].gear_at(float(q[place]))
        return found

    @cached_property
    def _linkages(self) -> list[tuple[int, int]]:
        """Motors whose gear depends on the coordinate, and its place in q."""
        return [
            (k, int(self.figure.places(motor.coordinate, "q")[0]))
            for k, motor in enumerate(self.motors)
            if isinstance(motor.gear, CoordinateFunction)
        ]

    @cached_property
    def _kernel(self) -> tuple[Any, Array]:
        """The kernel, and where the current of each motor is in z."""
        from motiform.motion.actuation.law_kernels import motor_dynamics

        at = np.full(self.size, -1)
        at[self._inductive] = np.arange(len(self._inductive))
        return motor_dynamics.function, at

    @cached_property
    def packed(self) -> PackedActuator | None:
        """Their places, those of their currents, and their numbers; None with gears that depend on coordinates."""
        from motiform.motion.actuation.drive_kernels import commanded_motors

        if self._linkages:
            return None
        ints = np.concatenate([self._places, self._kernel[1]])
        return self.commands.pack(PackedActuator(commanded_motors, ints, self._numbers.ravel(), np.zeros(0)))

    def _dynamics(self, t: float, state: FigureState) -> tuple[Array, Array, Array]:
        """Return voltages, currents and efforts; what these do to the velocities; the rates of the states."""
        law, wound = self._kernel
        flow, out, rates = np.empty((3, self.size)), np.empty(self.figure.nv), np.empty(len(self.states))
        v, z = ready(state.v, self.figure.nv, "v"), self.own(state.z)
        command = ready(self.command_at(t, state), self.size, "a command")
        law(self.numbers_at(state.q), self._places, wound, v, command, z, flow, rates, out)
        return flow, out, rates

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:  # noqa: D102
        return self._dynamics(t, state)[1:]

    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:  # noqa: D102
        u, i, effort = self._dynamics(t, state)[0]
        at, m = len(self._inductive), self.size
        books = {"supplied": state.z[at : at + m], "heat": state.z[at + m : at + 2 * m]}
        return {
            "voltage": u,
            "current": i,
            "effort": effort,
            "magnetic": 0.5 * self._numbers[:, actuation_columns.INDUCTANCE] * i * i,
        } | books
