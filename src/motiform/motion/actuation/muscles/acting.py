"""Hill-type muscles as an actuator: activations and fibre lengths are states of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.commands import Command, CommandedActuator, PulseTrain, SampledLaw
from motiform.motion.actuation.last_posture import LastPosture
from motiform.motion.actuation.muscles.fibre_pack import is_compiled, pack_fibres
from motiform.motion.actuation.muscles.hill import activation_rate, fibre_equilibrium, fibre_forces, fibre_speed
from motiform.motion.actuation.muscles.hill import muscle_force as force_of
from motiform.motion.actuation.muscles.muscle_set import Muscles
from motiform.motion.actuation.muscles.paths.columns import JUMPS
from motiform.motion.actuation.muscles.paths.geometry import path_lines, path_state, path_states
from motiform.motion.actuation.muscles.paths.jumps import jumping
from motiform.motion.actuation.muscles.paths.pack import path_actuator
from motiform.motion.actuation.muscles.posture_warnings import muscle_warnings
from motiform.motion.run import check_number
from motiform.motion.tree import ActuatorChannel, Figure, FigureState
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready

__all__ = ["HillMuscles"]


_SOON = (
    0.01  # [s] before and after a sample in which a path is looked at for jumps: none is missed at 50 samples a second
)

MUSCLE_QUANTITIES = {
    "excitation": ("", "of the muscles, as commanded"),
    "activation": ("", "of the muscles"),
    "force": ("N", "of the muscles"),
    "length": ("m", "of the muscles with their tendons"),
    "fibre_length": ("m", "of the muscles"),
    "fibre_speed": ("m/s", "of the muscles, lengthening positive"),
    "power": ("W", "of the muscles on the figure"),
    "warning": (
        "",
        "of the paths: 0 none; sum of 1 a point inside a surface, 2 a planar section, 4 wraps not settled, 8 a jump of "
        "the length within 10 ms, as where it changes sides of a surface",
    ),
    "line": ("m", "corners of the muscles' paths, one muscle after another"),
}
"""Quantities that are recorded: units and what they are."""


@dataclass(frozen=True, eq=False)
class HillMuscles(CommandedActuator):
    """The muscles of a figure, driven by excitations; its ligaments pull too.

    Activations a are states, da/dt = (u − a)/τ(a, u), and so are the fibre lengths of muscles with elastic tendons,
    whose rates follow from the equilibrium of fibre and tendon. At the start fibres are in equilibrium at rest.
    """

    muscles: Muscles
    command: Command = 0.0
    """Excitations u of the muscles, 0 to 1."""
    activation: ArrayLike = 0.02
    """At the start, one number or (muscles,)."""
    least: float = 0.01
    """Least excitation: the speed of a fibre without activation and damping is not defined."""
    name: str = "muscles"

    def __post_init__(self) -> None:
        check_number(self.least, "least", self.name, least=0.0)
        for one in self.muscles.muscles:
            if not one.rigid_tendon and not one.slack_length > 0:
                raise InputError(
                    "an elastic tendon must have a length",
                    where=f"muscle {one.name!r}",
                    remedy="Give the muscle rigid_tendon=True.",
                )
        a = np.asarray(self.activation, float)
        if a.shape not in ((), (self.size,)) or not ((a >= 0) & (a <= 1)).all():
            raise InputError(
                "activations at the start must be between 0 and 1", where=self.name, got=repr(self.activation)[:80]
            )
        self.commands  # noqa: B018, refuses commands of a wrong shape
        self._check_command()

    def _check_command(self) -> None:
        """Refuse excitations that are known now and not between 0 and 1; those of a law are bounded."""
        command = self.command.values if isinstance(self.command, PulseTrain) else self.command
        if callable(command) or isinstance(command, SampledLaw):
            return
        u = np.asarray(command, float)
        if not ((u >= 0) & (u <= 1)).all():
            wrong = u[~((u >= 0) & (u <= 1))][0]
            raise InputError("excitations must be between 0 and 1", where=self.name, got=float(wrong), allowed="0 to 1")

    def posture_warnings(self, q: ArrayLike) -> tuple[str, ...]:
        """Return what is doubtful of the muscles in a posture q (nq,); recordings keep that of the first as notes."""
        return muscle_warnings(self.muscles, q)

    def jumps(self, times: Array, flags: Array) -> tuple[str, ...]:
        """Return which muscles jump in a run and when, a sentence each, from the channel `warning`."""
        found = (np.asarray(flags).astype(int) & JUMPS) > 0
        return tuple(
            f"muscle {name!r}: its length or moment arm jumps near t = "
            f"{', '.join(f'{t:.4g}' for t in times[_begins(own)])} s, as where it changes sides of a surface"
            for name, own in zip(self.muscles.names, found.T, strict=True)
            if own.any()
        )

    @property
    def figure(self) -> Figure:
        """That of the muscles."""
        return self.muscles.figure

    @property
    def size(self) -> int:  # type: ignore[override]
        """One excitation for each muscle."""
        return len(self.muscles.muscles)

    @cached_property
    def _elastic(self) -> np.ndarray:
        return np.array([k for k, one in enumerate(self.muscles.muscles) if not one.rigid_tendon], np.int64)

    @cached_property
    def states(self) -> Sequence[str]:  # type: ignore[override]
        """Activations, then fibre lengths of muscles with elastic tendons."""
        names = self.muscles.names
        return [*(f"activation.{name}" for name in names), *(f"fibre.{names[k]}" for k in self._elastic)]

    @property
    def quantities(self) -> Sequence[ActuatorChannel]:  # type: ignore[override]
        """Excitations, activations, forces, lengths."""
        places = {"line": int(sum(self.corners))}
        return tuple(
            ActuatorChannel(key, unit, self.muscles.names, text, places.get(key, 0))
            for key, (unit, text) in MUSCLE_QUANTITIES.items()
        )

    @cached_property
    def corners(self) -> tuple[int, ...]:
        """How many corners each path is drawn with."""
        return tuple(len(line) for line in path_lines(self.muscles.paths, self.figure.neutral()))

    @cached_property
    def _kernel(self) -> Any:
        """The compiled rates, or None where a muscle has curves that kernels do not know."""
        if not all(is_compiled(one) for one in self.muscles.muscles):
            return None
        from motiform.motion.actuation.muscles.fibre_kernels import fibre_rates

        return fibre_rates.function

    @cached_property
    def _ways(self) -> tuple[LastPosture[Any], LastPosture[Any]]:
        """Paths of the muscles and of the ligaments."""
        one, other = (partial(path_state, paths) for paths in (self.muscles.paths, self.muscles.bands))
        return LastPosture(one), LastPosture(other)

    @cached_property
    def _packed(self) -> tuple[Array, Array]:
        return pack_fibres(self.muscles.muscles, self.least)

    @cached_property
    def packed(self) -> PackedActuator | None:
        """Their numbers, curves and paths; None with ligaments, with curves or joints that kernels do not know."""
        way = path_actuator(self.muscles.paths) if self._kernel is not None and not self.muscles.ligaments else None
        if way is None:
            return None
        from motiform.motion.actuation.muscles.actuator_kernels import hill_muscles

        (rows, curves), n, nv = self._packed, self.size, self.figure.nv
        head, numbers, room = np.array([n, len(curves), 0]), np.concatenate([rows.ravel(), curves]), 6 * n + nv + n * nv
        own = way.after(head, numbers, np.zeros(room), ((2, way.function),))
        return self.commands.pack(own._replace(function=hill_muscles))

    def own_start(self, state: FigureState) -> ArrayLike:  # noqa: D102
        low = np.array([max(one.activations[0], self.least) for one in self.muscles.muscles])
        a = np.maximum(np.broadcast_to(np.asarray(self.activation, float), (self.size,)), low)
        length, x = path_state(self.muscles.paths, state.q)[0], np.concatenate([a, np.zeros(len(self._elastic))])
        if self._kernel is not None:
            from motiform.motion.actuation.muscles.fibre_kernels import fibre_lengths

            fibre_lengths.function(*self._packed, length, np.array(a), x)
        elif len(self._elastic):
            own = [self.muscles.muscles[k] for k in self._elastic]
            x[self.size :] = fibre_equilibrium(own, a[self._elastic], length[self._elastic])
        return x

    def _dynamics(self, t: float, state: FigureState, way: Any = None) -> "_MuscleDynamics":
        """Return what the muscles do in a state; lengths, moment arms and reports of the paths may be known."""
        length, arm, report = self._ways[0](state.q) if way is None else way
        v, x, n = ready(state.v, self.figure.nv, "v"), self.own(state.z)[: len(self.states)], self.size
        u = ready(self.command_at(t, state), n, "a command")
        found = _MuscleDynamics(
            np.empty(len(x)), np.empty(n), np.empty((n, 2)), np.empty(n), np.empty(self.figure.nv), length, u, report
        )
        if self._kernel is not None:
            self._kernel(*self._packed, length, arm, v, u, x, *found[:5])
        else:
            found.speed[:] = -(arm @ v)
            self._in_python(length, found.speed, u, x, *found[:3])
            found.effort[:] = found.force @ arm
        return found

    def _in_python(self, L: Array, v: Array, u: Array, x: Array, rates: Array, forces: Array, fibres: Array) -> None:
        """Write what the kernel writes, for curves of a user."""
        every, n = self.muscles.muscles, self.size
        low, high = np.array([(max(one.activations[0], self.least), one.activations[1]) for one in every]).T
        a = np.clip(x[:n], low, high)
        rates[:n] = activation_rate(every, x[:n], np.clip(u, low, high))
        stiff = np.setdiff1d(np.arange(n), self._elastic)
        if len(stiff):
            own = [every[k] for k in stiff]
            given = fibre_forces(own, L[stiff], v[stiff], a[stiff])
            forces[stiff] = np.maximum(a[stiff] * given.active + given.passive, 0.0)
            scale = np.array([(one.fibre_length, one.fibre_length * one.max_speed) for one in own])
            fibres[stiff] = np.column_stack([given.length, given.speed]) * scale
        if len(self._elastic):
            k = self._elastic
            own, fibre = [every[j] for j in k], x[n:]
            shortest = np.array([one.shortest for one in own])
            bounded = np.maximum(fibre, shortest)
            forces[k] = force_of(own, a[k], L[k], v[k], bounded)
            rates[n:] = fibre_speed(own, a[k], L[k], bounded)
            rates[n:] = np.where((fibre <= shortest) & (rates[n:] < 0), 0.0, rates[n:])
            fibres[k] = np.column_stack([fibre, rates[n:]])

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:  # noqa: D102
        found = self._dynamics(t, state)
        tau = found.effort
        if self.muscles.ligaments:
            lengths, arms, _ = self._ways[1](state.q)
            pulls = [float(band.tension(L)) for band, L in zip(self.muscles.ligaments, lengths, strict=True)]
            tau = tau + np.array(pulls) @ arms
        return tau, found.rate

    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:  # noqa: D102
        return {name: values[0] for name, values in self.measure_all(np.array([t]), [state]).items()}

    def measure_all(self, times: Array, states: Sequence[FigureState]) -> Mapping[str, Array]:  # noqa: D102
        paths, nq, nv = self.muscles.paths, self.figure.nq, self.figure.nv
        q, v = np.array([ready(s.q, nq, "q") for s in states]), np.array([ready(s.v, nv, "v") for s in states])
        ways, lines = path_states(paths, q)
        found = [
            self._dynamics(float(t), s, way) for t, s, way in zip(times, states, zip(*ways, strict=True), strict=True)
        ]
        force, speed = np.array([one.force for one in found]), np.array([one.speed for one in found])
        fibres = np.array([one.fibre for one in found])
        return {
            "excitation": np.array([one.excitation for one in found]),
            "activation": np.array([s.z[: self.size] for s in states]),
            "force": force,
            "length": ways[0],
            "fibre_length": fibres[:, :, 0],
            "fibre_speed": fibres[:, :, 1],
            "power": -force * speed,
            "warning": np.asarray(ways[2] + JUMPS * jumping(paths, q, v, _SOON), float),
            "line": lines,
        }


class _MuscleDynamics(NamedTuple):
    """What muscles do in a state."""

    rate: Array
    """Of activations, then of fibre lengths."""
    force: Array
    """[N]"""
    fibre: Array
    """Fibre lengths and speeds [m, m/s], (muscles, 2)."""
    speed: Array
    """Of the paths [m/s]."""
    effort: Array
    """On the coordinates, (nv,)."""
    length: Array
    """Of the paths [m]."""
    excitation: Array
    report: np.ndarray
    """On the paths, see `columns`."""


def _begins(flags: np.ndarray) -> np.ndarray:
    """Return where flags begin to be set."""
    return np.flatnonzero(flags & ~np.concatenate([[False], flags[:-1]]))
