"""A law that swings a shank by stimulation: extensors while it extends, flexors while it flexes."""

from dataclasses import dataclass

from motiform.base.errors import InputError
from motiform.motion.actuation.stimulation.geometry import KneeGeometry
from motiform.motion.run import check_number
from motiform.motion.tree import FigureState
from motiform.motion.tree.model.joint import Array

__all__ = ["KneeSwing"]


@dataclass(frozen=True)
class KneeSwing:
    """Pulses to the muscle that pulls the way the knee goes, for a `SampledLaw` with memory and a variable period.

    At the first call, which the memory tells, the quadriceps begin. While the knee moves, pulses follow one another by
    `period`; where it goes no faster than `slow` they wait until it does, and the law looks again after `look`
    [HuMAnS 6.1.2, 6.4.2].
    """

    geometry: KneeGeometry
    quadriceps: float = 1.0
    """Intensity of their pulses."""
    hamstrings: float = 1.0
    period: float = 0.025
    """From pulse to pulse [s]."""
    look: float = 0.01
    """From call to call without pulses [s]."""
    slow: float = 0.05
    """[rad/s]"""

    def __post_init__(self) -> None:
        where = f"swing of {self.geometry.coordinate!r}"
        for name in ("quadriceps", "hamstrings"):
            check_number(getattr(self, name), name, where, least=0.0, most=1.0)
        for name in ("period", "look", "slow"):
            check_number(getattr(self, name), name, where, above=0.0)
        if self.look > self.period:
            got, allowed = f"look {self.look:g} s, period {self.period:g} s", "look up to period"
            raise InputError(
                "the law must look at least as often as pulses follow", where=where, got=got, allowed=allowed
            )

    def __call__(self, t: float, state: FigureState, memory: Array) -> tuple[list[float], list[float], float]:
        """Return the intensities for quadriceps and hamstrings, the calls, and the time until the next one [s]."""
        _, at_v = self.geometry.places
        flexing = self.geometry.sign * float(state.v[at_v])
        calls = [float(memory[0]) + 1.0]
        if calls[0] == 1.0 or flexing < -self.slow:
            return [self.quadriceps, 0.0], calls, self.period
        if flexing > self.slow:
            return [0.0, self.hamstrings], calls, self.period
        return [0.0, 0.0], calls, self.look
