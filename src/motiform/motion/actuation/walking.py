"""A robot that walks by its task function: sensors, observer, computed task control, motors with period and delay.

At each call the joints and the forces under the feet are measured, the base is observed, and voltages are computed that
make the task function follow its trajectory; they take hold after a delay.  [HuMAnS 6.4, 7, 8]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.commands import SampledLaw
from motiform.motion.actuation.motors import Motor, Motors
from motiform.motion.actuation.sensing.observer import BaseObserver
from motiform.motion.actuation.sensing.sensors import FootForceSensor, JointSensor, PressureSensor, Reading, Sensed
from motiform.motion.actuation.tasks.control import TaskControl
from motiform.motion.contact import Contacts
from motiform.motion.tree import ActuatorChannel, FigureState
from motiform.motion.tree.model.joint import Array

__all__ = ["WALKING_QUANTITIES", "WalkingMotors", "motor_voltages"]

WALKING_QUANTITIES = ("observed", "reference", "center_of_pressure", "load", "contact", "task", "missing")
"""Quantities that are recorded beside those of motors."""


def motor_voltages(motors: Sequence[Motor], efforts: ArrayLike, speeds: ArrayLike, places: ArrayLike) -> Array:
    """Return the voltages [V] at which motors give efforts at speeds [rad/s] and places [rad], friction apart.

    u = R τ/(n k) + n k ω, within what each can stand.
    """
    k, R, top = (np.array([getattr(m, key) for m in motors]) for key in ("constant", "resistance", "voltage"))
    nk = k * np.array([m.gear_at(float(x)) for m, x in zip(motors, np.asarray(places), strict=True)])
    return np.asarray(np.clip(R * np.asarray(efforts) / nk + nk * np.asarray(speeds), -top, top))


class _Parts(NamedTuple):
    """Places of a walking law's memory."""

    joints: slice
    forces: slice
    observer: slice
    observation: slice
    """q, v, acceleration, reference, missing force: what was observed and foreseen."""
    length: int


