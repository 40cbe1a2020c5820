"""Systems and their runs: what the one loop begins, advances from sample to sample, observes and commits."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import MotiformError
from motiform.motion.run.finite import Lost, first_lost
from motiform.motion.run.options import RunOptions
from motiform.record import Channel, Event

__all__ = ["Block", "Checkpoint", "Run", "States", "System"]

Checkpoint = dict[str, Any]
"""All that is needed to continue from a sample to the same bits: numbers, text, arrays, in dicts and lists."""

States = Sequence[Any] | np.ndarray
"""States at consecutive samples: a list, or an array of which each row is one."""


class Run(ABC):
    """A system under way, at a sample or, between adaptive steps, some time after one."""

    sample = 0
    """Number of the last sample that was reached."""
    size = 1
    """Numbers of a state: blocks of samples are as long as memory allows."""
    pace = 1.0
    """How many times longer than usual a block may take, where each block costs work of its own."""
    parallel = False
    """Whether `advance` lets go of Python's lock, and shares nothing that it writes with other runs."""
    failure: MotiformError | None = None
    """Why it cannot go on after the samples that `advance` returned last."""

    def __init__(self, last: int) -> None:
        self.last, self.events = last, list[Event]()
        """Number of the last sample of the run, and what happened since `take_events`."""

    @property
    def finished(self) -> bool:
        """Whether the end of the run is reached."""
        return self.sample >= self.last

    @abstractmethod
    def start(self) -> States:
        """Return the state at the start, the first sample."""

    @abstractmethod
    def advance(self, samples: int) -> States:
        """Advance to the next sample and return the state there; where one call takes several steps, to so many.

        Adaptive steps may end between samples: they return the states of all that were passed, or none.
        """

    @abstractmethod
    def checkpoint(self) -> Checkpoint:
        """Return what continues from here; called after `start` and after any `advance` that did not fail."""

    def take_events(self) -> list[Event]:
        """Return what happened since the last call."""
        events, self.events = self.events, []
        return events


@dataclass
class Block:
    """States at consecutive samples, the events since the block before, and where to continue."""

    states: States
    sample: int
    """Number of the last sample so far; with no states, of the last block's."""
    checkpoint: Callable[[], Checkpoint] | None
    """Gives that of the last state; None: a resumed run continues from an earlier block."""
    events: list[Event] = field(default_factory=list)
    error: MotiformError | None = None
    """Why the run ends here; the samples are kept."""


class System(ABC):
    """A model with what acts on it, ready to run. One loop records all systems, see `record`."""

    options: RunOptions
    gravity: ArrayLike
    """[m/s²] in the world's axes, (3,)."""
    vertical: Any = "y"
    """The upward axis where there is no gravity."""
    labels: Mapping[str, list[str]]
    """Names of the elements of the channels' dimensions."""
    notes: Sequence[str] = ()
    """What a user should know about how the model was made."""
    facts: Mapping[str, Any]
    """What the manifest says about the model."""
    observed_as: Hashable = None
    """Systems with equal keys observe any state alike, so that one can for all; None: only itself."""

    @property
    def device(self) -> str:
        """What it runs on."""
        return self.options.device

    @property
    def samples(self) -> int:
        """Number of samples, the one at the start counted."""
        return self.options.samples

    def times(self, first: int, end: int) -> np.ndarray:
        """Return the instants of samples [s], from one up to before another."""
        return self.options.t0 + np.arange(first, end) / self.options.rate

    @abstractmethod
    def channels(self) -> list[Channel]:
        """Return what is recorded."""

    @abstractmethod
    def begin(self, checkpoint: Checkpoint | None) -> Run:
        """Return a run from the start, or one that continues from a checkpoint."""

    @abstractmethod
    def observe(self, times: np.ndarray, states: Any) -> dict[str, np.ndarray]:
        """Return the samples of every channel at these times [s] and states, of any number of samples."""

    def state_part(self, states: Any, names: Sequence[str]) -> Any:
        """Return what these channels need of states."""
        return states

    def state_channels(self, states: Any, names: Sequence[str]) -> dict[str, np.ndarray] | None:
        """Return channels that are parts of the states; None where others are among them."""
        return None

    def first_lost(self, found: dict[str, np.ndarray]) -> Lost | None:
        """Return where samples are no longer finite, which ends the run; None: they all are."""
        return first_lost(found)
