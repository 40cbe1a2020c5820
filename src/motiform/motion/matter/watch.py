"""What is looked at between the samples of a recording: the sound, and positions at rates of their own."""

from math import gcd
from typing import Any

import numpy as np

from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.sound import Listener
from motiform.spatial.checks import Array

__all__ = ["Watch"]


class Watch:
    """Steps of a network from sample to sample, and what is seen and heard in them."""

    def __init__(self, listener: Listener | None, fine: dict[str, tuple[Any, int]]) -> None:
        self.listener, self.fine = listener, fine
        """Channels: which points, and the steps from one of their samples to the next."""
        every = [steps for _, steps in fine.values()] + ([] if listener is None else [listener.every])
        self.tick = gcd(*every)
        seen = [np.atleast_1d(which) for which, _ in fine.values()] + ([] if listener is None else [listener.points])
        self.points = np.unique(np.concatenate(seen))

    def first(self, engine: Any) -> dict[str, Array]:
        """Return what is seen and heard at the start, one sample of each."""
        places = getattr(engine, "matter", engine).places(self.points)
        found = {name: places[self._columns(which)][None] for name, (which, _) in self.fine.items()}
        return found if self.listener is None else found | {"sound": self.listener.first(engine)}

    def advance(self, engine: Any, steps: int) -> dict[str, Array]:
        """Take steps and return what is seen and heard in them, (samples, …)."""
        matter: Engine = getattr(engine, "matter", engine)
        before, count = matter.places(self.points), steps // self.tick
        if matter is engine and matter.small:
            places = matter.watch(count, self.tick, self.points)
            matter.check()
        else:
            places = np.empty((count, len(self.points), 3))
            for k in range(count):
                engine.advance(self.tick)
                places[k] = matter.places(self.points)
        found = {}
        for name, (which, every) in self.fine.items():
            skip = every // self.tick
            found[name] = places[skip - 1 :: skip, self._columns(which)]
        if self.listener is not None:
            skip, mine = self.listener.every // self.tick, self._columns(self.listener.points)
            found["sound"] = self.listener.sound_of(before[mine], places[skip - 1 :: skip, mine])
        return found

    def _columns(self, which: Any) -> Any:
        """Return where points are among those that are looked at: indices, or one index."""
        return np.searchsorted(self.points, which)
