"""A run that goes on in a thread of its own, is held and goes on again."""

import threading

__all__ = ["LiveThread"]


class LiveThread:
    """The thread of a live run. A subclass gives `_run`, which ends when `_closed` is set."""

    def __init__(self) -> None:
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

    def _run(self) -> None:
        raise NotImplementedError
