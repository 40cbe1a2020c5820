"""The driver of all runs: advance from sample to sample, and hand the samples on in blocks."""

import time
from collections.abc import Iterator

import numpy as np

from motiform.base.errors import MotiformError
from motiform.motion.run.system import Block, Checkpoint, States, System

__all__ = ["Pace", "run_blocks"]

_BLOCK_BYTES = 4 << 20  # states kept before they are observed and written
_PACE = 0.2  # [s] of work from one sign of progress to the next
_MOST = 16384  # samples of a block


class Pace:
    """How many samples make a block: as many as memory allows and as come in a fifth of a second, or some times that.

    Blocks are what progress and commits see; their lengths change no bit of the result.
    """

    def __init__(self, size: int, pace: float = 1.0) -> None:
        self.seconds = pace * _PACE
        self.most = max(1, min(_MOST, _BLOCK_BYTES // (8 * max(size, 1))))
        self.count = min(16, self.most)
        """Samples to ask for at once."""
        self.begun = self.asked = time.perf_counter()

    def full(self, kept: int) -> bool:
        """Whether a block of so many samples should be handed on now; if so a new one begins."""
        if kept < self.most and time.perf_counter() - self.begun < self.seconds:
            return False
        self.begun = time.perf_counter()
        return True

    def adapt(self, done: int) -> None:
        """Choose how many samples to ask for next, from the time that so many took."""
        now = time.perf_counter()
        spent, self.asked = now - self.asked, now
        self.count = int(min(self.most, max(1, done * min(8.0, self.seconds / max(spent, 1e-6)))))


def run_blocks(system: System, checkpoint: Checkpoint | None) -> Iterator[Block]:
    """Advance a system from its start, whose state comes first, or from a checkpoint, to the end.

    A run that fails ends with a block of the samples before it, and the error.
    """
    run = system.begin(checkpoint)
    if checkpoint is None:
        yield Block(run.start(), 0, run.checkpoint, run.take_events())
    pace = Pace(run.size, run.pace)
    kept: list[States] = []
    count, error = 0, None
    while not run.finished and error is None:
        try:
            states = run.advance(max(1, min(pace.count, pace.most - count, run.last - run.sample)))
            error = run.failure
        except MotiformError as caught:
            states, error = [], caught
        kept.append(states)
        count += len(states)
        pace.adapt(len(states))
        if error is None and not run.finished and pace.full(count):
            yield Block(_joined(kept), run.sample, run.checkpoint, run.take_events())
            kept, count = [], 0
    # after an error the run is somewhere inside a step: a resumed one continues from the block before
    yield Block(_joined(kept), run.sample, None if error else run.checkpoint, run.take_events(), error)


def _joined(kept: list[States]) -> States:
    """Return states of several calls as one sequence."""
    kept = [states for states in kept if len(states)]
    if kept and all(isinstance(states, np.ndarray) for states in kept):
        return kept[0] if len(kept) == 1 else np.concatenate(kept)
    return [state for states in kept for state in states]