@dataclass(frozen=True, eq=False)
class WalkingMotors(Motors):
    """Motors whose voltages follow from a task control with what sensors and an observer tell.

    Recorded beside what motors record: ``observed`` (the base, in its coordinates), ``reference`` (which foot it hangs
    on), ``pressure`` (centre of pressure in the world), ``load`` of each foot, ``contact`` code of the phase, ``task``
    (errors of the task function), ``missing``.
    """

    control: TaskControl = field(kw_only=True)
    contacts: Contacts = field(kw_only=True)
    observer: BaseObserver = field(kw_only=True)
    q0: ArrayLike = field(kw_only=True)
    """Posture at the start, which the observer is told."""
    joints: Reading = field(kw_only=True)
    forces: Reading = field(kw_only=True)
    period: float = field(kw_only=True, default=0.005)
    """Of the control [s]."""
    delay: float = field(kw_only=True, default=0.001)
    """Of its command [s]."""

    def __post_init__(self) -> None:
        if not isinstance(self.joints.sensor, JointSensor) or not isinstance(self.forces.sensor, FootForceSensor):
            raise InputError("a walking robot must have a joint sensor and a foot force sensor", where=self.name)
        if tuple(self.joints.sensor.coordinates) != tuple(m.coordinate for m in self.motors):
            raise InputError("the joint sensor must be that of the motors' coordinates", where=self.name)
        law = SampledLaw(self._law, self.period, self.delay, self._memory_at_start(), self._voltages_at_rest())
        object.__setattr__(self, "command", law)
        super().__post_init__()

    # ---------------------------------------------------------------- memory
    @cached_property
    def parts(self) -> _Parts:
        """Places of the law's memory."""
        sizes = [len(self.joints.memory), len(self.forces.memory), len(self.observer.start(self.q0))]
        sizes.append(self.figure.nq + 2 * self.figure.nv + 2)
        ends = np.cumsum(sizes).tolist()
        spans = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
        return _Parts(spans[0], spans[1], spans[2], spans[3], ends[-1])

    def _memory_at_start(self) -> Array:
        observation = np.concatenate([np.asarray(self.q0, float), np.zeros(2 * self.figure.nv + 2)])
        return np.concatenate([self.joints.memory, self.forces.memory, self.observer.start(self.q0), observation])

    def _voltages_at_rest(self) -> Array:
        """Return the voltages [V] of a robot that has stood before: without them it falls until the first command."""
        efforts = self.control(0.0, np.asarray(self.q0, float), np.zeros(self.figure.nv)).efforts
        at = np.asarray(self.q0, float)[self._q_places]
        return motor_voltages(self.motors, efforts, np.zeros(len(self.motors)), at)

    def call(self, t: float, state: FigureState) -> ArrayLike:
        """Return what it keeps after the law was called: the law gets the efforts that act now behind the states."""
        kept = self._memory(state.z)
        efforts = np.asarray(self.act(t, state)[0])
        seen = FigureState(state.q, state.v, np.concatenate([state.z[: len(self.states)], efforts]))
        own = state.z[: len(state.z) - self.commands.length]
        return np.concatenate([own, self.commands.call(t, seen, kept)])

    def _law(self, t: float, state: FigureState, memory: Array) -> tuple[Array, Array]:
        """Return voltages and the new memory."""
        parts, out = self.parts, memory.copy()
        now = self._sensed(t, state, state.z[-self.figure.nv :])
        angles, out[parts.joints] = self.joints.read(now, memory[parts.joints])
        wrench, out[parts.forces] = self.forces.read(now, memory[parts.forces])
        posture = np.asarray(self.q0, float).copy()
        posture[self._q_places] = angles
        loads = np.linalg.norm(wrench.reshape(-1, 6)[:, 3:], axis=1)
        foreseen = memory[parts.observation][-self.figure.nv - 2 : -2]
        q, v, used, out[parts.observer] = self.observer.observe(t, posture, loads, memory[parts.observer], foreseen)
        wanted = self.control(t, q, v)
        out[parts.observation] = np.concatenate([q, v, wanted.acceleration, [used, wanted.missing]])
        return motor_voltages(self.motors, wanted.efforts, v[self._places], q[self._q_places]), out

    def _sensed(self, t: float, state: FigureState, efforts: Array) -> Sensed:
        return Sensed(self.figure, t, state.q, state.v, efforts, self.contacts)

    @cached_property
    def _q_places(self) -> list[int]:
        return [int(self.figure.places(name, "q")[0]) for name in self.names]

    @property
    def _feet(self) -> FootForceSensor:
        sensor = self.forces.sensor
        assert isinstance(sensor, FootForceSensor)  # or it was refused
        return sensor

    # ---------------------------------------------------------------- what is recorded
    @property
    def quantities(self) -> Sequence[ActuatorChannel]:  # type: ignore[override]
        """Those of motors, and what was sensed and observed."""
        base = tuple(self.observer.base)
        across = PressureSensor(self.figure, self.contacts).labels
        more = (
            ActuatorChannel("observed", "", base, "base as observed [m, rad]"),
            ActuatorChannel("reference", "", ("foot",), "number of the foot that the observer hangs on"),
            ActuatorChannel("center_of_pressure", "m", across, "centre of pressure"),
            ActuatorChannel("load", "N", self._feet.feet, "size of the force under each foot"),
            ActuatorChannel("contact", "", ("code",), "contact code of the phase"),
            ActuatorChannel("task", "", self.control.function.labels, "target less value of the task function"),
            ActuatorChannel("missing", "", ("force",), "force that contacts cannot give to the control [N or N m]"),
        )
        return (*super().quantities, *more)

    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:
        """Return the values of `quantities`."""
        now = self._sensed(t, state, np.asarray(self.act(t, state)[0]))
        wrench, pressure = self._feet.truth(now).reshape(-1, 6), PressureSensor(self.figure, self.contacts)
        start = 2 + self.size
        kept = self._memory(state.z)[start : start + self.parts.length]
        observation: Any = kept[self.parts.observation]
        at = [int(self.figure.places(name, "q")[0]) for name in self.observer.base]
        wanted = self.control.trajectory(t)
        more = {
            "observed": observation[at], "reference": observation[-2:-1], "missing": observation[-1:],
            "contact": [float(wanted.contact)],
            "center_of_pressure": pressure.truth(now), "load": np.linalg.norm(wrench[:, 3:], axis=1),
            "task": wanted.value - self.control.function(state.q),
        }  # fmt: skip
        return {**super().measure(t, state), **more}
