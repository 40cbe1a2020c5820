"""The stretch reflex: muscles that are longer than in a posture are excited more."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.commands import PulseTrain
from motiform.motion.actuation.muscles.muscle_set import Muscles
from motiform.motion.actuation.muscles.paths.geometry import path_state
from motiform.motion.actuation.muscles.paths.pack import path_actuator
from motiform.motion.run import check_number
from motiform.motion.tree import FigureState
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready
from motiform.spatial.checks import as_floats

__all__ = ["StretchReflex"]


@dataclass(frozen=True, eq=False)
class StretchReflex:
    """u = e(t) + gain (L − L*)/l_opt + damping L̇/l_opt from `start` on, between 0 and 1; u = e(t) before.

    e are the excitations without the reflex.
    L are the lengths of the muscles with their tendons, L* those in a posture, l_opt the optimal fibre lengths. It is
    the law of a `SampledLaw`: a command of `HillMuscles`.
    """

    muscles: Muscles
    excitation: PulseTrain
    """Excitations without the reflex; from `start` on best those that hold the posture."""
    posture: ArrayLike
    """Whose lengths the muscles keep, (nq,)."""
    gain: float
    """Excitation for a stretch of one optimal fibre length."""
    damping: float = 0.0
    """Excitation for a stretch of one optimal fibre length a second [s]."""
    start: float = 0.0
    """[s]"""

    def __post_init__(self) -> None:
        where = "stretch reflex"
        for name in ("gain", "damping", "start"):
            check_number(getattr(self, name), name, where, least=0.0)
        q = as_floats(self.posture, where=f"{where}, posture")
        if q.shape != (self.muscles.figure.nq,):
            raise InputError("posture must be one of the figure", where=where, got=q.shape, allowed="(nq,)")
        object.__setattr__(self, "posture", q)

    @cached_property
    def _rest(self) -> tuple[Array, Array]:
        """Lengths in the posture, and optimal fibre lengths [m]."""
        length = path_state(self.muscles.paths, np.asarray(self.posture))[0]
        return length, np.array([one.fibre_length for one in self.muscles.muscles])

    @cached_property
    def packed(self) -> PackedActuator | None:
        """The law as compiled steps take it; None where Python must help with the paths."""
        way = path_actuator(self.muscles.paths)
        if way is None:
            return None
        from motiform.motion.actuation.muscles.actuator_kernels import stretch_reflex

        rest, optimal = self._rest
        times, values, n = np.asarray(self.excitation.times), np.asarray(self.excitation.values), len(rest)
        numbers = np.concatenate([(self.gain, self.damping, self.start), rest, optimal, times, values.ravel()])
        head, room = np.array([n, len(times), 0]), np.zeros(n + n * self.muscles.figure.nv)
        return way.after(head, numbers, room, ((2, way.function),))._replace(function=stretch_reflex)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the excitations, (muscles,)."""
        k = int(np.searchsorted(np.asarray(self.excitation.times), t + _SOON, side="right")) - 1
        u = np.asarray(self.excitation.values)[k] if k >= 0 else np.zeros(len(self.muscles.muscles))
        if t + _SOON < self.start:
            return np.asarray(u)
        length, arm, _ = path_state(self.muscles.paths, state.q)
        rest, optimal = self._rest
        speed = -(arm @ ready(state.v, self.muscles.figure.nv, "v"))
        return np.asarray(np.clip(u + (self.gain * (length - rest) + self.damping * speed) / optimal, 0.0, 1.0))


_SOON = 1e-9  # [s] calls at multiples of a period are on time, whatever their rounding
