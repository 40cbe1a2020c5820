"""A run that goes on in a thread of its own, in real time or slower, is held and goes on again."""

import threading
import time
from collections.abc import Callable

__all__ = ["FRAME", "LiveThread"]

FRAME = 1 / 30  # [s] between two pictures
BEHIND = 0.25  # [s] of real time that are made up for; more is let go, and time runs slower


class LiveThread:
    """The loop of a live run. A subclass gives `go_on`, which advances by `span` seconds.

    A run that fails is held, and the error told to `on_end`.
    """

    span: float
    """Time of the run from one turn of the loop to the next [s]."""
    one_core = True
    """Small steps do not wait for other cores."""

    def __init__(self, on_end: Callable[[BaseException], None]) -> None:
        self._on_end = on_end
        self._lock = threading.RLock()
        self._running, self._closed = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether time goes on."""
        return self._running.is_set() and not self._closed.is_set()

    def start(self) -> None:
        """Let time go on."""
        self._running.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="motiform-live", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Hold time."""
        self._running.clear()

    def close(self) -> None:
        """End the run and its thread."""
        self._closed.set()
        self._running.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(2.0)

    def go_on(self) -> None:
        """Take the steps of one turn."""
        raise NotImplementedError

    def idle(self) -> bool:
        """Whether nobody looks, so that time is held."""
        return False

    def _run(self) -> None:
        if self.one_core:
            import numba

            numba.set_num_threads(1)  # of this thread
        due = time.monotonic()
        while not self._closed.is_set():
            if not self._running.is_set() or self.idle():
                self._closed.wait(FRAME)
                due = time.monotonic()
                continue
            try:
                self.go_on()
            except Exception as error:  # a run that diverges, or a page that went away: told, and time is held
                self._running.clear()
                self._on_end(error)
                continue
            due = max(due + self.span, time.monotonic() - BEHIND)
            self._closed.wait(max(0.0, due - time.monotonic()))
