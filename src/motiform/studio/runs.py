"""One run at a time, in its own thread, with progress reports and cancellation."""

import threading
from collections.abc import Callable
from typing import Any

from motiform.base.errors import MotiformError, RunError
from motiform.base.progress import Progress

__all__ = ["Cancelled", "Runner", "plain"]


class Cancelled(Exception):
    """Raised inside a run's progress when the user pressed Cancel."""


class Runner:
    """Does work in a thread: at most one piece at a time.

    Parameters
    ----------
    on_progress, on_done, on_failed, on_cancelled
        Called in the thread of the work with the fraction done, the result, the text of the error, nothing.
    """

    def __init__(
        self, *, on_progress: Callable[[float], None], on_done: Callable[[Any], None], on_failed: Callable[[str], None],
        on_cancelled: Callable[[], None],
    ) -> None:  # fmt: skip
        self._on_progress, self._on_done = on_progress, on_done
        self._on_failed, self._on_cancelled = on_failed, on_cancelled
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def start(self, work: Callable[[Progress], Any], *, on_start: Callable[[], None] = lambda: None) -> None:
        """Start `work(progress)`; refuse when something still runs.

        `on_start` is called when nothing stands in the way, before any other callback: a `cancel` from then on counts.
        """
        with self._lock:
            if self.busy:
                raise RunError("a run is under way", remedy="Wait for it, or press Cancel first.")
            self._cancel.clear()
            on_start()
            self._thread = threading.Thread(target=self._do, args=(work,), name="motiform-run", daemon=True)
            self._thread.start()

    def cancel(self) -> None:
        """Ask the work to stop at its next report of progress."""
        self._cancel.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait for the work to end."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _do(self, work: Callable[[Progress], Any]) -> None:
        try:
            self._on_done(work(self._report))
        except Cancelled:
            self._on_cancelled()
        except Exception as error:  # the page shows every failure as a sentence, and lives on
            self._on_cancelled() if self._cancel.is_set() else self._on_failed(plain(error))

    def _report(self, fraction: float) -> None:
        if self._cancel.is_set():
            raise Cancelled
        self._on_progress(min(1.0, max(0.0, float(fraction))))


def plain(error: BaseException) -> str:
    """Return the message of an error for the user, without traceback."""
    if isinstance(error, MotiformError):
        return str(error)
    text = str(error).strip().splitlines()
    return f"Unexpected {type(error).__name__}: {text[0]}" if text else f"Unexpected {type(error).__name__}"
