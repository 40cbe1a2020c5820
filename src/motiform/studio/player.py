"""The timeline: which sample of a recording is shown at which moment."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from motiform.base.errors import InputError

__all__ = ["HOLD", "Player"]

HOLD = 0.25  # [s] a hand on the slider stops the clock this long, so that the two do not fight over it


class Player:
    """Plays samples in real time, slower or faster, once or in a loop.

    It holds no picture and starts no thread: call `tick` often and draw `sample` when it says that it changed.

    Parameters
    ----------
    times
        Instants of the samples [s], increasing, (samples,).
    clock
        Seconds of the real world; tests give their own.
    """

    def __init__(self, times: Any = (0.0,), *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self.speed = 1.0
        self.loop = True
        self.load(times)

    def load(self, times: Any) -> None:
        """Take the samples of another recording and stand at its beginning, paused."""
        times = np.asarray(times, dtype=float)
        if times.ndim != 1 or not times.size or not np.isfinite(times).all() or (np.diff(times) < 0).any():
            raise InputError(
                "the times of a recording do not increase", got=f"{times.size} times", allowed="one or more"
            )
        with self._lock:
            self.times, self._time, self._playing = times, float(times[0]), False
            self._last, self._held = self._clock(), 0.0

    @property
    def start(self) -> float:
        """First instant [s]."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """Last instant [s]."""
        return float(self.times[-1])

    @property
    def time(self) -> float:
        """Instant shown [s], between `start` and `end`."""
        return self._time

    @property
    def playing(self) -> bool:
        """Whether time runs."""
        return self._playing

    @property
    def sample(self) -> int:
        """Index of the sample nearest to `time`."""
        with self._lock:
            after = int(np.searchsorted(self.times, self._time))
            if after == 0:
                return 0
            if after == self.times.size:
                return after - 1
            return after if self.times[after] - self._time < self._time - self.times[after - 1] else after - 1

    def play(self) -> None:
        """Let time run; from the beginning when it stands at the end."""
        with self._lock:
            if self._time >= self.end:
                self._time = self.start
            self._playing, self._last, self._held = self.end > self.start, self._clock(), 0.0

    def pause(self) -> None:
        """Stop time where it is."""
        with self._lock:
            self.tick()
            self._playing = False

    def toggle(self) -> None:
        """Play when paused, pause when playing."""
        (self.pause if self._playing else self.play)()

    def set_speed(self, speed: float) -> None:
        """Seconds of the recording per real second, from now on."""
        if not (np.isfinite(speed) and speed > 0):
            raise InputError("the speed of play is wrong", got=speed, allowed="a number above 0")
        with self._lock:
            self.tick()
            self.speed = float(speed)

    def seek(self, instant: float, *, hold: bool = False) -> None:
        """Go to an instant [s]; with `hold`, time waits a moment there even while playing."""
        with self._lock:
            self._time = float(np.clip(instant, self.start, self.end))
            self._last = self._clock()
            self._held = self._last + HOLD if hold else 0.0

    def step(self, samples: int) -> None:
        """Pause and move by a number of samples, back when negative."""
        with self._lock:
            self._playing = False
            self._time = float(self.times[np.clip(self.sample + samples, 0, self.times.size - 1)])

    def tick(self) -> float:
        """Move time on by what has passed since the last call, and return it."""
        with self._lock:
            now = self._clock()
            if self._playing:
                since = max(self._last, self._held)
                self._advance(max(0.0, now - since) * self.speed)
            self._last = now
            return self._time

    def _advance(self, seconds: float) -> None:
        reached = self._time + seconds
        if reached < self.end:
            self._time = reached
        elif self.loop:
            self._time = self.start + (reached - self.start) % (self.end - self.start)
        else:
            self._time, self._playing = self.end, False
