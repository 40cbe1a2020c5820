"""Stimulated muscles as an actuator: pulses that arrive late, phases of calcium, turns of the contractile elements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.actuation.commands import CommandedActuator, Commands, PulseTrain, SampledLaw
from motiform.motion.actuation.last_posture import LastPosture
from motiform.motion.actuation.stimulation.geometry import Geometry
from motiform.motion.actuation.stimulation.muscle import StimulatedMuscle, recruitment
from motiform.motion.run import check_number
from motiform.motion.tree import ActuatorChannel, FigureState
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready

__all__ = ["StimulatedMuscles"]

_TURN = 1e-12  # of k_s L_0 [N/s]: below it the contractile element stands


STIMULATION_QUANTITIES = {
    "force": ("N", "of the muscles"),
    "activation": ("", "stiffness of the contractile elements over the greatest"),
    "length": ("m", "of the muscles"),
    "calcium": ("1/s", "signal u"),
    "recruitment": ("", "share of fibres of the last pulse"),
    "phase": ("", "of calcium: 2 high, 1 falls, 0 at rest"),
    "work": ("J", "of the contractile elements since the start"),
    "elastic": ("J", "energy in the springs"),
    "line": ("m", "corners of the muscles, one muscle after another"),
}
"""Quantities that are recorded: units and what they are."""


@dataclass(frozen=True, eq=False)
class StimulatedMuscles(CommandedActuator):
    """Muscles that pulses contract.

    With stiffness k_c and force F_c of the contractile element as states,

        dk_c/dt = −(|u| + |w|) k_c + α k₀ |u|₊
        dF_c/dt = k_s (L_0 dε/dt − L_c0 w) = −(|u| + |w|) F_c + α F₀ |u|₊ + k_c L_c0 w
        k₀, F₀ = (k_m, F_m) (1 − (ε/0.4)²) for |ε| ≤ 0.4, else 0

    in which both forms of dF_c/dt give the contractile speed w = dε_c/dt. It is unique where (k_s + k_c) L_c0 > F_c; a
    run that leaves this range ends. The muscle pulls with F_c + (k_p/k_ep)(exp(k_ep ε) − 1).

    The command are the intensities of pulses (0 to 1, 0: none), by a `PulseTrain` or a `SampledLaw`; they arrive
    `delay` later. The calcium signal u is then U_p for τ₁, falls to U_m during τ₂, and stays there. Steps of the run
    end at arrivals, at the ends of these phases, where u is zero, and where w changes its sign.
    """

    geometry: Geometry
    muscles: Sequence[StimulatedMuscle]
    command: Any = None
    delay: float = 0.05
    """From a pulse to calcium, τ [s]."""
    name: str = "muscles"

    def __post_init__(self) -> None:
        object.__setattr__(self, "muscles", tuple(self.muscles))
        check_number(self.delay, "delay", self.name, least=0.0)
        if len(self.muscles) != self.geometry.count:
            got, allowed = f"{len(self.muscles)} muscles", f"{self.geometry.count}"
            raise InputError("the geometry must be of as many muscles", where=self.name, got=got, allowed=allowed)
        self.commands  # noqa: B018, refuses what is not pulses

    @cached_property
    def commands(self) -> Commands:
        """Pulses, as they arrive."""
        given = PulseTrain([], np.zeros((0, self.size))) if self.command is None else self.command
        if not isinstance(given, PulseTrain | SampledLaw):
            allowed = "a PulseTrain or a SampledLaw"
            raise InputError("stimulated muscles take pulses", where=self.name, got=repr(given)[:80], allowed=allowed)
        if isinstance(given, PulseTrain):
            recruitment(given.values)
        return Commands(replace(given, delay=given.delay + self.delay), self.size, self.name)

    @cached_property
    def _numbers(self) -> Array:
        return np.array([muscle.numbers() for muscle in self.muscles])

    @cached_property
    def _kernels(self) -> tuple[Any, Any]:
        from motiform.motion.actuation.stimulation.kernels import contract, turning

        return contract.function, turning.function

    @cached_property
    def packed(self) -> PackedActuator | None:
        """Their numbers and geometry; None with a geometry of the user's."""
        way: PackedActuator | None = getattr(self.geometry, "packed", None)
        if way is None:
            return None
        from motiform.motion.actuation.stimulation.kernels import stimulated_muscles

        n, nv = self.size, self.geometry.figure.nv
        own = way.after(np.array([n, 0]), self._numbers.ravel(), np.zeros(3 * n + n * nv), ((1, way.function),))
        return self.commands.pack(own._replace(function=stimulated_muscles))

    @property
    def size(self) -> int:  # type: ignore[override]
        """One intensity for each muscle."""
        return len(self.muscles)

    @property
    def remembered(self) -> int:  # type: ignore[override]
        """Phase, arrival and recruitment of its last pulse, and the sign of its speed, of each muscle."""
        return 4 * self.size

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the muscles."""
        return tuple(muscle.name for muscle in self.muscles)

    @cached_property
    def states(self) -> Sequence[str]:  # type: ignore[override]
        """Stiffness and force of each contractile element, then its work."""
        own = [f"{key}.{name}" for name in self.names for key in ("stiffness", "force")]
        return [*own, *(f"work.{name}" for name in self.names)]

    @cached_property
    def events(self) -> Sequence[str]:  # type: ignore[override]
        """Changes of the sign of contractile speeds."""
        return [f"contractile element turns: {name}" for name in self.names]

    @property
    def quantities(self) -> Sequence[ActuatorChannel]:  # type: ignore[override]
        """Forces, lengths, calcium, recruitment and energies."""
        places = {"line": sum(self.corners)}
        return tuple(
            ActuatorChannel(key, unit, self.names, text, places.get(key, 0))
            for key, (unit, text) in STIMULATION_QUANTITIES.items()
        )

    @cached_property
    def corners(self) -> tuple[int, ...]:
        """How many corners each muscle is drawn with."""
        return tuple(len(line) for line in self.geometry.lines(self.geometry.figure.neutral()))

    # ---------------------------------------------------------------- between events
    def _parts(self, z: Array) -> tuple[Array, Array]:
        """Return states and own memory."""
        n, z = self.size, self.own(z)
        return z[: 3 * n], z[3 * n : 7 * n]

    @cached_property
    def _geometry(self) -> LastPosture[tuple[Array, Array]]:
        return LastPosture(self.geometry)

    def _way(self, state: FigureState) -> tuple[Array, Array, Array]:
        lengths, arms = self._geometry(state.q)
        return lengths, -(arms @ ready(state.v, self.geometry.figure.nv, "v")), arms

    def own_start(self, state: FigureState) -> ArrayLike:  # noqa: D102
        return np.concatenate([np.zeros(3 * self.size), np.tile([0.0, 0.0, 0.0, 1.0], self.size)])

    def _contract(self, t: float, state: FigureState) -> tuple[Array, Array, Array]:
        """Return forces, rates and moment arms."""
        x, memory = self._parts(state.z)
        lengths, speeds, arms = self._way(state)
        rates, forces = np.empty(3 * self.size), np.empty(self.size)
        wrong = self._kernels[0](self._numbers, t, lengths, speeds, x, memory, rates, forces)
        if wrong:
            k = int(wrong) - 1
            one, stiff, force = self.muscles[k], float(x[2 * k]), float(x[2 * k + 1])
            raise RunError(
                "the speed of the contractile element must be unique: (k_s + k_c) L_c0 > F_c",
                where=f"muscle {one.name!r}, t = {t:.9g} s",
                got=f"{(one.series + stiff) * one.contractile_length:.6g} N, F_c {force:.6g} N",
                remedy="Raise the stiffness of the series spring, or lower the greatest force.",
            )
        return forces, rates, arms

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:  # noqa: D102
        forces, rates, arms = self._contract(t, state)
        return forces @ arms, rates

    # ---------------------------------------------------------------- events
    def _turning(self, t: float, state: FigureState) -> tuple[Array, Array]:
        """Return what contractile speeds have the sign of, and how small it is where they stand [N/s]."""
        x, memory = self._parts(state.z)
        lengths, speeds, _ = self._way(state)
        out = np.empty(self.size)
        self._kernels[1](self._numbers, t, lengths, speeds, x, memory, out)
        return out, _TURN * self._numbers[:, 2] * self._numbers[:, 6]

    def margins(self, t: float, state: FigureState) -> ArrayLike:  # noqa: D102
        push, small = self._turning(t, state)
        return self._parts(state.z)[1][3::4] * push + small

    def switch(self, t: float, state: FigureState, which: int) -> ArrayLike:  # noqa: D102
        z = self.own(state.z).copy()
        z[3 * self.size + 4 * which + 3] *= -1.0
        return z

    def settle(self, t: float, state: FigureState) -> ArrayLike:  # noqa: D102
        z = self.own(state.z).copy()
        push, small = self._turning(t, state)
        signs = self._parts(z)[1][3::4]
        signs[:] = np.where(np.abs(push) > small, np.sign(push), signs)
        return z

    def _ends(self, z: Array) -> Array:
        """Return when the present phase of each muscle ends [s]."""
        memory, p = self._parts(z)[1], self._numbers
        arrived, (up, um, high, ramp) = memory[1::4], p[:, 7:11].T
        ends = np.array([np.full(self.size, np.inf), arrived + high + ramp, arrived + high + ramp * up / (up - um)])
        ends = np.vstack([ends, arrived + high])
        return ends[memory[0::4].astype(int), np.arange(self.size)]

    def next_instant(self, t: float, state: FigureState) -> float:  # noqa: D102
        return min(super().next_instant(t, state), float(self._ends(state.z).min(initial=np.inf)))

    def call(self, t: float, state: FigureState) -> ArrayLike:  # noqa: D102
        z = np.asarray(super().call(t, state), float).copy()
        memory = self._parts(z)[1]
        while (over := self._ends(z) <= t).any():
            memory[0::4] -= over
        if self.commands.arrived(t, self._memory(state.z), self._memory(z)):
            intensity = self._memory(z)[2 : 2 + self.size]
            if not (intensity >= 0.0).all() or not (intensity <= 1.0).all():
                where, law = f"{self.name}, law {self.commands.law_name!r}, t = {t:.9g} s", "the intensity of a pulse"
                raise RunError(f"{law} must be between 0 and 1", where=where, got=intensity.tolist())
            for k in np.flatnonzero(intensity > 0):
                memory[4 * k : 4 * k + 3] = 3.0, t, recruitment(intensity[k])
        return self.settle(t, FigureState(state.q, state.v, z))

    # ---------------------------------------------------------------- what is recorded
    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:  # noqa: D102
        x, memory = self._parts(state.z)
        p, n = self._numbers, self.size
        forces, _, _ = self._contract(t, state)
        lengths = self._way(state)[0]
        strain, phase = lengths / p[:, 6] - 1.0, memory[0::4]
        up, um, high, ramp = p[:, 7:11].T
        since = np.clip((t - memory[1::4] - high) / ramp, 0.0, 1.0)
        grown = (np.expm1(p[:, 4] * strain) / p[:, 4] - strain) * p[:, 3] / p[:, 4] * p[:, 6]
        return {
            "force": forces,
            "activation": x[0 : 2 * n : 2] / p[:, 0],
            "length": lengths,
            "calcium": np.where(phase == 0, um, up + (um - up) * since),
            "recruitment": memory[2::4],
            "phase": np.array([0.0, 1.0, 1.0, 2.0])[phase.astype(int)],
            "work": x[2 * n :],
            "elastic": 0.5 * x[1 : 2 * n : 2] ** 2 / p[:, 2] + grown,
            "line": np.concatenate(self.geometry.lines(state.q)),
        }
