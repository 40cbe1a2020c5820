"""Systems: what the run loop advances from sample to sample, observes and commits."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import MotiformError
from motiform.motion.run.options import RunOptions
from motiform.record import Channel, Event

__all__ = ["Block", "Checkpoint", "System"]

Checkpoint = dict[str, Any]
"""All that is needed to continue from a sample to the same bits: numbers, text, arrays, in dicts and lists."""


@dataclass
class Block:
    """States at consecutive samples, the events since the block before, and where to continue."""

    states: Sequence[Any] | np.ndarray
    sample: int
    """Number of the last sample so far; with no states, of the last block's."""
    checkpoint: Checkpoint | Callable[[], Checkpoint] | None
    """Of the last state, or a function that gives it; None: a resumed run continues from an earlier one."""
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

    @abstractmethod
    def channels(self) -> list[Channel]:
        """Return what is recorded."""

    @abstractmethod
    def blocks(self, checkpoint: Checkpoint | None) -> Iterator[Block]:
        """Advance from the start, whose state comes first, or from a checkpoint, to the end."""

    @abstractmethod
    def observe(self, times: np.ndarray, states: Any) -> dict[str, np.ndarray]:
        """Return the samples of every channel at these times [s] and states."""
