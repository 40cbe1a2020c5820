"""Steps of a phase as one compiled call: what an event-driven run takes where nothing asks Python."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.motion.actuation.compiled import compile_loads
from motiform.motion.actuation.pushes import PUSH_FLOATS
from motiform.motion.run import ExplicitStep, RunOptions
from motiform.motion.run.guards import time_tolerance
from motiform.motion.stepping.equations import CLEAR, LAZY, SLOW, TINY, TOUCH, ContactEquations
from motiform.motion.tree.model.joint import Array

if TYPE_CHECKING:
    from motiform.motion.stepping.phase_kernels import ContactPhase, PhaseWorkspace

__all__ = ["PhaseEnd", "PhaseSteps"]

_TOGETHER = 256  # steps of one call: Python sees signals between calls


@dataclass(frozen=True)
class PhaseEnd:
    """What steps have come to."""

    code: int
    """See `phase_kernels`."""
    time: float
    """Instant that was reached, that of the state [s]."""
    used: float
    """Length of the last step, or of the one that was not taken [s]."""
    following: float
    """Length of the step to try next [s]."""
    looked: float
    """Up to when nothing happens in a step that was not taken [s]."""
    held: float
    """Up to when forces allow the modes in it [s]."""
    end: Array
    """Its end; the state that actuators refuse."""
    refused: float
    """When they do [s]."""
    samples: Array
    """States at the samples that were passed."""
    starts: Array
    """When steps began that were as long as they would be [s]."""


class PhaseSteps:
    """Packed equations of a phase, and room for its steps."""

    def __init__(
        self, system: ContactEquations, stepper: ExplicitStep, options: RunOptions, longest: float, creep: float
    ) -> None:
        from motiform.motion.stepping.phase_kernels import PhaseMethod, advance_phase, locate_turn, phase_workspace

        tableau, packed = stepper.tableau, system.problem.packed
        assert tableau.error is not None
        assert tableau.dense is not None
        numbers = [
            stepper.rtol, stepper.atol, stepper.power, longest, TOUCH, SLOW, LAZY, TINY, CLEAR, creep
        ]  # fmt: skip
        self.system, self.options = system, options
        sizes = np.array([system.counted, system.acting], np.int64)
        self._method = PhaseMethod(
            tableau.a, tableau.b, tableau.c, tableau.error, tableau.dense, sizes, np.array(numbers, float)
        )
        assert system.controls.actuation is not None
        self._acts, events = system.controls.actuation, sum(len(part.events) for part in system.controls.parts)
        capacity = max(_TOGETHER, 2 * int(options.rate * longest) + 4)
        self._workspace: PhaseWorkspace = phase_workspace(stepper.stages, packed.count, system.nv, events, capacity)
        pushes = compile_loads(system.loads)
        self._pushes = np.zeros((0, PUSH_FLOATS)) if pushes is None else pushes
        self._loads = np.zeros((len(system.figure.segments) if len(self._pushes) else 0, 6))
        self._point_of = np.ascontiguousarray(packed.point_of, np.int64)
        self._rows = np.arange(max(packed.count, 1))
        self._kernel: Any = advance_phase.function
        self._locate: Any = locate_turn.function
        self._step: tuple[Any, ...] = ()

    @staticmethod
    def can_take(system: ContactEquations, stepper: ExplicitStep) -> bool:
        """Return whether all that acts is numbers, and steps are explicit with dense output."""
        tableau = stepper.tableau
        plain = tableau.error is not None and tableau.dense is not None and tableau.norm == "mean"
        numbers = system.compiled and compile_loads(system.loads) is not None
        return plain and not tableau.implicit and numbers and system.solids is None

    def advance(
        self, t: float, y: Array, h: float, target: float, latest: float, sample: int, *, fresh: bool, one: bool
    ) -> PhaseEnd:
        """Go on in place from t toward a target, or take `one` step; `sample` is the last that was taken."""
        from motiform.motion.stepping.phase_kernels import FAILED, REFUSED

        system, options, room = self.system, self.options, self._workspace
        problem = system.problem
        self._step = (
            problem.head, self._method, self._acts, self._pushes, self._loads, self._phase(), problem.pairs,
            problem.space, problem.workspace, room,
        )  # fmt: skip
        code = self._kernel(
            *self._step, system.modes, system.armed, y, t, h, target, latest, fresh, 1 if one else _TOGETHER, sample,
            options.samples - 1, options.rate, options.t0,
        )  # fmt: skip
        problem.rows = 2 * problem.pairs + len(problem.active)
        system.keep_memory()
        time, used, following, looked, held, refused = room.numbers.tolist()
        written, begun = room.counts.tolist()
        end = (room.part if code == FAILED + REFUSED else room.end).copy()
        samples, starts = room.samples[:written].copy(), room.starts[:begun].copy()
        return PhaseEnd(int(code), time, used, following, looked, held, end, refused, samples, starts)

    def locate(self, t: float, y: Array, h: float, t1: float, low: float, high: float) -> float:
        """Return when in (low, high] of the last step, from t and y on, forces or slips first ask for another mode."""
        return float(self._locate(*self._step, y, t, h, t1, low, high, time_tolerance(high)))

    def _phase(self) -> "ContactPhase":
        from motiform.motion.stepping.phase_kernels import ContactPhase

        system, problem = self.system, self.system.problem
        return ContactPhase(
            problem.active, system.own_modes, problem.mu, system.own_memory, system.own_slid, system.own_regions,
            system.own_sharp, self._point_of, self._rows,
        )  # fmt: skip
